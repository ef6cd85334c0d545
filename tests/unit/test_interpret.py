"""From what a box brought back to what may be stored."""

from __future__ import annotations

import msgspec
import pytest
from tests.unit.builders import benchmark, kernel, request

from kdelta.model.benchmark import Benchmark
from kdelta.model.boot import Boot, BootRequest, CellState, Outcome
from kdelta.model.guest import BootReport, Chains, ProgramRun, Window
from kdelta.model.kernel import RunningKernel
from kdelta.run.interpret import interpret

ASKED = kernel()
RUNNING = RunningKernel(ASKED.release, ASKED.version, ASKED.machine, ASKED.build_id)


def line(iteration: int, elapsed_ns: int = 1000) -> str:
    warmup = "true" if iteration < 0 else "false"
    return f'{{"iteration": {iteration}, "operations": 10, "elapsed_ns": {elapsed_ns}, "warmup": {warmup}}}'


WHOLE = tuple(line(iteration) for iteration in (-1, 0, 1, 2))


def program(*lines: str, status: int = 0, signal: int = 0, timeout: bool = False, stderr: str = "") -> ProgramRun:
    return ProgramRun(lines=lines, ended=True, status=status, signal=signal, timeout=timeout, stderr=stderr)


def report(*programs: ProgramRun, windows: tuple[Window, ...] = (), outcome: Outcome = Outcome.DONE, log: str = "") -> BootReport:
    return BootReport(
        outcome=outcome,
        reason="",
        running=RUNNING,
        programs=tuple((run,) for run in programs),
        windows=windows,
        warnings=("odd",),
        kernel_log=log,
    )


def one_cell(run: ProgramRun, wanted: Benchmark | None = None) -> tuple[CellState, str]:
    cell = interpret(request(wanted or benchmark()), report(run)).cells[0]
    return cell.state, cell.reason


def test_chains_of_all_loops_of_a_benchmark_are_added_up() -> None:
    windows = tuple(
        Window(benchmark=0, iteration=i, counts={"b": count}, chains={"a;b": count}) for i, count in enumerate((1, 2, 4))
    )
    [found] = interpret(request(benchmark()), report(program(*WHOLE), windows=windows)).stacks
    assert (found.benchmark, found.operations, found.counts, found.unit) == ("null", 30, {"a;b": 7}, "instructions")


def test_chains_of_a_loop_without_a_result_are_left_out() -> None:
    windows = tuple(Window(benchmark=0, iteration=i, counts={"b": 1}, chains={"a;b": 1}) for i in (2, 3))
    [found] = interpret(request(benchmark()), report(program(*WHOLE), windows=windows)).stacks
    assert (found.operations, found.counts) == (10, {"a;b": 1})


def profiled(run: ProgramRun) -> Boot:
    chains = Chains(benchmark=0, counts={"a;b": 3, "c;b": 4, "[user]": 1}, operations=50, hertz=997.0)
    asked = msgspec.structs.replace(request(benchmark()), profiled=True)
    return interpret(asked, msgspec.structs.replace(report(run), chains=(chains,)))


def test_a_profiled_visit_has_a_profile_by_chain_and_one_by_function() -> None:
    came = profiled(program(*WHOLE))
    [stacks], [profile] = came.stacks, came.profiles
    assert (stacks.counts, stacks.operations, stacks.unit, stacks.hertz) == ({"a;b": 3, "c;b": 4, "[user]": 1}, 50, "ticks", 997.0)
    assert (profile.counts, profile.operations, profile.unit, profile.hertz) == ({"b": 7, "[user]": 1}, 50, "ticks", 997.0)


def test_no_result_of_a_profiled_visit_is_judged_however_many_there_are() -> None:
    came = profiled(program(*WHOLE, line(3), line(4)))
    assert came.cells[0].state is CellState.OK
    assert [sample.discarded for sample in came.samples] == 6 * ["taken beside a profile"]


def test_a_benchmark_that_failed_while_it_was_profiled_says_how() -> None:
    assert profiled(program(status=1, stderr="no memory")).cells[0].reason == "exit status 1: no memory"


