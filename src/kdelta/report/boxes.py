"""What the numbers of a kind of box mean, and what they depend on."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from kdelta.model.plan import LOCAL, BoxSpec, Plan, Repeat, Rule
from kdelta.model.record import BootRecord
from kdelta.report.text import counted, wrapped

EXACT_NOTE = (
    "Exact: instructions executed under QEMU {qemu}, not time. Caches, memory latency\n"
    "and parallelism are outside it; a string instruction counts once per iteration.\n"
    "The seeds stand for layout luck."
)
LOCAL_NOTE = "Local: time on this machine. Visits of one bootup share its luck of layout, and say nothing about that of another."

# Facts of a visit's environment, with the word before each.
FACTS = {
    "processor": "",
    "topology": "",
    "online CPUs": "CPUs online ",
    "memory": "",
    "kernel release": "kernel ",
    "governor": "governor ",
    "turbo": "turbo ",
    "clocksource": "clocksource ",
    "hypervisor": "hypervisor ",
    "container": "container ",
}


def boxes(plan: Plan, records: Sequence[BootRecord]) -> Iterator[str]:
    """A note for each kind of box in `plan`."""
    versions = sorted({value.split()[0] for value in _values(records, "qemu")})
    if versions:
        yield EXACT_NOTE.format(qemu=" and ".join(versions))
    for box in plan.boxes:
        if box.kind == LOCAL:
            yield from map(wrapped, _machine(box, plan.rule, [record for record in records if record.box == box.name]))


def _machine(box: BoxSpec, rule: Rule, records: Sequence[BootRecord]) -> Iterator[str]:
    yield LOCAL_NOTE
    found = ((word, _values(records, fact)) for fact, word in FACTS.items())
    facts = [f"{word}{' or '.join(values)}" for word, values in found if values]
    if facts:
        yield f"Machine: {'; '.join(facts)}."
    quiet = f"; quieted: {', '.join(box.quiet)}" if box.quiet else ""
    drops = "; clean pages are dropped before each visit" if box.drop_caches else ""
    yield f"Rule: {_rule(rule)}{quiet}{drops}."


def _values(records: Sequence[BootRecord], fact: str) -> list[str]:
    """The different ones, empty where none is recorded."""
    return sorted({record.boot.environment[fact] for record in records if record.boot.environment.get(fact)})


def _rule(rule: Rule) -> str:
    limit = "" if rule.limit_seconds is None else f", in at most {rule.limit_seconds:g} s"
    if rule.repeat is Repeat.FIXED:
        return f"{counted(rule.results, 'result')} in a visit{limit}"
    return f"until {rule.results} results in a row lie within {rule.spread:.2%}, at most {rule.most} in a visit{limit}"
