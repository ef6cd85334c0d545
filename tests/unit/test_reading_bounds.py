"""Names of functions, and lines and counts in bounded memory."""

from __future__ import annotations

import io
import itertools
import tracemalloc

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kdelta.profile.readers import diffprofile_text, folded, naming, oprofile, perf_diff, perf_report, perf_script, readprofile
from kdelta.profile.readers.lines import CHUNK, LONGEST, Lines, unquoted
from kdelta.profile.readers.reading import FORMATS
from kdelta.profile.readers.tally import OTHER, Room, Tally, renamed

PLACES = {
    "[kernel.kallsyms]": "f",
    "[kernel.kallsyms]_stext": "f",
    "[kernel.kallsyms].head.text": "f",
    "[kernel.vmlinux]": "f",
    "[kernel]": "f",
    "/usr/lib/debug/boot/vmlinux-6.12.0+deb13-amd64": "f",
    "/lib/modules/6.1.0/build/vmlinux": "f",
    "/root/.debug/[kernel.kallsyms]/a3e4cd60": "f",
    "/proc/kcore": "f",
    "[guest.kernel.kallsyms]": "f [guest.kernel]",
    "[guest.kernel.kallsyms.1234]": "f [guest.kernel]",
    "[ext4]": "f [ext4]",
    "[nf_conntrack].init.text": "f [nf_conntrack]",
    "/lib/modules/6.12.0/kernel/fs/ext4/ext4.ko": "f [ext4]",
    "/lib/modules/6.12.0/kernel/net/nf-conntrack.ko.xz": "f [nf_conntrack]",
    "bpf_prog_6deef7357e7b4530": "f [bpf]",
    "[vdso]": "f ([vdso])",
    "[heap]": "f ([heap])",
    "[JIT] tid 5806": "f ([JIT] tid 5806)",
    "//anon": "f (anon)",
    "/usr/lib/x86_64-linux-gnu/libc.so.6": "f (libc.so.6)",
    "/memfd:sealed (deleted)": "f (memfd:sealed)",
    "/tmp/a;b": "f (a:b)",
    "[unknown]": "f ([unknown])",
    "": "f ([unknown])",
}


@pytest.mark.parametrize(("file", "name"), PLACES.items())
def test_a_function_carries_the_place_it_is_in(file: str, name: str) -> None:
    assert naming.function("f", naming.place(file)) == name
    assert naming.place_of(name) == name[1:]


SYMBOLS = {
    "f+0x12": "f",
    "f.isra.0+0x1f": "f.isra.0",
    "__pfx_f": "f",
    "__cfi_f": "f",
    "__pfx_": "__pfx_",
    "0xffffffff81000000": "[unknown]",
    "ffffffff81000000": "[unknown]",
    "": "[unknown]",
    "a;b": "a:b",
    "user_alpha2\t[cfg80211]": "user_alpha2 [cfg80211]",
    "a\x1b[1mb\u202e": "a?[1mb?",
}


@pytest.mark.parametrize(("symbol", "name"), SYMBOLS.items())
def test_a_symbol_becomes_a_name_on_one_line(symbol: str, name: str) -> None:
    assert naming.function(symbol, "") == name


def test_padding_is_the_kernels_alone() -> None:
    assert naming.function("__pfx_f", " (a.out)") == "__pfx_f (a.out)"


@pytest.mark.parametrize("line", ["> a", ">> a", "> > a", ">a", "a"])
def test_the_marks_of_a_quotation_are_no_part_of_a_line(line: str) -> None:
    assert unquoted(line) == "a"


@given(st.lists(st.text(st.characters(exclude_characters="\n\r", exclude_categories=["Cs"]), max_size=9)), st.integers(1, 20))
def test_lines_may_come_in_any_pieces(texts: list[str], size: int) -> None:
    whole = "".join(f"{text}\n" for text in texts).encode()
    pieces = [whole[start : start + size] for start in range(0, len(whole), size)]
    assert list(Lines(pieces).each()) == list(Lines(io.BytesIO(whole)).each()) == list(Lines(texts).each()) == texts


