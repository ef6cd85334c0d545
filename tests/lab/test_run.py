"""The whole program on real kernels, as a user starts it, interrupts it and resumes it."""

from __future__ import annotations

import json
import os
import signal
from pathlib import Path
from typing import Any

from .program import ONE_SEED, WAIT_SECONDS, Program, boots_stored, guests_of, wait_until


def test_the_posted_table_is_followed_by_its_spread(undisturbed: Program) -> None:
    lines = undisturbed("compare", "--form", "min").stdout.splitlines()
    assert "1-way exact box, instructions per operation:" in "\n".join(lines)
    assert any(line.lstrip().startswith("MEDIAN") and line.split()[1:] == ["old", "new"] for line in lines)
    assert any(line.lstrip().startswith("SD of 2") for line in lines)


def test_the_largest_change_has_a_diffprofile(undisturbed: Program) -> None:
    done = undisturbed("diffprofile")
    assert done.stdout.startswith("Diffprofile for proc-fork")
    assert " total\n" in done.stdout


def test_kernels_in_the_head_are_what_the_guests_said(undisturbed: Program) -> None:
    found = json.loads(undisturbed("compare", "--json").stdout)
    assert [boot["variant"] for boot in found["boots"]].count("new") == 2
    assert all(found["kernels"][boot["variant"]]["build_id"] for boot in found["boots"])


def test_ctrl_c_stores_whole_boots_only_and_resume_completes_the_run(kdelta: Program, brief: dict[str, Any]) -> None:
    process = kdelta.start(*ONE_SEED)
    wait_until(lambda: guests_of(process.pid))
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=WAIT_SECONDS)
    assert process.returncode == 130
    assert "kdelta run --resume 1" in err
    assert "Traceback" not in err
    assert kdelta("run", "--resume", "1").returncode == 0
    assert kdelta.results() == brief


def test_a_killed_kdelta_leaves_no_qemu_and_resumes_to_the_same_result(kdelta: Program, brief: dict[str, Any]) -> None:
    process = kdelta.start(*ONE_SEED)
    wait_until(lambda: guests_of(process.pid))
    guests = guests_of(process.pid)
    wait_until(lambda: boots_stored(kdelta) >= 1)
    wait_until(lambda: guests_of(process.pid) not in ([], guests))
    guests = guests_of(process.pid)
    process.kill()
    process.communicate()
    wait_until(lambda: not any(Path(f"/proc/{pid}/cmdline").exists() for pid in guests))
    assert kdelta("run", "--resume", "1").returncode == 0
    assert kdelta.results() == brief


def test_a_killed_qemu_makes_the_run_exit_with_3_and_resume_repeats_that_boot(kdelta: Program, brief: dict[str, Any]) -> None:
    process = kdelta.start(*ONE_SEED)
    wait_until(lambda: guests_of(process.pid))
    os.kill(guests_of(process.pid)[0], signal.SIGKILL)
    out, err = process.communicate(timeout=5 * WAIT_SECONDS)
    assert process.returncode == 3
    assert "lost" in err
    assert "seed 1 failed" in out
    assert kdelta("run", "--resume", "1").returncode == 0
    assert kdelta.results() == brief


def test_a_plan_file_gives_what_the_words_give(kdelta: Program, brief: dict[str, Any], tmp_path: Path) -> None:
    plan = tmp_path / "plan.toml"
    plan.write_text(
        """
        [plan]
        seeds = 1
        [[variant]]
        name = "old"
        kernel = "apt:oldest"
        [[variant]]
        name = "new"
        kernel = "apt:newest"
        [[box]]
        name = "exact"
        kind = "exact"
        chains = false
        [[benchmark]]
        name = "null:operations=100"
        [[benchmark]]
        name = "proc-fork:operations=20"
        """
    )
    assert kdelta("run", str(plan)).returncode == 0
    assert kdelta.results() == brief
