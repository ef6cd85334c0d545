"""Hidden variation: what differed between the columns of a table although nobody asked for it."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

from kdelta.model.plan import PUBLISHED, Plan
from kdelta.model.record import BootRecord
from kdelta.model.variant import Variant
from kdelta.model.words import WORDS

# What is recorded must be equal, unless it stands here: the state of the moment; and what the seeds of the exact lab vary.
MAY_VARY = re.compile(r".* (before|after|during)|guest memory")

# Facts of a kernel: compared between columns that ask for the same one.
OF_A_KERNEL = frozenset({"kernel release", "kernel version", "kernel configuration"})

# fact -> the settings that ask for it: words of the command line as they are, others as `file=value`. Columns that ask for
# different things differ on purpose.
CPU_SET = r"/sys/devices/system/cpu/(online|cpu\d+/online|smt/control)=|(nosmt|maxcpus|nr_cpus)\b"
ASKS = {
    r"topology|online CPUs|SMT|NUMA nodes|allowed CPUs": rf"{CPU_SET}|(isolcpus|numa)\b",
    r"vulnerability .*": rf"{CPU_SET}|(mitigations|nopti|k?pti|nospectre_v[12]|spec\w+|l1tf|mds|mmio_stale_data|tsx\w*|srbds"
    r"|retbleed|gather_data_sampling|reg_file_data_sampling|indirect_target_selection|tsa|vmscape|kvm[\w.-]*)\b",
    r"governor|energy preference|frequency .*|turbo": r"/sys/devices/system/cpu/.*(freq|pstate|boost|turbo|energy)"
    r"|(intel_pstate|amd_pstate|cpufreq[\w.]*|acpi_cpufreq[\w.]*)\b",
    r"idle driver": r"(idle|intel_idle[\w.]*|cpuidle[\w.]*|processor[\w.]*)\b",
    r"(guest )?clocksource": r"/sys/devices/system/clocksource/|(clocksource|tsc|hpet|notsc|no-kvmclock|acpi_pm)\b",
    r"transparent huge pages": r"/sys/kernel/mm/transparent_hugepage/|transparent_hugepage\b",
    r"ASLR": r"/proc/sys/kernel/randomize_va_space=|norandmaps\b",
    r"memory": r"/sys/devices/system/memory/|(mem|memmap|memtest|crashkernel)=",
    r"file system": r"mount=",
    r"guest cpus": rf"{CPU_SET}|noapic\b|nolapic\b|acpi=",
}

# A kernel keeps some memory for itself, which is not counted; the smallest module that can be missing is a sixteenth.
NEAR = {"memory": 0.05}

# Of a command line: what names the image; the exact lab's padding, and its memory disk, which some kernels have built in.
COMMAND_LINES = frozenset({"command line", "guest command_line"})
NOT_COMPARED = re.compile(r"(BOOT_IMAGE|initrd|kdelta\.padding|brd\.\w+)=.*")

# Nothing is done against it: not needed, not known to the kernel, or left open.
VULNERABILITY = "vulnerability "
NOTHING_DONE = frozenset({"", "Not affected", "Vulnerable"})
NO_MITIGATION = "no mitigation"

# Facts without which two columns are two measurements: if they differ unasked, a difference between the columns is no answer.
OF_THE_MEASUREMENT = re.compile(
    r"processor|microcode|machine|hypervisor|governor|energy preference|turbo|SMT|online CPUs|clocksource"
    r"|kernel (configuration|release|version)|qemu( options)?|programs sha256"
)

OF_OTHERS = frozenset({PUBLISHED})
"""Kinds of box of which nothing is recorded here."""

MISSING = "not recorded"
NO_WORDS = "no other words"


@dataclass(frozen=True)
class _Column:
    """A variant with the environments of its boots that count."""

    variant: Variant
    boots: tuple[Mapping[str, str], ...]

    def asks(self, fact: str) -> tuple[str, ...]:
        """What this column asks for that `fact` depends on."""
        asked = next((asks for facts, asks in ASKS.items() if re.fullmatch(facts, fact)), None)
        kernel = (self.variant.kernel,) if fact in OF_A_KERNEL else ()
        return (*kernel, *(setting for setting in _settings(self.variant) if asked and re.match(asked, setting)))

    def values(self, fact: str) -> Counter[str]:
        return Counter(_value(fact, boot, self.variant) for boot in self.boots)


def residue(plan: Plan, box: str, records: Iterable[BootRecord]) -> tuple[str, ...]:
    """One sentence for each fact that differs on `box` between its columns, or inside one, unasked; none where all is equal.

    Boots without a value that counts are left out: nothing in the table comes from them. Those of which nothing at all is
    recorded, because they were cut short, are named in one sentence.
    """
    if plan.box(box).kind in OF_OTHERS:
        return ()
    columns = _columns(plan, [record for record in records if record.box == box])
    unit = f"{WORDS[plan.box(box).kind].unit}s"
    known = _recorded(columns)
    facts = dict.fromkeys(fact for column in known for boot in column.boots for fact in boot)
    groups = ((fact, group) for fact in facts if not MAY_VARY.fullmatch(fact) for group in _groups(fact, known))
    return (*_unrecorded(columns, unit), *(said for fact, group in groups if (said := _difference(fact, group, unit))))


def unlike(plan: Plan, box: str, records: Iterable[BootRecord]) -> dict[frozenset[str], str]:
    """Pairs of variants that cannot be compared on `box`, with the reason: what they were measured with differs, unasked."""
    known = _recorded(_columns(plan, [record for record in records if record.box == box]))
    facts = dict.fromkeys(fact for column in known for boot in column.boots for fact in boot if OF_THE_MEASUREMENT.fullmatch(fact))
    found: dict[frozenset[str], str] = {}
    for fact in facts:
        for group in _groups(fact, known):
            values = [(column.variant.name, column.values(fact)) for column in group]
            for (first, one), (second, other) in combinations(values, 2):
                if set(one) != set(other):
                    said = f"{fact} is {' or '.join(one)} for {first} and {' or '.join(other)} for {second}"
                    found.setdefault(frozenset((first, second)), said)
    return found


def _columns(plan: Plan, records: Sequence[BootRecord]) -> list[_Column]:
    """In the order of the plan; those that were not measured yet are left out."""
    counting = [record for record in records if any(sample.counts for sample in record.boot.samples)]
    found = (
        _Column(variant, tuple(record.boot.environment for record in counting if record.variant == variant.name))
        for variant in plan.variants
    )
    return [column for column in found if column.boots]


def _recorded(columns: Iterable[_Column]) -> list[_Column]:
    """Each column with the boots of which something is recorded."""
    return [_Column(column.variant, tuple(boot for boot in column.boots if boot)) for column in columns]


def _unrecorded(columns: Iterable[_Column], unit: str) -> Iterator[str]:
    counts = [(column, sum(not boot for boot in column.boots)) for column in columns]
    names = ", ".join(_share(column, count, unit) for column, count in counts if count)
    if names:
        yield f"nothing is recorded of the machine for {names}"


def _settings(variant: Variant) -> Iterator[str]:
    """All that a variant asks for and facts could show, as ASKS reads it."""
    yield from variant.cmdline
    yield from (f"/proc/sys/{name.replace('.', '/')}={value}" for name, value in variant.sysctl.items())
    yield from (f"{path}={value}" for path, value in variant.file.items())
    if variant.online:
        yield f"/sys/devices/system/cpu/online={variant.online}"
    if variant.mount:
        yield f"mount={variant.mount}"


def _groups(fact: str, columns: Iterable[_Column]) -> Iterable[list[_Column]]:
    """Columns that ask for the same, and so should have the same."""
    groups: dict[tuple[str, ...], list[_Column]] = {}
    for column in columns:
        if column.boots:
            groups.setdefault(column.asks(fact), []).append(column)
    return groups.values()


def _value(fact: str, boot: Mapping[str, str], variant: Variant) -> str:
    """What one boot has to show, in the form in which it is compared."""
    value = boot.get(fact, "")
    if fact in COMMAND_LINES:
        words = Counter(word for word in value.split() if not NOT_COMPARED.fullmatch(word))
        return " ".join(sorted((words - Counter(variant.cmdline)).elements())) if value else MISSING
    if fact.startswith(VULNERABILITY) and any(other.startswith(VULNERABILITY) for other in boot):
        return NO_MITIGATION if value in NOTHING_DONE else value
    return value or MISSING


def _difference(fact: str, columns: Sequence[_Column], unit: str) -> str | None:
    counts = [column.values(fact) for column in columns]
    values = list(dict.fromkeys(value for count in counts for value in count))
    if len(values) == 1 or _near(fact, values):
        return None
    shown = _own_words(values) if fact in COMMAND_LINES else values
    where = (
        ", ".join(_share(column, count[value], unit) for column, count in zip(columns, counts, strict=True) if count[value])
        for value in values
    )
    parts = (f"{value} for {names}" for value, names in zip(shown, where, strict=True))
    return f"{fact} differs {_place(columns, counts, unit)}: {'; '.join(parts)}"


def _near(fact: str, values: Iterable[str]) -> bool:
    """Whether all of them are numbers, and as near to each other as NEAR allows."""
    numbers = [int(found[0]) if (found := re.match(r"\d{1,18}", value, re.ASCII)) else None for value in values]
    known = [number for number in numbers if number is not None]
    return fact in NEAR and len(known) == len(numbers) and max(known) <= (1.0 + NEAR[fact]) * min(known)


def _own_words(values: Sequence[str]) -> list[str]:
    """Each value without the words that all lines have: what differs can be seen."""
    lines = [Counter(value.split()) for value in values if value != MISSING]
    common = lines[0].copy()
    for line in lines:
        common &= line
    return [value if value == MISSING else " ".join((Counter(value.split()) - common).elements()) or NO_WORDS for value in values]


def _share(column: _Column, count: int, unit: str) -> str:
    boots = len(column.boots)
    return column.variant.name if count == boots else f"{column.variant.name} ({count} of {boots} {unit})"


def _place(columns: Sequence[_Column], counts: Sequence[Counter[str]], unit: str) -> str:
    if len(columns) == 1:
        return f"inside {columns[0].variant.name}"
    return f"between {unit}, in each column alike" if len({frozenset(count) for count in counts}) == 1 else "between the columns"
