"""The modules of a kernel: found by name, read as they lie there, loaded behind what they need."""

from __future__ import annotations

import gzip
import lzma
import struct
from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest
import zstandard
from hypothesis import given
from hypothesis import strategies as st
from tests.unit.builders import kernel

from kdelta.kernel import modules
from kdelta.kernel.modules import Needs, read_needs
from kdelta.model.errors import MisuseError
from kdelta.model.kernel import Kernel

RELEASE = "6.1.0"


def ko(*entries: str) -> bytes:
    """A file with nothing but a .modinfo and the names of its sections."""
    info, names = "".join(f"{entry}\0" for entry in entries).encode(), b"\0.modinfo\0.shstrtab\0"
    at = 64 + len(info) + len(names)
    head = b"\x7fELF\x02\x01\x01".ljust(40, b"\0") + struct.pack("<Q", at) + bytes(10) + struct.pack("<HHH", 64, 3, 2)
    sections = [(0, 0, 0), (1, 64, len(info)), (10, 64 + len(info), len(names))]
    table = b"".join(struct.pack("<IIQQQQ", name, 1, 0, 0, start, size).ljust(64, b"\0") for name, start, size in sections)
    return head + info + names + table


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """The modules of the kernel whose image is `image` beside them."""
    folder = tmp_path / "lib/modules" / RELEASE
    (folder / "kernel/fs").mkdir(parents=True)
    (folder / "modules.builtin").write_text("kernel/fs/ext4/ext4.ko\nkernel/crypto/crc32c_generic.ko\nkernel/lib/a-b.ko\n")
    return folder / "kernel/fs"


@pytest.fixture
def image(tmp_path: Path) -> Kernel:
    return msgspec.structs.replace(kernel(RELEASE), image=str(tmp_path / "vmlinuz"))


def names(found: tuple[modules.Module, ...]) -> list[str]:
    return [module.name for module in found]


def test_a_module_says_what_it_needs() -> None:
    content = ko("depends=libcrc32c,raid6-pq", "softdep=pre: crypto-crc32c sha256 post: late", "vermagic=6.1.0 SMP mod_unload ")
    assert read_needs(content) == Needs(("libcrc32c", "raid6_pq"), ("crc32c", "sha256"), "6.1.0")


@given(st.binary(max_size=200) | st.integers(0, 400).map(lambda size: ko("depends=a,b", "name=x")[:size]))
def test_what_is_no_module_needs_nothing(content: bytes) -> None:
    assert read_needs(content) in (Needs((), (), ""), Needs(("a", "b"), (), ""))


def test_modules_come_behind_what_they_need_and_each_once(tree: Path, image: Kernel) -> None:
    for name, depends in (("xfs", "crc,base"), ("crc", "base"), ("base", ""), ("brd", "base")):
        (tree / f"{name}.ko").write_bytes(ko(f"depends={depends}"))
    assert names(modules.find(image, ("xfs",), ("brd",))) == ["base", "crc", "xfs", "brd"]


def test_what_is_built_in_is_not_loaded(tree: Path, image: Kernel) -> None:
    (tree / "xfs.ko").write_bytes(ko("depends=ext4,a_b"))
    assert names(modules.find(image, ("ext4",), ("xfs",))) == ["xfs"]
    assert modules.is_built_in(image, "a-b")
    assert not modules.is_built_in(image, "xfs")


def test_a_wish_is_granted_where_it_can_be(tree: Path, image: Kernel) -> None:
    (tree / "btrfs.ko").write_bytes(ko("depends=", "softdep=pre: crypto-sha256 pre: blake2b-256 pre: crc32c"))
    (tree / "sha256_generic.ko").write_bytes(ko("depends="))
    assert names(modules.find(image, ("btrfs",))) == ["sha256_generic", "btrfs"]


@pytest.mark.parametrize(("asked", "file"), [("raid6_pq", "raid6-pq"), ("raid6-pq", "raid6_pq"), ("raid6-pq", "raid6-pq")])
def test_a_name_may_be_written_with_hyphens_or_underscores(asked: str, file: str, tree: Path, image: Kernel) -> None:
    (tree / f"{file}.ko").write_bytes(ko("depends="))
    assert names(modules.find(image, (asked,))) == ["raid6_pq"]


@pytest.mark.parametrize(("present", "found"), [((), []), (("ext2",), ["ext2"])], ids=["built in", "of its own"])
def test_the_first_of_a_choice_that_the_kernel_has_is_taken(
    present: tuple[str, ...], found: list[str], tree: Path, image: Kernel
) -> None:
    for name in present:
        (tree / f"{name}.ko").write_bytes(ko("depends="))
    assert names(modules.find(image, ("ext2", "ext4"))) == found


PACKED: dict[str, Callable[[bytes], bytes]] = {
    "": bytes,
    ".gz": gzip.compress,
    ".xz": lzma.compress,
    ".zst": zstandard.ZstdCompressor().compress,
}


@pytest.mark.parametrize("suffix", PACKED)
def test_a_module_is_unpacked_however_it_lies_there(suffix: str, tree: Path, image: Kernel) -> None:
    (tree / f"brd.ko{suffix}").write_bytes(PACKED[suffix](ko("depends=")))
    assert [module.content for module in modules.find(image, ("brd",))] == [ko("depends=")]


def test_a_module_that_the_kernel_has_not_is_named_with_where_was_looked(tree: Path, image: Kernel) -> None:
    with pytest.raises(MisuseError, match=r"kernel 6\.1\.0 has no module nilfs2; looked in .*/lib/modules/6\.1\.0"):
        modules.find(image, ("nilfs2",))


def test_a_needed_module_that_is_not_there_is_named(tree: Path, image: Kernel) -> None:
    (tree / "xfs.ko").write_bytes(ko("depends=gone"))
    with pytest.raises(MisuseError, match="no module gone"):
        modules.find(image, ("xfs",))


def test_every_place_is_named_where_there_are_no_modules_at_all(image: Kernel) -> None:
    with pytest.raises(MisuseError, match=r"looked in .*/lib/modules/6\.1\.0, /lib/modules/6\.1\.0$"):
        modules.find(image, ("brd",))


def test_a_module_of_another_kernel_is_refused(tree: Path, image: Kernel) -> None:
    (tree / "brd.ko").write_bytes(ko("depends=", "vermagic=6.1.1 SMP "))
    with pytest.raises(MisuseError, match=r"brd.ko is a module of 6.1.1, and the image is 6.1.0"):
        modules.find(image, ("brd",))


def test_a_damaged_module_is_named(tree: Path, image: Kernel) -> None:
    (tree / "brd.ko.xz").write_bytes(lzma.compress(ko("depends="))[:-8])
    with pytest.raises(MisuseError, match=r"brd\.ko\.xz is no module, or is damaged"):
        modules.find(image, ("brd",))


@pytest.mark.parametrize("line", ["kernel/fs/xfs/xfs.ko", "fs/xfs/xfs.o"], ids=["until 6.2", "since 6.3"])
def test_an_image_where_it_was_built_has_the_modules_of_its_tree(line: str, tmp_path: Path, image: Kernel) -> None:
    built = tmp_path / "arch/x86/boot/bzImage"
    (tmp_path / "fs/xfs").mkdir(parents=True)
    (tmp_path / "fs/xfs/xfs.ko").write_bytes(ko("depends="))
    (tmp_path / "modules.order").write_text(f"{line}\n")
    (tmp_path / "modules.builtin").write_text("kernel/drivers/block/brd.ko\n")
    assert names(modules.find(msgspec.structs.replace(image, image=str(built)), ("xfs",), ("brd",))) == ["xfs"]
