"""All choices of one mode per module that are cheaper than every faster one, merged bottom up over the DAG (ours).

Two components in series take the sum of their latencies, two in parallel the longer one; both pay the sum of their
costs. So long as two are in series or in parallel, their choices merge and those that are slower than a cheaper one are
left out. Where none are, the graph has a component without parents and with several children: with each of its choices
in turn it falls into a copy for each child, which shares nothing with the others any more.

Latencies and costs are whole numbers (`in_whole_numbers`), so that every sum and every comparison is exact.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from euclio.problems.session.arrays import Ints
from formulations.effort import UndecidedError

MOST_PAIRS = 50_000_000
"""Pairs of choices that are looked at before a merge gives up: some seconds."""
PAIRS_AT_ONCE = 4_000_000
"""Pairs of choices that are sorted together, which takes 100 MB."""


class Choices(NamedTuple):
    """Choices of one mode for each module of a component, by rising latency and falling cost.

    Attributes:
        latency: length of the longest path through the component, shape (choices,).
        cost: cost of the component, shape (choices,).
        taken: number of the mode of each module of the session, -1: it is not in the component, shape (choices,
            modules).
    """

    latency: Ints
    cost: Ints
    taken: Ints

    def at(self, kept: Ints) -> Choices:
        """Some of the choices, by their numbers."""
        return Choices(self.latency[kept], self.cost[kept], self.taken[kept])


@dataclass(slots=True)
class Components:
    """A DAG of components.

    Attributes:
        choices: choices of each component.
        parents: its parents.
        children: its children.
    """

    choices: dict[int, Choices]
    parents: dict[int, set[int]]
    children: dict[int, set[int]]

    def remove(self, node: int) -> None:
        """Take a component out, and the edges that it has."""
        for parent in self.parents.pop(node):
            self.children[parent].discard(node)
        for child in self.children.pop(node):
            self.parents[child].discard(node)
        del self.choices[node]

    def add(self, choices: Choices, parents: set[int], children: set[int]) -> None:
        """Put a component in, with edges from its parents and to its children."""
        node = 1 + max(self.choices, default=-1)
        self.choices[node], self.parents[node], self.children[node] = choices, set(parents), set(children)
        for parent in parents:
            self.children[parent].add(node)
        for child in children:
            self.parents[child].add(node)

    def copy(self) -> Components:
        """A DAG of its own with the same components."""
        parents = {node: set(above) for node, above in self.parents.items()}
        return Components(dict(self.choices), parents, {node: set(below) for node, below in self.children.items()})


class Merge:
    """Merges choices within a longest latency, and gives up where they are too many.

    Attributes:
        longest: latency up to which choices are of interest.
        pairs: pairs of choices looked at so far.
    """

    def __init__(self, longest: int) -> None:
        self.longest, self.pairs = longest, 0

    def merged(self, dag: Components) -> Choices:
        """The choices of all components together; none where no choice is within the longest latency.

        Raises:
            UndecidedError: there are too many of them.
        """
        while (pair := _pair(dag)) is not None:
            kind, a, b = pair
            join = self._in_series if kind == "series" else self._in_parallel
            new, above, below = join(dag.choices[a], dag.choices[b]), dag.parents[a], dag.children[b]
            dag.remove(a)
            dag.remove(b)
            dag.add(new, above, below)
        if len(dag.choices) == 1:
            return next(iter(dag.choices.values()))
        return self._one_by_one(dag)

    def _one_by_one(self, dag: Components) -> Choices:
        """The choices of all components, from those with each choice of one component that has several children.

        There is one without parents: where each of them had one child only, the parents of a component that only they
        precede would be in parallel, or in series with it.
        """
        sources = [node for node, above in dag.parents.items() if not above and len(dag.children[node]) > 1]
        source = min(sources, key=lambda node: (dag.choices[node].latency.size, node))
        fixed, below = dag.choices[source], sorted(dag.children[source])
        found = []
        for i in range(fixed.latency.size):
            rest = dag.copy()
            rest.remove(source)
            one = fixed.at(np.array([i]))
            for child in below:
                rest.add(one, set(), {child})
                # Its cost is paid once, and who took which mode is written down once.
                one = Choices(one.latency, np.zeros_like(one.cost), np.full_like(one.taken, -1))
            found.append(self.merged(rest))
            self._count(found[-1].latency.size)
        return undominated(_together(found))

    def _in_series(self, a: Choices, b: Choices) -> Choices:
        """Every pair within the longest latency, but those that are slower than a cheaper one."""
        self._count(a.latency.size * b.latency.size)
        rows = max(1, PAIRS_AT_ONCE // max(1, b.latency.size))
        best = a.at(np.zeros(0, np.int64))
        for start in range(0, a.latency.size, rows):
            part = a.at(np.arange(start, min(start + rows, a.latency.size)))
            latency = np.add.outer(part.latency, b.latency).ravel()
            cost = np.add.outer(part.cost, b.cost).ravel()
            kept = np.flatnonzero(latency <= self.longest)
            kept = kept[_cheaper_than_faster(latency[kept], cost[kept])]
            i, j = np.divmod(kept, max(1, b.latency.size))
            new = Choices(latency[kept], cost[kept], np.maximum(part.taken[i], b.taken[j]))
            best = undominated(_together([best, new])) if start else new
        return best

    def _in_parallel(self, a: Choices, b: Choices) -> Choices:
        """At each latency of either the cheapest of both."""
        self._count(a.latency.size + b.latency.size)
        if not a.latency.size or not b.latency.size:
            return a.at(np.zeros(0, np.int64))
        latency = np.union1d(a.latency, b.latency)
        latency = latency[latency >= max(a.latency[0], b.latency[0])]
        i = np.searchsorted(a.latency, latency, "right") - 1
        j = np.searchsorted(b.latency, latency, "right") - 1
        return Choices(latency, a.cost[i] + b.cost[j], np.maximum(a.taken[i], b.taken[j]))

    def _count(self, pairs: int) -> None:
        self.pairs += pairs
        if self.pairs > MOST_PAIRS:
            raise UndecidedError


def components(edges: Sequence[tuple[int, int]], order: Sequence[int], rows: Sequence[Choices]) -> Components:
    """The DAG of single modules, without edges that longer paths imply.

    Args:
        edges: pairs of modules, parent first.
        order: modules, parents before children.
        rows: choices of each module.
    """
    children: dict[int, set[int]] = {m: {b for a, b in edges if a == m} for m in range(len(rows))}
    below: dict[int, set[int]] = {}
    for m in reversed(order):
        below[m] = set().union(children[m], *(below[child] for child in children[m]))
    for m in children:
        children[m] -= set().union(*(below[child] for child in children[m]))
    parents = {m: {a for a in children if m in children[a]} for m in children}
    return Components(dict(enumerate(rows)), parents, children)


def _pair(dag: Components) -> tuple[str, int, int] | None:
    """Two components in parallel, with the same parents and children, or in series; None: there are none."""
    alike: dict[tuple[frozenset[int], frozenset[int]], int] = {}
    for node in sorted(dag.choices):
        key = frozenset(dag.parents[node]), frozenset(dag.children[node])
        if key in alike:
            return "parallel", alike[key], node
        alike[key] = node
    for node in sorted(dag.choices):
        if len(dag.children[node]) == 1:
            (child,) = dag.children[node]
            if len(dag.parents[child]) == 1:
                return "series", node, child
    return None


def _cheaper_than_faster(latency: Ints, cost: Ints) -> Ints:
    """Numbers of the choices that cost less than all that are as fast, by rising latency."""
    order = np.lexsort((cost, latency))
    least = np.minimum.accumulate(cost[order])
    kept: Ints = order[np.flatnonzero(np.diff(least, prepend=np.iinfo(np.int64).max))]
    return kept


def undominated(choices: Choices) -> Choices:
    """Those that cost less than all that are as fast, by rising latency."""
    return choices.at(_cheaper_than_faster(choices.latency, choices.cost))


def _together(parts: Sequence[Choices]) -> Choices:
    return Choices(*(np.concatenate(rows) for rows in zip(*parts, strict=True)))
