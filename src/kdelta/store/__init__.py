"""Samples at rest: append and query only."""
