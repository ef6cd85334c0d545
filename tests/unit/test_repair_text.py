"""What `kdelta check` prints of kernbench's pooled averages, and which conclusions it says change."""

from __future__ import annotations

from functools import cache

import msgspec
import pytest
from tests.archive.kernbench_logs import IF_2010, TABLES_2006
from tests.archive.reading import text

from kdelta.archive.as_runs import runs
from kdelta.archive.kernbench_log import READER
from kdelta.archive.reading import read
from kdelta.archive.repair import corrected, repair
from kdelta.judge.conclusions import by_metric, conclusions
from kdelta.judge.published import judgement
from kdelta.model.published import Document
from kdelta.model.repaired import Conclusion
from kdelta.model.verdict import Answer, Judgement
from kdelta.report.repair_text import render

POOLED = "Average Half load -j 8 Run (std deviation):\n"


@cache
def document(written: str) -> Document:
    return read(text(written), (READER,))


def judged(of: Document) -> Judgement:
    (made,) = runs(of)
    return judgement(made.run.plan, made.boots, every_metric=True)


@cache
def changed(written: str) -> tuple[Conclusion, ...]:
    before = document(written)
    after = msgspec.structs.replace(before, blocks=tuple(map(corrected, before.blocks)))
    return conclusions(judged(before), judged(after))


def printed(written: str, width: int = 100) -> str:
    return render(repair(document(written)), changed(written), width)


ROWS = [
    "user_s              809.699    238.449    1035.91       1.22  (0 to 1.78)",
    "system_s            103.137     19.423    121.558      0.605  (0.558 to 0.649)",
    "user_s              883.568    219.647    1031.31       1.33  (0 to 2.04)",
]


@pytest.mark.parametrize("row", ROWS)
def test_a_pooled_row_stands_beside_what_it_is_taken_apart(row: str) -> None:
    assert row in printed("".join(TABLES_2006))


def test_a_log_says_over_how_many_runs_it_was_pooled() -> None:
    assert "line 2, 5 + 5 + 5 runs: repaired" in printed("".join(TABLES_2006))


def test_elapsed_times_are_not_in_the_table() -> None:
    assert "elapsed_s" not in printed("".join(TABLES_2006))


def test_a_log_of_one_load_has_nothing_to_tell() -> None:
    assert printed(TABLES_2006[0]) == ""


def test_of_two_kernels_is_told_what_the_repair_changes() -> None:
    said = printed(IF_2010)
    assert "No answer changes; for 7 the change alone is another:" in said
    assert "kernbench-optimal user_s, Without 'if' against With 'if': printed +0.0% [-32.6, +48.5] undecided; repaired" in said


def test_figures_that_were_not_pooled_give_no_other_conclusion() -> None:
    assert {one.printed.new.benchmark.name for one in changed(IF_2010)} == {"kernbench-optimal", "kernbench-custom"}
    assert "elapsed_s" not in {one.printed.new.benchmark.metric.name for one in changed(IF_2010)}


def test_an_answer_that_changes_is_told_first() -> None:
    one = changed(IF_2010)[-1]
    other = Conclusion(one.printed, msgspec.structs.replace(one.repaired, answer=Answer.SLOWER))
    said = render(repair(document(IF_2010)), (changed(IF_2010)[0], other), 100)
    assert "The answer changes for 1 contrast of the repaired figures; for 1 the change alone is another:" in said
    assert said.index("slower") < said.rindex("undecided")


def test_benchmarks_with_several_metrics_are_called_with_them() -> None:
    names = [one.new.benchmark.name for one in by_metric(judged(document(IF_2010))).verdicts]
    assert names[:2] == ["kernbench-half elapsed_s", "kernbench-half user_s"]
    assert len(set(names)) == len(names)


@pytest.mark.parametrize("width", [62, 78])
def test_no_line_is_wider_than_the_terminal(width: int) -> None:
    assert max(map(len, printed(IF_2010, width).splitlines())) <= width
