"""Coverage-guided fuzzing of every reader of the archive: `python -m tests.fuzz.archive SECONDS [FORMAT...]`.

Each input is a byte that chooses the reader, and a text. Whatever the text, the reader gives blocks whose numbers are finite and
lie within it, and raises nothing; the only error is that of a text that is refused. libFuzzer stops at a traceback, at an input
that takes more than SLOWEST seconds, and at memory beyond MOST_MEBIBYTES. What it stopped at it leaves in the temporary folder.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path

import atheris

with atheris.instrument_imports(include=["kdelta.archive"]):
    from tests.archive.reading import TEXTS, require_sane

    from kdelta.archive import readers
    from kdelta.archive.reader import Reader

CHILD = "--in"
SLOWEST = 10
MOST_MEBIBYTES = 512
LONGEST = 8192


def corpus(folder: Path, chosen: list[Reader]) -> None:
    """The texts of the readers' own tests, each for every reader of which it holds a mark."""
    every = [path.read_bytes() for path in sorted(TEXTS.glob("*")) if path.is_file()]
    every += [path.read_bytes()[:LONGEST] for path in sorted(TEXTS.parent.glob("test_*.py"))]
    for place, reader in enumerate(chosen):
        fitting = [one for one in every if any(mark.encode() in one for mark in reader.marks)]
        for number, one in enumerate([*fitting, "\n".join(reader.marks).encode()]):
            (folder / f"{place}-{number}").write_bytes(bytes([place]) + one[:LONGEST])


def dictionary(path: Path, chosen: list[Reader]) -> None:
    marks = sorted({mark for reader in chosen for mark in reader.marks if mark})
    words = ("".join(f"\\x{byte:02x}" for byte in mark.encode()) for mark in marks)
    path.write_text("".join(f'"{word}"\n' for word in words))


def fuzz(folder: Path, seconds: int, names: list[str]) -> None:
    """Does not return: libFuzzer ends the process, with a status other than 0 where it found something."""
    chosen = list(readers.named(names))

    def target(data: bytes) -> None:
        if data:
            require_sane(chosen[data[0] % len(chosen)], data[1:])

    corpus(folder, chosen)
    dictionary(folder.parent / "words", chosen)
    limits = [f"-max_total_time={seconds}", f"-timeout={SLOWEST}", f"-rss_limit_mb={MOST_MEBIBYTES}", f"-max_len={LONGEST}"]
    places = [f"-dict={folder.parent}/words", f"-artifact_prefix={tempfile.gettempdir()}/", str(folder)]
    atheris.Setup([sys.argv[0], *limits, *places], target)
    atheris.Fuzz()


def main(words: list[str]) -> int:
    if words[0] == CHILD:
        fuzz(Path(words[1]), int(words[2]), words[3:])
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place) / "corpus"
        folder.mkdir()
        return subprocess.run([sys.executable, "-m", "tests.fuzz.archive", CHILD, str(folder), *words], check=False).returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
