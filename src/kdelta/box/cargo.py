"""What one boot of the exact lab carries beside init and the workloads: a file system with its modules, and users' commands."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from kdelta.box import carried, filesystem, native
from kdelta.box.job import Line
from kdelta.kernel import modules
from kdelta.kernel.modules import Module
from kdelta.model.benchmark import Benchmark
from kdelta.model.errors import MisuseError
from kdelta.model.kernel import Kernel
from kdelta.model.plan import BoxSpec
from kdelta.model.variant import Mount, Variant

REST_MIB = 192
"""Of the guest's memory, for the kernel, the workloads and the page cache: the device may fill the rest."""
MODULES = "/modules"


@dataclass(frozen=True)
class Cargo:
    """`files` and `modes` for the archive, `lines` for the job before its settings, `cmdline` for the kernel."""

    files: dict[str, bytes] = field(default_factory=dict)
    modes: dict[str, int] = field(default_factory=dict)
    lines: tuple[Line, ...] = ()
    cmdline: tuple[str, ...] = ()
    modules: tuple[str, ...] = ()
    facts: dict[str, str] = field(default_factory=dict)


def load(spec: BoxSpec, variant: Variant, kernel: Kernel, benchmarks: Iterable[Benchmark]) -> Cargo:
    """The cargo of a boot of `variant` on the box of `spec`.

    Raises MisuseError for what cannot be: a module that the kernel has not, no mkfs, a file that is not there, too little memory.
    """
    commands = {benchmark.command: None for benchmark in benchmarks if benchmark.command}
    taken = carried.carry(tuple(sorted(commands, key=lambda command: (command.words, command.files))))
    _require_room(spec, variant, taken.mib)
    facts = {"carried sha256": native.checksum(taken.files)} if taken.files else {}
    if variant.mount is None:
        return Cargo(taken.files, taken.modes, facts=facts)
    if variant.mount.device:
        raise MisuseError(
            f"{variant.mount.device} of variant '{variant.name}' is a device of this machine", "leave it out: a guest has its own"
        )
    return _with_mount(variant.mount, kernel, taken, facts)


def _require_room(spec: BoxSpec, variant: Variant, carried_mib: int) -> None:
    """The same memory for every column, whatever it mounts: counts of guests of two sizes are not to be compared."""
    device_mib = filesystem.size_mib(variant.mount) if variant.mount else 0
    needed = device_mib + carried_mib
    if not needed or needed + REST_MIB <= spec.memory:
        return
    parts = [f"a file system of {device_mib} MiB"] if device_mib else []
    parts += [f"{carried_mib} MiB of commands' files"] if carried_mib else []
    raise MisuseError(
        f"a guest of {spec.memory} MiB has no room for {' and '.join(parts)} (variant '{variant.name}')",
        f"give box '{spec.name}' `memory` = {needed + REST_MIB} or more"
        + (", or the mount a lower `size_mib`" if device_mib else ""),
    )


def _with_mount(mount: Mount, kernel: Kernel, taken: carried.Carried, facts: dict[str, str]) -> Cargo:
    needed = modules.find(kernel, filesystem.DRIVER, filesystem.DRIVERS[mount.type])
    made, mib = filesystem.make(mount), filesystem.size_mib(mount)
    size = {"rd_nr": "1", "rd_size": str(mib << 10)}
    named = {f"{MODULES}/{module.name}.ko": module.content for module in needed}
    # A driver that is built in takes its parameters from the kernel's command line.
    words = tuple(f"brd.{name}={value}" for name, value in size.items()) if modules.is_built_in(kernel, "brd") else ()
    options = filesystem.options(mount.options)
    lines = (
        *(_module_line(module, size) for module in needed),
        ("device", filesystem.DEVICE, str(mib << 20), filesystem.BLOCKS),
        ("mount", mount.type, filesystem.DEVICE, str(options.flags), options.rest, ",".join(options.shown)),
    )
    return Cargo(
        files={**taken.files, **named, filesystem.BLOCKS: made.blocks},
        modes=taken.modes,
        lines=lines,
        cmdline=words,
        modules=tuple(module.name for module in needed),
        facts={**facts, "file system": f"{mount.type}, {mib} MiB by {made.maker}, sha256 {made.sha256}"},
    )


def _module_line(module: Module, size: dict[str, str]) -> Line:
    parameters = size if module.name in filesystem.DRIVER else {}
    return ("module", f"{MODULES}/{module.name}.ko", " ".join(f"{name}={value}" for name, value in parameters.items()))
