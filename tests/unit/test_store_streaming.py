"""A visit that is stored as it goes: what was measured is there at once, and a resumed visit measures only what is missing."""

from __future__ import annotations

import subprocess
import sys
import threading
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path

import msgspec
import pytest
from tests.unit.builders import boot, kernel, sample, samples, slot
from tests.unit.databases import TABLES, begin, look, row_counts

from kdelta.model.boot import Boot, Cell, CellState, Outcome
from kdelta.model.errors import StoreError
from kdelta.model.record import BootRecord
from kdelta.model.sample import Sample
from kdelta.store.place import open_store
from kdelta.store.store import Store

pytest_plugins = ["tests.unit.database_fixtures"]

ROOT = Path(__file__).parents[2]
NONE: Mapping[int, str] = {}
INTERRUPTED, AGAIN = "the visit was interrupted", "measured again"
ENDING = Boot(
    outcome=Outcome.DONE,
    reason="why not",
    cells=(),
    warnings=("hot",),
    environment={"load": "0.1"},
    host_seconds=3.5,
    ready_seconds=0.5,
    kernel_log="all is well",
)


def ok(name: str) -> Cell:
    return Cell(name, CellState.OK)


Values = Mapping[str, Sequence[float]]


def visit(store: Store, asked: Sequence[str], closed: Values, cut: Values, ended: bool = False) -> int:
    """One more attempt at position 0 of run 1: benchmarks that were `closed`, then some that were `cut` off, and perhaps an end."""
    boot_id = store.open_boot(1, slot(names=asked), kernel("old"))
    for name, values in [*closed.items(), *cut.items()]:
        store.append(boot_id, samples(values, name=name))
        if name in closed:
            store.close_cell(boot_id, ok(name), NONE)
    if ended:
        store.close_boot(boot_id, msgspec.structs.replace(ENDING, cells=tuple(map(ok, closed))))
    return boot_id


def the_boot(store: Store) -> BootRecord:
    [found] = store.boots(1)
    return found


def seen(record: BootRecord) -> list[tuple[str, float, str]]:
    return [(one.benchmark, one.value, one.discarded) for one in record.boot.samples]


def states(record: BootRecord) -> list[str]:
    return [cell.benchmark for cell in record.boot.cells]


# ---- one visit ----


def test_a_visit_that_ended_is_what_it_would_be_if_it_had_been_added_whole(store: Store) -> None:
    begin(store)
    whole = msgspec.structs.replace(ENDING, cells=(ok("null"),), samples=samples([1.0, 2.0]))
    store.add(1, slot(0), kernel("old"), whole)
    boot_id = store.open_boot(1, slot(1), kernel("old"))
    for one in whole.samples:
        store.append(boot_id, [one])
    store.close_cell(boot_id, whole.cells[0], NONE)
    store.close_boot(boot_id, whole)
    added, streamed = store.boots(1)
    assert msgspec.structs.replace(streamed, id=added.id, position=0) == added
    assert store.kernel_log(streamed.id) == store.kernel_log(added.id) == "all is well"


def test_a_visit_under_way_is_interrupted_and_shows_what_it_has(store: Store) -> None:
    begin(store)
    visit(store, ["null", "ctx-2"], closed={"null": [1.0]}, cut={"ctx-2": [2.0]})
    found = the_boot(store)
    assert (found.boot.outcome, states(found), found.benchmarks) == (Outcome.INTERRUPTED, ["null"], ("null", "ctx-2"))
    assert seen(found) == [("null", 1.0, ""), ("ctx-2", 2.0, INTERRUPTED)]


def test_a_visit_under_way_has_no_kernel_log_yet(store: Store) -> None:
    begin(store)
    assert store.kernel_log(visit(store, ["null"], closed={}, cut={})) == ""


def test_a_discarded_iteration_is_kept_with_all_its_metrics_and_does_not_count(store: Store) -> None:
    begin(store)
    boot_id = store.open_boot(1, slot(names=["null", "ctx-2"]), kernel("old"))
    jitter = msgspec.structs.replace(sample(0.1, iteration=1), metric="jitter", elapsed_ns=None)
    store.append(boot_id, [*samples([1.0, 9.0]), jitter, *samples([3.0, 4.0], name="ctx-2")])
    store.close_cell(boot_id, Cell("null", CellState.OK), {1: "not settled yet"})
    store.close_cell(boot_id, Cell("ctx-2", CellState.OK), NONE)
    found = the_boot(store).boot.samples
    assert [one.discarded for one in found] == ["", "not settled yet", "not settled yet", "", ""]
    assert [one.value for one in found if one.counts] == [1.0, 3.0, 4.0]
    assert found[2] == msgspec.structs.replace(jitter, discarded="not settled yet")


