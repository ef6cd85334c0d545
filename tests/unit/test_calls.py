"""Which calls the kernel is in, as the profile plugin follows them on the stacks that it writes to and reads from."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

HERE = Path(__file__).parent
MOST_CHAINS = 64
FLAGS = (
    f"-DMOST_CHAINS={MOST_CHAINS}",
    "-O2",
    "-std=gnu11",
    "-D_GNU_SOURCE",
    "-Wall",
    "-Wextra",
    "-Werror",
    f"-I{HERE.parents[1] / 'csrc'}",
)

ONE, OTHER = 0xFFFFC90000010000, 0xFFFFC90000014000
"""Two kernel stacks, 16 KiB each."""


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("calls") / "calls"
    subprocess.run(["gcc", *FLAGS, "-o", path, HERE / "calls.c"], check=True)
    return path


def told(program: Path, *lines: str) -> list[str]:
    done = subprocess.run([program], input="".join(f"{line}\n" for line in lines), capture_output=True, text=True, check=True)
    return [line.strip() for line in done.stdout.splitlines()]


def call(site: int, offset: int, stack: int = ONE, cpu: int = 0) -> str:
    return f"call {cpu:x} {site:x} {stack + offset:x}"


def ret(offset: int, stack: int = ONE, cpu: int = 0) -> str:
    return f"ret {cpu:x} {stack + offset:x}"


def test_a_chain_has_the_outermost_call_first(program: Path) -> None:
    assert told(program, "in 0", call(0xA, 0x3F00), call(0xB, 0x3E00), "in 0") == ["", "a b"]


def test_a_return_ends_the_call_that_wrote_there(program: Path) -> None:
    lines = (call(0xA, 0x3F00), call(0xB, 0x3E00), ret(0x3E00), "in 0", ret(0x3F00), "in 0")
    assert told(program, *lines) == ["a", ""]


def test_a_call_at_the_same_place_follows_one_that_has_ended(program: Path) -> None:
    """A function that was left by a jump to another one, say, or a return that was not seen."""
    assert told(program, call(0xA, 0x3F00), call(0xB, 0x3E00), call(0xC, 0x3E00), "in 0") == ["a c"]


def test_everything_deeper_has_ended_with_a_return_further_up(program: Path) -> None:
    lines = (call(0xA, 0x3F00), call(0xB, 0x3E00), call(0xC, 0x3D00), ret(0x3F00), "in 0")
    assert told(program, *lines) == [""]


def test_a_return_that_nothing_called_ends_nothing_above_it(program: Path) -> None:
    """The first return of a new task, and that of a retpoline."""
    assert told(program, call(0xA, 0x3F00), ret(0x3E00), "in 0") == ["a"]


def test_a_task_goes_on_where_it_was_when_its_stack_returns(program: Path) -> None:
    lines = (
        *(call(0xA, 0x3F00), call(0xB, 0x3E00)),
        *(call(0xC, 0x3F00, OTHER), call(0xD, 0x3E00, OTHER), ret(0x3E00, OTHER), "in 0"),
        *(ret(0x3E00), "in 0"),
    )
    assert told(program, *lines) == ["c", "a"]


def test_an_interrupt_is_in_the_chain_of_what_it_interrupted(program: Path) -> None:
    lines = (call(0xA, 0x3F00), call(0xE, 0x3C00), "in 0", ret(0x3C00), "in 0")
    assert told(program, *lines) == ["a e", "a"]


def test_every_cpu_is_in_a_chain_of_its_own(program: Path) -> None:
    assert told(program, call(0xA, 0x3F00), call(0xB, 0x3F00, OTHER, cpu=1), "in 0", "in 1", "in 2") == ["a", "b", ""]


def test_recursion_is_one_call_after_the_other(program: Path) -> None:
    assert told(program, *(call(0xA, 0x3F00 - 16 * depth) for depth in range(5)), "in 0") == ["a a a a a"]


def test_with_as_many_chains_as_may_be_deeper_calls_are_in_the_chain_that_is_known(program: Path) -> None:
    many = [call(site, 0x3F00) for site in range(1, MOST_CHAINS)]
    assert told(program, *many, call(0xB, 0x3E00), "in 0", ret(0x3E00), ret(0x3F00), "in 0") == ["3f", ""]


INSTRUCTIONS = {
    "e8 00 00 00 00": ("call rel32", 1),
    "ff d0": ("call *%rax", 1),
    "41 ff d3": ("call *%r11", 1),
    "ff 15 53 8c 8b 01": ("call *0x18b8c53(%rip)", 1),
    "3e ff d0": ("notrack call *%rax", 1),
    "2e e8 00 00 00 00": ("cs call", 1),
    "66 48 e8 00 00 00 00": ("data16 rex.W call", 1),
    "c3": ("ret", 2),
    "f3 c3": ("rep ret", 2),
    "f2 c3": ("bnd ret", 2),
    "c2 08 00": ("ret $8", 2),
    "e9 00 00 00 00": ("jmp", 0),
    "ff e0": ("jmp *%rax", 0),
    "ff 30": ("push (%rax)", 0),
    "ff c0": ("inc %eax", 0),
    "48 cf": ("iretq", 0),
    "0f 05": ("syscall", 0),
    "0f c3 00": ("movnti: C3 behind 0F", 0),
    "48 89 c3": ("mov %rax,%rbx", 0),
    "90": ("nop", 0),
    "ff": ("cut off", 0),
    "48": ("a prefix alone", 0),
    "": ("nothing", 0),
}


@pytest.mark.parametrize(
    ("code", "expected"), [(code, what) for code, (_, what) in INSTRUCTIONS.items()], ids=[n for n, _ in INSTRUCTIONS.values()]
)
def test_calls_and_returns_are_told_from_other_instructions(program: Path, code: str, expected: int) -> None:
    assert told(program, f"what {code}") == [str(expected)]


Calls = list[Any]
"""Each a list of those that it makes itself."""

TREES: st.SearchStrategy[Calls] = st.recursive(st.builds(list), lambda inner: st.lists(inner, max_size=3), max_leaves=12)


def walked(calls: Calls, depth: int, above: tuple[str, ...]) -> tuple[list[str], list[str]]:
    """The lines of a program that makes `calls`, each with those that it makes itself, and the chains that it is in."""
    lines, chains = list[str](), list[str]()
    for place, inner in enumerate(calls):
        site, at = 16 * depth + place, 0x3F00 - 0x100 * depth
        here = (*above, f"{site:x}")
        within = walked(inner, depth + 1, here)
        lines += [call(site, at), "in 0", *within[0], ret(at), "in 0"]
        chains += [" ".join(here), *within[1], " ".join(above)]
    return lines, chains


@given(TREES)
def test_any_tree_of_calls_is_followed(program: Path, calls: Calls) -> None:
    lines, chains = walked(calls, 1, ())
    assert told(program, *lines) == chains
