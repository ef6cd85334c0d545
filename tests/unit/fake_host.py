"""A machine that is a folder of files: for tests of settings."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from kdelta.box.settings import doing
from kdelta.box.settings.change import Change
from kdelta.box.settings.entry import Entry
from kdelta.box.settings.host import Host
from kdelta.box.settings.program import LIMIT_SECONDS, Done
from kdelta.box.settings.work import Visit, Work

LOCK = f"kdelta-test-{os.getpid()}"
"""So that a test disturbs neither a measurement on this machine nor other tests."""
NOWHERE = Visit(Path("/"), Path("/"), {})
NEEDS_ROOT = "changes settings of this machine: needs root, with all its capabilities"
SYS_ADMIN = 1 << 21
Answer = Callable[[Sequence[str]], Done]


def may_change() -> bool:
    """Whether this process may change settings and mount: root of a container mostly may not."""
    status = dict(line.split(":\t", 1) for line in Path("/proc/self/status").read_text().splitlines())
    allowed = os.geteuid() == 0 and int(status["CapEff"], 16) & SYS_ADMIN and Path("/dev/loop-control").exists()
    return bool(allowed) and os.access("/proc/sys/vm/dirty_ratio", os.W_OK)


class Programs:
    """Notes what is run, and answers with `answer`."""

    def __init__(self, answer: Answer) -> None:
        self._answer = answer
        self.said: list[tuple[str, ...]] = []

    def __call__(
        self,
        words: Sequence[str],
        *,
        folder: Path | None = None,
        environment: Mapping[str, str] | None = None,
        limit_seconds: float = LIMIT_SECONDS,
    ) -> Done:
        self.said.append(tuple(words))
        return self._answer(words)


@dataclass(frozen=True)
class FakeHost(Host):
    """Files that take what is written to them, but for a list of controllers, which it is added to or taken from.

    `children` are the files that the kernel puts into a new control group.
    """

    children: Mapping[str, str] = field(default_factory=dict)

    def write(self, name: str, value: str) -> None:
        super().write(name, self._toggled(name, value) if name.endswith("cgroup.subtree_control") else value)

    def _toggled(self, name: str, value: str) -> str:
        words = value.split()
        enabled = {*self.read(name).split(), *(word[1:] for word in words if word[0] == "+")}
        return " ".join(sorted(enabled - {word[1:] for word in words if word[0] == "-"}))

    def make_folder(self, name: str) -> None:
        super().make_folder(name)
        for file, text in self.children.items():
            self.path(f"{name}/{file}").write_text(text)

    def remove_folder(self, name: str) -> None:
        shutil.rmtree(self.path(name))


@dataclass
class Fake:
    """`files` are names -> contents; what is done to it is undone by `undo`."""

    root: Path
    files: Mapping[str, str]
    answer: Answer = lambda words: Done(0)
    children: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        given = {"/proc/self/mountinfo": "", "/proc/sys/kernel/random/boot_id": "boot\n", **self.files}
        for name, text in given.items():
            path = self.root / name.lstrip("/")
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        self.programs = Programs(self.answer)
        self.host = FakeHost(root=self.root.resolve(), run=self.programs, lock=LOCK, children=self.children)
        self.entries: list[Entry] = []

    def make(self, *changes: Change) -> Visit:
        return doing.make(Work(self.host, self.entries.append), changes, NOWHERE)

    def undo(self) -> None:
        for entry in reversed(self.entries):
            doing.UNDO[type(entry)](self.host, entry)

    def says(self) -> dict[str, str]:
        return {name: self.host.read(name).strip() for name in self.files}
