"""Functions that moved: how they are found, what is no move, and what folding keeps."""

from __future__ import annotations

import math
from collections.abc import Mapping

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.unit.golden import check

from kdelta.model.profile import TICKS
from kdelta.profile.change import Change, Difference
from kdelta.profile.likeness import Likeness
from kdelta.profile.migration import find, fold
from kdelta.profile.moves import Kind, Move
from kdelta.profile.suspects import MOST, suspects
from kdelta.report.migration_text import render

# Instructions per exec of Linux 6.1 and 6.12, the functions that are gone or new and cost most, and some that stayed.
GONE = {
    "__mod_lruvec_page_state": 16820, "next_uptodate_page": 14691, "do_set_pte": 10212, "page_remove_rmap": 8522,
    "release_pages": 7728, "page_add_file_rmap": 7518, "kmem_cache_alloc": 7411, "mtree_range_walk": 6870,
    "_compound_head": 5779, "__alloc_pages": 3896, "cache_from_obj": 3307, "__list_del_entry_valid": 2570,
    "unlock_page_memcg": 2569, "kmem_cache_alloc_bulk": 2115, "free_pcp_prepare": 1945, "PageHuge": 1791,
    "wp_page_copy": 1617, "exit_to_user_mode_prepare": 1569, "policy_node": 742,
}  # fmt: skip
NEW = {
    "next_uptodate_folio": 21969, "__lruvec_stat_mod_folio": 16851, "set_pte_range": 13681, "mas_next_slot": 8560,
    "kmem_cache_alloc_noprof": 7749, "__pte_offset_map": 6945, "folios_put_refs": 6306, "folio_remove_rmap_ptes": 5788,
    "folio_add_file_rmap_ptes": 5318, "__pte_offset_map_lock": 4345, "__alloc_pages_noprof": 4237, "mas_wr_store_type": 3031,
    "__list_del_entry_valid_or_report": 2184, "lock_vma_under_rcu": 1811, "cond_accept_memory": 1135, "static_key_count": 847,
}  # fmt: skip
STAYED = {
    "clear_page_rep": (20187, 22765),
    "unmap_page_range": (33018, 36716),
    "filemap_map_pages": (19047, 13459),
    "[user]": (9000, 9000),
}

# Two functions were renamed, one called by the other; two became one; fork() took one in, and open() gave a part of itself a name.
OLD_CHAINS = {
    "sys;open;kmem_cache_alloc": 300, "sys;open;kmem_cache_alloc;memset": 580, "sys;open;kmem_cache_alloc;memcg_hook": 50,
    "sys;open": 400, "sys;open;dentry_get": 90, "sys;open;audit": 60,
    "sys;fork": 1300, "sys;fork;dup_mmap": 1060, "sys;fork;dup_mmap;vm_area_dup": 900, "sys;fork;dup_mmap;audit": 40,
    "sys;fork;kmem_cache_alloc": 30, "sys;fork;copy_files;__fget_light": 680, "sys;fork;copy_files;__fdget": 60,
    "sys;fork;copy_files": 1110, "sys;select;__fget_light": 680, "sys;select;__fdget": 60, "sys;select": 1110,
}  # fmt: skip
NEW_CHAINS = {
    "sys;open;kmem_cache_alloc_noprof": 250, "sys;open;kmem_cache_alloc_noprof;memset_orig": 840,
    "sys;open": 180, "sys;open;open_flags;dentry_get": 95, "sys;open;open_flags": 210, "sys;open;audit": 60,
    "sys;fork": 2580, "sys;fork;vm_area_dup": 880, "sys;fork;audit": 40, "sys;fork;kmem_cache_alloc_noprof": 35,
    "sys;fork;copy_files;fdget": 580, "sys;fork;copy_files": 1110, "sys;select;fdget": 580, "sys;select": 1110,
}  # fmt: skip


def difference(old: Mapping[str, float], new: Mapping[str, float]) -> Difference:
    changes = [Change(name=name, old=old.get(name), new=new.get(name)) for name in old.keys() | new.keys()]
    return Difference(old="6.1", new="6.12", changes=tuple(sorted(changes, key=lambda change: (-change.delta, change.name))))


def flat(stacks: Mapping[str, int]) -> dict[str, float]:
    found: dict[str, float] = {}
    for chain, count in stacks.items():
        found[chain.split(";")[-1]] = found.get(chain.split(";")[-1], 0.0) + count
    return found


