"""The folder in which MMTests keeps what it ran, `work/log`, or a part of it: run, iteration, test.

    work/log/5.7.0-vanilla/iter-0/tests-timestamp                  time :: kernbench 41404.28 user 9862.22 system 519.87 elapsed
    work/log/5.7.0-vanilla/iter-0/kernel.version                   uname -a
    work/log/5.7.0-vanilla/iter-0/kernbench/logs/time-24-1         what GNU time printed of the first build with 24 jobs
    work/log/5.7.0-vanilla/iter-0/hackbench-process-pipes/logs/hackbench-48       perf bench, once for each attempt

Logs of other tests are read where they have the lines that MMTests makes of all of them: metric, two factors, interval and value,
between tabs. The runs are variants, in the order in which they began.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field

from kdelta.archive.budget import spend
from kdelta.archive.mmtests_names import What, session, what
from kdelta.archive.mmtests_results import Results, several
from kdelta.archive.numbers import PLAIN, number
from kdelta.archive.reader import FolderReader
from kdelta.archive.text import Line, Text, text_of
from kdelta.archive.tree import Tree
from kdelta.model.boot import CellState
from kdelta.model.errors import MisuseError
from kdelta.model.published import Block, Claim, Entry, Number, Remark

NAME = "mmtests folder"
_PLACE = re.compile(r"(?:(?P<run>[^\n]*)/)?iter-(?P<iteration>\d{1,6})/(?P<rest>[^\n]+)$")
_TIME_FILE = re.compile(r"time-(?P<of>[\w.+-]{1,64})-(?P<number>\d{1,6})$")
_HACKBENCH_FILE = re.compile(r"hackbench-(?P<groups>\d{1,6})$")
_TIME = re.compile(
    rf"\s*(?P<user>{PLAIN})user (?P<system>{PLAIN})system (?P<elapsed>(?:\d{{1,6}}:)?\d{{1,6}}:\d{{1,2}}(?:\.\d{{1,6}})?)elapsed"
    rf" (?P<cpu>\d{{1,6}}|\?)%CPU"
)
_PACKED = re.compile(r"\.(?:gz|xz|zst|bz2)$")
_STATUS = re.compile(r"\s*Command (?:exited with non-zero status|terminated by signal) \d+")
_TOTAL = re.compile(rf"\s*Total time: *(?P<value>{PLAIN})(?: *\[sec\])?\s*$")
_STARTED = re.compile(r"# Running ")
_BEGIN = re.compile(r"test begin :: (?P<test>\S{1,100}) (?P<epoch>\d{1,12})")
_SESSION = re.compile(
    rf"time :: (?P<test>\S{{1,100}}) (?P<user>{PLAIN}) user (?P<system>{PLAIN}) system (?P<elapsed>{PLAIN}) elapsed"
)
_KEPT = 200
_LINE = re.compile(
    rf"(?P<metric>[^\t]{{1,80}})\t(?P<a>[^\t]{{0,80}})\t(?P<b>[^\t]{{0,80}})\t(?P<interval>[^\t]{{1,40}})\t(?P<value>{PLAIN})(?:\t|$)"
)


@dataclass
class _Run:
    """What lies below the folder of one run. `began` is in seconds since 1970, 0 where it is not said."""

    name: str
    tests: dict[str, Results] = field(default_factory=dict)
    iterations: set[str] = field(default_factory=set)
    files: dict[str, str] = field(default_factory=dict)
    began: dict[str, int] = field(default_factory=dict)
    ended: dict[str, int] = field(default_factory=dict)
    kernel: str = ""

    def results(self, test: str) -> Results:
        return self.tests.setdefault(test, Results(self.name, test))


def recognises(names: Sequence[str]) -> bool:
    """Whether a file is in the logs of a test, or beside it, of an iteration."""
    return any((match := _PLACE.match(name)) and _is_of_it(match["rest"]) for name in names)


def _is_of_it(rest: str) -> bool:
    return rest == "tests-timestamp" or "/logs/" in rest


def read(tree: Tree) -> Iterator[Block]:
    """A block for each test of each run, named as the folder is; runs in the order in which they began."""
    runs = dict[str, _Run]()
    for name in sorted(tree.names(), key=_order):
        if match := _PLACE.match(name):
            run = runs.setdefault(match["run"] or "", _Run(match["run"] or tree.path))
            run.iterations.add(match["iteration"])
            _file(tree, name, match["rest"], run)
    for run in _in_order(list(runs.values())):
        for results in run.tests.values():
            results.iterations = len(run.iterations)
        several(list(run.tests.values()))
        yield from (block for test in run.tests if (block := _block(run, test)))


def _in_order(runs: Sequence[_Run]) -> Sequence[_Run]:
    """As they began, where that is said of all of them. Those in two folders of one name are told apart."""
    if all(run.began for run in runs):
        runs = sorted(runs, key=lambda run: min(run.began.values()))
    count = dict[str, int]()
    for run in runs:
        name = run.name.rstrip("/").rpartition("/")[2]
        count[name] = count.get(name, 0) + 1
        called = name if count[name] == 1 else f"{name} ({count[name]})"
        for results in run.tests.values():
            results.run = called
            if called != name:
                results.remarks.append(Remark(0, f"{run.name} is called {called}: another run has that name"))
        run.name = called
    return runs


def _order(name: str) -> tuple[tuple[int, str], ...]:
    """Numbers in a name by their size: time-24-10 comes behind time-24-9."""
    return tuple((int(part), "") if part.isdecimal() else (0, part) for part in re.split(r"(\d{1,18})", name))


def _file(tree: Tree, name: str, rest: str, run: _Run) -> None:
    """Reads it, if it is one of those that are known."""
    parts = rest.split("/")
    read_one: Callable[[Text, _Run], None] | None = None
    if rest in _BESIDE:
        read_one = _BESIDE[rest]
    elif len(parts) == 3 and parts[1] == "logs":
        test, file = parts[0], _PACKED.sub("", parts[2])
        results = run.results(test)
        read_one = _log(results, file)
    if read_one is None:
        return
    try:
        read_one(text_of(name, tree.read(name)), run)
    except MisuseError as error:
        run.results(parts[0]).remarks.append(Remark(0, f"{name} is not read: {error}"))


def _log(results: Results, file: str) -> Callable[[Text, _Run], None]:
    if match := _TIME_FILE.match(file):
        of = match["of"]
        return lambda text, _: _time(text, results, of)
    if match := _HACKBENCH_FILE.match(file):
        groups = match["groups"]
        return lambda text, _: _hackbench(text, results, groups)
    return lambda text, _: _lines(text, results)


def _time(text: Text, results: Results, of: str) -> None:
    """What GNU time prints: user, system and elapsed time, and the share of a CPU, cut to whole percents."""
    failed = next((line for line in text.lines if _STATUS.match(line.text)), None)
    for line in text.lines:
        match = _TIME.match(line.text)
        if match is None:
            continue
        if failed:
            results.remarks.append(Remark(failed.number, f"{text.path}: {failed.text.strip()[:_KEPT]}: its times are left out"))
            return
        try:
            found = {name: number(match[name], line, match.start(name)) for name in ("user", "system")}
        except ValueError:
            continue
        found["elapsed"] = _clock(match["elapsed"], line, match.start("elapsed"))
        names = {name: what(results.test, "", f"{name}-{of}") for name in found}
        for name, one in found.items():
            results.add(names[name], [one])
        if match["cpu"] != "?":
            cpu = number(match["cpu"], line, match.start("cpu"))
            results.add(names["elapsed"]._replace(metric="percent_cpu", printed="%", unit="%"), [cpu])
            order = found["user"], found["system"], found["elapsed"]
            results.claims.append(Claim(kind="cpu", what=f"{text.path} CPU", printed=cpu, of=order))
        return
    results.remarks.append(Remark(0, f"{text.path}: no times in it: the build did not end"))


def _clock(said: str, line: Line, at: int) -> Number:
    """Hours, minutes and seconds, with colons between them."""
    value = 0.0
    for part in said.split(":"):
        value = 60.0 * value + float(part)
    spend()
    decimals = len(said.partition(".")[2])
    return Number(said, value, 10.0**-decimals, line.number, line.column(at))


def _hackbench(text: Text, results: Results, groups: str) -> None:
    """What perf bench printed, of all attempts: one that failed has no time."""
    of, times, started = what(results.test, "", groups), list[Number](), 0
    for line in text.lines:
        started += bool(_STARTED.match(line.text))
        if match := _TOTAL.match(line.text):
            with suppress(ValueError):
                times.append(number(match["value"], line, match.start("value")))
    results.add(of, times)
    if started > len(times):
        results.remarks.append(Remark(0, f"{text.path}: {started - len(times)} of {started} attempts have no time: they failed"))


def _lines(text: Text, results: Results) -> None:
    """The lines that MMTests makes of the logs of every test."""
    for line in text.lines:
        match = _LINE.match(line.text)
        if match is None:
            continue
        label = "-".join([match["metric"], *(match[name] for name in "ab" if match[name] not in ("", "_"))])
        of = what(results.test, "", label)
        try:
            results.add(of, [number(match["value"], line, match.start("value"), of.factor)])
        except ValueError:
            continue


def _timestamps(text: Text, run: _Run) -> None:
    for line in text.lines:
        if match := _BEGIN.match(line.text):
            run.began.setdefault(match["test"], int(match["epoch"]))
            run.results(match["test"])
        elif match := _SESSION.match(line.text):
            run.ended[match["test"]] = line.number
            results = run.results(match["test"])
            for name in ("user", "system", "elapsed"):
                try:
                    results.add(_session(match["test"], name), [number(match[name], line, match.start(name))])
                except ValueError:
                    continue


def _session(test: str, name: str) -> What:
    return session(test, "Duration", name)


def _version(text: Text, run: _Run) -> None:
    first = text.lines[0].text.strip() if text.lines else ""
    run.kernel = run.kernel or first[:_KEPT]


_BESIDE: dict[str, Callable[[Text, _Run], None]] = {"tests-timestamp": _timestamps, "kernel.version": _version}


def _block(run: _Run, test: str) -> Block | None:
    """A test that was begun, and whose end nobody wrote down, failed."""
    results = run.tests[test]
    entries = results.entries()
    if not any(one.samples for one in entries if not one.benchmark.endswith("-session")) and test in run.began:
        why = "its logs hold no result that is known" if test in run.ended else "it was begun, and its end was never written down"
        state = CellState.OK if test in run.ended else CellState.FAILED
        entries.insert(0, Entry(variant=run.name, benchmark=test, metric="result", state=state, reason=why))
    if not entries:
        return None
    facts = {"kernel": run.kernel} if run.kernel else {}
    return Block(
        format=NAME,
        title=f"{run.name}: {test}",
        first=0,
        last=0,
        entries=tuple(entries),
        claims=tuple(results.claims),
        remarks=tuple(results.remarks),
        facts=facts,
    )


READER = FolderReader(NAME, recognises, read, "a folder with `<run>/iter-<i>/tests-timestamp` and `<run>/iter-<i>/<test>/logs/`")
