"""A run as a mail: whole mails, and what holds for every one of them."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from functools import cache

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.unit.builders import benchmark, kernel, run_record
from tests.unit.golden import check
from tests.unit.judged import boots, noisy, planned
from tests.unit.posted import NUMAQ, Posted, Results, build, kernbench_of_2004, posted, sdet_of_2004, smpnice, sorted_buddy
from tests.unit.posted_seeds import DUAL_CORE, HYPERTHREADED, difference, lock_page_on_both, on_one_cpu, where
from tests.unit.test_explained import LOCKED, RENAMED, SAME, profiled

from kdelta.inquiry.dossier import Question, gather
from kdelta.inquiry.explained import Asked, explain
from kdelta.model.benchmark import Command
from kdelta.model.dossier import Dossier
from kdelta.model.errors import MisuseError
from kdelta.model.plan import LOCAL, BoxSpec
from kdelta.model.record import BootRecord
from kdelta.plan.twin import against_itself
from kdelta.profile.explained import Where
from kdelta.profile.leaves import leaves
from kdelta.report.mail import render
from kdelta.report.mail.places import called
from kdelta.report.mail.sealed import MAIL, sealed
from kdelta.report.mail.subject import WIDTH, subject
from kdelta.report.presentable import TEXT_NAME, presentable
from kdelta.workload.catalogue import by_name

XEON, P4 = BoxSpec(name="xeon", kind=LOCAL, cpus=4), BoxSpec(name="p4", kind=LOCAL)
RATIOS = {"null": 1.0, "ctx-2": 1.12, "proc-fork": 0.9, "mmap": 1.01}


def two_boxes() -> Dossier:
    """Time: a benchmark that failed once on one box, a round far from the others, and a fact that differs though nobody asked."""
    plan = planned(("6.1", "6.12"), tuple(RATIOS), rounds=5, boxes=(XEON, P4))
    records: list[BootRecord] = []
    for box, facts, seed in ((XEON, HYPERTHREADED, 1), (P4, {"processor": "Pentium 4"}, 30)):
        noise = {("6.1", name): noisy(5, sd=0.002, seed=seed + place) for place, name in enumerate(RATIOS)}
        noise |= {
            ("6.12", name): noisy(5, ratio=ratio, sd=0.04 if name == "mmap" else 0.002, seed=seed + 10 + place)
            for place, (name, ratio) in enumerate(RATIOS.items())
        }
        values: dict[tuple[str, str], list[float | None]] = {key: list(column) for key, column in noise.items()}
        if box is XEON:
            values["6.12", "mmap"][2] = None
            values["6.12", "null"][3] = 1400.0
        pages = {name: {**facts, "transparent huge pages": said} for name, said in (("6.1", "always"), ("6.12", "madvise"))}
        records += boots(plan, values, box=box.name, environment=pages if box is XEON else {name: facts for name in pages})
    late = msgspec.structs.replace(records[-1].boot, warnings=("2 of 4 CPUs were busy before",))
    records[-1] = msgspec.structs.replace(records[-1], boot=late)
    return gather(run_record(plan), records)


def exact() -> Dossier:
    plan = planned(("6.1", "6.12"), ("null", "proc-fork"), rounds=5)
    values = {("6.1", name): noisy(5, sd=0.0005, seed=place) for place, name in enumerate(("null", "proc-fork"))}
    values |= {("6.12", "null"): noisy(5, sd=0.0005, seed=7), ("6.12", "proc-fork"): noisy(5, ratio=1.07, sd=0.0005, seed=8)}
    facts = {name: {"qemu": "7.2.22 (Debian 1:7.2+dfsg-7)"} for name in ("6.1", "6.12")}
    return gather(run_record(plan), boots(plan, values, environment=facts))


def in_functions(charge: str = "") -> tuple[Where, ...]:
    """A function was renamed, one takes more, and locks are taken by two."""
    old = profiled("6.1", RENAMED[0] | SAME | LOCKED, build_id="a", metric=(1180.0,) * 3)
    more = {**SAME, "do_syscall_64": 1700, **LOCKED, "do_exit;_raw_spin_lock": 900}
    new = profiled("6.12", RENAMED[1] | more, build_id="b", metric=(1330.0,) * 3)
    return (Where("exact", "proc-fork", explain(old, new, Asked(charge=leaves(charge) if charge else None))),)


def against_each_other() -> Dossier:
    plan = against_itself(planned(("6.1",), ("null", "ctx-2"), rounds=5))
    values = {(one.name, name): noisy(5, sd=0.004, seed=ord(name[0]) + len(one.name)) for one in plan.variants for name in RATIOS}
    return gather(run_record(plan, {one.name: kernel("6.1.0") for one in plan.variants}), boots(plan, values))


def one_column() -> Dossier:
    plan = planned(("6.1",), tuple(RATIOS), rounds=3, boxes=(XEON,))
    records = boots(plan, {("6.1", name): noisy(3) for name in RATIOS}, box="xeon")
    return gather(run_record(plan), records)


ODD = "\u202eFrom\n/etc/../<script>"
HOSTILE = (f"{ODD}{'x' * 10000}", "From the start", ".", "-- \u00e9\x00")


def hostile(names: Sequence[str] = HOSTILE, factor: float = 1.0) -> Dossier:
    """Two columns, a box and two benchmarks of these names, made fit for a mail."""
    old, new, place, *others = names
    box = BoxSpec(name=place, kind=LOCAL, cpus=2)
    plan = planned((old, new), tuple(dict.fromkeys((place, *others))), rounds=3, boxes=(box,))
    values = {
        (column, one.name): [factor * value for value in noisy(3, ratio=ratio, seed=seed)]
        for column, ratio in ((old, 1.0), (new, 1.5))
        for seed, one in enumerate(plan.benchmarks)
    }
    run, records = presentable(run_record(plan), boots(plan, values, box=place), ascii_only=True, most=TEXT_NAME)
    return gather(run, records)


@cache
def mails() -> dict[str, str]:
    return {
        "two_boxes": render(two_boxes()),
        "exact": render(exact(), in_functions()),
        "charged": render(exact(), in_functions("locks"), ["verdict"]),
        "aa": render(against_each_other()),
        "one_column": render(one_column()),
        "hostile": render(hostile()),
    }


EACH = pytest.mark.parametrize("name", ["two_boxes", "exact", "charged", "aa", "one_column", "hostile"])


@EACH
def test_a_whole_mail_reads_as_kept(name: str) -> None:
    check(f"mail_{name}", mails()[name])


def faults(text: str) -> list[str]:
    """Lines that a mail must not have."""
    lines = text.split("\n")
    bad = re.compile(rf".{{{MAIL + 1}}}|.*[^ -~]|.* $|From |\.(?!\.\.$)|-- ?$", re.DOTALL)
    return [line for line in lines if bad.match(line)] + [text[-20:]] * (not text.endswith("\n") or text.endswith("\n\n"))


@EACH
def test_a_mail_is_narrow_ascii_without_blanks_at_the_end_of_lines(name: str) -> None:
    assert faults(mails()[name]) == []


NAME = st.text(st.characters(codec=None), min_size=1, max_size=60)
NAMES = st.lists(NAME | st.sampled_from(HOSTILE), min_size=4, max_size=5, unique=True)


@given(NAMES, st.sampled_from([1e-9, 1.0, 1e9, 1e200]), st.sampled_from([(), ("min",), ("range",), ("verdict",)]))
@settings(max_examples=60, deadline=None)
def test_no_name_and_no_value_makes_a_mail_that_cannot_be_posted(names: list[str], factor: float, shapes: tuple[str, ...]) -> None:
    assert faults(render(hostile(names, factor), shapes=shapes)) == []


@given(st.lists(st.text(), max_size=3))
def test_whatever_is_in_a_line_is_made_fit(parts: list[str]) -> None:
    assert faults(sealed(parts)) == []


@pytest.mark.parametrize(
    ("line", "found"),
    [
        ("From here on", " From here on"),
        (".", " ."),
        (".text.lock", " .text.lock"),
        ("-- ", " --"),
        ("...", "..."),
        ("-----", "-----"),
        ("a\xa0b", "a b"),
        ("gr\u00f6\u00dfe", "gr\\xf6\\xdfe"),
    ],
)
def test_lines_that_mean_something_to_mail_programs_are_moved_by_a_blank(line: str, found: str) -> None:
    assert sealed([line]) == f"{found}\n"


def test_rows_of_a_mail_are_not_broken_by_the_last_guard() -> None:
    """With names as long as they can be, each row still has all of its cells."""
    names = [f"{letter * 50}" for letter in "abcd"]
    text = render(hostile(names))
    assert len(re.findall(r"^ *\S+: +[\d.]+ +[\d.]+ \( ?-?\d+%\)$", text, re.MULTILINE)) == 2
    assert len(re.findall(r"^ +\S+: +\+\d.*\] +(?:slower|undecided) ", text, re.MULTILINE)) == 2


def test_the_same_run_gives_the_same_mail() -> None:
    assert render(two_boxes()) == render(two_boxes())


# ---- the subject ----


def failing() -> Dossier:
    """Of two benchmarks one has no value in the new column."""
    plan = planned(names=("null", "mmap"), rounds=3)
    values = {("old", "null"): noisy(3), ("new", "null"): noisy(3, ratio=1.5, seed=2), ("old", "mmap"): noisy(3, seed=3)}
    return gather(run_record(plan), boots(plan, {**values, ("new", "mmap"): [None] * 3}))


SUBJECTS = {
    "without a value": (failing, "new against old: 1 of 2 slower, 1 without a value"),
    "instructions": (exact, "6.12 against 6.1: 1 of 2 slower, 1 equivalent (instructions)"),
    "itself": (against_each_other, "6.1 against itself: 0 of 2 contrasts flagged"),
    "one column": (one_column, "6.1: 4 benchmarks on 1 box, nothing to compare with"),
    "a single contrast": (
        lambda: gather(sorted_buddy().run, sorted_buddy().records),
        "Sorted-buddy against Vanilla 3.7-rc3: undecided",
    ),
    "many columns": (lambda: gather(smpnice().run, smpnice().records), "3 kernels against v2.6.15: all 36 undecided"),
}


@pytest.mark.parametrize("name", SUBJECTS)
def test_the_subject_says_what_changed_against_what(name: str) -> None:
    make, expected = SUBJECTS[name]
    assert subject(make()) == f"Subject: {expected}"


@given(NAMES)
@settings(max_examples=40, deadline=None)
def test_a_subject_is_one_line_that_fits(names: list[str]) -> None:
    found = subject(hostile(names))
    assert len(found) <= WIDTH
    assert found.isprintable()


# ---- which shapes ----


def both() -> Dossier:
    """A run of kernbench and of another benchmark."""
    null = by_name()["ctx-2"]
    visits: Mapping[str, Sequence[Mapping[str, Results]]] = {
        name: [{"kernbench-2x": build(45.0, 90.0, 580.0, 1480.0), null.name: {"time": [1000.0, 1001.0]}}] for name in ("a", "b")
    }
    found = posted([by_name()["kernbench-2x"], null], visits, box=NUMAQ)
    return gather(found.run, found.records)


def dossier(found: Posted) -> Dossier:
    return gather(found.run, found.records)


SHAPES = {"min": "   MEDIAN ", "kernbench": "Kernbench: (", "sdet": "SDET 1  (", "log": "Kernbench log for", "range": "1.67-1.69"}


@pytest.mark.parametrize(
    ("make", "shapes", "shown"),
    [
        (both, (), ["min", "kernbench"]),
        (both, ("log",), ["min", "log"]),
        (both, ("kernbench", "min"), ["min", "kernbench"]),
        (lambda: dossier(kernbench_of_2004()), (), ["kernbench"]),
        (lambda: dossier(kernbench_of_2004()), ("min",), ["min"]),
        (lambda: dossier(sdet_of_2004()), (), ["sdet"]),
        (lambda: dossier(lock_page_on_both()), ("range",), ["range"]),
        (lambda: dossier(lock_page_on_both()), ("verdict",), []),
        (one_column, ("verdict",), ["min"]),
    ],
)
def test_each_program_has_its_shape_and_no_benchmark_is_lost(
    make: Callable[[], Dossier], shapes: tuple[str, ...], shown: list[str]
) -> None:
    text = render(make(), shapes=shapes)
    assert [shape for shape, word in SHAPES.items() if word in text] == shown


def test_the_posted_table_of_values_stands_right_below_the_title_whatever_was_asked_for_first() -> None:
    text = render(both(), shapes=["kernbench", "min"])
    assert re.search(r"^16-way NUMA-Q box: +\(smaller is better\)\n=+\n   MEDIAN ", text, re.MULTILINE)


def test_of_many_functions_that_were_charged_the_first_are_named() -> None:
    chains = {f"do_fork;_raw_{kind}_lock": 500 - place for place, kind in enumerate(("spin", "read", "write"))}
    sides = [profiled(name, {**chains, "do_fork;_raw_spin_trylock": 1, **SAME}) for name in ("6.1", "6.12")]
    found = Where("exact", "proc-fork", explain(sides[0], sides[1], Asked(charge=leaves("locks"))))
    assert "1 caller: _raw_spin_lock, _raw_read_lock, _raw_write_lock, 1 more, " in flat(render(exact(), [found]))


def test_a_mail_about_two_runs_says_so_and_speaks_of_no_common_rounds() -> None:
    found = exact()
    plan = msgspec.structs.replace(found.run.plan, apart=True)
    text = flat(render(msgspec.structs.replace(found, run=msgspec.structs.replace(found.run, plan=plan))))
    assert "Columns of two runs, measured with kdelta" in text
    assert "the columns have no rounds in common" in text
    assert "In each round" not in text


def test_a_users_own_command_is_not_shown_as_the_program_that_it_names() -> None:
    own = msgspec.structs.replace(benchmark("mine", program="kernbench"), command=Command(words=("make",)))
    plan = msgspec.structs.replace(planned(rounds=1), benchmarks=(own,))
    text = render(gather(run_record(plan), boots(plan, {("old", "mine"): [1.0], ("new", "mine"): [1.0]})))
    assert "Kernbench: (" not in text


@pytest.mark.parametrize(("shape", "said"), [("log", "holds no benchmark of kernbench"), ("page", "there is no shape 'page'")])
def test_a_shape_that_a_run_cannot_have_is_an_error(shape: str, said: str) -> None:
    with pytest.raises(MisuseError, match=said):
        render(one_column(), shapes=[shape])


# ---- what boxes are called ----


def names_of(cpus: int, *topologies: str) -> str:
    box = BoxSpec(name="P4", kind=LOCAL, cpus=cpus)
    plan = planned(("a",), rounds=len(topologies), boxes=(box,))
    records = boots(plan, {("a", "null"): [1.0] * len(topologies)}, box="P4")
    placed = [
        msgspec.structs.replace(one, boot=msgspec.structs.replace(one.boot, environment={"topology": topology}))
        for one, topology in zip(records, topologies, strict=True)
    ]
    return called(box, placed)


@pytest.mark.parametrize(
    ("cpus", "topologies", "name"),
    [
        (4, (HYPERTHREADED["topology"],), "2/4-way P4 box"),
        (2, (DUAL_CORE["topology"],), "1/2-way P4 box"),
        (1, ("1 socket, 1 core, 1 thread",), "1-way P4 box"),
        (2, ("2 sockets, 2 cores, 2 threads",), "2-way P4 box"),
        (4, ("", ""), "4-way P4 box"),
        (4, ("1 socket, 4 cores, 4 threads", "2 sockets, 4 cores, 4 threads"), "4-way P4 box"),
        (2, ("1 socket, 4 cores, 8 threads",), "2-way P4 box"),
    ],
)
def test_a_box_is_called_by_its_processors_and_cpus_where_these_differ(cpus: int, topologies: tuple[str, ...], name: str) -> None:
    """The one reading that gives all three titles of Molnar's mail: 2/4-way of two processors with two threads each, 1/2-way of
    one with two cores, 1-way. Cores and threads would make the second 2-way.
    """
    assert names_of(cpus, *topologies) == name


# ---- what stands around the tables ----


def flat(text: str) -> str:
    return " ".join(text.split())


def test_the_method_tells_what_ran_and_what_was_thrown_away() -> None:
    text = flat(render(gather(smpnice().run, smpnice().records, (), Question(statistic="min"))))
    assert "[ Test method: 12 benchmarks of 4 kernels on 1 box, 4 visits (one round: " in text
    assert "Each benchmark: until 3 results in a row lie within 1.00%, at most 15 in a visit." in text
    assert "240 taken, 144 judged; not judged: 48 warm-ups, 48 followed by 3 results within 1.00%." in text


def test_settings_of_one_kernel_are_columns_and_no_kernels() -> None:
    plan = planned(rounds=1)
    found = gather(run_record(plan, {one.name: kernel() for one in plan.variants}), boots(plan, {("old", "null"): [1.0]}))
    assert "\nThe columns:\n" in render(found)


def test_units_are_said_for_each_box_where_they_differ() -> None:
    lab = BoxSpec(name="lab")
    plan = planned(rounds=1, boxes=(XEON, lab))
    records = [one for box in plan.boxes for one in boots(plan, {("old", "null"): [1.0], ("new", "null"): [1.0]}, box=box.name)]
    text = flat(render(gather(run_record(plan), records)))
    assert "Units on the 4-way xeon box: us per operation. Units on the 1-way lab box: instructions per operation." in text


def test_a_profile_names_the_box_where_there_are_several() -> None:
    found = where("null", difference(["-100 -10.0% f", "-60 -5.0% total"], "6.12"), P4)
    assert "Diffprofile for null on p4 (-ve numbers better with 6.12)\n" in render(two_boxes(), [found])
    assert "Diffprofile for null (-ve numbers better with 6.12)\n" in render(dossier(on_one_cpu()), [found])
