"""The store: what is put in comes out, nothing is overwritten, and what goes wrong leaves the rest as it was."""

from __future__ import annotations

import subprocess
import sys
import uuid
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import HealthCheck, example, given, settings
from sqlalchemy import Engine, event
from tests.unit.builders import ANY_BOOT, boot, failed_boot, kernel, most_pages, plan, profile, sample, slot, sql, stacks, variant
from tests.unit.databases import TABLES, begin, look, row_counts

from kdelta.model.boot import Boot, Cell, CellState, Outcome
from kdelta.model.errors import MisuseError, StoreError
from kdelta.model.kernel import Kernel
from kdelta.store.place import default_url, open_store
from kdelta.store.store import Store

pytest_plugins = ["tests.unit.database_fixtures"]

GOOD = boot({"null": (1.0, 2.0, 3.0)}, profiles=[profile({"f": 10})])


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "store.sqlite"


# ---- round trip ----


def whole(came: Boot) -> Boot:
    """Every benchmark of a boot has a cell."""
    missing = {one.benchmark for one in came.samples} - {cell.benchmark for cell in came.cells}
    return msgspec.structs.replace(came, cells=(*came.cells, *(Cell(name, CellState.OK) for name in sorted(missing))))


ODD = "\0 \x1a \x1aZ \x1a@ \0Z \\0 \x1a\0\x1a \x7f \N{LATIN SMALL LETTER O WITH DIAERESIS} \N{BAR CHART}"
"""Characters that a database may take for something else."""

EXTREME = tuple(
    msgspec.structs.replace(sample(1.0), value=value, operations=2**63 - 1, elapsed_ns=-(2**63))
    for value in (5e-324, 1.7976931348623157e308, -0.1, 1 / 3, 2.0**53 + 2, 123456.78901234567)
)