def test_cells_that_were_closed_before_are_not_added_again_at_the_end(store: Store) -> None:
    begin(store)
    boot_id = visit(store, ["null", "ctx-2"], closed={"null": [1.0]}, cut={"ctx-2": [2.0]})
    lost = Cell("ctx-2", CellState.KILLED, "the machine went away")
    store.close_boot(boot_id, msgspec.structs.replace(ENDING, cells=(Cell("null", CellState.FAILED, "not this"), lost)))
    assert the_boot(store).boot.cells == (ok("null"), lost)


def test_the_end_of_a_visit_adds_no_sample_again(store: Store, place: str) -> None:
    begin(store)
    boot_id = visit(store, ["null"], closed={"null": [1.0, 2.0]}, cut={})
    store.close_boot(boot_id, boot({"null": (1.0, 2.0)}))
    assert look(place, "SELECT value FROM samples") == [(1.0,), (2.0,)]


def test_a_visit_ends_once(store: Store, place: str) -> None:
    begin(store)
    boot_id = visit(store, ["null"], closed={"null": [1.0]}, cut={}, ended=True)
    with pytest.raises(StoreError):
        store.close_boot(boot_id, ENDING)
    assert row_counts(place)["endings"] == 1


def test_samples_of_a_boot_that_is_not_there_are_refused(store: Store, place: str) -> None:
    begin(store)
    with pytest.raises(StoreError):
        store.append(17, samples([1.0]))
    assert row_counts(place)["samples"] == 0


def test_streaming_only_ever_adds_rows(store: Store, place: str) -> None:
    begin(store)
    boot_id = store.open_boot(1, slot(), kernel("old"))
    steps = (
        lambda: store.append(boot_id, samples([1.0])),
        lambda: store.close_cell(boot_id, ok("null"), {0: "noise"}),
        lambda: store.close_boot(boot_id, ENDING),
        lambda: visit(store, ["null"], closed={"null": [2.0]}, cut={}, ended=True),
    )
    for step in steps:
        before = {table: look(place, f"SELECT * FROM {table}") for table in TABLES}
        step()
        after = {table: look(place, f"SELECT * FROM {table}") for table in TABLES}
        assert {table: after[table][: len(rows)] for table, rows in before.items()} == before


# ---- resumed ----


def test_a_resumed_visit_is_the_benchmarks_of_both_in_the_order_in_which_they_ran(store: Store) -> None:
    begin(store)
    visit(store, ["select", "null", "ctx-2"], closed={"select": [1.0], "null": [2.0]}, cut={})
    visit(store, ["ctx-2"], closed={"ctx-2": [3.0]}, cut={}, ended=True)
    found = the_boot(store)
    assert (found.attempt, found.boot.outcome, found.boot.environment) == (2, Outcome.DONE, {"load": "0.1"})
    assert found.benchmarks == ("select", "null", "ctx-2")
    assert states(found) == ["select", "null", "ctx-2"]
    assert seen(found) == [("select", 1.0, ""), ("null", 2.0, ""), ("ctx-2", 3.0, "")]


def test_what_a_benchmark_had_when_it_was_cut_off_stays_in_view_and_does_not_count(store: Store) -> None:
    begin(store)
    visit(store, ["null", "ctx-2"], closed={"null": [1.0]}, cut={"ctx-2": [8.0]})
    visit(store, ["ctx-2"], closed={"ctx-2": [2.0]}, cut={}, ended=True)
    found = the_boot(store)
    assert seen(found) == [("null", 1.0, ""), ("ctx-2", 8.0, INTERRUPTED), ("ctx-2", 2.0, "")]
    assert (found.benchmarks, states(found)) == (("null", "ctx-2"), ["null", "ctx-2"])


def test_a_benchmark_of_an_interrupted_visit_that_is_measured_again_counts_once(store: Store) -> None:
    begin(store)
    visit(store, ["null", "ctx-2"], closed={"null": [7.0], "ctx-2": [8.0]}, cut={})
    visit(store, ["null"], closed={"null": [1.0]}, cut={}, ended=True)
    found = the_boot(store)
    assert seen(found) == [("null", 7.0, AGAIN), ("ctx-2", 8.0, ""), ("null", 1.0, "")]
    assert (found.benchmarks, states(found)) == (("ctx-2", "null"), ["ctx-2", "null"])


def test_a_reason_that_a_sample_has_already_is_kept(store: Store) -> None:
    begin(store)
    boot_id = visit(store, ["null"], closed={}, cut={"null": [7.0, 8.0]})
    store.close_cell(boot_id, ok("null"), {0: "not settled yet"})
    visit(store, ["null"], closed={"null": [1.0]}, cut={}, ended=True)
    assert seen(the_boot(store)) == [("null", 7.0, "not settled yet"), ("null", 8.0, AGAIN), ("null", 1.0, "")]