def of_chains(old: Mapping[str, int], new: Mapping[str, int]) -> dict[str, Kind]:
    return {move.name: move.kind for move in find(difference(flat(old), flat(new)), old, new)}


def executed() -> Difference:
    old = GONE | {name: counts[0] for name, counts in STAYED.items()}
    return difference(old, NEW | {name: counts[1] for name, counts in STAYED.items()})


def figures(made: Difference) -> list[tuple[str, float | None, float | None]]:
    return [(change.name, change.old, change.new) for change in made.changes]


# ---- renamed functions ----


def test_functions_renamed_between_two_kernels_are_found_by_their_names() -> None:
    assert {move.name for move in find(executed(), None, None)} == {
        "next_uptodate_page -> next_uptodate_folio",
        "__mod_lruvec_page_state -> __lruvec_stat_mod_folio",
        "page_remove_rmap -> folio_remove_rmap_ptes",
        "page_add_file_rmap -> folio_add_file_rmap_ptes",
        "release_pages -> folios_put_refs",
        "kmem_cache_alloc -> kmem_cache_alloc_noprof",
        "__alloc_pages -> __alloc_pages_noprof",
        "__list_del_entry_valid -> __list_del_entry_valid_or_report",
    }


def test_the_largest_move_comes_first_and_says_what_is_left_of_it() -> None:
    first = find(executed(), None, None)[0]
    assert (first.says(), first.moved) == ("next_uptodate_page -> next_uptodate_folio, +49.5% after folding", 21969)
    assert first.evidence.conserved == pytest.approx(14691 / 21969)


@pytest.mark.parametrize(
    ("old", "new", "least", "most"),
    [
        ("next_uptodate_page", "next_uptodate_folio", 1.0, 1.0),
        ("__mod_lruvec_page_state", "__lruvec_stat_mod_folio", 1.0, 1.0),
        ("memset_erms", "memset_orig", 0.9, 0.95),
        ("kmem_cache_alloc", "kmem_cache_alloc_noprof", 0.9, 0.99),
        ("__x64_sys_open", "__se_sys_open", 0.9, 0.95),
        ("alloc_pages_node2", "alloc_pages_node_2", 0.0, 0.9),
        ("kmalloc_caches_1", "kmalloc_caches_2", 0.9, 0.99),
        ("page_remove_rmap", "folio_remove_rmap_pmd", 0.7, 0.9),
        ("enqueue_entity", "__enqueue_entity", 0.6, 0.6),
        ("do_wait", "wait", 0.6, 0.6),
        ("mas_wr_node_store", "mas_wr_store_type", 0.3, 0.65),
        ("kfree", "kfree_skb_reason", 0.0, 0.7),
        ("schedule", "memset", 0.0, 0.0),
        ("map [ext4]", "map [ext2]", 0.0, 0.0),
        ("map_orig [ext4]", "map", 0.0, 0.0),
        ("map_page [ext4]", "map_page", 1.0, 1.0),
        ("map_page.isra.0 [ext4]", "map_page.part.1 [ext4]", 1.0, 1.0),
        ("f (libc.so.6)", "f_orig (libc.so.6)", 0.9, 0.95),
    ],
)
def test_names_are_as_alike_as_their_words(old: str, new: str, least: float, most: float) -> None:
    others = ["page_add", "folio_put", "mas_find", "sys_read", "wait_on_page", "store_page", "remove_wait", "__wait"]
    assert least <= Likeness([old, new, *others])(old, new) <= most


@pytest.mark.parametrize(
    ("old", "new"),
    [
        pytest.param({"free_pages": 100}, {"kfree_skb": 100}, id="unlike names"),
        pytest.param({"enqueue_entity": 122}, {"__enqueue_entity": 80}, id="a function and its worker"),
        pytest.param({"page_remove_rmap": 1000}, {"folio_remove_rmap_ptes": 200}, id="a fifth of it"),
        pytest.param({"rb_erase": 100}, {"__rb_erase_color": 40}, id="a part of it"),
        pytest.param({"memset [ext4]": 100}, {"memset_orig [xfs]": 100}, id="of two modules"),
        pytest.param({"memset (libc.so.6)": 100}, {"memset_orig (libc.so.6)": 100}, id="of a library"),
        pytest.param({"memset": 100}, {"memset": 130, "memset_orig": 70}, id="still there"),
        pytest.param({"memset": 100, "rest": 1e6}, {"memset_orig": 100, "rest": 1e6}, id="a ten thousandth of all"),
    ],
)
def test_without_good_evidence_there_is_no_move(old: dict[str, float], new: dict[str, float]) -> None:
    assert find(difference(old | {"stays": 500}, new | {"stays": 500}), None, None) == ()


