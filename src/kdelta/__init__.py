"""kdelta: what did this kernel change do to performance, and can I believe it?"""

__version__ = "0.1.0"
