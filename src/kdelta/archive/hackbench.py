"""hackbench's output in its three generations, one run or many below each other.

    Running with 10*40 (== 400) tasks.
    Time: 0.770

    Running in process mode with 10 groups using 40 file descriptors each (== 400 tasks)
    Each sender will pass 100 messages of 100 bytes          (later: passed 100 messages of 100 bytes in average)
    Time: 0.770

The first is the original of 2002, as autotest has it, the second that of rt-tests. Times are seconds, of all tasks together. Below
a command `hackbench -g 10 -l 100` lines `Time: 0.770` are read too: in mails the rest is often left out. A run that failed prints
no time.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import msgspec

from kdelta.archive.numbers import PLAIN
from kdelta.archive.reader import Reader
from kdelta.archive.runs import Above, Printed, coarse, figure, grouped, instance, once, repeated, started, variants
from kdelta.archive.text import Line, Text
from kdelta.model.benchmark import Better
from kdelta.model.boot import CellState
from kdelta.model.published import Block, Discarded, Entry, Number, Remark

NAME = "hackbench"

REACH = 40
"""Lines below a command, or a run's first line, in which its time stands."""
LONGEST_LINE = 400
USUAL = {"groups": "10", "loops": "100", "bytes": "100", "descriptors": "40"}
"""What hackbench does unless told: a name says only what differs, but the groups."""

_OLD = re.compile(r"\s*Running with (?P<groups>\d{1,9})\*(?P<each>\d{1,6}) \(== (?P<tasks>\d{1,12})\) tasks\.?\s*$")
_NEW = re.compile(
    r"\s*Running in (?P<mode>\w{1,20}) mode with (?P<groups>\d{1,9}) groups using (?P<descriptors>\d{1,9}) "
    r"file descriptors each \(== (?P<tasks>\d{1,12}) tasks\)\s*$"
)
_WRAPPED = re.compile(r"\s*Running in \w{1,20} mode\b")
_SENDER = re.compile(r"\s*Each sender (?:will pass|passed) (?P<loops>\d{1,12}) messages of (?P<bytes>\d{1,9}) bytes\b")
_TIME = re.compile(rf"\s*Time: ?(?P<time>{PLAIN})(?: {{0,4}}(?:s|secs?|seconds))?\s*$")
_ITERATION = re.compile(r"\s*Iterations? ?: ?\d+\s*$")
_BARE = re.compile(rf"\s*hackbench (?P<groups>\d{{1,9}}): ?(?P<time>{PLAIN})(?: {{0,4}}(?:s|secs?|seconds))?\s*$")
_TROUBLE = re.compile(
    r"too many open files|resource temporarily unavailable|cannot allocate|out of memory|not permitted|broken pipe|killed|"
    r"segmentation|no space left|\berror\b|\bfail(?:ed|ure)\b",
    re.IGNORECASE,
)
_WORD = re.compile(r"-{1,2}[\w-]{1,20}(?:=\d{1,12})?|\d{1,12}|process|threads?")
_SHORT = {"-g": "groups", "-l": "loops", "-s": "bytes", "-f": "pairs"}
_LONG = {"--groups": "groups", "--loops": "loops", "--datasize": "bytes", "--fds": "pairs"}
_FLAGS = {
    "-p": ("over", "pipe"),
    "--pipe": ("over", "pipe"),
    "-T": ("as", "thread"),
    "--threads": ("as", "thread"),
    "-P": ("as", "process"),
    "--process": ("as", "process"),
    "thread": ("as", "thread"),
    "threads": ("as", "thread"),
    "process": ("as", "process"),
}


@dataclass
class Run:
    """One run: `words` stand above it, `at` is when it was called, `again` that a loop or a log called it once more."""

    line: Line
    words: str
    instance: str
    at: str
    again: bool
    parameters: dict[str, str] = field(default_factory=dict)
    time: Number | None = None
    trouble: str = ""

    @property
    def benchmark(self) -> str:
        """As in our catalogue where the load is the same: hackbench-50. What differs from the usual stands behind."""
        of = {**USUAL, **self.parameters}
        parts = ["hackbench", *([of["groups"]] if "groups" in self.parameters else [])]
        parts += [of[one] for one, usual in (("as", "process"), ("over", "socket")) if of.get(one, usual) != usual]
        parts += [
            f"{of[one]}{sign}" for one, sign in (("bytes", "b"), ("loops", "x"), ("descriptors", "d")) if of[one] != USUAL[one]
        ]
        return "-".join(parts)


