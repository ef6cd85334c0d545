"""The table of samples as comma-separated values."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from kdelta.model.dossier import Dossier
from kdelta.report.data.encodable import encodable
from kdelta.report.data.table import sample_columns

QUOTED = re.compile(r'[",\r\n]|\A[ \t]|[ \t]\Z')
"""What a field holds that is quoted; no other is."""
MOST_DIGITS, LEAST_EXPONENT = 21, -6
"""Before the point, and the power of ten of the first digit, of a number that is written without an exponent."""


def render(dossier: Dossier) -> str:
    """A header and a row for each sample, as RFC 4180 has them but for the line ends, which are LF.

    Names are exact: what a spreadsheet takes for a formula is not made another text. What is missing is empty.
    """
    columns = sample_columns(dossier)
    texts = [_texts(name, values) for name, values in columns.items()]
    rows = [",".join(columns), *map(",".join, zip(*texts, strict=True))]
    return encodable("\n".join(rows) + "\n")


def _texts(name: str, values: Sequence[Any]) -> Iterable[str]:
    """Each different one of a column is written once; but 0 and -0, which are values, are the same to a dictionary."""
    if name == "value":
        return map(number, values)
    return map({value: WRITERS[type(value)](value) for value in dict.fromkeys(values)}.__getitem__, values)


def number(value: float) -> str:
    """As ECMAScript writes it (Number::toString), but with the sign of -0: the shortest digits that are read as `value` again.

    Without an exponent from 1e-6 up to 1e21; a whole number has no point. Empty for what is no number.
    """
    text = repr(value)
    if "e" not in text and "n" not in text:
        return text.removesuffix(".0")
    return _far(text) if math.isfinite(value) else ""


def _far(text: str) -> str:
    """From Python's form with an exponent."""
    mantissa, _, power = text.partition("e")
    sign, exponent = "-" * mantissa.startswith("-"), int(power)
    digits = mantissa.lstrip("-").replace(".", "")
    if LEAST_EXPONENT - 1 < exponent < 0:
        return f"{sign}0.{'0' * (-exponent - 1)}{digits}"
    if 0 <= exponent < MOST_DIGITS:
        return f"{sign}{digits.ljust(exponent + 1, '0')}"
    point = f".{digits[1:]}" if digits[1:] else ""
    return f"{sign}{digits[0]}{point}e{exponent:+d}"


def field(text: str) -> str:
    """`text`, in quotes where it must be."""
    return '"' + text.replace('"', '""') + '"' if QUOTED.search(text) else text


WRITERS: dict[type, Callable[[Any], str]] = {
    type(None): lambda _: "",
    bool: lambda value: "true" if value else "false",
    int: str,
    str: field,
}
