"""What an x86 kernel image says of itself, read from its bytes.

Source: Documentation/arch/x86/boot.rst of the kernel (field offsets), and arch/x86/boot/version.c (the string's form).
"""

from __future__ import annotations

import re
import struct
from dataclasses import dataclass

from kdelta.model.errors import MisuseError

SECTOR = 512
LAST_FIELD = 0x268
OLDEST_PROTOCOL = 0x020C
"""2.12, since Linux 3.8: the first that says whether the kernel is a 64-bit one."""
IS_64_BIT = 1
VERSION_STRING = re.compile(r"(?P<release>\S+) \(.*?\) (?P<version>#.*)")

# (offset, bytes there, what the file is): things that people hand over instead of a bzImage of x86-64.
OTHERS = (
    (0, b"\x7fELF", "an ELF file (an unpacked vmlinux?)"),
    (56, b"ARM\x64", "a kernel for arm64"),
    (48, b"RISCV\0\0\0", "a kernel for riscv"),
    (0x24, b"\x18\x28\x6f\x01", "a kernel for 32-bit arm"),
    (0, b"\x27\x05\x19\x56", "a U-Boot image"),
    (4, b"zimg", "a compressed EFI image (arm64, riscv or loongarch)"),
    (0, b"!<arch>\n", "a Debian package"),
    (0, b"\x1f\x8b", "a gzip file"),
)


@dataclass(frozen=True)
class Header:
    """`payload` is the range of the compressed kernel in the file, in bytes from its start."""

    release: str
    version: str
    payload: tuple[int, int]


def read_header(data: bytes, path: str) -> Header:
    """The header of the bzImage `data`; `path` is for the error. Raises MisuseError where it is no x86-64 bzImage."""
    if len(data) < LAST_FIELD or data[0x1FE:0x200] != b"\x55\xaa" or data[0x202:0x206] != b"HdrS":
        raise _not_a_kernel(path, _what_it_is(data))
    protocol, text_at = struct.unpack_from("<H6xH", data, 0x206)
    flags = struct.unpack_from("<H", data, 0x236)[0]
    if protocol < OLDEST_PROTOCOL or not flags & IS_64_BIT:
        raise _not_a_kernel(path, "a kernel for 32-bit x86, or older than Linux 3.8")
    start = text_at + 0x200
    text = data[start : max(start, data.find(b"\0", start))].decode("latin-1")
    match = VERSION_STRING.fullmatch(text)
    if match is None:
        raise _not_a_kernel(path, f"a boot image without a Linux version string (found {text[:60]!r})")
    setup_sectors = data[0x1F1] or 4
    offset, length = struct.unpack_from("<II", data, 0x248)
    first = (setup_sectors + 1) * SECTOR + offset
    return Header(match["release"], match["version"], (first, first + length))


def _what_it_is(data: bytes) -> str:
    if not data:
        return "an empty file"
    for offset, signature, name in OTHERS:
        if data[offset : offset + len(signature)] == signature:
            return name
    return f"no kernel image at all (it begins with {data[:8].hex(' ')})"


def _not_a_kernel(path: str, found: str) -> MisuseError:
    return MisuseError(f"{path} is {found}", "an x86-64 bzImage is needed: /boot/vmlinuz-*, or arch/x86/boot/bzImage of a build")
