"""Flame graphs, of one profile and of a difference."""

from __future__ import annotations

import math
import random
import re
from collections.abc import Mapping
from itertools import pairwise
from xml.etree import ElementTree

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.unit.golden import check
from tests.unit.pictures import COUNTS, NAMES, SVG, Group, change, difference, flat, groups, lines, parsed

from kdelta.model.errors import MisuseError
from kdelta.profile.change import Change, Difference
from kdelta.report.call_tree import call_tree
from kdelta.report.colours import GROWN, SAME, SHRUNK
from kdelta.report.flame import By, render, render_one
from kdelta.report.flame_layout import MOST_DEPTH, MOST_FRAMES, Frame, Layout, lay_out
from kdelta.report.svg import CELL, cells

Counts = Mapping[str, float]

OLD = {
    "[user]": 100.0,
    "entry;sys_read;vfs_read": 300.0,
    "entry;sys_read;vfs_read;copy": 200.0,
    "entry;sys_read;fget_light": 80.0,
    "entry;sys_read;rare": 0.001,
    "entry": 20.0,
}
NEW = {
    "[user]": 100.0,
    "entry;sys_read;vfs_read": 380.0,
    "entry;sys_read;vfs_read;copy": 150.0,
    "entry;sys_read;vfs_read;fsnotify [mod]": 40.0,
    "entry;sys_read;rare": 0.002,
    "entry": 21.0,
}
CHANGES = difference(
    change("vfs_read", 300.0, 380.0, low=75.0, high=85.0, q=0.0004),
    change("fsnotify [mod]", None, 40.0, low=38.0, high=42.0, q=0.002),
    change("entry", 20.0, 21.0, low=-1.0, high=3.0, q=0.6, real=False),
    change("copy", 200.0, 150.0, low=-math.inf, high=-45.0, q=0.012),
    change("fget_light", 80.0, None, low=-81.0, high=-79.0, q=0.001),
    doubts=("a doubt of <some> length",),
)


def drawn(old: Counts = OLD, new: Counts = NEW, of: Difference | None = CHANGES, by: By = By.NEW) -> str:
    return render(old, new, of, title="read: 6.12 against 6.1", unit="instructions", per="operation", by=by)


def drawn_one(counts: Counts = NEW) -> str:
    return render_one(counts, title="read on 6.12", unit="instructions", per="operation")


def frame(name: str, picture: str) -> Group:
    (found,) = (one for one in groups(picture) if one.name == name)
    return found


def listed(heading: str, picture: str) -> str:
    """The words of a list under the picture, its lines joined."""
    found = " ".join(line.strip() for line in lines(picture))
    return found[found.index(heading) :]


# ---- whole pictures ----


def test_a_difference_is_drawn_as_kept() -> None:
    check("flame_difference", drawn())


def test_a_profile_is_drawn_as_kept() -> None:
    check("flame_profile", drawn_one())


def test_a_picture_has_a_title_a_description_and_a_role_for_who_does_not_see_it() -> None:
    root = parsed(drawn())
    assert (root.get("role"), root.get("viewBox", "").split()[:3]) == ("img", ["0", "0", "1000"])
    assert root.get("aria-label") == "read: 6.12 against 6.1: 6.1 -> 6.12: 700 -> 691, -8.999 (-1.3%) instructions per operation"
    assert root.findtext(f"{SVG}title") == "read: 6.12 against 6.1"
    assert "beyond noise: fget_light -80, vfs_read +80, copy -50, fsnotify [mod] +40." in (root.findtext(f"{SVG}desc") or "")


@pytest.mark.parametrize("picture", [drawn(), drawn_one()], ids=["difference", "profile"])
def test_nothing_is_loaded_and_no_script_is_run(picture: str) -> None:
    tags = {one.tag.removeprefix(SVG) for one in parsed(picture).iter()}
    assert tags <= {"svg", "title", "desc", "style", "defs", "pattern", "rect", "path", "text", "g"}
    assert set(re.findall(r"url\((.)", picture)) == {"#"}
    assert re.findall("href|https?:", picture.replace('xmlns="http:', "")) == []


def test_every_rule_of_style_holds_in_the_picture_alone() -> None:
    style = parsed(drawn()).findtext(f"{SVG}style") or ""
    selectors = re.findall(r"([^{}]+)\{[^{}]*\}", re.sub(r"@media[^{]*\{", "", style))
    assert {selector.split()[0].split(".w")[0] for selector in selectors} == {".kdelta"}


