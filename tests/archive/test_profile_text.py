"""Texts that are a profile with call chains, read."""

from __future__ import annotations

import pytest
from tests.archive.reading import blocks

from kdelta.archive.profile_text import READER

SCRIPT = """\
dd 29776 666709.771979:   10101010 cpu-clock:
\t          2d0c00 __srcu_read_unlock (/lib/modules/4.1.0/build/vmlinux)
\t          3d6c4f sys_write (/lib/modules/4.1.0/build/vmlinux)
\t           e5fd0 write (/lib/x86_64-linux-gnu/libc-2.15.so)
\t               0 [unknown] ([unknown])

CUPSManager cup 11320 666709.782078:   10101010 cpu-clock:
\t          2d0bfc __srcu_read_unlock (/lib/modules/4.1.0/build/vmlinux)
\t          3d6c4f sys_write (/lib/modules/4.1.0/build/vmlinux)

dd 29776 666709.852785:   10101010 cpu-clock:
\t            31ef [unknown] (/bin/dd)

f  9566 [001] 18490161.191157: mm_pagevec_free: page=0xffffea00269631d0 pfn=647377360 order=0
"""
JAVA = """\
java 19983 cycles:
ffffffff8103d0ca native_write_msr_safe ([kernel.kallsyms])
7f722d119786 Ljava/io/FileOutputStream;::writeBytes (/tmp/perf-19982.map)
7f72421d2d76 JavaCalls::call_helper(JavaValue, methodHandle, Thread) (/usr/lib/server/libjvm.so)
"""
FOLDED = "dd;write;sys_write;vfs_write 3\ndd;write;sys_write 1\ndd;read;sys_read 2\n"


def counts(written: str) -> dict[str, float]:
    (block,) = blocks(READER, written)
    return {row.name: row.count.value for row in block.listings[0].rows}


def test_a_sample_counts_for_the_function_that_was_executing() -> None:
    assert counts(SCRIPT) == {"__srcu_read_unlock": 2.0, "[unknown] (dd)": 1.0}


def test_samples_of_another_event_are_left_out_and_said() -> None:
    (block,) = blocks(READER, SCRIPT)
    assert block.facts == {"event": "cpu-clock"}
    assert any("mm_pagevec_free (1)" in remark.text for remark in block.remarks)


def test_names_may_hold_parentheses_and_semicolons() -> None:
    assert counts(JAVA) == {"native_write_msr_safe": 1.0}
    assert counts("\n".join([JAVA.splitlines()[0], *JAVA.splitlines()[2:], "", *JAVA.splitlines()])) == {
        "Ljava/io/FileOutputStream:::writeBytes (perf-19982.map)": 1.0,
        "native_write_msr_safe": 1.0,
    }


def test_folded_chains_are_counted_by_their_last_function() -> None:
    (block,) = blocks(READER, FOLDED)
    assert counts(FOLDED) == {"vfs_write": 3.0, "sys_read": 2.0, "sys_write": 1.0}
    assert block.listings[0].total is not None
    assert block.listings[0].total.count.value == 6.0


def test_two_counts_on_each_line_are_two_profiles() -> None:
    (block,) = blocks(READER, "a;b;c 3 4\na;b 1 0\na;d 2 9\n")
    old, new = block.listings
    assert [(one.new, {row.name: row.count.value for row in one.rows}) for one in (old, new)] == [
        ("old", {"c": 3.0, "d": 2.0, "b": 1.0}),
        ("new", {"d": 9.0, "c": 4.0}),
    ]


def test_the_place_is_that_of_the_text() -> None:
    row = blocks(READER, SCRIPT)[0].listings[0].rows[0]
    assert (row.count.line, row.count.column) == (1, 0)


@pytest.mark.parametrize(
    "written",
    [
        "time;commit;metric1\n2021.01.01 3:00:00 +0100;154023;10.43\n2021.01.02 3:00:00 +0100;154024;10.23\n",
        "int main(void) { return 0; }\nint a; int b = 1\n",
        "Call Trace:\n [<c0108bb0>] default_idle+0x0/0x40\n c0108bb0 seen (/proc/kallsyms)\n",
        "lmbench;\nfork 12\nexec 13\n",
        "a;b 1\na;c 2\nfork 12\nexec 13\nsh 14\n",
    ],
)
def test_other_texts_are_no_profile(written: str) -> None:
    assert blocks(READER, written) == []
