"""Folders of results of lkp-tests: numbers of each run, and of each kernel the same as a matrix.

    hackbench/performance-pipe-1600%/box1/debian-12/x86_64-rhel-9.4/gcc-12/v6.17/0/stats.json  {"hackbench.throughput": 217049}
    hackbench/performance-pipe-1600%/box1/debian-12/x86_64-rhel-9.4/gcc-12/v6.17/matrix.json   {"hackbench.throughput": [217049]}

The machine boots for each run. Of a matrix that is shorter than its `stats_source` the last runs are missing, and of a key that
came with a later run the earlier ones are zeros in front (lib/matrix.rb): neither are values. `-1` is an empty point.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import PurePosixPath

import msgspec

from kdelta.archive.lkp_metrics import metric_of
from kdelta.archive.names import kebab
from kdelta.archive.numbers import exact
from kdelta.archive.reader import FolderReader
from kdelta.archive.tree import Tree
from kdelta.model.errors import MisuseError
from kdelta.model.published import Block, Claim, Discarded, Entry, Number, Remark

NAME = "lkp results"
MOST_BYTES = 6 << 20
"""Of one file of JSON."""
MOST_MONITORED = 500
"""Metrics of monitors, of one test: a run has tens of thousands."""
PARTS = ("testcase", "params", "tbox_group", "rootfs", "kconfig", "compiler", "commit")

SOURCE, INCOMPLETE = "stats_source", "last_state.is_incomplete_run"
EMPTY, PADDED, BROKEN = "an empty point", "a zero in front: before the key was first seen", "the run was incomplete"

_RUN = re.compile(r"(?:(?P<folder>.*)/)?(?P<run>\d{1,6})/stats\.json(?:\.gz)?")
_MATRIX = re.compile(r"(?:(?P<folder>.*)/)?(?P<kind>matrix|avg|stddev)\.json(?:\.gz)?")

Value = float | str | bool | None
_DECODER = msgspec.json.Decoder(dict[str, list[Value] | Value])


@dataclass
class _Commit:
    """The files of one kernel; runs by number. `samples` and `dropped` are by metric."""

    folder: str
    runs: dict[int, str] = field(default_factory=dict)
    files: dict[str, str] = field(default_factory=dict)
    samples: dict[str, list[float]] = field(default_factory=lambda: defaultdict(list))
    dropped: dict[str, list[tuple[float, str]]] = field(default_factory=lambda: defaultdict(list))
    means: dict[str, float] = field(default_factory=dict)
    spreads: dict[str, float] = field(default_factory=dict)

    @property
    def name(self) -> str:
        return PurePosixPath(self.folder).name


def recognises(names: Sequence[str]) -> bool:
    return any(_RUN.fullmatch(name) or ((match := _MATRIX.fullmatch(name)) and not _is_run(match["folder"])) for name in names)


def read(tree: Tree) -> Iterator[Block]:
    """A block for each test on each box: kernels in the order of their names."""
    tests = defaultdict[str, list[_Commit]](list)
    for commit in _commits(tree):
        tests[str(PurePosixPath(commit.folder).parent)].append(commit)
    for commits in tests.values():
        remarks: list[Remark] = []
        for commit in commits:
            _fill(tree, commit, remarks)
        if any(commit.samples or commit.means for commit in commits):
            yield _block(tree, commits, remarks)


def _is_run(folder: str | None) -> bool:
    return PurePosixPath(folder or "").name.isdigit()


def _commits(tree: Tree) -> list[_Commit]:
    found = dict[str, _Commit]()
    for name in tree.names():
        if match := _RUN.fullmatch(name):
            folder = match["folder"] or ""
            found.setdefault(folder, _Commit(folder)).runs[int(match["run"])] = name
        elif (match := _MATRIX.fullmatch(name)) and not _is_run(match["folder"]):
            folder = match["folder"] or ""
            found.setdefault(folder, _Commit(folder)).files[match["kind"]] = name
    return list(found.values())


def _fill(tree: Tree, commit: _Commit, remarks: list[Remark]) -> None:
    """From the runs themselves where they are there: a matrix may lack some, and be padded."""
    rows = [(run, _json(tree, commit.runs[run], remarks)) for run in sorted(commit.runs)]
    if rows:
        _by_runs(commit, rows, remarks)
    elif "matrix" in commit.files:
        _by_matrix(commit, _json(tree, commit.files["matrix"], remarks), remarks)
    for kind, into in (("avg", commit.means), ("stddev", commit.spreads)):
        if kind in commit.files:
            found = _json(tree, commit.files[kind], remarks)
            into.update({key: value for key, value in found.items() if isinstance(value, float)})


def _json(tree: Tree, name: str, remarks: list[Remark]) -> dict[str, list[Value] | Value]:
    """Empty, with a remark, where it cannot be read."""
    try:
        raw = tree.read(name)
        if len(raw) > MOST_BYTES:
            remarks.append(Remark(0, f"{name}: more than {MOST_BYTES >> 20} MiB of JSON, and not read"))
            return {}
        return _DECODER.decode(raw)
    except (MisuseError, msgspec.MsgspecError, ValueError, RecursionError) as error:
        remarks.append(Remark(0, f"{name}: {error}"))
        return {}


def _by_runs(commit: _Commit, rows: Iterable[tuple[int, dict[str, list[Value] | Value]]], remarks: list[Remark]) -> None:
    for run, stats in rows:
        whole = not stats.get(INCOMPLETE)
        if not whole:
            remarks.append(Remark(0, f"{commit.name}: run {run} was incomplete, and is not judged"))
        for key, value in stats.items():
            if isinstance(value, float):
                _put(commit, key, value, "" if whole else BROKEN)


def _by_matrix(commit: _Commit, matrix: dict[str, list[Value] | Value], remarks: list[Remark]) -> None:
    source, broken = matrix.get(SOURCE), matrix.get(INCOMPLETE)
    runs = len(source) if isinstance(source, list) else None
    flags = broken if isinstance(broken, list) else []
    if count := sum(bool(flag) for flag in flags):
        remarks.append(Remark(0, f"{commit.name}: incomplete runs, which are not judged: {count}"))
    short = 0
    for key, values in matrix.items():
        if key in (SOURCE, INCOMPLETE) or not isinstance(values, list):
            continue
        short += runs is not None and len(values) < runs
        front = next((place for place, value in enumerate(values) if value), 0)
        for place, value in enumerate(values):
            if isinstance(value, float):
                why = BROKEN if place < len(flags) and flags[place] else PADDED if place < front else ""
                _put(commit, key, value, why)
    if short:
        remarks.append(Remark(0, f"{commit.name}: metrics with fewer values than there were runs ({runs}): {short}"))


def _put(commit: _Commit, key: str, value: float, why: str) -> None:
    why = why or (EMPTY if value == -1.0 else "")
    if why:
        commit.dropped[key].append((value, why))
    else:
        commit.samples[key].append(value)


def _block(tree: Tree, commits: Sequence[_Commit], remarks: list[Remark]) -> Block:
    place = _place(tree.path, commits[0].folder)
    keys = list(dict.fromkeys(key for one in commits for key in (*one.samples, *one.dropped, *one.means) if _counts(key)))
    tested = [key for key in keys if not metric_of(key).is_monitor]
    monitored = [key for key in keys if metric_of(key).is_monitor]
    if len(monitored) > MOST_MONITORED:
        remarks.append(Remark(0, f"metrics of monitors: the first {MOST_MONITORED} of {len(monitored)} are read"))
    if len(commits) > 1:
        remarks.append(Remark(0, f"which kernel is the base is not said: {commits[0].name}, the first by name, is taken"))
    program = place.get("testcase") or next((metric_of(key).program for key in tested), "")
    entries, claims = list[Entry](), list[Claim]()
    for key in (*tested, *monitored[:MOST_MONITORED]):
        for commit in commits:
            if (entry := _entry(commit, key, program, place, tree.path)) is not None:
                entries.append(entry)
                claims += _claims(commit, key, entry)
    facts: dict[str, str] = {name: place[name] for name in ("rootfs", "kconfig", "compiler") if name in place}
    title = "-".join(filter(None, (program, place.get("params", ""))))
    return Block(
        format=NAME, title=title, first=0, last=0, entries=tuple(entries), claims=tuple(claims), remarks=tuple(remarks), facts=facts
    )


def _counts(key: str) -> bool:
    """Whether it is a measurement: of a run itself, and of messages, it is not."""
    return key.partition(".")[0] not in ("last_state", "dmesg", "kmsg", "stderr", "stdout") and key != SOURCE


def _place(root: str, folder: str) -> dict[str, str]:
    """The parts of a path of results, where all are there; else the kernel alone is known."""
    below = PurePosixPath(folder).parts
    whole = (*PurePosixPath(root).parts, *below)
    after = whole[len(whole) - whole[::-1].index("result") :] if "result" in whole else below
    return dict(zip(PARTS, after[-len(PARTS) :], strict=True)) if len(after) >= len(PARTS) else {}


def _entry(commit: _Commit, key: str, program: str, place: dict[str, str], root: str) -> Entry | None:
    known = metric_of(key)
    samples = tuple(_numbers(commit.samples.get(key, ()), known.factor))
    dropped = commit.dropped.get(key, ())
    figures = {}
    if not samples and not dropped:
        figures = {name: exact(found[key], factor=known.factor) for name, found in _summaries(commit) if key in found}
    if not samples and not dropped and not figures:
        return None
    benchmark = "-".join(filter(None, (kebab(program), kebab(place.get("params", "")))))
    if known.is_monitor:
        benchmark = "-".join(filter(None, (benchmark, kebab(known.program))))
    return Entry(
        variant=commit.name or PurePosixPath(root).name,
        box=place.get("tbox_group", ""),
        program=known.program,
        benchmark=benchmark,
        metric=key,
        unit=known.unit,
        printed_unit=known.printed_unit,
        better=known.better,
        parameters={"params": place["params"]} if "params" in place else {},
        samples=samples,
        discarded=tuple(Discarded(exact(value, factor=known.factor), why) for value, why in dropped),
        figures=figures,
        count=len(samples) if samples else None,
        boots=True,
    )


def _summaries(commit: _Commit) -> tuple[tuple[str, dict[str, float]], ...]:
    return ("mean", commit.means), ("sd", commit.spreads)


def _numbers(values: Iterable[float], factor: float) -> Iterator[Number]:
    return (exact(value, factor=factor) for value in values)


def _claims(commit: _Commit, key: str, entry: Entry) -> Iterator[Claim]:
    """What avg.json and stddev.json say follows from the runs."""
    for kind, found in _summaries(commit):
        if key in found and entry.samples and not metric_of(key).is_monitor:
            factor = metric_of(key).factor
            yield Claim(
                kind=kind, what=f"{key}, {kind} of {commit.name}", printed=exact(found[key], factor=factor), of=entry.samples
            )


READER = FolderReader(
    NAME,
    recognises,
    read,
    "files RUN/stats.json below a folder for each kernel, or a matrix.json in it, as lkp-tests lays them out",
)