# ---- frames ----


def test_a_frame_is_as_wide_as_its_count_on_the_new_side_with_what_it_calls() -> None:
    picture = drawn()
    whole = frame("all", picture).width + 0.5
    assert frame("vfs_read", picture).width + 0.5 == pytest.approx(whole * 570.0 / 691.002, abs=0.02)


def test_a_frame_can_be_as_wide_as_on_the_old_side() -> None:
    picture = drawn(by=By.OLD)
    whole = frame("all", picture).width + 0.5
    assert frame("fget_light", picture).width + 0.5 == pytest.approx(whole * 80.0 / 700.001, abs=0.02)


def test_a_frame_says_both_counts_the_change_its_interval_and_q() -> None:
    assert frame("vfs_read", drawn()).about.split("\n") == [
        "vfs_read",
        "with what it calls: 500 -> 570, +70 (+14.0%), 82.5% of all",
        "itself: 300 -> 380, +80 (+26.7%)",
        "itself, whoever calls it: 300 -> 380, +80 (+26.7%), [+75, +85], q <.001, beyond noise",
    ]


def test_a_function_that_is_new_says_so() -> None:
    about = frame("fsnotify [mod]", drawn()).about
    assert "0 -> 40, +40 (new), [+38, +42], q .002, beyond noise" in about


def test_an_end_that_an_interval_does_not_have_is_called_unbounded() -> None:
    assert "[unbounded, -45], q .012, beyond noise" in frame("copy", drawn()).about


def test_what_is_not_known_of_a_function_is_not_said() -> None:
    of = difference(change("vfs_read", 300.0, 380.0, real=False))
    assert frame("vfs_read", drawn(of=of)).about.endswith("300 -> 380, +80 (+26.7%), within noise")


def test_a_label_is_cut_to_the_width_of_its_frame() -> None:
    counts = {f"a_long_name_{width}": 2.0**width for width in range(12)}
    for one in groups(drawn_one(counts)):
        assert all(CELL * cells(label) <= one.width for label in one.words)
        assert all(label in one.name or one.name.startswith(label.removesuffix("\u2026")) for label in one.words)


# ---- colours ----

CLASSES = {
    "grown beyond noise": (change("f", 1000.0, 1040.0), GROWN[2]),
    "grown by little": (change("f", 1000.0, 1000.5), GROWN[0]),
    "grown by 5% of all": (change("f", 1000.0, 1100.0), GROWN[3]),
    "new": (change("f", None, 100.0), GROWN[3]),
    "shrunk beyond noise": (change("f", 1000.0, 995.0), SHRUNK[1]),
    "within noise": (change("f", 1000.0, 1100.0, real=False), SAME),
    "no change": (change("f", 1000.0, 1000.0), SAME),
    "another function": (change("g", 1000.0, 1100.0), SAME),
    "of which this is a clone": (change("clone", 1000.0, 1100.0), GROWN[3]),
    "one that moved": (change("before + f -> after", 1000.0, 1100.0), GROWN[3]),
}


@pytest.mark.parametrize(("one", "css"), CLASSES.values(), ids=CLASSES)
def test_a_frame_is_coloured_by_the_change_of_its_function_beyond_noise(one: Change, css: str) -> None:
    name = "clone.isra.0.cold" if one.name == "clone" else "f"
    assert frame(name, drawn({name: 1000.0}, {name: 1000.0}, difference(one))).css == css


def test_the_name_on_a_frame_has_the_sign_of_its_change() -> None:
    words = {one.name: one.words for one in groups(drawn())}
    assert (words["vfs_read"], words["copy"], words["entry"]) == (("+ vfs_read",), ("- copy",), ("entry",))


def test_a_frame_in_which_the_function_has_no_counts_of_its_own_is_grey() -> None:
    counts = {"f;g": 50.0, "h;f": 50.0}
    found = groups(drawn(counts, counts, difference(change("f", 40.0, 50.0))))
    assert sorted(one.css for one in found if one.name == "f") == [GROWN[3], SAME]


