"""Numbers in, small records out. Knows no files, no kernels, no colours."""
