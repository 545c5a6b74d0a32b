"""A bound on several modules over time: latency at prices, so that modules are independent (ours).

Let every path P through the DAG have a price π_k(P) per second in each step. The latencies of its modules sum up to the
SLO at most, so that for any prices of at least 0 the cost of a plan is at least

sum over modules of {cost of the module over all steps + Σ_k μ_k(m)·latency} - SLO·Σ_k Σ_P π_k(P),

where μ_k(m) is the sum of the prices of the paths through m. Each module by itself is a dynamic program over vectors of
machines (docs/model/load-over-time.md), whose least sum gives a bound. Prices follow subgradients: a path that is
longer than the SLO becomes more expensive. What changes cost stays exact here; what is lost is that a module may mix
fast and slow plans.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import prod

import numpy as np

from euclio.day import Day
from euclio.day.instance import HOUR_S
from euclio.session import Session
from formulations.day.one_module import ROUNDING
from formulations.day.rate_table import SLACK, most_alone, rate_table
from formulations.day.transitions import ChangePrices, Floats, change_prices, per_vector

MOST_PATHS = 64
"""Paths that have prices; any of them give a bound."""
LATENCIES = 18
"""Latencies of good plans that are distinguished per module."""
FURTHER = 6
"""Latencies between the least duration and the longest possible that are added to them."""
MORE = 1.5
"""Axes end beyond so many times the machines that serve the largest load alone."""
BOX_CELLS = 20_000
"""Vectors of machines of a module at most; else there is no such bound."""
FIRST_SHARE = 0.15
"""Share of the steps' costs that the first prices charge for the whole SLO."""
ROUNDS = 7
"""Prices that are tried at most."""
DAMPING = 0.7
"""Factor on the length of the steps after prices that gave no better bound."""
ENOUGH = 1e-4
"""Gap, as a share of the plan's cost, at which no better prices are looked for."""
BELOW = 1e-9
"""Share by which budgets are widened, so that rounding never loses a plan."""


@dataclass(frozen=True, slots=True)
class _Module:
    """A module as a dynamic program.

    Attributes:
        per_h: price per hour of each vector.
        hours: lengths of the steps.
        changes: prices of changes.
        latency_s: a latency below that of every plan that uses at most these machines, by step and vector; infinite
            where nothing serves. A vector at the end of an axis stands for all with more, at the least duration.
    """

    per_h: Floats
    hours: Floats
    changes: ChangePrices
    latency_s: Floats

    def least(self, prices: Floats) -> tuple[float, Floats]:
        """The least cost with prices of latency by step, and the latencies of a course that has it."""
        costs: list[Floats] = []
        for k, price in enumerate(prices):
            serves = np.isfinite(self.latency_s[k])
            own = np.where(
                serves, self.hours[k] * self.per_h + price * np.where(serves, self.latency_s[k], 0.0), np.inf
            )
            costs.append(own + self.changes.after_change(costs[-1]) if costs else own)
        at = _place(costs[-1])
        latencies = np.empty(len(prices))
        for k in reversed(range(len(prices))):
            latencies[k] = self.latency_s[k][at]
            if k:
                at = self.changes.best_before(costs[k - 1], at)
        return float(costs[-1].min()), latencies


