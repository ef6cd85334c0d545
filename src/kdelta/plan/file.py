"""A plan as a TOML file."""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import msgspec

from kdelta.model.benchmark import Benchmark, Better, Command, Metric
from kdelta.model.errors import MisuseError, unknown
from kdelta.model.plan import EXACT, LOCAL, BoxSpec, Plan, Repeat, Rule
from kdelta.model.variant import Mount, Variant
from kdelta.plan import units
from kdelta.plan.check import RUNNING, check
from kdelta.plan.schema import INNER, SECTIONS, BenchmarkTable, BoxTable, File, Head, MountTable, VariantTable
from kdelta.plan.twin import against_itself

THP = "/sys/kernel/mm/transparent_hugepage/enabled"
THP_WORDS = ("always", "madvise", "never")
MOST_RESULTS = 15
FIXED_ROUNDS, SEQUENTIAL_ROUNDS = 3, 10
"""Rounds where nobody says how many: all of them, and at most."""
RULES = {"verdict": (Repeat.FIXED, True), "settled": (Repeat.SETTLED, False), "fixed": (Repeat.FIXED, False)}
"""rule -> how a benchmark repeats in a visit, and whether rounds end with the verdicts."""
SEE = "see docs/plans.md for the keys and their types"


@dataclass(frozen=True)
class Catalogue:
    """What this package asks of the one that knows the benchmarks.

    `select`: suites and names, and parameters for those of their programs that have them -> benchmarks. `command`: a name, the
    words as the user wrote them, where the metric stands, the metric, iterations -> the benchmark that the command is.
    """

    select: Callable[[Iterable[str], Mapping[str, str]], tuple[Benchmark, ...]]
    command: Callable[[str, str, Command, Metric, int], Benchmark]


def read(path: Path, catalogue: Catalogue, *, aa: bool = False) -> Plan:
    """The plan in the file at `path`, with `aa` that of its baseline against itself.

    Raises MisuseError with the key, the rule and the remedy.
    """
    try:
        table = tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise MisuseError(f"{path} cannot be read: {error.strerror}", "give the path of a plan") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise MisuseError(f"{path} is not TOML: {error}", "see docs/plans.md for a whole plan") from error
    _check_keys(path, table)
    try:
        plan = _plan(msgspec.convert(table, File), catalogue)
    except msgspec.ValidationError as error:
        raise MisuseError(f"{path}: {error}", SEE) from error
    return check(against_itself(plan) if aa else plan)


def _check_keys(path: Path, table: dict[str, object]) -> None:
    """Unknown keys get an answer with the nearest known one, which the decoder does not give."""
    for section, content in table.items():
        if section not in SECTIONS:
            raise unknown("section", section, SECTIONS, f"in a plan ({path})")
        for key, value in _items(content):
            _require_key(key, SECTIONS[section], f"in [{section}] ({path})")
            inner = INNER.get((section, key))
            for name, _ in _items(value) if inner else ():
                assert inner is not None
                _require_key(name, inner, f"in `{key}` of [{section}] ({path})")


def _one_of(what: str, word: str, known: Iterable[str]) -> str:
    names = list(known)
    if word not in names:
        raise unknown(what, word, names, "in the plan")
    return word


def _items(content: object) -> Iterator[tuple[str, object]]:
    entries = content if isinstance(content, list) else [content]
    return (item for entry in entries if isinstance(entry, dict) for item in entry.items())


def _require_key(key: str, table: type[msgspec.Struct], where: str) -> None:
    if key not in table.__struct_fields__:
        raise unknown("key", key, table.__struct_fields__, where)


def _plan(file: File, catalogue: Catalogue) -> Plan:
    variants = tuple(_variant(entry) for entry in file.variant) or (Variant(name=RUNNING, kernel=RUNNING),)
    boxes = tuple(_box(entry) for entry in file.box) or (_default_box(variants),)
    found = {one.name: one for entry in file.benchmark for one in _benchmarks(entry, catalogue)}
    return Plan(
        baseline=file.plan.baseline or variants[0].name,
        variants=variants,
        boxes=boxes,
        benchmarks=tuple(found.values()),
        seeds=_rounds(file.plan),
        rule=_rule(file.plan),
        budget_seconds=units.seconds("budget", file.plan.budget) if file.plan.budget is not None else None,
        first_seed=file.plan.first_seed,
        sequential=RULES[file.plan.rule][1],
        margin=units.share("margin", file.plan.margin),
        alpha=units.share("alpha", file.plan.alpha),
        profiles=file.plan.profiles,
    )


def _default_box(variants: Iterable[Variant]) -> BoxSpec:
    """Without a box: this machine where it runs what is asked for, else the exact lab."""
    here = all(variant.kernel == RUNNING and not variant.cmdline for variant in variants)
    return BoxSpec(name=LOCAL, kind=LOCAL) if here else BoxSpec(name=EXACT, kind=EXACT)


