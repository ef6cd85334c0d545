"""The one entry to all readers of profiles that others made."""

from __future__ import annotations

import bz2
import contextlib
import gzip
import lzma
import math
import random
from collections.abc import Callable
from pathlib import Path

import pytest
import zstandard
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.unit.golden import check

from kdelta.model.errors import MisuseError
from kdelta.profile.change import Change
from kdelta.profile.readers import compressed
from kdelta.profile.readers.reading import FORMATS, Reading, read

PROFILES = Path(__file__).parent / "profiles"
FILES = sorted(PROFILES.glob("*.txt"))
EACH_FILE = pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
KINDS = {
    "script": "perf script",
    "report": "perf report",
    "diff": "perf diff",
    "folded": "folded",
    "readprofile": "readprofile",
    "opreport": "opreport",
    "diffprofile": "diffprofile",
}


def shown(reading: Reading) -> str:
    """All of a reading as text."""
    facts = [("format", reading.format), ("event", reading.event), ("unit", reading.unit), ("total", reading.total)]
    facts += [("samples", reading.samples), ("periods", reading.periods)]
    lines = [f"{name}: {value}" for name, value in facts if value]
    lines += [f"old {count} {chain}" for chain, count in reading.before.items()]
    lines += [f"{count} {chain}" for chain, count in reading.stacks.items()]
    lines += [change(one) for one in (*([reading.total_change] if reading.total_change else []), *reading.changes)]
    lines += [f"{one.cycles:+d} {one.name} {one.block} {one.deviation}" for one in reading.blocks]
    return "\n".join([*lines, *(f"? {doubt}" for doubt in reading.doubts), ""])


def change(one: Change) -> str:
    sides = ("-" if side is None else f"{side:g}" for side in (one.old, one.new))
    return f"{one.name}: {' -> '.join(sides)}"


@EACH_FILE
def test_a_text_is_read_as_it_was(path: Path) -> None:
    check(path.stem, shown(read(path)), PROFILES / "read")


@EACH_FILE
def test_a_format_is_told_by_the_text_not_by_the_name(path: Path, tmp_path: Path) -> None:
    other = tmp_path / "perf.data"
    other.write_bytes(path.read_bytes())
    assert read(other).format == KINDS[path.stem.rpartition(".")[2]]


@EACH_FILE
def test_lines_may_end_as_on_windows(path: Path, tmp_path: Path) -> None:
    other = tmp_path / "crlf"
    other.write_bytes(b"\xef\xbb\xbf" + path.read_bytes().replace(b"\n", b"\r\n"))
    assert read(other) == read(path)


def zstd(text: bytes) -> bytes:
    return zstandard.ZstdCompressor().compress(text)


PACKERS: list[Callable[[bytes], bytes]] = [gzip.compress, bz2.compress, lzma.compress, zstd]
EACH_PACKER = pytest.mark.parametrize("pack", PACKERS, ids=["gzip", "bzip2", "xz", "zstd"])
DD = PROFILES / "dd.script.txt"


@EACH_PACKER
def test_a_packed_file_is_read_as_what_it_holds(pack: Callable[[bytes], bytes], tmp_path: Path) -> None:
    packed = tmp_path / "dd"
    packed.write_bytes(pack(DD.read_bytes()))
    assert read(packed) == read(DD)


@EACH_PACKER
def test_a_file_packed_in_parts_is_read_to_its_end(pack: Callable[[bytes], bytes], tmp_path: Path) -> None:
    packed = tmp_path / "dd"
    packed.write_bytes(pack(DD.read_bytes() + b"\n") + pack(DD.read_bytes()))
    assert read(packed).samples == 2 * read(DD).samples


@EACH_PACKER
def test_a_packed_file_that_was_cut_is_read_up_to_there(pack: Callable[[bytes], bytes], tmp_path: Path) -> None:
    draw = random.Random(1)
    noise = b"".join(
        DD.read_bytes().replace(b"666709", str(n).encode()) + draw.randbytes(8).hex().encode() + b"\n\n" for n in range(4000)
    )
    packed = tmp_path / "dd"
    packed.write_bytes(pack(noise)[:-2000])
    reading = read(packed)
    assert 5_000 < reading.samples < 20_000
    assert any("damaged" in doubt or "no end" in doubt for doubt in reading.doubts)


