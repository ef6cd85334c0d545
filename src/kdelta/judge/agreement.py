"""Whether boxes agree on a change, and in what those differ that do not."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from kdelta.model.plan import BoxSpec
from kdelta.model.record import BootRecord
from kdelta.model.verdict import Agreement, Answer, Dissent, Verdict

FACTS = ("SMT", "NUMA nodes", "processor", "hypervisor")
"""Of a visit's environment: why a box may answer otherwise, the plainest first."""


def agreements(records: Iterable[BootRecord], made: Iterable[Verdict]) -> tuple[Agreement, ...]:
    """One for each benchmark and column that was judged on two boxes or more, and decided on one at least."""
    rows: dict[tuple[str, str, str], list[Verdict]] = {}
    for verdict in made:
        rows.setdefault((verdict.base.variant, verdict.new.variant, verdict.new.benchmark.name), []).append(verdict)
    several = {key: row for key, row in rows.items() if len(row) > 1 and any(_decided(one) for one in row)}
    facts = _facts(records) if several else {}
    return tuple(_agreement(*key, row, facts) for key, row in several.items())


def _decided(verdict: Verdict) -> bool:
    return verdict.answer is not Answer.UNDECIDED


def _agreement(base: str, new: str, benchmark: str, row: Sequence[Verdict], facts: dict[str, dict[str, str]]) -> Agreement:
    """The answer of most boxes that have one; of as many the first."""
    answer = Counter(one.answer for one in row if _decided(one)).most_common(1)[0][0]
    agreed = [one.new.box for one in row if one.answer is answer]
    dissents = (
        Dissent(one.new.box.name, one.answer, tuple(_apart(one.new.box, agreed, facts))) for one in row if one.answer is not answer
    )
    return Agreement(
        base=base, new=new, benchmark=benchmark, answer=answer, boxes=tuple(box.name for box in agreed), dissents=tuple(dissents)
    )


def _apart(box: BoxSpec, others: Sequence[BoxSpec], facts: dict[str, dict[str, str]]) -> Iterator[str]:
    """What `box` has and none of `others` has."""
    if box.cpus not in {other.cpus for other in others}:
        yield f"{box.cpus} CPU{'' if box.cpus == 1 else 's'}"
    for fact in FACTS:
        own = facts.get(box.name, {}).get(fact, "")
        if own and own not in {facts.get(other.name, {}).get(fact, "") for other in others}:
            yield f"{fact} {own}" if fact != "processor" else own


def _facts(records: Iterable[BootRecord]) -> dict[str, dict[str, str]]:
    """Of each box, by its first visit of which anything is recorded."""
    found: dict[str, dict[str, str]] = {}
    for record in records:
        if record.boot.environment:
            found.setdefault(record.box, dict(record.boot.environment))
    return found
