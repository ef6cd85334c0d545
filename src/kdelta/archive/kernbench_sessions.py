"""Logs of kernbench in a text: which tables are of one invocation, and what each is called."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from kdelta.archive.kernbench_lines import LOADS
from kdelta.archive.kernbench_names import Above, above, unique
from kdelta.archive.kernbench_tables import Table, tables
from kdelta.archive.text import Line
from kdelta.model.published import Remark

Printed = frozenset[tuple[str, str, int, str, str]]

_MOST_ALIKE = 16
"""Logs with one number in common that are looked through for the same log."""


@dataclass
class Session:
    """One invocation of the script, or several side by side: then `names` are as many as there are columns.

    `counts` are of the runs of each table, None where nobody says. `last` is the line of its last row.
    """

    names: tuple[str, ...]
    called: tuple[str, ...]
    """What the text calls them: `names`, before they were told apart."""
    box: str
    width: int
    last: int
    facts: dict[str, str]
    tables: list[Table] = field(default_factory=list)
    counts: list[int | None] = field(default_factory=list)
    remarks: list[Remark] = field(default_factory=list)

    @property
    def first(self) -> int:
        return self.tables[0].line.number

    def loads(self) -> set[str]:
        return {title.load for table in self.tables for title in table.titles}

    def printed(self) -> Printed:
        """All its numbers, as they stand."""
        return frozenset(
            (table.titles[place].load, row.label, place, cell.mean.text if cell.mean else "", cell.sd.text if cell.sd else "")
            for table in self.tables
            for row in table.rows
            for place, cell in enumerate(row.cells[: table.columns])
        )


def sessions(lines: Sequence[Line]) -> list[Session]:
    """In their order, with names of which none is there twice. What is quoted, or pasted again, is there once."""
    kept = list[Session]()
    seen: dict[tuple[object, ...], list[tuple[Printed, Session]]] = {}
    for session in _split(lines):
        printed = session.printed()
        known = min((seen.get((session.called, one), []) for one in printed), key=len, default=[])
        same = next((one for before, one in known if printed <= before), None)
        if same:
            said = f"the same as that of line {same.first}, pasted or quoted again, and not counted twice"
            same.remarks.append(Remark(session.first, said))
            continue
        kept.append(session)
        for one in printed:
            entry = seen.setdefault((session.called, one), [])
            if len(entry) < _MOST_ALIKE:
                entry.append((printed, session))
    _tell_apart(kept)
    return kept


def _split(lines: Sequence[Line]) -> Iterator[Session]:
    current: Session | None = None
    end, box, performing, said, here = 0, "", None, None, False
    for table in tables(lines):
        width = len(table.titles) if len({title.load for title in table.titles}) == 1 else 1
        found = above(lines[end : table.first], width)
        if found.box and found.box != box:
            box, said, here = found.box, None if here else said, False
        if found.said is not None:
            said, here = found.said, found.here
        begins = current is None or _begins(current, table, found, width, box)
        if begins:
            if current:
                yield current
            performing = None
            current = _new(table, found, width, box)
        assert current is not None
        performing = found.performing or performing
        current.tables.append(table)
        current.counts.append(_count(table, found, performing, said))
        current.last = lines[table.behind - 1].number
        end = table.behind
    if current:
        yield current


def _begins(current: Session, table: Table, found: Above, width: int, box: str) -> bool:
    again = {title.load for title in table.titles} & current.loads()
    other = table.heads and table.heads != current.called
    return bool(found.begins or again or width != current.width or other or box != current.box)


def _new(table: Table, found: Above, width: int, box: str) -> Session:
    names = table.heads or (found.kernels if len(found.kernels) == width else ())
    if not names:
        names = (found.heading,) if width == 1 else ("",) * width
    session = Session(names, names, box, width, 0, dict(found.facts))
    if width > 1 and not any(names):
        session.remarks.append(Remark(table.line.number, f"{width} columns, and no names for them are found"))
    if "," in found.facts.get("host", ""):
        session.remarks.append(Remark(table.line.number, f"the columns are of different machines: {found.facts['host']}"))
    if width == 1 and found.heading and found.heading not in names:
        session.facts["heading"] = found.heading
    return session


def _count(table: Table, found: Above, performing: int | None, said: int | None) -> int | None:
    """Of the runs of its load: by the lines of progress, by what was announced, by prose; and one run prints no deviation."""
    load = table.titles[0].load
    words = [word for word in found.runs if word == "" or LOADS.index(load) == _place(word)]
    if words:
        return max(found.runs[word] for word in words)
    single = table.titles[0].spread and not any(cell.sd for row in table.rows for cell in row.cells)
    return performing or said or (1 if single else None)


def _place(word: str) -> int:
    return next((place for place, load in enumerate(LOADS) if load[:4] == word[:4]), -1)


def _tell_apart(kept: Sequence[Session]) -> None:
    """Two logs on one machine under one name are of two kernels, or of two ways to run one: nobody may merge them."""
    taken: dict[str, dict[str, int]] = {}
    for session in kept:
        session.names = tuple(unique(session.called, taken.setdefault(session.box, {})))
        for name, called in zip(session.names, session.called, strict=True):
            if name != called and called:
                said = f"{called!r} stands above another log too: this one is called {name!r}"
                heading = session.facts.get("heading", "")
                session.remarks.append(Remark(session.first, f"{said}; the text has {heading!r} above it" if heading else said))
            elif name != called:
                session.remarks.append(Remark(session.first, f"no kernel is named above this log: it is called {name!r}"))
