"""kdelta.load: a stored run for a notebook."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pyarrow
import pytest
from tests.unit.builders import fill, plan

import kdelta
from kdelta.model.errors import MisuseError
from kdelta.notebook import Loaded


@pytest.fixture
def run(tmp_path: Path) -> Loaded:
    fill(tmp_path / "store.sqlite", plan(["old", "new"], ["null", "ctx-2"], seeds=4))
    return kdelta.load()


def test_the_newest_run_is_loaded_or_the_one_with_the_number(run: Loaded, tmp_path: Path) -> None:
    assert kdelta.load(1).run.uuid == run.run.uuid
    with pytest.raises(MisuseError, match="there is no run 9"):
        kdelta.load(9, store=str(tmp_path / "store.sqlite"))


def test_it_says_what_it_is(run: Loaded) -> None:
    assert repr(run) == "<run 1, 2024-02-29T12:34: old, new; null, ctx-2>"


@pytest.mark.parametrize("name", ["samples", "verdict_table"])
def test_a_table_is_columns_of_one_length(run: Loaded, name: str) -> None:
    table = pyarrow.table(dict(getattr(run, name)))
    assert table.num_rows > 0


def test_every_sample_is_there(run: Loaded) -> None:
    assert len(run.samples["value"]) == sum(len(boot.boot.samples) for boot in run.dossier.boots)


def test_a_row_of_the_table_is_a_verdict(run: Loaded) -> None:
    rows = zip(*(run.verdict_table[name] for name in ("benchmark", "base", "new", "answer")), strict=True)
    assert list(rows) == [(one.new.benchmark.name, one.base.variant, one.new.variant, one.answer.value) for one in run.verdicts]


def test_what_is_compared_is_asked_for_as_of_the_program(run: Loaded) -> None:
    assert kdelta.load(axis="loads").dossier.judgement.axis.value == "loads"
    assert {one.base.variant for one in kdelta.load(base="new").verdicts} == {"new"}


def test_a_profile_is_per_operation_the_largest_first(run: Loaded) -> None:
    found = run.profile("old", "null")
    assert list(found.items()) == [("schedule", 50.0), ("[user]", 30.0), ("_raw_spin_lock", 20.0)]


def test_a_difference_adds_up(run: Loaded) -> None:
    found = run.difference("old", "new", "null").difference
    assert sum(change.delta for change in found.changes) == pytest.approx(found.total.delta)


@pytest.mark.parametrize(("words", "said"), [(("old", "nil"), "no benchmark 'nil'"), (("older", "null"), "no variant 'older'")])
def test_a_name_that_there_is_not_is_misuse(run: Loaded, words: tuple[str, str], said: str) -> None:
    with pytest.raises(MisuseError, match=said):
        run.profile(*words)


def test_there_is_nothing_else_in_the_package() -> None:
    with pytest.raises(AttributeError, match="has no attribute 'save'"):
        kdelta.save  # noqa: B018


def test_the_package_alone_brings_no_statistics() -> None:
    asked = "import kdelta, sys; print('numpy' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", asked], capture_output=True, text=True, check=True).stdout == "False\n"
