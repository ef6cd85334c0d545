"""From what is typed behind -k to a variant."""

from __future__ import annotations

import pytest

from kdelta.model.errors import MisuseError
from kdelta.model.variant import Variant
from kdelta.plan.words import variant, variants


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("apt:6.1", Variant(name="6.1", kernel="apt:6.1"), id="series"),
        pytest.param("running", Variant(name="running", kernel="running"), id="running"),
        pytest.param("old=apt:6.1", Variant(name="old", kernel="apt:6.1"), id="named"),
        pytest.param("old=running", Variant(name="old", kernel="running"), id="named running"),
        pytest.param("path:/boot/a=b", Variant(name="a=b", kernel="path:/boot/a=b"), id="equals sign in a path"),
        pytest.param("old=path:/boot/a=b", Variant(name="old", kernel="path:/boot/a=b"), id="named path with an equals sign"),
        pytest.param(
            "apt:6.1 mitigations=off quiet",
            Variant(name="6.1 mitigations=off quiet", kernel="apt:6.1", cmdline=("mitigations=off", "quiet")),
            id="words",
        ),
        pytest.param(
            "  off=apt:6.1   mitigations=off ",
            Variant(name="off", kernel="apt:6.1", cmdline=("mitigations=off",)),
            id="blanks do not count",
        ),
        pytest.param(
            "one=apt:6.1 sysctl.vm.overcommit_memory=1",
            Variant(name="one", kernel="apt:6.1", sysctl={"vm.overcommit_memory": "1"}),
            id="sysctl",
        ),
        pytest.param(
            "both=apt:6.1 sysctl.kernel.x=a=b nosmp sysctl.vm.y=",
            Variant(name="both", kernel="apt:6.1", cmdline=("nosmp",), sysctl={"kernel.x": "a=b", "vm.y": ""}),
            id="sysctls among words",
        ),
    ],
)
def test_a_text_is_a_variant(text: str, expected: Variant) -> None:
    assert variant(text) == expected


@pytest.mark.parametrize(
    ("kernel", "name"),
    [
        pytest.param("apt:6.12", "6.12", id="series"),
        pytest.param("apt:newest", "newest", id="newest"),
        pytest.param("apt:linux-image-6.1.0-57-cloud-amd64", "6.1.0-57-cloud-amd64", id="package"),
        pytest.param("path:/boot/vmlinuz-6.9.0-rc1", "6.9.0-rc1", id="path"),
        pytest.param("path:arch/x86/boot/bzImage", "bzImage", id="build"),
        pytest.param(
            "path:vmlinuz-6.9",
            "6.9",
            id="path without a folder",
        ),
        pytest.param("path:/boot/", "path:/boot/", id="path that ends in a slash"),
        pytest.param("apt:", "apt:", id="nothing behind the colon"),
    ],
)
def test_an_unnamed_variant_is_called_after_its_kernel(kernel: str, name: str) -> None:
    assert variant(kernel).name == name


def test_settings_are_part_of_the_name_of_an_unnamed_variant() -> None:
    assert variant("apt:6.1 nosmp sysctl.vm.y=1").name == "6.1 nosmp sysctl.vm.y=1"


@pytest.mark.parametrize("text", ["", "   "], ids=["empty", "blank"])
def test_an_empty_text_is_refused(text: str) -> None:
    with pytest.raises(MisuseError, match="-k is empty") as caught:
        variant(text)
    assert caught.value.advice == "write -k apt:6.12"


@pytest.mark.parametrize("word", ["sysctl.vm.y", "sysctl.=1", "sysctl."], ids=["no value", "no name", "neither"])
def test_a_sysctl_without_name_and_value_is_refused(word: str) -> None:
    with pytest.raises(MisuseError, match=f"'{word}' sets nothing") as caught:
        variant(f"apt:6.1 {word}")
    assert "sysctl.vm.overcommit_memory=1" in caught.value.advice


def test_variants_come_in_the_order_in_which_they_were_typed() -> None:
    assert [one.name for one in variants(["apt:6.12", "old=apt:6.1", "running"])] == ["6.12", "old", "running"]


def test_one_kernel_under_two_settings_is_two_variants() -> None:
    assert [one.name for one in variants(["apt:6.1", "apt:6.1 nosmp"])] == ["6.1", "6.1 nosmp"]


@pytest.mark.parametrize(
    "texts",
    [
        pytest.param(["apt:6.1", "apt:6.1"], id="same text"),
        pytest.param(["apt:6.1", "apt:6.12", "path:/boot/vmlinuz-6.1"], id="same short name"),
        pytest.param(["6.1=apt:6.12", "apt:6.1"], id="given name"),
    ],
)
def test_two_variants_of_one_name_are_refused(texts: list[str]) -> None:
    with pytest.raises(MisuseError, match=r"two variants are called '6\.1'") as caught:
        variants(texts)
    assert "-k 'other=" in caught.value.advice


def test_the_advice_for_two_of_one_name_can_be_typed() -> None:
    with pytest.raises(MisuseError) as caught:
        variants(["same=apt:6.1", "same=apt:6.12"])
    proposed = caught.value.advice.partition("'")[2].rstrip("'")
    assert variant(proposed) == Variant(name="other", kernel="apt:6.1")
