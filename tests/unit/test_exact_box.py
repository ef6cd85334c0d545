"""What the guest tells of programs, one after the other, as what it says of benchmarks."""

from __future__ import annotations

from tests.unit.builders import benchmark

from kdelta.box.exact import by_benchmark, of_benchmarks
from kdelta.model.benchmark import Benchmark, Command
from kdelta.model.guest import ProgramRun, Window

COMMAND = Benchmark(name="mine", program="true", operation="mine", iterations=2, command=Command(words=("true",)))
MIXED = (benchmark("a"), COMMAND, benchmark("b"))
RUNS = [ProgramRun(lines=(str(number),)) for number in range(5)]


def test_each_benchmark_has_its_own_runs() -> None:
    assert list(by_benchmark(MIXED, RUNS)) == [tuple(RUNS[:1]), tuple(RUNS[1:4]), tuple(RUNS[4:])]


def test_a_boot_that_ended_early_has_the_runs_that_were_started() -> None:
    assert list(by_benchmark(MIXED, RUNS[:3])) == [tuple(RUNS[:1]), tuple(RUNS[1:3])]
    assert list(by_benchmark(MIXED, [])) == []


def window(program: int, iteration: int) -> Window:
    return Window(benchmark=program, iteration=iteration, counts={"schedule": 10 * program + iteration})


def test_windows_of_a_workload_keep_their_iterations() -> None:
    found = of_benchmarks(MIXED, [window(0, 0), window(0, 2), window(4, 1)])
    assert [(one.benchmark, one.iteration, one.counts["schedule"]) for one in found] == [(0, 0, 0), (0, 2, 2), (2, 1, 41)]


def test_each_run_of_a_command_but_its_first_is_an_iteration() -> None:
    found = of_benchmarks(MIXED, [window(1, 0), window(2, 0), window(2, 1), window(3, 0)])
    assert [(one.benchmark, one.iteration, one.counts["schedule"]) for one in found] == [(1, 0, 20), (1, 1, 30)]


def test_a_window_of_no_program_is_left_out() -> None:
    assert list(of_benchmarks(MIXED, [window(5, 0)])) == []
