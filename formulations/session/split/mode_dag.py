"""A bare DAG of modules with modes, prepared for the search over modes (ours).

Edges that longer paths imply are left out. Of each module's modes only those stay that are faster or cheaper than all
others, and that fit within the SLO next to the fastest modes of the rest.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from euclio.core.errors import InputError
from euclio.core.tolerances import TIE
from euclio.problems.session.arrays import UNLIMITED, Floats, Ints, SessionArrays
from euclio.problems.session.latency.dispatch import path_times
from euclio.problems.session.policies.kernels import LEFT
from formulations.session.split.modes import Modes, new_modes

Edges = Sequence[tuple[int, int]]


class ModeDag(NamedTuple):
    """A splitting problem as arrays.

    Attributes:
        arrays: the DAG and the SLO; its other fields have no meaning.
        edges: edges that no longer path implies, parent first.
        modes: the modes that are left, by rising latency and falling cost.
        number: number of each of these modes among the given modes, shape (modules, capacity).
    """

    arrays: SessionArrays
    edges: tuple[tuple[int, int], ...]
    modes: Modes
    number: Ints


def mode_dag(
    edges: Edges, latencies: Sequence[Sequence[float]], costs: Sequence[Sequence[float]], slo: float
) -> ModeDag:
    """Prepare a splitting problem.

    Args:
        edges: pairs of modules, parent first.
        latencies: latency of each module's modes in seconds, in any order.
        costs: cost per hour of each module's modes, in the order of the latencies.
        slo: end-to-end latency objective in seconds.

    Returns:
        The problem; a module without modes has none that is fast enough.

    Raises:
        InputError: the edges have a cycle or name no module, or a module's latencies and costs differ in number.
    """
    size = len(latencies)
    if len(costs) != size or any(len(a) != len(b) for a, b in zip(latencies, costs, strict=True)):
        raise InputError("every module needs as many costs as latencies", field="costs")
    children = _children(edges, size)
    order = _order(children)
    kept = _without_implied(children, order)
    arrays = _arrays(kept, order, slo)
    numbers = [_undominated(a, b) for a, b in zip(latencies, costs, strict=True)]
    numbers = _within_slo(arrays, numbers, latencies)
    capacity = max((len(row) for row in numbers), default=0)
    modes, number = new_modes(size, capacity), np.zeros((size, capacity), np.int64)
    for m, row in enumerate(numbers):
        modes.size[m] = len(row)
        number[m, : len(row)] = row
        modes.latency[m, : len(row)] = [latencies[m][i] for i in row]
        modes.cost[m, : len(row)] = [costs[m][i] for i in row]
    return ModeDag(arrays, tuple((p, c) for p in range(size) for c in kept[p]), modes, number)


def _children(edges: Edges, size: int) -> list[list[int]]:
    """Children of each module, each once, in ascending order."""
    children: list[set[int]] = [set() for _ in range(size)]
    for parent, child in edges:
        if not (0 <= parent < size and 0 <= child < size):
            raise InputError(f"edge ({parent}, {child}) names a module outside 0 to {size - 1}", field="edges")
        children[parent].add(child)
    return [sorted(row) for row in children]


def _order(children: list[list[int]]) -> list[int]:
    """All modules, parents before children."""
    waiting = [0] * len(children)
    for row in children:
        for child in row:
            waiting[child] += 1
    order = [m for m, count in enumerate(waiting) if count == 0]
    # The list grows during the loop: a module is added once all its parents are in it.
    for m in order:
        for child in children[m]:
            waiting[child] -= 1
            if waiting[child] == 0:
                order.append(child)
    if len(order) < len(children):
        raise InputError("the edges have a cycle; remove one of its edges", field="edges")
    return order


def _without_implied(children: list[list[int]], order: list[int]) -> list[list[int]]:
    """Children of each module without those that a path through another child leads to."""
    below: list[set[int]] = [set() for _ in children]
    kept: list[list[int]] = [[] for _ in children]
    for m in reversed(order):
        further = set().union(*(below[child] for child in children[m])) if children[m] else set()
        kept[m] = [child for child in children[m] if child not in further]
        below[m] = further | set(children[m])
    return kept


def _arrays(children: list[list[int]], order: list[int], slo: float) -> SessionArrays:
    """The DAG in the form that the compiled search reads; it has no configurations."""
    size = len(children)
    parents: list[list[int]] = [[] for _ in children]
    for m, row in enumerate(children):
        for child in row:
            parents[child].append(m)
    (parent_first, parent_row), (child_first, child_row) = _rows(parents), _rows(children)
    none, no_index = np.zeros(0), np.zeros(0, np.int64)
    return SessionArrays(
        first=np.zeros(size + 1, np.int64),
        batch=none,
        duration=none,
        throughput=none,
        price=none,
        unit_cost=none,
        same_ratio=np.zeros(0, np.bool_),
        profile_index=no_index,
        rate=np.ones(size),
        low=np.zeros(size),
        order=np.array(order, np.int64),
        parent_first=parent_first,
        parent=parent_row,
        delay=np.zeros(parent_row.size),
        child_first=child_first,
        child=child_row,
        end=np.array([-np.inf if row else 0.0 for row in children]),
        slo=float(slo),
        policy=LEFT,
        dummies=False,
        max_allocations=UNLIMITED,
        whole=False,
        countable=True,
    )


def _rows(lists: list[list[int]]) -> tuple[Ints, Ints]:
    """Lists one after the other in one array, and the start of each."""
    starts = np.cumsum([0, *(len(row) for row in lists)], dtype=np.int64)
    return starts, np.array([i for row in lists for i in row], dtype=np.int64)


def _undominated(latency: Sequence[float], cost: Sequence[float]) -> list[int]:
    """Numbers of the modes that are cheaper than all faster ones, fastest first."""
    kept: list[int] = []
    for i in sorted(range(len(latency)), key=lambda i: (latency[i], cost[i], i)):
        if not kept or cost[i] < cost[kept[-1]]:
            kept.append(i)
    return kept


def _within_slo(s: SessionArrays, numbers: list[list[int]], latencies: Sequence[Sequence[float]]) -> list[list[int]]:
    """Numbers of the modes that fit within the SLO, taken a `TIE` longer, next to the fastest modes of the rest."""
    if not all(numbers):
        return numbers
    fastest = np.array([latencies[m][row[0]] for m, row in enumerate(numbers)])
    before, after = path_lengths(s, fastest)
    room = s.slo * (1.0 + TIE) - before - after
    return [[i for i in row if latencies[m][i] <= room[m]] for m, row in enumerate(numbers)]


def path_lengths(s: SessionArrays, latency: Floats) -> tuple[Floats, Floats]:
    """Longest path before and after each module without the module itself, in seconds, each of shape (modules,)."""
    before, after = np.zeros(latency.size), np.zeros(latency.size)
    path_times(s, latency, before, after)
    return before, after
