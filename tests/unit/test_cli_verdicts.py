"""The program as it is typed, on a lab with noise: runs that stop when they are decided, gates, and the noise itself."""

from __future__ import annotations

import json
import math
import random
from contextlib import closing
from pathlib import Path
from typing import Any, ClassVar

import msgspec
import pytest
from tests.unit.builders import LOST, Ended, Kdelta, Lab, kernel

from kdelta.box import fake
from kdelta.model.boot import BootRequest
from kdelta.model.guest import BootReport, ProgramRun
from kdelta.model.plan import BoxSpec
from kdelta.model.record import BootRecord
from kdelta.store.place import open_store

# Share by which a kernel is slower than `old`, and the noise of a boot, by benchmark.
CHANGES = {"new": {"null": 0.05, "ctx-2": 0.0, "mmap": 0.0}, "newer": {"null": 0.0, "ctx-2": -0.04, "mmap": 0.0}}
NOISE = {"null": 0.002, "ctx-2": 0.002, "mmap": 0.05}
COST_NS = 10_000_000


def answered(asked: BootRequest, lost: set[tuple[str, int]]) -> BootReport:
    """Costs by CHANGES with the noise of the request's seed."""
    if (asked.variant.kernel, asked.seed) in lost:
        lost.discard((asked.variant.kernel, asked.seed))
        return LOST
    programs: list[tuple[ProgramRun, ...]] = []
    for one in asked.benchmarks:
        name = asked.variant.kernel.removeprefix("path:")
        noise = random.Random(f"{name} {one.name} {asked.seed}").gauss(0.0, NOISE[one.name])
        cost = round(COST_NS * (1.0 + CHANGES.get(name, {}).get(one.name, 0.0)) * math.exp(noise))
        programs += fake.done(msgspec.structs.replace(asked, benchmarks=(one,)), cost).programs
    whole = fake.done(asked, COST_NS)
    return msgspec.structs.replace(whole, programs=tuple(programs), environment={"qemu": "7.2.22"})


class NoisyLab(Lab):
    """Boots in `lost`, by kernel and seed, are lost once."""

    lost: ClassVar[set[tuple[str, int]]] = set()

    def __init__(self, spec: BoxSpec, read_profile: object, limit_seconds: float) -> None:
        fake.FakeBox.__init__(self, spec, lambda asked: answered(asked, self.lost))


@pytest.fixture
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr("kdelta.cli.measure.ExactBox", NoisyLab)
    monkeypatch.setattr("kdelta.cli.measure.resolve", lambda spec: kernel(spec.removeprefix("path:").removeprefix("vmlinuz-")))
    monkeypatch.setattr(NoisyLab, "lost", set())
    monkeypatch.setenv("KDELTA_STORE", str(tmp_path / "store.sqlite"))
    return tmp_path / "store.sqlite"


TWO = ("-k", "old=path:old", "-k", "new=path:new")
RUN = ("run", *TWO, "--exact", "--jobs", "1")
VERDICT = (*RUN, "-b", "null", "-b", "ctx-2", "--rule", "verdict")


def boots(store: Path, run: int = 1) -> list[BootRecord]:
    with closing(open_store(str(store))) as opened:
        return opened.boots(run)


def answers(kdelta: Kdelta, *words: str) -> dict[str, str]:
    """Of each contrast, by its benchmark."""
    contrasts: list[dict[str, Any]] = json.loads(kdelta("compare", "--json", *words).out)["verdicts"]["contrasts"]
    return {one["new"]["benchmark"]: one["answer"] for one in contrasts}


# ---- runs until verdicts ----


def test_a_run_stops_when_everything_is_decided(kdelta: Kdelta, store: Path) -> None:
    result = kdelta(*VERDICT)
    assert result.code == 0
    assert answers(kdelta) == {"null": "slower", "ctx-2": "equivalent"}
    assert len(boots(store)) < 20


def test_what_was_decided_is_told_between_the_rounds(kdelta: Kdelta, store: Path) -> None:
    assert "after 3 rounds decided: null slower" in kdelta(*VERDICT).err


def test_what_is_decided_is_measured_no_more(kdelta: Kdelta, store: Path) -> None:
    kdelta(*RUN, "-b", "null", "-b", "mmap", "--rule", "verdict")
    names = {record.seed: set(record.benchmarks) for record in boots(store)}
    assert names[1] == {"null", "mmap"}
    assert names[10] == {"mmap"}


