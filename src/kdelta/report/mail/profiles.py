"""Where a change is, in a mail: a diffprofile as Martin J. Bligh posted them, and what it adds up to."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

import msgspec

from kdelta.profile.charge import Account
from kdelta.profile.explained import Where
from kdelta.report import accounting_text, charged, diffprofile, migration_text
from kdelta.report.charged import Charged
from kdelta.report.mail.sealed import MAIL
from kdelta.report.text import wrapped

MOST_LEAVES = 3
"""Functions that were charged to their callers, by name."""


def profile(where: Where, rows: int, on: str) -> str:
    """`on` is the box, empty where there is but one. Charged counts stand below the functions that they were charged to."""
    return "\n".join(_parts(where, rows, f"{where.benchmark}{f' on {on}' if on else ''}"))


def _parts(where: Where, rows: int, title: str) -> Iterator[str]:
    found = where.explained
    difference = found.difference
    heading = wrapped(f"Diffprofile for {title} (-ve numbers better with {difference.new})", width=MAIL)
    table = diffprofile.render_difference(difference, rows, plain=True, width=MAIL)
    counted = f"Counted: {diffprofile.counted_in(difference)}; {difference.new} against {difference.old}."
    yield f"{heading}\n{table}{wrapped(counted, width=MAIL)}\n"
    if found.callers:
        units = diffprofile.multiple(difference)
        sides = zip(found.callers, (found.old, found.new), strict=True)
        yield charged.render([Charged(account, side.work / units) for account, side in sides], _leaves(found.callers), MAIL)
    if found.moves:
        yield migration_text.render(found.moves, difference, MAIL)
    if found.account:
        # What is doubtful stands below the table already.
        account = msgspec.structs.replace(found.account, doubts=())
        yield accounting_text.render(account, f"{title}{found.accounted}", width=MAIL)


def _leaves(accounts: Sequence[Account]) -> str:
    """What was charged to its callers, the most first."""
    charged = Counter[str]()
    for caller in (caller for account in accounts for caller in account.callers):
        charged.update(caller.charged)
    names = [name for name, _ in sorted(charged.items(), key=lambda item: (-item[1], item[0]))]
    more = [f"{len(names) - MOST_LEAVES} more"] if len(names) > MOST_LEAVES else []
    return ", ".join([*names[:MOST_LEAVES], *more]) or "nothing"
