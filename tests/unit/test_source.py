"""Trees of kernel sources: a path, or a package that is downloaded and unpacked, with stand-ins for apt's programs on PATH."""

from __future__ import annotations

import bz2
import hashlib
import io
import lzma
import os
import tarfile
from collections.abc import Callable
from pathlib import Path

import pytest

from kdelta.kernel import cache
from kdelta.kernel.source import fetch_source
from kdelta.model.errors import MisuseError

OLD, NEW = "linux-source-6.1", "linux-source-6.12"
TREE = ("Makefile", "Kconfig", "init/main.c")


def archive(files: dict[str, bytes]) -> bytes:
    stream = io.BytesIO()
    with tarfile.open(fileobj=stream, mode="w") as members:
        for name, content in files.items():
            entry = tarfile.TarInfo(name)
            entry.size = len(content)
            members.addfile(entry, io.BytesIO(content))
    return stream.getvalue()


def tree(name: str, files: tuple[str, ...] = TREE, compress: Callable[[bytes], bytes] = lzma.compress) -> bytes:
    return compress(archive({f"{name}/{file}": f"{file} of {name}\n".encode() for file in files}))


def deb(name: str, content: bytes, suffix: str = "tar.xz") -> bytes:
    """The files of a package as Debian makes it; the stand-in for dpkg-deb takes them as they are."""
    return archive({f"./usr/share/doc/{name}/copyright": b"free\n", f"./usr/src/{name}.{suffix}": content})