def read(text: Text) -> Iterator[Block]:
    """One block for all runs of a text: which of them are of one variant, and of one load, is seen only from all."""
    every = list(_Parser().runs(text.lines))
    kept, remarks = once([Printed(run.line, run.words, run.benchmark, (run.time.text,) if run.time else ()) for run in every])
    if every:
        yield _block([every[place] for place in kept], remarks)


class _Parser:
    """Where the reader is: what was called last, and the run that is not at its end."""

    def __init__(self) -> None:
        self.above = Above()
        self.options: dict[str, str] = {}
        self.called_at = -REACH
        self.instance, self.at = "", ""
        self.again = False
        self.run: Run | None = None
        self.last: Run | None = None

    def runs(self, lines: Sequence[Line]) -> Iterator[Run]:
        place = 0
        while place < len(lines):
            whole = _unwrapped(lines, place)
            line = whole or lines[place]
            if len(line.text) <= LONGEST_LINE:
                yield from self._line(line)
            place += 2 if whole else 1
        yield from self._ended()

    def _line(self, line: Line) -> Iterator[Run]:
        if match := _OLD.match(line.text) or _NEW.match(line.text):
            yield from self._ended()
            self.run = self._begun(line, _printed(match))
        elif match := _SENDER.match(line.text):
            self._loops(match)
        elif match := _TIME.match(line.text):
            yield from self._time(line, match)
        elif match := _BARE.match(line.text):
            run = self._begun(line, {"groups": match["groups"]})
            run.time = figure(match, "time", line)
            yield run
        elif (options := _command(line.text)) is not None:
            yield from self._ended()
            self._called(line, options)
        else:
            yield from self._other(line)

    def _begun(self, line: Line, parameters: dict[str, str]) -> Run:
        asked, printed = self.options.get("groups"), parameters.get("groups")
        called = self.options if None in (asked, printed) or asked == printed else {}
        return Run(line, self.above.take(), self.instance, self.at, self.again, {**called, **parameters})

    def _loops(self, match: re.Match[str]) -> None:
        run = self.run or self.last
        if run is not None:
            run.parameters |= {"loops": match["loops"], "bytes": match["bytes"]}

    def _time(self, line: Line, match: re.Match[str]) -> Iterator[Run]:
        if self.run is None and line.number - self.called_at < REACH:
            self.run = self._begun(line, {})
        if self.run is not None:
            self.run.time = figure(match, "time", line)
            self.called_at = line.number
            yield from self._ended()

    def _called(self, line: Line, options: dict[str, str]) -> None:
        self.options, self.called_at, self.at = options, line.number, started(line)
        self.again = self.again or bool(self.at) or line.text.lstrip().startswith(("for ", "while "))

    def _other(self, line: Line) -> Iterator[Run]:
        if number := instance(line):
            yield from self._ended()
            self.instance, self.options = number, {}
        elif _ITERATION.match(line.text):
            yield from self._ended()
            self.again = True
        elif self.run is not None and line.number - self.run.line.number >= REACH:
            yield from self._ended()
        elif (self.run is not None or line.number - self.called_at <= 2) and _TROUBLE.search(line.text):
            yield from self._trouble(line)
        elif self.run is None:
            self.above.see(line)

    def _trouble(self, line: Line) -> Iterator[Run]:
        """In a run, or right below a command that printed nothing else."""
        if self.run is not None:
            self.run.trouble = self.run.trouble or line.text.strip()[:200]
        elif 0 < line.number - self.called_at <= 2 and self.options:
            self.run = self._begun(line, {})
            self.run.trouble = line.text.strip()[:200]
            yield from self._ended()
        else:
            self.above.see(line)

    def _ended(self) -> Iterator[Run]:
        if self.run is not None:
            self.last, self.run = self.run, None
            yield self.last


def _unwrapped(lines: Sequence[Line], place: int) -> Line | None:
    """A run's own first line that a mail wrapped, with its end; None where it is whole, or none."""
    text = lines[place].text
    if not _WRAPPED.match(text) or _NEW.match(text) or place + 1 == len(lines):
        return None
    joined = f"{text.rstrip()} {lines[place + 1].text.strip()}"
    return msgspec.structs.replace(lines[place], text=joined) if _NEW.match(joined) else None


def _printed(match: re.Match[str]) -> dict[str, str]:
    """What a run's own first line says."""
    found = match.groupdict()
    mode = found.pop("mode", None)
    found.pop("each", None)
    return found | ({"as": "thread" if mode.startswith("thread") else mode} if mode else {})


