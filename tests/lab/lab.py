"""What the tests of the exact lab share: real kernels of the package manager, booted in real QEMU, two at a time."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor

import msgspec

from kdelta.box.exact import ExactBox
from kdelta.box.protocol import Watch
from kdelta.model.benchmark import Benchmark
from kdelta.model.boot import Boot, BootRequest
from kdelta.model.kernel import Kernel
from kdelta.model.plan import BoxSpec
from kdelta.model.variant import Variant
from kdelta.profile.readers.exact import read as read_profile
from kdelta.run.interpret import interpret
from kdelta.workload.select import select

SIDE_BY_SIDE = 2


def make_box(
    *, cpus: int = 1, limit_seconds: float = 120.0, programs: dict[str, bytes] | None = None, chains: bool = False
) -> ExactBox:
    """Most tests do not look at call chains, and are over sooner without."""
    return ExactBox(BoxSpec(name="exact", cpus=cpus, chains=chains), read_profile, limit_seconds=limit_seconds, programs=programs)


def shorter(words: str) -> tuple[Benchmark, ...]:
    """The benchmarks that these words of -b name, with a quarter of their operations, for tests that look at the kind of what is
    measured rather than at its amount."""
    return tuple(msgspec.structs.replace(one, operations=one.operations // 4) for one in select(words.split()))


MIXED = shorter("null syscall-open proc-fork ctx-20 pagefault")


def request(
    kernel: Kernel,
    benchmarks: str | Sequence[Benchmark],
    *,
    seed: int = 1,
    cmdline: Iterable[str] = (),
    sysctl: dict[str, str] | None = None,
) -> BootRequest:
    """A boot of `kernel`; benchmarks as words of -b, separated by blanks, or as values."""
    chosen = select(benchmarks.split()) if isinstance(benchmarks, str) else tuple(benchmarks)
    variant = Variant(name="tested", kernel=kernel.spec, cmdline=tuple(cmdline), sysctl=sysctl or {})
    return BootRequest(variant=variant, kernel=kernel, seed=seed, benchmarks=chosen)


def boot(box: ExactBox, *requests: BootRequest) -> list[Boot]:
    """One Boot per request, in their order."""
    with ThreadPoolExecutor(SIDE_BY_SIDE) as pool:
        return list(pool.map(lambda one: interpret(one, box.boot(one, Watch())), requests))


def values(boots: Boot, benchmark: str) -> list[float]:
    """The measured iterations of one benchmark."""
    return [sample.value for sample in boots.samples if sample.benchmark == benchmark and not sample.warmup]
