"""The window of a profile, from the workloads' side: opened and closed around each measured iteration."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from tests.unit.programs import run
from tests.unit.test_kernbench import Lab

from kdelta.box.control import ACK, CONTROL, VARIABLE

QUICK = ("--operations", "1", "--warmup", "1", "--iterations", "3")
PROGRAMS = {
    "null": (),
    "ctx": ("procs=3",),
    "hackbench": ("groups=1",),
    "pagefault": ("procs=2",),
    "proc": (),
    "volano": ("rooms=1", "users=2"),
}


@contextmanager
def profiler(folder: Path, answer: bytes = b"ack\n\0", most: int = 1000) -> Iterator[list[str]]:
    """What is told to one that answers `most` times, and goes away then. Some releases of perf send a zero, others do not."""
    for name in (CONTROL, ACK):
        os.mkfifo(folder / name)
    told: list[str] = []
    control, ack = (os.open(folder / name, os.O_RDWR) for name in (CONTROL, ACK))

    def serve() -> None:
        for _ in range(most):
            word = os.read(control, 64).decode()
            if word == "end":
                break
            told.append(word)
            os.write(ack, answer)
        os.close(ack)

    thread = threading.Thread(target=serve)
    thread.start()
    yield told
    os.write(control, b"end")
    thread.join()
    os.close(control)


@pytest.mark.parametrize("program", PROGRAMS)
def test_the_window_is_open_in_each_measured_iteration(program: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VARIABLE, str(tmp_path))
    with profiler(tmp_path) as told:
        done = run(tmp_path, program, *QUICK, *PROGRAMS[program])
    assert (done.returncode, done.stderr, told) == (0, "", ["enable\n", "disable\n"] * 3)


@pytest.mark.parametrize("answer", [b"ack\n", b"ack\n\0"])
def test_both_forms_of_the_answer_are_taken(answer: bytes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VARIABLE, str(tmp_path))
    with profiler(tmp_path, answer) as told:
        run(tmp_path, "null", *QUICK)
    assert told == ["enable\n", "disable\n"] * 3


def test_the_window_of_kernbench_is_the_build_without_what_comes_before_it(tmp_path: Path) -> None:
    lab = Lab(tmp_path)
    lab.environment[VARIABLE] = str(tmp_path)
    with profiler(tmp_path) as told:
        done = lab.run("--warmup", "1", "--iterations", "2")
    assert (done.returncode, told) == (0, ["enable\n", "disable\n"] * 2)


@pytest.mark.parametrize("most", [0, 1, 2])
def test_a_workload_outlives_its_profiler(most: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VARIABLE, str(tmp_path))
    with profiler(tmp_path, most=most) as told:
        done = run(tmp_path, "null", *QUICK)
    assert (done.returncode, done.stderr, len(done.stdout.splitlines()), len(told)) == (0, "", 4, most)


def test_a_window_that_is_not_there_is_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VARIABLE, str(tmp_path / "nowhere"))
    done = run(tmp_path, "null", *QUICK)
    assert (done.returncode, done.stderr) == (1, f"{tmp_path}/nowhere/ack: No such file or directory\n")
