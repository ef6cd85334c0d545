"""kdelta profile and diffprofile: what they say of a run, and of the files of other tools."""

from __future__ import annotations

import json
from contextlib import closing
from pathlib import Path
from xml.etree import ElementTree

import msgspec
import pytest
from tests.unit.builders import BROKEN, Kdelta, boot, fill, kernel, plan, slot, sql

from kdelta.model.plan import BoxSpec
from kdelta.store.place import open_store

RUN = plan(names=("null", "ctx-2"), seeds=3)

SCRIPT = """\
null 100 [000] 1.000001: 1003009 cpu-clock:
\tffffffff81000010 {leaf}+0x10 ([kernel.kallsyms])
\tffffffff81000100 copy_page_range+0x20 ([kernel.kallsyms])
\tffffffff81000200 do_syscall_64+0x30 ([kernel.kallsyms])

"""


@pytest.fixture
def store(tmp_path: Path) -> Path:
    return tmp_path / "store.sqlite"


@pytest.fixture
def filled(store: Path) -> Path:
    """Three boots of each of two kernels."""
    fill(store, RUN)
    return store


def words(text: str) -> list[list[str]]:
    return [line.split() for line in text.splitlines()]


# ---- one profile ----


def test_a_profile_is_of_the_baseline_unless_a_variant_is_named(kdelta: Kdelta, filled: Path) -> None:
    titles = [kdelta("profile", *name, "-b", "null").out.splitlines()[0] for name in ((), ("new",))]
    assert titles == [f"Profile of null on {name}, instructions per operation, 3 boots" for name in ("old", "new")]


def test_a_profile_lists_functions_with_their_share(kdelta: Kdelta, filled: Path) -> None:
    assert words(kdelta("profile", "-b", "null").out)[1:] == [
        ["100.0", "100.00%", "total"],
        ["50.0", "50.00%", "schedule"],
        ["30.0", "30.00%", "[user]"],
        ["20.0", "20.00%", "_raw_spin_lock"],
    ]


def test_locks_are_charged_to_their_callers(kdelta: Kdelta, filled: Path) -> None:
    assert words(kdelta("profile", "-b", "null", "--charge", "locks").out)[2:4] == [
        ["70.0", "70.00%", "schedule"],
        ["30.0", "30.00%", "[user]"],
    ]


def test_a_profile_without_a_benchmark_is_told_which_there_are(kdelta: Kdelta, filled: Path) -> None:
    result = kdelta("profile")
    assert (result.code, result.err.splitlines()) == (
        2,
        ["kdelta: no benchmark is named", "  name one: -b null; or a file: --file FILE"],
    )


def test_a_profile_of_a_store_without_chains_cannot_be_charged(kdelta: Kdelta, filled: Path) -> None:
    sql(filled, "DELETE FROM stacks")
    result = kdelta("profile", "-b", "null", "--charge", "locks")
    assert (result.code, result.err.splitlines()[0]) == (
        2,
        "kdelta: the profiles of old have no call chains: nothing can be charged to a caller",
    )


def test_a_profile_as_json_has_the_whole_counts_of_each_boot(kdelta: Kdelta, filled: Path) -> None:
    found = json.loads(kdelta("profile", "-b", "null", "--json").out)
    assert found["profiles"] == 3 * [{"schedule": 1500, "_raw_spin_lock": 600, "[user]": 900}]
    assert found["work"] == [30.0, 30.0, 30.0]
    assert sum(found["chains"].values()) == 9000


# ---- the difference of two ----


def test_a_difference_is_of_the_largest_change_unless_named(kdelta: Kdelta, filled: Path) -> None:
    title, *listed = kdelta("diffprofile").out.splitlines()
    assert title == "Diffprofile for ctx-2, instructions per operation (-ve numbers better with new)"
    assert ["-240.0", "-68.6%"] in [line.split()[:2] for line in listed if line.endswith(" schedule")]


def test_a_difference_says_how_well_it_agrees_with_the_benchmark(kdelta: Kdelta, filled: Path) -> None:
    out = kdelta("diffprofile", "new", "old", "-b", "null").out
    assert "new: profile 150.0, the benchmark's own count 150.0 (+0.00%)\n" in out
    assert "old: profile 100.0, the benchmark's own count 100.0 (+0.00%)\n" in out


def test_a_difference_ends_with_what_the_change_is_made_of(kdelta: Kdelta, filled: Path) -> None:
    out = kdelta("diffprofile", "-b", "null").out
    assert "null +50.0%: +50.0 [+50.0, +50.0] instructions per operation (100.0 -> 150.0)\n" in out
    assert "  by subsystem: sched/core +50.0\n" in out
    assert "100% explained\n" in out


