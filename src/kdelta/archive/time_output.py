"""What `time` prints of a command, in the forms of bash, POSIX, GNU time, tcsh and zsh; several in a text are variants or repeats.

    $ time make -j10                              0.12user 1.42system 0:04.92elapsed 31%CPU (...)
    real    0m1,045s                              0.12u 1.42s 0:04.92 31.3% 0+0k 0+0io 0pf+0w
    user    0m3,153s                              make -j10  3.15s user 1.03s system 400% cpu 1.045 total
    sys     0m1,037s

A decimal comma is as good as a point. Each is one run. The command that is shown, or a line with a colon above it, names the
variant; what follows without anything between is repeated. Times of tools that only print a profile are left out.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from kdelta.archive.reader import Reader
from kdelta.archive.text import Line, Text
from kdelta.archive.time_forms import Timed, timed
from kdelta.model.benchmark import Better
from kdelta.model.boot import CellState
from kdelta.model.published import Block, Claim, Discarded, Entry, Number, Remark

NAME = "time"

METRICS = {"elapsed": ("elapsed_s", "s"), "user": ("user_s", "s"), "system": ("system_s", "s"), "cpu": ("percent_cpu", "%")}
"""As our own kernbench names them."""
PROFILERS = frozenset({"readprofile", "opreport", "opannotate", "perf", "diffprofile"})
"""Tools of which the time is no result."""
UNNAMED = "command"

_TYPED = re.compile(r"\s*(?:sudo +)?time +(?:-p +)?(?P<command>[\w./-].{0,200})$")
_PROMPT = re.compile(r"[^#$%>\n]{0,80}[#$%>] *(?:sudo +)?time +(?:-p +)?(?P<command>[\w./-].{0,200})$")
_LABEL = re.compile(
    r"\s*(?P<label>[\w(+-].{0,60}?) ?:\s*$|\s*(?P<word>[\w.+-]{1,40})\s*$|\s*[*=#]{1,4} ?(?P<bold>\w[^*=#]{0,60}?) ?[*=#]{1,4}\s*$"
)
_MOST_WORDS = 7
"""Of a heading: more are a sentence."""
_PAGEFAULTS = re.compile(r"\s*\d+inputs\+\d+outputs \(\d+major\+\d+minor\)pagefaults \d+swaps\s*$")
_STATUS = re.compile(r"Command (?:exited with non-zero status \d+|terminated by signal \d+)\s*$")
_STAMP = re.compile(r"\s*(?P<key>start time|end time|iterations|runtime): (?P<value>\d{1,12}(?:\.\d{1,9})?)\s*$")
_SLUG = re.compile(r"[a-z0-9]+")
_CLOSE = 3
"""Lines between two times of one command, of which only the first shows it."""
_SHELL = re.compile(r"\s*[#$%] ?[a-z./][^:]*$")
_FAR = 200
"""Lines of output above a time, in which its command may stand."""


class _Run(NamedTuple):
    timed: Timed
    command: str
    label: str
    title: str
    """The heading above, where the line has a label of its own."""
    is_repeat: bool
    """Whether nothing but the command stands between it and the time above."""
    failure: str

    @property
    def benchmark(self) -> str:
        words = [word for word in self.command.split() if "=" not in word and word not in ("sudo", "nice", "taskset", "env")]
        if not words and self.title:
            return "-".join(_SLUG.findall(self.title.partition("(")[0].lower())) or UNNAMED
        return words[0].rpartition("/")[2] or UNNAMED if words else UNNAMED


def read(text: Text) -> Iterator[Block]:
    """One block of all times in the text."""
    runs = [one for one in _runs(text.lines) if one.benchmark not in PROFILERS]
    if runs:
        yield _block(runs, text.lines)


def _runs(lines: Sequence[Line]) -> Iterator[_Run]:
    place, floor, title, known = 0, 0, "", ""
    while place < len(lines):
        found = timed(lines, place)
        if found is None:
            place += 1
            continue
        command, at = _command(lines, floor, place)
        between = [line.text for line in lines[floor:place] if line.text.strip()]
        others = [one for one in between if not (_TYPED.match(one) or _PROMPT.match(one) or _PAGEFAULTS.match(one))]
        above = lines[place - 1].text if place else ""
        failure = f"exit status {found.status}" if found.status not in ("", "0") else above.strip() if _STATUS.match(above) else ""
        heading = _label(lines, floor, at) if floor == 0 or others or not found.label else title
        title = heading if found.label else ""
        label = found.label or heading
        called = found.command or command
        if not called and label and floor and place - floor <= _CLOSE and len(between) == 1:
            called = known  # nothing but a heading stands between: it is the same command once more
        known = called
        yield _Run(found, called, label, title, floor > 0 and not others and not found.label, failure)
        place = floor = found.place


def _command(lines: Sequence[Line], floor: int, place: int) -> tuple[str, int]:
    """The command that is shown above `place`, directly or behind a prompt, and where: at `place` where there is none."""
    is_near = True
    for at in range(place - 1, max(floor, place - _FAR) - 1, -1):
        text = lines[at].text
        match = _PROMPT.match(text) or (_TYPED.match(text) if is_near else None)
        if match:
            return match["command"].strip(), at
        is_near = is_near and not text.strip()
    return "", place


def _label(lines: Sequence[Line], floor: int, place: int) -> str:
    """The nearest line above `place`, if it is a heading."""
    text = next((line.text for line in reversed(lines[floor:place]) if line.text.strip() and not _SHELL.match(line.text)), "")
    match = _LABEL.match(text)
    found = (match["label"] or match["word"] or match["bold"]).strip() if match else ""
    return found if len(found.split()) <= _MOST_WORDS else ""


def _block(runs: Sequence[_Run], lines: Sequence[Line]) -> Block:
    """The runs of one variant together, in the order in which variants come."""
    remarks, claims = list[Remark](), list[Claim]()
    groups = dict[tuple[str, str], list[_Run]]()
    seen = dict[str, int]()
    key = ("", "")
    for run in runs:
        name = run.label or run.command
        if not (run.is_repeat and groups and key[1] == run.benchmark and groups[key][-1].command == run.command):
            of = f"{name}\n{run.benchmark}" if run.title else name
            seen[of] = seen.get(of, 0) + 1
            key = (f"{name} ({seen[of]})".strip() if seen[of] > 1 else name, run.benchmark)
            if seen[of] > 1:
                said = f"there are times of {name or 'no named command'} above, with more between: this one is {key[0]}"
                remarks.append(Remark(run.timed.first, said))
        groups.setdefault(key, []).append(run)
        claims += _cpu(run, key[0] or UNNAMED)
    first, last = runs[0].timed.first, runs[-1].timed.last
    facts = _stamps(lines, runs, remarks)
    entries = [entry for (variant, _), same in groups.items() for entry in _entries(variant, same, facts.get("iterations"))]
    return Block(
        format=NAME, first=first, last=last, entries=tuple(entries), claims=tuple(claims), remarks=tuple(remarks), facts=facts
    )


def _entries(variant: str, runs: Sequence[_Run], iterations: str | None) -> Iterator[Entry]:
    judged = [run for run in runs if not run.failure]
    failure = next((run.failure for run in runs if run.failure), "")
    for name, (metric, unit) in METRICS.items():
        if all(name not in run.timed.times for run in runs):
            continue
        found = [run.timed.times[name] for run in judged if name in run.timed.times]
        discarded = [Discarded(run.timed.times[name], run.failure) for run in runs if run.failure and name in run.timed.times]
        yield Entry(
            variant=variant,
            program=runs[0].benchmark if runs[0].command else "",
            benchmark=runs[0].benchmark,
            metric=metric,
            unit=unit,
            printed_unit=unit,
            better=None if name == "cpu" else Better.SMALLER,
            parameters={"command": runs[0].command} if runs[0].label and runs[0].command else {},
            samples=tuple(found) if len(found) > 1 else (),
            discarded=tuple(discarded),
            figures={"value": found[0]} if len(found) == 1 else {},
            count=1 if iterations == "1" and len(found) == 1 else None,
            state=CellState.OK if judged else CellState.FAILED,
            reason="" if judged else failure,
        )


def _cpu(run: _Run, name: str) -> Iterator[Claim]:
    times = run.timed.times
    if "cpu" in times and {"user", "system", "elapsed"} <= times.keys():
        of = (times["user"], times["system"], times["elapsed"])
        yield Claim(kind="cpu", what=f"CPU of {name}", printed=times["cpu"], of=of)


def _stamps(lines: Sequence[Line], runs: Sequence[_Run], remarks: list[Remark]) -> dict[str, str]:
    """Stamps of the clock around one time, as lkp-tests logs them: they are no second result of it."""
    if len(runs) != 1:
        return {}
    found = {match["key"]: (line, match["value"]) for line in lines if (match := _STAMP.match(line.text))}
    elapsed: Number = runs[0].timed.times["elapsed"]
    if "start time" in found and "end time" in found:
        spent = float(found["end time"][1]) - float(found["start time"][1])
        said = f"from its start time to its end time it is {spent:.4f} s, by a clock that may be set; {elapsed.text} was timed"
        remarks.append(Remark(found["end time"][0].number, said))
    if "runtime" in found:
        said = f"a run time of {found['runtime'][1]} s holds more than what was timed"
        remarks.append(Remark(found["runtime"][0].number, said))
    return {key: value for key, (_, value) in found.items()}


READER = Reader(
    NAME,
    ("real", "%CPU", "% cpu", "Elapsed (wall clock)", "0k "),
    read,
    "the lines `real`, `user` and `sys` with times, `0.12user 1.42system 0:04.92elapsed 31%CPU`, GNU time's long list, and the "
    "lines of tcsh and zsh",
)
