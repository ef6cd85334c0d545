"""The run loop: every boot once, each handed on when it has ended, and all of them ended when something stops the run."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterator, Sequence

import pytest
from tests.unit.builders import BOX, kernel, plan

from kdelta.box.fake import FakeBox
from kdelta.box.protocol import Box, Watch
from kdelta.model.boot import Boot, BootRequest, Cell, CellState, Outcome
from kdelta.model.errors import BoxLostError, StoreError
from kdelta.model.guest import BootReport
from kdelta.model.kernel import Kernel
from kdelta.model.plan import Plan, Slot
from kdelta.model.sample import Sample
from kdelta.plan.order import slots
from kdelta.run.execute import execute, within
from kdelta.run.source import Straight

PATIENCE = 10.0
"""Seconds that a test waits for what must happen at once."""


class Journal:
    """Sink and observer in one: what happened, in order, as words."""

    def __init__(self, on_add: Callable[[Slot], None] = lambda slot: None) -> None:
        self._on_add = on_add
        self.words: list[str] = []
        self.boots: dict[int, tuple[Kernel, Boot]] = {}
        self.threads: set[int] = set()

    def add(self, slot: Slot, kernel: Kernel, boot: Boot) -> None:
        self._on_add(slot)
        self.threads.add(threading.get_ident())
        self.words.append(f"added {slot.position}")
        self.boots[slot.position] = (kernel, boot)

    def took(self, slot: Slot, kernel: Kernel, samples: Sequence[Sample]) -> None:
        self.words.append(f"took {slot.position}: {' '.join(str(one.iteration) for one in samples)}")

    def closed(self, slot: Slot, cell: Cell, discards: dict[int, str]) -> None:
        self.words.append(f"closed {slot.position}: {cell.benchmark}")

    def started(self, slot: Slot) -> None:
        self.words.append(f"started {slot.position}")

    def said(self, slot: Slot, words: str) -> None:
        self.words.append(f"{slot.position} said {words}")

    def ended(self, slot: Slot, boot: Boot) -> None:
        self.words.append(f"ended {slot.position}")


class WaitingBox(FakeBox):
    """Boots that run until they are stopped. When all are running, the first does `first`, and ends if that says so."""

    def __init__(self, together: int, first: Callable[[], bool] = lambda: True) -> None:
        super().__init__(BOX)
        self._all_here = threading.Barrier(together)
        self._first = first
        self._stopped = threading.Semaphore(0)

    def boot(self, request: BootRequest, watch: Watch) -> BootReport:
        if self._all_here.wait(PATIENCE) == 0:
            watch.stop.wait(0.2)  # the run loop waits by then
            if self._first():
                return super().boot(request, watch)
        if watch.stop.wait(PATIENCE):
            self._stopped.release()
        return BootReport(outcome=Outcome.LOST, reason="stopped from outside")

    def stopped(self) -> int:
        """How many boots were stopped; to be asked once."""
        count = 0
        while self._stopped.acquire(blocking=False):
            count += 1
        return count


def run(box: Box, journal: Journal, of: Plan, *, jobs: int = 1, todo: Sequence[Slot] | None = None) -> None:
    kernels = {variant.name: kernel(variant.name) for variant in of.variants}
    execute(of, Straight(slots(of) if todo is None else todo), kernels, {BOX.name: box}, journal, journal, jobs)


THREE_SEEDS = plan(("old", "new"), ("null", "ctx-2"), seeds=3)


@pytest.mark.parametrize("jobs", [1, 2, 5, 100])
def test_every_slot_is_booted_once_and_stored_once(jobs: int) -> None:
    box, journal = FakeBox(BOX), Journal()
    run(box, journal, THREE_SEEDS, jobs=jobs)
    assert sorted((r.variant.name, r.seed) for r in box.requests) == sorted((n, s) for n in ("old", "new") for s in (1, 2, 3))
    assert sorted(word for word in journal.words if word.startswith("added")) == [f"added {i}" for i in range(6)]


def test_a_request_is_the_slots_with_variant_and_kernel_filled_in() -> None:
    box = FakeBox(BOX)
    run(box, Journal(), THREE_SEEDS)
    asked = [(r.variant, r.kernel, r.seed, r.benchmarks) for r in box.requests]
    variants = {variant.name: variant for variant in THREE_SEEDS.variants}
    assert asked == [(variants[s.variant], kernel(s.variant), s.seed, s.benchmarks) for s in slots(THREE_SEEDS)]


def test_only_the_slots_that_are_given_are_booted() -> None:
    box, journal = FakeBox(BOX), Journal()
    run(box, journal, THREE_SEEDS, todo=list(slots(THREE_SEEDS))[4:])
    assert sorted(journal.boots) == [4, 5]


def test_a_run_of_nothing_ends_at_once() -> None:
    journal = Journal()
    run(FakeBox(BOX), journal, THREE_SEEDS, todo=[])
    assert journal.words == []


def test_a_boot_is_stored_with_the_kernel_and_the_results_of_its_own_slot() -> None:
    journal = Journal()
    run(FakeBox(BOX), journal, THREE_SEEDS, jobs=4)
    for slot in slots(THREE_SEEDS):
        of, boot = journal.boots[slot.position]
        assert of == kernel(slot.variant)
        assert [cell.benchmark for cell in boot.cells] == [benchmark.name for benchmark in slot.benchmarks]


@pytest.mark.parametrize("jobs", [1, 2, 3])
def test_at_most_so_many_boots_run_side_by_side(jobs: int) -> None:
    running, most, lock, full = 0, 0, threading.Lock(), threading.Barrier(jobs)

    def answer(request: BootRequest) -> None:
        nonlocal running, most
        with lock:
            running, most = running + 1, max(most, running + 1)
        full.wait(PATIENCE)  # nobody goes on before `jobs` boots are here: so many do run side by side
        with lock:
            running -= 1

    run(FakeBox(BOX, answer), Journal(), plan(seeds=3), jobs=jobs)
    assert most == jobs


def test_with_one_job_each_boot_is_stored_before_the_next_starts() -> None:
    journal = Journal()
    run(FakeBox(BOX), journal, THREE_SEEDS)
    assert journal.words == [f"{word} {i}" for i in range(6) for word in ("started", "added", "ended")]


def test_boots_are_stored_from_the_thread_that_runs_the_plan() -> None:
    journal = Journal()
    run(FakeBox(BOX), journal, THREE_SEEDS, jobs=3)
    assert journal.threads == {threading.get_ident()}


@pytest.mark.parametrize("outcome", [outcome for outcome in Outcome if outcome is not Outcome.DONE])
def test_a_boot_that_fails_is_stored_and_the_others_go_on(outcome: Outcome) -> None:
    def answer(request: BootRequest) -> BootReport | None:
        bad = request.variant.name == "new" and request.seed == 2
        return BootReport(outcome=outcome, reason="why") if bad else None

    journal = Journal()
    run(FakeBox(BOX, answer), journal, THREE_SEEDS)
    outcomes = [boot.outcome for _, boot in journal.boots.values()]
    assert (len(outcomes), outcomes.count(outcome), outcomes.count(Outcome.DONE)) == (6, 1, 5)


def test_a_boot_of_another_kernel_than_the_slots_is_stored_as_that() -> None:
    other = {"old": kernel("something else"), "new": kernel("new")}
    journal = Journal()
    fake = FakeBox(BOX)
    execute(plan(), Straight(slots(plan())), other, {BOX.name: _Swapped(fake)}, journal, journal, 1)
    assert {boot.outcome for of, boot in journal.boots.values() if of.release == "new"} == {Outcome.WRONG_KERNEL}


class _Swapped:
    """A box that boots the kernel called `old`, whatever is asked for."""

    repeats = False

    def __init__(self, inner: FakeBox) -> None:
        self.spec, self._inner = inner.spec, inner

    def boot(self, request: BootRequest, watch: Watch) -> BootReport:
        changed = BootRequest(variant=request.variant, kernel=kernel("old"), seed=request.seed, benchmarks=request.benchmarks)
        return self._inner.boot(changed, watch)


def fail(slot: Slot) -> None:
    raise StoreError("disk full")


def test_a_sink_that_fails_stops_the_run() -> None:
    box, journal = FakeBox(BOX), Journal(on_add=fail)
    with pytest.raises(StoreError, match="disk full"):
        run(box, journal, THREE_SEEDS)
    assert (len(box.requests), journal.words) == (1, ["started 0"])


def test_a_sink_that_fails_ends_the_boots_that_run() -> None:
    box = WaitingBox(together=3)
    with pytest.raises(StoreError, match="disk full"):
        run(box, Journal(on_add=fail), THREE_SEEDS, jobs=3)
    assert box.stopped() == 2


def lose() -> bool:
    raise BoxLostError("no room for the boot's files")


def test_a_box_that_cannot_go_on_ends_the_boots_that_run_and_stores_nothing_of_them() -> None:
    box, journal = WaitingBox(together=3, first=lose), Journal()
    with pytest.raises(BoxLostError):
        run(box, journal, THREE_SEEDS, jobs=3)
    assert (box.stopped(), journal.boots) == (2, {})


def interrupt() -> bool:
    signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGINT)
    return False


@pytest.fixture
def ctrl_c() -> Iterator[None]:
    """Ctrl-C is KeyboardInterrupt, also where the tests run in the background of a shell, which ignores it."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.usefixtures("ctrl_c")