def test_a_difference_is_charged_and_says_to_whom(kdelta: Kdelta, filled: Path) -> None:
    out = kdelta("diffprofile", "-b", "null", "--charge", "locks").out
    assert "_raw_spin_lock" not in out.partition("\n\n")[0]
    assert "Charged to 1 caller: locks, 20.0% of the old profile and 13.3% of the new profile:\n" in out
    assert "        20.0 -> 20.0  schedule (_raw_spin_lock)\n" in out


def test_a_charged_profile_says_to_whom(kdelta: Kdelta, filled: Path) -> None:
    out = kdelta("profile", "-b", "null", "--charge", "locks").out
    assert out.endswith("\n\nCharged to 1 caller: locks, 20.0% of the profile:\n                20.0  schedule (_raw_spin_lock)\n")


def test_a_difference_in_the_columns_of_the_old_tool(kdelta: Kdelta, filled: Path) -> None:
    lines = kdelta("diffprofile", "-b", "null", "--plain").out.splitlines()
    assert lines[1:3] == ["      50.0   100.0% schedule", "      50.0    50.0% total"]


def test_a_difference_as_json_adds_up(kdelta: Kdelta, filled: Path) -> None:
    found = json.loads(kdelta("diffprofile", "-b", "null", "--json").out)
    assert sum(one["delta"] for one in found["functions"]) == pytest.approx(found["total"]["delta"])
    assert found["account"]["functions"]["change"] == pytest.approx(50.0)


@pytest.mark.parametrize("asked", ["profile new -b null", "diffprofile old new -b null"])
def test_where_there_is_no_profile_the_way_to_one_is_told(kdelta: Kdelta, store: Path, asked: str) -> None:
    fill(store, RUN, {("new", seed): BROKEN for seed in (1, 2, 3)})
    result = kdelta(*asked.split())
    assert (result.code, result.err.splitlines()[0]) == (2, "kdelta: there is no profile of null on new")
    assert "kdelta doctor" in result.err


# ---- pictures and exports ----


@pytest.mark.parametrize(
    ("asked", "option"), [("profile -b null", "--flame"), ("diffprofile", "--flame"), ("diffprofile", "--bars")], ids=str
)
def test_a_picture_is_written_as_svg(kdelta: Kdelta, filled: Path, tmp_path: Path, asked: str, option: str) -> None:
    path = tmp_path / "picture.svg"
    assert kdelta(*asked.split(), option, str(path)).code == 0
    assert ElementTree.fromstring(path.read_text()).tag == "{http://www.w3.org/2000/svg}svg"


@pytest.mark.parametrize("asked", ["profile -b null", "diffprofile -b null"])
@pytest.mark.parametrize("form", ["speedscope", "firefox"])
def test_a_profile_is_exported_as_json(kdelta: Kdelta, filled: Path, tmp_path: Path, asked: str, form: str) -> None:
    path = tmp_path / "profile.json"
    assert kdelta(*asked.split(), "--export", f"{form}={path}").code == 0
    assert json.loads(path.read_text())


def test_an_exported_profile_is_read_back(kdelta: Kdelta, filled: Path, tmp_path: Path) -> None:
    path = tmp_path / "profile.folded"
    kdelta("profile", "-b", "null", "--export", f"folded={path}")
    assert words(kdelta("profile", "--file", str(path)).out)[1:] == [
        ["9000.0", "100.00%", "total"],
        ["4500.0", "50.00%", "schedule"],
        ["2700.0", "30.00%", "[user]"],
        ["1800.0", "20.00%", "_raw_spin_lock"],
    ]


