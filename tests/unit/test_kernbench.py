"""kernbench, on a miniature of a kernel tree whose Makefile has kbuild's interface."""

from __future__ import annotations

import ctypes
import json
import os
import select
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from tests.unit.programs import until, with_in_environment

import kdelta

KERNBENCH = Path(kdelta.__file__).parent / "native" / "workloads" / "kernbench"
PATIENCE = 120
"""Seconds until a program counts as hung."""
PARTS = 6
CPUS = len(os.sched_getaffinity(0))
TOOLS = {"make": "make", "gcc": "gcc", "ld": "binutils", "flex": "flex", "bison": "bison", "bc": "bc"}
METRICS = ["elapsed_s", "user_s", "system_s", "percent_cpu", "context_switches", "sleeps", "peak_tasks"]

# A recipe may be given for one part in EXTRA: it is run before the part is compiled.
MAKEFILE = """
ifeq ($(O),)
$(error this tree is only built with O=)
endif
parts := $(patsubst %.c,$(O)/%.o,$(wildcard part*.c))
.PHONY: vmlinux tinyconfig defconfig olddefconfig clean
vmlinux: $(parts)
	cat $(parts) >$(O)/vmlinux
$(O)/%.o: %.c
	$(EXTRA)
	gcc -O2 -c -o $@ $<
tinyconfig defconfig:
	echo $@ >$(O)/.config
olddefconfig:
	echo $@ >>$(O)/.config
clean:
	rm -f $(O)/*.o $(O)/vmlinux
"""

Done = subprocess.CompletedProcess[str]


class Lab:
    """A tree, a folder for temporary files, and stand-ins in a folder at the front of PATH."""

    def __init__(self, folder: Path) -> None:
        self.tree, self.tmp, self.bin = (folder / name for name in ("tree", "tmp", "bin"))
        for one in (self.tree, self.tmp, self.bin):
            one.mkdir()
        self.calls = folder / "calls"
        (self.tree / "Makefile").write_text(MAKEFILE)
        (self.tree / "Kconfig").touch()
        for part in range(PARTS):
            (self.tree / f"part{part}.c").write_text(f"int part{part}(int x) {{ return x * {part}; }}\n")
        for tool in ("flex", "bison", "bc"):
            self.program(tool, "exit 1")
        self.program("make", f'echo "$@" >>{self.calls}; exec {shutil.which("make")} "$@"')
        self.environment = {**os.environ, "TMPDIR": str(self.tmp), "PATH": f"{self.bin}:{os.environ['PATH']}", "LAB": str(folder)}

    def program(self, name: str, commands: str, shell: str = "/bin/sh") -> None:
        (self.bin / name).write_text(f"#!{shell}\n{commands}\n")
        (self.bin / name).chmod(0o755)

    def before_parts(self, commands: str) -> None:
        """Shell commands that the build runs before it compiles a part."""
        makefile = self.tree / "Makefile"
        makefile.write_text(MAKEFILE.replace("$(EXTRA)", commands))

    def command(self, *words: str) -> list[str]:
        given = "".join(words)
        return [str(KERNBENCH), *words, *([] if "tree=" in given else [f"tree={self.tree}"])]

    def run(self, *words: str) -> Done:
        command = self.command(*words)
        return subprocess.run(command, capture_output=True, text=True, check=False, timeout=PATIENCE, env=self.environment)

    def once(self, *words: str) -> dict[str, Any]:
        (line,) = results(self.run("--warmup", "0", "--iterations", "1", *words))
        return line

    @contextmanager
    def started(self, *words: str) -> Iterator[subprocess.Popen[str]]:
        with subprocess.Popen(self.command(*words), stdout=subprocess.PIPE, text=True, env=self.environment) as process:
            try:
                yield process
            finally:
                process.kill()

    def made(self) -> list[str]:
        """What make was called for: its words without those that are the same for all calls."""
        words = [line.split() for line in self.calls.read_text().splitlines()]
        assert {tuple(one[:3]) for one in words} == {("-C", str(self.tree), f"O={self.folder}")}
        return [" ".join(one[3:]) for one in words]

    @property
    def folder(self) -> Path:
        (only,) = self.tmp.iterdir()
        return only

    def processes(self) -> list[str]:
        """Of this test, whoever's children they are."""
        return with_in_environment(f"\0LAB={self.environment['LAB']}\0")


@pytest.fixture
def lab(tmp_path: Path) -> Lab:
    return Lab(tmp_path)


def results(done: Done) -> list[dict[str, Any]]:
    assert (done.returncode, done.stderr) == (0, "")
    return [json.loads(line) for line in done.stdout.splitlines()]


