"""One cell per module, compiled: all combinations that may cost less than a limit within the SLO, one by one."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from euclio.core.compiled import compiled
from euclio.core.linear_program import PLAIN, Rows, least_cost
from euclio.problems.session.instance import Session
from euclio.proving.paths import ends, path_after
from euclio.proving.session.curves import Cell
from euclio.proving.session.integers import Floats, Ints

# Lower bound on a session's cost from its modules' cells: a linear program finds prices of time, the bound is ours.

BOUND_ROUNDING = 1e-13
"""Share of all terms' size by which a bound is lowered; each term is off by at most 5e-16 of its size."""

PATH_ROUNDING = 4e-16
"""Share of the prices by which a path may move them and their sum apart: two additions, each off by at most 1.2e-16.

The money of a path's delays and end is off by no more: by a product and an addition for the path, and once by the sum
of its seconds and their own rounding."""

NEGLIGIBLE = 1e-9
"""The search counts weights and flows below this as none; they only guide it."""


class TimePrices(NamedTuple):
    """Prices of time that are made of whole paths, each of which has a price of its own.

    Attributes:
        of_module: money per hour and second of each module's latency: the sum over the paths through it.
        total: the sum over all paths.
        fixed: money per hour of the delays and ends of all paths, rounded down.
    """

    of_module: list[float]
    total: float
    fixed: float


@dataclass(frozen=True, slots=True)
class Bound:
    """A lower bound, with the prices and the solution behind it.

    Attributes:
        cost_per_h: the bound.
        prices: the prices of time.
        reduced: for each module and cell, least rise of the bound if that cell is chosen.
        chosen: for each module the cells in the linear program's solution, by index.
    """

    cost_per_h: float
    prices: TimePrices
    reduced: list[list[float]]
    chosen: list[list[int]]


