"""Of what a profile in a mail is: by its own title, or by the table of results that stands above it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from kdelta.archive import ours
from kdelta.archive.numbers import PLAIN
from kdelta.archive.text import Line
from kdelta.model.published import Remark

LONGEST_TITLE = 300
NEAR = 10
"""Lines that may lie between a table of results and a profile that has no title, for both to be of the same kernels."""

_TOLD = re.compile(r"profile|\bprof\b|(?:numbers?|is) (?:better|worse) with|\+ (?:gets |is )?worse", re.IGNORECASE)
_BENCHMARK = re.compile(r"\s*(?:kernbench[-\d]*\s*[:(]|sdet(?:bench)?[ _-]?\d)", re.IGNORECASE)
_RESULT = re.compile(rf"\s*(?P<kernel>\S+)(?:\s+{PLAIN}%?){{2,4}}\s*$")
_BRACES = re.compile(r"(?P<before>[^\s{}]{0,200})\{(?P<one>[^\s{},]{0,200}),(?P<other>[^\s{},]{0,200})\}(?P<behind>[^\s{}]{0,200})")
_BETTER = re.compile(r"(?:better|worse) with (?P<new>[^,()]{1,60})", re.IGNORECASE)
_FROM_TO = re.compile(r"\b(?:from|between) (?P<old>[^,;:()]{1,60}?) (?:to|and) (?P<new>[^,;:()]{1,60})", re.IGNORECASE)
_VERSUS = re.compile(r"(?P<old>[^\s,;:()]{1,60}) (?:vs\.?|versus|->) (?P<new>[^\s,;:()]{1,60})", re.IGNORECASE)
_MAP = re.compile(r"\bSystem\.map-(?P<kernel>[^\s|;]{1,80})")
_PROF = re.compile(r"\s*(?P<what>\d{1,6} procs?)\s+prof(?:ile)?\b", re.IGNORECASE)
_SECTION = re.compile(r"\s*(?P<name>[^\s:][^:]{0,60}):\s*$")
_VERSION = re.compile(r"\d\.\d")


@dataclass(frozen=True)
class Title:
    """What is said of a profile; `line` is that of the title, 0 without one."""

    line: int = 0
    text: str = ""
    benchmark: str = ""
    old: str = ""
    new: str = ""
    remarks: tuple[Remark, ...] = ()


class Above:
    """What was met above the line at hand: the last benchmark that results or a profile are of, and its kernels."""

    def __init__(self, subject: str = "") -> None:
        self._benchmark, self._line = ours.named(subject), 0
        self._kernels: list[str] = []
        self._last = 0
        self._passed: list[Line] = []
        self.section = ""
        """The last line of a kernel's version that ends in a colon, as above the results of each."""

    def pass_by(self, line: Line) -> None:
        """Takes note of a line that is no row of a profile: it is looked at when a profile follows, which is seldom."""
        self._passed.append(line)

    def _look(self, line: Line) -> None:
        text = line.text
        if len(text) > LONGEST_TITLE:
            return
        told = _TOLD.search(text) is not None
        found = ours.named(text) if told or _BENCHMARK.match(text) else ""
        if found and told:
            self._benchmark, self._line, self._last = found, line.number, -NEAR
        elif found:
            self._benchmark, self._line, self._kernels = found, line.number, []
        elif (result := _RESULT.match(text)) and not result["kernel"].isdigit():
            self._kernels.append(result["kernel"])
            self._last = line.number
        elif not told and (section := _SECTION.match(text)) and _VERSION.search(text):
            self.section = section["name"].strip()

    def title(self, before: Sequence[Line], first: Line) -> Title:
        """Of the listing whose first row is `first`, with the lines `before` it, the nearest one last."""
        for passed in self._passed:
            self._look(passed)
        self._passed.clear()
        told = [line for line in before if line.text.strip() and len(line.text) <= LONGEST_TITLE]
        found = next((one for line in reversed(told[-3:]) if (one := _title(line)) is not None), Title())
        return self._completed(found, first)

    def _completed(self, found: Title, first: Line) -> Title:
        """What the title leaves out, by the last table of results, with a remark that says so."""
        said = []
        if not found.benchmark and self._benchmark:
            found = replace(found, benchmark=self._benchmark)
            of = f"by line {self._line}" if self._line else "by the subject"
            said.append(Remark(first.number, f"no title says of which benchmark the profile is: {found.benchmark} {of}"))
        near = len(self._kernels) == 2 and first.number - self._last <= NEAR
        if not found.line and near:
            found = replace(found, old=self._kernels[0], new=self._kernels[1])
            said.append(Remark(first.number, f"no title says which kernels: {found.old} and {found.new} by the table above"))
        elif found.new:
            called = [kernel for kernel in self._kernels if kernel.endswith(f"-{found.new}")]
            found = replace(found, new=called[0] if len(called) == 1 else found.new)
        return replace(found, remarks=tuple(said))


def _title(line: Line) -> Title | None:
    """What a line says of the profile below it; None for one that says nothing of a profile."""
    text = line.text.strip()
    benchmark = ours.named(text)
    if not (_TOLD.search(text) or (benchmark and len(text) < 60)):
        return None
    paths = [word for word in _expanded(text).split() if "/" in word.strip("/")]
    kernels = [kernel for kernel in map(_kernel, paths) if kernel]
    base = Title(line.number, text, benchmark)
    if len(kernels) == 2:
        return replace(base, old=kernels[0], new=kernels[1])
    if (found := _PROF.match(text)) and not benchmark:
        return replace(base, benchmark=found["what"])
    if names := _FROM_TO.search(text) or _VERSUS.search(text):
        return replace(base, old=names["old"].strip(), new=names["new"].strip())
    if better := _BETTER.search(text):
        return replace(base, new=better["new"].strip())
    if mapped := _MAP.search(text):
        return replace(base, new=mapped["kernel"])
    return replace(base, new=kernels[0] if kernels else "")


def _expanded(text: str) -> str:
    """With the first pair of braces written out, as a shell does: a{b,c}d -> abd acd."""
    return _BRACES.sub(
        lambda found: " ".join(f"{found['before']}{one}{found['behind']}" for one in found.group("one", "other")), text, 1
    )


def _kernel(path: str) -> str:
    """The folder above that of the benchmark: 2.5.67-mm1 of results/2.5.67-mm1/kernbench/0/profile."""
    parts = path.strip("/").split("/")
    at = next((place for place, part in enumerate(parts) if "bench" in part.lower() or part.lower() == "sdet"), 0)
    return parts[at - 1] if at else ""
