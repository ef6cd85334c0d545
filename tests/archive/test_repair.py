"""kernbench's pooled averages, put right."""

from __future__ import annotations

import math
import statistics
from collections.abc import Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.archive.kernbench_logs import (
    CAPPED_2013,
    CGROUP_2007,
    FLUSH_2017,
    HALF_2006,
    IF_2010,
    OPTIMAL_2006,
    SPF_2017,
    TABLES_2006,
    TERMINAL_2006,
    progress,
    table,
)
from tests.archive.reading import text

from kdelta.archive.kernbench_log import READER
from kdelta.archive.reading import read
from kdelta.archive.repair import corrected, repair
from kdelta.model.repaired import Mended, Repaired, Session

IN_2006 = "".join(TABLES_2006)
IN_2017 = table("Half load -j 7", *SPF_2017[0]) + "\n" + table("Optimal load -j 16", *SPF_2017[1])


def all_of(written: str) -> tuple[Session, ...]:
    return repair(read(text(written), (READER,)))


def first(written: str) -> Session:
    return all_of(written)[0]


def row(session: Session, metric: str, load: str = "optimal") -> Repaired:
    (found,) = [one for one in session.rows if one.entry.metric == metric and one.entry.benchmark == f"kernbench-{load}"]
    return found


def log(
    loads: Sequence[Sequence[float]], titles: Sequence[str] = ("Half load -j 4", "Optimal load -j 16", "Maximal load -j")
) -> str:
    """As the script prints it: user times of each load, averaged over all until then; elapsed times of each load alone."""
    found = []
    for place, title in enumerate(titles[: len(loads)]):
        runs = [value for load in loads[: place + 1] for value in load]
        user = f"{statistics.fmean(runs):.6g} ({statistics.stdev(runs):.6g})"
        found.append(table(title, "50.1372 (0.251372)", user))
    return "\n".join(found)


PUBLISHED = [
    (IN_2006, "optimal", "user_s", 5, "809.699", "1035.91", "1.22"),
    (IN_2006, "optimal", "system_s", 5, "103.137", "121.558", "0.61"),
    (IN_2006, "optimal", "percent_cpu", 5, "945.3", "1337.6", "6.3"),
    (IN_2006, "maximal", "user_s", 5, "883.568", "1031.31", "1.3"),
    (IN_2006, "maximal", "system_s", 5, "108.728", "119.91", "0.7"),
    (IF_2010, "optimal", "user_s", 5, "2342.93", "2660.37", "1.99"),
    (IF_2010, "optimal", "system_s", 5, "248.722", "279.346", "1.00"),
    (IF_2010, "custom", "user_s", 5, "2528.19", "2898.71", "4.5"),
    (IN_2017, "optimal", "user_s", 5, "1033.25", "983.39", "1.64"),
    (FLUSH_2017, "optimal", "system_s", 3, "13.1933", "11.027", "0.06"),
]


@pytest.mark.parametrize(("written", "load", "metric", "runs", "printed", "mean", "sd"), PUBLISHED)
def test_published_averages_are_taken_apart(
    written: str, load: str, metric: str, runs: int, printed: str, mean: str, sd: str
) -> None:
    session = first(written)
    found = row(session, metric, load)
    assert found.mean is not None
    assert found.sd is not None
    assert found.entry.figures["mean"].text == printed
    assert [rounded(found.mean.value, mean), rounded(found.sd.value, sd)] == [mean, sd]
    assert (session.verdict, found.own) == (Mended.REPAIRED, runs)


def rounded(value: float, like: str) -> str:
    return f"{value:.{len(like.partition('.')[2])}f}"


def test_a_recovered_mean_is_written_with_the_digits_that_rounding_leaves() -> None:
    session = first(IN_2006)
    means = [row(session, metric).mean for metric in ("user_s", "system_s", "percent_cpu", "context_switches")]
    assert [one.text for one in means if one] == ["1035.91", "121.558", "1337.6", "51952.6"]


def test_a_recovered_deviation_lies_within_what_rounding_leaves() -> None:
    found = row(first(IN_2006), "user_s")
    assert (found.least, rounded(found.most or 0.0, "1.8")) == (0.0, "1.8")


def test_elapsed_times_and_the_first_load_are_never_touched() -> None:
    assert {one.entry.metric for one in first(IN_2006).rows} == {"user_s", "system_s", "percent_cpu", "context_switches", "sleeps"}
    assert {one.entry.benchmark for one in first(IN_2006).rows} == {"kernbench-optimal", "kernbench-maximal"}


