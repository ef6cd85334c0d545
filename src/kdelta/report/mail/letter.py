"""From all that is known of a run to a mail: the order of its parts."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial

from kdelta.model.dossier import Dossier
from kdelta.model.plan import BoxSpec, is_published
from kdelta.profile.explained import Where
from kdelta.report import head, troubles, verdict_table
from kdelta.report.diffprofile import MOST_ROWS
from kdelta.report.mail.method import kernels, machines, method
from kdelta.report.mail.places import called
from kdelta.report.mail.profiles import profile
from kdelta.report.mail.sealed import MAIL, sealed
from kdelta.report.mail.shapes import VERDICT, Chosen, chosen
from kdelta.report.mail.subject import subject
from kdelta.report.mail.tables import meaning, tables
from kdelta.report.sentences import sentences
from kdelta.report.text import wrapped

ALONE = "One column was measured, and there is nothing to compare it with."
ALONE_THERE = "There is one column, and nothing to compare it with."
NOTHING = "Nothing was compared."
SELF = "{} was measured against itself (as {}): what is called slower or faster here is a false alarm."


def render(dossier: Dossier, wheres: Sequence[Where] = (), shapes: Sequence[str] = (), rows: int = MOST_ROWS) -> str:
    """A mail about `dossier`, that begins with its subject.

    `shapes` are those of its tables; without any they are what is usual for what ran. `wheres` are profiled changes, each shown
    with at most `rows` functions. Raises MisuseError for a shape that the run cannot have.
    """
    parts = _parts(dossier, wheres, chosen(dossier, shapes), rows)
    return sealed([f"{subject(dossier)}\n", *parts])


def _parts(dossier: Dossier, wheres: Sequence[Where], shapes: Chosen, rows: int) -> Iterator[str]:
    """The answer first, with what makes it doubtful, then how it was found, then the evidence."""
    call = partial(called, records=dossier.boots)
    yield from _conclusions(dossier, call)
    yield from (kernels(dossier), machines(dossier, call), method(dossier), meaning(dossier, shapes, call))
    yield from (tables(dossier, place, shapes, call) for place in range(len(dossier.run.plan.boxes)))
    if VERDICT in shapes:
        yield verdict_table.legend(dossier.judgement, MAIL)
    several = len(dossier.run.plan.boxes) > 1
    yield from (profile(where, rows, where.box if several else "") for where in wheres)
    plan, every = dossier.run.plan, [*dossier.boots, *dossier.profiled]
    yield troubles.failures(plan, every, MAIL) + troubles.warnings(plan, every, MAIL)
    yield _data(dossier)


def _conclusions(dossier: Dossier, call: Callable[[BoxSpec], str]) -> Iterator[str]:
    plan = dossier.run.plan
    if plan.twin:
        yield wrapped(SELF.format(plan.baseline, plan.twin), "", width=MAIL) + "\n"
    if dossier.is_compared:
        yield sentences(dossier.findings, MAIL, call)
    else:
        alone = ALONE_THERE if is_published(plan) else ALONE
        yield f"{alone if len(plan.variants) == 1 else NOTHING}\n"
    # What differed beside the kernels may be the answer.
    yield "".join(troubles.hidden(box, said, MAIL) for box, said in zip(plan.boxes, dossier.hidden, strict=True))


def _data(dossier: Dossier) -> str:
    """How whoever has the store gets every result."""
    run = dossier.run
    if run.plan.apart:
        return f"Columns of two runs, measured with kdelta {run.kdelta_version}.\n"
    read = is_published(run.plan)
    what = f"{'Read' if read else 'Measured'} with kdelta {run.kdelta_version}, run {run.id}, {head.began(run)}, {run.uuid}."
    how = f"Every result: kdelta export {run.id} -o FILE; as JSON: kdelta report {run.id} --form json"
    return wrapped(f"{what} {how}", "", width=MAIL) + "\n"
