"""What the verdicts say together, as a person would look at them: whose slowdown is gone, what is equivalent, what is unknown."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

import msgspec

from kdelta.model.finding import Finding, Names, Pattern, Recovery, cost, missing, names
from kdelta.model.verdict import Agreement, Answer, Axis, Judgement, Mean, Verdict

AS_GOOD = (Answer.EQUIVALENT, Answer.FASTER)
SAID_TOGETHER = (Pattern.EQUIVALENT, Pattern.UNMEASURED)
BECAME: dict[Answer | None, str] = {Answer.FASTER: "less", Answer.SLOWER: "worse"}
"""Answer of the later column against the slow one -> what became of the slowdown, where it is not gone."""
OPPOSITE = {Answer.FASTER: Answer.SLOWER, Answer.SLOWER: Answer.FASTER}


@dataclass(frozen=True)
class _Group:
    """The contrasts of one new side with one base on one box, by row, and their geometric mean."""

    base: str
    new: str
    rows: dict[str, Verdict]
    mean: Mean | None

    @property
    def verdicts(self) -> tuple[Verdict, ...]:
        return tuple(self.rows.values())

    def answered(self, answer: Answer) -> dict[str, Verdict]:
        return {row: verdict for row, verdict in self.rows.items() if verdict.answer is answer}


# The first whose condition holds.
SUMMARIES: tuple[tuple[Pattern, Callable[[Sequence[Verdict]], bool]], ...] = (
    (Pattern.UNMEASURED, lambda found: all(missing(one) for one in found)),
    (Pattern.EQUIVALENT, lambda found: all(one.answer is Answer.EQUIVALENT for one in found)),
    (Pattern.UNDECIDED, lambda found: all(one.answer is Answer.UNDECIDED for one in found)),
    (Pattern.MIXED, lambda found: True),
)
STORIES: tuple[tuple[Pattern, Callable[[Recovery], bool]], ...] = (
    (Pattern.GONE, lambda found: not (found.less or found.worse or found.left)),
    (Pattern.MOSTLY_GONE, lambda found: not (found.worse or found.left) and all(_halved(*pair) for pair in found.less)),
    (Pattern.PARTLY_GONE, lambda found: len(found.gone) + len(found.less) > len(found.worse) + len(found.left)),
)


def findings(judgement: Judgement, pairs: Judgement | None = None) -> tuple[Finding, ...]:
    """Box by box: first what became of a slowdown, then which columns are alike among themselves (both of the columns only, the
    latter from `pairs`), then each new side against its base; and last what holds on several boxes.

    Nothing is said of a side that has no verdict, whatever the means and agreements are of.
    """
    if not judgement.verdicts:
        return (Finding(pattern=Pattern.UNMEASURED, axis=judgement.axis, margin=judgement.margin),)
    boxes = dict.fromkeys(verdict.new.box.name for verdict in judgement.verdicts)
    return (*(found for box in boxes for found in _of_box(judgement, pairs, box)), *_across(judgement))


def _of_box(judgement: Judgement, pairs: Judgement | None, box: str) -> Iterator[Finding]:
    groups = _groups(judgement, box)
    among = _groups(pairs, box) if pairs else []
    summaries = list(_summaries(judgement, groups))
    if judgement.axis is Axis.COLUMNS:
        recoveries = list(_recoveries(judgement, groups, among))
        yield from recoveries
        yield from _pairs(pairs, among, [*recoveries, *summaries]) if pairs else ()
    yield from summaries


def _groups(judgement: Judgement, box: str) -> list[_Group]:
    found: dict[tuple[str, str], dict[str, Verdict]] = {}
    for verdict in judgement.verdicts:
        if verdict.new.box.name == box:
            called = names(judgement.axis, verdict)
            found.setdefault((called.base, called.new), {})[called.row] = verdict
    means = {(mean.base, mean.new): mean for mean in judgement.means if mean.box.name == box}
    return [_Group(base, new, rows, means.get((base, new))) for (base, new), rows in found.items()]


def _finding(pattern: Pattern, judgement: Judgement, group: _Group, recovery: Recovery | None = None) -> Finding:
    return Finding(
        pattern=pattern,
        axis=judgement.axis,
        margin=judgement.margin,
        box=group.verdicts[0].new.box,
        base=group.base,
        news=(group.new,),
        verdicts=group.verdicts,
        mean=group.mean,
        recovery=recovery,
    )


# ---- each side against its base ----


def _summaries(judgement: Judgement, groups: Iterable[_Group]) -> Iterator[Finding]:
    """Those of which nothing but the name differs are one."""
    alike: dict[object, list[Finding]] = {}
    for group in groups:
        pattern = next(pattern for pattern, holds in SUMMARIES if holds(group.verdicts))
        key = (pattern, tuple(group.rows)) if pattern in SAID_TOGETHER else group.new
        alike.setdefault((group.base, key), []).append(_finding(pattern, judgement, group))
    return (_merged(found) for found in alike.values())


def _merged(found: Sequence[Finding]) -> Finding:
    return msgspec.structs.replace(
        found[0],
        news=tuple(name for one in found for name in one.news),
        verdicts=tuple(verdict for one in found for verdict in one.verdicts),
        mean=found[0].mean if len(found) == 1 else None,
    )


# ---- what became of a slowdown ----


def _recoveries(judgement: Judgement, groups: Sequence[_Group], among: Sequence[_Group]) -> Iterator[Finding]:
    """Of the first column that is slower, in each later one."""
    place = next((place for place, group in enumerate(groups) if group.answered(Answer.SLOWER)), len(groups))
    for later in groups[place + 1 :]:
        recovery = _recovery(groups[place], later, among)
        pattern = next((pattern for pattern, holds in STORIES if recovery and holds(recovery)), None)
        if pattern:
            yield _finding(pattern, judgement, later, recovery)


def _recovery(slow: _Group, later: _Group, among: Sequence[_Group]) -> Recovery | None:
    """None where `later` has another base, or no verdict on something on which `slow` is slower."""
    had = slow.answered(Answer.SLOWER)
    if later.base != slow.base or not had.keys() <= later.rows.keys():
        return None
    became: dict[str, list[str]] = {"gone": [], "less": [], "worse": [], "left": []}
    for row in had:
        good = later.rows[row].answer in AS_GOOD
        became["gone" if good else BECAME.get(_answer(among, slow.new, later.new, row), "left")].append(row)
    return Recovery(
        of=slow.new,
        gone=tuple(later.rows[row] for row in became["gone"]),
        less=tuple((had[row], later.rows[row]) for row in became["less"]),
        worse=tuple((had[row], later.rows[row]) for row in became["worse"]),
        left=tuple(later.rows[row] for row in became["left"]),
        elsewhere=tuple(verdict for row, verdict in later.answered(Answer.SLOWER).items() if row not in had),
    )


def _answer(among: Iterable[_Group], base: str, new: str, row: str) -> Answer | None:
    """That of `new` against `base`, whichever way round they were compared."""
    for group in among:
        verdict = group.rows.get(row)
        if verdict and (group.base, group.new) == (base, new):
            return verdict.answer
        if verdict and (group.base, group.new) == (new, base):
            return OPPOSITE.get(verdict.answer, verdict.answer)
    return None


def _halved(had: Verdict, now: Verdict) -> bool:
    """Whether at most half is left, on the scale of logarithms, even where least was lost at first and most is now."""
    if had.ratio is None or now.ratio is None:
        return False
    better = had.new.benchmark.metric.better
    left = cost(now.ratio, better).high
    return left * left <= cost(had.ratio, better).low


# ---- columns among themselves ----


def _pairs(pairs: Judgement, among: Iterable[_Group], said: Sequence[Finding]) -> Iterator[Finding]:
    """Pairs of which nothing was said yet: without the base, and without a column whose slowdown was looked for in others. What is
    equivalent to the base alike needs no sentence more.
    """
    told = {finding.base for finding in said} | {finding.recovery.of for finding in said if finding.recovery}
    alike = [set(finding.news) for finding in said if finding.pattern is Pattern.EQUIVALENT]
    for group in among:
        sides = {group.base, group.new}
        if told & sides or any(sides <= news for news in alike):
            continue
        if all(verdict.answer is Answer.EQUIVALENT for verdict in group.verdicts):
            yield _finding(Pattern.EQUIVALENT, pairs, group)
        elif group.mean and group.mean.answer in OPPOSITE:
            yield _finding(Pattern.NET, pairs, group)


# ---- over boxes ----


def _across(judgement: Judgement) -> Iterator[Finding]:
    """What was decided alike on several boxes, and what contradicts itself, by the sides that it is of."""
    known = {names(Axis.COLUMNS, verdict) for verdict in judgement.verdicts}
    found: dict[tuple[str, str], list[Agreement]] = {}
    for agreement in judgement.agreements:
        if Names(agreement.base, agreement.new, agreement.benchmark) in known and _notable(agreement):
            found.setdefault((agreement.base, agreement.new), []).append(agreement)
    for (base, new), agreements in found.items():
        yield Finding(
            pattern=Pattern.ACROSS,
            axis=judgement.axis,
            margin=judgement.margin,
            base=base,
            news=(new,),
            agreements=tuple(agreements),
        )


def _notable(agreement: Agreement) -> bool:
    alike = agreement.answer is not Answer.UNDECIDED and len(agreement.boxes) > 1
    return alike or {agreement.answer, *(dissent.answer for dissent in agreement.dissents)} >= OPPOSITE.keys()
