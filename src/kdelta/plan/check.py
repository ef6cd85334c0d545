"""The rules that every plan keeps, wherever it came from; checked before anything is fetched or booted."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from kdelta.model.cpus import cpu_list
from kdelta.model.errors import MisuseError, unknown
from kdelta.model.plan import EXACT, LOCAL, BoxSpec, Plan, Repeat, Rule
from kdelta.model.variant import Mount, Variant

KINDS = (EXACT, LOCAL)
MOST_NAME = 60
MOST_BENCHMARK_NAME = 400
"""Names of benchmarks hold their parameters."""
RUNNING = "running"

# (what, its value in a box, least, most)
BOX_BOUNDS = (("cpus", 1, 4096), ("memory", 128, 1 << 20))
MOST_GUEST_CPUS = 64
MOST_SEEDS = 1000
MOST_PROFILES = 100
MOST_FIRST_SEED = 1_000_000
SEQUENTIAL_SEEDS = (3, 60)
"""Fewer say nothing, and for more no level of the looks is tabulated."""
MOST_ALPHA = 0.2
LEAST_SETTLED = 2
RULE_BOUNDS = (("results", 1, 1000), ("most", 1, 1000))
FILE_SYSTEMS = ("btrfs", "ext2", "ext3", "ext4", "xfs")
MOST_SIZE_MIB = 1 << 20
SIZES_MIB = {EXACT: 64, LOCAL: 512}
"""Of a file system whose size was not said: in a guest's memory, and in a file."""
FILE_PLACES = ("/sys/", "/proc/")

# What a kind of box cannot do: (key of a variant, why).
NOT_ON: dict[str, tuple[tuple[str, str], ...]] = {
    EXACT: (
        ("bind", "the guest runs nothing else: give its number of CPUs with `cpus`"),
        ("online", "give the guest's number of CPUs with `cpus`"),
        ("cgroup", "control groups are set on the local box only"),
        ("setup", "commands are run on the local box only"),
        ("teardown", "commands are run on the local box only"),
    ),
    LOCAL: (("cmdline", "the running kernel has its command line already: leave it out, or measure in the exact lab"),),
}


def check(plan: Plan) -> Plan:
    """`plan` with its baseline first and every size said. Raises MisuseError for the first rule that it breaks."""
    if not plan.variants:
        raise MisuseError("the plan has no variant", "name a kernel: -k apt:6.12, or a [[variant]] with kernel = ...")
    if not plan.benchmarks:
        raise MisuseError("the plan has no benchmark", 'name one: -b quick, or a [[benchmark]] with suite = "quick"')
    _unique("variant", [variant.name for variant in plan.variants])
    _unique("box", [box.name for box in plan.boxes])
    _unique("benchmark", [benchmark.name for benchmark in plan.benchmarks], most=MOST_BENCHMARK_NAME)
    for variant in plan.variants:
        _variant(variant)
        for box in plan.boxes:
            _fits(variant, box)
    if plan.baseline not in [variant.name for variant in plan.variants]:
        raise unknown("variant", plan.baseline, [variant.name for variant in plan.variants], "for the baseline")
    _rounds(plan)
    _rule(plan.rule)
    _profiles(plan)
    for box in plan.boxes:
        _box(box)
    if [box.kind for box in plan.boxes].count(LOCAL) > 1:
        raise MisuseError("the plan has two boxes of the kind 'local'", "there is one machine here: leave one out")
    baseline_first = sorted(plan.variants, key=lambda variant: variant.name != plan.baseline)
    size = min(SIZES_MIB[box.kind] for box in plan.boxes)
    return msgspec.structs.replace(plan, variants=tuple(_sized(variant, size) for variant in baseline_first))


def _sized(variant: Variant, size_mib: int) -> Variant:
    if variant.mount is None or variant.mount.size_mib:
        return variant
    return msgspec.structs.replace(variant, mount=msgspec.structs.replace(variant.mount, size_mib=size_mib))


def _variant(variant: Variant) -> None:
    texts = (*variant.cmdline, *variant.sysctl, *variant.sysctl.values(), *variant.file, *variant.file.values())
    _printable(variant.name, (*texts, *variant.cgroup, *variant.cgroup.values()))
    for key in ("bind", "online"):
        _cpus(variant.name, key, getattr(variant, key))
    for path in variant.file:
        if not path.startswith(FILE_PLACES) or ".." in path:
            raise MisuseError(
                f"'{path}' of variant '{variant.name}' is no setting of the kernel", "give an absolute path below /sys or /proc"
            )
    for name in variant.cgroup:
        if "/" in name or "." not in name:
            raise MisuseError(
                f"'{name}' of variant '{variant.name}' is no file of a control group", 'write for instance "memory.max"'
            )
    if variant.mount:
        _mount(variant.name, variant.mount)


