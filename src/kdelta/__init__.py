"""kdelta: what did this kernel change do to performance, and can I believe it?

import kdelta

run = kdelta.load()    # the newest run; docs/notebook.md
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from kdelta.notebook import load

__version__ = "0.1.0"
__all__ = ["__version__", "load"]


def __getattr__(name: str) -> Any:
    """`load` brings the statistics with it: the program must start without them."""
    if name == "load":
        return importlib.import_module("kdelta.notebook").load
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
