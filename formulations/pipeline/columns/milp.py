"""The columns as one small MILP, for plans of clusters that neither tables nor the bulk can prove; it proves nothing.

Per column: rate x ≥ 0 and whole virtual GPUs g_k; per pool (model, position, GPU type): whole GPUs y.

    maximise z (or −Σ price · y)
    x_c ≤ g_ck · rate_ck            each partition
    Σ g / v ≤ y                     each pool
    Σ y ≤ count                     each GPU type
    Σ x_c ≥ weight · z (or rate)    each model
    x_c ≤ most_c · u_c, Σ u_c ≤ 1   one pipeline per sequence, where asked for; u binary

Next to a bulk, x, g, y and z count only additions to the bulk, so that all numbers are small. Only columns that may be
part of a better plan take part, with a least loss within the gap. HiGHS works within tolerances that are coarser than a
proof allows, so its plans are useful and its bounds prove nothing.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np

from formulations.engines.highs_arrays import Program, solve_mip
from formulations.pipeline.columns.dominance import undominated
from formulations.pipeline.columns.enumeration import Columns, Floats, Ints
from formulations.pipeline.columns.node import Node
from formulations.pipeline.columns.patterns import Scope
from formulations.pipeline.columns.plans import value_of
from formulations.pipeline.columns.problem import Counts, Problem
from formulations.tolerances import SUMS

CLOSE = 1e-7
"""Relative distance of bound and incumbent at which HiGHS may stop, since it works with tolerances anyway."""
LARGEST = 5000
"""Most virtual GPUs of a pool for a run of HiGHS once a plan is known. With tens of thousands HiGHS 1.13.1 calls plans
optimal that are not, by 1e-6 to 1e-5 of their value, with and without presolve."""
FEW_NODES = 200
"""Nodes after which any plan next to the bulk is good enough."""
WIDER = 4
"""Factor of the allowed loss in the next program."""
SERVES = 1e-6
"""Requests per second, in the program's unit, from which a column counts as used if a sequence may use only one; it is
HiGHS's tolerance."""


def search_by_milp(node: Node) -> None:
    """Widen the allowed loss until it covers the best plan found, which becomes the incumbent.

    Raises:
        OutOfTimeError: the deadline has passed.
    """
    problem, columns, progress, bound = node.problem, node.columns, node.progress, node.relaxation.bound
    largest = int(np.where(columns.live, problem.count[columns.gpu] * columns.share, 0).max())
    if progress.plan is not None and largest > LARGEST:
        return
    gap = node.first_gap
    while True:
        node.deadline.check()
        near = node.scope(gap).find_columns()
        near = near[undominated(columns.take(near))]
        chosen, low = columns.take(near), problem.worst if progress.plan is None else progress.value
        milp = _Milp(problem, chosen, np.zeros_like(chosen.gpu), abs(bound) / 100 or 1.0, low, bound)
        run = solve_mip(milp.program, node.deadline.left, CLOSE)
        progress.count("milp_nodes", max(0, run.nodes))
        progress.stats["milp_columns"] = len(near)
        if run.values is not None:
            plan = milp.plan(run.values)
            progress.improve(value_of(problem, chosen, plan), _of_all_columns(plan, near))
        missing = node.what_may_be_lost
        if missing <= gap:
            return
        gap = min(WIDER * gap, missing)


def plan_next_to_bulk(node: Node, count: Ints) -> Counts | None:
    """A plan better than the incumbent, with the bulk, from a few nodes of HiGHS; None if it finds none.

    Args:
        node: the bulk and the rest next to it.
        count: all GPUs by type.

    Raises:
        OutOfTimeError: the deadline has passed.
    """
    problem, columns, prices, bulk = node.problem, node.columns, node.relaxation, dict(node.bulk)
    every, free = replace(problem, count=count), node.prices_next_to_bulk
    none = np.zeros(columns.gpu.shape[1], np.int64)
    gap, best = node.first_gap, None
    value = node.progress.value if node.progress.plan is not None else -math.inf
    while True:
        node.deadline.check()
        near = Scope(problem, columns, free, gap).find_columns()
        near = near[undominated(columns.take(near))]
        # Columns of the bulk take part with any loss, since they may get more GPUs.
        near = np.union1d(near, np.array(list(bulk), dtype=np.int64))
        if len(near):
            chosen, low = columns.take(near), value if math.isfinite(value) else problem.worst
            assigned = np.array([bulk.get(int(c), none) for c in near])
            milp = _Milp(problem, chosen, assigned, float(prices.gpu.max()), low, prices.bound)
            run = solve_mip(milp.program, node.deadline.left, CLOSE, FEW_NODES)
            node.progress.count("milp_nodes", max(0, run.nodes))
            if run.values is not None:
                plan = milp.plan(run.values)
                found = value_of(every, chosen, plan)
                if found > value:
                    value, best = found, _of_all_columns(plan, near)
            if not run.finished:
                return best
        missing = prices.bound - max(problem.worst, value)
        if gap >= missing:
            return best
        gap = min(WIDER * gap, missing)


def _of_all_columns(plan: Counts, near: Ints) -> Counts:
    """A plan of some columns, with the indices of all columns."""
    return [(int(near[column]), count) for column, count in plan]


