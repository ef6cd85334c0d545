"""pagefault with many processes: each touches its own pages, and none outlives the program."""

from __future__ import annotations

import os
import signal
import subprocess

import pytest
from tests.unit.programs import FOLDER, PATIENCE, children, endless


def minor_faults(procs: int, pages: int) -> int:
    """Of the program and its processes in one iteration."""
    command = [str(FOLDER / "pagefault"), "--operations", str(pages), "--iterations", "1", "--warmup", "0", f"procs={procs}"]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL) as process:
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    assert process.returncode == 0
    return usage.ru_minflt


# What a process touches besides may differ by some.
@pytest.mark.parametrize("procs", [1, 2, 5])
def test_every_process_touches_its_own_pages(procs: int) -> None:
    more = minor_faults(procs, 3000) - minor_faults(procs, 1000)
    assert 1900 * procs < more < 2100 * procs


@pytest.mark.parametrize(("procs", "count"), [(0, os.cpu_count() or 1), (2, 2), (3, 3)])
def test_there_are_as_many_processes_as_asked_for(procs: int, count: int) -> None:
    with endless("pagefault", "--operations", "10", f"procs={procs}") as process:
        assert len(children(process, count)) == count


@pytest.mark.parametrize("pages", ["fresh", "file"])
def test_no_process_of_many_is_left_behind(pages: str) -> None:
    command = [str(FOLDER / "pagefault"), "--operations", "100", "--iterations", "2", "procs=3", f"pages={pages}"]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, start_new_session=True) as process:
        assert process.wait(PATIENCE) == 0
    with pytest.raises(ProcessLookupError):
        os.killpg(process.pid, 0)


def test_the_processes_of_a_killed_program_end_with_it() -> None:
    with endless("pagefault", "--operations", "10", "procs=3") as process:
        children(process, 1)
        process.kill()
        # They hold the other end of the pipe.
        _, told = process.communicate(timeout=PATIENCE)
    assert told == ""


def test_a_killed_process_is_a_failure() -> None:
    with endless("pagefault", "--operations", "10", "procs=3") as process:
        os.kill(children(process, 3)[1], signal.SIGKILL)
        _, told = process.communicate(timeout=PATIENCE)
    assert (process.returncode, told) == (1, "a process ended in the middle of its work\n")
