"""The workloads, run on this machine as a user runs them."""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import subprocess
from pathlib import Path

import msgspec
import pytest
from tests.unit.programs import FOLDER, PATIENCE, refused, results, run

from kdelta.model.benchmark import Benchmark
from kdelta.model.guest import ProgramRun
from kdelta.workload.catalogue import BENCHMARKS, PARAMETERS, Parameter
from kdelta.workload.output import read

# Each program with the least work that is still whole.
SMALL: dict[str, tuple[str, ...]] = {
    "null": (),
    "open": ("names=3",),
    "select": ("descriptors=10",),
    "mmap": ("size=65536",),
    "pagefault": (),
    "proc": (),
    "ctx": ("procs=3", "size=64"),
    "hackbench": ("groups=1",),
    "volano": ("rooms=2", "users=3"),
    "pingpong": (),
    "file": (),
}
OTHER_OUTPUT = {"kernbench", "sdet"}
"""They run other programs, take long, and have tests of their own."""
PROGRAMS = [pytest.param(program, id=program) for program in SMALL]
NUMBERS = [
    pytest.param(program, parameter, id=f"{program}-{parameter.name}")
    for program, parameters in PARAMETERS.items()
    if program in SMALL
    for parameter in parameters
    if not parameter.words
]
WORDS = [
    pytest.param(program, parameter, id=f"{program}-{parameter.name}")
    for program, parameters in PARAMETERS.items()
    if program in SMALL
    for parameter in parameters
    if parameter.words
]
HERE = [pytest.param(benchmark, id=benchmark.name) for benchmark in BENCHMARKS if benchmark.program in SMALL]


def test_every_program_of_the_catalogue_is_tried() -> None:
    assert SMALL.keys() | OTHER_OUTPUT == PARAMETERS.keys()


@pytest.mark.parametrize("program", PROGRAMS)
def test_each_iteration_is_one_line_of_json(program: str, tmp_path: Path) -> None:
    lines = results(run(tmp_path, program, "--operations", "1", "--iterations", "2", *SMALL[program]))
    assert [list(line) for line in lines] == [["iteration", "operations", "elapsed_ns", "warmup"]] * 3
    assert [(line["iteration"], line["warmup"]) for line in lines] == [(-1, True), (0, False), (1, False)]
    assert min(line["elapsed_ns"] for line in lines) > 0


@pytest.mark.parametrize("benchmark", HERE)
def test_every_benchmark_of_the_catalogue_runs_here(benchmark: Benchmark, tmp_path: Path) -> None:
    asked = msgspec.structs.replace(benchmark, operations=1, iterations=1)
    done = run(tmp_path, asked.program, "--warmup", "0", *asked.arguments())
    (reading,) = read(asked, [ProgramRun(lines=tuple(done.stdout.splitlines()))])
    assert (done.returncode, len(reading.samples), reading.warnings) == (0, 1, ())


@pytest.mark.parametrize("warmup", ["0", "3"])
def test_the_warm_up_is_as_long_as_asked(warmup: str, tmp_path: Path) -> None:
    lines = results(run(tmp_path, "null", "--operations", "1", "--iterations", "1", "--warmup", warmup))
    assert [line["iteration"] for line in lines] == [*range(-int(warmup), 0), 0]


@pytest.mark.parametrize(
    ("program", "words", "asked", "done"),
    [
        pytest.param("null", (), 7, 7, id="null"),
        pytest.param("open", (), 7, 7, id="open"),
        pytest.param("select", (), 7, 7, id="select"),
        pytest.param("mmap", ("size=4096",), 7, 7, id="mmap"),
        pytest.param("pagefault", (), 7, 7, id="pagefault"),
        pytest.param("pagefault", ("pages=file",), 7, 7, id="pagefault-file"),
        pytest.param("pagefault", ("procs=3",), 7, 7, id="pagefault-those of one process"),
        pytest.param("proc", (), 7, 7, id="proc"),
        pytest.param("ctx", ("procs=3",), 9, 9, id="ctx-whole rounds"),
        pytest.param("ctx", ("procs=3",), 7, 9, id="ctx-rounded up"),
        pytest.param("hackbench", ("groups=1",), 400, 400, id="hackbench-whole loop"),
        pytest.param("hackbench", ("groups=2",), 801, 1600, id="hackbench-rounded up"),
        pytest.param("volano", ("rooms=2", "users=3"), 18, 18, id="volano-all to all"),
        pytest.param("volano", ("rooms=2", "users=3"), 19, 36, id="volano-rounded up"),
        pytest.param("pingpong", (), 7, 7, id="pingpong"),
        pytest.param("file", ("work=create",), 7, 7, id="file-create"),
        pytest.param("file", ("work=delete",), 7, 7, id="file-delete"),
        pytest.param("file", ("work=small",), 7, 7, id="file-small"),
    ],
)
def test_fixed_operations_are_kept_up_to_a_whole_unit(
    program: str, words: tuple[str, ...], asked: int, done: int, tmp_path: Path
) -> None:
    lines = results(run(tmp_path, program, "--operations", str(asked), *words))
    assert {line["operations"] for line in lines} == {done}


