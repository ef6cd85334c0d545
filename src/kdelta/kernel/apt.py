"""Kernel images from the distribution's package manager: listed, downloaded and unpacked; nothing is installed, no root.

What `source` needs for the packages of sources is public too.
"""

from __future__ import annotations

import difflib
import hashlib
import os
import re
import shutil
import subprocess
import tarfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

import msgspec

from kdelta.kernel import cache
from kdelta.model.errors import MisuseError

# linux-image-6.1.0-57-cloud-amd64, linux-image-6.12.117+deb12-cloud-amd64, linux-image-6.8.0-45-generic. Three numbers:
# linux-image-6.12-cloud-amd64 and its like are empty packages that only depend on these.
IMAGE_PACKAGE = re.compile(r"linux-image-(?P<abi>(?P<series>\d+\.\d+)\.\d+(?:\+[a-z0-9]+)?(?:-\d+)?)-(?P<flavour>[a-z0-9-]+)")
NOT_IMAGES = ("-dbg", "-unsigned", "-dbgsym")

# A small kernel boots fastest; then what most people run.
FLAVOURS = ("cloud-amd64", "virtual", "kvm", "generic", "amd64")
WANTED_FILES = ("vmlinuz-", "config-")
KEPT = "package.deb"
MODULE_FILE = re.compile(r"(?:\./)?(?:usr/)?lib/modules/((?:(?!\.\.?/)[^/]+/)*[^/]+)")


class Deb(msgspec.Struct, frozen=True, kw_only=True):
    """One version of one package. `sha256` is that of the .deb, as the signed package lists give it."""

    name: str
    version: str
    sha256: str
    size: int


class Package(Deb, frozen=True, kw_only=True):
    """One version of one image package."""

    series: str
    flavour: str
    order: tuple[int, ...]
    """The numbers in the name: sorts releases of one series."""


def available() -> tuple[Package, ...]:
    """What the package manager offers, oldest series first. Raises MisuseError where there is no apt, or it has no lists."""
    if shutil.which("apt-cache") is None:
        raise MisuseError("there is no apt on this machine", "name an image with -k path:/boot/vmlinuz-...")
    packages = list(_packages(filter(_is_image, names("linux-image-"))))
    if not packages:
        raise MisuseError("apt lists no kernel image", "run `apt-get update` (as root), then try again")
    return tuple(sorted(packages, key=lambda package: (package.order, package.name)))


def _is_image(name: str) -> bool:
    return IMAGE_PACKAGE.fullmatch(name) is not None and not name.endswith(NOT_IMAGES)


def names(prefix: str) -> list[str]:
    """The packages that apt knows whose names begin with `prefix`."""
    return _run("apt-cache", "pkgnames", prefix).split()


def debs(wanted: Iterable[str]) -> Iterator[Deb]:
    """The newest version of each package called as in `wanted` that can be downloaded."""
    called = tuple(wanted)
    text = _run("apt-cache", "show", "--no-all-versions", *called) if called else ""
    for stanza in text.split("\n\n"):
        fields = dict(line.split(": ", 1) for line in stanza.splitlines() if ": " in line and not line.startswith(" "))
        if "Package" in fields and "SHA256" in fields:
            yield Deb(name=fields["Package"], version=fields["Version"], sha256=fields["SHA256"], size=int(fields["Size"]))


def _packages(wanted: Iterable[str]) -> Iterator[Package]:
    for deb in debs(wanted):
        match = IMAGE_PACKAGE.fullmatch(deb.name)
        if match:
            yield Package(
                **msgspec.structs.asdict(deb),
                series=match["series"],
                flavour=match["flavour"],
                order=tuple(int(number) for number in re.findall(r"\d+", match["abi"])),
            )


def choose(wanted: str, packages: Iterable[Package]) -> Package:
    """The package for `wanted`: a package name, a series ("6.1"), "oldest" or "newest" (a series).

    In a series: the preferred flavour, its newest release. Raises MisuseError that lists what there is.
    """
    offered = list(packages)
    series = sorted({package.series for package in offered}, key=_numbers)
    named = {"oldest": series[0], "newest": series[-1]}.get(wanted, wanted)
    matching = [package for package in offered if named in (package.name, package.series)]
    if not matching:
        raise MisuseError(f"apt has no kernel '{wanted}'", _offer(wanted, offered, series))
    flavour = min((package.flavour for package in matching), key=_preference)
    return max((package for package in matching if package.flavour == flavour), key=lambda package: package.order)


