"""Texts that a file of UTF-8 can hold."""

from __future__ import annotations

from typing import Any

import msgspec


def encodable(text: str) -> str:
    """`text` with an escape, \\\\udcff, for each half of a surrogate pair: what stands for a byte of no text has no UTF-8.

    All else stays as it is. The escape is that of names shown to people.
    """
    return text if text.isascii() else text.encode("utf-8", "backslashreplace").decode()


def to_json(value: Any) -> bytes:
    """`value` as JSON on one line, in the order of its fields. What is no number is null."""
    try:
        return msgspec.json.encode(value, order="deterministic")
    except UnicodeEncodeError:
        return msgspec.json.encode(_mapped(msgspec.to_builtins(value)), order="deterministic")


def _mapped(value: Any) -> Any:
    if isinstance(value, str):
        return encodable(value)
    if isinstance(value, list | tuple):
        return [_mapped(one) for one in value]
    if isinstance(value, dict):
        return {_mapped(key): _mapped(one) for key, one in value.items()}
    return value
