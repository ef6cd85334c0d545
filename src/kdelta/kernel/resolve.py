"""From what the user typed behind `-k` to a Kernel: resolve first, boot later."""

from __future__ import annotations

import hashlib
import os
import platform
from collections.abc import Callable
from functools import cache
from pathlib import Path

import msgspec

from kdelta.kernel import apt, image, unpack
from kdelta.kernel.cache import folder, place
from kdelta.model.errors import MisuseError, unknown
from kdelta.model.kernel import Kernel


class _Derived(msgspec.Struct, frozen=True):
    """What unpacking an image told, kept beside the unpacked file."""

    build_id: str | None
    bootable: bool


def resolve(spec: str) -> Kernel:
    """The kernel for `spec`: `apt:6.1`, `apt:PACKAGE`, `apt:oldest`, `apt:newest`, `path:FILE` or `running`.

    May download. Raises MisuseError where there is no such kernel, or the file is none for this architecture.
    """
    scheme, _, rest = spec.partition(":")
    if scheme not in FINDERS:
        error = unknown("kind of kernel", scheme, FINDERS)
        raise MisuseError(str(error), f"{error.advice}: write apt:SERIES, apt:PACKAGE, path:FILE or running")
    return identify(spec, FINDERS[scheme](rest))


def identify(spec: str, path: Path) -> Kernel:
    """Read the image at `path`. Raises MisuseError where it cannot be read or is no x86-64 bzImage."""
    try:
        data = path.read_bytes()
    except OSError as error:
        raise MisuseError(f"{path} cannot be read: {error.strerror}", "give the path of a kernel image you may read") from error
    header = image.read_header(data, str(path))
    checksum = hashlib.sha256(data).hexdigest()
    unpacked = _unpacked(checksum, data[slice(*header.payload)])
    derived = msgspec.json.decode((unpacked / "notes.json").read_bytes(), type=_Derived)
    return Kernel(
        spec=spec,
        image=str(path),
        image_sha256=checksum,
        machine="x86_64",
        release=header.release,
        version=header.version,
        build_id=derived.build_id,
        config_sha256=_config_sha256(path, header.release),
        boot_image=str(unpacked / "vmlinux" if derived.bootable else path),
    )


def _unpacked(checksum: str, payload: bytes) -> Path:
    def fill(target: Path) -> None:
        elf = unpack.unpack(payload)
        notes = unpack.read_notes(elf) if elf else unpack.Notes(None, False)
        if elf and notes.bootable:
            (target / "vmlinux").write_bytes(elf)
        (target / "notes.json").write_bytes(msgspec.json.encode(_Derived(notes.build_id, notes.bootable)))

    return place(folder("unpacked") / checksum, fill)


def _config_sha256(path: Path, release: str) -> str | None:
    """Beside the image as distributions put it, or at the top of the tree that the image was built in."""
    candidates = [path.parent / f"config-{release}"]
    if path.name == "bzImage":
        candidates.append(path.parent / "../../../.config")
    for candidate in candidates:
        if candidate.is_file():
            return hashlib.sha256(candidate.read_bytes()).hexdigest()
    return None


@cache
def _offered() -> tuple[apt.Package, ...]:
    """Asked once: where apt keeps no cache of its lists (container images), each question takes it seconds."""
    return apt.available()


def _from_apt(rest: str) -> Path:
    return apt.fetch(apt.choose(rest, _offered()))


def _from_path(rest: str) -> Path:
    if not rest:
        raise MisuseError("path: names no file", "write path:/boot/vmlinuz-...")
    return Path(os.path.abspath(rest))


def _running(rest: str) -> Path:
    release = platform.release()
    places = (Path(f"/boot/vmlinuz-{release}"), Path(f"/lib/modules/{release}/vmlinuz"))
    for path in places:
        if path.exists():
            return path
    raise MisuseError(
        f"the image of the running kernel {release} is not on this machine (looked for {places[0]} and {places[1]})",
        "name an image: -k apt:6.12 or -k path:FILE",
    )


FINDERS: dict[str, Callable[[str], Path]] = {"apt": _from_apt, "path": _from_path, "running": _running}
