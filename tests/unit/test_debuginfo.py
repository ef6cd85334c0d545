"""Functions of a kernel to their source files, from real ELF files that are built here, whole and damaged."""

from __future__ import annotations

import struct
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kdelta.kernel.debuginfo import sources, tree_paths, usual_places
from kdelta.kernel.dwarf import Unit
from kdelta.model.errors import MisuseError

TREE = {
    "init/main.c": "int ext4_file_read(int); void _start(void) { ext4_file_read(1); }",
    "mm/slub.c": "static __attribute__((noinline)) int init_once(int x) { return x * 3; }\n"
    "int kmem_cache_alloc(int x) { return init_once(x) + 1; }\n"
    '__attribute__((section(".text.unlikely"))) int slab_out_of_memory(int x) { return x; }',
    "fs/ext4/file.c": "int kmem_cache_alloc(int);\nstatic __attribute__((noinline)) int init_once(int x) { return x * 5; }\n"
    "int ext4_file_read(int x) { return kmem_cache_alloc(init_once(x)); }",
    "arch/x86/lib/memset_64.S": ".globl memset_orig\n.type memset_orig, @function\n"
    "__pfx_memset_orig: nop\nmemset_orig: ret\nby_hand: ret\n"
    '.section .note.GNU-stack,"",@progbits\n.data\n.globl no_function\nno_function: .long 1\n',
}
FILES = {
    "_start": "init/main.c",
    "by_hand": "arch/x86/lib/memset_64.S",
    "ext4_file_read": "fs/ext4/file.c",
    "kmem_cache_alloc": "mm/slub.c",
    "memset_orig": "arch/x86/lib/memset_64.S",
    "slab_out_of_memory": "mm/slub.c",
}
"""Of TREE. init_once is in two files."""

INDICES = """
    .section .note.GNU-stack,"",@progbits
    .text
before: nop
f1: nop
f2: nop
f3: nop
f4: nop
f5: nop
f6: nop
after: nop
    .section .debug_abbrev,"",@progbits
    .uleb128 7, 0x34
    .byte 0
    .uleb128 3, 8
    .byte 0, 0
    .uleb128 1, 0x11
    .byte 0
    .uleb128 0x13, 0x21
    .sleb128 -29
    .uleb128 0x72, 0x17, 0x73, 0x17, 0x74, 0x17, 3, 0x25, 0x1b, 0x1a, 0x11, 0x29, 0x55, 0x23, 0x3a, 0x16, 0x3b, 0x0a
    .byte 0, 0, 0
    .section .debug_info,"",@progbits
    .long 2f - 1f
1:  .short 5
    .byte 1, 8
    .long .debug_abbrev
    .uleb128 1
    .long strings, addresses, lists
    .byte 1
    .uleb128 0
    .byte 0
    .uleb128 1
    .byte 0x0b, 77, 2, 0, 0
2:
    .section .debug_str_offsets,"",@progbits
    .long 12
    .short 5, 0
strings: .long folder, name
    .section .debug_str,"",@progbits
folder: .string "/src/linux"
name: .string "/src/linux/mm/slub.c"
    .section .debug_addr,"",@progbits
    .long 52
    .short 5
    .byte 8, 0
addresses: .quad f1, f2, f3, f3, f4, f5
    .section .debug_rnglists,"",@progbits
    .long 2f - 1f
1:  .short 5
    .byte 8, 0
    .long 2
lists: .long none - lists, all - lists
none: .byte 0
all: .byte 4, 0, 1
    .byte 2, 1, 2
    .byte 3, 3, 1
    .byte 1, 4, 4, 0, 1
    .byte 6
    .quad f5, f6
    .byte 5
    .quad before
    .byte 4, 6, 7
    .byte 7
    .quad 0
    .byte 1
    .byte 0
2:
"""
"""One unit with a declaration before its own, attributes that are not needed, and a list of ranges before its own."""

LINK = ("-nostdlib", "-static", "-no-pie", "-Wl,--build-id=0xabcd1234")


def run(folder: Path, *words: str) -> None:
    subprocess.run(words, cwd=folder, check=True, capture_output=True)


def written(folder: Path) -> Path:
    for name, text in TREE.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(f"{text}\n")
    return folder


def built(folder: Path, *options: str, named: Callable[[str], str] = str) -> Path:
    """A kernel of TREE, compiled in `folder` from the files that `named` makes of their names."""
    objects = []
    for name in TREE:
        objects.append(f"{name.rpartition('.')[0]}.o")
        (folder / objects[-1]).parent.mkdir(parents=True, exist_ok=True)
        run(folder, "gcc", "-c", "-O1", *options, "-o", objects[-1], named(name))
    run(folder, "gcc", *LINK, *options, "-o", "vmlinux", *objects)
    return folder / "vmlinux"


@pytest.fixture(scope="module")
def kernel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return built(written(tmp_path_factory.mktemp("tree")), "-gdwarf-5", "-ffunction-sections")


