"""From the functions of a kernel to their source files, by its debug information.

Sources: tools/perf/util/symbol.c of the kernel and the packages of Debian, Fedora and SUSE (where a kernel with debug information
lies), and "Debugging Information in Separate Files" of GDB's manual.
"""

from __future__ import annotations

import bisect
import mmap
import os
import posixpath
import struct
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from pathlib import Path

from kdelta.kernel import dwarf, elf
from kdelta.kernel.dwarf import Unit
from kdelta.kernel.symbols import PADDING
from kdelta.kernel.unpack import build_id_in
from kdelta.model.errors import MisuseError

PLACES = (
    "/usr/lib/debug/boot/vmlinux-{}",
    "/usr/lib/debug/lib/modules/{}/vmlinux",
    "/lib/modules/{}/build/vmlinux",
    "/boot/vmlinux-{}",
    "/usr/lib/debug/boot/vmlinux-{}.debug",
    "/usr/lib/debug/usr/lib/modules/{}/vmlinux.debug",
)
DEBUG = Path("/usr/lib/debug")
LANDMARK = "/init/main.c"
"""A file that every kernel is built from, and that so tells where the top of its tree is."""
ADVICE = "take the vmlinux of a build with CONFIG_DEBUG_INFO, or that of the distribution's package of debug symbols"


def usual_places(release: str) -> list[Path]:
    """Where a kernel of that release (uname -r) has its debug information, where there is any; the likeliest place first."""
    return [Path(place.format(release)) for place in PLACES] if release and "/" not in release else []


def sources(vmlinux: Path, build_id: str | None = None) -> dict[str, str]:
    """Function -> the file that it was compiled from, relative to the top of the kernel's tree: "mm/slub.c".

    `vmlinux` is a linked kernel, or the file with its debug information alone; where it has none but names the file that has, or
    that is beside it, it is read there. A function that was inlined everywhere has no entry, one of a header that of the file
    that it was compiled with, and a name that functions of several files have is left out: which of them ran is not known.

    Raises MisuseError where the file cannot be read, is no ELF file, holds no debug information or half of it, or is not of the
    kernel that `build_id` names.
    """
    try:
        return _sources(vmlinux, build_id)
    except OSError as error:
        raise MisuseError(f"{vmlinux} cannot be read: {error.strerror}", ADVICE) from error
    except (elf.ElfError, struct.error) as error:
        raise MisuseError(f"{vmlinux} cannot be used: {error}", ADVICE) from error


def _sources(path: Path, build_id: str | None) -> dict[str, str]:
    file = _opened(path)
    companion = next(_companions(path, file), None) if file.section(".debug_info") is None else None
    file = _opened(companion) if companion else file
    if file.section(".debug_info") is None:
        raise elf.ElfError("it has no debug information")
    if file.kind == elf.RELOCATABLE:
        raise elf.ElfError("it is not linked: its functions have no addresses yet")
    found = _build_id(file)
    if build_id and found and found != build_id:
        raise elf.ElfError(f"it is another kernel's: its build id is {found}, and not {build_id}")
    units = list(dwarf.units(file))
    return _of_functions(file.functions(), units, tree_paths(units))


def _opened(path: Path) -> elf.Elf:
    """Mapped, not read: most of it is never looked at."""
    with path.open("rb") as file:
        size = os.fstat(file.fileno()).st_size
        return elf.Elf(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) if size else b"")


def _companions(path: Path, file: elf.Elf) -> Iterator[Path]:
    """Files that are there and have the debug information that was taken out of this one."""
    link = file.section(".gnu_debuglink")
    name = elf.text_at(link, 0) if link is not None else ""
    folder = path.absolute().parent
    named = [folder / name, folder / ".debug" / name, DEBUG / folder.relative_to("/") / name] if name and "/" not in name else []
    places = (*named, path.with_name(f"{path.name}.debug"))
    return (place for place in places if place.is_file() and not place.samefile(path))


def _build_id(file: elf.Elf) -> str | None:
    notes = (file.section(name) for name in (".notes", ".note.gnu.build-id"))
    return next(filter(None, (build_id_in(bytes(one)) for one in notes if one is not None)), None)


def tree_paths(units: Sequence[Unit]) -> list[str]:
    """The source of each unit relative to the top of the tree.

    A relative one is so already, but for its way up from where the compiler ran. Of absolute ones the top is the folder above
    init/main.c, else the one below which most lie in folders that relative ones are in (as in Debian's 6.1, whose assembler was not
    told to shorten paths), else where the compiler ran, else what all begin with.
    """
    paths = [_path(unit) for unit in units]
    absolute = [path for path in paths if path.startswith("/")]
    known = {posixpath.dirname(path) for path in paths if not path.startswith("/")}
    marked = [path.removesuffix(LANDMARK) for path in absolute if path.endswith(LANDMARK)]
    alike = Counter(top for path in absolute for top in _tops(path, known))
    folders = {unit.folder for unit in units if unit.folder.startswith("/")}
    common = posixpath.commonpath([posixpath.dirname(path) for path in absolute]) if absolute else ""
    likely = sorted(alike, key=lambda top: (-alike[top], top))
    return [_below(path, (*marked[:1], *likely[:1], *sorted(folders), common)) for path in paths]


def _tops(path: str, known: Collection[str]) -> Iterator[str]:
    """Folders below which the file lies in one of those `known`, each relative to the top of the tree."""
    parts = posixpath.dirname(path).split("/")
    return ("/".join(parts[:place]) for place in range(1, len(parts)) if "/".join(parts[place:]) in known)


def _path(unit: Unit) -> str:
    name = posixpath.normpath(unit.name)
    if name.startswith("..") and unit.folder.startswith("/"):
        return posixpath.normpath(posixpath.join(unit.folder, name))
    return name


def _below(path: str, tops: Iterable[str]) -> str:
    top = next((top for top in tops if top.strip("/") and path.startswith(f"{top}/")), None)
    return path if top is None else path.removeprefix(f"{top}/")


def _of_functions(functions: Iterable[tuple[int, str]], units: Sequence[Unit], paths: Sequence[str]) -> dict[str, str]:
    """Each function by the unit that its first address is in."""
    spans = sorted((*span, path) for unit, path in zip(units, paths, strict=True) for span in unit.ranges)
    starts = [start for start, _, _ in spans]
    found: dict[str, set[str]] = {}
    for address, name in functions:
        place = bisect.bisect_right(starts, address) - 1
        if place >= 0 and address < spans[place][1] and not PADDING.match(name):
            found.setdefault(name, set()).add(spans[place][2])
    return {name: files.pop() for name, files in sorted(found.items()) if len(files) == 1}
