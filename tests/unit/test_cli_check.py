"""kdelta check: claims, repairs and verdicts of a text, of which nothing is stored."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.archive.kernbench_logs import IF_2010
from tests.archive.test_kernbench_table import TABLE
from tests.unit.builders import Kdelta

SDET = """\
Results are shown as percentages of the first set displayed

SDET 4  (see disclaimer)
                           Throughput    Std. Dev
               2.5.67-mm1       100.0%         0.9%
               2.5.68-mm1        98.7%         2.3%
"""
CLAIMED = """\
   MIN           old              new
-------------------------------------
        ctx-2:      3.51      4.13 ( 17%)
       select:     69.17     70.09 (  9%)
"""


@pytest.fixture
def mail(tmp_path: Path) -> Path:
    path = tmp_path / "mail.txt"
    path.write_text(f"{TABLE}\n{SDET}")
    return path


def test_a_change_within_its_spread_is_undecided(kdelta: Kdelta, mail: Path) -> None:
    done = kdelta("check", str(mail))
    (row,) = [line for line in done.out.splitlines() if "sdet-4:" in line and "undecided" in line]
    assert "-1.3%" in row
    assert done.code == 0


def test_each_claim_is_told_with_what_its_numbers_give(kdelta: Kdelta, mail: Path) -> None:
    assert "kernbench-2x CPU, 2.6.7" in kdelta("check", str(mail)).out


def test_a_percentage_that_does_not_follow_is_off(kdelta: Kdelta, tmp_path: Path) -> None:
    (tmp_path / "min").write_text(CLAIMED)
    (row,) = [line for line in kdelta("check", str(tmp_path / "min")).out.splitlines() if "select" in line and " off" in line]
    assert row.split()[-2:] == ["1.3", "off"]


def test_pooled_averages_are_taken_apart(kdelta: Kdelta, tmp_path: Path) -> None:
    (tmp_path / "log").write_text(IF_2010)
    assert "kernbench log of With 'if', line 3, 5 + 5 + 5 runs: repaired" in kdelta("check", str(tmp_path / "log")).out


def test_nothing_is_stored(kdelta: Kdelta, mail: Path) -> None:
    kdelta("check", str(mail))
    assert "no runs in" in kdelta("runs").err


def test_the_same_as_data(kdelta: Kdelta, mail: Path) -> None:
    (found,) = json.loads(kdelta("check", "--json", str(mail)).out)
    assert [(one["format"], len(one["claims"])) for one in found["blocks"]] == [("kernbench table", 2), ("SDET table", 0)]
    assert found["blocks"][0]["claims"][0]["standing"] == "holds"
    assert {one["answer"] for one in found["verdicts"]} == {"undecided"}


def test_a_text_of_which_nothing_is_known_is_an_error(kdelta: Kdelta, tmp_path: Path) -> None:
    (tmp_path / "odd").write_text("nothing 5\n")
    done = kdelta("check", str(tmp_path / "odd"))
    assert done.code == 2
    assert "no known format in 2 lines" in done.err
