"""A kernel as a value: an image, identified by build id and configuration, never by a file name."""

from __future__ import annotations

import hashlib

import msgspec


class Kernel(msgspec.Struct, frozen=True, kw_only=True):
    """One kernel that was looked at: an image, or the one that is running.

    `spec` is what the user typed, `image` the file it led to; both it and `image_sha256` are empty for a running kernel,
    whose image need not be on the machine. `release` and `version` are uname -r and uname -v, from the image's own header.
    `build_id` is None where the image cannot be unpacked, and `config_sha256` where no configuration was found: missing,
    not empty.
    """

    spec: str
    image: str = ""
    image_sha256: str = ""
    machine: str
    release: str
    version: str
    build_id: str | None = None
    config_sha256: str | None = None
    boot_image: str = ""
    """What the exact lab boots: the unpacked image where it has an entry for that, else `image`."""

    @property
    def key(self) -> str:
        """What tells it from every other kernel: the image's checksum, or one over what a running kernel says of itself."""
        said = "\0".join((self.release, self.version, self.machine, self.build_id or ""))
        return self.image_sha256 or hashlib.sha256(said.encode()).hexdigest()


class RunningKernel(msgspec.Struct, frozen=True):
    """What a booted guest says of itself; None for what it could not read."""

    release: str
    version: str
    machine: str
    build_id: str | None = None


def mismatch(asked: Kernel, running: RunningKernel) -> str | None:
    """Why `running` is not the kernel that was asked for, or None if it is.

    The header's release and version are always compared, the build id where both sides have one.
    """
    pairs = [("release", asked.release, running.release), ("version", asked.version, running.version)]
    if asked.build_id and running.build_id:
        pairs.append(("build id", asked.build_id, running.build_id))
    wrong = [f"{name} '{found}' instead of '{wanted}'" for name, wanted, found in pairs if wanted != found]
    return f"another kernel is running: {', '.join(wrong)}" if wrong else None