@pytest.mark.parametrize("length", [LONGEST - 1, LONGEST, LONGEST + 1, 3 * LONGEST])
def test_a_long_line_is_read_up_to_a_bound(length: int) -> None:
    lines = Lines(io.BytesIO(b"a\n" + b"x" * length + b"\nb\n"))
    assert list(map(len, lines.each())) == [1, min(length, LONGEST), 1]
    assert lines.cut == (length > LONGEST)


def endless() -> itertools.repeat[bytes]:
    return itertools.repeat(b"x" * CHUNK, 40)


@pytest.mark.parametrize("form", FORMATS, ids=lambda form: form.name)
def test_a_line_without_end_takes_bounded_memory(form: object) -> None:
    tracemalloc.start()
    found = next(one for one in FORMATS if one is form).read(endless())
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 20 * CHUNK
    assert found.doubts[-1] == "of 1 longer lines only the first 1,048,576 bytes are read"


def test_chains_beyond_a_bound_are_counted_together() -> None:
    tally = Tally(Room(most=2))
    for chain in ("a", "b", "c", "a", "d", "b"):
        tally.add(chain, 10)
    assert tally.result() == {"a": 20, "b": 20, OTHER: 20}
    assert tally.doubts()[0].endswith("what came under others, 33.3 % of all, is counted as [other]")


def test_chains_are_bounded_by_their_length_too() -> None:
    tally = Tally(Room(characters=10))
    for chain in ("aaaa", "bbbbbbbb", "cccc", "d"):
        tally.add(chain, 1)
    assert tally.result() == {"aaaa": 1, "cccc": 1, "d": 1, OTHER: 1}


@given(st.lists(st.tuples(st.sampled_from(["a", "b", "c", OTHER]), st.integers(0, 9))), st.integers(0, 4))
def test_a_tally_loses_no_count(added: list[tuple[str, int]], most: int) -> None:
    tally = Tally(Room(most=most))
    for chain, count in added:
        tally.add(chain, count)
    assert sum(tally.result().values()) == sum(count for _, count in added)


def test_counts_under_one_new_name_are_added_up() -> None:
    assert renamed({"a": 1, "b": 2}, lambda _: "c") == {"c": 3}


DIFF = ("# Baseline  Delta  Symbol", "# ........  .....  ......")
LONG = "g" * 2000
GARBAGE = {
    "symbols": (readprofile.read, lambda n: f"{n} f{LONG}{n}"),
    "chains": (folded.read, lambda n: f"f{n};{LONG} {n}"),
    "frames": (perf_script.read, lambda n: f"\t{n:x} f{LONG}{n} (/bin/{n})"),
    "samples": (perf_script.read, lambda n: f"c{LONG}{n} {n} [000] {n}.000001: 1 e{LONG}{n % 100}: "),
    "images": (oprofile.read, lambda n: f"{n} 1.0 f{LONG}{n}" if n else "samples % symbol name"),
    "rows": (perf_report.read, lambda n: f"    1.00%  x{n}  [.] f{LONG}{n}"),
    "chains of a row": (perf_report.read, lambda n: f"1.00% f;{LONG}{n}" if n else "    1.00%  [k] f"),
    "events": (perf_report.read, lambda n: f"# Samples: 1  of event '{LONG}{n}'"),
    "differences": (diffprofile_text.read, lambda n: f"  {n} 1.0% f{LONG}{n}"),
    "shares": (perf_diff.read, lambda n: f"  1.0%  1.0%  [k] f{LONG}{n}" if n > 1 else DIFF[n]),
}


@pytest.mark.parametrize("kind", GARBAGE)
def test_garbage_of_any_size_is_read_in_bounded_memory(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(perf_report, "MOST_CHARACTERS_OF_ROW", 1 << 19)
    monkeypatch.setattr(Room.__init__, "__defaults__", (1000, 1 << 19))
    read, line = GARBAGE[kind]
    tracemalloc.start()
    read(map(line, range(6000)))
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 10 * CHUNK
