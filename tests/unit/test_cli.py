"""The program as it is typed: its help, its errors, and its answers from a store that a fake box filled."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import msgspec
import pytest
from tests.unit.builders import BROKEN, LOST, Kdelta, Lab, Mishaps, fill, kernel, plan, slot, sql

from kdelta.box import native, qemu
from kdelta.cli.main import COMMANDS
from kdelta.model.boot import Outcome
from kdelta.model.guest import BootReport
from kdelta.model.plan import BoxSpec
from kdelta.store.place import open_store

PROGRAM = [sys.executable, "-m", "kdelta"]
TWO = plan(("old", "new"), ("null", "ctx-2"), seeds=2)


@pytest.fixture
def store(tmp_path: Path) -> Path:
    """Where the program's store is; nothing is in it yet."""
    return tmp_path / "store.sqlite"


@pytest.fixture
def filled(store: Path) -> Path:
    fill(store, TWO)
    return store


# ---- help ----


def test_help_lists_exactly_the_commands(kdelta: Kdelta) -> None:
    listed = kdelta("--help").out.partition("Commands:\n")[2].splitlines()
    assert [line.split()[0] for line in listed] == list(COMMANDS)


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize("option", ["-h", "--help"])
def test_every_command_explains_itself(kdelta: Kdelta, command: str, option: str) -> None:
    result = kdelta(command, option)
    assert (result.code, result.err) == (0, "")
    assert f"kdelta {command} [" in result.out.splitlines()[0]


def test_without_a_command_the_help_is_shown_as_misuse(kdelta: Kdelta) -> None:
    result = kdelta()
    assert result.code == 2
    assert "Commands:\n  run " in result.out + result.err


def test_the_version_is_told(kdelta: Kdelta) -> None:
    assert kdelta("--version").out == "kdelta 0.1.0\n"


HEAVY = ("sqlalchemy", "rich", "qemu", "numpy", "asyncio", "msgspec")


@pytest.mark.parametrize("option", ["--help", "--version"])
def test_help_does_not_wait_for_heavy_imports(option: str) -> None:
    code = (
        f"import sys; sys.argv = ['kdelta', {option!r}]\n"
        "from kdelta.cli.main import main\n"
        "try: main()\n"
        f"finally: print('imported:', *[name for name in {HEAVY} if name in sys.modules], file=sys.stderr)"
    )
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ended.stderr == "imported:\n"


# ---- misuse ----

MISUSE = {
    "no kernel for the exact lab": ("run --exact", "no kernel is named", "kdelta run -k"),
    "another kernel on this machine": ("run -k apt:6.1", "runs another kernel than 'apt:6.1'", "--exact"),
    "a command without a unit": ("run --command true --regex (x)", "--command needs --unit", "--unit ms"),
    "a tree for nobody": ("run -b null --tree /etc", "has a `tree`", "kernbench"),
    "a budget without a unit": ("run -b null --budget 5", "--budget is '5'", "90s"),
    "quieting of a guest": ("run -k apt:6.1 --exact --quiet aslr", "nothing to quiet", "leave"),
    "empty kernel": ("run -k  --exact", "-k is empty", "-k apt:6.12"),
    "unknown benchmark": ("run -k apt:6.1 -b ctx2 --exact", "no benchmark or suite 'ctx2'", "did you mean 'ctx-2'?"),
    "unknown kernel scheme": ("run -k git:v6.1 -b null --exact", "no kind of kernel 'git'", "path:FILE"),
    "a text for a kernel": ("run -k path:note.txt -b null --exact", "is no kernel image", "bzImage is needed"),
    "no file for a kernel": ("run -k path:none -b null --exact", "cannot be read: No such file", "path of a kernel image"),
    "two variants of one name": ("run -k apt:6.1 -k apt:6.1 --exact", "two variants are called '6.1'", "name one of them"),
    "unknown baseline": ("run -k apt:6.1 --exact --baseline x", "'x'", "known: 6.1"),
    "no seed": ("run -k apt:6.1 --exact --seeds 0", "seeds is 0", "from 1 to 1000"),
    "a setting that sets nothing": ("run -k apt:6.1,sysctl.x --exact", "'sysctl.x' sets nothing", "sysctl.vm.overcommit_memory=1"),
    "no plan file": ("run none.toml", "none.toml cannot be read: No such file", "path of a plan"),
    "a text for a plan": ("run note.txt", "is not TOML", "docs/plans.md"),
    "two plans": ("run note.txt -k apt:6.1", "-k would be ignored", "leave it out"),
    "a plan and --resume": ("run note.txt --resume 1", "exclude each other", "in the store"),
    "--resume and options": ("run --resume 1 --seeds 5", "--seeds would be ignored", "leave it out"),
    "--resume of no run": ("run --resume 9", "there is no run 9", "kdelta runs"),
    "compare no run": ("compare 9", "there is no run 9", "kdelta runs"),
    "unknown statistic": ("compare --stat max", "'max' is not one of", "--help"),
    "unknown store": ("compare --store nonsense://x", "nonsense", "--store"),
    "profile of an unknown variant": ("profile nwe -b null", "'nwe'", "did you mean 'new'?"),
    "difference of one": ("diffprofile old", "one variant has no difference", "kdelta diffprofile A B"),
    "difference with an unknown": ("diffprofile old nwe", "'nwe'", "did you mean 'new'?"),
    "difference of an unknown benchmark": ("diffprofile -b nul", "'nul'", "did you mean 'null'?"),
    "unknown command": ("comprae", "No such command 'comprae'", "--help"),
    "unknown option": ("runs --jsn", "No such option '--jsn'", "--help"),
}


