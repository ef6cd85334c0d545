"""What the store keeps of the noise, and what it gives back of earlier runs."""

from __future__ import annotations

import msgspec
import pytest
from tests.unit.builders import boot, kernel, plan, slot
from tests.unit.databases import begin, look, row_counts

from kdelta.model.boot import Boot, Outcome
from kdelta.model.noise import Noise
from kdelta.model.plan import BoxSpec
from kdelta.store.store import Store

pytest_plugins = ["tests.unit.database_fixtures"]

GOOD = boot({"null": (1.0, 2.0, 3.0)})
ODD = "\0 \x1a@ \N{LATIN SMALL LETTER O WITH DIAERESIS}"
"""Characters that a database may take for something else."""
QEMU = "exact; 1 CPU; QEMU 7.2.22"
"""The machine that the boots of `boot` say they were on."""


def noise(sd: float | None = 0.1 + 0.2, *, name: str = "null", machine: str = QEMU) -> Noise:
    return Noise(
        box="exact",
        machine=machine,
        benchmark=name,
        metric="time",
        boots=6,
        rounds=3,
        sd=sd,
        df=2.0,
        ratio=None,
        p=0.5,
        flagged=True,
    )


def test_noise_comes_out_as_it_was_put_in_by_run(store: Store) -> None:
    first, second = begin(store, uuid="a"), begin(store, uuid="b")
    store.add_noise(second, [noise(), noise(None, name=ODD, machine=ODD)])
    store.add_noise(first, [noise(5e-324)])
    assert list(store.noise().items()) == [(1, (noise(5e-324),)), (2, (noise(), noise(None, name=ODD, machine=ODD)))]


def test_noise_is_kept_with_the_kernel_of_the_baseline(store: Store, place: str) -> None:
    store.add_noise(begin(store, plan(("a", "b"))), [noise()])
    assert look(place, "SELECT run, kernel, flagged FROM noise") == [(1, kernel("a").key, True)]


def test_of_a_run_that_was_completed_the_newest_noise_counts_and_all_is_kept(store: Store, place: str) -> None:
    run = begin(store)
    for sd in (0.1, 0.2):
        store.add_noise(run, [noise(sd), noise(sd, name="ctx-2")])
    assert [one.sd for one in store.noise()[1]] == [0.2, 0.2]
    assert row_counts(place)["noise"] == 4


@pytest.mark.parametrize(("machines", "names"), [(None, ["null", "ctx-2"]), ((), []), (("Xeon",), ["ctx-2"]), (("x",), [])])
def test_noise_is_that_of_the_machines_asked_for(store: Store, machines: tuple[str, ...] | None, names: list[str]) -> None:
    store.add_noise(begin(store), [noise(), noise(name="ctx-2", machine="Xeon")])
    assert [one.benchmark for found in store.noise(machines).values() for one in found] == names


def test_a_run_that_found_no_noise_has_none(store: Store) -> None:
    store.add_noise(begin(store), [])
    assert store.noise() == {}


def test_the_history_are_the_newest_runs_of_a_machine_with_their_boots(store: Store) -> None:
    for number in range(4):
        run = begin(store, uuid=str(number))
        store.add(run.id, slot(), kernel("old"), Boot(outcome=Outcome.LOST, cells=()))
        store.add(run.id, slot(), kernel("old"), boot({"null": (float(number),)}))
        store.open_boot(run.id, slot(1), kernel("old"))
    found = store.history([QEMU], ["null"], most=3)
    assert [run for run, _ in found] == [store.run(4), store.run(3), store.run(2)]
    assert [records for _, records in found] == [store.boots(4), store.boots(3), store.boots(2)]


def test_a_history_holds_the_results_of_the_benchmarks_asked_for_alone(store: Store) -> None:
    run = begin(store, plan(names=("null", "ctx-2")))
    store.add(run.id, slot(names=("null", "ctx-2")), kernel("old"), boot({"null": (1.0,), "ctx-2": (2.0,)}))
    [(_, [found])] = store.history([QEMU], ["ctx-2", "mmap"])
    assert [(one.benchmark, one.value) for one in found.boot.samples] == [("ctx-2", 2.0)]
    assert [cell.benchmark for cell in found.boot.cells] == ["ctx-2"]


NO_HISTORY = {
    "another machine": (("Xeon",), ("null",), {"qemu": "7.2.22"}),
    "other benchmarks": ((QEMU,), ("ctx-2",), {"qemu": "7.2.22"}),
    "no machine known": (("", QEMU), ("null",), {}),
}


@pytest.mark.parametrize(("machines", "names", "environment"), NO_HISTORY.values(), ids=NO_HISTORY)
def test_a_run_of_something_else_is_no_history(
    store: Store, machines: tuple[str, ...], names: tuple[str, ...], environment: dict[str, str]
) -> None:
    store.add(begin(store).id, slot(), kernel("old"), msgspec.structs.replace(GOOD, environment=environment))
    assert store.history(machines, names) == []


def test_boots_on_other_boxes_of_a_run_are_left_out(store: Store) -> None:
    boxes = [BoxSpec(name="exact"), BoxSpec(name="two", cpus=2)]
    run = begin(store, plan(boxes=boxes))
    for position, box in enumerate(boxes):
        store.add(run.id, msgspec.structs.replace(slot(position), box=box.name), kernel("old"), GOOD)
    [(_, records)] = store.history([QEMU], ["null"])
    assert [record.box for record in records] == ["exact"]