def test_the_last_load_has_all_earlier_ones_in_it() -> None:
    found = row(first(IN_2006), "user_s", "maximal")
    assert (found.earlier, found.own, found.pooled) == (("kernbench-half", "kernbench-optimal"), 5, 15)


def test_a_load_that_was_switched_off_drops_out() -> None:
    written = log(
        ([100.0, 101.0, 99.5, 100.5, 100.25], [150.0, 151.0, 149.0, 150.5, 150.25]), ("Half load -j 4", "Maximal load -j")
    )
    found = row(first(written), "user_s", "maximal")
    assert (found.earlier, found.mean and found.mean.text) == (("kernbench-half",), "150.15")


def test_loads_are_pooled_in_the_order_of_the_script_whatever_that_of_the_text() -> None:
    turned = "".join(reversed(TABLES_2006))
    assert first(turned).loads == ("half", "optimal", "maximal")
    assert rounded(row(first(turned), "user_s", "maximal").mean.value, "1.31") == "1031.31"  # type: ignore[union-attr]


def test_numbers_of_runs_that_were_tried_are_named_and_the_one_that_fits_is_taken() -> None:
    session = first(FLUSH_2017)
    assert (session.tried, session.runs) == (((5, 5), (3, 3)), (3, 3))


def test_the_number_of_runs_that_a_log_states_is_the_only_one_that_is_tried() -> None:
    assert (first(TERMINAL_2006).tried, first(TERMINAL_2006).runs) == (((5, 5, 5),), (5, 5, 5))


def test_a_number_of_runs_that_is_stated_and_cannot_be_leaves_no_repair() -> None:
    stated = progress("Half load -j 2", 2) + table("Half load -j 2", *HALF_2006) + progress("Optimal load -j 4", 2)
    session = first(stated + table("Optimal load -j 4", *OPTIMAL_2006))
    assert (session.verdict, session.tried) == (Mended.IMPOSSIBLE, ((2, 2),))
    assert "no number of runs that was tried leaves a variance that is not negative: optimal user_s" in session.reason
    assert {(one.mean, one.reason) for one in session.rows} == {(None, session.reason)}


def test_loads_of_unlike_numbers_of_runs_are_taken_apart() -> None:
    written = log(([100.0, 101.0, 99.5, 100.5, 100.25], [150.0, 151.0, 149.0]))
    session = first(written)
    assert (session.runs, session.verdict) == ((5, 3), Mended.REPAIRED)
    found = row(session, "user_s")
    assert found.mean
    assert found.sd
    assert (found.mean.text, rounded(found.sd.value, "1.0")) == ("150", "1.0")


def test_loads_that_were_not_pooled_stand_as_printed() -> None:
    written = "\n".join(
        (table("Half load -j 4", "120 (0.4)", "583.488 (0.54)"), table("Optimal load -j 16", "86 (0.3)", "1035.91 (1.22)"))
    )
    assert (first(written).verdict, first(written).rows) == (Mended.AS_PRINTED, ())


def test_one_load_is_not_pooled_with_anything() -> None:
    assert first(table("Half load -j 4", *HALF_2006)).verdict is Mended.ALONE


def test_an_earlier_load_that_is_not_in_the_text_cannot_be_taken_out() -> None:
    session = first(CAPPED_2013)
    assert session.verdict is Mended.IMPOSSIBLE
    assert session.reason.startswith(
        "user time spreads by 18 % and elapsed time by 2.0 %: an earlier load is in the optimal load's"
    )
    assert {one.mean for one in session.rows} == {None}


def test_runs_that_all_spread_are_taken_apart_all_the_same() -> None:
    found = row(first(CGROUP_2007), "user_s")
    assert found.mean
    assert found.sd
    assert (rounded(found.mean.value, "917.97"), rounded(found.sd.value, "3.7")) == ("917.97", "3.7")


def test_a_slip_in_one_row_leaves_the_others_repaired() -> None:
    slip = IN_2017.replace("(52.6037)", "(22.6037)")
    session = first(slip)
    lost = row(session, "user_s")
    assert (session.verdict, lost.mean, lost.reason) == (Mended.PARTLY, None, "with 5 runs its variance would be negative")
    assert row(session, "system_s").mean is not None
    assert "kernbench-optimal user_s: with 5 runs its variance would be negative" in session.reason


def test_a_row_that_the_load_before_lacks_cannot_be_taken_apart() -> None:
    written = table("Half load -j 7", *SPF_2017[0][:2]) + "\n" + table("Optimal load -j 16", *SPF_2017[1][:3])
    found = row(first(written), "system_s")
    assert (found.mean, found.reason, first(written).verdict) == (None, "the half load has no such row", Mended.PARTLY)


