"""The cheapest plan of whole machines for given rates: what the rules plan with."""

from __future__ import annotations

import math
import time
from collections import Counter
from collections.abc import Callable
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np

from euclio.core.registry import Limits
from euclio.day import Day, Serving, Staffing
from euclio.day.evaluate import WHOLE
from euclio.day.instance import asked, at_rates
from euclio.session import ModulePlan, Plan, Session
from euclio.session.explain.unlimited import without_stock
from formulations.day.answers import RuleError
from formulations.day.one_path import LateError
from formulations.day.rate_table import rate_table
from formulations.day.transitions import per_vector
from formulations.session.exact.solver import solve_exact

Rates = tuple[Fraction, ...]

HALF = 0.5
"""Part of the time that is left to plans that know no stock, before those that do."""


class Found(NamedTuple):
    """The cheapest plan for some rates.

    Attributes:
        staffings: one per module.
        bound_per_h: no plan for these rates costs less per hour; None: that is not proven.
    """

    staffings: tuple[Staffing, ...]
    bound_per_h: float | None


Cheapest = Callable[[Rates], Found | None]
"""Rates of the modules in; the cheapest plan, or None where none serves them, out."""


def cheapest_plans(day: Day, factor: Fraction, deadline: float, *, exact: bool) -> Cheapest:
    """What finds the cheapest plan for rates.

    Args:
        day: the instance.
        factor: rates are at most so many times the largest ones of the load.
        deadline: when to give up, on the clock of `time.perf_counter`.
        exact: whether rates are compared as fractions, where floats met a tie.

    Raises:
        InapplicableError: there are too many numbers of machines.
        LateError: the deadline passed.

    What it returns raises LateError too, and RuleError where neither a plan nor a proof that there is none was found.
    """
    session = day.session
    if len(session.modules) > 1:
        return _by_solver(session, deadline)
    return _by_table(session, factor * day.largest_rates_rps[0], exact)


def _by_table(session: Session, largest_rps: Fraction, exact: bool) -> Cheapest:
    """One module: the cheapest vector of machines whose rate is enough."""
    table = rate_table(session, session.modules[0], session.slo_s, largest_rps, exact=exact)
    prices = per_vector(tuple(float(session.price[name]) for name in table.hardware), table.rate.shape).ravel()
    order = np.argsort(prices, kind="stable")

    def cheapest(rates: Rates) -> Found | None:
        enough = table.serves(rates[0]).ravel()[order]
        # Vectors stand by rising price, so that the first one that serves is the cheapest.
        first = int(np.argmax(enough))
        if not enough[first]:
            return None
        at = tuple(int(n) for n in np.unravel_index(int(order[first]), table.rate.shape))
        return Found((Staffing(table.serving(at, rates[0])),), float(prices[order[first]]))

    return cheapest


def _by_solver(session: Session, deadline: float) -> Cheapest:
    """Several modules: what `exact` finds among plans of whole machines; the same rates are solved once."""
    known: dict[Rates, Found | RuleError | None] = {}

    def cheapest(rates: Rates) -> Found | None:
        if rates not in known:
            try:
                known[rates] = _for_rates(session, rates, deadline)
            except RuleError as open_:
                # What is left open is kept as well: the same rates would only be left open again.
                known[rates] = open_
        found = known[rates]
        if isinstance(found, RuleError):
            raise found
        return found

    return cheapest


def _for_rates(session: Session, rates: Rates, deadline: float) -> Found | None:
    """What the modules with requests need; the others have no machines."""
    there = at_rates(session, rates)
    found = Found((), 0.0) if there is None else _solved(there, deadline)
    if found is None:
        return None
    own = dict(zip(asked(rates), found.staffings, strict=True))
    return Found(tuple(own.get(m, Staffing(())) for m in range(len(rates))), found.bound_per_h)


def _solved(session: Session, deadline: float) -> Found | None:
    # Without the stock it is quick, and mostly within it; a tie that it is held up by need not be one within the stock.
    free = without_stock(session)
    found = solve_exact(free, WHOLE, _until(deadline, HALF if session.stock else 1.0))
    if session.stock and not found.infeasible and not _within_stock(session, found.plan):
        found = solve_exact(session, WHOLE, _until(deadline, 1.0))
    if found.plan is not None:
        return Found(tuple(_full(module) for module in found.plan.modules), found.bound)
    if found.infeasible:
        return None
    if time.perf_counter() >= deadline:
        raise LateError
    rates = ", ".join(f"{float(module.rate_rps):g}" for module in session.modules[:6])
    raise RuleError(f"the cheapest plan for {rates} req/s is open: {found.reason or found.raw_status}")


def _until(deadline: float, part: float) -> Limits[Any]:
    """Limits that leave a part of the time until a deadline."""
    left_s = deadline - time.perf_counter()
    if left_s <= 0:
        raise LateError
    return Limits(None if left_s == math.inf else left_s * part)


def _within_stock(session: Session, plan: Plan | None) -> bool:
    """Whether there is a plan, and it needs no more machines than there are."""
    if plan is None:
        return False
    used: Counter[str] = Counter()
    for module in plan.modules:
        for one in _full(module).serving:
            used[one.hardware] += one.machines
    return all(used[name] <= count for name, count in session.stock.items())


def _full(plan: ModulePlan) -> Staffing:
    """The machines of a module's plan, the partial one filled by dummies: that is free, and makes no machine slower."""
    counted = ((a.configuration, a.machines + bool(a.partial_rps)) for a in plan.allocations)
    return Staffing(tuple(Serving(c.hardware, c.batch, c.concurrency, n) for c, n in counted if n))
