"""/proc/kallsyms, of which nothing but what it hides is told."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.archive.reading import blocks

from kdelta.archive.documents import documents
from kdelta.archive.kallsyms import HIDDEN, KNOWN, READER
from kdelta.model.errors import MisuseError

SYMBOLS = (
    "ffffffff8150e3b0 t tcp_ack_update_rtt.isra.34\nffffffff81511a90 T tcp_synack_rtt_meas\nffffffffc0a31000 t reg\t[cfg80211]\n"
)
OF_OTHERS = "".join(f"0000000000000000 {line.split(' ', 1)[1]}\n" for line in SYMBOLS.splitlines())


def test_symbols_are_told_from_results() -> None:
    assert [one.text for block in blocks(READER, SYMBOLS) for one in block.remarks] == [KNOWN]


def test_addresses_that_are_all_0_are_told_to_be_hidden(tmp_path: Path) -> None:
    (tmp_path / "kallsyms").write_text(OF_OTHERS)
    with pytest.raises(MisuseError, match="kernel addresses hidden") as told:
        list(documents(tmp_path / "kallsyms", (), list[str]().append))
    assert HIDDEN in str(told.value)


@pytest.mark.parametrize("text", ["00000000 T one\n", "12345678 9 10\n" * 5, "deadbeef is a word\n" * 5])
def test_other_lines_are_no_symbols(text: str) -> None:
    assert blocks(READER, text) == []
