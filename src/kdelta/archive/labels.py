"""Names for outputs of programs that name no kernel: the short line above, and what tells apart two that have the same."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from kdelta.archive.text import Line
from kdelta.model.published import Remark

_LONGEST, _MOST_WORDS, _FAR = 40, 4, 4
_PROMPTS = ("$", "#", ">", "|", "+", "-", "=", "*", "`", "%", "~", "[", "{", "(")


def label(lines: Sequence[Line], at: int) -> str:
    """The line above place `at` where that is a name, as `patched:` is: a few words, and no sentence. Commands are passed over."""
    for line in reversed(lines[max(0, at - _FAR) : at]):
        text = line.text.strip()
        if not text or text.startswith(_PROMPTS):
            continue
        name = text.rstrip(":").strip()
        short = len(name) <= _LONGEST and len(name.split()) <= _MOST_WORDS and not name.endswith((".", ",", ";"))
        return name if short and (text.endswith(":") or name.isidentifier()) else ""
    return ""


def below(lines: Sequence[Line], place: int) -> Iterator[Line]:
    """The lines behind `place`, without a copy of all of them."""
    return (lines[at] for at in range(place + 1, len(lines)))


class Apart:
    """Tells apart what has the same name in one text: `NAME`, `NAME (2)`."""

    def __init__(self) -> None:
        self._seen: dict[tuple[str, str], int] = {}

    def name(self, name: str, of: str, line: int) -> tuple[str, tuple[Remark, ...]]:
        """`name` as it may be used for the benchmark `of` at `line`, and the remark where it had to be changed."""
        count = self._seen[name, of] = self._seen.get((name, of), 0) + 1
        if count == 1:
            return name, ()
        other = f"{name} ({count})".strip()
        return other, (Remark(line, f"another of the same name stands above: it is told apart as `{other}`"),)