NO_END = "it did not end within its limit of time"
ENDINGS = {
    "fine": (program(*WHOLE), CellState.OK, ""),
    "fine, with a remark": (program(*WHOLE, stderr="clock is coarse"), CellState.OK, ""),
    "fine without a warm-up": (program(*WHOLE[1:]), CellState.OK, ""),
    "failed": (program(status=1), CellState.FAILED, "exit status 1"),
    "failed, with the reason": (program(status=1, stderr="fork: no memory\n"), CellState.FAILED, "exit status 1: fork: no memory"),
    "failed after all results": (program(*WHOLE, status=1), CellState.FAILED, "exit status 1"),
    "misused": (program(status=2, stderr="usage: ..."), CellState.FAILED, "exit status 2: usage: ..."),
    "not possible": (program(status=77, stderr="no ext4"), CellState.NOT_HERE, "not possible here: no ext4"),
    "not executable": (program(status=127), CellState.FAILED, "exit status 127"),
    "out of memory": (program(status=-1, signal=9), CellState.KILLED, "killed by signal 9 (SIGKILL)"),
    "crashed": (program(*WHOLE, signal=11), CellState.KILLED, "killed by signal 11 (SIGSEGV)"),
    "a signal without a name": (program(signal=99), CellState.KILLED, "killed by signal 99 (unknown)"),
    "out of time": (program(*WHOLE, status=-1, signal=9, timeout=True), CellState.TIMEOUT, NO_END),
    "printed nothing": (program(), CellState.FAILED, "it printed 0 results instead of 3"),
    "printed too little": (program(*WHOLE[:3]), CellState.FAILED, "it printed 2 results instead of 3"),
    "printed too much": (program(*WHOLE, line(3)), CellState.FAILED, "it printed 4 results instead of 3"),
    "a gap": (program(line(0), line(2)), CellState.FAILED, "it printed 2 results instead of 3"),
    "a warm-up is no result": (program(line(-1), line(0), line(1)), CellState.FAILED, "it printed 2 results instead of 3"),
    "one impossible": (program(line(0), line(1), line(2, 0)), CellState.FAILED, "it printed 2 results instead of 3"),
}


@pytest.mark.parametrize(("run", "state", "reason"), ENDINGS.values(), ids=ENDINGS)
def test_a_cell_says_how_its_program_ended(run: ProgramRun, state: CellState, reason: str) -> None:
    assert one_cell(run) == (state, reason)


def test_a_benchmark_of_which_one_iteration_came_twice_and_one_never_has_failed() -> None:
    assert one_cell(program(line(0), line(1), line(1)))[0] is CellState.FAILED


def test_the_number_of_results_that_is_needed_is_the_benchmarks_own() -> None:
    assert one_cell(program(line(0), line(1)), benchmark(iterations=2)) == (CellState.OK, "")


def test_a_long_complaint_is_kept_from_its_end() -> None:
    _, reason = one_cell(program(status=1, stderr="x" * 5000 + " out of pids"))
    assert reason.endswith(" out of pids")
    assert len(reason) < 250


BOTH = request(benchmark("a"), benchmark("b"), benchmark("c"))


def test_a_boot_that_ended_early_leaves_a_cell_for_each_benchmark() -> None:
    came = interpret(BOTH, report(program(*WHOLE), ProgramRun(lines=WHOLE[:2]), outcome=Outcome.PANIC))
    assert [(cell.benchmark, cell.state, cell.reason) for cell in came.cells] == [
        ("a", CellState.OK, ""),
        ("b", CellState.FAILED, "the boot ended while it ran: panic"),
        ("c", CellState.FAILED, "the boot ended before it was started: panic"),
    ]


def test_results_from_before_a_panic_are_kept() -> None:
    came = interpret(BOTH, report(program(*WHOLE), outcome=Outcome.PANIC))
    assert {(sample.benchmark, sample.iteration) for sample in came.samples} == {("a", -1), ("a", 0), ("a", 1), ("a", 2)}


def test_results_belong_to_the_benchmark_in_whose_place_the_program_ran() -> None:
    came = interpret(BOTH, report(program(line(0, 10)), program(line(0, 20)), program(line(0, 30))))
    assert [(sample.benchmark, sample.value) for sample in came.samples] == [("a", 1.0), ("b", 2.0), ("c", 3.0)]


def test_a_program_that_nobody_asked_for_gives_no_sample() -> None:
    came = interpret(request(benchmark("a")), report(program(*WHOLE), program(*WHOLE)))
    assert {sample.benchmark for sample in came.samples} == {"a"}


OTHERS = {
    "another release": RunningKernel("5.10.0", RUNNING.version, "x86_64", RUNNING.build_id),
    "another version": RunningKernel(RUNNING.release, "#2 SMP", "x86_64", RUNNING.build_id),
    "another build": RunningKernel(RUNNING.release, RUNNING.version, "x86_64", "cd" * 20),
}


def came_of(running: RunningKernel, asked: BootRequest = BOTH) -> Boot:
    windows = (Window(benchmark=0, iteration=0, counts={"f": 1}),)
    return interpret(asked, msgspec.structs.replace(report(*[program(*WHOLE)] * 3, windows=windows), running=running))