@pytest.mark.parametrize(
    "options",
    [
        pytest.param("-gdwarf-2", id="DWARF 2"),
        pytest.param("-gdwarf-4", id="DWARF 4"),
        pytest.param("-gdwarf-5", id="DWARF 5"),
        pytest.param("-gdwarf-4 -ffunction-sections", id="DWARF 4, several ranges"),
        pytest.param("-gdwarf-5 -ffunction-sections", id="DWARF 5, several ranges"),
        pytest.param("-gdwarf-4 -gdwarf64", id="DWARF 4 of 64 bits"),
        pytest.param("-gdwarf-5 -gdwarf64", id="DWARF 5 of 64 bits"),
        pytest.param("-gdwarf-5 -gz=zlib", id="compressed by zlib"),
        pytest.param("-gdwarf-4 -gz=zlib-gnu", id="compressed as GNU did it"),
        pytest.param("-gdwarf-5 -m32", id="an ELF file of 32 bits"),
    ],
)
def test_a_function_is_of_the_file_that_it_was_compiled_from(tmp_path: Path, options: str) -> None:
    assert sources(built(written(tmp_path), *options.split())) == FILES


def test_sections_may_be_compressed_by_zstd(kernel: Path, tmp_path: Path) -> None:
    done = subprocess.run(["objcopy", "--compress-debug-sections=zstd", kernel, tmp_path / "vmlinux"], capture_output=True)
    if done.returncode:
        pytest.skip("this objcopy has no zstd")
    assert sources(tmp_path / "vmlinux") == FILES


@pytest.mark.parametrize("version", ["-gdwarf-4", "-gdwarf-5"])
def test_a_unit_whose_information_is_in_another_file_still_names_its_source(tmp_path: Path, version: str) -> None:
    found = sources(built(written(tmp_path), version, "-gsplit-dwarf"))
    assert (found["kmem_cache_alloc"], found["ext4_file_read"]) == ("mm/slub.c", "fs/ext4/file.c")


def test_names_addresses_and_ranges_may_be_indices(tmp_path: Path) -> None:
    """As Clang writes DWARF 5; each function is in a range of another kind, but for the first and the last."""
    (tmp_path / "indices.S").write_text(INDICES)
    run(tmp_path, "gcc", *LINK, "-Wl,-e,before", "-o", "vmlinux", "indices.S")
    assert sources(tmp_path / "vmlinux") == dict.fromkeys(("f1", "f2", "f3", "f4", "f5", "f6"), "mm/slub.c")


# ---- paths ----


def test_absolute_paths_are_cut_to_the_tree(tmp_path: Path) -> None:
    assert sources(built(written(tmp_path), "-g", named=lambda name: str(tmp_path / name))) == FILES


def test_paths_out_of_a_folder_for_the_build_lead_to_the_tree(tmp_path: Path) -> None:
    (tmp_path / "build").mkdir()
    written(tmp_path)
    assert sources(built(tmp_path / "build", "-g", named=lambda name: f"../{name}")) == FILES


@pytest.mark.parametrize(
    ("units", "paths"),
    [
        pytest.param([("mm/slub.c", "/src")], ["mm/slub.c"], id="relative"),
        pytest.param([("./mm/../mm/slub.c", "")], ["mm/slub.c"], id="with detours"),
        pytest.param([("/a/linux/mm/slub.c", "/a/linux")], ["mm/slub.c"], id="where the compiler ran"),
        pytest.param([("/a/linux/mm/slub.c", "/b"), ("/a/linux/fs/open.c", "/b")], ["mm/slub.c", "fs/open.c"], id="in common"),
        pytest.param(
            [("/a/init/main.c", "/a/mm"), ("/a/mm/slub.c", "/a/mm")], ["init/main.c", "mm/slub.c"], id="above init/main.c"
        ),
        pytest.param(
            [("/a/linux/arch/x86/lib/memset.S", "/a/linux/out"), ("arch/x86/lib/delay.c", "out"), ("lib/string.c", "out")],
            ["arch/x86/lib/memset.S", "arch/x86/lib/delay.c", "lib/string.c"],
            id="assembly alone is absolute",
        ),
        pytest.param([("/other/x.c", "/a"), ("/a/init/main.c", "")], ["/other/x.c", "init/main.c"], id="outside of the tree"),
        pytest.param([], [], id="none"),
    ],
)
def test_a_path_is_relative_to_the_top_of_the_tree(units: list[tuple[str, str]], paths: list[str]) -> None:
    assert tree_paths([Unit(name, folder, ()) for name, folder in units]) == paths


# ---- where it is ----


def test_the_usual_places_of_a_release() -> None:
    places = [str(place) for place in usual_places("6.12.1")]
    assert places[:3] == [
        "/usr/lib/debug/boot/vmlinux-6.12.1",
        "/usr/lib/debug/lib/modules/6.12.1/vmlinux",
        "/lib/modules/6.12.1/build/vmlinux",
    ]


@pytest.mark.parametrize("release", ["", "../../etc", "a/b"])
def test_what_is_no_release_has_no_places(release: str) -> None:
    assert usual_places(release) == []


