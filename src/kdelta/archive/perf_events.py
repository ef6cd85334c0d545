"""What `perf stat` counted, in whichever form it was printed: rows of one event each become entries, remarks and claims.

perf prints means over its runs, and behind `+-` the standard error of the mean, in percent of it (tools/perf/util/stat.c,
stddev_stats): it is kept as `error`, never taken for a standard deviation. Figures behind `#` follow from the counts beside them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from msgspec import structs

from kdelta.archive.units import base
from kdelta.model.benchmark import Better
from kdelta.model.boot import CellState
from kdelta.model.published import Block, Claim, Entry, Number, Remark

PROGRAM = "perf stat"
ELAPSED = "elapsed_s"
CLOCKS = ("task-clock", "cpu-clock", "task-clock-msecs")
CYCLES = ("cycles", "cpu-cycles")
INSTRUCTIONS = ("instructions",)
SMALLER = (*CLOCKS, ELAPSED, "user_s", "system_s", "duration_time")
"""Less of these is better; of other counts nobody says which direction is."""
KNOWN = frozenset(
    (
        *CLOCKS,
        *CYCLES,
        *INSTRUCTIONS,
        *("context-switches", "cpu-migrations", "page-faults", "faults", "minor-faults", "major-faults", "branches"),
        *("branch-instructions", "branch-misses", "cache-references", "cache-misses", "stalled-cycles-frontend", "bus-cycles"),
        *("stalled-cycles-backend", "ref-cycles", "duration_time", "alignment-faults", "emulation-faults", "CPU-migrations"),
        *(f"{cache}-{what}" for cache in ("L1-dcache", "L1-icache", "LLC", "dTLB", "iTLB") for what in ("loads", "load-misses")),
        *(f"{cache}-{what}" for cache in ("L1-dcache", "LLC", "dTLB", "node") for what in ("stores", "store-misses")),
        *("node-loads", "node-load-misses"),
    )
)
"""Events by whose names a row is known where nothing else says what it is."""

_WHOLE = re.compile(r"\d{1,3}(?:[., ]\d{3}){1,6}|\d{1,18}")
_RATES = {"/sec": 1.0, "K/sec": 1e-3, "M/sec": 1e-6, "G/sec": 1e-9, "GHz": 1e-9}
_PER_CYCLE = ("insn per cycle", "insns per cycle", "IPC")
_OF_ALL = {
    "branches": ("branches", "branch-instructions"),
    "cache refs": ("cache-references",),
    "L1-dcache": ("L1-dcache-loads",),
    "L1-icache": ("L1-icache-loads",),
    "dTLB": ("dTLB-loads",),
    "iTLB": ("iTLB-loads",),
    "LL-cache": ("LLC-loads",),
    "LLC": ("LLC-loads",),
}
"""What a share is of, by the words behind "of all"."""
_MOST_NAMED = 40


@dataclass(frozen=True)
class Row:
    """One event. `value` is in base units, None where it was not counted: then `said` is what is printed in its place. `error` is
    in the unit of the value; `running` is the share of the time, in percent, in which the event was counted. `derived` are the
    figures behind `#`, with their words. `where` is the CPU, node or group of which it is; `time` the interval's stamp.
    """

    line: int
    event: str
    value: Number | None
    unit: str = ""
    printed_unit: str = ""
    said: str = ""
    error: Number | None = None
    running: Number | None = None
    derived: tuple[tuple[Number, str], ...] = ()
    where: dict[str, str] = field(default_factory=dict)
    time: str = ""

    @property
    def place(self) -> tuple[str, ...]:
        return self.time, *self.where.values()


def unit_of(event: str, printed: str, value: str = "") -> tuple[str, float, str]:
    """The base unit, one of the printed unit in it, and that.

    Where perf leaves out that of a clock, it is in milliseconds, with decimals; since 6.17 in nanoseconds, of which `value` is a
    whole number.
    """
    clock = "nsec" if _WHOLE.fullmatch(value) else "msec"
    shown = printed or (clock if plain(event) in CLOCKS else "")
    unit, factor = base(shown) if shown else ("", 1.0)
    return unit, factor, shown


def plain(event: str) -> str:
    """Without modifiers and the unit that counted it: cpu_core/cycles/u and cycles:u are cycles."""
    name = event.split("/")[1] if event.count("/") >= 2 else event
    return name.partition(":")[0]


@dataclass(frozen=True)
class Session:
    """What is known of one `perf stat`. `runs` is None where it is not said."""

    format: str
    benchmark: str
    runs: int | None
    variant: str = ""
    remarks: tuple[Remark, ...] = ()


def block(session: Session, rows: Sequence[Row], extra: Sequence[Entry] = (), remarks: Sequence[Remark] = ()) -> Block:
    """Of all rows of one session; `extra` are its times, which are entries already."""
    entries = (*_entries(session, rows), *extra)
    times = {one.metric: number for one in extra if (number := _first(one))}
    facts = dict[str, str]()
    if any(row.error for row in rows):
        facts["error"] = "the standard error of the mean over the runs, printed in percent of the mean"
    if shared := [row for row in rows if row.value and row.running and row.running.value < 100.0]:
        named = {row.event: row.running.text for row in reversed(shared) if row.running}
        listed = [f"{event} {share} %" for event, share in reversed(named.items())]
        facts["counted"] = "of the time: " + ", ".join(listed[:_MOST_NAMED])
    claims, unlike = _settled(session, rows, list(_claims(rows, times)))
    return Block(
        format=session.format,
        title=session.benchmark,
        first=rows[0].line,
        last=max(row.line for row in rows),
        entries=entries,
        claims=tuple(claims),
        remarks=(*session.remarks, *remarks, *unlike, *_doubts(rows, shared)),
        facts=facts,
    )


def _first(entry: Entry) -> Number | None:
    return next(iter((*entry.figures.values(), *entry.samples)), None)


def _entries(session: Session, rows: Iterable[Row]) -> Iterable[Entry]:
    """One for each event and place; the rows of several intervals are its samples."""
    found: dict[tuple[str, ...], list[Row]] = {}
    for row in rows:
        found.setdefault((row.event, *row.where.values()), []).append(row)
    return [_entry(session, group) for group in found.values()]


def _entry(session: Session, rows: Sequence[Row]) -> Entry:
    first, values = rows[0], [row.value for row in rows if row.value]
    many = bool(first.time) or len(rows) > 1
    single = many or session.runs == 1
    figures = {} if single or not values else {"mean" if session.runs or first.error else "value": values[0]}
    if first.error and not single:
        figures["error"] = first.error
    missing = not values
    return Entry(
        variant=session.variant,
        program=PROGRAM,
        benchmark=session.benchmark,
        metric=first.event,
        unit=first.unit,
        printed_unit=first.printed_unit,
        better=Better.SMALLER if plain(first.event) in SMALLER else None,
        parameters=first.where,
        samples=tuple(values) if single else (),
        figures=figures,
        count=len(values) or None if many else session.runs,
        boots=False if many else None,
        state=CellState.NOT_HERE if missing else CellState.OK,
        reason=first.said if missing else "",
    )


def time_entry(session: Session, metric: str, value: Number, error: Number | None = None, runs: Sequence[Number] = ()) -> Entry:
    """One of the lines below the counts: seconds elapsed, user, sys. `runs` are single results, where a table has them."""
    single = session.runs == 1
    figures = {} if single else {"mean" if session.runs else "value": value, **({"error": error} if error else {})}
    return Entry(
        variant=session.variant,
        program=PROGRAM,
        benchmark=session.benchmark,
        metric=metric,
        unit="s",
        printed_unit="s",
        better=Better.SMALLER,
        samples=(value,) if single else tuple(runs),
        figures=figures,
        count=session.runs,
    )


def _claims(rows: Sequence[Row], times: dict[str, Number]) -> Iterable[Claim]:
    counted: dict[tuple[str, ...], dict[str, Number]] = {}
    for row in rows:
        if row.value:
            counted.setdefault(row.place, dict(times)).setdefault(_key(row.event), row.value)
            counted[row.place].setdefault(plain(row.event), row.value)
    return [_claim(row, printed, words, counted.get(row.place, times)) for row in rows for printed, words in row.derived]


def _settled(session: Session, rows: Sequence[Row], claims: list[Claim]) -> tuple[list[Claim], list[Remark]]:
    """Of several runs perf prints means, and behind `#`, in some versions, what the last run alone had: where one of these figures
    does not follow from the means, none is asked to.
    """
    many = (session.runs or 1) > 1 or any(row.error for row in rows)
    if not many or all(_follows(one) for one in claims if one.of):
        return claims, []
    why = "it is of the last of several runs, and not of their means"
    said = "what stands behind # does not follow from the means: perf prints that of the last run"
    return [structs.replace(one, of=(), missing=why) if one.of else one for one in claims], [Remark(rows[0].line, said)]


def _follows(claim: Claim) -> bool:
    """Whether it is the quotient of its numbers, but for what rounding makes of them."""
    of, by = claim.of
    if by.value == 0.0:
        return True
    again = claim.factor * of.value / by.value * (100.0 if claim.kind == "share" else 1.0)
    rounding = abs(again) * (of.step / max(abs(of.value), of.step) + by.step / abs(by.value)) if of.value else 0.0
    more = again - claim.printed.value
    return -claim.printed.step / 2.0 - rounding <= more <= claim.printed.step + rounding


def _key(event: str) -> str:
    """With the unit that counted it, where one is named: cpu_core's cycles are not cpu_atom's."""
    return event.rstrip("ukhGHpP").rstrip(":")


def _claim(row: Row, printed: Number, words: str, counted: dict[str, Number]) -> Claim:
    kind, names, divisor, factor = _rule(row, words, counted)
    what = f"{row.event}, {words}"
    if not kind:
        return Claim(kind="quotient", what=what, printed=printed, missing="perf computes it by a formula of its own")
    of = next((counted[name] for name in _with_unit(row.event, names) if name in counted), None)
    by = next((counted[name] for name in _with_unit(row.event, divisor) if name in counted), None)
    if of is None or by is None:
        return Claim(kind=kind, what=what, printed=printed, missing=f"{(names if of is None else divisor)[0]} is not in the text")
    return Claim(kind=kind, what=what, printed=printed, of=(of, by), factor=factor)


def _with_unit(event: str, names: Sequence[str]) -> Iterable[str]:
    """The same unit's first: behind cpu_core/instructions/ that is cpu_core/cycles/."""
    unit = event.partition("/")[0] if event.count("/") >= 2 else ""
    return (*(f"{unit}/{name}/" for name in names), *names) if unit else names


