"""The modules of a kernel: where they lie, what they need, and the order in which they can be loaded.

Sources: modinfo(8) and modules.builtin in Documentation/kbuild/kbuild.rst of the kernel, the ELF specification.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterator
from functools import lru_cache
from pathlib import Path

import msgspec

from kdelta.kernel import apt, unpack
from kdelta.model.errors import MisuseError
from kdelta.model.kernel import Kernel

ELF = b"\x7fELF"
SUFFIXES = (".ko", ".ko.gz", ".ko.xz", ".ko.zst")
BUILT = Path("arch/x86/boot/bzImage")
"""Of an image that lies where it was built, below the top of its tree."""


class Module(msgspec.Struct, frozen=True):
    """`content` is unpacked, as the kernel loads it."""

    name: str
    content: bytes


class Needs(msgspec.Struct, frozen=True):
    """What a module says of itself: the modules that it needs, those that it would like loaded before, and its kernel."""

    required: tuple[str, ...]
    wished: tuple[str, ...]
    release: str


class Tree(msgspec.Struct, frozen=True):
    """One place with modules: files by name, and the names of what is built into the image."""

    files: dict[str, Path]
    builtin: frozenset[str]

    def has(self, name: str) -> bool:
        return name in self.files or name in self.builtin


Choice = tuple[str, ...]
"""Names of which the first that a kernel has will do."""


def find(kernel: Kernel, *wanted: Choice) -> tuple[Module, ...]:
    """What must be loaded to have one of each choice in `wanted`, in load order; nothing for what is built in.

    Raises MisuseError for a module that the kernel has neither way, or that is another kernel's.
    """
    return _find(kernel.image, kernel.release, wanted)


@lru_cache(maxsize=64)
def _find(image: str, release: str, wanted: tuple[Choice, ...]) -> tuple[Module, ...]:
    tree, looked = _tree(Path(image), release)
    loaded: dict[str, Module] = {}
    for choice in wanted:
        names = [normal(name) for name in choice]
        name = next((name for name in names if tree.has(name)), None)
        if name is None:
            raise _missing(" or ".join(choice), release, looked)
        _load(tree, name, release, looked, loaded)
    return tuple(loaded.values())


def is_built_in(kernel: Kernel, name: str) -> bool:
    return normal(name) in _tree(Path(kernel.image), kernel.release)[0].builtin


def normal(name: str) -> str:
    """A module's name is that of its file, but with underscores."""
    return name.replace("-", "_")


def _load(tree: Tree, name: str, release: str, looked: str, loaded: dict[str, Module]) -> None:
    """Put `name` into `loaded`, behind all that it needs."""
    if name in loaded or name in tree.builtin:
        return
    if name not in tree.files:
        raise _missing(name, release, looked)
    module = _read(name, tree.files[name])
    needs = read_needs(module.content)
    if needs.release and needs.release != release:
        raise MisuseError(
            f"{tree.files[name]} is a module of {needs.release}, and the image is {release}", "build image and modules together"
        )
    for wish in needs.wished:
        found = next((one for one in (wish, f"{wish}_generic") if tree.has(one)), None)
        if found:
            _load(tree, found, release, looked, loaded)
    for needed in needs.required:
        _load(tree, needed, release, looked, loaded)
    loaded[name] = module


def _missing(name: str, release: str, looked: str) -> MisuseError:
    return MisuseError(
        f"kernel {release} has no module {name}; looked in {looked}",
        "take a kernel that was built with it, or put its modules where one of these places is",
    )


def _read(name: str, path: Path) -> Module:
    try:
        content = path.read_bytes()
    except OSError as error:
        raise MisuseError(f"the module {path} cannot be read: {error.strerror}", "give it back, or name another kernel") from error
    plain = content if content.startswith(ELF) else unpack.unpack(content)
    if plain is None:
        raise MisuseError(f"{path} is no module, or is damaged", "install or build this kernel's modules again")
    return Module(name, plain)


