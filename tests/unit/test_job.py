"""What the guest's init is told: a seed's perturbation and the list of programs."""

from __future__ import annotations

import dataclasses
import shutil
from pathlib import Path

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.unit.builders import benchmark, request, variant

from kdelta.box import job
from kdelta.box.job import Perturbation, perturbation
from kdelta.model.benchmark import Benchmark, Command
from kdelta.model.errors import MisuseError

SEED_ONE = Perturbation(
    entropy=(
        "844d6c005eba7b6aea64a0045825fab5890e838e01e869a5ce37d3a21c2f5308"
        "68c78fbb293d3a78019317807ffa6ce493384104bb329ab0cf217abef59aab3f"
    ),
    memory_mib=5,
    padding=16,
    delay_us=43764,
    forks=7,
)

PARTS = [field.name for field in dataclasses.fields(Perturbation)]


def test_seed_1_means_the_same_perturbation_on_every_machine_and_in_every_release() -> None:
    assert perturbation(1) == SEED_ONE


@given(st.integers(min_value=0, max_value=1 << 40))
def test_a_seed_always_means_the_same(seed: int) -> None:
    assert perturbation(seed) == perturbation(seed)


@given(st.integers(min_value=0, max_value=1 << 40))
def test_a_perturbation_is_within_its_bounds(seed: int) -> None:
    change = perturbation(seed)
    assert 0 <= change.memory_mib < job.MOST_MEMORY_MIB
    assert 0 <= change.padding < job.MOST_PADDING
    assert 0 <= change.delay_us < job.MOST_DELAY_US
    assert 0 <= change.forks < job.MOST_FORKS


def test_entropy_fits_the_512_bytes_that_init_takes() -> None:
    assert 32 <= len(bytes.fromhex(perturbation(1).entropy)) <= 512


def test_no_two_of_a_thousand_seeds_mean_the_same_perturbation() -> None:
    assert len({perturbation(seed) for seed in range(1, 1001)}) == 1000


@pytest.mark.parametrize("part", PARTS)
def test_each_part_of_the_perturbation_varies_over_ten_seeds(part: str) -> None:
    assert len({getattr(perturbation(seed), part) for seed in range(1, 11)}) > 3


def test_the_job_is_one_instruction_on_a_line_with_tabs_between_words() -> None:
    asked = request(
        Benchmark(name="ctx-20", program="ctx", parameters={"procs": "20"}, operation="hop", operations=4000, getppid=2),
        benchmark("null", iterations=5),
        of=variant(sysctl={"vm.overcommit_memory": "1", "kernel.pid_max": "4096 8192"}),
        seed=1,
    )
    assert job.text(asked, fetch_symbols=True).splitlines() == [
        f"entropy\t{SEED_ONE.entropy}",
        "sysctl\tvm.overcommit_memory\t1",
        "sysctl\tkernel.pid_max\t4096 8192",
        f"forks\t{SEED_ONE.forks}",
        f"delay\t{SEED_ONE.delay_us}",
        "settle\t60",
        "run\t200\t/bin/ctx\t--operations\t4000\t--iterations\t3\t--getppid\t2\tprocs=20",
        "run\t200\t/bin/null\t--operations\t10\t--iterations\t5",
        "bulk\tkallsyms\t/proc/kallsyms",
    ]


def test_what_the_settings_may_be_about_comes_before_them() -> None:
    asked = request(of=msgspec.structs.replace(variant(sysctl={"fs.xfs.x": "1"}), file={"/sys/fs/xfs/ram0/y": "a b"}))
    text = job.text(asked, fetch_symbols=True, first=[("module", "/modules/xfs.ko", "")])
    assert text.splitlines()[1:4] == ["module\t/modules/xfs.ko\t", "sysctl\tfs.xfs.x\t1", "file\t/sys/fs/xfs/ram0/y\ta b"]


def command(*words: str, iterations: int = 2) -> Benchmark:
    return Benchmark(
        name="mine", program=words[0], operation="mine", iterations=iterations, limit_seconds=30, command=Command(words=words)
    )


def test_a_command_is_run_once_more_than_it_is_measured_and_without_a_shell() -> None:
    text = job.text(request(command("sh", "-c", "exit 0", "")), fetch_symbols=False)
    assert [line for line in text.splitlines() if "exit" in line] == [f"command\t30\t{shutil.which('sh')}\t-c\texit 0\t"] * 3


def test_a_command_that_is_not_here_is_refused_before_anything_boots() -> None:
    with pytest.raises(MisuseError, match="there is no program no-such-program"):
        job.text(request(command("no-such-program")), fetch_symbols=False)


@pytest.mark.parametrize("words", [("sh", "x" * job.MOST_LINE), ("sh", *["x"] * job.MOST_WORDS)], ids=["bytes", "words"])
def test_a_line_that_init_would_not_read_whole_is_refused(words: tuple[str, ...]) -> None:
    with pytest.raises(MisuseError, match="is too long"):
        job.text(request(command(*words)), fetch_symbols=False)


def test_the_longest_line_is_what_init_reads() -> None:
    source = (Path(__file__).parents[2] / "csrc/guest/init.c").read_text()
    assert f"MOST_WORDS = {job.MOST_WORDS + 1}, MOST_LINE = {job.MOST_LINE + 2}" in source


def test_a_benchmarks_own_limit_is_in_its_line() -> None:
    limited = msgspec.structs.replace(benchmark("null"), limit_seconds=7)
    assert "run\t7\t/bin/null\t" in job.text(request(limited), fetch_symbols=False)


def test_the_job_ends_with_a_line_break_as_init_reads_whole_lines() -> None:
    assert job.text(request(), fetch_symbols=False).endswith("\n")


def test_entropy_reaches_the_kernel_before_anything_else_happens() -> None:
    assert job.text(request(of=variant(sysctl={"a.b": "1"})), fetch_symbols=True).startswith("entropy\t")


def test_benchmarks_run_in_the_order_of_the_request() -> None:
    text = job.text(request(benchmark("b", program="open"), benchmark("a", program="null")), fetch_symbols=False)
    assert [line.split("\t")[2] for line in text.splitlines() if line.startswith("run\t")] == ["/bin/open", "/bin/null"]


def test_a_job_that_fetches_symbols_is_as_long_as_one_that_does_not() -> None:
    fetching, other = (job.text(request(), fetch_symbols=wanted) for wanted in (True, False))
    assert len(fetching) == len(other)


def test_a_job_that_fetches_symbols_is_another_than_one_that_does_not() -> None:
    fetching, other = (job.text(request(), fetch_symbols=wanted).splitlines() for wanted in (True, False))
    assert [(a, b) for a, b in zip(fetching, other, strict=True) if a != b] == [
        ("bulk\tkallsyms\t/proc/kallsyms", "skip\tkallsyms\t/proc/kallsyms")
    ]


@pytest.mark.parametrize("word", ["a\tb", "a\nb", "\n", "run\t1\t/bin/sh"], ids=["tab", "line break", "only a break", "a command"])
@pytest.mark.parametrize("place", ["name", "value"])
def test_a_word_that_would_become_two_is_refused(word: str, place: str) -> None:
    setting = {word: "1"} if place == "name" else {"kernel.x": word}
    with pytest.raises(MisuseError, match="holds a tab or a line break"):
        job.text(request(of=variant(sysctl=setting)), fetch_symbols=False)
