"""The reader of what `perf script` prints."""

from __future__ import annotations

import io
import itertools
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kdelta.profile import chains
from kdelta.profile.readers import frames, perf_script
from kdelta.profile.readers.naming import HIDDEN_DOUBT
from kdelta.profile.readers.reading import Reading

DD = (Path(__file__).parent / "profiles" / "dd.script.txt").read_bytes()
HEADER = "dd 29776 [000] 666709.771979:   10101010 cpu-clock: "
KERNEL = "[kernel.kallsyms]"


def read(*lines: str) -> Reading:
    return perf_script.read(lines)


def sample(*frames_of_it: str, header: str = HEADER) -> list[str]:
    return [header, *(f"\t{frame}" for frame in frames_of_it), ""]


def counted(*lines: str) -> dict[str, int]:
    return read(*lines).stacks


def doubts(*lines: str) -> str:
    return "\n".join(read(*lines).doubts)


HEADERS = {
    "dd 29776 666709.771979:   10101010 cpu-clock: ": "cpu-clock",
    "dd 29776 666709.771979: cpu-clock: ": "cpu-clock",
    "dd 29776/29777 [003] 666709.771979123:   10101010 cycles:ppp: ": "cycles:ppp",
    "DOM Worker 21528 [003] 609678.457663: cycles: ": "cycles",
    "kworker/0:1-ev 12 345 [001] 1.000000: 7 cycles: ": "cycles",
    "nginx: worker p 123 [000] 12.300000: 1 cycles:u: ": "cycles:u",
    "dd 29776 [000] KH 666709.771979: 1 raw 0x1a8: ": "raw 0x1a8",
    "   dd -1 1.000000: 1 cpu_core/cycles/: ": "cpu_core/cycles/",
    "dd 29776 1.000000: sched:sched_switch: prev_comm=dd prev_pid=1 ==> next_comm=x: y next_pid=0": "sched:sched_switch",
    "java 19983 cycles:": "cycles",
    "java 19983 1.000000: ": "",
    "1.000000: cycles: ": "cycles",
    "cycles: ": "cycles",
}


@pytest.mark.parametrize(("header", "event"), HEADERS.items())
def test_a_sample_is_of_the_event_of_its_header(header: str, event: str) -> None:
    reading = read(*sample(f"ffffffff81000010 vfs_read+0x10 ({KERNEL})", header=header))
    assert (reading.event, reading.stacks) == (event, {"vfs_read": 1})


@pytest.mark.parametrize("header", ["dd ", "  ", "", "dd-worker "])
def test_frames_without_a_header_are_a_sample(header: str) -> None:
    assert counted(*2 * sample(f"ffffffff81000010 vfs_read ({KERNEL})", header=header)) == {"vfs_read": 2}


def test_frames_whose_header_was_cut_off_are_left_out_beside_samples() -> None:
    lines = ["\tffffffff81000010 do_syscall_64 ([kernel.kallsyms])", "", *sample(f"ffffffff81000010 vfs_read ({KERNEL})")]
    assert (counted(*lines), "no line of their own: 1" in doubts(*lines)) == ({"vfs_read": 1}, True)


FRAMES = {
    f"ffffffff81700322 __d_lookup_rcu+0x32 ({KERNEL})": "__d_lookup_rcu",
    "          968f6e system_call (/lib/modules/4.1.0-virtual/build/vmlinux)": "system_call",
    "ffffffffc0a31040 ext4_readdir+0x40 ([ext4])": "ext4_readdir [ext4]",
    "ffffffffc0a31040 f ([unknown])": "f",
    "ffffffffc0a31040 [unknown] ([unknown])": "[unknown]",
    "           e5f70 read+0x10 (/lib/x86_64-linux-gnu/libc-2.15.so)": "read (libc-2.15.so)",
    "          2b20e5 [unknown] (/usr/lib64/libphp5.so)": "[unknown] (libphp5.so)",
    "    7f2eb2b31c2c [unknown] ([unknown])": "[unknown] ([unknown])",
    "1 f(int, void (*)(char)) const+0xff (/opt/My App (x86)/lib (1).so)": "f(int, void (*)(char)) const (lib (1).so)",
    "1 operator() (/usr/lib/libx.so (deleted))": "operator() (libx.so)",
    "9c51fd34 java.lang.String.hashCode ([JIT app cache])": "java.lang.String.hashCode ([JIT app cache])",
    "1 Lorg/Foo;::bar (/tmp/perf-12.map)": "Lorg/Foo:::bar (perf-12.map)",
    "1 f (/a)b/c)": "f (c)",
    "ffffffff81700322 vfs_read": "vfs_read",
    "f786a __GI___fstatat64": "__GI___fstatat64 ([unknown])",
    f"ffffffff81700322 ({KERNEL})": "[unknown]",
    "f786a (/usr/lib/libc.so.6)": "[unknown] (libc.so.6)",
    "ffffffff81700322": "[unknown]",
}


