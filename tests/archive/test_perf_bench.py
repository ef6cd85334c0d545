"""What `perf bench` prints, read."""

from __future__ import annotations

import pytest
from tests.archive.reading import blocks, entries, samples

from kdelta.archive.perf_bench import READER
from kdelta.judge.claims import check
from kdelta.model.benchmark import Better
from kdelta.model.boot import CellState
from kdelta.model.checked import Standing

MESSAGING = """\
# Running 'sched/messaging' benchmark:
# 20 sender and receiver processes per group
# 10 groups == 400 processes run

     Total time: 0.055 [sec]
"""
PIPE = """\
\t# Running 'sched/pipe' benchmark:
\t# Executed 1000000 pipe operations between two processes

\t     Total time: {time} [sec]

\t      {each} usecs/op
\t\t  {rate} ops/sec

"""
BEFORE = PIPE.format(time="20.505", each="20.505628", rate="48767")
AFTER = PIPE.format(time="19.475", each="19.475838", rate="51345")
VANILLA = PIPE.format(time="22.428", each="22.428166", rate="44586")
MAIL = (
    f"before (series applied):\n\n{BEFORE}after (patch on top):\n\n{AFTER}"
    f"I tried the vanilla kernel too, with the other\ngovernor\n\n{VANILLA}(more variance with it)\n"
)
WAKE = """\
2023-07-11 22:40:24 perf bench futex wake-parallel --threads 8 --shared
# Running 'futex/wake-parallel' benchmark:
Run summary [PID 3042]: blocking on 8 threads (at [shared] futex 0x56100c564878), 8 threads waking up 1 at a time.

[Run 1]: Avg per-thread latency (waking 1/8 threads) in 0.0054 ms (+-16.84%)
[Run 2]: Avg per-thread latency (waking 1/8 threads) in 0.0168 ms (+-58.64%)
[Run 3]: Avg per-thread latency (waking 1/8 threads) in 0.0465 ms (+-39.35%)
Avg per-thread latency (waking 1/8 threads) in 0.0229 ms (+-21.72%)
"""
REQUEUE = """\
# Running 'futex/requeue' benchmark:
Run summary [PID 11]: Requeuing 4 threads (from [private] 0x55 to 0x66), 1 at a time.

[Run 1]: Requeued 4 of 4 threads in 0.0060 ms
[Run 2]: Requeued 4 of 4 threads in 0.0040 ms
[Run 3]: Requeued 4 of 4 threads in 0.0080 ms
Requeued 4 of 4 threads in 0.0060 ms (+-19.25%)
"""
HASH = """\
# Running 'futex/hash' benchmark:
Run summary [PID 8]: 2 threads, each operating on 1024 [private] futexes for 10 secs.

[thread  0] futexes: 0x55a ... 0x55b [ 1444000 ops/sec ]
[thread  1] futexes: 0x55c ... 0x55d [ 1444786 ops/sec ]

Averaged 1444393 operations/sec (+- 0.03%), total secs = 10
"""


def test_a_total_time_is_a_result_of_its_groups() -> None:
    (one,) = entries(blocks(READER, MESSAGING))
    assert (one.benchmark, one.metric, one.unit, samples(one)) == ("perf-bench-sched-messaging-10", "time", "s", [0.055])
    assert one.parameters == {"pairs": "20", "groups": "10", "tasks": "400", "as": "process"}
    assert (one.count, one.boots) == (None, None)


def test_three_digits_of_a_short_time_are_said_to_be_coarse() -> None:
    (block,) = blocks(READER, MESSAGING)
    assert "1.8 %" in block.remarks[0].text


def test_the_words_above_a_run_name_its_variant() -> None:
    times = entries(blocks(READER, MAIL), metric="time")
    assert [(one.variant, samples(one)) for one in times] == [
        ("before (series applied)", [20.505]),
        ("after (patch on top)", [19.475]),
        ("I tried the vanilla kernel too, with the other governor", [22.428]),
    ]