def test_a_wrapper_may_be_left_of_a_function_that_moved() -> None:
    (move,) = find(difference({"memset": 586}, {"memset": 6, "memset_orig": 840}), None, None)
    assert (move.kind, move.whole.old, move.whole.new) == (Kind.RENAMED, 586, 846)


def test_the_better_of_two_names_is_taken() -> None:
    old, new = (
        {"alloc_pages": 90, "__alloc_pages": 170},
        {"alloc_pages_noprof": 80, "__alloc_pages_noprof": 120, "alloc_pages_mpol": 90},
    )
    names = {move.name for move in find(difference(old, new), None, None)}
    assert names == {"alloc_pages -> alloc_pages_noprof", "__alloc_pages -> __alloc_pages_noprof"}


def test_changes_within_noise_are_no_moves() -> None:
    known = [
        Change(name="memset", old=100, new=None, q=0.001, real=True),
        Change(name="memset_orig", old=None, new=100, q=0.2, real=False),
    ]
    certain = [known[0], msgspec.structs.replace(known[1], q=0.001, real=True)]
    for changes, found in ((known, 0), (certain, 1)):
        assert len(find(Difference(old="a", new="b", changes=tuple(changes)), None, None)) == found


def test_a_kernel_against_itself_has_no_moves() -> None:
    assert find(difference(GONE, GONE), None, None) == ()
    assert find(difference(flat(OLD_CHAINS), flat(OLD_CHAINS)), OLD_CHAINS, OLD_CHAINS) == ()


def test_functions_that_went_and_came_without_any_relation_are_no_moves() -> None:
    gone = {
        name: GONE[name]
        for name in ("cache_from_obj", "PageHuge", "_compound_head", "policy_node", "wp_page_copy", "mtree_range_walk")
    }
    new = {
        name: NEW[name]
        for name in ("__pte_offset_map", "lock_vma_under_rcu", "cond_accept_memory", "mas_next_slot", "static_key_count")
    }
    assert find(difference(gone, new), None, None) == ()


def test_a_split_without_chains_needs_like_names_and_an_equal_sum() -> None:
    old, new = {"page_remove_rmap": 1000.0}, {"folio_remove_rmap_ptes": 620.0, "folio_remove_rmap_pmd": 370.0}
    (move,) = find(difference(old, new), None, None)
    assert (move.kind, move.name) == (Kind.SPLIT, "page_remove_rmap -> folio_remove_rmap_ptes + folio_remove_rmap_pmd")
    (move,) = find(difference(old, new | {"folio_remove_rmap_pmd": 900.0}), None, None)
    assert move.kind is Kind.RENAMED


# ---- what call chains add ----


def test_chains_show_what_was_renamed_merged_inlined_and_put_out_of_line() -> None:
    assert of_chains(OLD_CHAINS, NEW_CHAINS) == {
        "kmem_cache_alloc -> kmem_cache_alloc_noprof": Kind.RENAMED,
        "memset -> memset_orig": Kind.RENAMED,
        "__fget_light + __fdget -> fdget": Kind.MERGED,
        "fork + dup_mmap -> fork": Kind.INLINED,
        "open -> open + open_flags": Kind.OUT_OF_LINE,
    }


def test_without_chains_less_is_found() -> None:
    moves = find(difference(flat(OLD_CHAINS), flat(NEW_CHAINS)), None, None)
    assert {move.name for move in moves} == {"kmem_cache_alloc -> kmem_cache_alloc_noprof", "memset -> memset_orig"}


def test_a_like_name_with_other_callers_is_no_move() -> None:
    stays = {"sys;munmap": 9, "sys;open": 9}
    old = {**stays, "sys;munmap;free_page_list": 50}
    assert of_chains(old, {**stays, "sys;munmap;free_page_list_node": 50}) != {}
    assert of_chains(old, {**stays, "sys;open;free_page_list_node": 50}) == {}


def test_with_the_same_callers_a_worker_is_what_its_function_became() -> None:
    old, new = {"sys": 9, "sys;mmap": 9, "sys;mmap;mmap_region": 829}, {"sys": 9, "sys;mmap": 9, "sys;mmap;__mmap_region": 1240}
    assert of_chains(old, new) == {"mmap_region -> __mmap_region": Kind.RENAMED}
    assert find(difference(flat(old), flat(new)), None, None) == ()


