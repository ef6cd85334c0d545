"""What a plan would do: what it measures in which order, what that takes, and what change it could see."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby

from kdelta.model.noise import Cost, Floor, Sight
from kdelta.model.plan import EXACT, LOCAL, BoxSpec, Plan, Repeat, Slot
from kdelta.model.words import WORDS
from kdelta.report.noise_text import grid, percent
from kdelta.report.settings import settings
from kdelta.report.text import WIDTH, counted, folded, wrapped

SHOWN = 3
"""Rounds whose order is printed."""
LEAST = 3
"""Rounds before which nothing is decided."""
NO_HISTORY = "no history: measure the noise with `kdelta run --aa`"
NO_TIME = "how long is not known: no earlier run measured these benchmarks by this rule on such a machine"
TITLES = ("boot sd", "df", "from")
SOURCES = {True: "A/A: baselines against themselves", False: "runs: what rounds and columns leave of other runs' values"}
PERCENT = 80
"""The probability with which a change is seen."""


def render(plan: Plan, slots: Iterable[Slot], cost: Cost, sights: Sequence[Sight], width: int = WIDTH) -> str:
    """`slots` are those of the whole plan, in order."""
    parts = [_what(plan, width), _order(plan, slots, width), [wrapped(_cost(plan, cost), width=width)], *_seen(plan, sights, width)]
    return "\n".join("\n".join(lines) + "\n" for lines in parts)


def share(value: float) -> str:
    """1 %, 0.5 %."""
    return f"{100.0 * value:.3g} %"


def duration(seconds: float) -> str:
    """To the minute from two minutes on."""
    minutes = round(seconds / 60.0)
    if seconds < 119.5:
        return f"{seconds:.0f} s"
    return f"{minutes} min" if minutes < 60 else f"{minutes // 60} h {minutes % 60} min"


# ---- what ----


def _what(plan: Plan, width: int) -> list[str]:
    columns = (f"  {one.name}: {' '.join([one.kernel, *settings(one)])}" for one in plan.variants)
    boxes = "; ".join(f"{box.name} ({_box(box)})" for box in plan.boxes)
    benchmarks = ", ".join(benchmark.name for benchmark in plan.benchmarks)
    against = f" {plan.baseline} against itself," if plan.twin else ""
    first = f"Would measure{against} {_rule(plan)}."
    indented = [folded(one, width=width) for one in columns]
    return [
        wrapped(first, width=width),
        *indented,
        *(wrapped(one, width=width) for one in (f"Boxes: {boxes}.", f"Benchmarks: {benchmarks}.")),
    ]


def _box(box: BoxSpec) -> str:
    if box.kind == EXACT:
        return f"exact lab, {counted(box.cpus, 'CPU')}, {box.memory} MiB"
    quiet = f", quieted: {', '.join(box.quiet)}" if box.quiet else ""
    return f"this machine, {counted(box.cpus, 'CPU')}{quiet}{', clean pages dropped' if box.drop_caches else ''}"


def _rule(plan: Plan) -> str:
    rounds = (
        f"until decided: {LEAST} to {plan.seeds} rounds, margin {share(plan.margin)}, {share(plan.alpha)} false alarms"
        if plan.sequential
        else f"in {counted(plan.seeds, 'round')}"
    )
    return f"{rounds}{_visit(plan)}"


def _visit(plan: Plan) -> str:
    """How often a benchmark runs in a visit; in the exact lab that is fixed."""
    rule = plan.rule
    if not any(box.kind == LOCAL for box in plan.boxes):
        return ""
    limit = "" if rule.limit_seconds is None else f", in at most {rule.limit_seconds:g} s"
    if rule.repeat is Repeat.FIXED:
        return f"; {counted(rule.results, 'result')} of each benchmark in a visit{limit}"
    return f"; each benchmark until {rule.results} results in a row lie within {share(rule.spread)}, at most {rule.most}{limit}"


# ---- in which order ----


def _order(plan: Plan, slots: Iterable[Slot], width: int) -> list[str]:
    rounds = groupby((slot for slot in slots if not slot.profiled), key=lambda slot: slot.seed)
    shown = [wrapped(_round(plan, seed, list(of)), "    ", width=width) for seed, of in rounds if seed < plan.first_seed + SHOWN]
    if plan.seeds > SHOWN:
        rest = f"  and so on to round {plan.seeds}, each drawn anew{_leaving(plan)}; --json shows all."
        shown.append(wrapped(rest, "    ", width=width))
    if plan.profiles:
        shown.append(f"  then {counted(plan.profiles, 'visit')} of each column in which profiles are taken")
    return ["Order:", *shown]


def _round(plan: Plan, seed: int, slots: Sequence[Slot]) -> str:
    number = seed - plan.first_seed + 1
    boxes = [
        f"{'' if len(plan.boxes) == 1 else f'on {box}: '}{', '.join(slot.variant for slot in of)}"
        for box, of in groupby(slots, key=lambda slot: slot.box)
    ]
    benchmarks = ", ".join(benchmark.name for benchmark in slots[0].benchmarks)
    named = "" if number == seed else f" (seed {seed})"
    return f"  round {number}{named}: {'; '.join(boxes)}; each with {benchmarks}"


def _leaving(plan: Plan) -> str:
    return "; what is decided is measured no more, the first column as long as any other" if plan.sequential else ""


# ---- what it takes ----


def _cost(plan: Plan, cost: Cost) -> str:
    words = next(words for kind, words in WORDS.items() if kind in {box.kind for box in plan.boxes})
    several = cost.most > cost.least
    amounts = [_amount(words.units(cost.least) + " at least" * several, cost.least_seconds)]
    amounts += [_amount(f"{cost.most} at most", cost.most_seconds)] if several else []
    known = NO_TIME if cost.least_seconds is None else f"from {_runs(cost.runs)}"
    budget = "" if plan.budget_seconds is None else f" No round begins after {duration(plan.budget_seconds)}."
    return f"Cost: {'; '.join([*amounts, known])}.{budget}"


def _amount(boots: str, seconds: float | None) -> str:
    return boots if seconds is None else f"{boots}, {duration(seconds)}"


def _runs(runs: Sequence[int]) -> str:
    return f"run{'' if len(runs) == 1 else 's'} {', '.join(map(str, runs))}"


# ---- what it sees ----


def _seen(plan: Plan, sights: Sequence[Sight], width: int) -> Iterator[list[str]]:
    if not sights:
        yield ["One column: there is nothing to compare it with."]
    for name, of in groupby(sights, key=lambda sight: sight.box):
        found, box = list(of), f"{plan.box(name).cpus}-way {name} box"
        if any(sight.floor for sight in found):
            title = f"{box}, what is seen with a probability of {PERCENT} %:"
            notes = (wrapped(f"  {note}", "    ", width=width) for note in _notes(plan, found))
            yield [title, "=" * len(title), *_table(plan, found), *notes]
        else:
            yield [f"{box}: {NO_HISTORY}"]


def _table(plan: Plan, sights: Sequence[Sight]) -> Iterator[str]:
    """Of those whose noise is known."""
    known = [(sight, sight.floor) for sight in sights if sight.floor]
    after = [f"after {count}" for count, _ in known[0][0].visible]
    titles = [*TITLES, *after, f"for {100.0 * plan.margin:.3g}%", "for less", ""]
    return grid("", titles, [(sight.benchmark, _cells(sight, floor)) for sight, floor in known])


def _cells(sight: Sight, floor: Floor) -> list[str]:
    source = "A/A" if floor.against_itself else "runs"
    visible = [percent(change) for _, change in sight.visible]
    rounds = [">1000" if count is None else str(count) for count in (sight.for_margin, sight.for_equivalence)]
    return [percent(floor.sd), f"{floor.df:.0f}", source, *visible, *rounds, "*" if sight.beyond else ""]


def _notes(plan: Plan, sights: Sequence[Sight]) -> Iterator[str]:
    """What the table means, and what it leaves out."""
    margin, unknown = share(plan.margin), ", ".join(sight.benchmark for sight in sights if not sight.floor)
    if plan.seeds >= LEAST:
        yield "after: the least change that is seen after so many rounds"
    yield f"for: rounds that show a change of {margin}, or where nothing changed that it is less"
    for itself, words in SOURCES.items():
        runs = sorted({run for sight in sights if sight.floor and sight.floor.against_itself is itself for run in sight.floor.runs})
        if runs:
            yield f"{words}, {_runs(runs)}"
    if unknown:
        yield f"{unknown}: {NO_HISTORY}"
    if plan.seeds < LEAST:
        yield f"nothing is decided before round {LEAST}"
    if any(sight.beyond for sight in sights):
        yield f"*: a change of about {margin}, or none, may stay undecided in {counted(plan.seeds, 'round')}"
