"""The whole program on this machine: settings as the benchmarks see them, put back whatever happens, results kept."""

from __future__ import annotations

import json
import os
import random
import signal
import time
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest
from tests.lab.program import WAIT_SECONDS, Program, wait_until

from kdelta.model.sample import Sample

SWAPPINESS = Path("/proc/sys/vm/swappiness")
THP = Path("/sys/kernel/mm/transparent_hugepage/enabled")
TRIALS = int(os.environ.get("KDELTA_TRIALS", "2"))
"""Moments at which a run is killed; KDELTA_TRIALS=20 takes about three minutes."""

needs_root = pytest.mark.skipif(os.geteuid() != 0, reason="settings of the machine need root: run the tests as root")


@pytest.fixture
def kdelta(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Program]:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    program = Program(tmp_path / "store.sqlite")
    yield program
    program.end()


def judged(program: Program) -> list[tuple[str, int, str, int]]:
    """Which samples count: everything about them but their values, which are times."""
    return sorted(
        (one.variant, one.seed, sample.benchmark, sample.iteration)
        for one in program.stored() or ()
        for sample in one.boot.samples
        if sample.counts
    )


def samples(program: Program) -> list[tuple[str, int, Sample]]:
    """All of them, with their variants and seeds, whether they are judged or not."""
    found = [(one.variant, one.seed, sample) for one in program.stored() or () for sample in one.boot.samples]
    return [(variant, seed, msgspec.structs.replace(sample, discarded="")) for variant, seed, sample in found]


def seen(kdelta: Program, plan: Path, settings: str, command: str, regex: str) -> float:
    """What a command of a plan's only variant saw in a visit with `settings`."""
    plan.write_text(
        f"""
[plan]
rule = "fixed"
rounds = 1
results = 1
[[variant]]
name = "v"
{settings}
[[benchmark]]
name = "seen"
command = {json.dumps(command)}
regex = '{regex}'
unit = "1"
"""
    )
    done = kdelta("run", str(plan))
    assert done.returncode == 0, done.stdout + done.stderr
    values = {sample.value for _, _, sample in samples(kdelta)}
    assert len(values) == 1
    return values.pop()


@needs_root
def test_a_sysctl_is_set_in_the_visit_and_put_back_after_it(kdelta: Program, tmp_path: Path) -> None:
    before = SWAPPINESS.read_text()
    other = 10 if int(before) != 10 else 20
    value = seen(kdelta, tmp_path / "p", f'sysctl = {{ "vm.swappiness" = {other} }}', f"cat {SWAPPINESS}", r"(\d+)")
    assert (value, SWAPPINESS.read_text()) == (other, before)


@needs_root
def test_huge_pages_are_set_in_the_visit_and_put_back_after_it(kdelta: Program, tmp_path: Path) -> None:
    before = THP.read_text()
    other = "never" if "[never]" not in before else "always"
    value = seen(kdelta, tmp_path / "p", f'thp = "{other}"', f"grep -c '.{other}.' {THP}", r"(\d+)")
    assert (value, THP.read_text()) == (1, before)


@needs_root
@pytest.mark.skipif((os.cpu_count() or 1) < 2, reason="one CPU cannot be taken offline: needs two")
def test_one_cpu_is_left_online_in_the_visit_and_all_come_back_after_it(kdelta: Program, tmp_path: Path) -> None:
    online = Path("/sys/devices/system/cpu/online")
    before = online.read_text()
    command = "grep -c ^processor /proc/cpuinfo"
    assert (seen(kdelta, tmp_path / "p", 'online = "0"', command, r"(\d+)"), online.read_text()) == (1, before)


def test_benchmarks_run_on_the_cpus_they_are_bound_to(kdelta: Program, tmp_path: Path) -> None:
    last = max(os.sched_getaffinity(0))
    command = "grep Cpus_allowed_list /proc/self/status"
    assert seen(kdelta, tmp_path / "p", f'bind = "{last}"', command, r"(\d+)$") == last


# type -> the first bytes that statfs gives (include/uapi/linux/magic.h); ext2, ext3 and ext4 share theirs.
MAGIC = {"ext2": 0xEF53, "ext3": 0xEF53, "ext4": 0xEF53, "xfs": 0x58465342, "btrfs": 0x9123683E}


