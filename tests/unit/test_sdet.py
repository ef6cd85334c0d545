"""sdet, with stand-ins for single commands at the front of PATH."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from tests.unit.programs import until, with_in_environment

import kdelta

SDET = Path(kdelta.__file__).parent / "native" / "workloads" / "sdet"
PATIENCE = 120
"""Seconds until a program counts as hung."""
PACKAGES = {"awk": "mawk", "cc": "gcc", "diff": "diffutils", "find": "findutils", "make": "make", "ls": "coreutils", "tar": "tar"}

pytestmark = pytest.mark.skipif(not (shutil.which("cc") and shutil.which("make")), reason="packages are needed: gcc make")

Done = subprocess.CompletedProcess[str]


class Lab:
    """A folder for temporary files, and one for stand-ins."""

    def __init__(self, folder: Path) -> None:
        self.tmp, self.bin, self.log = folder / "tmp", folder / "bin", folder / "log"
        self.tmp.mkdir()
        self.bin.mkdir()
        self.environment = {**os.environ, "TMPDIR": str(self.tmp), "PATH": f"{self.bin}:{os.environ['PATH']}"}

    def program(self, name: str, commands: str) -> None:
        (self.bin / name).write_text(f"#!/bin/sh\n{commands}\n")
        (self.bin / name).chmod(0o755)

    def logged(self, *names: str) -> None:
        """Each call of them is a line of the log: the script's number and the words."""
        for name in names:
            self.program(name, f'echo "${{PWD##*/}} {name} $*" >>{self.log}; exec {shutil.which(name)} "$@"')

    def calls(self) -> list[str]:
        return self.log.read_text().splitlines()

    def run(self, *words: str) -> Done:
        command = [str(SDET), "--operations", "1", "--iterations", "1", "--warmup", "0", *words]
        return subprocess.run(command, capture_output=True, text=True, check=False, timeout=PATIENCE, env=self.environment)

    @contextmanager
    def started(self, *words: str) -> Iterator[subprocess.Popen[bytes]]:
        with subprocess.Popen([str(SDET), "--operations", "1", *words], env=self.environment) as process:
            try:
                yield process
            finally:
                process.kill()

    def processes(self) -> list[str]:
        """Of this test, whoever's children they are."""
        return with_in_environment(f"PATH={self.bin}:")


@pytest.fixture
def lab(tmp_path: Path) -> Lab:
    return Lab(tmp_path)


def results(done: Done) -> list[dict[str, int]]:
    assert (done.returncode, done.stderr) == (0, "")
    return [json.loads(line) for line in done.stdout.splitlines()]


def test_an_operation_is_one_script_and_a_unit_one_of_each_process(lab: Lab) -> None:
    lines = results(lab.run("scripts=2", "--operations", "3", "--iterations", "2"))
    assert [(line["operations"], line["warmup"]) for line in lines] == [(4, False)] * 2
    assert min(line["elapsed_ns"] for line in lines) > 0


def test_each_process_runs_its_scripts_in_a_folder_of_its_own(lab: Lab) -> None:
    lab.logged("wc")
    results(lab.run("scripts=3", "--operations", "6"))
    assert sorted(lab.calls()) == sorted(f"{script} wc main.c table.c table.h Makefile text" for script in (0, 0, 1, 1, 2, 2))


def test_scripts_are_not_in_step(lab: Lab) -> None:
    lab.logged("awk", "cat", "head", "tar", "touch", "wc")
    results(lab.run("scripts=2"))
    one, other = ([call[2:] for call in lab.calls() if call.startswith(script)] for script in "01")
    assert sorted(one) == sorted(other)
    assert one != other


def test_every_run_and_every_iteration_does_the_same(lab: Lab) -> None:
    lab.logged("awk", "cat", "cc", "cp", "diff", "find", "head", "ls", "make", "rm", "sort", "tar", "touch")
    results(lab.run("--operations", "2", "--iterations", "2"))
    first = lab.calls()
    lab.log.unlink()
    results(lab.run("--operations", "2"))
    second = lab.calls()
    assert first == second + second


def test_one_command_of_a_script_follows_the_other(lab: Lab) -> None:
    lab.logged("cc", "cp", "diff", "rm", "sed", "tar", "touch", "wc")
    results(lab.run())
    calls = lab.calls()
    place = {call.removeprefix("0 "): number for number, call in enumerate(calls)}
    assert place["sed -i s/entry/record/g edited.c"] == place["cp table.c edited.c"] + 1
    assert place["diff -u table.c edited.c"] == place["cp table.c edited.c"] + 2


