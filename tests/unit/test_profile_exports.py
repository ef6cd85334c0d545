"""Profiles written for other programs: folded stacks, speedscope, the Firefox profiler."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from typing import Any, Literal

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.unit.golden import check
from tests.unit.pictures import COUNTS, NAMES

from kdelta.model.errors import MisuseError
from kdelta.report import firefox, folded_text, speedscope
from kdelta.report.frames import Origin, frames, origin
from kdelta.report.named import Named

Counts = dict[str, float]

TICKS = Named(
    name="6.1",
    counts={"main (a.out);read (libc.so.6);entry;vfs_read;ext4_read [ext4]": 30, "[user]": 5, "entry;vfs_read": 12},
    unit="ticks",
    hertz=250.0,
)
EXACT = Named(name="6.12", counts={"entry;vfs_read": 380.5, "[user]": 100.0, "entry": 20.25})


def named(counts: Mapping[str, float], **fields: Any) -> Named:
    return Named(name="a profile", counts=counts, **fields)


# ---- names ----

ORIGINS = {
    "vfs_read": (Origin.KERNEL, "kernel"),
    "[unknown]": (Origin.KERNEL, "kernel"),
    "ext4_read [ext4]": (Origin.MODULE, "ext4"),
    "[user]": (Origin.USER, "[user]"),
    "read (libc.so.6)": (Origin.USER, "libc.so.6"),
    "[unknown] (a program)": (Origin.USER, "a program"),
    "(anonymous namespace)::f(int (*)(int)) (a.out)": (Origin.USER, "a.out"),
    "operator[](int)": (Origin.KERNEL, "kernel"),
}


@pytest.mark.parametrize(("name", "expected"), ORIGINS.items(), ids=ORIGINS)
def test_a_name_says_where_its_code_lies(name: str, expected: tuple[Origin, str]) -> None:
    assert origin(name) == expected


@pytest.mark.parametrize(("name", "shown"), NAMES.items())
def test_names_are_written_as_they_can_be(name: str, shown: str) -> None:
    assert frames(f"a;{name};;b") == ["a", shown, "[unknown]", "b"]


@pytest.mark.parametrize("count", [-1.0, math.nan, math.inf])
def test_a_count_that_is_none_is_refused(count: float) -> None:
    with pytest.raises(MisuseError, match="the count of a call chain is"):
        named({"a;b": count})


# ---- folded stacks ----


def read_folded(text: str, columns: int = 1) -> dict[str, tuple[float, ...]]:
    found = {}
    for line in text.splitlines():
        chain, *counts = line.rsplit(" ", columns)
        found[chain] = tuple(map(float, counts))
    return found


def test_a_line_is_a_chain_and_its_count() -> None:
    assert folded_text.render({"b": 5, "a;b c;d": 123.0, "a": 0}) == "a 0\na;b c;d 123\nb 5\n"


def test_a_difference_has_both_counts_the_old_one_first() -> None:
    assert folded_text.render_pair({"a": 1, "b": 2}, {"b": 3.5, "c": 4}) == "a 1 0\nb 2 3.5\nc 0 4\n"


@pytest.mark.parametrize(
    ("count", "expected"), [(1e22, "1" + "0" * 22), (1e-7, "0.0000001"), (0.1 + 0.2, "0.30000000000000004"), (7, "7")]
)
def test_counts_have_all_digits_and_no_exponent(count: float, expected: str) -> None:
    assert folded_text.render({"a": count}) == f"a {expected}\n"


@given(COUNTS, COUNTS)
def test_folded_stacks_keep_all_counts(old: Counts, new: Counts) -> None:
    assert read_folded(folded_text.render(new)) == {chain: (count,) for chain, count in new.items()}
    expected = {chain: (old.get(chain, 0.0), new.get(chain, 0.0)) for chain in old.keys() | new.keys()}
    assert read_folded(folded_text.render_pair(old, new), 2) == expected


@given(st.dictionaries(st.text(), st.floats(0.0, 1e20), max_size=5))
def test_any_chain_is_one_line_with_its_count(counts: Counts) -> None:
    lines = folded_text.render(counts).splitlines()
    assert [float(line.rpartition(" ")[2]) for line in lines] == [counts[chain] for chain in sorted(counts)]


# ---- speedscope ----


class SpeedscopeFrame(msgspec.Struct, forbid_unknown_fields=True):
    name: str
    file: str


class SpeedscopeShared(msgspec.Struct, forbid_unknown_fields=True):
    frames: list[SpeedscopeFrame]


class SpeedscopeProfile(msgspec.Struct, forbid_unknown_fields=True, rename="camel"):
    type: Literal["sampled"]
    name: str
    unit: Literal["bytes", "microseconds", "milliseconds", "nanoseconds", "none", "seconds"]
    start_value: float
    end_value: float
    samples: list[list[int]]
    weights: list[float]


class SpeedscopeFile(msgspec.Struct, forbid_unknown_fields=True, rename={"schema": "$schema", "active": "activeProfileIndex"}):
    """What speedscope's schema asks for, and nothing that it does not name."""

    schema: Literal["https://www.speedscope.app/file-format-schema.json"]
    exporter: str
    name: str
    active: int
    shared: SpeedscopeShared
    profiles: list[SpeedscopeProfile]