@settings(max_examples=50, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(came=ANY_BOOT.map(whole))
@example(came=msgspec.structs.replace(GOOD, samples=EXTREME))
@example(came=Boot(outcome=Outcome.PANIC, reason=ODD, kernel_log=ODD, warnings=(ODD,), cells=(Cell(ODD, CellState.OK, ODD),)))
def test_a_boot_comes_out_as_it_was_put_in(store: Store, came: Boot) -> None:
    run = begin(store, uuid=str(uuid.uuid4()))
    store.add(run.id, slot(), kernel("old"), came)
    [stored] = store.boots(run.id)
    log, profiles, stacks = store.kernel_log(stored.id), store.profiles([stored.id], "null"), store.stacks([stored.id], "null")
    assert msgspec.structs.replace(stored.boot, kernel_log=log, profiles=tuple(profiles), stacks=tuple(stacks)) == came


def test_a_profiled_boot_is_none_of_those_that_are_judged(store: Store) -> None:
    run = begin(store)
    store.add(run.id, slot(), kernel("old"), GOOD)
    store.add(run.id, msgspec.structs.replace(slot(1), profiled=True), kernel("old"), GOOD)
    assert [record.position for record in store.boots(run.id)] == [0]
    assert [(record.position, record.profiled) for record in store.boots(run.id, profiled=True)] == [(1, True)]


def attempts(store: Store) -> None:
    """A run without boots, and one with boots of every kind."""
    begin(store)
    run, lost, broken_off = begin(store, uuid="v"), failed_boot([], Outcome.LOST), failed_boot([], Outcome.INTERRUPTED)
    for place, ends in enumerate([[GOOD], [lost], [broken_off], [lost, GOOD], [GOOD, broken_off]]):
        for came in ends:
            store.add(run.id, slot(place), kernel("old"), came)
    store.open_boot(run.id, slot(5), kernel("old"))
    store.add(run.id, slot(6), kernel("old"), GOOD)
    store.open_boot(run.id, slot(6), kernel("old"))
    store.add(run.id, msgspec.structs.replace(slot(7), profiled=True), kernel("old"), GOOD)


def test_boots_that_ended_are_counted_as_their_last_attempt_says(store: Store) -> None:
    attempts(store)
    assert store.boot_counts() == {2: 3}


def test_boots_that_ended_are_those_that_were_not_interrupted(store: Store) -> None:
    attempts(store)
    ended = [record for record in store.boots(2) if record.boot.outcome is not Outcome.INTERRUPTED]
    assert store.boot_counts() == {2: len(ended)}


def test_boots_of_all_runs_are_counted_without_a_look_at_their_samples(store: Store) -> None:
    attempts(store)
    asked: list[str] = []

    def note(connection: Any, cursor: Any, statement: str, *rest: Any) -> None:
        asked.append(statement)

    event.listen(Engine, "before_cursor_execute", note)
    try:
        store.boot_counts()
    finally:
        event.remove(Engine, "before_cursor_execute", note)
    queries = [statement for statement in asked if statement.startswith("SELECT")]
    assert len(queries) == 1
    assert "samples" not in queries[0]


def test_chains_of_several_boots_come_in_the_order_that_is_asked_for(store: Store) -> None:
    run = begin(store)
    for place in range(3):
        store.add(run.id, slot(place), kernel("old"), msgspec.structs.replace(GOOD, stacks=(stacks({"a;b": place}),)))
    first, second, third = (record.id for record in store.boots(run.id))
    assert [one.counts for one in store.stacks([third, first, second], "null")] == [{"a;b": 2}, {"a;b": 0}, {"a;b": 1}]
    assert store.stacks([first], "ctx-2") == []


def test_an_iteration_that_was_discarded_comes_out_with_the_reason(store: Store) -> None:
    run = begin(store)
    found = (sample(1.0, iteration=0), msgspec.structs.replace(sample(9.0, iteration=1), discarded="not settled yet"))
    came = msgspec.structs.replace(GOOD, samples=found, profiles=())
    store.add(run.id, slot(), kernel("old"), came)
    assert store.boots(run.id)[0].boot.samples == found


def test_a_kernel_without_an_image_is_told_from_another_one_without_an_image(store: Store, place: str) -> None:
    one, other = (Kernel(spec="running", machine="x86_64", release=release, version="#1 SMP") for release in ("6.1.0", "6.12.0"))
    store.begin(plan(), {"old": one, "new": other}, uuid="a", started="2024", kdelta_version="0.1.0")
    assert look(place, "SELECT release, image_sha256 FROM kernels ORDER BY release") == [("6.1.0", ""), ("6.12.0", "")]


def test_a_boot_comes_out_with_its_place_in_the_run(store: Store) -> None:
    run = begin(store)
    store.add(run.id, slot(4, "new", seed=3, names=("ctx-2", "null")), kernel("new"), GOOD)
    [found] = store.boots(run.id)
    place = (found.position, found.attempt, found.box, found.variant, found.seed, found.benchmarks)
    assert place == (4, 1, "exact", "new", 3, ("ctx-2", "null"))


def test_a_run_comes_out_as_it_was_begun(store: Store) -> None:
    rich = msgspec.structs.replace(plan(names=("null", "ctx-2"), seeds=4), variants=(variant("a b", cmdline=["x=y"]), variant("c")))
    begun = begin(store, rich)
    assert begun == store.run(begun.id)
    assert (begun.id, begun.uuid, begun.started, begun.kdelta_version) == (1, "a", "2024-02-29T12:34:56+00:00", "0.1.0")
    assert (begun.plan, begun.kernels) == (rich, {"a b": kernel("a b"), "c": kernel("c")})


def test_boots_come_in_the_plans_order_whenever_they_were_added(store: Store) -> None:
    run = begin(store)
    for position in (2, 0, 1):
        store.add(run.id, slot(position), kernel("old"), GOOD)
    assert [record.position for record in store.boots(run.id)] == [0, 1, 2]


def test_boots_of_other_runs_do_not_get_in(store: Store) -> None:
    first, second = begin(store, uuid="a"), begin(store, uuid="b")
    store.add(first.id, slot(0), kernel("old"), GOOD)
    store.add(first.id, slot(0), kernel("old"), GOOD)
    store.add(second.id, slot(0), kernel("old"), boot({"null": (9.0,)}))
    assert [record.boot.samples[0].value for record in store.boots(second.id)] == [9.0]
    assert [record.attempt for record in store.boots(second.id)] == [1]


def test_profiles_are_those_of_the_boots_and_the_benchmark_asked_for(store: Store) -> None:
    run = begin(store)
    for position in (0, 1):
        profiles = [profile({"f": position}, name="null"), profile({"g": position}, name="ctx-2")]
        store.add(run.id, slot(position), kernel("old"), boot({"null": (1.0,)}, profiles=profiles))
    ids = [record.id for record in store.boots(run.id)]
    assert [one.counts for one in store.profiles(ids[1:], "ctx-2")] == [{"g": 1}]


# ---- append only ----


def test_a_second_attempt_takes_the_place_of_the_first(store: Store) -> None:
    run = begin(store)
    store.add(run.id, slot(), kernel("old"), Boot(outcome=Outcome.LOST, cells=()))
    store.add(run.id, slot(), kernel("old"), GOOD)
    [found] = store.boots(run.id)
    assert (found.attempt, found.boot.outcome, len(found.boot.samples)) == (2, Outcome.DONE, 3)


def test_a_first_attempt_stays_in_the_store(store: Store, place: str) -> None:
    run = begin(store)
    store.add(run.id, slot(), kernel("old"), GOOD)
    before = [look(place, f"SELECT * FROM {table}") for table in TABLES]
    store.add(run.id, slot(), kernel("old"), boot({"null": (7.0,)}))
    after = [look(place, f"SELECT * FROM {table}") for table in TABLES]
    assert [new[: len(old)] for old, new in zip(before, after, strict=True)] == before
    assert look(place, "SELECT attempt FROM boots ORDER BY id") == [(1,), (2,)]


# ---- what can go wrong ----


@pytest.mark.parametrize("number", [0, 3, -1])
def test_a_run_that_is_not_there_is_misuse_and_tells_which_are(store: Store, number: int) -> None:
    begin(store, uuid="a")
    begin(store, uuid="b")
    with pytest.raises(MisuseError, match=f"there is no run {number}") as error:
        store.run(number)
    assert "runs 1 to 2" in error.value.advice


@pytest.mark.parametrize("number", [None, 1])
def test_an_empty_store_tells_how_to_fill_it(store: Store, number: int | None) -> None:
    with pytest.raises(MisuseError, match="no run yet") as error:
        store.run(number)
    assert "kdelta run" in error.value.advice


def test_without_a_number_the_newest_run_is_meant(store: Store) -> None:
    begin(store, uuid="a")
    newest = begin(store, uuid="b")
    assert store.run() == newest


def test_a_full_disk_leaves_earlier_boots_whole_and_nothing_of_the_one_that_did_not_fit(path: Path) -> None:
    with closing(open_store(str(path))) as store:
        run = begin(store)
        store.add(run.id, slot(0), kernel("old"), GOOD)
        kept = store.boots(run.id)
    before = row_counts(str(path))
    large = msgspec.structs.replace(GOOD, profiles=(profile({f"function_{i}": i for i in range(20000)}),))
    with most_pages(sql(path, "PRAGMA page_count")[0][0] + 4), closing(open_store(str(path))) as store:
        with pytest.raises(StoreError, match="full") as error:
            store.add(run.id, slot(1), kernel("old"), large)
        assert "make room" in error.value.advice
        assert store.boots(run.id) == kept
    assert row_counts(str(path)) == before


def test_a_boot_of_a_run_that_is_not_there_is_refused(store: Store, place: str) -> None:
    begin(store)
    with pytest.raises(StoreError):
        store.add(17, slot(), kernel("old"), GOOD)
    assert row_counts(place)["boots"] == 0


SCRIPT = """
import sys
from kdelta.store.place import open_store
print("ready", flush=True)
sys.stdin.readline()
store, seen = open_store(sys.argv[1]), 0
while seen < int(sys.argv[2]):
    boots = store.boots(1)
    assert len(boots) >= seen, "a boot went away"
    assert all(len(record.boot.samples) == 3 and len(record.boot.cells) == 1 for record in boots), "half a boot was seen"
    seen = len(boots)
"""


@contextmanager
def processes(count: int, place: str, boots: int) -> Iterator[list[subprocess.Popen[str]]]:
    """They open the store at one moment, and read until they have seen so many boots of run 1."""
    command = [sys.executable, "-c", SCRIPT, place, str(boots)]
    pipe = subprocess.PIPE
    started = [subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe, text=True) for _ in range(count)]
    try:
        assert {process.stdout.readline() for process in started if process.stdout} == {"ready\n"}
        for process in started:
            print(file=process.stdin, flush=True)
        yield started
    finally:
        for process in started:
            process.kill()
            process.communicate()


