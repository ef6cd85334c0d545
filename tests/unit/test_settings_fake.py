"""Settings of machines that this one need not be: their kernel's files lie in a folder."""

from __future__ import annotations

import errno
import os
from collections.abc import Sequence
from pathlib import Path

import pytest
from tests.unit.fake_host import Answer, Fake

from kdelta.box.settings import program, quiet
from kdelta.box.settings.change import FileSystem, Group, Online, SmtOff, SwapOff, TimersOff, Write
from kdelta.box.settings.entry import Values
from kdelta.box.settings.errors import NotRestoredError, RefusedError, refused
from kdelta.box.settings.program import Done
from kdelta.model.errors import MisuseError
from kdelta.model.variant import Mount

CPU = "/sys/devices/system/cpu"
V2 = "31 23 0:28 / /sys/fs/cgroup rw,nosuid - cgroup2 cgroup2 rw,nsdelegate\n"
GROUP = f"/sys/fs/cgroup/kdelta-{os.getpid()}"


def sysctl(name: str, value: str) -> Write:
    return Write("sysctl", name, f"/proc/sys/{name.replace('.', '/')}", value)


QUIETED = {
    "governor": (
        {f"{CPU}/cpufreq/policy{n}/{name}": text for n in (0, 1) for name, text in (("scaling_governor", "powersave"),)},
        {f"{CPU}/cpufreq/policy{n}/scaling_governor": "performance" for n in (0, 1)},
    ),
    "turbo": ({f"{CPU}/intel_pstate/no_turbo": "0"}, {f"{CPU}/intel_pstate/no_turbo": "1"}),
    "aslr": ({"/proc/sys/kernel/randomize_va_space": "2"}, {"/proc/sys/kernel/randomize_va_space": "0"}),
    "watchdog": ({"/proc/sys/kernel/nmi_watchdog": "1"}, {"/proc/sys/kernel/nmi_watchdog": "0"}),
    "smt": (
        {f"{CPU}/smt/control": "on", f"{CPU}/online": "0-1", f"{CPU}/cpu0/topology/thread_siblings_list": "0-1"},
        {f"{CPU}/smt/control": "off", f"{CPU}/online": "0-1", f"{CPU}/cpu0/topology/thread_siblings_list": "0-1"},
    ),
}


@pytest.mark.parametrize("name", QUIETED)
def test_what_is_quieted_is_put_back(name: str, tmp_path: Path) -> None:
    before, during = QUIETED[name]
    fake = Fake(tmp_path, before)
    fake.make(*quiet.changes(fake.host, (name,)))
    assert fake.says() == during
    fake.undo()
    assert fake.says() == before


def test_an_older_way_to_turn_turbo_off_is_known(tmp_path: Path) -> None:
    fake = Fake(tmp_path, {f"{CPU}/cpufreq/boost": "1"})
    assert quiet.changes(fake.host, ("turbo",)) == (Write("quiet", f"{CPU}/cpufreq/boost", f"{CPU}/cpufreq/boost", "0"),)


def test_what_the_governor_changes_along_is_put_back_too(tmp_path: Path) -> None:
    folder = f"{CPU}/cpufreq/policy0"
    fake = Fake(tmp_path, {f"{folder}/scaling_governor": "powersave", f"{folder}/energy_performance_preference": "power"})
    fake.make(*quiet.changes(fake.host, ("governor",)))
    fake.host.write(f"{folder}/energy_performance_preference", "performance")
    fake.undo()
    assert fake.says() == fake.files


@pytest.mark.parametrize("name", ["governor", "turbo", "timers"])
def test_what_this_machine_cannot_quiet_is_an_error(name: str, tmp_path: Path) -> None:
    with pytest.raises(MisuseError, match=f"`quiet`: {name} cannot be quieted on this machine") as error:
        quiet.changes(Fake(tmp_path, {}).host, (name,))
    assert error.value.advice == f"leave `{name}` out of `quiet`"


@pytest.mark.parametrize("files", [{}, {f"{CPU}/smt/control": "notsupported"}], ids=["no file", "no threads"])
def test_a_machine_without_smt_says_so(files: dict[str, str], tmp_path: Path) -> None:
    with pytest.raises(RefusedError, match="this machine has no SMT"):
        Fake(tmp_path, files).make(SmtOff())


