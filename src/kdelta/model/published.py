"""What others published: numbers as they were printed, each with its place, and what the text says follows from them."""

from __future__ import annotations

import re

import msgspec

from kdelta.model.benchmark import Better
from kdelta.model.boot import CellState

FIGURES = (
    "value",
    "mean",
    "hmean",
    "gmean",
    "median",
    "min",
    "max",
    "sd",
    "cv",
    "se",
    "error",
    "change",
)
"""What a printed number may be, of the values behind it. `value`: not said. `sd` is in the unit of the values, `cv` in percent of
their mean, `se` the standard error of the mean, in the unit of the values; `error` is another spread, in their unit, that is
neither (an interval, a mean absolute deviation).
`change` is in percent of the base, with the sign that is printed. Percentiles are `p50`, `p99.9`.
"""


_PRINTED = re.compile(r"(?P<digits>[-+]?\s?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?)(?P<suffix>[KkMG]?)%?$")
_SUFFIXES = {"": 1.0, "K": 1e3, "k": 1e3, "M": 1e6, "G": 1e9}


class Number(msgspec.Struct, frozen=True, gc=False):
    """One number, as it was printed. `value` is it in the unit of its entry, `step` what one more of its last digit is there: 0
    where all digits are printed. `line` and `column` count from 1, in the source as it was given, not as it was decoded.
    """

    text: str
    value: float
    step: float
    line: int
    column: int

    def in_print(self, value: float) -> float:
        """`value`, in the unit of the entry, as it would be printed where this one is: 28.96 in ms for 0.02896 s."""
        match = _PRINTED.match(self.text.replace(",", ""))
        if match is None or not self.value:
            return value
        return value * float(match["digits"].replace(" ", "")) * _SUFFIXES[match["suffix"]] / self.value


class Discarded(msgspec.Struct, frozen=True):
    """A value that is kept and not judged, and why: a warm-up, a negative time."""

    number: Number
    reason: str


class Entry(msgspec.Struct, frozen=True, kw_only=True):
    """All that one place says of one metric of one benchmark under one variant.

    `variant` is empty where none is named, `box` too. `program` is what ran, `benchmark` it with its load: where kdelta measures
    the same, both are named as in its catalogue, and so are `parameters` and `metric`. `unit` is a base unit of archive.units ("s",
    "B/s"), empty where it is not known, and `printed_unit` what is printed, or what the format means. `better` is None where nobody
    says which direction is. `relative` says of what the numbers are a share ("% of the first variant"): then they are no values.

    `samples` are single results, in the order in which they were taken unless a remark says otherwise; `figures` are by FIGURES.
    `count` is of how many results, where that is said; `boots` whether these are boots (True), or within one (False), None where
    it is not said. What has neither samples nor figures is missing, or ended as `state` says.
    """

    variant: str = ""
    box: str = ""
    program: str = ""
    benchmark: str
    metric: str
    unit: str = ""
    printed_unit: str = ""
    better: Better | None = None
    relative: str = ""
    parameters: dict[str, str] = {}
    samples: tuple[Number, ...] = ()
    discarded: tuple[Discarded, ...] = ()
    figures: dict[str, Number] = {}
    count: int | None = None
    boots: bool | None = None
    state: CellState = CellState.OK
    reason: str = ""


class Claim(msgspec.Struct, frozen=True, kw_only=True):
    """A printed number that follows from others of the text, as `kind` has it: a key of judge.claims.RULES.

    `of` are these others, in the order of the kind; without them the claim cannot be checked, and `missing` says why. `what` names
    it in words: "kernbench-half elapsed, patched against base".
    """

    kind: str
    what: str
    printed: Number
    of: tuple[Number, ...] = ()
    factor: float = 1.0
    better: Better | None = None
    count: int | None = None
    missing: str = ""


class Function(msgspec.Struct, frozen=True):
    """A row of a profile, or of a difference of two. `percent` is of what its listing says, None where none is printed."""

    name: str
    count: Number
    percent: Number | None = None


class Listing(msgspec.Struct, frozen=True, kw_only=True):
    """A profile of `new`, or where it is a `difference` what `new` counted more than `old`, in `unit`.

    `rows` are without the total, in the order printed. `cut` says that rows were left out between them.
    """

    benchmark: str
    old: str = ""
    new: str = ""
    difference: bool
    unit: str = "ticks"
    rows: tuple[Function, ...]
    total: Function | None = None
    cut: bool = False


class Remark(msgspec.Struct, frozen=True):
    """What is doubtful, or was left out, at a line of the source (0: of all of it), and why."""

    line: int
    text: str


class Block(msgspec.Struct, frozen=True, kw_only=True):
    """What one reader made of one place: a table, a log, a file. `format` is the reader's name; `first` and `last` are its lines.

    `entries` are in the order in which they are printed, the variant that the others are compared with first. `facts` are what is
    said of the machine and of the method, in words.
    """

    format: str
    title: str = ""
    first: int
    last: int
    entries: tuple[Entry, ...] = ()
    claims: tuple[Claim, ...] = ()
    listings: tuple[Listing, ...] = ()
    remarks: tuple[Remark, ...] = ()
    facts: dict[str, str] = {}


class Document(msgspec.Struct, frozen=True, kw_only=True):
    """One text: a mail, a log, a file of results. `source` is where it came from, `line` the first of its lines there.

    `subject`, `sender`, `date` and `message_id` are a mail's, empty elsewhere.
    """

    source: str
    line: int = 1
    subject: str = ""
    sender: str = ""
    date: str = ""
    message_id: str = ""
    blocks: tuple[Block, ...] = ()
    remarks: tuple[Remark, ...] = ()


class Source(msgspec.Struct, frozen=True, kw_only=True):
    """A text that was read, as Document has it. `sha256` is of all of it, as it was given."""

    name: str
    line: int = 1
    subject: str = ""
    sender: str = ""
    date: str = ""
    message_id: str = ""
    sha256: str = ""


class Origin(msgspec.Struct, frozen=True, kw_only=True):
    """Where a part of a run was published. `block` is without its entries and listings, which are with the run's boots.

    `digest` is of what it says, wherever it stands: by that it is known when it is quoted.
    """

    source: Source
    digest: str
    block: Block
