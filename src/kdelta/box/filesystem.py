"""A variant's file system in the exact lab: made here by the machine's own mkfs, the same bytes for the same words, and carried
as its blocks that are not zero to a block device in the guest's memory.

Sources: mount(2), mount(8) for the names of the options, do_mount() in fs/namespace.c of the kernel for what becomes of them.
"""

from __future__ import annotations

import hashlib
import os
import re
import shlex
import shutil
import struct
import subprocess
import tempfile
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from kdelta.box import native
from kdelta.kernel import cache
from kdelta.model.errors import MisuseError
from kdelta.model.variant import Mount

DEVICE = "/dev/ram0"
DRIVER = ("brd",)
"""Of the device: memory that is used up only where something was written."""
BLOCKS = "/blocks"
BLOCK = 4096
SYSTEM_PATH = "/usr/sbin:/sbin:/usr/local/sbin"
"""Not in a user's PATH everywhere."""
USUAL_MIB = 256
LEAST_MIB = {"btrfs": 128, "xfs": 300}
"""A device is at least as large as its mkfs demands."""

# Which drivers serve a type: ext4's also mounts the two before it (CONFIG_EXT4_USE_FOR_EXT2; ext3's own left with 4.3).
DRIVERS = {"ext2": ("ext2", "ext4"), "ext3": ("ext3", "ext4"), "ext4": ("ext4",), "xfs": ("xfs",), "btrfs": ("btrfs",)}
PACKAGES = {"xfs": "xfsprogs", "btrfs": "btrfs-progs"}
EXT_WORDS = ("-q", "-F")
WORDS = {"ext2": EXT_WORDS, "ext3": EXT_WORDS, "ext4": EXT_WORDS, "xfs": ("-q", "-f"), "btrfs": ("-q", "-f")}

# In place of the machine's mke2fs.conf, which differs between distributions. Blocks of 4 KiB and one inode for 16: on so small
# a device mke2fs takes 1 KiB, as on no disk. Nothing lazy: the kernel would write inode tables while benchmarks run.
MKE2FS_CONF = """[defaults]
base_features = sparse_super,large_file,filetype,resize_inode,dir_index,ext_attr
default_mntopts = acl,user_xattr
enable_periodic_fsck = 0
blocksize = 4096
inode_size = 256
inode_ratio = 16384
lazy_itable_init = 0
lazy_journal_init = 0
[fs_types]
small = {
    blocksize = 4096
}
ext3 = {
    features = has_journal
}
ext4 = {
    features = has_journal,extent,huge_file,flex_bg,metadata_csum,64bit,dir_nlink,extra_isize
}
"""


# ---- making it ----


def size_mib(mount: Mount) -> int:
    """Of the device. A larger one costs no memory until it is filled."""
    return max(mount.size_mib or USUAL_MIB, LEAST_MIB.get(mount.type, 0))


@dataclass(frozen=True)
class Made:
    """`blocks` is the image in the form that csrc/guest/device.h reads; `maker` names the mkfs and its release."""

    blocks: bytes
    maker: str

    @property
    def sha256(self) -> str:
        return hashlib.sha256(self.blocks).hexdigest()


def make(mount: Mount) -> Made:
    """The empty file system of `mount`, made once. Raises MisuseError where mkfs is missing, or does not make one."""
    return _made(mount.type, tuple(_words(mount.mkfs)), size_mib(mount))


def _words(text: str) -> list[str]:
    try:
        return shlex.split(text)
    except ValueError as error:
        raise MisuseError(f"the words for mkfs cannot be split: {text!r}: {error}", "close the quotation") from error


@lru_cache(maxsize=16)
def _made(kind: str, words: tuple[str, ...], mib: int) -> Made:
    return run_mkfs(kind, words, mib)


def run_mkfs(kind: str, words: tuple[str, ...], mib: int) -> Made:
    """A file system of `kind` on `mib` MiB, made anew."""
    program = shutil.which(f"mkfs.{kind}", path=f"{os.environ.get('PATH', '')}:{SYSTEM_PATH}")
    if program is None:
        package = PACKAGES.get(kind, "e2fsprogs")
        raise MisuseError(f"there is no mkfs.{kind} on this machine", f"install it: apt-get install {package}")
    with tempfile.TemporaryDirectory(prefix=f"{os.getpid()}-mkfs-", dir=cache.folder("work")) as folder:
        image = Path(folder, "image")
        with image.open("wb") as file:
            file.truncate(mib << 20)
        _run(program, [*WORDS[kind], *words], image)
        return Made(b"".join(blocks_of(image)), _release(program))