def test_two_processes_read_whole_boots_while_a_third_writes(store: Store, place: str) -> None:
    run, many = begin(store), 25
    with processes(2, place, many) as readers:
        for position in range(many):
            store.add(run.id, slot(position), kernel("old"), GOOD)
        assert [(reader.communicate(timeout=60)[1], reader.returncode) for reader in readers] == [("", 0)] * 2


# ---- what is no store of ours ----


NO_STORES = {
    "another program's database": ("CREATE TABLE songs (title TEXT)", "no store of kdelta"),
    "another program's store": ("CREATE TABLE store (title TEXT, price INTEGER)", "no store of kdelta"),
    "a store of a later kdelta": ("CREATE TABLE store (version INTEGER); INSERT INTO store VALUES (99)", "has schema 99"),
    "a store without a version": ("CREATE TABLE store (version INTEGER)", "has schema None"),
}


@pytest.mark.parametrize(("make", "why"), NO_STORES.values(), ids=NO_STORES)
def test_what_is_no_store_of_this_kdelta_is_refused(place: str, make: str, why: str) -> None:
    for statement in make.split("; "):
        look(place, statement)
    with pytest.raises(StoreError, match=why) as error:
        open_store(place)
    assert "--store" in error.value.advice or "the kdelta that wrote it" in error.value.advice


