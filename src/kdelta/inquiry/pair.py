"""Any two columns of a store as one run, which what judges and reports takes like every other."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import msgspec

from kdelta.inquiry.dossier import USUAL, Question, gather
from kdelta.inquiry.require import require_variant
from kdelta.model.benchmark import Benchmark
from kdelta.model.dossier import Dossier
from kdelta.model.errors import MisuseError
from kdelta.model.plan import EXACT, LOCAL, PUBLISHED, BoxSpec, Plan, Repeat, Rule, is_published
from kdelta.model.record import BootRecord, RunRecord
from kdelta.model.variant import Variant
from kdelta.model.verdict import Axis
from kdelta.store.store import Store

# What a benchmark may take and must find, which is no part of what it measures.
NOT_MEASURED = ("needs", "descriptors", "tasks", "limit_seconds", "visit_seconds", "own_visit_seconds")


@dataclass(frozen=True)
class Column:
    """One variant of a run, which has these `boots`: those that are judged, also of its other variants."""

    run: RunRecord
    boots: Sequence[BootRecord]
    variant: str

    @property
    def own(self) -> Variant:
        return next(one for one in self.run.plan.variants if one.name == self.variant)

    @property
    def name(self) -> str:
        """In the table of a pair. No two columns of a store have the same."""
        return f"run {self.run.id}: {self.variant}"


@dataclass(frozen=True)
class Pair:
    """A run made of two columns, the base first, to be compared along `axis`. `left_out` says of what they are not, and why."""

    run: RunRecord
    boots: list[BootRecord]
    axis: Axis
    left_out: tuple[str, ...] = ()


def column(store: Store, words: str) -> Column:
    """The column that RUN:VARIANT names, or RUN where it has only one. Raises MisuseError where there is none."""
    number, _, variant = words.partition(":")
    if not (number.isascii() and number.isdecimal()):
        raise MisuseError(f"'{words}' names no column of a run", "write RUN:COLUMN, as 3:6.1; `kdelta runs` lists them")
    run = store.run(int(number))
    names = [one.name for one in run.plan.variants]
    if not variant and len(names) > 1:
        raise MisuseError(f"run {run.id} has {len(names)} columns", f"say which: {', '.join(f'{run.id}:{name}' for name in names)}")
    variant = variant or names[0]
    require_variant(run, variant)
    return Column(run, store.boots(run.id), variant)


def compare(pair: Pair, question: Question = USUAL) -> Dossier:
    """What is said of a pair; of `question` all but what is compared."""
    return gather(pair.run, pair.boots, (), replace(question, axis=pair.axis, base=None), pair.left_out)


def joined(first: Column, second: Column) -> Pair:
    """`second` against `first`. Two columns of one run keep their names and their rounds. Those of two runs have none in common,
    and equal seeds of the exact lab are not taken for such: what two releases of a program make of them need not be the same
    layout, and without pairs the interval is at most too wide.

    Boxes are one where all that values depend on is alike, whatever their names; what was found on them is compared later, as
    of the columns of a run. Benchmarks are one where the name and all that is measured is alike.
    Raises MisuseError for a column that there is not, for one against itself, and where nothing can be compared.
    """
    for column in (first, second):
        require_variant(column.run, column.variant)
    if first.run.uuid == second.run.uuid:
        return _of_one_run(first, second)
    sides = (first, second)
    places, apart = _boxes(first.run.plan, second.run.plan)
    benchmarks, changed = _benchmarks(first.run.plan, second.run.plan)
    left_out = (*apart, *changed)
    if not places or not benchmarks:
        what = "box" if not places else "benchmark"
        raise MisuseError(f"{first.name} and {second.name} have no {what} in common: {'; '.join(left_out)}", _ADVICE)
    run = msgspec.structs.replace(
        first.run,
        origins=(*first.run.origins, *second.run.origins),
        plan=_plan(first, second, tuple(places.values()), benchmarks),
        kernels={column.name: column.run.kernels[column.variant] for column in sides},
    )
    names = ({box.name: box.name for box in places.values()}, {other: box.name for other, box in places.items()})
    wanted = {one.name for one in benchmarks}
    boots = [boot for column, own in zip(sides, names, strict=True) for boot in _boots(column, own, wanted)]
    numbered = [msgspec.structs.replace(boot, position=place) for place, boot in enumerate(boots)]
    return Pair(run, numbered, Axis.RUNS, left_out)


_ADVICE = "measure both in one run: there they also share rounds"


def _of_one_run(first: Column, second: Column) -> Pair:
    if first.variant == second.variant:
        raise MisuseError(f"{first.name} is to be compared with itself", "choose another column")
    plan = first.run.plan
    two = msgspec.structs.replace(plan, baseline=first.variant, variants=(first.own, second.own), twin="")
    names = {first.variant, second.variant}
    run = msgspec.structs.replace(
        first.run, plan=two, kernels={name: first.run.kernels[name] for name in (first.variant, second.variant)}
    )
    return Pair(run, [boot for boot in first.boots if boot.variant in names], Axis.COLUMNS)


def _plan(first: Column, second: Column, boxes: tuple[BoxSpec, ...], benchmarks: tuple[Benchmark, ...]) -> Plan:
    """With the margin of the first run and the stricter level of both. What was measured until it was decided is judged as what is
    looked at after every round: what was seen decided how many boots there are."""
    plans = (first.run.plan, second.run.plan)
    return msgspec.structs.replace(
        plans[0],
        baseline=first.name,
        variants=tuple(_variant(one, other) for one, other in ((first, second), (second, first))),
        boxes=boxes,
        benchmarks=benchmarks,
        seeds=max(plan.seeds for plan in plans),
        first_seed=1,
        sequential=any(plan.sequential for plan in plans),
        alpha=min(plan.alpha for plan in plans),
        budget_seconds=None,
        profiles=0,
        twin="",
        apart=True,
    )


def _variant(column: Column, other: Column) -> Variant:
    """Its seeds are counted from 1. Kernels are told apart where it is asked what they were measured with: the same words may mean
    another one by now.
    """
    mine, its = column.run.kernels[column.variant], other.run.kernels[other.variant]
    kernel = mine.key if mine.key == its.key else f"{column.own.kernel} in run {column.run.id}"
    shift = column.own.seed_shift + column.run.plan.first_seed - 1
    return msgspec.structs.replace(column.own, name=column.name, kernel=kernel, seed_shift=shift)


def _boots(column: Column, boxes: dict[str, str], wanted: set[str]) -> Iterator[BootRecord]:
    """Those of the column on `boxes`, by the name that these have now; of seeds from 1 on, and `wanted` benchmarks alone."""
    for boot in column.boots:
        if boot.variant == column.variant and boot.box in boxes:
            yield msgspec.structs.replace(
                boot,
                variant=column.name,
                box=boxes[boot.box],
                seed=boot.seed - column.run.plan.first_seed + 1,
                benchmarks=tuple(name for name in boot.benchmarks if name in wanted),
                boot=msgspec.structs.replace(
                    boot.boot,
                    cells=tuple(cell for cell in boot.boot.cells if cell.benchmark in wanted),
                    samples=tuple(sample for sample in boot.boot.samples if sample.benchmark in wanted),
                ),
                published=tuple(entry for entry in boot.published if entry.benchmark in wanted),
            )


# ---- what is alike ----


def _boxes(first: Plan, second: Plan) -> tuple[dict[str, BoxSpec], tuple[str, ...]]:
    """The boxes of `first` by the name of the one of `second` that is alike, and why others have none.

    Of several that are alike the one with the same name is it, and else none: which machine it was is not known.
    """
    found: dict[str, BoxSpec] = {}
    reasons = []
    for box in first.boxes:
        like = [other for other in second.boxes if box_facts(second, other) == box_facts(first, box)]
        same = [other for other in like if other.name == box.name] or (like if len(like) == 1 else [])
        if same and same[0].name not in found:
            found[same[0].name] = box
        else:
            reasons.append(f"box {box.name}: {_no_box(first, box, second, like)}")
    reasons += [f"box {box.name}: only the second run has it" for box in second.boxes if box.name not in found]
    return found, tuple(reasons)


def box_facts(plan: Plan, box: BoxSpec) -> dict[str, str]:
    """What is asked of a box that values depend on: what it is called does not matter, nor does it how profiles are taken."""
    if box.kind == EXACT:
        return {"kind": box.kind, "CPUs": str(box.cpus), "memory": f"{box.memory} MiB"}
    if box.kind == PUBLISHED:  # What it is called is all that is known of it.
        return {"kind": box.kind, "name": box.name}
    asked = {"kind": box.kind, "CPUs": str(box.cpus), "quieted": ", ".join(sorted(box.quiet)) or "nothing"}
    return {**asked, "clean pages": "dropped" if box.drop_caches else "kept", "rule": _rule(plan.rule) if box.kind == LOCAL else ""}


def _rule(rule: Rule) -> str:
    """Which results of a visit count."""
    if rule.repeat is Repeat.FIXED:
        return f"{rule.results} results"
    return f"{rule.results} results in a row within {rule.spread:.2%}"


def _no_box(plan: Plan, box: BoxSpec, other: Plan, like: Sequence[BoxSpec]) -> str:
    if like:
        return "several boxes of the second run are alike, and none has its name"
    same = next((one for one in other.boxes if one.name == box.name), None)
    return unlike(box_facts(plan, box), box_facts(other, same)) if same else "the second run has none that is alike"


def unlike(one: dict[str, str], other: dict[str, str]) -> str:
    """In what two sets of facts differ: "CPUs 1 and 4"."""
    facts = dict.fromkeys((*one, *other))
    differing = (fact for fact in facts if one.get(fact) != other.get(fact))
    return ", ".join(f"{fact} {one.get(fact, '-')} and {other.get(fact, '-')}" for fact in differing)


def _benchmarks(first: Plan, second: Plan) -> tuple[tuple[Benchmark, ...], tuple[str, ...]]:
    """Those that both have, by the first; and why others are not compared."""
    others, told = {one.name: one for one in second.benchmarks}, _defined if is_published(first) else definition
    names = {one.name for one in first.benchmarks}
    kept = tuple(one for one in first.benchmarks if one.name in others and told(one) == told(others[one.name]))
    changed = (one for one in first.benchmarks if one.name in others and one not in kept)
    reasons = (
        *(f"{one.name}: {unlike(told(one), told(others[one.name]))}" for one in changed),
        *(f"{one.name}: only the first run has it" for one in first.benchmarks if one.name not in others),
        *(f"{one.name}: only the second run has it" for one in second.benchmarks if one.name not in names),
    )
    return kept, reasons


def _defined(benchmark: Benchmark) -> dict[str, str]:
    """What is known of a published one: how it was run is not."""
    return {"metric": _text(benchmark.metric)}


def definition(benchmark: Benchmark) -> dict[str, str]:
    """All that is measured by it, by what it is called: benchmarks with equal ones are one."""
    fields = (name for name in benchmark.__struct_fields__ if name not in NOT_MEASURED)
    return {name.replace("_", " "): _text(getattr(benchmark, name)) for name in fields}


def _text(value: object) -> str:
    return value if isinstance(value, str) else msgspec.json.encode(value, order="deterministic").decode()
