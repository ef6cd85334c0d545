"""What `time` prints, in the forms of each shell and of GNU time, read."""

from __future__ import annotations

import pytest
from tests.archive.reading import blocks, entries, samples

from kdelta.archive.time_output import READER
from kdelta.model.boot import CellState

TWO = """\
The tool is built serially:

[ make clean ]

time make
real    0m3,742s
user    0m3,330s
sys     0m1,105s

[ make clean ]

time make -j10
real    0m1,045s
user    0m3,153s
sys     0m1,037s
"""
LOG = """\
2024-02-26 06:57:44 scripts/config --file .config --enable CONFIG_TRIM_UNUSED_KSYMS
start time: 1708930664.406241182

real: 300.922s
user: 16611.657s
sys: 1932.173s
end time: 1708930965.330050942
iterations: 1
runtime: 307
"""
PROFILE = """\
[root@host root]# time readprofile -m System.map-2.6.8.1-mm3 | sort -nr |
head -20
62551761 total                                      9.6980
  3938 file_kill                                 17.5804

real    1m32.554s
user    0m0.215s
sys     1m32.375s
"""
GNU = "0.12user 1.42system 0:04.92elapsed 31%CPU (0avgtext+0avgdata 2048maxresident)k\n"
FAULTS = "0inputs+0outputs (0major+96minor)pagefaults 0swaps\n"
VERBOSE = """\
\tCommand being timed: "make -j8"
\tUser time (seconds): 0.12
\tSystem time (seconds): 1.42
\tPercent of CPU this job got: 31%
\tElapsed (wall clock) time (h:mm:ss or m:ss): 1:00:04.92
\tMaximum resident set size (kbytes): 2048
\tExit status: 0
"""


def times(written: str) -> list[float]:
    """Elapsed, user and system time of the first of it."""
    found = entries(blocks(READER, written))
    return [one.figures["value"].value for name in ("elapsed_s", "user_s", "system_s") for one in found if one.metric == name][:3]


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ("real    0m3.742s\nuser    0m3.330s\nsys     0m1.105s\n", [3.742, 3.33, 1.105]),
        ("real    0m3,742s\nuser    0m3,330s\nsys     0m1,105s\n", [3.742, 3.33, 1.105]),
        ("real\t61m3.742s\nuser\t0m3.330s\nsys\t0m1.105s\n", [3663.742, 3.33, 1.105]),
        ("real 3.74\nuser 3.33\nsys 1.10\n", [3.74, 3.33, 1.10]),
        ("real\t0m 3.74s\nuser\t0m 3.33s\nsys\t0m 1.10s\n", [3.74, 3.33, 1.10]),
        ("user 3.33\nsys 1.10\nreal 3.74\n", [3.74, 3.33, 1.10]),
        (GNU + FAULTS, [4.92, 0.12, 1.42]),
        ("0.12user 1.42system 1:02:04elapsed ?%CPU (0avgtext)k\n", [3724, 0.12, 1.42]),
        (VERBOSE, [3604.92, 0.12, 1.42]),
        ("0.12u 1.42s 0:04.92 31.3% 0+0k 0+0io 0pf+0w\n", [4.92, 0.12, 1.42]),
        ("make -j10  3.15s user 1.03s system 400% cpu 1:01.045 total\n", [61.045, 3.15, 1.03]),
        ("make -j10  3,15s user 1,03s system 400% cpu 1,045 total\n", [1.045, 3.15, 1.03]),
    ],
)
def test_each_form_gives_seconds(written: str, expected: list[float]) -> None:
    assert times(written) == pytest.approx(expected)


def test_a_number_keeps_its_text_and_its_place() -> None:
    elapsed = entries(blocks(READER, TWO), metric="elapsed_s")[0].figures["value"]
    assert (elapsed.text, elapsed.line, elapsed.column) == ("0m3,742s", 6, 9)
    assert elapsed.step == pytest.approx(0.001)


def test_the_command_above_names_the_variant_and_its_program_the_benchmark() -> None:
    found = entries(blocks(READER, TWO), metric="elapsed_s")
    assert [(one.variant, one.benchmark, one.figures["value"].value) for one in found] == [
        ("make", "make", 3.742),
        ("make -j10", "make", 1.045),
    ]


def test_a_heading_goes_before_the_command() -> None:
    written = f"with the patch:\n$ time ./sum -n 5\n{GNU}"
    (found,) = entries(blocks(READER, written), metric="elapsed_s")
    assert (found.variant, found.benchmark, found.parameters) == ("with the patch", "sum", {"command": "./sum -n 5"})


@pytest.mark.parametrize(
    ("written", "variant", "benchmark"),
    [
        (VERBOSE, "make -j8", "make"),
        ("make -j10  3.15s user 1.03s system 400% cpu 1.045 total\n", "make -j10", "make"),
        (f"root@box:~# time sudo ./bench 7\nmuch is printed\n\n{GNU}", "sudo ./bench 7", "bench"),
        (f"2.6.8-rc1:\n{GNU}", "2.6.8-rc1", "command"),
        (f"This is a sentence.\n{GNU}", "", "command"),
    ],
)
def test_what_ran_is_found_where_it_stands(written: str, variant: str, benchmark: str) -> None:
    (found,) = entries(blocks(READER, written), metric="elapsed_s")
    assert (found.variant, found.benchmark) == (variant, benchmark)


@pytest.mark.parametrize("between", ["", "\n\n", FAULTS])
def test_times_with_nothing_between_are_repeated_results(between: str) -> None:
    (found,) = entries(blocks(READER, GNU + between + GNU.replace("4.92", "4.95")), metric="elapsed_s")
    assert samples(found) == pytest.approx([4.92, 4.95])


