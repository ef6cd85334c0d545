"""Stored runs as plain values, for a notebook or a script."""