def _rounds(head: Head) -> int:
    if head.rounds is not None and head.seeds is not None:
        raise MisuseError("`rounds` and `seeds` are the same", "write one of them")
    given = head.rounds if head.seeds is None else head.seeds
    return usual_rounds(head.rule) if given is None else given


def usual_rounds(rule: str) -> int:
    """How many rounds a plan with `rule` has where nobody says it."""
    return SEQUENTIAL_ROUNDS if rule == "verdict" else FIXED_ROUNDS


def _rule(head: Head) -> Rule:
    return Rule(
        repeat=RULES[_one_of("rule", head.rule, RULES)][0],
        results=head.results,
        spread=units.share("spread", head.spread),
        most=max(MOST_RESULTS, head.results) if head.most is None else head.most,
        limit_seconds=units.seconds("limit", head.limit) if head.limit is not None else None,
    )


def _box(entry: BoxTable) -> BoxSpec:
    for key in ("cpus", "memory"):
        if entry.kind == LOCAL and getattr(entry, key) is not None:
            raise MisuseError(
                f"`{key}` cannot be set for a box of kind 'local'", "this machine has what it has: see `online` of a variant"
            )
    return BoxSpec(
        name=entry.kind if entry.name is None else entry.name,
        kind=entry.kind,
        cpus=1 if entry.cpus is None else entry.cpus,
        memory=512 if entry.memory is None else entry.memory,
        quiet=tuple(entry.quiet),
        drop_caches=entry.drop_caches,
        chains=entry.chains,
    )


def _variant(entry: VariantTable) -> Variant:
    thp = {THP: _one_of("use of huge pages", entry.thp, THP_WORDS)} if entry.thp is not None else {}
    return Variant(
        name=entry.kernel if entry.name is None else entry.name,
        kernel=entry.kernel,
        cmdline=tuple(entry.cmdline.split()),
        sysctl=_texts(entry.sysctl),
        file={**thp, **_texts(entry.file)},
        bind=str(entry.bind),
        online=str(entry.online),
        cgroup=_texts(entry.cgroup),
        mount=_mount(entry.mount) if entry.mount else None,
        setup=entry.setup,
        teardown=entry.teardown,
    )


def _texts(values: dict[str, str | int]) -> dict[str, str]:
    return {name: str(value) for name, value in values.items()}


def _mount(entry: MountTable) -> Mount:
    if entry.size_mib is not None and entry.size_mib < 1:
        raise MisuseError(f"size_mib is {entry.size_mib}", "write the size of the file system in MiB, or leave it out")
    return Mount(type=entry.type, options=entry.options, mkfs=entry.mkfs, device=entry.device, size_mib=entry.size_mib or 0)


def _benchmarks(entry: BenchmarkTable, catalogue: Catalogue) -> tuple[Benchmark, ...]:
    if entry.command is not None:
        return (_command(entry, catalogue),)
    if (entry.suite is None) == (entry.name is None):
        raise MisuseError("each [[benchmark]] has either `suite` or `name`", 'write suite = "quick" or name = "ctx:procs=20"')
    for key in ("regex", "json", "unit", "files"):
        if getattr(entry, key):
            raise MisuseError(f"`{key}` of benchmark '{entry.suite or entry.name}' belongs to a `command`", "leave it out")
    settings = {key: value for key, value in (("tree", entry.tree), ("config", entry.config)) if value is not None}
    found = catalogue.select([entry.suite or entry.name or ""], settings)
    limit = entry.limit
    return found if limit is None else tuple(_limited(one, units.seconds("limit", limit)) for one in found)


def _limited(benchmark: Benchmark, seconds: float) -> Benchmark:
    """One run of a program is not cut off for it, but may take as long."""
    longest = max(benchmark.limit_seconds, round(seconds))
    return msgspec.structs.replace(benchmark, own_visit_seconds=seconds, limit_seconds=longest)


def _command(entry: BenchmarkTable, catalogue: Catalogue) -> Benchmark:
    if not entry.name or entry.suite is not None:
        raise MisuseError("a [[benchmark]] with `command` has a `name`, and no `suite`", 'write name = "mine"')
    if entry.unit is None:
        raise MisuseError(f"benchmark '{entry.name}' has no `unit`", 'say what its metric is in: unit = "ms"')
    if entry.iterations < 1:
        raise MisuseError(f"iterations of benchmark '{entry.name}' is {entry.iterations}", "1 or more are needed")
    made = catalogue.command(
        entry.name,
        entry.command or "",
        Command(words=(), regex=entry.regex, json=entry.json, files=tuple(entry.files)),
        Metric("metric", entry.unit, Better(_one_of("direction", entry.better, [one.value for one in Better]))),
        entry.iterations,
    )
    return made if entry.limit is None else _limited(made, units.seconds("limit", entry.limit))
