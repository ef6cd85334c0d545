"""Runs that are moved by a file: nothing is lost, nothing is there twice, and the same content makes the same file."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sqlalchemy import Engine, event
from tests.unit.builders import ANY_BOOT, kernel, plan, slot, sql
from tests.unit.databases import TABLES, begin, look, row_counts
from tests.unit.transferred import (
    LOST,
    NOISE,
    OTHER,
    RICH,
    UUID,
    attempts,
    close,
    contents,
    hasty,
    moved,
    rich,
    seen,
    store_of,
    told,
    under_way,
)

from kdelta.model.boot import Boot
from kdelta.model.errors import MisuseError
from kdelta.model.noise import Noise
from kdelta.store import transfer
from kdelta.store.place import open_store
from kdelta.store.store import Store

pytest_plugins = ["tests.unit.database_fixtures"]


@pytest.fixture(autouse=True)
def in_haste() -> Iterator[None]:
    with hasty():
        yield


@pytest.fixture
def here(tmp_path: Path) -> Iterator[Store]:
    """An empty store to import into."""
    with closing(open_store(str(tmp_path / "here.sqlite"))) as opened:
        yield opened


@pytest.fixture
def there(tmp_path: Path) -> Iterator[Store]:
    """A store from which runs come."""
    with closing(rich(tmp_path / "there.sqlite")) as opened:
        yield opened


# ---- round trip ----


def test_what_is_imported_is_what_was_exported(there: Store, here: Store, tmp_path: Path) -> None:
    found = moved(there, here, tmp_path)
    assert (told(found), [one.run for one in found]) == ([(True, 5, 0, 2), (True, 1, 0, 0)], [1, 2])
    assert seen(here) == seen(there)
    assert attempts(here) == attempts(there)


def test_what_was_moved_is_not_empty(there: Store, tmp_path: Path) -> None:
    """Else the test above would say little."""
    moved(there, there, tmp_path)
    assert all(row_counts(str(tmp_path / "moved")).values())
    [first, *_] = seen(there)[UUID][1]
    assert first.boot == RICH


def test_an_exported_run_is_read_as_any_store_is(there: Store, tmp_path: Path) -> None:
    transfer.export(there, [1], tmp_path / "moved")
    with closing(open_store(str(tmp_path / "moved"))) as opened:
        assert seen(opened) == {UUID: seen(there)[UUID]}


def test_only_the_runs_that_are_named_are_in_the_file_and_only_their_kernels(there: Store, tmp_path: Path) -> None:
    begin(there, plan(variants=("x", "y")), uuid="third")
    [found] = transfer.export(there, [3], tmp_path / "moved")
    assert (found.run.uuid, found.number, found.boots) == ("third", 1, 0)
    assert sql(tmp_path / "moved", "SELECT uuid, id FROM runs") == [("third", 1)]
    assert sql(tmp_path / "moved", "SELECT release FROM kernels ORDER BY 1") == [("x",), ("y",)]


@pytest.mark.parametrize("wanted", [None, [1, 2], [2, 1, 2]], ids=["all", "by number", "in another order"])
def test_the_same_content_makes_the_same_bytes(there: Store, here: Store, tmp_path: Path, wanted: list[int] | None) -> None:
    moved(there, here, tmp_path)
    transfer.export(here, wanted, tmp_path / "again")
    assert (tmp_path / "again").read_bytes() == (tmp_path / "moved").read_bytes()


BOOTS = st.lists(st.tuples(st.integers(0, 2), ANY_BOOT), max_size=4)
"""At what place of the plan, and what came of it."""


def filled(place: Path, boots: list[tuple[int, Boot]]) -> Store:
    store = store_of(place)
    for position, one in boots:
        store.add(1, slot(position), kernel("old"), one)
    return store


@settings(max_examples=10)
@given(boots=BOOTS)
def test_any_run_comes_out_as_it_went_in_and_twice_is_once(boots: list[tuple[int, Boot]]) -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        with closing(filled(folder / "there", boots)) as there, closing(open_store(str(folder / "here"))) as here:
            moved(there, here, folder)
            once = row_counts(str(folder / "here"))
            assert told(moved(there, here, folder)) == [(False, 0, 0, 0)]
            assert (attempts(here), seen(here)) == (attempts(there), seen(there))
            assert row_counts(str(folder / "here")) == once


@settings(max_examples=8)
@given(ours=BOOTS, theirs=BOOTS)
def test_two_stores_that_import_each_other_hold_the_same(ours: list[tuple[int, Boot]], theirs: list[tuple[int, Boot]]) -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        with closing(filled(folder / "here", ours)) as here, closing(filled(folder / "there", theirs)) as there:
            transfer.export(here, None, folder / "of here")
            moved(there, here, folder)
            transfer.load(there, [folder / "of here"])
            assert contents(here) == contents(there)
            assert told(moved(there, here, folder)) == [(False, 0, 0, 0)]


# ---- a run that is there already ----


def test_importing_twice_adds_nothing(there: Store, here: Store, tmp_path: Path) -> None:
    moved(there, here, tmp_path)
    before = [look(str(tmp_path / "here.sqlite"), f"SELECT * FROM {table}") for table in TABLES]
    assert told(moved(there, here, tmp_path)) == [(False, 0, 0, 0)] * 2
    assert [look(str(tmp_path / "here.sqlite"), f"SELECT * FROM {table}") for table in TABLES] == before


def test_a_store_imports_itself_and_stays_as_it_is(there: Store, tmp_path: Path) -> None:
    before = seen(there)
    assert told(transfer.load(there, [tmp_path / "there.sqlite"])[0]) == [(False, 0, 0, 0)] * 2
    assert seen(there) == before


def test_one_file_twice_in_one_command_is_imported_once(there: Store, here: Store, tmp_path: Path) -> None:
    transfer.export(there, [1], tmp_path / "moved")
    first, second = transfer.load(here, [tmp_path / "moved"] * 2)
    assert (told(first), told(second)) == ([(True, 5, 0, 2)], [(False, 0, 0, 0)])


def test_boots_that_were_measured_since_are_added(here: Store, tmp_path: Path) -> None:
    with closing(store_of(tmp_path / "there", UUID, RICH, LOST)) as there:
        moved(there, here, tmp_path)
        there.add(1, slot(1), kernel("old"), OTHER)
        there.add(1, slot(2), kernel("old"), RICH)
        [found] = moved(there, here, tmp_path)
        assert (told([found]), found.both) == ([(False, 2, 0, 0)], ())
        assert attempts(here) == attempts(there)
        assert seen(here) == seen(there)


def test_two_machines_measure_parts_of_one_run_and_both_have_all_of_it(here: Store, tmp_path: Path) -> None:
    with closing(store_of(tmp_path / "there", UUID, RICH)) as there:
        moved(there, here, tmp_path)
        there.add(1, slot(1), kernel("old"), OTHER)
        here.add(1, slot(2), kernel("old"), RICH)
        assert told(moved(there, here, tmp_path)) == told(moved(here, there, tmp_path)) == [(False, 1, 0, 0)]
        assert attempts(here) == attempts(there)


def test_runs_of_two_machines_are_both_there(there: Store, here: Store, tmp_path: Path) -> None:
    begin(here, uuid="mine")
    assert [one.run for one in moved(there, here, tmp_path)] == [2, 3]
    assert {uuid: value for uuid, value in seen(here).items() if uuid != "mine"} == seen(there)


def test_a_visit_that_went_on_since_is_continued(here: Store, tmp_path: Path) -> None:
    with closing(store_of(tmp_path / "there")) as there:
        boot_id = under_way(there, 0, (1.0,))
        moved(there, here, tmp_path, "early")
        there.append(boot_id, [msgspec.structs.replace(OTHER.samples[0], iteration=5)])
        close(there, boot_id)
        before = look(str(tmp_path / "here.sqlite"), "SELECT * FROM samples")
        assert told(moved(there, here, tmp_path)) == [(False, 0, 1, 0)]
        assert look(str(tmp_path / "here.sqlite"), "SELECT * FROM samples")[: len(before)] == before
        assert attempts(here) == attempts(there)
        assert seen(here) == seen(there)


def test_an_earlier_state_of_a_visit_adds_nothing(there: Store, tmp_path: Path) -> None:
    transfer.export(there, [1], tmp_path / "early")
    close(there, 5)
    before = attempts(there)
    assert told(transfer.load(there, [tmp_path / "early"])[0]) == [(False, 0, 0, 0)]
    assert attempts(there) == before


def test_a_visit_of_which_nothing_is_known_yet_is_not_taken_for_another(here: Store, tmp_path: Path) -> None:
    """It may be under way here, and go on, while what is imported was measured elsewhere."""
    with closing(store_of(tmp_path / "there")) as there:
        moved(there, here, tmp_path)
        mine = under_way(here, 0, ())
        close(there, under_way(there, 0, (1.0,)))
        [found] = moved(there, here, tmp_path)
        assert (told([found]), found.both) == ([(False, 1, 0, 0)], ())
        here.append(mine, OTHER.samples)
        assert [len(one.parts[0]) for one in attempts(here).values()] == [2, 1]
        assert told(moved(here, there, tmp_path, "back")) == [(False, 1, 0, 0)]


def test_an_attempt_of_which_nothing_is_stored_is_left_out_beside_another(here: Store, tmp_path: Path) -> None:
    """Added as the last one it would be judged, in the place of what was measured."""
    with closing(store_of(tmp_path / "there")) as there:
        moved(there, here, tmp_path)
        here.add(1, slot(0), kernel("old"), OTHER)
        under_way(there, 0, ())
        there.open_boot(1, slot(0, names=("ctx-2",)), kernel("old"))
        under_way(there, 1, ())
        assert told(moved(there, here, tmp_path)) == [(False, 1, 0, 0)]
        assert list(attempts(here)) == [(0, 1), (1, 1)]
        there.add(1, slot(0), kernel("old"), RICH)
        moved(there, here, tmp_path)
        assert list(attempts(here)) == [(0, 1), (0, 3), (1, 1)]
        assert attempts(here)[0, 3] == attempts(there)[0, 3]


# ---- measured on both sides ----


def test_what_was_measured_on_both_sides_is_kept_on_both_and_told(here: Store, tmp_path: Path) -> None:
    with closing(store_of(tmp_path / "there")) as there:
        moved(there, here, tmp_path)
        there.add(1, slot(), kernel("old"), OTHER)
        here.add(1, slot(), kernel("old"), RICH)
        [found] = moved(there, here, tmp_path)
        [both] = found.both
        assert (both.position, both.box, both.variant, both.seed) == (0, "exact", "old", 1)
        assert (both.kept, both.last, both.outcome) == ((1,), 2, "done")
        assert told([found]) == [(False, 1, 0, 0)]
        assert attempts(here) == {(0, 1): attempts(here)[0, 1], (0, 2): attempts(there)[0, 1]}
        assert [one.boot.samples for one in here.boots(1)] == [OTHER.samples]
        again = moved(there, here, tmp_path)
        assert (told(again), again[0].both) == ([(False, 0, 0, 0)], ())


ENDED = msgspec.structs.replace(LOST, samples=OTHER.samples[:1])
DIFFERENT: dict[str, tuple[Boot, Boot]] = {
    "lost there": (OTHER, LOST),
    "lost there, later": (OTHER, ENDED),
    "lost here": (LOST, OTHER),
    "lost here, later": (ENDED, OTHER),
}


@pytest.mark.parametrize(("ours", "theirs"), DIFFERENT.values(), ids=DIFFERENT)
def test_an_attempt_that_ended_is_not_the_beginning_of_another(here: Store, tmp_path: Path, ours: Boot, theirs: Boot) -> None:
    with closing(store_of(tmp_path / "there")) as there:
        moved(there, here, tmp_path)
        there.add(1, slot(), kernel("old"), theirs)
        here.add(1, slot(), kernel("old"), ours)
        [found] = moved(there, here, tmp_path)
        assert (told([found]), [both.outcome for both in found.both]) == ([(False, 1, 0, 0)], [theirs.outcome.value])


def test_an_attempt_that_goes_on_from_what_both_have_is_no_contradiction(here: Store, tmp_path: Path) -> None:
    with closing(store_of(tmp_path / "there", UUID, LOST)) as there:
        moved(there, here, tmp_path)
        there.add(1, slot(), kernel("old"), OTHER)
        [found] = moved(there, here, tmp_path)
        assert (told([found]), found.both) == ([(False, 1, 0, 0)], ())
        assert attempts(here) == attempts(there)


def test_attempts_that_came_to_the_same_are_as_many_as_there_were(here: Store, tmp_path: Path) -> None:
    with closing(store_of(tmp_path / "there", UUID, LOST)) as there:
        moved(there, here, tmp_path)
        there.add(1, slot(), kernel("old"), LOST)
        assert [told(moved(there, here, tmp_path)) for _ in range(2)] == [[(False, 1, 0, 0)], [(False, 0, 0, 0)]]
        assert attempts(here) == attempts(there)


NOISES: dict[str, tuple[list[int], list[int], list[int]]] = {
    "the same": ([1, 2], [1, 2], [1, 2]),
    "one more": ([1], [1, 2], [1, 2]),
    "an older state": ([1, 2], [1], [1, 2]),
    "another": ([1], [2], [1, 2]),
    "the first again": ([1, 2], [1, 2, 1], [1, 2, 1]),
}


@pytest.mark.parametrize(("ours", "theirs", "after"), NOISES.values(), ids=NOISES)
def test_noise_is_the_union_and_the_newest_stays_the_last(
    here: Store, tmp_path: Path, ours: list[int], theirs: list[int], after: list[int]
) -> None:
    def rows(numbers: list[int]) -> list[Noise]:
        return [msgspec.structs.replace(NOISE, boots=number) for number in numbers]

    with closing(store_of(tmp_path / "there")) as there:
        moved(there, here, tmp_path)
        here.add_noise(here.run(1), rows(ours))
        there.add_noise(there.run(1), rows(theirs))
        assert moved(there, here, tmp_path)[0].noise == len(after) - len(ours)
    assert sql(tmp_path / "here.sqlite", "SELECT boots FROM noise ORDER BY id") == [(number,) for number in after]


# ---- all or nothing ----

ALTERED = {
    "plan": (lambda path: sql(path, "UPDATE runs SET plan = replace(plan, '\"seeds\":1', '\"seeds\":2')"), "another plan"),
    "kernels": (lambda path: sql(path, "UPDATE runs SET kernels = replace(kernels, '#1 SMP', '#2 SMP')"), "another kernels"),
    "start": (lambda path: sql(path, "UPDATE runs SET started = '2025'"), "another started"),
    "seed": (lambda path: sql(path, "UPDATE boots SET seed = 7 WHERE position = 1"), "place 1 of the plan .* seed 7"),
    "box": (lambda path: sql(path, "UPDATE boots SET variant = 'new' WHERE id = 1"), "'new' on 'exact' .* 'old' on 'exact'"),
}


@pytest.mark.parametrize(("alter", "why"), ALTERED.values(), ids=ALTERED)
def test_a_run_that_is_another_one_here_is_refused_and_nothing_of_any_file_is_imported(
    there: Store, here: Store, tmp_path: Path, alter: Callable[[Path], object], why: str
) -> None:
    moved(there, here, tmp_path)
    with closing(store_of(tmp_path / "good", "good", RICH)) as good:
        transfer.export(good, None, tmp_path / "first")
    alter(tmp_path / "moved")
    before = row_counts(str(tmp_path / "here.sqlite"))
    with pytest.raises(MisuseError, match=why) as error:
        transfer.load(here, [tmp_path / "first", tmp_path / "moved"])
    assert "--store" in error.value.advice
    assert row_counts(str(tmp_path / "here.sqlite")) == before


def test_json_of_another_layout_is_the_same_plan(there: Store, here: Store, tmp_path: Path) -> None:
    moved(there, here, tmp_path)
    sql(tmp_path / "moved", """UPDATE runs SET plan = replace(plan, '":', '" : ')""")
    assert told(transfer.load(here, [tmp_path / "moved"])[0]) == [(False, 0, 0, 0)] * 2


@pytest.mark.parametrize("where", ["INSERT INTO samples", "INSERT INTO stacks", "INSERT INTO noise"])
@pytest.mark.parametrize("what", ["export", "import"])
def test_what_is_cut_off_leaves_nothing(there: Store, here: Store, tmp_path: Path, what: str, where: str) -> None:
    transfer.export(there, None, tmp_path / "moved")
    files = set(tmp_path.iterdir())

    def cut_off(connection: object, cursor: object, statement: str, *rest: object) -> None:
        if statement.startswith(where):
            raise KeyboardInterrupt

    event.listen(Engine, "before_cursor_execute", cut_off)
    try:
        with pytest.raises(KeyboardInterrupt):
            _ = transfer.export(there, None, tmp_path / "second") if what == "export" else transfer.load(here, [tmp_path / "moved"])
    finally:
        event.remove(Engine, "before_cursor_execute", cut_off)
    assert (set(tmp_path.iterdir()), seen(here)) == (files, {})