@pytest.mark.parametrize(("words", "what", "advice"), MISUSE.values(), ids=MISUSE)
def test_misuse_is_told_with_what_is_wrong_and_what_to_do(
    kdelta: Kdelta, filled: Path, monkeypatch: pytest.MonkeyPatch, words: str, what: str, advice: str
) -> None:
    (filled.parent / "note.txt").write_text("dear diary, today I measured nothing\n" * 99)
    monkeypatch.chdir(filled.parent)
    result = kdelta(*[word.replace(",sysctl", " sysctl") for word in words.split(" ")])
    assert result.code == 2
    assert what in result.err
    assert advice in result.err.replace(what, "")


def test_an_error_is_what_is_wrong_and_on_the_next_line_what_to_do(kdelta: Kdelta) -> None:
    assert kdelta("compare").err == (
        "kdelta: the store holds no run yet\n  measure one: kdelta run -k apt:oldest -k apt:newest -b quick --exact\n"
    )


# ---- what the store holds ----


def rows(text: str) -> dict[str, str]:
    """The lines of the first table, by benchmark."""
    table = text.partition("---\n")[2].partition("\n\n")[0]
    return {name.strip(): " ".join(cells.split()) for name, _, cells in (line.partition(":") for line in table.splitlines())}


def test_compare_prints_value_and_percent_against_the_first_column(kdelta: Kdelta, filled: Path) -> None:
    result = kdelta("compare")
    assert (result.code, result.err) == (0, "")
    assert rows(result.out) == {"null": "100.00 150.00 ( 50%)", "ctx-2": "400.00 160.00 (-60%)"}


def test_compare_tells_which_run_it_is_and_what_measured_it(kdelta: Kdelta, filled: Path) -> None:
    out = kdelta("compare").out
    assert out.startswith("Run 1, 2024-02-29 12:34 UTC: 4 boots (seeds 1 to 2).\n")
    assert "QEMU 7.2.22" in out


def test_compare_takes_the_newest_run_or_the_one_that_is_named(kdelta: Kdelta, filled: Path) -> None:
    fill(filled, plan(("old",), ("null",)), started="2025-01-01T00:00:00+00:00")
    assert [kdelta("compare", *number).out.partition(",")[0] for number in ((), ("1",), ("2",))] == ["Run 2", "Run 1", "Run 2"]


UNEVEN: dict[str, tuple[Mishaps, str]] = {
    "a failed cell": ({("new", 1): BROKEN, ("new", 2): BROKEN}, "new: seed 1, 2 failed: exit status 1: no memory"),
    "a lost boot": ({("new", 1): LOST, ("new", 2): LOST}, "Boot of new on exact, seed 2: lost: QEMU ended with status -9"),
}


@pytest.mark.parametrize(("mishaps", "said"), UNEVEN.values(), ids=UNEVEN)
def test_compare_of_a_table_with_a_hole_ends_with_4_and_says_why(kdelta: Kdelta, store: Path, mishaps: Mishaps, said: str) -> None:
    fill(store, TWO, mishaps)
    result = kdelta("compare")
    assert (result.code, rows(result.out)["null"]) == (4, "100.00 failed")
    assert said in result.out


