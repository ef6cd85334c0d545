"""Variants of one text that carry one name, told apart: two logs of the same kernel are no repetitions."""

from __future__ import annotations

from collections.abc import Hashable

from kdelta.model.published import Remark


class Apart:
    """What was met of one text. A second result under one name, of the same benchmark, is of `NAME (2)`."""

    def __init__(self) -> None:
        self._met: dict[tuple[Hashable, str], list[tuple[str, ...]]] = {}
        self.remarks: list[Remark] = []

    def name(self, name: str, of: Hashable, said: tuple[str, ...], line: int) -> str:
        """What to call the variant `name` whose result in `of` is `said`, as printed: what is quoted again is the same one."""
        met = self._met.setdefault((of, name), [])
        if said not in met:
            met.append(said)
        place = met.index(said)
        if not place:
            return name
        again = f"{name} ({place + 1})".strip()
        self.remarks.append(Remark(line, f"{name or 'the variant'} has other results above: these are called {again}"))
        return again

    def taken(self) -> tuple[Remark, ...]:
        """The remarks since the last time."""
        found, self.remarks = tuple(self.remarks), []
        return found