def bound_by_latency_prices(
    day: Day, latencies_s: Sequence[Sequence[float]], cost: float, deadline: float
) -> float | None:
    """A bound on the cost of all plans.

    Args:
        day: the instance.
        latencies_s: per module latencies that it has in good plans.
        cost: what a good plan costs.
        deadline: when to end, on the clock of `time.perf_counter`; the best bound so far holds.

    Returns:
        The bound; None: a module has too many vectors of machines, or no time was left.
    """
    modules: list[_Module] = []
    for m, own in enumerate(latencies_s):
        found = None if time.perf_counter() > deadline else _module(day, m, own)
        if found is None:
            return None
        modules.append(found)
    paths = paths_of(day.session)
    through = np.array([[m in path for m in range(len(modules))] for path in paths], dtype=np.float64)
    slo = float(day.session.slo_s)
    hours = np.array([float(step.length_s / HOUR_S) for step in day.steps])
    prices = np.tile(FIRST_SHARE * cost / slo * hours / hours.sum() / len(paths), (len(paths), 1))
    best, length = 0.0, 1.0
    for _ in range(ROUNDS):
        if time.perf_counter() > deadline:
            break
        found_all = [own.least(row) for own, row in zip(modules, through.T @ prices, strict=True)]
        bound = sum(least for least, _ in found_all) - slo * float(prices.sum())
        if bound <= best:
            length *= DAMPING
        best = max(best, bound)
        if cost - best <= ENOUGH * cost:
            break
        excess = through @ np.array([latencies for _, latencies in found_all]) - slo
        ascent = np.where((prices <= 0) & (excess < 0), 0.0, excess)
        size = float((ascent**2).sum())
        if not size:
            break
        prices = np.maximum(0.0, prices + length * (cost - bound) / size * ascent)
    return best * (1 - ROUNDING)


def paths_of(session: Session) -> list[list[int]]:
    """Paths through the DAG from modules without parents to modules without children, the first `MOST_PATHS`."""
    parents = session.parents()
    inner = {parent for own in parents for parent in own}
    waiting = [[m] for m in reversed(range(len(parents))) if m not in inner]
    found: list[list[int]] = []
    while waiting and len(found) < MOST_PATHS:
        path = waiting.pop()
        before = parents[path[0]]
        waiting += [[parent, *path] for parent in reversed(before)]
        if not before:
            found.append(path)
    return found


def _module(day: Day, m: int, good: Sequence[float]) -> _Module | None:
    """The dynamic program of a module; None: it has too many vectors of machines."""
    session, module = day.session, day.session.modules[m]
    least = min(float(c.duration_s) for c in module.profile)
    longest = float(session.slo_s) * (1 + BELOW)
    rates = [step.rates_rps[m] for step in day.steps]
    fast = [c for c in module.profile if c.duration_s < longest]
    needed = {c: c.batch / (Fraction(longest) - c.duration_s) for c in fast}
    alone = most_alone(session, fast, needed, max(rates))
    most = {one.name: int(MORE * alone[one.name]) + 1 for one in session.hardware if one.name in alone}
    shape = tuple(n + 1 for n in most.values())
    if prod(shape) > BOX_CELLS:
        return None
    shares = np.linspace(0, 1, LATENCIES if good else 0)
    known = np.quantile(np.array(good or [longest]), shares, method="higher") * (1 - BELOW)
    ends = np.unique([*known, *np.geomspace(1.05 * least, longest, FURTHER)])
    ends = ends[(ends > least) & (ends <= longest)]
    latency = np.full((len(rates), *shape), np.inf)
    asked = np.array([float(rate) for rate in rates]).reshape(-1, *(1 for _ in shape)) * (1 - SLACK)
    for left, end in reversed(list(zip([least, *ends[:-1]], ends, strict=True))):
        table = rate_table(session, module, Fraction(float(end)), Fraction(0), most=most)
        latency[table.rate[None] >= asked] = left
    for axis in range(len(shape)):
        last = tuple(slice(None) if k != axis + 1 else -1 for k in range(len(shape) + 1))
        latency[last] = np.where(np.isfinite(latency[last]), least, np.inf)
    prices = tuple(float(session.price[name]) for name in most)
    hours = np.array([float(step.length_s / HOUR_S) for step in day.steps])
    return _Module(per_vector(prices, shape), hours, change_prices(day, tuple(most)), latency)


def _place(cost: Floats) -> tuple[int, ...]:
    return tuple(int(n) for n in np.unravel_index(int(np.argmin(cost)), cost.shape))