def test_the_raw_results_hold_every_sample_in_the_plans_order(kdelta: Kdelta, filled: Path) -> None:
    raw = json.loads(kdelta("compare", "--json").out)
    assert (set(raw), len(raw["boots"])) == ({"plan", "kernels", "boots", "verdicts"}, 4)
    assert [boot["seed"] for boot in raw["boots"]] == [1, 1, 2, 2]
    assert {len(boot["samples"]) for boot in raw["boots"]} == {8}


def test_the_raw_results_do_not_depend_on_when_and_how_fast_they_were_measured(kdelta: Kdelta, filled: Path) -> None:
    fill(filled, TWO, started="2031-12-31T23:59:59+00:00", jobs=3)
    sql(filled, "UPDATE endings SET host_seconds = boot")
    assert kdelta("compare", "1", "--json").out == kdelta("compare", "2", "--json").out


def test_runs_lists_each_run_with_its_progress(kdelta: Kdelta, filled: Path) -> None:
    assert kdelta("runs").out == "   1  2024-02-29T12:34  4/4 boots  2 benchmarks  old, new\n"


def test_a_boot_that_was_begun_and_never_ended_is_no_progress(kdelta: Kdelta, store: Path) -> None:
    with closing(open_store(str(store))) as opened:
        run = opened.begin(plan(("old",)), {"old": kernel()}, uuid="u", started="2024-02-29T12:34:56+00:00", kdelta_version="0")
        opened.open_boot(run.id, slot(), kernel())
    assert kdelta("runs").out == "   1  2024-02-29T12:34  0/1 boots  1 benchmarks  old\n"


SEARCHES = {
    "a release": (("--kernel", "old"), [1, 2]),
    "a specification": (("--kernel", "vmlinuz-newer"), [2]),
    "no kernel": (("--kernel", "6.12"), []),
    "a benchmark": (("--benchmark", "ctx-2"), [1]),
    "a part of a benchmark": (("--benchmark", "ctx"), []),
    "both": (("-k", "old", "-b", "null"), [1, 2]),
    "both of no one run": (("-k", "newer", "-b", "ctx-2"), []),
}


@pytest.mark.parametrize(("words", "runs"), SEARCHES.values(), ids=SEARCHES)
def test_runs_are_found_by_kernel_and_benchmark(kdelta: Kdelta, filled: Path, words: tuple[str, ...], runs: list[int]) -> None:
    with closing(open_store(str(filled))) as opened:
        kernels = {"old": kernel("old"), "newer": kernel("newer")}
        opened.begin(plan(("old", "newer")), kernels, uuid="u", started="2025-02-29T12:34:56+00:00", kdelta_version="0")
    result = kdelta("runs", *words)
    assert [int(line.split()[0]) for line in result.out.splitlines()] == runs
    assert result.err == ("" if runs else f"no such runs in {filled}\n")
    assert [one["id"] for one in json.loads(kdelta("runs", "--json", *words).out)] == runs


def test_runs_of_an_empty_store_says_where_it_looked(kdelta: Kdelta, store: Path) -> None:
    result = kdelta("runs")
    assert (result.code, result.out, result.err) == (0, "", f"no runs in {store}\n")


@pytest.mark.parametrize("words", ["compare", "runs", "profile -b null", "diffprofile", "workloads", "doctor"])
def test_what_is_listed_is_listed_as_json_too(kdelta: Kdelta, filled: Path, words: str, bare_machine: None) -> None:
    assert json.loads(kdelta(*words.split(), "--json").out)


