"""One file for each schema: how it comes out of the one before it. What was released is never edited."""
