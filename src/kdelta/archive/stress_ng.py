"""stress-ng's metrics, of 0.03 to 0.18.

    stress-ng: info:  [1566] dispatching hogs: 2 cpu
    stress-ng: metrc: [1566] stressor       bogo ops real time  usr time  sys time   bogo ops/s     bogo ops/s
    stress-ng: metrc: [1566]                           (secs)    (secs)    (secs)   (real time) (usr+sys time)
    stress-ng: metrc: [1566] cpu               33245     10.00     19.90      0.00      3324.39        1670.57
    stress-ng: fail:  [5778] stress-ng: sigaction signal 6 'SIGABRT': errno=22 (Invalid argument)

Every line begins like a line of the log: the table is known by its header, which says how many columns there are. A stressor that
failed has no result, whatever its row says.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from kdelta.archive.numbers import PLAIN
from kdelta.archive.reader import Reader
from kdelta.archive.runs import Above, Printed, figure, once, repeated, variants
from kdelta.archive.text import Line, Text
from kdelta.model.benchmark import Better
from kdelta.model.boot import CellState
from kdelta.model.published import Block, Claim, Discarded, Entry, Number, Remark

NAME = "stress-ng"

SIGN = "stress-ng: "
_SAID = re.compile(
    r"stress-ng: (?:\d\d:\d\d:\d\d\.\d\d )?(?P<level>info|metrc|fail|error): +\[(?P<pid>\d{1,10})\] (?P<rest>[^\n]{0,400})"
)
_COLUMN = re.compile(r"bogo ops/s|bogo ops|real time|usr time|sys time|CPU used per|RSS Max")
_HOGS = re.compile(r"dispatching hogs: (?P<hogs>[^\n]{1,300})")
_HOG = re.compile(r"(?P<instances>\d{1,9}) (?P<name>[a-z][\w-]{0,40})")
_BLAMED = re.compile(r"(?:stress-ng-)?(?P<name>[a-z][\w-]{0,40}):")
MOST_BLAMED = 1000
_COUNTED = re.compile(r"(?P<state>failed|skipped): \d{1,9}: (?P<names>[^\n]{1,300})")
_NAMED = re.compile(r"(?P<name>[a-z][\w-]{0,40}) \(\d{1,9}\)")
_DONE = re.compile(r"(?P<un>un)?successful run completed")
_CALLED = re.compile(r"(?:^|[\s/])stress-ng (?P<options>--?[a-z][^\n]{0,300})")
_STRESSOR = re.compile(r"--(?P<name>[a-z][a-z0-9-]{0,40}) (?P<instances>\d{1,9})(?= |$)")
_TOKEN = re.compile(r"\S+")
_MORE = re.compile(
    rf"(?P<name>[a-z][\w-]{{0,40}}) {{1,40}}(?P<value>{PLAIN}) (?P<what>[A-Za-z%][^\n(]{{0,80}}?)"
    r"(?: \((?:(?P<kind>geometric|harmonic) mean|average|mean) of \d{1,9} instances?\))?\s*$"
)
_NO_STRESSOR = frozenset(
    {"timeout", "seed", "sequential", "all", "random", "ionice-level", "sched-prio", "backoff", "iterations", "t"}
)
_NO_ENDING = ("-ops", "-bytes", "-size", "-method", "-timeout", "-slice", "-load", "-procs", "-level")

COLUMNS: dict[str, tuple[str, str, str, float, Better | None]] = {
    "bogo ops": ("bogo_ops", "ops", "ops", 1.0, None),
    "real time": ("elapsed_s", "s", "secs", 1.0, None),
    "usr time": ("user_s", "s", "secs", 1.0, None),
    "sys time": ("system_s", "s", "secs", 1.0, None),
    "bogo ops/s": ("bogo_ops_per_s", "ops/s", "bogo ops/s", 1.0, Better.LARGER),
    "bogo ops/s 2": ("bogo_ops_per_cpu_s", "ops/s", "bogo ops/s", 1.0, Better.LARGER),
    "CPU used per": ("percent_cpu_per_instance", "%", "%", 1.0, None),
    "RSS Max": ("peak_rss", "B", "KB", 1024.0, None),
}
"""Column -> metric, base unit, printed unit, factor, direction. The second rate is of CPU time."""
HEADLINE = "bogo_ops_per_s"
MEANS = {"geometric": "gmean", "harmonic": "hmean"}


@dataclass
class Stressor:
    """One row. `more` are its miscellaneous metrics, with what kind of mean each is."""

    line: Line
    name: str
    values: dict[str, Number]
    more: dict[str, tuple[str, str, Number]] = field(default_factory=dict)


@dataclass
class Run:
    """One call of stress-ng. `states` are of stressors that did not end well; `trouble` the first thing that it complained of."""

    line: Line
    words: str
    called: dict[str, str] = field(default_factory=dict)
    hogs: dict[str, str] = field(default_factory=dict)
    rows: dict[str, Stressor] = field(default_factory=dict)
    states: dict[str, CellState] = field(default_factory=dict)
    trouble: str = ""
    trouble_at: int = 0
    blamed: list[str] = field(default_factory=list)
    done: bool = False

    def settle(self) -> None:
        """Older versions do not count who failed: it is whom a complaint names, or the only one there is."""
        alone = next(iter(self.rows)) if len(self.rows) == 1 else ""
        for name in self.blamed:
            known = name if name in self.rows else alone
            if known:
                self.states.setdefault(known, CellState.FAILED)

    def names(self) -> list[str]:
        """The stressors: those of the table, those that were started, else those that were asked for."""
        return list(dict.fromkeys((*self.rows, *(self.hogs or (self.called if not self.rows else ())), *self.states)))

    def instances(self, name: str) -> str:
        return self.hogs.get(name, "")

    def benchmark(self, name: str) -> str:
        return "-".join(filter(None, ("stress-ng", name, self.instances(name) or self.called.get(name, ""))))

    @property
    def said(self) -> bool:
        return bool(self.rows or self.trouble or self.states)


def read(text: Text) -> Iterator[Block]:
    """One block for all runs of a text."""
    every = [run for run in _Parser().runs(text.lines) if run.said]
    kept, remarks = once([Printed(run.line, run.words, " ".join(map(run.benchmark, run.names())), _texts(run)) for run in every])
    if every:
        yield _block([every[place] for place in kept], remarks)


def _texts(run: Run) -> tuple[str, ...]:
    return tuple(one.text for row in run.rows.values() for one in row.values.values())


class _Parser:
    """Where the reader is: the run, and the columns of its table."""

    def __init__(self) -> None:
        self.above = Above()
        self.run: Run | None = None
        self.columns: list[str] = []

    def runs(self, lines: Iterable[Line]) -> Iterator[Run]:
        for line in lines:
            said = _SAID.search(line.text, 0, 2000) if SIGN in line.text else None
            called = _CALLED.search(line.text, 0, 1000) if said is None and "stress-ng -" in line.text else None
            if said is not None:
                yield from self._said(line, said)
            elif called is not None:
                yield from self._ended()
                options = [one.groupdict() for one in _STRESSOR.finditer(called["options"])]
                self.run = Run(
                    line, self.above.take(), {one["name"]: one["instances"] for one in options if _is_stressor(one["name"])}
                )
            elif line.text.strip() and self.run is not None and self.run.done:
                yield from self._ended()
                self.above.see(line)
            else:
                self.above.see(line)
        yield from self._ended()

    def _said(self, line: Line, said: re.Match[str]) -> Iterator[Run]:
        rest, at = said["rest"], said.start("rest")
        hogs = _HOGS.match(rest)
        if self.run is None or (self.run.done and not _COUNTED.match(rest)) or (hogs and self.run.hogs):
            yield from self._ended()
            self.run = Run(line, self.above.take())
        run = self.run
        if hogs:
            run.hogs = {one["name"]: one["instances"] for one in _HOG.finditer(hogs["hogs"])}
        elif said["level"] in ("fail", "error"):
            run.trouble, run.trouble_at = run.trouble or rest.strip()[:200], run.trouble_at or line.number
            if said["level"] == "fail" and len(run.blamed) < MOST_BLAMED:
                run.blamed.append(blamed["name"] if (blamed := _BLAMED.match(rest)) else "")
        elif done := _DONE.match(rest):
            run.done = True
            run.trouble = run.trouble or (rest.strip() if done["un"] else "")
            run.trouble_at = run.trouble_at or line.number
        elif counted := _COUNTED.match(rest):
            state = CellState.FAILED if counted["state"] == "failed" else CellState.NOT_HERE
            run.states |= {one["name"]: state for one in _NAMED.finditer(counted["names"])}
        else:
            self._row(line, run, rest, at)

    def _row(self, line: Line, run: Run, rest: str, at: int) -> None:
        if rest.lstrip().startswith("stressor") and "bogo ops" in rest:
            found = _COLUMN.findall(rest)
            twice = found.index("bogo ops/s") if "bogo ops/s" in found else 0
            self.columns = [f"{one} 2" if one == "bogo ops/s" and place > twice else one for place, one in enumerate(found)]
            return
        tokens = list(_TOKEN.finditer(line.text, at))[: len(self.columns) + 1]
        values = {
            name: one
            for name, token in zip(self.columns, tokens[1:], strict=False)
            if (one := _value(token, line, COLUMNS[name][3])) is not None
        }
        if self.columns and len(values) == len(self.columns) and re.fullmatch(r"[a-z][\w-]{0,40}", tokens[0].group()):
            run.rows.setdefault(
                tokens[0].group(), Stressor(line, tokens[0].group(), {COLUMNS[name][0]: one for name, one in values.items()})
            )
        elif (more := _MORE.match(line.text, at)) and more["name"] in run.rows and (one := figure(more, "value", line)):
            metric = re.sub(r"[^a-z0-9]+", "_", more["what"].lower()).strip("_")
            run.rows[more["name"]].more.setdefault(metric, (MEANS.get(more["kind"], "mean"), more["what"].strip(), one))

    def _ended(self) -> Iterator[Run]:
        self.columns = []
        if self.run is not None:
            run, self.run = self.run, None
            run.settle()
            yield run


def _value(token: re.Match[str], line: Line, factor: float) -> Number | None:
    match = re.compile(rf"(?P<value>{PLAIN})").fullmatch(line.text, token.start(), token.end())
    return figure(match, "value", line, factor) if match else None


def _is_stressor(name: str) -> bool:
    return name not in _NO_STRESSOR and not name.endswith(_NO_ENDING)


def _block(runs: Sequence[Run], doubled: Sequence[Remark]) -> Block:
    places = [(run, name) for run in runs for name in run.names() or [""]]
    words = {
        id(run): variant for run, variant in zip(runs, variants([(run.words, " ".join(run.names())) for run in runs]), strict=True)
    }
    groups: dict[tuple[str, str], list[tuple[Run, str]]] = {}
    for run, name in places:
        groups.setdefault((words[id(run)], run.benchmark(name)), []).append((run, name))
    entries = tuple(one for (variant, name), of in groups.items() for one in _entries(variant, name, of))
    numbers = [
        one.line for entry in entries for one in (*entry.samples, *entry.figures.values(), *(d.number for d in entry.discarded))
    ]
    return Block(
        format=NAME,
        title=runs[0].words if not any(words.values()) else "",
        first=runs[0].line.number,
        last=max([runs[-1].line.number, *(run.trouble_at for run in runs), *numbers]),
        entries=entries,
        claims=tuple(one for run, name in places for one in _claims(run, name, words[id(run)])),
        remarks=(*doubled, *_remarks(runs, [words[id(run)] for run in runs])),
    )


def _entries(variant: str, benchmark: str, of: Sequence[tuple[Run, str]]) -> Iterator[Entry]:
    """The headline first. What a stressor printed that failed is kept, and not judged."""
    rows = [(run.rows[name], run.states.get(name, CellState.OK)) for run, name in of if name in run.rows]
    instances = of[0][0].instances(of[0][1]) or of[0][0].called.get(of[0][1], "")
    shared = {
        "variant": variant,
        "program": "stress-ng",
        "benchmark": benchmark,
        "parameters": {"instances": instances} if instances else {},
    }
    state, reason = _state(of)
    for column in sorted(COLUMNS.values(), key=lambda one: one[0] != HEADLINE):
        metric, unit, printed_unit, _, better = column
        found = [(row.values[metric], how) for row, how in rows if metric in row.values]
        if not found and (metric != HEADLINE or rows):
            continue
        yield Entry(
            **shared,  # type: ignore[arg-type]
            metric=metric,
            unit=unit,
            printed_unit=printed_unit,
            better=better,
            samples=tuple(one for one, how in found if how is CellState.OK),
            discarded=tuple(Discarded(one, "the stressor failed") for one, how in found if how is not CellState.OK),
            state=state,
            reason=reason,
        )
    for metric in dict.fromkeys(metric for row, _ in rows for metric in row.more):
        more = [row.more[metric] for row, how in rows if metric in row.more and how is CellState.OK]
        if more:
            kind, what, one = more[0]
            alone: dict[str, object] = (
                {"figures": {kind: one}} if len(more) == 1 else {"samples": tuple(each for _, _, each in more)}
            )
            better = Better.LARGER if what.endswith(("per sec", "per second", "/sec", "rate")) else None
            yield Entry(**shared, **alone, metric=metric, printed_unit=what, better=better)  # type: ignore[arg-type]


def _state(of: Sequence[tuple[Run, str]]) -> tuple[CellState, str]:
    """Of a benchmark all of whose runs ended badly that of the first; one that ended well is OK."""
    states = [run.states.get(name, CellState.OK if name in run.rows else CellState.FAILED) for run, name in of]
    if CellState.OK in states:
        return CellState.OK, ""
    skipped = states[0] is CellState.NOT_HERE
    return states[0], "it was skipped" if skipped else of[0][0].trouble or "it printed no metrics"


def _claims(run: Run, name: str, variant: str) -> Iterator[Claim]:
    row = run.rows.get(name)
    if row is None:
        return
    what, values = ", ".join(filter(None, (run.benchmark(name), variant))), row.values
    if {"bogo_ops", "elapsed_s", HEADLINE} <= values.keys():
        of = (values["bogo_ops"], values["elapsed_s"])
        yield Claim(kind="quotient", what=f"{what}: per second", printed=values[HEADLINE], of=of, better=Better.LARGER)
    if rate := values.get("bogo_ops_per_cpu_s"):
        missing = "it is divided by the sum of two times, which is not printed"
        yield Claim(kind="quotient", what=f"{what}: per second of CPU time", printed=rate, better=Better.LARGER, missing=missing)
    share, instances = values.get("percent_cpu_per_instance"), run.instances(name)
    if share is not None and instances.strip("0") and {"user_s", "system_s", "elapsed_s"} <= values.keys():
        times = (values["user_s"], values["system_s"], values["elapsed_s"])
        yield Claim(kind="cpu", what=f"{what}: CPU of an instance", printed=share, of=times, factor=1.0 / int(instances))


def _remarks(runs: Sequence[Run], named: Sequence[str]) -> Iterator[Remark]:
    yield from repeated((run.line.number, name) for run, name in zip(runs, named, strict=True))
    for run in runs:
        if run.trouble:
            yield Remark(run.trouble_at, f"it says: {run.trouble}")
        for name, state in run.states.items():
            yield Remark(run.line.number, f"{run.benchmark(name)} {'was skipped' if state is CellState.NOT_HERE else 'failed'}")


READER = Reader(
    NAME,
    (SIGN,),
    read,
    "lines `stress-ng: info:  [1566] ...`, with a table `stressor bogo ops real time ...`, or `stress-ng: fail:`",
)
