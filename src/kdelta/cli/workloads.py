"""kdelta workloads: what `-b` can name."""

from __future__ import annotations

import click

from kdelta.cli.options import json_option, print_json
from kdelta.cli.terminal import say
from kdelta.workload.catalogue import BENCHMARKS, PARAMETERS, SUITES
from kdelta.workload.select import COMMON


@click.command()
@json_option
def command(as_json: bool) -> None:
    """List benchmarks with their operation, unit, direction and needs; suites; and every program's parameters."""
    if as_json:
        print_json({"benchmarks": BENCHMARKS, "suites": SUITES, "parameters": PARAMETERS, "common": COMMON})
        return
    say("Benchmarks: name, operation, unit (the better direction), needs\n")
    for benchmark in BENCHMARKS:
        metric = benchmark.metric
        needs = f"  needs {', '.join(benchmark.needs)}" if benchmark.needs else ""
        say(f"  {benchmark.name:<15} {benchmark.operation:<42} {metric.unit} ({metric.better.value}){needs}\n")
    say("\nSuites\n")
    for suite, names in SUITES.items():
        say(f"  {suite:<15} {' '.join(names)}\n")
    say("\nParameters: -b PROGRAM:NAME=VALUE,... or -b BENCHMARK:NAME=VALUE,...\n")
    for program, parameters in {**PARAMETERS, "(every program)": COMMON}.items():
        for parameter in parameters:
            default = f" [{parameter.default}]" if parameter.default else ""
            say(f"  {program:<15} {parameter.name:<12} {parameter.meaning}: {parameter.rule()}{default}\n")
