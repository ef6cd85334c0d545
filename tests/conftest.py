"""What all tests share: unit tests see nothing of the user's folders, store or QEMU."""

from __future__ import annotations

import re
import signal
from collections.abc import Iterable
from pathlib import Path

import pytest
from hypothesis import settings

HERE = Path(__file__).parent

# The same examples on every machine, and no failure because a machine is slow.
settings.register_profile("kdelta", derandomize=True, deadline=None, database=None)
settings.load_profile("kdelta")

# Ctrl-C is KeyboardInterrupt, also where the tests run in the background of a shell, which starts them with it ignored.
signal.signal(signal.SIGINT, signal.default_int_handler)


# Tests that set things on this machine, or run programs whose tasks and times they look at. Guests of the exact lab do not mind
# what else runs, but tests that wait for a limit of host time do.
MACHINE_FOLDERS = {HERE / "local"}
MACHINE_FILES = re.compile(
    r"test_(settings|bad_plans|local_box|local_profile|machine|limits|observe|kernbench|sdet|workload|filesystem\.|process"
    r"|faults)"
)


def pytest_collection_modifyitems(items: Iterable[pytest.Item]) -> None:
    """Tests of the machine run alone, `-m machine`; the others, `-m "not machine"`, may run side by side."""
    for item in items:
        if item.path.parent in MACHINE_FOLDERS or MACHINE_FILES.match(item.path.name):
            item.add_marker("machine")


@pytest.fixture(autouse=True)
def own_folders(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Cache, data folder and store of a unit test lie in its temporary folder, and the journal of every test: none repairs what
    the user's own runs left. Kernels and stores of the other tests look after themselves."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    if HERE / "unit" not in request.path.parents:
        return
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    monkeypatch.setenv("KDELTA_STORE", str(tmp_path / "store.sqlite"))
    monkeypatch.delenv("KDELTA_QEMU", raising=False)
