"""The name that a function has in a profile, from the symbol and the file that a tool printed.

Functions of the kernel stand alone, those of its modules carry `[module]`, those of programs and libraries `(file)`. What has no
symbol is `[unknown]` there; code of which not even the file is known is `[unknown] ([unknown])`.
"""

from __future__ import annotations

import re

from kdelta.model.profile import SEPARATOR, UNKNOWN

HIDDEN = "[kernel]"
"""A function of the kernel, where no function of the kernel has a name."""

HIDDEN_DOUBT = (
    f"no function of the kernel has a name, so all are {HIDDEN}: their addresses are hidden from who recorded or reported this; "
    "`sysctl kernel.kptr_restrict=0`, then record again"
)

NOWHERE = f" ({UNKNOWN})"

_KERNEL = re.compile(
    r"\[kernel(?:\.\w+)*\](?:[._]\w.*)?"  # [kernel.kallsyms], and what perf calls its other sections: [kernel.kallsyms].head.text
    r"|(?:.*/)?vmlinu[xz](?:-[\w.+~-]+)?(?:\.debug)?|(?:/proc/)?k(?:core|allsyms)|no-vmlinux"
    r"|.*/\[kernel\.(?:kallsyms|kcore)\](?:/.*)?"  # in perf's cache of build ids
)
_MODULE = re.compile(r"(?:.*/)?(?P<name>[\w-]+)\.ko(?:\.(?:gz|xz|zst|debug))*|\[(?P<short>[\w-]+)\](?:\.\w.*)?")
_GUEST = re.compile(r"\[guest\.kernel.*")
_BPF = re.compile(r"bpf_(?:prog|trampoline|dispatcher)_.*")
_DELETED = " (deleted)"

# What the kernel calls parts of a process that are no file (Documentation/filesystems/proc.rst), and are no module either.
_NO_MODULES = frozenset(("vdso", "vdso32", "vdsox32", "vvar", "vvar_vclock", "vsyscall", "heap", "stack", "uprobes")) | frozenset(
    ("sigpage", "vectors", "anon", "unknown")
)

# Padding in front of each function since 6.2 (commit bea75b33895f), and CFI's: the code there is the function's own.
_PADDING = re.compile(r"__(?:pfx|cfi)_(?=.)")
_OFFSET = re.compile(r"\+0x[0-9a-f]+$")
_NO_SYMBOL = re.compile(r"|\[unknown\]|0x[0-9a-f]+|[0-9a-f]{16}")


def place(file: str, kernel: bool = False) -> str:
    """What is appended to a symbol of `file`: nothing for the kernel's. `kernel` says whether code of no known file is that."""
    file = file.removesuffix(_DELETED)
    if file in ("", UNKNOWN):
        return "" if kernel else NOWHERE
    if _KERNEL.fullmatch(file):
        return ""
    if _GUEST.fullmatch(file):
        return " [guest.kernel]"
    if _BPF.fullmatch(file):
        return " [bpf]"
    module = _MODULE.fullmatch(file)
    name = module and (module["name"] or module["short"])
    if name and name not in _NO_MODULES:
        return f" [{name.replace('-', '_')}]"
    return f" ({tidy(file.rpartition('/')[2] or file)})"


def function(symbol: str, where: str) -> str:
    """The name of the function `symbol` in the place `where`, as `place` gives it."""
    symbol = _OFFSET.sub("", symbol.strip())
    if _NO_SYMBOL.fullmatch(symbol):
        return UNKNOWN + where
    name = tidy(symbol)
    return (name if is_user(where) else _PADDING.sub("", name)) + where


def place_of(name: str) -> str:
    """What `place` gave for a function: behind its symbol, nothing for the kernel's."""
    start = (file_start(name) if name.endswith(")") else name.rfind(" [") + 1 if name.endswith("]") else 0) - 1
    return name[start:] if start > 0 and name[start] == " " else ""


def file_start(text: str) -> int:
    """Where the last parenthesis of a text that ends in one begins: with its partner, as files have pairs of them, too."""
    depth = 0
    for start in range(len(text) - 1, -1, -1):
        depth += (text[start] == ")") - (text[start] == "(")
        if depth == 0:
            return start
    return text.rfind(" (") + 1


def is_user(name: str) -> bool:
    """Whether a function, or a place, is of a program or a library."""
    return name.endswith(")")


def tidy(name: str) -> str:
    """`name` without what would end a function in a chain, or steer a terminal."""
    return printable(name.replace(SEPARATOR, ":"))


def printable(text: str) -> str:
    """`text` on one line, with blanks and question marks for what cannot be printed."""
    return text if text.isprintable() else "".join(one if one.isprintable() else " " if one.isspace() else "?" for one in text)


def without_kernel_names(chain: str) -> str:
    """The chain with each function of the kernel called HIDDEN."""
    return SEPARATOR.join(name if is_user(name) else HIDDEN for name in chain.split(SEPARATOR))
