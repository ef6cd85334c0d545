"""A plan as a TOML file."""

from __future__ import annotations

from pathlib import Path

import pytest

from kdelta.model.errors import MisuseError
from kdelta.model.plan import BoxSpec, Plan
from kdelta.model.variant import Variant
from kdelta.plan.file import Catalogue, read
from kdelta.workload.command import command
from kdelta.workload.select import select

CATALOGUE = Catalogue(select, command)

WHOLE = """
[plan]
baseline = "new"
seeds = 6

[[variant]]
name = "old"
kernel = "apt:6.1"

[[variant]]
name = "new"
kernel = "apt:6.12"
cmdline = "mitigations=off  nosmp"
sysctl = { "vm.overcommit_memory" = 1, "kernel.sched_domain" = "a b" }

[[box]]
name = "small"
cpus = 2
memory = 256

[[box]]
name = "large"
kind = "exact"
memory = 2048

[[benchmark]]
suite = "sched"

[[benchmark]]
name = "ctx:procs=30"
"""
VARIANT = '[[variant]]\nkernel = "apt:6.1"\n'
BENCHMARK = '[[benchmark]]\nname = "null"\n'
LEAST = VARIANT + BENCHMARK


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "plan.toml"


def plan(file: Path, text: str) -> Plan:
    file.write_text(text)
    return read(file, CATALOGUE)


def test_a_whole_plan_is_read(file: Path) -> None:
    assert plan(file, WHOLE) == Plan(
        baseline="new",
        variants=(
            Variant(
                name="new",
                kernel="apt:6.12",
                cmdline=("mitigations=off", "nosmp"),
                sysctl={"vm.overcommit_memory": "1", "kernel.sched_domain": "a b"},
            ),
            Variant(name="old", kernel="apt:6.1"),
        ),
        boxes=(BoxSpec(name="small", cpus=2, memory=256), BoxSpec(name="large", memory=2048)),
        benchmarks=select(["sched", "ctx:procs=30"]),
        seeds=6,
    )


def test_the_least_plan_has_defaults_for_the_rest(file: Path) -> None:
    assert plan(file, LEAST) == Plan(
        baseline="apt:6.1",
        variants=(Variant(name="apt:6.1", kernel="apt:6.1"),),
        boxes=(BoxSpec(name="exact"),),
        benchmarks=select(["null"]),
        seeds=3,
    )


def test_the_first_variant_is_the_baseline_by_default(file: Path) -> None:
    assert plan(file, '[[variant]]\nkernel = "running"\n' + LEAST).baseline == "running"


def test_a_variant_without_a_name_is_called_after_its_kernel(file: Path) -> None:
    assert [variant.name for variant in plan(file, LEAST).variants] == ["apt:6.1"]


def test_a_plan_is_read_in_utf_8(file: Path) -> None:
    file.write_bytes('[[variant]]\nname = "größer"\nkernel = "apt:6.1"\n'.encode() + BENCHMARK.encode())
    assert read(file, CATALOGUE).baseline == "größer"


