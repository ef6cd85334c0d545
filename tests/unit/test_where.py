"""Where the changes of a run are: those that were profiled, the largest first."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

import pytest
from tests.unit.builders import fill, plan, sql

from kdelta.inquiry import dossier
from kdelta.inquiry.dossier import Question
from kdelta.inquiry.where import where
from kdelta.model.verdict import Axis
from kdelta.profile.explained import Where
from kdelta.store.place import open_store
from kdelta.store.store import Store

RUN = plan(["old", "new"], ["null", "ctx-2"], seeds=4)


@pytest.fixture
def place(tmp_path: Path) -> Path:
    fill(tmp_path / "run.sqlite", RUN)
    return tmp_path / "run.sqlite"


def found(place: Path, most: int, question: Question | None = None) -> tuple[Where, ...]:
    with closing(open_store(str(place))) as store:
        return where(store, dossier.read(store, store.run(), question or Question()), most)


def changes(of: tuple[Where, ...]) -> list[str]:
    return [one.benchmark for one in of]


def test_the_largest_change_comes_first_and_no_more_are_shown_than_asked_for(place: Path) -> None:
    # null grows to 1.5 times its count, ctx-2 falls to 0.4 of it.
    assert changes(found(place, 9)) == ["ctx-2", "null"]
    assert changes(found(place, 1)) == ["ctx-2"]
    assert found(place, 0) == ()


def test_what_was_not_profiled_is_passed_over_without_a_look_at_its_boots(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    sql(place, "DELETE FROM profiles")
    with closing(open_store(str(place))) as store:
        whole = dossier.read(store, store.run())
        monkeypatch.setattr(Store, "boots", None)
        assert where(store, whole, 9) == ()


def test_boxes_and_loads_have_no_profile_in_common(place: Path) -> None:
    assert found(place, 9, Question(axis=Axis.LOADS)) == ()


def test_sides_are_called_as_they_are_shown(place: Path) -> None:
    with closing(open_store(str(place))) as store:
        shown = where(store, dossier.read(store, store.run()), 1, show=str.upper)
    assert {(one.explained.difference.old, one.explained.difference.new, one.box) for one in shown} == {("OLD", "NEW", "EXACT")}