@pytest.fixture
def bare_machine(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """No program is on the PATH."""
    monkeypatch.setenv("PATH", str(tmp_path))
    for cached in (qemu.find, native.shell):
        cached.cache_clear()


def test_doctor_on_a_machine_without_qemu_ends_with_2_and_looks_at_everything_else(kdelta: Kdelta, bare_machine: None) -> None:
    result = kdelta("doctor")
    assert result.code == 2
    assert "missing  QEMU: QEMU is not here" in result.out
    assert "         -> install it: apt-get install qemu-system-x86" in result.out
    assert "ok       store: " in result.out


# ---- the output's reader ----


def test_a_reader_that_wants_one_line_gets_it_and_no_traceback(filled: Path) -> None:
    writer = subprocess.Popen([*PROGRAM, "compare", "--json"], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert writer.stdout is not None
    first = subprocess.run(["head", "-1"], stdin=writer.stdout, capture_output=True, check=True).stdout
    assert (first, writer.communicate()[1]) == (b"{\n", b"")


def test_a_reader_that_has_gone_is_no_failure(filled: Path) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    ended = subprocess.run([*PROGRAM, "compare"], stdout=writing, stderr=subprocess.PIPE)
    os.close(writing)
    assert (ended.returncode, ended.stderr) == (0, b"")


# ---- run, in a lab that is none ----

RUN = ["run", "-k", "old=path:old", "-k", "new=path:new", "-b", "null", "-b", "ctx-2", "--exact", "--seeds", "2", "--jobs", "1"]
ENDS: dict[str, tuple[Mishaps, int]] = {
    "good": ({}, 0),
    "a failed cell": ({("new", 1): BROKEN, ("new", 2): BROKEN}, 4),
    "a lost boot": ({("new", 1): LOST}, 3),
    "an interrupt": ({("new", 2): KeyboardInterrupt()}, 130),
}


@pytest.fixture
def lab(monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    monkeypatch.setattr("kdelta.cli.measure.ExactBox", Lab)
    monkeypatch.setattr("kdelta.cli.measure.resolve", lambda spec: kernel(spec.removeprefix("path:").removeprefix("vmlinuz-")))
    return monkeypatch


@pytest.mark.parametrize(("mishaps", "code"), ENDS.values(), ids=ENDS)
def test_a_run_ends_with_the_code_of_what_came_of_it(kdelta: Kdelta, lab: pytest.MonkeyPatch, mishaps: Mishaps, code: int) -> None:
    lab.setattr(Lab, "mishaps", mishaps)
    assert kdelta(*RUN).code == code


@pytest.mark.parametrize("mishap", [LOST, KeyboardInterrupt()], ids=["lost", "interrupted"])
def test_what_is_missing_is_measured_by_resume(kdelta: Kdelta, lab: pytest.MonkeyPatch, mishap: BootReport | BaseException) -> None:
    lab.setattr(Lab, "mishaps", {("new", 2): mishap})
    assert "kdelta run --resume 1" in kdelta(*RUN).err
    lab.setattr(Lab, "mishaps", {("old", 1): BROKEN})
    result = kdelta("run", "--resume", "1")
    assert (result.code, rows(result.out)["null"]) == (0, "100.00 150.00 ( 50%)")


def test_a_run_is_not_resumed_with_another_qemu(kdelta: Kdelta, lab: pytest.MonkeyPatch) -> None:
    kdelta(*RUN)
    lab.setattr(Lab, "qemu", "9.0.0")
    assert "measured with another qemu: '7.2.22', now '9.0.0'" in kdelta("run", "--resume", "1").err


def test_a_run_is_not_resumed_with_another_image(kdelta: Kdelta, lab: pytest.MonkeyPatch) -> None:
    kdelta(*RUN)
    lab.setattr("kdelta.cli.measure.resolve", lambda spec: kernel("newer"))
    result = kdelta("run", "--resume", "1")
    assert (result.code, result.out) == (2, "")
    assert "is another kernel now (newer) than when run 1 began (new)" in result.err


def test_a_boot_that_had_too_little_time_is_repeated_by_resume(kdelta: Kdelta, lab: pytest.MonkeyPatch) -> None:
    lab.setattr(Lab, "mishaps", {("new", 2): msgspec.structs.replace(LOST, outcome=Outcome.HANG)})
    kdelta(*RUN)
    lab.setattr(Lab, "mishaps", {})
    assert ": hang:" not in kdelta("run", "--resume", "1", "--boot-limit", "900").out


@pytest.mark.parametrize("words", ["profile -b null --box exact-2", "diffprofile old new -b null --box exact-2"])
def test_a_box_that_the_run_has_not_is_told_with_those_it_has(kdelta: Kdelta, filled: Path, words: str) -> None:
    result = kdelta(*words.split())
    assert (result.code, result.out) == (2, "")
    assert "there is no box 'exact-2' in run 1" in result.err


@pytest.mark.parametrize("box", ["one", "two"])
def test_a_profile_is_that_of_one_box(kdelta: Kdelta, store: Path, box: str) -> None:
    fill(store, plan(seeds=2, boxes=[BoxSpec(name="one"), BoxSpec(name="two", cpus=2)]))
    assert kdelta("profile", "-b", "null", "--box", box).out.startswith("Profile of null on old, ")
    assert kdelta("profile", "-b", "null", "--box", box).out.splitlines()[0].endswith(", 2 boots")