class Apt:
    """Stand-ins in a folder at the front of PATH. `log` has a line for each download."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.log = folder / "log"
        # apt-get's last word is NAME=VERSION.
        self.program("apt-get", f'echo "$@" >>"{self.log}"; for last; do :; done; cp "{folder}/${{last%%=*}}" ./package.deb')
        self.program("dpkg-deb", '[ "$1" = --fsys-tarfile ] && cat "$2"')
        self.offer({OLD: deb(OLD, tree(OLD)), NEW: deb(NEW, tree(NEW))})

    def program(self, name: str, commands: str) -> None:
        path = self.folder / name
        path.write_text(f"#!/bin/sh\n{commands}\n")
        path.chmod(0o755)

    def offer(self, packages: dict[str, bytes], more: str = "") -> None:
        stanzas = []
        for name, content in packages.items():
            (self.folder / name).write_bytes(content)
            checksum = hashlib.sha256(content).hexdigest()
            stanzas.append(f"Package: {name}\nVersion: 1\nSize: {len(content)}\nSHA256: {checksum}\n")
        (self.folder / "stanzas").write_text("\n".join(stanzas))
        (self.folder / "names").write_text("".join(f"{name}\n" for name in packages) + more)
        show = f'show) echo "$@" >"{self.folder}/asked"; cat "{self.folder}/stanzas"'
        self.program("apt-cache", f'case $1 in pkgnames) cat "{self.folder}/names";; {show};; esac')

    def downloads(self) -> list[str]:
        return [line.split()[-1] for line in self.log.read_text().splitlines()] if self.log.exists() else []


@pytest.fixture
def apt(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Apt:
    folder = tmp_path / "bin"
    folder.mkdir()
    monkeypatch.setenv("PATH", f"{folder}:{os.environ['PATH']}")
    return Apt(folder)


def kept() -> list[str]:
    """What a fetch left in the cache, unfinished things included."""
    return [path.name for path in cache.folder("sources").iterdir()]


def make_tree(folder: Path, *files: str) -> Path:
    folder.mkdir()
    for file in files:
        (folder / file).touch()
    return folder


def test_a_path_is_that_of_the_tree(tmp_path: Path) -> None:
    folder = make_tree(tmp_path / "linux", "Makefile", "Kconfig")
    assert fetch_source(str(folder)) == folder


def test_a_relative_path_becomes_absolute(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = make_tree(tmp_path / "linux", "Makefile", "Kconfig")
    monkeypatch.chdir(tmp_path)
    assert fetch_source("linux") == folder


@pytest.mark.parametrize(
    ("files", "told"),
    [
        pytest.param((), "it has no Makefile and no Kconfig", id="neither"),
        pytest.param(("Makefile",), "it has no Kconfig", id="no Kconfig"),
        pytest.param(("Kconfig",), "it has no Makefile", id="no Makefile"),
    ],
)
def test_a_folder_that_is_no_tree_is_told_what_it_lacks(files: tuple[str, ...], told: str, tmp_path: Path) -> None:
    with pytest.raises(MisuseError, match=f"{told}$") as caught:
        fetch_source(str(make_tree(tmp_path / "linux", *files)))
    assert "apt:linux-source" in caught.value.advice


@pytest.mark.parametrize("spec", ["", "linux", "linux/Makefile", "nowhere/linux", "git:linux"])
def test_a_path_without_a_folder_is_refused(spec: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(MisuseError, match=f"there is no folder '{spec}'"):
        fetch_source(spec)


def test_a_mistyped_path_is_answered_with_the_nearest(tmp_path: Path) -> None:
    folder = make_tree(tmp_path / "linux-6.1", "Makefile", "Kconfig")
    with pytest.raises(MisuseError) as caught:
        fetch_source(str(tmp_path / "linx-6.1"))
    assert f"did you mean '{folder}'?" in caught.value.advice


@pytest.mark.parametrize(
    ("spec", "name"),
    [
        pytest.param("apt:linux-source-6.1", OLD, id="package"),
        pytest.param("apt:6.1", OLD, id="series"),
        pytest.param("apt:6.12", NEW, id="a longer series"),
        pytest.param("apt:linux-source", NEW, id="newest, by number"),
    ],
)
@pytest.mark.usefixtures("apt")
def test_the_tree_of_a_package_is_unpacked(spec: str, name: str) -> None:
    found = fetch_source(spec)
    assert {file: (found / file).read_text() for file in TREE} == {file: f"{file} of {name}\n" for file in TREE}


@pytest.mark.usefixtures("apt")
def test_only_the_tree_is_kept() -> None:
    assert sorted(path.name for path in fetch_source("apt:6.1").iterdir()) == ["Kconfig", "Makefile", "init"]


def test_that_version_is_downloaded_which_was_listed(apt: Apt) -> None:
    fetch_source("apt:6.1")
    assert apt.downloads() == [f"{OLD}=1"]


def test_a_second_fetch_downloads_nothing(apt: Apt) -> None:
    assert fetch_source("apt:6.12") == fetch_source("apt:linux-source")
    assert len(apt.downloads()) == 1


def test_a_new_version_of_a_package_has_a_tree_of_its_own(apt: Apt) -> None:
    old = fetch_source("apt:6.1")
    apt.offer({OLD: deb(OLD, tree(OLD, (*TREE, "security-fix.c")))})
    new = fetch_source("apt:6.1")
    assert ((old / "security-fix.c").exists(), (new / "security-fix.c").exists()) == (False, True)


def test_the_package_of_ubuntu_is_unpacked_too(apt: Apt) -> None:
    name = "linux-source-6.8.0"
    apt.offer({name: deb(f"{name}/{name}", tree(name, compress=bz2.compress), "tar.bz2")})
    assert (fetch_source("apt:6.8.0") / "Makefile").read_text() == f"Makefile of {name}\n"


@pytest.mark.parametrize("name", ["linux-source", "linux-source-6.1-doc", "linux-source-rt"])
def test_a_package_without_a_tree_is_not_asked_for(name: str, apt: Apt) -> None:
    apt.offer({OLD: deb(OLD, tree(OLD))}, more=f"{name}\n")
    fetch_source("apt:6.1")
    assert (apt.folder / "asked").read_text() == f"show --no-all-versions {OLD}\n"


@pytest.mark.parametrize(
    ("wanted", "near"),
    [("6.2", "6.12"), ("linux-sorce", "linux-source"), ("linux-source-6.11", OLD), ("", ""), ("newest", "")],
    ids=["series", "newest", "package", "empty", "far"],
)
@pytest.mark.usefixtures("apt")
def test_sources_that_are_not_offered_are_answered_with_those_that_are(wanted: str, near: str) -> None:
    with pytest.raises(MisuseError, match=f"there is no kernel source '{wanted}' that apt offers") as caught:
        fetch_source(f"apt:{wanted}")
    assert caught.value.advice.startswith(f"did you mean '{near}'? " if near else "known: ")
    assert caught.value.advice.endswith(f"known: 6.1, 6.12, linux-source, {OLD}, {NEW}")


def test_nothing_listed_is_answered_with_the_update_of_the_lists(apt: Apt) -> None:
    apt.offer({}, more="linux-source\n")
    with pytest.raises(MisuseError, match="apt lists no kernel sources") as caught:
        fetch_source("apt:linux-source")
    assert "apt-get update" in caught.value.advice


def test_a_machine_without_apt_is_told_to_give_a_path(apt: Apt, monkeypatch: pytest.MonkeyPatch) -> None:
    (apt.folder / "apt-cache").unlink()
    monkeypatch.setenv("PATH", str(apt.folder))
    with pytest.raises(MisuseError, match="there is no apt on this machine") as caught:
        fetch_source("apt:6.1")
    assert "path of a kernel tree" in caught.value.advice


def test_a_download_with_another_checksum_is_refused_and_not_kept(apt: Apt) -> None:
    (apt.folder / OLD).write_bytes(deb(OLD, tree(NEW)))
    with pytest.raises(MisuseError, match=f"{OLD}: the download's sha256 is "):
        fetch_source("apt:6.1")
    assert kept() == []


def test_a_failed_download_leaves_nothing(apt: Apt) -> None:
    apt.program("apt-get", 'echo "E: Failed to fetch" >&2; exit 100')
    with pytest.raises(MisuseError, match="apt-get -q failed: E: Failed to fetch"):
        fetch_source("apt:6.1")
    assert kept() == []


@pytest.mark.parametrize(
    "content",
    [
        pytest.param(archive({"./usr/share/doc/copyright": b"free\n"}), id="no archive"),
        pytest.param(deb(OLD, tree(OLD, ("README",))), id="no tree"),
        pytest.param(deb("linux-patch-6.1", tree(OLD)), id="another archive"),
    ],
)
def test_a_package_that_holds_no_tree_is_refused(content: bytes, apt: Apt) -> None:
    apt.offer({OLD: content})
    with pytest.raises(MisuseError, match=f"the package {OLD} holds no tree of kernel sources"):
        fetch_source("apt:6.1")
    assert kept() == []


@pytest.mark.parametrize(
    "content",
    [
        pytest.param(b"this is not xz", id="not compressed"),
        pytest.param(tree(OLD)[:-40], id="cut off"),
        pytest.param(tree(OLD)[:20] + b"\xff" * 40 + tree(OLD)[60:], id="damaged"),
    ],
)
def test_an_archive_that_cannot_be_read_is_refused_and_not_kept(content: bytes, apt: Apt) -> None:
    apt.offer({OLD: deb(OLD, content)})
    with pytest.raises(MisuseError, match="cannot be unpacked"):
        fetch_source("apt:6.1")
    assert kept() == []


def test_the_last_line_of_a_tar_that_fails_is_told(apt: Apt) -> None:
    apt.program("tar", 'echo "tar: disk: No space left on device" >&2; echo "tar: Error is not recoverable" >&2; exit 2')
    with pytest.raises(MisuseError, match=r"cannot be unpacked: tar: .*not recoverable") as caught:
        fetch_source("apt:6.1")
    assert "make room" in caught.value.advice
    assert kept() == []
