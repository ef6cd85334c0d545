"""From what is typed behind -k to a kernel."""

from __future__ import annotations

import gzip
import hashlib
import platform
import struct
from pathlib import Path

import pytest

from kdelta.kernel.resolve import identify, resolve
from kdelta.model.errors import MisuseError

RELEASE, VERSION = "6.1.0-57-test", "#1 SMP Debian 6.1.1-1"
BUILD_ID = bytes(range(20))


def note(owner: bytes, kind: int, text: bytes) -> bytes:
    return struct.pack("<III", 4, len(text), kind) + owner + b"\0" + text


def vmlinux(notes: bytes) -> bytes:
    ident = b"\x7fELF\x02\x01\x01" + bytes(9)
    header = struct.pack("<HHIQQQIHHHHHH", 2, 62, 1, 0, 64, 0, 0, 64, 56, 1, 0, 0, 0)
    return ident + header + struct.pack("<IIQQQQQQ", 4, 4, 120, 0, 0, len(notes), len(notes), 4) + notes


PVH_KERNEL = vmlinux(note(b"GNU", 3, BUILD_ID) + note(b"Xen", 18, bytes(8)))
PLAIN_KERNEL = vmlinux(note(b"GNU", 3, BUILD_ID))


def bzimage(payload: bytes) -> bytes:
    """A boot sector, one sector of set-up code with the version string, and the payload behind them."""
    data = bytearray(0x400)
    data[0x1F1] = 1
    data[0x1FE:0x200] = b"\x55\xaa"
    data[0x202:0x206] = b"HdrS"
    struct.pack_into("<H", data, 0x206, 0x20F)
    struct.pack_into("<H", data, 0x20E, 0x100)
    struct.pack_into("<H", data, 0x236, 1)
    struct.pack_into("<II", data, 0x248, 0, len(payload))
    text = f"{RELEASE} (builder@example.org) {VERSION}".encode()
    data[0x300 : 0x300 + len(text)] = text
    return bytes(data) + payload


IMAGE = bzimage(gzip.compress(PVH_KERNEL))


@pytest.fixture
def image(tmp_path: Path) -> Path:
    path = tmp_path / "boot" / f"vmlinuz-{RELEASE}"
    path.parent.mkdir()
    path.write_bytes(IMAGE)
    return path


def test_a_path_is_the_kernel_in_that_file(image: Path) -> None:
    kernel = resolve(f"path:{image}")
    assert (kernel.spec, kernel.image) == (f"path:{image}", str(image))
    assert (kernel.machine, kernel.release, kernel.version) == ("x86_64", RELEASE, VERSION)


