"""Questions about stored runs, answered with values: what reports, pages and notebooks are made of."""