OF_A_RUN = "variants, benchmarks and boxes are of a run"
MISUSE = {
    "a format alone": ("diffprofile --export folded", "--export folded", "write FORMAT=FILE"),
    "an unknown format": ("diffprofile --export foldde=x", "there is no format 'foldde'", "did you mean 'folded'?"),
    "no folder": ("diffprofile --flame none/x.svg", "none/x.svg cannot be written: No such file", "a folder that is there"),
    "no pattern": ("profile -b null --charge=", "an empty pattern in ''", "write locks, or shell patterns"),
    "an empty pattern": ("diffprofile --charge locks,", "an empty pattern in 'locks,'", "write locks, or shell patterns"),
    "one side of files": ("diffprofile --old a.txt", "one side has no file", "name files of both"),
    "files and a benchmark": (
        "diffprofile -b null --old a.txt --new b.txt",
        "variants, benchmarks and boxes are of a run",
        "leave one",
    ),
    "files and a box": (
        "diffprofile --box exact --old a.txt --new b.txt",
        "variants, benchmarks and boxes are of a run",
        "leave one",
    ),
    "files of no work": ("diffprofile --old a.txt --new b.txt --work 0 1", "--work 0 1", "more than 0"),
    "work of a run": ("diffprofile --work 1 2", "--work is of files", "leave it out"),
    "a file and a variant": ("profile new --file a.txt", OF_A_RUN, "leave one"),
    "a file and a run": ("profile --run 1 --file a.txt", OF_A_RUN, "leave one"),
    "no file": ("profile --file none.txt", "none.txt cannot be read: No such file", "give the file of a profile"),
}


@pytest.mark.parametrize(("asked", "wrong", "advice"), MISUSE.values(), ids=list(MISUSE))
def test_misuse_is_told_with_what_is_wrong_and_what_to_do(
    kdelta: Kdelta, filled: Path, asked: str, wrong: str, advice: str
) -> None:
    result = kdelta(*asked.split())
    assert (result.code, result.out) == (2, "")
    assert wrong in result.err
    assert advice in result.err


# ---- files of other tools ----


def recorded(path: Path, *leaves: tuple[str, int]) -> str:
    path.write_text("".join(count * SCRIPT.format(leaf=leaf) for leaf, count in leaves))
    return str(path)


MANY = tuple((f"f{place}", 40) for place in range(8))


def test_files_of_another_tool_are_compared(kdelta: Kdelta, tmp_path: Path) -> None:
    old = recorded(tmp_path / "old.txt", ("memset_erms", 100), *MANY)
    new = recorded(tmp_path / "new.txt", ("memset_erms", 400), *MANY)
    found = json.loads(kdelta("diffprofile", "--old", old, "--new", new, "--json").out)
    assert {one["name"]: one["real"] for one in found["functions"]}["memset_erms"]
    assert [one["name"] for one in found["functions"] if one["real"]] == ["memset_erms"]


def test_work_that_is_said_goes_before_what_profiles_tell(kdelta: Kdelta, tmp_path: Path) -> None:
    old, new = (recorded(tmp_path / name, *MANY) for name in ("old.txt", "new.txt"))
    found = json.loads(kdelta("diffprofile", "--old", old, "--new", new, "--work", "10", "20", "--json").out)
    assert (found["total"]["old"], found["total"]["new"], found["per"]) == (32.0, 16.0, "unit of work")


def test_a_file_with_both_sides_is_old_and_new(kdelta: Kdelta, tmp_path: Path) -> None:
    path = tmp_path / "both.folded"
    path.write_text("".join(f"a;f{place} 40 {40 + place}\n" for place in range(8)))
    found = json.loads(kdelta("diffprofile", "--old", str(path), "--new", str(path), "--work", "1", "1", "--json").out)
    assert {one["name"]: one["delta"] for one in found["functions"]} == {f"f{place}": float(place) for place in range(8)}


def test_counts_that_are_no_samples_are_not_tested_alone(kdelta: Kdelta, tmp_path: Path) -> None:
    path = tmp_path / "report.txt"
    path.write_text(
        "# Overhead  Shared Object      Symbol\n    60.00%  [kernel.kallsyms]  [k] f\n    40.00%  [kernel.kallsyms]  [k] g\n"
    )
    found = json.loads(kdelta("diffprofile", "--old", str(path), "--new", str(path), "--work", "1", "1", "--json").out)
    assert [one["q"] for one in found["functions"]] == [None, None]
    assert "no counts of samples" in found["doubts"][0]


def test_several_files_of_a_side_are_its_replicates(kdelta: Kdelta, tmp_path: Path) -> None:
    files = [recorded(tmp_path / f"{place}.txt", *MANY) for place in range(6)]
    sides = [word for path, side in zip(files, 3 * ["--old"] + 3 * ["--new"], strict=True) for word in (side, path)]
    found = json.loads(kdelta("diffprofile", *sides, "--json").out)
    assert (found["old_profiles"], found["new_profiles"]) == (3, 3)


