"""Call chains in one line, as `perf report -g folded` prints them under a function: `0.63% inner;caller;outer`."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from kdelta.model.profile import UNKNOWN
from kdelta.profile.chains import folded
from kdelta.profile.readers import naming

_LINE = re.compile(r"(?P<value>\d{1,18}(?:\.\d{1,6})?)(?P<percent>%?) (?P<names>\S.*)")
_ADDRESS = re.compile(r"0x(?P<digits>[0-9a-f]{1,16})|0+")
_GRAPH = re.compile(r"[\s|]*(?:---|--\d+\.\d\d%--)\S|\s+\d+\.\d\d%$")

KERNEL_DIGITS = re.compile(r"[89a-f][0-9a-f]{15}")


class ChainLine(NamedTuple):
    """`value` is in percent of the whole profile, or a number of samples or events (-g folded,count)."""

    value: float
    percent: bool
    names: list[str]


def chain_line(line: str) -> ChainLine | None:
    match = _LINE.fullmatch(line)
    return match and ChainLine(float(match["value"]), bool(match["percent"]), match["names"].split(";"))


def is_graph(line: str) -> bool:
    """Whether `line` is part of a call graph that is drawn."""
    return _GRAPH.match(line) is not None


def shared_out(name: str, symbol: str, count: int, whole: float, chains: Sequence[ChainLine]) -> Iterator[tuple[str, int]]:
    """The `count` of a function by its chains, whose values are of `whole`; what they lack stays with the function alone.

    Chains come with either end first. Only the function itself has its file: a name in a chain may be of the kernel or not.
    """
    left = count
    for line in chains:
        share = min(left, round(count * line.value / whole)) if whole else 0
        names = line.names if line.names[-1] == symbol else line.names[::-1]
        if share and names[-1] == symbol:
            left -= share
            yield folded([*map(_called, names[:-1]), name]), share
    if left:
        yield name, left


def _called(name: str) -> str:
    match = _ADDRESS.fullmatch(name)
    if match is None:
        return naming.function(name, "")
    return UNKNOWN if KERNEL_DIGITS.fullmatch(match["digits"] or "") else UNKNOWN + naming.NOWHERE
