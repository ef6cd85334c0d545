"""kdelta report: a run in each of its forms."""

from __future__ import annotations

import errno
import json
import os
import re
import sys
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree

import msgspec
import pytest
from tests.unit.builders import BROKEN, Kdelta, fill, plan
from tests.unit.page_runs import hostile

from kdelta.model.plan import Slot
from kdelta.publish.forms import FORMS
from kdelta.publish.material import of_run
from kdelta.store.place import open_store

RUN = plan(["old", "new"], ["null", "ctx-2"], seeds=4)
CANARY = b"<script>alert(1)</script>"


@pytest.fixture
def filled(tmp_path: Path) -> Path:
    store = tmp_path / "store.sqlite"
    fill(store, RUN)
    return store


@pytest.fixture
def malicious(tmp_path: Path) -> Path:
    """A run of which every name and text would do harm."""
    path = tmp_path / "store.sqlite"
    run, boots = hostile()
    of = {one.name: one for one in run.plan.benchmarks}
    with closing(open_store(str(path))) as store:
        begun = store.begin(run.plan, run.kernels, uuid=run.uuid, started=run.started, kdelta_version="0.1.0")
        for one in boots:
            slot = Slot(
                position=one.position,
                box=one.box,
                variant=one.variant,
                seed=one.seed,
                benchmarks=tuple(of[name] for name in one.benchmarks),
            )
            store.add(begun.id, slot, run.kernels[one.variant], one.boot)
    return path


@pytest.mark.parametrize("form", FORMS)
def test_the_same_run_in_the_same_form_is_the_same_to_the_byte(kdelta: Kdelta, filled: Path, tmp_path: Path, form: str) -> None:
    for name in ("first", "second"):
        assert kdelta("report", "--form", form, "-o", str(tmp_path / name)).code == 0
    assert (tmp_path / "first").read_bytes() == (tmp_path / "second").read_bytes()


@pytest.mark.parametrize(
    ("suffix", "begins"),
    [
        (".txt", b"Subject: "),
        (".html", b"<!DOCTYPE html>"),
        (".json", b'{\n"schema": "kdelta-report"'),
        (".csv", b"run,box,variant,"),
        (".bench", b"kdelta-run: "),
        (".xml", b"<?xml "),
        (".parquet", b"PAR1"),
        (".arrow", b"ARROW1"),
    ],
)
def test_the_name_of_a_file_says_its_form(kdelta: Kdelta, filled: Path, tmp_path: Path, suffix: str, begins: bytes) -> None:
    path = tmp_path / f"report{suffix.upper()}"
    assert kdelta("report", "-o", str(path)).code == 0
    assert path.read_bytes().startswith(begins)


def test_without_words_it_is_a_mail_about_the_newest_run(kdelta: Kdelta, filled: Path) -> None:
    said = kdelta("report")
    assert said.out.startswith("Subject: new against old: ")
    assert max(map(len, said.out.splitlines())) <= 78
    assert said.out == kdelta("report", "1", "--form", "mail", "-o", "-").out


def test_the_mail_has_the_tables_that_are_asked_for(kdelta: Kdelta, filled: Path) -> None:
    said = kdelta("report", "--shape", "range").out
    assert "   MEDIAN " not in said
    assert re.search(r"^old +\d", said, re.MULTILINE)


def test_a_mail_has_as_many_differences_of_profiles_as_are_asked_for(kdelta: Kdelta, filled: Path) -> None:
    asked = [kdelta("report", "--differences", count).out.count("Diffprofile for ") for count in ("0", "1", "9")]
    assert asked == [0, 1, 2]


def test_without_words_a_mail_has_fewer_differences_of_profiles_than_a_page(kdelta: Kdelta, filled: Path, tmp_path: Path) -> None:
    store = open_store(str(filled))
    material = of_run(store, store.run())
    assert material.mailed < material.differences
    one = replace(material, mailed=1)
    assert (FORMS["mail"].make(one).count(b"Diffprofile for "), len(one.wheres)) == (1, 2)


def test_what_is_compared_is_asked_for_as_of_compare(kdelta: Kdelta, filled: Path) -> None:
    assert kdelta("report", "--base", "new").out.startswith("Subject: old against new: ")


