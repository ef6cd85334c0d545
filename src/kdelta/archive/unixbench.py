"""Reports of UnixBench (its script Run, 4.1 to 6), whole or only the tables of indexes, as mails have them.

       OS: GNU/Linux -- 6.7.0-rc8 -- #1 SMP Mon Jan  1 12:15:13 CST 2024
    36 CPUs in system; running 1 parallel copy of tests
    File Copy 1024 bufsize 2000 maxblocks       1675624.0 KBps  (30.0 s, 7 samples)

    System Benchmarks Partial Index              BASELINE       RESULT    INDEX
    File Copy 1024 bufsize 2000 maxblocks          3960.0    1675624.0   4231.4
                                                                       ========
    System Benchmarks Index Score (Partial Only)                         4231.4

A result is of the best two thirds of its samples. An index is ten times the result by that of the baseline, the score the geometric
mean of the indexes. Where no kernel is named, the line above a table may label it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from kdelta.archive.headed import Heading, base_first, heading_above
from kdelta.archive.reader import Reader
from kdelta.archive.text import Line, Text
from kdelta.archive.unixbench_lines import (
    CPUS,
    HEADER,
    OS,
    RULE,
    RUN,
    SYSTEM,
    UNITS,
    VERSION,
    Indexed,
    Raw,
    Score,
    indexed,
    raw,
    score,
    test,
)
from kdelta.model.benchmark import Better
from kdelta.model.published import Block, Claim, Entry, Number, Remark

NAME = "unixbench"
PROGRAM = "unixbench"

_LONGEST = 400
"""Characters of a line that may be of a report."""
_LABEL_LINES = 4
"""Above a table, in which its label may stand."""
_LABEL = re.compile(r"\s*(?:(?:\d|[A-Za-z])[.)]\s{1,3})?(?P<label>\S[^.,;:=]{0,40}?\S?):?\s*$")
_LABEL_WORDS = 4
_COMMAND = re.compile(r"\s*(?:[#$]|\S*/?Run\b|numactl\b|time\b)")
_INDEX_FACTOR = 10.0


class _Run:
    """The tests that ran together, on `host` with `kernel` or under a `label`; `place` is where it begins, in the lines."""

    def __init__(self, place: int, line: int, label: str, report: _Report) -> None:
        self.place, self.first, self.last = place, line, line
        self.kernel, self.host, self.facts = report.kernel, report.host, dict(report.facts)
        self.label = "" if report.kernel else label
        self.copies = ""
        self.raws = dict[str, Raw]()
        self.rows = list[Indexed]()
        self.score: Score | None = None
        self.remarks = list[Remark]()
        self.again = 1

    @property
    def named(self) -> str:
        return self.kernel or self.label

    @property
    def variant(self) -> str:
        """Another one for each run that has the name of one above it."""
        return f"{self.named} ({self.again})".strip() if self.again > 1 else self.named

    @property
    def is_indexed(self) -> bool:
        return bool(self.rows) or self.score is not None

    def printed(self) -> tuple[str, ...]:
        return *(one.score.text for one in self.raws.values()), *(one.result.text for one in self.rows)

    @property
    def measured(self) -> set[tuple[str, str, str]]:
        """No two runs of one variant may have measured the same."""
        return {(self.named, one, self.copies) for one in (*self.raws, *(row.name for row in self.rows))}


class _Report:
    """What the head of a report says of the runs below it."""

    def __init__(self) -> None:
        self.kernel = self.host = ""
        self.facts = dict[str, str]()

    def reads(self, line: Line) -> bool:
        """Whether the line is of the head."""
        if match := VERSION.match(line.text):
            self.kernel = self.host = ""
            self.facts = {"UnixBench": match["version"]}
        elif match := SYSTEM.match(line.text):
            self.host = match["host"]
        elif match := OS.match(line.text):
            self.kernel = match["kernel"]
        elif match := RUN.match(line.text):
            self.facts["run"] = match["when"]
        return match is not None


def read(text: Text) -> Iterator[Block]:
    """A block for each run, and one for two that a percentage compares."""
    lines = text.lines
    runs = _told_apart(_runs(lines))
    place = 0
    while place < len(runs):
        heading = heading_above(lines, runs[place].place)
        if heading and place + 1 < len(runs) and runs[place].score and runs[place + 1].score:
            yield _pair(heading, runs[place], runs[place + 1])
            place += 2
        else:
            yield _block([runs[place]])
            place += 1


def _runs(lines: Sequence[Line]) -> Iterator[_Run]:
    report, run, label = _Report(), None, ""
    in_table = False
    for place, line in enumerate(lines):
        if len(line.text) > _LONGEST or report.reads(line):
            continue
        cpus = CPUS.match(line.text)
        is_header = HEADER.match(line.text) is not None
        found = None if cpus or is_header else raw(line)
        if cpus or ((is_header or found) and (run is None or run.is_indexed)):
            if run and (run.raws or run.is_indexed):
                yield run
            run = _Run(place, line.number, label or _label(lines, place), report)
            label = ""
        if run is None:
            continue
        if cpus:
            _of_machine(run, cpus, line)
        elif found:
            run.raws[found.name] = found
            run.last = line.number
        in_table = is_header or (in_table and _in_table(run, line))
        if run.score and not label:
            label, in_table = run.score.rest.removesuffix(":"), False
    if run and (run.raws or run.is_indexed):
        yield run


def _in_table(run: _Run, line: Line) -> bool:
    """Whether the table goes on; its row, or its score, is added."""
    if row := indexed(line):
        run.rows.append(row)
        run.last = line.number
    elif found := score(line):
        run.score = found
        run.last = line.number
        return False
    return row is not None or not line.text.strip() or RULE.match(line.text) is not None


def _of_machine(run: _Run, match: re.Match[str], line: Line) -> None:
    run.copies = match["copies"]
    run.facts |= {"CPUs": match["cpus"], "copies": match["copies"]}
    if int(match["cpus"]) == 0:
        run.remarks.append(Remark(line.number, "UnixBench counted no CPU: how many there were is not known"))


def _label(lines: Sequence[Line], place: int) -> str:
    """What the nearest line above says, if it is short and no sentence. Empty where there is none."""
    for line in reversed(lines[max(0, place - _LABEL_LINES) : place]):
        text = line.text
        if not text.strip() or RULE.match(text) or _COMMAND.match(text) or CPUS.match(text) or RUN.match(text):
            continue
        match = _LABEL.match(text)
        return match["label"] if match and len(match["label"].split()) <= _LABEL_WORDS else ""
    return ""


def _told_apart(runs: Iterator[_Run]) -> list[_Run]:
    """A second run of the same tests under the same name gets another; one that has the same numbers is the same run, quoted."""
    found, seen = list[_Run](), dict[tuple[str, str, str], dict[tuple[str, ...], int]]()
    for run in runs:
        before = next((seen[one] for one in sorted(run.measured) if one in seen), dict[tuple[str, ...], int]())
        seen |= dict.fromkeys(run.measured - seen.keys(), before)
        run.again = before.setdefault(run.printed(), len(before) + 1)
        if run.again > 1:
            name = run.named or "no named kernel"
            run.remarks.append(Remark(run.first, f"the text has another run of {name} above: this one is {run.variant}"))
        found.append(run)
    return found


def _pair(heading: Heading, first: _Run, second: _Run) -> Block:
    """The worse of the two is the base where the percentage is a plus: plus is better."""
    scores = [run.score.score for run in (first, second) if run.score]
    base, new = base_first(heading, (first, second), scores, Better.LARGER)
    block = _block([base, new])
    of = tuple(run.score.score for run in (base, new) if run.score)
    what = f"{heading.name}, {new.variant} against {base.variant}"
    claim = Claim(kind="change", what=what, printed=heading.change, of=of, better=Better.LARGER)
    remark = Remark(heading.change.line, f"plus is taken as better, and so {base.variant} as what {new.variant} is compared with")
    return Block(
        format=block.format,
        title=heading.name,
        first=heading.change.line,
        last=block.last,
        entries=block.entries,
        claims=(*block.claims, claim),
        remarks=(*block.remarks, remark),
        facts=block.facts,
    )


def _block(runs: Sequence[_Run]) -> Block:
    return Block(
        format=NAME,
        first=min(run.first for run in runs),
        last=max(run.last for run in runs),
        entries=tuple(entry for run in runs for entry in _entries(run)),
        claims=tuple(claim for run in runs for claim in _claims(run)),
        remarks=tuple(remark for run in runs for remark in run.remarks),
        facts=runs[0].facts,
    )


def _entries(run: _Run) -> Iterator[Entry]:
    for found in run.raws.values():
        yield _result(run, found.name, found.score, found.unit, found.samples)
    for row in run.rows:
        measured = run.raws.get(row.name)
        if measured is None:
            yield _result(run, row.name, row.result, test(row.name)[1], None)
        elif measured.score.text != row.result.text:
            said = f"{row.name} is {row.result.text} in the table, and {measured.score.text} where it was measured"
            run.remarks.append(Remark(row.result.line, said))
        if row.points:
            yield _index(run, _benchmark(run, row.name), row.points)
    if run.score:
        yield _index(run, _named(run, PROGRAM), run.score.score)


def _result(run: _Run, name: str, found: Number, unit: str, count: int | None) -> Entry:
    return Entry(
        variant=run.variant,
        box=run.host,
        program=PROGRAM,
        benchmark=_benchmark(run, name),
        metric="throughput",
        unit=UNITS[unit][0] if unit else "",
        printed_unit=unit,
        better=Better.LARGER,
        parameters={"copies": run.copies} if run.copies else {},
        figures={"value": found},
        count=count,
        boots=False if count else None,
    )


def _index(run: _Run, benchmark: str, found: Number) -> Entry:
    return Entry(
        variant=run.variant,
        box=run.host,
        program=PROGRAM,
        benchmark=benchmark,
        metric="index",
        better=Better.LARGER,
        parameters={"copies": run.copies} if run.copies else {},
        figures={"value": found},
    )


def _benchmark(run: _Run, name: str) -> str:
    return _named(run, f"{PROGRAM}-{test(name)[0]}")


def _named(run: _Run, name: str) -> str:
    """With the copies, where there are several at once."""
    return f"{name}-x{run.copies}" if run.copies not in ("", "1") else name


def _claims(run: _Run) -> Iterator[Claim]:
    variant = f", {run.variant}" if run.variant else ""
    for row in run.rows:
        if row.points and row.baseline:
            pair = (row.result, row.baseline)
            yield Claim(kind="quotient", what=f"index of {row.name}{variant}", printed=row.points, of=pair, factor=_INDEX_FACTOR)
    if run.score:
        of = tuple(row.points for row in run.rows if row.points)
        missing = "" if of else "the table of indexes is not in the text"
        yield Claim(kind="gmean", what=f"index score{variant}", printed=run.score.score, of=of, missing=missing)


READER = Reader(
    NAME,
    ("Benchmarks Index Score", " samples)", "parallel cop", "BASELINE", "FINAL SCORE"),
    read,
    "UnixBench's lines `Execl Throughput  2021.4 lps (30.0 s, 2 samples)`, and its tables with the header `BASELINE RESULT INDEX`",
)
