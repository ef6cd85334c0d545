"""The catalogue of benchmarks, and what their programs print."""
