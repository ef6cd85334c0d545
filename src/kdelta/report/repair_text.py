"""kernbench's averages as they are printed and as they are when its loads are taken apart, and what that changes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from kdelta.model.published import Number
from kdelta.model.repaired import Conclusion, Mended, Repaired, Session
from kdelta.model.verdict import Verdict
from kdelta.report.figures import BLANK, change
from kdelta.report.presentable import escaped
from kdelta.report.text import WIDTH, counted, folded, wrapped

WHY = (
    "kernbench prints the mean of all loads so far as that of the last one; elapsed times are not touched. "
    "What is recovered is of the load's own runs; in brackets what its deviation may be, as the printed figures were rounded."
)
METRIC, NUMBER = 16, 11
UNKNOWN = "-"


def render(sessions: Sequence[Session], conclusions: Sequence[Conclusion], width: int = WIDTH) -> str:
    """A table for each log that was pooled, a line for each other one that may be; then the contrasts that change."""
    told = [one for one in sessions if one.verdict is not Mended.ALONE]
    if not told:
        return ""
    parts = [wrapped(WHY, width=width), *("\n".join(_session(one, width)) for one in told), *_changes(told, conclusions, width)]
    return "\n\n".join(parts) + "\n"


def _session(one: Session, width: int) -> Iterator[str]:
    runs = f", {' + '.join(map(str, one.runs))} runs" if one.runs else ""
    tried = "" if one.runs or not one.tried else f" (tried: {_counts(one)})"
    reason = f": {one.reason}" if one.reason else ""
    name = escaped(one.variant) or "an unnamed kernel"
    yield folded(f"kernbench log of {name}, line {one.line}{runs}: {one.verdict.value}{reason}{tried}", width=width)
    rows = [row for row in one.rows if row.mean is not None]
    for name in dict.fromkeys(row.entry.benchmark for row in rows):
        yield f"  {escaped(name)}"
        yield f"  {'':<{METRIC}}{'printed':>{NUMBER}}{'sd':>{NUMBER}}{'recovered':>{NUMBER}}{'sd':>{NUMBER}}"
        yield from (_row(row, width) for row in rows if row.entry.benchmark == name)
    for row in one.rows:
        if row.mean is None and row.reason != one.reason:
            yield folded(f"  {escaped(row.entry.benchmark)} {row.entry.metric}: cannot be repaired: {row.reason}", width=width)


def _counts(one: Session) -> str:
    return ", ".join(" + ".join(map(str, runs)) for runs in one.tried)


def _row(row: Repaired, width: int) -> str:
    figures = row.entry.figures
    texts = (_text(figures.get("mean")), _text(figures.get("sd")), _text(row.mean), _text(row.sd))
    within = f"  ({row.least:.3g} to {row.most:.3g})" if row.least is not None and row.most is not None else ""
    return folded(f"  {row.entry.metric:<{METRIC}}" + "".join(f"{text:>{NUMBER}}" for text in texts) + within, width=width)


def _text(one: Number | None) -> str:
    return UNKNOWN if one is None else escaped(one.text)


def _changes(sessions: Sequence[Session], conclusions: Sequence[Conclusion], width: int) -> Iterator[str]:
    """Only where two logs can be compared at all."""
    if not any(one.verdict in (Mended.REPAIRED, Mended.PARTLY) for one in sessions) or not conclusions:
        return
    other = [one for one in conclusions if one.is_other]
    kept = len(conclusions) - len(other)
    told = f"The answer changes for {counted(len(other), 'contrast')} of the repaired figures" if other else "No answer changes"
    also = f"; for {kept} the change alone is another" if kept else ""
    lines = [
        wrapped(f"{told}{also}:", width=width),
        *(_change(one, width) for one in (*other, *(c for c in conclusions if not c.is_other))),
    ]
    yield "\n".join(lines)


def _change(one: Conclusion, width: int) -> str:
    new, base = one.printed.new, one.printed.base
    what = f"{new.benchmark.name} {new.benchmark.metric.name}, {new.variant} against {base.variant}"
    return folded(f"  {escaped(what)}: printed {_said(one.printed)}; repaired {_said(one.repaired)}", "      ", width=width)


def _said(verdict: Verdict) -> str:
    """`-0.1% [-2.4, +2.2] undecided`."""
    return f"{change(verdict).replace(BLANK, ' ')} {verdict.answer.value}" if verdict.ratio else f"{UNKNOWN} {verdict.answer.value}"
