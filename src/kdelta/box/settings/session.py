"""A run's hold on this machine: locked, and given back as it was found."""

from __future__ import annotations

import contextlib
import os
import secrets
import threading
from collections.abc import Iterable, Iterator
from pathlib import Path
from types import TracebackType

from kdelta.box.settings import change, doing, journal, lock, process, quiet, recovery, signals
from kdelta.box.settings.doing import Failure
from kdelta.box.settings.entry import Folder, ProcessGroup
from kdelta.box.settings.errors import NotRestoredError, RefusedError, refused
from kdelta.box.settings.host import Host
from kdelta.box.settings.recovery import Repaired
from kdelta.box.settings.work import Visit, Work
from kdelta.kernel import cache
from kdelta.model.errors import MisuseError
from kdelta.model.plan import BoxSpec
from kdelta.model.variant import Variant


class Session:
    """A context: entering takes the machine's lock and repairs what is left of earlier sessions, leaving puts everything back.

    Each visit has a folder of its own in `folder`. Enter and leave it in the main thread; visits may be in any.
    """

    def __init__(self, folder: Path | None = None, host: Host | None = None) -> None:
        self._folder = folder
        self._host = host or Host()
        self._one_visit = threading.RLock()
        self._visit: Visit | None = None
        self._failed: list[Failure] = []
        self.repaired: list[Repaired] = []
        """What earlier sessions had left, and is put back now."""

    def __enter__(self) -> Session:
        """Raises MisuseError where another kdelta is measuring, or an earlier one left what cannot be put back."""
        with contextlib.ExitStack() as stack:
            stack.enter_context(lock.held(self._host.lock))
            self.repaired = recovery.left_over(self._host)
            for left in self.repaired:
                if left.failed:
                    advice = (
                        f"put it back by hand, then remove {left.journal}" if Path(left.journal).exists() else "see to it by hand"
                    )
                    raise MisuseError(f"an earlier kdelta left this machine changed: {'; '.join(left.failed)}", advice)
            self._journal = journal.create(self._host)
            self._work = Work(self._host, self._journal.note)
            self._stack = stack.pop_all()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        with self._one_visit, signals.deferred(), self._stack:
            failed = doing.undo(self._host, self._journal)
            if self._journal.pending():
                self._journal.close()
            else:
                self._journal.remove()
            if failed:
                raise _not_restored(failed, self._journal.path)

    def quiet(self, spec: BoxSpec) -> None:
        """Quiet what `spec` names, until the session ends. Raises MisuseError for what cannot be."""
        nowhere = Visit(Path("/"), Path("/"), {})
        with _misuse(f"box '{spec.name}'"):
            doing.make(self._work, quiet.changes(self._host, spec.quiet), nowhere)

    def rehearse(self, variants: Iterable[Variant], *, drop_caches: bool = False) -> None:
        """Make and undo the settings of each variant once. Raises MisuseError for the first that this machine does not take."""
        for variant in variants:
            with _misuse(f"variant '{variant.name}'"), self.visit(variant, drop_caches=drop_caches):
                pass

    @contextlib.contextmanager
    def visit(self, variant: Variant, *, drop_caches: bool = False) -> Iterator[Visit]:
        """The machine as `variant` wants it. Raises RefusedError where it cannot be so, or `teardown` fails, and
        NotRestoredError where it cannot be put back: then nothing more can be measured."""
        with self._one_visit:
            if self._failed:
                raise _not_restored(self._failed, self._journal.path)
            mark = self._journal.mark()
            try:
                self._visit = visit = self._made(variant, drop_caches)
                yield visit
            except BaseException as error:
                for one, reason in self._undone(mark):
                    error.add_note(f"and could not be undone: {one}: {reason}")
                raise
            failed = self._undone(mark)
            if self._failed:
                raise _not_restored(self._failed, self._journal.path)
            if failed:
                raise RefusedError(str(failed[0][1]), "run it by hand")

    def record(self, group: int) -> None:
        """Note the process group `group`, started in this visit: whatever of it is left when the visit ends is ended.

        Those noted before that have ended are forgotten. Nothing is synced: disks are left alone while a program runs, and
        processes do not outlive the machine.
        """
        leader = process.look(self._host, group)
        if leader is None or self._visit is None:
            return
        while isinstance(last := self._journal.noted[-1].entry, ProcessGroup) and process.is_empty(last.group):
            self._journal.cut(self._journal.mark() - 1)
        self._journal.note(ProcessGroup(group, leader.start, str(self._visit.home)), sync=False)

    def _made(self, variant: Variant, drop_caches: bool) -> Visit:
        base = self._folder or cache.folder("visits")
        home = base.resolve() / f"{os.getpid()}-{secrets.token_hex(4)}"
        changes = change.changes(variant, drop_caches=drop_caches)
        self._journal.note(Folder(str(home)))
        with refused("visit", f"the folder {home} cannot be made", "make room, or set XDG_CACHE_HOME"):
            home.mkdir()
        visit = Visit(home, home, {process.MARK: str(home), "TMPDIR": str(home)})
        return doing.make(self._work, changes, visit)

    def _undone(self, mark: int) -> list[Failure]:
        with signals.deferred():
            self._visit = None
            failed = doing.undo(self._host, self._journal, mark)
            if self._journal.pending(mark):
                self._failed = failed
            return failed


@contextlib.contextmanager
def _misuse(whose: str) -> Iterator[None]:
    """Before anything is measured a refusal is a mistake of the plan."""
    try:
        yield
    except RefusedError as error:
        raise MisuseError(f"{whose}: {error}", error.advice) from error


def _not_restored(failed: list[Failure], path: Path) -> NotRestoredError:
    said = "; ".join(f"{one}: {error}" for one, error in failed)
    return NotRestoredError(
        f"this machine is not as it was: {said}", f"the next run tries again; or put it back by hand, and remove {path}"
    )