def test_each_build_is_one_line_of_json(lab: Lab) -> None:
    lines = results(lab.run("--warmup", "2", "--iterations", "2", "--operations", "5", "--interval-ms", "7"))
    assert [list(line) for line in lines] == [["iteration", "warmup", "metrics"]] * 4
    assert [(line["iteration"], line["warmup"]) for line in lines] == [(-2, True), (-1, True), (0, False), (1, False)]
    assert [list(line["metrics"]) for line in lines] == [METRICS] * 4


def test_the_numbers_of_a_build_can_be_true(lab: Lab) -> None:
    found = lab.once()["metrics"]
    assert found["elapsed_s"] > 0
    assert 0 < found["user_s"] + found["system_s"] <= found["elapsed_s"] * (os.cpu_count() or 1)
    assert found["percent_cpu"] == pytest.approx(100 * (found["user_s"] + found["system_s"]) / found["elapsed_s"], rel=1e-5)


# In make's place, a program that runs it, sleeps, and writes down what both have used until just before the end.
ACCOUNTANT = """
import json, resource, subprocess, sys, time
start = time.monotonic()
status = subprocess.call([{make!r}, *sys.argv[1:]])
for _ in range(300):
    time.sleep(0.0001)
one, other = resource.getrusage(resource.RUSAGE_SELF), resource.getrusage(resource.RUSAGE_CHILDREN)
names = "ru_utime", "ru_stime", "ru_nvcsw", "ru_nivcsw"
used = {{name: getattr(one, name) + getattr(other, name) for name in names}}
json.dump({{**used, "elapsed": time.monotonic() - start}}, open({report!r}, "w"))
sys.exit(status)
"""
# What each metric is, and how much more of it the end of that program may take.
ACCOUNTS = {
    "elapsed_s": ("elapsed", 60),
    "user_s": ("ru_utime", 0.5),
    "system_s": ("ru_stime", 0.5),
    "sleeps": ("ru_nvcsw", 50),
    "context_switches": ("ru_nivcsw", 200),
}


def test_what_a_build_took_is_what_wait4_says(lab: Lab, tmp_path: Path) -> None:
    report = tmp_path / "report"
    lab.program("make", ACCOUNTANT.format(make=shutil.which("make"), report=str(report)), f"{sys.executable} -ES")
    found, used = lab.once()["metrics"], json.loads(report.read_text())
    beyond = {metric: found[metric] - used[name] for metric, (name, _) in ACCOUNTS.items()}
    assert [metric for metric, (_, slack) in ACCOUNTS.items() if not -1e-5 <= beyond[metric] <= slack] == [], beyond


@pytest.mark.machine
def test_peak_tasks_is_by_how_much_the_tasks_rose(lab: Lab) -> None:
    sleepers = " ".join(f"sleeper{number}" for number in range(200))
    (lab.tree / "Makefile").write_text(f"{MAKEFILE}\nsleepers: {sleepers}\n{sleepers}:\n\tsleep 1\n")
    assert lab.once("load=maximal", "target=sleepers")["metrics"]["peak_tasks"] >= 100


@pytest.mark.parametrize(
    ("load", "jobs"),
    [
        ("single", "-j1"),
        ("half", f"-j{max(1, CPUS // 2)}"),
        ("optimal", f"-j{4 * CPUS}"),
        ("2x", f"-j{2 * CPUS}"),
        ("16x", f"-j{16 * CPUS}"),
        ("maximal", "-j"),
        ("3", "-j3"),
    ],
)
def test_a_load_is_a_number_of_jobs(load: str, jobs: str, lab: Lab) -> None:
    lab.once(f"load={load}")
    assert lab.made() == ["tinyconfig", "clean", f"{jobs} vmlinux"]


def test_a_load_is_of_the_cpus_that_may_be_used(lab: Lab) -> None:
    lab.once("load=2x", "--cpu", str(min(os.sched_getaffinity(0))))
    assert lab.made()[-1] == "-j2 vmlinux"


def test_before_each_build_is_a_clean(lab: Lab) -> None:
    results(lab.run("--warmup", "1", "--iterations", "2", "load=5"))
    assert lab.made() == ["tinyconfig", *["clean", "-j5 vmlinux"] * 3]


def test_a_word_names_the_configuration(lab: Lab) -> None:
    lab.once("config=defconfig")
    assert (lab.folder / ".config").read_text() == "defconfig\n"


