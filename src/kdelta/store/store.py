"""One store: runs are begun, boots added, and both read back. What a method added is durable when it returns.

A boot of a machine that is made for it is added whole, by `add`. A visit of a real machine lasts hours and is added as it goes:
`open_boot`, then `append` after each run of a program and `close_cell` after each benchmark, and `close_boot`.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from itertools import islice
from typing import Any

from sqlalchemy import URL, Row, Table, select

from kdelta.model.boot import Boot, Cell
from kdelta.model.errors import MisuseError
from kdelta.model.kernel import Kernel
from kdelta.model.noise import Noise
from kdelta.model.plan import Plan, Slot
from kdelta.model.profile import Profile, Stacks
from kdelta.model.record import BootRecord, RunRecord
from kdelta.model.sample import Sample
from kdelta.store import counts, noise, published, rows, schema
from kdelta.store.database import Database
from kdelta.store.noise import Past
from kdelta.store.published import Text
from kdelta.store.version import prepare

MOST_RUNS = 20
"""Of a history, the newest: a machine changes with the years."""
MOST_ID = 2**31 - 1
"""That a database has: it asks for no larger one."""


class Store:
    """Opens the store at `url`, making it if it is not there. Raises StoreError where that fails.

    One that is `read_only` is neither made nor upgraded, and what adds to it raises StoreError.
    """

    def __init__(self, url: URL, *, read_only: bool = False) -> None:
        self._database = Database(url, read_only=read_only)
        prepare(self._database)

    @property
    def database(self) -> Database:
        """For what copies rows from store to store: `transfer`."""
        return self._database

    def close(self) -> None:
        self._database.close()

    # ---- adding ----

    def begin(self, plan: Plan, kernels: dict[str, Kernel], *, uuid: str, started: str, kdelta_version: str) -> RunRecord:
        """A new run; `kernels` are by variant."""
        values = {
            "uuid": uuid,
            "started": started,
            "plan": rows.json(plan),
            "kernels": rows.json(kernels),
            "kdelta_version": kdelta_version,
        }
        with self._database.writing() as connection:
            for kernel in kernels.values():
                rows.add_kernel(connection, kernel)
            run = rows.added(connection, schema.runs, values)
        return self.run(run)

    def add(self, run: int, slot: Slot, kernel: Kernel, boot: Boot) -> None:
        """Add `boot` with all its samples and profiles: all of it is durable on return, or none of it is there."""
        with self._database.writing() as connection:
            boot_id = rows.add_boot(connection, run, slot, kernel)
            rows.add_samples(connection, boot_id, boot.samples)
            rows.add_cells(connection, boot_id, boot.cells)
            rows.add_ending(connection, boot_id, boot)

    def open_boot(self, run: int, slot: Slot, kernel: Kernel) -> int:
        """The id of a boot that has begun: the next attempt at the slot's position. Until `close_boot` it is INTERRUPTED."""
        with self._database.writing() as connection:
            return rows.add_boot(connection, run, slot, kernel)

    def append(self, boot_id: int, samples: Iterable[Sample]) -> None:
        """Add what one run of a program measured. It is judged once its benchmark is closed."""
        with self._database.writing() as connection:
            rows.add_samples(connection, boot_id, samples)

    def close_cell(self, boot_id: int, cell: Cell, discards: Mapping[int, str]) -> None:
        """A benchmark has ended. `discards` are its iterations that are not judged, with the reason why."""
        with self._database.writing() as connection:
            rows.add_cells(connection, boot_id, [cell])
            rows.add_discards(connection, boot_id, {(cell.benchmark, which): why for which, why in discards.items()})

    def close_boot(self, boot_id: int, boot: Boot) -> None:
        """A boot has ended: add how, and those of its cells that were not closed before. Its samples were appended."""
        cells = schema.cells
        with self._database.writing() as connection:
            closed = set(connection.execute(select(cells.c.benchmark).where(cells.c.boot == boot_id)).scalars())
            rows.add_cells(connection, boot_id, [cell for cell in boot.cells if cell.benchmark not in closed])
            rows.add_ending(connection, boot_id, boot)

    def add_noise(self, run: RunRecord, found: Iterable[Noise]) -> None:
        """Add what `run` found that measured its baseline against itself."""
        with self._database.writing() as connection:
            noise.add(connection, run, found)

    def add_published(self, made: RunRecord, boots: Iterable[BootRecord], texts: Iterable[Text]) -> RunRecord:
        """Add a run that others published, with the texts that it was read from: all of it, or nothing. The one that is there where
        somebody else has added it meanwhile."""
        with self._database.writing() as connection:
            number = published.add(connection, made, boots, texts)
        return self.run(number)

    # ---- reading ----

    def runs(self) -> list[RunRecord]:
        """All runs, oldest first."""
        with self._database.reading() as connection:
            origins = published.origins(connection)
            found = connection.execute(select(schema.runs).order_by(schema.runs.c.id))
            return [rows.run(row, origins.get(row.id, ())) for row in found]

    def run(self, number: int | None = None) -> RunRecord:
        """The run with that number, or the newest. Raises MisuseError where there is none."""
        wanted = select(schema.runs).order_by(schema.runs.c.id.desc()).limit(1)
        if number is not None:
            wanted = wanted.where(schema.runs.c.id == min(number, MOST_ID))
        with self._database.reading() as connection:
            row = connection.execute(wanted).first()
            known = connection.execute(select(schema.runs.c.id).order_by(schema.runs.c.id)).scalars().all()
            origins = published.origins(connection, [row.id]) if row else {}
        if row is None and not known:
            raise MisuseError("the store holds no run yet", "measure one: kdelta run -k apt:oldest -k apt:newest -b quick --exact")
        if row is None:
            raise MisuseError(f"there is no run {number}", f"there are the runs {known[0]} to {known[-1]}: see `kdelta runs`")
        return rows.run(row, origins.get(row.id, ()))

    def boots(self, run: int, *, profiled: bool = False) -> list[BootRecord]:
        """The boots of a run in the plan's order, without profiles and kernel log: those whose results are judged, or those in
        which nothing was timed.

        One for each position: the last attempt, with what stands of the earlier ones (`attempts.together`).
        """
        with self._database.reading() as connection:
            found = noise.attempts(connection, run, profiled=profiled)
            parts = [rows.grouped(connection, table, run, profiled=profiled) for table in noise.PARTS]
        return noise.records(found, parts)

    def profiles(self, boot_ids: list[int], benchmark: str) -> list[Profile]:
        """The profiles of one benchmark in these boots, in the order of `boot_ids`: not in that of a repeated boot's return."""
        return [rows.profile(row) for row in self._of_boots(schema.profiles, boot_ids, benchmark)]

    def stacks(self, boot_ids: list[int], benchmark: str) -> list[Stacks]:
        """The call chains of one benchmark in these boots, one for each that has them, in the order of `boot_ids`."""
        return [rows.stacks(row) for row in self._of_boots(schema.stacks, boot_ids, benchmark)]

    def _of_boots(self, table: Table, boot_ids: list[int], benchmark: str) -> list[Row[Any]]:
        wanted = select(table).where(table.c.boot.in_(boot_ids), table.c.benchmark == benchmark).order_by(table.c.id)
        with self._database.reading() as connection:
            found = connection.execute(wanted).all()
        return sorted(found, key=lambda row: boot_ids.index(row.boot))

    def profiled_cells(self, run: int) -> frozenset[tuple[str, str, str]]:
        """Box, variant and benchmark of all that has a profile."""
        boots, profiles = schema.boots, schema.profiles
        wanted = select(boots.c.box, boots.c.variant, profiles.c.benchmark).join(profiles, profiles.c.boot == boots.c.id)
        with self._database.reading() as connection:
            found = connection.execute(wanted.where(boots.c.run == run).distinct()).all()
        return frozenset((row.box, row.variant, row.benchmark) for row in found)

    def known(self, digests: Collection[str]) -> dict[str, int]:
        """Which of these digests of published blocks there are, each with the first run that has it."""
        with self._database.reading() as connection:
            return published.known(connection, digests)

    def source(self, sha256: str) -> bytes | None:
        """A text that runs were read from, as it was given; None where it is not kept."""
        with self._database.reading() as connection:
            return published.content(connection, sha256)

    def kernel_log(self, boot_id: int) -> str:
        """Empty for a boot that has not ended."""
        endings = schema.endings
        with self._database.reading() as connection:
            return connection.execute(select(endings.c.kernel_log).where(endings.c.boot == boot_id)).scalar() or ""

    def noise(self, machines: Collection[str] | None = None) -> dict[int, tuple[Noise, ...]]:
        """What runs of baselines against themselves found on `machines`, on all where it is None; by run, oldest first."""
        with self._database.reading() as connection:
            return noise.read(connection, machines)

    def measured(self, benchmark: str) -> Iterator[Past]:
        """All runs that were to measure `benchmark`, oldest first, each with its boots as of `boots`, but with the results of
        `benchmark` alone. Each is read when it is asked for, in a transaction of its own."""
        for run in self.runs():
            if any(one.name == benchmark for one in run.plan.benchmarks):
                with self._database.reading() as connection:
                    boots = noise.of_benchmark(connection, run.id, benchmark)
                yield run, boots

    def boot_counts(self) -> dict[int, int]:
        """How many boots of each run have ended; runs without any are left out."""
        with self._database.reading() as connection:
            return counts.ended(connection)

    def extent(self, run: int) -> tuple[int, ...]:
        """How much there is of a run: as long as it is the same, so is all that is read of it."""
        with self._database.reading() as connection:
            return counts.extent(connection, run)

    def history(self, machines: Collection[str], benchmarks: Collection[str], most: int = MOST_RUNS) -> list[Past]:
        """The newest runs that measured one of `benchmarks` on one of `machines` (model.noise.machine), newest first.

        Each with its boots there, as of `boots`, but with the results of `benchmarks` alone.
        """
        with self._database.reading() as connection:
            return list(islice(noise.history(connection, machines, benchmarks), most))
