"""The rules that every plan keeps."""

from __future__ import annotations

import msgspec
import pytest

from kdelta.model.errors import MisuseError
from kdelta.model.plan import BoxSpec, Plan
from kdelta.model.variant import Variant
from kdelta.plan.check import check
from kdelta.workload.select import select


def variants(*names: str) -> tuple[Variant, ...]:
    return tuple(Variant(name=name, kernel="apt:6.1") for name in names)


PLAN = Plan(
    baseline="old",
    variants=variants("old", "new", "newer"),
    boxes=(BoxSpec(name="exact"),),
    benchmarks=select(["null"]),
)


def with_(**fields: object) -> Plan:
    return msgspec.structs.replace(PLAN, **fields)


def test_a_plan_that_keeps_the_rules_is_returned_as_it_is() -> None:
    assert check(PLAN) == PLAN


def test_the_baseline_is_put_first_and_the_others_keep_their_order() -> None:
    assert [one.name for one in check(with_(baseline="newer")).variants] == ["newer", "old", "new"]


@pytest.mark.parametrize(
    "fields",
    [
        pytest.param({"seeds": 1}, id="one seed"),
        pytest.param({"seeds": 1000}, id="most seeds"),
        pytest.param({"boxes": (BoxSpec(name="b", cpus=1, memory=128),)}, id="smallest box"),
        pytest.param({"boxes": (BoxSpec(name="b", cpus=64, memory=1 << 20),)}, id="largest box"),
        pytest.param({"boxes": (BoxSpec(name="a"), BoxSpec(name="b"))}, id="two boxes"),
        pytest.param({"baseline": "x" * 60, "variants": variants("x" * 60)}, id="longest name"),
        pytest.param({"boxes": (BoxSpec(name="old"),)}, id="box called like a variant"),
    ],
)
def test_a_plan_at_the_bounds_keeps_the_rules(fields: dict[str, object]) -> None:
    assert check(with_(**fields)) == with_(**fields)


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        pytest.param({"variants": ()}, "the plan has no variant", id="no variant"),
        pytest.param({"baseline": "olde"}, "there is no variant 'olde' for the baseline", id="unknown baseline"),
        pytest.param({"variants": variants("old", "old")}, "two of the kind 'variant' are called 'old'", id="variants of one name"),
        pytest.param({"variants": variants("old", "")}, "'' is no name for a variant", id="empty name"),
        pytest.param({"variants": variants("old", " ")}, "' ' is no name for a variant", id="blank name"),
        pytest.param({"variants": variants("old", "a\nb")}, "'a\nb' is no name for a variant", id="line break in a name"),
        pytest.param({"variants": variants("old", "\x1b[31m")}, "is no name for a variant", id="escape in a name"),
        pytest.param({"variants": variants("old", "x" * 61)}, f"'{'x' * 60}' is no name for a variant", id="long name"),
        pytest.param({"boxes": (BoxSpec(name="b"),) * 2}, "two of the kind 'box' are called 'b'", id="boxes of one name"),
        pytest.param({"boxes": (BoxSpec(name=""),)}, "'' is no name for a box", id="box without a name"),
        pytest.param({"boxes": (BoxSpec(name="b", kind="ssh"),)}, "there is no kind of box 'ssh'", id="unknown kind of box"),
        pytest.param({"boxes": (BoxSpec(name="b", cpus=0),)}, "cpus of box 'b' is 0", id="no cpus"),
        pytest.param({"boxes": (BoxSpec(name="b", cpus=65),)}, "cpus of box 'b' is 65", id="too many cpus"),
        pytest.param({"boxes": (BoxSpec(name="b", memory=127),)}, "memory of box 'b' is 127", id="too little memory"),
        pytest.param({"boxes": (BoxSpec(name="b", memory=1 + (1 << 20)),)}, "memory of box 'b' is 1048577", id="too much memory"),
        pytest.param({"boxes": (BoxSpec(name="a"), BoxSpec(name="b", cpus=0))}, "cpus of box 'b' is 0", id="second box"),
        pytest.param({"seeds": 0}, "seeds is 0", id="no seeds"),
        pytest.param({"seeds": -1}, "seeds is -1", id="negative seeds"),
        pytest.param({"seeds": 1001}, "seeds is 1001", id="too many seeds"),
    ],
)
def test_a_plan_that_breaks_a_rule_is_refused_with_a_remedy(fields: dict[str, object], message: str) -> None:
    with pytest.raises(MisuseError) as caught:
        check(with_(**fields))
    assert message in str(caught.value)
    assert caught.value.advice


def test_the_advice_gives_the_bounds() -> None:
    with pytest.raises(MisuseError) as caught:
        check(with_(seeds=0))
    assert caught.value.advice == "a whole number from 1 to 1000 is needed"


@pytest.mark.parametrize(
    "settings", [{"sysctl": {"vm.overcommit_memory": "1\t2"}}, {"sysctl": {"a\nb": "1"}}, {"cmdline": ("quiet\nloud",)}]
)
def test_a_word_that_would_break_the_guests_job_is_refused(settings: dict[str, object]) -> None:
    odd = msgspec.structs.replace(PLAN.variants[1], **settings)
    with pytest.raises(MisuseError, match="of variant 'new' holds a tab, a line break"):
        check(with_(variants=(PLAN.variants[0], odd)))
