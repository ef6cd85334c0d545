"""What the samples say of a change: verdicts with what they rest on, and what is made of several."""

from __future__ import annotations

from enum import Enum

import msgspec

from kdelta.model.benchmark import Benchmark
from kdelta.model.plan import BoxSpec


class Answer(Enum):
    """What was decided. For a metric of which larger is better, faster is a larger value."""

    FASTER = "faster"
    SLOWER = "slower"
    EQUIVALENT = "equivalent"
    UNDECIDED = "undecided"


class Axis(Enum):
    """What the two sides of a contrast differ in."""

    COLUMNS = "columns"
    """Each column against the base."""
    PAIRS = "pairs"
    """Each column against each other."""
    KERNELS = "kernels"
    """Columns with the same settings."""
    SETTINGS = "settings"
    """Columns with the same kernel."""
    LOADS = "loads"
    """Benchmarks that are one program with other parameters, within a column."""
    BOXES = "boxes"
    """One column on two boxes."""
    RUNS = "runs"
    """A column of one run against one of another, which have no rounds in common: of `inquiry.pair`."""


class Side(msgspec.Struct, frozen=True, kw_only=True):
    """One side of a contrast: what is measured, of which variant, where."""

    box: BoxSpec
    variant: str
    benchmark: Benchmark


class Ratio(msgspec.Struct, frozen=True):
    """New over base with its interval, all as plain ratios: 1.021 [1.013, 1.029]. `low` may be 0 and `high` infinite."""

    value: float
    low: float
    high: float


class Verdict(msgspec.Struct, frozen=True, kw_only=True):
    """One contrast. Shares are of 1: 0.006 is 0.6 %. None where the boots are too few to say it.

    `ratio` has the interval that holds at every look. `p` is valid whenever one looks, `p_adjusted` also for how many contrasts
    were asked for together, and it is that of equivalence where the answer is EQUIVALENT.
    """

    base: Side
    new: Side
    answer: Answer
    ratio: Ratio | None = None
    p: float | None = None
    p_adjusted: float | None = None
    boots: tuple[int, int] = (0, 0)
    """Of the base and of the new side."""
    rounds: int = 0
    """In which both sides have a value; 0 for sides that are not measured in common rounds."""
    sd: float | None = None
    """Standard deviation of a boot's value, as a share of it."""
    visible: float | None = None
    """The least change, as a share, that boots like these show with a probability of 0.8."""
    needed: int | None = None
    """Of an undecided contrast: about how many rounds in all would give an answer. None where too few rounds can say it."""
    beyond: bool = False
    """Whether the change is at least the margin."""
    tiny: bool = False
    """Whether it is real, though equivalent."""
    why: str = ""
    """Of an undecided contrast: the reason, where it is not the noise."""
    doubts: tuple[str, ...] = ()
    """What a reader must know before believing it."""
    results: tuple[int | None, int | None] | None = None
    """Of what others published: how many results are behind the base and the new side, None where that is not stated."""


class Mean(msgspec.Struct, frozen=True, kw_only=True):
    """Geometric mean of the ratios of several benchmarks on one box, each as cost: new over base of times, base over new of
    rates. Over the `rounds` in which all of them were measured.

    `left_out` are the benchmarks that are not in it, each with the reason: a mean over other sets is another mean.
    """

    box: BoxSpec
    base: str
    new: str
    ratio: Ratio | None = None
    answer: Answer = Answer.UNDECIDED
    benchmarks: tuple[str, ...]
    rounds: int = 0
    left_out: tuple[str, ...] = ()


class Dissent(msgspec.Struct, frozen=True):
    """A box on which the answer is another one; `facts` are in what it differs from those that agree: "2 CPUs"."""

    box: str
    answer: Answer
    facts: tuple[str, ...] = ()


class Agreement(msgspec.Struct, frozen=True, kw_only=True):
    """One contrast over several boxes: `answer` on `boxes`, another one or none on the others."""

    base: str
    new: str
    benchmark: str
    answer: Answer
    boxes: tuple[str, ...]
    dissents: tuple[Dissent, ...]


class Judgement(msgspec.Struct, frozen=True, kw_only=True):
    """All contrasts of one question, adjusted together. `alpha` is the level of the whole, `margin` the share up to which a
    change does not matter.
    """

    axis: Axis
    alpha: float
    margin: float
    adjustment: str
    """How p is adjusted: "Benjamini-Hochberg" or "Holm"."""
    looks: tuple[int, int] | None
    """First and last round after which was looked; None where the number of rounds was fixed before."""
    verdicts: tuple[Verdict, ...]
    refused: tuple[str, ...] = ()
    """Contrasts that were not made because the sides are unlike, each with the reason."""
    means: tuple[Mean, ...] = ()
    agreements: tuple[Agreement, ...] = ()