@needs_root
@pytest.mark.parametrize("kind", MAGIC)
def test_benchmarks_keep_their_files_on_the_file_system_of_the_variant(kind: str, kdelta: Program, tmp_path: Path) -> None:
    settings = f'mount = {{ type = "{kind}", options = "noatime" }}'
    text = f"""sh -c 'stat -f -c %t . | while read x; do echo $((0x$x)); done; grep -q " $PWD {kind} .*noatime" /proc/mounts'"""
    assert seen(kdelta, tmp_path / "p", settings, text, r"(\d+)") == MAGIC[kind]
    assert str(tmp_path) not in Path("/proc/mounts").read_text()


TWO = """
[plan]
rule = "fixed"
results = 2
rounds = 1
[[variant]]
name = "few"
sysctl = { "vm.swappiness" = 11 }
[[variant]]
name = "many"
sysctl = { "vm.swappiness" = 12 }
[[benchmark]]
name = "null"
[[benchmark]]
name = "select"
"""
WHOLE = [(variant, 1, name, i) for variant in ("few", "many") for name in ("null", "select") for i in (0, 1)]


@needs_root
@pytest.mark.parametrize("trial", range(TRIALS))
def test_a_killed_run_is_resumed_to_the_same_samples_and_the_machine_is_put_back(
    trial: int, kdelta: Program, tmp_path: Path
) -> None:
    before = SWAPPINESS.read_text()
    plan = tmp_path / "plan.toml"
    plan.write_text(TWO)
    process = kdelta.start("run", str(plan))
    wait_until(lambda: kdelta.stored() is not None)
    time.sleep(random.Random(trial).uniform(0.0, 3.0))
    process.kill()
    process.communicate()
    taken = samples(kdelta)
    resumed = kdelta("run", "--resume", "1")
    assert resumed.returncode == 0, resumed.stderr
    assert judged(kdelta) == WHOLE
    assert SWAPPINESS.read_text() == before
    kept = samples(kdelta)
    assert [one for one in taken if one not in kept] == []


@needs_root
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_an_interrupted_run_puts_the_machine_back_before_it_ends(number: signal.Signals, kdelta: Program, tmp_path: Path) -> None:
    before = SWAPPINESS.read_text()
    plan = tmp_path / "plan.toml"
    plan.write_text(TWO.replace("results = 2", "results = 50\nmost = 50"))
    process = kdelta.start("run", str(plan))
    wait_until(lambda: SWAPPINESS.read_text() != before)
    wait_until(kdelta.stored)
    process.send_signal(number)
    _, err = process.communicate(timeout=WAIT_SECONDS)
    assert (process.returncode, SWAPPINESS.read_text()) == (130, before)
    assert "kdelta run --resume 1" in err
    assert "Traceback" not in err


def test_two_runs_on_one_machine_exclude_each_other(kdelta: Program) -> None:
    process = kdelta.start("run", "-b", "null", "--rule", "fixed", "--results", "50", "--most", "50", "--rounds", "1")
    wait_until(lambda: kdelta.stored() is not None)
    second = kdelta("run", "-b", "null")
    process.kill()
    assert second.returncode == 2
    assert "another kdelta" in second.stderr


def test_a_budget_ends_a_run_after_whole_rounds(kdelta: Program) -> None:
    words = ("run", "-b", "null", "--rule", "fixed", "-k", "a=running", "-k", "b=running", "--rounds", "1000", "--budget", "1s")
    assert kdelta(*words).returncode == 0
    done = [(one.seed, one.variant) for one in kdelta.stored() or ()]
    assert len(done) % 2 == 0
    assert {name for _, name in done} == {"a", "b"}


@pytest.mark.parametrize("command", ["false", "echo no number", "echo 1 2"])
def test_a_command_that_fails_or_prints_no_metric_is_a_failed_cell(command: str, kdelta: Program) -> None:
    done = kdelta("run", "--command", command, "--regex", r"(\d+)", "--unit", "s", "--rounds", "1")
    assert done.returncode == 4
    assert "failed" in done.stdout