def test_a_file_that_takes_too_much_memory_to_unpack_is_refused(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(compressed, "MOST_MEMORY", 1 << 16)
    packed = tmp_path / "dd.xz"
    packed.write_bytes(lzma.compress(DD.read_bytes()))
    with pytest.raises(MisuseError, match=r"dd.xz is empty: Memory usage limit"):
        read(packed)


REFUSED = {
    b"": "is empty",
    b"PERFILE2" + b"\0" * 100: "is a recording of perf",
    b"\x7fELF\x02\x01\x01\0": "is no text",
    b"Hello there,\nall is well.\n": "its first line is 'Hello there,'",
    b"\n\n\x1b[1mHi\n": "its first line is '.\\[1mHi'",
    b"0000000000000000 T vfs_read\n0000000000000000 t user_alpha2\t[cfg80211]\n": "no profile that is known",
    b"\x1f\x8bnothing": "is empty: ",
    b"# Overhead  Symbol\n# ........  ......\n#\n": "has no sample",
    b"# Overhead  Command\n# ........  .......\n#\n 100.00%  ls\n": "has no functions, but the columns Overhead, Command",
    b"# Baseline  Weighted diff  Symbol\n# ........  .............  ......\n#\n": "has no deltas, but the columns Baseline",
}


@pytest.mark.parametrize("content", REFUSED, ids=REFUSED.values())
def test_what_is_no_profile_is_refused_with_the_reason(content: bytes, tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(content)
    with pytest.raises(MisuseError, match=REFUSED[content]):
        read(path)


def test_an_error_lists_what_is_read(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_text("Dear all\n")
    with pytest.raises(MisuseError) as error:
        read(path)
    assert all(form.name in error.value.advice for form in FORMATS)


@pytest.mark.parametrize("name", [".", "nothing"])
def test_what_cannot_be_opened_is_refused(name: str, tmp_path: Path) -> None:
    with pytest.raises(MisuseError, match="cannot be read: "):
        read(tmp_path / name)


def test_counts_beyond_all_measure_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_text("".join(f"f{number} 999999999999999\n" for number in range(10_000)))
    with pytest.raises(MisuseError, match="2\\^63"):
        read(path)


def sound(reading: Reading) -> None:
    """What holds of any reading, whatever the text was."""
    names = [*reading.stacks, *reading.before, *(one.name for one in reading.changes), *(one.name for one in reading.blocks)]
    assert all(name.isprintable() for name in (*names, *reading.doubts, reading.event))
    assert all(count > 0 for count in (*reading.stacks.values(), *reading.before.values()))
    assert all(side is None or (math.isfinite(side) and side >= 0) for one in reading.changes for side in (one.old, one.new))


def read_or_refuse(path: Path, content: bytes) -> None:
    path.write_bytes(content)
    with contextlib.suppress(MisuseError):
        sound(read(path))


@given(st.binary(max_size=300))
def test_arbitrary_bytes_are_read_or_refused(tmp_path_factory: pytest.TempPathFactory, content: bytes) -> None:
    read_or_refuse(tmp_path_factory.getbasetemp() / "bytes", content)


CONTENTS = [path.read_bytes() for path in FILES]
PIECES = [
    b"",
    b"\n",
    b"\n\n",
    b" ",
    b"\t",
    b"\0",
    b"\xff",
    b"(",
    b")",
    b";",
    b"[",
    b"%",
    b"9" * 30,
    b"-1",
    b"0",
    b"total",
    b"...",
    b"#",
]
PIECES += [
    b"# Overhead  Symbol\n# ........  ......\n",
    b"samples % symbol name\n",
    b"\x1b[1m",
    "\u202e".encode(),
    b"\r",
    b"x" * 5000,
]


@given(st.data())
@settings(max_examples=300, deadline=None)
def test_texts_that_were_changed_anywhere_are_read_or_refused(
    tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    content = data.draw(st.sampled_from(CONTENTS))
    for _ in range(data.draw(st.integers(1, 6))):
        start = data.draw(st.integers(0, len(content)))
        end = data.draw(st.integers(start, min(len(content), start + 40)))
        content = content[:start] + data.draw(st.sampled_from(PIECES)) + content[end:]
    read_or_refuse(tmp_path_factory.getbasetemp() / "changed", content)
