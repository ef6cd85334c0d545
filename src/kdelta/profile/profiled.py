"""The profiles of one side of a difference, with what is known of the side beside them."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from kdelta.model.errors import MisuseError
from kdelta.model.profile import by_function
from kdelta.profile.chains import added
from kdelta.profile.change import Side
from kdelta.profile.charge import charge
from kdelta.profile.leaves import Leaves, of_program


class Profiled(msgspec.Struct, frozen=True, kw_only=True):
    """`stacks` are counts by folded chain, one mapping for each profile of `side`, none where the profiles are flat.

    `metric` is the benchmark's own value in each timed boot, per operation, in instructions or seconds: of the kernel's time alone
    where it is `of_kernel`. `release` is the kernel's.
    """

    side: Side
    stacks: tuple[Mapping[str, int], ...] = ()
    metric: tuple[float, ...] = ()
    of_kernel: bool = False
    hertz: float | None = None
    release: str = ""
    build_id: str | None = None

    @property
    def chains(self) -> dict[str, int]:
        """Those of all profiles together."""
        return added(self.stacks)

    @property
    def counts(self) -> dict[str, int]:
        """Of all profiles together: by chain, or by function where they are flat."""
        return self.chains or added(self.side.counts)

    @property
    def work(self) -> float:
        """Of all profiles together; where it is not known, how many they are."""
        return sum(self.side.work) if self.side.work else float(len(self.side.counts))

    def per_work(self) -> dict[str, float]:
        return {chain: count / self.work for chain, count in self.counts.items()}


def charged(profiled: Profiled, leaves: Leaves) -> Profiled:
    """The same counts, those of leaf functions in their callers."""
    if not profiled.stacks:
        raise MisuseError(
            f"the profiles of {profiled.side.name} have no call chains: nothing can be charged to a caller",
            "measure again, without --no-chains; or take profiles with call chains (perf record -g)",
        )
    stacks = tuple(charge(one, leaves) for one in profiled.stacks)
    counts = tuple(map(by_function, stacks))
    return msgspec.structs.replace(profiled, stacks=stacks, side=msgspec.structs.replace(profiled.side, counts=counts))


def kernel_alone(side: Side) -> Side:
    """`side` without what programs and libraries did themselves."""
    kept = tuple({name: count for name, count in one.items() if not of_program(name)} for one in side.counts)
    return msgspec.structs.replace(side, counts=kept)