def test_time_and_rate_are_one_measurement_and_claimed_to_follow_from_each_other() -> None:
    (block,) = blocks(READER, MAIL)
    assert {one.benchmark for one in block.entries} == {"perf-bench-sched-pipe"}
    assert [(one.metric, one.better, samples(one)[0]) for one in entries([block], variant="before (series applied)")] == [
        ("time", Better.SMALLER, 20.505),
        ("time_per_op", Better.SMALLER, pytest.approx(20.505628e-6)),
        ("throughput", Better.LARGER, 48767),
    ]
    assert "one measurement" in block.remarks[0].text
    assert [(one.kind, one.printed.text) for one in block.claims[:2]] == [("sum", "20.505"), ("quotient", "48767")]
    assert [(one.standing, one.how) for one in check(block).claims] == [
        (Standing.HOLDS, how) for how in ("truncated", "", "truncated", "truncated", "", "truncated")
    ]


def test_a_rate_that_does_not_follow_from_the_time_is_off() -> None:
    (block,) = blocks(READER, MAIL.replace("51345", "51845"))
    assert [one.claim.printed.text for one in check(block).claims if one.standing is Standing.OFF] == ["51845"]


def test_repetitions_of_one_process_are_samples_within_a_boot_and_their_mean_a_claim() -> None:
    (block,) = blocks(READER, WAKE)
    (one,) = block.entries
    assert [each.text for each in one.samples] == ["0.0054", "0.0168", "0.0465"]
    assert samples(one) == pytest.approx([5.4e-6, 16.8e-6, 46.5e-6])
    assert (one.unit, one.printed_unit, one.boots) == ("s", "ms", False)
    assert one.figures["mean"].value == pytest.approx(22.9e-6)
    assert one.figures["error"].value == pytest.approx(22.9e-6 * 0.2172)
    assert (one.benchmark, one.parameters) == ("perf-bench-futex-wake-parallel-8-shared", {"threads": "8", "futex": "shared"})
    assert [(each.claim.kind, each.standing) for each in check(block).claims] == [
        ("mean", Standing.HOLDS),
        ("cv", Standing.UNCHECKED),
    ]


def test_a_spread_behind_a_mean_is_its_standard_error_in_percent() -> None:
    (block,) = blocks(READER, REQUEUE)
    assert [(each.claim.printed.text, each.standing) for each in check(block).claims] == [
        ("0.0060", Standing.HOLDS),
        ("19.25", Standing.HOLDS),
    ]


def test_rates_of_threads_are_no_repetitions_but_their_mean_is_one_result() -> None:
    (block,) = blocks(READER, HASH)
    rate, threads = (entries([block], metric=name)[0] for name in ("throughput", "thread_throughput"))
    assert (samples(rate), rate.unit, rate.better) == ([1444393], "ops/s", Better.LARGER)
    assert samples(threads) == [1444000, 1444786]
    assert {one.standing for one in check(block).claims} == {Standing.HOLDS}


FORMS = """\
perf-bench-sched-pipe | time | s | 5.855
# Running sched/pipe benchmark...
# Executed 1000000 pipe operations between two tasks

     Total time: 5.855 [sec]
====
perf-bench-sched-pipe | time | s | 5.855
(executing 1000000 pipe operations between two tasks)

        Total time:5.855 sec
====
perf-bench-sched-messaging-20-thread | time | s | 1.582
(20 sender and receiver threads per group)
(20 groups == 800 threads run)

      Total time:1.582 sec
====
perf-bench-sched-pipe-5000x-thread | time | s | 0.5
# Running 'sched/pipe' benchmark:
# Executed 5000 pipe operations between two threads

     Total time: 0.500 [sec]
====
perf-bench-syscall-basic | time | s | 0.987
# Running 'syscall/basic' benchmark:
# Executed 10,000,000 getppid() calls
     Total time: 0.987 [sec]
====
perf-bench-breakpoint-thread | time | s | 250e-6
# Running 'breakpoint/thread' benchmark:
     Total time: 250 [usecs]
====
perf-bench-mem-memcpy-default-1MB | throughput | B/s | 13421772800
# Running 'mem/memcpy' benchmark:
# function 'default' (Default memcpy() provided by glibc)
# Copying 1MB bytes ...

      12.500000 GB/sec
====
perf-bench-mem-memcpy-1MB | throughput | B/s | 898665283.584
# Running mem/memcpy benchmark...
# Copying 1MB Bytes ...

     857.034 MB/Sec
====
perf-bench-internals-synthesize | synthesis | s | 66.08e-6
# Running 'internals/synthesize' benchmark:
  Average synthesis took: 66.080 usec (+- 0.150 usec)
====
perf-bench-numa-mem-1x3-bw-thread | runtime_max_per_thread | s | 20.055
# Running numa/mem benchmark...
 # Running  1x3-bw-thread, "perf bench numa mem -p 1 -t 3"
 1x3-bw-thread,                          20.055, secs,           runtime-max/thread
====
perf-bench-numa-mem | runtime_max_per_thread | s | 20.017
# Running 'numa/mem' benchmark:
         20.017 secs slowest (max) thread-runtime
====
perf-bench-epoll-ctl | add_ops | ops | 4000
# Running 'epoll/ctl' benchmark:
Averaged 4000 ADD operations (+- 0.21%)
====
perf-bench-sched-pipe | time | s | 5.988
$ perf bench --format=simple sched pipe
5.988
====
perf-bench-sched-messaging | time | s | 0.162
$ perf bench -f simple sched messaging
0.162
"""


