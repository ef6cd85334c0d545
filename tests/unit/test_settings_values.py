"""What files of the kernel say, what a variant's changes are, and how a file system is made: values alone."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kdelta.box.settings import change, maker
from kdelta.box.settings.change import Bind, Commands, DropCaches, FileSystem, Group, Online, Write, changes, sysctl_path
from kdelta.box.settings.errors import RefusedError
from kdelta.box.settings.filesystem import is_shown
from kdelta.box.settings.mounts import below, unescaped
from kdelta.box.settings.value import agrees, same, value_of
from kdelta.model.variant import Mount, Variant


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("60\n", "60"),
        ("always [madvise] never\n", "madvise"),
        ("[none]\n", "none"),
        ("4\t4\t1\t7\n", "4\t4\t1\t7"),
        ("a [b] [c]\n", "a [b] [c]"),
        ("one [line]\nand another\n", "one [line]\nand another"),
        ("\n", ""),
    ],
)
def test_what_is_written_back_is_the_text_or_the_chosen_word(text: str, value: str) -> None:
    assert value_of(text) == value


@pytest.mark.parametrize(("wanted", "found"), [("4 4 1 7", "4\t4\t1\t7"), (" 1 ", "1"), ("1", "Y"), ("0", "N"), ("", "")])
def test_white_space_does_not_make_a_difference(wanted: str, found: str) -> None:
    assert same(wanted, found)


@pytest.mark.parametrize(("wanted", "found"), [("1", "10"), ("1", "N"), ("512M", "536870912"), ("0-1", "0,1")])
def test_a_setting_is_what_was_written_and_nothing_like_it(wanted: str, found: str) -> None:
    assert not same(wanted, found)


@pytest.mark.parametrize(
    ("wanted", "found"),
    [
        ("512M", "536870912"),
        ("0,1", "0-1"),
        ("50000", "50000 100000"),
        ("8:0 wiops=120", "8:0 rbps=max wbps=max riops=max wiops=120"),
        ("max", "max"),
    ],
)
def test_a_control_group_may_show_more_than_was_written(wanted: str, found: str) -> None:
    assert agrees(wanted, found)


@pytest.mark.parametrize(("wanted", "found"), [("1000000", "999424"), ("0-1", "0"), ("50000", "max 100000"), ("", "0-1")])
def test_a_control_group_may_not_show_something_else(wanted: str, found: str) -> None:
    assert not agrees(wanted, found)


@pytest.mark.parametrize(
    ("name", "path"),
    [
        ("vm.swappiness", "vm/swappiness"),
        ("net.ipv4.conf.eth0/7.forwarding", "net/ipv4/conf/eth0.7/forwarding"),
        ("net/ipv4/conf/eth0.7/forwarding", "net/ipv4/conf/eth0.7/forwarding"),
        ("swappiness", "swappiness"),
    ],
)
def test_the_first_separator_of_a_sysctl_decides(name: str, path: str) -> None:
    assert sysctl_path(name) == f"/proc/sys/{path}"


@given(st.text())
def test_any_text_has_a_value(text: str) -> None:
    assert same(value_of(text), value_of(text))


@given(st.text(alphabet="0123456789max:=kM, -\n"), st.text(alphabet="0123456789max:=kM, -\n"))
def test_any_two_texts_can_be_compared(wanted: str, found: str) -> None:
    assert agrees(wanted, found) in (True, False)


def test_a_variant_without_settings_changes_nothing() -> None:
    assert changes(Variant(name="a", kernel="running")) == ()


def test_the_changes_of_a_variant_are_in_the_order_in_which_they_are_made() -> None:
    mount = Mount(type="ext4")
    variant = Variant(
        name="a",
        kernel="running",
        sysctl={"vm.swappiness": "10"},
        file={"/sys/x": "1"},
        bind="0",
        online="0-1",
        cgroup={"cpu.max": "1 2"},
        mount=mount,
        setup="a",
    )
    assert changes(variant, drop_caches=True) == (
        Online(frozenset({0, 1})),
        Write("sysctl", "vm.swappiness", "/proc/sys/vm/swappiness", "10"),
        Write("file", "/sys/x", "/sys/x", "1"),
        Group((("cpu.max", "1 2"),)),
        FileSystem(mount),
        Commands("a", ""),
        Bind(frozenset({0})),
        DropCaches(),
    )


@pytest.mark.parametrize("key", ["online", "bind"])
def test_what_is_no_list_of_cpus_is_refused(key: str) -> None:
    variant = Variant(name="a", kernel="running", online="x" if key == "online" else "", bind="x" if key == "bind" else "")
    with pytest.raises(RefusedError, match=f"`{key}`: 'x' is no list of CPUs"):
        change.changes(variant)


@pytest.mark.parametrize(
    ("mount", "command"),
    [
        (
            Mount(type="ext4", mkfs="-b 1024 -E stride=4"),
            f"mkfs.ext4 -q -F -U {maker.FIXED} -E "
            f"lazy_itable_init=0,lazy_journal_init=0,hash_seed={maker.FIXED},nodiscard,stride=4 -b 1024 T",
        ),
        (
            Mount(type="ext2", device="/dev/sdb"),
            f"mkfs.ext2 -q -F -U {maker.FIXED} -E lazy_itable_init=0,lazy_journal_init=0,hash_seed={maker.FIXED} T",
        ),
        (Mount(type="xfs", mkfs="-m crc=0"), f"mkfs.xfs -q -f -m uuid={maker.FIXED} -K -m crc=0 T"),
        (Mount(type="xfs", device="/dev/sdb"), f"mkfs.xfs -q -f -m uuid={maker.FIXED} T"),
    ],
    ids=lambda value: value.type if isinstance(value, Mount) else "",
)
def test_a_file_system_is_made_the_same_each_time(mount: Mount, command: str) -> None:
    assert maker.command(mount, "T") == command.split()


def test_btrfs_gets_another_uuid_each_time_that_is_still_known_as_ours() -> None:
    first, second = (maker.command(Mount(type="btrfs"), "T") for _ in range(2))
    assert first != second
    assert all(words[4].startswith(maker.OURS) and len(words[4]) == len(maker.FIXED) for words in (first, second))


def test_a_file_system_that_kdelta_cannot_make_names_those_that_it_can() -> None:
    with pytest.raises(RefusedError, match="there is no file system 'ext5'") as error:
        maker.command(Mount(type="ext5"), "T")
    assert error.value.advice.startswith("did you mean 'ext")


@pytest.mark.parametrize(
    ("option", "shown", "holds"),
    [
        ("noatime", ("rw", "noatime"), True),
        ("noatime", ("rw", "relatime"), False),
        ("data=journal", ("rw", "data=journal"), True),
        ("data=journal", ("rw", "data=ordered"), False),
        ("data=ordered", ("rw",), True),
        ("compress=zstd", ("rw", "compress=zstd:3"), True),
        ("compress=zstd:3", ("rw", "compress=zstd:3"), True),
        ("size=1m", ("rw", "size=1024k"), True),
        ("barrier", ("rw",), True),
    ],
)
def test_an_option_holds_unless_the_kernel_shows_another(option: str, shown: tuple[str, ...], holds: bool) -> None:
    assert is_shown(option, shown) is holds


def test_a_name_with_white_space_is_read_as_the_kernel_writes_it() -> None:
    assert unescaped(r"/a\040b\134c") == r"/a b\c"


@pytest.mark.parametrize(("path", "inside"), [("/a/b", True), ("/a", True), ("/ab", False), ("/", False)])
def test_below_is_a_matter_of_whole_names(path: str, inside: bool) -> None:
    assert below(path, "/a") is inside