def read_speedscope(data: bytes) -> SpeedscopeFile:
    return msgspec.json.decode(data, type=SpeedscopeFile)


def chains(file: SpeedscopeFile, place: int = 0) -> Counts:
    """The weights of a profile by folded chain."""
    found: Counts = {}
    profile = file.profiles[place]
    for sample, weight in zip(profile.samples, profile.weights, strict=True):
        chain = ";".join(file.shared.frames[frame].name for frame in sample)
        found[chain] = found.get(chain, 0.0) + weight
    return found


def test_speedscope_is_written_as_kept() -> None:
    check("speedscope", msgspec.json.format(speedscope.render([TICKS, EXACT], title="read")).decode() + "\n")


@given(COUNTS, COUNTS)
def test_speedscope_keeps_all_counts(old: Counts, new: Counts) -> None:
    file = read_speedscope(speedscope.render([named(old), named(new, unit="ticks")]))
    assert [chains(file, place) for place in (0, 1)] == [old, new]
    assert [profile.end_value for profile in file.profiles] == [sum(old.values()), sum(new.values())]


def test_ticks_of_a_known_frequency_are_seconds_in_speedscope_and_others_have_no_unit() -> None:
    file = read_speedscope(speedscope.render([TICKS, EXACT, msgspec.structs.replace(TICKS, hertz=None)]))
    assert [(profile.unit, profile.end_value) for profile in file.profiles] == [
        ("seconds", 0.188),
        ("none", 500.75),
        ("none", 47.0),
    ]
    assert chains(file)["entry;vfs_read"] == 12 / 250.0


def test_speedscope_is_told_the_file_of_each_function() -> None:
    file = read_speedscope(speedscope.render([TICKS]))
    assert {frame.name: frame.file for frame in file.shared.frames}["ext4_read [ext4]"] == "ext4"


@given(st.dictionaries(st.text(), st.floats(0.0, 1e20), max_size=5), st.text())
def test_any_names_can_be_read_by_speedscope(counts: Counts, name: str) -> None:
    file = read_speedscope(speedscope.render([Named(name=name, counts=counts)], title=name))
    assert math.fsum(file.profiles[0].weights) == math.fsum(counts.values())


# ---- the Firefox profiler ----

# The columns of its tables in version 61, beside `length`.
TABLES = {
    "stackTable": "frame prefix",
    "frameTable": "address inlineDepth category subcategory func nativeSymbol innerWindowID line column",
    "funcTable": "name isJS relevantForJS resource source lineNumber columnNumber",
    "resourceTable": "lib name host type",
    "nativeSymbols": "libIndex address name functionSize",
    "sources": "id filename startLine startColumn sourceMapURL",
}
# Column -> the table that its numbers are places in, or the list.
PLACES = {
    ("stackTable", "frame"): "frameTable",
    ("stackTable", "prefix"): "stackTable",
    ("frameTable", "func"): "funcTable",
    ("funcTable", "name"): "stringArray",
    ("funcTable", "resource"): "resourceTable",
    ("resourceTable", "name"): "stringArray",
}


def read_firefox(*profiles: Named) -> Any:
    return json.loads(firefox.render(profiles, title="read"))


def weights(profile: Any, thread: int = 0) -> Counts:
    """The weights of a thread's samples by folded chain."""
    shared, samples = profile["shared"], profile["threads"][thread]["samples"]
    found: Counts = {}
    for stack, weight in zip(samples["stack"], samples["weight"], strict=True):
        chain = ";".join(_names(shared, stack))
        found[chain] = found.get(chain, 0.0) + weight
    return found


