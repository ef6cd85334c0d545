"""Plans that cannot be: each is refused in one paragraph with the key, the rule and the remedy, before anything runs."""

from __future__ import annotations

import importlib
import os
import resource
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.unit.builders import Kdelta

from kdelta.cli.main import COMMANDS, main
from kdelta.store.place import open_store

NULL = '[[benchmark]]\nname = "null"\n'
MOST_LINES = 2
"""One paragraph: what is wrong, and below it what to do."""


def plan(text: str) -> str:
    return text + NULL


def variant(text: str) -> str:
    return f'[[variant]]\nname = "v"\n{text}\n{NULL}'


def own(text: str) -> str:
    return f'[[benchmark]]\nname = "mine"\n{text}\n'


MOUNT = "mount = {{ type = {} }}"
GOOD_METRIC = "regex = '(\\d+)'\nunit = \"s\""

# what -> (the plan, what the message names, what the advice says)
BAD = {
    "too few rounds for a verdict": (plan('[plan]\nrule = "verdict"\nrounds = 2\n'), "rounds is 2", "3 to 60"),
    "too many rounds for a verdict": (plan('[plan]\nrule = "verdict"\nrounds = 61\n'), "rounds is 61", "3 to 60"),
    "a verdict on one column": (plan('[plan]\nrule = "verdict"\n'), "needs two columns", "--aa"),
    "a margin without a unit": (plan('[plan]\nmargin = "1"\n'), "margin is '1'", "1%"),
    "a margin of nothing": (plan('[plan]\nmargin = "0%"\n'), "margin is '0%'", "above 0"),
    "an alpha at which chance decides": (plan('[plan]\nalpha = "50%"\n'), "alpha is 50%", "20%"),
    "a first seed of nothing": (plan("[plan]\nfirst_seed = 0\n"), "first_seed is 0", "1 to 1000000"),
    "rounds in quotes": (plan('[plan]\nrounds = "3"\n'), "$.plan.rounds", "docs/plans.md"),
    "no rounds": (plan("[plan]\nrounds = 0\n"), "seeds is 0", "from 1 to 1000"),
    "negative rounds": (plan("[plan]\nrounds = -3\n"), "seeds is -3", "from 1 to 1000"),
    "absurdly many rounds": (plan("[plan]\nrounds = 100000\n"), "seeds is 100000", "from 1 to 1000"),
    "rounds and seeds": (plan("[plan]\nrounds = 3\nseeds = 3\n"), "`rounds` and `seeds`", "one of them"),
    "misspelt rule": (plan('[plan]\nrule = "setled"\n'), "no rule 'setled'", "did you mean 'settled'?"),
    "one result that settles": (plan("[plan]\nresults = 1\n"), "results is 1", "2 results or more"),
    "negative results": (plan("[plan]\nresults = -1\n"), "results is -1", "from 1 to 1000"),
    "spread without percent": (plan('[plan]\nspread = "1"\n'), "spread is '1'", "0.5%"),
    "negative spread": (plan('[plan]\nspread = "-1%"\n'), "spread is '-1%'", "above 0"),
    "cap below the results": (plan("[plan]\nmost = 2\n"), "most is 2, less than results, 3", "at least as many"),
    "limit without unit": (plan('[plan]\nlimit = "60"\n'), "limit is '60'", "90s"),
    "budget of nothing": (plan('[plan]\nbudget = "0s"\n'), "budget is '0s'", "above 0"),
    "misspelt baseline": (plan('[plan]\nbaseline = "runing"\n'), "no variant 'runing'", "did you mean 'running'?"),
    "misspelt suite": ('[[benchmark]]\nsuite = "shed"\n', "'shed'", "did you mean 'sched'?"),
    "misspelt benchmark": ('[[benchmark]]\nname = "ctx-2O"\n', "'ctx-2O'", "did you mean 'ctx-2'?"),
    "misspelt parameter": ('[[benchmark]]\nname = "ctx:proc=3"\n', "no parameter 'proc'", "did you mean 'procs'?"),
    "negative parameter": ('[[benchmark]]\nname = "ctx:procs=-5"\n', "procs='-5'", "from 2 to 10000"),
    "absurd parameter": ('[[benchmark]]\nname = "ctx:procs=99999999"\n', "procs='99999999'", "from 2 to 10000"),
    "two variants of one name": (variant("") + '[[variant]]\nname = "v"\n', "'variant' are called 'v'", "a name of its own"),
    "two local boxes": (plan('[[box]]\nkind = "local"\n[[box]]\nname = "b"\nkind = "local"\n'), "two boxes", "leave one out"),
    "misspelt section": (plan("[plann]\n"), "no section 'plann'", "did you mean 'plan'?"),
    "misspelt key": (variant('sysctls = { "vm.swappiness" = 10 }'), "no key 'sysctls'", "did you mean 'sysctl'?"),
    "misspelt key of a mount": (variant('mount = { type = "ext4", option = "ro" }'), "no key 'option'", "did you mean 'options'?"),
    "misspelt file system": (variant(MOUNT.format('"ext5"')), "no file system 'ext5'", "did you mean 'ext4'?"),
    "negative size": (variant('mount = { type = "ext4", size_mib = -1 }'), "size_mib is -1", "in MiB"),
    "absurd size": (variant('mount = { type = "ext4", size_mib = 99999999 }'), "size_mib of variant 'v' is 99999999", "1048576"),
    "more than the disk has": (variant('mount = { type = "ext4", size_mib = 1048576 }'), "variant 'v': `mount`", "room"),
    "no such device": (variant('mount = { type = "ext4", device = "/dev/nope" }'), "/dev/nope", "device"),
    "a file for a device": (variant('mount = { type = "ext4", device = "/etc/passwd" }'), "/etc/passwd", "device"),
    "a file of another kind": (variant('file = { "/etc/passwd" = 1 }'), "'/etc/passwd'", "below /sys or /proc"),
    "misspelt sysctl": (variant('sysctl = { "vm.swapiness" = 10 }'), "vm.swapiness", "did you mean 'vm.swappiness'?"),
    "a value that does not stick": (variant('sysctl = { "vm.swappiness" = 9999 }'), "vm.swappiness", ""),
    "no such CPU": (variant('bind = "4000"'), "4000", ""),
    "no list of CPUs": (variant('bind = "a-b"'), "bind of variant 'v'", '"0-3,8"'),
    "nothing online": (variant('online = "4000"'), "4000", ""),
    "no file of a control group": (variant('cgroup = { "memory" = 1 }'), "'memory'", "memory.max"),
    "misspelt file of a control group": (variant('cgroup = { "memory.mxa" = 1 }'), "memory.mxa", ""),
    "misspelt quieting": (plan('[[box]]\nkind = "local"\nquiet = ["asrl"]\n'), "'asrl'", "did you mean 'aslr'?"),
    "memory of this machine": (plan('[[box]]\nkind = "local"\nmemory = 512\n'), "`memory`", "what it has"),
    "a set-up that fails": (variant('setup = "echo no licence; exit 3"'), "no licence", ""),
    "misspelt huge pages": (variant('thp = "allways"'), "'allways'", "did you mean 'always'?"),
    "a kernel that does not run": (variant('kernel = "apt:6.12"') + '[[box]]\nkind = "local"\n', "'apt:6.12'", "--exact"),
    "a command line for the running kernel": (
        variant('cmdline = "nosmp"') + '[[box]]\nkind = "local"\n',
        "`cmdline` of variant 'v'",
        "exact lab",
    ),
    "CPUs of a guest bound": (variant('kernel = "apt:6.12"\nbind = "0"'), "`bind` of variant 'v'", "`cpus`"),
    "a command without a unit": (own("command = 'true'\nregex = '(x)'"), "no `unit`", 'unit = "ms"'),
    "a command without a metric": (own("command = 'true'\nunit = 's'"), "either `regex` or `json`", "where its metric stands"),
    "a broken expression": (own("command = 'true'\nunit = 's'\nregex = '(x'"), "cannot be read", "mend"),
    "an unknown direction": (own(f"command = 'true'\n{GOOD_METRIC}\nbetter = 'smaler'"), "'smaler'", "did you mean 'smaller'?"),
    "a command that is not there": (own(f"command = 'no-such-program'\n{GOOD_METRIC}"), "no-such-program", "install"),
    "a regex without a command": ('[[benchmark]]\nname = "null"\nregex = "(x)"\n', "`regex` of benchmark 'null'", "leave it out"),
    "no such tree": ('[[benchmark]]\nname = "kernbench-half"\ntree = "/no/such/tree"\n', "/no/such/tree", ""),
    "a folder that is no tree": ('[[benchmark]]\nname = "kernbench-half"\ntree = "/etc"\n', "/etc", ""),
    "no such configuration": (
        '[[benchmark]]\nname = "kernbench-half"\ntree = "/etc"\nconfig = "/no/such/config"\n',
        "/no/such/config",
        "defconfig",
    ),
    "a tree for nobody": (plan("").replace("\n", '\ntree = "/etc"\n', 1), "`tree`", "kernbench"),
    "no benchmark": ("[plan]\nrounds = 3\n", "benchmark", "docs/plans.md"),
    "no TOML": ("[plan\n", "is not TOML", "docs/plans.md"),
}


