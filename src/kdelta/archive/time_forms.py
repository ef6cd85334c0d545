"""What time(1) and the shells' own `time` print, in the forms of each: bash, POSIX, GNU, tcsh, zsh."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import msgspec

from kdelta.archive.numbers import number
from kdelta.archive.text import Line
from kdelta.model.published import Number

_S = r"\d{1,9}(?:[.,]\d{1,9})?"
_CLOCK = r"(?:\d{1,6}:)?(?:\d{1,6}:)?\d{1,9}(?:[.,]\d{1,9})?"
_PERCENT = r"\d{1,6}(?:[.,]\d{1,3})?"

_PART = re.compile(rf"\s*(?P<what>real|user|sys)(?::\s*|\s+)(?P<time>(?:\d{{1,6}}h ?)?(?:\d{{1,6}}m ?)?{_S}s?)\s*$")
_LINE = tuple(
    re.compile(pattern)
    for pattern in (
        # GNU time
        rf"\s*(?P<user>{_S})user (?P<system>{_S})system (?P<elapsed>{_CLOCK})elapsed (?:(?P<cpu>{_PERCENT})|\?+)%CPU\b",
        # csh and tcsh
        rf"\s*(?P<user>{_S})u (?P<system>{_S})s (?P<elapsed>{_CLOCK}) (?P<cpu>{_PERCENT})%\s+\d+\+\d+k\b",
        # zsh
        rf"(?:\s*(?P<command>\S.{{0,200}}?))?\s{{1,40}}(?P<user>{_S})s user (?P<system>{_S})s system "
        rf"(?P<cpu>{_PERCENT})% cpu (?P<elapsed>{_CLOCK}) total(?: \([-+ \d.]{{1,12}}%\))?\s*$",
    )
)
_LABEL = re.compile(r"[\w.+-]{1,40}(?: [\w.+-]{1,40}){0,4} ?:$")
_BEHIND = re.compile(r" (?P<label>[A-Za-z][\w.+-]{0,40}(?: [\w.+-]{1,40}){0,4}?)(?:,? and|[,.;])?\s*$")
_VERBOSE = {
    "User time (seconds)": "user",
    "System time (seconds)": "system",
    "Percent of CPU this job got": "cpu",
    "Elapsed (wall clock) time (h:mm:ss or m:ss)": "elapsed",
    "Command being timed": "command",
    "Exit status": "status",
}
_FIELD = re.compile(r"\s*(?P<key>[A-Z][^:]{3,60}(?:\(h:mm:ss or m:ss\))?): (?P<value>\S.*?)\s*$")
_VERBOSE_LINES = 24
_PART_LINES = 3
_UNITS = re.compile(r"(?:(?P<hours>\d+)h ?)?(?:(?P<minutes>\d+)m ?)?(?P<seconds>[\d.,]+)s?")
_NAMES = {"real": "elapsed", "user": "user", "sys": "system"}


class Timed(NamedTuple):
    """What was printed of one command, from line to line; `place` is behind it."""

    first: int
    last: int
    place: int
    times: dict[str, Number]
    """Of elapsed, user and system, and cpu in percent: those that are printed."""
    command: str = ""
    status: str = ""
    label: str = ""
    """Words in the line itself: "before:" in front of zsh's, "with the patch" behind GNU time's."""


def timed(lines: Sequence[Line], place: int) -> Timed | None:
    """What is printed from the line at `place` on. None where that is nothing of a time."""
    text = lines[place].text
    if ("real" in text or "user" in text or "sys" in text) and (found := _parts(lines, place)):
        return found
    if "Command being timed" in text:
        return _verbose(lines, place)
    if "user" in text or "%" in text:
        return _one_line(lines, place)
    return None


def _parts(lines: Sequence[Line], place: int) -> Timed | None:
    """real, user and sys on three lines, in any order; `real` must be there, and one of the others."""
    times, last = dict[str, Number](), place
    for at in range(place, min(place + _PART_LINES, len(lines))):
        match = _PART.match(lines[at].text)
        if match is None or _NAMES[match["what"]] in times:
            break
        times[_NAMES[match["what"]]] = _in_units(lines[at], match)
        last = at
    if "elapsed" not in times or len(times) < len(_NAMES):
        return None
    return Timed(lines[place].number, lines[last].number, last + 1, times)


def _in_units(line: Line, match: re.Match[str]) -> Number:
    """Of 1h2m3.4s, 2m3,4s, 3.4s and 3.4."""
    parts = _UNITS.fullmatch(match["time"])
    assert parts is not None, match["time"]
    seconds = 3600.0 * int(parts["hours"] or 0) + 60.0 * int(parts["minutes"] or 0)
    return _added(line, match["time"], match.start("time"), parts["seconds"], seconds)


def _one_line(lines: Sequence[Line], place: int) -> Timed | None:
    line = lines[place]
    match = next((found for pattern in _LINE if (found := pattern.match(line.text))), None)
    if match is None:
        return None
    texts = {name: match[name] for name in ("elapsed", "user", "system", "cpu") if match[name]}
    times = {name: _clock(line, one, match.start(name)) for name, one in texts.items()}
    command = match.groupdict().get("command") or ""
    if _LABEL.match(command):
        return Timed(line.number, line.number, place + 1, times, label=command.rstrip(": \t"))
    behind = _BEHIND.match(line.text, match.end())
    return Timed(line.number, line.number, place + 1, times, command, label=behind["label"].rstrip(".,;") if behind else "")


def _verbose(lines: Sequence[Line], place: int) -> Timed | None:
    """GNU time -v: a field on each line."""
    found, last = dict[str, tuple[Line, re.Match[str]]](), place
    for at in range(place, min(place + _VERBOSE_LINES, len(lines))):
        match = _FIELD.match(lines[at].text)
        if match is None:
            break
        last = at
        if name := _VERBOSE.get(match["key"]):
            found[name] = (lines[at], match)
    try:
        times = _fields(found)
    except ValueError:
        return None
    if "elapsed" not in times:
        return None
    command, status = (found[name][1]["value"].strip('"') if name in found else "" for name in ("command", "status"))
    return Timed(lines[place].number, lines[last].number, last + 1, times, command, status)


def _fields(found: Mapping[str, tuple[Line, re.Match[str]]]) -> dict[str, Number]:
    times = dict[str, Number]()
    for name in ("elapsed", "user", "system", "cpu"):
        if name in found:
            line, match = found[name]
            text = match["value"].removesuffix("%")
            if text[:1].isdigit() and re.fullmatch(_CLOCK, text):
                times[name] = _clock(line, text, match.start("value"))
    return times


def _clock(line: Line, text: str, at: int) -> Number:
    """Of 3.74, 0:04.92 and 1:02:03."""
    *whole, seconds = text.split(":")
    before = 0.0
    for part in whole:
        before = 60.0 * (before + int(part))
    return _added(line, text, at, seconds, before)


def _added(line: Line, text: str, at: int, seconds: str, before: float) -> Number:
    found = number(seconds.replace(",", "."), line, at)
    return msgspec.structs.replace(found, text=text, value=found.value + before)
