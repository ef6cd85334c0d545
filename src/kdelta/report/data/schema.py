"""The document of a run, field by field: docs/data.md describes each, docs/report.schema.json is made from this.

A further field keeps VERSION, so a reader must pass over what it does not know; any other change raises it.
"""

from __future__ import annotations

from typing import Literal

import msgspec

from kdelta.model.benchmark import Better
from kdelta.model.boot import CellState, Outcome
from kdelta.model.finding import Pattern
from kdelta.model.gate import Standing
from kdelta.model.plan import Repeat
from kdelta.model.verdict import Answer, Axis
from kdelta.profile.moves import Kind

NAME: Literal["kdelta-report"] = "kdelta-report"
VERSION: Literal[1] = 1
DIALECT = "https://json-schema.org/draft/2020-12/schema"


class _Part(msgspec.Struct, frozen=True, kw_only=True):
    """Every field is always there; what is not known is null."""


# ---- what was to be measured ----


class Run(_Part, frozen=True, kw_only=True):
    id: int
    uuid: str
    started: str
    kdelta_version: str


class Rule(_Part, frozen=True, kw_only=True):
    repeat: Repeat
    results: int
    spread: float
    most: int
    limit_seconds: float | None


class Plan(_Part, frozen=True, kw_only=True):
    baseline: int
    seeds: int
    first_seed: int
    sequential: bool
    margin: float
    alpha: float
    budget_seconds: float | None
    profiles: int
    twin: int | None
    rule: Rule


class Box(_Part, frozen=True, kw_only=True):
    name: str
    kind: str
    cpus: int
    memory_mib: int
    quiet: list[str]
    drop_caches: bool
    chains: bool


class Kernel(_Part, frozen=True, kw_only=True):
    release: str
    version: str
    machine: str
    build_id: str | None
    image_sha256: str
    config_sha256: str | None


class Variant(_Part, frozen=True, kw_only=True):
    name: str
    kernel_spec: str
    settings: list[str]
    kernel: Kernel


class Metric(_Part, frozen=True, kw_only=True):
    name: str
    unit: str
    better: Better | None


class Benchmark(_Part, frozen=True, kw_only=True):
    name: str
    program: str
    parameters: dict[str, str]
    command: list[str] | None
    operation: str
    metrics: list[Metric]


# ---- what was measured: tables, each a list per column ----


class Boots(_Part, frozen=True, kw_only=True):
    position: list[int]
    attempt: list[int]
    seed: list[int]
    box: list[int]
    variant: list[int]
    profiled: list[bool]
    outcome: list[Outcome]
    reason: list[str]
    environment: list[int]


class Cells(_Part, frozen=True, kw_only=True):
    boot: list[int]
    benchmark: list[int]
    state: list[CellState]
    reason: list[str]
    cut: list[int]


class Samples(_Part, frozen=True, kw_only=True):
    boot: list[int]
    benchmark: list[int]
    metric: list[int]
    iteration: list[int]
    warmup: list[bool]
    discarded: list[int | None]
    judged: list[bool]
    value: list[float | None]
    operations: list[int]
    elapsed_ns: list[int | None]


class Warnings(_Part, frozen=True, kw_only=True):
    boot: list[int]
    text: list[str]


class Account(_Part, frozen=True, kw_only=True):
    taken: int
    judged: int
    reasons: dict[str, int]


# ---- what is said of it: the keys of verdict_json, and those of diffprofile_json ----


class Side(_Part, frozen=True, kw_only=True):
    box: str
    cpus: int
    column: str
    benchmark: str
    metric: str
    unit: str
    better: Better


class Contrast(_Part, frozen=True, kw_only=True):
    base: Side
    new: Side
    answer: Answer
    ratio: float | None
    ratio_low: float | None
    ratio_high: float | None
    change_percent: float | None
    change_low_percent: float | None
    change_high_percent: float | None
    p: float | None
    p_adjusted: float | None
    base_boots: int
    new_boots: int
    common_rounds: int
    needed_rounds: int | None
    boot_sd_percent: float | None
    visible_change_percent: float | None
    beyond_margin: bool
    real_though_equivalent: bool
    why: str
    doubts: list[str]
    standing: Standing
    threshold_percent: float | None
    slowdown_percent: float | None


