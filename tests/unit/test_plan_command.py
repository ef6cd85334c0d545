"""kdelta plan: as it is typed, and what the store adds to it."""

from __future__ import annotations

import json
from contextlib import closing
from pathlib import Path

import msgspec
import pytest
from tests.unit.builders import Kdelta, fill, kernel, plan, slot
from tests.unit.golden import check

from kdelta.box import exact, observe, qemu
from kdelta.cli import main
from kdelta.kernel import resolve
from kdelta.model.errors import MisuseError
from kdelta.model.noise import Noise
from kdelta.model.plan import BoxSpec, Plan
from kdelta.store.place import open_store

HOST = {"processor": "Xeon", "online CPUs": "0-7", "hypervisor": "none"}
EXACT = "exact; 1 CPU; QEMU 7.2.22"
WORDS = ("plan", "-k", "old=path:old", "-k", "new=path:new", "-b", "null", "-b", "ctx-2", "--exact", "--rule", "verdict")
TWO = plan(("old", "new"), ("null", "ctx-2"), seeds=3)


@pytest.fixture(autouse=True)
def machine(monkeypatch: pytest.MonkeyPatch) -> None:
    """The command, a QEMU as that of the builders' boots, and a host of eight CPUs."""
    monkeypatch.setitem(main.COMMANDS, "plan", ("kdelta.cli.plan", "What a run would do."))
    monkeypatch.setattr(qemu, "find", lambda: qemu.Qemu("qemu", "7.2.22", None))
    monkeypatch.setattr(qemu, "options", lambda box: ())
    monkeypatch.setattr(observe, "facts", lambda: HOST)
    monkeypatch.setattr("os.cpu_count", lambda: 8)


@pytest.fixture
def store(tmp_path: Path) -> Path:
    return tmp_path / "store.sqlite"


def noise(name: str, sd: float, on: str = EXACT) -> Noise:
    return Noise(
        box="exact", machine=on, benchmark=name, metric="time", boots=20, rounds=10, sd=sd, df=9.0, ratio=1.0, p=0.5, flagged=False
    )


def measured(place: Path, of: Plan, seconds: float = 20.0) -> None:
    """A run in the store, every boot of which took `seconds`."""
    fill(place, of)
    with closing(open_store(str(place))) as opened:
        number = opened.run().id
        for record in opened.boots(number):
            again = slot(record.position, record.variant, seed=record.seed, names=record.benchmarks)
            opened.add(number, again, kernel(record.variant), msgspec.structs.replace(record.boot, host_seconds=seconds))


# ---- what is said ----


def test_a_plan_of_which_nothing_is_known(kdelta: Kdelta) -> None:
    result = kdelta(*WORDS)
    assert (result.code, result.err) == (0, "")
    check("plan_command", result.out)


def test_time_and_noise_come_from_the_store(kdelta: Kdelta, store: Path) -> None:
    measured(store, TWO)
    with closing(open_store(str(store))) as opened:
        opened.add_noise(opened.run(), [noise("null", 0.005)])
    said = kdelta(*WORDS, "--jobs", "1").out
    assert "Cost: 6 boots at least, 2 min; 20 at most, 7 min; from run 1." in said
    assert "null:    0.50%   9   A/A" in said
    assert "A/A: baselines against themselves, run 1" in said
    assert "runs: what rounds and columns leave of other runs' values, run 1" in said


def test_a_baseline_against_itself_goes_before_other_runs(kdelta: Kdelta, store: Path) -> None:
    measured(store, TWO)

    def sources() -> dict[str, bool]:
        return {one["benchmark"]: one["floor"]["against_itself"] for one in json.loads(kdelta(*WORDS, "--json").out)["sights"]}

    assert sources() == {"null": False, "ctx-2": False}
    with closing(open_store(str(store))) as opened:
        opened.add_noise(opened.run(), [noise("null", 0.005)])
    assert sources() == {"null": True, "ctx-2": False}


def test_the_noise_of_another_machine_is_not_taken(kdelta: Kdelta, store: Path) -> None:
    measured(store, plan(("old", "new"), ("null",), seeds=3, boxes=[BoxSpec(name="exact", cpus=2)]))
    with closing(open_store(str(store))) as opened:
        opened.add_noise(opened.run(), [noise("null", 0.005, "exact; 2 CPUs; QEMU 7.2.22")])
    assert "1-way exact box: no history" in kdelta(*WORDS).out


