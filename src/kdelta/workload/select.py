"""From what the user typed behind `-b` to benchmarks."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import msgspec

from kdelta.model.benchmark import Benchmark
from kdelta.model.errors import MisuseError, unknown
from kdelta.workload.catalogue import PARAMETERS, SUITES, Parameter, by_name
from kdelta.workload.demands import with_demands

# Words that every program takes, beside its own parameters: they are fields of Benchmark.
COMMON = (
    Parameter("operations", "", "operations of one iteration in exact mode", least=1, most=1 << 40),
    Parameter("iterations", "3", "measured iterations in one boot, in exact mode", least=1, most=1000),
    Parameter("getppid", "0", "getppid() calls added to each operation", least=0, most=1000000),
)
NO_SETTINGS: Mapping[str, str] = {}


def select(words: Iterable[str], settings: Mapping[str, str] = NO_SETTINGS) -> tuple[Benchmark, ...]:
    """The benchmarks of suites, names and `program:parameter=value,...`, in order, each once.

    `settings` are parameters for those programs that have them. Raises MisuseError for what is not in the catalogue, and for
    a setting that no chosen program has.
    """
    chosen = {benchmark.name: benchmark for word in words for benchmark in _expand(word)}
    if not chosen:
        raise MisuseError("no benchmark is chosen", f"-b takes a suite ({', '.join(SUITES)}) or names from `kdelta workloads`")
    for name in settings:
        if not any(name in _parameters(benchmark) for benchmark in chosen.values()):
            raise MisuseError(f"none of the benchmarks has a `{name}`", "it is kernbench's: leave it out, or add -b kernbench")
    return tuple(with_demands(_set(benchmark, settings)) for benchmark in chosen.values())


def _parameters(benchmark: Benchmark) -> dict[str, Parameter]:
    return {parameter.name: parameter for parameter in PARAMETERS[benchmark.program]}


def _set(benchmark: Benchmark, settings: Mapping[str, str]) -> Benchmark:
    known = _parameters(benchmark)
    own = {name: value for name, value in settings.items() if name in known}
    for name, value in own.items():
        if not known[name].accepts(value):
            raise MisuseError(f"{name} of {benchmark.name} is '{value}'", f"{name} is {known[name].rule()}")
    return msgspec.structs.replace(benchmark, parameters={**benchmark.parameters, **own})


def _expand(word: str) -> Iterable[Benchmark]:
    name, _, settings = word.partition(":")
    if name in SUITES and not (settings and name in PARAMETERS):
        if settings:
            raise MisuseError(
                f"-b {word}: a suite takes no settings", f"give them to its benchmarks, as in {SUITES[name][0]}:{settings}"
            )
        return (by_name()[member] for member in SUITES[name])
    return (_configured(_base(name), word, settings),)


def _base(name: str) -> Benchmark:
    """A benchmark of the catalogue, or a bare program with its defaults."""
    benchmarks = by_name()
    if name in benchmarks:
        return benchmarks[name]
    if name in PARAMETERS:
        first = next(benchmark for benchmark in benchmarks.values() if benchmark.program == name)
        return msgspec.structs.replace(first, name=name, operation=f"one operation of {name}", classic=1)
    raise unknown("benchmark or suite", name, {*benchmarks, *PARAMETERS, *SUITES})


def _configured(base: Benchmark, word: str, settings: str) -> Benchmark:
    if not settings:
        return base
    known = {parameter.name: parameter for parameter in (*PARAMETERS[base.program], *COMMON)}
    own, common = dict(base.parameters), dict[str, int]()
    for setting in settings.split(","):
        name, equals, value = setting.partition("=")
        if name not in known:
            raise unknown("parameter", name, known, f"for {base.name}")
        if not equals or not known[name].accepts(value):
            raise MisuseError(f"-b {word}: {name}='{value}'", f"{name} is {known[name].rule()}")
        if known[name] in COMMON:
            common[name] = int(value)
        else:
            own[name] = value
    classic = 1 if own != base.parameters else base.classic
    return msgspec.structs.replace(base, name=word, parameters=own, classic=classic, **common)