def _rule(row: Row, words: str, counted: dict[str, Number]) -> tuple[str, Sequence[str], Sequence[str], float]:
    """Kind, dividend, divisor and factor, for what perf prints behind this event; no kind for what it does not say."""
    own = (_key(row.event), plain(row.event))
    if words in _RATES:
        return "quotient", own, CLOCKS, _RATES[words]
    if words in _PER_CYCLE:
        return "quotient", own, CYCLES, 1.0
    if words in ("CPUs utilized", "CPUs"):
        return "quotient", own, (ELAPSED,), 1.0
    if words in ("frontend cycles idle", "backend cycles idle"):
        return "share", own, CYCLES, 1.0
    if words == "stalled cycles per insn":
        stalled = [name for name in ("stalled-cycles-frontend", "stalled-cycles-backend") if name in counted]
        most = max(stalled, key=lambda name: counted[name].value, default="stalled-cycles-backend")
        return "quotient", (most,), INSTRUCTIONS, 1.0
    if words.startswith("of all "):
        whole = next((names for start, names in _OF_ALL.items() if words[7:].startswith(start)), None)
        return ("share", own, whole, 1.0) if whole else ("", (), (), 1.0)
    return "", (), (), 1.0


def _doubts(rows: Sequence[Row], shared: Sequence[Row]) -> Iterable[Remark]:
    if shared:
        least = min(row.running.value for row in shared if row.running)
        yield Remark(
            shared[0].line,
            f"{len({row.event for row in shared})} events shared the counters, the least for {least:g} % of the time: "
            "their counts are estimates for the whole of it",
        )
    for row in rows:
        for printed, words in row.derived:
            if words.startswith("of all ") and printed.value > 100.0:
                reason = "they were not counted at the same time" if row.running and row.running.value < 100.0 else "that cannot be"
                yield Remark(row.line, f"{row.event} are {printed.text} % {words}, more than all: {reason}")
    stamps = dict.fromkeys(row.time for row in rows if row.time)
    if len(stamps) > 1 or (stamps and rows[0].time):
        yield Remark(
            rows[0].line,
            f"counts of {len(stamps)} interval{'' if len(stamps) == 1 else 's'} of one run, in the order of time: "
            "the first may have begun before the load, and the last be cut",
        )