def test_idle_functions_are_described_and_never_coloured() -> None:
    of = difference(change("f", 1.0, 1.0), idle=(change("idle", 50.0, 90.0),))
    found = frame("idle", drawn({"idle": 50.0, "f": 1.0}, {"idle": 90.0, "f": 1.0}, of))
    assert (found.css, "beyond noise" in found.about) == (SAME, True)


def test_without_a_difference_nothing_is_coloured_and_that_is_said() -> None:
    picture = drawn(of=None)
    assert {one.css for one in groups(picture)} == {SAME}
    assert "As wide as in new. No colours: which changes are beyond noise is not known." in lines(picture)


def test_the_frames_of_one_profile_tell_where_their_code_lies() -> None:
    found = {one.name: one.css for one in groups(drawn_one({**NEW, "main (a.out);read (libc.so.6)": 9.0}))}
    assert [found[name] for name in ("all", "entry", "fsnotify [mod]", "[user]", "read (libc.so.6)")] == [
        SAME,
        "kernel",
        "module",
        "user",
        "user",
    ]


# ---- what has no frame ----


def test_functions_that_are_gone_are_listed() -> None:
    assert listed("Gone", drawn()).startswith("Gone (*: beyond noise): fget_light -80* In chains")


def test_functions_that_are_new_are_listed_where_frames_are_as_wide_as_in_the_old_profile() -> None:
    assert listed("New", drawn(by=By.OLD)).startswith("New (*: beyond noise): fsnotify [mod] +40* In chains")


def test_functions_in_chains_that_are_gone_or_too_narrow_are_listed() -> None:
    picture = drawn({"a;f": 10.0, "b;f": 30.0, "b;g": 60.0}, {"a;f": 30.0, "b;g": 60.0, "b;h": 0.0001}, difference())
    assert listed("In chains", picture) == "In chains that are gone or too narrow: f -30, h +0.0001"


def test_a_long_list_ends_with_the_sum_of_the_rest() -> None:
    picture = drawn({"f": 10.0, **{f"g{number:02}": 2.0 for number in range(20)}}, {"f": 10.0}, None)
    assert listed("Gone", picture).endswith("g10 -2, g11 -2, and 8 more -16")


def test_doubts_stand_under_the_picture() -> None:
    assert [*lines(drawn())][-1] == "a doubt of <some> length"


def test_a_side_without_counts_has_no_frames_and_all_of_the_other_is_listed() -> None:
    picture = drawn({"a;f": 10.0, "a": 2.0}, {}, None)
    assert (groups(picture), listed("Gone", picture)) == ([], "Gone: f -10, a -2")


def test_two_empty_profiles_are_a_picture_without_frames() -> None:
    assert groups(drawn({}, {}, None)) == groups(drawn_one({})) == []


# ---- layout ----


def laid_out(old: Counts, new: Counts, profile: int = 1) -> Layout:
    return lay_out(call_tree([old, new]), profile)


@given(COUNTS, COUNTS, st.sampled_from(By))
def test_what_is_drawn_and_what_is_listed_are_all_counts(old: Counts, new: Counts, by: By) -> None:
    layout = laid_out(old, new, by)
    for side, counts in enumerate((old, new)):
        own = sum(one.own[side] for one in layout.frames if one.own)
        assert own + sum(found[side] for found in layout.undrawn.values()) == sum(counts.values())


@given(COUNTS, COUNTS)
def test_a_function_has_in_frames_and_lists_what_it_has_in_its_profile(old: Counts, new: Counts) -> None:
    layout = laid_out(old, new)
    found = {name: own[1] for name, own in layout.undrawn.items()}
    for one in layout.frames:
        found[one.name] = found.get(one.name, 0.0) + (one.own[1] if one.own else 0.0)
    assert {name: count for name, count in found.items() if count} == {name: c for name, c in flat(new).items() if c}


@given(COUNTS)
def test_frames_lie_within_their_caller_and_do_not_overlap(counts: Counts) -> None:
    frames = laid_out({}, counts).frames
    for depth in range(1, 8):
        row = sorted((one for one in frames if one.depth == depth), key=lambda one: one.start)
        assert all(a.start + a.width <= b.start + 1e-9 for a, b in pairwise(row))
        assert all(any(_around(below, one) for below in frames if below.depth == depth - 1) for one in row)


def _around(below: Frame, one: Frame) -> bool:
    return below.start <= one.start + 1e-9 and one.start + one.width <= below.start + below.width + 1e-9


