"""Runs of a program in a text: the words that stand above them name their variants, and what is said of every kind of run.

teo mainline:                      In a mail the nearest words above a run name its variant,
Time: 4.945                        and those of the runs below it that have none of their own.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple, TypeVar

from kdelta.archive.numbers import number
from kdelta.archive.text import Line
from kdelta.model.published import Number, Remark

T = TypeVar("T")

LONGEST_NAME = 60
MOST_LINES, MOST_CHARACTERS = 6, 400
LEAST_DIGITS = 6
COARSE = 0.01
"""A digit that is a larger share of its number than this one hides small differences."""

_ASIDE = re.compile(
    r"\s*(?:[\w./-]+ ?= ?\S"  # a setting, as a shell or sysctl shows it
    r"|(?:Instance|Iterations?) ?: ?\d+\s*$"
    r"|\d{4}-\d\d-\d\d[ T]\d\d:\d\d"  # a line of a log: what was called, and when
    r"|[$%] ?\S|# ?[a-z./]|\[?\w+@\w|for \w+ in |\./\w"  # what was typed
    r"|[-=~*_#+^]{2,}\s*$|\[?\.{3}\]?\s*$)"  # a rule below a title, or what was left out
)
_INSTANCE = re.compile(r"\s*Instance ?: ?(?P<number>\d{1,6})\s*$")
_STARTED = re.compile(r"\s*(?P<date>\d{4}-\d\d-\d\d[ T]\d\d:\d\d:\d\d)\s")
_DRESS = " \t#*=~-_:"


class Above:
    """The paragraph that stands above the place where the reader is: nothing once the program has printed again."""

    def __init__(self) -> None:
        self._words = list[str]()
        self._ended = False

    def see(self, line: Line) -> None:
        """A line that is not of the program. Settings, commands and rules are no words."""
        words = line.text.strip()[:MOST_CHARACTERS]
        if not words:
            self._ended = True
        elif not _ASIDE.match(words):
            self._words = [words] if self._ended else [*self._words[1 - MOST_LINES :], words]
            self._ended = False

    def take(self) -> str:
        """A name of the last line where that ends in a colon, else of the paragraph; empty where nothing stands there."""
        words, self._words, self._ended = self._words, [], False
        if not words:
            return ""
        name = words[-1] if words[-1].endswith(":") else " ".join(words)
        return shortened(" ".join(name.split()).strip(_DRESS))


def shortened(name: str) -> str:
    """Cut at a word, where it is too long for a name."""
    if len(name) <= LONGEST_NAME:
        return name
    return f"{name[:LONGEST_NAME].rpartition(' ')[0] or name[:LONGEST_NAME]} ..."


def grouped(runs: Sequence[T], named: Sequence[str], names: Sequence[str]) -> dict[tuple[str, str], list[T]]:
    """Those of one variant and benchmark together, as they are first met: `named` are variants, `names` benchmarks."""
    groups: dict[tuple[str, str], list[T]] = {}
    for run, variant, name in zip(runs, named, names, strict=True):
        groups.setdefault((variant, name), []).append(run)
    return groups


def variants(runs: Sequence[tuple[str, str]]) -> list[str]:
    """Of runs, each the words above it and its benchmark: their variants.

    A run without words is of the variant above it. Where all are of one, that has no name. Words that stand above the same
    benchmark again are of another variant, "NAME (2)": it may be another kernel.
    """
    if sum(bool(words) for words, _ in runs[1:]) == 0:
        return [""] * len(runs)
    return list(_told_apart(runs))


def _told_apart(runs: Iterable[tuple[str, str]]) -> Iterator[str]:
    group, name = 0, ""
    seen: dict[tuple[str, str], tuple[int, int]] = {}
    for words, benchmark in runs:
        if words:
            group, name = group + 1, words
        last, times = seen.get((name, benchmark), (-1, 0))
        if last != group:
            times += 1
        seen[name, benchmark] = group, times
        yield name if times == 1 else f"{name} ({times})"


class Printed(NamedTuple):
    """Of a run: its first line, the words above it, its benchmark, and its numbers as they are printed."""

    line: Line
    words: str
    benchmark: str
    numbers: tuple[str, ...]


def once(runs: Sequence[Printed]) -> tuple[list[int], list[Remark]]:
    """The places of the runs without those that are pasted or quoted again: the same numbers below the same words.

    Runs below one heading, quoted alike, were pasted as one: they are the same only if all are. Few digits may be the same by
    chance: below LEAST_DIGITS nothing is left out.
    """
    kept, remarks = list[int](), list[Remark]()
    seen: dict[tuple[str, tuple[tuple[str, tuple[str, ...]], ...]], int] = {}
    for group in _pasted(runs):
        first = runs[group[0]]
        said = (first.words, tuple((runs[place].benchmark, runs[place].numbers) for place in group))
        digits = sum(one.isdigit() for place in group for text in runs[place].numbers for one in text)
        where = seen.setdefault(said, first.line.number)
        if where != first.line.number and digits >= LEAST_DIGITS:
            remarks.append(Remark(first.line.number, f"the same as what stands at line {where}, and not counted twice"))
        else:
            kept += group
    return kept, remarks


def _pasted(runs: Sequence[Printed]) -> Iterator[list[int]]:
    group = list[int]()
    for place, run in enumerate(runs):
        if group and (run.words or run.line.depth != runs[group[-1]].line.depth):
            yield group
            group = []
        group.append(place)
    if group:
        yield group


def instance(line: Line) -> str:
    """The number in `Instance: 2`, which stands above one of several programs that ran at once; empty elsewhere."""
    match = _INSTANCE.match(line.text)
    return match["number"] if match else ""


def started(line: Line) -> str:
    """The date and the second at the head of a log's line; empty where there is none."""
    match = _STARTED.match(line.text)
    return match["date"] if match else ""


def repeated(names: Iterable[tuple[int, str]]) -> Iterator[Remark]:
    """One for each variant, given with its line, that has its name only to be told apart."""
    seen = set[str]()
    for line, name in names:
        if re.search(r" \(\d+\)$", name) and name not in seen:
            seen.add(name)
            yield Remark(line, f"the same words stand above results before it: told apart as {name!r}")


def figure(match: re.Match[str], name: str, line: Line, factor: float = 1.0) -> Number | None:
    """The number that group `name` is; None where it is not there, or is more than a float can hold."""
    if not match[name]:
        return None
    try:
        found = number(match[name], line, match.start(name), factor)
    except ValueError:
        return None
    return found if math.isfinite(found.value) and math.isfinite(found.step) else None


def coarse(found: Iterable[Number]) -> Iterator[Remark]:
    """At most one: that the last digit printed is much of a number."""
    worst = max((one for one in found if one.value), key=lambda one: one.step / abs(one.value), default=None)
    if worst is not None and worst.step > COARSE * abs(worst.value):
        share = 100.0 * worst.step / abs(worst.value)
        yield Remark(worst.line, f"{worst.text} is printed with so few digits that one more of the last is {share:.2g} % of it")