def _names(shared: Any, stack: int | None) -> list[str]:
    names: list[str] = []
    while stack is not None:
        function = shared["frameTable"]["func"][shared["stackTable"]["frame"][stack]]
        names.append(shared["stringArray"][shared["funcTable"]["name"][function]])
        stack = shared["stackTable"]["prefix"][stack]
    return names[::-1]


def test_the_firefox_profile_is_written_as_kept() -> None:
    check("firefox", msgspec.json.format(firefox.render([TICKS, EXACT], title="read")).decode() + "\n")


@given(COUNTS, COUNTS)
def test_the_firefox_profile_keeps_all_counts(old: Counts, new: Counts) -> None:
    profile = read_firefox(named(old), named(new, unit="ticks"))
    assert [weights(profile, thread) for thread in (0, 1)] == [{c: n for c, n in side.items() if n} for side in (old, new)]


@given(COUNTS)
def test_every_table_of_the_firefox_profile_has_its_columns_and_they_are_of_one_length(counts: Counts) -> None:
    profile = read_firefox(named(counts), EXACT)
    for name, columns in TABLES.items():
        table = dict(profile["shared"][name])
        length = table.pop("length")
        assert sorted(table) == sorted(columns.split())
        assert {len(column) for column in table.values()} == {length}
    for thread in profile["threads"]:
        assert {len(thread["samples"][column]) for column in ("stack", "time", "weight")} == {thread["samples"]["length"]}


@given(COUNTS)
def test_every_reference_of_the_firefox_profile_leads_to_a_place(counts: Counts) -> None:
    shared = read_firefox(named(counts), EXACT)["shared"]
    for (table, column), to in PLACES.items():
        size = len(shared[to]) if to == "stringArray" else shared[to]["length"]
        assert all(place is None or 0 <= place < size for place in shared[table][column]), (table, column)


def test_a_stack_of_the_firefox_profile_comes_after_its_caller() -> None:
    prefixes: Sequence[int | None] = read_firefox(TICKS)["shared"]["stackTable"]["prefix"]
    assert all(prefix is None or prefix < stack for stack, prefix in enumerate(prefixes))


def test_threads_have_the_names_and_the_order_of_the_profiles() -> None:
    profile = read_firefox(TICKS, EXACT)
    assert [(one["name"], one["pid"], one["tid"], one["isMainThread"]) for one in profile["threads"]] == [
        ("6.1", "0", 0, True),
        ("6.12", "0", 1, False),
    ]
    assert profile["meta"]["keepProfileThreadOrder"]


def test_ticks_of_a_known_frequency_are_milliseconds_and_the_samples_lie_one_after_the_other() -> None:
    profile = read_firefox(TICKS, EXACT)
    samples = profile["threads"][0]["samples"]
    assert (samples["weightType"], samples["weight"], samples["time"]) == ("tracing-ms", [20.0, 48.0, 120.0], [0.0, 20.0, 68.0])
    assert profile["threads"][1]["samples"]["weightType"] == "samples"
    assert profile["meta"]["interval"] == 1e-6


def test_the_interval_is_that_of_the_ticks() -> None:
    assert read_firefox(TICKS)["meta"]["interval"] == 4.0


def test_frames_have_the_category_and_the_library_of_their_origin() -> None:
    profile = read_firefox(TICKS)
    shared, categories = profile["shared"], [one["name"] for one in profile["meta"]["categories"]]
    found = {}
    for frame, function in enumerate(shared["frameTable"]["func"]):
        library = shared["resourceTable"]["name"][shared["funcTable"]["resource"][function]]
        name = shared["stringArray"][shared["funcTable"]["name"][function]]
        found[name] = (categories[shared["frameTable"]["category"][frame]], shared["stringArray"][library])
    assert found == {
        "[user]": ("User", "[user]"),
        "entry": ("Kernel", "kernel"),
        "vfs_read": ("Kernel", "kernel"),
        "main (a.out)": ("User", "a.out"),
        "read (libc.so.6)": ("User", "libc.so.6"),
        "ext4_read [ext4]": ("Module", "ext4"),
    }


def test_one_category_is_grey_as_the_format_asks_for() -> None:
    assert read_firefox()["meta"]["categories"][0] == {"name": "Other", "color": "grey", "subcategories": ["Other"]}


@given(st.dictionaries(st.text(), st.floats(0.0, 1e20), max_size=5), st.text())
def test_any_names_can_be_read_by_firefox(counts: Counts, name: str) -> None:
    profile = json.loads(firefox.render([Named(name=name, counts=counts)], title=name))
    assert math.fsum(profile["threads"][0]["samples"]["weight"]) == math.fsum(counts.values())
