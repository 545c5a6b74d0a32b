"""Series-parallel reduction of a plain session's DAG: the order in which modules merge into one."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from euclio.problems.session.arrays import Ints, SessionArrays

SERIES, PARALLEL = 0, 1


class Reduction(NamedTuple):
    """Merges that shrink a DAG of modules.

    Attributes:
        steps: rows (kind, a, b): components a and b merge into a new component; components 0 to modules − 1 are
            the modules, the i-th step makes component modules + i. Shape (steps, 3).
        left: number of components that are left; the DAG is series-parallel if it is one.
    """

    steps: Ints
    left: tuple[int, ...]


def reduce_series_parallel(s: SessionArrays) -> Reduction:
    """Merge pairs in series (one child, one parent) or in parallel (same parents, same children) while possible."""
    modules = s.rate.size
    parents = {m: frozenset(s.parent[s.parent_first[m] : s.parent_first[m + 1]].tolist()) for m in range(modules)}
    children = {m: frozenset(s.child[s.child_first[m] : s.child_first[m + 1]].tolist()) for m in range(modules)}
    steps: list[tuple[int, int, int]] = []
    while (step := _next_step(parents, children)) is not None:
        _, a, b = step
        new = modules + len(steps)
        steps.append(step)
        above, below = parents[a], children[b]
        for node in (a, b):
            del parents[node], children[node]
        parents[new], children[new] = above, below
        for p in above:
            children[p] = (children[p] - {a, b}) | {new}
        for c in below:
            parents[c] = (parents[c] - {a, b}) | {new}
    return Reduction(np.array(steps, dtype=np.int64).reshape(-1, 3), tuple(sorted(parents)))


def _next_step(parents: dict[int, frozenset[int]], children: dict[int, frozenset[int]]) -> tuple[int, int, int] | None:
    seen: dict[tuple[frozenset[int], frozenset[int]], int] = {}
    for node in sorted(parents):
        key = (parents[node], children[node])
        if key in seen:
            return PARALLEL, seen[key], node
        seen[key] = node
    for node in sorted(parents):
        if len(children[node]) == 1:
            (child,) = children[node]
            if len(parents[child]) == 1:
                return SERIES, node, child
    return None
