"""What this machine allows, against what benchmarks need: told before anything runs, not by a program that fails half-way."""

from __future__ import annotations

import os
import resource
import shutil
from collections.abc import Iterable, Iterator
from pathlib import Path

from kdelta.model.benchmark import Benchmark
from kdelta.model.errors import MisuseError

ROOT = Path("/")
Limit = tuple[str, int, str]
"""What limits, how many it allows, and how it is raised."""


def check(benchmarks: Iterable[Benchmark], root: Path = ROOT) -> None:
    """Raises MisuseError for the first benchmark that needs a command, descriptors or tasks that are not to be had here."""
    descriptors, tasks = list(_descriptors()), list(_tasks(root))
    for benchmark in benchmarks:
        _require(benchmark.name, benchmark.descriptors, "descriptors in one process", descriptors)
        _require(benchmark.name, benchmark.tasks, "processes or threads at once", tasks)
        if benchmark.command:
            _require_command(benchmark.name, benchmark.command.words[0])


def raise_descriptors() -> None:
    """The soft limit up to the hard one, for this process and what it starts: the usual 1024 is for old users of select()."""
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))


def _require(name: str, needed: int, what: str, limits: Iterable[Limit]) -> None:
    for limit, allowed, remedy in limits:
        if needed > allowed:
            raise MisuseError(f"{name} needs about {needed} {what}; {limit} allows {allowed}", f"{remedy}, or leave {name} out")


def _require_command(name: str, program: str) -> None:
    if shutil.which(program) is None:
        raise MisuseError(
            f"the command of benchmark '{name}' cannot be run: there is no program {program}", "give its path, or install it"
        )


def _descriptors() -> Iterator[Limit]:
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if hard != resource.RLIM_INFINITY:
        yield "ulimit -Hn", hard, "raise it (/etc/security/limits.conf, as root: ulimit -n)"


def _tasks(root: Path) -> Iterator[Limit]:
    soft, _ = resource.getrlimit(resource.RLIMIT_NPROC)
    if soft != resource.RLIM_INFINITY and os.geteuid() != 0:
        yield "ulimit -u", soft, "raise it (/etc/security/limits.conf)"
    for name in ("pid_max", "threads-max"):
        allowed = _number(root / "proc/sys/kernel" / name)
        if allowed is not None:
            yield f"kernel.{name}", allowed, f"raise it: sysctl kernel.{name}=..."
    for path in _pids_max(root):
        allowed = _number(path)
        if allowed is not None:
            yield str(path), allowed, "raise it there (systemd: TasksMax=)"


def _pids_max(root: Path) -> Iterator[Path]:
    """The limits of the control groups that this process is in, on both versions of them."""
    try:
        lines = (root / "proc/self/cgroup").read_text().splitlines()
    except OSError:
        return
    for line in lines:
        _, controllers, place = line.split(":", 2)
        base = root / "sys/fs/cgroup" / ("pids" if controllers == "pids" else "")
        if controllers in ("", "pids"):
            folder = base / place.lstrip("/")
            yield from (one / "pids.max" for one in (folder, *folder.parents) if one.is_relative_to(base))


def _number(path: Path) -> int | None:
    try:
        return int(path.read_text())
    except (OSError, ValueError):
        return None
