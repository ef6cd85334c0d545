"""A visit that is cut off at any step, by a signal that can be handled or by one that cannot: all of it is put back."""

from __future__ import annotations

import os
import signal
import subprocess
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from tests.unit.fake_host import LOCK, NEEDS_ROOT, may_change
from tests.unit.real_host import VM, block_device, kept, look, says

from kdelta.box.settings import Host, NotRestoredError, RefusedError, Session, journal, program, repair
from kdelta.box.settings.entry import Entry
from kdelta.box.settings.journal import Journal, Noted
from kdelta.box.settings.program import LIMIT_SECONDS, Done
from kdelta.model.errors import MisuseError
from kdelta.model.variant import Mount, Variant

pytestmark = pytest.mark.skipif(not may_change(), reason=NEEDS_ROOT)
MOST_STEPS = 200


@dataclass
class Steps:
    """Counts steps, and calls `at_step` at the one with the number `wanted`, from 1."""

    wanted: int
    at_step: Callable[[], None]
    taken: int = 0
    repeats: int = 1
    seen: list[str] = field(default_factory=list)

    def step(self, what: str) -> None:
        self.taken += 1
        self.seen.append(what)
        if self.wanted <= self.taken < self.wanted + self.repeats:
            self.at_step()


@dataclass(frozen=True)
class SteppingHost(Host):
    """This machine; after each change of it there is a step. Before each there is one too: after the line in the journal."""

    steps: Steps = field(default_factory=lambda: Steps(0, lambda: None))

    def write(self, name: str, value: str) -> None:
        super().write(name, value)
        self.steps.step(f"wrote {name}")

    def make_folder(self, name: str) -> None:
        super().make_folder(name)
        self.steps.step(f"made {name}")

    def remove_folder(self, name: str) -> None:
        super().remove_folder(name)
        self.steps.step(f"removed {name}")


def stepping(steps: Steps) -> SteppingHost:
    def run(
        words: Sequence[str],
        *,
        folder: Path | None = None,
        environment: Mapping[str, str] | None = None,
        limit_seconds: float = LIMIT_SECONDS,
    ) -> Done:
        done = program.run(words, folder=folder, environment=environment, limit_seconds=limit_seconds)
        steps.step(f"ran {words[0]}")
        return done

    return SteppingHost(lock=LOCK, run=run, steps=steps)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    (tmp_path / "visits").mkdir()
    with kept():
        yield tmp_path / "visits"


def everything(folder: Path) -> Variant:
    """A variant with a setting of each kind that is undone in a way of its own."""
    v1 = Path("/sys/fs/cgroup/cpu/cpu.shares").exists()
    return Variant(
        name="a",
        kernel="running",
        sysctl={"vm.dirty_bytes": "50000000"},
        file={"/sys/kernel/mm/transparent_hugepage/defrag": "never"},
        cgroup={"cpu.shares": "512"} if v1 else {},
        mount=Mount(type="ext2", size_mib=1),
        setup=f"touch {folder.parent}/set-up; sleep 1000 &",
        teardown=f"touch {folder.parent}/torn-down",
    )


def visit(folder: Path, steps: Steps, variant: Variant | None = None) -> None:
    """A whole session, in which a process is left running."""
    note, note_undone = Journal.note, Journal.note_undone
    children = list[subprocess.Popen[bytes]]()

    def noted(self: Journal, entry: Entry, *, sync: bool = True) -> None:
        note(self, entry, sync=sync)
        steps.step(f"noted {entry}")

    def noted_undone(self: Journal, one: Noted) -> None:
        note_undone(self, one)
        steps.step(f"undone: {one.entry}")

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(Journal, "note", noted)
        patched.setattr(Journal, "note_undone", noted_undone)
        try:
            with Session(folder, stepping(steps)) as session, session.visit(variant or everything(folder)) as made:
                marked = {**os.environ, **made.environment}
                children.append(subprocess.Popen(["sleep", "1000"], start_new_session=True, env=marked))
                session.record(children[0].pid)
                steps.step("measuring")
        finally:
            for child in children:
                child.wait()


def killed_at(number: int, work: Callable[[Steps], object]) -> tuple[int, bool]:
    """The process that did `work` and was killed at its step `number`, and whether it had such a step."""
    pid = os.fork()
    if pid == 0:
        ended = signal.SIGUSR1
        try:
            work(Steps(number, lambda: os.kill(os.getpid(), signal.SIGKILL)))
            ended = signal.SIGTERM
        finally:
            os.kill(os.getpid(), ended)
    how = os.WTERMSIG(os.waitpid(pid, 0)[1])
    assert how in (signal.SIGKILL, signal.SIGTERM), "the work failed by itself"
    return pid, how == signal.SIGKILL


