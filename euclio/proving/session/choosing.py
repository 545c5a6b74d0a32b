"""One cell per module, compiled: all combinations that may cost less than a limit within the SLO, one by one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from euclio.core.compiled import compiled
from euclio.problems.session.instance import Session
from euclio.proving.session.bounding import Bound
from euclio.proving.session.curves import Cell
from euclio.proving.session.scaling import Floats, Ints

NO_MORE, CHOSEN, TOO_MANY = 0, 1, 2

ROUNDING, ROUNDING_OF_EACH = 1e-13, 1e-15
"""Limits are raised by this share of them, and by this for each module that is added up, where a sum is off by at most
1.2e-16: so rounding lets a few combinations too many through and none too few."""


class Choices(NamedTuple):
    """Cells of modules, parents before children, each module's by rising reduced cost.

    Attributes:
        first: start of each module's cells, then the total, shape (modules + 1,).
        low_s: least latency of each cell in seconds, shape (cells,).
        cost: lower bound on the cell's cost per hour, shape (cells,).
        reduced: what the session's bound rises by at least with the cell, shape (cells,).
        cell: index of the cell among those of its module, shape (cells,).
        cheapest_from: sum of the least costs of a module and all after it, shape (modules + 1,).
        tail_s: longest path after each module at least latencies.
        parent_first: start of each module's parents, shape (modules + 1,).
        parent: parents.
        module: the module's index in the session.
        slo_s: SLO in seconds, a little raised.
        limit: scaled cost per hour to stay below.
        room: most reduced cost of a combination below the limit.
    """

    first: Ints
    low_s: Floats
    cost: Floats
    reduced: Floats
    cell: Ints
    cheapest_from: Floats
    tail_s: Floats
    parent_first: Ints
    parent: Ints
    module: Ints
    slo_s: float
    limit: float
    room: float


def choices(session: Session, cells: Sequence[Sequence[Cell]], bound: Bound, limit: float) -> Choices:
    """The cells to choose from: all but those that alone lift the bound to the limit.

    Args:
        session: the instance.
        cells: cells of each module.
        bound: lower bound over these cells, with their reduced costs.
        limit: cost per hour that combinations have to stay below.
    """
    order, parents = session.order, session.parents()
    place = {m: i for i, m in enumerate(order)}
    room, above = limit - bound.cost_per_h, 1.0 + ROUNDING + ROUNDING_OF_EACH * len(order)
    # A cell that alone lifts the bound to the limit is in no combination below it.
    kept = [sorted((r, k) for k, r in enumerate(bound.reduced[m]) if r <= room) for m in order]
    first = np.cumsum([0] + [len(row) for row in kept], dtype=np.int64)
    rows = [[cells[m][k] for _, k in row] for m, row in zip(order, kept, strict=True)]
    cheapest = [min((c.cost_per_h for c in row), default=np.inf) for row in rows]
    fastest = [min((c.low_s for c in row), default=np.inf) for row in rows]
    tail = np.zeros(len(order))
    for i in range(len(order) - 1, -1, -1):
        for p in parents[order[i]]:
            tail[place[p]] = max(tail[place[p]], tail[i] + fastest[i])
    flat = [c for row in rows for c in row]
    parent = [[place[p] for p in parents[m]] for m in order]
    return Choices(
        first=first,
        low_s=np.array([c.low_s for c in flat], dtype=np.float64),
        cost=np.array([c.cost_per_h for c in flat], dtype=np.float64),
        reduced=np.array([r for row in kept for r, _ in row], dtype=np.float64),
        cell=np.array([k for row in kept for _, k in row], dtype=np.int64),
        cheapest_from=np.append(np.cumsum(cheapest[::-1])[::-1], 0.0),
        tail_s=tail,
        parent_first=np.cumsum([0] + [len(row) for row in parent], dtype=np.int64),
        parent=np.array([p for row in parent for p in row], dtype=np.int64),
        module=np.array(order, dtype=np.int64),
        slo_s=float(session.slo_s) * above,
        limit=limit * above,
        room=room * above,
    )


class Standing(NamedTuple):
    """Where the enumeration stands, one entry per module in the order of `Choices`.

    Attributes:
        pick: the cell to try next.
        spent: cost per hour of the modules before.
        reduced: reduced cost of the modules before.
        start: when the module starts, in seconds.
        finish: when it ends, in seconds.
        at: depth and nodes so far, shape (2,).
    """

    pick: Ints
    spent: Floats
    reduced: Floats
    start: Floats
    finish: Floats
    at: Ints


def beginning(c: Choices) -> Standing:
    """The state of an enumeration before its first combination."""
    size = c.module.size
    spent, reduced, start, finish = np.zeros((4, size))
    return Standing(c.first[:-1].copy(), spent, reduced, start, finish, np.zeros(2, dtype=np.int64))


@compiled
def next_choice(c: Choices, s: Standing, limit: int) -> int:
    """Go on to the next combination: afterwards each module's cell is the one before its `pick`.

    Args:
        c: the cells.
        s: where the enumeration stands.
        limit: most nodes in all calls together.

    Returns:
        `CHOSEN`: there is one; `NO_MORE`: all have been seen; `TOO_MANY`: the nodes are used up.
    """
    depth, nodes, modules = s.at[0], s.at[1], c.module.size
    status = NO_MORE
    while depth >= 0:
        k = s.pick[depth]
        # All cells of this module are tried: back to the module before it.
        if k == c.first[depth + 1]:
            depth -= 1
            continue
        s.pick[depth] = k + 1
        nodes += 1
        if nodes > limit:
            status = TOO_MANY
            break
        reduced = s.reduced[depth] + c.reduced[k]
        # The bound reaches the limit, which is raised by more than sums lose; cells that follow lift it no less.
        if reduced > c.room:
            depth -= 1
            continue
        spent = s.spent[depth] + c.cost[k]
        finish = s.start[depth] + c.low_s[k]
        # Cells come by reduced cost, so after one that costs or takes too much another may fit.
        if spent + c.cheapest_from[depth + 1] >= c.limit or finish + c.tail_s[depth] > c.slo_s:
            continue
        if depth + 1 == modules:
            status = CHOSEN
            break
        s.finish[depth] = finish
        depth += 1
        s.pick[depth] = c.first[depth]
        s.spent[depth], s.reduced[depth], s.start[depth] = spent, reduced, 0.0
        for i in range(c.parent_first[depth], c.parent_first[depth + 1]):
            s.start[depth] = max(s.start[depth], s.finish[c.parent[i]])
    s.at[0], s.at[1] = depth, nodes
    return status
