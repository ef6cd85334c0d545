"""A plan meets boxes: every boot once, each one's results stored before the next begins."""
