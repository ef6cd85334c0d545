"""File systems of a visit's own, on files and on devices: there during the visit, and gone without a trace afterwards."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.unit.fake_host import LOCK, NEEDS_ROOT, may_change
from tests.unit.real_host import HOST, block_device, look

from kdelta.box.settings import Host, RefusedError, Session, mounts
from kdelta.box.settings.device import claim, wipe
from kdelta.box.settings.entry import Device
from kdelta.model.variant import Mount, Variant

pytestmark = pytest.mark.skipif(not may_change(), reason=NEEDS_ROOT)
SIZES = {"ext2": 1, "ext3": 8, "ext4": 8, "xfs": 300, "btrfs": 128}
KNOWN = Path("/proc/filesystems").read_text().split()


def on(mount: Mount) -> Variant:
    return Variant(name="a", kernel="running", mount=mount)


@pytest.fixture
def session(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Session]:
    """A session, after which nothing is left of what was mounted."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    folder = tmp_path / "visits"
    folder.mkdir()
    before = look(folder)
    with Session(folder, Host(lock=LOCK)) as entered:
        yield entered
    assert look(folder) == before


@pytest.fixture
def device(tmp_path: Path) -> Iterator[str]:
    with block_device(tmp_path / "disk") as name:
        yield name


def refuse(session: Session, mount: Mount, message: str) -> str:
    """The advice that comes with the refusal `message`."""
    with pytest.raises(RefusedError, match=message) as error, session.visit(on(mount)):
        pass
    return error.value.advice


def head(device: str) -> bytes:
    with open(device, "rb") as opened:
        return opened.read(1 << 20)


@pytest.mark.parametrize("kind", SIZES)
def test_a_file_system_is_mounted_during_the_visit(kind: str, session: Session) -> None:
    if kind not in KNOWN or not shutil.which(f"mkfs.{kind}", path="/usr/sbin:/sbin:/usr/bin"):
        pytest.skip(f"{kind} is not to be had here")
    with session.visit(on(Mount(type=kind, options="noatime", size_mib=SIZES[kind]))) as visit:
        found = mounts.at(HOST, str(visit.folder))
        assert found
        assert (found.type, "noatime" in found.options) == (kind, True)
        (visit.folder / "file").write_text("x")


def test_a_file_has_all_its_blocks_from_the_beginning(session: Session) -> None:
    with session.visit(on(Mount(type="ext4", size_mib=8))) as visit:
        assert (visit.home / "image").stat().st_blocks * 512 >= 8 << 20


def test_words_for_mkfs_are_used(session: Session) -> None:
    with session.visit(on(Mount(type="ext4", mkfs="-b 1024 -E stride=4", size_mib=8))) as visit:
        said = subprocess.run(["dumpe2fs", "-h", visit.home / "image"], capture_output=True, text=True, check=True).stdout
    assert {"Block size:               1024", "RAID stride:              4"} <= set(said.splitlines())


@pytest.mark.parametrize(
    ("mount", "message"),
    [
        (Mount(type="xfs", size_mib=1), r"`mount`: mkfs\.xfs ended with status 1: .*"),
        (Mount(type="ext4", mkfs="--nonsense", size_mib=1), r"`mount`: mkfs\.ext4 ended with status 1"),
        (Mount(type="ext4", options="nonsense", size_mib=1), r"`mount`: mount ended with status 32"),
        (Mount(type="ext4", options="noatime,strictatime,relatime", size_mib=1), "the option noatime did not hold"),
        (Mount(type="ext4", size_mib=1 << 30), "cannot be made"),
    ],
    ids=lambda value: value.type if isinstance(value, Mount) else "",
)
def test_what_cannot_be_mounted_is_refused_and_leaves_nothing(mount: Mount, message: str, session: Session) -> None:
    refuse(session, mount, message)


@pytest.mark.parametrize("kind", ["ext2", "ext4"])
def test_a_device_is_as_empty_after_the_visit_as_before_and_can_be_used_again(kind: str, device: str, session: Session) -> None:
    for _ in range(2):
        with session.visit(on(Mount(type=kind, device=device))) as visit:
            found = mounts.at(HOST, str(visit.folder))
            assert found
            assert found.source == device
        assert not any(head(device))


def test_what_kdelta_left_on_a_device_may_be_overwritten(device: str, session: Session) -> None:
    subprocess.run(["mkfs.ext4", "-q", "-U", "6b64656c-7461-4000-8000-000000000000", device], check=True)
    with session.visit(on(Mount(type="ext4", device=device))):
        pass
    assert not any(head(device))


def test_a_device_with_a_file_system_is_refused_and_left_alone(device: str, session: Session) -> None:
    subprocess.run(["mkfs.ext4", "-q", device], check=True)
    before = head(device)
    advice = refuse(session, Mount(type="ext4", device=device), f"there is something on {device}: ext4")
    assert advice == f"if it may be lost: wipefs -a {device} && dd if=/dev/zero of={device} bs=1M count=1"
    assert head(device) == before


def test_a_device_with_any_byte_at_its_beginning_is_refused(device: str, session: Session) -> None:
    with open(device, "r+b") as opened:
        opened.seek(4096)
        opened.write(b"x")
    refuse(session, Mount(type="ext4", device=device), "its first MiB is not zero")


def test_a_device_that_is_mounted_is_refused(device: str, tmp_path: Path, session: Session) -> None:
    subprocess.run(["mkfs.ext4", "-q", device], check=True)
    (tmp_path / "there").mkdir()
    subprocess.run(["mount", device, tmp_path / "there"], check=True)
    try:
        refuse(session, Mount(type="ext4", device=device), f"{device} is in use: it is mounted at {tmp_path}/there")
    finally:
        subprocess.run(["umount", device], check=True)


def test_a_device_under_another_is_refused(device: str, session: Session) -> None:
    upper = subprocess.run(["losetup", "--find", "--show", device], check=True, capture_output=True, text=True).stdout.strip()
    try:
        refuse(session, Mount(type="ext4", device=device), f"{device} is in use: it is under {upper}")
    finally:
        subprocess.run(["losetup", "--detach", upper], check=True)


@pytest.mark.parametrize(
    ("path", "message"), [("/dev/null", "/dev/null is no block device"), ("/dev/nothing", "the device /dev/nothing cannot be used")]
)
def test_what_is_no_device_is_refused(path: str, message: str, session: Session) -> None:
    refuse(session, Mount(type="ext4", device=path), message)


def noted(device: str, identity: str = "") -> Device:
    entry = claim(HOST, device)
    return Device(entry.path, identity or entry.identity)


def test_a_file_system_that_was_half_made_is_wiped(device: str) -> None:
    entry = noted(device)
    with open(device, "r+b") as opened:
        opened.write(b"half")
    wipe(HOST, entry)
    assert not any(head(device))


def test_what_another_device_of_the_same_name_holds_is_left_alone(device: str) -> None:
    entry = noted(device, "an earlier boot")
    with open(device, "r+b") as opened:
        opened.write(b"precious")
    wipe(HOST, entry)
    assert head(device).startswith(b"precious")


def test_what_somebody_made_on_the_device_since_is_left_alone(device: str) -> None:
    entry = noted(device)
    subprocess.run(["mkfs.ext4", "-q", device], check=True)
    before = head(device)
    wipe(HOST, entry)
    assert head(device) == before
