"""Every reader, given lines of its own formats in any order, cut anywhere: it gives sane blocks, or none, and raises nothing."""

from __future__ import annotations

from functools import cache

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.archive.reading import TEXTS, require_sane

from kdelta.archive.reader import Reader
from kdelta.archive.readers import READERS

EXAMPLES = 15
MOST = 4000
ODD = [
    b"",
    b"\xff\xfe",
    b"-1e308 1e309 nan inf",
    b"0 0 0 0 0",
    b"(",
    b"\xc2\xb1 \xe2\x94\x82",
    b"9" * 400,
    b"\t\t\t",
    b"> > >",
    b"%",
]


@cache
def lines() -> dict[str, list[bytes]]:
    """Of the texts of all readers, those of which the reader has a mark, and what stands around them."""
    texts = [path.read_bytes() for path in sorted(TEXTS.glob("*")) if path.is_file()]
    texts += [path.read_bytes() for path in sorted(TEXTS.parent.glob("test_*.py"))]
    found: dict[str, list[bytes]] = {}
    for reader in READERS:
        fitting = [one for one in texts if any(mark.encode() in one for mark in reader.marks if len(mark) > 3)] or texts[:3]
        every = [line for one in fitting for line in one.split(b"\n")]
        found[reader.name] = list(dict.fromkeys(every))[:MOST] + [mark.encode() for mark in reader.marks] + ODD
    return found


@pytest.mark.parametrize("reader", READERS, ids=lambda reader: reader.name)
@settings(max_examples=EXAMPLES)
@given(data=st.data())
def test_lines_in_any_order_make_no_reader_stumble(reader: Reader, data: st.DataObject) -> None:
    chosen = data.draw(st.lists(st.sampled_from(lines()[reader.name]), max_size=40))
    cut = data.draw(st.integers(0, 20))
    text = b"\n".join(chosen)
    require_sane(reader, text[: len(text) - cut])
