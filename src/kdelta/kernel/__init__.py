"""A kernel as a value: find it, identify it, fetch it, read its symbols."""
