"""How much there is of a run, without a look at its samples; and a store that is only read."""

from __future__ import annotations

from contextlib import closing

import msgspec
import pytest
from tests.unit.builders import boot, kernel, plan, profile, slot
from tests.unit.databases import begin

from kdelta.model.boot import Boot, Outcome
from kdelta.model.errors import MisuseError, StoreError
from kdelta.store.place import open_store
from kdelta.store.store import Store

pytest_plugins = ["tests.unit.database_fixtures"]

GOOD = boot({"null": (1.0, 2.0, 3.0)}, profiles=[profile({"f": 10})])


def test_boots_that_ended_are_counted_once_for_each_place(store: Store) -> None:
    run, other = begin(store, uuid="a").id, begin(store, uuid="b").id
    store.add(run, slot(0), kernel("old"), Boot(outcome=Outcome.LOST, cells=()))
    store.add(run, slot(0), kernel("old"), GOOD)
    store.add(run, slot(1), kernel("old"), GOOD)
    store.open_boot(run, slot(2), kernel("old"))
    store.add(other, slot(0), kernel("old"), GOOD)
    store.open_boot(other, slot(0), kernel("old"))
    counted = {one: sum(each.boot.outcome is not Outcome.INTERRUPTED for each in store.boots(one)) for one in (run, other)}
    assert store.boot_counts() == {one: count for one, count in counted.items() if count} == {run: 2}


def test_boots_of_profiles_are_not_counted(store: Store) -> None:
    run = begin(store).id
    store.add(run, msgspec.structs.replace(slot(0), profiled=True), kernel("old"), GOOD)
    assert store.boot_counts() == {}


def test_the_extent_of_a_run_is_its_own(store: Store) -> None:
    run, other = begin(store, uuid="a").id, begin(store, uuid="b").id
    before = store.extent(run)
    store.add(other, slot(), kernel("old"), GOOD)
    assert store.extent(run) == before
    store.add(run, slot(), kernel("old"), GOOD)
    assert store.extent(run) == (1, 1, 1, 3, 0)


def test_only_the_results_of_a_benchmark_are_read_for_it(store: Store) -> None:
    of = plan(names=["null", "ctx-2"])
    run = begin(store, of).id
    begin(store, plan(), uuid="b")
    store.add(run, slot(names=["null", "ctx-2"]), kernel("old"), boot({"null": [1.0], "ctx-2": [2.0]}))
    ((found, (one,)),) = store.measured("ctx-2")
    assert found.id == run
    assert [sample.value for sample in one.boot.samples] == [2.0]


def test_a_run_that_no_database_can_hold_is_one_that_there_is_not(store: Store) -> None:
    begin(store)
    with pytest.raises(MisuseError, match=f"there is no run {2**80}"):
        store.run(2**80)


def test_a_store_that_is_only_read_is_not_changed(place: str, store: Store) -> None:
    begin(store)
    with closing(open_store(place, read_only=True)) as reader:
        assert len(reader.runs()) == 1
        with pytest.raises(StoreError, match=r"read.?only"):
            begin(reader, uuid="b")
        store.add(1, slot(), kernel("old"), GOOD)
        assert reader.boot_counts() == {1: 1}
    assert len(store.runs()) == 1
