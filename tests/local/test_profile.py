"""Profiles taken by the perf of this machine: of the loops and nothing else, and with nothing left behind."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

import pytest
from tests.lab.program import wait_until

from kdelta.box import profiler
from kdelta.box.local import LocalBox
from kdelta.box.perf_refusal import NoProfileError
from kdelta.box.profiler import FACT
from kdelta.box.protocol import Watch
from kdelta.box.settings import Session
from kdelta.kernel.running import identify_running
from kdelta.model.benchmark import Benchmark, Command
from kdelta.model.boot import BootRequest, Outcome
from kdelta.model.guest import BootReport
from kdelta.model.plan import LOCAL, BoxSpec
from kdelta.model.variant import Variant
from kdelta.workload.catalogue import BENCHMARKS

ALL = {benchmark.name: benchmark for benchmark in BENCHMARKS}
CPU = max(os.sched_getaffinity(0))

# The profiles are of all CPUs, and a second has room for so many runs.
pytestmark = pytest.mark.machine
SLEEP = Benchmark(name="sleep", program="", operation="one run", command=Command(words=("sleep", "0.2")), limit_seconds=5)


@pytest.fixture(scope="module", autouse=True)
def needs_perf() -> None:
    try:
        profiler.examine()
    except NoProfileError as error:
        pytest.skip(f"{error}; {error.advice}")


@dataclass(frozen=True)
class Read:
    stacks: Mapping[str, int]
    doubts: Sequence[str] = ()


def read_stacks(text: BinaryIO) -> Read:
    """Chains that begin with the name of the program, and its CPU: what a reader for reports leaves out."""
    found = Counter[str]()
    for block in text.read().decode(errors="replace").split("\n\n"):
        header, *frames = block.strip("\n").split("\n")
        if frames:
            comm, _, rest = header.rpartition("[")
            cpu = int(rest.split("]")[0])
            functions = [frame.split(maxsplit=1)[1].rpartition(" (")[0] for frame in reversed(frames)]
            found[";".join((comm.split()[0], str(cpu), *functions))] += 1
    return Read(found)


def visit(folder: Path, *benchmarks: Benchmark, bind: str = "", watch: Watch | None = None, seconds: float = 1.0) -> BootReport:
    """A profiled visit, and proof that nothing of it is left."""
    (folder / "visits").mkdir()
    request = BootRequest(
        variant=Variant(name="v", kernel="running", bind=bind),
        kernel=identify_running(),
        seed=1,
        benchmarks=benchmarks,
        profiled=True,
    )
    with Session(folder / "visits") as session:
        box = LocalBox(BoxSpec(name="here", kind=LOCAL), session, read_stacks, profile_seconds=seconds)
        report = box.boot(request, watch or Watch())
    assert (list((folder / "visits").iterdir()), left(folder)) == ([], [])
    return report


def left(folder: Path) -> list[str]:
    """Processes that have `folder` in their command or were started in a visit there, and have not ended."""
    found = []
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            said = (entry / "cmdline").read_bytes() + (entry / "environ").read_bytes()
            ended = (entry / "stat").read_text().rpartition(")")[2].split()[0] in ("Z", "X")
        except OSError:
            continue
        if f"{folder}/visits".encode() in said and not ended and int(entry.name) != os.getpid():
            found.append(said.decode(errors="replace"))
    return found


@pytest.fixture(scope="module")
def pinned(tmp_path_factory: pytest.TempPathFactory) -> Iterator[BootReport]:
    """Of null and proc-fork on one CPU."""
    folder = tmp_path_factory.mktemp("pinned")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_STATE_HOME", str(folder / "state"))
        yield visit(folder, ALL["null"], ALL["proc-fork"], bind=str(CPU))


def share(chains: Mapping[str, int], *functions: str) -> float:
    """Of the samples, those with one of `functions` in their chain."""
    with_one = sum(count for chain, count in chains.items() if any(name in chain.split(";") for name in functions))
    return with_one / sum(chains.values())


def own(report: BootReport, place: int, comm: str) -> dict[str, int]:
    """The chains of the benchmark's own program on the CPU that it is bound to."""
    return {chain: count for chain, count in report.chains[place].counts.items() if chain.startswith(f"{comm};{CPU};")}


def test_each_benchmark_has_one_profile_with_its_operations_and_the_rate_of_perf(pinned: BootReport) -> None:
    assert (pinned.outcome, [chains.benchmark for chains in pinned.chains]) == (Outcome.DONE, [0, 1])
    for chains, runs in zip(pinned.chains, pinned.programs, strict=True):
        assert (chains.hertz, len(runs)) == (997, 2)
        assert chains.operations is not None
        assert chains.operations > 1000
    assert " at 997 Hz" in pinned.environment[FACT]


