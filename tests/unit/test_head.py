"""What stands around the numbers of a report."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import msgspec
import pytest
from tests.unit.builders import boot, failed_boot, kernel, plan, record, run_record, variant
from tests.unit.golden import check

from kdelta.judge.account import account
from kdelta.model.account import Account
from kdelta.model.boot import Boot, Cell, CellState, Outcome
from kdelta.model.kernel import Kernel
from kdelta.model.plan import EXACT, LOCAL, BoxSpec, Plan, Repeat, Rule
from kdelta.model.record import BootRecord
from kdelta.model.variant import Mount, Variant
from kdelta.report import head, troubles
from kdelta.report.settings import settings

NOTHING = Account(taken=0, judged=0, reasons={})
MACHINE = {
    "processor": "Intel(R) Xeon(R) E-2278G",
    "topology": "1 socket, 8 cores, 16 threads",
    "memory": "31898 MiB",
    "kernel release": "6.1.0",
    "governor": "performance",
    "hypervisor": "none",
    "load before": "0.00 0.01 0.05",
}


def two_kernels() -> list[BootRecord]:
    done = [boot({"null": (1.0,)}, warnings=["the kernel was not idle after 60 virtual seconds"]) for _ in range(3)]
    lost = failed_boot([Cell("null", CellState.FAILED, "lost")], Outcome.LOST, "QEMU ended with status -9: it said nothing")
    panic = failed_boot([Cell("null", CellState.FAILED, "panic")], Outcome.PANIC, "Kernel panic - not syncing: no init")
    odd = boot({"null": (1.0,)}, warnings=["null: not a result: 'x'"])
    placed = [(done[0], "old", 1), (done[1], "quiet", 1), (done[2], "old", 2), (lost, "quiet", 2), (panic, "old", 3)]
    return [record(came, name, seed=seed) for came, name, seed in [*placed, (odd, "quiet", 3)]]


def two_columns(seeds: int) -> Plan:
    quiet = variant("quiet", cmdline=("quiet", "a=b"), sysctl={"vm.overcommit_memory": "1"})
    return msgspec.structs.replace(plan(("old",), seeds=seeds), variants=(variant("old"), quiet))


def head_of(records: Sequence[BootRecord], seeds: int) -> str:
    of = two_columns(seeds)
    kernels = {"old": kernel("6.1.0"), "quiet": kernel("6.12.1", build_id=None)}
    return head.render(run_record(of, kernels), records, account(of, records))


def test_the_head_tells_run_columns_and_what_exact_counts_mean() -> None:
    check("head", head_of(two_kernels(), seeds=3))


def test_the_head_of_one_seed_says_how_little_that_is_and_what_is_missing() -> None:
    check("head_one_seed", head_of(two_kernels()[:1], seeds=1))


# ---- this machine ----


def local(
    environments: Sequence[Mapping[str, str]] = (MACHINE,), *, seeds: int = 1, rule: Rule | None = None, box: BoxSpec | None = None
) -> str:
    """The head of a run of this machine with a visit for each of `environments`."""
    place = box or BoxSpec(name="local", kind=LOCAL, cpus=16)
    of = msgspec.structs.replace(plan(("base",), seeds=seeds, boxes=[place]), rule=rule or Rule())
    here = Kernel(spec="running", machine="x86_64", release="6.1.0", version="#1 SMP Debian 6.1.1-1")
    came = [msgspec.structs.replace(boot({"null": (1.0,)}), environment=dict(one)) for one in environments]
    records = [record(one, "base", seed=seed, box=place.name) for seed, one in enumerate(came, start=1)]
    return head.render(run_record(of, {"base": here}), records, account(of, records))


def test_the_head_of_this_machine_tells_what_it_is_and_has_visits_and_rounds() -> None:
    check("head_local", local(seeds=3, rule=Rule(limit_seconds=2.5)))


def test_instructions_are_not_spoken_of_where_time_was_measured() -> None:
    assert "nstructions" not in local()


def flat(text: str) -> str:
    """Without its line breaks."""
    return " ".join(text.split())


def test_facts_that_differ_between_visits_are_all_told() -> None:
    assert "governor performance or powersave;" in flat(local([MACHINE, {**MACHINE, "governor": "powersave"}], seeds=2))


def test_of_a_machine_of_which_nothing_is_recorded_nothing_is_told() -> None:
    assert "Machine:" not in local([{}])


@pytest.mark.parametrize(
    ("rule", "said"),
    [
        (Rule(), "Rule: until 3 results in a row lie within 1.00%, at most 15 in a visit."),
        (Rule(repeat=Repeat.FIXED, results=5, most=15), "Rule: 5 results in a visit."),
        (Rule(repeat=Repeat.FIXED, results=1, limit_seconds=90.0), "Rule: 1 result in a visit, in at most 90 s."),
    ],
)
def test_the_head_tells_how_often_was_measured(rule: Rule, said: str) -> None:
    assert said in flat(local(rule=rule))


def test_the_head_tells_what_was_quieted() -> None:
    box = BoxSpec(name="local", kind=LOCAL, quiet=("governor", "turbo"), drop_caches=True)
    assert "; quieted: governor, turbo; clean pages are dropped before each visit." in flat(local(box=box))


def test_a_kernel_without_image_and_build_id_is_known_by_what_it_says_of_itself() -> None:
    assert "  base: 6.1.0\n    #1 SMP Debian 6.1.1-1\n    no build id: known by release and version alone\n" in local()


BOTH = plan(("old",), boxes=[BoxSpec(name="here", kind=LOCAL), BoxSpec(name="lab", kind=EXACT)])


def test_a_run_on_both_kinds_of_box_has_the_notes_of_both() -> None:
    records = [record(boot({"null": (1.0,)}), box=box) for box in ("here", "lab")]
    found = head.render(run_record(BOTH), records, NOTHING)
    assert ": 2 boots (one seed: " in found
    assert ("Exact: " in found, "Local: " in found) == (True, True)


# ---- what a variant asks for ----

SETTINGS = {
    "words of the command line": (Variant(name="a", kernel="", cmdline=("quiet", "nosmt")), ["quiet", "nosmt"]),
    "a sysctl": (Variant(name="a", kernel="", sysctl={"vm.swappiness": "0"}), ["sysctl.vm.swappiness=0"]),
    "a file": (Variant(name="a", kernel="", file={"/sys/kernel/mm/ksm/run": "1"}), ["/sys/kernel/mm/ksm/run=1"]),
    "CPUs": (Variant(name="a", kernel="", bind="0", online="0-3"), ["online=0-3", "bind=0"]),
    "a control group": (Variant(name="a", kernel="", cgroup={"memory.max": "256M"}), ["cgroup.memory.max=256M"]),
    "a file system": (Variant(name="a", kernel="", mount=Mount(type="ext3", options="noatime")), ["mount=ext3:noatime"]),
    "a file system with all that it can have": (
        Variant(name="a", kernel="", mount=Mount(type="ext4", mkfs="-b 1024", device="/dev/sdb1", size_mib=512)),
        ["mount=ext4 (mkfs -b 1024, /dev/sdb1)"],
    ),
    "a file system in a file": (Variant(name="a", kernel="", mount=Mount(type="xfs", size_mib=512)), ["mount=xfs (512 MiB)"]),
    "the baseline again": (Variant(name="a", kernel="", seed_shift=2_000_000), ["seeds + 2000000"]),
    "commands": (
        Variant(name="a", kernel="", setup="modprobe ext3", teardown="true"),
        ["setup='modprobe ext3'", "teardown=true"],
    ),
    "nothing": (Variant(name="a", kernel=""), []),
}


@pytest.mark.parametrize(("of", "words"), SETTINGS.values(), ids=SETTINGS)
def test_a_variant_is_told_with_everything_that_it_asks_for(of: Variant, words: list[str]) -> None:
    assert list(settings(of)) == words


def test_every_setting_that_a_variant_can_have_is_told() -> None:
    told = {"name", "kernel"} | {field for of, _ in SETTINGS.values() for field in of.__struct_fields__ if getattr(of, field)}
    assert told == set(Variant.__struct_fields__)


# ---- what became of the results ----


@pytest.mark.parametrize(
    ("found", "said"),
    [
        (Account(taken=3, judged=3, reasons={}), "Results: 3 taken, 3 judged.\n"),
        (Account(taken=2, judged=1, reasons={"warm-up": 1}), "Results: 2 taken, 1 judged; not judged: 1 warm-up.\n"),
        (
            Account(taken=132, judged=89, reasons={"warm-up": 12, "followed by 3 results within 1.00%": 31}),
            "Results: 132 taken, 89 judged; not judged: 12 warm-ups, 31 followed by 3 results within 1.00%.\n",
        ),
        (
            Account(taken=2, judged=0, reasons={"the visit was interrupted": 2}),
            "Results: 2 taken, 0 judged; not judged: 2 of interrupted visits.\n",
        ),
    ],
)
def test_the_head_tells_how_many_results_were_taken_and_thrown_away(found: Account, said: str) -> None:
    assert said in head.render(run_record(BOTH), [], found)


# ---- failures and warnings ----

OF = two_columns(3)


def test_failures_tell_which_boot_and_why() -> None:
    check("failures", troubles.failures(OF, two_kernels()))


def test_warnings_are_told_once_with_the_boots_that_gave_them() -> None:
    check("warnings", troubles.warnings(OF, two_kernels()))


def test_a_good_run_has_neither_failures_nor_warnings() -> None:
    good = [record(boot({"null": (1.0,)}))]
    assert troubles.failures(OF, good) + troubles.warnings(OF, good) == ""


def test_what_happened_on_this_machine_happened_in_visits_and_rounds() -> None:
    of = plan(boxes=[BoxSpec(name="here", kind=LOCAL)])
    came = Boot(outcome=Outcome.REFUSED, reason="no such file", cells=(), warnings=("stolen CPU time: 3.0 %",))
    found = [record(came, "new", seed=2, box="here")]
    assert troubles.failures(of, found) == "Visit of new on here, round 2: refused: no such file\n"
    assert troubles.warnings(of, found) == "Warning (new on here, round 2): stolen CPU time: 3.0 %\n"


def test_an_end_of_which_no_reason_is_known_is_told_without() -> None:
    cut = Boot(outcome=Outcome.INTERRUPTED, cells=())
    assert troubles.failures(OF, [record(cut)]) == "Boot of old on exact, seed 1: interrupted\n"


def test_hidden_variation_is_a_loud_warning_for_each_difference() -> None:
    said = ["microcode differs between the columns: 1 for old; 2 for new", "ASLR differs inside new: 0; 2"]
    assert troubles.hidden(BoxSpec(name="here", kind=LOCAL), said) == f"WARNING (here): {said[0]}\nWARNING (here): {said[1]}\n"


def test_where_nothing_varies_nothing_is_said() -> None:
    assert troubles.hidden(BoxSpec(name="here"), ()) == ""