OLD = "Average {} Run:"


def old(*loads: tuple[str, ...]) -> str:
    return "\n".join(
        table(name, *rows, title=OLD) for name, rows in zip(("Half Load -j 4", "Optimal Load -j 32"), loads, strict=True)
    )


@pytest.mark.parametrize(
    ("written", "verdict"),
    [
        (old(("231.04", "833.69", "72.94", "392"), ("129.948", "873.302", "86.318", "738")), Mended.AS_PRINTED),
        (old(("120.68", "583.488", "84.716", "553"), ("86.496", "809.699", "103.137", "945.3")), Mended.REPAIRED),
        (old(("266.104", "1015.82", "70.0701", "407.667"), ("353.957", "1070.68", "154.63", "351.667")), Mended.UNKNOWN),
    ],
)
def test_without_deviations_cpu_tells_whether_loads_are_pooled(written: str, verdict: Mended) -> None:
    assert first(written).verdict is verdict


def test_two_kernels_are_repaired_each_for_itself() -> None:
    assert [(one.variant, one.verdict) for one in all_of(IF_2010)] == [
        ("With 'if'", Mended.REPAIRED),
        ("Without 'if'", Mended.REPAIRED),
    ]


def test_corrected_entries_hold_what_was_recovered_and_how_many_runs_it_is_of() -> None:
    (block,) = read(text(FLUSH_2017), (READER,)).blocks
    found = [one for one in corrected(block).entries if one.metric == "system_s" and one.variant == "4.13.0-rc5+"]
    assert [(one.benchmark, one.figures["mean"].text, one.count) for one in found] == [
        ("kernbench-half", "15.36", None),
        ("kernbench-optimal", "11.0266", 3),
    ]


def test_a_corrected_deviation_that_rounding_may_have_made_is_the_largest_that_it_can_be() -> None:
    (block,) = read(text(IN_2006), (READER,)).blocks
    (found,) = [one for one in corrected(block).entries if (one.metric, one.benchmark) == ("user_s", "kernbench-optimal")]
    assert (found.figures["sd"].text, found.reason) == ("1.78", "its deviation is the largest that the rounded figures leave")


def test_what_cannot_be_repaired_has_no_corrected_figures() -> None:
    (block,) = read(text(CAPPED_2013), (READER,)).blocks
    found = [one for one in corrected(block).entries if one.metric == "user_s"]
    assert {(len(one.figures), bool(one.reason)) for one in found} == {(0, True)}
    assert len([one for one in corrected(block).entries if one.metric == "elapsed_s" and one.figures]) == 3


@pytest.mark.parametrize("written", [table("Half load -j 2", *["0 (0)"] * 6) + table("Optimal load -j 4", *["0 (0)"] * 6), ""])
def test_zeros_are_no_reason_to_fail(written: str) -> None:
    assert {one.verdict for one in all_of(written)} <= set(Mended)


@settings(max_examples=40)
@given(st.lists(st.tuples(*[st.floats(0, 1e300) | st.floats(0, 1e3)] * 4), min_size=2, max_size=4))
def test_no_figures_make_it_fail(loads: list[tuple[float, ...]]) -> None:
    titles = ("Single threaded", "Half load -j 4", "Optimal load -j 8", "Maximal load -j")
    written = "\n".join(table(title, f"{a} ({b})", f"{c} ({d})") for title, (a, b, c, d) in zip(titles, loads, strict=False))
    for session in all_of(written):
        assert all(one.mean is None or math.isfinite(one.mean.value) for one in session.rows)


@settings(max_examples=40)
@given(
    st.sampled_from([3, 5]),
    st.floats(50, 500),
    st.floats(1.2, 3.0),
    st.lists(st.floats(-1, 1), min_size=10, max_size=10, unique=True),
)
def test_what_the_script_pooled_is_recovered(runs: int, base: float, more: float, noise: list[float]) -> None:
    half = [base * (1 + 0.002 * one) for one in noise[:runs]]
    optimal = [base * more * (1 + 0.002 * one) for one in noise[5 : 5 + runs]]
    found = row(first(log((half, optimal))), "user_s")
    assert found.mean is not None
    assert found.mean.value == pytest.approx(statistics.fmean(optimal), abs=1.01 * found.error)
    if found.own == runs and found.least is not None and found.most is not None:
        assert found.least - 1e-9 <= statistics.stdev(optimal) <= found.most + 1e-9