MISUSES = {
    "no form": (("-o", "report.pdf"), "'report.pdf' does not say its form", "end it with one of .txt .eml .html"),
    "no such folder": (("-o", "nowhere/report.html"), "nowhere/report.html cannot be written", "name a file in a folder"),
    "shapes of data": (("--form", "csv", "--shape", "min"), "--shape says nothing in the form csv", "leave it out"),
    "differences of samples": (("--form", "csv", "--differences", "3"), "--differences says nothing in the form csv", ""),
    "thresholds of a mail": (("--threshold", "2%"), "--threshold says nothing in the form mail: it is of junit and json", ""),
    "a shape that it has not": (("--shape", "sdet"), "run 1 holds no benchmark of sdet", "leave sdet out"),
    "a base that it has not": (("--base", "nobody"), "there is no variant 'nobody'", ""),
    "a run that there is not": (("7",), "there is no run 7", ""),
}


@pytest.mark.parametrize(("words", "said", "advice"), MISUSES.values(), ids=MISUSES)
def test_misuse_is_told(kdelta: Kdelta, filled: Path, words: tuple[str, ...], said: str, advice: str) -> None:
    ended = kdelta("report", *words)
    assert ended.code == 2
    assert said in ended.err
    assert advice in ended.err


def test_what_was_there_stays_where_the_new_one_cannot_be_written_to_its_end(
    kdelta: Kdelta, filled: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "out" / "page.html"
    path.parent.mkdir()
    path.write_text("the old one")
    whole = Path.write_bytes

    def half(to: Path, content: bytes) -> int:
        whole(to, content[: len(content) // 2])
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(Path, "write_bytes", half)
    ended = kdelta("report", "-o", str(path))
    assert (ended.code, "cannot be written: No space left on device" in ended.err) == (2, True)
    assert {one.name: one.read_text() for one in path.parent.iterdir()} == {"page.html": "the old one"}


def test_a_cell_without_a_value_is_told_by_the_status(kdelta: Kdelta, tmp_path: Path) -> None:
    fill(tmp_path / "store.sqlite", RUN, {("new", 1): BROKEN, ("new", 2): BROKEN, ("new", 3): BROKEN, ("new", 4): BROKEN})
    ended = kdelta("report")
    assert ended.code == 4
    assert "failed" in ended.out


def test_what_is_no_text_is_not_written_to_a_terminal(kdelta: Kdelta, filled: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True, raising=False)
    ended = kdelta("report", "--form", "parquet")
    assert (ended.code, ended.out) == (2, "")
    assert "-o FILE.parquet" in ended.err


def test_on_a_terminal_a_table_cannot_act(kdelta: Kdelta, malicious: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True, raising=False)
    monkeypatch.setenv("NO_COLOR", "1")
    assert not {"\x1b", "\0", "\u202e"} & set(kdelta("report", "--form", "csv").out)


def test_a_mail_about_hostile_names_is_plain(kdelta: Kdelta, malicious: Path) -> None:
    said = kdelta("report").out
    assert said.isascii()
    assert max(map(len, said.splitlines())) <= 78
    assert all(line.isprintable() for line in said.splitlines())


def test_a_page_about_hostile_names_has_no_script_but_its_own(
    kdelta: Kdelta, malicious: Path, filled_page: bytes, tmp_path: Path
) -> None:
    kdelta("report", "-o", str(tmp_path / "page.html"))
    page = (tmp_path / "page.html").read_bytes()
    assert page.count(b"<script") == filled_page.count(b"<script")
    assert CANARY not in page


@pytest.fixture
def filled_page(kdelta: Kdelta, tmp_path: Path) -> bytes:
    """A page about plain names."""
    fill(tmp_path / "plain.sqlite", RUN)
    kdelta("report", "--store", str(tmp_path / "plain.sqlite"), "-o", str(tmp_path / "plain.html"))
    return (tmp_path / "plain.html").read_bytes()


def test_data_has_hostile_names_as_they_are(kdelta: Kdelta, malicious: Path, tmp_path: Path) -> None:
    kdelta("report", "-o", str(tmp_path / "run.json"))
    names = {one["name"] for one in json.loads((tmp_path / "run.json").read_bytes())["variants"]}
    assert names == {one.name for one in hostile()[0].plan.variants}


def test_a_gate_about_hostile_names_is_xml(kdelta: Kdelta, malicious: Path, tmp_path: Path) -> None:
    kdelta("report", "-o", str(tmp_path / "gate.xml"))
    assert ElementTree.parse(tmp_path / "gate.xml").getroot().tag == "testsuites"


def test_a_run_of_one_column_has_all_forms(kdelta: Kdelta, tmp_path: Path) -> None:
    fill(tmp_path / "store.sqlite", msgspec.structs.replace(plan(["old"], seeds=2), baseline="old"))
    assert [kdelta("report", "--form", form, "-o", str(tmp_path / form)).code for form in FORMS] == [0] * len(FORMS)