@pytest.mark.parametrize(("frame", "name"), FRAMES.items())
def test_a_frame_is_called_by_its_symbol_and_its_file(frame: str, name: str) -> None:
    assert counted(*sample(frame, f"ffffffff81000010 named ({KERNEL})")) == {f"named;{name}": 1}


def test_a_frame_behind_the_header_is_the_whole_chain() -> None:
    lines = [
        f"  dd 1 1.000000: 25 cycles:  ffffffff81700322 vfs_read+0x1 ({KERNEL})",
        "  dd 1 2.000000: 25 cycles:  7f1 f (/bin/dd)",
    ]
    assert counted(*lines) == {"vfs_read": 1, "[unknown] (dd)": 1}


def test_periods_are_added_up_beside_the_samples() -> None:
    reading = read(*2 * sample(f"ffffffff81000010 vfs_read ({KERNEL})"))
    assert (reading.samples, reading.periods) == (2, 20202020)


def test_the_text_of_a_tracepoint_is_no_frame() -> None:
    assert counted("dd 1 1.000000: ev: add (x) 12: 3", "dd 1 1.000000: ev: 0 (x)", "") == {"[unknown] (dd)": 2}


OUTER = {
    "0 [unknown] ([unknown])": "vfs_read",
    "246 [unknown] ([unknown])": "vfs_read",
    "2b5e1de3f698 [unknown] ([unknown])": "[unknown] ([unknown]);vfs_read",
    "246 [unknown] (/bin/dd)": "[unknown] (dd);vfs_read",
    "246 main ([unknown])": "main ([unknown]);vfs_read",
}


@pytest.mark.parametrize(("frame", "chain"), OUTER.items())
def test_outer_frames_where_no_code_can_be_are_dropped(frame: str, chain: str) -> None:
    assert counted(*sample(f"ffffffff81000010 vfs_read ({KERNEL})", frame, "0 [unknown] ([unknown])")) == {chain: 1}


def test_only_outer_frames_are_dropped_and_never_the_innermost() -> None:
    nowhere = "0 [unknown] ([unknown])"
    assert counted(*sample(nowhere, f"ffffffff81000010 vfs_read ({KERNEL})", nowhere)) == {"vfs_read;[unknown] ([unknown])": 1}
    assert counted(*sample(nowhere, nowhere)) == {"[unknown] ([unknown])": 1}


def test_a_sample_without_frames_counts_under_its_command() -> None:
    lines = ["DOM Worker 21528 [003] 609678.457663: cycles: ", "", *sample("1 f (/bin/dd)", header="x 1 1.0: cycles: ")]
    assert counted(*lines) == {"[unknown] (DOM Worker)": 1, "f (dd)": 1}
    assert "without frames are counted as [unknown] (comm): 1" in doubts(*lines)


def test_events_are_never_added_up() -> None:
    lines = [*sample("1 f (/bin/dd)"), *2 * sample("1 g (/bin/dd)", header="dd 1 1.000000: 9 cycles: ")]
    reading = read(*lines)
    assert (reading.stacks, reading.periods) == ({"f (dd)": 1}, 10101010)
    assert reading.doubts == ("only the samples of cpu-clock are counted, not those of cycles (2)",)


def test_events_beyond_a_bound_are_told_together() -> None:
    lines = [line for number in range(100) for line in sample("1 f (/bin/dd)", header=f"dd 1 1.000000: ev{number}: ")]
    assert doubts(*lines).endswith("ev64 (1), others (35)")


def test_a_repeated_frame_stays() -> None:
    frame = f"ffffff9c807ad35c __schedule ({KERNEL})"
    assert counted(*sample(frame, frame)) == {"__schedule;__schedule": 1}


def test_functions_that_were_inlined_are_in_the_file_of_their_caller() -> None:
    lines = sample(
        "1 a (inlined)", "1 b (/bin/dd)", "1 c (inlined)", f"ffffffff81000010 d ({KERNEL})", "1 e (inlined)", "1 f ([ext4])"
    )
    assert counted(*lines) == {"f [ext4];e [ext4];d;c;b (dd);a (dd)": 1}
    assert "were inlined, which other texts may not tell apart (--no-inline): 1" in doubts(*lines)


HIDDEN = {
    "no names": ("ffffffff81000010 [unknown] ([kernel.kallsyms])", "ffffffff81000020 [unknown] ([unknown])"),
    "no addresses": ("0 vfs_read ([kernel.kallsyms])", "0 ext4_readdir ([ext4])"),
}


@pytest.mark.parametrize("kind", HIDDEN)
def test_a_kernel_whose_addresses_are_hidden_has_no_false_names(kind: str) -> None:
    lines = sample(*HIDDEN[kind], "1 f (/bin/dd)")
    assert counted(*lines) == {"f (dd);[kernel];[kernel]": 1}
    assert read(*lines).doubts == (HIDDEN_DOUBT,)


