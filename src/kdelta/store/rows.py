"""Between rows and values."""

from __future__ import annotations

from typing import Any

import msgspec
from sqlalchemy import Connection, Row, Table, func, insert, select

from kdelta.model.boot import Boot, Cell, CellState, Outcome
from kdelta.model.kernel import Kernel, RunningKernel
from kdelta.model.plan import Plan, Slot
from kdelta.model.record import BootRecord, RunRecord
from kdelta.model.sample import Profile, Sample
from kdelta.store import schema


def json(value: object) -> str:
    return msgspec.json.encode(value, order="deterministic").decode()


def fields(value: msgspec.Struct) -> dict[str, Any]:
    return {name: getattr(value, name) for name in value.__struct_fields__}


def add_kernel(connection: Connection, kernel: Kernel) -> None:
    table = schema.kernels
    known = connection.execute(select(table.c.image_sha256).where(table.c.image_sha256 == kernel.image_sha256)).first()
    if known is None:
        values = {column.name: getattr(kernel, column.name) for column in table.c}
        connection.execute(insert(table).values(values))


def boot_row(connection: Connection, run: int, slot: Slot, kernel: Kernel, boot: Boot) -> dict[str, Any]:
    """The row of `boot`, numbered as one attempt more than the run has at the slot's position."""
    table = schema.boots
    earlier = select(func.count()).select_from(table).where(table.c.run == run, table.c.position == slot.position)
    return {
        "run": run,
        "position": slot.position,
        "attempt": connection.execute(earlier).scalar_one() + 1,
        "box": slot.box,
        "variant": slot.variant,
        "seed": slot.seed,
        "kernel": kernel.image_sha256,
        "outcome": boot.outcome.value,
        "reason": boot.reason,
        "running": json(boot.running) if boot.running else None,
        "benchmarks": json([benchmark.name for benchmark in slot.benchmarks]),
        "environment": json(boot.environment),
        "warnings": json(boot.warnings),
        "kernel_log": boot.kernel_log,
        "host_seconds": boot.host_seconds,
        "ready_seconds": boot.ready_seconds,
    }


def add_rows(connection: Connection, table: Table, boot: int, rows: list[dict[str, Any]]) -> None:
    if rows:
        connection.execute(insert(table), [{**row, "boot": boot} for row in rows])


def grouped(connection: Connection, table: Table, boots: list[int]) -> dict[int, list[Row[Any]]]:
    groups: dict[int, list[Row[Any]]] = {}
    for row in connection.execute(select(table).where(table.c.boot.in_(boots)).order_by(table.c.id)):
        groups.setdefault(row.boot, []).append(row)
    return groups


def run(row: Row[Any]) -> RunRecord:
    """The run in a row of `runs`."""
    return RunRecord(
        id=row.id,
        uuid=row.uuid,
        started=row.started,
        plan=msgspec.json.decode(row.plan, type=Plan),
        kernels=msgspec.json.decode(row.kernels, type=dict[str, Kernel]),
        kdelta_version=row.kdelta_version,
    )


def stored(row: Row[Any], cells: list[Row[Any]], samples: list[Row[Any]]) -> BootRecord:
    """The boot in a row of `boots`, with its rows of `cells` and `samples`."""
    boot = Boot(
        outcome=Outcome(row.outcome),
        reason=row.reason,
        running=msgspec.json.decode(row.running, type=RunningKernel) if row.running else None,
        cells=tuple(Cell(cell.benchmark, CellState(cell.state), cell.reason) for cell in cells),
        samples=tuple(Sample(**{name: getattr(sample, name) for name in Sample.__struct_fields__}) for sample in samples),
        warnings=msgspec.json.decode(row.warnings, type=tuple[str, ...]),
        environment=msgspec.json.decode(row.environment, type=dict[str, str]),
        host_seconds=row.host_seconds,
        ready_seconds=row.ready_seconds,
    )
    return BootRecord(
        id=row.id,
        position=row.position,
        attempt=row.attempt,
        box=row.box,
        variant=row.variant,
        seed=row.seed,
        benchmarks=msgspec.json.decode(row.benchmarks, type=tuple[str, ...]),
        boot=boot,
    )


def profile(row: Row[Any]) -> Profile:
    counts = msgspec.json.decode(row.counts, type=dict[str, int])
    return Profile(benchmark=row.benchmark, iteration=row.iteration, operations=row.operations, counts=counts)