def test_a_diffprofile_of_the_old_tool_is_shown(kdelta: Kdelta, tmp_path: Path) -> None:
    path = tmp_path / "mail.txt"
    path.write_text("      1480     9.1% total\n      1236    52.7% page_remove_rmap\n...\n      -104    -2.2% b\n")
    rows = [(line[0], line[1], line[-1]) for line in words(kdelta("profile", "--file", str(path)).out)]
    assert rows[2:6] == [
        ("1480", "9.1%", "total"),
        ("1236", "52.7%", "page_remove_rmap"),
        ("348", "3.8%", "listed)"),
        ("-104", "-2.2%", "b"),
    ]


# ---- a box that measures time ----

HERE = BoxSpec(name="here", kind="local", cpus=2)
TIMED = msgspec.structs.replace(plan(seeds=3, boxes=[HERE]), profiles=3)


@pytest.fixture
def ticked(store: Path) -> Path:
    """Three timed visits and three profiled ones of each column."""
    fill(store, TIMED)
    return store


def test_a_profile_of_time_is_of_the_visits_that_were_profiled(kdelta: Kdelta, ticked: Path) -> None:
    title, *listed = kdelta("profile", "-b", "null").out.splitlines()
    assert title == "Profile of null on old, ticks, 3 profiles, 997 a second on each CPU"
    assert listed[1].split() == ["3000.0", "100.00%", "schedule"]
    assert listed[-1] == "Idle, not in the total: 1500.0 (default_idle)"


def test_a_difference_of_time_has_ticks_per_work_and_seconds_in_its_account(kdelta: Kdelta, ticked: Path) -> None:
    out = kdelta("diffprofile", "-b", "null").out
    assert out.startswith("Diffprofile for null, ticks per 1000000 operations (-ve numbers better with new)\n")
    assert ["500", "50.0%"] in [line.split()[:2] for line in out.splitlines() if line.endswith(" schedule")]
    assert "null +50.0%: +50.0 [+50.0, +50.0] ns per operation (100.0 -> 150.0)\n" in out


def test_what_is_charged_of_time_is_shown_per_as_much_work_as_the_difference(kdelta: Kdelta, ticked: Path) -> None:
    out = kdelta("diffprofile", "-b", "null", "--charge", "schedule").out
    assert "    1000.0 -> 1500.0  do_syscall_64 (schedule)\n" in out


def test_a_diffprofile_of_a_file_is_data_too(kdelta: Kdelta, tmp_path: Path) -> None:
    path = tmp_path / "mail.txt"
    path.write_text("      1480     9.1% total\n      1480    52.7% page_remove_rmap\n")
    found = json.loads(kdelta("profile", "--file", str(path), "--json").out)
    assert [one["delta"] for one in found["functions"]] == [1480.0]
    assert kdelta("profile", "--file", str(path), "--charge", "locks").code == 2


def test_profiled_visits_change_no_verdict_and_no_count_of_visits(kdelta: Kdelta, ticked: Path, tmp_path: Path) -> None:
    other = tmp_path / "other.sqlite"
    fill(other, msgspec.structs.replace(TIMED, profiles=0))
    assert kdelta("compare").out == kdelta("compare", "--store", str(other)).out
    assert kdelta("runs").out == kdelta("runs", "--store", str(other)).out


def test_what_was_measured_beside_a_profile_is_there_and_says_so(kdelta: Kdelta, ticked: Path) -> None:
    boots = json.loads(kdelta("compare", "--json").out)["boots"]
    assert [one["profiled"] for one in boots] == 6 * [False] + 6 * [True]
    assert {sample["discarded"] for one in boots[6:] for sample in one["samples"]} == {"taken beside a profile"}


def test_why_there_is_no_profile_is_told_with_the_report(kdelta: Kdelta, store: Path) -> None:
    fill(store, msgspec.structs.replace(TIMED, profiles=0))
    why = "no profile of null: perf may not look at the whole machine; sysctl kernel.perf_event_paranoid=-1"
    visit = msgspec.structs.replace(slot(6, "old", seed=4), box=HERE.name, profiled=True)
    with closing(open_store(str(store))) as opened:
        opened.add(1, visit, kernel("old"), boot({"null": [1.0]}, warnings=[why]))
    assert f"Warning (old on here, round 4): {why}\n" in kdelta("compare").out


def test_time_without_profiled_visits_is_told_how_to_take_them(kdelta: Kdelta, store: Path) -> None:
    fill(store, msgspec.structs.replace(TIMED, profiles=0))
    result = kdelta("diffprofile", "-b", "null")
    assert (result.code, result.err.splitlines()[0]) == (2, "kdelta: there is no profile of null on old")
    assert "--profiles 3" in result.err