class Bounding:
    """The linear program of a session: one cell per module, mixed freely, longest path within the SLO.

    Its arcs are edges and, for each module that objectives name, one from it to -1. Each has seconds that no module
    takes: the delay of an edge, or the end of a module.
    """

    def __init__(self, session: Session, cutoff: float) -> None:
        index = session.index
        self.slo = float(session.slo_s)
        self._unit = cutoff or 1.0
        self._arcs = [(index[a], index[b]) for a, b in session.edges]
        self._fixed = [float(session.delay_between(a, b)) for a, b in self._arcs]
        last = [(m, end) for m, end in enumerate(ends(session)) if end is not None]
        # The linear program's tolerance is a part of the shortest objective: next to longer ones it would be lost.
        self._second = float(session.slo_s - max(end for _, end in last))
        self._most = [0.0 - delay / self._second for delay in self._fixed]
        self._most += [float(session.slo_s - end) / self._second for _, end in last]
        self._arcs += [(m, -1) for m, _ in last]
        self._fixed += [float(end) for _, end in last]
        self._into: list[list[int]] = [[] for _ in session.modules]
        for i, (_, b) in enumerate(self._arcs):
            if b >= 0:
                self._into[b].append(i)

    def bound(self, cells: Sequence[Sequence[Cell]]) -> Bound:
        """The bound on plans that take one of the given cells per module, at the best prices of time."""
        columns = [_lower_hull(row) for row in cells]
        weights, flow = self._solve(cells, columns)
        chosen = [
            [k for k, w in zip(row, weight, strict=True) if w > NEGLIGIBLE]
            for row, weight in zip(columns, weights, strict=True)
        ]
        return self.at_prices(cells, self._prices(flow), chosen)

    def at_prices(self, cells: Sequence[Sequence[Cell]], prices: TimePrices, chosen: list[list[int]]) -> Bound:
        """The bound at given prices of time."""
        # Prices of time are made of whole paths, whose latencies, delays and ends stay within the SLO. So the sum of
        # cost + price·latency, less price·(SLO - delays - end), bounds the cost of every plan.
        values = [[cell.cost_per_h + prices.of_module[m] * cell.low_s for cell in row] for m, row in enumerate(cells)]
        least = [min(row) for row in values]
        given = prices.total * self.slo
        size = math.fsum(abs(v) for v in least) + given + prices.fixed
        cost = math.fsum([*least, -given, prices.fixed]) - BOUND_ROUNDING * size
        reduced = [[v - low for v in row] for row, low in zip(values, least, strict=True)]
        return Bound(cost, prices, reduced, chosen)

    def _solve(
        self, cells: Sequence[Sequence[Cell]], columns: list[list[int]]
    ) -> tuple[list[NDArray[np.float64]], NDArray[np.float64]]:
        """Weights of the columns and flow along the arcs; where the solver fails, the slowest cells and no flow."""
        starts = np.cumsum([0] + [len(row) for row in columns])
        modules, size = len(cells), int(starts[-1])
        latency = [np.array([cells[m][k].low_s for k in columns[m]]) / self._second for m in range(modules)]
        cost = [np.array([cells[m][k].cost_per_h for k in columns[m]]) / self._unit for m in range(modules)]
        rows = Rows()
        for (a, b), most in zip(self._arcs, self._most, strict=True):
            own = np.append(np.arange(starts[a], starts[a + 1]), [size + a, size + b][: 1 + (b >= 0)])
            rows.add(-math.inf, most, own, np.append(latency[a], [1.0, -1.0][: 1 + (b >= 0)]))
        for m in range(modules):
            rows.add(1.0, 1.0, np.arange(starts[m], starts[m + 1]), np.ones(len(columns[m])))
        objective = np.concatenate([*cost, np.zeros(modules)])
        free = np.zeros(len(objective)), np.full(len(objective), math.inf)
        found = least_cost(objective, *free, rows, setting=PLAIN)
        # Any prices give a valid bound; without the program's, time costs nothing.
        if found is None:
            slowest = [np.eye(1, len(row), len(row) - 1)[0] for row in columns]
            return slowest, np.zeros(len(self._arcs))
        part, prices = found
        weights = [part[starts[m] : starts[m + 1]] for m in range(modules)]
        flow = np.maximum(-prices[: len(self._arcs)], 0.0) * self._unit / self._second
        return weights, flow

    def _prices(self, flow: NDArray[np.float64]) -> TimePrices:
        """Prices of time made of whole paths, close to the program's dual values."""
        left = flow.copy()
        price, total, fixed, paths = [0.0] * len(self._into), 0.0, 0.0, 0
        least = NEGLIGIBLE * float(flow.max(initial=0.0))
        ends = [i for i, (_, b) in enumerate(self._arcs) if b < 0]
        # A path uses up one of its arcs, so few turns are enough; the limit is for arcs that rounding leaves open.
        for _ in range(4 * len(self._arcs)):
            arc = max(ends, key=lambda i: left[i])
            # The rest is the solver's rounding, no path's price.
            if left[arc] <= least:
                break
            path = [arc]
            while (into := self._into[self._arcs[path[-1]][0]]) and left[
                best := max(into, key=lambda i: left[i])
            ] > least:
                path.append(best)
            amount = float(min(left[i] for i in path))
            total += amount
            fixed += amount * math.fsum(self._fixed[i] for i in path)
            paths += 1
            for i in path:
                left[i] -= amount
                price[self._arcs[i][0]] += amount
        # The sums of both are rounded once a path; a little more for the whole than for its parts keeps the bound low.
        # Delays and ends lift the bound, so that they are rounded down.
        rounding = PATH_ROUNDING * (paths + 1)
        return TimePrices(price, total * (1 + rounding), fixed * (1 - rounding))


def _lower_hull(cells: Sequence[Cell]) -> list[int]:
    """The cells on the lower convex hull of cost over latency: a mix of cells uses no others."""
    hull: list[int] = []
    for k, cell in enumerate(cells):
        # Slower and no cheaper: no mix gains by it.
        if hull and cell.cost_per_h >= cells[hull[-1]].cost_per_h:
            continue
        while len(hull) > 1:
            a, b = cells[hull[-2]], cells[hull[-1]]
            # The last cell stays while it lies below the line from the one before it to the new one.
            if (b.cost_per_h - a.cost_per_h) * (cell.low_s - a.low_s) < (cell.cost_per_h - a.cost_per_h) * (
                b.low_s - a.low_s
            ):
                break
            hull.pop()
        hull.append(k)
    return hull


