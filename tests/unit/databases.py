"""Where tests keep a store beside files: a PostgreSQL server that is started for them alone; and a look into either."""

from __future__ import annotations

import ctypes
import os
import pwd
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import Any

import psycopg
import pytest
from tests.unit.builders import kernel, plan, sql

from kdelta.model.plan import Plan
from kdelta.model.record import RunRecord
from kdelta.store.store import Store

USER, PASSWORD = "kdelta", "s3cret"
TABLES = ("kernels", "runs", "boots", "endings", "cells", "samples", "discards", "profiles", "noise")
START_SECONDS = 60
NUMBERS = count(1)


@dataclass(frozen=True)
class Server:
    """A server of PostgreSQL on this machine's loopback."""

    port: int

    def url(self, name: str, password: str = PASSWORD) -> str:
        return f"postgresql://{USER}:{password}@127.0.0.1:{self.port}/{name}"

    def run(self, statement: str) -> None:
        with psycopg.connect(self.url("postgres"), autocommit=True) as connection:
            connection.execute(statement.encode())

    def database(self, options: str = "") -> str:
        """The name of a new database."""
        name = f"test{next(NUMBERS)}"
        self.run(f"CREATE DATABASE {name} {options}")
        return name


@contextmanager
def running() -> Iterator[Server]:
    """A server. Nothing that it writes outlives it, so it need not wait for the disk."""
    programs, owner = _programs(), _owner()
    with tempfile.TemporaryDirectory(prefix="kdelta-postgresql-", ignore_cleanup_errors=True) as name:
        folder = Path(name)
        if owner:
            os.chown(folder, owner["user"], owner["group"])
        (folder / "password").write_text(PASSWORD)
        (folder / "password").chmod(0o644)
        words = ("--no-sync", "--auth=scram-sha-256", f"--username={USER}", f"--pwfile={folder}/password")
        initdb: list[str | Path] = [programs / "initdb", "--locale=C", "--encoding=UTF8", *words, folder / "data"]
        made = subprocess.run(initdb, cwd=folder, capture_output=True, text=True, check=False, **owner)
        assert made.returncode == 0, made.stderr
        port = _free_port()
        options = [f"-p{port}", "-h127.0.0.1", f"-k{folder}", "-cfsync=off", "-cshared_buffers=16MB", f"-D{folder}/data"]
        with (folder / "log").open("w") as log, _started([programs / "postgres", *options], folder, log, owner) as process:
            _wait(process, Server(port), folder / "log")
            yield Server(port)
            process.send_signal(signal.SIGQUIT)


def _programs() -> Path:
    """The folder of PostgreSQL's server programs; Debian keeps them off the PATH."""
    found = shutil.which("initdb")
    folders = sorted(Path("/usr/lib/postgresql").glob("*/bin"), key=lambda path: float(path.parent.name))
    for folder in [*([Path(found).resolve().parent] if found else []), *reversed(folders)]:
        if (folder / "initdb").exists() and (folder / "postgres").exists():
            return folder
    if shutil.which("apt-get") is None:
        pytest.skip("no PostgreSQL server here, and no apt to get one from")
    pytest.fail("no PostgreSQL server here: apt-get install postgresql")


def _owner() -> dict[str, Any]:
    """Options of subprocess: the server refuses to run as root."""
    if os.getuid() != 0:
        return {}
    known = {entry.pw_name: entry for entry in pwd.getpwall()}
    user = known.get("postgres") or known["nobody"]
    return {"user": user.pw_uid, "group": user.pw_gid, "extra_groups": []}


def _free_port() -> int:
    with closing(socket.socket()) as taken:
        taken.bind(("127.0.0.1", 0))
        return int(taken.getsockname()[1])


def _started(command: list[str | Path], folder: Path, log: Any, owner: Mapping[str, Any]) -> subprocess.Popen[bytes]:
    """It ends with the process that runs the tests, however that ends."""
    libc = ctypes.CDLL(None)
    end_with_parent = lambda: libc.prctl(1, signal.SIGQUIT)  # noqa: E731
    return subprocess.Popen(command, cwd=folder, stdout=log, stderr=log, preexec_fn=end_with_parent, **owner)


def _wait(process: subprocess.Popen[bytes], server: Server, log: Path) -> None:
    deadline = time.monotonic() + START_SECONDS
    while True:
        try:
            return server.run("SELECT 1")
        except psycopg.OperationalError as error:
            if process.poll() is not None or time.monotonic() > deadline:
                raise AssertionError(f"PostgreSQL did not start: {log.read_text()}") from error
            time.sleep(0.05)


def look(place: str, statement: str) -> list[tuple[Any, ...]]:
    """What the database at `place` answers, past the store. More than one statement where it need not answer."""
    if "://" not in place:
        return sql(Path(place), statement)
    with psycopg.connect(place) as connection:
        cursor = connection.execute(statement.encode())
        return cursor.fetchall() if cursor.description else []


def row_counts(place: str) -> dict[str, int]:
    return {table: look(place, f"SELECT count(*) FROM {table}")[0][0] for table in TABLES}


def begin(store: Store, of: Plan | None = None, uuid: str = "a") -> RunRecord:
    """A run with a kernel for each variant."""
    measured = of or plan()
    kernels = {one.name: kernel(one.name) for one in measured.variants}
    return store.begin(measured, kernels, uuid=uuid, started="2024-02-29T12:34:56+00:00", kdelta_version="0.1.0")
