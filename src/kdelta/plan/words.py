"""From what the user typed behind `-k` to a variant."""

from __future__ import annotations

import re
from collections.abc import Sequence

from kdelta.model.errors import MisuseError
from kdelta.model.variant import Mount, Variant
from kdelta.plan.file import THP

# NAME=apt:6.1 WORD...; the name cannot hold what a kernel specification or a command-line word needs.
NAMED = re.compile(r"(?P<name>[^=:\s]+)=(?P<kernel>(?:\w+:\S*|running))")

# Words that set something after boot, each NAME=VALUE; every other word goes to the kernel's command line.
TABLES = {"sysctl.": "sysctl", "cgroup.": "cgroup"}
SINGLE = ("bind", "online", "thp", "mount")
EXAMPLES = {
    "sysctl": "sysctl.vm.overcommit_memory=1",
    "cgroup": "cgroup.memory.max=256M",
    "file": "/sys/kernel/mm/lru_gen/enabled=0",
    "bind": "bind=0",
    "online": "online=0-3",
    "thp": "thp=never",
    "mount": "mount=ext3:noatime",
}


def variants(texts: Sequence[str]) -> tuple[Variant, ...]:
    """One variant per text: `[NAME=]KERNEL [WORD...]`; each needs a name of its own.

    A WORD goes to the kernel's command line, but `sysctl.NAME=VALUE`, `cgroup.FILE=VALUE`, `/sys/...=VALUE`, `bind=CPUS`,
    `online=CPUS`, `thp=WHEN` and `mount=TYPE[:OPTIONS]` are set after boot and read back.
    """
    made = [variant(text) for text in texts]
    names = [one.name for one in made]
    for name in names:
        if names.count(name) > 1:
            unnamed = texts[names.index(name)].strip().removeprefix(f"{name}=")
            raise MisuseError(f"two variants are called '{name}'", f"name one of them: -k 'other={unnamed}'")
    return tuple(made)


def variant(text: str) -> Variant:
    """The variant that `text` describes; without a name it is called after its kernel and words."""
    words = text.split()
    if not words:
        raise MisuseError("-k is empty", "write -k apt:6.12")
    match = NAMED.fullmatch(words[0])
    kernel = match["kernel"] if match else words[0]
    settings = [(word, kind) for word in words[1:] if (kind := _kind(word))]
    values = dict[str, dict[str, str]]()
    for word, kind in settings:
        name, value = _setting(word, kind)
        table, name = ("file", THP) if kind == "thp" else (kind, name)
        values.setdefault(table, {})[name] = value
    mount = values.get("mount", {}).get("mount")
    return Variant(
        name=match["name"] if match else " ".join([_short(kernel), *words[1:]]),
        kernel=kernel,
        cmdline=tuple(word for word in words[1:] if not _kind(word)),
        sysctl=values.get("sysctl", {}),
        cgroup=values.get("cgroup", {}),
        file=values.get("file", {}),
        bind=values.get("bind", {}).get("bind", ""),
        online=values.get("online", {}).get("online", ""),
        mount=_mount(mount) if mount else None,
    )


def _kind(word: str) -> str:
    """Which setting `word` is; empty for a word of the kernel's command line."""
    if word.startswith("/"):
        return "file"
    table = next((kind for prefix, kind in TABLES.items() if word.startswith(prefix)), "")
    return table or next((name for name in SINGLE if word == name or word.startswith(f"{name}=")), "")


def _short(kernel: str) -> str:
    """apt:6.1 -> 6.1; apt:linux-image-6.1.0-57-cloud-amd64 -> 6.1.0-57-cloud-amd64; path:/boot/vmlinuz-6.9 -> 6.9."""
    name = kernel.partition(":")[2]
    name = name.rpartition("/")[2] if kernel.startswith("path:") else name
    return name.removeprefix("linux-image-").removeprefix("vmlinuz-") or kernel


def _setting(word: str, kind: str) -> tuple[str, str]:
    name, equals, value = word.removeprefix(f"{kind}.").partition("=")
    if not equals or not name or (kind in SINGLE and not value):
        raise MisuseError(f"'{word}' sets nothing", f"write it as in {EXAMPLES[kind]}")
    return name, value


def _mount(text: str) -> Mount:
    kind, _, options = text.partition(":")
    return Mount(type=kind, options=options)
