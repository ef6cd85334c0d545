"""Hidden variation: what differs between columns is said, what was asked for or varies by nature is not."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.unit.builders import boot, failed_boot, plan, record, variant

from kdelta.box import observe
from kdelta.judge.residue import residue
from kdelta.model.boot import Boot
from kdelta.model.plan import BoxSpec, Plan
from kdelta.model.record import BootRecord
from kdelta.model.variant import Mount, Variant

LOCAL = BoxSpec(name="local", kind="local")
EXACT = BoxSpec(name="exact", kind="exact")
Facts = dict[str, str]


def of(*variants: Variant) -> Plan:
    """All of the same kernel, so that nothing but their settings tells them apart."""
    same = tuple(msgspec.structs.replace(one, kernel="running") for one in variants)
    return msgspec.structs.replace(plan(boxes=(LOCAL, EXACT)), variants=same)


def visits(name: str, *facts: Facts, box: str = "local") -> list[BootRecord]:
    """A visit of `name` for each of `facts`."""
    base = boot({"null": (1.0,)})
    return [
        record(msgspec.structs.replace(base, environment=found), name, seed=seed, box=box)
        for seed, found in enumerate(facts, start=1)
    ]


def said(of_old: Sequence[Facts], of_new: Sequence[Facts], *, new: Variant | None = None) -> tuple[str, ...]:
    """Of the columns old, which asks for nothing, and new."""
    return residue(of(variant("old"), new or variant("new")), "local", [*visits("old", *of_old), *visits("new", *of_new)])


# ---- said ----


def test_equal_machines_leave_nothing_to_say() -> None:
    facts = {"microcode": "0x1", "governor": "performance", "command line": "quiet"}
    assert said([facts] * 3, [facts] * 3) == ()


def test_a_fact_that_differs_between_columns_is_said_with_its_values() -> None:
    assert said([{"microcode": "0x1"}] * 2, [{"microcode": "0x2"}] * 2) == (
        "microcode differs between the columns: 0x1 for old; 0x2 for new",
    )


def test_a_fact_that_differs_in_some_visits_is_said_with_how_many() -> None:
    one, two = {"microcode": "0x1"}, {"microcode": "0x2"}
    assert said([one] * 6, [one, one, one, two, two, two]) == (
        "microcode differs between the columns: 0x1 for old, new (3 of 6 visits); 0x2 for new (3 of 6 visits)",
    )


def test_a_fact_that_differs_alike_in_each_column_is_no_difference_of_the_columns() -> None:
    both = [{"governor": "performance"}, {"governor": "powersave"}]
    assert said(both, both) == (
        "governor differs between visits, in each column alike: performance for old (1 of 2 visits), new (1 of 2 visits);"
        " powersave for old (1 of 2 visits), new (1 of 2 visits)",
    )


def test_a_fact_that_differs_inside_the_only_column_is_said() -> None:
    records = visits("old", {"microcode": "0x1"}, {"microcode": "0x2"})
    assert residue(of(variant("old")), "local", records) == (
        "microcode differs inside old: 0x1 for old (1 of 2 visits); 0x2 for old (1 of 2 visits)",
    )


def test_what_is_missing_in_some_visits_is_not_taken_for_equal() -> None:
    assert said([{"microcode": "0x1", "SMT": "on"}], [{"microcode": "", "SMT": "on"}]) == (
        "microcode differs between the columns: 0x1 for old; not recorded for new",
    )


def test_a_visit_of_which_nothing_is_recorded_is_said_once() -> None:
    facts = {"microcode": "0x1", "SMT": "on", "governor": "performance"}
    assert said([facts, facts], [facts, {}]) == ("nothing is recorded of the machine for new (1 of 2 visits)",)


def test_a_column_of_which_nothing_is_recorded_is_compared_with_nothing() -> None:
    assert said([{"microcode": "0x1"}, {"microcode": "0x2"}], [{}]) == (
        "nothing is recorded of the machine for new",
        "microcode differs inside old: 0x1 for old (1 of 2 visits); 0x2 for old (1 of 2 visits)",
    )


def test_a_fact_that_nobody_foresaw_is_compared() -> None:
    assert said([{"phase of the moon": "full"}], [{"phase of the moon": "new"}]) == (
        "phase of the moon differs between the columns: full for old; new for new",
    )


def test_the_exact_lab_calls_its_visits_boots() -> None:
    records = [
        *visits("old", {"qemu": "7.2"}, {"qemu": "7.2"}, box="exact"),
        *visits("new", {"qemu": "7.2"}, {"qemu": "8.0"}, box="exact"),
    ]
    assert residue(of(variant("old"), variant("new")), "exact", records) == (
        "qemu differs between the columns: 7.2 for old, new (1 of 2 boots); 8.0 for new (1 of 2 boots)",
    )


# ---- not said ----


def test_boxes_are_not_compared_with_each_other() -> None:
    records = [*visits("old", {"SMT": "on"}), *visits("new", {"SMT": "on"}), *visits("new", {"SMT": "off"}, box="exact")]
    assert residue(of(variant("old"), variant("new")), "local", records) == ()


def test_a_visit_that_gives_the_table_no_value_is_left_out() -> None:
    broken: Boot = msgspec.structs.replace(failed_boot([]), environment={"SMT": "off"})
    records = [*visits("old", {"SMT": "on"}), *visits("new", {"SMT": "on"}), record(broken, "new", seed=2, box="local")]
    assert residue(of(variant("old"), variant("new")), "local", records) == ()


@pytest.mark.parametrize("fact", ["load before", "frequency after", "CPU time during", "temperature after", "guest memory"])
def test_the_state_of_the_moment_may_vary(fact: str) -> None:
    assert said([{fact: "1"}], [{fact: "2"}]) == ()


def test_each_kernel_may_keep_some_memory_for_itself() -> None:
    assert said([{"memory": "2000 MiB"}], [{"memory": "1910 MiB"}]) == ()


def test_a_missing_memory_module_is_said() -> None:
    assert said([{"memory": "16000 MiB"}], [{"memory": "15000 MiB"}]) == (
        "memory differs between the columns: 16000 MiB for old; 15000 MiB for new",
    )


def test_memory_that_is_not_recorded_is_near_to_nothing() -> None:
    assert said([{"memory": "2000 MiB", "SMT": "on"}], [{"SMT": "on"}]) != ()


# ---- asked for ----

# (what the column new asks for, the fact that it shows in)
ASKED: list[tuple[Variant, str]] = [
    (Variant(name="new", kernel="", cmdline=("mitigations=off",)), "vulnerability meltdown"),
    (Variant(name="new", kernel="", cmdline=("nopti",)), "vulnerability meltdown"),
    (Variant(name="new", kernel="", cmdline=("nosmt",)), "SMT"),
    (Variant(name="new", kernel="", cmdline=("nosmt=force",)), "topology"),
    (Variant(name="new", kernel="", cmdline=("clocksource=hpet",)), "guest clocksource"),
    (Variant(name="new", kernel="", cmdline=("transparent_hugepage=never",)), "transparent huge pages"),
    (Variant(name="new", kernel="", cmdline=("mem=4G",)), "memory"),
    (Variant(name="new", kernel="", cmdline=("intel_pstate=disable",)), "frequency driver"),
    (Variant(name="new", kernel="", sysctl={"kernel.randomize_va_space": "0"}), "ASLR"),
    (Variant(name="new", kernel="", file={"/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor": "powersave"}), "governor"),
    (Variant(name="new", kernel="", file={"/sys/devices/system/cpu/intel_pstate/no_turbo": "1"}), "turbo"),
    (Variant(name="new", kernel="", file={"/sys/devices/system/cpu/cpufreq/boost": "0"}), "turbo"),
    (Variant(name="new", kernel="", file={"/sys/kernel/mm/transparent_hugepage/enabled": "never"}), "transparent huge pages"),
    (Variant(name="new", kernel="", file={"/sys/devices/system/cpu/smt/control": "off"}), "SMT"),
    (Variant(name="new", kernel="", online="0-1"), "online CPUs"),
    (Variant(name="new", kernel="", online="0-1"), "NUMA nodes"),
    (Variant(name="new", kernel="", mount=Mount(type="ext4")), "file system"),
]


@pytest.mark.parametrize(("new", "fact"), ASKED, ids=[f"{fact} {number}" for number, (_, fact) in enumerate(ASKED)])
def test_what_a_variant_asks_for_is_not_hidden(new: Variant, fact: str) -> None:
    assert said([{fact: "1"}], [{fact: "2"}], new=new) == ()


@pytest.mark.parametrize("new", [new for new, _ in ASKED])
def test_what_it_does_not_ask_for_stays_hidden(new: Variant) -> None:
    assert len(said([{"microcode": "1"}], [{"microcode": "2"}], new=new)) == 1


@pytest.mark.parametrize("word", ["memtest_x", "specious", "tscale=1", "quiet"])
def test_a_word_that_only_looks_alike_asks_for_nothing(word: str) -> None:
    new = variant("new", cmdline=[word])
    assert len(said([{"memory": "1", "clocksource": "tsc"}], [{"memory": "2", "clocksource": "hpet"}], new=new)) == 2


def test_columns_that_ask_for_the_same_are_compared_with_each_other() -> None:
    asks = {"/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor": "performance"}
    columns = [variant("a"), *(Variant(name=name, kernel="", file=asks) for name in ("b", "c"))]
    governors = {"a": "powersave", "b": "performance", "c": "schedutil"}
    records = [one for name, governor in governors.items() for one in visits(name, {"governor": governor})]
    assert residue(of(*columns), "local", records) == ("governor differs between the columns: performance for b; schedutil for c",)


@pytest.mark.parametrize("fact", ["kernel release", "kernel version", "kernel configuration"])
def test_what_is_a_kernels_own_is_compared_between_columns_of_the_same_kernel(fact: str) -> None:
    records = [*visits("old", {fact: "1"}), *visits("new", {fact: "2"})]
    two_kernels = plan(boxes=(LOCAL,))
    assert (residue(two_kernels, "local", records), said([{fact: "1"}], [{fact: "2"}])) == (
        (),
        (f"{fact} differs between the columns: 1 for old; 2 for new",),
    )


def test_kernels_of_different_compilers_are_said() -> None:
    records = [*visits("old", {"kernel compiler": "gcc 12"}), *visits("new", {"kernel compiler": "gcc 14"})]
    assert residue(plan(boxes=(LOCAL,)), "local", records) == (
        "kernel compiler differs between the columns: gcc 12 for old; gcc 14 for new",
    )


# ---- command lines ----


@pytest.mark.parametrize("fact", ["command line", "guest command_line"])
def test_of_command_lines_only_the_words_that_differ_are_said(fact: str) -> None:
    assert said([{fact: "root=/dev/a quiet"}], [{fact: "quiet root=/dev/a debug nosmt"}]) == (
        f"{fact} differs between the columns: no other words for old; debug nosmt for new",
    )


def test_words_that_the_variant_asks_for_are_taken_off_its_command_line() -> None:
    lines = [{"command line": "quiet"}], [{"command line": "quiet init_on_alloc=0"}]
    assert said(*lines, new=variant("new", cmdline=["init_on_alloc=0"])) == ()


def test_a_word_that_is_there_once_more_than_asked_for_is_said() -> None:
    lines = [{"command line": "quiet"}], [{"command line": "quiet a=1 a=1"}]
    assert said(*lines, new=variant("new", cmdline=["a=1"])) == (
        "command line differs between the columns: no other words for old; a=1 for new",
    )


def test_the_image_the_padding_of_a_seed_and_the_memory_disk_are_not_compared() -> None:
    assert (
        said(
            [{"command line": "BOOT_IMAGE=/a initrd=b kdelta.padding=xx quiet"}],
            [{"command line": "kdelta.padding=x brd.rd_nr=1 quiet"}],
        )
        == ()
    )


def test_an_empty_rest_is_not_a_missing_command_line() -> None:
    assert said([{"command line": "quiet", "SMT": "on"}], [{"SMT": "on"}]) == (
        "command line differs between the columns: no other words for old; not recorded for new",
    )


# ---- mitigations ----


@pytest.mark.parametrize("idle", ["Not affected", "Vulnerable", ""])
def test_where_nothing_is_done_an_old_kernel_need_not_know_of_it(idle: str) -> None:
    known = {"vulnerability meltdown": "Mitigation: PTI"}
    assert said([known], [{**known, "vulnerability tsa": idle}]) == ()


def test_a_mitigation_that_an_old_kernel_does_not_know_is_said() -> None:
    known = {"vulnerability meltdown": "Mitigation: PTI"}
    assert said([known], [{**known, "vulnerability tsa": "Mitigation: Clear CPU buffers"}]) == (
        "vulnerability tsa differs between the columns: no mitigation for old; Mitigation: Clear CPU buffers for new",
    )


def test_where_no_vulnerability_could_be_read_none_is_taken_for_harmless() -> None:
    assert said([{"SMT": "on"}], [{"SMT": "on", "vulnerability tsa": "Not affected"}]) == (
        "vulnerability tsa differs between the columns: not recorded for old; no mitigation for new",
    )


# ---- with what is really recorded ----


@pytest.mark.skipif(not Path("/proc/stat").exists(), reason="needs a /proc")
def test_two_looks_at_this_machine_show_no_difference() -> None:
    looks = []
    for _ in range(2):
        before, facts = observe.snapshot(), observe.facts()
        looks.append({**facts, **observe.described(before, observe.snapshot())})
    assert said(looks[:1], looks[1:]) == ()


FACT_NAMES = st.sampled_from(["memory", "command line", "vulnerability tsa", "microcode", "load before", "größe"])
ENVIRONMENTS = st.lists(
    st.dictionaries(FACT_NAMES, st.text(max_size=5) | st.sampled_from(["1", "2 MiB", "Not affected"])), max_size=4
)


@given(ENVIRONMENTS, ENVIRONMENTS)
def test_any_environments_can_be_compared_and_equal_ones_are_equal(of_old: list[Facts], of_new: list[Facts]) -> None:
    assert all(isinstance(one, str) for one in said(of_old, of_new))
    full = [one for one in of_old[:1] if one]
    assert said(full, full) == ()
