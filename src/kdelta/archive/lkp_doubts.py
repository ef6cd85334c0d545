"""What is doubtful in a row of an lkp table, or in all of it: in words, for remarks."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from kdelta.archive.lkp_metrics import NEVER_ZERO, Metric, is_absolute
from kdelta.archive.lkp_table import Row
from kdelta.model.published import Number

WHOLE_TICKS_BELOW = 100.0
"""Of a counter in whole units: one more is over a percent."""
MUCH_LESS_WORK = 2.0


class Read(NamedTuple):
    """A row whose words are numbers, in the unit of `known`. A change that is infinite is None."""

    row: Row
    name: str
    known: Metric
    values: tuple[Number, ...]
    spreads: tuple[Number | None, ...]
    changes: tuple[Number | None, ...]


def died(reads: Sequence[Read]) -> set[tuple[str, int]]:
    """Programs that watch the hardware, with the columns in which all that they counted is 0: there they did not run."""
    by_program = defaultdict[str, list[Read]](list)
    for one in reads:
        if one.known.program in NEVER_ZERO:
            by_program[one.known.program].append(one)
    return {
        (program, place)
        for program, rows in by_program.items()
        for place in range(len(rows[0].values))
        if len(rows) > 1 and all(one.values[place].value == 0.0 for one in rows)
    }


def _negative_base(one: Read) -> str:
    if one.values[0].value >= 0.0 or not any(one.row.percent):
        return ""
    return "the base is negative, and the percentage is of it with its sign: plus is less here"


def _zero_base(one: Read) -> str:
    if one.values[0].value != 0.0 or not any(one.row.percent):
        return ""
    return "the base is printed as 0: no percentage can be of it"


def _whole_ticks(one: Read) -> str:
    """A counter of whole microseconds, of which there are few."""
    if one.known.unit != "s" or one.known.is_monitor or one.known.printed_unit == "s":
        return ""
    printed = [float(word.text) for word in one.row.values]
    if not all(value.is_integer() for value in printed):
        return ""
    if not 0.0 < printed[0] < WHOLE_TICKS_BELOW:
        return ""
    unit = one.known.printed_unit
    return f"whole {unit}: one more or less is {100.0 / printed[0]:.0f} % of the base, and finer differences are not seen"


def _no_sign(one: Read) -> str:
    """A difference where the name has none of a share: a row cut or typed by hand, or a tool that differs."""
    return "a change without a percent sign" if not any(one.row.percent) and not is_absolute(one.name) else ""


DOUBTS: tuple[Callable[[Read], str], ...] = (_negative_base, _zero_base, _whole_ticks, _no_sign)
"""Each gives the reason, or nothing."""


def of_table(reads: Sequence[Read], failures: Sequence[Row]) -> Iterator[tuple[int, str]]:
    """A line and a reason each."""
    yield from _few_had_any(reads)
    yield from _less_work(reads)
    yield from _silent(reads)
    if failures:
        yield failures[0].line.number, "fail:runs: how often something was seen in so many runs; this measures nothing"
    for row in failures:
        if any(_more_than_runs(word.text) for word in row.values):
            yield (
                row.line.number,
                f"{row.metric}: more failures than runs: a value was taken for a count, and its percentage means nothing",
            )


def _few_had_any(reads: Sequence[Read]) -> Iterator[tuple[int, str]]:
    wide = [one for one in reads if any(spread is not None and spread.value > 100.0 for spread in one.spreads)]
    if wide:
        yield (
            wide[0].row.line.number,
            f"rows with a standard deviation above 100 %: {len(wide)}; some of their runs had no value",
        )


def _less_work(reads: Sequence[Read]) -> Iterator[tuple[int, str]]:
    """A mean over one iteration is none over seven."""
    if not any(one.name.endswith("_per_iteration") for one in reads):
        return
    for one in reads:
        done = [number.value for number in one.values]
        if one.name.endswith(".workload") and min(done) > 0.0 and max(done) >= MUCH_LESS_WORK * min(done):
            said = " and ".join(word.text for word in one.row.values)
            yield one.row.line.number, f"{one.name}: {said} iterations were done: means for one iteration are of unlike many"


def _silent(reads: Sequence[Read]) -> Iterator[tuple[int, str]]:
    for program, place in sorted(died(reads)):
        first = next(one for one in reads if one.known.program == program)
        yield (
            first.row.line.number,
            f"all of {program} is 0 in column {place + 1}: it did not run there, and its zeros are no values",
        )


def _more_than_runs(text: str) -> bool:
    fails, _, runs = text.partition(":")
    return bool(fails) and int(fails[:15]) > int(runs[:15])