def require_refusal(code: int, err: str, named: str, advice: str, folder: Path) -> None:
    lines = err.splitlines()
    assert (code, len(lines) <= MOST_LINES) == (2, True), err
    assert lines[0].startswith("kdelta: ")
    assert named in lines[0]
    assert len(lines) == MOST_LINES, "there is no remedy"
    assert advice in lines[1]
    assert open_store(str(folder / "store.sqlite")).runs() == []


@pytest.mark.skipif(os.geteuid() != 0, reason="settings are refused for want of root first: run the tests as root")
@pytest.mark.parametrize(("text", "named", "advice"), BAD.values(), ids=BAD)
def test_a_bad_plan_is_refused_in_one_paragraph(text: str, named: str, advice: str, tmp_path: Path, kdelta: Kdelta) -> None:
    (tmp_path / "plan.toml").write_text(text)
    ended = kdelta("run", str(tmp_path / "plan.toml"))
    require_refusal(ended.code, ended.err, named, advice, tmp_path)


def test_there_are_forty_bad_plans_and_more() -> None:
    assert len(BAD) + len(POOR) > 40


NOBODY = 65534


def without_root() -> None:
    os.setgroups([])
    os.setresgid(NOBODY, NOBODY, NOBODY)
    os.setresuid(NOBODY, NOBODY, NOBODY)


