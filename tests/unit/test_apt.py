"""Kernel images from the package manager, with stand-ins for its programs on PATH."""

from __future__ import annotations

import hashlib
import io
import os
import tarfile
from pathlib import Path

import pytest

from kdelta.kernel import cache
from kdelta.kernel.apt import Package, available, choose, fetch, modules
from kdelta.model.errors import MisuseError

OLD = "linux-image-6.1.0-57-cloud-amd64"
NEW = "linux-image-6.12.117+deb12-cloud-amd64"


def package(name: str, series: str, flavour: str, *order: int, sha256: str = "00" * 32) -> Package:
    return Package(name=name, version="1", sha256=sha256, size=1, series=series, flavour=flavour, order=order)


OFFERED = (
    package("linux-image-6.1.0-9-amd64", "6.1", "amd64", 6, 1, 0, 9),
    package("linux-image-6.1.0-9-cloud-amd64", "6.1", "cloud-amd64", 6, 1, 0, 9),
    package("linux-image-6.1.0-10-cloud-amd64", "6.1", "cloud-amd64", 6, 1, 0, 10),
    package("linux-image-6.1.0-11-amd64", "6.1", "amd64", 6, 1, 0, 11),
    package("linux-image-6.9.7-amd64", "6.9", "amd64", 6, 9, 7),
    package("linux-image-6.9.7-rt-amd64", "6.9", "rt-amd64", 6, 9, 7),
    package("linux-image-6.12.9-generic", "6.12", "generic", 6, 12, 9),
    package("linux-image-6.12.9-kvm", "6.12", "kvm", 6, 12, 9),
)


@pytest.mark.parametrize(
    ("wanted", "name"),
    [
        pytest.param("6.1", "linux-image-6.1.0-10-cloud-amd64", id="newest release of the smallest flavour"),
        pytest.param("6.9", "linux-image-6.9.7-amd64", id="a known flavour before an unknown one"),
        pytest.param("6.12", "linux-image-6.12.9-kvm", id="the smaller of two flavours"),
        pytest.param("oldest", "linux-image-6.1.0-10-cloud-amd64", id="oldest series"),
        pytest.param("newest", "linux-image-6.12.9-kvm", id="newest series, by number"),
        pytest.param("linux-image-6.1.0-9-amd64", "linux-image-6.1.0-9-amd64", id="package name"),
    ],
)
def test_a_package_is_chosen_by_series_or_name(wanted: str, name: str) -> None:
    assert choose(wanted, OFFERED).name == name


def test_the_choice_does_not_depend_on_the_order_of_the_list() -> None:
    assert [choose(wanted, reversed(OFFERED)) for wanted in ("6.1", "6.9", "6.12")] == [
        choose(wanted, OFFERED) for wanted in ("6.1", "6.9", "6.12")
    ]


@pytest.mark.parametrize("wanted", ["6.2", "6", "6.1.0", "", "linux-image-6.1.0-12-amd64"])
def test_a_series_that_is_not_offered_is_answered_with_those_that_are(wanted: str) -> None:
    with pytest.raises(MisuseError, match=f"apt has no kernel '{wanted}'") as caught:
        choose(wanted, OFFERED)
    assert "it has the series 6.1 (linux-image-6.1." in caught.value.advice


def deb(*files: str) -> bytes:
    """The files of a package; the stand-in for dpkg-deb takes them as they are."""
    stream = io.BytesIO()
    with tarfile.open(fileobj=stream, mode="w") as archive:
        for name in files:
            content = f"content of {name}".encode()
            entry = tarfile.TarInfo(name)
            entry.size = len(content)
            archive.addfile(entry, io.BytesIO(content))
    return stream.getvalue()


WHOLE = deb("./boot/System.map-6.1.0-57", "./boot/config-6.1.0-57", "./boot/vmlinuz-6.1.0-57", "./lib/vmlinuz-other")
STANZA = """Package: {name}
Version: {version}
Size: 1234
Description-en: kernel for a test
 Package: not-a-field-but-a-line-of-the-description
SHA256: {sha256}
"""


