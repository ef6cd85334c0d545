"""How a run is going: on a terminal a few moving lines, elsewhere nothing."""

from __future__ import annotations

import threading
import time
from types import TracebackType

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TaskID, TextColumn, TimeElapsedColumn

from kdelta.model.boot import Boot, Outcome
from kdelta.model.plan import Slot


class RunProgress:
    """An Observer of run.execute, as a context: one line per boot under way, one for the whole."""

    def __init__(self, total: int, jobs: int) -> None:
        console = Console(stderr=True)
        columns = (TextColumn("{task.description}"), BarColumn(20), MofNCompleteColumn(), TimeElapsedColumn())
        self._progress = Progress(*columns, TextColumn("{task.fields[left]}"), console=console, disable=not console.is_terminal)
        self._whole = self._progress.add_task("boots", total=total, left="")
        self._jobs = jobs
        self._lock = threading.Lock()
        self._lines: dict[int, TaskID] = {}
        self._started = time.monotonic()

    def __enter__(self) -> RunProgress:
        self._progress.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None) -> None:
        self._progress.stop()

    def started(self, slot: Slot) -> None:
        with self._lock:
            self._lines[slot.position] = self._progress.add_task(_name(slot), total=len(slot.benchmarks), left="booting")

    def said(self, slot: Slot, words: str) -> None:
        with self._lock:
            if slot.position in self._lines:
                self._progress.update(self._lines[slot.position], left=words, advance=0 if words == "settling" else 1)

    def ended(self, slot: Slot, boot: Boot) -> None:
        with self._lock:
            self._progress.remove_task(self._lines.pop(slot.position))
            if boot.outcome is not Outcome.DONE:
                self._progress.console.print(f"{_name(slot)}: {boot.outcome.value}: {boot.reason}", markup=False, highlight=False)
            self._progress.update(self._whole, advance=1, left=self._time_left())

    def _time_left(self) -> str:
        whole = self._progress.tasks[0]
        left = (whole.total or 0) - (whole.completed + 1)
        each = (time.monotonic() - self._started) / (whole.completed + 1)
        return f"about {left * each:.0f} s left" if left > 0 else ""


def _name(slot: Slot) -> str:
    return f"{slot.variant} seed {slot.seed}"
