"""What all tests share: unit tests see nothing of the user's folders, store or QEMU."""

from __future__ import annotations

import os
import re
import signal
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings
from xdist.scheduler import LoadFileScheduling

HERE = Path(__file__).parent

# The same examples on every machine, and no failure because a machine is slow. KDELTA_EXAMPLES asks for more of them.
EXAMPLES = int(os.environ.get("KDELTA_EXAMPLES", "50"))
settings.register_profile("kdelta", derandomize=True, deadline=None, database=None, max_examples=EXAMPLES)
settings.load_profile("kdelta")

# Ctrl-C is KeyboardInterrupt, also where the tests run in the background of a shell, which starts them with it ignored.
signal.signal(signal.SIGINT, signal.default_int_handler)


# Files whose tests come one after the other, on one worker: they set things on this machine or count its CPUs, or they look at
# the same boots. Any other file is a group of its own.
GROUPS = {
    "this machine": re.compile(r"tests/local/|tests/unit/test_(settings|bad_plans|kernbench|local_|process|workload_pagefault)"),
    "kernels side by side": re.compile(r"tests/lab/test_(chains|exactness)"),
    "one run": re.compile(r"tests/lab/test_(manual|run)"),
}
LONGEST_FIRST = ("lab", "local", "validation")
"""Folders: what comes last should be short, or one worker waits for the other."""


def group(test: str) -> str:
    """Of the test with this pytest's name: its group's, or its file's."""
    return next((name for name, files in GROUPS.items() if files.match(test)), test.partition("::")[0])


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> LoadFileScheduling:
    """With -n: a group at a time to each worker, in the order of collection."""
    config.option.loadscopereorder = False
    scheduler = LoadFileScheduling(config, log)
    scheduler._split_scope = group
    return scheduler


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    places = {folder: place for place, folder in enumerate(LONGEST_FIRST)}
    items.sort(key=lambda item: places.get(item.path.parent.name, len(places)))


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
