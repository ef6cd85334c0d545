"""`perf bench`, in its default form and in its simple one, of all collections.

    # Running 'sched/pipe' benchmark:                       (in 2009: # Running sched/pipe benchmark...)
    # Executed 1000000 pipe operations between two processes
         Total time: 20.505 [sec]
          20.505628 usecs/op
              48767 ops/sec

    # Running 'futex/requeue' benchmark:
    [Run 1]: Requeued 4 of 4 threads in 0.0054 ms
    Requeued 4.0000 of 4 threads in 0.0061 ms (+-3.45%)

What stands behind `+-` is the standard error of the mean, in percent of it. Total time, usecs/op and ops/sec are one measurement.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from kdelta.archive.numbers import PLAIN
from kdelta.archive.perf_bench_lines import Said, numa_name, said
from kdelta.archive.reader import Reader
from kdelta.archive.runs import Above, Printed, coarse, figure, grouped, once, repeated, variants
from kdelta.archive.text import Line, Text
from kdelta.model.benchmark import Better
from kdelta.model.boot import CellState
from kdelta.model.published import Block, Claim, Entry, Number, Remark

NAME = "perf bench"

REACH = 60
"""Lines below a title in which a first result stands."""
LONGEST_LINE = 400
USUAL = {"sched/pipe": 1_000_000, "syscall": 10_000_000}
"""Operations, unless told: other numbers are another benchmark."""

_TITLE = re.compile(r"\s*#? ?Running '?(?P<benchmark>[a-z]{2,20}/[\w-]{2,40})'? benchmark(?:\.\.\.|:)?\s*$")
_MEMBER = re.compile(r"\s*# ?Running {1,3}(?P<name>[\w-]{1,40}), \"?perf bench ")
_CALLED = "perf bench"
_COMMAND = re.compile(
    r"perf bench (?:-r ?\d+ )?(?:-f ?|--format[= ])simple (?:-r ?\d+ )?(?P<collection>sched|syscall) (?P<name>[a-z-]{2,30})"
)
_BARE = re.compile(rf"\s*(?P<value>{PLAIN})\s*$")
_AGAIN = re.compile(r"\s*Total time:[^\[\n]{0,30}\[")
_SENDERS = re.compile(r"\s*[#(] ?(?P<pairs>\d{1,9}) sender and receiver (?P<as>thread|process)(?:e?s)? per group\)?\s*$")
_GROUPS = re.compile(r"\s*[#(] ?(?P<groups>\d{1,9}) groups == (?P<tasks>\d{1,12}) (?P<as>thread|process)(?:e?s)? run\)?\s*$")
_PIPE = re.compile(
    rf"\s*[#(] ?[Ee]xecut(?:ed|ing) (?P<operations>{PLAIN}) pipe operations between two (?P<as>task|thread|process)(?:e?s)?\)?\s*$"
)
_CALLS = re.compile(rf"\s*# ?Executed (?P<operations>{PLAIN}) [^\n]{{1,60}}\b(?:calls?|times)\s*$")
_CALLED_ALONE = re.compile(r"\s*# Executed [\d,]{1,20} (?P<name>getppid|getpgid|fork|execve)\(\) calls\s*$")
"""Of syscall/, below a title that was cut."""
_FUNCTION = re.compile(r"\s*# ?function '(?P<function>[\w.-]{1,60})'")
_SIZE = re.compile(r"\s*# ?Copying (?P<size>\w{1,20}) [Bb]ytes")
_SUMMARY = re.compile(r"\s*Run summary \[PID \d{1,12}\]: (?P<words>[^\n]{1,300})")
_THREADS = re.compile(r"(?P<threads>\d{1,9}) threads")
_SHARED = re.compile(r"\[(?P<futex>shared|private)\]")
_OLD = ((_PIPE, "sched/pipe"), (_SENDERS, "sched/messaging"))
"""Of the first version, which printed no title: the line in parentheses says what runs."""


@dataclass
class Run:
    """One run below its title. `operations` is how many it printed that it executed."""

    line: Line
    words: str
    of: str
    parameters: dict[str, str] = field(default_factory=dict)
    member: str = ""
    operations: Number | None = None
    said: list[Said] = field(default_factory=list)

    @property
    def benchmark(self) -> str:
        """`perf-bench-sched-messaging-10-thread`: parameters stand in it where another load is another benchmark."""
        parts = ["perf-bench", *self.of.split("/")]
        parts += [self.member or self.parameters.get("function", ""), self.parameters.get("size", "")]
        parts += [self.parameters.get("groups", ""), self.parameters.get("threads", "")]
        usual = USUAL.get(self.of) or USUAL.get(self.of.partition("/")[0])
        if self.operations and usual and self.operations.value != usual:
            parts.append(f"{self.operations.value:.0f}x")
        parts += [
            self.parameters[one] for one, wanted in (("as", "thread"), ("futex", "shared")) if self.parameters.get(one) == wanted
        ]
        return "-".join(filter(None, parts))


def read(text: Text) -> Iterator[Block]:
    """One block for all runs of a text: which of them are of one variant is seen only from all."""
    every = list(_Parser().runs(text.lines))
    printed = [Printed(run.line, run.words, run.benchmark, tuple(one.number.text for one in run.said)) for run in every]
    kept, remarks = once(printed)
    if every:
        yield _block([every[place] for place in kept], remarks)


class _Parser:
    """Where the reader is: the run that is not at its end, and whether other words stand below its results."""

    def __init__(self) -> None:
        self.above = Above()
        self.run: Run | None = None
        self.prose = False
        self.simple = ""

    def runs(self, lines: Iterable[Line]) -> Iterator[Run]:
        for line in lines:
            if len(line.text) <= LONGEST_LINE:
                yield from self._line(line)
        yield from self._ended()

    def _line(self, line: Line) -> Iterator[Run]:
        if title := _TITLE.match(line.text):
            yield from self._begin(Run(line, self.above.take(), title["benchmark"]))
        elif _CALLED in line.text and (command := _COMMAND.search(line.text)):
            yield from self._ended()
            self.simple = f"{command['collection']}/{command['name']}"
        elif self.simple and (bare := _BARE.match(line.text)):
            yield from self._begin(Run(line, self.above.take(), self.simple))
            yield from self._simple(line, bare)
        elif self.run is None or self.run.said:
            yield from self._outside(line)
        elif not self._inside(line) and line.number - self.run.line.number > REACH:
            yield from self._ended()

    def _begin(self, run: Run) -> Iterator[Run]:
        yield from self._ended()
        self.run, self.prose = run, False

    def _simple(self, line: Line, bare: re.Match[str]) -> Iterator[Run]:
        found = figure(bare, "value", line)
        if self.run is not None and found is not None:
            self.run.said.append(Said("value", "time", "s", "s", Better.SMALLER, found))
        yield from self._ended()

    def _outside(self, line: Line) -> Iterator[Run]:
        """Below results, or where none were: another result of the same run, one of the same again, or words."""
        old = next((of for shape, of in _OLD if shape.match(line.text) and line.text.lstrip().startswith("(")), "")
        if alone := _CALLED_ALONE.match(line.text):
            old = f"syscall/{'basic' if alone['name'] == 'getppid' else alone['name']}"
        if old:
            yield from self._begin(Run(line, self.above.take(), old))
            self._parameters(line)
        elif self.run is not None and self.prose and _AGAIN.match(line.text):
            last = self.run
            again = Run(line, self.above.take(), last.of, last.parameters, last.member, last.operations)
            yield from self._begin(again)
            self._inside(line)
        elif self.run is None or self.prose or not self._inside(line):
            yield from self._words(line)

    def _words(self, line: Line) -> Iterator[Run]:
        """Of a mail; or of the collection: another function of it, or another member, is another run."""
        run = self.run
        if run is not None and (_FUNCTION.match(line.text) or _MEMBER.match(line.text)):
            yield from self._begin(Run(line, "", run.of))
            self._parameters(line)
        elif line.text.strip():
            self.prose = True
            self.simple = ""
            self.above.see(line)
        else:
            self.above.see(line)

    def _inside(self, line: Line) -> bool:
        """Whether the line is of the run. Its parameters stand above its first result, mostly."""
        run = self.run
        if run is None:
            return False
        found = said(line, run.of)
        run.said += found
        if found and run.of.startswith("numa/"):
            run.member = run.member or numa_name(line).strip("-,").replace("main", "")
        begun = bool(run.said) and bool(_FUNCTION.match(line.text) or _MEMBER.match(line.text))
        return bool(found) or (not begun and self._parameters(line))

    def _parameters(self, line: Line) -> bool:
        run = self.run
        if run is None or len(line.text) > 400:
            return False
        if match := _PIPE.match(line.text) or _CALLS.match(line.text):
            run.operations = figure(match, "operations", line)
            run.parameters = run.parameters | {"operations": match["operations"].replace(",", "")}
        elif match := _SUMMARY.match(line.text):
            words = match["words"]
            found = [one for one in (_THREADS.search(words), _SHARED.search(words)) if one]
            run.parameters = run.parameters | {name: value for one in found for name, value in one.groupdict().items()}
            return True
        else:
            shapes = (_SENDERS, _GROUPS, _FUNCTION, _SIZE)
            match = next((one for shape in shapes if (one := shape.match(line.text))), None)
        if match is not None:
            found_here = {
                name: value for name, value in match.groupdict().items() if name not in ("operations",) and value != "task"
            }
            run.parameters = run.parameters | found_here
        return match is not None

    def _ended(self) -> Iterator[Run]:
        if self.run is not None:
            run, self.run = self.run, None
            yield run


def _block(runs: Sequence[Run], doubled: Sequence[Remark]) -> Block:
    names = [run.benchmark for run in runs]
    named = variants([(run.words, name) for run, name in zip(runs, names, strict=True)])
    groups = grouped(runs, named, names)
    numbers = [one.number for run in runs for one in run.said]
    return Block(
        format=NAME,
        title=runs[0].words if not any(named) else "",
        first=runs[0].line.number,
        last=max(runs[-1].line.number, *(one.line for one in numbers)) if numbers else runs[-1].line.number,
        entries=tuple(one for (variant, name), of in groups.items() for one in _entries(variant, name, of)),
        claims=tuple(one for run, variant in zip(runs, named, strict=True) for one in _claims(run, variant)),
        remarks=(*doubled, *_remarks(runs, named)),
    )


def _entries(variant: str, name: str, runs: Sequence[Run]) -> Iterator[Entry]:
    found: dict[str, list[Said]] = {}
    for one in (each for run in runs for each in run.said):
        found.setdefault(f"thread_{one.metric}" if one.role == "thread" else one.metric, []).append(one)
    for metric, of in found.items():
        yield _entry(variant, name, metric, of, runs)
    if not found:
        reason = "no result is printed: it failed, or the text ends here"
        yield Entry(
            variant=variant,
            program="perf bench",
            benchmark=name,
            metric="time",
            unit="s",
            better=Better.SMALLER,
            parameters=runs[0].parameters,
            state=CellState.FAILED,
            reason=reason,
        )


def _entry(variant: str, name: str, metric: str, of: Sequence[Said], runs: Sequence[Run]) -> Entry:
    """Repetitions are samples, and so are the means over threads, and the means that several runs printed: a run has one of them.
    The mean of repetitions is a figure.
    """
    rows = tuple(one.number for one in of if one.role != "mean")
    means = [one for one in of if one.role == "mean"]
    threads = any(one.role == "thread" for run in runs for one in run.said)
    figures = {"mean": means[0].number} if len(means) == 1 and not threads else {}
    if len(means) == 1 and means[0].error is not None:
        figures["error"] = means[0].error
    return Entry(
        variant=variant,
        program="perf bench",
        benchmark=name,
        metric=metric,
        unit=of[0].unit,
        printed_unit=of[0].printed_unit,
        better=of[0].better,
        parameters=runs[0].parameters,
        samples=rows or (tuple(one.number for one in means) if threads or len(means) > 1 else ()),
        figures=figures,
        boots=False if len(of) > 1 and any(one.role in ("row", "thread") for one in of) else None,
    )


_QUOTIENTS = (
    ("total_speed", "data_total", "runtime_max_per_thread"),
    ("thread_speed", "data_per_thread", "runtime_max_per_thread"),
    ("runtime_per_byte_per_thread", "runtime_max_per_thread", "data_per_thread"),
)
"""Of numa/mem: what is printed, and what it is divided by what."""


def _claims(run: Run, variant: str) -> Iterator[Claim]:
    what = ", ".join(filter(None, (run.benchmark, variant)))
    values = {one.metric: one for one in run.said if one.role == "value"}
    if "time_per_op" in values:
        yield from _of_operations(run.operations, values, what)
    for metric, dividend, divisor in _QUOTIENTS:
        if {metric, dividend, divisor} <= values.keys():
            of = values[dividend].number, values[divisor].number
            yield Claim(
                kind="quotient", what=f"{what}: {metric}", printed=values[metric].number, of=of, better=values[metric].better
            )
    for mean in (one for one in run.said if one.role == "mean"):
        yield from _of_rows(run, mean, what)


def _of_operations(operations: Number | None, values: dict[str, Said], what: str) -> Iterator[Claim]:
    """Time and rate, from the time of one operation: of the three it has the most digits, and the total time is cut to 1 ms."""
    each = values["time_per_op"].number
    known = operations is not None and operations.value > 0.0
    missing = "" if known else "how many operations ran is not in the text"
    count = operations.value if operations is not None and known else 1.0
    if time := values.get("time"):
        of: tuple[Number, ...] = (each,) if known else ()
        yield Claim(
            kind="sum", what=f"{what}: total time", printed=time.number, of=of, factor=count, better=time.better, missing=missing
        )
    if rate := values.get("throughput"):
        of = (operations, each) if operations is not None and known else ()
        yield Claim(
            kind="quotient",
            what=f"{what}: operations per second",
            printed=rate.number,
            of=of,
            factor=1.0 / count,
            better=rate.better,
            missing=missing,
        )


def _of_rows(run: Run, mean: Said, what: str) -> Iterator[Claim]:
    """The mean of the rows above it, and behind it its standard error: their deviation divided by the root of how many they are."""
    rows = tuple(one.number for one in run.said if one.metric == mean.metric and one.role in ("row", "thread"))
    if not rows:
        return
    yield Claim(kind="mean", what=f"{what}: mean", printed=mean.number, of=rows)
    if mean.percent is None:
        return
    apart = any(one.percent is not None for one in run.said if one.role == "row")
    yield Claim(
        kind="cv",
        what=f"{what}: standard error of the mean",
        printed=mean.percent,
        of=() if apart or len(rows) < 2 else rows,
        factor=1.0 / len(rows) ** 0.5,
        missing="it is of all threads of all runs, which are not printed" if apart else "" if len(rows) > 1 else "there is one row",
    )


def _remarks(runs: Sequence[Run], named: Sequence[str]) -> Iterator[Remark]:
    yield from repeated((run.line.number, name) for run, name in zip(runs, named, strict=True))
    for run in runs:
        if not run.said:
            yield Remark(run.line.number, f"{run.benchmark} printed no result: it failed, or the text ends here")
        if any(one.percent is not None for one in run.said if one.role == "row"):
            yield Remark(run.line.number, "the spread behind each run is that of its threads, and is not kept")
    if three := next((run for run in runs if {"time", "time_per_op", "throughput"} <= {one.metric for one in run.said}), None):
        yield Remark(
            three.line.number, "total time, time per operation and operations per second are one measurement, said three times"
        )
    yield from coarse(one.number for run in runs for one in run.said if one.role == "value" and one.metric == "time")


READER = Reader(
    NAME,
    ("Running ", "perf bench", "sender and receiver ", "pipe operations between", "# Executed "),
    read,
    "a line `# Running 'sched/pipe' benchmark:`, and below it what perf bench prints",
)