def few_descriptors() -> None:
    resource.setrlimit(resource.RLIMIT_NOFILE, (512, 512))


def few_processes() -> None:
    without_root()
    resource.setrlimit(resource.RLIMIT_NPROC, (300, 300))


# what -> (what this process gives up, the plan, what the message names, what the advice says)
POOR: dict[str, tuple[Callable[[], None], str, str, str]] = {
    "a sysctl without root": (without_root, variant('sysctl = { "vm.swappiness" = 10 }'), "`sysctl` needs root", "sudo"),
    "a file system without root": (without_root, variant(MOUNT.format('"ext4"')), "`mount` needs root", "sudo"),
    "a CPU offline without root": (without_root, variant('online = "0"'), "`online` needs root", "sudo"),
    "caches without root": (
        without_root,
        plan('[[box]]\nkind = "local"\ndrop_caches = true\n'),
        "`drop_caches` needs root",
        "sudo",
    ),
    "too many descriptors": (few_descriptors, '[[benchmark]]\nname = "hackbench-50"\n', "descriptors", "leave hackbench-50 out"),
    "too many processes": (few_processes, '[[benchmark]]\nname = "hackbench-50"\n', "ulimit -u allows 300", "limits.conf"),
    "too many for ctx": (few_processes, '[[benchmark]]\nname = "ctx:procs=400"\n', "ulimit -u allows 300", "limits.conf"),
}


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give something up: run the tests as root")
@pytest.mark.parametrize(("give_up", "text", "named", "advice"), POOR.values(), ids=POOR)
def test_a_plan_that_is_too_much_for_its_user_is_refused_in_one_paragraph(
    give_up: Callable[[], None], text: str, named: str, advice: str, tmp_path: Path
) -> None:
    for folder in (tmp_path, *tmp_path.parents):
        if folder.owner() == "root" and folder.name:
            folder.chmod(folder.stat().st_mode | 0o011)
    tmp_path.chmod(0o777)
    (tmp_path / "plan.toml").write_text(text)
    code, err = in_child(give_up, "run", str(tmp_path / "plan.toml"), said=tmp_path / "said")
    require_refusal(code, err, named, advice, tmp_path)


def in_child(give_up: Callable[[], None], *arguments: str, said: Path) -> tuple[int, str]:
    """The program in a copy of this process that gave something up: exit code and standard error."""
    for module, _ in COMMANDS.values():
        importlib.import_module(module)
    child = os.fork()
    if child == 0:
        try:
            output = os.open(said, os.O_WRONLY | os.O_CREAT, 0o666)
            os.dup2(output, 2)
            sys.stderr = os.fdopen(os.dup(2), "w", buffering=1)
            give_up()
            sys.argv = ["kdelta", *arguments]
            main()
        except SystemExit as end:
            os._exit(int(end.code or 0))
        finally:
            os._exit(99)
    _, status = os.waitpid(child, 0)
    return os.waitstatus_to_exitcode(status), said.read_text()
