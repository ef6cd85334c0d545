"""This machine as a box, where something goes wrong around the programs. What goes right is in tests/local."""

from __future__ import annotations

import errno
from collections.abc import Iterator
from contextlib import contextmanager
from typing import cast

import pytest
from tests.unit.builders import request

from kdelta.box.local import LocalBox
from kdelta.box.protocol import Watch
from kdelta.box.settings import RefusedError, Session, Visit
from kdelta.model.boot import Outcome
from kdelta.model.errors import BoxLostError
from kdelta.model.plan import LOCAL, BoxSpec
from kdelta.model.variant import Variant
from kdelta.profile.readers import perf_script


class Failing:
    """In place of a session: its visits fail as told."""

    def __init__(self, error: Exception) -> None:
        self._error = error

    @contextmanager
    def visit(self, variant: Variant, *, drop_caches: bool = False) -> Iterator[Visit]:
        raise self._error
        yield


def box(error: Exception) -> LocalBox:
    return LocalBox(BoxSpec(name="here", kind=LOCAL), cast("Session", Failing(error)), perf_script.read)


def test_a_full_disk_is_a_lost_box_with_a_remedy() -> None:
    with pytest.raises(BoxLostError, match="No space left on device") as caught:
        box(OSError(errno.ENOSPC, "No space left on device")).boot(request(), Watch())
    assert "--resume" in caught.value.advice


def test_a_setting_that_does_not_hold_refuses_the_visit_and_runs_nothing() -> None:
    report = box(RefusedError("vm.swappiness reads back as 60")).boot(request(), Watch())
    assert (report.outcome, report.reason, report.programs) == (Outcome.REFUSED, "vm.swappiness reads back as 60", ())