def test_a_name_that_is_not_in_the_table_is_an_error_with_the_table(tmp_path: Path) -> None:
    with pytest.raises(MisuseError, match="there is no thing to quiet 'govenor'") as error:
        quiet.changes(Fake(tmp_path, {}).host, ("govenor",))
    assert error.value.advice.startswith("did you mean 'governor'? known: aslr,")


def swaps(*areas: tuple[str, int]) -> str:
    return "Filename Type Size Used Priority\n" + "".join(f"{path} partition 1024 0 {priority}\n" for path, priority in areas)


def swapping(root: Path) -> Answer:
    """Programs that take areas out of /proc/swaps, and put them in again."""
    automatic = iter(range(-2, -100, -1))
    path = root / "proc/swaps"

    def answer(words: Sequence[str]) -> Done:
        lines = [line for line in path.read_text().splitlines(keepends=True) if not line.startswith(f"{words[-1]} ")]
        if words[0] == "swapon":
            lines.append(f"{words[-1]} partition 1024 0 {words[2] if '--priority' in words else next(automatic)}\n")
        path.write_text("".join(lines))
        return Done(0)

    return answer


def test_swap_is_put_back_in_its_order_with_its_priorities(tmp_path: Path) -> None:
    fake = Fake(tmp_path, {"/proc/swaps": swaps(("/a", -3), ("/b", 5), ("/c", -2))}, swapping(tmp_path))
    fake.make(SwapOff())
    assert fake.says() == {"/proc/swaps": swaps().strip()}
    fake.undo()
    assert fake.says() == {"/proc/swaps": swaps(("/b", 5), ("/c", -2), ("/a", -3)).strip()}


def test_swap_is_put_back_once_though_it_is_undone_twice(tmp_path: Path) -> None:
    fake = Fake(tmp_path, {"/proc/swaps": swaps(("/b", 5))}, swapping(tmp_path))
    fake.make(SwapOff())
    fake.undo()
    fake.undo()
    assert [words[0] for words in fake.programs.said] == ["swapoff", "swapon"]


def test_swap_that_does_not_come_back_is_told(tmp_path: Path) -> None:
    fake = Fake(tmp_path, {"/proc/swaps": swaps(("/b", 5))})
    with pytest.raises(RefusedError, match="swap on /b is still active"):
        fake.make(SwapOff())
    (tmp_path / "proc/swaps").write_text(swaps())
    with pytest.raises(NotRestoredError, match="swap on /b had priority 5, and now has none"):
        fake.undo()


def test_a_machine_without_swap_is_quiet_already(tmp_path: Path) -> None:
    fake = Fake(tmp_path, {"/proc/swaps": swaps()})
    fake.make(SwapOff())
    assert (fake.entries, fake.programs.said) == ([], [])


def test_swap_on_a_file_that_was_removed_is_refused(tmp_path: Path) -> None:
    with pytest.raises(RefusedError, match="could not be put back"):
        Fake(tmp_path, {"/proc/swaps": swaps((r"/a\040(deleted)", 1))}).make(SwapOff())


def test_active_timers_are_stopped_and_started_again_but_not_those_that_would_be_lost(tmp_path: Path) -> None:
    active = {"apt.timer"}

    def answer(words: Sequence[str]) -> Done:
        if words[1] == "stop":
            active.difference_update(words[2:])
        if words[1] == "start":
            active.update(words[2:])
        states = [("apt.timer", "no"), ("run-1.timer", "yes"), ("old.timer", "no")]
        show = [
            f"Id={n}\nTransient={t}\nActiveState={'active' if n in {*active, 'run-1.timer'} else 'inactive'}\n" for n, t in states
        ]
        return Done(0, "\n".join(show))

    fake = Fake(tmp_path, {"/run/systemd/system/x": ""}, answer)
    fake.make(TimersOff())
    assert active == set()
    fake.undo()
    assert active == {"apt.timer"}
    assert [words[1:] for words in fake.programs.said if words[1] != "show"] == [("stop", "apt.timer"), ("start", "apt.timer")]


def v2(root: Path, enabled: str = "cpu") -> Fake:
    """A version 2 hierarchy with two controllers."""
    files = {
        "/proc/self/mountinfo": V2,
        "/sys/fs/cgroup/cgroup.controllers": "cpu memory",
        "/sys/fs/cgroup/cgroup.subtree_control": enabled,
    }
    return Fake(root, files, children={"cgroup.procs": "", "memory.max": "max", "memory.high": "max", "cpu.max": "max 100000"})


