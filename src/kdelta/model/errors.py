"""What can go wrong, each with what was wrong, the rule, and the next thing to try; only `cli` prints them."""

from __future__ import annotations

import difflib
from collections.abc import Iterable


class KdeltaError(Exception):
    """Something the user can act on. `advice` is the next thing to try; `exit_code` is what the program returns."""

    exit_code = 2

    def __init__(self, message: str, advice: str = "") -> None:
        super().__init__(message)
        self.advice = advice


class MisuseError(KdeltaError):
    """The command, the plan or the machine's set-up asks for something that cannot be."""


class BoxLostError(KdeltaError):
    """The machine that should have measured is gone: never the same as a benchmark that failed."""

    exit_code = 3


class StoreError(KdeltaError):
    """The store cannot be read or written; what it already holds is untouched."""


def unknown(what: str, name: str, known: Iterable[str], where: str = "") -> MisuseError:
    """An error for a `what` called `name` that is not in a closed set: lists the set, and the nearest member first.

    `where` says which set, as the end of the sentence: "in run 3".
    """
    names = sorted(known)
    near = difflib.get_close_matches(name, names, n=1)
    hint = f"did you mean '{near[0]}'? " if near else ""
    return MisuseError(
        f"there is no {what} '{name}'" + (f" {where}" if where else ""), f"{hint}known: {', '.join(names) or 'none'}"
    )
