"""The call chains of several profiles, merged into one tree."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from kdelta.profile.chains import functions
from kdelta.report.named import check

ROOT = 0


@dataclass(frozen=True)
class CallTree:
    """Its nodes, each followed by all that it calls, in the order of their names; the first is the root, its own parent.

    `own` has for each profile the counts of each node without those of what it calls. The root is no function.
    """

    names: list[str]
    parents: list[int]
    own: tuple[list[float], ...]

    def inclusive(self, profile: int) -> list[float]:
        """Of each node its count in a profile with those of all that it calls."""
        found = list(self.own[profile])
        for node in range(len(found) - 1, ROOT, -1):
            found[self.parents[node]] += found[node]
        return found


def call_tree(profiles: Sequence[Mapping[str, float]]) -> CallTree:
    """The tree of all chains of `profiles`, the same for any order in which these have them."""
    for counts in profiles:
        check(counts)
    tree = CallTree([""], [ROOT], tuple([0.0] for _ in profiles))
    before: list[str] = []
    nodes = [ROOT]
    for path, chain in sorted((functions(chain), chain) for chain in set().union(*profiles)):
        del nodes[1 + _common(before, path) :]
        for name in path[len(nodes) - 1 :]:
            nodes.append(_added(tree, nodes[-1], name))
        for own, counts in zip(tree.own, profiles, strict=True):
            own[nodes[-1]] = counts.get(chain, 0.0)
        before = path
    return tree


def _common(one: Sequence[str], other: Sequence[str]) -> int:
    """How many of the outermost functions both have."""
    pairs = enumerate(zip(one, other, strict=False))
    return next((place for place, (a, b) in pairs if a != b), min(len(one), len(other)))


def _added(tree: CallTree, parent: int, name: str) -> int:
    tree.names.append(name)
    tree.parents.append(parent)
    for own in tree.own:
        own.append(0.0)
    return len(tree.names) - 1
