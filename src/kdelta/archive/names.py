"""Names of benchmarks, as kdelta writes them."""

from __future__ import annotations

import re

_NOT_IN_NAMES = re.compile(r"[^a-z0-9.+]+")


def kebab(words: str) -> str:
    """Small letters, digits, dots and pluses, joined by one dash each: `Model: SqueezeNetV1.0` is `model-squeezenetv1.0`."""
    return _NOT_IN_NAMES.sub("-", words.lower()).strip("-")
