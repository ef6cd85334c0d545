"""What tests of moved runs share: all that a store holds, as values; and stores of a few boots."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import msgspec
from sqlalchemy import Connection, Engine, event
from tests.unit.builders import boot, kernel, profile, sample, samples, slot, stacks
from tests.unit.databases import begin

from kdelta.model.boot import Boot, Cell, CellState, Outcome
from kdelta.model.noise import Noise
from kdelta.model.record import BootRecord
from kdelta.store import content, transfer
from kdelta.store.place import open_store
from kdelta.store.store import Store
from kdelta.store.transfer import Imported

UUID = "8f6d1c1e-7f0b-4c57-9a37-000000000001"
ODD = "\0 \x1a \x1aZ \x1a@ \\0 \x7f \N{LATIN SMALL LETTER O WITH DIAERESIS} \N{BAR CHART} \N{RIGHT-TO-LEFT OVERRIDE}"
"""Characters that a database may take for something else."""

NOISE = Noise(
    box="exact", machine="x", benchmark="null", metric="time", boots=2, rounds=1, sd=0.1, df=1.0, ratio=None, p=None, flagged=False
)
EXTREME = tuple(
    msgspec.structs.replace(sample(1.0, iteration=place), value=value, operations=2**63 - 1, elapsed_ns=-(2**63))
    for place, value in enumerate((5e-324, 1.7976931348623157e308, -0.1, 1 / 3, 2.0**53 + 2, 123456.78901234567))
)
RICH = Boot(
    outcome=Outcome.DONE,
    reason=ODD,
    cells=(Cell("null", CellState.OK, ODD),),
    samples=(*EXTREME, msgspec.structs.replace(sample(9.0, iteration=9), discarded="not settled yet")),
    profiles=(profile({"f": 2**64 - 1, ODD: 3}), profile({"g": 1}, iteration=1)),
    stacks=(stacks({"a;b": 2**64 - 1, ODD: 1}),),
    warnings=(ODD,),
    kernel_log=f"all is well {ODD}",
    environment={"qemu": "7.2.22", ODD: ODD},
    host_seconds=0.1,
    ready_seconds=1 / 3,
)
OTHER = boot({"null": (4.0, 5.0)})
LOST = Boot(outcome=Outcome.LOST, cells=(), host_seconds=7.0)


def store_of(place: object, uuid: str | None = UUID, *boots: Boot) -> Store:
    """A store with a run of these boots at the first places of its plan; without a uuid an empty one."""
    store = open_store(str(place))
    if uuid:
        run = begin(store, uuid=uuid)
        for position, one in enumerate(boots):
            store.add(run.id, slot(position), kernel("old"), one)
    return store


def rich(place: object) -> Store:
    """A store with two runs, and something in every table."""
    store = store_of(place, UUID, RICH, LOST)
    store.add(1, slot(1), kernel("old"), OTHER)
    store.add(1, msgspec.structs.replace(slot(2, "new"), profiled=True), kernel("new"), RICH)
    under_way(store, 3, (1.0, 2.0))
    store.add_noise(store.run(1), [NOISE, msgspec.structs.replace(NOISE, boots=4)])
    second = begin(store, uuid="another")
    store.add(second.id, slot(), kernel("old"), OTHER)
    return store


def under_way(store: Store, position: int, values: tuple[float, ...]) -> int:
    """The id of a new boot that has measured these values, and goes on."""
    boot_id = store.open_boot(1, slot(position), kernel("old"))
    store.append(boot_id, samples(values))
    return boot_id


def close(store: Store, boot_id: int) -> None:
    store.close_cell(boot_id, Cell("null", CellState.OK), {0: "not settled yet"})
    store.close_boot(boot_id, msgspec.structs.replace(RICH, cells=(Cell("null", CellState.OK),)))


def whole(store: Store, record: BootRecord) -> BootRecord:
    """A boot with its profiles and kernel log, and without its number."""
    names = sorted({*record.benchmarks, "null"})
    came = msgspec.structs.replace(
        record.boot,
        kernel_log=store.kernel_log(record.id),
        profiles=tuple(one for name in names for one in store.profiles([record.id], name)),
        stacks=tuple(one for name in names for one in store.stacks([record.id], name)),
    )
    return msgspec.structs.replace(record, id=0, boot=came)


def seen(store: Store) -> dict[str, Any]:
    """All that a store tells of its runs, by uuid, as values without numbers."""
    noise = store.noise()
    return {
        run.uuid: (
            msgspec.structs.replace(run, id=0),
            [whole(store, one) for profiled in (False, True) for one in store.boots(run.id, profiled=profiled)],
            noise.get(run.id, ()),
        )
        for run in store.runs()
    }


def attempts(store: Store, run: int = 1) -> dict[tuple[int, int], content.Content]:
    """Every attempt of a run, by position and attempt."""
    found = content.read_places(store.database, run)
    return {(one.position, one.attempt): content.read_boot(store.database, one.id) for one in found}


def contents(store: Store, run: int = 1) -> list[str]:
    """The same in no order."""
    return sorted(repr(one) for one in attempts(store, run).values())


def moved(source: Store, target: Store, folder: Path, name: str = "moved") -> list[Imported]:
    """All runs of `source`, by a file, into `target`."""
    path = folder / name
    transfer.export(source, None, path, replace=True)
    [found] = transfer.load(target, [path])
    return found


def told(found: list[Imported]) -> list[tuple[bool, int, int, int]]:
    """What came of each run, in numbers."""
    return [(one.is_new, one.added, one.continued, one.noise) for one in found]


@contextmanager
def hasty() -> Iterator[None]:
    """Databases opened inside do not wait for the disk."""

    def hurry(connection: Connection) -> None:
        driver: Any = connection.connection.driver_connection
        if connection.dialect.name == "sqlite":
            driver.execute("PRAGMA synchronous=OFF")

    event.listen(Engine, "engine_connect", hurry)
    try:
        yield
    finally:
        event.remove(Engine, "engine_connect", hurry)
