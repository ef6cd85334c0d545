"""Texts of others are shown so that nothing in them acts, hides or is taken for another."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.unit.posted import Posted, smpnice

from kdelta.model.record import BootRecord, RunRecord
from kdelta.report.presentable import PAGE_NAME, escaped, presentable

NAMES = st.lists(st.text(st.characters(codec=None), min_size=1, max_size=300), min_size=4, max_size=4, unique=True)


def named(found: Posted, names: Sequence[str]) -> Posted:
    """The same run with other names for its columns."""
    variants = tuple(msgspec.structs.replace(one, name=name) for one, name in zip(found.plan.variants, names, strict=True))
    renamed = dict(zip((one.name for one in found.plan.variants), names, strict=True))
    plan = msgspec.structs.replace(found.plan, variants=variants, baseline=names[0])
    run = msgspec.structs.replace(found.run, plan=plan, kernels={renamed[key]: one for key, one in found.run.kernels.items()})
    return Posted(run, [msgspec.structs.replace(one, variant=renamed[one.variant]) for one in found.records])


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ('plain <b> & "quoted"', 'plain <b> & "quoted"'),
        ("nul\0 escape\x1b[31m", "nul\\x00 escape\\x1b[31m"),
        ("to the left \u202egnp", "to the left \\u202egnp"),
        ("lone \ud800", "lone \\ud800"),
        ("Zürich", "Zürich"),
        ("two\nlines\tand a tab", "two\\nlines\\tand a tab"),
    ],
)
def test_what_cannot_be_printed_is_shown_as_an_escape(text: str, shown: str) -> None:
    assert escaped(text) == shown


def test_a_mail_holds_ascii_alone() -> None:
    assert escaped("Zürich", ascii_only=True) == "Z\\xfcrich"


def test_a_run_of_plain_names_stays_as_it_is() -> None:
    found = smpnice()
    assert presentable(found.run, found.records) == (found.run, found.records)


@given(NAMES)
def test_names_are_fit_short_and_stay_apart(names: list[str]) -> None:
    run, boots = presentable(*_parts(named(smpnice(), names)))
    shown = [one.name for one in run.plan.variants]
    assert len(set(shown)) == len(names)
    assert all(len(one) <= PAGE_NAME and escaped(one) == one for one in shown)
    assert run.plan.baseline == shown[0]
    assert list(run.kernels) == shown
    assert {one.variant for one in boots} == set(shown)


def test_what_looks_like_an_escape_is_not_taken_for_what_it_stands_for() -> None:
    run, _ = presentable(*_parts(named(smpnice(), ["a\u202e", "a\\u202e", "b", "c"])))
    assert len({one.name for one in run.plan.variants}) == 4


def _parts(found: Posted) -> tuple[RunRecord, list[BootRecord]]:
    return found.run, found.records
