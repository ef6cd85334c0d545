"""Profiles that others made, whatever tool printed them: the one entry to all readers."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Sequence
from io import BufferedReader
from pathlib import Path
from typing import NamedTuple

import msgspec

from kdelta.model.errors import MisuseError
from kdelta.profile.readers import diffprofile_text, folded, naming, oprofile, perf_diff, perf_report, perf_script, readprofile
from kdelta.profile.readers.compressed import Unpacked
from kdelta.profile.readers.lines import Source
from kdelta.profile.readers.readout import Reading

__all__ = ["FORMATS", "Format", "Reading", "read"]

HEAD = 1 << 18
"""Bytes at the beginning of a text that its format is told by."""

MOST = 1 << 63
"""Counts of a profile add up to less: what does not fit is no profile."""

_LONGEST_LINE = 4096
_RECORDING = b"PERFILE2"
_MARK = b"\xef\xbb\xbf"


class Format(NamedTuple):
    """`name` is the command that prints it."""

    name: str
    recognises: Callable[[Sequence[str]], bool]
    read: Callable[[Source], Reading]


FORMATS = (
    Format(perf_diff.FORMAT, perf_diff.recognises, perf_diff.read),
    Format("perf report --stdio", perf_report.recognises, perf_report.read),
    Format(perf_script.FORMAT, perf_script.recognises, perf_script.read),
    Format(diffprofile_text.FORMAT, diffprofile_text.recognises, diffprofile_text.read),
    Format("opreport -l", oprofile.recognises, oprofile.read),
    Format(readprofile.FORMAT, readprofile.recognises, readprofile.read),
    Format("stackcollapse (folded call chains)", folded.recognises, folded.read),
)
"""The first one that recognises a text reads it: of a mail with tables of several kinds, one."""


def read(path: Path) -> Reading:
    """The profile, or the difference of two, in the file `path`, which gzip, bzip2, xz or zstd may have packed.

    A MisuseError says that it cannot be opened, is binary, has none of FORMATS, or holds nothing.
    """
    try:
        with path.open("rb") as file:
            return _read(path, file)
    except OSError as error:
        raise MisuseError(f"{path} cannot be read: {error.strerror or error}", "give the file of a profile") from error


def _read(path: Path, file: BufferedReader) -> Reading:
    unpacked = Unpacked(file)
    pieces = iter(unpacked)
    head = _head(pieces)
    known = _format(path, head, unpacked.damage)
    found = known.read(itertools.chain([head], pieces))
    if not (found.stacks or found.changes or found.blocks):
        raise MisuseError(f"{path} is text of {known.name}, but has no sample", "record for longer, or look whether it was cut")
    if sum(found.stacks.values()) >= MOST:
        raise MisuseError(f"the counts in {path} add up to 2^63 or more", "no profile has as many: look at its lines")
    damage = (f"the packed file is damaged, and what comes behind is not read: {unpacked.damage}",) if unpacked.damage else ()
    return msgspec.structs.replace(found, doubts=(*found.doubts, *damage))


def _head(pieces: Iterator[bytes]) -> bytes:
    head = b""
    while len(head) < HEAD and (piece := next(pieces, b"")):
        head += piece
    return head.removeprefix(_MARK)


def _format(path: Path, head: bytes, damage: str) -> Format:
    known = ", ".join(form.name for form in FORMATS)
    if not head:
        raise MisuseError(f"{path} is empty{': ' + damage if damage else ''}", f"give what one of these prints: {known}")
    if head.startswith(_RECORDING):
        raise MisuseError(f"{path} is a recording of perf, no text", f"perf script -i {path} > FILE, then give FILE")
    if b"\0" in head[:HEAD]:
        raise MisuseError(f"{path} is no text", f"give what one of these prints: {known}")
    lines = [line.rstrip("\r")[:_LONGEST_LINE] for line in head[:HEAD].decode(errors="replace").split("\n")]
    found = next((form for form in FORMATS if form.recognises(lines)), None)
    if found is None:
        first = naming.printable(next(filter(str.strip, lines), "")[:80])
        raise MisuseError(f"{path} is no profile that is known; its first line is '{first}'", f"what is read: {known}")
    return found