NO_MORE, CHOSEN, TOO_MANY = 0, 1, 2

ROUNDING, ROUNDING_OF_EACH = 1e-13, 1e-15
"""Limits are raised by this share of them, and by this for each module in a sum, where a sum is off by at most 1.2e-16.
So rounding lets a few combinations too many through and none too few."""


class Choices(NamedTuple):
    """Cells of modules, parents before children, each module's by rising reduced cost.

    Attributes:
        first: start of each module's cells, then the total, shape (modules + 1,).
        low_s: least latency of each cell in seconds, shape (cells,).
        cost: lower bound on the cell's cost per hour, shape (cells,).
        reduced: least rise of the session's bound with the cell, shape (cells,).
        cell: index of the cell among those of its module, shape (cells,).
        cheapest_from: sum of the least costs of a module and all after it, shape (modules + 1,).
        tail_s: longest path after each module at least latencies, with delays and the end of the last module.
        parent_first: start of each module's parents, shape (modules + 1,).
        parent: parents.
        delay_s: seconds between the end of each of `parent` and the start of its child.
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
    delay_s: Floats
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
    fastest = [min((c.low_s for c in rows[place[m]]), default=math.inf) for m in range(len(order))]
    tail = path_after(session, fastest)
    flat = [c for row in rows for c in row]
    parent = [[place[p] for p in parents[m]] for m in order]
    return Choices(
        first=first,
        low_s=np.array([c.low_s for c in flat], dtype=np.float64),
        cost=np.array([c.cost_per_h for c in flat], dtype=np.float64),
        reduced=np.array([r for row in kept for r, _ in row], dtype=np.float64),
        cell=np.array([k for row in kept for _, k in row], dtype=np.int64),
        cheapest_from=np.append(np.cumsum(cheapest[::-1])[::-1], 0.0),
        tail_s=np.array([tail[m] for m in order], dtype=np.float64),
        parent_first=np.cumsum([0] + [len(row) for row in parent], dtype=np.int64),
        parent=np.array([p for row in parent for p in row], dtype=np.int64),
        delay_s=np.array([float(session.delay_between(p, m)) for m in order for p in parents[m]], dtype=np.float64),
        module=np.array(order, dtype=np.int64),
        slo_s=float(session.slo_s) * above,
        limit=limit * above,
        room=room * above,
    )


class ChoiceState(NamedTuple):
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


def first_state(c: Choices) -> ChoiceState:
    """The state of an enumeration before its first combination."""
    size = c.module.size
    spent, reduced, start, finish = np.zeros((4, size))
    return ChoiceState(c.first[:-1].copy(), spent, reduced, start, finish, np.zeros(2, dtype=np.int64))


@compiled
def next_choice(c: Choices, s: ChoiceState, limit: int) -> int:
    """Go on to the next combination: afterwards each module's cell is the one before its `pick`.

    Args:
        c: the cells.
        s: where the enumeration stands.
        limit: most nodes in all calls together.

    Returns:
        `CHOSEN` if there is one; `NO_MORE` if all have been seen; `TOO_MANY` if the nodes are used up.
    """
    depth, nodes, modules = s.at[0], s.at[1], c.module.size
    status = NO_MORE
    while depth >= 0:
        k = s.pick[depth]
        # All cells of this module have been tried; go back to the module before it.
        if k == c.first[depth + 1]:
            depth -= 1
            continue
        s.pick[depth] = k + 1
        nodes += 1
        if nodes > limit:
            status = TOO_MANY
            break
        reduced = s.reduced[depth] + c.reduced[k]
        # The bound reaches the limit, which is raised by more than sums lose; later cells lift it no less.
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
            s.start[depth] = max(s.start[depth], s.finish[c.parent[i]] + c.delay_s[i])
    s.at[0], s.at[1] = depth, nodes
    return status
