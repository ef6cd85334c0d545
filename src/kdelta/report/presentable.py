"""Texts of others, made fit to be shown: nothing in them moves a cursor, turns the direction of writing, hides, or is endless.

Names come from plans, guests, machines and other people's stores. What is made of a run that was made fit is fit.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable
from typing import Any

import msgspec

from kdelta.model.record import BootRecord, RunRecord

TEXT_NAME, PAGE_NAME = 40, 200
"""Characters of a name that are shown: in a table of text, and where there is room for more."""
ELLIPSIS, MARK = "..", 6
"""Between the kept ends of a name that is cut; and digits of its checksum."""
SHORT = {"\n": "\\n", "\t": "\\t"}


def presentable(
    run: RunRecord, boots: Iterable[BootRecord], *, ascii_only: bool = False, most: int = PAGE_NAME
) -> tuple[RunRecord, list[BootRecord]]:
    """`run` and its `boots` with all their texts escaped, and names of more than `most` characters cut in their middle.

    What cannot be printed is `\\u202e`, and so, `ascii_only`, is all that is not ASCII. No two names become one.
    """
    escape = shower(run, ascii_only=ascii_only, most=most)
    return _mapped(run, escape), [_boot(one, escape) for one in boots]


def shower(run: RunRecord, *, ascii_only: bool = False, most: int = PAGE_NAME) -> Callable[[str], str]:
    """What makes a text of `run` fit, as `presentable` does."""
    named = _named(run, most, ascii_only)
    return _memoised(lambda text: named.get(text) or escaped(text, ascii_only=ascii_only))


def _named(run: RunRecord, most: int, ascii_only: bool) -> dict[str, str]:
    """Names of the plan, as they are shown: no two are shown alike."""
    plan, found = run.plan, dict[str, str]()
    for name in sorted({one.name for each in (plan.variants, plan.boxes, plan.benchmarks) for one in each}):
        text = escaped(name, ascii_only=ascii_only)
        fits = len(text) <= most and text not in found.values()
        found[name] = text if fits else _marked(text, name, most)
    return found


def escaped(text: str, *, ascii_only: bool = False) -> str:
    """`text` with a visible escape for each character that cannot be printed, line breaks and tabs among them."""
    if text.isascii() and text.isprintable():
        return text
    return "".join(one if _is_fit(one, ascii_only) else _escape(one) for one in text)


def _is_fit(one: str, ascii_only: bool) -> bool:
    return one.isprintable() and (one.isascii() or not ascii_only)


def _escape(one: str) -> str:
    number = ord(one)
    if one in SHORT:
        return SHORT[one]
    return f"\\x{number:02x}" if number < 0x100 else f"\\u{number:04x}" if number < 0x10000 else f"\\U{number:08x}"


def _marked(text: str, name: str, most: int) -> str:
    """`text` with a mark of what it stands for, and cut where it is too long."""
    mark = hashlib.sha256(name.encode("utf-8", "surrogatepass")).hexdigest()[:MARK]
    kept = most - len(ELLIPSIS) - 1 - MARK
    short = text if len(text) <= kept else f"{text[: kept - kept // 3]}{ELLIPSIS}{text[len(text) - kept // 3 :]}"
    return f"{short}~{mark}"


def _memoised(function: Callable[[str], str]) -> Callable[[str], str]:
    known: dict[str, str] = {}

    def found(text: str) -> str:
        if text not in known:
            known[text] = function(text)
        return known[text]

    return found


def _boot(record: BootRecord, escape: Callable[[str], str]) -> BootRecord:
    """Samples are many and say the same few words: where those are fit, they are not looked at one by one."""
    samples = record.boot.samples
    words = {word for one in samples for word in (one.benchmark, one.metric, one.unit, one.discarded)}
    bare: BootRecord = _mapped(msgspec.structs.replace(record, boot=msgspec.structs.replace(record.boot, samples=())), escape)
    fit = samples if all(escape(word) == word for word in words) else _mapped(samples, escape)
    return msgspec.structs.replace(bare, boot=msgspec.structs.replace(bare.boot, samples=fit))


def _mapped(value: Any, escape: Callable[[str], str]) -> Any:
    """`value` with every text in it escaped; itself where none changes."""
    found = value
    if isinstance(value, str) and type(value) is str:
        found = escape(value)
    elif isinstance(value, tuple):
        found = tuple(_mapped(one, escape) for one in value)
    elif isinstance(value, dict):
        found = {_mapped(key, escape): _mapped(each, escape) for key, each in value.items()}
    elif isinstance(value, msgspec.Struct):
        return _struct(value, escape)
    return value if found == value else found


def _struct(value: Any, escape: Callable[[str], str]) -> Any:
    changed = {}
    for name in value.__struct_fields__:
        before = getattr(value, name)
        after = _mapped(before, escape)
        if after is not before:
            changed[name] = after
    return msgspec.structs.replace(value, **changed) if changed else value
