"""A run as one JSON document: everything but kernel logs and whole profiles, in the fields of `schema`."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Any

import msgspec

from kdelta.model.benchmark import Benchmark
from kdelta.model.dossier import Dossier
from kdelta.model.finding import Finding
from kdelta.model.plan import Plan
from kdelta.model.variant import Variant
from kdelta.profile import breakdown
from kdelta.profile.explained import Explained, Where
from kdelta.report.data import schema
from kdelta.report.data.encodable import to_json
from kdelta.report.data.measured import Metrics, Taken, metrics, taken
from kdelta.report.data.schema import Document
from kdelta.report.diffprofile_json import to_json as difference
from kdelta.report.figures import BLANK
from kdelta.report.sentences import SENTENCES
from kdelta.report.settings import settings
from kdelta.report.verdict_json import as_json

ACCOUNTED = {"": "benchmark", ", profile": "profile", ", CPU time": "CPU time"}
"""What `Explained.accounted` says -> what the account is of."""


def document(dossier: Dossier, wheres: Iterable[Where] = ()) -> Document:
    """All of `dossier`, names exactly as they are, and where its changes are."""
    run, plan = dossier.run, dossier.run.plan
    known, boots = metrics(dossier), list(taken(dossier))
    environments, discards = _environments(boots), _discards(boots)
    return Document(
        schema=schema.NAME,
        version=schema.VERSION,
        run=_same(run, schema.Run),
        plan=_plan(plan),
        boxes=[_same(one, schema.Box, memory_mib=one.memory) for one in plan.boxes],
        variants=[_variant(dossier, one) for one in plan.variants],
        benchmarks=_benchmarks(plan, known),
        environments=[dict(facts) for facts in environments],
        discards=list(discards),
        boots=_boots(plan, boots, environments),
        cells=_cells(boots, known),
        samples=_samples(boots, known, discards),
        warnings=_warnings(boots),
        account=_same(dossier.account, schema.Account),
        verdicts=msgspec.convert(as_json(dossier.judgement, dossier.gate), schema.Verdicts),
        findings=[_finding(one) for one in dossier.findings],
        hidden=[schema.Hidden(box=box.name, sentences=list(said)) for box, said in zip(plan.boxes, dossier.hidden, strict=True)],
        profiles=[_profile(one) for one in wheres],
    )


def encode(document: Document) -> bytes:
    """Each field of the document on a line of its own, the same document always as the same bytes."""
    lines = (b'"%s": %s' % (name.encode(), to_json(getattr(document, name))) for name in document.__struct_fields__)
    return b"{\n" + b",\n".join(lines) + b"\n}\n"


def _same(value: Any, kind: type[Any], **more: object) -> Any:
    """A `kind` of those fields of `value` that have the same names."""
    fields = {name: getattr(value, name) for name in kind.__struct_fields__ if name not in more}
    return msgspec.convert({**fields, **more}, kind, from_attributes=True)


# ---- what was to be measured ----


def _plan(plan: Plan) -> schema.Plan:
    names = [one.name for one in plan.variants]
    found: schema.Plan = _same(
        plan, schema.Plan, baseline=names.index(plan.baseline), twin=names.index(plan.twin) if plan.twin else None
    )
    return found


def _variant(dossier: Dossier, variant: Variant) -> schema.Variant:
    return schema.Variant(
        name=variant.name,
        kernel_spec=variant.kernel,
        settings=list(settings(variant)),
        kernel=_same(dossier.run.kernels[variant.name], schema.Kernel),
    )


def _benchmarks(plan: Plan, known: dict[str, Metrics]) -> list[schema.Benchmark]:
    planned = {one.name: one for one in plan.benchmarks}
    return [_benchmark(planned.get(name, Benchmark(name=name, program="", operation="")), each) for name, each in known.items()]


def _benchmark(benchmark: Benchmark, known: Metrics) -> schema.Benchmark:
    return schema.Benchmark(
        name=benchmark.name,
        program=benchmark.program,
        parameters=benchmark.parameters,
        command=list(benchmark.command.words) if benchmark.command else None,
        operation=benchmark.operation,
        metrics=[schema.Metric(name=name, unit=unit, better=better) for (name, unit), better in known.items()],
    )


# ---- what was measured ----

Facts = tuple[tuple[str, str], ...]


def _facts(one: Taken) -> Facts:
    return tuple(sorted(one.record.boot.environment.items()))


def _environments(boots: Sequence[Taken]) -> dict[Facts, int]:
    return _numbered(_facts(one) for one in boots)


def _discards(boots: Sequence[Taken]) -> dict[str, int]:
    every = (sample.discarded for one in boots for sample in one.record.boot.samples)
    return _numbered(reason for reason in every if reason)


def _numbered(values: Iterable[Any]) -> dict[Any, int]:
    """The different ones with their places, in the order in which they come."""
    return {value: place for place, value in enumerate(dict.fromkeys(values))}


def _boots(plan: Plan, boots: Sequence[Taken], environments: dict[Facts, int]) -> schema.Boots:
    boxes, variants = _numbered(one.name for one in plan.boxes), _numbered(one.name for one in plan.variants)
    records = [one.record for one in boots]
    return schema.Boots(
        position=[one.position for one in records],
        attempt=[one.attempt for one in records],
        seed=[one.seed for one in records],
        box=[boxes[one.box] for one in records],
        variant=[variants[one.variant] for one in records],
        profiled=[one.profiled for one in records],
        outcome=[one.boot.outcome for one in records],
        reason=[one.boot.reason for one in records],
        environment=[environments[_facts(one)] for one in boots],
    )


def _cells(boots: Sequence[Taken], known: dict[str, Metrics]) -> schema.Cells:
    benchmarks = _numbered(known)
    rows = [(place, cell, one.cut.get(cell.benchmark, 0)) for place, one in enumerate(boots) for cell in one.record.boot.cells]
    return schema.Cells(
        boot=[place for place, _, _ in rows],
        benchmark=[benchmarks[cell.benchmark] for _, cell, _ in rows],
        state=[cell.state for _, cell, _ in rows],
        reason=[cell.reason for _, cell, _ in rows],
        cut=[cut for _, _, cut in rows],
    )


def _samples(boots: Sequence[Taken], known: dict[str, Metrics], discards: dict[str, int]) -> schema.Samples:
    benchmarks, places = _numbered(known), {name: _numbered(each) for name, each in known.items()}
    every = [sample for one in boots for sample in one.record.boot.samples]
    return schema.Samples(
        boot=[place for place, one in enumerate(boots) for _ in one.record.boot.samples],
        benchmark=[benchmarks[one.benchmark] for one in every],
        metric=[places[one.benchmark][one.metric, one.unit] for one in every],
        iteration=[one.iteration for one in every],
        warmup=[one.warmup for one in every],
        discarded=[discards[one.discarded] if one.discarded else None for one in every],
        judged=[judged for one in boots for judged in one.judged],
        value=[_number(one.value) for one in every],
        operations=[one.operations for one in every],
        elapsed_ns=[one.elapsed_ns for one in every],
    )


def _warnings(boots: Sequence[Taken]) -> schema.Warnings:
    said = [(place, text) for place, one in enumerate(boots) for text in one.record.boot.warnings]
    return schema.Warnings(boot=[place for place, _ in said], text=[text for _, text in said])


# ---- what is said of it ----


def _finding(finding: Finding) -> schema.Finding:
    sentence = f"{SENTENCES[finding.pattern](finding)}.".replace(BLANK, " ")
    return schema.Finding(box=finding.box.name if finding.box else None, pattern=finding.pattern, sentence=sentence)


def _profile(where: Where) -> schema.Profile:
    explained = where.explained
    return schema.Profile(
        box=where.box,
        benchmark=where.benchmark,
        difference=msgspec.convert(difference(explained.difference), schema.Difference),
        moves=[
            schema.Move(kind=one.kind, old=list(one.old), new=list(one.new), moved=_number(one.moved)) for one in explained.moves
        ],
        account=_account(explained),
    )


def _account(explained: Explained) -> schema.ProfileAccount | None:
    account = explained.account
    if account is None:
        return None
    return schema.ProfileAccount(
        of=ACCOUNTED[explained.accounted],
        unit=account.unit,
        old=_number(account.old),
        new=_number(account.new),
        low=_number(account.low),
        high=_number(account.high),
        judged=account.judged,
        functions=_breakdown(account.functions),
        subsystems=_breakdown(account.subsystems),
        doubts=list(account.doubts),
    )


def _breakdown(of: breakdown.Breakdown) -> schema.Breakdown:
    return schema.Breakdown(
        change=_number(of.change),
        items=[_item(one) for one in of.items],
        rest=_item(of.rest),
        within_noise=_item(of.within_noise),
        outside=_number(of.outside),
        grown=_number(of.grown),
        shrunk=_number(of.shrunk),
        share=_number(of.share),
    )


def _item(item: breakdown.Item) -> schema.Item:
    return schema.Item(
        name=item.name, amount=_number(item.amount), low=_number(item.low), high=_number(item.high), functions=item.functions
    )


def _number(value: float | None) -> float | None:
    return float(value) if value is not None and math.isfinite(value) else None