def journals() -> list[str]:
    return [path.name for path in journal.folder().iterdir()]


def test_whenever_a_visit_is_killed_a_repair_puts_everything_back(folder: Path) -> None:
    before = look(folder)
    for number in range(1, MOST_STEPS):
        for name in ("set-up", "torn-down"):
            (folder.parent / name).unlink(missing_ok=True)
        pid, was_killed = killed_at(number, lambda steps: visit(folder, steps))
        failed = [one.failed for one in repair(Host(lock=LOCK)) if one.failed]
        assert (failed, journals(), look(folder, pid)) == ([], [], before), f"killed at step {number}"
        assert (folder.parent / "torn-down").exists() or not (folder.parent / "set-up").exists(), f"killed at step {number}"
        if not was_killed:
            break
    assert number > 25


def test_whenever_a_visit_of_a_device_is_killed_a_repair_leaves_the_device_empty(folder: Path) -> None:
    with block_device(folder.parent / "disk") as device:
        variant = Variant(name="a", kernel="running", mount=Mount(type="ext2", device=device))
        for number in range(1, MOST_STEPS, 2):
            _, was_killed = killed_at(number, lambda steps: visit(folder, steps, variant))
            assert [one.failed for one in repair(Host(lock=LOCK)) if one.failed] == []
            with open(device, "rb") as opened:
                assert not any(opened.read(1 << 20)), f"killed at step {number}"
            if not was_killed:
                break
    assert number > 10


def test_whenever_a_visit_is_interrupted_it_puts_everything_back_itself(folder: Path) -> None:
    before = look(folder)
    for number in range(1, MOST_STEPS, 3):
        steps = Steps(number, lambda: signal.raise_signal(signal.SIGINT), repeats=2)
        try:
            visit(folder, steps)
        except KeyboardInterrupt:
            assert (journals(), look(folder)) == ([], before), f"interrupted at step {number}: {steps.seen[number - 1]}"
        else:
            break
    assert steps.taken < number


def test_a_repair_that_is_killed_is_repaired(folder: Path) -> None:
    before = look(folder)
    pid, _ = killed_at(25, lambda steps: visit(folder, steps))
    for number in range(1, MOST_STEPS, 4):
        _, was_killed = killed_at(number, lambda steps: repair(stepping(steps)))
        if not was_killed:
            break
    assert (journals(), look(folder, pid)) == ([], before)


def test_a_session_begins_by_repairing_what_an_earlier_one_left(folder: Path) -> None:
    before = look(folder)
    pid, _ = killed_at(25, lambda steps: visit(folder, steps))
    with Session(folder, Host(lock=LOCK)) as session:
        assert [one.pid for one in session.repaired] == [pid]
        assert look(folder, pid) == before


def test_what_cannot_be_put_back_ends_the_run_stays_in_the_journal_and_keeps_the_next_from_measuring(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    former = says(f"{VM}/vfs_cache_pressure")
    real = Host.write

    def write(self: Host, name: str, value: str) -> None:
        if value == former:
            raise OSError(5, "Input/output error")
        real(self, name, value)

    def visit() -> None:
        with Session(folder, Host(lock=LOCK)) as session, session.visit(variant):
            monkeypatch.setattr(Host, "write", write)

    variant = Variant(name="a", kernel="running", sysctl={"vm.vfs_cache_pressure": "114"})
    with pytest.raises(
        NotRestoredError, match=r"this machine is not as it was: .*vm/vfs_cache_pressure = \d+: .*Input/output error"
    ):
        visit()
    with pytest.raises(MisuseError, match="an earlier kdelta left this machine changed"), Session(folder, Host(lock=LOCK)):
        pass
    monkeypatch.undo()
    monkeypatch.setenv("XDG_STATE_HOME", str(folder.parent / "state"))
    assert [one.failed for one in repair(Host(lock=LOCK))] == [()]
    assert (says(f"{VM}/vfs_cache_pressure"), journals()) == (former, [])


def test_a_visit_that_ended_with_an_error_still_ends_with_it(folder: Path) -> None:
    before = look(folder)

    def visit() -> None:
        with Session(folder, Host(lock=LOCK)) as session, session.visit(everything(folder)):
            raise RefusedError("by the caller")

    with pytest.raises(RefusedError, match="by the caller"):
        visit()
    assert look(folder) == before
