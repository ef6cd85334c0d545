"""The keys of a plan file and their types."""

from __future__ import annotations

import msgspec


class Head(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """[plan]. `rounds` and `seeds` are two words for the same: in the exact lab the round's number is the seed."""

    baseline: str | None = None
    seeds: int | None = None
    rounds: int | None = None
    first_seed: int = 1
    rule: str = "settled"
    margin: str = "1%"
    alpha: str = "5%"
    results: int = 3
    spread: str = "1%"
    most: int | None = None
    limit: str | None = None
    budget: str | None = None
    profiles: int = 0


class MountTable(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    type: str
    options: str = ""
    mkfs: str = ""
    device: str = ""
    size_mib: int | None = None


class VariantTable(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """[[variant]]. `thp` is short for the file that chooses when transparent huge pages are used."""

    kernel: str = "running"
    name: str | None = None
    cmdline: str = ""
    sysctl: dict[str, str | int] = {}
    file: dict[str, str | int] = {}
    thp: str | None = None
    bind: str | int = ""
    online: str | int = ""
    cgroup: dict[str, str | int] = {}
    mount: MountTable | None = None
    setup: str = ""
    teardown: str = ""


class BoxTable(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    name: str | None = None
    kind: str = "exact"
    cpus: int | None = None
    memory: int | None = None
    quiet: list[str] = []
    drop_caches: bool = False
    chains: bool = True


class BenchmarkTable(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """[[benchmark]]: a suite, a benchmark by name, or with `command` a command of the user's own."""

    suite: str | None = None
    name: str | None = None
    tree: str | None = None
    config: str | None = None
    command: str | None = None
    regex: str = ""
    json: str = ""
    unit: str | None = None
    better: str = "smaller"
    files: list[str] = []
    iterations: int = 3
    limit: str | None = None


class File(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    benchmark: list[BenchmarkTable]
    variant: list[VariantTable] = []
    plan: Head = Head()
    box: list[BoxTable] = []


SECTIONS: dict[str, type[msgspec.Struct]] = {"plan": Head, "variant": VariantTable, "box": BoxTable, "benchmark": BenchmarkTable}
INNER: dict[tuple[str, str], type[msgspec.Struct]] = {("variant", "mount"): MountTable}
"""Tables inside a section, by section and key."""
