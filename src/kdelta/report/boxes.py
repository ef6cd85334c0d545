"""What the numbers of a kind of box mean, and what they depend on."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from kdelta.model.plan import LOCAL, BoxSpec, Plan, Repeat, Rule
from kdelta.model.record import BootRecord
from kdelta.report.text import WIDTH, counted, wrapped

EXACT_NOTE = (
    "Exact: instructions executed under QEMU {qemu}, not time. Caches, memory latency"
    " and parallelism are outside it; a string instruction counts once per iteration."
    " The seeds stand for layout luck."
)
EXACT_WIDTH = 80
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


def boxes(plan: Plan, records: Sequence[BootRecord], width: int = WIDTH) -> Iterator[str]:
    """A note for each kind of box in `plan`."""
    qemu = versions(records)
    if qemu:
        yield wrapped(EXACT_NOTE.format(qemu=qemu), "", width=min(width, EXACT_WIDTH))
    for box in plan.boxes:
        if box.kind == LOCAL:
            told = _machine(box, plan.rule, records)
            yield from (wrapped(one, width=width) for one in told)


def _machine(box: BoxSpec, rule: Rule, records: Sequence[BootRecord]) -> Iterator[str]:
    yield LOCAL_NOTE
    found = facts(box, records)
    if found:
        yield f"Machine: {found}."
    yield f"Rule: {repetition(rule)}{quieted(box)}."


def quieted(box: BoxSpec) -> str:
    """What was quieted on `box`, empty where nothing was."""
    quiet = f"; quieted: {', '.join(box.quiet)}" if box.quiet else ""
    drops = "; clean pages are dropped before each visit" if box.drop_caches else ""
    return f"{quiet}{drops}"


def facts(box: BoxSpec, records: Sequence[BootRecord]) -> str:
    """What is recorded of the machine, empty where nothing is."""
    own = [record for record in records if record.box == box.name]
    found = ((word, _values(own, fact)) for fact, word in FACTS.items())
    return "; ".join(f"{word}{' or '.join(values)}" for word, values in found if values)


def versions(records: Sequence[BootRecord]) -> str:
    """QEMU's, empty where none is recorded."""
    return " and ".join(sorted({value.split()[0] for value in _values(records, "qemu")}))


def _values(records: Sequence[BootRecord], fact: str) -> list[str]:
    """The different ones, empty where none is recorded."""
    return sorted({record.boot.environment[fact] for record in records if record.boot.environment.get(fact)})


def repetition(rule: Rule) -> str:
    """How often a benchmark runs in a visit."""
    limit = "" if rule.limit_seconds is None else f", in at most {rule.limit_seconds:g} s"
    if rule.repeat is Repeat.FIXED:
        return f"{counted(rule.results, 'result')} in a visit{limit}"
    return f"until {rule.results} results in a row lie within {rule.spread:.2%}, at most {rule.most} in a visit{limit}"
