"""Verdicts as literals: small ones for single tests, those that well-known mails could have drawn, and any at all."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from hypothesis import strategies as st
from tests.unit.builders import benchmark
from tests.unit.posted import BHAT, BLIGH, BUILDS, MOLNAR, NUMAQ, P4, P4_XEON, QUAD_CORES, SCRIPTS, SMPNICE

from kdelta.model.benchmark import SCRIPTS_PER_HOUR, TIME_PER_OPERATION, Better, Metric
from kdelta.model.plan import EXACT, LOCAL, BoxSpec
from kdelta.model.verdict import Agreement, Answer, Axis, Dissent, Judgement, Mean, Ratio, Side, Verdict
from kdelta.report.text import counted

BOX = BoxSpec(name="xeon", kind=LOCAL, cpus=4)
FASTER, SLOWER, EQUIVALENT, UNDECIDED = Answer.FASTER, Answer.SLOWER, Answer.EQUIVALENT, Answer.UNDECIDED
BH = "Benjamini-Hochberg"

Percents = tuple[float, float, float]
"""The change and the ends of its interval, in percent of the base: -100 and infinity are no ends."""


def ratio(percents: Percents) -> Ratio:
    return Ratio(*(1.0 + percent / 100.0 for percent in percents))


def side(name: str, variant: str, *, box: BoxSpec = BOX, metric: Metric = TIME_PER_OPERATION) -> Side:
    return Side(box=box, variant=variant, benchmark=benchmark(name, metric=metric))


def verdict(
    answer: Answer = UNDECIDED,
    percents: Percents | None = None,
    *,
    name: str = "ctx-2",
    base: str = "old",
    new: str = "new",
    box: BoxSpec = BOX,
    metric: Metric = TIME_PER_OPERATION,
    rounds: int = 5,
    **fields: Any,
) -> Verdict:
    """In `rounds` with a boot of each side, and with a plain p where there is a change; `fields` are the others of Verdict."""
    p = None if percents is None else 0.3 if answer is UNDECIDED else 0.002
    plain = {"p": p, "p_adjusted": p, "boots": (rounds, rounds), "sd": 0.006, "visible": 0.011}
    return Verdict(
        base=side(name, base, box=box, metric=metric),
        new=side(name, new, box=box, metric=metric),
        answer=answer,
        ratio=ratio(percents) if percents else None,
        rounds=rounds,
        **{**plain, **fields},
    )


FEW = "too few visits: {} and {}, 3 of each in common rounds are needed"


def failed(name: str = "volano", *, new: str = "new", base: str = "old", box: BoxSpec = BOX) -> Verdict:
    """Of a new side that failed in each of five visits."""
    return verdict(name=name, new=new, base=base, box=box, rounds=0, boots=(5, 0), sd=None, visible=None, why=FEW.format(5, 0))


def judgement(*verdicts: Verdict, axis: Axis = Axis.COLUMNS, **fields: Any) -> Judgement:
    """At 5 %, with a margin of 1 %, and with a look after each round; `fields` are the others of Judgement."""
    plain = {"alpha": 0.05, "margin": 0.01, "adjustment": BH, "looks": (3, 10)}
    return Judgement(axis=axis, verdicts=verdicts, **{**plain, **fields})


def mean(answer: Answer, percents: Percents | None, of: Iterable[Verdict], *, left_out: Sequence[str] = ()) -> Mean:
    """Of contrasts of the same sides in five rounds."""
    found = list(of)
    return Mean(
        box=found[0].new.box,
        base=found[0].base.variant,
        new=found[0].new.variant,
        ratio=ratio(percents) if percents else None,
        answer=answer,
        benchmarks=tuple(one.new.benchmark.name for one in found),
        rounds=5,
        left_out=tuple(left_out),
    )


# ---- situations ----


def undecided() -> Judgement:
    """Every one of them; of the last nothing is excluded either."""
    return judgement(
        verdict(UNDECIDED, (1.2, -2.1, 4.6), name="ctx-2", rounds=10, sd=0.02, visible=0.026, needed=48),
        verdict(UNDECIDED, (-0.4, -6.1, 5.6), name="mmap", rounds=10, sd=0.051, visible=0.063, needed=250, p_adjusted=0.81),
        verdict(UNDECIDED, (2.9, 0.04, 5.84), name="select", rounds=10, sd=0.02, visible=0.026, needed=12, p_adjusted=0.0502),
        verdict(UNDECIDED, (41.0, -100.0, math.inf), name="volano", rounds=3, sd=0.3, visible=3.1, p_adjusted=0.64),
    )


def too_few() -> Judgement:
    """Visits of either kernel."""
    few = (("ctx-2", (2, 2)), ("mmap", (2, 1)))
    return judgement(
        *(verdict(name=name, rounds=min(boots), boots=boots, sd=None, visible=None, why=FEW.format(*boots)) for name, boots in few)
    )


def with_a_failure() -> Judgement:
    """And with all else that a reader must know."""
    far = "round {} far from the others"
    found = [
        verdict(SLOWER, (17.7, 15.2, 20.1), name="ctx-2", beyond=True, doubts=[far.format(3)]),
        verdict(EQUIVALENT, (0.31, 0.12, 0.5), name="select", sd=0.0012, visible=0.0021, tiny=True),
        verdict(FASTER, (-8.1, -9.0, -7.2), name="mmap", boots=(5, 4), rounds=4, beyond=True, doubts=[far.format(2)]),
        verdict(UNDECIDED, (0.5, -1.9, 3.0), name="fork", boots=(5, 4), rounds=0, needed=31),
    ]
    on_the_whole = mean(SLOWER, (1.9, 0.7, 3.1), found, left_out=["volano: 0 of 3 rounds that have both"])
    refused = ["old and new on athlon: counted under QEMU 7.2 and 8.0"]
    return judgement(*found, failed(), refused=refused, means=[on_the_whole])


def one_cpu() -> Judgement:
    """Two columns without an effect."""
    box = BoxSpec(name="P4", kind=EXACT)
    changes = {"ctx-2": (0.021, 0.012, 0.03), "mmap": (-0.3, -0.7, 0.1), "null": (0.0, 0.0, 0.0)}
    found = [
        verdict(EQUIVALENT, percents, name=name, new=new, box=box, sd=0.0004, visible=0.0007, tiny=percents[1] > 0.0)
        for new in ("nosmpnice", "smpnice2")
        for name, percents in changes.items()
    ]
    return judgement(*found)


def wide() -> Judgement:
    """Long names, changes beyond percentages, and pairs with several bases."""
    ring = "hackbench:groups=20,over=pipe"
    far = {"as posted": (1130.0, 700.0, 1800.0), "ext3": (-99.96, -99.99, -99.9), "noatime": (158.8, 61.0, 316.0)}
    answers = {new: SLOWER if of[0] > 0.0 else FASTER for new, of in far.items()}
    found = [verdict(answers[new], of, name=ring, base="ext2", new=new, beyond=True) for new, of in far.items()]
    unknown = verdict(UNDECIDED, (30.0, -100.0, 1100.0), name="null", base="ext3", new="noatime", visible=25.0)
    return judgement(*found, unknown, axis=Axis.PAIRS, looks=None, adjustment="Holm")


# ---- what posted values say, with a noise that is assumed ----

ROUNDS, SURE, HALF_SURE = 5, 2.8, 2.4
"""Standard errors to the ends of the interval, and of that of equivalence."""


def drawn(base: Side, new: Side, values: tuple[float, float], sd: float) -> Verdict:
    """From the value of each side, where a boot has a standard deviation of `sd`, a share: as if it were normal and known."""
    change, error, edge = math.log(values[1] / values[0]), sd * math.sqrt(2.0 / ROUNDS), math.log(1.01)
    ends = change - SURE * error, change + SURE * error
    equivalent, real = abs(change) + HALF_SURE * error < edge, ends[0] * ends[1] > 0.0
    worse = SLOWER if (change > 0.0) is (new.benchmark.metric.better is Better.SMALLER) else FASTER
    distance, sure = (edge - abs(change), HALF_SURE) if equivalent else (abs(change), SURE)
    # .05 where an end of the interval just touches what decides.
    p = min(1.0, 0.05 * math.erfc(distance / error / math.sqrt(2.0)) / math.erfc(sure / math.sqrt(2.0)))
    answer = EQUIVALENT if equivalent else worse if real else UNDECIDED
    return Verdict(
        base=base,
        new=new,
        answer=answer,
        ratio=Ratio(*map(math.exp, (change, *ends))),
        p=p,
        p_adjusted=p,
        boots=(ROUNDS, ROUNDS),
        rounds=ROUNDS,
        sd=sd,
        visible=math.expm1(3.6 * error),
        needed=math.ceil(30.0 * (sd / 0.01) ** 2) + 1 if answer is UNDECIDED else None,
        beyond=real and not equivalent and min(map(abs, ends)) >= edge,
        tiny=real and equivalent,
    )


Values = Mapping[str, Sequence[float]]
"""Benchmark -> the value of each column."""


def columns(
    names: Sequence[str],
    values: Values,
    box: BoxSpec,
    sd: Mapping[str, float],
    *,
    metric: Metric = TIME_PER_OPERATION,
    pairs: bool = False,
) -> list[Verdict]:
    """Each column against the first, or against each; `sd` by benchmark, and by "" for all others."""
    return [
        drawn(
            side(name, names[base], box=box, metric=metric),
            side(name, names[new], box=box, metric=metric),
            (of[base], of[new]),
            sd.get(name, sd[""]),
        )
        for base in (range(len(names)) if pairs else (0,))
        for new in range(base + 1, len(names))
        for name, of in values.items()
    ]


# ---- Ingo Molnar, "sched: remove smpnice", 2006: his second and third table ----

ATHLON, UP = BoxSpec(name="Athlon64", kind=LOCAL, cpus=2), BoxSpec(name="P4", kind=LOCAL)
# Four values of the one, four of the other.
OTHERS = """
    ctx-2 1.10 1.22 1.33 1.23 2.26 2.27 2.36 2.25
    ctx-20 1.36 1.38 1.32 1.34 2.57 2.65 2.60 2.60
    ctx-200 2.99 3.36 3.82 3.70 7.58 7.66 7.66 7.50
    mmap 371.00 336.00 332.00 426.00 889.00 859.00 862.00 855.00
    select 19.04 18.94 18.13 18.43 78.98 79.13 77.30 79.09
    proc-exec 984.00 998.50 1017.83 1004.83 173.28 172.28 172.40 172.28
    proc-fork 87.98 92.11 90.56 93.38 155.38 153.38 155.60 153.33
    syscall-open 3.22 3.31 3.48 3.66 5.30 5.32 5.37 5.32
    hackbench-10 0.61 0.63 0.60 0.60 1.92 1.90 1.89 1.85
    hackbench-20 1.14 1.20 1.17 1.15 3.88 3.64 3.65 3.61
    hackbench-50 2.72 2.88 2.82 2.78 9.75 9.48 9.28 9.24
    volano 9.68 10.26 10.15 9.98 28.18 28.99 28.40 27.63
