"""The kernel that runs is the one that was asked for, or the reason why not."""

from __future__ import annotations

import msgspec
import pytest

from kdelta.model.kernel import Kernel, RunningKernel, mismatch

ASKED = Kernel(
    spec="path:/boot/vmlinuz",
    image="/boot/vmlinuz",
    image_sha256="00" * 32,
    machine="x86_64",
    release="6.1.0-57-cloud-amd64",
    version="#1 SMP PREEMPT_DYNAMIC Debian 6.1.1-1",
    build_id="aa" * 20,
)
SAME = RunningKernel(ASKED.release, ASKED.version, ASKED.machine, ASKED.build_id)


def test_a_kernel_matches_itself() -> None:
    assert mismatch(ASKED, SAME) is None


@pytest.mark.parametrize(
    ("field", "found", "named"),
    [
        pytest.param("release", "6.12.0", "release '6.12.0' instead of '6.1.0-57-cloud-amd64'", id="release"),
        pytest.param("version", "#2 SMP", "version '#2 SMP' instead of '#1 SMP PREEMPT_DYNAMIC Debian 6.1.1-1'", id="version"),
        pytest.param("build_id", "bb" * 20, f"build id '{'bb' * 20}' instead of '{'aa' * 20}'", id="build id"),
    ],
)
def test_a_difference_is_told_with_both_values(field: str, found: str, named: str) -> None:
    assert mismatch(ASKED, msgspec.structs.replace(SAME, **{field: found})) == f"another kernel is running: {named}"


def test_a_rebuilt_kernel_of_the_same_release_is_another_kernel() -> None:
    rebuilt = msgspec.structs.replace(SAME, version="#2 SMP PREEMPT_DYNAMIC Debian 6.1.1-1")
    assert mismatch(ASKED, rebuilt) is not None


def test_all_differences_are_told_at_once() -> None:
    reason = mismatch(ASKED, RunningKernel("6.12.0", "#2 SMP", "x86_64", "bb" * 20))
    assert reason is not None
    assert [word in reason for word in ("release", "version", "build id")] == [True, True, True]


@pytest.mark.parametrize("missing", [None, ""], ids=["none", "empty"])
def test_a_build_id_that_the_guest_could_not_read_is_no_difference(missing: str | None) -> None:
    assert mismatch(ASKED, msgspec.structs.replace(SAME, build_id=missing)) is None


def test_a_build_id_that_the_image_does_not_tell_is_no_difference() -> None:
    assert mismatch(msgspec.structs.replace(ASKED, build_id=None), SAME) is None


def test_without_a_build_id_release_and_version_are_still_compared() -> None:
    assert mismatch(ASKED, RunningKernel("6.12.0", ASKED.version, "x86_64")) is not None
