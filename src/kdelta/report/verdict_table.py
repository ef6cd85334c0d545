"""The contrasts of one box as a table for a mail, with what a reader must know to believe it."""

from __future__ import annotations

import re
import string
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from kdelta.model.benchmark import Better
from kdelta.model.finding import missing, names
from kdelta.model.plan import EXACT, BoxSpec
from kdelta.model.verdict import Answer, Judgement, Mean, Verdict
from kdelta.model.words import WORDS, alike, called
from kdelta.report.contrasts import UP, Group, common, groups, rounds, said
from kdelta.report.figures import BLANK, amount, excluded, figures, interval, probability
from kdelta.report.heading import NOTE_COLUMN
from kdelta.report.text import WIDTH, counted, folded, key, labelled, room, underlined, wrapped

CHANGED = (Answer.FASTER, Answer.SLOWER)

# Columns that are left out where room is short, the least needed first, with what they are called then; and how long names of
# rows may be where that does not do.
LEAST_NEEDED = {10: "remarks", 9: "visible", 8: "sd", 7: "rounds"}
LONGEST = 15

# Of each column its head, how its cells are set, and the blanks before it.
HEADS = ("", "", "change", "interval", "verdict", "", "p", "rounds", "sd", "visible", "")
COLUMNS = tuple(zip(HEADS, "><><<<>>>><", (2, 1, 1, 1, 2, 1, 1, 1, 1, 1, 2), strict=True))
UNLIKE = "WARNING: these means are of unlike sets of benchmarks and cannot be compared with each other."
# What an adjustment keeps.
PROMISES = {
    "Benjamini-Hochberg": " At most {0} of what is called slower or faster is expected to be false, and {0} of what is equivalent.",
    "Holm": " The chance that anything is falsely called slower or faster is at most {0}, and so is that for equivalent.",
}


OF_OTHERS = (
    "Interval and p are from the printed figures; where something is not stated, they are the weakest of what it may have been."
)


@dataclass(frozen=True)
class _Note:
    """What is said of some rows, by their group. `texts` differ in their figures alone."""

    letter: str
    texts: dict[str, str] = field(default_factory=dict)
    rows: dict[str, list[str]] = field(default_factory=dict)


def render(judgement: Judgement, box: BoxSpec, width: int = WIDTH) -> str:
    """The table of `box` with what holds for the whole judgement below it."""
    return f"{table(judgement, box, width)}\n{legend(judgement, width)}"


def table(judgement: Judgement, box: BoxSpec, width: int = WIDTH) -> str:
    """The contrasts whose new side is on `box`, grouped by their sides, with notes and geometric means."""
    title = f"{called(box)}, {'change in instructions' if box.kind == EXACT else 'change'}:"
    return "\n".join([*underlined(title, f"({note(judgement, box)})", width, NOTE_COLUMN), body(judgement, box, width)])


def body(judgement: Judgement, box: BoxSpec, width: int = WIDTH) -> str:
    """What stands below the title. No row is broken: where they are too wide, columns are left out, and that is said."""
    found = _of(judgement, box)
    means = [mean for mean in judgement.means if mean.box.name == box.name]
    grouped = groups(judgement, found)
    silent = [group for group in grouped if _is_silent(group)]
    grid = _grid(judgement, [group for group in grouped if group not in silent], width) if len(silent) < len(grouped) else []
    whys = [wrapped(f"{one.title}: {one.verdicts[0].why} (all {len(one.verdicts)} of them)", width=width) for one in silent]
    lines = [*grid, *whys, *_means(found, means, width)] or ["Nothing was compared on this box."]
    return "\n".join(lines) + "\n"


def note(judgement: Judgement, box: BoxSpec) -> str:
    """Which direction is better on `box`."""
    directions = {verdict.new.benchmark.metric.better for verdict in _of(judgement, box)} or {Better.SMALLER}
    return f"smaller is better, but larger where {UP}" if len(directions) > 1 else f"{directions.pop().value} is better"


def _of(judgement: Judgement, box: BoxSpec) -> list[Verdict]:
    return [verdict for verdict in judgement.verdicts if verdict.new.box.name == box.name]


def _is_silent(group: Group) -> bool:
    """Whether there is nothing to show of several contrasts, for one and the same reason."""
    whys = {verdict.why for verdict in group.verdicts}
    return (
        len(group.verdicts) > 1
        and len(whys) == 1
        and "" not in whys
        and not any(one.ratio or one.doubts or missing(one) for one in group.verdicts)
    )


# ---- rows ----


