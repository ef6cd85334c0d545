"""The tables of five mails on LKML, character for character, in mails that are made of their figures.

Each golden holds the tables of one mail, a blank line between them: of Martin J. Bligh (2004: seed_000; 2003: seed_002), Ingo
Molnar (2006: seed_001), Srivatsa S. Bhat (2012: seed_003) and Nick Piggin (2007: seed_004). Blanks at the ends of their lines are
gone, and so is what quoted them. What else differs:

* Percentages of Molnar's tables were computed from more digits than are shown: see BEHIND_ATHLON, BEHIND_UP and SMPNICE.
* The rows of his third table are in another order than those of the others: it is a run of its own.
* A function that one side does not have is `new` or `gone` here; the old tool counted it as 0, and so do the figures here.
* Of two functions with the same difference the first by name comes first here: TIED stand the other way round in 2003's.
* 2003's first table of kernbench and that of SDET are from one mail, and here they are of one run.
* The list of counts of 2003 is what readprofile prints, and no report of a run: it is made on its own.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache

import pytest
from tests.unit.golden import GOLDENS
from tests.unit.posted import BLIGH, SMPNICE, Posted, kernbench_of_2004, sdet_of_2004
from tests.unit.posted_seeds import (
    BEHIND_ATHLON,
    BEHIND_UP,
    RAW_PROFILE,
    RAW_TOTAL,
    difference,
    ext3,
    lock_page_on_both,
    on_hyperthreads,
    on_one_cpu,
    on_two_cores,
    sorted_buddy_kernels,
    where,
)
from tests.unit.verdicts import ON_ATHLON, ON_UP

from kdelta.inquiry.dossier import Question, gather
from kdelta.profile.explained import Where
from kdelta.report.diffprofile import render_counts
from kdelta.report.mail import render


def blocks(name: str) -> list[str]:
    return (GOLDENS / f"{name}.txt").read_text().removesuffix("\n").split("\n\n")


def mail(of: Posted, *, statistic: str | None = None, shapes: Sequence[str] = (), wheres: Sequence[Where] = ()) -> str:
    return render(gather(of.run, of.records, (), Question(statistic=statistic)), wheres, shapes, rows=60)


OF_2004, OF_2003 = blocks("seed_000"), blocks("seed_002")
# Of the second difference of 2004 only what shrank was posted.
KERNBENCH_PROFILE, SDET_PROFILE, CHARGED_PROFILE = OF_2004[11], OF_2004[12], OF_2003[4]


TIED = ("       106     0.8% cpu_idle", "       106   963.6% __posix_lock_file")


def by_name(block: str) -> str:
    """Equal differences in their order here."""
    return block.replace("\n".join(TIED), "\n".join(reversed(TIED)))


def profiled(benchmark: str, block: str, new: str) -> Where:
    return where(benchmark, difference([line for line in block.split("\n") if line != "..."], new))


Made = Callable[[], str]
MAILS: dict[str, tuple[Made, Sequence[str]]] = {
    "kernbench, 2004": (lambda: mail(kernbench_of_2004()), OF_2004[:3]),
    "SDET, 2004": (lambda: mail(sdet_of_2004()), OF_2004[3:11]),
    "profiles, 2004": (
        lambda: mail(
            kernbench_of_2004(),
            wheres=[profiled("kernbench-2x", KERNBENCH_PROFILE, BLIGH[2]), profiled("sdet-8", SDET_PROFILE, BLIGH[2])],
        ),
        OF_2004[11:],
    ),
    "two processors of two threads, 2006": (lambda: mail(on_hyperthreads(), statistic="min"), blocks("seed_001")[:1]),
    "one processor of two cores, 2006": (lambda: mail(on_two_cores(), statistic="min"), blocks("seed_001")[1:2]),
    "one CPU, 2006": (lambda: mail(on_one_cpu(), statistic="min"), blocks("seed_001")[2:]),
    "ext2 and ext3, 2003": (lambda: mail(ext3("2.5.66-mm2")), [OF_2003[0], OF_2003[3]]),
    "ext2 and ext3, earlier": (lambda: mail(ext3("2.5.61-mjb0.1")), OF_2003[1:2]),
    "ext2 and ext3, later": (lambda: mail(ext3("2.5.65-mjb1")), OF_2003[2:3]),
    "locks charged to their callers, 2003": (
        lambda: mail(ext3("2.5.66-mm2"), wheres=[profiled("sdet-32", CHARGED_PROFILE, "inlined")]),
        [by_name(CHARGED_PROFILE)],
    ),
    "kernbench.log, 2012": (lambda: mail(sorted_buddy_kernels(), shapes=["log"]), blocks("seed_003")),
    "ranges, 2007": (lambda: mail(lock_page_on_both(), shapes=["range"]), blocks("seed_004")),
}


@cache
def made(name: str) -> str:
    return MAILS[name][0]()


def each_block() -> Iterator[object]:
    for name, (_, expected) in MAILS.items():
        for place, block in enumerate(expected):
            yield pytest.param(name, block, id=f"{name}, {place + 1}")


@pytest.mark.parametrize(("name", "block"), list(each_block()))
def test_a_mail_holds_the_posted_table_to_the_character(name: str, block: str) -> None:
    assert f"\n{block}\n" in made(name)


def test_all_tables_of_the_mails_are_looked_for() -> None:
    expected = sum(len(found) for _, found in MAILS.values()) + 1
    assert expected == sum(len(blocks(f"seed_00{place}")) for place in range(5))


def test_the_order_of_equal_differences_is_all_that_differs_in_a_profile() -> None:
    assert sorted(by_name(CHARGED_PROFILE).split("\n")) == sorted(CHARGED_PROFILE.split("\n"))
    assert by_name(CHARGED_PROFILE) != CHARGED_PROFILE


def test_a_list_of_counts_is_that_of_readprofile() -> None:
    rest = RAW_TOTAL - sum(RAW_PROFILE.values())
    small = {f"rest_{place}": rest // 50 for place in range(50)} | {"rest": rest % 50}
    assert render_counts(RAW_PROFILE | small, len(RAW_PROFILE)) == f"{OF_2003[5]}\n"


ODD: dict[str, tuple[Mapping[str, Sequence[float]], Mapping[tuple[str, int], float]]] = {
    "HT P4-Xeon": (SMPNICE, {("syscall-open", 2): 4.817}),
    "dual-core Athlon64": (ON_ATHLON, BEHIND_ATHLON),
    "P4": (ON_UP, BEHIND_UP),
}


@pytest.mark.parametrize(("box", "place"), list(zip(ODD, range(3), strict=True)))
def test_only_the_listed_percentages_do_not_follow_from_what_is_shown_beside_them(box: str, place: int) -> None:
    behind = ODD[box][1]
    odd = set()
    for line in blocks("seed_001")[place].split("\n")[4:]:
        name, base, *cells = line.replace("(", " ").replace("%)", "").replace(":", "").split()
        for column, (value, percent) in enumerate(zip(cells[::2], cells[1::2], strict=True), start=1):
            if int(100.0 * (float(value) - float(base)) / float(base)) != int(percent):
                odd.add((name, column))
    assert odd == {key for key in behind if key[1] > 0}


@pytest.mark.parametrize("box", ODD)
def test_what_stands_behind_an_odd_percentage_is_shown_as_the_mail_shows_it(box: str) -> None:
    """No digit that was posted is altered."""
    values, behind = ODD[box]
    assert [f"{value:.2f}" for value in behind.values()] == [f"{values[name][place]:.2f}" for name, place in behind]
