"""volano and pingpong: every message arrives, and whatever happens to one of the processes is told."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from pathlib import Path

import pytest
from tests.unit.programs import FOLDER, PATIENCE, apart, bytes_moved, children, endless, results, run

from kdelta.workload.catalogue import by_name

TIME_WAIT = "06"


def one_iteration(*words: str, operations: int) -> tuple[str, ...]:
    return ("--operations", str(operations), "--iterations", "1", "--warmup", "0", *words)


@pytest.mark.parametrize(("rooms", "users", "size"), [(1, 2, 1), (3, 5, 64), (2, 20, 1000)])
def test_a_round_brings_every_message_to_everyone_of_the_room(rooms: int, users: int, size: int, tmp_path: Path) -> None:
    words = (f"rooms={rooms}", f"users={users}", f"bytes={size}")
    deliveries = rooms * users * users
    # Each message goes to the server first.
    messages = deliveries + rooms * users
    one = bytes_moved(tmp_path, "volano", *one_iteration(*words, operations=deliveries))
    three = bytes_moved(tmp_path, "volano", *one_iteration(*words, operations=3 * deliveries))
    assert (three[0] - one[0], three[1] - one[1]) == (2 * messages * size, 2 * messages * size)


def test_volano_gets_past_full_queues_and_socket_buffers(tmp_path: Path) -> None:
    lines = results(run(tmp_path, "volano", "--operations", "60000", "--iterations", "1", "rooms=1", "users=10", "bytes=4096"))
    assert {line["operations"] for line in lines} == {60000}


def test_an_iteration_of_volano_is_a_whole_number_of_rounds() -> None:
    assert by_name()["volano"].operations % (10 * 20 * 20) == 0


def test_volano_cannot_run_where_the_loopback_is_down(tmp_path: Path) -> None:
    command = [*apart("--net"), str(FOLDER / "volano"), "--operations", "1"]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=PATIENCE)
    assert (done.returncode, done.stdout) == (77, "")
    assert "connections over 127.0.0.1: connect: Network is unreachable" in done.stderr


# As the guest's init blocks it.
def test_what_the_server_cannot_do_is_told_where_the_signal_of_its_end_is_blocked(tmp_path: Path) -> None:
    blocked = signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGCHLD])
    try:
        done = run(tmp_path, "volano", "--operations", "1", shell="ulimit -n 32")
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, blocked)
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (77, "", 1)


def test_a_killed_server_is_a_failure() -> None:
    with endless("volano", "--operations", "1000", "rooms=2", "users=3") as process:
        os.kill(children(process, 1)[0], signal.SIGKILL)
        _, told = process.communicate(timeout=PATIENCE)
    assert (process.returncode, told) == (1, "the server was killed\n")


def connections(process: subprocess.Popen[str], state: str = "") -> set[str]:
    """Both ends, as hexadecimal addresses and ports, of the TCP connections of `process`, or of all in `state`."""
    held: set[str] = set()
    for fd in Path(f"/proc/{process.pid}/fd").iterdir() if not state else ():
        held.add(os.readlink(fd).removeprefix("socket:[").removesuffix("]"))
    rows = [line.split() for line in Path("/proc/net/tcp").read_text().splitlines()[1:]]
    return {f"{row[1]} {row[2]}" for row in rows if row[3] == state or row[9] in held}


def test_no_connection_of_volano_lingers_in_the_kernel() -> None:
    command = [str(FOLDER / "volano"), "--operations", "4000", "--iterations", "20", "rooms=2", "users=3"]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, text=True) as process:
        while len(made := connections(process)) < 6:
            assert process.poll() is None
            time.sleep(0.01)
        assert process.wait(PATIENCE) == 0
    assert made & connections(process, TIME_WAIT) == set()


@pytest.mark.parametrize("over", ["pipe", "unix"])
def test_a_round_trip_is_a_byte_there_and_a_byte_back(over: str, tmp_path: Path) -> None:
    few = bytes_moved(tmp_path, "pingpong", *one_iteration(f"over={over}", operations=100))
    more = bytes_moved(tmp_path, "pingpong", *one_iteration(f"over={over}", operations=350))
    assert (more[0] - few[0], more[1] - few[1]) == (2 * 250, 2 * 250)


@pytest.mark.parametrize("over", ["pipe", "unix"])
def test_a_round_trip_without_a_partner_is_a_failure(over: str) -> None:
    with endless("pingpong", "--operations", "100", f"over={over}") as process:
        os.kill(children(process, 1)[0], signal.SIGKILL)
        assert process.wait(PATIENCE) == 1