def test_a_file_is_copied_and_completed(lab: Lab, tmp_path: Path) -> None:
    file = tmp_path / "config"
    file.write_text("CONFIG_64BIT=y\n")
    lab.once(f"config={file}")
    assert (lab.folder / ".config").read_text() == "CONFIG_64BIT=y\nolddefconfig\n"


def test_the_configured_folder_is_used_again(lab: Lab) -> None:
    lab.once("load=1")
    (lab.folder / "kept").touch()
    lab.once("load=2")
    assert (lab.folder / "kept").exists()
    assert lab.made() == ["tinyconfig", "clean", "-j1 vmlinux", "olddefconfig", "clean", "-j2 vmlinux"]


def test_a_configuration_that_was_broken_off_is_made_again(lab: Lab) -> None:
    lab.once("load=1")
    (lab.folder / "kernbench.configured").unlink()
    lab.once("load=1")
    assert lab.made()[3] == "tinyconfig"


def test_another_configuration_or_tree_has_a_folder_of_its_own(lab: Lab, tmp_path: Path) -> None:
    file = tmp_path / "config"
    other = shutil.copytree(lab.tree, tmp_path / "other")
    for content in ("A", "B"):
        file.write_text(content)
        lab.once(f"config={file}")
    lab.once("config=defconfig")
    lab.once(f"tree={other}", "config=defconfig")
    assert len(list(lab.tmp.iterdir())) == 4


def test_the_tree_is_not_written_to(lab: Lab) -> None:
    def look() -> dict[str, tuple[int, int]]:
        return {str(path): (path.stat().st_mtime_ns, path.stat().st_size) for path in (lab.tree, *lab.tree.rglob("*"))}

    before = look()
    lab.run()
    assert look() == before


@pytest.mark.parametrize(("warmup", "read"), [("1", True), ("0", False)])
def test_a_warm_up_reads_the_whole_tree_first(warmup: str, read: bool, lab: Lab) -> None:
    unused = lab.tree / "Documentation.rst"
    unused.write_text("no build reads this")
    os.mkfifo(lab.tree / "fifo")
    (lab.tree / "dangling").symlink_to("nowhere")
    libc, in_access = ctypes.CDLL(None), 1
    with os.fdopen(libc.inotify_init1(os.O_NONBLOCK), "rb", buffering=0) as watch:
        libc.inotify_add_watch(watch.fileno(), os.fsencode(unused), in_access)
        assert len(results(lab.run("--warmup", warmup, "--iterations", "1"))) == 1 + read
        assert bool(watch.read(4096)) == read


def test_a_build_has_the_same_environment_whoever_starts_it(lab: Lab, tmp_path: Path) -> None:
    seen = tmp_path / "environment"
    lab.program("make", f'env >{seen}; exec {shutil.which("make")} "$@"')
    lab.environment |= {"LC_ALL": "C.UTF-8", "MAKEFLAGS": "-k", "MAKELEVEL": "1", "KBUILD_OUTPUT": "elsewhere"}
    lab.once()
    lines = seen.read_text().splitlines()
    assert {"LC_ALL=C", "CCACHE_DISABLE=1", "KBUILD_BUILD_USER=kernbench", "KBUILD_BUILD_HOST=kernbench"} <= set(lines)
    assert [line for line in lines if line.startswith("KBUILD_BUILD_TIMESTAMP=")] != []
    assert [line for line in lines if line.startswith(("MAKE", "KBUILD_OUTPUT"))] == []


def test_a_build_is_told_as_soon_as_it_is_done(lab: Lab, tmp_path: Path) -> None:
    first, go = tmp_path / "first", tmp_path / "go"
    wait = f"*vmlinux*) [ -e {first} ] && until [ -e {go} ]; do sleep 0.05; done; touch {first};;"
    lab.program("make", f'case "$*" in {wait} esac; exec {shutil.which("make")} "$@"')
    with lab.started("--warmup", "0", "--iterations", "2") as process:
        assert process.stdout is not None
        assert select.select([process.stdout], [], [], PATIENCE)[0] != []
        assert json.loads(process.stdout.readline())["iteration"] == 0
        go.touch()
        assert json.loads(process.stdout.readline())["iteration"] == 1
        assert process.wait(PATIENCE) == 0


def test_a_build_that_fails_is_told_with_the_end_of_its_log(lab: Lab) -> None:
    (lab.tree / "part3.c").write_text("#error this part is broken\n")
    done = lab.run("--warmup", "0", "load=1")
    first, *rest = done.stderr.splitlines()
    assert (done.returncode, done.stdout) == (1, "")
    assert first.startswith("make -j1 vmlinux ended with wait status 512; the end of ")
    assert any("this part is broken" in line for line in rest)