@pytest.mark.parametrize("program", PROGRAMS)
def test_the_known_change_leaves_the_operations_as_they_are(program: str, tmp_path: Path) -> None:
    plain = results(run(tmp_path, program, "--operations", "6", *SMALL[program]))
    changed = results(run(tmp_path, program, "--operations", "6", "--getppid", "3", *SMALL[program]))
    assert [line["operations"] for line in changed] == [line["operations"] for line in plain]


# Calibration stops at the first iteration that is long enough, and the same work may be faster later, with warm caches, or with
# nobody in between: the interval has room for that.
@pytest.mark.machine
@pytest.mark.parametrize("program", PROGRAMS)
def test_a_calibrated_iteration_is_long_enough(program: str, tmp_path: Path) -> None:
    lines = results(run(tmp_path, program, "--interval-ms", "20", "--iterations", "2", *SMALL[program]))
    assert min(line["elapsed_ns"] for line in lines) >= 1_000_000


def test_calibration_doubles_the_units(tmp_path: Path) -> None:
    lines = results(run(tmp_path, "ctx", "--interval-ms", "1", "procs=3"))
    (operations,) = {line["operations"] for line in lines}
    assert (operations % 3, (operations // 3).bit_count()) == (0, 1)


@pytest.mark.parametrize(
    ("over", "task"), [(over, task) for over in ("socket", "pipe") for task in ("process", "thread")], ids=lambda word: str(word)
)
def test_hackbench_runs_over_each_carrier_with_each_kind_of_task(over: str, task: str, tmp_path: Path) -> None:
    lines = results(run(tmp_path, "hackbench", "--operations", "800", "groups=2", "bytes=64", f"over={over}", f"as={task}"))
    assert {line["operations"] for line in lines} == {800}


@pytest.mark.parametrize(("program", "parameter"), NUMBERS)
def test_a_number_beyond_its_bounds_is_misuse(program: str, parameter: Parameter, tmp_path: Path) -> None:
    beyond = (parameter.least - 1, parameter.most + 1, 10**30)
    done = [run(tmp_path, program, "--operations", "1", f"{parameter.name}={number}") for number in beyond]
    assert [refused(one) for one in done] == [True] * 3
    assert f"a whole number from {parameter.least} to {parameter.most} is needed" in done[0].stderr


@pytest.mark.parametrize(("program", "parameter"), NUMBERS)
def test_the_least_number_runs(program: str, parameter: Parameter, tmp_path: Path) -> None:
    done = run(tmp_path, program, "--operations", "1", *SMALL[program], f"{parameter.name}={parameter.least}")
    assert len(results(done)) == 4


@pytest.mark.parametrize(("program", "parameter"), WORDS)
def test_a_word_that_is_none_of_the_known_ones_is_misuse(program: str, parameter: Parameter, tmp_path: Path) -> None:
    done = run(tmp_path, program, "--operations", "1", f"{parameter.name}=garbage")
    assert refused(done)
    assert [word for word in parameter.words if word not in done.stderr] == []


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        pytest.param(("garbage",), "'garbage' is not name=value", id="no equals sign"),
        pytest.param(("depth=3",), "ctx has no parameter 'depth'", id="unknown parameter"),
        pytest.param(("=3",), "ctx has no parameter ''", id="no name"),
        pytest.param(("procs=",), "procs=: a whole number", id="no value"),
        pytest.param(("procs=3x",), "procs=3x: a whole number", id="rubbish behind a number"),
        pytest.param(("procs=two",), "procs=two: a whole number", id="no number"),
        pytest.param(("--operations", "0"), "operations=0: a whole number", id="no operations"),
        pytest.param(("--operations", "many"), "operations=many: a whole number", id="operations in words"),
        pytest.param(("--interval-ms", "0"), "interval-ms=0: a whole number", id="no interval"),
        pytest.param(("--iterations", "0"), "iterations=0: a whole number", id="no iterations"),
        pytest.param(("--warmup", "-1"), "warmup=-1: a whole number", id="negative warm-up"),
        pytest.param(("--cpu", "1024"), "cpu=1024: a whole number", id="no such cpu"),
        pytest.param(("--getppid", "-1"), "getppid=-1: a whole number", id="negative change"),
        pytest.param(("--operations",), "requires an argument", id="argument missing"),
        pytest.param(("--verbose",), "unrecognized option", id="unknown option"),
    ],
)
def test_misuse_is_told(arguments: tuple[str, ...], told: str, tmp_path: Path) -> None:
    done = run(tmp_path, "ctx", *arguments)
    assert refused(done)
    assert told in done.stderr