def _run(program: str, words: list[str], image: Path) -> None:
    """Run mkfs with a clock that stands still and chance that repeats."""
    configuration = image.with_name("mke2fs.conf")
    configuration.write_text(MKE2FS_CONF)
    environment = {
        **{name: value for name, value in os.environ.items() if not name.startswith("LD_")},
        "LC_ALL": "C",
        "MKE2FS_CONFIG": str(configuration),
        "LD_PRELOAD": str(native.path("host", "fixed.so")),
    }
    command = [program, *words, str(image)]
    done = subprocess.run(command, capture_output=True, text=True, errors="replace", env=environment, stdin=subprocess.DEVNULL)
    if done.returncode:
        said = next((line for line in (done.stderr or done.stdout).splitlines() if line.strip()), "no message")
        raise MisuseError(
            f"{Path(program).name} {shlex.join(words)} fails on {image.stat().st_size >> 20} MiB: {said.strip()}",
            "change `mkfs` or `size_mib` of the variant's mount",
        )


def _release(program: str) -> str:
    done = subprocess.run([program, "-V"], capture_output=True, text=True, errors="replace", check=False)
    found = re.search(r"\d+(?:\.\d+)+", done.stderr + done.stdout)
    return f"{Path(program).name} {found[0] if found else 'of an unknown release'}"


def blocks_of(image: Path) -> Iterator[bytes]:
    """Runs of blocks that are not zero: offset, size, content. What was never written is not even read."""
    with image.open("rb") as file:
        for start, content in _runs(_written(file.fileno(), image.stat().st_size)):
            yield struct.pack("<QQ", start, len(content)) + content


def _runs(blocks: Iterable[tuple[int, bytes]]) -> Iterator[tuple[int, bytes]]:
    start, run = 0, bytearray()
    for offset, block in blocks:
        if offset != start + len(run):
            if run:
                yield start, bytes(run)
            start, run = offset, bytearray()
        run += block
    if run:
        yield start, bytes(run)


def _written(file: int, size: int) -> Iterator[tuple[int, bytes]]:
    zero, at = bytes(BLOCK), 0
    while at < size:
        try:
            at = os.lseek(file, at, os.SEEK_DATA) // BLOCK * BLOCK
            end = os.lseek(file, at, os.SEEK_HOLE)
        except OSError:
            return
        while at < end:
            block = os.pread(file, BLOCK, at)
            if block != zero:
                yield at, block
            at += BLOCK


# ---- mounting it ----

MS_RDONLY, MS_NOATIME, MS_RELATIME, MS_STRICTATIME = 1 << 0, 1 << 10, 1 << 21, 1 << 24

# What the kernel shows of its flags, in the order of mount(2).
SHOWN = {
    "ro": MS_RDONLY,
    "nosuid": 1 << 1,
    "nodev": 1 << 2,
    "noexec": 1 << 3,
    "sync": 1 << 4,
    "mand": 1 << 6,
    "dirsync": 1 << 7,
    "nosymfollow": 1 << 8,
    "noatime": MS_NOATIME,
    "nodiratime": 1 << 11,
    "relatime": MS_RELATIME,
    "lazytime": 1 << 25,
}
SET = {**SHOWN, "silent": 1 << 15, "iversion": 1 << 23, "strictatime": MS_STRICTATIME}
CLEAR = {
    "rw": "ro",
    "suid": "nosuid",
    "dev": "nodev",
    "exec": "noexec",
    "async": "sync",
    "nomand": "mand",
    "symfollow": "nosymfollow",
    "atime": "noatime",
    "diratime": "nodiratime",
    "norelatime": "relatime",
    "nolazytime": "lazytime",
    "loud": "silent",
    "noiversion": "iversion",
    "nostrictatime": "strictatime",
}


@dataclass(frozen=True)
class Options:
    """`flags` and `rest` are mount(2)'s flags and data; `shown` are the flags that must read back, and no other may."""

    flags: int
    rest: str
    shown: tuple[str, ...]


def options(text: str) -> Options:
    """The words of mount -o, the last one winning. What is no flag of the kernel's own is for the file system."""
    flags, rest = 0, []
    for word in text.split(","):
        if word in SET:
            flags |= SET[word]
        elif word in CLEAR:
            flags &= ~SET[CLEAR[word]]
        elif word and word != "defaults":
            rest.append(word)
    return Options(flags, ",".join(rest), tuple(word for word, flag in SHOWN.items() if _kept(flags) & flag))


def _kept(flags: int) -> int:
    """What the kernel makes of the three ways to note reading: relatime unless told otherwise, strictatime before noatime."""
    if flags & MS_STRICTATIME:
        return flags & ~(MS_NOATIME | MS_RELATIME)
    return flags & ~MS_RELATIME if flags & MS_NOATIME else flags | MS_RELATIME