def test_a_caller_that_was_renamed_is_the_same_caller() -> None:
    """Whoever calls that caller: what list_clear() did for open(), list_clear_node() does for fork()."""
    stays = {"sys;open": 90, "sys;fork": 90}
    old = {**stays, "sys;open;alloc_file": 300, "sys;open;alloc_file;list_clear": 100}
    new = {**stays, "sys;fork;alloc_file_noprof": 300, "sys;fork;alloc_file_noprof;list_clear_node": 90}
    assert of_chains(old, new).keys() == {"alloc_file -> alloc_file_noprof", "list_clear -> list_clear_node"}
    apart = {**stays, "sys;fork;alloc_file_noprof": 300, "sys;fork;list_clear_node": 90}
    assert of_chains(old, apart).keys() == {"alloc_file -> alloc_file_noprof"}


def test_clones_have_the_neighbours_of_their_function() -> None:
    old = {chain.replace("kmem_cache_alloc", "kmem_cache_alloc.constprop.0"): count for chain, count in OLD_CHAINS.items()}
    new = {chain.replace("sys;open", "sys;open;open.part.0"): count for chain, count in NEW_CHAINS.items()}
    made = difference(flat(OLD_CHAINS), flat(NEW_CHAINS))
    assert find(made, old, new) == find(made, OLD_CHAINS, NEW_CHAINS)


def test_a_leaf_function_went_into_a_caller_of_like_name_that_gained_as_much() -> None:
    stays = {"sys": 9, "sys;rb_find": 20, "sys;mas_find": 20}
    old, new = {"sys;xas_load": 560, "sys;xas_load;xas_descend": 600, **stays}, {"sys;xas_load": 1120, **stays}
    assert of_chains(old, new) == {"xas_load + xas_descend -> xas_load": Kind.INLINED}
    assert of_chains({chain.replace("xas_descend", "tree_step"): count for chain, count in old.items()}, new) == {}
    assert of_chains(old, {"sys;xas_load": 900, **stays}) == {}


def test_a_function_whose_callees_did_not_come_along_was_not_inlined() -> None:
    stays = {"sys;fork;vm_area_dup": 400, "sys;fork;audit": 9, "sys;exit": 5}
    old = {**stays, "sys;fork": 1000, "sys;fork;dup_mmap": 500, "sys;fork;dup_mmap;vm_area_dup": 300}
    assert of_chains(old, {**stays, "sys;fork": 1500, "sys;fork;vm_area_dup": 700}) != {}
    assert of_chains(old, {**stays, "sys;fork": 1500, "sys;exit;vm_area_dup": 300}) == {}


def test_of_several_functions_gone_below_one_caller_none_is_picked() -> None:
    old = {"sys;fork": 1000, "sys;fork;dup_mmap": 500, "sys;fork;dup_mmap;audit": 150}
    new = {"sys;fork": 1500, "sys;fork;audit": 300}
    assert of_chains(old | {"sys;fork;audit": 150}, new) != {}
    assert of_chains(old | {"sys;fork;dup_files": 450, "sys;fork;dup_files;audit": 150}, new) == {}


def test_the_order_of_the_input_does_not_matter() -> None:
    made = difference(flat(OLD_CHAINS), flat(NEW_CHAINS))
    turned = msgspec.structs.replace(made, changes=made.changes[::-1])
    backwards = (dict(reversed(stacks.items())) for stacks in (OLD_CHAINS, NEW_CHAINS))
    assert find(made, OLD_CHAINS, NEW_CHAINS) == find(turned, *backwards)


def test_of_any_number_of_functions_the_largest_are_looked_at() -> None:
    old, new = ({f"{side}_{number}": 1000.0 + number for number in range(2 * MOST)} for side in ("gone", "come"))
    found = suspects(difference(old, new), None, None)
    assert (len(found.gone), len(found.come), found.gone[0]) == (MOST, MOST, f"gone_{2 * MOST - 1}")


# ---- folding ----


def test_folding_puts_one_change_in_the_place_of_the_parts() -> None:
    made = executed()
    moves = find(made, None, None)
    folded = fold(made, moves)
    by_name = {change.name: change for change in folded.changes}
    change = by_name["kmem_cache_alloc -> kmem_cache_alloc_noprof"]
    assert (change.old, change.new) == (7411, 7749)
    assert not {"kmem_cache_alloc", "kmem_cache_alloc_noprof"} & by_name.keys()
    assert len(folded.changes) == len(made.changes) - len(moves)
    assert list(folded.changes) == sorted(folded.changes, key=lambda one: (-one.delta, one.name))
    assert (folded.total.old, folded.total.new) == (made.total.old, made.total.new)