@given(COUNTS, COUNTS, st.randoms(use_true_random=False))
@settings(max_examples=30)
def test_the_order_of_chains_does_not_matter(old: Counts, new: Counts, order: random.Random) -> None:
    def shuffled(counts: Counts) -> dict[str, float]:
        return dict(order.sample([*counts.items()], len(counts)))

    assert drawn(old, new, None) == drawn(shuffled(old), shuffled(new), None)


def test_frames_narrower_than_a_tenth_of_a_pixel_are_one() -> None:
    narrow = {f"f;narrow{number:03};inner": 0.5e-4 for number in range(400)}
    (merged,) = (one for one in laid_out({}, {"f": 1.0, **narrow}).frames if one.merged)
    assert (merged.merged, merged.depth) == (800, 2)
    assert merged.counts[1] == pytest.approx(0.02)


def test_a_frame_of_many_says_how_many_it_stands_for() -> None:
    narrow = {f"f;narrow{number:04}": 0.5e-4 for number in range(4000)}
    found = frame("4,000 narrower frames", drawn_one({"f": 1.0, **narrow}))
    assert found.about.split("\n")[1] == "with what it calls: 0.2, 16.7% of all"


def test_too_deep_frames_are_one() -> None:
    frames = laid_out({}, {";".join(["f"] * 1000): 1.0}).frames
    assert [(one.depth, one.merged) for one in frames[-2:]] == [(MOST_DEPTH, 0), (MOST_DEPTH + 1, 1000 - MOST_DEPTH)]


def test_of_more_frames_than_a_picture_holds_the_widest_are_drawn() -> None:
    frames = laid_out({}, {f"f{number}": float(number) for number in range(1, MOST_FRAMES + 501)}).frames
    alone = [one for one in frames if not one.merged]
    assert (len(alone), min(one.counts[1] for one in alone)) == (MOST_FRAMES, 502.0)


def test_where_too_many_are_equally_wide_none_is_drawn_alone() -> None:
    frames = laid_out({}, {f"f{number}": 1.0 for number in range(MOST_FRAMES + 1)}).frames
    assert [one.merged for one in frames] == [0, MOST_FRAMES + 1]


def test_a_picture_of_many_chains_is_small() -> None:
    order = random.Random(1)
    chains = {";".join(order.choices([f"function_{n}" for n in range(300)], k=10)): order.paretovariate(0.7) for _ in range(10000)}
    picture = drawn(chains, chains, difference(*(change(f"function_{n}", 9.0, 10.0) for n in range(300))))
    assert len(groups(picture)) <= 2 * MOST_FRAMES
    assert len(picture) < 600_000


# ---- names that nobody chose well ----


@pytest.mark.parametrize(("name", "shown"), NAMES.items())
def test_a_name_is_shown_and_does_nothing_else(name: str, shown: str) -> None:
    chain = name.replace(";", ":")
    picture = drawn({chain: 9.0}, {chain: 9.0}, difference(change(name, 9.0, 9.5), doubts=(name,)))
    (found,) = (one for one in groups(picture) if one.name != "all")
    assert (found.name, found.words) == (shown, (f"+ {shown}",))


@given(st.dictionaries(st.text(max_size=12), st.integers(0, 9).map(float), max_size=5), st.text(max_size=9))
def test_any_names_give_xml(counts: dict[str, float], title: str) -> None:
    picture = render(
        counts, {"f": 1.0}, difference(*(change(name, 1.0, 2.0) for name in counts)), title=title, unit=title, per=title
    )
    assert ElementTree.fromstring(picture.encode()).tag == f"{SVG}svg"


def test_a_name_cannot_pretend_to_be_a_line_of_its_own() -> None:
    name = "f\nitself, whoever calls it: 0 -> 0, within noise"
    assert len(frame(name.replace("\n", "\ufffd"), drawn({name: 1.0}, {name: 1.0}, None)).about.split("\n")) == 2


def test_a_very_long_name_is_cut() -> None:
    assert len(drawn({"f" * 100_000: 1.0}, {"g" * 100_000: 1.0}, None)) < 10_000


@pytest.mark.parametrize("count", [-1.0, math.nan, math.inf, 1e300])
def test_a_count_that_is_none_is_refused(count: float) -> None:
    with pytest.raises(MisuseError, match="the count of a call chain is"):
        drawn_one({"a;b": count})
