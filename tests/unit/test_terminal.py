"""What commands print for people: in colour only where it is wanted, as wide as fits, and without what others could do with it."""

from __future__ import annotations

import re
import sys
from collections.abc import Mapping, Sequence
from contextlib import closing
from pathlib import Path

import click
import msgspec
import pytest
from tests.unit.builders import Kdelta, Lab, boot, fill, kernel, plan, profile, stacks
from tests.unit.terminals import in_terminal

from kdelta.cli import terminal
from kdelta.cli.doctor import Finding, State
from kdelta.kernel.apt import Package
from kdelta.model.boot import Boot, Cell, CellState, Outcome
from kdelta.model.guest import BootReport, ProgramRun
from kdelta.plan.order import slots
from kdelta.store.place import open_store

TWO = plan(("old", "new"), ("null", "ctx-2"), seeds=3)
SEQUENCE = re.compile(r"\x1b\[[0-9;]*m")


@pytest.fixture
def store(tmp_path: Path) -> Path:
    return tmp_path / "store.sqlite"


@pytest.fixture
def filled(store: Path) -> Path:
    fill(store, TWO)
    return store


@pytest.fixture
def on_terminal(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> pytest.MonkeyPatch:
    """Both streams, which are of one class, say that they are a terminal."""
    for name in ("NO_COLOR", "COLUMNS"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setattr(type(sys.stdout), "isatty", lambda stream: True)
    return monkeypatch


# ---- colour ----

# words before the command, environment -> whether there is colour on a terminal
WISHES: dict[str, tuple[Sequence[str], Mapping[str, str], bool]] = {
    "nothing": ((), {}, True),
    "NO_COLOR": ((), {"NO_COLOR": "1"}, False),
    "NO_COLOR with any value": ((), {"NO_COLOR": "0"}, False),
    "an empty NO_COLOR": ((), {"NO_COLOR": ""}, True),
    "a dumb terminal": ((), {"TERM": "dumb"}, False),
    "a terminal without a name": ((), {"TERM": ""}, False),
    "--color auto": (("--color", "auto"), {"NO_COLOR": "1"}, False),
    "--color always": (("--color", "always"), {"NO_COLOR": "1", "TERM": "dumb"}, True),
    "--color never": (("--color", "never"), {}, False),
}


@pytest.mark.parametrize(("words", "environment", "coloured"), WISHES.values(), ids=WISHES)
def test_a_terminal_has_colour_but_where_it_is_not_wanted(
    kdelta: Kdelta,
    filled: Path,
    on_terminal: pytest.MonkeyPatch,
    words: Sequence[str],
    environment: Mapping[str, str],
    coloured: bool,
) -> None:
    for name, value in environment.items():
        on_terminal.setenv(name, value)
    assert ("\x1b[" in kdelta(*words, "compare").out) is coloured


@pytest.mark.parametrize(("words", "coloured"), [((), False), (("--color", "always"), True)], ids=["auto", "always"])
def test_a_file_has_colour_only_where_it_is_asked_for(
    kdelta: Kdelta, filled: Path, monkeypatch: pytest.MonkeyPatch, words: Sequence[str], coloured: bool
) -> None:
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("FORCE_COLOR", "1")
    assert ("\x1b[" in kdelta(*words, "compare").out) is coloured


FORMS = ("compare", "compare --gate", "compare --form min", "compare --form range", "diffprofile", "profile -b null")


@pytest.mark.parametrize("words", FORMS)
def test_a_report_in_colour_is_the_same_text(kdelta: Kdelta, filled: Path, words: str) -> None:
    plain, coloured = (kdelta("--color", when, *words.split()).out for when in ("never", "always"))
    assert SEQUENCE.sub("", coloured) == plain


def test_json_never_has_colour(kdelta: Kdelta, filled: Path) -> None:
    assert kdelta("--color", "always", "compare", "--json").out == kdelta("compare", "--json").out


def test_a_warning_has_colour_and_an_error_tells_its_advice_without(kdelta: Kdelta, on_terminal: pytest.MonkeyPatch) -> None:
    terminal.warn("half of it")
    result = kdelta("compare", "7")
    assert result.err.startswith("\x1b[1;35mWARNING\x1b[0m: half of it\nkdelta: the store holds no run yet\n  ")


@pytest.mark.parametrize(("environment", "coloured"), [({}, True), ({"NO_COLOR": "1"}, False)], ids=["nothing", "NO_COLOR"])
def test_it_is_so_on_a_real_terminal(kdelta: Kdelta, filled: Path, environment: Mapping[str, str], coloured: bool) -> None:
    written = in_terminal(["compare"], 100, environment)
    assert (("\x1b[" in written), SEQUENCE.sub("", written)) == (coloured, kdelta("compare").out)


def test_a_report_fits_into_a_narrow_terminal(filled: Path) -> None:
    assert max(map(len, in_terminal(["compare"], 72, {"NO_COLOR": "1"}).splitlines())) <= 72


def test_a_colour_that_is_not_known_is_misuse(kdelta: Kdelta) -> None:
    result = kdelta("--color", "blue", "runs")
    assert result.code == 2
    assert "'blue' is not one of 'auto', 'always', 'never'" in result.err


def test_the_colour_of_one_command_is_not_that_of_the_next(kdelta: Kdelta, filled: Path) -> None:
    kdelta("--color", "always", "compare")
    assert click.get_current_context(silent=True) is None
    assert "\x1b" not in kdelta("compare").out


# ---- width ----

WIDTHS = {"narrow": ("40", 60), "usual": ("80", 80), "wide": ("250", 100), "nonsense": ("x", 100)}


@pytest.mark.parametrize(("columns", "width"), WIDTHS.values(), ids=WIDTHS)
def test_a_report_is_as_wide_as_the_terminal_within_bounds(on_terminal: pytest.MonkeyPatch, columns: str, width: int) -> None:
    on_terminal.setenv("COLUMNS", columns)
    assert terminal.width() == width


def test_a_file_is_as_wide_whatever_the_window_is(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "70")
    assert (terminal.columns(), terminal.width()) == (None, 100)


MANY = plan([f"v6.{minor}" for minor in range(30)])


def test_a_list_of_runs_fits_into_a_terminal(kdelta: Kdelta, store: Path) -> None:
    begun(store)
    [line] = in_terminal(["runs"], 70, {}).splitlines()
    assert len(line) == 70
    assert line.startswith("   1  2024-02-29T12:34  0/30 boots  1 benchmarks  v6.0, v6.1, ")
    assert line.endswith("...")


def test_a_list_of_runs_that_another_program_reads_is_whole(kdelta: Kdelta, store: Path) -> None:
    begun(store)
    assert kdelta("runs").out.endswith(", v6.28, v6.29\n")


def begun(place: Path) -> None:
    kernels = {one.name: kernel() for one in MANY.variants}
    with closing(open_store(str(place))) as opened:
        opened.begin(MANY, kernels, uuid="u", started="2024-02-29T12:34:56+00:00", kdelta_version="0")


# ---- texts of others ----

HOSTILE = "\x1b]0;title\x07\x1b[2J\x1b[31mred\0\b\r\x7f\x9b5m\u202e\u2066evil[/red][bold]"
"""Renames and clears a terminal, paints, deletes, and turns the direction of writing; and markup of a library."""
OLD, NEW = f"old{HOSTILE}", f"new{HOSTILE}"
NULL, CTX = f"null{HOSTILE}", f"ctx{HOSTILE}"


def _boot(scale: float) -> Boot:
    good = boot(
        {NULL: [100.0 * scale, 101.0 * scale, 100.0 * scale]},
        profiles=[profile({f"schedule{HOSTILE}": round(1000 * scale), "fork": 500}, name=NULL)],
        warnings=[f"warned {HOSTILE}"],
    )
    return msgspec.structs.replace(
        good,
        cells=(*good.cells, Cell(CTX, CellState.FAILED, f"exit status 1: {HOSTILE}")),
        stacks=(stacks({f"do_fork{HOSTILE};schedule{HOSTILE}": 100}, name=NULL),),
        environment={"qemu": HOSTILE, HOSTILE: str(scale)},
    )


@pytest.fixture
def hostile(store: Path) -> Path:
    """A store of others: every text in it acts on terminals."""
    of = plan((OLD, NEW), (NULL, CTX), seeds=4)
    odd = msgspec.structs.replace(kernel(HOSTILE, HOSTILE), version=HOSTILE)
    with closing(open_store(str(store))) as opened:
        run = opened.begin(of, {OLD: odd, NEW: odd}, uuid="u", started="2024-02-29T12:34:56+00:00", kdelta_version="0")
        for slot in slots(of):
            came = _boot(1.5 if slot.variant == NEW else 1.0)
            lost = msgspec.structs.replace(came, outcome=Outcome.LOST, reason=f"gone {HOSTILE}", cells=(), samples=())
            opened.add(run.id, slot, odd, lost if slot.seed == 4 else came)
    return store


# command -> words; an argument of several words is one
COMMANDS: dict[str, Sequence[str]] = {
    "verdicts": ("compare", "--gate"),
    "pairs": ("compare", "--axis", "pairs"),
    "another base": ("compare", "--base", NEW),
    "values": ("compare", "--form", "min"),
    "ranges": ("compare", "--form", "range"),
    "a list of runs": ("runs",),
    "a profile": ("profile", "-b", NULL),
    "a charged profile": ("profile", "-b", NULL, "--charge", "schedule*"),
    "a difference": ("diffprofile", OLD, NEW, "-b", NULL),
    "an unknown base": ("compare", "--base", f"no{HOSTILE}"),
    "an unknown variant": ("profile", f"no{HOSTILE}", "-b", NULL),
    "a threshold of nothing": ("compare", "--gate", "--threshold", f"no{HOSTILE}=2%"),
    "an unknown command": (f"no{HOSTILE}",),
    "a word too many": ("runs", f"more{HOSTILE}"),
    "an unknown option": ("runs", f"--no{HOSTILE}"),
    "an unknown file": ("profile", "--file", f"no{HOSTILE}".replace("\0", "")),
    "an unknown kernel": ("run", "-k", HOSTILE, "--exact"),
    "kernels": ("kernels",),
}


def acting(text: str) -> list[str]:
    """What in `text` is no letter, sign or line end."""
    return [one for one in text if not one.isprintable() and one != "\n"]


@pytest.mark.parametrize("words", COMMANDS.values(), ids=COMMANDS)
def test_nothing_that_others_wrote_acts_on_the_terminal(
    kdelta: Kdelta, hostile: Path, monkeypatch: pytest.MonkeyPatch, words: Sequence[str]
) -> None:
    found = Package(name=HOSTILE, version=HOSTILE, sha256="00", size=1, series="6.1", flavour="generic", order=(6, 1))
    monkeypatch.setattr("kdelta.kernel.apt.available", lambda: (found,))
    result = kdelta(*words)
    assert acting(result.out + result.err) == []
    assert "\\x1b" in result.out + result.err


def test_what_is_painted_is_never_what_others_wrote(kdelta: Kdelta, hostile: Path) -> None:
    out = kdelta("--color", "always", "compare").out
    assert acting(SEQUENCE.sub("", out)) == []
    assert {word for _, word in re.findall(r"\x1b\[([0-9;]+)m(.*?)\x1b\[0m", out)} <= {
        "slower",
        "no value",
        "failed",
        "lost",
        "Warning",
        "WARNING",
    } | {"nothing was measured", "without a value"}


def test_a_base_and_a_threshold_are_named_as_the_store_names_them(kdelta: Kdelta, hostile: Path) -> None:
    result = kdelta("compare", "--base", NEW, "--gate", "--threshold", f"{NULL}=2%")
    assert "it guards nothing" not in result.out
    shown = re.findall(r"^(old\S*) against (new\S*):$", result.out, re.MULTILINE)
    assert len(shown) == 1


def test_data_have_the_names_as_they_are(kdelta: Kdelta, hostile: Path) -> None:
    found = msgspec.json.decode(kdelta("compare", "--json").out)
    assert [one["name"] for one in found["plan"]["variants"]] == [OLD, NEW]
    assert {one["variant"] for one in found["boots"]} == {OLD, NEW}


def test_what_a_program_of_a_guest_said_does_not_act_either(kdelta: Kdelta, monkeypatch: pytest.MonkeyPatch) -> None:
    lost = BootReport(outcome=Outcome.LOST, reason=HOSTILE)
    loud = BootReport(outcome=Outcome.DONE, programs=((ProgramRun(ended=True, status=1, stderr=HOSTILE),),))
    monkeypatch.setattr(Lab, "mishaps", {("old", 1): loud, ("old", 2): lost})
    monkeypatch.setattr("kdelta.cli.measure.ExactBox", Lab)
    monkeypatch.setattr("kdelta.cli.measure.resolve", lambda spec: kernel("old"))
    result = kdelta("run", "-k", "old=path:old", "-b", "null", "--exact", "--seeds", "2", "--jobs", "1")
    assert (result.code, acting(result.out + result.err)) == (3, [])
    assert "[/red]" in result.err


def test_what_doctor_found_does_not_act_either(kdelta: Kdelta, monkeypatch: pytest.MonkeyPatch) -> None:
    found = Finding("profiles", State.PARTLY, HOSTILE, HOSTILE)
    monkeypatch.setattr("kdelta.cli.doctor.CHECKS", (("profiles", lambda: found, State.MISSING),))
    result = kdelta("--color", "always", "doctor")
    assert (result.code, acting(SEQUENCE.sub("", result.out))) == (0, [])
    assert result.out.startswith("\x1b[35mpartly\x1b[0m   profiles: \\x1b]0;title")


def test_a_letter_that_the_locale_has_not_costs_no_report(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    path = tmp_path / "out"
    with path.open("w", encoding="ascii") as stream:
        monkeypatch.setattr(sys, "stdout", stream)
        terminal.say("größe\n")
    assert path.read_text() == "gr\\xf6\\xdfe\n"
