"""The journal, the lock, and the signals that wait: what putting back rests on."""

from __future__ import annotations

import os
import signal
import threading
from pathlib import Path

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.unit.fake_host import LOCK, Fake

from kdelta.box.settings import doing, journal, lock, process, recovery
from kdelta.box.settings.entry import (
    Controllers,
    Device,
    Entry,
    Folder,
    Group,
    Mounted,
    ProcessGroup,
    Swap,
    Teardown,
    Timers,
    Values,
)
from kdelta.box.settings.errors import RefusedError
from kdelta.box.settings.host import Host
from kdelta.box.settings.journal import Journal, Owner
from kdelta.box.settings.recovery import Repaired
from kdelta.box.settings.signals import deferred
from kdelta.model.errors import MisuseError

FILE = "/proc/sys/vm/swappiness"
ENTRIES = (
    Values((("/a", "1"), ("/b", ""))),
    Folder("/f"),
    Mounted("/f/mnt", "/f"),
    Device("/dev/sdb", "x"),
    Group("/g"),
    Controllers("/c", ("cpu",)),
    Teardown("true", "/f", {"A": "b"}),
    Swap((("/s", -2),)),
    Timers(("a.timer",)),
    ProcessGroup(7, 8, "/f"),
)


@pytest.fixture(autouse=True)
def own_state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))


def written(host: Host, *wanted: Entry) -> Journal:
    made = journal.create(host)
    for entry in wanted:
        made.note(entry)
    return made


def entries(made: Journal) -> list[Entry]:
    return [one.entry for one in made.noted]


def owned_by(made: Journal, owner: Owner) -> None:
    """Make it the journal of another process."""
    lines = made.path.read_bytes().split(b"\n")
    made.path.write_bytes(b"\n".join([msgspec.json.encode(owner), *lines[1:]]))
    made.close()


DEAD = Owner(1 << 22, 5, "boot")


def test_every_kind_of_entry_can_be_undone_and_says_what_it_is() -> None:
    assert set(doing.UNDO) == {type(entry) for entry in ENTRIES}
    assert all(str(entry) for entry in ENTRIES)


def test_what_was_noted_is_read_again() -> None:
    made = written(Host(), *ENTRIES)
    again = journal.load(made.path)
    assert (entries(again), again.owner, again.end, again.unreadable) == (list(ENTRIES), made.owner, made.end, 0)


@pytest.mark.parametrize("cut", [1, 5, 20])
def test_a_line_that_was_not_finished_is_dropped_and_written_over(cut: int) -> None:
    made = written(Host(), *ENTRIES[:3])
    made.path.write_bytes(made.path.read_bytes()[:-cut])
    again = journal.load(made.path)
    assert (entries(again), again.unreadable) == (list(ENTRIES[:2]), 0)
    again.note(ENTRIES[4])
    assert entries(journal.load(made.path)) == [*ENTRIES[:2], ENTRIES[4]]


def test_a_line_in_the_middle_that_says_nothing_is_counted() -> None:
    made = written(Host(), *ENTRIES[:3])
    lines = made.path.read_bytes().split(b"\n")
    made.path.write_bytes(b"\n".join([*lines[:2], b'{"kind":"of a newer kdelta"}', *lines[3:]]))
    again = journal.load(made.path)
    assert (entries(again), again.unreadable) == ([ENTRIES[0], ENTRIES[2]], 1)


@given(st.lists(st.binary(max_size=40)))
def test_any_bytes_are_a_journal(tmp_path_factory: pytest.TempPathFactory, lines: list[bytes]) -> None:
    path = tmp_path_factory.mktemp("journal") / "1.jsonl"
    path.write_bytes(b"\n".join(lines))
    journal.load(path).close()


def test_what_was_undone_is_not_undone_again() -> None:
    made = written(Host(), *ENTRIES[:3])
    made.note_undone(made.noted[1])
    assert [one.entry for one in journal.load(made.path).pending()] == [ENTRIES[2], ENTRIES[0]]


def test_cutting_forgets_what_came_after_the_mark_and_nothing_else() -> None:
    made = written(Host(), *ENTRIES[:2])
    mark = made.mark()
    made.note(ENTRIES[3])
    made.note_undone(made.noted[2])
    made.cut(mark)
    made.note(ENTRIES[4])
    assert entries(journal.load(made.path)) == [*ENTRIES[:2], ENTRIES[4]]


def test_a_journal_without_room_refuses_the_change(monkeypatch: pytest.MonkeyPatch) -> None:
    made = written(Host(), ENTRIES[0])
    with monkeypatch.context() as full:
        full.setattr(os, "pwrite", lambda descriptor, data, at: 3)
        with pytest.raises(RefusedError, match="cannot be written: there is no room"):
            made.note(ENTRIES[1])
    made.note(ENTRIES[2])
    assert entries(journal.load(made.path)) == [ENTRIES[0], ENTRIES[2]]


def test_one_that_cannot_be_undone_does_not_keep_the_others_from_it(tmp_path: Path) -> None:
    fake = Fake(tmp_path, {FILE: "1\n", "/sys/a/b": "1\n"})
    made = written(fake.host, Values(((FILE, "2"),)), Values((("/sys/a", "2"),)), Values((("/sys/a/b", "2"),)))
    failed = doing.undo(fake.host, made)
    assert fake.says() == {FILE: "2", "/sys/a/b": "2"}
    assert [entry for entry, _ in failed] == [made.noted[1].entry]
    assert made.pending() == [made.noted[1]]


