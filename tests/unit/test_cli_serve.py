"""The program as it is typed, on what two runs hold: one compared with the other, and both served."""

from __future__ import annotations

import json
import os
import re
import signal
import socket
import threading
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest
from tests.unit.builders import Ended, Kdelta, fill, plan

from kdelta.model.errors import MisuseError
from kdelta.serve.server import Server
from kdelta.store.place import open_store


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """Where the program looks for its store: a run of two columns, and one of one."""
    fill(tmp_path / "store.sqlite", plan(seeds=3), started="2024-01-01T00:00:00+00:00")
    fill(tmp_path / "store.sqlite", plan(["new"], seeds=4), started="2024-01-02T00:00:00+00:00")
    return tmp_path / "store.sqlite"


# ---- compare --with ----


@pytest.mark.parametrize(
    ("words", "title"),
    [
        (("1", "--with", "2"), "run 2: new against run 1: old"),
        (("1", "--base", "new", "--with", "2:new"), "run 2: new against run 1: new"),
        (("--with", "1:old"), "run 1: old against run 2: new"),
        (("1", "--with", "1:new"), "new against old"),
    ],
    ids=["the baseline", "another base", "the newest run", "the same run"],
)
def test_a_run_is_compared_with_a_column_of_another(kdelta: Kdelta, place: Path, words: tuple[str, ...], title: str) -> None:
    found = kdelta("compare", *words)
    assert (found.code, found.err) == (0, "")
    assert f"{title}:\n" in found.out


def test_what_is_compared_with_another_run_is_given_as_data_too(kdelta: Kdelta, place: Path) -> None:
    found = json.loads(kdelta("compare", "1", "--with", "2", "--json").out)
    assert found["verdicts"]["axis"] == "runs"
    assert [one["variant"] for one in found["boots"]] == ["run 1: old"] * 3 + ["run 2: new"] * 4
    assert list(found["kernels"]) == ["run 1: old", "run 2: new"]


def test_the_gate_judges_what_is_compared_with_another_run(kdelta: Kdelta, place: Path) -> None:
    assert kdelta("compare", "1", "--with", "2", "--gate").code == 1
    assert kdelta("compare", "2", "--with", "1:old", "--gate").code == 0


MISUSES = {
    "no column named": (("1", "--with", "1"), "run 1 has 2 columns", "say which: 1:old, 1:new"),
    "itself": (("1", "--with", "1:old"), "run 1: old is to be compared with itself", "choose another column"),
    "no such base": (("1", "--base", "x", "--with", "2"), "there is no variant 'x' in run 1", ""),
    "no run": (("1", "--with", "x"), "'x' names no column of a run", "write RUN:COLUMN"),
    "an axis": (("1", "--with", "2", "--axis", "pairs"), "--with and --axis exclude each other", "leave one of them out"),
    "a form": (("1", "--with", "2", "--form", "min"), "--with and --form min exclude each other", ""),
    "the axis of two runs": (("1", "--axis", "runs"), "'runs' is not one of 'columns'", ""),
}


@pytest.mark.parametrize(("words", "said", "advice"), MISUSES.values(), ids=MISUSES)
def test_what_cannot_be_compared_is_misuse(kdelta: Kdelta, place: Path, words: tuple[str, ...], said: str, advice: str) -> None:
    found = kdelta("compare", *words)
    assert found.code == 2
    assert said in found.err
    assert advice in found.err


# ---- serve ----


@contextmanager
def ended_by(number: signal.Signals, monkeypatch: pytest.MonkeyPatch) -> Iterator[list[str]]:
    """Once it answers, a server is asked for its list, and then the process gets a signal. The lists."""
    pages: list[str] = []
    run = Server.run

    def ask(url: str) -> None:
        with urllib.request.urlopen(url) as answer:
            pages.append(answer.read().decode())
        os.kill(os.getpid(), number)

    def running(self: Server) -> None:
        threading.Thread(target=ask, args=[self.url]).start()
        run(self)

    monkeypatch.setattr(Server, "run", running)
    before = signal.getsignal(signal.SIGTERM)
    yield pages
    signal.signal(signal.SIGTERM, before)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_store_is_served_until_the_program_is_told_to_end(
    kdelta: Kdelta, place: Path, monkeypatch: pytest.MonkeyPatch, number: signal.Signals
) -> None:
    with ended_by(number, monkeypatch) as pages:
        found = kdelta("serve", "--port", "0")
    assert (found.code, found.err) == (0, "")
    assert re.fullmatch(r"http://127\.0\.0\.1:\d+/  \(Ctrl-C ends it\)\n", found.out)
    assert "2 runs." in pages[0]


def test_who_opens_it_to_others_is_warned(kdelta: Kdelta, place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with ended_by(signal.SIGINT, monkeypatch):
        found = kdelta("serve", "--port", "0", "--host", "0.0.0.0")
    assert found.err.startswith("WARNING: http://0.0.0.0:")
    assert "there is no password" in found.err


def refused(kdelta: Kdelta, *words: str) -> Ended:
    found = kdelta("serve", *words)
    assert found.code == 2
    return found


def test_a_port_that_is_taken_is_misuse_with_advice(kdelta: Kdelta, place: Path) -> None:
    with closing(socket.create_server(("127.0.0.1", 0))) as taken:
        port = taken.getsockname()[1]
        found = refused(kdelta, "--port", str(port))
    assert f"127.0.0.1:{port} cannot be served on: Address already in use" in found.err
    assert "--port" in found.err


@pytest.mark.parametrize("host", ["192.0.2.7", "no.such.name.invalid", "a" * 70, ""])
def test_an_address_that_is_not_of_this_machine_is_misuse(place: Path, host: str) -> None:
    with closing(open_store(str(place), read_only=True)) as store, pytest.raises(MisuseError) as error:
        Server(store, host, 0)
    assert "--host" in error.value.advice
    assert "while attempting" not in str(error.value)


def test_a_store_that_is_not_there_is_not_served_and_not_made(kdelta: Kdelta, tmp_path: Path) -> None:
    found = refused(kdelta, "--store", str(tmp_path / "none.sqlite"))
    assert "there is no store at" in found.err
    assert not (tmp_path / "none.sqlite").exists()


def test_a_server_is_loopback_by_its_address_whatever_its_name(place: Path) -> None:
    with closing(open_store(str(place), read_only=True)) as store:
        for host, loopback in (("localhost", True), ("127.0.0.1", True), ("0.0.0.0", False)):
            with closing(Server(store, host, 0)) as server:
                assert server.is_loopback is loopback


def test_a_request_by_another_name_is_refused_by_the_server_too(place: Path) -> None:
    with closing(open_store(str(place), read_only=True)) as store:
        server = Server(store, "127.0.0.1", 0)
        thread = threading.Thread(target=server.run)
        thread.start()
        asked = urllib.request.Request(server.url, headers={"Host": "evil.example"})
        with pytest.raises(urllib.error.HTTPError) as error:
            urllib.request.urlopen(asked)
        server.end()
        thread.join()
    with error.value as answer:
        assert answer.code == 403
