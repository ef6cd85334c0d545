"""Which subsystem a function belongs to: by its module, by its source file, or else by its name. The table is subsystems.toml."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Mapping
from functools import cache
from importlib import resources

import msgspec

from kdelta.model.profile import UNKNOWN, USER
from kdelta.profile.clones import base_name

USERSPACE, NOT_KNOWN, OTHER = "userspace", "unknown", "other"
"""All code outside the kernel, kernel code without a name, and functions that the table does not know."""

SPECIAL = {USER: USERSPACE, UNKNOWN: NOT_KNOWN, "[kernel]": NOT_KNOWN}
MODULE = re.compile(r"(?P<function>.*\S) \[(?P<module>[^\]]+)\]")

# What the architectures put before the name of a system call: include/linux/syscalls.h, arch/*/include/asm/syscall_wrapper.h.
SYSTEM_CALL = re.compile(r"(?:(?:x64|ia32|x32|arm64|riscv|s390x?|se|do|k)_)?(?:compat_)?k?sys_")


class Subsystem(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The keys of a table in subsystems.toml, where they are explained."""

    sources: tuple[str, ...] = ()
    functions: tuple[str, ...] = ()
    always: tuple[str, ...] = ()
    modules: tuple[str, ...] = ()


class SubsystemTable:
    """Built once; `sources` says of functions which file they are of, as kernel.debuginfo finds it, and may be empty."""

    def __init__(
        self, subsystems: Mapping[str, Subsystem], collections: Iterable[str] = (), sources: Mapping[str, str] | None = None
    ) -> None:
        self.subsystems, self._collections = subsystems, frozenset(collections)
        self._files = _by_base_name(sources or {})
        self._modules = {module: name for name, one in subsystems.items() for module in one.modules}
        self._always = {function: name for name, one in subsystems.items() for function in one.always}
        self._sources = {path: name for name, one in subsystems.items() for path in one.sources}
        patterns = {pattern: name for name, one in subsystems.items() for pattern in one.functions}
        self._names = {pattern: name for pattern, name in patterns.items() if not pattern.endswith("*")} | self._always
        self._beginnings = {pattern[:-1]: name for pattern, name in patterns.items() if pattern.endswith("*")}

    def with_sources(self, sources: Mapping[str, str]) -> SubsystemTable:
        """The same table for one kernel: its functions by their files, those that `sources` does not have by their names."""
        return SubsystemTable(self.subsystems, self._collections, sources)

    def of(self, name: str) -> str:
        """The subsystem of a function as a profile names it; a module that the table does not know is one of its own."""
        if name in SPECIAL or name.endswith(")"):
            return SPECIAL.get(name, USERSPACE)
        match = MODULE.fullmatch(name)
        if match:
            return self._modules.get(match["module"].replace("-", "_"), f"module {match['module']}")
        function = base_name(name)
        if function in self._always:
            return self._always[function]
        path = self._files.get(function, "")
        named = self._named(function) if not path or path in self._collections else None
        return named or (self.by_source(path) if path else OTHER)

    def by_source(self, path: str) -> str:
        """The subsystem of a file of the kernel, "mm/slub.c"; OTHER for one that lies elsewhere."""
        return _longest(self._sources, path) or OTHER

    def _named(self, function: str) -> str | None:
        candidates = (function, _stripped(function))
        return next(filter(None, (self._names.get(one) or _longest(self._beginnings, one) for one in candidates)), None)


@cache
def table() -> SubsystemTable:
    """The table that kdelta comes with, without the source files of any kernel."""
    text = resources.files("kdelta.profile").joinpath("subsystems.toml").read_text(encoding="utf-8")
    tables = tomllib.loads(text)
    collections = tables.pop("collections")
    return SubsystemTable(msgspec.convert(tables, dict[str, Subsystem]), collections)


def by_source(path: str) -> str:
    """The subsystem of a file of the kernel by the table that kdelta comes with."""
    return table().by_source(path)


def _by_base_name(sources: Mapping[str, str]) -> dict[str, str]:
    """A function that only clones are left of has the file of one of them."""
    return {base_name(name): path for name, path in sources.items()} | dict(sources)


def _longest(beginnings: Mapping[str, str], text: str) -> str | None:
    """The value of the longest key that `text` begins with."""
    return next((beginnings[text[:end]] for end in range(len(text), 0, -1) if text[:end] in beginnings), None)


def _stripped(function: str) -> str:
    plain = function.lstrip("_")
    match = SYSTEM_CALL.match(plain)
    return f"sys_{plain[match.end() :]}" if match else plain
