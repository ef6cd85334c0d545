"""Two numbers under a heading with a percentage, read."""

from __future__ import annotations

import pytest
from tests.archive.reading import blocks, entries

from kdelta.archive.named_pairs import READER
from kdelta.model.benchmark import Better

PAIRS = """\
sysbench test=threads threads=32 yields=100 lock=8 (+13.8%):
  queued_spinlock 0.5109/0.00
  ticket_spinlock 0.5814/0.00

perf futex/hash (+6.7%):
  queued_spinlock 1444393 operations/sec (+- 0.09%)
  ticket_spinlock 1353215 operations/sec (+- 0.15%)

perf futex/wake-parallel (+8.6%):
  queued_spinlock (waking 1/64 threads) in 0.0253 ms (+-2.90%)
  ticket_spinlock (waking 1/64 threads) in 0.0275 ms (+-3.12%)
"""


def test_the_worse_of_a_pair_is_the_base_whatever_is_better() -> None:
    found = blocks(READER, PAIRS)
    assert [[one.variant for one in block.entries] for block in found] == [["ticket_spinlock", "queued_spinlock"]] * 3
    assert [block.entries[0].better for block in found] == [Better.SMALLER, Better.LARGER, Better.SMALLER]


def test_numbers_are_in_base_units_with_their_spread() -> None:
    found = entries(blocks(READER, PAIRS), variant="queued_spinlock")
    assert [one.figures["mean"].value for one in found] == pytest.approx([0.5109, 1444393, 0.0253e-3])
    assert (found[0].figures["sd"].text, found[1].figures["error"].text) == ("0.00", "0.09")
    assert found[1].figures["error"].value == pytest.approx(0.0009 * 1444393)


def test_settings_are_parameters_and_no_part_of_the_name() -> None:
    found = [block.entries[0] for block in blocks(READER, PAIRS)]
    assert [one.benchmark for one in found] == ["sysbench-threads", "perf-futex-hash", "perf-futex-wake-parallel"]
    assert found[0].parameters == {"threads": "32", "yields": "100", "lock": "8"}


def test_the_percentage_is_claimed_of_the_two() -> None:
    found = [block.claims[0] for block in blocks(READER, PAIRS)]
    assert [(one.printed.text, [of.text for of in one.of]) for one in found] == [
        ("+13.8", ["0.5814", "0.5109"]),
        ("+6.7", ["1353215", "1444393"]),
        ("+8.6", ["0.0275", "0.0253"]),
    ]


@pytest.mark.parametrize(
    "written",
    [
        "speed (+3.0%):\n  old 5 ms\n",
        "speed (+3.0%):\nold 5 ms\nnew 4 ms\n",
        "speed (+3.0%):\n  old 5 ms\n  old 4 ms\n",
        "speed (+3.0%):\n  old 5 ms\n  new 4 us\n",
        "speed (+3.0%):\n  old 0.5/0.1\n  new 0.4/0.1\n",
        "speed (+3.0%):\n  old 1e999 ms\n  new 4 ms\n",
    ],
)
def test_what_is_no_pair_of_one_unit_is_not_read(written: str) -> None:
    assert blocks(READER, written) == []
