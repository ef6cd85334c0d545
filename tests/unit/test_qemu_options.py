"""What QEMU is started with, and which QEMU is taken; tried with shell scripts in its place."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from kdelta.box import qemu
from kdelta.box.job import Perturbation
from kdelta.box.qemu import Qemu
from kdelta.model.errors import MisuseError
from kdelta.model.plan import BoxSpec

ONE_CPU = BoxSpec(name="exact")
FOUR_CPUS = BoxSpec(name="exact-4", cpus=4, memory=1024)
CHANGE = Perturbation(entropy="00", memory_mib=3, padding=5, delay_us=0, forks=0)
WITHOUT_PLUGIN = Qemu("/usr/bin/qemu", "7.2.22", None, "no plugins")


def value_of(options: list[str] | tuple[str, ...], name: str) -> str:
    return options[list(options).index(name) + 1]


def command(found: Qemu = WITHOUT_PLUGIN, folder: str = "/boots/1-a") -> list[str]:
    return qemu.command(found, ONE_CPU, Path(folder), CHANGE, "/cache/vmlinux", "quiet a=b", 7)


# ---- the kernel's command line ----


def test_the_variants_words_come_last_and_so_win() -> None:
    words = qemu.kernel_words(ONE_CPU, ("mitigations=auto", "slub_debug=FZ"), 5)
    assert words.endswith(" mitigations=auto slub_debug=FZ")
    assert "mitigations=off" in words.split(" ")


def test_padding_is_a_word_that_means_nothing_to_the_kernel() -> None:
    assert "kdelta.padding=xxxxx" in qemu.kernel_words(ONE_CPU, ("a=b",), 5).split(" ")


def test_padding_makes_the_command_line_longer_by_just_so_much() -> None:
    assert len(qemu.kernel_words(ONE_CPU, (), 64)) == len(qemu.kernel_words(ONE_CPU, (), 0)) + 64


def test_a_guest_of_one_cpu_does_without_the_local_timer() -> None:
    assert "noapictimer" in qemu.kernel_words(ONE_CPU, (), 0).split(" ")


def test_a_guest_of_several_cpus_needs_its_local_timers() -> None:
    assert "noapictimer" not in qemu.kernel_words(FOUR_CPUS, (), 0)


@pytest.mark.parametrize("word", ["nokaslr", "panic=-1", "mitigations=off", "console=ttyS0"])
def test_a_word_that_exactness_depends_on_is_on_the_command_line(word: str) -> None:
    assert word in qemu.kernel_words(FOUR_CPUS, (), 0).split(" ")


# ---- QEMU's options ----


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("-accel", "tcg,thread=single"),
        ("-icount", "shift=0,sleep=off"),
        ("-rtc", "base=2020-01-01,clock=vm"),
        ("-cpu", "qemu64,-rdrand,-rdseed"),
        ("-seed", "1"),
        ("-smp", "4"),
        ("-m", "1024"),
    ],
)
def test_what_decides_the_result_is_among_the_recorded_options(name: str, value: str) -> None:
    assert value_of(qemu.options(FOUR_CPUS), name) == value


def test_the_recorded_options_do_not_depend_on_the_boxs_name() -> None:
    assert qemu.options(BoxSpec(name="a")) == qemu.options(BoxSpec(name="b"))


def test_the_command_is_program_options_and_what_one_boot_needs() -> None:
    assert command() == [
        *("/usr/bin/qemu", *qemu.options(BoxSpec(name="exact", memory=515))),
        *("-kernel", "/cache/vmlinux", "-initrd", "/boots/1-a/initramfs", "-append", "quiet a=b"),
        *("-chardev", "file,id=console,path=/boots/1-a/console", "-serial", "chardev:console"),
        *("-chardev", "file,id=data,path=/boots/1-a/data", "-serial", "chardev:data"),
        *("-chardev", "socket,id=control,fd=7", "-mon", "chardev=control,mode=control"),
    ]


def test_the_perturbation_adds_to_the_guests_memory() -> None:
    assert value_of(command(), "-m") == "515"


def test_the_plugin_writes_its_profile_into_the_boots_folder() -> None:
    found = Qemu("/usr/bin/qemu", "7.2.22", Path("/lib/profile-1.so"))
    assert command(found)[-2:] == ["-plugin", "/lib/profile-1.so,out=/boots/1-a/profile"]


def test_a_comma_in_a_folder_does_not_end_an_option() -> None:
    found = Qemu("/usr/bin/qemu", "7.2.22", Path("/l,ib/profile-1.so"))
    line = command(found, "/a,b")
    assert value_of(line, "-chardev") == "file,id=console,path=/a,,b/console"
    assert value_of(line, "-plugin") == "/l,,ib/profile-1.so,out=/a,,b/profile"


# ---- which QEMU ----

DEBIANS = "QEMU emulator version 7.2.22 (Debian 1:7.2+dfsg-7+deb12u18+b3)"
Fake = Callable[..., Path]


@pytest.fixture
def fake(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Fake]:
    """Makes a QEMU of a shell script: `says` to --version, and `loads` when asked to load "$plugin"."""

    def make(says: str = f"echo '{DEBIANS}'", loads: str = "exit 0") -> Path:
        program = tmp_path / "fake-qemu"
        program.write_text(f'#!/bin/sh\nif [ "$1" = --version ]; then\n{says}\nexit 0\nfi\nplugin="$*"\n{loads}\n')
        program.chmod(0o755)
        monkeypatch.setenv("KDELTA_QEMU", str(program))
        return program

    qemu.find.cache_clear()
    yield make
    qemu.find.cache_clear()


def test_a_good_qemu_is_taken_with_its_version_and_our_newest_plugin(fake: Fake) -> None:
    program = fake()
    found = qemu.find()
    assert (found.program, found.version) == (str(program), "7.2.22 (Debian 1:7.2+dfsg-7+deb12u18+b3)")
    assert found.plugin is not None
    assert (found.plugin.name, found.why_no_plugin) == ("profile-3.so", "")


def test_a_qemu_that_is_absent_is_named_with_the_way_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    qemu.find.cache_clear()
    monkeypatch.setenv("KDELTA_QEMU", "no-such-qemu")
    with pytest.raises(MisuseError, match="there is no program no-such-qemu") as error:
        qemu.find()
    assert "KDELTA_QEMU" in error.value.advice


@pytest.mark.parametrize("release", ["2.11.1", "4.2.0", "5.1.0"])
def test_a_qemu_that_is_too_old_is_refused_with_the_rule(fake: Fake, release: str) -> None:
    fake(f"echo 'QEMU emulator version {release}'")
    with pytest.raises(MisuseError, match=r"is QEMU \d+\.\d+; 5\.2 or newer is needed"):
        qemu.find()


@pytest.mark.parametrize("release", ["5.2.0", "7.2.22", "10.0.2", "9.1.0-rc2"])
def test_a_qemu_that_is_new_enough_is_taken(fake: Fake, release: str) -> None:
    fake(f"echo 'QEMU emulator version {release}'")
    assert qemu.find().version == release


NOT_A_QEMU = {
    "says nothing": "true",
    "says something else": "echo hello",
    "fails": "echo 'unknown option' >&2; exit 1",
}


@pytest.mark.parametrize("says", NOT_A_QEMU.values(), ids=NOT_A_QEMU)
def test_a_program_that_is_no_qemu_is_refused(fake: Fake, says: str) -> None:
    fake(says)
    with pytest.raises(MisuseError, match="is no QEMU"):
        qemu.find()


def test_another_program_that_tells_a_version_is_refused(fake: Fake) -> None:
    fake("echo 'GNU bash, version 5.2.15(1)-release (x86_64-pc-linux-gnu)'")
    with pytest.raises(MisuseError, match="is no QEMU"):
        qemu.find()


def test_a_program_that_prints_bytes_that_are_no_text_is_refused(fake: Fake) -> None:
    fake(r"printf '\377\376'")
    with pytest.raises(MisuseError, match="is no QEMU"):
        qemu.find()


def test_a_file_that_is_not_executable_is_no_program(fake: Fake) -> None:
    fake().chmod(0o644)
    with pytest.raises(MisuseError, match="there is no program"):
        qemu.find()


def test_a_program_that_cannot_be_executed_is_refused(fake: Fake) -> None:
    program = fake()
    program.write_bytes(b"\x7fELF, but no more of it")
    with pytest.raises(MisuseError, match="does not run"):
        qemu.find()


def test_a_program_that_hangs_is_given_up(fake: Fake, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(qemu, "PROBE_SECONDS", 0.2)
    fake("exec sleep 60")
    with pytest.raises(MisuseError, match="does not run"):
        qemu.find()


def test_a_qemu_that_loads_only_the_oldest_plugin_gets_that(fake: Fake) -> None:
    fake(loads='case "$plugin" in *profile-1.so*) exit 0;; esac\necho "API version mismatch" >&2\nexit 1')
    found = qemu.find()
    assert found.plugin is not None
    assert found.plugin.name == "profile-1.so"


def test_a_qemu_that_loads_no_plugin_is_taken_without_and_says_why(fake: Fake) -> None:
    fake(loads='echo "some warning" >&2\necho "fake-qemu: -plugin: invalid option" >&2\nexit 1')
    found = qemu.find()
    assert (found.plugin, found.why_no_plugin) == (None, "fake-qemu: -plugin: invalid option")


def test_a_qemu_that_ends_without_a_word_on_a_plugin_still_gives_a_reason(fake: Fake) -> None:
    fake(loads="exit 3")
    assert qemu.find().why_no_plugin == "exit status 3"


def test_a_qemu_that_hangs_on_a_plugin_is_taken_without(fake: Fake, monkeypatch: pytest.MonkeyPatch) -> None:
    fake(loads="exec sleep 60")
    monkeypatch.setattr(qemu, "PLUGIN_APIS", (1,))
    monkeypatch.setattr(qemu, "PROBE_SECONDS", 1.0)
    found = qemu.find()
    assert found.plugin is None
    assert "timed out" in found.why_no_plugin


def test_a_plugin_is_tried_without_a_machine_and_without_a_file_left_behind(fake: Fake, tmp_path: Path) -> None:
    fake(loads=f'echo "$plugin" >"{tmp_path}/asked"')
    found = qemu.find()
    asked = f"-machine none -nodefaults -display none -monitor stdio -plugin {found.plugin},out=/dev/null"
    assert (tmp_path / "asked").read_text().strip() == asked


def test_the_machine_is_looked_at_once(fake: Fake) -> None:
    fake()
    first = qemu.find()
    fake("echo nothing")
    assert qemu.find() is first
