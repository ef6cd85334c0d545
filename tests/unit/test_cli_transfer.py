"""`kdelta export` and `kdelta import` as they are typed: what they say, what they refuse, and what they leave."""

from __future__ import annotations

import json
from contextlib import closing
from pathlib import Path

import pytest
from tests.unit.builders import Kdelta, kernel, slot, sql
from tests.unit.databases import row_counts
from tests.unit.transferred import ODD, OTHER, RICH, UUID, rich, seen, store_of

from kdelta.store.place import open_store

LINE = f"run 1 ({UUID}, 2024-02-29T12:34, 5 boots)"


@pytest.fixture
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The program's store, with two runs; the folder is the current one."""
    monkeypatch.chdir(tmp_path)
    rich(tmp_path / "store.sqlite").close()
    return tmp_path / "store.sqlite"


def test_the_newest_run_is_exported_and_imported_and_told(kdelta: Kdelta, store: Path) -> None:
    said = kdelta("export", "-o", "moved")
    assert (said.code, said.out, said.err) == (0, "run 2 (another, 2024-02-29T12:34, 1 boot): run 1 of moved\n", "")
    assert kdelta("import", "moved", "--store", "b").out == "run 1 (another, 2024-02-29T12:34, 1 boot): added as run 1\n"
    again = kdelta("import", "moved", "--store", "b").out
    assert again == "run 1 (another, 2024-02-29T12:34, 1 boot): already there as run 1: nothing new\n"


def test_all_runs_are_exported_oldest_first(kdelta: Kdelta, store: Path) -> None:
    found = json.loads(kdelta("export", "--all", "--json", "-o", "moved").out)
    assert [(one["run"], one["number"], one["uuid"], one["boots"]) for one in found] == [(1, 1, UUID, 5), (2, 2, "another", 1)]
    assert len(kdelta("import", "moved", "--store", "b").out.splitlines()) == 2
    with closing(open_store("b")) as there, closing(open_store(str(store))) as here:
        assert seen(there) == seen(here)


def test_any_command_looks_into_the_file(kdelta: Kdelta, store: Path) -> None:
    kdelta("export", "2", "-o", "moved")
    [run] = json.loads(kdelta("runs", "--json", "--store", "moved").out)
    assert (run["uuid"], run["boots"]) == ("another", 1)
    kdelta("export", "2", "-o", "again")
    assert Path("moved").read_bytes() == Path("again").read_bytes()


def test_what_is_new_in_a_run_is_told(kdelta: Kdelta, store: Path) -> None:
    kdelta("export", "1", "-o", "moved")
    with closing(open_store(str(store))) as opened:
        opened.add(1, slot(4), kernel("old"), OTHER)
        opened.append(5, OTHER.samples)
        opened.close_boot(5, OTHER)
    kdelta("import", "moved", "--store", "b")
    kdelta("export", "1", "-f", "-o", "moved")
    said = kdelta("import", "moved", "--store", "b").out
    assert said == f"{LINE.replace('5 boots', '6 boots')}: already there as run 1: 1 boot added, 1 boot continued\n"


def test_what_both_sides_measured_is_told_loudly(kdelta: Kdelta, store: Path) -> None:
    store_of("b", UUID, OTHER).close()
    kdelta("export", "1", "-o", "moved")
    said = kdelta("import", "moved", "--store", "b")
    assert said.code == 0
    assert said.out.splitlines() == [
        f"{LINE}: already there as run 1: 5 boots added, 2 figures of its noise added",
        "  WARNING: place 0 of the plan (old on exact, seed 1) was measured on both sides: attempt 1 of the store stays, and the "
        "imported attempt 2 (done) is judged now",
    ]
    store_of("c", UUID, OTHER).close()
    [found] = json.loads(kdelta("import", "moved", "--json", "--store", "c").out)
    assert (found["file"], found["run"], found["new"], found["added"], found["noise"]) == ("moved", 1, False, 5, 2)
    assert found["both"] == [
        {"position": 0, "box": "exact", "variant": "old", "seed": 1, "kept": [1], "last": 2, "outcome": "done"}
    ]


def test_a_store_without_a_run_brings_nothing_and_says_so(kdelta: Kdelta, store: Path) -> None:
    store_of("empty", None).close()
    assert kdelta("import", "empty").out == "no run in empty\n"


def test_what_a_file_calls_its_run_moves_no_cursor(kdelta: Kdelta, store: Path) -> None:
    with closing(store_of("odd", f"\x1b[2J\n{ODD}")) as odd:
        assert odd.run(1).uuid.startswith("\x1b")
    said = kdelta("import", "odd").out
    assert said.startswith("run 1 (\\x1b[2J\\n\\x00 ")
    assert said.count("\n") == 1
    assert said.strip().isprintable()


MISUSE = {
    "no file to write": ("export", "Missing option '-o'", "--help"),
    "a file that is there": ("export -o there", "there is there already", "--force"),
    "the store itself": ("export -f -o store.sqlite", "is the store itself", "another file"),
    "a folder that is not": ("export -o none/x", "the folder none of x is not there", "folder that is there"),
    "no such run": ("export 9 -o x", "there is no run 9", "kdelta runs"),
    "all, and one": ("export 1 --all -o x", "exclude each other", "leave one"),
    "of an empty store": ("export --all -o x --store empty", "holds no run yet", "kdelta run"),
    "nothing to import": ("import", "Missing argument 'FILE...'", "--help"),
    "no file to import": ("import none", "none cannot be read: No such file", "kdelta export"),
    "a text of nothing": ("import there", "there: no known format in ", "kdelta import --formats"),
    "a good one and a text": ("import good there", "there is no store of kdelta", "kdelta export"),
}


@pytest.mark.parametrize(("words", "what", "advice"), MISUSE.values(), ids=MISUSE)
def test_misuse_is_told_and_changes_nothing(kdelta: Kdelta, store: Path, words: str, what: str, advice: str) -> None:
    Path("there").write_text("dear diary")
    store_of("empty", None).close()
    store_of("good", "good", RICH).close()
    before, counts, files = store.read_bytes(), row_counts(str(store)), set(Path().iterdir())
    said = kdelta(*words.split())
    assert (said.code, said.out) == (2, "")
    assert what in said.err
    assert advice in said.err.replace(what, "")
    assert (store.read_bytes(), row_counts(str(store)), set(Path().iterdir())) == (before, counts, files)
    assert Path("there").read_text() == "dear diary"


def test_a_run_is_replaced_by_force(kdelta: Kdelta, store: Path) -> None:
    Path("there").write_text("dear diary")
    assert kdelta("export", "--force", "-o", "there").code == 0
    assert sql(Path("there"), "SELECT uuid FROM runs") == [("another",)]