def test_a_version_2_group_is_made_with_its_controllers_and_all_of_it_is_put_back(tmp_path: Path) -> None:
    fake = v2(tmp_path)
    visit = fake.make(Group((("memory.max", "64M"), ("cpu.max", "50000 100000"))))
    assert fake.host.read(f"{GROUP}/memory.max") == "64M\n"
    assert fake.host.read("/sys/fs/cgroup/cgroup.subtree_control").split() == ["cpu", "memory"]
    assert visit.cgroup_procs == (fake.host.path(f"{GROUP}/cgroup.procs"),)
    fake.undo()
    assert fake.says() == {name: text.strip() for name, text in fake.files.items()}
    assert not fake.host.exists(GROUP)


def test_a_controller_that_was_enabled_stays_so(tmp_path: Path) -> None:
    fake = v2(tmp_path, enabled="cpu memory")
    fake.make(Group((("memory.max", "64M"),)))
    fake.undo()
    assert fake.host.read("/sys/fs/cgroup/cgroup.subtree_control") == "cpu memory"


@pytest.mark.parametrize(
    ("name", "message", "advice"),
    [
        ("memory.limit_in_bytes", "this machine has no file 'memory.limit_in_bytes'", "like it: memory.max"),
        ("memroy.max", "this machine has no controller 'memroy'", "did you mean 'memory'?"),
        ("cgroup.procs", "'cgroup.procs' is no file of a controller", "write for instance"),
    ],
)
def test_a_file_that_control_groups_lack_is_refused_with_what_is_like_it(
    name: str, message: str, advice: str, tmp_path: Path
) -> None:
    with pytest.raises(RefusedError, match=message) as error:
        v2(tmp_path).make(Group(((name, "1"),)))
    assert advice in error.value.advice


def test_a_group_that_nothing_can_join_is_refused(tmp_path: Path) -> None:
    fake = v2(tmp_path)
    fake.programs._answer = lambda words: Done(1, "write error: No space left on device")
    with pytest.raises(RefusedError, match="a process cannot join the group: a shell ended with status 1: write error"):
        fake.make(Group((("memory.max", "0"),)))


def hotplug(root: Path) -> Fake:
    """Two CPUs, an interrupt on each, and a version 1 cpuset."""
    return Fake(
        root,
        {
            "/proc/self/mountinfo": "34 31 0:31 / /sys/fs/cgroup/cpuset rw - cgroup cgroup rw,cpuset\n",
            f"{CPU}/present": "0-1",
            f"{CPU}/online": "0-1",
            f"{CPU}/cpu1/online": "1",
            "/proc/irq/7/smp_affinity_list": "1",
            "/proc/irq/8/smp_affinity_list": "0-1",
            "/sys/fs/cgroup/cpuset/cpuset.cpus": "0-1",
            "/sys/fs/cgroup/cpuset/some/cpuset.cpus": "0-1",
        },
    )


def test_what_the_kernel_changes_when_a_cpu_leaves_is_remembered(tmp_path: Path) -> None:
    fake = hotplug(tmp_path)
    with pytest.raises(RefusedError, match="CPUs 0 were wanted, and 0,1 are online"):
        fake.make(Online(frozenset({0})))
    assert fake.entries == [
        Values((("/proc/irq/7/smp_affinity_list", "1"), ("/sys/fs/cgroup/cpuset/some/cpuset.cpus", "0-1"))),
        Values(((f"{CPU}/cpu1/online", "1"),)),
    ]
    fake.host.write("/proc/irq/7/smp_affinity_list", "0")
    fake.undo()
    assert fake.says() == {name: text.strip() for name, text in fake.files.items()}


@pytest.mark.parametrize(
    ("cpus", "message"),
    [({1}, "CPU 0 cannot be taken offline on this machine"), ({0, 7}, "CPUs 7 are not present"), (set(), "no CPU is named")],
)
def test_cpus_that_cannot_be_alone_online_are_refused(cpus: set[int], message: str, tmp_path: Path) -> None:
    with pytest.raises(RefusedError, match=message):
        hotplug(tmp_path).make(Online(frozenset(cpus)))


