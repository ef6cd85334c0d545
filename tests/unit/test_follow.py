"""A visit as it goes: every result stored at once, and the rule asked after each."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec
from tests.unit.builders import kernel, plan

from kdelta.box import fake
from kdelta.box.protocol import Watch
from kdelta.model.boot import Boot, BootRequest, Cell, CellState
from kdelta.model.guest import BootReport, ProgramRun
from kdelta.model.kernel import Kernel
from kdelta.model.plan import LOCAL, BoxSpec, Repeat, Rule, Slot
from kdelta.model.sample import Sample
from kdelta.plan.order import slots
from kdelta.run.execute import execute
from kdelta.run.source import Straight

HERE = BoxSpec(name="here", kind=LOCAL, cpus=2)


class Stream:
    """Sink and observer: what happened, in order."""

    def __init__(self) -> None:
        self.words: list[str] = []
        self.discards: dict[int, str] = {}
        self.cells: list[Cell] = []
        self.boot: Boot | None = None

    def took(self, slot: Slot, kernel: Kernel, samples: Sequence[Sample]) -> None:
        self.words.append("took " + " ".join(f"{one.iteration}={one.value:g}" for one in samples))

    def closed(self, slot: Slot, cell: Cell, discards: dict[int, str]) -> None:
        self.words.append(f"closed {cell.benchmark}")
        self.cells.append(cell)
        self.discards = discards

    def add(self, slot: Slot, kernel: Kernel, boot: Boot) -> None:
        self.words.append("added")
        self.boot = boot

    def started(self, slot: Slot) -> None: ...

    def said(self, slot: Slot, words: str) -> None:
        self.words.append(f"said {words}")

    def ended(self, slot: Slot, boot: Boot) -> None: ...


def timed(*elapsed_ns: int) -> tuple[ProgramRun, ...]:
    lines = [f'{{"iteration": 0, "operations": 10, "elapsed_ns": {ns}, "warmup": false}}' for ns in elapsed_ns]
    return tuple(ProgramRun(lines=(line,), ended=True, status=0, seconds=1.0) for line in lines)


def visit(
    *programs: tuple[ProgramRun, ...], rule: Rule | None = None, box: fake.FakeBox | None = None, own: float | None = None
) -> Stream:
    def answer(request: BootRequest) -> BootReport:
        return msgspec.structs.replace(fake.done(request), programs=programs)

    of = msgspec.structs.replace(
        plan(("old",), [f"b{place}" for place in range(len(programs))], boxes=(HERE,)), rule=rule or Rule()
    )
    limited = (msgspec.structs.replace(one, own_visit_seconds=own) for one in of.benchmarks)
    ordered = tuple(sorted(limited, key=lambda one: one.name))
    todo = [msgspec.structs.replace(slot, benchmarks=ordered) for slot in slots(of)]
    stream = Stream()
    execute(
        of, Straight(todo), {"old": kernel("old")}, {HERE.name: box or fake.FakeBox(HERE, answer, repeats=True)}, stream, stream, 1
    )
    return stream


SETTLING = timed(1500, 1000, 1001, 1002)


def test_each_result_is_handed_on_before_the_next_run_begins() -> None:
    assert [word for word in visit(SETTLING).words if not word.startswith("said")] == [
        *("took 0=150", "took 1=100", "took 2=100.1", "took 3=100.2"),
        *("closed b0", "added"),
    ]


def test_what_was_thrown_away_is_handed_on_with_its_reason_when_the_benchmark_ends() -> None:
    assert visit(SETTLING).discards == {0: "followed by 3 results within 1.00%"}


def test_the_boot_at_the_end_says_the_same_as_the_stream() -> None:
    boot = visit(SETTLING).boot
    assert boot is not None
    assert [(one.iteration, one.discarded != "", one.counts) for one in boot.samples] == [
        *((0, True, False), (1, False, True), (2, False, True), (3, False, True)),
    ]


def test_the_observer_hears_how_settled_a_benchmark_is() -> None:
    said = [word for word in visit(SETTLING).words if word.startswith("said")]
    assert said[-1] == "said b0: result 4, the last 3 within 0.20%"


def test_each_benchmark_of_a_visit_is_settled_by_itself() -> None:
    words = visit(SETTLING, timed(10, 10, 10)).words
    assert [word for word in words if word.startswith("closed")] == ["closed b0", "closed b1"]


def test_a_benchmark_that_never_settles_is_fine_and_says_so() -> None:
    stream = visit(timed(*[1000, 1500] * 8))
    assert [(cell.state, cell.reason.split(":")[0]) for cell in stream.cells] == [(CellState.OK, "not settled")]


def test_a_program_that_fails_is_not_run_again_and_keeps_what_it_measured() -> None:
    stream = visit((*timed(1000), ProgramRun(ended=True, status=1, stderr="no memory")))
    assert [(cell.state, cell.reason) for cell in stream.cells] == [(CellState.FAILED, "exit status 1: no memory")]
    assert [word for word in stream.words if word.startswith("took")] == ["took 0=100", "took "]


def test_a_program_that_prints_nothing_has_failed_after_one_run() -> None:
    stream = visit((ProgramRun(ended=True, status=0),))
    assert [cell.reason for cell in stream.cells] == ["it printed 0 results instead of 1"]


def test_the_limit_in_time_counts_the_programs_whole_time() -> None:
    stream = visit(timed(*[1000, 1500] * 8), rule=Rule(limit_seconds=4.0))
    assert "the limit of 4 s came first" in stream.cells[0].reason
    assert len([word for word in stream.words if word.startswith("took")]) == 4


def test_a_benchmarks_own_limit_goes_before_that_of_the_plan() -> None:
    stream = visit(timed(*[1000, 1500] * 8), rule=Rule(limit_seconds=4.0), own=6.0)
    assert "the limit of 6 s came first" in stream.cells[0].reason


def test_under_the_fixed_rule_every_result_counts() -> None:
    stream = visit(timed(*[1000, 1500] * 8), rule=Rule(repeat=Repeat.FIXED, results=5))
    assert stream.boot is not None
    assert [one.counts for one in stream.boot.samples] == [True] * 5


def test_a_box_that_does_not_repeat_is_judged_by_the_benchmarks_iterations() -> None:
    class Asking(fake.FakeBox):
        def boot(self, request: BootRequest, watch: Watch) -> BootReport:
            return fake.done(request)

    stream = visit(timed(1), box=Asking(HERE))
    assert stream.boot is not None
    assert [cell.state for cell in stream.boot.cells] == [CellState.OK]