def _offer(wanted: str, offered: list[Package], series: list[str]) -> str:
    """What there is: what comes near, then each series with the package that it stands for."""
    near = difflib.get_close_matches(wanted, [*series, *(package.name for package in offered)], n=3, cutoff=0.8)
    hint = f"did you mean {', '.join(near)}? " if near else ""
    each = ", ".join(f"{one} ({choose(one, offered).name})" for one in series)
    return f"{hint}it has the series {each}; `kdelta kernels` lists all {len(offered)}"


def _numbers(series: str) -> tuple[int, ...]:
    return tuple(int(number) for number in series.split("."))


def _preference(flavour: str) -> tuple[int, str]:
    return (FLAVOURS.index(flavour) if flavour in FLAVOURS else len(FLAVOURS), flavour)


def fetch(package: Package) -> Path:
    """The image of `package` as a file in the cache; downloaded and unpacked if it is not there yet.

    The package is kept beside it: few need its modules, and the mirrors drop a release when there is a newer one.
    """
    target = cache.folder("images") / f"{package.name}_{package.sha256[:16]}"

    def fill(folder: Path) -> None:
        archive = download(package, folder)
        _extract(archive, folder)
        archive.rename(folder / KEPT)

    cache.place(target, fill)
    images = sorted(target.glob("vmlinuz-*"))
    if not images:
        raise MisuseError(f"the package {package.name} holds no boot/vmlinuz-*", "name another one: `kdelta kernels`")
    return images[0]


def modules(image: Path) -> Path | None:
    """The folder with a folder of modules for each release, of an `image` that was fetched; None for any other image."""
    archive = image.parent / KEPT
    if not archive.is_file():
        return None
    return cache.place(cache.folder("modules") / image.parent.name, lambda folder: _extract_modules(archive, folder))


def _extract_modules(archive: Path, folder: Path) -> None:
    with opened(archive) as members:
        for member in members:
            place = MODULE_FILE.fullmatch(member.name)
            content = members.extractfile(member) if place and member.isreg() else None
            if place and content:
                path = folder / place[1]
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(content.read())


def download(package: Deb, folder: Path) -> Path:
    """The .deb of `package` in `folder`. Raises MisuseError where it cannot be had, or is not the one that was listed."""
    # As root, apt drops to a user who may not write here, and warns; the file is checked below either way.
    _run("apt-get", "-q", "-o", "APT::Sandbox::User=root", "download", f"{package.name}={package.version}", folder=folder)
    archive = next(folder.glob("*.deb"), None)
    if archive is None:
        raise MisuseError(f"apt-get downloaded nothing for {package.name}", "try `apt-get download` by hand")
    found = hashlib.sha256(archive.read_bytes()).hexdigest()
    if found != package.sha256:
        raise MisuseError(f"{package.name}: the download's sha256 is {found}, not {package.sha256}", "run `apt-get update`")
    return archive


def _extract(archive: Path, folder: Path) -> None:
    with opened(archive) as members:
        for member in members:
            path = Path(member.name)
            if path.parent.name == "boot" and path.name.startswith(WANTED_FILES) and member.isreg():
                content = members.extractfile(member)
                assert content is not None
                (folder / path.name).write_bytes(content.read())


@contextmanager
def opened(archive: Path) -> Iterator[tarfile.TarFile]:
    """The files in a .deb, to be read in their order. Raises MisuseError where it is damaged."""
    process = subprocess.Popen(["dpkg-deb", "--fsys-tarfile", str(archive)], stdout=subprocess.PIPE)
    assert process.stdout is not None
    try:
        with process, tarfile.open(fileobj=process.stdout, mode="r|") as members:
            yield members
    except tarfile.TarError as error:
        raise MisuseError(f"{archive.name} cannot be unpacked: {error}", "see that dpkg-deb works on this machine") from error


def _run(*command: str, folder: Path | None = None) -> str:
    if shutil.which(command[0]) is None:
        raise MisuseError(f"there is no {command[0]} on this machine", "without apt, give the path of a file or folder")
    environment = {**os.environ, "LC_ALL": "C"}
    done = subprocess.run(command, capture_output=True, text=True, cwd=folder, env=environment, check=False)
    if done.returncode:
        last = (done.stderr.strip() or "no message").splitlines()[-1]
        raise MisuseError(f"{' '.join(command[:2])} failed: {last}", "see that `apt-get update` works on this machine")
    return done.stdout