def test_what_a_script_compiles_is_run_and_counts(lab: Lab, tmp_path: Path) -> None:
    told = tmp_path / "told"
    lab.program("rm", f'[ "$1" = direct ] && ./direct text >{told}; exec {shutil.which("rm")} "$@"')
    results(lab.run())
    word, count = told.read_text().split()
    assert word.isalpha()
    assert int(count) > 1


def test_nothing_of_the_callers_environment_reaches_a_command(lab: Lab, tmp_path: Path) -> None:
    seen = tmp_path / "environment"
    lab.environment |= {"CC": "false", "MAKEFLAGS": "-k", "LC_ALL": "C.UTF-8", "GREP_OPTIONS": "-v"}
    lab.program("cat", f'env >{seen}; exec {shutil.which("cat")} "$@"')
    results(lab.run())
    names = {line.split("=")[0] for line in seen.read_text().splitlines()} - {"PWD", "OLDPWD", "SHLVL", "_"}
    assert names == {"LC_ALL", "PATH", "TMPDIR"}
    assert "LC_ALL=C\n" in seen.read_text()


@pytest.mark.parametrize("words", [(), ("scripts=8",), ("scripts=2", "--iterations", "2")], ids=lambda words: " ".join(words))
def test_no_folder_is_left_behind(words: tuple[str, ...], lab: Lab) -> None:
    results(lab.run(*words))
    assert list(lab.tmp.iterdir()) == []


@pytest.mark.parametrize(
    ("program", "commands", "told"),
    [
        pytest.param("wc", "exit 3", "'wc main.c table.c table.h Makefile text' ended with wait status 0x300, not 0x0", id="fails"),
        pytest.param("diff", "exit 0", "'diff -u table.c edited.c' ended with wait status 0x0, not 0x100", id="finds no change"),
        pytest.param("tar", "kill -9 $$", "ended with wait status 0x9, not 0x0", id="killed"),
        pytest.param("cc", 'echo "cc: broken" >&2; exit 1', "cc: broken", id="says why"),
    ],
)
@pytest.mark.parametrize("scripts", ["1", "4"])
def test_a_command_that_fails_is_a_failed_run(program: str, commands: str, told: str, scripts: str, lab: Lab) -> None:
    lab.program(program, commands)
    done = lab.run(f"scripts={scripts}")
    assert (done.returncode, done.stdout) == (1, "")
    assert told in done.stderr
    assert list(lab.tmp.iterdir()) == []
    assert lab.processes() == []


@pytest.mark.parametrize("missing", PACKAGES)
def test_a_missing_command_is_named_with_its_package(missing: str, lab: Lab) -> None:
    for folder in os.environ["PATH"].split(":"):
        for program in Path(folder).glob("*"):
            if program.name != missing and not (lab.bin / program.name).is_symlink():
                (lab.bin / program.name).symlink_to(program)
    lab.environment["PATH"] = str(lab.bin)
    done = lab.run()
    assert (done.returncode, done.stdout) == (77, "")
    assert done.stderr == f"not on this machine: {missing} (Debian package {PACKAGES[missing]})\n"
    assert list(lab.tmp.iterdir()) == []


def test_a_script_that_is_killed_is_a_failed_run(lab: Lab) -> None:
    lab.program("cat", "kill -9 $PPID")
    done = lab.run("scripts=2")
    assert (done.returncode, done.stdout, done.stderr) == (1, "", "a script was killed by signal 9\n")
    assert list(lab.tmp.iterdir()) == []


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_an_interrupted_run_cleans_up(number: signal.Signals, lab: Lab) -> None:
    lab.program("sort", f"touch {lab.log}; sleep 1000")
    with lab.started("scripts=3") as process:
        until(lab.log.exists)
        process.send_signal(number)
        assert process.wait(PATIENCE) == -number
    assert (list(lab.tmp.iterdir()), lab.processes()) == ([], [])


def test_no_command_outlives_a_killed_run(lab: Lab) -> None:
    lab.program("sort", f"touch {lab.log}; exec sleep 1000")
    with lab.started("scripts=3") as process:
        until(lab.log.exists)
        process.kill()
    until(lambda: lab.processes() == [])
