"""hackbench's output in its three generations, read."""

from __future__ import annotations

import pytest
from tests.archive.reading import blocks, entries, samples

from kdelta.archive.hackbench import READER
from kdelta.model.boot import CellState

OLD = """\
Running with 50*40 (== 2000) tasks.
Time: 4.203
Running with 50*40 (== 2000) tasks.
Time: 4.198
"""
TITLE = "Running in process mode with 256 groups using 40 file descriptors each (== 10240 tasks)"
TIMES = (9.541, 10.018, 12.241, 9.95, 10.014, 10.497, 9.924, 9.998)
COMMAND = "2026-07-19 18:06:13 hackbench -g 256 -f 20 --process --pipe -l 30000 -s 100"
LOG = "Instance: 1\nPATH=/usr/bin:/bin\n" + "".join(
    f"Iterations: {place}\n{COMMAND}\n{TITLE}\nEach sender will pass 30000 messages of 100 bytes\n"
    + ("perf version 7.2.rc3\n" if place == 1 else "")
    + f"Time: {time:.3f}\n"
    for place, time in enumerate(TIMES, 1)
)
OTHER = """\
Instance: 2
PATH=/usr/bin:/bin
kernel.pid_max = 655360
vm.max_map_count = 32768000
Iterations: 1
2026-07-19 18:06:13 hackbench -g 8192 -f 20 --threads --pipe -l 1875 -s 100
Running in threaded mode with 8192 groups using 40 file descriptors each (== 327680 tasks)
Each sender will pass 1875 messages of 100 bytes
Time: 47.847
"""
MAIL = """\
3. Hackbench, 5 runs
for i in $(seq 0 1); do hackbench -l 100 -g 100 ; sleep 1; done

teo mainline:
Time: 4.945
Time: 5.021

menu:
Time: 4.964
Time: 4.847

tldr: all comparable
"""


def test_runs_below_each_other_are_the_results_of_one_benchmark_in_their_order() -> None:
    (one,) = entries(blocks(READER, LOG))
    assert samples(one) == list(TIMES)
    assert (one.metric, one.unit, one.variant, one.boots) == ("time", "s", "", False)


@pytest.mark.parametrize(
    ("text", "benchmark", "parameters"),
    [
        (OLD, "hackbench-50", {"groups": "50", "tasks": "2000"}),
        (
            LOG,
            "hackbench-256-pipe-30000x",
            {
                "groups": "256",
                "tasks": "10240",
                "descriptors": "40",
                "as": "process",
                "over": "pipe",
                "loops": "30000",
                "bytes": "100",
            },
        ),
        (
            f"{TITLE}\nEach sender passed 100 messages of 4096 bytes in average\nTime: 1.234\n",
            "hackbench-256-4096b",
            {"groups": "256", "tasks": "10240", "descriptors": "40", "as": "process", "loops": "100", "bytes": "4096"},
        ),
        (
            "$ ./hackbench 20 thread 500\nTime: 1.234\n",
            "hackbench-20-thread-500x",
            {"groups": "20", "as": "thread", "loops": "500"},
        ),
        (
            "# hackbench --groups=20 -f10 -p\nTime: 1.2\n",
            "hackbench-20-pipe-20d",
            {"groups": "20", "descriptors": "20", "over": "pipe"},
        ),
        ("hackbench 50: 4.2\n", "hackbench-50", {"groups": "50"}),
    ],
)
def test_a_load_is_named_as_in_our_own_catalogue_and_what_differs_stands_behind(
    text: str, benchmark: str, parameters: dict[str, str]
) -> None:
    one = entries(blocks(READER, text))[0]
    assert (one.program, one.benchmark) == ("hackbench", benchmark)
    assert one.parameters == parameters


def test_runs_with_other_parameters_are_another_benchmark() -> None:
    first, second = entries(blocks(READER, LOG + OTHER))
    assert (first.benchmark, second.benchmark) == ("hackbench-256-pipe-30000x", "hackbench-8192-thread-pipe-1875x")
    assert (len(first.samples), samples(second)) == (8, [47.847])


def test_instances_that_were_called_in_one_second_ran_at_once() -> None:
    (block,) = blocks(READER, LOG + OTHER)
    assert "instances 1 and 2 both started at 2026-07-19 18:06:13: they ran at once, and disturbed each other" in {
        one.text for one in block.remarks
    }


def test_instances_of_one_load_are_not_repetitions_of_each_other() -> None:
    found = entries(blocks(READER, LOG + LOG.replace("Instance: 1", "Instance: 2")))
    assert [(one.benchmark, len(one.samples)) for one in found] == [
        ("hackbench-256-pipe-30000x", 8),
        ("hackbench-256-pipe-30000x-instance-2", 8),
    ]