@pytest.mark.parametrize(
    ("change", "message", "advice"),
    [
        (sysctl("vm.drop_caches", "3"), "vm.drop_caches starts something and keeps no value", "set `drop_caches = true`"),
        (sysctl("kernel.modules_disabled", "1"), "cannot be put back before the next boot", "leave it out"),
        (sysctl("vm.swapiness", "1"), "this machine has no sysctl 'vm.swapiness'", "did you mean 'vm.swappiness'?"),
        (sysctl("vmm.swappiness", "1"), "this machine has no sysctl 'vmm'", "did you mean 'vm'?"),
        (Write("file", "/sys/a/enabld", "/sys/a/enabld", "1"), "no file '/sys/a/enabld'", "did you mean '/sys/a/enabled'?"),
        (Write("file", "/sys/a", "/sys/a", "1"), "/sys/a is a folder", "it holds: enabled"),
        (Write("file", "/sys/../etc/x", "/sys/../etc/x", "1"), "does not lie below /proc or /sys", "in `setup`"),
        (Write("file", "/sys/a/out", "/sys/a/out", "1"), "does not lie below /proc or /sys", "in `setup`"),
        (Write("file", "/proc/7/oom_adj", "/proc/7/oom_adj", "1"), "belongs to one process", "in `setup`"),
        (Write("file", "x", "/sys/kernel/debug/sched/x", "1"), "lies in debugfs, which is not mounted", "mount -t debugfs"),
    ],
    ids=lambda value: value.name if isinstance(value, Write) else "",
)
def test_what_is_no_setting_is_refused_with_a_way_on(change: Write, message: str, advice: str, tmp_path: Path) -> None:
    files = ("vm/drop_caches", "vm/swappiness", "vm/other", "kernel/modules_disabled")
    fake = Fake(
        tmp_path, {**{f"/proc/sys/{name}": "0" for name in files}, "/sys/a/enabled": "0", "/etc/x": "", "/proc/7/oom_adj": "0"}
    )
    (tmp_path / "sys/kernel/debug").mkdir(parents=True)
    (tmp_path / "sys/a/out").symlink_to(tmp_path / "etc/x")
    with pytest.raises(RefusedError, match=message) as error:
        fake.make(change)
    assert advice in error.value.advice
    assert fake.entries == []


def test_a_value_that_is_there_already_is_not_written(tmp_path: Path) -> None:
    fake = Fake(tmp_path, {"/proc/sys/vm/swappiness": "60\n"})
    fake.make(sysctl("vm.swappiness", "60"))
    assert fake.entries == []


def test_two_settings_that_contradict_each_other_are_refused(tmp_path: Path) -> None:
    fake = Fake(tmp_path, {"/proc/sys/vm/swappiness": "60\n"})
    with pytest.raises(RefusedError, match=r"vm\.swappiness was set to '1' and says '2'"):
        fake.make(sysctl("vm.swappiness", "1"), Write("file", "x", "/proc/sys/vm/swappiness", "2"))


def test_features_of_the_scheduler_are_written_word_by_word(tmp_path: Path) -> None:
    path = "/sys/kernel/debug/sched/features"
    fake = Fake(tmp_path, {path: "NO_A B C"})
    with pytest.raises(RefusedError, match="says 'NO_B'"):
        fake.make(Write("file", "features", path, "A NO_B"))
    assert fake.entries == [Values(((path, "NO_A B C"),))]


def test_a_file_that_is_gone_went_with_what_it_belonged_to(tmp_path: Path) -> None:
    fake = Fake(tmp_path, {"/sys/module/a/parameters/b": "1"})
    fake.make(Write("file", "b", "/sys/module/a/parameters/b", "2"))
    (tmp_path / "sys/module/a/parameters/b").unlink()
    fake.undo()


def test_a_file_system_that_the_kernel_does_not_know_is_refused_with_what_loads_it(tmp_path: Path) -> None:
    fake = Fake(tmp_path, {"/proc/filesystems": "nodev\tproc\n\text4\n"})
    with pytest.raises(RefusedError, match="the running kernel does not know the file system xfs") as error:
        fake.make(FileSystem(Mount(type="xfs")))
    assert error.value.advice == "modprobe xfs"


def test_a_program_that_is_not_there_is_an_error_with_its_package(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nowhere")
    monkeypatch.setattr(program, "MORE_FOLDERS", "/nowhere")
    with pytest.raises(RefusedError, match=r"there is no program mkfs\.xfs") as error:
        program.run(["mkfs.xfs"])
    assert error.value.advice == "install xfsprogs"


def test_without_root_a_setting_says_that_it_needs_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    with pytest.raises(RefusedError, match="`sysctl` needs root") as error, refused("sysctl", "it failed"):
        raise PermissionError(errno.EACCES, "Permission denied")
    assert error.value.advice == "run it with sudo, or leave `sysctl` out"
