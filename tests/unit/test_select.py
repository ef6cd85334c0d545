"""From what is typed behind -b to benchmarks."""

from __future__ import annotations

import pytest

from kdelta.model.errors import MisuseError
from kdelta.workload.catalogue import SUITES, by_name
from kdelta.workload.select import select


def names(*words: str) -> list[str]:
    return [benchmark.name for benchmark in select(words)]


@pytest.mark.parametrize("suite", SUITES)
def test_a_suite_is_its_benchmarks_in_order(suite: str) -> None:
    assert names(suite) == list(SUITES[suite])


def test_a_name_is_that_benchmark_of_the_catalogue() -> None:
    assert select(["null"]) == (by_name()["null"],)


def test_benchmarks_come_in_the_order_in_which_they_were_typed() -> None:
    assert names("select", "mmap", "null") == ["select", "mmap", "null"]


def test_a_benchmark_that_is_chosen_twice_comes_once() -> None:
    assert names("mmap", "mem", "mmap") == ["mmap", *(name for name in SUITES["mem"] if name != "mmap")]


def test_a_bare_program_has_its_defaults() -> None:
    (ctx,) = select(["ctx"])
    assert (ctx.name, ctx.program, ctx.parameters) == ("ctx", "ctx", {})


def test_a_configured_program_is_called_by_what_was_typed() -> None:
    (ctx,) = select(["ctx:procs=64,size=4096"])
    assert (ctx.name, ctx.parameters) == ("ctx:procs=64,size=4096", {"procs": "64", "size": "4096"})


def test_a_configured_benchmark_keeps_its_other_parameters() -> None:
    (ctx,) = select(["ctx-20:size=4096"])
    assert ctx.parameters == {"procs": "20", "size": "4096"}


def test_the_catalogue_is_not_altered_by_a_configured_benchmark() -> None:
    select(["ctx-20:procs=30"])
    assert by_name()["ctx-20"].parameters == {"procs": "20"}


def test_common_words_are_fields_and_no_parameters() -> None:
    (null,) = select(["null:operations=7,iterations=2,getppid=1"])
    assert (null.operations, null.iterations, null.getppid, null.parameters) == (7, 2, 1, {})


def test_two_settings_of_one_program_are_two_benchmarks() -> None:
    assert names("ctx:procs=3", "ctx:procs=4") == ["ctx:procs=3", "ctx:procs=4"]


@pytest.mark.parametrize(
    ("word", "message", "advice"),
    [
        pytest.param("hackbench-1", "no benchmark or suite 'hackbench-1'", "did you mean 'hackbench-10'?", id="unknown benchmark"),
        pytest.param("quikc", "no benchmark or suite 'quikc'", "did you mean 'quick'?", id="unknown suite"),
        pytest.param("", "no benchmark or suite ''", "known:", id="empty"),
        pytest.param("nop", "no benchmark or suite 'nop'", "known:", id="program that measures nothing"),
        pytest.param("ctx:proc=3", "no parameter 'proc'", "did you mean 'procs'?", id="unknown parameter"),
        pytest.param("null:size=1", "no parameter 'size'", "known: getppid", id="none of its own"),
        pytest.param("ctx:procs", "procs=''", "procs is a whole number from 2 to 10000", id="no value"),
        pytest.param("ctx:procs=", "procs=''", "procs is a whole number from 2 to 10000", id="empty value"),
        pytest.param("ctx:procs=1", "procs='1'", "procs is a whole number from 2 to 10000", id="below the bounds"),
        pytest.param("ctx:procs=10001", "procs='10001'", "procs is a whole number from 2 to 10000", id="above the bounds"),
        pytest.param("ctx:procs=two", "procs='two'", "procs is a whole number from 2 to 10000", id="no number"),
        pytest.param("proc:child=bash", "child='bash'", "child is exit or exec or sh", id="unknown word"),
        pytest.param("null:operations=0", "operations='0'", "operations is a whole number from 1", id="no operations"),
        pytest.param("null:iterations=1001", "iterations='1001'", "iterations is a whole number from 1", id="too many"),
        pytest.param("ctx:procs=3,,size=1", "no parameter ''", "known:", id="empty setting"),
    ],
)
def test_what_is_not_in_the_catalogue_is_refused(word: str, message: str, advice: str) -> None:
    with pytest.raises(MisuseError) as caught:
        select([word])
    assert message in str(caught.value)
    assert advice in caught.value.advice


def test_one_wrong_word_among_right_ones_is_refused() -> None:
    with pytest.raises(MisuseError, match="'nul'"):
        select(["mmap", "nul", "select"])


def test_nothing_chosen_is_refused_with_the_suites() -> None:
    with pytest.raises(MisuseError, match="no benchmark is chosen") as caught:
        select([])
    assert [suite for suite in SUITES if suite not in caught.value.advice] == []


def test_a_number_of_many_digits_is_out_of_bounds() -> None:
    with pytest.raises(MisuseError, match="operations="):
        select(["null:operations=" + "9" * 5000])


def test_the_advice_lists_each_name_once() -> None:
    with pytest.raises(MisuseError) as caught:
        select(["zzzzzz"])
    listed = caught.value.advice.removeprefix("known: ").split(", ")
    assert len(set(listed)) == len(listed)


def test_a_suite_with_settings_is_not_answered_with_itself() -> None:
    with pytest.raises(MisuseError) as caught:
        select(["quick:iterations=5"])
    assert "did you mean 'quick'?" not in caught.value.advice
