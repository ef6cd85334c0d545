"""Settings of this machine: made, and all of it as before when the visit is over. Every test checks that."""

from __future__ import annotations

import os
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.unit.fake_host import LOCK, NEEDS_ROOT, may_change
from tests.unit.real_host import HOST, VM, block_device, kept, look, says

from kdelta.box.settings import Host, NotRestoredError, RefusedError, Session
from kdelta.box.settings.process import MARK
from kdelta.model.errors import MisuseError
from kdelta.model.plan import BoxSpec
from kdelta.model.variant import Variant

pytestmark = pytest.mark.skipif(not may_change(), reason=NEEDS_ROOT)
THP = "/sys/kernel/mm/transparent_hugepage/enabled"
V1 = Path("/sys/fs/cgroup/memory/memory.limit_in_bytes").exists()
needs_v1 = pytest.mark.skipif(not V1, reason="the memory controller is not on a version 1 hierarchy here")


def variant(**settings: object) -> Variant:
    return Variant(name="a", kernel="running", **settings)  # type: ignore[arg-type]


@pytest.fixture
def session(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Session]:
    """A session, before and after which the machine is the same."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    folder = tmp_path / "visits"
    folder.mkdir()
    before = look(folder)
    with kept(), Session(folder, Host(lock=LOCK)) as entered:
        yield entered
    assert look(folder) == before
    assert list((tmp_path / "state/kdelta/journal").iterdir()) == []


def test_a_sysctl_holds_during_the_visit_only(session: Session) -> None:
    former = says(f"{VM}/vfs_cache_pressure")
    with session.visit(variant(sysctl={"vm.vfs_cache_pressure": "111"})):
        assert says(f"{VM}/vfs_cache_pressure") == "111"
    assert says(f"{VM}/vfs_cache_pressure") == former


def test_a_choice_in_a_file_holds_during_the_visit_only_and_what_changed_with_it(session: Session) -> None:
    former = says(THP), says(f"{VM}/min_free_kbytes")
    wanted = "never" if "[never]" not in former[0] else "always"
    with session.visit(variant(file={THP: wanted})):
        assert f"[{wanted}]" in says(THP)
    assert (says(THP), says(f"{VM}/min_free_kbytes")) == former


def test_an_io_scheduler_that_comes_back_has_its_own_settings_again(tmp_path: Path, session: Session) -> None:
    with block_device(tmp_path / "disk", size_mib=1) as device:
        queue = Path("/sys/block", Path(device).name, "queue")
        if "mq-deadline" not in says(str(queue / "scheduler")):
            pytest.skip("there is no mq-deadline here")
        (queue / "scheduler").write_text("mq-deadline")
        (queue / "iosched/fifo_batch").write_text("7")
        (queue / "nr_requests").write_text("33")
        with session.visit(variant(file={f"{queue}/scheduler": "none"})):
            assert "[none]" in says(f"{queue}/scheduler")
        assert "[mq-deadline]" in says(f"{queue}/scheduler")
        assert (says(f"{queue}/iosched/fifo_batch"), says(f"{queue}/nr_requests")) == ("7", "33")
        (queue / "scheduler").write_text("none")


PAIRS = [
    ({}, "dirty_bytes", "50000000"),
    ({"dirty_bytes": "40000000"}, "dirty_bytes", "50000000"),
    ({"dirty_bytes": "40000000"}, "dirty_ratio", "33"),
    ({"dirty_background_ratio": "0"}, "dirty_background_bytes", "50000000"),
    ({}, "overcommit_kbytes", "1000000"),
    ({"overcommit_kbytes": "2000000"}, "overcommit_ratio", "44"),
    ({"overcommit_ratio": "0"}, "overcommit_kbytes", "1000000"),
]


@pytest.mark.parametrize(("before", "name", "wanted"), PAIRS, ids=lambda value: str(value))
def test_of_a_pair_of_sysctls_the_one_that_was_in_force_is_so_again(
    before: dict[str, str], name: str, wanted: str, session: Session
) -> None:
    with session.visit(variant(sysctl={f"vm.{name}": value for name, value in before.items()})):
        pair = {path: says(path) for path in (f"{VM}/{name}", f"{VM}/{_partner(name)}")}
        with session.visit(variant(sysctl={f"vm.{name}": wanted})):
            assert (says(f"{VM}/{name}"), says(f"{VM}/{_partner(name)}")) == (wanted, "0")
        assert {path: says(path) for path in pair} == pair


def _partner(name: str) -> str:
    stem, _, unit = name.rpartition("_")
    return f"{stem}_{'ratio' if unit != 'ratio' else 'kbytes' if stem == 'overcommit' else 'bytes'}"


def test_a_value_that_the_kernel_does_not_take_is_refused(session: Session) -> None:
    with (
        pytest.raises(RefusedError, match=r"`sysctl`: vm\.vfs_cache_pressure did not take '-7': Invalid argument") as error,
        session.visit(variant(sysctl={"vm.dirty_ratio": "33", "vm.vfs_cache_pressure": "-7"})),
    ):
        pass
    assert error.value.advice == f"it says: {says(f'{VM}/vfs_cache_pressure')}"


def test_what_cannot_be_read_back_is_refused(session: Session) -> None:
    with pytest.raises(RefusedError, match="keeps no value"), session.visit(variant(sysctl={"vm.drop_caches": "1"})):
        pass


def test_a_rehearsal_names_the_variant_that_this_machine_does_not_take(session: Session) -> None:
    good = variant(sysctl={"vm.vfs_cache_pressure": "113"})
    bad = Variant(name="b", kernel="running", sysctl={"vm.vfs_cache_pressure": "113", "vm.swapiness": "1"})
    with pytest.raises(MisuseError, match=r"^variant 'b': `sysctl`: this machine has no sysctl 'vm.swapiness'") as error:
        session.rehearse([good, bad])
    assert error.value.advice.startswith("did you mean 'vm.swappiness'?")


def test_caches_are_dropped_before_the_visit(session: Session) -> None:
    def dropped() -> str:
        return next(line for line in says("/proc/vmstat").splitlines() if line.startswith("drop_pagecache "))

    before = dropped()
    with session.visit(variant(), drop_caches=True):
        assert dropped() != before


def test_what_is_quieted_is_so_for_the_whole_session(session: Session) -> None:
    session.quiet(BoxSpec(name="here", kind="local", quiet=("aslr",)))
    with session.visit(variant(sysctl={"kernel.randomize_va_space": "1"})):
        pass
    assert says("/proc/sys/kernel/randomize_va_space") == "0"


def test_what_cannot_be_quieted_is_an_error_before_anything_is_measured(session: Session) -> None:
    with pytest.raises(MisuseError, match=r"did you mean|there is no thing to quiet 'turbos'"):
        session.quiet(BoxSpec(name="here", kind="local", quiet=("aslr", "turbos")))


def test_swap_is_off_during_the_session_and_has_its_priority_back(tmp_path: Path, session: Session) -> None:
    area = tmp_path / "swap"
    area.write_bytes(bytes(1 << 20))
    area.chmod(0o600)
    subprocess.run(["mkswap", area], check=True, capture_output=True)
    if subprocess.run(["swapon", "--priority", "7", area], check=False).returncode:
        pytest.skip("swap on a file is not possible here")
    try:
        with Session(tmp_path, Host(lock=f"{LOCK}-swap")) as inner:
            inner.quiet(BoxSpec(name="here", kind="local", quiet=("swap",)))
            assert str(area) not in says("/proc/swaps")
        assert says("/proc/swaps").splitlines()[-1].split()[0::4] == [str(area), "7"]
    finally:
        subprocess.run(["swapoff", area], check=True)


@pytest.mark.skipif(not Path("/sys/devices/system/cpu/cpu1/online").exists(), reason="CPU 1 cannot be taken offline here")
def test_a_cpu_is_offline_during_the_visit_and_cpusets_have_it_again(session: Session) -> None:
    cpuset = Path("/sys/fs/cgroup/cpuset/kdelta-test")
    legacy = (cpuset.parent / "cpuset.sched_load_balance").exists()
    online = says("/sys/devices/system/cpu/online")
    others = ",".join(str(cpu) for cpu in sorted(os.sched_getaffinity(0)) if cpu != 1)
    if legacy:
        cpuset.mkdir()
        (cpuset / "cpuset.cpus").write_text(online)
    try:
        with session.visit(variant(online=others)):
            assert says("/sys/devices/system/cpu/cpu1/online") == "0"
        assert says("/sys/devices/system/cpu/online") == online
        assert not legacy or says(str(cpuset / "cpuset.cpus")) == online
    finally:
        if legacy:
            cpuset.rmdir()


def test_the_cpus_of_the_workloads_must_be_online(session: Session) -> None:
    with session.visit(variant(bind="0")) as visit:
        assert visit.cpus == {0}
    with pytest.raises(RefusedError, match="`bind`: CPUs 4000 are not online"), session.visit(variant(bind="0,4000")):
        pass


@needs_v1
def test_a_process_in_the_control_group_has_its_limits_and_is_ended_with_it(session: Session) -> None:
    wanted = {"memory.limit_in_bytes": "64M", "cpu.shares": "512", "cpuset.cpus": "0"}
    with session.visit(variant(cgroup=wanted)) as visit:
        sleeper = subprocess.Popen(["sleep", "1000"])
        for procs in visit.cgroup_procs:
            procs.write_text(str(sleeper.pid))
        assert [says(str(procs)) for procs in visit.cgroup_procs] == [str(sleeper.pid)] * 3
        assert says(str(visit.cgroup_procs[0].parent / "memory.limit_in_bytes")) == str(64 << 20)
    assert sleeper.wait() == -signal.SIGKILL


@needs_v1
def test_a_group_below_the_control_group_is_removed_too(session: Session) -> None:
    with session.visit(variant(cgroup={"cpu.shares": "512"})) as visit:
        (visit.cgroup_procs[0].parent / "below").mkdir()


@needs_v1
def test_a_control_group_that_changed_the_value_is_refused(session: Session) -> None:
    with (
        pytest.raises(RefusedError, match=r"memory\.limit_in_bytes was set to '1000000' and says '999424'"),
        session.visit(variant(cgroup={"memory.limit_in_bytes": "1000000"})),
    ):
        pass


@pytest.mark.skipif(
    not any(
        "hugetlb" in says(path)
        for path in (*HOST.glob("/sys/fs/cgroup/cgroup.controllers"), *HOST.glob("/sys/fs/cgroup/*/cgroup.controllers"))
    ),
    reason="no version 2 hierarchy here has the hugetlb controller",
)
def test_a_version_2_group_works_on_this_machine(session: Session) -> None:
    with session.visit(variant(cgroup={"hugetlb.2MB.max": "4M"})) as visit:
        assert says(str(visit.cgroup_procs[0].parent / "hugetlb.2MB.max")) == str(4 << 20)


def test_a_setup_runs_in_the_folder_of_the_visit(session: Session) -> None:
    with session.visit(variant(setup='echo "$TMPDIR" > said; pwd >> said')) as visit:
        assert says(str(visit.folder / "said")).splitlines() == [str(visit.folder)] * 2


def test_a_setup_that_fails_refuses_the_visit_with_its_last_words_and_is_torn_down(tmp_path: Path, session: Session) -> None:
    with (
        pytest.raises(RefusedError, match=r"`setup` ended with status 3: no | luck"),
        session.visit(variant(setup="echo no; echo luck >&2; exit 3", teardown=f"touch {tmp_path}/torn")),
    ):
        pass
    assert (tmp_path / "torn").exists()


def test_a_teardown_that_fails_refuses_the_visit(session: Session) -> None:
    with (
        pytest.raises(RefusedError, match="`teardown` ended with status 4: oh"),
        session.visit(variant(teardown="echo oh; exit 4")),
    ):
        pass


def test_what_a_setup_leaves_running_lives_until_the_teardown_is_over_and_no_longer(tmp_path: Path, session: Session) -> None:
    setup = "setsid sleep 1000 & echo $! > pid"
    with session.visit(variant(setup=setup, teardown=f"kill -0 $(cat pid) && cp pid {tmp_path}")):
        pass
    assert (tmp_path / "pid").exists()


def test_a_process_that_the_caller_started_is_ended_with_all_its_group(session: Session) -> None:
    with session.visit(variant()) as visit:
        child = subprocess.Popen(
            ["sh", "-c", "sleep 1000 & exec sleep 1000"], start_new_session=True, env={**os.environ, **visit.environment}
        )
        session.record(child.pid)
    assert child.wait() == -signal.SIGKILL


def test_process_groups_that_have_ended_are_forgotten(tmp_path: Path, session: Session) -> None:
    with session.visit(variant()):
        for _ in range(3):
            with subprocess.Popen(["true"], start_new_session=True) as child:
                session.record(child.pid)
        noted = next((tmp_path / "state/kdelta/journal").iterdir()).read_text()
    assert noted.count("process group") == 1


def test_removing_a_visit_does_not_reach_into_what_was_mounted_in_it(tmp_path: Path, session: Session) -> None:
    precious = tmp_path / "precious"
    precious.mkdir()
    (precious / "file").touch()
    with session.visit(variant(setup=f"mkdir in && mount --bind {precious} in && ls in/file")):
        pass
    assert (precious / "file").exists()


def test_a_process_that_holds_the_folder_is_named_when_it_cannot_be_unmounted(
    session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("kdelta.box.settings.mounts.BUSY_SECONDS", 0.1)
    unmarked = {name: value for name, value in os.environ.items() if name != MARK}
    sleepers = []

    def visit() -> None:
        with session.visit(variant(setup="mkdir in && mount -t tmpfs none in")) as visit:
            sleepers.append(subprocess.Popen(["sleep", "1000"], cwd=visit.folder / "in", env=unmarked))

    with pytest.raises(NotRestoredError, match=r"cannot be unmounted .*: in use by process \d+"):
        visit()
    sleepers[0].kill()
    sleepers[0].wait()


def test_a_second_session_is_told_who_is_measuring(tmp_path: Path, session: Session) -> None:
    with (
        pytest.raises(MisuseError, match=f"another kdelta is measuring here: process {os.getpid()}"),
        Session(tmp_path, Host(lock=LOCK)),
    ):
        pass
