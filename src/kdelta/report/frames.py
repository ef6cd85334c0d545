"""The names of frames: where their code lies, and how they may be written."""

from __future__ import annotations

import re
from enum import StrEnum

from kdelta.model.profile import UNKNOWN, USER
from kdelta.profile.chains import functions

KERNEL = "kernel"
"""The file of what no module and no program has."""
REPLACEMENT = "\ufffd"

# As Profile has it: `name [module]`, `name (file)`.
PLACE = re.compile(r".* (?:\[(?P<module>[^\]]*)\]|\((?P<file>.*)\))", re.DOTALL)


class Origin(StrEnum):
    KERNEL = "kernel"
    MODULE = "module"
    USER = "user"


def origin(name: str) -> tuple[Origin, str]:
    """Where the function `name` lies, and in which file: KERNEL, a module, or a program or library."""
    if name == USER:
        return Origin.USER, USER
    place = PLACE.fullmatch(name)
    if place is None:
        return Origin.KERNEL, KERNEL
    return (Origin.MODULE, place["module"]) if place["module"] is not None else (Origin.USER, place["file"])


def shown(text: str) -> str:
    """`text` with what cannot be printed replaced: controls, what turns the direction of writing, and all that XML cannot hold."""
    return text if text.isprintable() else "".join(one if one.isprintable() else REPLACEMENT for one in text)


def frames(chain: str) -> list[str]:
    """The functions of a folded chain, the outermost first, as they may be written; one without a name is UNKNOWN."""
    return [name or UNKNOWN for name in functions(shown(chain))]
