"""One run of a program on this machine."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from kdelta.box import process
from kdelta.model.guest import ProgramRun


def run(
    folder: Path, *words: str, limit: float = 60.0, cpus: frozenset[int] = frozenset(), groups: tuple[Path, ...] = ()
) -> ProgramRun:
    return process.run(
        words, folder, dict(os.environ), limit_seconds=limit, stop=threading.Event(), cpus=cpus, groups=groups, output=folder
    )


def sh(folder: Path, text: str, limit: float = 60.0) -> ProgramRun:
    return run(folder, "/bin/sh", "-c", text, limit=limit)


def test_what_a_program_prints_and_its_status_are_kept(tmp_path: Path) -> None:
    came = sh(tmp_path, "echo one; echo two; echo why >&2; exit 3")
    assert (came.lines, came.stderr, came.status, came.signal, came.timeout) == (("one", "two"), "why\n", 3, 0, False)


def test_a_program_that_a_signal_ended_says_which(tmp_path: Path) -> None:
    came = sh(tmp_path, "kill -SEGV $$")
    assert (came.signal, came.timeout) == (11, False)


def test_a_program_that_takes_too_long_is_ended(tmp_path: Path) -> None:
    came = sh(tmp_path, "echo begun; sleep 60", limit=1.0)
    assert (came.timeout, came.lines) == (True, ("begun",))


def test_a_program_that_is_not_there_has_failed_with_the_reason(tmp_path: Path) -> None:
    came = run(tmp_path, str(tmp_path / "nothing"))
    assert came.status == 127
    assert "No such file" in came.stderr


def test_nothing_that_a_program_started_is_left(tmp_path: Path) -> None:
    sh(tmp_path, "sleep 1234 & echo $! > child")
    child = int((tmp_path / "child").read_text())
    assert not Path(f"/proc/{child}").exists()


def test_a_program_runs_on_the_cpus_it_is_bound_to(tmp_path: Path) -> None:
    cpu = max(os.sched_getaffinity(0))
    came = run(tmp_path, sys.executable, "-c", "import os; print(sorted(os.sched_getaffinity(0)))", cpus=frozenset({cpu}))
    assert came.lines == (f"[{cpu}]",)


def test_a_program_joins_its_control_groups_before_it_begins(tmp_path: Path) -> None:
    groups = (tmp_path / "a", tmp_path / "b")
    for group in groups:
        group.touch()
    came = run(tmp_path, "/bin/sh", "-c", "cat a b", groups=groups)
    assert came.lines == ("00",)  # 0 is the writer itself (Documentation/admin-guide/cgroup-v2.rst)


def test_a_control_group_that_cannot_be_joined_fails_the_program(tmp_path: Path) -> None:
    came = run(tmp_path, "/bin/echo", "begun", groups=(tmp_path / "nowhere" / "cgroup.procs",))
    assert (came.status, came.lines) == (126, ())


def test_a_program_does_not_read_the_users_terminal(tmp_path: Path) -> None:
    assert run(tmp_path, "/bin/cat").lines == ()


def test_a_stop_ends_the_program_and_says_nothing(tmp_path: Path) -> None:
    stop = threading.Event()
    threading.Timer(0.2, stop.set).start()
    with pytest.raises(process.Stopped):
        process.run(("/bin/sleep", "60"), tmp_path, dict(os.environ), limit_seconds=60.0, stop=stop)


def test_a_program_does_not_outlive_a_killed_kdelta(tmp_path: Path) -> None:
    text = f"""
import os, threading
from pathlib import Path
from kdelta.box import process
words = ("/bin/sh", "-c", "echo $$ > started; exec sleep 1234")
process.run(words, Path({str(tmp_path)!r}), dict(os.environ), limit_seconds=60.0, stop=threading.Event())
"""
    parent = subprocess.Popen([sys.executable, "-c", text])
    started = tmp_path / "started"
    while not (started.exists() and started.read_text().strip()):
        time.sleep(0.02)
    parent.kill()
    parent.wait()
    stat = Path("/proc", started.read_text().strip(), "stat")
    deadline = time.monotonic() + 10
    while time.monotonic() < deadline and _lives(stat):
        time.sleep(0.02)
    assert not _lives(stat)


def _lives(stat: Path) -> bool:
    """A zombie is dead: whoever inherited it has not looked yet."""
    return stat.exists() and stat.read_text().rpartition(")")[2].split()[0] != "Z"