def test_more_guests_side_by_side_take_less_time(kdelta: Kdelta, store: Path) -> None:
    measured(store, TWO)
    costs = [json.loads(kdelta(*WORDS, "--json", "--jobs", jobs).out)["cost"]["most_seconds"] for jobs in ("1", "2")]
    assert costs == [400.0, 200.0]


def test_json_has_every_round_in_its_order(kdelta: Kdelta) -> None:
    found = json.loads(kdelta(*WORDS, "--rounds", "12", "--first-seed", "5", "--json").out)
    assert [one["seed"] for one in found["rounds"]] == list(range(5, 17))
    assert all(sorted(one["benchmarks"]) == ["ctx-2", "null"] for one in found["rounds"])
    assert all(sorted(boot["variant"] for boot in one["boots"]) == ["new", "old"] for one in found["rounds"])
    assert found["machines"] == {"exact": EXACT}


def test_a_baseline_against_itself_is_a_plan_too(kdelta: Kdelta) -> None:
    found = json.loads(kdelta(*WORDS, "--aa", "--json").out)
    assert [one["name"] for one in found["plan"]["variants"]] == ["old", "again"]


def test_a_plan_of_this_machine_is_one_of_its_cpus(kdelta: Kdelta) -> None:
    said = kdelta("plan", "-b", "null").out
    assert "Boxes: local (this machine, 8 CPUs)." in said


@pytest.mark.parametrize(("online", "cpus"), [((), "8 CPUs"), (("online=0,2",), "2 CPUs")])
def test_the_machine_is_the_one_that_the_baseline_makes_of_it(kdelta: Kdelta, online: tuple[str, ...], cpus: str) -> None:
    found = json.loads(kdelta("plan", "-k", " ".join(["a=running", *online]), "-b", "null", "--json").out)
    assert found["machines"] == {"local": f"Xeon; {cpus}; hypervisor none"}


def test_a_plan_file_is_read(kdelta: Kdelta, tmp_path: Path) -> None:
    path = tmp_path / "plan.toml"
    path.write_text('[plan]\nrounds = 4\n[[benchmark]]\nname = "null"\n')
    assert "in 4 rounds" in kdelta("plan", str(path)).out


def test_words_beside_a_plan_file_are_misuse_but_not_those_that_are_no_plan(kdelta: Kdelta, tmp_path: Path) -> None:
    path = tmp_path / "plan.toml"
    path.write_text('[[benchmark]]\nname = "null"\n')
    assert kdelta("plan", str(path), "--aa", "--jobs", "3", "--json", "--store", str(tmp_path / "s")).code == 0
    refused = kdelta("plan", str(path), "--seeds", "3")
    assert (refused.code, "would be ignored" in refused.err) == (2, True)


# ---- what is not done ----


@pytest.fixture
def nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """No kernel is looked for, and no box is opened."""

    def fail(*words: object, **others: object) -> None:
        pytest.fail(f"it was asked for {words}")

    for where, name in ((resolve, "resolve"), (exact.ExactBox, "__init__")):
        monkeypatch.setattr(where, name, fail)


@pytest.mark.usefixtures("nothing")
def test_nothing_is_booted_or_stored(kdelta: Kdelta, store: Path) -> None:
    assert kdelta(*WORDS).code == 0
    with closing(open_store(str(store))) as opened:
        assert opened.runs() == []


@pytest.mark.usefixtures("nothing")
def test_nothing_is_fetched(kdelta: Kdelta) -> None:
    words = ("-k", "apt:6.1", "-b", "kernbench", "--tree", "apt:linux-source")
    assert kdelta("plan", *words, "--exact").code == 0


def test_without_qemu_the_plan_is_told_all_the_same(kdelta: Kdelta, store: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    measured(store, TWO)

    def absent() -> qemu.Qemu:
        raise MisuseError("QEMU is not here", "install it")

    monkeypatch.setattr(qemu, "find", absent)
    result = kdelta(*WORDS)
    assert (result.code, "no history" in result.out, "how long is not known" in result.out) == (0, True, True)


def test_what_is_no_plan_is_misuse(kdelta: Kdelta) -> None:
    result = kdelta("plan", "-k", "a=path:x", "-b", "nul", "--exact")
    assert (result.code, result.out) == (2, "")
    assert "did you mean 'null'?" in result.err
