"""The data channel: JSON objects on lines, written by the guest's init (csrc/guest/init.c)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

import msgspec

from kdelta.model.guest import ProgramRun
from kdelta.model.kernel import RunningKernel

MOST_LINE_SHOWN = 120
FACTS = ("command_line", "clocksource", "memory", "cpus")


class Hello(msgspec.Struct, tag_field="event", tag="hello"):
    release: str
    version: str
    machine: str
    virtual_ns: int
    cpus: int
    command_line: str = ""
    clocksource: str = ""
    memory: str = ""
    build_id: str | None = None


class Settled(msgspec.Struct, tag_field="event", tag="settled"):
    idle: bool
    virtual_seconds: int
    switches_per_second: int
    virtual_ns: int


class Start(msgspec.Struct, tag_field="event", tag="start"):
    program: int
    virtual_ns: int


class Line(msgspec.Struct, tag_field="event", tag="line"):
    program: int
    text: str


class End(msgspec.Struct, tag_field="event", tag="end"):
    program: int
    status: int
    signal: int
    timeout: bool
    virtual_ns: int
    stderr: str


class Bulk(msgspec.Struct, tag_field="event", tag="bulk"):
    name: str
    address: int
    size: int


class Refused(msgspec.Struct, tag_field="event", tag="refused"):
    what: str
    why: str


class KernelLog(msgspec.Struct, tag_field="event", tag="kernel_log"):
    text: str


class Done(msgspec.Struct, tag_field="event", tag="done"):
    virtual_ns: int


Event = Hello | Settled | Start | Line | End | Bulk | Refused | KernelLog | Done


@dataclass
class Told:
    """All that a guest told, in a form that does not depend on when it told it."""

    hello: Hello | None = None
    settled: Settled | None = None
    programs: list[ProgramRun] = field(default_factory=list)
    bulks: dict[str, Bulk] = field(default_factory=dict)
    refused: Refused | None = None
    kernel_log: str = ""
    done: bool = False
    warnings: list[str] = field(default_factory=list)

    def running(self) -> RunningKernel | None:
        hello = self.hello
        return RunningKernel(hello.release, hello.version, hello.machine, hello.build_id) if hello else None

    def facts(self) -> dict[str, str]:
        return {f"guest {name}": str(getattr(self.hello, name)).strip() for name in FACTS} if self.hello else {}


def decode(line: str) -> Event | None:
    """The event on `line`, or None where it is none: garbage must cost nothing but a warning."""
    try:
        return msgspec.json.decode(line, type=Event)
    except (msgspec.MsgspecError, UnicodeError, RecursionError):
        return None


def listen(lines: Iterable[str]) -> Told:
    """Everything told in `lines`. What does not fit is kept as a warning."""
    told = Told()
    for line in lines:
        event = decode(line)
        if event is None or not _take(told, event):
            told.warnings.append(f"a line on the data channel is not the guest's: {line[:MOST_LINE_SHOWN]!r}")
    if told.settled and not told.settled.idle:
        told.warnings.append(f"the kernel was not idle after {told.settled.virtual_seconds} virtual seconds")
    return told


def _take(told: Told, event: Event) -> bool:
    """Note `event`; False where it contradicts what was told before."""
    match event:
        case Hello():
            told.hello = event
        case Settled():
            told.settled = event
        case Start(program=number):
            if number != len(told.programs):
                return False
            told.programs.append(ProgramRun())
        case Line() | End():
            return _take_of_program(told, event)
        case Bulk():
            told.bulks[event.name] = event
        case Refused():
            told.refused = event
        case KernelLog():
            told.kernel_log = event.text
        case Done():
            told.done = True
    return True


def _take_of_program(told: Told, event: Line | End) -> bool:
    if event.program != len(told.programs) - 1 or told.programs[-1].ended:
        return False
    run = told.programs[-1]
    if isinstance(event, Line):
        told.programs[-1] = msgspec.structs.replace(run, lines=(*run.lines, event.text))
    else:
        told.programs[-1] = msgspec.structs.replace(
            run, ended=True, status=event.status, signal=event.signal, timeout=event.timeout, stderr=event.stderr
        )
    return True
