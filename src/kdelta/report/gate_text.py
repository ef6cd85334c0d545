"""What a gate says at the end of a report."""

from __future__ import annotations

from collections.abc import Iterator

from kdelta.model.gate import Gate, Standing
from kdelta.model.verdict import Judgement
from kdelta.report.junit import sentence
from kdelta.report.text import WIDTH, counted, wrapped

LISTED = {Standing.BREACH: "breach", Standing.MISSING: "no value", Standing.UNDECIDED: "not decided"}
"""What a reader must see, each with the word before it."""


def render(judgement: Judgement, gate: Gate, width: int = WIDTH) -> str:
    """How the gate ended, and on its own line what it let through and what it could not see."""
    return "\n".join(wrapped(line, "    ", width=width) for line in _lines(judgement, gate)) + "\n"


def _lines(judgement: Judgement, gate: Gate) -> Iterator[str]:
    breaches = len(gate.breaches)
    ended = f"failed: {counted(breaches, 'breach') if breaches == 1 else f'{breaches} breaches'}" if breaches else "passed"
    others = [f"{len(gate.those(one))} {one.value}" for one in Standing if one is not Standing.BREACH and gate.those(one)]
    yield f"Gate {ended}{'; ' if others else ''}{', '.join(others)}."
    for standing, word in LISTED.items():
        yield from (f"  {word}: {sentence(judgement, checked)}" for checked in gate.those(standing))
    yield from (f"  threshold for {name}, of which nothing was compared: it guards nothing" for name in gate.unused)