def test_what_null_does_in_the_profile_is_its_system_call(pinned: BootReport) -> None:
    chains = own(pinned, 0, "null")
    assert sum(chains.values()) > 100
    assert share(chains, "__getppid", "getppid", "wl_time.constprop.0") > 0.9


def test_what_proc_fork_does_in_the_profile_is_to_fork_and_to_wait(pinned: BootReport) -> None:
    chains = own(pinned, 1, "proc")
    assert share(chains, "copy_process", "kernel_clone") > 0.1
    lives = ("_Fork", "__libc_fork", "kernel_clone", "do_exit", "do_group_exit", "ret_from_fork_asm", "ret_from_fork", "do_wait")
    faults = ("exc_page_fault", "asm_exc_page_fault", "schedule", "__wait4", "wait4", "_exit", "wl_time.constprop.0")
    assert share(chains, *lives, *faults) > 0.9


def test_perf_itself_is_hardly_in_the_profile(pinned: BootReport) -> None:
    for chains in pinned.chains:
        perfs = sum(count for chain, count in chains.counts.items() if chain.startswith("perf;"))
        assert perfs / sum(chains.counts.values()) < profiler.MOST_OWN


def test_a_command_is_profiled_as_a_whole_as_often_as_it_takes(tmp_path: Path) -> None:
    report = visit(tmp_path, SLEEP)
    [chains] = report.chains
    assert chains.operations == len(report.programs[0]) - 1 == 5
    assert chains.counts


def test_a_visit_that_is_not_profiled_starts_no_perf(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "bin"
    folder.mkdir()
    (folder / "perf").write_text(f"#!/bin/sh\ntouch {tmp_path}/started\nexit 1\n")
    (folder / "perf").chmod(0o755)
    monkeypatch.setenv("PATH", f"{folder}:{os.environ['PATH']}")
    (tmp_path / "visits").mkdir()
    with Session(tmp_path / "visits") as session:
        box = LocalBox(BoxSpec(name="here", kind=LOCAL), session, read_stacks)
        request = BootRequest(
            variant=Variant(name="v", kernel="running"), kernel=identify_running(), seed=1, benchmarks=(ALL["null"],)
        )
        report = box.boot(request, Watch())
    assert (report.outcome, report.chains, FACT in report.environment) == (Outcome.DONE, (), False)
    assert not (tmp_path / "started").exists()


def test_a_profile_that_is_stopped_leaves_nothing(tmp_path: Path) -> None:
    stop = threading.Event()

    def stop_soon() -> None:
        wait_until(lambda: perf_of(tmp_path))
        time.sleep(1.0)
        stop.set()

    threading.Thread(target=stop_soon).start()
    report = visit(tmp_path, ALL["null"], watch=Watch(stop=stop), seconds=60.0)
    assert (report.outcome, report.reason, report.chains) == (Outcome.LOST, "stopped from outside", ())


def test_a_benchmark_that_takes_too_long_in_the_profile_leaves_nothing(tmp_path: Path) -> None:
    once = f"test -e {tmp_path}/again && exec sleep 60; touch {tmp_path}/again"
    slow = Benchmark(name="slow", program="", operation="one run", command=Command(words=("sh", "-c", once)), limit_seconds=2)
    report = visit(tmp_path, slow)
    assert (report.outcome, report.chains, [run.timeout for run in report.programs[0]]) == (Outcome.DONE, (), [False, True])


def perf_of(folder: Path) -> list[str]:
    return [said for said in left(folder) if "\0record\0" in said]


KILLED = """
import sys
from pathlib import Path
from tests.local.test_profile import ALL, visit
visit(Path(sys.argv[1]), ALL["null"], seconds=60.0)
"""


@pytest.mark.parametrize("seconds", [0.0, 0.5])
def test_a_kdelta_that_is_killed_leaves_no_perf_and_the_next_one_removes_its_data(tmp_path: Path, seconds: float) -> None:
    killed = subprocess.Popen([sys.executable, "-c", KILLED, str(tmp_path)], cwd=Path(__file__).parents[2])
    wait_until(lambda: perf_of(tmp_path))
    time.sleep(seconds)
    killed.send_signal(signal.SIGKILL)
    killed.wait()
    wait_until(lambda: not left(tmp_path))
    with Session(tmp_path / "visits"):
        assert list((tmp_path / "visits").iterdir()) == []