def test_a_column_that_is_decided_leaves_and_the_base_stays(kdelta: Kdelta, store: Path) -> None:
    kdelta(*RUN, "-k", "wild=path:wild", "-b", "null", "-b", "mmap", "--rule", "verdict", "--rounds", "5")
    last = {record.variant: record.benchmarks for record in boots(store) if record.seed == 5}
    assert last == {"old": ("mmap",), "new": ("mmap",), "wild": ("mmap",)}


def test_what_the_rounds_cannot_decide_is_announced_and_left_out_where_there_is_a_budget(kdelta: Kdelta, store: Path) -> None:
    result = kdelta(*RUN, "-b", "mmap", "--rule", "verdict", "--budget", "1h", "--first-seed", "4")
    assert "futile: 10 rounds are too few for mmap" in result.err
    assert "left out, as the budget is for the others" in result.err
    assert len(boots(store)) < 20


def test_a_lost_boot_is_repeated_before_the_next_round(kdelta: Kdelta, store: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(NoisyLab, "lost", {("path:new", 1)})
    assert kdelta(*VERDICT).code == 0
    assert [record.attempt for record in boots(store)][:2].count(2) == 1


def test_a_resumed_run_is_the_run_that_was_not_interrupted(kdelta: Kdelta, store: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    kdelta(*VERDICT)
    calls = iter(range(100))

    def interrupted(asked: BootRequest, lost: set[tuple[str, int]]) -> BootReport:
        if next(calls) == 3:
            raise KeyboardInterrupt
        return answered(asked, lost)

    with monkeypatch.context() as patched:
        patched.setitem(NoisyLab.__init__.__globals__, "answered", interrupted)
        assert kdelta(*VERDICT).code == 130
    assert kdelta("run", "--resume", "2").code == 0
    pairs = [[(one.variant, one.seed, one.benchmarks, one.boot.samples) for one in boots(store, run)] for run in (1, 2)]
    assert pairs[0] == pairs[1]


def test_other_seeds_are_other_boots(kdelta: Kdelta, store: Path) -> None:
    kdelta(*VERDICT, "--first-seed", "101")
    assert sorted({record.seed for record in boots(store)})[0] == 101


# ---- the noise ----


def test_the_baseline_against_itself_is_no_change_and_its_noise_is_kept(kdelta: Kdelta, store: Path) -> None:
    result = kdelta("run", "--aa", "-k", "path:old", "-b", "null", "-b", "ctx-2", "--exact", "--rounds", "6")
    assert result.code == 0
    assert "A/A: 0 of 2 contrasts flagged here." in result.out
    with closing(open_store(str(store))) as opened:
        found = [one for each in opened.noise(None).values() for one in each]
    assert {one.benchmark for one in found} == {"null", "ctx-2"}
    assert [one.sd for one in found] == pytest.approx([0.002, 0.002], abs=0.001)


def test_the_second_column_has_other_seeds(kdelta: Kdelta, store: Path) -> None:
    kdelta("run", "--aa", "-k", "path:old", "-b", "null", "--exact", "--rounds", "3")
    values = {record.variant: record.boot.samples[-1].value for record in boots(store) if record.seed == 1}
    assert len(set(values.values())) == 2


def test_the_false_alarms_of_all_such_runs_are_counted(kdelta: Kdelta, store: Path) -> None:
    words = ("run", "--aa", "-k", "path:old", "-b", "null", "--exact", "--rounds", "3")
    kdelta(*words)
    assert "over 2 such runs of this box 0 of 2 (0.0 %" in kdelta(*words, "--first-seed", "50").out


def test_aa_of_a_stored_run_is_misuse(kdelta: Kdelta, store: Path) -> None:
    kdelta(*VERDICT)
    assert kdelta("run", "--aa", "--resume", "1").err.startswith("kdelta: --aa would be ignored")


# ---- what is compared, and the gate ----


@pytest.fixture
def measured(kdelta: Kdelta, store: Path) -> Path:
    """Three columns in five rounds; new is slower on null, newer faster on ctx-2."""
    kdelta(*RUN, "-k", "newer=path:newer", "-b", "null", "-b", "ctx-2", "--rule", "fixed", "--rounds", "5")
    return store


def test_the_report_has_values_verdicts_and_sentences(kdelta: Kdelta, measured: Path) -> None:
    said = kdelta("compare").out
    assert "   MEDIAN " in said
    assert "new against old:" in said
    assert "The new slowdown is gone in newer" in said


def test_another_base_turns_the_answers_round(kdelta: Kdelta, measured: Path) -> None:
    contrasts = json.loads(kdelta("compare", "--json", "--base", "new").out)["verdicts"]["contrasts"]
    assert {(one["base"]["column"], one["new"]["column"]) for one in contrasts} == {("new", "old"), ("new", "newer")}
    assert next(one["answer"] for one in contrasts if one["new"]["benchmark"] == "null") == "faster"


@pytest.mark.parametrize(
    ("axis", "pairs"), [("pairs", 6), ("columns", 4), ("kernels", 4), ("settings", 0), ("loads", 0), ("boxes", 0)]
)
def test_each_axis_has_its_contrasts(kdelta: Kdelta, measured: Path, axis: str, pairs: int) -> None:
    result = kdelta("compare", "--json", "--axis", axis)
    assert (result.code, len(json.loads(result.out)["verdicts"]["contrasts"])) == (0, pairs)
    assert kdelta("compare", "--axis", axis).code == 0


def gated(kdelta: Kdelta, *words: str) -> Ended:
    return kdelta("compare", "--gate", *words)


@pytest.mark.parametrize(
    ("words", "code"),
    [
        pytest.param((), 1, id="anything slower"),
        pytest.param(("--threshold", "2%"), 1, id="slower by more than the threshold"),
        pytest.param(("--threshold", "20%"), 0, id="slower by less"),
        pytest.param(("--threshold", "20%", "--threshold", "null=1%"), 1, id="a benchmark's own threshold"),
        pytest.param(("--threshold", "1%", "--threshold", "null=20%"), 0, id="a benchmark's own leave"),
        pytest.param(("--base", "new"), 0, id="nothing slower than the slowest"),
    ],
)
def test_the_gate_ends_with_1_for_a_slowdown_of_the_threshold_or_more(
    kdelta: Kdelta, measured: Path, words: tuple[str, ...], code: int
) -> None:
    result = gated(kdelta, *words)
    assert result.code == code
    assert ("Gate failed: 1 breach" if code else "Gate passed") in result.out


def test_a_gate_writes_junit(kdelta: Kdelta, measured: Path, tmp_path: Path) -> None:
    gated(kdelta, "--junit", str(tmp_path / "gate.xml"))
    assert '<testsuites name="kdelta run 1" tests="4" failures="1"' in (tmp_path / "gate.xml").read_text()


MISUSED = {
    "a column that there is not": (("--base", "newest"), "there is no variant 'newest' in run 1"),
    "a benchmark that there is not": (("--gate", "--threshold", "nul=1%"), "there is no benchmark 'nul' in run 1"),
    "a box that there is not": (("--axis", "boxes", "--base", "xeon"), "there is no box 'xeon' in run 1"),
    "a threshold without its unit": (("--gate", "--threshold", "2"), "--threshold is '2'"),
    "a threshold without a gate": (("--threshold", "2%"), "--threshold is the gate's"),
    "a gate of a table of values": (("--gate", "--form", "min"), "--gate and --form min exclude each other"),
    "a base of a table of ranges": (("--base", "new", "--form", "range"), "--base and --form range exclude each other"),
    "a file that cannot be written": (("--junit", "/nowhere/gate.xml"), "/nowhere/gate.xml cannot be written"),
}


@pytest.mark.parametrize(("words", "said"), MISUSED.values(), ids=MISUSED)
def test_what_cannot_be_compared_is_misuse(kdelta: Kdelta, measured: Path, words: tuple[str, ...], said: str) -> None:
    result = kdelta("compare", *words)
    assert (result.code, result.out) == (2, "")
    assert said in result.err
    assert len(result.err.splitlines()) == 2


def test_one_column_has_nothing_to_be_compared_with_and_shows_its_spread(kdelta: Kdelta, store: Path) -> None:
    said = kdelta("run", "-k", "path:old", "-b", "null", "--exact").out
    assert "   SD of 3 " in said
    assert "verdict" not in said


def test_a_run_until_verdicts_has_no_number_of_boots_that_it_lacks(kdelta: Kdelta, store: Path) -> None:
    kdelta(*VERDICT)
    assert f"  {len(boots(store))} boots, 20 at most  2 benchmarks" in kdelta("runs").out


def test_only_a_row_that_was_picked_out_of_several_has_a_wider_interval(kdelta: Kdelta, measured: Path) -> None:
    assert "are widened" in kdelta("compare").out
    kdelta(*RUN, "-b", "null", "--rule", "fixed", "--rounds", "5")
    assert "are widened" not in kdelta("compare").out


def test_holm_is_named_below_the_table(kdelta: Kdelta, measured: Path) -> None:
    assert "(Holm)" in kdelta("compare", "--holm").out
