"""The QEMU on this machine: found, asked for its version and for the plugin that it accepts; and the options we give it."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from kdelta.box import native
from kdelta.box.job import Perturbation
from kdelta.model.errors import MisuseError
from kdelta.model.plan import BoxSpec

PROGRAM = "qemu-system-x86_64"
OLDEST = (5, 2)
"""-icount with sleep=off as a machine property, and -action-like behaviour of -no-shutdown, are as used here since 5.2."""
PLUGIN_APIS = (3, 2, 1)
PROBE_SECONDS = 30

# One guest instruction is one virtual nanosecond; virtual time does not wait for the host. -seed: QEMU 7.1 and 7.2 hand the
# kernel a random seed of their own in the boot protocol's setup_data. qemu64 has neither erms nor fsrm: with them the kernel
# clears pages bytewise, and under TCG every iteration of a string instruction counts as one instruction.
EXACT = (
    *("-machine", "pc", "-accel", "tcg,thread=single", "-icount", "shift=0,sleep=off"),
    *("-rtc", "base=2020-01-01,clock=vm", "-seed", "1", "-cpu", "qemu64,-rdrand,-rdseed"),
    *("-nodefaults", "-display", "none", "-no-reboot", "-no-shutdown"),
)

# mitigations=off: the CPU model's, not a real CPU's, would be measured. The rest shortens the boot and touches nothing that
# is measured: self-tests of ciphers, hashes, of the jitter RNG and of the timer's interrupt line, names of enumerations for
# tracing, and calibration of a known clock. A kernel without one of these initcalls ignores its name.
COMMAND_LINE = (
    "console=ttyS0 nokaslr panic=-1 quiet mitigations=off",
    "cryptomgr.notests initcall_blacklist=jent_mod_init,blake2s_mod_init,trace_eval_init",
    "no_timer_check tsc_early_khz=1000000",
)

# The local APIC timer is calibrated by spinning for 100 virtual ms, 5 s of the host's time; with one CPU the HPET serves.
ONE_CPU_ONLY = "noapictimer"


@dataclass(frozen=True)
class Qemu:
    """A QEMU that can be used. `plugin` is None where it accepts none of ours; `why_no_plugin` says why."""

    program: str
    version: str
    plugin: Path | None
    why_no_plugin: str = ""


@cache
def find() -> Qemu:
    """The QEMU named by KDELTA_QEMU, or that on the PATH. Raises MisuseError where it is absent or too old."""
    wanted = os.environ.get("KDELTA_QEMU", PROGRAM)
    program = shutil.which(wanted)
    if program is None:
        raise MisuseError(
            f"QEMU is not here: there is no program {wanted}",
            "install it: apt-get install qemu-system-x86 (Fedora, Arch: qemu-system-x86), or set KDELTA_QEMU",
        )
    version = _version(program)
    plugin, why = _plugin(program)
    return Qemu(program, version, plugin, why)


def _version(program: str) -> str:
    try:
        text = _said([program, "--version"]).stdout
    except (OSError, subprocess.TimeoutExpired) as error:
        raise MisuseError(f"{program} does not run: {error}", "set KDELTA_QEMU to a QEMU that does") from error
    match = re.match(r"QEMU emulator version ((\d+)\.(\d+)\S*(?: \(.*\))?)", text)
    if match is None:
        raise MisuseError(f"{program} is no QEMU: --version says {text[:80]!r}", "set KDELTA_QEMU to qemu-system-x86_64")
    if (int(match[2]), int(match[3])) < OLDEST:
        oldest = ".".join(map(str, OLDEST))
        raise MisuseError(f"{program} is QEMU {match[2]}.{match[3]}; {oldest} or newer is needed", "install a newer one")
    return match[1]


def _said(command: list[str], told: str = "") -> subprocess.CompletedProcess[str]:
    return subprocess.run(command, input=told, capture_output=True, text=True, errors="replace", timeout=PROBE_SECONDS, check=False)


def _plugin(program: str) -> tuple[Path | None, str]:
    """The newest of our plugins that this QEMU loads: loading is the test, its version is not."""
    said = ""
    for api in PLUGIN_APIS:
        plugin = native.path("plugin", f"profile-{api}.so")
        said = _load(program, plugin)
        if not said:
            return plugin, ""
    return None, said


def _load(program: str, plugin: Path) -> str:
    """What QEMU complains of when it loads `plugin` and leaves at once; empty when it does not complain."""
    command = [program, "-machine", "none", "-nodefaults", "-display", "none", "-monitor", "stdio"]
    command += ["-plugin", f"{_escaped(plugin)},out=/dev/null"]
    try:
        done = _said(command, "quit\n")
    except (OSError, subprocess.TimeoutExpired) as error:
        return str(error)
    return (done.stderr.strip() or f"exit status {done.returncode}").splitlines()[-1] if done.returncode else ""


def _escaped(path: Path) -> str:
    """QEMU's options separate their parts with commas; a doubled one stands for itself."""
    return str(path).replace(",", ",,")


def kernel_words(spec: BoxSpec, cmdline: tuple[str, ...], padding: int) -> str:
    """The kernel's command line: ours, the variant's, and `padding` characters that mean nothing."""
    ours = [*COMMAND_LINE, *([ONE_CPU_ONLY] if spec.cpus == 1 else [])]
    return " ".join([*ours, "kdelta.padding=" + "x" * padding, *cmdline])


def options(spec: BoxSpec) -> tuple[str, ...]:
    """What decides the result, apart from kernel, programs and seed: recorded with every boot."""
    return (*EXACT, "-smp", str(spec.cpus), "-m", str(spec.memory))


def command(qemu: Qemu, spec: BoxSpec, folder: Path, change: Perturbation, kernel: str, words: str, control_fd: int) -> list[str]:
    """The whole command. `folder` takes console, data and profile; `control_fd` is our end's peer for QMP."""
    perturbed = BoxSpec(name=spec.name, cpus=spec.cpus, memory=spec.memory + change.memory_mib)
    line = [qemu.program, *options(perturbed), "-kernel", kernel, "-initrd", str(folder / "initramfs"), "-append", words]
    for name in ("console", "data"):
        line += ["-chardev", f"file,id={name},path={_escaped(folder / name)}", "-serial", f"chardev:{name}"]
    line += ["-chardev", f"socket,id=control,fd={control_fd}", "-mon", "chardev=control,mode=control"]
    if qemu.plugin:
        chains = "" if spec.chains else ",chains=off"
        line += ["-plugin", f"{_escaped(qemu.plugin)},out={_escaped(folder / 'profile')}{chains}"]
    return line
