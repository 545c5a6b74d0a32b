"""Oracle for rule `continuous` on tiny sessions: every vector of counts, then brackets over one free budget.

Sessions of one module, of modules apart, or of one module before or after all others have at most one free budget
x: that of the single module; the others get the rest. All costs fall with the budget, so on a <= x <= b the total is
at least cost(b) of the one plus cost(slo − a) of the others.
"""

from __future__ import annotations

from fractions import Fraction
from typing import NamedTuple

import numpy as np

from euclio.problems.session import Configuration, Module, PlanSpace, Policy, Session

TIE = 1e-12
EVEN = (Policy.RR_EVEN, Policy.MACHINE_RATE_EVEN, Policy.LOAD_BALANCER, Policy.SHARED_QUEUE)
SHARED = (Policy.TC_SHARED, Policy.IN_TURN)
"""Policies whose partial machine collects from all that is left, as whole ones do."""


class Families(NamedTuple):
    """Plans of one module with fixed counts, one row each: price, rate f by needs, and where f is allowed."""

    cost: np.ndarray
    unit_cost: np.ndarray
    least: np.ndarray
    top: np.ndarray
    floor: np.ndarray
    needs: np.ndarray

    def cheapest(self, budgets: np.ndarray) -> np.ndarray:
        """Least cost of the module at each budget."""
        limit = budgets[:, None] * (1 + TIE)
        f = np.repeat(self.least[None, :], budgets.size, axis=0)
        short = limit < self.floor
        for k in range(self.needs.shape[1]):
            batch, duration, brought = self.needs[:, k, 0], self.needs[:, k, 1], self.needs[:, k, 2]
            wait = limit - duration
            short |= (wait <= 0) & (batch > 0)
            with np.errstate(divide="ignore", invalid="ignore"):
                f = np.where(batch > 0, np.maximum(f, batch / wait - brought), f)
        refused = short | (f > self.top)
        return np.where(refused, np.inf, self.cost + self.unit_cost * f).min(axis=1, initial=np.inf)


def families(module: Module, price: dict[str, Fraction], space: PlanSpace, cap: float) -> Families:
    """All plans whose whole machines cost at most `cap`."""
    allowed = [c for c in module.profile if space.allows(c.hardware, c.batch, c.concurrency)]
    ranked = sorted(
        allowed,
        key=lambda c: (price[c.hardware] / c.throughput_rps, c.duration_s, c.batch, c.hardware, c.concurrency),
    )
    rows: list[tuple[float, float, float, float, float, list[tuple[float, float, float]]]] = []
    most = space.max_allocations or len(ranked)

    def visit(first: int, counts: list[tuple[int, int]], cost: float) -> None:
        if counts:
            rows.append(_row(module, ranked, price, space.policy, counts, None))
        if len(counts) <= most:
            last = counts[-1][0] if counts else 0
            for j in range(last, len(ranked)):
                if len(counts) < most or (counts and j == last):
                    rows.append(_row(module, ranked, price, space.policy, counts, j))
        if len(counts) < most:
            for i in range(first, len(ranked)):
                n, p = 1, float(price[ranked[i].hardware])
                while cost + n * p <= cap:
                    visit(i + 1, [*counts, (i, n)], cost + n * p)
                    n += 1

    visit(0, [], 0.0)
    width = max(len(row[5]) for row in rows)
    needs = np.zeros((len(rows), width, 3))
    for i, row in enumerate(rows):
        needs[i, : len(row[5])] = np.reshape(row[5], (-1, 3))
    columns = [np.array([row[k] for row in rows]) for k in range(5)]
    return Families(*columns, needs)


def _row(
    module: Module,
    ranked: list[Configuration],
    price: dict[str, Fraction],
    policy: Policy,
    counts: list[tuple[int, int]],
    partial: int | None,
) -> tuple[float, float, float, float, float, list[tuple[float, float, float]]]:
    """One family; without a partial machine f has to be 0."""
    rate, ratio, origin, before, floor = float(module.rate_rps), None, 0.0, 0.0, 0.0
    whole = float(sum(n * ranked[i].throughput_rps for i, n in counts))
    needs: list[tuple[float, float, float]] = []
    used = [*counts, *([(partial, 0)] if partial is not None and partial not in dict(counts) else [])]
    for i, n in used:
        c = ranked[i]
        b, d, t = float(c.batch), float(c.duration_s), float(c.throughput_rps)
        unit_cost = price[c.hardware] / c.throughput_rps
        if policy not in SHARED or unit_cost != ratio:
            ratio, origin = unit_cost, before
        if n and policy in (Policy.TC, *SHARED):
            needs.append((b, d, whole - origin))
        elif n:
            floor = max(floor, 2 * d if policy in (Policy.RR, Policy.RR_EVEN, Policy.SHARED_QUEUE) else d + b / t)
        if i == partial and policy in EVEN:
            # n + 1 machines at equal rates: n·t + f >= (n + 1)·b·e/(x − d), without e at the machine's rate.
            each = d * t if policy in (Policy.RR_EVEN, Policy.SHARED_QUEUE) else b
            needs.append(((n + 1) * each, d, n * t))
        elif i == partial:
            needs.append((b, d, whole - origin if policy in SHARED else 0.0))
        before += n * t
    cost = float(sum(n * price[ranked[i].hardware] for i, n in counts))
    least = rate - whole
    if partial is None:
        tie = TIE * rate
        return cost, 0.0, -tie if abs(least) < tie else least, tie, floor, needs
    c = ranked[partial]
    top = float(c.throughput_rps) * (1 - 1e-9)
    return cost, float(price[c.hardware] / c.throughput_rps), max(least, 0.0), top, floor, needs


def bracket(session: Session, space: PlanSpace, cap: float, gap: float) -> tuple[float, float]:
    """Bounds from below and above on the optimum of a session with at most one free budget, at most `gap` apart."""
    parents = session.parents()
    children = [[j for j, ps in enumerate(parents) if i in ps] for i in range(len(parents))]
    curves = [families(m, session.price, space, cap) for m in session.modules]
    slo = float(session.slo_s)
    single = next((i for i in range(len(parents)) if parents[i] or children[i]), None)
    if single is None:
        total = float(sum(curve.cheapest(np.array([slo]))[0] for curve in curves))
        return total, total
    others = [i for i in range(len(parents)) if i != single]
    if len(parents) == 3 and len(parents[2]) == 2:
        single, others = 2, [0, 1]
    ends = np.linspace(0.0, slo, 65)
    low, high = ends[:-1], ends[1:]
    best, bound = np.inf, 0.0
    for _ in range(60):
        budgets = np.unique(np.concatenate((low, high)))
        one = curves[single].cheapest(budgets)
        rest = sum(curves[i].cheapest(np.maximum(slo - budgets, 0.0)) for i in others)
        best = min(best, float((one + rest).min()))
        below = one[np.searchsorted(budgets, high)] + rest[np.searchsorted(budgets, low)]
        bound = min(best, float(below.min(initial=np.inf)))
        if best - bound <= gap * best or not low.size:
            return bound, best
        keep = below < best * (1 - gap)
        low, high = low[keep], high[keep]
        middle = 0.5 * (low + high)
        low, high = np.concatenate((low, middle)), np.concatenate((middle, high))
    return bound, best