"""
EIGHT = {name: [float(value) for value in values] for name, *values in map(str.split, OTHERS.strip().splitlines())}
ON_ATHLON, ON_UP = ({name: values[first : first + 4] for name, values in EIGHT.items()} for first in (0, 4))
SMPNICE_BOXES: tuple[tuple[BoxSpec, Values, dict[str, float]], ...] = (
    (P4_XEON, SMPNICE, {"": 0.004, "ctx-2": 0.02, "ctx-20": 0.012, "mmap": 0.012, "volano": 0.01, "select": 0.002}),
    (ATHLON, ON_ATHLON, {"": 0.02, "ctx-2": 0.03, "mmap": 0.05}),
    (UP, ON_UP, {"": 0.004, "ctx-2": 0.015, "mmap": 0.02, "hackbench-10": 0.008}),
)


def drawn_mean(found: Sequence[Verdict]) -> Mean:
    """Of contrasts of the same sides, as cost."""
    cost = [1.0 if one.new.benchmark.metric.better is Better.SMALLER else -1.0 for one in found]
    logs = [sign * math.log(one.ratio.value) for sign, one in zip(cost, found, strict=True) if one.ratio]
    error = math.sqrt(sum((one.sd or 0.0) ** 2 for one in found) * 2.0 / ROUNDS) / len(found)
    change = sum(logs) / len(found)
    ends = change - SURE * error, change + SURE * error
    answer = SLOWER if ends[0] > 0.0 else FASTER if ends[1] < 0.0 else UNDECIDED
    percents = [100.0 * math.expm1(one) for one in (change, *ends)]
    return mean(answer, (percents[0], percents[1], percents[2]), found)


def means(found: Sequence[Verdict]) -> list[Mean]:
    groups: dict[tuple[str, str, str], list[Verdict]] = {}
    for one in found:
        groups.setdefault((one.new.box.name, one.base.variant, one.new.variant), []).append(one)
    return [drawn_mean(each) for each in groups.values()]


def agreements(found: Sequence[Verdict]) -> list[Agreement]:
    """Over boxes, with the answer of most; what a dissenter differs in is its number of CPUs."""
    groups: dict[tuple[str, str, str], list[Verdict]] = {}
    for one in found:
        groups.setdefault((one.base.variant, one.new.variant, one.new.benchmark.name), []).append(one)
    made = []
    for (base, new, name), each in groups.items():
        answers = [one.answer for one in each]
        most = max(answers, key=answers.count)
        others = [one for one in each if one.answer is not most]
        dissents = [Dissent(one.new.box.name, one.answer, (counted(one.new.box.cpus, "CPU"),)) for one in others]
        boxes = tuple(one.new.box.name for one in each if one.answer is most)
        made.append(Agreement(base=base, new=new, benchmark=name, answer=most, boxes=boxes, dissents=tuple(dissents)))
    return made


def smpnice() -> tuple[Judgement, Judgement]:
    """Each column against v2.6.15, and against each other, on three boxes."""
    found = [one for box, values, sd in SMPNICE_BOXES for one in columns(MOLNAR, values, box, sd)]
    pairs = [one for box, values, sd in SMPNICE_BOXES for one in columns(MOLNAR, values, box, sd, pairs=True)]
    return (
        judgement(*found, means=means(found), agreements=agreements(found)),
        judgement(*pairs, axis=Axis.PAIRS, means=means(pairs)),
    )


# ---- Martin J. Bligh, 2004; Nick Piggin, 2007; Srivatsa S. Bhat, 2012 ----


def numaq() -> Judgement:
    """Builds, of which less time is better, and scripts, of which more throughput is."""
    builds = {f"kernbench-{load}": [one[0] for one in of] for load, of in BUILDS.items()}
    scripts = {f"sdet-{count}": [one[0] for one in of] for count, of in SCRIPTS.items()}
    found = columns(BLIGH, builds, NUMAQ, {"": 0.004}, metric=Metric("elapsed_s", "s"))
    found += columns(BLIGH, scripts, NUMAQ, {"": 0.004, "sdet-1": 0.02, "sdet-2": 0.02, "sdet-4": 0.01}, metric=SCRIPTS_PER_HOUR)
    return judgement(*found, looks=None, means=means(found))


def loads() -> Judgement:
    """The other loads of kernbench against 16 jobs for each CPU, in each column."""
    metric = Metric("elapsed_s", "s")
    found = [
        drawn(
            side("kernbench-16x", name, box=NUMAQ, metric=metric),
            side(f"kernbench-{load}", name, box=NUMAQ, metric=metric),
            (BUILDS["16x"][place][0], BUILDS[load][place][0]),
            0.001 if load == "maximal" else 0.004,
        )
        for load in ("2x", "maximal")
        for place, name in enumerate(BLIGH)
    ]
    return judgement(*found, axis=Axis.LOADS, looks=None)


G5 = BoxSpec(name="G5", kind=LOCAL, cpus=2)
LOCK_PAGE: tuple[tuple[BoxSpec, Values], ...] = (
    (P4, {"pagefault": (1.68, 1.76), "fork": (141.35, 144.75), "exec": (455.15, 459.6)}),
    (G5, {"pagefault": (1.50, 1.72), "fork": (167.7, 178.0), "exec": (751.05, 787.35)}),
)


def lock_page() -> Judgement:
    """The middles of the mail's ranges."""
    found = [one for box, values in LOCK_PAGE for one in columns(("2.6.21", "+patch"), values, box, {"": 0.006, "exec": 0.01})]
    return judgement(*found, means=means(found), agreements=agreements(found))


