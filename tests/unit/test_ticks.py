"""/proc/profile: where the ticks of the clock fell."""

from __future__ import annotations

import struct
from collections.abc import Mapping
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kdelta.box import ticks
from kdelta.box.perf_refusal import NoProfileError
from kdelta.kernel.symbols import parse

KALLSYMS = """ffffffff81000000 T _stext
ffffffff81000000 T startup
ffffffff81000040 T first
ffffffff81000080 t second
ffffffff810000c0 T _etext
"""


def buffer(step: int, counts: Mapping[int, int], size: int = 0xC0) -> bytes:
    """The file for code of `size` bytes; `counts` are by how far behind its start they are."""
    counters = [counts.get(place * step, 0) for place in range(size // step)]
    return struct.pack(f"={len(counters) + 1}I", step, *counters)


def test_ticks_are_those_of_the_function_that_they_fall_into() -> None:
    found = ticks.decode(buffer(4, {0: 1, 0x3C: 2, 0x40: 10, 0x7C: 20, 0x80: 100}), parse(KALLSYMS), 0xFFFFFFFF81000000)
    assert found == ({"startup": 3, "first": 30, "second": 100}, 4)


def test_the_last_counter_is_for_what_lies_beyond_the_code_too() -> None:
    found, _ = ticks.decode(buffer(4, {0xB8: 1, 0xBC: 7}), parse(KALLSYMS), 0xFFFFFFFF81000000)
    assert found == {"second": 1, "[unknown]": 7}


@given(st.dictionaries(st.integers(0, 47).map(lambda place: place * 4), st.integers(0, (1 << 32) - 1)))
def test_no_tick_is_lost(counts: dict[int, int]) -> None:
    found, _ = ticks.decode(buffer(4, counts), parse(KALLSYMS), 0xFFFFFFFF81000000)
    assert sum(found.values()) == sum(counts.values())


@given(st.binary(max_size=64))
def test_what_is_no_profile_is_refused(content: bytes) -> None:
    try:
        _, step = ticks.decode(content, parse(KALLSYMS), 0xFFFFFFFF81000000)
    except NoProfileError:
        return
    assert content[:4] == struct.pack("=I", step)


def test_hidden_symbols_give_no_names_to_ticks(tmp_path: Path) -> None:
    (tmp_path / "proc").mkdir()
    (tmp_path / ticks.PROFILE).write_bytes(buffer(4, {0x40: 5}))
    (tmp_path / ticks.KALLSYMS).write_text("0000000000000000 T _stext\n0000000000000000 T first\n")
    with pytest.raises(NoProfileError, match="hides its symbols"):
        ticks.read(tmp_path)


def test_ticks_that_may_not_be_reset_are_refused(tmp_path: Path) -> None:
    with pytest.raises(NoProfileError, match="cannot be reset: No such file"):
        ticks.reset(tmp_path)
