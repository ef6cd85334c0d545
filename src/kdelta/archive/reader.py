"""What a reader is: the same for a table in a mail, a log, and a file of JSON."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

from kdelta.archive.text import Text
from kdelta.archive.tree import Tree
from kdelta.model.published import Block


class Reader(NamedTuple):
    """`name` stands behind --format. A text without any of `marks` is not of it; one that has one is read, and what is not of the
    format in it is passed over: a mail may hold anything. `read` gives a block for each table, run or file, none where there is
    none, and never raises for what a text holds. `about` says what is recognised, in words, for the manual.
    """

    name: str
    marks: tuple[str, ...]
    read: Callable[[Text], Iterable[Block]]
    about: str


class FolderReader(NamedTuple):
    """Of files that belong together. `recognises` looks at the names of a folder's files, relative to it; `read` as of Reader."""

    name: str
    recognises: Callable[[Sequence[str]], bool]
    read: Callable[[Tree], Iterable[Block]]
    about: str