def test_an_interrupt_ends_the_boots_that_run_and_stores_nothing_of_them() -> None:
    box, journal = WaitingBox(together=2, first=interrupt), Journal()
    with pytest.raises(KeyboardInterrupt):
        run(box, journal, THREE_SEEDS, jobs=2)
    assert (box.stopped(), journal.boots) == (2, {})


def test_what_a_boot_says_reaches_the_observer_with_its_slot() -> None:
    class Talking(FakeBox):
        def boot(self, request: BootRequest, watch: Watch) -> BootReport:
            watch.said(f"settling {request.variant.name} {request.seed}")
            return super().boot(request, watch)

    journal = Journal()
    run(Talking(BOX), journal, THREE_SEEDS)
    expected = [f"{slot.position} said settling {slot.variant} {slot.seed}" for slot in slots(THREE_SEEDS)]
    assert [word for word in journal.words if "said" in word] == expected


def test_the_fake_box_answers_with_results_of_every_iteration() -> None:
    journal = Journal()
    run(FakeBox(BOX), journal, plan(seeds=1))
    _, boot = journal.boots[0]
    assert [cell.state for cell in boot.cells] == [CellState.OK]
    assert [(sample.iteration, sample.value) for sample in boot.samples] == [(-1, 200.0), (0, 100.0), (1, 100.0), (2, 100.0)]


def test_a_budget_that_is_used_up_begins_no_round(monkeypatch: pytest.MonkeyPatch) -> None:
    now = 0.0
    monkeypatch.setattr("kdelta.run.execute.time.monotonic", lambda: now)
    taken = []
    for slot in within(25.0, slots(THREE_SEEDS)):
        taken.append((slot.seed, slot.variant))
        now += 10.0
    assert [seed for seed, _ in taken] == [1, 1, 2, 2]


def test_without_a_budget_every_slot_comes() -> None:
    assert list(within(None, slots(THREE_SEEDS))) == list(slots(THREE_SEEDS))
