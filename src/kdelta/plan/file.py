"""A plan as a TOML file."""

from __future__ import annotations

import tomllib
from collections.abc import Callable
from pathlib import Path

import msgspec

from kdelta.model.benchmark import Benchmark
from kdelta.model.errors import MisuseError, unknown
from kdelta.model.plan import BoxSpec, Plan
from kdelta.model.variant import Variant
from kdelta.plan.check import check

Select = Callable[[list[str]], tuple[Benchmark, ...]]
"""From names of suites and benchmarks to benchmarks: the catalogue is not this package's."""


class _Head(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    baseline: str | None = None
    seeds: int = 3


class _Variant(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    kernel: str
    name: str | None = None
    cmdline: str = ""
    sysctl: dict[str, str | int] = {}


class _Box(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    name: str = "exact"
    kind: str = "exact"
    cpus: int = 1
    memory: int = 512


class _Benchmark(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    suite: str | None = None
    name: str | None = None


class _File(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    variant: list[_Variant]
    benchmark: list[_Benchmark]
    plan: _Head = _Head()
    box: list[_Box] = []


def read(path: Path, select: Select) -> Plan:
    """The plan in the file at `path`. Raises MisuseError with the key, the rule and the remedy."""
    try:
        table = tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise MisuseError(f"{path} cannot be read: {error.strerror}", "give the path of a plan") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise MisuseError(f"{path} is not TOML: {error}", "see docs/plans.md for a whole plan") from error
    _check_keys(path, table)
    try:
        return _plan(msgspec.convert(table, _File), select)
    except msgspec.ValidationError as error:
        raise MisuseError(f"{path}: {error}", "see docs/plans.md for the keys and their types") from error


SECTIONS: dict[str, type[msgspec.Struct]] = {"plan": _Head, "variant": _Variant, "box": _Box, "benchmark": _Benchmark}


def _check_keys(path: Path, table: dict[str, object]) -> None:
    """Unknown keys get an answer with the nearest known one, which the decoder does not give."""
    for section, content in table.items():
        if section not in SECTIONS:
            raise unknown("section", section, SECTIONS, f"in a plan ({path})")
        entries = content if isinstance(content, list) else [content]
        for key in (key for entry in entries if isinstance(entry, dict) for key in entry):
            if key not in SECTIONS[section].__struct_fields__:
                raise unknown("key", key, SECTIONS[section].__struct_fields__, f"in [{section}] ({path})")


def _plan(file: _File, select: Select) -> Plan:
    if any((entry.suite is None) == (entry.name is None) for entry in file.benchmark):
        raise MisuseError("each [[benchmark]] has either `suite` or `name`", 'write suite = "quick" or name = "ctx:procs=20"')
    variants = tuple(_variant(entry) for entry in file.variant)
    return check(
        Plan(
            baseline=file.plan.baseline or (variants[0].name if variants else ""),
            variants=variants,
            boxes=tuple(_box(entry) for entry in file.box) or (BoxSpec(name="exact"),),
            benchmarks=select([entry.suite or entry.name or "" for entry in file.benchmark]),
            seeds=file.plan.seeds,
        )
    )


def _box(entry: _Box) -> BoxSpec:
    return BoxSpec(name=entry.name, kind=entry.kind, cpus=entry.cpus, memory=entry.memory)


def _variant(entry: _Variant) -> Variant:
    return Variant(
        name=entry.kernel if entry.name is None else entry.name,
        kernel=entry.kernel,
        cmdline=tuple(entry.cmdline.split()),
        sysctl={name: str(value) for name, value in entry.sysctl.items()},
    )
