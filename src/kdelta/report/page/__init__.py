"""The page of a run: one HTML file that opens offline, with the data inside."""
