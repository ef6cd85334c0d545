"""Addresses to function names, by the text of /proc/kallsyms."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kdelta.kernel.symbols import UNKNOWN, SymbolCache, parse

KALLSYMS = """\
0000000000000000 A fixed_percpu_data
ffffffff81000000 T _stext
ffffffff81000000 T startup_64
ffffffff81000100 t __pfx_do_work
ffffffff81000110 t do_work
ffffffff81000200 T __cfi_sys_open
ffffffff81000210 T sys_open
ffffffff81000210 t __sys_open_alias
ffffffff81000300 W weak_one
ffffffff81000400 T _etext
ffffffff81800000 D some_data
ffffffff82000000 T _sinittext
ffffffff82000000 t early_setup
ffffffff82001000 T _einittext
ffffffffc0200000 t ext4_read\t[ext4]
ffffffffc0200100 t ext4_write\t[ext4]
ffffffffc0300000 t bpf_prog_6deef7357e7b4530\t[bpf]
"""


@pytest.mark.parametrize(
    ("address", "name"),
    [
        pytest.param(0xFFFFFFFF81000110, "do_work", id="first byte"),
        pytest.param(0xFFFFFFFF810001F0, "do_work", id="within"),
        pytest.param(0xFFFFFFFF81000210, "sys_open", id="global before local"),
        pytest.param(0xFFFFFFFF81000300, "weak_one", id="weak"),
        pytest.param(0xFFFFFFFF810003FF, "weak_one", id="last byte of the text"),
        pytest.param(0xFFFFFFFF81000400, UNKNOWN, id="end of the text"),
        pytest.param(0xFFFFFFFF81800010, UNKNOWN, id="data"),
        pytest.param(
            0xFFFFFFFF82000800,
            "early_setup",
            id="function before the edge of a section",
        ),
        pytest.param(0xFFFFFFFF82001000, UNKNOWN, id="end of the initial text"),
        pytest.param(0xFFFFFFFFC0200080, "ext4_read [ext4]", id="module"),
        pytest.param(0xFFFFFFFFC0300010, "bpf_prog_6deef7357e7b4530 [bpf]", id="bpf program"),
        pytest.param(0xFFFFFFFF80FFFFFF, UNKNOWN, id="before all functions"),
        pytest.param(0, UNKNOWN, id="zero"),
    ],
)
def test_an_address_is_named_by_the_function_that_covers_it(address: int, name: str) -> None:
    assert parse(KALLSYMS).name_of(address) == name


def test_padding_has_no_name_of_its_own() -> None:
    table = parse(KALLSYMS)
    names = {table.name_of(address) for address in range(0xFFFFFFFF81000000, 0xFFFFFFFF81000400, 16)}
    assert names == {"startup_64", "do_work", "sys_open", "weak_one"}


def test_a_name_that_is_not_text_covers_nothing() -> None:
    table = parse("ffffffff81000000 T work\nffffffff81000100 d table\nffffffff81000200 b buffer\n")
    assert table.name_of(0xFFFFFFFF81000300) == "work"


def test_hidden_addresses_give_no_names() -> None:
    table = parse("0000000000000000 T startup_64\n0000000000000000 t do_work\n")
    assert (len(table), table.name_of(0), table.name_of(0xFFFFFFFF81000000)) == (0, UNKNOWN, UNKNOWN)


def test_no_text_gives_no_names() -> None:
    assert len(parse("")) == 0


def test_each_address_has_one_name() -> None:
    assert len(parse(KALLSYMS)) == 12


@pytest.mark.parametrize(
    ("lines", "name"),
    [
        pytest.param(["t aaa", "T zzz"], "zzz", id="global before local"),
        pytest.param(["W aaa", "T zz"], "zz", id="the shorter of two globals"),
        pytest.param(["t longer_name", "t short"], "short", id="the shorter of two locals"),
        pytest.param(["T bbb", "T aaa"], "aaa", id="the alphabet at last"),
        pytest.param(["T __entry_text_start", "t entry"], "entry", id="function before edge"),
        pytest.param(["T _etext", "t next_function"], "next_function", id="function before the end of text"),
    ],
)
def test_of_several_names_one_is_chosen_by_rule(lines: list[str], name: str) -> None:
    address = "ffffffff81000000 "
    both = [parse("\n".join(address + line for line in order)) for order in (lines, lines[::-1])]
    assert [table.name_of(0xFFFFFFFF81000000) for table in both] == [name, name]


@given(st.permutations(KALLSYMS.splitlines()))
def test_names_do_not_depend_on_the_order_of_the_lines(lines: list[str]) -> None:
    starts = [int(line.split()[0], 16) for line in lines]
    shuffled, table = parse("\n".join(lines)), parse(KALLSYMS)
    assert [shuffled.name_of(start) for start in starts] == [table.name_of(start) for start in starts]


ALIASES = st.lists(
    st.tuples(st.integers(1, 5), st.sampled_from("tTwW"), st.from_regex(r"[a-z_]{1,4}", fullmatch=True)),
    max_size=8,
    unique_by=lambda entry: (entry[0], entry[2]),
)


@given(ALIASES)
def test_aliases_do_not_depend_on_the_order_of_the_lines(entries: list[tuple[int, str, str]]) -> None:
    lines = [f"{address:016x} {kind} {name}\t[mod]" for address, kind, name in entries]
    forward, backward = parse("\n".join(lines)), parse("\n".join(reversed(lines)))
    assert [forward.name_of(address) for address in range(7)] == [backward.name_of(address) for address in range(7)]


@pytest.mark.parametrize("length", range(1, 60, 7))
def test_a_text_that_is_cut_off_keeps_its_whole_lines(length: int) -> None:
    whole = "ffffffff81000000 T startup_64\n"
    assert parse(whole + KALLSYMS[-60:][:length]).name_of(0xFFFFFFFF81000000) == "startup_64"


def test_symbols_that_were_never_fetched_are_not_known() -> None:
    assert SymbolCache().get("ab" * 20) is None


def test_symbols_that_were_put_are_got() -> None:
    symbols = SymbolCache()
    symbols.put("ab" * 20, KALLSYMS)
    table = symbols.get("ab" * 20)
    assert table is not None
    assert table.name_of(0xFFFFFFFF81000110) == "do_work"


def test_symbols_outlive_the_program() -> None:
    SymbolCache().put("ab" * 20, KALLSYMS)
    table = SymbolCache().get("ab" * 20)
    assert table is not None
    assert table.name_of(0xFFFFFFFF81000110) == "do_work"


def test_symbols_of_another_kernel_are_not_given_out() -> None:
    symbols = SymbolCache()
    symbols.put("ab" * 20, KALLSYMS)
    assert symbols.get("cd" * 20) is None


def test_symbols_that_are_kept_are_not_overwritten() -> None:
    SymbolCache().put("ab" * 20, KALLSYMS)
    SymbolCache().put("ab" * 20, "")
    table = SymbolCache().get("ab" * 20)
    assert table is not None
    assert len(table) == 12