def test_a_visit_may_be_interrupted_again_and_again(store: Store) -> None:
    begin(store)
    visit(store, ["a", "b", "c"], closed={"a": [1.0]}, cut={"b": [2.0]})
    visit(store, ["b", "c"], closed={}, cut={"b": [3.0]})
    visit(store, ["b", "c"], closed={"b": [4.0]}, cut={"c": [5.0]})
    visit(store, ["c"], closed={}, cut={})
    found = the_boot(store)
    cut = [("b", 2.0, INTERRUPTED), ("b", 3.0, INTERRUPTED), ("b", 4.0, ""), ("c", 5.0, INTERRUPTED)]
    assert seen(found) == [("a", 1.0, ""), *cut]
    assert (found.boot.outcome, states(found), found.benchmarks) == (Outcome.INTERRUPTED, ["a", "b"], ("a", "b", "c"))


def test_discards_belong_to_their_attempt(store: Store) -> None:
    begin(store)
    boot_id = visit(store, ["null", "ctx-2"], closed={}, cut={"null": [9.0, 1.0]})
    store.close_cell(boot_id, ok("null"), {0: "not settled yet"})
    again = store.open_boot(1, slot(names=["ctx-2"]), kernel("old"))
    store.append(again, samples([2.0, 8.0], name="ctx-2"))
    store.close_cell(again, ok("ctx-2"), {1: "another reason"})
    counted: list[Sample] = [one for one in the_boot(store).boot.samples if one.counts]
    assert [(one.benchmark, one.value) for one in counted] == [("null", 1.0), ("ctx-2", 2.0)]


def test_a_visit_that_was_lost_keeps_what_it_closed_and_shows_no_more(store: Store) -> None:
    begin(store)
    boot_id = visit(store, ["null", "ctx-2"], closed={"null": [1.0]}, cut={"ctx-2": [8.0]})
    lost = Cell("ctx-2", CellState.KILLED, "the machine went away")
    store.close_boot(boot_id, Boot(outcome=Outcome.LOST, cells=(ok("null"), lost)))
    visit(store, ["ctx-2"], closed={"ctx-2": [2.0]}, cut={}, ended=True)
    assert seen(the_boot(store)) == [("null", 1.0, ""), ("ctx-2", 2.0, "")]


@pytest.mark.parametrize("outcome", [Outcome.LOST, Outcome.HANG, Outcome.DONE])
def test_a_boot_that_is_repeated_whole_replaces_the_earlier_one(store: Store, outcome: Outcome) -> None:
    begin(store)
    first = msgspec.structs.replace(boot({"null": (7.0,), "ctx-2": (8.0,)}), outcome=outcome)
    again = boot({"null": (1.0,), "ctx-2": (2.0,)})
    for came in (first, again):
        store.add(1, slot(names=["null", "ctx-2"]), kernel("old"), came)
    assert the_boot(store).boot == again


def test_an_interrupted_visit_does_not_touch_other_positions(store: Store) -> None:
    begin(store)
    store.add(1, slot(1), kernel("old"), boot({"null": (5.0,)}))
    visit(store, ["null"], closed={}, cut={"null": [1.0]})
    assert [seen(record) for record in store.boots(1)] == [[("null", 1.0, INTERRUPTED)], [("null", 5.0, "")]]


# ---- crashes and company ----

CRASH = """
import os, sys
from tests.unit.builders import kernel, samples, slot
from kdelta.store.place import open_store
store = open_store(sys.argv[1])
store.append(store.open_boot(1, slot(), kernel("old")), samples([1.0, 2.0]))
os.kill(os.getpid(), 9)
"""


def test_what_was_appended_outlives_a_killed_program(store: Store, place: str) -> None:
    begin(store)
    ended = subprocess.run([sys.executable, "-c", CRASH, place], cwd=ROOT, capture_output=True, text=True, check=False)
    assert (ended.returncode, ended.stderr) == (-9, "")
    assert seen(the_boot(store)) == [("null", 1.0, INTERRUPTED), ("null", 2.0, INTERRUPTED)]


def test_attempts_that_begin_at_once_have_numbers_of_their_own(store: Store, place: str) -> None:
    begin(store)
    many = 8
    together = threading.Barrier(many)

    def attempt(_: int) -> int:
        with closing(open_store(place)) as own:
            together.wait()
            return [own.open_boot(1, slot(), kernel("old")) for _ in range(3)][-1]

    with ThreadPoolExecutor(many) as pool:
        list(pool.map(attempt, range(many)))
    assert look(place, "SELECT attempt FROM boots ORDER BY attempt") == [(number,) for number in range(1, 3 * many + 1)]


def test_runs_that_begin_at_once_may_be_of_the_same_kernels(store: Store, place: str) -> None:
    many = 8
    together = threading.Barrier(many)

    def run(number: int) -> None:
        with closing(open_store(place)) as own:
            together.wait()
            begin(own, uuid=str(number))

    with ThreadPoolExecutor(many) as pool:
        list(pool.map(run, range(many)))
    assert (row_counts(place)["runs"], row_counts(place)["kernels"]) == (many, 2)
