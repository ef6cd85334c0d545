"""What can go wrong in a boot, made to go wrong in real QEMU: each ends as what it is, and hides nothing else."""

from __future__ import annotations

import os
import signal
import subprocess
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace

import msgspec
import pytest

from kdelta.box import machine, native, qemu
from kdelta.box.protocol import Watch
from kdelta.model.benchmark import Benchmark
from kdelta.model.boot import Boot, BootRequest, CellState, Outcome
from kdelta.model.errors import BoxLostError, MisuseError
from kdelta.model.guest import BootReport
from kdelta.model.kernel import Kernel
from kdelta.run.interpret import interpret
from kdelta.workload.select import select

from . import lab
from .program import guests_of, wait_until


def misbehave(how: str) -> Benchmark:
    return Benchmark(name=how, program="misbehave", parameters={"how": how}, operation="misbehave", operations=10)


NULL = select(["null:operations=100"])[0]


@pytest.fixture(scope="module")
def mixed(newest: Kernel, misbehaving: dict[str, bytes]) -> Boot:
    """One boot, of a guest without a shell, with a program that is well before, between and after programs that are not."""
    absent = Benchmark(name="absent", program="absent", operation="nothing", operations=10)
    order = [
        NULL,
        *map(misbehave, ("exit1", "exit77", "kill", "garbage", "sleep")),
        absent,
        *select(["proc-sh"]),
        misbehave("fine"),
    ]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(native, "shell", lambda: None)
        return lab.boot(lab.make_box(programs=misbehaving), lab.request(newest, order))[0]


@pytest.mark.parametrize(
    ("benchmark", "state", "reason"),
    [
        ("null:operations=100", CellState.OK, ""),
        ("exit1", CellState.FAILED, "exit status 1: this workload failed as told"),
        ("exit77", CellState.NOT_HERE, "not possible here: this workload cannot run here as told"),
        ("kill", CellState.KILLED, "killed by signal 9 (SIGKILL)"),
        ("sleep", CellState.TIMEOUT, "it did not end within its limit of time"),
        ("absent", CellState.FAILED, "exit status 127: /bin/absent: No such file or directory"),
        ("proc-sh", CellState.NOT_HERE, "not possible here: there is no /bin/sh here"),
        ("fine", CellState.OK, ""),
    ],
)
def test_a_program_that_goes_wrong_says_how_and_hides_no_other(mixed: Boot, benchmark: str, state: CellState, reason: str) -> None:
    cell = next(cell for cell in mixed.cells if cell.benchmark == benchmark)
    assert (cell.state, cell.reason) == (state, reason)


def test_garbage_on_the_data_channel_costs_a_warning_and_nothing_else(mixed: Boot) -> None:
    assert next(cell for cell in mixed.cells if cell.benchmark == "garbage").state is CellState.OK
    assert len(lab.values(mixed, "garbage")) == 3
    assert any("not the guest's" in warning for warning in mixed.warnings)


def test_a_panic_in_a_benchmark_keeps_what_was_measured_before(newest: Kernel, misbehaving: dict[str, bytes]) -> None:
    order = [NULL, misbehave("panic"), misbehave("fine")]
    boot = lab.boot(lab.make_box(programs=misbehaving), lab.request(newest, order))[0]
    assert boot.outcome is Outcome.PANIC
    assert "sysrq triggered crash" in boot.reason
    assert [cell.state for cell in boot.cells] == [CellState.OK, CellState.FAILED, CellState.FAILED]
    assert len(lab.values(boot, NULL.name)) == 3


def test_a_panic_at_boot_is_told_in_the_kernels_own_words(newest: Kernel) -> None:
    boot = lab.boot(lab.make_box(), lab.request(newest, [NULL], cmdline=["rdinit=/none"]))[0]
    assert boot.outcome is Outcome.PANIC
    assert "Kernel panic - not syncing: VFS" in boot.reason
    assert boot.samples == ()