def sorted_buddy() -> Judgement:
    """Two kernels and one benchmark, of which nothing is shown."""
    values = {"kernbench-optimal": [of["elapsed_s"][0] for of in BHAT.values()]}
    return judgement(*columns(tuple(BHAT), values, QUAD_CORES, {"": 0.006}, metric=Metric("elapsed_s", "s")), adjustment="Holm")


# ---- any at all ----

NAMED = ("-rc1", "v6.1", "größe-ö", "mm2")
"""Columns: none of them is a part of another or of a word. The last has no verdict."""


def several(of: st.SearchStrategy[Any], most: int) -> st.SearchStrategy[tuple[Any, ...]]:
    return st.lists(of, max_size=most).map(tuple)


SHARES = st.none() | st.floats()
WHOLE, PERCENTS, ANSWERS = st.integers(0, 10**6), st.floats(-100.0, 1e6), st.sampled_from(Answer)
TEXTS = st.sampled_from(["", "too few boots: 2 and 2", "too few boots: 3 and 1", "noise of 3%\nand more"]) | st.text(
    "aö(\x00", max_size=5
)
BOXES = st.sampled_from([BOX, UP, ATHLON, BoxSpec(name="exact"), BoxSpec(name="odd", kind="other", cpus=0)])
BENCHMARKS, METRICS = st.sampled_from(["ctx-2", "sdet-8", "fork"]), st.sampled_from([TIME_PER_OPERATION, SCRIPTS_PER_HOUR])
SIDES = st.builds(side, BENCHMARKS, st.sampled_from(NAMED[:3]), box=BOXES, metric=METRICS)
RATIOS = st.none() | st.builds(Ratio, st.floats(), st.floats(), st.floats()) | st.tuples(PERCENTS, PERCENTS, PERCENTS).map(ratio)
ANY_VERDICT = st.builds(
    Verdict,
    base=SIDES,
    new=SIDES,
    answer=ANSWERS,
    ratio=RATIOS,
    p=SHARES,
    p_adjusted=SHARES,
    boots=st.tuples(WHOLE, WHOLE),
    rounds=WHOLE,
    sd=SHARES,
    visible=SHARES,
    needed=st.none() | WHOLE,
    beyond=st.booleans(),
    tiny=st.booleans(),
    why=TEXTS,
    doubts=several(TEXTS, 2),
)
COLUMN, BOX_NAMES = st.sampled_from(NAMED), st.sampled_from(["xeon", "P4"])
ANY_MEAN = st.builds(
    Mean, box=BOXES, base=COLUMN, new=COLUMN, ratio=RATIOS, answer=ANSWERS, benchmarks=several(BENCHMARKS, 3), rounds=WHOLE
)
DISSENTS = st.builds(Dissent, BOX_NAMES, ANSWERS, st.just(("2 CPUs",)))
ANY_AGREEMENT = st.builds(
    Agreement,
    base=COLUMN,
    new=COLUMN,
    benchmark=BENCHMARKS,
    answer=ANSWERS,
    boxes=several(BOX_NAMES, 2),
    dissents=several(DISSENTS, 2),
)
ANY_JUDGEMENT = st.builds(
    Judgement,
    axis=st.sampled_from(Axis),
    alpha=st.sampled_from([0.05, 0.01, 1e-4]),
    margin=st.floats(0.0001, 0.5),
    adjustment=st.sampled_from([BH, "Holm", "none"]),
    looks=st.none() | st.tuples(WHOLE, WHOLE),
    verdicts=several(ANY_VERDICT, 6),
    refused=several(TEXTS, 2),
    means=several(ANY_MEAN, 3),
    agreements=several(ANY_AGREEMENT, 3),
)