@pytest.mark.parametrize("running", OTHERS.values(), ids=OTHERS)
def test_of_another_kernel_than_the_one_asked_for_no_sample_and_no_profile_is_kept(running: RunningKernel) -> None:
    came = came_of(running)
    assert (came.outcome, came.samples, came.profiles) == (Outcome.WRONG_KERNEL, (), ())


@pytest.mark.parametrize("running", OTHERS.values(), ids=OTHERS)
def test_of_another_kernel_every_cell_has_failed(running: RunningKernel) -> None:
    assert {cell.state for cell in came_of(running).cells} == {CellState.FAILED}


def test_what_ran_instead_is_told() -> None:
    came = came_of(OTHERS["another release"])
    assert (came.running, came.reason) == (
        OTHERS["another release"],
        "another kernel is running: release '5.10.0' instead of '6.1.0'",
    )


def test_a_window_belongs_to_the_iteration_and_operations_of_its_own_benchmark() -> None:
    windows = (Window(benchmark=1, iteration=2, counts={"f": 70, "g": 30}),)
    came = interpret(BOTH, report(program(*WHOLE), program(*WHOLE), program(*WHOLE), windows=windows))
    assert [(p.benchmark, p.iteration, p.operations, p.counts) for p in came.profiles] == [("b", 2, 10, {"f": 70, "g": 30})]


UNMATCHED = {
    "an iteration that was not printed": Window(benchmark=0, iteration=3, counts={"f": 1}),
    "a warm-up": Window(benchmark=0, iteration=-1, counts={"f": 1}),
    "a program that was not asked for": Window(benchmark=3, iteration=0, counts={"f": 1}),
}


@pytest.mark.parametrize("window", UNMATCHED.values(), ids=UNMATCHED)
def test_a_window_without_its_sample_is_dropped(window: Window) -> None:
    good = Window(benchmark=0, iteration=0, counts={"f": 1})
    came = interpret(BOTH, report(*[program(*WHOLE)] * 3, windows=(window, good)))
    assert [(profile.benchmark, profile.iteration) for profile in came.profiles] == [("a", 0)]


COMPLAINTS = {
    "bug": "BUG: kernel NULL pointer dereference, address: 0",
    "warning": "WARNING: CPU: 0 PID: 1 at mm/slub.c:1 f+0x1/0x2",
    "oops": "Oops: 0000 [#1] SMP",
    "blocked task": "INFO: task ctx:12 blocked for more than 120 seconds.",
    "stall": "rcu: INFO: rcu_sched self-detected stall on CPU",
    "fault": "general protection fault, probably for non-canonical address",
}


@pytest.mark.parametrize("complaint", COMPLAINTS.values(), ids=COMPLAINTS)
def test_a_complaint_in_the_kernels_log_is_a_warning(complaint: str) -> None:
    log = f"<6>[    0.1] Linux\n<4>[    2.0] {complaint}\n<6>[    2.1] after\n"
    assert interpret(request(), report(program(*WHOLE), log=log)).warnings == ("odd", f"the kernel complained: {complaint}")


def test_a_log_without_complaint_gives_no_warning() -> None:
    log = "<6>[    0.1] Linux\n<6>[    0.2] debug: warnings are on\n"
    assert interpret(request(), report(program(*WHOLE), log=log)).warnings == ("odd",)


def test_a_line_that_is_no_result_is_a_warning() -> None:
    came = interpret(request(), report(program(*WHOLE, "hello")))
    assert came.cells[0].state is CellState.OK
    assert "'hello'" in came.warnings[1]


def test_what_the_box_tells_of_the_boot_is_passed_on() -> None:
    told = BootReport(
        outcome=Outcome.HANG,
        reason="no end",
        running=RUNNING,
        kernel_log="log",
        environment={"qemu": "7.2"},
        host_seconds=3.5,
        ready_seconds=1.5,
    )
    came = interpret(request(), told)
    passed = (came.outcome, came.reason, came.running, came.kernel_log, came.environment, came.host_seconds, came.ready_seconds)
    assert passed == (Outcome.HANG, "no end", RUNNING, "log", {"qemu": "7.2"}, 3.5, 1.5)


def test_nothing_is_kept_of_a_guest_that_never_said_which_kernel_it_runs() -> None:
    came = interpret(BOTH, msgspec.structs.replace(report(*(program(*WHOLE),) * 3), running=None))
    assert (came.outcome, came.reason) == (Outcome.WRONG_KERNEL, "the guest never said which kernel it runs")
    assert came.samples == ()
