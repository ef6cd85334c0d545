"""perf of this machine: what it can, and the words to start it with."""

from __future__ import annotations

import os
import re
import shutil
import threading
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from kdelta.box import process
from kdelta.box.control import ACK, CONTROL
from kdelta.box.perf_refusal import NoProfileError, refusal
from kdelta.model.guest import ProgramRun

CYCLES, CPU_CLOCK = "cycles", "cpu-clock"
"""The processor's own counter, whose interrupt also comes where others are held off; and a timer, where there is none."""
RATES = (997, 499, 199, 97, 47, 19, 7, 1)
"""Hertz: the first that the kernel allows. Odd, so as not to keep step with its tick of 100, 250, 300 or 1000 Hz."""
MAX_RATE = Path("/proc/sys/kernel/perf_event_max_sample_rate")
FULL_RATE_SECONDS = 20.0
"""At the highest rate; what takes longer is looked at less often, and has as many samples."""
MOST_BYTES, MOST_BYTES_PER_CPU = 64 << 20, 16 << 20
"""Of perf.data. Ten seconds are some 3 MiB for each CPU, and a few for programs started thousands of times a second."""
PROBE_SECONDS = 60.0
INSTALL = "apt-get install linux-perf (Debian), linux-tools-generic (Ubuntu) or perf (Fedora, openSUSE, Arch)"

# Neither the user's settings nor a server of debug information has a say.
SETTINGS = {"LC_ALL": "C", "PERF_CONFIG": "/dev/null", "DEBUGINFOD_URLS": ""}

# Started by perf when it has begun: says so, and ends with its standard input, and so with whoever holds the other end.
UNTIL_TOLD = ("/bin/sh", "-c", 'echo ack >"$0" && exec cat')


@dataclass(frozen=True)
class Perf:
    """`controlled`: it can be told when to count. Without, it counts from its beginning to its end."""

    program: str
    version: str
    event: str
    hertz: int
    controlled: bool = True
    sized: bool = True

    def over(self, seconds: float) -> Perf:
        """As often as what takes so long needs."""
        return replace(self, hertz=_rate(self.hertz * FULL_RATE_SECONDS / max(seconds, FULL_RATE_SECONDS)))

    def record(self, folder: Path, data: Path) -> list[str]:
        """Of all CPUs, with call chains. `folder` holds the FIFOs. No build ids: what ran is still here when `script` reads.

        Noting each fork, exec and mapping takes some 3 % of a fork and 6 % of an exec, as perf_event_task and perf_event_mmap.
        """
        control = (f"--control=fifo:{folder / CONTROL},{folder / ACK}", "-D", "-1") if self.controlled else ()
        bound = (f"--max-size={(MOST_BYTES + MOST_BYTES_PER_CPU * (os.cpu_count() or 1)) >> 20}M",) if self.sized else ()
        how = ("-a", "-g", "-e", self.event, "-F", str(self.hertz), "--strict-freq", "-B", "-N", "-o", str(data))
        return [self.program, "record", *how, *control, *bound, "--", *UNTIL_TOLD, str(folder / ACK)]

    def script(self, data: Path) -> list[str]:
        """The text of all samples. Symbols of the kernel are those of the running one, never of an image that lies about."""
        fields = "comm,pid,tid,cpu,time,event,ip,sym,dso"
        return [self.program, "script", "-i", str(data), "-f", "--no-inline", "--kallsyms=/proc/kallsyms", "-F", fields]

    def __str__(self) -> str:
        return f"perf {self.version}, {self.event} at {self.hertz} Hz"


def find(folder: Path, extra: Mapping[str, str], stop: threading.Event) -> Perf:
    """The perf on the PATH, looked at by starting it in `folder`. Raises NoProfileError where there is none that runs."""
    program = shutil.which("perf")
    if program is None:
        raise NoProfileError("perf is not installed", INSTALL)

    def said(*words: str) -> ProgramRun:
        return process.run((program, *words), folder, environment(extra), limit_seconds=PROBE_SECONDS, stop=stop, output=folder)

    version = said("--version")
    if version.status or version.signal:
        raise refusal("\n".join((*version.lines, version.stderr)))
    usage = said("record", "-h")
    options = "\n".join((*usage.lines, usage.stderr))
    return Perf(
        program=program,
        version=" ".join(version.lines).removeprefix("perf version ").strip() or "unknown",
        event=_event(said("stat", "-a", "-x,", "-e", CYCLES, "--", "sleep", "0.01").stderr),
        hertz=_rate(_most_rate()),
        controlled="--control" in options,
        sized="--max-size" in options,
    )


def environment(extra: Mapping[str, str]) -> dict[str, str]:
    return {**os.environ, **extra, **SETTINGS}


def _event(counted: str) -> str:
    """By trying: in a virtual machine the counter is often missing, or counts nothing."""
    return CYCLES if re.search(rf"^[1-9]\d*,[^,]*,{CYCLES}", counted, re.MULTILINE) else CPU_CLOCK


def _rate(most: float) -> int:
    return next((rate for rate in RATES if rate <= most), RATES[-1])


def _most_rate() -> float:
    try:
        return int(MAX_RATE.read_text())
    except (OSError, ValueError):
        return RATES[0]
