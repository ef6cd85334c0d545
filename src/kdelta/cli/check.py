"""kdelta check: what a text claims, and what its numbers say."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import click
import msgspec

from kdelta.archive.as_runs import runs
from kdelta.archive.readers import named
from kdelta.archive.repair import corrected, repair
from kdelta.cli.options import json_option, print_json
from kdelta.cli.paint import REPORT
from kdelta.cli.terminal import say, warn, width
from kdelta.cli.texts import read
from kdelta.judge.claims import check
from kdelta.judge.conclusions import by_metric, conclusions
from kdelta.judge.published import judgement
from kdelta.model.checked import CheckedBlock
from kdelta.model.plan import Plan
from kdelta.model.published import Document
from kdelta.model.repaired import Conclusion, Mended, Session
from kdelta.model.verdict import Judgement
from kdelta.report import check_text, repair_text, verdict_table
from kdelta.report.presentable import TEXT_NAME, escaped, presentable
from kdelta.report.text import underlined, wrapped

VERDICTS = "What the printed numbers say of each metric:"


@click.command()
@click.argument("files", nargs=-1, required=True, metavar="FILE...")
@click.option("--format", "formats", multiple=True, metavar="NAME", help="Read texts as that; by default as whatever fits.")
@json_option
def command(files: tuple[str, ...], formats: tuple[str, ...], as_json: bool) -> None:
    """Compute what the texts in FILEs claim again from the numbers beside it, and say what these numbers support.

    Each percentage, average, spread, sum and share of CPU holds, is off, or cannot be checked. Averages of kernbench that have
    earlier loads in them are taken apart. Nothing is stored; - is standard input.
    """
    told = []
    for file in files:
        for one in read(file, named(formats), warn):
            if one.document.blocks:
                found = _checked(one.document)
                told.append(found)
                if not as_json:
                    say(_text(found), REPORT)
    if as_json:
        print_json([_json(one) for one in told])


class Found(msgspec.Struct, frozen=True, kw_only=True):
    """All that is said of one text. `judged` are its runs, each with what its numbers say of every metric."""

    document: Document
    claims: tuple[CheckedBlock, ...]
    sessions: tuple[Session, ...]
    changed: tuple[Conclusion, ...]
    judged: tuple[tuple[Plan, Judgement], ...]


def _checked(document: Document) -> Found:
    sessions = repair(document)
    mended = any(one.verdict in (Mended.REPAIRED, Mended.PARTLY) for one in sessions)
    before = _judged(document)
    after = _judged(msgspec.structs.replace(document, blocks=tuple(map(corrected, document.blocks)))) if mended else before
    changed = (one for (_, old), (_, new) in zip(before, after, strict=True) for one in conclusions(old, new))
    return Found(
        document=document,
        claims=tuple(map(check, document.blocks)),
        sessions=sessions,
        changed=tuple(changed),
        judged=tuple((plan, by_metric(found)) for plan, found in before),
    )


def _judged(document: Document) -> list[tuple[Plan, Judgement]]:
    """Names as a terminal can show them."""
    found = []
    for made in runs(document):
        run, boots = presentable(made.run, list(made.boots), most=TEXT_NAME)
        found.append((run.plan, judgement(run.plan, boots, every_metric=True)))
    return found


def _text(found: Found) -> str:
    return "\n".join(_parts(found))


def _parts(found: Found) -> Iterator[str]:
    document = found.document
    title = escaped(f"{document.source}{f': {document.subject}' if document.subject else ''}")
    yield "\n".join(underlined(title, "", width(), 0)) + "\n"
    yield check_text.render(found.claims, width())
    if told := repair_text.render(found.sessions, found.changed, width()):
        yield told
    compared = [(plan, one) for plan, one in found.judged if one.verdicts]
    if compared:
        yield wrapped(VERDICTS, width=width()) + "\n"
    for plan, one in compared:
        yield from (verdict_table.table(one, box, width()) for box in plan.boxes)
    if compared:
        yield verdict_table.legend(compared[-1][1], width())


def _json(found: Found) -> dict[str, Any]:
    document = found.document
    return {
        "file": document.source,
        "line": document.line,
        "subject": document.subject,
        "blocks": [_block(one) for one in found.claims],
        "kernbench": [msgspec.to_builtins(one) for one in found.sessions],
        "changed": [msgspec.to_builtins(one) for one in found.changed],
        "verdicts": [msgspec.to_builtins(verdict) for _, one in found.judged for verdict in one.verdicts],
    }


def _block(block: CheckedBlock) -> dict[str, Any]:
    return {
        "format": block.format,
        "title": block.title,
        "first": block.first,
        "last": block.last,
        "reading": block.reading,
        "claims": [
            {
                "kind": one.claim.kind,
                "what": one.claim.what,
                "line": one.claim.printed.line,
                "column": one.claim.printed.column,
                "printed": one.claim.printed.text,
                "again": None if one.again is None else one.claim.printed.in_print(one.again),
                "standing": one.standing.value,
                "how": one.how,
            }
            for one in block.claims
        ],
    }