def _grid(judgement: Judgement, groups: Sequence[Group], width: int) -> Iterator[str]:
    notes = _notes(judgement, groups)
    verdicts = [verdict for group in groups for verdict in group.verdicts]
    cells = [_cells(judgement, verdict, notes) for verdict in verdicts]
    lines, left_out = _fitting(f"{100.0 * (1.0 - judgement.alpha):.4g}% interval", cells, width)
    labels = {}
    if max(map(len, lines)) > room(width):
        labels = labelled((names(judgement.axis, verdict).row for verdict in verdicts), LONGEST)
        short = [(f"{labels.get(first[:-1], first[:-1])}:", *others) for first, *others in cells]
        lines, left_out = _fitting(f"{100.0 * (1.0 - judgement.alpha):.4g}% interval", short, width)
    yield from (lines[0], "-" * len(lines.pop(0)))
    for group in groups:
        yield folded(f"{group.title}:", width=width)
        yield from lines[: len(group.verdicts)]
        del lines[: len(group.verdicts)]
    yield from key(labels, width)
    yield from [wrapped(f"(left out for width: {', '.join(left_out)})", width=width)] if left_out else []
    yield from (_note(note, groups, width) for note in notes.values())


def _fitting(interval: str, rows: Sequence[Sequence[str]], width: int) -> tuple[list[str], list[str]]:
    """The head and the rows, and the columns that had to be left out."""
    lines, gone, said = list(_lines(interval, rows)), set[int](), list[str]()
    for place, word in LEAST_NEEDED.items():
        if max(map(len, lines)) <= room(width):
            break
        if any(row[place + 1] for row in rows):
            gone.add(place)
            said.append(word)
            lines = list(_lines(interval, rows, gone))
    return lines, said


def _cells(judgement: Judgement, verdict: Verdict, notes: Mapping[str, _Note]) -> tuple[str, ...]:
    """As COLUMNS, but the ends of the interval apart."""
    value, low, high = figures(verdict.ratio)
    return (
        f"{names(judgement.axis, verdict).row}:",
        UP if verdict.new.benchmark.metric.better is Better.LARGER else "",
        value,
        f"[{low}," if verdict.ratio else "",
        f"{high}]" if verdict.ratio else "",
        "no value" if missing(verdict) else verdict.answer.value,
        ",".join(notes[alike(text)].letter for text in said(verdict)),
        probability(verdict.p_adjusted, judgement.alpha),
        rounds(verdict),
        amount(verdict.sd),
        amount(verdict.visible),
        _remark(verdict, amount(judgement.margin)),
    )


def _remark(verdict: Verdict, margin: str) -> str:
    if verdict.answer is Answer.UNDECIDED:
        return excluded(verdict)
    return f"real, but below {margin}" if verdict.tiny else f"by at least {margin}" if verdict.beyond else ""


def _lines(interval: str, rows: Sequence[Sequence[str]], gone: Collection[int] = ()) -> Iterator[str]:
    """The head and the rows, without the columns that are `gone`, or in which nothing stands."""
    name, up, change, low, high, *others = zip(*rows, strict=True)
    ends = [f"{least} {most}".rstrip() for least, most in zip(_on_point(low), _on_point(high), strict=True)]
    filled = (name, up if set(up) != {UP} else (), _on_point(change), ends, *others)
    placed = enumerate(zip(COLUMNS, filled, strict=True))
    columns = [(*column, cells) for place, (column, cells) in placed if any(cells) and place not in gone]
    texts = [(interval if head == "interval" else head, *cells) for head, _, _, cells in columns]
    widths = [max(map(len, column)) for column in texts]
    for line in zip(*texts, strict=True):
        cells = zip(columns, line, widths, strict=True)
        yield "".join(f"{'':{gap}}{text:{align}{width}}" for (_, align, gap, _), text, width in cells).rstrip()


def _on_point(texts: Sequence[str]) -> list[str]:
    """Set so that their decimal points, or where those would be, lie below each other."""
    heads = [re.match(r"[^.,%\]]*", text) for text in texts]
    before = [head[0] if head else "" for head in heads]
    behind = [text[len(head) :] for text, head in zip(texts, before, strict=True)]
    left, right = (max(map(len, parts)) for parts in (before, behind))
    return [f"{head:>{left}}{tail:<{right}}" for head, tail in zip(before, behind, strict=True)]


# ---- what is said below them ----


def _notes(judgement: Judgement, groups: Iterable[Group]) -> dict[str, _Note]:
    """Kind of remark -> the remark, in the order in which they are first met."""
    notes: dict[str, _Note] = {}
    for label, verdict in ((group.label, verdict) for group in groups for verdict in group.verdicts):
        row = names(judgement.axis, verdict).row
        for text in said(verdict):
            note = notes.setdefault(alike(text), _Note(_letter(len(notes))))
            note.texts.setdefault(text, row)
            note.rows.setdefault(label, []).append(row)
    return notes