def test_the_file_that_a_link_names_is_read(kernel: Path, tmp_path: Path) -> None:
    (tmp_path / ".debug").mkdir()
    run(tmp_path, "objcopy", "--only-keep-debug", str(kernel), ".debug/info.debug")
    run(tmp_path, "objcopy", "--strip-debug", "--add-gnu-debuglink=.debug/info.debug", str(kernel), "vmlinux")
    assert sources(tmp_path / "vmlinux") == FILES


def test_the_file_beside_it_is_read(kernel: Path, tmp_path: Path) -> None:
    run(tmp_path, "objcopy", "--only-keep-debug", str(kernel), "vmlinux.debug")
    run(tmp_path, "objcopy", "--strip-all", str(kernel), "vmlinux")
    assert sources(tmp_path / "vmlinux") == sources(tmp_path / "vmlinux.debug") == FILES


def test_the_kernel_that_is_asked_for_is_read(kernel: Path) -> None:
    assert sources(kernel, "abcd1234") == FILES


def test_another_kernel_is_refused(kernel: Path) -> None:
    with pytest.raises(MisuseError, match="another kernel's: its build id is abcd1234"):
        sources(kernel, "ffff")


# ---- files that are no use ----


def test_a_kernel_without_debug_information_is_refused(kernel: Path, tmp_path: Path) -> None:
    run(tmp_path, "objcopy", "--strip-debug", str(kernel), "vmlinux")
    with pytest.raises(MisuseError, match="no debug information") as error:
        sources(tmp_path / "vmlinux")
    assert "CONFIG_DEBUG_INFO" in error.value.advice


def test_a_file_that_is_not_linked_is_refused(kernel: Path) -> None:
    with pytest.raises(MisuseError, match="not linked"):
        sources(kernel.with_name("mm") / "slub.o")


@pytest.mark.parametrize("content", [b"", b"MZ", b"\x7fELF", b"\x7fELF" + b"\xff" * 60, bytes(4096)])
def test_what_is_no_elf_file_is_refused(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "vmlinux").write_bytes(content)
    with pytest.raises(MisuseError, match="it is no ELF file"):
        sources(tmp_path / "vmlinux")


@pytest.mark.parametrize("name", ["missing", "."])
def test_what_cannot_be_read_is_said(tmp_path: Path, name: str) -> None:
    with pytest.raises(MisuseError, match="cannot be read"):
        sources(tmp_path / name)


def test_a_section_is_not_decompressed_without_end(kernel: Path, tmp_path: Path) -> None:
    run(tmp_path, "objcopy", "--compress-debug-sections=zlib", str(kernel), "vmlinux")
    content = (tmp_path / "vmlinux").read_bytes()
    head = content.index(struct.pack("<IIQ", 1, 0, section_size(kernel, ".debug_info")))
    (tmp_path / "vmlinux").write_bytes(content[: head + 8] + struct.pack("<Q", 1 << 40) + content[head + 16 :])
    with pytest.raises(MisuseError, match="are the most that is read"):
        sources(tmp_path / "vmlinux")


def test_units_without_end_are_refused(tmp_path: Path) -> None:
    units = ".rept 66000\n.long 8\n.short 4\n.long 0\n.byte 8, 0\n.endr"
    (tmp_path / "many.S").write_text(
        f'f: nop\n.section .debug_abbrev,"",@progbits\n.byte 0\n.section .debug_info,"",@progbits\n{units}\n'
    )
    run(tmp_path, "gcc", *LINK, "-Wl,-e,f", "-o", "vmlinux", "many.S")
    with pytest.raises(MisuseError, match="more than 65,536 units"):
        sources(tmp_path / "vmlinux")


def section_size(path: Path, name: str) -> int:
    text = subprocess.run(["readelf", "-SW", path], check=True, capture_output=True, text=True).stdout
    line = next(line for line in text.splitlines() if f" {name} " in line)
    return int(line.split("]")[1].split()[4], 16)


@pytest.fixture(scope="module")
def scratch(kernel: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[bytes, Path]:
    """A kernel's bytes, and where a damaged one may be written."""
    return kernel.read_bytes(), tmp_path_factory.mktemp("scratch") / "vmlinux"


def read(content: bytes, path: Path) -> None:
    """Whatever is read, it is in one of the two ways that the caller knows of."""
    path.write_bytes(content)
    try:
        found = sources(path)
    except MisuseError:
        return
    assert all(isinstance(file, str) for file in found.values())


@settings(max_examples=200)
@given(share=st.floats(0.0, 1.0))
def test_a_file_that_was_cut_off_is_refused_or_read(scratch: tuple[bytes, Path], share: float) -> None:
    content, path = scratch
    read(content[: int(share * len(content))], path)


@settings(max_examples=300)
@given(places=st.lists(st.tuples(st.floats(0.0, 0.999), st.integers(0, 255)), min_size=1, max_size=8))
def test_a_damaged_file_is_refused_or_read(scratch: tuple[bytes, Path], places: list[tuple[float, int]]) -> None:
    content, path = bytearray(scratch[0]), scratch[1]
    for share, value in places:
        content[int(share * len(content))] = value
    read(bytes(content), path)