@pytest.mark.parametrize("form", FORMS.split("====\n"), ids=lambda form: form.partition(" ")[0])
def test_each_form_of_each_collection_is_read(form: str) -> None:
    wanted, _, text = form.partition("\n")
    benchmark, metric, unit, value = wanted.split(" | ")
    (one,) = entries(blocks(READER, text), metric=metric)
    found = [*samples(one), *(one.figures[name].value for name in ("mean",) if name in one.figures)]
    assert (one.benchmark, one.unit) == (benchmark, unit)
    assert found == pytest.approx([float(value)])


def test_functions_below_one_title_are_benchmarks_of_their_own() -> None:
    text = "# Running 'mem/memcpy' benchmark:\n" + "".join(
        f"# function '{name}' (Default)\n# Copying 1MB bytes ...\n\n      {value} GB/sec\n"
        for name, value in (("default", 12.5), ("x86-64-movsb", 9.5))
    )
    found = entries(blocks(READER, text))
    assert [one.benchmark for one in found] == ["perf-bench-mem-memcpy-default-1MB", "perf-bench-mem-memcpy-x86-64-movsb-1MB"]


def test_runs_below_each_other_are_results_of_one_variant() -> None:
    assert [samples(one) for one in entries(blocks(READER, MESSAGING * 2 + MESSAGING.replace("0.055", "0.061")))] == [
        [0.055, 0.055, 0.061]
    ]


def test_means_of_several_runs_are_results_and_that_of_one_a_figure() -> None:
    run = "# Running 'internals/kallsyms-parse' benchmark:\n  Average kallsyms__parse took: {} ms (+- 0.079 ms)\n"
    (one,) = entries(blocks(READER, run.format("80.563")))
    (five,) = entries(blocks(READER, "".join(map(run.format, ("80.563", "81.046", "80.874", "81.173", "81.169")))))
    assert (one.samples, one.figures["mean"].text, one.figures["error"].text) == ((), "80.563", "0.079")
    assert [each.text for each in five.samples] == ["80.563", "81.046", "80.874", "81.173", "81.169"]
    assert five.figures == {}


def test_a_title_without_a_result_is_a_run_that_failed() -> None:
    (block,) = blocks(READER, "# Running 'sched/messaging' benchmark:\nperf: socketpair(): Too many open files\n")
    (one,) = block.entries
    assert (one.state, one.samples, one.figures) == (CellState.FAILED, (), {})
    assert block.remarks[0].line == 1


@pytest.mark.parametrize(
    "text",
    [
        "Running the benchmark:\n     Total time: 0.055 [sec]\n",
        "perf bench sched pipe\n5.988\n",
        "Total time: 10.5 [sec]\nAverage wait took: 12 ms\n",
    ],
)
def test_numbers_without_a_title_of_perf_bench_are_not_read(text: str) -> None:
    assert blocks(READER, text) == []


def test_calls_below_a_title_that_was_cut_say_which_benchmark_it_is() -> None:
    text = """\
# Executed 10000000 getppid() calls
     Total time: 1.234 [sec]

       0.123400 usecs/op
     8103727 ops/sec

# Executed 10000 fork() calls
     Total time: 0.789 [sec]
"""
    found = entries(blocks(READER, text), metric="time")
    assert [one.benchmark for one in found] == ["perf-bench-syscall-basic", "perf-bench-syscall-fork-10000x"]