def _cpus(name: str, key: str, text: str) -> None:
    try:
        cpu_list(text)
    except ValueError as error:
        raise MisuseError(f"{key} of variant '{name}': {error}", 'write numbers and ranges: "0", "0-3,8"') from error


def _mount(name: str, mount: Mount) -> None:
    if mount.type not in FILE_SYSTEMS:
        raise unknown("file system", mount.type, FILE_SYSTEMS, f"for the mount of variant '{name}'")
    _within(f"size_mib of variant '{name}'", mount.size_mib, 0, MOST_SIZE_MIB)
    _printable(name, (mount.options, mount.mkfs, mount.device))


def _fits(variant: Variant, box: BoxSpec) -> None:
    """What the kind of `box` cannot do for `variant`."""
    for key, why in NOT_ON.get(box.kind, ()):
        if getattr(variant, key):
            raise MisuseError(f"`{key}` of variant '{variant.name}' cannot be on box '{box.name}' ({box.kind})", why)
    if box.kind == EXACT and variant.mount and variant.mount.device:
        raise MisuseError(
            f"the device of variant '{variant.name}' cannot be on box '{box.name}' (exact)", "leave it out: the guest has its own"
        )
    if box.kind == LOCAL and variant.kernel != RUNNING:
        raise MisuseError(
            f"box '{box.name}' is this machine, which runs another kernel than '{variant.kernel}'",
            'write the kernel as `running`, or boot it in the exact lab: --exact, or a box of kind = "exact"',
        )


def _rounds(plan: Plan) -> None:
    _within("seeds", plan.seeds, 1, MOST_SEEDS)
    _within("first_seed", plan.first_seed, 1, MOST_FIRST_SEED)
    least, most = SEQUENTIAL_SEEDS
    if plan.sequential and not least <= plan.seeds <= most:
        raise MisuseError(
            f"rounds is {plan.seeds}", f'with rule = "verdict" it is the most that are measured, from {least} to {most}'
        )
    if plan.sequential and len(plan.variants) < 2:
        raise MisuseError('rule = "verdict" needs two columns', "name another kernel or setting, or measure the noise with --aa")
    if plan.alpha > MOST_ALPHA:
        raise MisuseError(
            f"alpha is {plan.alpha:.0%}", f"at most {MOST_ALPHA:.0%}: it is how often chance alone may be called a change"
        )


def _profiles(plan: Plan) -> None:
    _within("profiles", plan.profiles, 0, MOST_PROFILES)
    if plan.profiles and all(box.kind == EXACT for box in plan.boxes):
        raise MisuseError(
            f"profiles is {plan.profiles}, and no box measures time", "leave it out: in the exact lab every boot has its profile"
        )


def _rule(rule: Rule) -> None:
    for key, least, most in RULE_BOUNDS:
        _within(key, getattr(rule, key), least, most)
    if rule.repeat is Repeat.SETTLED and rule.results < LEAST_SETTLED:
        raise MisuseError(f"results is {rule.results}", f'{LEAST_SETTLED} results or more can settle; or set rule = "fixed"')
    if rule.most < rule.results:
        raise MisuseError(f"most is {rule.most}, less than results, {rule.results}", "the cap is at least as many")


def _box(box: BoxSpec) -> None:
    if box.kind not in KINDS:
        raise unknown("kind of box", box.kind, KINDS)
    for key, least, most in BOX_BOUNDS:
        limit = MOST_GUEST_CPUS if (key, box.kind) == ("cpus", EXACT) else most
        _within(f"{key} of box '{box.name}'", getattr(box, key), least, limit)
    if box.kind == EXACT and (box.quiet or box.drop_caches):
        raise MisuseError(f"box '{box.name}' is a guest: it has nothing to quiet", "leave `quiet` and `drop_caches` out")


def _printable(name: str, words: Sequence[str]) -> None:
    """The guest's job and the kernel's command line are texts of words."""
    for word in words:
        if not word.isprintable():
            raise MisuseError(f"{word!r} of variant '{name}' holds a tab, a line break or the like", "write it without")


def _within(what: str, value: int, least: int, most: int) -> None:
    if not least <= value <= most:
        raise MisuseError(f"{what} is {value}", f"a whole number from {least} to {most} is needed")


def _unique(what: str, names: Sequence[str], most: int = MOST_NAME) -> None:
    for name in names:
        if not name.strip() or len(name) > most or not name.isprintable():
            raise MisuseError(f"'{name[:most]}' is no name for a {what}", f"1 to {most} printable characters")
        if names.count(name) > 1:
            raise MisuseError(f"two of the kind '{what}' are called '{name}'", "give each a name of its own")
