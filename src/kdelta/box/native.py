"""The C programs that come with kdelta."""

from __future__ import annotations

import hashlib
import shutil
import struct
from functools import cache
from pathlib import Path

from kdelta.model.errors import MisuseError

FOLDER = Path(__file__).parents[1] / "native"
SHELL = "/bin/sh"
ELF = b"\x7fELF\x02"
ELF_HEADER = 64
ET_DYN = b"\3\0"
X86_64 = b"\x3e\0"
PT_INTERP = b"\3\0\0\0"


def path(*names: str) -> Path:
    """The file of a native program. Raises MisuseError where the installation lacks it."""
    found = FOLDER.joinpath(*names)
    if not found.exists():
        raise MisuseError(f"kdelta's own program {found.name} is missing ({found})", "run `make setup`, or install kdelta again")
    return found


def workloads() -> dict[str, bytes]:
    """Every workload, and what they execute in turn, by name."""
    return {program.name: program.read_bytes() for program in sorted(path("workloads").iterdir())}


@cache
def shell() -> bytes | None:
    """A shell for the guest: the machine's busybox, if it is a static x86-64 program; else the guest has none."""
    found = shutil.which("busybox")
    content = Path(found).read_bytes() if found else b""
    return content if is_static(content) else None


def is_x86_64(program: bytes) -> bool:
    """By the first ELF_HEADER bytes of a file."""
    return program.startswith(ELF) and len(program) >= ELF_HEADER and program[18:20] == X86_64


def is_static(program: bytes) -> bool:
    """Whether `program` is an x86-64 ELF file that needs no interpreter."""
    if not is_x86_64(program):
        return False
    table, size, count = struct.unpack_from("<Q14xHH", program, 32)
    kinds = (program[at : at + 4] for at in range(table, table + size * count, size or 1))
    return PT_INTERP not in kinds


def checksum(programs: dict[str, bytes]) -> str:
    """One sha256 over names and contents: two sets of programs that differ in a byte are not to be compared."""
    digest = hashlib.sha256()
    for name, content in sorted(programs.items()):
        digest.update(f"{name}\0{len(content)}\0".encode() + content)
    return digest.hexdigest()


def compiler() -> str:
    """The compiler's own name for itself, out of the .comment of a program that it made."""
    content = path("guest", "init").read_bytes()
    start = content.find(b"GCC: (")
    return content[start : content.find(b"\0", start)].decode("latin-1") if start >= 0 else "unknown"
