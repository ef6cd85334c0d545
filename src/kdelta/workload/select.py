"""From what the user typed behind `-b` to benchmarks."""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from kdelta.model.benchmark import Benchmark
from kdelta.model.errors import MisuseError, unknown
from kdelta.workload.catalogue import PARAMETERS, SUITES, Parameter, by_name

# Words that every program takes, beside its own parameters: they are fields of Benchmark.
COMMON = (
    Parameter("operations", "", "operations of one iteration in exact mode", least=1, most=1 << 40),
    Parameter("iterations", "3", "measured iterations in one boot", least=1, most=1000),
    Parameter("getppid", "0", "getppid() calls added to each operation", least=0, most=1000000),
)


def select(words: Iterable[str]) -> tuple[Benchmark, ...]:
    """The benchmarks of suites, names and `program:parameter=value,...`, in order, each once.

    Raises MisuseError for what is not in the catalogue.
    """
    chosen = {benchmark.name: benchmark for word in words for benchmark in _expand(word)}
    if not chosen:
        raise MisuseError("no benchmark is chosen", f"-b takes a suite ({', '.join(SUITES)}) or names from `kdelta workloads`")
    return tuple(chosen.values())


def _expand(word: str) -> Iterable[Benchmark]:
    name, _, settings = word.partition(":")
    if name in SUITES:
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
        return msgspec.structs.replace(first, name=name, operation=f"one operation of {name}")
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
    return msgspec.structs.replace(base, name=word, parameters=own, **common)
