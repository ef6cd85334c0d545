"""What a reader must know of numbers that others published: who did, where they stand, and what is not stated of them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from kdelta.model.account import Account
from kdelta.model.published import Origin, Source
from kdelta.model.record import BootRecord, RunRecord
from kdelta.report.text import WIDTH, counted, folded

NOT_HERE = "Nothing of it was measured by kdelta: all numbers are as they were printed."


def head(run: RunRecord, records: Sequence[BootRecord], account: Account, width: int = WIDTH) -> str:
    """The run, its texts with the lines that were read, what is said of the method, and what is not known of it."""
    which = "Two runs" if run.plan.apart else f"Run {run.id}"
    lines = [f"{which}, published by others, imported {run.started[:16].replace('T', ' ')} UTC."]
    lines += [
        *texts(run),
        numbers(account),
        *profiles(run, records),
        NOT_HERE,
        *unknown(records),
        *(f"{what}: {said}." for what, said in facts(run)),
    ]
    lines += [f"Doubtful: {one}" for one in remarks(run)]
    return "\n".join(folded(one, "  ", width=width) for one in lines) + "\n"


def texts(run: RunRecord) -> Iterator[str]:
    """A line for each text that the run was read from."""
    found: dict[Source, list[Origin]] = {}
    for one in run.origins:
        found.setdefault(one.source, []).append(one)
    for source, origins in found.items():
        places = ", ".join(dict.fromkeys(_lines(one) for one in origins))
        formats = ", ".join(dict.fromkeys(one.block.format for one in origins))
        yield f"{author(source)}{source.name}, {places} ({formats})."


def author(source: Source) -> str:
    """`"Subject", from somebody, Mon, 3 May 2004: `; empty for what is no mail."""
    parts = [f'"{source.subject}"' if source.subject else "", f"from {source.sender}" if source.sender else "", source.date]
    said = ", ".join(filter(None, parts))
    return f"{said}: " if said else ""


def _lines(origin: Origin) -> str:
    block = origin.block
    if not block.first:
        return block.title or "all of it"
    return f"line {block.first}" if block.last <= block.first else f"lines {block.first} to {block.last}"


def numbers(account: Account) -> str:
    """How many were read, and why some are not judged."""
    reasons = ", ".join(f"{count} {why}" for why, count in account.reasons.items())
    return f"Numbers: {account.taken} read, {account.judged} judged{f'; not judged: {reasons}' if reasons else ''}."


def profiles(run: RunRecord, records: Sequence[BootRecord]) -> Iterator[str]:
    """How many there are, and what shows them."""
    found = [one for record in records for one in record.listings]
    if found:
        kinds = {"difference": sum(one.difference for one in found), "profile": sum(not one.difference for one in found)}
        said = " and ".join(counted(count, what) for what, count in kinds.items() if count)
        yield f"Profiles: {said}; kdelta diffprofile --run {run.id} shows a difference, kdelta profile --run {run.id} a profile."


def unknown(records: Sequence[BootRecord]) -> Iterator[str]:
    """What the texts do not say of their method, as a sentence; nothing where they say all."""
    entries = [one for record in records for one in record.published]
    gone = {
        "how many results are behind a value": any(one.count is None and not one.samples for one in entries),
        "whether these are of several boots": any(one.boots is None for one in entries),
        "the unit": any(not one.unit for one in entries),
        "which direction is better": any(one.better is None for one in entries),
    }
    missing = [what for what, is_gone in gone.items() if is_gone]
    if missing:
        yield f"Not stated, of some or all: {', '.join(missing)}."


def facts(run: RunRecord) -> Iterator[tuple[str, str]]:
    """What the texts say of machine and method, each once."""
    found: dict[str, str] = {}
    for one in run.origins:
        for what, said in one.block.facts.items():
            known = found.get(what)
            found[what] = said if known in (None, said) else f"{known}; {said}"
    yield from found.items()


def remarks(run: RunRecord) -> Iterator[str]:
    """`mail.txt:12: a line was wrapped`."""
    for one in run.origins:
        yield from (f"{one.source.name}:{each.line}: {each.text}" for each in one.block.remarks)


def amount(run: RunRecord) -> str:
    """`3 tables of 1 text`, in a sentence."""
    sources = {one.source for one in run.origins}
    return f"{counted(len(run.origins), 'table')} of {counted(len(sources), 'text')}"