def test_one_named_function_of_the_kernel_shows_that_nothing_is_hidden() -> None:
    lines = [*sample(HIDDEN["no names"][0]), *sample(f"ffffffff81000010 vfs_read ({KERNEL})")]
    assert (counted(*lines), doubts(*lines)) == ({"[unknown]": 1, "vfs_read": 1}, "")


def test_lines_of_the_recording_are_no_samples() -> None:
    lines = ["# cmdline : perf record -a", "#", "  dd 1 1.000000: PERF_RECORD_MMAP2 1/1: [0x1(0x2) @ 0 fe:00 1 0]: r-xp /bin/dd"]
    lost = "  dd 1 1.000000: PERF_RECORD_LOST lost 12"
    assert counted(*lines, *sample("1 f (/bin/dd)"), lost, "", *sample("1 f (/bin/dd)")) == {"f (dd)": 2}
    assert doubts(*lines, *sample("1 f (/bin/dd)"), lost) == "samples lost by perf: 12"


def test_lines_between_frames_that_are_none_are_passed_over() -> None:
    lines = sample("1 f (/bin/dd)", "1 g (/bin/dd)")
    lines.insert(2, "  dd[1]")
    assert (counted(*lines), "such as 'dd[1]'" in doubts(*lines)) == ({"g (dd);f (dd)": 1}, True)


def test_prose_is_no_sample() -> None:
    assert counted("Subject: profile of dd", "", "On 12 Jan: it was slow", "", *sample("1 f (/bin/dd)")) == {"f (dd)": 1}


def test_empty_lines_may_hold_blanks_and_be_several() -> None:
    assert counted("", "", *sample("1 f (/bin/dd)"), "  ", "", *sample("1 f (/bin/dd)")) == {"f (dd)": 2}


def test_no_lines_are_no_samples() -> None:
    assert read() == Reading(format="perf script")


def test_a_text_that_was_cut_off_anywhere_holds_the_samples_before_that() -> None:
    for end in range(1, len(DD)):
        whole = DD[:end].count(b"\n\n")
        assert whole <= perf_script.read(io.BytesIO(DD[:end])).samples <= whole + 1


def test_a_frame_that_was_cut_off_is_left_out_with_a_doubt() -> None:
    reading = perf_script.read(io.BytesIO(DD[: DD.index(b"fs_read")]))
    assert reading.stacks == {"fsnotify": 1}
    assert reading.doubts == ("the last line has no end: what it says may have been cut off",)


NAMES = st.sampled_from(["a", "do_x", "f(int, char)", "operator new", "x;y"])
FILES = st.sampled_from([KERNEL, "[ext4]", "/usr/lib/libc.so.6", "/opt/a b (c)/d"])
CHAINS = st.lists(st.tuples(NAMES, FILES), min_size=1, max_size=4)
SHOWN = {KERNEL: "", "[ext4]": " [ext4]", "/usr/lib/libc.so.6": " (libc.so.6)", "/opt/a b (c)/d": " (d)"}


def text(samples: list[list[tuple[str, str]]]) -> bytes:
    lines = [line for one in samples for line in sample(*(f"{0xFFFF800000000000 + n:x} {f} ({d})" for n, (f, d) in enumerate(one)))]
    return "\n".join([*lines, ""]).encode()


@given(st.lists(CHAINS, max_size=8))
def test_every_sample_is_counted_under_its_chain(samples: list[list[tuple[str, str]]]) -> None:
    expected = [chains.folded(name + SHOWN[file] for name, file in reversed(one)) for one in samples]
    assert perf_script.read(io.BytesIO(text(samples))).stacks == {chain: expected.count(chain) for chain in expected}


@given(st.lists(CHAINS, max_size=6), st.lists(st.integers(0, 2000), max_size=6))
def test_a_text_may_come_in_any_pieces(samples: list[list[tuple[str, str]]], cuts: list[int]) -> None:
    whole = text(samples)
    places = [0, *sorted(min(cut, len(whole)) for cut in cuts), len(whole)]
    pieces = [whole[start:end] for start, end in itertools.pairwise(places)]
    assert perf_script.read(pieces) == perf_script.read(io.BytesIO(whole))


@pytest.mark.parametrize("bound", ["MOST_LINES", "LONGEST_LINE", "MOST_CALLERS_BYTES"])
def test_what_is_remembered_of_a_text_changes_nothing(bound: str, monkeypatch: pytest.MonkeyPatch) -> None:
    expected = perf_script.read(io.BytesIO(DD * 3))
    monkeypatch.setattr(frames, bound, 1)
    assert perf_script.read(io.BytesIO(DD * 3)) == expected


def test_a_sample_without_end_keeps_its_inner_frames() -> None:
    lines = [*sample(f"ffffffff81000010 vfs_read ({KERNEL})"), HEADER, *["\tffffffff81000010 again ([kernel.kallsyms])"] * 50_000]
    reading = read(*lines)
    assert (reading.samples, len(reading.stacks)) == (2, 2)
    assert reading.doubts == ("outer frames of samples longer than 1,048,576 bytes are left out",)