NO_DATABASES: dict[str, tuple[Callable[[Path], object], str]] = {
    "a text": (lambda path: path.write_text("dear diary, " * 100), "not a database"),
    "a folder": (Path.mkdir, "unable to open"),
}


@pytest.mark.parametrize(("make", "why"), NO_DATABASES.values(), ids=NO_DATABASES)
def test_what_is_no_database_is_refused(path: Path, make: Callable[[Path], object], why: str) -> None:
    make(path)
    with pytest.raises(StoreError, match=why) as error:
        open_store(str(path))
    assert "--store" in error.value.advice


def test_another_programs_database_is_left_as_it_is(path: Path) -> None:
    sql(path, "CREATE TABLE songs (title)")
    before = path.read_bytes()
    with pytest.raises(StoreError):
        open_store(str(path))
    assert path.read_bytes() == before


def test_a_store_of_which_the_making_was_cut_off_is_made_again(place: str) -> None:
    def cut_off(connection: Any, cursor: Any, statement: str, *rest: Any) -> None:
        if statement.startswith("INSERT INTO store"):
            raise KeyboardInterrupt

    event.listen(Engine, "before_cursor_execute", cut_off)
    try:
        with pytest.raises(KeyboardInterrupt):
            open_store(place)
    finally:
        event.remove(Engine, "before_cursor_execute", cut_off)
    with closing(open_store(place)) as store:
        assert store.runs() == []


def test_several_may_make_the_store_at_once(place: str) -> None:
    with processes(4, place, 0) as makers:
        assert [(maker.communicate(timeout=60)[1], maker.returncode) for maker in makers] == [("", 0)] * 4


# ---- where it is ----


@pytest.mark.parametrize("url", ["nonsense://x", "postgresql://localhost/x"])
def test_a_database_for_which_there_is_no_driver_is_an_error_of_the_store(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for driver in ("psycopg", "psycopg2"):
        monkeypatch.setitem(sys.modules, driver, None)
    with pytest.raises(StoreError):
        open_store(url)


PLACES = {
    "KDELTA_STORE": ({"KDELTA_STORE": "/x/y.sqlite", "XDG_DATA_HOME": "/data"}, "/x/y.sqlite"),
    "XDG_DATA_HOME": ({"XDG_DATA_HOME": "/data"}, "/data/kdelta/store.sqlite"),
    "the home folder": ({"HOME": "/home/me"}, "/home/me/.local/share/kdelta/store.sqlite"),
    "empty is unset": ({"KDELTA_STORE": "", "XDG_DATA_HOME": "", "HOME": "/h"}, "/h/.local/share/kdelta/store.sqlite"),
}


@pytest.mark.parametrize(("variables", "place"), PLACES.values(), ids=PLACES)
def test_the_store_is_where_the_environment_says(variables: dict[str, str], place: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("KDELTA_STORE", "XDG_DATA_HOME"):
        monkeypatch.delenv(name)
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    assert default_url() == place


@pytest.mark.parametrize("name", ["plain.sqlite", "deep/er/store.sqlite", "a b#c.sqlite", "why?.sqlite", "100%25.sqlite"])
def test_a_place_is_the_file_of_that_name(tmp_path: Path, name: str) -> None:
    with closing(open_store(str(tmp_path / name))):
        assert (tmp_path / name).is_file()