def _letter(place: int) -> str:
    tens, ones = divmod(place, len(string.ascii_lowercase))
    return (_letter(tens - 1) if tens else "") + string.ascii_lowercase[ones]


def _note(note: _Note, groups: Sequence[Group], width: int) -> str:
    """Where texts differ it is with the figures of the first row."""
    sizes = {group.label: len(group.verdicts) for group in groups}
    rows = {label: "all" if len(rows) == sizes[label] > 1 else ", ".join(rows) for label, rows in note.rows.items()}
    everywhere = len(rows) == len(groups) and set(rows.values()) == {"all"}
    where = ["all"] if everywhere else [f"{label}: {row}" if len(groups) > 1 else row for label, row in rows.items()]
    text, row = next(iter(note.texts.items()))
    of = f" (figures of {row})" if len(note.texts) > 1 else ""
    return wrapped(f"  {note.letter}) {'; '.join(where)}: {text}{of}", "     ", width=width)


def _means(found: Sequence[Verdict], means: Sequence[Mean], width: int) -> Iterator[str]:
    cost = ", each as cost" if any(verdict.new.benchmark.metric.better is Better.LARGER for verdict in found) else ""
    for mean in means:
        of = f" of {len(mean.benchmarks) + len(mean.left_out)}" if mean.left_out else ""
        said = f"{mean.new} against {mean.base}: {interval(mean.ratio)} {mean.answer.value}, {counted(mean.rounds, 'round')}"
        yield wrapped(f"Geometric mean of {len(mean.benchmarks)}{of}{cost}, {said}.", width=width).replace(BLANK, " ")
        if mean.left_out:
            yield wrapped(f"  WARNING: left out: {'; '.join(mean.left_out)}", "    ", width=width)
    if len({frozenset(mean.benchmarks) for mean in means}) > 1:
        yield folded(UNLIKE, width=width)


# ---- what holds for all of it ----


def legend(judgement: Judgement, width: int = WIDTH) -> str:
    """Below the last table: what was not compared, what chance does, and what the figures mean."""
    lines = [f"Not compared: {reason}" for reason in judgement.refused] + [_chance(judgement), " ".join(_meanings(judgement))]
    return "\n".join(wrapped(line, width=width) for line in lines) + "\n"


def _chance(judgement: Judgement) -> str:
    tested = sum(verdict.p is not None for verdict in judgement.verdicts)
    flagged = sum(verdict.answer in CHANGED for verdict in judgement.verdicts)
    alpha = f"{100.0 * judgement.alpha:.3g}%"
    if tested < 2:
        return f"Chance: {'one contrast was tested' if tested else 'nothing could be tested'}, at {alpha}; p needs no adjustment."
    promise = PROMISES.get(judgement.adjustment, "").format(alpha)
    return (
        f"Chance: {counted(tested, 'contrast')} tested, {flagged} called slower or faster; unadjusted, chance alone would give"
        f" about {judgement.alpha * tested:.2g}. p is adjusted for all of them ({judgement.adjustment}).{promise}"
    )


def _meanings(judgement: Judgement) -> Iterator[str]:
    verdicts = judgement.verdicts
    units = " or ".join(dict.fromkeys(WORDS[one.new.box.kind].unit for one in verdicts if one.new.box.kind in WORDS))
    if judgement.looks:
        yield "Interval and p hold whenever one looks, after each of the rounds {} to {}.".format(*judgement.looks)
    elif any(one.results for one in verdicts):
        yield OF_OTHERS
    else:
        yield "The number of rounds was fixed before: interval and p hold for one look, at the end."
    if any(verdict.answer in CHANGED for verdict in verdicts) and sum(verdict.p is not None for verdict in verdicts) > 1:
        yield "Intervals of slower and faster are widened, because they were picked out of many."
    if any(verdict.answer is Answer.EQUIVALENT for verdict in verdicts):
        narrow = f"{100.0 * (1.0 - 2.0 * judgement.alpha):.4g}%"
        yield f"Equivalent: its {narrow} interval lies within {amount(judgement.margin)}, and p is that of a larger change."
    if any(verdict.ratio for verdict in verdicts):
        yield f"sd: of the value of one {units or 'boot'}. visible: the least change that would be found four times in five."
    if any(verdict.needed for verdict in verdicts):
        yield "5/~30 rounds: 5 measured, about 30 needed in all."
    if any(one.results for one in verdicts):
        yield "3+5 rounds: results behind the base and the new side, ? where that is not stated."
    elif any(not common(verdict) and any(verdict.boots) for verdict in verdicts):
        yield "5+4 rounds: boots of the base and of the new side, which have no rounds in common."
    if len({verdict.new.benchmark.metric.better for verdict in verdicts}) > 1:
        yield f"{UP}: larger is better, a plus is faster."
