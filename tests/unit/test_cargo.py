"""What one boot carries: what its job says of it, and whether there is room."""

from __future__ import annotations

import shutil
from pathlib import Path

import msgspec
import pytest
from tests.unit.builders import benchmark, kernel, variant

from kdelta.box import cargo, filesystem, native
from kdelta.box.cargo import Cargo
from kdelta.model.benchmark import Benchmark, Command
from kdelta.model.errors import MisuseError
from kdelta.model.plan import BoxSpec
from kdelta.model.variant import Mount

SPEC = BoxSpec(name="exact")
NULL = str(native.path("workloads", "null"))
MIB = 1 << 20

needs_mkfs = pytest.mark.skipif(shutil.which("mkfs.ext4", path=filesystem.SYSTEM_PATH) is None, reason="mkfs.ext4 is not installed")


def module(name: str) -> bytes:
    """A file that says nothing of itself: it needs nothing."""
    return b"\x7fELF" + name.encode()


def loaded(folder: Path, mount: Mount, *, builtin: str = "", present: tuple[str, ...] = (), spec: BoxSpec = SPEC) -> Cargo:
    """The cargo for `mount` with a kernel whose image lies in `folder`."""
    image = msgspec.structs.replace(kernel("6.1.0"), image=str(folder / "vmlinuz"))
    place = folder / "lib/modules/6.1.0/kernel"
    place.mkdir(parents=True)
    (place.parent / "modules.builtin").write_text(builtin)
    for name in present:
        (place / f"{name}.ko").write_bytes(module(name))
    return cargo.load(spec, msgspec.structs.replace(variant(), mount=mount), image, [benchmark()])


@needs_mkfs
def test_the_job_loads_fills_and_mounts_before_its_settings(tmp_path: Path) -> None:
    found = loaded(tmp_path, Mount(type="ext3", options="noatime,data=journal", size_mib=64), present=("brd", "ext4"))
    assert found.lines == (
        ("module", "/modules/brd.ko", "rd_nr=1 rd_size=65536"),
        ("module", "/modules/ext4.ko", ""),
        ("device", "/dev/ram0", str(64 * MIB), "/blocks"),
        ("mount", "ext3", "/dev/ram0", "1024", "data=journal", "noatime"),
    )
    assert found.files["/modules/ext4.ko"] == module("ext4")
    assert found.modules == ("brd", "ext4")
    assert found.cmdline == ()


@needs_mkfs
def test_a_device_whose_driver_is_built_in_has_its_size_from_the_command_line(tmp_path: Path) -> None:
    found = loaded(tmp_path, Mount(type="ext2", size_mib=64), builtin="kernel/drivers/block/brd.ko\nkernel/fs/ext4/ext4.ko\n")
    assert found.cmdline == ("brd.rd_nr=1", "brd.rd_size=65536")
    assert [line[0] for line in found.lines] == ["device", "mount"]
    assert found.modules == ()


@needs_mkfs
def test_what_was_carried_is_told(tmp_path: Path) -> None:
    found = loaded(tmp_path, Mount(type="ext4", size_mib=64), present=("brd", "ext4"))
    made = filesystem.make(Mount(type="ext4", size_mib=64))
    assert found.facts == {"file system": f"ext4, 64 MiB by {made.maker}, sha256 {made.sha256}"}


def test_a_boot_without_mount_and_command_carries_nothing() -> None:
    assert cargo.load(SPEC, variant(), kernel(), [benchmark()]) == Cargo()


def test_the_order_of_commands_does_not_change_what_is_carried() -> None:
    one, two = (
        Benchmark(name=name, program=name, operation=name, command=Command(words=(str(native.path("workloads", name)),)))
        for name in ("null", "nop")
    )
    first, second = (cargo.load(SPEC, variant(), kernel(), order) for order in ((one, two), (two, one)))
    assert (first.files, first.modes, first.facts) == (second.files, second.modes, second.facts)


def test_a_device_of_this_machine_is_refused(tmp_path: Path) -> None:
    with pytest.raises(MisuseError, match="/dev/sdz of variant 'old' is a device of this machine"):
        loaded(tmp_path, Mount(type="ext4", device="/dev/sdz"))


def test_a_driver_that_the_kernel_has_not_is_named(tmp_path: Path) -> None:
    with pytest.raises(MisuseError, match=r"kernel 6\.1\.0 has no module ext2 or ext4"):
        loaded(tmp_path, Mount(type="ext2"), builtin="kernel/drivers/block/brd.ko\n")


# ---- room ----


def large(folder: Path, mib: int) -> Benchmark:
    path = folder / f"large-{mib}"
    with path.open("wb") as file:
        file.truncate(mib * MIB)
    return Benchmark(name="mine", program=NULL, operation="mine", command=Command(words=(NULL,), files=(str(path),)))


def test_commands_that_would_fill_a_guest_are_refused(tmp_path: Path) -> None:
    spec = BoxSpec(name="exact", memory=200)
    assert cargo.load(spec, variant(), kernel(), [large(tmp_path, 6)]).files
    with pytest.raises(MisuseError, match=r"a guest of 200 MiB has no room for 9 MiB of commands' files") as caught:
        cargo.load(spec, variant(), kernel(), [large(tmp_path, 9)])
    assert "`memory` = 201" in caught.value.advice


@pytest.mark.parametrize(("kind", "size", "memory"), [("ext4", 400, 592), ("xfs", 1, 492)])
def test_a_file_system_that_a_guest_has_no_room_for_is_refused_with_what_would_do(
    kind: str, size: int, memory: int, tmp_path: Path
) -> None:
    with pytest.raises(MisuseError, match=f"no room for a file system of {memory - 192} MiB") as caught:
        loaded(tmp_path, Mount(type=kind, size_mib=size), spec=BoxSpec(name="exact", memory=memory - 1))
    assert f"`memory` = {memory}" in caught.value.advice
    assert "size_mib" in caught.value.advice


def test_a_guest_that_carries_nothing_may_be_as_small_as_a_plan_allows() -> None:
    assert cargo.load(BoxSpec(name="exact", memory=128), variant(), kernel(), [benchmark()]) == Cargo()