def test_times_with_more_between_are_not_merged() -> None:
    (block,) = blocks(READER, f"{GNU}and now the other kernel\n{GNU.replace('4.92', '4.95')}")
    assert [one.variant for one in entries([block], metric="elapsed_s")] == ["", "(2)"]
    assert "with more between" in block.remarks[0].text


def test_the_percentage_of_cpu_is_claimed_to_follow() -> None:
    (block,) = blocks(READER, GNU)
    (claim,) = block.claims
    assert (claim.kind, claim.printed.text, [one.value for one in claim.of]) == ("cpu", "31", [0.12, 1.42, 4.92])
    assert [one.better for one in entries([block], metric="percent_cpu")] == [None]


@pytest.mark.parametrize(
    "written", [f"Command exited with non-zero status 2\n{GNU}", VERBOSE.replace("Exit status: 0", "Exit status: 2")]
)
def test_a_command_that_failed_is_not_judged(written: str) -> None:
    found = entries(blocks(READER, written), metric="user_s")[0]
    assert (found.state, found.figures, [one.number.value for one in found.discarded]) == (CellState.FAILED, {}, [0.12])
    assert "status 2" in found.reason


def test_the_times_of_a_log_are_told_apart() -> None:
    (block,) = blocks(READER, LOG)
    assert times(LOG) == pytest.approx([300.922, 16611.657, 1932.173])
    assert block.facts["iterations"] == "1"
    assert ["300.9238 s" in block.remarks[0].text, "307 s" in block.remarks[1].text] == [True, True]


def test_the_time_of_a_tool_that_prints_a_profile_is_no_result() -> None:
    assert blocks(READER, PROFILE) == []


@pytest.mark.parametrize(
    "written",
    [
        "real 3.74\n",
        "real 3.74\nuser experience 4\nsys 1.10\n",
        "the real 3.74\nuser 3.33\nsys 1.10\n",
        "user 3.33\nsys 1.10\n",
        '\tCommand being timed: "x"\n\tUser time (seconds): 0.12\n',
        "0.12user 1.42system\n",
        "  1 proc    0.65u   1.43s 2.09e 99%CPU\n",
        "real " + "9" * 400 + "\nuser 1\nsys 1\n",
    ],
)
def test_what_only_looks_like_a_time_is_none(written: str) -> None:
    assert blocks(READER, written) == []


@pytest.mark.parametrize(
    ("above", "variant"),
    [
        ("**tar**", "tar"),
        ("== sync ==", "sync"),
        ("AFAIK the machines we use are identical, and mine sees", ""),
        ("w/o patch:", "w/o patch"),
    ],
)
def test_a_heading_names_the_variant_and_a_sentence_does_not(above: str, variant: str) -> None:
    times = "real    0m1.045s\nuser    0m3.153s\nsys     0m1.037s\n"
    assert {one.variant for one in entries(blocks(READER, f"{above}\n{times}"))} == {variant}


def test_a_command_behind_sudo_is_the_command() -> None:
    found = entries(blocks(READER, f"% sudo time fstrim /\n{GNU}{FAULTS}"))
    assert {(one.variant, one.benchmark) for one in found} == {("fstrim /", "fstrim")}


INLINE = """\
ext4 (needed mkfs.ext4 -N 24000000):
before: 3.77s user 890.90s system 1939% cpu 46.118 total
after:  3.24s user 397.73s system 1858% cpu 21.581 total (-53%)

btrfs:
before: 3.54s user 892.30s system 1966% cpu 45.549 total
after:  3.28s user 738.66s system 1955% cpu 37.932 total (-16.7%)
"""
BEHIND = """\
When cache is cold, it's
4.29user 28.48system 0:43.39elapsed 75%CPU without the patch, and
4.52user 22.53system 0:38.16elapsed 70%CPU with the patch.
"""


def test_a_word_with_a_colon_in_front_of_a_time_is_the_variant_and_the_heading_the_benchmark() -> None:
    found = entries(blocks(READER, INLINE), metric="elapsed_s")
    assert [(one.variant, one.benchmark, one.figures["value"].value) for one in found] == [
        ("before", "ext4", 46.118),
        ("after", "ext4", 21.581),
        ("before", "btrfs", 45.549),
        ("after", "btrfs", 37.932),
    ]


def test_words_behind_a_time_are_the_variant_and_no_two_of_them_repeats() -> None:
    found = entries(blocks(READER, BEHIND), metric="elapsed_s")
    assert [(one.variant, one.figures["value"].value) for one in found] == [("without the patch", 43.39), ("with the patch", 38.16)]


def test_what_gnu_time_prints_behind_its_times_is_no_variant() -> None:
    assert {one.variant for one in entries(blocks(READER, GNU + FAULTS))} == {""}


SHOWN_ONCE = """\
Before:
 # for i in $(seq 1000); do mkdir /sys/fs/cgroup/memory/cg$i; done
 # time cat /sys/fs/cgroup/memory/cg*/memory.stat > /dev/null
 real    0m0.125s
 user    0m0.005s
 sys     0m0.120s

After:
 real    0m0.032s
 user    0m0.005s
 sys     0m0.027s
"""


def test_a_command_that_is_shown_once_is_that_of_the_time_below_the_next_heading() -> None:
    found = entries(blocks(READER, SHOWN_ONCE), metric="elapsed_s")
    assert [(one.variant, one.benchmark) for one in found] == [("Before", "cat"), ("After", "cat")]


def test_a_command_is_not_that_of_a_time_with_more_between() -> None:
    found = entries(blocks(READER, SHOWN_ONCE.replace("After:", "Then we built it.\n\nBuild:")), metric="elapsed_s")
    assert [(one.variant, one.benchmark) for one in found] == [("Before", "cat"), ("Build", "command")]