@dataclass(slots=True, init=False)
class _Milp:
    """The program over some columns.

    Attributes:
        program: the program, in units of a scale.
    """

    program: Program
    _problem: Problem
    _columns: Columns
    _assigned: Ints
    _unit: float
    _scale: float
    _rates: Ints
    _counts: Ints

    def __init__(
        self, problem: Problem, columns: Columns, assigned: Ints, scale: float, low: float, high: float
    ) -> None:
        """Build the program.

        Args:
            problem: the instance, without assigned GPUs.
            columns: the columns.
            assigned: virtual GPUs assigned to each of them by position.
            scale: unit of values and, for throughput, of requests per second.
            low: least value of the wanted plans.
            high: greatest value of the wanted plans.
        """
        build = self.program = Program()
        self._problem, self._columns, self._assigned = problem, columns, assigned
        self._scale, self._unit = scale, 1.0 if problem.cost else scale
        z = -1 if problem.cost else int(build.variables(1, 0.0, (high - low) / scale, whole=False, cost=-1.0)[0])
        served, live = _served(columns, assigned), columns.live
        self._rates = build.variables(len(columns), 0.0, math.inf, whole=False)
        self._counts = np.full(columns.gpu.shape, -1)
        most = np.where(live, problem.count[columns.gpu] * columns.share, 0)
        self._counts[live] = build.variables(int(live.sum()), 0.0, most[live].astype(float), whole=True)
        for c, k in np.argwhere(live):
            # Assigned virtual GPUs of a position may be able to serve more than their column serves.
            over = (assigned[c, k] * columns.rate[c, k] - served[c]) / self._unit
            row = [self._rates[c], self._counts[c, k]]
            build.row(row, [1.0, -columns.rate[c, k] / self._unit], -math.inf, over)
        for t in range(len(problem.count)):
            self._add_gpus(t)
        for m in problem.models:
            self._add_model(m, z, low, served)
        if problem.one_per_sequence:
            self._add_sequences((_served(columns, assigned + most) - served) / self._unit)

    def plan(self, values: Floats) -> Counts:
        """The plan of HiGHS's values, with no more virtual GPUs than the rounded ones' requests need."""
        columns = self._columns
        counts = self._assigned + np.where(columns.live, np.rint(values[self._counts]), 0).astype(np.int64)
        served = _served(columns, counts)
        used = (counts > 0).any(axis=1) & (served > 0)
        if self._problem.one_per_sequence:
            used &= (values[self._rates] > SERVES) | self._assigned.any(axis=1)
        needed = np.ceil(served[:, None] / columns.rate * (1 - SUMS))
        counts = np.where(columns.live, needed, 0).astype(np.int64)
        return [(int(c), counts[c]) for c in np.flatnonzero(used)]

    def _add_gpus(self, gpu: int) -> None:
        """Add variables and rows for the GPUs of a type: whole ones by pool, or fractions added up over all pools."""
        build, problem, share = self.program, self._problem, self._columns.share
        available, price = float(problem.count[gpu]), float(problem.price[gpu]) / self._scale
        pools = self._pools(gpu)
        if problem.whole:
            whole = build.variables(len(pools), 0.0, available, whole=True, cost=price)
            for pool, y in zip(pools, whole, strict=True):
                # GPUs are counted in parts, so that all coefficients are whole numbers.
                lcm = int(np.lcm.reduce([share[c, k] for c, k in pool]))
                parts = [lcm // share[c, k] for c, k in pool]
                build.row([*(self._counts[c, k] for c, k in pool), y], [*parts, -lcm], -math.inf, 0.0)
            build.row(list(whole), [1.0] * len(whole), -math.inf, available)
        else:
            every = [(c, k) for pool in pools for c, k in pool]
            used = build.variables(1, 0.0, available, whole=False, cost=price)
            parts = [1 / share[c, k] for c, k in every]
            build.row([*(self._counts[c, k] for c, k in every), used[0]], [*parts, -1.0], -math.inf, 0.0)

    def _pools(self, gpu: int) -> list[list[tuple[int, int]]]:
        """Columns and positions of each pool of a GPU type."""
        pools: dict[tuple[int, int], list[tuple[int, int]]] = {}
        for c, k in np.argwhere(self._columns.gpu == gpu):
            pools.setdefault((int(self._columns.model[c]), int(k)), []).append((int(c), int(k)))
        return list(pools.values())

    def _add_model(self, model: int, z: int, low: float, served: Floats) -> None:
        """Add the row that serves a model its rate or, for throughput, the requests for the value."""
        problem, own = self._problem, self._columns.model == model
        weight = problem.weight[model]
        need = (float(problem.enough if problem.cost else low) * weight - served[own].sum()) / self._unit
        row = self._rates[own].tolist()
        if problem.cost:
            self.program.row(row, [1.0] * len(row), need, math.inf)
        else:
            self.program.row([*row, z], [*([1.0] * len(row)), -weight], need, math.inf)

    def _add_sequences(self, most: Floats) -> None:
        """Add the rows that let at most one column of each sequence of GPU types serve, within its capacity."""
        build, columns = self.program, self._columns
        used = build.variables(len(columns), 0.0, 1.0, whole=True)
        groups: dict[tuple[int, ...], list[int]] = {}
        for c in range(len(columns)):
            build.row([self._rates[c], used[c]], [1.0, -most[c]], -math.inf, 0.0)
            groups.setdefault((int(columns.model[c]), *columns.gpu[c].tolist()), []).append(c)
        for group in groups.values():
            build.row([used[c] for c in group], [1.0] * len(group), -math.inf, 1.0)


def _served(columns: Columns, counts: Ints) -> Floats:
    """Requests per second that columns serve with given numbers of virtual GPUs, shape (columns,).

    Args:
        columns: the columns.
        counts: virtual GPUs by position, shape (columns, positions).
    """
    return np.asarray(np.where(columns.live, counts * np.where(columns.live, columns.rate, 1.0), np.inf).min(axis=1))
