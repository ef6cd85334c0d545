"""The file workload: what it makes is whole, and gone when it has ended, however that was."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from tests.unit.programs import FOLDER, PATIENCE, apart, bytes_moved, results, run

WORKS = ("create", "delete", "small")


def one_iteration(work: str, size: int, operations: int) -> tuple[str, ...]:
    return ("--operations", str(operations), "--iterations", "1", "--warmup", "0", f"work={work}", f"size={size}")


@pytest.mark.parametrize("size", [0, 1, 10240, 1048576])
@pytest.mark.parametrize("work", WORKS)
def test_every_file_is_written_whole(work: str, size: int, tmp_path: Path) -> None:
    _, written = bytes_moved(tmp_path, "file", *one_iteration(work, size, operations=3))
    assert written == 3 * size


def test_a_small_file_is_read_back_whole(tmp_path: Path) -> None:
    one, _ = bytes_moved(tmp_path, "file", *one_iteration("small", 5000, operations=1))
    four, _ = bytes_moved(tmp_path, "file", *one_iteration("small", 5000, operations=4))
    assert four - one == 3 * 5000


@pytest.mark.parametrize("work", WORKS)
def test_nothing_is_left_of_the_files(work: str, tmp_path: Path) -> None:
    results(run(tmp_path, "file", "--operations", "20", f"work={work}", "size=100"))
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("limit", ["size=64k", "nr_inodes=9"])
@pytest.mark.parametrize("work", WORKS)
def test_a_full_file_system_is_a_failure_that_leaves_nothing(work: str, limit: str, tmp_path: Path) -> None:
    if limit == "nr_inodes=9" and work == "small":
        limit = "nr_inodes=2"
    script = f'mount -t tmpfs -o {limit} none "$TMPDIR" && "$@"; echo "status $?"; ls -A "$TMPDIR"'
    program = [str(FOLDER / "file"), *one_iteration(work, 65537, operations=20)]
    command = [*apart("--mount"), "env", f"TMPDIR={tmp_path}", "/bin/sh", "-c", script, "sh", *program]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=PATIENCE)
    assert done.stdout == "status 1\n"
    assert "No space left on device" in done.stderr


@pytest.mark.parametrize("size", [100000, 1048576])
def test_calibration_does_not_fill_a_disk(size: int, tmp_path: Path) -> None:
    arguments = ("--interval-ms", "3600000", "--iterations", "1", "--warmup", "0", "work=create", f"size={size}")
    (line,) = results(run(tmp_path, "file", *arguments))
    assert line["operations"] * size <= 64 << 20


def test_a_relative_folder_is_found_again_at_the_end(tmp_path: Path) -> None:
    command = [str(FOLDER / "file"), *one_iteration("create", 10, operations=3)]
    done = subprocess.run(command, capture_output=True, cwd=tmp_path, env={"TMPDIR": "."}, check=False, timeout=PATIENCE)
    assert (done.returncode, list(tmp_path.iterdir())) == (0, [])
