"""A user's own command as a benchmark."""

from __future__ import annotations

import shlex

import msgspec

from kdelta.model.benchmark import Benchmark, Command, Metric
from kdelta.model.errors import MisuseError
from kdelta.workload import extract
from kdelta.workload.catalogue import by_name


def command(name: str, words: str, how: Command, metric: Metric, iterations: int = 3) -> Benchmark:
    """The benchmark `name` that runs `words`, split as a shell does it but run without one.

    `how` says where the metric stands. Raises MisuseError for what cannot be run or read.
    """
    try:
        split = tuple(shlex.split(words))
    except ValueError as error:
        raise MisuseError(f"the command of benchmark '{name}' cannot be split: {error}", "close the quotation") from error
    if not split:
        raise MisuseError(f"the command of benchmark '{name}' is empty", 'write for instance command = "perf bench sched pipe"')
    if name in by_name():
        raise MisuseError(f"'{name}' is a benchmark of kdelta", "give your command another name")
    if not metric.unit.strip() or not metric.unit.isprintable():
        raise MisuseError(f"the unit of benchmark '{name}' is empty", 'say what its metric is in: unit = "ms"')
    extract.check(name, how)
    return Benchmark(
        name=name,
        program=split[0],
        operation=words,
        iterations=iterations,
        metrics=(metric,),
        limit_seconds=3600,
        command=msgspec.structs.replace(how, words=split),
    )