def _command(text: str) -> dict[str, str] | None:
    """The options of a line that calls hackbench; None of one that does not: prose may name it too."""
    start = text.find("hackbench")
    if start < 0 or (start > 0 and text[start - 1] not in " \t/;"):
        return None
    words = re.split(r"[;|&>)`\"']", text[start + len("hackbench") :][:200], maxsplit=1)[0].split()
    if not words or not all(_WORD.fullmatch(word) for word in words):
        return None
    return _options(words)


def _options(words: Sequence[str]) -> dict[str, str]:
    """`-g 10 -l 100`, `--groups=10`, and the original's `10 process 100`."""
    found: dict[str, str] = {}
    plain = iter(("groups", "loops"))
    expected = ""
    for word in words:
        name, _, value = word.partition("=")
        if word.isdecimal():
            key = expected or next(plain, "")
            found |= {key: word} if key else {}
            expected = ""
        elif word in _FLAGS:
            found |= dict([_FLAGS[word]])
        elif value:
            found |= {_LONG[name]: value} if name in _LONG else {}
        else:
            expected, rest = (_LONG | _SHORT).get(word, ""), word[2:]
            found |= {_SHORT[word[:2]]: rest} if word[:2] in _SHORT and rest.isdecimal() else {}
    if pairs := found.pop("pairs", ""):
        found["descriptors"] = str(2 * int(pairs))
    return found


def _block(runs: Sequence[Run], doubled: Sequence[Remark]) -> Block:
    names = _benchmarks(runs)
    named = variants([(run.words, name) for run, name in zip(runs, names, strict=True)])
    groups = grouped(runs, named, names)
    lines = [one.line for run in runs for one in (run.line, run.time) if isinstance(one, Number)] + [
        run.line.number for run in runs
    ]
    return Block(
        format=NAME,
        title=runs[0].words if not any(named) else "",
        first=min(lines),
        last=max(lines),
        entries=tuple(_entry(variant, name, of) for (variant, name), of in groups.items()),
        remarks=(*doubled, *_remarks(runs, named, groups)),
    )


def _benchmarks(runs: Sequence[Run]) -> list[str]:
    """The load's name. Of instances that ran the same load at once each has its own: their results are not repetitions."""
    first: dict[str, str] = {}
    found = []
    for run in runs:
        name = run.benchmark
        own = first.setdefault(name, run.instance) != run.instance
        found.append(f"{name}-instance-{run.instance}" if own else name)
    return found


def _entry(variant: str, name: str, runs: Sequence[Run]) -> Entry:
    """Times that are no times are kept beside the others; runs without any fail only where no other did not."""
    times = [run.time for run in runs if run.time is not None]
    good = tuple(one for one in times if one.value > 0.0)
    return Entry(
        variant=variant,
        program="hackbench",
        benchmark=name,
        metric="time",
        unit="s",
        printed_unit="s",
        better=Better.SMALLER,
        parameters=runs[0].parameters,
        samples=good,
        discarded=tuple(Discarded(one, "no time is zero or less") for one in times if one.value <= 0.0),
        boots=False if len(good) > 1 and all(run.again for run in runs) else None,
        state=CellState.OK if times else CellState.FAILED,
        reason="" if times else _why(runs[0]),
    )


def _why(run: Run) -> str:
    return run.trouble or "no time is printed: it failed, or the text ends here"


def _remarks(runs: Sequence[Run], named: Sequence[str], groups: dict[tuple[str, str], list[Run]]) -> Iterator[Remark]:
    yield from repeated((run.line.number, name) for run, name in zip(runs, named, strict=True))
    for run in runs:
        if run.time is None:
            yield Remark(run.line.number, f"a run of {run.benchmark} has no time: {_why(run)}")
    yield from _at_once(runs)
    yield from coarse(run.time for run in runs if run.time is not None)
    if len({name for _, name in groups}) > 1:
        yield Remark(runs[0].line.number, "runs with different parameters are different benchmarks, and are kept apart")


def _at_once(runs: Sequence[Run]) -> Iterator[Remark]:
    """Instances that were called in the same second ran beside each other."""
    seen, called = set[str](), dict[str, str]()
    for run in runs:
        if run.instance and run.instance not in seen:
            seen.add(run.instance)
            other = called.setdefault(run.at, run.instance) if run.at else run.instance
            if other != run.instance:
                both = f"instances {other} and {run.instance} both started at {run.at}"
                yield Remark(run.line.number, f"{both}: they ran at once, and disturbed each other")


READER = Reader(
    NAME,
    ("Running with ", "Running in ", "hackbench"),
    read,
    "a line `Running with 10*40 (== 400) tasks.` or `Running in process mode with 10 groups ...`, and below it `Time: 0.770`; "
    "or lines `Time: 0.770` below a command `hackbench -g 10`",
)
