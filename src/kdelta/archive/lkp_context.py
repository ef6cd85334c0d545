"""What a mail of the 0-day robot says around its tables: headlines, the commits compared, the test and its parameters.

FYI, we noticed a -12.9% regression of perf-bench-sched-pipe.ops_per_sec due to commit:
commit: 779b1a1cb13ae17028aeddb2fbbdba97357a1e15 ("cpuidle: governors: menu: Avoid selecting states with too much latency")
[still regression on linus/master 1b237f190eb3d36f52dffe07a40b5eb210280e00]
compiler/cpufreq_governor/kconfig/nr_threads/rootfs/tbox_group/test/testcase:
  gcc-12/performance/x86_64-rhel-9.4/100%/debian-12-x86_64-20240206.cgz/lkp-icl-2sp7/pipeherd/stress-ng
commit:
  f2ffc48de2 ("pipe: one thing")
  ee5eda8ea5 ("pipe: another")
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from kdelta.archive.lkp_table import Word
from kdelta.archive.text import Line

_HEADLINE = re.compile(
    r"noticed an? +(?P<percent>[-+]?\d{1,9}(?:\.\d{1,9})?)% +(?P<word>regression|improvement) +of +(?P<metric>\S{1,300})",
    re.IGNORECASE,
)
_SUMMARY = re.compile(
    r"\| *testcase: change *\| *\S{1,100}: +(?P<metric>\S{1,300}) +(?P<percent>[-+]?\d{1,9}(?:\.\d{1,9})?)% +"
    r"(?P<word>regression|improvement)"
)
_COMMIT = re.compile(r"\s*commit:? +(?P<name>[0-9a-f]{12,40})(?: +\((?P<title>.{0,300})\))?\s*$")
_STILL = re.compile(r"\s*\[(?P<what>[\w ]{1,40}) on +(?P<tree>\S{1,100}) +(?P<name>[0-9a-f]{7,40})\]")
_FACT = re.compile(
    r"\s*(?:in |on )?(?P<name>testcase|test ?case|test machine|compiler|config|version|test-description): *(?P<said>\S.*)$"
)
_PARAMETERS = re.compile(r"\s*(?:with (?:the )?following )?parameters:\s*$")
_PARAMETER = re.compile(r"\s+(?P<name>[\w.-]{1,60}): *(?P<said>\S.{0,200})$")
_KEYS = re.compile(r"\s*(?P<keys>[\w.-]+(?:/[\w.-]+)*):\s*$")
_KEYS_BEGIN = re.compile(r"\s*(?P<keys>[\w.-]+(?:/[\w.-]*)+)\s*$")
_LIST = re.compile(r"\s*commit:\s*$")
_LISTED = re.compile(r"\s+(?P<name>[^\s(]\S{0,200})(?:\s+(?P<title>\S.{0,300}))?$")
MOST_LISTED = 20

BUILD = ("compiler", "kconfig", "rootfs", "ucode", "tbox_group", "testcase")
"""Keys that are no parameters of the test."""


class Headline(NamedTuple):
    """`percent` is printed with a sign or without; `is_gain` is what the mail calls it."""

    percent: Word
    is_gain: bool
    metric: str


@dataclass
class Context:
    """`keys` are those of the line above the commits, `parameters` those that the mail lists. `commits` are name and title."""

    facts: dict[str, str] = field(default_factory=dict)
    keys: dict[str, str] = field(default_factory=dict)
    parameters: dict[str, str] = field(default_factory=dict)
    commits: list[tuple[str, str]] = field(default_factory=list)

    @property
    def testcase(self) -> str:
        return self._old[1] or self.keys.get("testcase") or self.facts.get("testcase", "").partition(" ")[0]

    @property
    def box(self) -> str:
        return self._old[0] or self.keys.get("tbox_group", "")

    @property
    def _old(self) -> tuple[str, str, str]:
        """`test case: ivb44/vm-scalability/300s-migrate`, as in 2014: box, test and parameters. Empty elsewhere."""
        box, slash, rest = self.facts.get("testcase", "").partition("/")
        test, _, said = rest.partition("/")
        return (box, test, said) if slash else ("", "", "")

    def of_test(self) -> dict[str, str]:
        """Parameters of the test, by name."""
        every = {**({"test": self._old[2]} if self._old[2] else {}), **self.parameters, **self.keys}
        return {name: said for name, said in every.items() if name not in BUILD}


def headlines(lines: Sequence[Line]) -> list[Headline]:
    """Each once, however often it is quoted. One may be wrapped over two lines."""
    found: dict[tuple[str, str], Headline] = {}
    for place, line in enumerate(lines):
        if "noticed a" in line.text:
            after = lines[place + 1].text.lstrip() if place + 1 < len(lines) else ""
            match = _HEADLINE.search(f"{line.text.rstrip()[:1000]} {after[:400]}")
        elif "testcase: change" in line.text:
            match = _SUMMARY.search(line.text[:1000])
        else:
            continue
        if match is not None and match.end("percent") <= len(line.text):
            metric = match["metric"].strip(",.:;\"'`|")
            word = Word(match["percent"], line, match.start("percent"))
            found.setdefault(
                (metric, match["percent"].lstrip("+-")), Headline(word, match["word"].lower() == "improvement", metric)
            )
    return list(found.values())


def context(lines: Sequence[Line]) -> Context:
    """What these lines say: those above one table, below the one before."""
    found = Context()
    place = 0
    while place < len(lines):
        text = lines[place].text[:2000]
        if _LIST.match(text):
            found.commits = list(_listed(lines[place + 1 : place + 1 + MOST_LISTED]))
        elif _PARAMETERS.match(text):
            found.parameters.update(_parameters(lines[place + 1 : place + 1 + MOST_LISTED]))
        elif text.rstrip().endswith(":") and (keys := _keys(lines, place)):
            found.keys = keys
        else:
            found.facts.update(_facts(text))
        place += 1
    return found


def _facts(text: str) -> Iterator[tuple[str, str]]:
    if match := _COMMIT.match(text):
        yield "commit", f"{match['name']} {match['title'] or ''}".strip()
    elif match := _STILL.match(text):
        yield f"{match['what'].strip()} on {match['tree']}", match["name"]
    elif match := _FACT.match(text):
        yield match["name"].replace("test case", "testcase"), match["said"].strip()[:300]


def _listed(lines: Iterable[Line]) -> Iterator[tuple[str, str]]:
    for line in lines:
        match = _LISTED.match(line.text[:600])
        if match is None:
            return
        yield match["name"], _title(match["title"] or "")


def _title(said: str) -> str:
    return said.strip().removeprefix("(").removesuffix(")").strip('"')


def _parameters(lines: Iterable[Line]) -> Iterator[tuple[str, str]]:
    for line in lines:
        match = _PARAMETER.match(line.text)
        if match is not None:
            yield match["name"], match["said"].strip()
        elif line.text.strip():
            return


def _keys(lines: Sequence[Line], place: int) -> dict[str, str]:
    """Names and values, each joined by slashes; either may be wrapped. Empty where they are not as many."""
    match = _KEYS.match(lines[place].text[:2000])
    if match is None or ("testcase" not in match["keys"] and not lines[place].text.strip().endswith("case:")):
        return {}
    before = _KEYS_BEGIN.match(lines[place - 1].text[:2000]) if place else None
    names = ((before["keys"] if before else "") + match["keys"]).split("/")
    if len(names) > MOST_LISTED:
        return {}
    said = ""
    for line in lines[place + 1 : place + 5]:
        said += line.text.strip()[:2000]
        if said and said.count("/") >= len(names) - 1:
            break
    values = said.split("/")
    return dict(zip(names, values, strict=True)) if len(values) == len(names) else {}
