"""Where instructions went: readers of profiles, and the difference of two."""
