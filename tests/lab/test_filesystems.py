"""File systems, modules, settings that are files, and users' commands, in guests."""

from __future__ import annotations

import shutil
import statistics
import subprocess
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import msgspec
import pytest

from kdelta.box import filesystem
from kdelta.box.protocol import Watch
from kdelta.kernel import modules
from kdelta.model.benchmark import Benchmark, Command
from kdelta.model.boot import BootRequest, Outcome
from kdelta.model.errors import MisuseError
from kdelta.model.guest import BootReport
from kdelta.model.kernel import Kernel
from kdelta.model.variant import Mount
from kdelta.workload.select import select

from . import lab

CREATE, DELETE, SMALL = select(
    ["file:work=create,operations=400", "file:work=delete,operations=400", "file:work=small,size=4096,operations=200"]
)
FEW_CREATE, FEW_DELETE = select(["file:work=create,operations=50", "file:work=delete,operations=50"])
PAGES = "/sys/kernel/mm/transparent_hugepage/enabled"
PROGRAM = """
#include <stdio.h>
#include <unistd.h>
int main(int argc, char **argv)
{
	for (int i = 0; i < 1000; i++)
		getppid();
	printf("%s in %s\\n", argv[argc - 1], getcwd((char[99]){ 0 }, 99));
}
"""


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A static program of a user's, in a folder below /tmp."""
    source = tmp_path_factory.mktemp("user's own") / "program.c"
    source.write_text(PROGRAM)
    subprocess.run(["gcc", "-O2", "-static", "-o", source.with_suffix(""), source], check=True)
    return source.with_suffix("")


def command(*words: str) -> Benchmark:
    return Benchmark(name=words[0], program=words[0], operation="run", iterations=2, command=Command(words=words))


def mounted(kernel: Kernel, mount: Mount, *benchmarks: Benchmark, file: dict[str, str] | None = None) -> BootRequest:
    asked = lab.request(kernel, benchmarks)
    return msgspec.structs.replace(asked, variant=msgspec.structs.replace(asked.variant, mount=mount, file=file or {}))


def reports(*asked: BootRequest) -> list[BootReport]:
    box = lab.make_box()
    with ThreadPoolExecutor(lab.SIDE_BY_SIDE) as pool:
        return list(pool.map(lambda one: box.boot(one, Watch()), asked))


@pytest.fixture(scope="module")
def ext(newest: Kernel) -> list[BootReport]:
    """ext2 and ext3, the first with options and a setting that a command looks at."""
    looks = command("cat", "/proc/self/mounts", PAGES)
    ext2 = Mount(type="ext2", options="noatime,nosuid,errors=panic")
    return reports(
        mounted(newest, ext2, CREATE, DELETE, looks, SMALL, file={PAGES: "madvise"}),
        mounted(newest, Mount(type="ext3"), CREATE, DELETE, looks, SMALL),
    )


class Line(msgspec.Struct):
    operations: int
    elapsed_ns: int
    warmup: bool


def median(report: BootReport, place: int) -> float:
    lines = [msgspec.json.decode(line, type=Line) for line in report.programs[place][0].lines]
    return statistics.median(line.elapsed_ns / line.operations for line in lines if not line.warmup)


def functions(report: BootReport, place: int) -> dict[str, int]:
    return next(window.counts for window in report.windows if (window.benchmark, window.iteration) == (place, 0))


def test_a_journal_costs_what_its_functions_cost(ext: list[BootReport]) -> None:
    ext2, ext3 = ext
    assert (ext2.outcome, ext3.outcome) == (Outcome.DONE, Outcome.DONE)
    assert median(ext3, 1) > 1.2 * median(ext2, 1)
    journal = [sum(count for name, count in functions(one, 1).items() if "jbd2" in name) for one in ext]
    assert journal[0] == 0
    assert journal[1] > 0


def test_files_that_an_earlier_benchmark_deleted_do_not_slow_down_the_next(ext: list[BootReport]) -> None:
    assert 0.5 * median(ext[1], 3) < median(ext[0], 3) < median(ext[1], 3)


def test_the_file_system_is_mounted_with_its_options(ext: list[BootReport]) -> None:
    lines = [next(line for line in report.programs[2][0].lines if " /vol " in line) for report in ext]
    assert lines[0].startswith("/dev/ram0 /vol ext2 rw,nosuid,noatime")
    assert "errors=panic" in lines[0]
    assert lines[1].startswith("/dev/ram0 /vol ext3 rw,relatime")