class Apt:
    """Stand-ins in a folder at the front of PATH. `log` has a line for each download."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.log = folder / "log"
        self.archive = folder / "archive"
        self.archive.write_bytes(WHOLE)
        self.program("apt-get", f'echo "$@" >>"{self.log}"; cp "{self.archive}" ./package.deb')
        self.program("dpkg-deb", '[ "$1" = --fsys-tarfile ] && cat "$2"')
        self.offer((OLD, "6.1.170-1"), (NEW, "6.12.117-1"))

    def program(self, name: str, commands: str) -> None:
        path = self.folder / name
        path.write_text(f"#!/bin/sh\n{commands}\n")
        path.chmod(0o755)

    def offer(self, *packages: tuple[str, str], more: str = "") -> None:
        sha256 = hashlib.sha256(self.archive.read_bytes()).hexdigest()
        names = "".join(f"{name}\n" for name, _ in packages) + more
        stanzas = [STANZA.format(name=name, version=version, sha256=sha256) for name, version in packages]
        (self.folder / "names").write_text(names)
        (self.folder / "stanzas").write_text("\n".join(stanzas))
        self.program("apt-cache", f'case $1 in pkgnames) cat "{self.folder}/names";; show) cat "{self.folder}/stanzas";; esac')

    def downloads(self) -> list[str]:
        return self.log.read_text().splitlines() if self.log.exists() else []


@pytest.fixture
def apt(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Apt:
    folder = tmp_path / "bin"
    folder.mkdir()
    monkeypatch.setenv("PATH", f"{folder}:{os.environ['PATH']}")
    return Apt(folder)


def chosen(name: str = OLD) -> Package:
    return choose(name, available())


def kept() -> list[str]:
    """What a fetch left in the cache, unfinished things included."""
    return [path.name for path in cache.folder("images").iterdir()]


def test_the_packages_are_listed_with_what_their_names_tell(apt: Apt) -> None:
    assert [(one.name, one.version, one.series, one.flavour, one.order) for one in available()] == [
        (OLD, "6.1.170-1", "6.1", "cloud-amd64", (6, 1, 0, 57)),
        (NEW, "6.12.117-1", "6.12", "cloud-amd64", (6, 12, 117, 12)),
    ]


def test_the_oldest_package_is_listed_first(apt: Apt) -> None:
    apt.offer((NEW, "2"), (OLD, "1"))
    assert [one.name for one in available()] == [OLD, NEW]


@pytest.mark.parametrize(
    "name",
    [
        "linux-image-6.1.0-57-cloud-amd64-dbg",
        "linux-image-6.1.0-57-cloud-amd64-unsigned",
        "linux-image-6.8.0-45-generic-dbgsym",
        "linux-image-amd64",
        "linux-image-6.12-cloud-amd64",
        "linux-headers-6.1.0-57-cloud-amd64",
    ],
)
def test_a_package_without_an_image_is_not_asked_for(name: str, apt: Apt) -> None:
    apt.offer((OLD, "1"), more=f"{name}\n")
    asked = apt.folder / "asked"
    apt.program(
        "apt-cache", f'[ $1 = pkgnames ] && exec cat "{apt.folder}/names"; echo "$@" >"{asked}"; cat "{apt.folder}/stanzas"'
    )
    available()
    assert asked.read_text() == f"show --no-all-versions {OLD}\n"


def test_nothing_listed_is_answered_with_the_update_of_the_lists(apt: Apt) -> None:
    apt.offer()
    with pytest.raises(MisuseError, match="apt lists no kernel image") as caught:
        available()
    assert "apt-get update" in caught.value.advice


def test_a_machine_without_apt_is_told_how_to_name_an_image(apt: Apt, monkeypatch: pytest.MonkeyPatch) -> None:
    (apt.folder / "apt-cache").unlink()
    monkeypatch.setenv("PATH", str(apt.folder))
    with pytest.raises(MisuseError, match="there is no apt on this machine") as caught:
        available()
    assert "-k path:" in caught.value.advice


def test_the_last_line_of_a_failed_command_is_told(apt: Apt) -> None:
    apt.program("apt-cache", 'echo "W: old lists" >&2; echo "E: broken lists" >&2; exit 100')
    with pytest.raises(MisuseError, match=r"^apt-cache pkgnames failed: E: broken lists$"):
        available()


def test_the_image_of_a_package_is_fetched(apt: Apt) -> None:
    image = fetch(chosen())
    assert (image.name, image.read_text()) == ("vmlinuz-6.1.0-57", "content of ./boot/vmlinuz-6.1.0-57")


def test_image_and_configuration_are_unpacked_and_the_package_is_kept_for_its_modules(apt: Apt) -> None:
    assert sorted(path.name for path in fetch(chosen()).parent.iterdir()) == ["config-6.1.0-57", "package.deb", "vmlinuz-6.1.0-57"]


MODULES = (
    "./lib/modules/6.1.0-57/kernel/fs/xfs/xfs.ko",
    "./lib/modules/6.1.0-57/modules.builtin",
    "./lib/modules/../../../outside",
    "./lib/other",
)


@pytest.mark.parametrize("prefix", ["./", "./usr/", ""], ids=["Debian", "merged /usr", "no dot"])
def test_the_modules_of_a_fetched_image_are_unpacked_when_asked_for(prefix: str, apt: Apt) -> None:
    apt.archive.write_bytes(deb("./boot/vmlinuz-6.1.0-57", *(name.replace("./", prefix, 1) for name in MODULES)))
    apt.offer((OLD, "1"))
    folder = modules(fetch(chosen()))
    assert folder is not None
    found = {str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file()}
    assert found == {"6.1.0-57/kernel/fs/xfs/xfs.ko", "6.1.0-57/modules.builtin"}


def test_an_image_that_no_package_brought_has_no_modules_of_one(tmp_path: Path) -> None:
    assert modules(tmp_path / "vmlinuz") is None


def test_that_version_is_downloaded_which_was_listed(apt: Apt) -> None:
    fetch(chosen())
    (arguments,) = apt.downloads()
    assert arguments.endswith(f"download {OLD}=6.1.170-1")


def test_a_second_fetch_downloads_nothing(apt: Apt) -> None:
    assert fetch(chosen()) == fetch(chosen())
    assert len(apt.downloads()) == 1


def test_another_package_is_downloaded_for_itself(apt: Apt) -> None:
    assert fetch(chosen(OLD)) != fetch(chosen(NEW))
    assert len(apt.downloads()) == 2


def test_a_download_with_another_checksum_is_refused_and_not_kept(apt: Apt) -> None:
    wanted = chosen()
    apt.archive.write_bytes(deb("./boot/vmlinuz-6.1.0-57"))
    with pytest.raises(MisuseError, match=f"{OLD}: the download's sha256 is "):
        fetch(wanted)
    assert kept() == []


def test_a_failed_download_is_told_and_leaves_nothing(apt: Apt) -> None:
    apt.program("apt-get", 'echo "E: Failed to fetch" >&2; exit 100')
    with pytest.raises(MisuseError, match="apt-get -q failed: E: Failed to fetch"):
        fetch(chosen())
    assert kept() == []


def test_a_failed_download_may_be_tried_again(apt: Apt) -> None:
    working = (apt.folder / "apt-get").read_text()
    apt.program("apt-get", "exit 100")
    with pytest.raises(MisuseError):
        fetch(chosen())
    (apt.folder / "apt-get").write_text(working)
    assert fetch(chosen()).exists()


def test_a_download_of_nothing_is_told(apt: Apt) -> None:
    apt.program("apt-get", "exit 0")
    with pytest.raises(MisuseError, match=f"apt-get downloaded nothing for {OLD}"):
        fetch(chosen())


def test_a_package_without_an_image_is_refused(apt: Apt) -> None:
    apt.archive.write_bytes(deb("./usr/share/doc/linux-image/copyright"))
    apt.offer((OLD, "1"))
    with pytest.raises(MisuseError, match=f"the package {OLD} holds no boot/vmlinuz-"):
        fetch(chosen())


def test_a_package_that_cannot_be_unpacked_is_refused(apt: Apt) -> None:
    apt.program("dpkg-deb", "exit 2")
    with pytest.raises(MisuseError):
        fetch(chosen())


def test_a_missing_apt_get_is_named(apt: Apt, monkeypatch: pytest.MonkeyPatch) -> None:
    wanted = chosen()
    (apt.folder / "apt-get").unlink()
    monkeypatch.setenv("PATH", str(apt.folder))
    with pytest.raises(MisuseError, match="apt-get"):
        fetch(wanted)
