"""One file per command: the only place that wires parts together, prints, or exits."""