def test_a_path_may_be_relative_to_the_current_folder(image: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(image.parent)
    assert resolve(f"path:{image.name}").image == str(image)


def test_a_kernel_carries_the_checksum_of_its_image(image: Path) -> None:
    assert resolve(f"path:{image}").image_sha256 == hashlib.sha256(IMAGE).hexdigest()


def test_a_kernel_is_identified_by_the_build_id_inside(image: Path) -> None:
    assert resolve(f"path:{image}").build_id == BUILD_ID.hex()


def test_a_second_look_finds_the_same_kernel(image: Path) -> None:
    assert resolve(f"path:{image}") == resolve(f"path:{image}")


def test_the_unpacked_kernel_is_booted_where_it_has_an_entry(image: Path) -> None:
    assert Path(resolve(f"path:{image}").boot_image).read_bytes() == PVH_KERNEL


def test_the_image_itself_is_booted_where_the_kernel_has_no_entry(image: Path) -> None:
    image.write_bytes(bzimage(gzip.compress(PLAIN_KERNEL)))
    kernel = resolve(f"path:{image}")
    assert (kernel.build_id, kernel.boot_image) == (BUILD_ID.hex(), str(image))


@pytest.mark.parametrize("payload", [b"", b"\x89LZO not known", gzip.compress(b"no ELF")], ids=["none", "lzo", "no elf"])
def test_an_image_that_cannot_be_unpacked_has_no_build_id(payload: bytes, image: Path) -> None:
    image.write_bytes(bzimage(payload))
    kernel = resolve(f"path:{image}")
    assert (kernel.release, kernel.build_id, kernel.boot_image) == (RELEASE, None, str(image))


def test_a_new_image_under_an_old_name_is_looked_at_anew(image: Path) -> None:
    first = resolve(f"path:{image}")
    image.write_bytes(bzimage(gzip.compress(vmlinux(note(b"GNU", 3, bytes(20))))))
    assert (first.build_id, resolve(f"path:{image}").build_id) == (BUILD_ID.hex(), bytes(20).hex())


def test_the_configuration_lies_beside_the_image(image: Path) -> None:
    (image.parent / f"config-{RELEASE}").write_text("CONFIG_SMP=y\n")
    assert resolve(f"path:{image}").config_sha256 == hashlib.sha256(b"CONFIG_SMP=y\n").hexdigest()


def test_the_configuration_of_a_build_lies_at_the_top_of_its_tree(tmp_path: Path) -> None:
    built = tmp_path / "linux/arch/x86/boot/bzImage"
    built.parent.mkdir(parents=True)
    built.write_bytes(IMAGE)
    (tmp_path / "linux/.config").write_text("CONFIG_SMP=y\n")
    assert resolve(f"path:{built}").config_sha256 == hashlib.sha256(b"CONFIG_SMP=y\n").hexdigest()


def test_a_configuration_of_another_release_is_not_taken(image: Path) -> None:
    (image.parent / "config-6.12.0").write_text("CONFIG_SMP=y\n")
    assert resolve(f"path:{image}").config_sha256 is None


def test_identify_keeps_what_was_typed(image: Path) -> None:
    assert identify("apt:6.1", image).spec == "apt:6.1"


@pytest.mark.parametrize(
    ("name", "reason"),
    [pytest.param("missing", "No such file or directory", id="missing"), pytest.param(".", "Is a directory", id="folder")],
)
def test_a_file_that_cannot_be_read_is_told(name: str, reason: str, tmp_path: Path) -> None:
    with pytest.raises(MisuseError, match=f"cannot be read: {reason}$") as caught:
        resolve(f"path:{tmp_path / name}")
    assert str(tmp_path) in str(caught.value)


def test_a_file_that_is_no_kernel_is_told(image: Path) -> None:
    image.write_text("[plan]\n")
    with pytest.raises(MisuseError, match="is no kernel image at all"):
        resolve(f"path:{image}")


def test_a_path_that_names_no_file_is_refused() -> None:
    with pytest.raises(MisuseError, match=r"^path: names no file$") as caught:
        resolve("path:")
    assert caught.value.advice


@pytest.mark.parametrize("spec", ["runing", "git:v6.1", "/boot/vmlinuz", "6.12", "", "pat:x"])
def test_an_unknown_kind_of_kernel_is_answered_with_the_known_ones(spec: str) -> None:
    with pytest.raises(MisuseError, match=f"there is no kind of kernel '{spec.partition(':')[0]}'") as caught:
        resolve(spec)
    assert [form for form in ("apt:SERIES", "apt:PACKAGE", "path:FILE", "running") if form not in caught.value.advice] == []


def test_a_misspelt_running_kernel_is_guessed() -> None:
    with pytest.raises(MisuseError) as caught:
        resolve("runing")
    assert caught.value.advice.startswith("did you mean 'running'?")


@pytest.mark.parametrize(("spec", "meant"), [("pth:vmlinuz", "path"), ("atp:6.12", "apt")])
def test_a_misspelt_scheme_is_guessed(spec: str, meant: str) -> None:
    with pytest.raises(MisuseError) as caught:
        resolve(spec)
    assert f"did you mean '{meant}" in caught.value.advice


def test_a_running_kernel_whose_image_is_not_here_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(platform, "release", lambda: "0.0.0-not-installed")
    with pytest.raises(
        MisuseError, match=r"the image of the running kernel 0\.0\.0-not-installed is not on this machine"
    ) as caught:
        resolve("running")
    assert "/boot/vmlinuz-0.0.0-not-installed" in str(caught.value)
    assert "-k path:FILE" in caught.value.advice