def test_in_a_mail_the_words_above_the_times_name_the_variant() -> None:
    found = entries(blocks(READER, MAIL))
    assert [(one.variant, one.benchmark, samples(one)) for one in found] == [
        ("teo mainline", "hackbench-100", [4.945, 5.021]),
        ("menu", "hackbench-100", [4.964, 4.847]),
    ]


def test_words_that_stand_above_the_same_benchmark_again_are_of_another_variant() -> None:
    (block,) = blocks(READER, f"base:\n{OLD}\npatched:\n{OLD}\nbase:\n{OLD.replace('4.203', '4.3')}")
    assert [one.variant for one in block.entries] == ["base", "patched", "base (2)"]
    assert any("base (2)" in one.text for one in block.remarks)


def test_runs_that_are_quoted_again_are_not_counted_twice() -> None:
    quoted = "".join(f"> {line}\n" for line in MAIL.splitlines())
    (block,) = blocks(READER, f"{quoted}\nThank you.\n\n{MAIL}")
    assert [(one.variant, len(one.samples)) for one in block.entries] == [("teo mainline", 2), ("menu", 2)]
    assert [one.text for one in block.remarks[:2]] == [
        f"the same as what stands at line {line}, and not counted twice" for line in (5, 9)
    ]


def test_a_number_of_runs_is_called_boots_by_nobody_and_not_said_of_bare_pastes() -> None:
    assert [one.boots for one in entries(blocks(READER, OLD))] == [None]
    assert [one.boots for one in entries(blocks(READER, MAIL))] == [False, False]


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (f"{TITLE}\nfork: Resource temporarily unavailable\n", "fork: Resource temporarily unavailable"),
        (f"{TITLE}\nEach sender will pass 100 messages of 100 bytes\n", "no time is printed: it failed, or the text ends here"),
        ("$ ./hackbench 150 thread 500\nError: Too many open files\n", "Error: Too many open files"),
        (f"{TITLE}\nCreating fdpair (error: Too many open files)\n", "Creating fdpair (error: Too many open files)"),
    ],
)
def test_a_run_without_a_time_has_failed_and_has_no_value(text: str, reason: str) -> None:
    (one,) = entries(blocks(READER, text))
    assert (one.samples, one.figures, one.state, one.reason) == ((), {}, CellState.FAILED, reason)


def test_a_failed_run_among_others_is_said_and_adds_no_value() -> None:
    (block,) = blocks(READER, f"{OLD}Running with 50*40 (== 2000) tasks.\nfork: Resource temporarily unavailable\n{OLD}")
    assert samples(block.entries[0]) == [4.203, 4.198, 4.203, 4.198]
    assert block.entries[0].state is CellState.OK
    assert [one.line for one in block.remarks] == [5]


def test_a_time_that_is_none_is_kept_and_not_judged() -> None:
    (one,) = entries(blocks(READER, OLD.replace("4.203", "-4.203")))
    assert samples(one) == [4.198]
    assert [each.number.value for each in one.discarded] == [-4.203]


def test_a_time_of_few_digits_is_said_to_be_coarse() -> None:
    (block,) = blocks(READER, "Running with 10*40 (== 400) tasks.\nTime: 0.055\n")
    assert "1.8 %" in block.remarks[0].text


@pytest.mark.parametrize(
    "text",
    [
        "Time: 4.945\n",
        "We ran hackbench with 4 groups, and it was fine.\nTime: 4.945\n",
        " hackbench-10:      0.77      0.82 (  6%)\n",
        "$ hackbench 10\n" + "words\n" * 60 + "Time: 4.945\n",
    ],
)
def test_a_time_without_hackbench_above_it_is_not_read(text: str) -> None:
    assert blocks(READER, text) == []


WRAPPED = """\
Without this change:
      # hackbench process 10 1000 -s 100000
      Running in process mode with 10 groups using 40 file descriptors
      each (== 400 tasks)
      Each sender will pass 100 messages of 100000 bytes
      Time: 4.401

      # hackbench process 10 1000 -s 100000
      Running in process mode with 10 groups using 40 file descriptors
      each (== 400 tasks)
      Each sender will pass 100 messages of 100000 bytes
      Time: 4.470

With this change:
      # hackbench process 10 1000 -s 100000
      Running in process mode with 10 groups using 40 file descriptors
      each (== 400 tasks)
      Each sender will pass 100 messages of 100000 bytes
      Time: 3.782
"""


def test_a_first_line_that_a_mail_wrapped_is_no_name_of_a_variant() -> None:
    found = entries(blocks(READER, WRAPPED))
    assert [(one.variant, one.benchmark, samples(one)) for one in found] == [
        ("Without this change", "hackbench-10-100000b", [4.401, 4.470]),
        ("With this change", "hackbench-10-100000b", [3.782]),
    ]
