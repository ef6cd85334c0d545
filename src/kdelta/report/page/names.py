"""What a page calls a run, its units and its files, and how names stand in its sentences."""

from __future__ import annotations

import unicodedata
from itertools import groupby

from kdelta.model.dossier import Dossier
from kdelta.model.finding import names

MOST_NAMED = 3
"""New sides that a title names."""


def title(dossier: Dossier) -> str:
    """What is compared with what: `6.12 against 6.1`."""
    called = [names(dossier.judgement.axis, verdict) for verdict in dossier.judgement.verdicts]
    news, bases = (
        (list(dict.fromkeys(one)) for one in zip(*((one.new, one.base) for one in called), strict=True)) if called else ((), ())
    )
    if len(bases) == 1:
        return f"{_list(list(news)) if len(news) <= MOST_NAMED else f'{len(news)} columns'} against {bases[0]}"
    return f"{len(called)} contrasts" if called else f"Values of {_list([one.name for one in dossier.run.plan.variants])}"


RIGHT_TO_LEFT = frozenset({"R", "AL", "AN"})
"""Classes of characters (Unicode, UAX 9) that turn the figures beside them around."""
ISOLATE, END = "\u2068", "\u2069"


def isolated(text: str) -> str:
    """`text` with marks around what is written from right to left, so that all else keeps its place."""
    if text.isascii():
        return text
    runs = groupby(text, lambda one: unicodedata.bidirectional(one) in RIGHT_TO_LEFT)
    return "".join(f"{ISOLATE}{''.join(run)}{END}" if turns else "".join(run) for turns, run in runs)


def _list(items: list[str]) -> str:
    return " and ".join(part for part in (", ".join(items[:-1]), items[-1]) if part)


def short_unit(unit: str) -> str:
    """`us/op` for `us per operation`: what a cell has room for."""
    return unit.replace("instructions per operation", "instr/op").replace(" per operation", "/op")


def file_name(run: int, kind: str) -> str:
    """Of a download: from the number of the run alone, so that no name of others leads anywhere."""
    return f"kdelta-run-{run}{kind}"
