"""pyperf's files of JSON: values of runs, of which each is one process.

    {"benchmarks": [{"runs": [{"warmups": [[1, 7.9e-06], [2, 5.4e-06]], "metadata": {"cpu_freq": "0=1673 MHz; 1=3400 MHz"}},
      {"values": [4.13e-06, 4.12e-06], "warmups": [[32768, 4.1e-06]]}]}],
     "metadata": {"name": "timeit", "unit": "second", "platform": "Linux-4.9.12-200.fc25.x86_64-x86_64-with-fedora-25"},
     "version": "1.0"}

Values are in seconds for each loop, bytes, or numbers, as `unit` says. A run without values calibrated the number of loops.
Warm-ups are pairs of loops and value, and not judged. Files before 0.9 name the values `samples` (doc/api.rst of 2.6).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

import msgspec

from kdelta.archive.json_text import NULL, Json, words
from kdelta.archive.labels import Apart
from kdelta.archive.reader import Reader
from kdelta.archive.text import Text
from kdelta.model.benchmark import Better
from kdelta.model.published import Block, Discarded, Entry, Remark

NAME = "pyperf"

Metadata = dict[str, msgspec.Raw]

UNITS = {"second": ("time", "s", Better.SMALLER), "byte": ("memory", "B", Better.SMALLER), "integer": ("value", "", None)}
"""What pyperf calls it -> metric, unit, direction."""
FACTS = (
    "cpu_model_name",
    "cpu_count",
    "cpu_config",
    "cpu_affinity",
    "aslr",
    "timer",
    "python_version",
    "loops",
    "boot_time",
    "date",
)
SCALED = 1.1
"""A frequency so many times another is no noise of its reading."""

_KERNEL = re.compile(r"Linux-(?P<release>\S{1,200}?)-with(?:-|$)")
_MACHINES = ("-x86_64", "-aarch64", "-i686", "-i386", "-ppc64le", "-ppc64", "-s390x", "-armv7l", "-riscv64")
_FREQUENCY = re.compile(r"(\d{1,6}(?:\.\d{1,3})?) ?(MHz|GHz)")


class _Run(msgspec.Struct):
    metadata: Metadata = {}
    warmups: list[msgspec.Raw] | None = None
    values: list[msgspec.Raw] | None = None
    samples: list[msgspec.Raw] | None = None


class _Benchmark(msgspec.Struct):
    runs: list[_Run]
    metadata: Metadata = {}


class _Suite(msgspec.Struct):
    benchmarks: list[_Benchmark]
    metadata: Metadata = {}


def read(text: Text) -> Iterator[Block]:
    """A block for each benchmark of the suite."""
    json = Json(text)
    if json.too_long:
        yield json.refusal(NAME)
        return
    suite, apart = json.decode(_Suite), Apart()
    for benchmark in suite.benchmarks if suite else ():
        known = {name: words(value) for name, value in {**suite.metadata, **benchmark.metadata}.items()} if suite else {}
        if any(run.warmups or run.values or run.samples for run in benchmark.runs):
            yield _block(text, json, benchmark, known, apart)


def _block(text: Text, json: Json, benchmark: _Benchmark, known: dict[str, str], apart: Apart) -> Block:
    name = known.get("name", "") or "pyperf"
    metric, unit, better = UNITS.get(known.get("unit", "second"), ("value", known.get("unit", ""), None))
    samples = [number for run in benchmark.runs for raw in run.values or run.samples or () if (number := json.number(raw))]
    discarded = [one for run in benchmark.runs for one in _warmups(json, run)]
    used = [run for run in benchmark.runs if run.values or run.samples]
    variant, twice = apart.name(_kernel(known.get("platform", "")), name, samples[0].line if samples else text.first)
    entry = Entry(
        variant=variant,
        box=known.get("hostname", ""),
        program="pyperf",
        benchmark=name,
        metric=metric,
        unit=unit,
        printed_unit=unit,
        better=better,
        samples=tuple(samples),
        discarded=tuple(discarded),
        count=len(samples) or None,
        boots=False if "boot_time" in known else None,
        reason="" if samples else "there are only warm-ups",
    )
    places = [number.line for number in (*samples, *(one.number for one in discarded))]
    return Block(
        format=NAME,
        title=name,
        first=min(places, default=text.first),
        last=max(places, default=text.last),
        entries=(entry,),
        remarks=(*twice, *_remarks(json, benchmark.runs, known, entry)),
        facts={name: known[name] for name in FACTS if known.get(name)} | {"processes": _processes(used, len(benchmark.runs))},
    )


def _warmups(json: Json, run: _Run) -> Iterator[Discarded]:
    for raw in run.warmups or ():
        try:
            loops, value = msgspec.json.decode(raw, type=tuple[msgspec.Raw, msgspec.Raw])
        except msgspec.MsgspecError:
            continue
        if number := json.number(value):
            yield Discarded(number, f"a warm-up of {words(loops)} loops")


def _kernel(platform: str) -> str:
    """Of Linux-4.9.12-200.fc25.x86_64-x86_64-with-fedora-25: release, machine, distribution."""
    match = _KERNEL.match(platform)
    release = match["release"] if match else ""
    machine = next((one for one in _MACHINES if release.endswith(one)), "")
    return release.removesuffix(machine)


def _processes(used: Sequence[_Run], every: int) -> str:
    each = sorted({len(run.values or run.samples or ()) for run in used})
    values = " to ".join(str(count) for count in (each[:1] + each[-1:] if len(each) > 1 else each)) or "no"
    rest = every - len(used)
    return f"{len(used)} of {values} values each" + (f", and {rest} without values, which calibrated" if rest else "")


def _remarks(json: Json, runs: Sequence[_Run], known: dict[str, str], entry: Entry) -> Iterator[Remark]:
    line = entry.samples[0].line if entry.samples else 0
    each = [len(run.values or run.samples or ()) for run in runs]
    if max(each, default=0) > 1:
        yield Remark(line, f"values stand in groups, one for each of {sum(map(bool, each))} processes: within one they are alike")
    read = [words(run.metadata.get("cpu_freq", NULL)) for run in runs] + [known.get("cpu_freq", "")]
    found = [float(value) * (1000.0 if unit == "GHz" else 1.0) for said in read for value, unit in _FREQUENCY.findall(said)]
    if found and max(found) > SCALED * min(found):
        where = next((json.place(run.metadata["cpu_freq"])[0] for run in runs if "cpu_freq" in run.metadata), line)
        yield Remark(where, f"processors ran at {min(found):.0f} to {max(found):.0f} MHz: their frequency was scaled")


READER = Reader(
    NAME,
    ('"warmups"', '"runs"'),
    read,
    "a file of pyperf (--output): an object with `benchmarks`, each with `runs` of `values` and `warmups`",
)
