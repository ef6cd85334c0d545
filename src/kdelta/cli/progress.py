"""How a run is going: on a terminal a few moving lines, elsewhere nothing."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Sequence
from types import TracebackType

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TaskID, TextColumn, TimeElapsedColumn

from kdelta.cli.terminal import is_coloured, is_live
from kdelta.model.boot import Boot, Outcome
from kdelta.model.plan import Slot
from kdelta.report.presentable import escaped

REFRESHES_PER_SECOND = 2.0
"""Drawing takes time from a machine that is measured."""


class RunProgress:
    """An Observer of run.execute, as a context: one line per boot under way, one for the whole."""

    def __init__(self, slots: Sequence[Slot], jobs: int) -> None:
        live = is_live(sys.stderr)
        # Without being told, rich asks FORCE_COLOR, too, which programs that keep a log set.
        console = Console(stderr=True, force_terminal=live, no_color=not is_coloured(sys.stderr))
        columns = (TextColumn("{task.description}", markup=False), BarColumn(20), MofNCompleteColumn(), TimeElapsedColumn())
        self._progress = Progress(
            *columns,
            TextColumn("{task.fields[left]}", markup=False),
            console=console,
            disable=not live,
            refresh_per_second=REFRESHES_PER_SECOND,
        )
        self._steps = sum(len(slot.benchmarks) for slot in slots)
        self._whole = self._progress.add_task("boots", total=len(slots), left="")
        self._jobs = jobs
        self._lock = threading.Lock()
        self._lines: dict[int, TaskID] = {}
        self._under_way: dict[int, int] = {}
        self._ended = 0
        self._started = time.monotonic()

    def __enter__(self) -> RunProgress:
        self._progress.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None) -> None:
        self._progress.stop()

    def note(self, line: str) -> None:
        """A line that stays, on a terminal or not."""
        self._progress.console.print(escaped(line), markup=False, highlight=False, soft_wrap=True)

    def started(self, slot: Slot) -> None:
        with self._lock:
            self._under_way[slot.position] = 0
            self._lines[slot.position] = self._progress.add_task(_name(slot), total=len(slot.benchmarks), left="starting")

    def said(self, slot: Slot, words: str) -> None:
        """`words` begin with the name of the benchmark that they are about, if with any."""
        with self._lock:
            if slot.position in self._lines:
                self._under_way[slot.position] = _place(slot, words, self._under_way[slot.position])
                self._progress.update(self._lines[slot.position], left=escaped(words), completed=self._under_way[slot.position])
                self._progress.update(self._whole, left=self._time_left())

    def ended(self, slot: Slot, boot: Boot) -> None:
        with self._lock:
            self._progress.remove_task(self._lines.pop(slot.position))
            self._ended += len(slot.benchmarks)
            del self._under_way[slot.position]
            if boot.outcome is not Outcome.DONE:
                self.note(f"{_name(slot)}: {boot.outcome.value}: {boot.reason}")
            self._progress.update(self._whole, advance=1, left=self._time_left())

    def _time_left(self) -> str:
        """By the benchmarks that have ended, each taken for as long as the others."""
        done = self._ended + sum(self._under_way.values())
        each = (time.monotonic() - self._started) / done if done else 0.0
        return f"about {_duration(each * (self._steps - done))} left" if done and done < self._steps else ""


def _place(slot: Slot, words: str, before: int) -> int:
    """How many benchmarks of `slot` ended before the one that `words` are about."""
    named = (place for place, benchmark in enumerate(slot.benchmarks) if words.startswith(benchmark.name))
    longest = max(named, key=lambda place: len(slot.benchmarks[place].name), default=before)
    return max(before, longest)


def _duration(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours} h {minutes} min" if hours else f"{minutes} min {rest} s" if minutes else f"{rest} s"


def _name(slot: Slot) -> str:
    return escaped(f"{slot.variant} round {slot.seed}")
