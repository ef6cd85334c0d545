"""What this machine allows, against what benchmarks need."""

from __future__ import annotations

import resource
from pathlib import Path

import pytest

from kdelta.box import limits
from kdelta.model.benchmark import Benchmark, Command
from kdelta.model.errors import MisuseError
from kdelta.workload.select import select


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A machine without limits worth the name."""
    kernel = tmp_path / "proc/sys/kernel"
    kernel.mkdir(parents=True)
    (kernel / "pid_max").write_text("4194304\n")
    (kernel / "threads-max").write_text("100000\n")
    (tmp_path / "proc/self").mkdir()
    (tmp_path / "proc/self/cgroup").write_text("0::/user.slice/session-1.scope\n")
    return tmp_path


def test_a_machine_without_limits_allows_everything(root: Path) -> None:
    limits.check(select(["sched"]), root)


@pytest.mark.parametrize(
    ("name", "descriptors", "tasks"),
    [
        ("ctx-200", 432, 232),
        ("hackbench-50", 2032, 2032),
        ("volano", 232, 832),
        ("select", 232, 33),
        ("sdet-128", 32, 672),
        ("null", 0, 0),
    ],
)
def test_a_benchmark_says_how_much_it_needs(name: str, descriptors: int, tasks: int) -> None:
    (found,) = select([name])
    assert (found.descriptors, found.tasks) == (descriptors, tasks)


def test_needs_follow_the_parameters() -> None:
    (found,) = select(["hackbench:groups=100"])
    assert found.tasks == 4032


def test_too_few_descriptors_are_told_before_anything_runs(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(resource, "getrlimit", lambda which: (256, 256))
    with pytest.raises(MisuseError, match="ctx-200 needs about 432 descriptors in one process; ulimit -Hn allows 256") as caught:
        limits.check(select(["ctx-200"]), root)
    assert "leave ctx-200 out" in caught.value.advice


@pytest.mark.parametrize(
    ("path", "limit"),
    [
        ("proc/sys/kernel/pid_max", "kernel.pid_max"),
        ("proc/sys/kernel/threads-max", "kernel.threads-max"),
        ("sys/fs/cgroup/user.slice/pids.max", "user.slice/pids.max"),
        ("sys/fs/cgroup/user.slice/session-1.scope/pids.max", "session-1.scope/pids.max"),
    ],
)
def test_too_few_processes_are_told_with_the_limit(path: str, limit: str, root: Path) -> None:
    (root / path).parent.mkdir(parents=True, exist_ok=True)
    (root / path).write_text("1000\n")
    with pytest.raises(MisuseError, match=f"hackbench-50 needs about 2032 processes or threads at once; .*{limit} allows 1000"):
        limits.check(select(["hackbench-50"]), root)


def test_a_group_without_a_limit_limits_nothing(root: Path) -> None:
    folder = root / "sys/fs/cgroup/user.slice"
    folder.mkdir(parents=True)
    (folder / "pids.max").write_text("max\n")
    limits.check(select(["hackbench-50"]), root)


def test_a_command_that_is_not_there_is_told(root: Path) -> None:
    own = Benchmark(name="mine", program="x", operation="x", command=Command(words=("no-such-program",), regex="(x)"))
    with pytest.raises(MisuseError, match="there is no program no-such-program"):
        limits.check([own], root)
