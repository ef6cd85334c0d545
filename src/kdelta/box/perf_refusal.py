"""What perf says when it cannot, and what would let it."""

from __future__ import annotations

import re

from kdelta.model.errors import KdeltaError

MOST_QUOTED = 160
CAPABILITIES = "CAP_PERFMON with CAP_SYSLOG (CAP_SYS_ADMIN before Linux 5.8)"


class NoProfileError(KdeltaError):
    """No profile can be taken. The benchmark runs without one."""


# (what perf says, what that means, what would allow it): the first row that is found in the text holds. The texts are those of
# tools/perf/util/evsel.c since Linux 4.4, and of the wrappers that distributions put in perf's place.
REFUSALS: tuple[tuple[re.Pattern[str], str, str], ...] = tuple(
    (re.compile(said), means, advice)
    for said, means, advice in (
        (
            r"perf not found for kernel",
            "there is no perf for this kernel",
            'apt-get install "linux-tools-$(uname -r)" (Ubuntu), or put any newer perf first on the PATH',
        ),
        (r"linux-perf-\S+ is not installed|exec: perf_\S+: not found", "perf is not installed", "apt-get install linux-perf"),
        (
            r"(perf_event_paranoid setting is|The current value is) -1",
            "a security module refuses it, kernel.perf_event_paranoid does not",
            "its log says more (SELinux: ausearch -m avc); in a container, run kdelta outside",
        ),
        (
            r"No permission to enable|Operation not permitted",
            "a filter of system calls refuses it, kernel.perf_event_paranoid does not",
            "start the container with perf_event_open allowed (docker run --cap-add PERFMON --security-opt seccomp=unconfined)",
        ),
        (
            r"perf_event_paranoid setting|controls use of the performance events system",
            "kernel.perf_event_paranoid forbids it to this user",
            f"sysctl kernel.perf_event_paranoid=-1, or run as root or with {CAPABILITIES}",
        ),
        (
            r"Kernel address maps? .*restricted",
            "the kernel hides its symbols from this user",
            "sysctl kernel.kptr_restrict=0 kernel.perf_event_paranoid=-1, or run with CAP_SYSLOG where kptr_restrict is below 2",
        ),
        (
            r"Function not implemented",
            "there is no perf_event_open",
            "use a kernel with CONFIG_PERF_EVENTS; in a container, start it with seccomp=unconfined",
        ),
        (
            r"event is not supported|No such file or directory\) for event",
            "the event is not there",
            "use a kernel with CONFIG_PERF_EVENTS; in a virtual machine or container, its host may hide it",
        ),
        (r"Too many events are opened|Too many open files", "too few open files are allowed", "raise them: ulimit -n 65536"),
        (
            r"perf_event_mlock_kb",
            "too little memory may be locked",
            "sysctl kernel.perf_event_mlock_kb=516 or more, or run with CAP_IPC_LOCK (ulimit -l unlimited)",
        ),
        (r"unknown option", "this perf is too old", "use one of Linux 4.17 or newer; from 5.9 on it keeps to the timed loops"),
        (
            r"Maximum frequency rate",
            "kernel.perf_event_max_sample_rate has become less than the frequency asked for",
            "sysctl kernel.perf_event_max_sample_rate=100000",
        ),
        (r"size limit reached", "perf.data grew larger than it may", "profile a smaller benchmark, or fewer CPUs"),
        (r"No space left on device", "no room is left for perf.data", "make room, or set XDG_CACHE_HOME to a folder with more"),
        (r"resource busy|PMU counters are busy", "another profiler holds the counters", "end it, and run again"),
    )
)
UNKNOWN_ADVICE = "try it by hand: perf record -a -g -e cpu-clock -- sleep 1"

# Said of probes and by all runs alike.
BESIDE_THE_POINT = re.compile(r"Error:|perf_event_open\(\.\.\.|\[ perf record:|Events (?:en|dis)abled|Couldn't run the workload|$")


def refusal(text: str) -> NoProfileError:
    """The error that `text`, all that perf said, stands for."""
    lines = (line.strip() for line in text.splitlines())
    said = next((line for line in lines if not BESIDE_THE_POINT.match(line)), "it ended without a word")
    quoted = f"perf: {said[:MOST_QUOTED]}"
    for pattern, means, advice in REFUSALS:
        if pattern.search(text):
            return NoProfileError(f"{means} ({quoted})", advice)
    return NoProfileError(quoted, UNKNOWN_ADVICE)
