"""Profiles as JSON for profiler.firefox.com: its processed format, version 61 (firefox-devtools/profiler, src/types/profile.ts).

The site reads all older versions of the format too.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import accumulate

import msgspec

from kdelta.model.profile import INSTRUCTIONS
from kdelta.report.call_tree import ROOT, CallTree, call_tree
from kdelta.report.frames import Origin, frames, origin, shown
from kdelta.report.named import Named

VERSION = 61
GECKO_VERSION = 31
"""Of the format that Firefox itself writes, which a reader looks for, though nothing here is in it."""

CATEGORIES = {"Other": "grey", "Kernel": "orange", "Module": "purple", "User": "blue"}
"""With their colours, of which grey must be one."""
CATEGORY = {Origin.KERNEL: 1, Origin.MODULE: 2, Origin.USER: 3}
LIBRARY = 1
"""The type of a resource."""

INSTRUCTION, COUNT = 1e-6, 1.0
"""Milliseconds that a count has on the line of time, where it is no time: an instruction is a nanosecond of the exact lab."""

Table = dict[str, object]


def render(profiles: Sequence[Named], *, title: str = "kdelta") -> bytes:
    """A thread for each profile, a sample for each of its chains that has counts, one after the other on the line of time.

    The weight of a sample is its time in milliseconds where that is known, else its count, which is called samples there.
    """
    tree = call_tree([profile.counts for profile in profiles])
    threads = [_thread(number, profile, tree) for number, profile in enumerate(profiles)]
    interval = min(map(_milliseconds, profiles), default=COUNT)
    return msgspec.json.encode(
        {"meta": _meta(title, interval, len(threads)), "libs": [], "shared": _shared(tree), "threads": threads}
    )


def _meta(title: str, interval: float, threads: int) -> Table:
    return {
        "interval": interval,
        "startTime": 0,
        "processType": 0,
        "product": shown(title),
        "importedFrom": "kdelta",
        "stackwalk": 0,
        "version": GECKO_VERSION,
        "preprocessedProfileVersion": VERSION,
        "categories": [{"name": name, "color": color, "subcategories": ["Other"]} for name, color in CATEGORIES.items()],
        "markerSchema": [],
        "symbolicationNotSupported": True,
        "usesOnlyOneStackType": True,
        "sourceCodeIsNotOnSearchfox": True,
        "keepProfileThreadOrder": True,
        "initialVisibleThreads": [*range(threads)],
        "initialSelectedThreads": [*range(threads)][:1],
    }


def _milliseconds(profile: Named) -> float:
    """Of a count, on the line of time."""
    if profile.seconds is not None:
        return 1e3 * profile.seconds
    return INSTRUCTION if profile.unit == INSTRUCTIONS else COUNT


def _thread(number: int, profile: Named, tree: CallTree) -> Table:
    return {
        "name": shown(profile.name),
        "isMainThread": number == 0,
        "processType": "default",
        "processStartupTime": 0,
        "processShutdownTime": None,
        "registerTime": 0,
        "unregisterTime": None,
        "pausedRanges": [],
        "pid": "0",
        "tid": number,
        "samples": _samples(profile, tree.own[number]),
        "markers": _table(data=[], name=[], startTime=[], endTime=[], phase=[], category=[]),
    }


def _samples(profile: Named, own: Sequence[float]) -> Table:
    """A stack is a node of the tree, whose root is none."""
    counts = {node - 1: count for node, count in enumerate(own) if count}
    length = _milliseconds(profile)
    timed = profile.seconds is not None
    return {
        "stack": [*counts],
        "time": [*accumulate((length * count for count in counts.values()), initial=0.0)][: len(counts)],
        "weight": [length * count for count in counts.values()] if timed else [*counts.values()],
        "weightType": "tracing-ms" if timed else "samples",
        "length": len(counts),
    }


def _shared(tree: CallTree) -> Table:
    """Functions, and frames of which each is one of a function, are in the order in which the stacks have them."""
    called = [name for node in tree.names[ROOT + 1 :] for name in frames(node)]
    places = {name: place for place, name in enumerate(dict.fromkeys(called))}
    stacks = _table(
        frame=[places[name] for name in called],
        prefix=[None if parent == ROOT else parent - 1 for parent in tree.parents[ROOT + 1 :]],
    )
    return {"stackTable": stacks, **_functions([*places])}


def _functions(names: Sequence[str]) -> Mapping[str, object]:
    """The tables of functions and of what they refer to."""
    origins = [origin(name) for name in names]
    files = {file: place for place, file in enumerate(dict.fromkeys(file for _, file in origins))}
    strings = {text: place for place, text in enumerate(dict.fromkeys([*names, *files]))}
    size = len(names)
    return {
        "frameTable": _table(
            address=[-1] * size,
            inlineDepth=[0] * size,
            category=[CATEGORY[where] for where, _ in origins],
            subcategory=[0] * size,
            func=[*range(size)],
            **dict.fromkeys(("nativeSymbol", "innerWindowID", "line", "column"), [None] * size),
        ),
        "funcTable": _table(
            name=[strings[name] for name in names],
            resource=[files[file] for _, file in origins],
            **dict.fromkeys(("isJS", "relevantForJS"), [False] * size),
            **dict.fromkeys(("source", "lineNumber", "columnNumber"), [None] * size),
        ),
        "resourceTable": _table(
            name=[strings[file] for file in files], lib=[None] * len(files), host=[None] * len(files), type=[LIBRARY] * len(files)
        ),
        "nativeSymbols": _table(libIndex=[], address=[], name=[], functionSize=[]),
        "sources": _table(id=[], filename=[], startLine=[], startColumn=[], sourceMapURL=[]),
        "stringArray": [*strings],
    }


def _table(**columns: Sequence[object]) -> Table:
    return {**columns, "length": len(next(iter(columns.values())))}