@pytest.mark.parametrize(
    ("program", "arguments", "shell", "told"),
    [
        pytest.param("select", ("descriptors=100",), "ulimit -n 64", "100 descriptors are more than ulimit -n allows", id="select"),
        pytest.param("ctx", ("procs=100",), "ulimit -n 64", "100 pipes", id="ctx"),
        pytest.param("hackbench", ("groups=1",), "ulimit -n 32", "1 groups", id="hackbench-process"),
        pytest.param("hackbench", ("groups=2", "as=thread"), "ulimit -n 64", "2 groups", id="hackbench-thread"),
        pytest.param("volano", ("rooms=2",), "ulimit -n 32", "Too many open files (see ulimit -n)", id="volano"),
        pytest.param("pingpong", ("over=pipe",), "ulimit -n 4", "Too many open files (see ulimit -n)", id="pingpong-pipe"),
        pytest.param("pingpong", ("over=unix",), "ulimit -n 4", "Too many open files (see ulimit -n)", id="pingpong-unix"),
        pytest.param("pagefault", ("procs=2",), "ulimit -n 8", "Too many open files (see ulimit -n)", id="pagefault"),
        pytest.param("null", ("--cpu", "1023"), "", "cpu 1023", id="cpu"),
    ],
)
def test_what_this_machine_cannot_do_is_not_possible_here(
    program: str, arguments: tuple[str, ...], shell: str, told: str, tmp_path: Path
) -> None:
    done = run(tmp_path, program, "--operations", "1", *arguments, shell=shell)
    assert (done.returncode, done.stdout) == (77, "")
    assert told in done.stderr


def test_proc_tells_that_the_program_to_execute_is_missing(tmp_path: Path) -> None:
    alone = shutil.copy(FOLDER / "proc", tmp_path)
    done = subprocess.run([alone, "--operations", "1", "child=exec"], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (1, "")
    assert str(tmp_path / "nop") in done.stderr


@pytest.mark.parametrize(
    ("program", "words"),
    [("open", ()), ("select", ()), ("mmap", ()), ("pagefault", ("pages=file",)), ("file", ())],
    ids=["open", "select", "mmap", "pagefault-file", "file"],
)
def test_a_program_fails_where_its_file_cannot_be_made(program: str, words: tuple[str, ...], tmp_path: Path) -> None:
    done = run(tmp_path / "missing", program, "--operations", "1", *words)
    assert (done.returncode, done.stdout) == (1, "")
    assert "No such file or directory" in done.stderr


def test_a_result_that_cannot_be_written_is_a_failure(tmp_path: Path) -> None:
    done = run(tmp_path, "null", "--operations", "1", shell="exec >/dev/full")
    assert (done.returncode, done.stderr) == (1, "stdout: No space left on device\n")


@pytest.mark.parametrize(
    ("program", "words"),
    [*(pytest.param(program, words, id=program) for program, words in SMALL.items()), ("pagefault", ("pages=file",))],
)
def test_no_file_is_left_behind(program: str, words: tuple[str, ...], tmp_path: Path) -> None:
    results(run(tmp_path, program, "--operations", "1", *words))
    assert list(tmp_path.iterdir()) == []


def test_no_file_is_left_behind_where_the_limit_is_met(tmp_path: Path) -> None:
    run(tmp_path, "select", "--operations", "1", shell="ulimit -n 64")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("program", ["proc", "ctx", "hackbench", "volano", "pingpong"])
def test_no_process_is_left_behind(program: str) -> None:
    command = [str(FOLDER / program), "--operations", "1", "--iterations", "1", *SMALL[program]]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, start_new_session=True) as process:
        assert process.wait(PATIENCE) == 0
    with pytest.raises(ProcessLookupError):
        os.killpg(process.pid, 0)


# Every child holds the other end of the pipe: it ends only when the last one is gone. The signal comes while the first are made.
@pytest.mark.parametrize("program", ["ctx", "hackbench", "volano", "pingpong"])
def test_the_children_of_a_killed_program_end_with_it(program: str) -> None:
    command = [str(FOLDER / program), "--operations", "1", "--iterations", "1000000", *SMALL[program]]
    for _ in range(20):
        with subprocess.Popen(command, stdout=subprocess.PIPE, start_new_session=True) as process:
            children = Path(f"/proc/{process.pid}/task/{process.pid}/children")
            while not children.read_text():
                assert process.poll() is None
            process.kill()
            try:
                process.communicate(timeout=5)
            finally:
                with contextlib.suppress(ProcessLookupError):
                    os.killpg(process.pid, signal.SIGKILL)
