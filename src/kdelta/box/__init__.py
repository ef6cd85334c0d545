"""A place that boots a variant and runs programs in it."""