def test_a_benchmark_that_spins_is_ended_by_the_limit_of_host_time(
    newest: Kernel, misbehaving: dict[str, bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = lab.request(newest, [NULL, misbehave("spin")])

    def let_time_pass(words: str) -> None:
        if words.startswith("spin"):
            later = SimpleNamespace(monotonic=lambda: time.monotonic() + 1000)
            monkeypatch.setattr(machine, "time", later)

    boot = interpret(asked, lab.make_box(programs=misbehaving, limit_seconds=999).boot(asked, Watch(let_time_pass)))
    assert boot.outcome is Outcome.HANG
    assert "no end within 999 s of host time (the guest's clock: " in boot.reason
    assert [cell.state for cell in boot.cells] == [CellState.OK, CellState.FAILED]


def test_an_idle_guest_that_says_nothing_is_ended_by_its_own_clock(
    newest: Kernel, misbehaving: dict[str, bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(machine, "CLOCK_SECONDS", 2.0)
    asked = lab.request(newest, [NULL], cmdline=["rdinit=/bin/misbehave", "--", "how=sleep"])
    boot = lab.boot(lab.make_box(programs=misbehaving), asked)[0]
    assert boot.outcome is Outcome.HANG
    assert "virtual time runs on" in boot.reason


def test_no_sample_of_another_kernel_is_kept(newest: Kernel) -> None:
    other = msgspec.structs.replace(newest, build_id="00" * 20)
    boot = lab.boot(lab.make_box(), lab.request(other, [NULL]))[0]
    assert boot.outcome is Outcome.WRONG_KERNEL
    assert "build id" in boot.reason
    assert (boot.samples, boot.profiles) == ((), ())


def test_a_sysctl_that_does_not_exist_ends_the_boot_before_anything_is_measured(newest: Kernel) -> None:
    boot = lab.boot(lab.make_box(), lab.request(newest, [NULL], sysctl={"vm.no_such_thing": "1"}))[0]
    assert boot.outcome is Outcome.REFUSED
    assert boot.reason == "vm.no_such_thing: No such file or directory"
    assert boot.samples == ()


@pytest.fixture(scope="module")
def equipped(newest: Kernel) -> Boot:
    """A guest with the shell of this machine, a sysctl and a word on its command line."""
    sysctl = {"vm.overcommit_memory": "1"}
    asked = lab.request(newest, "null:operations=100 proc-sh:operations=5", cmdline=["kdelta.test=1"], sysctl=sysctl)
    return lab.boot(lab.make_box(), asked)[0]


def test_a_sysctl_and_a_word_of_the_command_line_reach_the_guest(equipped: Boot) -> None:
    assert equipped.outcome is Outcome.DONE
    assert "kdelta.test=1" in equipped.environment["guest command_line"].split()


def test_a_guest_gets_the_static_shell_of_the_machine(equipped: Boot) -> None:
    if native.shell() is None:
        pytest.skip("needs a static busybox: apt-get install busybox-static")
    assert len(lab.values(equipped, "proc-sh:operations=5")) == 3


def with_signal(number: signal.Signals, asked: BootRequest) -> BootReport:
    """A boot whose QEMU is sent a signal while the kernel begins."""

    def send() -> None:
        wait_until(lambda: guests_of(os.getpid()))
        time.sleep(1.0)
        for pid in guests_of(os.getpid()):
            os.kill(pid, number)

    sender = threading.Thread(target=send)
    sender.start()
    report = lab.make_box().boot(asked, Watch())
    sender.join()
    return report


def test_a_killed_qemu_is_a_lost_box_and_no_fault_of_the_kernel(newest: Kernel) -> None:
    asked = lab.request(newest, [NULL])
    boot = interpret(asked, with_signal(signal.SIGKILL, asked))
    assert boot.outcome is Outcome.LOST
    assert "QEMU ended with status -9" in boot.reason


def test_a_qemu_that_stands_still_is_a_lost_box(newest: Kernel, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(machine, "ANSWER_SECONDS", 2.0)
    monkeypatch.setattr(machine, "CLOCK_SECONDS", 2.0)
    monkeypatch.setattr(machine, "QUIT_SECONDS", 0.5)
    asked = lab.request(newest, [NULL])
    boot = interpret(asked, with_signal(signal.SIGSTOP, asked))
    assert (boot.outcome, boot.reason) == (Outcome.LOST, "QEMU does not answer")
    assert guests_of(os.getpid()) == []


def test_a_boot_that_is_told_to_stop_leaves_no_qemu(newest: Kernel) -> None:
    watch = Watch()
    timer = threading.Timer(2.0, watch.stop.set)
    timer.start()
    report = lab.make_box().boot(lab.request(newest, [NULL]), watch)
    timer.join()
    assert report.outcome is Outcome.LOST
    assert guests_of(os.getpid()) == []


QUICK = "null:operations=100 proc-fork:operations=20"


@pytest.fixture(scope="module")
def plain(newest: Kernel, tmp_path_factory: pytest.TempPathFactory) -> Boot:
    """By a QEMU like one that was built without plugins: it knows no -plugin."""
    script = tmp_path_factory.mktemp("bin") / "qemu-system-x86_64"
    real = qemu.find().program
    refusal = 'for word; do [ "$word" != -plugin ] || { echo "-plugin: invalid option" >&2; exit 1; }; done'
    script.write_text(f'#!/bin/sh\n{refusal}\nexec {real} "$@"\n')
    script.chmod(0o755)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("KDELTA_QEMU", str(script))
        qemu.find.cache_clear()
        boot = lab.boot(lab.make_box(), lab.request(newest, QUICK))[0]
    qemu.find.cache_clear()
    return boot


def test_without_plugins_the_values_still_come_and_the_reason_is_recorded(plain: Boot) -> None:
    assert plain.outcome is Outcome.DONE
    assert len(lab.values(plain, "null:operations=100")) == 3
    assert plain.profiles == ()
    assert "invalid option" in plain.environment["profile"]


def test_the_plugin_changes_no_value(newest: Kernel, plain: Boot) -> None:
    profiled = lab.boot(lab.make_box(), lab.request(newest, QUICK))[0]
    assert profiled.profiles
    assert plain.samples == profiled.samples


def test_an_init_that_was_not_built_is_an_error_with_the_remedy(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(native, "FOLDER", tmp_path)
    with pytest.raises(MisuseError, match="init is missing") as caught:
        lab.make_box(programs={})
    assert "make setup" in caught.value.advice


@pytest.fixture
def tiny_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A cache folder on a file system of 1 MiB, for those who may mount one."""
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=1m", "none", tmp_path], capture_output=True, check=False)
    if mounted.returncode:
        pytest.skip(f"needs to be root, to mount a small file system: {mounted.stderr.decode().strip()}")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    yield tmp_path
    subprocess.run(["umount", tmp_path], check=True)


def test_a_full_disk_is_found_before_the_boot(newest: Kernel, tiny_cache: Path) -> None:
    with pytest.raises(BoxLostError, match="a boot needs 256") as caught:
        lab.make_box().boot(lab.request(newest, [NULL]), Watch())
    assert "XDG_CACHE_HOME" in caught.value.advice
