"""How much there is of a run, without reading it."""

from __future__ import annotations

from sqlalchemy import Connection, and_, func, select

from kdelta.model.boot import Outcome
from kdelta.store import schema

PARTS = (schema.endings, schema.cells, schema.samples, schema.discards)
"""Tables whose rows belong to boots and are added while a run is measured."""


def ended(connection: Connection) -> dict[int, int]:
    """By run: at how many places of its plan the last attempt came to an end; runs without any are left out."""
    boots, endings = schema.boots, schema.endings
    attempts = select(boots.c.run, boots.c.position, func.max(boots.c.attempt).label("attempt")).where(boots.c.profiled.is_(False))
    last = attempts.group_by(boots.c.run, boots.c.position).subquery()
    same = and_(boots.c.run == last.c.run, boots.c.position == last.c.position, boots.c.attempt == last.c.attempt)
    wanted = select(boots.c.run, func.count()).join(last, same).join(endings, endings.c.boot == boots.c.id)
    wanted = wanted.where(endings.c.outcome != Outcome.INTERRUPTED.value).group_by(boots.c.run)
    return {row[0]: row[1] for row in connection.execute(wanted)}


def extent(connection: Connection, run: int) -> tuple[int, ...]:
    """Rows of `run` in each table: as long as it is the same, so is all that is read of the run, since rows are only ever added."""
    boots = schema.boots
    own = [select(func.count()).select_from(boots).where(boots.c.run == run)]
    for table in PARTS:
        own.append(select(func.count()).select_from(table).join(boots, boots.c.id == table.c.boot).where(boots.c.run == run))
    return tuple(connection.execute(wanted).scalar_one() for wanted in own)
