"""A stored run becomes a document: the mail, the page, or one of the forms of data."""
