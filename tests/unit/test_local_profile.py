"""Profiles on this machine: what perf refuses and why, its window, the kernel's own ticks. Real ones are in tests/local."""

from __future__ import annotations

import io
import os
import stat
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.unit.builders import Kdelta
from tests.unit.perf_words import HIDDEN, PARANOID, TOLD
from tests.unit.test_ticks import KALLSYMS, buffer

from kdelta.box import native, perf, process, ticks
from kdelta.box.local import NO_VARIABLES
from kdelta.box.profiler import FACT, Profiler
from kdelta.box.recording import ReadStacks
from kdelta.box.settings import Visit
from kdelta.box.tally import Tally
from kdelta.model.benchmark import Benchmark, Command
from kdelta.model.guest import Chains, ProgramRun

# ---- a perf in perf's place ----

USAGE = "usage: [--control <fifo>] [--max-size <size>]"
NO_CYCLES = "<not supported>,,cycles,0,100.00,,"
SAMPLE = "null 7/7 [000] 1.0: cpu-clock: \n\tffffffff81000000 do_syscall_64 ([kernel.kallsyms])\n\n"
FAKE = r"""#!/bin/sh
case "$1 $2" in
"--version "*) echo perf version 6.1.0; exit;;
"record -h") cat "$0.usage"; exit 129;;
"stat "*) cat "$0.counted" >&2; exit;;
"script "*) cat "$0.samples"; cat "$0.warned" >&2; exit;;
esac
if [ -e "$0.refusal" ]; then cat "$0.refusal" >&2; exit 255; fi
while [ "$1" != -- ]; do
	case $1 in --control=fifo:*) control=${1#*:}; esac
	shift
done
shift
if [ "$control" ]; then exec 3<>"${control%,*}" 4<>"${control#*,}"; fi
exec 5<&0
"$@" 3<&- 4<&- <&5 &
child=$!
while [ "$control" ] && read -r word <&3; do
	echo "$word" >>"$0.told"
	[ ! -e "$0.small" ] || kill $child
	[ ! -e "$0.dies" ] || kill -9 $$
	printf 'ack\n\0' >&4
done &
wait $child
status=$?
cat "$0.end" >&2
exit $status
"""


@dataclass(frozen=True)
class Fake:
    """A program called perf, and what it says: its files are by the options that it is started with."""

    path: Path

    def says(self, what: str, text: str) -> None:
        self.path.with_name(f"perf.{what}").write_text(text)

    def told(self) -> list[str]:
        told = self.path.with_name("perf.told")
        return told.read_text().split() if told.exists() else []