def test_a_session_that_is_gone_is_repaired_and_forgotten(tmp_path: Path) -> None:
    fake = Fake(tmp_path, {FILE: "1\n"})
    made = written(fake.host, Values(((FILE, "60"),)))
    owned_by(made, DEAD)
    assert recovery.repair(fake.host) == [Repaired(journal=str(made.path), pid=DEAD.pid, restored=(f"{FILE} = 60",))]
    assert (fake.says(), made.path.exists()) == ({FILE: "60"}, False)


def test_a_session_of_a_process_with_a_number_that_was_used_again_is_repaired(tmp_path: Path) -> None:
    fake = Fake(tmp_path, {FILE: "1\n", "/proc/99/stat": "99 (a b) c) S 1 99 " + "0 " * 16 + "6 0\n"})
    owned_by(written(fake.host, Values(((FILE, "60"),))), Owner(99, 5, "boot"))
    assert len(recovery.repair(fake.host)) == 1


def test_a_session_that_is_still_there_is_left_alone(tmp_path: Path) -> None:
    fake = Fake(tmp_path, {FILE: "1\n", "/proc/99/stat": "99 (a b) c) S 1 99 " + "0 " * 16 + "5 0\n"})
    owned_by(written(fake.host, Values(((FILE, "60"),))), Owner(99, 5, "boot"))
    assert (recovery.repair(fake.host), fake.says()[FILE]) == ([], "1")


def test_after_a_reboot_only_what_is_on_a_disk_is_put_back(tmp_path: Path) -> None:
    fake = Fake(tmp_path, {FILE: "1\n"})
    (tmp_path / "left").mkdir()
    made = written(fake.host, Folder(str(tmp_path / "left")), Values(((FILE, "60"),)), Teardown("touch x", str(tmp_path), {}))
    owned_by(made, Owner(DEAD.pid, 5, "an earlier boot"))
    assert [one.restored for one in recovery.repair(fake.host)] == [(f"the folder {tmp_path}/left is removed",)]
    assert (fake.says(), fake.programs.said, made.path.exists()) == ({FILE: "1"}, [], False)


def test_a_journal_of_another_user_is_not_executed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fake = Fake(tmp_path, {FILE: "1\n"})
    owned_by(written(fake.host, Values(((FILE, "60"),))), DEAD)
    owner = os.geteuid()
    monkeypatch.setattr(os, "geteuid", lambda: owner + 1)
    assert [one.failed for one in recovery.repair(fake.host)] == [(f"it belongs to user {owner}: run kdelta as that user",)]
    assert fake.says() == {FILE: "1"}


def test_a_journal_that_is_damaged_stays_and_is_told(tmp_path: Path) -> None:
    fake = Fake(tmp_path, {FILE: "1\n"})
    made = written(fake.host, Values(((FILE, "60"),)))
    owned_by(made, DEAD)
    with made.path.open("ab") as file:
        file.write(b"nonsense\n")
    assert [(one.restored, one.failed) for one in recovery.repair(fake.host)] == [((f"{FILE} = 60",), ("1 lines cannot be read",))]
    assert made.path.exists()


def test_a_journal_that_was_never_begun_is_forgotten(tmp_path: Path) -> None:
    fake = Fake(tmp_path, {})
    path = journal.folder() / "1.jsonl"
    path.write_bytes(b'{"kind":"own')
    assert (recovery.repair(fake.host), path.exists()) == ([], False)


def test_the_lock_goes_with_its_holder() -> None:
    name = f"{LOCK}-alone"
    with (
        lock.held(name),
        pytest.raises(MisuseError, match=f"another kdelta is measuring here: process {os.getpid()}"),
        lock.held(name),
    ):
        pass
    with lock.held(name):
        pass


def test_a_signal_waits_until_things_are_put_back() -> None:
    done = []

    def interrupted() -> None:
        with deferred():
            signal.raise_signal(signal.SIGINT)
            signal.raise_signal(signal.SIGINT)
            done.append(True)

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert done == [True]
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_signals_are_left_alone_in_another_thread() -> None:
    seen = []

    def work() -> None:
        with deferred():
            seen.append(signal.getsignal(signal.SIGINT))

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert seen == [signal.default_int_handler]


def test_a_name_with_brackets_and_spaces_does_not_shift_the_fields_of_a_process(tmp_path: Path) -> None:
    fake = Fake(tmp_path, {"/proc/7/stat": "7 (a) b (c) S 1 42 " + "0 " * 16 + "77 0\n"})
    assert process.look(fake.host, 7) == process.Process(7, "S", 42, 77)


def members(root: Path, leader_start: int | None, mark: str) -> list[int]:
    """Of the group 42 whose leader started at 5; process 43 is in it, and bears `mark`."""
    files = {"/proc/43/stat": "43 (x) S 1 42 " + "0 " * 16 + "9 0\n", "/proc/43/environ": f"A=b\0{process.MARK}={mark}\0"}
    if leader_start is not None:
        files["/proc/42/stat"] = "42 (x) S 1 42 " + "0 " * 16 + f"{leader_start} 0\n"
    return process.members(Fake(root, files).host, 42, 5, "/visit")


@pytest.mark.parametrize(
    ("leader_start", "mark", "ours"),
    [(5, "", [42, 43]), (6, "", []), (6, "/visit", [43]), (None, "", []), (None, "/visit", [43]), (None, "/visit2", [])],
)
def test_a_process_group_is_ours_by_its_leader_or_by_the_mark(
    leader_start: int | None, mark: str, ours: list[int], tmp_path: Path
) -> None:
    assert members(tmp_path, leader_start, mark) == ours
