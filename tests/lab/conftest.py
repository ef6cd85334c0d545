"""Kernels and misbehaving programs for the lab. Kernels stay in the user's cache from one test run to the next."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from kdelta.box import native
from kdelta.kernel.resolve import resolve
from kdelta.model.boot import Boot
from kdelta.model.kernel import Kernel

from . import lab
from .program import ONE_SEED, RUN, Program

HERE = Path(__file__).parent


@pytest.fixture(scope="session")
def oldest() -> Kernel:
    return resolve("apt:oldest")


@pytest.fixture(scope="session")
def newest() -> Kernel:
    return resolve("apt:newest")


@pytest.fixture(scope="session")
def twice(newest: Kernel) -> list[Boot]:
    """Two boots of one request, with call chains."""
    asked = lab.request(newest, lab.MIXED)
    return lab.boot(lab.make_box(chains=True), asked, asked)


@pytest.fixture(scope="session")
def twice_on_two_cpus(newest: Kernel) -> list[Boot]:
    asked = lab.request(newest, "ctx-2 hackbench:groups=1,operations=2000")
    return lab.boot(lab.make_box(cpus=2, chains=True), asked, asked)


@pytest.fixture(scope="session")
def misbehaving(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    """The usual programs, and one that goes wrong as it is told."""
    return {**native.workloads(), "misbehave": _built(tmp_path_factory, "misbehave")}


@pytest.fixture(scope="session")
def with_bare(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    """The usual programs, and one that does the null benchmark's operation without its loop."""
    return {**native.workloads(), "bare": _built(tmp_path_factory, "bare")}


def _built(tmp_path_factory: pytest.TempPathFactory, name: str) -> bytes:
    program = tmp_path_factory.mktemp("programs") / name
    flags = ["-O2", "-static", "-std=gnu11", "-D_GNU_SOURCE", f"-I{HERE.parents[1] / 'csrc'}"]
    subprocess.run(["gcc", *flags, "-o", program, HERE / f"{name}.c"], check=True)
    return program.read_bytes()


@pytest.fixture
def busy_cpus() -> Iterator[None]:
    """Every CPU of this machine kept busy by another load, ended with the test."""
    loads = [subprocess.Popen(["sh", "-c", "while :; do :; done"]) for _ in range(os.cpu_count() or 1)]
    yield
    for load in loads:
        load.kill()
        load.wait()


@pytest.fixture
def kdelta(tmp_path: Path) -> Iterator[Program]:
    program = Program(tmp_path / "store.sqlite")
    yield program
    program.end()


@pytest.fixture(scope="session")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> Program:
    """A store with one complete run, that of the manual."""
    return _whole(RUN, tmp_path_factory)


@pytest.fixture(scope="session")
def brief(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """What comes of a run of one seed that nothing disturbs."""
    return _whole(ONE_SEED, tmp_path_factory).results()


def _whole(words: Sequence[str], tmp_path_factory: pytest.TempPathFactory) -> Program:
    program = Program(tmp_path_factory.mktemp("whole") / "store.sqlite")
    done = program(*words)
    assert done.returncode == 0, done.stderr
    return program
