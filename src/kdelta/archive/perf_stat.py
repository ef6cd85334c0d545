"""`perf stat`, as it prints for people.

     Performance counter stats for 'perf bench internals kallsyms-parse' (5 runs):

              8,093.54 msec task-clock       #    0.999 CPUs utilized     ( +-  0.14% )
        58,712,905,705      instructions     #    1.70  insn per cycle
                                             #    0.26  stalled cycles per insn  ( +-  0.01% )  (83.34%)
       <not supported>      LLC-loads

                8.1040 +- 0.0115 seconds time elapsed  ( +-  0.14% )

A second figure of an event stands in a line of its own, with the spread of the event behind it. `(83.34%)` is the share of the
time in which it was counted. From the print of tools/perf/util/stat-display.c (5.x, 6.x), with what 2.6.31 printed elsewhere."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from msgspec import structs

from kdelta.archive.labels import Apart, label
from kdelta.archive.numbers import PLAIN, number, parsed
from kdelta.archive.perf_events import ELAPSED, KNOWN, PROGRAM, Row, Session, block, plain, time_entry, unit_of
from kdelta.archive.reader import Reader
from kdelta.archive.text import Line, Text
from kdelta.model.published import Block, Claim, Entry, Number, Remark

NAME = "perf stat"

_HEADER = re.compile(r"\s*Performance counter stats for (?P<what>[^\n]{1,2000}?)\s*(?:\((?P<runs>\d{1,6}) runs\))?\s*:\s*$")
_INTERVALS = re.compile(r"#\s+time\s+(?:\S+\s+(?:cpus\s+)?)?counts\s+(?:unit\s+)?events\s*$")

VALUE = (
    r"<not (?:supported|counted)>|\d{1,3}(?: \d{3})+(?:[.,]\d+)?|\d{1,3}(?:\.\d{3}){2,}(?![.,]\d)"
    rf"|\d{{1,3}}(?:\.\d{{3}})+,\d+|\d+,\d{{1,2}}|{PLAIN}"
)
"""A count: thousands are parted by commas, or as the locale has it."""
UNITS = ("msec", "ms", "usec", "us", "nsec", "ns", "sec", "Joules", "KiB", "MiB", "GiB", "MB", "GB", "Bytes", "W", "C", "%")
_ROW = re.compile(
    r"\s*(?:(?P<time>\d{1,9}\.\d{9})\s+)?(?:(?P<where>CPU\d+|[SN]\d+(?:-[DC]\d+){0,2})\s+(?:\d{1,5}\s+(?=[\d<.]))?)?"
    rf"(?P<value>{VALUE})\s+(?:(?P<unit>{'|'.join(UNITS)})\s+)?"
    r"(?P<event>[A-Za-z_][^\s#()]*(?:\s\[[^\]\s]*\])?)(?:\s*\((?P<behind>msec|msecs|ms|ns)\))?(?:\s+(?P<group>[^\s#()]+))?\s*$"
)
_ERROR = re.compile(r"\(\s*\+-\s*(?P<error>\d{1,9}(?:[.,]\d{1,9})?)\s*%\s*\)")
_RUNNING = re.compile(r"[(\[](?:scaled from )?(?P<share>\d{1,3}[.,]\d\d)%[)\]]\s*$")
_DERIVED = re.compile(r"#\s*(?P<figure>[-+]?\d{1,15}(?:[.,]\d{1,9})?)\s*%?\s+(?P<words>[^#()]{1,80}?)\s*$")
_TIME = r"\d{1,3}(?:,\d{3}){1,4}\.\d{1,12}|\d{1,12}(?:[.,]\d{1,12})?"
_SECONDS = re.compile(rf"\s*(?P<value>{_TIME})\s+(?:\+-\s+(?P<error>{_TIME})\s+)?seconds (?P<what>time elapsed|user|sys)\b")
_SINGLE = re.compile(r"\s*(?P<value>\d{1,12}\.\d{1,12}) \([-+]\d{1,12}\.\d{1,12}\) #+\s*$")
_COMMA = re.compile(r"#\s*\d{1,9},\d{1,3}(?![\d.,])|\+-\s*\d{1,9},\d{1,9}\s*%")
"""Of a locale in which dots part thousands."""
_ENGLISH = re.compile(r",\d{3}[,.]|\.(?!\d{3}(?:\D|$))")
_FRAME = re.compile(r"\s{0,8}\|\s?")
_FRAMED = re.compile(r"\s{0,8}\|\s+Performance counter stats for ")
_COMMAND = re.compile(r"perf stat [^\n]{0,300}? -- (?P<what>\S[^\n]{0,300})$")
_REPEATED = re.compile(r"perf stat [^\n]{0,300}?(?:-r ?|--repeat[ =])(?P<runs>\d{1,6})\b")
_ABOVE = 3
"""Lines above means without a header in which their command stands."""
_TIMES = {"time elapsed": ELAPSED, "user": "user_s", "sys": "system_s"}
_TABLE = ("# Table of individual measurements", "# Final result")
_MOST_BLANK = 3


def read(text: Text) -> Iterator[Block]:
    """A block for each header, with the counts and times below it, and for each run of intervals."""
    lines, at, apart = _unframed(text.lines), 0, Apart()
    while at < len(lines):
        one, start = lines[at].text, at
        if "counter stats for" in one and (match := _HEADER.match(one)):
            found, at = _session(_of_header(match, lines, at, apart), lines, at + 1)
        elif "+-" in one and one.rstrip().endswith("% )"):
            found, behind = _headless(lines, at, apart)
            at = behind if found else at
        elif one.startswith("#") and _INTERVALS.match(one):
            found, at = _session(Session(NAME, PROGRAM, None), lines, at + 1)
        else:
            found = None
        at = max(at, start + 1)
        if found:
            yield found


def _unframed(lines: Sequence[Line]) -> Sequence[Line]:
    """Without the bar that mails put before each line of an output."""
    if not any(_FRAMED.match(line.text) for line in lines if "counter stats for" in line.text):
        return lines
    return [
        Line(line.number, line.text[bar.end() :], line.offset + bar.end(), line.depth) if (bar := _FRAME.match(line.text)) else line
        for line in lines
    ]


def _headless(lines: Sequence[Line], at: int, apart: Apart) -> tuple[Block | None, int]:
    """Means that were cut out below their header: events that perf has, each with its spread, and the time elapsed below them.

    The command above them says what ran, and how often.
    """
    match = _ROW.match(lines[at].text[: lines[at].text.index("(")])
    if match is None or plain(match["event"]) not in KNOWN:
        return None, at
    above = next((line.text for line in reversed(lines[max(0, at - _ABOVE) : at]) if "perf stat " in line.text), "")
    command = _COMMAND.search(above)
    runs = _REPEATED.search(above)
    what = command["what"].strip() if command else PROGRAM
    name, remarks = apart.name(label(lines, at), what, lines[at].number)
    found, behind = _session(Session(NAME, what, int(runs["runs"]) if runs else None, name, remarks), lines, at)
    whole = found is not None and any(entry.metric == ELAPSED for entry in found.entries)
    return (found, behind) if whole else (None, at)


def _of_header(match: re.Match[str], lines: Sequence[Line], at: int, apart: Apart) -> Session:
    what = match["what"].strip().strip("'") or PROGRAM
    name, remarks = apart.name(label(lines, at), what, lines[at].number)
    return Session(NAME, what, int(match["runs"] or 1), name, remarks)


def _session(session: Session, lines: Sequence[Line], at: int) -> tuple[Block | None, int]:
    """Rows up to the first line that is none, then the times, which stand below an empty line; and the place behind them."""
    rows, remarks = list[Row](), list[Remark]()
    at = _behind_blank(lines, at)
    while at < len(lines) and not _SECONDS.match(lines[at].text) and _row(lines[at], rows, remarks):
        at += 1
    if not rows:
        return None, at
    runs, times = list[Number](), list[tuple[Line, re.Match[str]]]()
    while (place := _behind_blank(lines, at)) < len(lines):
        one = lines[place]
        if match := _SECONDS.match(one.text):
            times.append((one, match))
        elif match := _SINGLE.match(one.text):
            runs.append(number(match["value"], one, match.start("value")))
        elif not one.text.lstrip().startswith(_TABLE):
            break
        at = place + 1
    made = block(session, rows, [_time(session, *each, runs) for each in times], remarks)
    claims = (*made.claims, *(claim for each in times for claim in _spread(*each)))
    return structs.replace(made, last=max(made.last, lines[at - 1].number), claims=claims), at


def _behind_blank(lines: Sequence[Line], at: int) -> int:
    """The next line that is not empty, past a few."""
    end = min(len(lines), at + _MOST_BLANK)
    return next((place for place in range(at, end) if lines[place].text.strip()), end)


def _row(line: Line, rows: list[Row], remarks: list[Remark]) -> bool:
    """Whether it is one: an event; another figure of the last one, with its spread; or the end of a line that was wrapped."""
    error, running = _ERROR.search(line.text), _RUNNING.search(line.text)
    ends = [match.start() for match in (error, running) if match]
    text = line.text[: min(ends)] if ends else line.text
    left, mark, _ = text.partition("#")
    derived = _derived(line, text, len(left)) if mark else ()
    share = number(running["share"], line, running.start("share"), comma=True) if running else None
    if not left.strip() or left.strip().startswith("Topdown"):
        if rows:
            rows[-1] = _more(rows[-1], line.number, derived, _error(line, error, rows[-1].value), share)
        if rows and not mark and ends:
            remarks.append(Remark(line.number, "the end of the line above, which was wrapped"))
        return bool(mark or (rows and ends))
    match = _ROW.match(left)
    made = _event(line, match, derived, error, share) if match else None
    if made is not None:
        rows.append(made)
    return made is not None


def _more(row: Row, line: int, derived: tuple[tuple[Number, str], ...], error: Number | None, share: Number | None) -> Row:
    return replace(row, line=line, derived=(*row.derived, *derived), error=row.error or error, running=row.running or share)


def _derived(line: Line, text: str, at: int) -> tuple[tuple[Number, str], ...]:
    match = _DERIVED.match(text, at)
    if match is None:
        return ()
    return ((number(match["figure"], line, match.start("figure"), comma=True), " ".join(match["words"].split())),)


def _error(line: Line, match: re.Match[str] | None, of: Number | None) -> Number | None:
    """In the unit of the count: it is printed in percent of it."""
    return number(match["error"], line, match.start("error"), abs(of.value) / 100.0, comma=True) if match and of else None


def _event(
    line: Line, match: re.Match[str], derived: tuple[tuple[Number, str], ...], error: re.Match[str] | None, share: Number | None
) -> Row | None:
    event = match["event"]
    unit, factor, printed = unit_of(event, match["unit"] or match["behind"] or "", match["value"])
    missing = match["value"].startswith("<")
    try:
        value = None if missing else count(match["value"], line, match.start("value"), factor)
    except ValueError:
        return None
    where = {name: match[key] for name, key in (("cpu", "where"), ("group", "group")) if match[key]}
    said, spread = match["value"] if missing else "", _error(line, error, value)
    return Row(line.number, event, value, unit, printed, said, spread, share, derived, where, match["time"] or "")


def count(text: str, line: Line, at: int, factor: float = 1.0) -> Number:
    """A number whose thousands are parted by blanks, or by dots: before a decimal comma, twice, or where another number of the line
    has a decimal comma. Raises ValueError.
    """
    flat = text.replace(" ", "")
    if _COMMA.search(line.text) and not _ENGLISH.search(text):
        flat = flat.replace(".", "").replace(",", ".")
    elif flat.count(".") > 1 or ("." in flat and "," in flat and flat.rindex(",") > flat.rindex(".")):
        flat = flat.replace(".", "")
    value, step = parsed(flat, comma=not re.fullmatch(PLAIN, flat))
    return Number(text, value * factor, step * factor, line.number, line.column(at))


def _time(session: Session, line: Line, match: re.Match[str], runs: Sequence[Number]) -> Entry:
    metric = _TIMES[match["what"]]
    value = count(match["value"], line, match.start("value"))
    error = count(match["error"], line, match.start("error")) if match["error"] else None
    percent = _ERROR.search(line.text)
    return time_entry(session, metric, value, error or _error(line, percent, value), runs if metric == ELAPSED else ())


def _spread(line: Line, match: re.Match[str]) -> Iterator[Claim]:
    """Where the spread is printed in seconds and in percent, the one follows from the other."""
    percent = _ERROR.search(line.text)
    if percent and match["error"]:
        of = count(match["error"], line, match.start("error")), count(match["value"], line, match.start("value"))
        yield Claim(
            kind="share",
            what=f"spread of {match['what']}, in percent",
            printed=number(percent["error"], line, percent.start("error"), comma=True),
            of=of,
        )


READER = Reader(
    NAME,
    ("counter stats for", "counts", "seconds time elapsed"),
    read,
    "a line `Performance counter stats for 'COMMAND'`, and below it lines of a count and an event's name; or intervals (-I)",
)
