"""What a visit of this machine changes, and how all of it is put back, whatever happens in between."""

from __future__ import annotations

from kdelta.box.settings.errors import NotRestoredError, RefusedError
from kdelta.box.settings.host import Host
from kdelta.box.settings.recovery import Repaired, repair
from kdelta.box.settings.session import Session
from kdelta.box.settings.work import Visit

__all__ = ["Host", "NotRestoredError", "RefusedError", "Repaired", "Session", "Visit", "repair"]
