"""kdelta doctor: what this machine has and lacks."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from enum import Enum

import click
import msgspec

from kdelta.box import native, profiler, qemu
from kdelta.box.settings import repair
from kdelta.cli.options import json_option, print_json
from kdelta.cli.paint import STATES
from kdelta.cli.terminal import say
from kdelta.kernel import apt, cache
from kdelta.kernel.running import running
from kdelta.model.errors import KdeltaError, MisuseError
from kdelta.store.place import shown

ROOM_BYTES = 1 << 30
BUILD_TOOLS = {"make": "make", "gcc": "gcc", "flex": "flex", "bison": "bison", "bc": "bc"}
"""What kernbench needs, with Debian's packages."""


class State(Enum):
    OK = "ok"
    PARTLY = "partly"
    """The lab works, with less."""
    MISSING = "missing"


class Finding(msgspec.Struct, frozen=True):
    """`advice` is how the thing is usually got; empty where it is there."""

    what: str
    state: State
    found: str
    advice: str = ""


def _qemu() -> Finding:
    return Finding("QEMU", State.OK, f"{qemu.find().program}, {qemu.find().version}")


def _plugin() -> Finding:
    found = qemu.find()
    if found.plugin:
        return Finding("profiles", State.OK, f"QEMU loads {found.plugin.name}")
    advice = "tables work without; for profiles use a QEMU built with --enable-plugins (Debian's, Ubuntu's and Fedora's are)"
    return Finding("profiles", State.PARTLY, f"QEMU loads no plugin of ours: {found.why_no_plugin}", advice)


def _perf() -> Finding:
    return Finding("profiles of time", State.OK, profiler.examine())


def _programs() -> Finding:
    count = len(native.workloads())
    native.path("guest", "init")
    native.path("host", "tether")
    return Finding("C programs", State.OK, f"{count} workloads, init and tether, by {native.compiler()}")


def _kernels() -> Finding:
    series = dict.fromkeys(package.series for package in apt.available())
    missing = [tool for tool in ("apt-get", "dpkg-deb") if not shutil.which(tool)]
    if missing:
        raise MisuseError(f"{missing[0]} is missing", "name an image with -k path:/boot/vmlinuz-...")
    return Finding("kernels by apt", State.OK, f"series {', '.join(series)}")


def _shell() -> Finding:
    if native.shell():
        return Finding("shell for the guest", State.OK, str(shutil.which("busybox")))
    return Finding("shell for the guest", State.PARTLY, "no static busybox", "proc-sh needs one: apt-get install busybox-static")


def _room() -> Finding:
    folder = cache.folder()
    free = shutil.disk_usage(folder).free
    if free < ROOM_BYTES:
        raise MisuseError(f"{folder} has {free >> 20} MiB left", "make room, or set XDG_CACHE_HOME")
    return Finding("cache", State.OK, f"{folder}, {free >> 30} GiB free")


def _store() -> Finding:
    return Finding("store", State.OK, shown())


def _left_over() -> Finding:
    """What a killed kdelta left behind is put back here, too."""
    found = repair()
    failed = [reason for one in found for reason in one.failed]
    if failed:
        raise MisuseError(f"an earlier run left this machine changed: {'; '.join(failed)}", f"see {found[0].journal}")
    restored = [what for one in found for what in one.restored]
    return Finding("settings", State.OK, f"put back now: {', '.join(restored)}" if restored else "nothing is left changed")


def _local() -> Finding:
    now = running()
    who = "settings of variants can be made" if os.geteuid() == 0 else "settings of variants need root"
    return Finding("this machine", State.OK, f"kernel {now.release}, {os.cpu_count()} CPUs; {who}")


def _build_tools() -> Finding:
    missing = [tool for tool in BUILD_TOOLS if shutil.which(tool) is None]
    if missing:
        packages = " ".join(dict.fromkeys(BUILD_TOOLS[tool] for tool in missing))
        advice = f"kernbench needs them: apt-get install {packages}"
        return Finding("kernel builds", State.PARTLY, f"no {', '.join(missing)}", advice)
    return Finding("kernel builds", State.OK, ", ".join(BUILD_TOOLS))


# (what is looked at, how, what is lost without it)
CHECKS: tuple[tuple[str, Callable[[], Finding], State], ...] = (
    ("QEMU", _qemu, State.MISSING),
    ("profiles", _plugin, State.MISSING),
    ("C programs", _programs, State.MISSING),
    ("kernels by apt", _kernels, State.PARTLY),
    ("shell for the guest", _shell, State.PARTLY),
    ("cache", _room, State.MISSING),
    ("store", _store, State.MISSING),
    ("this machine", _local, State.PARTLY),
    ("profiles of time", _perf, State.PARTLY),
    ("settings", _left_over, State.PARTLY),
    ("kernel builds", _build_tools, State.PARTLY),
)


def examine() -> list[Finding]:
    """Every check, each on its own: one that fails does not hide the next."""
    findings = []
    for what, check, without in CHECKS:
        try:
            findings.append(check())
        except KdeltaError as error:
            findings.append(Finding(what, without, str(error), error.advice))
    return findings


@click.command()
@json_option
def command(as_json: bool) -> int:
    """Tell what is needed, what is here, and how what is missing is usually got. Exit code 2 if the exact lab cannot work.

    Puts back what a killed run left changed.
    """
    findings = examine()
    if as_json:
        print_json(findings)
    else:
        for finding in findings:
            advice = f"{'':<8} -> {finding.advice}\n" if finding.advice else ""
            say(f"{finding.state.value:<8} {finding.what}: {finding.found}\n{advice}", STATES)
    return 2 if any(finding.state is State.MISSING for finding in findings) else 0
