"""How each type of file system is made: the same each time, and finished when mkfs ends."""

from __future__ import annotations

import secrets
import shlex
from dataclasses import dataclass

from kdelta.box.settings.errors import RefusedError
from kdelta.model.errors import unknown
from kdelta.model.variant import Mount

OURS = "6b64656c-7461-"
"""How the UUID of each file system that kdelta made begins ("kdelta"): by it a device that may be overwritten is known."""
FIXED = f"{OURS}4000-8000-000000000000"


@dataclass(frozen=True)
class Maker:
    """Words for mkfs, in which {uuid} is replaced; `image` are those that leave a file its blocks. `extended` belong to -E."""

    words: tuple[str, ...]
    image: tuple[str, ...] = ()
    extended: tuple[str, ...] = ()
    image_extended: tuple[str, ...] = ()
    fixed: bool = True


# Without lazy_itable_init=0 a kernel thread goes on with mkfs's work after mounting. The UUID seeds checksums, hash_seed the
# order of a directory.
EXT = Maker(
    words=("-q", "-F", "-U", "{uuid}"),
    extended=("lazy_itable_init=0", "lazy_journal_init=0", "hash_seed={uuid}"),
    image_extended=("nodiscard",),
)
MAKERS = {
    "ext2": EXT,
    "ext3": EXT,
    "ext4": EXT,
    "xfs": Maker(words=("-q", "-f", "-m", "uuid={uuid}"), image=("-K",)),
    # Before 5f58d783fd78 (6.2) the kernel remembers a UUID that was unmounted, and refuses one that looks older.
    "btrfs": Maker(words=("-q", "-f", "-U", "{uuid}"), image=("-K",), fixed=False),
}


def command(mount: Mount, target: str) -> list[str]:
    """The command that makes the file system of `mount` on `target`: a device, or else a file."""
    maker = MAKERS.get(mount.type)
    if maker is None:
        error = unknown("file system", mount.type, MAKERS)
        raise RefusedError(f"`mount`: {error}", error.advice)
    theirs, extended = _without_extended(shlex.split(mount.mkfs))
    extended = [*maker.extended, *(() if mount.device else maker.image_extended), *extended]
    words = [*maker.words, *(() if mount.device else maker.image), *(("-E", ",".join(extended)) if maker.extended else ())]
    uuid = FIXED if maker.fixed else f"{OURS}4{secrets.token_hex(2)[1:]}-8{secrets.token_hex(2)[1:]}-{secrets.token_hex(6)}"
    return [f"mkfs.{mount.type}", *(word.format(uuid=uuid) for word in words), *theirs, target]


def _without_extended(words: list[str]) -> tuple[list[str], list[str]]:
    """The user's words for mkfs without -E, and what follows it: of two -E, mke2fs takes only the last."""
    rest, extended = list[str](), list[str]()
    left = iter(words)
    for word in left:
        if word.startswith("-E"):
            extended.append(word[2:] or next(left, ""))
        else:
            rest.append(word)
    return rest, extended
