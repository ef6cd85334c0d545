"""All that is known of one stored run, before a word is written about it."""

from __future__ import annotations

import msgspec

from kdelta.model.account import Account
from kdelta.model.finding import Finding
from kdelta.model.gate import Gate
from kdelta.model.record import BootRecord, RunRecord
from kdelta.model.sheet import Sheet
from kdelta.model.table import Table
from kdelta.model.verdict import Judgement


class Dossier(msgspec.Struct, frozen=True, kw_only=True):
    """What every report of a run is made of. `tables`, `sheets` and `hidden` have one entry for each box, in the plan's order.

    `boots` are those whose results are judged; of the `profiled` ones, in which nothing was timed, only what went wrong is told.
    `hidden` is what differed on a box although nobody asked for it, in sentences.
    """

    run: RunRecord
    boots: tuple[BootRecord, ...]
    profiled: tuple[BootRecord, ...] = ()
    cuts: tuple[dict[str, int], ...]
    """For each of `boots`: benchmark -> how many of its first results were cut as warm-up, where any were."""
    account: Account
    judgement: Judgement
    gate: Gate
    findings: tuple[Finding, ...]
    """What the verdicts say together; none where nothing was compared."""
    tables: tuple[Table, ...]
    sheets: tuple[Sheet, ...]
    hidden: tuple[tuple[str, ...], ...]

    @property
    def is_compared(self) -> bool:
        return bool(self.judgement.verdicts or self.judgement.refused)