class GeometricMean(_Part, frozen=True, kw_only=True):
    box: str
    base: str
    new: str
    answer: Answer
    cost_ratio: float | None
    cost_ratio_low: float | None
    cost_ratio_high: float | None
    cost_change_percent: float | None
    cost_change_low_percent: float | None
    cost_change_high_percent: float | None
    benchmarks: list[str]
    left_out: list[str]
    common_rounds: int


class Dissent(_Part, frozen=True, kw_only=True):
    box: str
    answer: Answer
    facts: list[str]


class Agreement(_Part, frozen=True, kw_only=True):
    base: str
    new: str
    benchmark: str
    answer: Answer
    boxes: list[str]
    dissents: list[Dissent]


class Gate(_Part, frozen=True, kw_only=True):
    breaches: int
    unused_thresholds: list[str]


class Verdicts(_Part, frozen=True, kw_only=True):
    axis: Axis
    alpha: float | None
    margin_percent: float | None
    adjustment: str
    first_look_rounds: int | None
    last_look_rounds: int | None
    contrasts: list[Contrast]
    refused: list[str]
    geometric_means: list[GeometricMean]
    agreements: list[Agreement]
    gate: Gate


class Finding(_Part, frozen=True, kw_only=True):
    box: str | None
    pattern: Pattern
    sentence: str


class Hidden(_Part, frozen=True, kw_only=True):
    box: str
    sentences: list[str]


class Function(_Part, frozen=True, kw_only=True):
    name: str
    old: float | None
    new: float | None
    delta: float | None
    percent: float | None
    low: float | None
    high: float | None
    q: float | None
    real: bool
    old_share: float | None
    new_share: float | None


class Difference(_Part, frozen=True, kw_only=True):
    old: str
    new: str
    unit: str
    per: str
    old_profiles: int
    new_profiles: int
    total: Function
    functions: list[Function]
    idle: list[Function]
    doubts: list[str]


class Move(_Part, frozen=True, kw_only=True):
    kind: Kind
    old: list[str]
    new: list[str]
    moved: float | None


class Item(_Part, frozen=True, kw_only=True):
    name: str
    amount: float | None
    low: float | None
    high: float | None
    functions: int


class Breakdown(_Part, frozen=True, kw_only=True):
    change: float | None
    items: list[Item]
    rest: Item
    within_noise: Item
    outside: float | None
    grown: float | None
    shrunk: float | None
    share: float | None


class ProfileAccount(_Part, frozen=True, kw_only=True):
    of: str
    unit: str
    old: float | None
    new: float | None
    low: float | None
    high: float | None
    judged: bool
    functions: Breakdown
    subsystems: Breakdown
    doubts: list[str]


class Profile(_Part, frozen=True, kw_only=True):
    box: str
    benchmark: str
    difference: Difference
    moves: list[Move]
    account: ProfileAccount | None


class Document(_Part, frozen=True, kw_only=True):
    """A run: what was to be measured, every sample, and what is said of them. The tables point to each other by index, from 0."""

    schema: Literal["kdelta-report"]
    version: Literal[1]
    run: Run
    plan: Plan
    boxes: list[Box]
    variants: list[Variant]
    benchmarks: list[Benchmark]
    environments: list[dict[str, str]]
    discards: list[str]
    boots: Boots
    cells: Cells
    samples: Samples
    warnings: Warnings
    account: Account
    verdicts: Verdicts
    findings: list[Finding]
    hidden: list[Hidden]
    profiles: list[Profile]


def json_schema() -> bytes:
    """What docs/report.schema.json holds: a document as JSON Schema."""
    found = {"$schema": DIALECT, "title": NAME, **msgspec.json.schema(Document)}
    return msgspec.json.format(msgspec.json.encode(found, order="deterministic"), indent=1) + b"\n"
