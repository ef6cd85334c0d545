"""A run as data for other tools: one document, tables, and what tools for benchmarks read. Names in it are as they were given."""