@pytest.fixture
def fake(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Fake:
    folder = tmp_path / "bin"
    folder.mkdir()
    (folder / "perf").write_text(FAKE)
    (folder / "perf").chmod(stat.S_IRWXU)
    monkeypatch.setenv("PATH", f"{folder}:{os.environ['PATH']}")
    made = Fake(folder / "perf")
    texts = {"usage": USAGE, "counted": NO_CYCLES, "samples": SAMPLE * 50, "warned": "", "end": ""}
    for what, text in texts.items():
        made.says(what, text)
    return made


@dataclass(frozen=True)
class Read:
    stacks: Mapping[str, int]
    doubts: Sequence[str] = ()


def read_stacks(text: BinaryIO) -> Read:
    """In place of a reader: every sample has one chain."""
    samples = text.read().count(b"\n\n")
    return Read({"entry;do_syscall_64": samples} if samples else {})


NULL = Benchmark(name="null", program="null", operation="getppid()")
TRUE = Benchmark(name="true", program="", operation="one run", command=Command(words=("true",)))
FALSE = Benchmark(name="false", program="", operation="one run", command=Command(words=("false",)))


@dataclass(frozen=True)
class Taken:
    chains: tuple[Chains, ...]
    runs: list[ProgramRun]
    warnings: list[str]
    facts: dict[str, str]


def take(folder: Path, benchmark: Benchmark = NULL, *, root: Path = Path("/nowhere"), read: ReadStacks = read_stacks) -> Taken:
    """The profile of 20 ms of timed loops of 2 ms each, or of as many of a command."""
    home = folder / "visit"
    home.mkdir()
    visit = Visit(home, home, {"TMPDIR": str(home)})
    profiler = Profiler(visit, read, threading.Event(), seconds=0.02, root=root)
    program = str(native.path("workloads", "null"))
    usual = benchmark.command.words if benchmark.command else (program, "--interval-ms", "2", "--iterations", "1")

    def run(earlier: Sequence[ProgramRun], words: Sequence[str] = (), extra: Mapping[str, str] = NO_VARIABLES) -> ProgramRun:
        environment = {**os.environ, **extra}
        return process.run((*usual, *words), home, environment, limit_seconds=60.0, stop=threading.Event(), output=home)

    runs: list[ProgramRun] = []
    chains = profiler.take(3, benchmark, run, runs)
    assert list(home.iterdir()) == []
    return Taken(chains, runs, profiler.warnings, profiler.facts)


def test_a_profile_has_the_counts_of_the_reader_the_operations_of_its_loops_and_the_rate_of_perf(
    fake: Fake, tmp_path: Path
) -> None:
    taken = take(tmp_path)
    [chains] = taken.chains
    printed = sum(int(line.split('"operations": ')[1].split(",")[0]) for line in taken.runs[1].lines if "false" in line)
    assert (chains.benchmark, chains.counts, chains.hertz) == (3, {"entry;do_syscall_64": 50}, 997)
    assert chains.operations == printed > 0


@pytest.mark.machine
def test_each_measured_iteration_has_a_window_of_its_own_and_the_warm_up_has_none(fake: Fake, tmp_path: Path) -> None:
    taken = take(tmp_path)
    measured = sum('"warmup": false' in line for line in taken.runs[1].lines)
    assert measured > 1
    assert fake.told() == ["enable", "disable"] * measured


def test_the_window_of_a_command_is_its_run_and_its_first_run_has_none(fake: Fake, tmp_path: Path) -> None:
    taken = take(tmp_path, TRUE)
    assert fake.told() == ["enable", "disable"] * (len(taken.runs) - 1)
    assert taken.chains[0].operations == len(taken.runs) - 1 >= 2


def test_a_perf_that_cannot_be_told_when_to_count_counts_all_the_time_and_a_warning_says_so(fake: Fake, tmp_path: Path) -> None:
    fake.says("usage", "usage: [--max-size <size>]")
    taken = take(tmp_path)
    assert fake.told() == []
    assert taken.chains[0].counts
    assert [warning for warning in taken.warnings if "of whole runs" in warning]


def test_a_program_that_fails_has_no_profile(fake: Fake, tmp_path: Path) -> None:
    taken = take(tmp_path, FALSE)
    assert (taken.chains, len(taken.runs), taken.warnings) == ((), 1, [])


def test_a_program_that_fails_in_its_profile_has_none(fake: Fake, tmp_path: Path) -> None:
    words = ("sh", "-c", f"test ! -e {tmp_path}/again && touch {tmp_path}/again")
    taken = take(tmp_path, msgspec.structs.replace(TRUE, command=Command(words=words)))
    assert (taken.chains, [run.status for run in taken.runs], taken.warnings) == ((), [0, 1], [])


@pytest.mark.parametrize("case", TOLD)
def test_a_benchmark_runs_also_where_perf_refuses(case: str, fake: Fake, tmp_path: Path) -> None:
    text, advice = TOLD[case]
    fake.says("refusal", text)
    taken = take(tmp_path)
    assert (taken.chains, [run.status for run in taken.runs]) == ((), [0])
    [warning] = taken.warnings
    assert warning.startswith("no profile of null: ")
    assert advice in warning


def test_without_perf_the_way_to_it_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    [warning] = take(tmp_path).warnings
    assert warning.startswith("no profile of null: perf is not installed; apt-get install linux-perf")


def test_symbols_that_are_hidden_make_no_profile(fake: Fake, tmp_path: Path) -> None:
    fake.says("end", HIDDEN)
    taken = take(tmp_path)
    assert (taken.chains, len(taken.runs)) == ((), 2)
    assert "kptr_restrict" in taken.warnings[0]


def test_a_profile_that_was_cut_for_its_size_is_none(fake: Fake, tmp_path: Path) -> None:
    """perf ends its program then (Linux 5.5, tools/perf/builtin-record.c)."""
    fake.says("small", "")
    fake.says("end", "[ perf record: perf size limit reached (324 KB), stopping session ]\n")
    taken = take(tmp_path)
    assert (taken.chains, [run.status for run in taken.runs]) == ((), [0, 0])
    assert "perf.data grew larger than it may" in taken.warnings[0]


def test_a_profile_that_ended_before_its_time_is_none(fake: Fake, tmp_path: Path) -> None:
    fake.path.write_text(FAKE.replace("exec 5<&0", "exec 5</dev/null"))
    assert take(tmp_path).chains == ()


def test_a_perf_that_dies_in_the_window_costs_the_profile_and_not_the_run(fake: Fake, tmp_path: Path) -> None:
    fake.says("dies", "")
    taken = take(tmp_path)
    assert (taken.chains, [run.status for run in taken.runs]) == ((), [0, 0])
    assert taken.warnings[0].startswith("no profile of null: perf: it ended without a word")


def test_samples_that_were_due_and_did_not_come_are_told(fake: Fake, tmp_path: Path) -> None:
    fake.says("samples", SAMPLE)
    assert [warning for warning in take(tmp_path).warnings if "1 samples of" in warning]


def test_the_samples_of_one_busy_cpu_are_enough(fake: Fake, tmp_path: Path) -> None:
    fake.says("samples", 10000 * SAMPLE)
    assert [warning for warning in take(tmp_path).warnings if " samples of" in warning] == []


def test_a_profile_without_a_sample_is_none(fake: Fake, tmp_path: Path) -> None:
    fake.says("samples", "")
    taken = take(tmp_path)
    assert taken.chains == ()
    assert taken.warnings[0].startswith("no profile of null: it has no samples")


def test_what_perf_and_its_reader_doubt_is_told(fake: Fake, tmp_path: Path) -> None:
    fake.says("warned", "Warning:\nProcessed 573 events and lost 1 chunks!\n\nCheck IO/CPU overload!\n")
    taken = take(tmp_path, read=lambda text: Read({"f": len(text.read())}, ("odd",)))
    said = [warning.removeprefix("profile of null: ") for warning in taken.warnings]
    assert said[:2] == ["odd", "perf: Processed 573 events and lost 1 chunks!"]


def test_what_measures_is_counted_apart_and_told_where_it_is_much(fake: Fake, tmp_path: Path) -> None:
    fake.says("samples", (SAMPLE * 9 + SAMPLE.replace("null 7/7", f"python {os.getpid()}/7")) * 10)
    taken = take(tmp_path)
    assert taken.facts == {FACT: "perf 6.1.0, cpu-clock at 997 Hz, 10.00% of its samples in perf and kdelta"}
    assert [warning for warning in taken.warnings if "10.0% of the samples are in perf and kdelta themselves" in warning]


@pytest.mark.parametrize(
    ("counted", "event"),
    [
        (NO_CYCLES, "cpu-clock"),
        ("28561,,cycles,10043718,100.00,,", "cycles"),
        ("28561,,cycles:u,10043718,100.00,,", "cycles"),
        ("0,,cycles,10043718,100.00,,", "cpu-clock"),
        ("<not counted>,,cycles,0,0.00,,", "cpu-clock"),
        ("Error:\nNo permission to enable cycles event.\n", "cpu-clock"),
        ("", "cpu-clock"),
    ],
)
def test_the_counter_is_the_processors_where_it_counts(counted: str, event: str, fake: Fake, tmp_path: Path) -> None:
    fake.says("counted", counted)
    assert perf.find(tmp_path, {}, threading.Event()).event == event


@pytest.mark.parametrize(("most", "hertz"), [("100000", 997), ("997", 997), ("996", 499), ("100", 97), ("1", 1), ("odd", 997)])
def test_the_rate_is_what_the_kernel_allows(
    most: str, hertz: int, fake: Fake, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "rate").write_text(most)
    monkeypatch.setattr(perf, "MAX_RATE", tmp_path / "rate")
    assert perf.find(tmp_path, {}, threading.Event()).hertz == hertz


@pytest.mark.parametrize(("seconds", "hertz"), [(0.1, 997), (20.0, 997), (21.0, 499), (100.0, 199), (600.0, 19), (1e9, 1)])
def test_what_takes_long_is_looked_at_less_often(seconds: float, hertz: int) -> None:
    assert perf.Perf("perf", "6.1", perf.CPU_CLOCK, 997).over(seconds).hertz == hertz


@given(st.integers(1, 9), st.integers(0, 9), st.lists(st.integers(0, 600), max_size=20))
def test_samples_are_counted_however_the_text_is_cut(others: int, own: int, cuts: list[int]) -> None:
    text = (SAMPLE * others + SAMPLE.replace("7/7", "4321/4322") * own).encode()
    tally, stream = Tally((4321,)), io.BytesIO(text)
    for size in [*cuts, len(text)]:
        tally.add(stream.read(size))
    assert (tally.samples, tally.own) == (others + own, own)
    assert tally.share() == own / (others + own)


def test_doctor_says_with_what_profiles_are_taken(kdelta: Kdelta, fake: Fake) -> None:
    assert "ok       profiles of time: perf 6.1.0, cpu-clock at 997 Hz\n" in kdelta("doctor").out


def test_doctor_says_what_would_allow_profiles(kdelta: Kdelta, fake: Fake) -> None:
    fake.says("refusal", PARANOID.format(2))
    _, _, said = kdelta("doctor").out.partition("partly   profiles of time: kernel.perf_event_paranoid forbids it to this user")
    assert "-> sysctl kernel.perf_event_paranoid=-1" in said


# ---- the kernel's own ticks ----


@pytest.fixture
def host(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A machine with /proc/profile, whose counters stay."""
    root = tmp_path / "root"
    for name in ("proc", "boot"):
        (root / name).mkdir(parents=True)
    (root / "proc/kallsyms").write_text(KALLSYMS)
    (root / "proc/profile").write_bytes(buffer(4, {0x40: 5}))
    (root / "boot" / f"config-{os.uname().release}").write_text("CONFIG_HZ_250=y\nCONFIG_HZ=250\n")
    monkeypatch.setattr(ticks, "reset", lambda root: None)
    return root


def test_where_perf_refuses_the_kernels_own_ticks_are_taken_with_a_warning(host: Path, fake: Fake, tmp_path: Path) -> None:
    fake.says("refusal", PARANOID.format(2))
    taken = take(tmp_path, root=host)
    [chains] = taken.chains
    assert (chains.counts, chains.hertz, taken.facts[FACT]) == ({"first": 5}, 250, "/proc/profile, 250 Hz, 4 bytes a counter")
    assert chains.operations
    assert "ticks of /proc/profile over whole runs, without callers: kernel.perf_event_paranoid forbids" in taken.warnings[0]


def test_a_benchmark_that_perf_has_profiled_in_vain_is_not_run_again_for_ticks(host: Path, fake: Fake, tmp_path: Path) -> None:
    fake.says("end", HIDDEN)
    taken = take(tmp_path, root=host)
    assert (taken.chains, len(taken.runs)) == ((), 2)


def test_ticks_without_a_known_rate_are_no_profile(host: Path, fake: Fake, tmp_path: Path) -> None:
    fake.says("refusal", PARANOID.format(2))
    (host / "boot" / f"config-{os.uname().release}").unlink()
    taken = take(tmp_path, root=host)
    assert (taken.chains, len(taken.runs)) == ((), 1)
    assert "the tick of /proc/profile is not known" in taken.warnings[0]


def test_counters_for_more_than_a_function_are_told(host: Path, fake: Fake, tmp_path: Path) -> None:
    fake.says("refusal", PARANOID.format(2))
    (host / "proc/profile").write_bytes(buffer(32, {0x40: 5}))
    assert "counts 32 bytes at once" in take(tmp_path, root=host).warnings[1]
