"""Readers of profiles: the exact lab's own, and the texts of other tools."""