def read_needs(content: bytes) -> Needs:
    """What the .modinfo of the unpacked module `content` says."""
    entries = [entry.partition("=")[::2] for entry in _modinfo(content).decode("latin-1").split("\0")]
    required = [normal(name) for key, value in entries if key == "depends" for name in value.split(",") if name]
    wished = [name for key, value in entries if key == "softdep" for name in _before(value)]
    release = next((value.split(" ")[0] for key, value in entries if key == "vermagic"), "")
    return Needs(tuple(required), tuple(wished), release)


def _before(softdep: str) -> list[str]:
    """The names behind `pre:`. Those of ciphers may carry the prefix of their kind."""
    words = softdep.partition("pre:")[2].partition("post:")[0].split()
    return [normal(word.removeprefix("crypto-")) for word in words if word != "pre:"]


def _modinfo(content: bytes) -> bytes:
    """The section of that name; nothing where there is none, or the file is cut off."""
    try:
        table = struct.unpack_from("<Q", content, 40)[0]
        size, count, names_at = struct.unpack_from("<HHH", content, 58)
        heads = [struct.unpack_from("<IIQQQQ", content, table + i * size) for i in range(count)]
        names = heads[names_at][4]
        for name, _, _, _, offset, length in heads:
            if content.startswith(b".modinfo\0", names + name):
                return content[offset : offset + length]
    except (struct.error, IndexError):
        pass
    return b""


# ---- where they lie ----


@lru_cache(maxsize=64)
def _tree(image: Path, release: str) -> tuple[Tree, str]:
    """The first place that has modules for `image`, and in words where was looked."""
    looked = []
    for find_at in PLACES:
        place, tree = find_at(image, release)
        looked += [str(place)] if place else []
        if tree is not None:
            return tree, str(place)
    return Tree({}, frozenset()), ", ".join(looked)


def _beside(image: Path, release: str) -> tuple[Path | None, Tree | None]:
    """Where `make INSTALL_MOD_PATH=... modules_install` puts them for an image that lies there."""
    return _installed(image.parent / "lib/modules" / release)


def _package(image: Path, release: str) -> tuple[Path | None, Tree | None]:
    folder = apt.modules(image)
    return _installed(folder / release) if folder else (None, None)


def _built(image: Path, release: str) -> tuple[Path | None, Tree | None]:
    if not image.match(str(BUILT)):
        return None, None
    top = image.parents[len(BUILT.parts) - 1]
    # kernel/fs/xfs/xfs.ko before 6.3 (commit f65a486821cf), fs/xfs/xfs.o since.
    listed = [Path(line.removeprefix("kernel/")).with_suffix(".ko") for line in _lines(top / "modules.order")]
    files = {normal(path.stem): top / path for path in listed}
    builtin = _names(top / "modules.builtin")
    return top, (Tree(files, builtin) if files or builtin else None)


def _system(image: Path, release: str) -> tuple[Path | None, Tree | None]:
    return _installed(Path("/lib/modules") / release)


PLACES: tuple[Callable[[Path, str], tuple[Path | None, Tree | None]], ...] = (_beside, _package, _built, _system)


def _installed(folder: Path) -> tuple[Path, Tree | None]:
    files = dict(sorted(_files(folder)))
    builtin = _names(folder / "modules.builtin")
    return folder, (Tree(files, builtin) if files or builtin else None)


def _files(folder: Path) -> Iterator[tuple[str, Path]]:
    for path in folder.rglob("*.ko*"):
        stem, dot, rest = path.name.partition(".")
        if dot + rest in SUFFIXES:
            yield normal(stem), path


def _names(listing: Path) -> frozenset[str]:
    return frozenset(normal(Path(line).stem) for line in _lines(listing))


def _lines(path: Path) -> list[str]:
    return path.read_text().split() if path.is_file() else []
