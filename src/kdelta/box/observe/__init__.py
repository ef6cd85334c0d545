"""What a real machine is, and how busy, hot and disturbed it was while something was measured on it."""

from __future__ import annotations

from kdelta.box.observe.between import described
from kdelta.box.observe.constant import facts
from kdelta.box.observe.limits import warnings
from kdelta.box.observe.moment import Snapshot, snapshot

__all__ = ["Snapshot", "described", "facts", "snapshot", "warnings"]