def test_a_setting_that_is_a_file_is_made(ext: list[BootReport]) -> None:
    chosen = [report.programs[2][-1].lines[-1].split("[")[1].split("]")[0] for report in ext]
    assert chosen[0] == "madvise" != chosen[1]


def test_what_a_boot_carries_is_recorded(ext: list[BootReport]) -> None:
    assert ext[0].environment["file system"].startswith("ext2, 256 MiB by mkfs.ext2 1.")
    assert len(ext[0].environment["carried sha256"]) == 64


@pytest.fixture(scope="module")
def xfs(newest: Kernel, program: Path) -> list[BootReport]:
    """Two boots of one request."""
    if shutil.which("mkfs.xfs", path=filesystem.SYSTEM_PATH) is None:
        pytest.skip("mkfs.xfs is not here: apt-get install xfsprogs")
    asked = mounted(newest, Mount(type="xfs"), FEW_CREATE, command(str(program), "größer"), FEW_DELETE)
    return reports(asked, asked)


def test_a_file_system_by_module_has_its_functions_in_the_profile(xfs: list[BootReport]) -> None:
    assert functions(xfs[0], 0)["xfs_create [xfs]"] > 0
    assert sum(count for name, count in functions(xfs[0], 0).items() if name == "[unknown]") == 0


def test_two_boots_of_a_file_system_agree_to_the_last_digit(xfs: list[BootReport]) -> None:
    first, second = xfs
    assert first.outcome is Outcome.DONE
    assert (first.programs, first.windows) == (second.programs, second.windows)


def test_a_users_program_runs_in_the_guest_once_more_than_it_is_measured(xfs: list[BootReport]) -> None:
    runs = xfs[0].programs[1]
    assert [(run.lines, run.status) for run in runs] == [(("größer in /",), 0)] * 3


def test_each_measured_run_of_a_command_has_a_profile_of_the_whole(xfs: list[BootReport]) -> None:
    windows = [window for window in xfs[0].windows if window.benchmark == 1]
    assert [window.iteration for window in windows] == [0, 1]
    assert all(window.counts["__x64_sys_getppid"] > 1000 for window in windows)


@pytest.mark.parametrize(
    ("mount", "reason"),
    [
        (Mount(type="ext4", options="no_such_option"), "ext4: Invalid argument; the kernel says: ext4: Unknown parameter"),
        (Mount(type="ext4"), "ext4: was asked for as 'noatime' but reads back as ext4 'rw,relatime'"),
    ],
    ids=["not taken", "not kept"],
)
def test_an_option_that_does_not_stick_refuses_the_boot(
    mount: Mount, reason: str, newest: Kernel, monkeypatch: pytest.MonkeyPatch
) -> None:
    if not mount.options:
        monkeypatch.setattr(filesystem, "options", lambda text: filesystem.Options(0, "", ("noatime",)))
    (report,) = reports(mounted(newest, mount, FEW_CREATE))
    assert report.outcome is Outcome.REFUSED
    assert report.reason.startswith(reason)
    assert report.programs == ()


def test_a_module_that_the_kernel_has_not_is_refused_before_anything_boots(oldest: Kernel) -> None:
    with pytest.raises(MisuseError, match=r"has no module no_such_module; looked in .*/lib/modules|modules/linux-image"):
        modules.find(oldest, ("no_such_module",))


@pytest.mark.parametrize(
    ("mount", "message"),
    [
        (Mount(type="ext4", device="/dev/vda"), "/dev/vda of variant 'tested' is a device of this machine"),
        (Mount(type="ext4", size_mib=400), "a guest of 512 MiB has no room for a file system of 400 MiB"),
        (Mount(type="ext4", mkfs="-O no_such_feature"), "Invalid filesystem option set"),
    ],
)
def test_a_mount_that_cannot_be_is_refused_before_anything_boots(mount: Mount, message: str, newest: Kernel) -> None:
    asked = mounted(newest, mount, CREATE)
    with pytest.raises(MisuseError, match=message):
        lab.make_box().check(asked.variant, asked.kernel, asked.benchmarks)
