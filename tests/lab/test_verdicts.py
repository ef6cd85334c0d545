"""Verdicts on real kernels: one that is planted is found with as few boots as can be, and a kernel is equivalent to itself."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from .program import Program, boots_stored

OPEN = "syscall-open:operations=1500"
PLANTED = (
    "run",
    *("-k", "zeroing=apt:newest init_on_alloc=1", "-k", "not=apt:newest init_on_alloc=0"),
    *("-b", OPEN, "-b", "null", "--exact", "--rule", "verdict", "--rounds", "6", "--no-chains"),
)


@pytest.fixture(scope="module")
def planted(tmp_path_factory: pytest.TempPathFactory) -> Program:
    """A store with a run until its verdicts: zeroed pages cost an open, and no getppid."""
    program = Program(tmp_path_factory.mktemp("planted") / "store.sqlite")
    done = program(*PLANTED)
    assert done.returncode == 0, done.stderr
    assert "after 3 rounds decided:" in done.stderr
    return program


def report(program: Program) -> Any:
    """Every sample and every verdict."""
    return json.loads(program("compare", "--json").stdout)


def answers(program: Program) -> dict[str, str]:
    """Of each benchmark, by its name."""
    return {one["new"]["benchmark"]: one["answer"] for one in report(program)["verdicts"]["contrasts"]}


def test_a_planted_change_is_found_and_nothing_else(planted: Program) -> None:
    assert answers(planted) == {OPEN: "faster", "null": "equivalent"}


def test_a_run_stops_when_everything_is_decided(planted: Program) -> None:
    assert boots_stored(planted) < 12
    assert "(seeds 1 to 3; measured until decided, at most 6 rounds)" in planted("compare").stdout


def test_a_completed_run_has_nothing_to_resume(planted: Program) -> None:
    before = boots_stored(planted)
    assert planted("run", "--resume", "1").returncode == 0
    assert boots_stored(planted) == before


def difference(program: Program, benchmark: str) -> Any:
    return json.loads(program("diffprofile", "-b", benchmark, "--json").stdout)


def test_the_function_of_a_planted_change_leads_the_difference_and_explains_it(planted: Program) -> None:
    found = difference(planted, OPEN)
    largest = max(found["functions"], key=lambda one: abs(one["delta"]))
    assert (largest["name"].startswith("memset"), largest["real"], largest["delta"] < -500) == (True, True, True)
    parts = found["account"]["functions"]
    unexplained = abs(parts["within_noise"]["amount"]) + abs(parts["outside"])
    assert unexplained < 0.05 * abs(parts["change"])


def test_the_gate_ends_with_1_for_what_is_slower_and_with_0_for_what_is_faster(planted: Program, tmp_path: Path) -> None:
    assert planted("compare", "--gate").returncode == 0
    done = planted("compare", "--base", "not", "--gate", "--threshold", "2%", "--junit", str(tmp_path / "gate.xml"))
    assert done.returncode == 1
    assert "Gate failed: 1 breach" in done.stdout
    assert f'<failure message="{OPEN}, zeroing against not: slower' in (tmp_path / "gate.xml").read_text()


def test_a_kernel_is_equivalent_to_itself_and_its_noise_is_kept(kdelta: Program) -> None:
    words = ("-k", "apt:oldest", "-b", "null", "--exact", "--rule", "verdict", "--rounds", "3", "--no-chains")
    done = kdelta("run", "--aa", *words)
    assert done.returncode == 0, done.stderr
    assert [one["name"] for one in difference(kdelta, "null")["functions"] if one["real"]] == []
    assert answers(kdelta) == {"null": "equivalent"}
    assert "A/A: 0 of 1 contrast flagged here" in done.stdout
    plan = kdelta("plan", "-k", "apt:newest", "-k", "apt:oldest", "-b", "null", "-b", "proc-exec", "--exact", "--rule", "verdict")
    rows = {line.split(":")[0].strip(): line for line in plan.stdout.splitlines() if ":" in line}
    assert " A/A " in rows["null"]
    assert "no history" in rows["proc-exec"]
