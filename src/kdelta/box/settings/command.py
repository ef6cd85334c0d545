"""The user's own commands before and after a visit."""

from __future__ import annotations

from pathlib import Path

from kdelta.box.settings import program
from kdelta.box.settings.change import Commands
from kdelta.box.settings.entry import Teardown
from kdelta.box.settings.host import Host
from kdelta.box.settings.work import Visit, Work

SETUP_SECONDS = 3600.0
TEARDOWN_SECONDS = 300.0
"""Ctrl-C ends `setup`, but not what puts things back."""


def make(work: Work, change: Commands, visit: Visit) -> Visit:
    """From here on the teardown is due, even where the setup does not end well."""
    environment = dict(visit.environment)
    if change.teardown:
        work.note(Teardown(change.teardown, str(visit.folder), environment))
    if change.setup:
        done = work.host.run(_shell(change.setup), folder=visit.folder, environment=environment, limit_seconds=SETUP_SECONDS)
        program.require(done, "`setup`", "run it by hand")
    return visit


def tear_down(host: Host, entry: Teardown) -> None:
    folder = Path(entry.folder) if Path(entry.folder).is_dir() else None
    done = host.run(_shell(entry.command), folder=folder, environment=entry.environment, limit_seconds=TEARDOWN_SECONDS)
    program.require(done, "`teardown`", "run it by hand")


def _shell(command: str) -> list[str]:
    return ["/bin/sh", "-c", command]
