"""From what the user typed behind `-k` to a variant."""

from __future__ import annotations

import re
from collections.abc import Sequence

from kdelta.model.errors import MisuseError
from kdelta.model.variant import Variant

# NAME=apt:6.1 WORD...; the name cannot hold what a kernel specification or a command-line word needs.
NAMED = re.compile(r"(?P<name>[^=:\s]+)=(?P<kernel>(?:\w+:\S*|running))")
SYSCTL = "sysctl."


def variants(texts: Sequence[str]) -> tuple[Variant, ...]:
    """One variant per text: `[NAME=]KERNEL [WORD...]`; each needs a name of its own.

    A WORD goes to the kernel's command line, but `sysctl.NAME=VALUE` is set after boot and read back.
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
    settings = [word for word in words[1:] if word.startswith(SYSCTL)]
    return Variant(
        name=match["name"] if match else " ".join([_short(kernel), *words[1:]]),
        kernel=kernel,
        cmdline=tuple(word for word in words[1:] if word not in settings),
        sysctl=dict(_setting(word) for word in settings),
    )


def _short(kernel: str) -> str:
    """apt:6.1 -> 6.1; apt:linux-image-6.1.0-57-cloud-amd64 -> 6.1.0-57-cloud-amd64; path:/boot/vmlinuz-6.9 -> 6.9."""
    name = kernel.partition(":")[2]
    name = name.rpartition("/")[2] if kernel.startswith("path:") else name
    return name.removeprefix("linux-image-").removeprefix("vmlinuz-") or kernel


def _setting(word: str) -> tuple[str, str]:
    name, equals, value = word.removeprefix(SYSCTL).partition("=")
    if not equals or not name:
        raise MisuseError(f"'{word}' sets nothing", "write sysctl.NAME=VALUE, for instance sysctl.vm.overcommit_memory=1")
    return name, value