def test_of_a_long_log_the_last_ten_lines_are_shown(lab: Lab) -> None:
    lab.before_parts("i=0; while [ $$i -lt 300 ]; do i=$$((i + 1)); echo $$i of a long log; done; exit 3")
    done = lab.run("--warmup", "0", "load=1")
    shown = done.stderr.splitlines()[1:]
    assert shown == (lab.folder / "kernbench.log").read_text().splitlines()[-10:]
    assert "300 of a long log" in shown


def test_a_configuration_that_fails_is_told(lab: Lab) -> None:
    (lab.tree / "Makefile").write_text("tinyconfig:\n\t@echo no such thing; exit 1\n")
    done = lab.run()
    assert (done.returncode, done.stdout) == (1, "")
    assert "make tinyconfig ended with" in done.stderr
    assert "no such thing" in done.stderr


@pytest.mark.parametrize("left", [".config", "include/config/auto.conf", "arch/x86/include/generated/asm.h"])
def test_a_tree_that_was_built_in_is_refused(left: str, lab: Lab) -> None:
    (lab.tree / left).parent.mkdir(parents=True, exist_ok=True)
    (lab.tree / left).touch()
    done = lab.run()
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (77, "", 1)
    assert "run make mrproper there, or give a git worktree" in done.stderr


@pytest.mark.parametrize("missing", TOOLS)
def test_a_missing_tool_is_named_with_its_package(missing: str, lab: Lab) -> None:
    for tool in TOOLS:
        lab.program(tool, "exit 1")
    (lab.bin / missing).unlink()
    lab.environment["PATH"] = str(lab.bin)
    done = lab.run()
    assert (done.returncode, done.stdout) == (77, "")
    assert done.stderr == f"not on this machine: {missing} (Debian packages: {TOOLS[missing]})\n"


@pytest.mark.parametrize(
    ("words", "told"),
    [
        pytest.param(("load=lots",), "load=lots: single, half, optimal, 2x, 16x, maximal or a whole number", id="load"),
        pytest.param(("config=nowhere",), "config=nowhere: tinyconfig, defconfig or a file is needed: No such file", id="config"),
        pytest.param(("target=-n",), "target=-n: ", id="an option for a target"),
        pytest.param(("target=O=here",), "target=O=here: ", id="a variable for a target"),
        pytest.param(("tree=nowhere",), "tree=nowhere: No such file or directory", id="no such tree"),
        pytest.param(("tree=/proc",), "tree=/proc: no kernel sources: there must be a Makefile and a Kconfig", id="no tree"),
        pytest.param(("tree=",), "tree=PATH is needed", id="tree missing"),
        pytest.param(("--getppid", "3"), "getppid=3: ", id="known change"),
    ],
)
def test_misuse_is_told(words: tuple[str, ...], told: str, lab: Lab) -> None:
    done = lab.run(*words)
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)
    assert told in done.stderr


@pytest.mark.parametrize("name", ["a tree", "a:tree"])
def test_a_path_that_kbuild_does_not_take_is_told(name: str, lab: Lab, tmp_path: Path) -> None:
    tree = shutil.copytree(lab.tree, tmp_path / name)
    done = lab.run(f"tree={tree}")
    assert (done.returncode, done.stderr) == (77, f"tree={tree}: kbuild takes no path with a space or a colon\n")


def test_a_result_that_cannot_be_written_is_a_failure(lab: Lab) -> None:
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(lab.command(), stdout=full, stderr=subprocess.PIPE, text=True, check=False, env=lab.environment)
    assert (done.returncode, done.stderr) == (1, "stdout: No space left on device\n")


def test_two_do_not_build_in_one_folder(lab: Lab) -> None:
    lab.before_parts("sleep 1000")
    with lab.started():
        until(lambda: lab.calls.exists() and "vmlinux" in lab.calls.read_text())
        done = lab.run()
    assert (done.returncode, done.stdout) == (77, "")
    assert f"another kernbench builds in {lab.folder}" in done.stderr


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM])
def test_nothing_of_a_build_outlives_a_killed_kernbench(number: signal.Signals, lab: Lab) -> None:
    lab.before_parts("sleep 1000")
    with lab.started("load=maximal") as process:
        until(lambda: len(lab.processes()) > PARTS)
        process.send_signal(number)
        assert process.wait(PATIENCE) == -number
    until(lambda: lab.processes() == [])


def test_nothing_of_a_build_outlives_a_kernbench_that_fails(lab: Lab) -> None:
    lab.before_parts("sleep 1000 & exit 1")
    assert lab.run().returncode == 1
    until(lambda: lab.processes() == [])
