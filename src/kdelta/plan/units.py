"""Durations and shares as people write them."""

from __future__ import annotations

import re

from kdelta.model.errors import MisuseError

SECONDS = {"s": 1.0, "m": 60.0, "h": 3600.0, "d": 86400.0}
DURATION = re.compile(r"(?:(\d+(?:\.\d+)?)([smhd]))+")
PART = re.compile(r"(\d+(?:\.\d+)?)([smhd])")
SHARE = re.compile(r"(\d+(?:\.\d+)?)\s*%")


def seconds(what: str, text: str) -> float:
    """`90s`, `5m`, `1h30m` -> seconds. Raises MisuseError; `what` names the key in it."""
    word = text.replace(" ", "")
    total = sum(float(number) * SECONDS[unit] for number, unit in PART.findall(word))
    if not DURATION.fullmatch(word) or not total:
        raise MisuseError(f"{what} is '{text}'", "write a duration above 0 with its unit: 90s, 5m, 1h30m, 2d")
    return total


def share(what: str, text: str) -> float:
    """`1%` -> 0.01. Raises MisuseError; `what` names the key in it."""
    match = SHARE.fullmatch(text.strip())
    if match is None or not 0.0 < float(match[1]) <= 100.0:
        raise MisuseError(f"{what} is '{text}'", "write percent above 0 and up to 100: 1%, 0.5%")
    return float(match[1]) / 100.0