@pytest.mark.parametrize(
    ("text", "key"),
    [
        pytest.param("", "benchmark", id="empty file"),
        pytest.param(VARIANT, "benchmark", id="no benchmark"),
        pytest.param("benchmark = []\n" + VARIANT, "benchmark", id="empty list of benchmarks"),
        pytest.param("[kernel]\n" + LEAST, "kernel", id="unknown section"),
        pytest.param("[[variants]]\n" + LEAST, "variants", id="misspelt section"),
        pytest.param("seeds = 3\n" + LEAST, "seeds", id="key outside of its section"),
        pytest.param("[plan]\nseed = 3\n" + LEAST, "seed", id="unknown key of the plan"),
        pytest.param("[plan]\nseeds = 0\n" + LEAST, "seeds", id="no seeds"),
        pytest.param("[plan]\nseeds = 1001\n" + LEAST, "seeds", id="too many seeds"),
        pytest.param('[plan]\nseeds = "3"\n' + LEAST, "seeds", id="seeds in quotes"),
        pytest.param("[plan]\nseeds = 2.5\n" + LEAST, "seeds", id="half a seed"),
        pytest.param("[plan]\nseeds = true\n" + LEAST, "seeds", id="a truth for seeds"),
        pytest.param("[plan]\nseeds = 2020-01-01\n" + LEAST, "seeds", id="a date for seeds"),
        pytest.param('[plan]\nbaseline = "apt:6.2"\n' + LEAST, "baseline", id="unknown baseline"),
        pytest.param("[plan]\nbaseline = 6.1\n" + LEAST, "baseline", id="number for a baseline"),
        pytest.param("[[plan]]\nseeds = 3\n" + LEAST, "$.plan", id="list of plans"),
        pytest.param("plan = 3\n" + LEAST, "$.plan", id="number for the plan"),
        pytest.param('[variant]\nkernel = "apt:6.1"\n' + BENCHMARK, "variant", id="one variant for the list"),
        pytest.param('variant = ["apt:6.1"]\n' + BENCHMARK, "variant", id="text for a variant"),
        pytest.param('[[variant]]\nkernle = "apt:6.1"\n' + BENCHMARK, "kernle", id="misspelt kernel"),
        pytest.param("[[variant]]\nkernel = 6.1\n" + BENCHMARK, "kernel", id="number for a kernel"),
        pytest.param('[[variant]]\nkernel = ""\n' + BENCHMARK, "variant", id="empty kernel"),
        pytest.param(VARIANT + "name = 3\n" + BENCHMARK, "name", id="number for a name"),
        pytest.param(VARIANT + 'name = " "\n' + BENCHMARK, "variant", id="blank name"),
        pytest.param(VARIANT + 'name = "a\\tb"\n' + BENCHMARK, "variant", id="tab in a name"),
        pytest.param(VARIANT + f'name = "{"x" * 61}"\n' + BENCHMARK, "variant", id="long name"),
        pytest.param(VARIANT + LEAST, "variant", id="two variants of one name"),
        pytest.param(VARIANT + 'cmdline = ["nosmp"]\n' + BENCHMARK, "cmdline", id="list for a command line"),
        pytest.param(VARIANT + 'sysctl = "vm.y=1"\n' + BENCHMARK, "sysctl", id="text for sysctls"),
        pytest.param(VARIANT + "sysctl = { vm = { y = 1 } }\n" + BENCHMARK, "sysctl", id="sysctl in parts"),
        pytest.param(VARIANT + 'sysctl = { "vm.y" = true }\n' + BENCHMARK, "sysctl", id="truth for a sysctl"),
        pytest.param(LEAST + '[[box]]\nkind = "real"\n', "kind", id="unknown kind of box"),
        pytest.param(LEAST + "[[box]]\ncpu = 2\n", "cpu", id="misspelt cpus"),
        pytest.param(LEAST + "[[box]]\ncpus = 0\n", "cpus", id="no cpus"),
        pytest.param(LEAST + "[[box]]\ncpus = 65\n", "cpus", id="too many cpus"),
        pytest.param(LEAST + "[[box]]\nmemory = 127\n", "memory", id="too little memory"),
        pytest.param(LEAST + '[[box]]\nmemory = "512M"\n', "memory", id="memory with a unit"),
        pytest.param(LEAST + "[[box]]\n[[box]]\n", "box", id="two boxes of one name"),
        pytest.param(LEAST + '[[box]]\nname = ""\n', "box", id="box without a name"),
        pytest.param(VARIANT + "[[benchmark]]\n", "benchmark", id="benchmark without a name"),
        pytest.param(LEAST + 'suite = "mem"\n', "benchmark", id="benchmark and suite at once"),
        pytest.param(VARIANT + '[[benchmark]]\nname = "nul"\n', "nul", id="unknown benchmark"),
        pytest.param(VARIANT + '[[benchmark]]\nsuite = "quikc"\n', "quikc", id="unknown suite"),
        pytest.param(VARIANT + '[[benchmark]]\nname = "ctx:proc=3"\n', "proc", id="unknown parameter"),
        pytest.param(VARIANT + '[[benchmark]]\nname = "ctx:procs=1"\n', "procs", id="parameter out of its bounds"),
        pytest.param(VARIANT + '[[benchmark]]\nprogram = "ctx"\n', "program", id="unknown key of a benchmark"),
        pytest.param("[plan\n", "is not TOML", id="no TOML"),
        pytest.param("[plan]\nseeds = 3\nseeds = 4\n" + LEAST, "is not TOML", id="a key twice"),
    ],
)
def test_a_bad_plan_is_refused_with_its_key_and_a_remedy(text: str, key: str, file: Path) -> None:
    with pytest.raises(MisuseError) as caught:
        plan(file, text)
    assert key in str(caught.value).replace(str(file), "")
    assert caught.value.advice


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        pytest.param("[[variants]]\n" + LEAST, "variant", id="section"),
        pytest.param("[plan]\nseed = 3\n" + LEAST, "seeds", id="key of the plan"),
        pytest.param('[[variant]]\nkernle = "apt:6.1"\n' + BENCHMARK, "kernel", id="key of a variant"),
        pytest.param(LEAST + "[[box]]\ncpu = 2\n", "cpus", id="key of a box"),
        pytest.param('[plan]\nbaseline = "apt:6.2"\n' + LEAST, "apt:6.1", id="baseline"),
        pytest.param(LEAST + '[[box]]\nkind = "exakt"\n', "exact", id="kind of box"),
    ],
)
def test_a_misspelt_word_is_answered_with_the_nearest(text: str, meant: str, file: Path) -> None:
    with pytest.raises(MisuseError) as caught:
        plan(file, text)
    assert caught.value.advice.startswith(f"did you mean '{meant}'?")


def test_the_file_is_named_where_a_type_is_wrong(file: Path) -> None:
    with pytest.raises(MisuseError) as caught:
        plan(file, '[plan]\nseeds = "3"\n' + LEAST)
    assert str(caught.value) == f"{file}: Expected `int | null`, got `str` - at `$.plan.seeds`"


def test_a_file_that_is_missing_is_told(file: Path) -> None:
    with pytest.raises(MisuseError, match=f"{file} cannot be read: No such file or directory"):
        read(file, CATALOGUE)


def test_a_file_that_is_no_text_is_told(file: Path) -> None:
    file.write_bytes(b"\x7fELF\xff\xfe")
    with pytest.raises(MisuseError, match=f"{file} is not TOML"):
        read(file, CATALOGUE)


def test_a_benchmarks_limit_is_its_own_and_cuts_no_program_off(file: Path) -> None:
    (short, long) = plan(file, BENCHMARK + 'limit = "30s"\n' + '[[benchmark]]\nname = "select"\nlimit = "1h"\n').benchmarks
    assert (short.own_visit_seconds, short.limit_seconds) == (30.0, 200)
    assert (long.own_visit_seconds, long.limit_seconds) == (3600.0, 3600)