def test_the_interval_of_a_fold_is_the_sum_of_those_of_its_parts() -> None:
    made = Difference(
        old="a",
        new="b",
        changes=(
            Change(name="memset", old=100, new=None, low=-110, high=-90, q=0.001, real=True),
            Change(name="memset_orig", old=None, new=130, low=115, high=150, q=0.001, real=True),
        ),
    )
    (change,) = fold(made, find(made, None, None)).changes
    assert (change.low, change.delta, change.high) == (5, 30, 60)
    assert change.real
    assert math.isnan(change.q)


def test_a_fold_whose_interval_holds_0_is_not_real_and_one_without_interval_neither() -> None:
    for ends in ((-20.0, 20.0), (math.nan, math.nan)):
        parts = [
            Change(name="memset", old=100, new=None, low=-100 + ends[0], high=-100 + ends[1]),
            Change(name="memset_orig", old=None, new=110, low=110 + ends[0], high=110 + ends[1]),
        ]
        made = Difference(old="a", new="b", changes=tuple(parts))
        (change,) = fold(made, find(made, None, None)).changes
        assert not change.real


def test_what_is_not_wholly_there_is_not_folded() -> None:
    made = executed()
    moves = find(made, None, None)
    once = fold(made, moves)
    assert figures(fold(once, moves)) == figures(once)
    assert figures(fold(made, [*moves, *moves])) == figures(once)
    assert figures(fold(made, [])) == figures(made)


WORD = st.sampled_from(["page", "folio", "alloc", "free", "noprof", "lru", "add", "do", "get", "put", "rmap", "7"])
NAME = st.lists(WORD, min_size=1, max_size=4).map("_".join) | st.sampled_from(
    ["__page", "f [ext4]", "f", "g (a.out)", "[user]", "", "_"]
)
STACKS = st.dictionaries(st.lists(NAME, min_size=1, max_size=5).map(";".join), st.integers(0, 2**40), max_size=15)


@given(STACKS, STACKS, st.booleans())
def test_any_two_profiles_have_moves_without_a_common_part_and_folding_keeps_all_sums(
    old: dict[str, int], new: dict[str, int], with_chains: bool
) -> None:
    made = difference(flat(old), flat(new))
    moves = find(made, *((old, new) if with_chains else (None, None)))
    names = [part.name for move in moves for part in move.parts]
    assert len(names) == len(set(names))
    assert all({part.name for part in move.parts} == {*move.old, *move.new} for move in moves)
    folded = fold(made, moves)
    assert (folded.total.old, folded.total.new) == (made.total.old, made.total.new)
    assert len(folded.changes) == len(made.changes) - len(names) + len(moves)
    assert render(moves, made).isascii()


# ---- the report ----


def test_the_report_has_a_line_for_each_move() -> None:
    made = difference(flat(OLD_CHAINS), flat(NEW_CHAINS))
    check("migration", render(find(made, OLD_CHAINS, NEW_CHAINS), made))


def test_the_report_without_chains_has_nothing_of_neighbours() -> None:
    made = executed()
    check("migration_flat", render(find(made, None, None), made))


def test_a_report_of_no_moves_is_empty() -> None:
    assert render((), executed()) == ""


def test_ticks_are_counted_per_as_much_work_as_in_the_difference_above() -> None:
    made = difference({"kmem_cache_alloc": 0.004, "f": 1.0}, {"kmem_cache_alloc_noprof": 0.005, "f": 1.0})
    made = msgspec.structs.replace(made, unit=TICKS)
    head, _, row, *_ = render(find(made, None, None), made).splitlines()
    assert head == "Functions that moved, each line folded into one, ticks per 1000 operations:"
    assert row.split()[:2] == ["4.0", "5.0"]


def test_a_long_or_odd_name_is_wrapped_and_escaped() -> None:
    name = "a_very_long_name_of_a_function_that_does_not_fit_into_the_line_of_a_mail"
    old, new = {f"{name}_p\u00e4ge\n": 10.0}, {f"{name}_p\u00e4ge\n_noprof": 11.0}
    made = difference(old, new)
    text = render(find(made, None, None), made)
    assert "p\\xe4ge\\n" in text
    assert isinstance(find(made, None, None)[0], Move)
