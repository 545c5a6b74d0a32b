"""The cheapest plan of whole machines for given rates: what the rules plan with."""

from __future__ import annotations

import time
from collections.abc import Callable
from fractions import Fraction

import numpy as np

from euclio.core.errors import InapplicableError
from euclio.core.result import Status
from euclio.core.solving import solve
from euclio.day import Day, Serving, Staffing
from euclio.day.evaluate import WHOLE
from euclio.day.instance import at_rates
from euclio.session import Session
from formulations.day.one_path import LateError
from formulations.day.rate_table import rate_table
from formulations.day.transitions import per_vector

Rates = tuple[Fraction, ...]
Cheapest = Callable[[Rates], tuple[Staffing, ...] | None]
"""Rates of the modules in; the cheapest staffings, one per module, or None where no plan serves them, out."""


def cheapest_plans(day: Day, factor: Fraction, deadline: float, *, exact: bool) -> Cheapest:
    """What finds the cheapest plan for rates.

    Args:
        day: the instance.
        factor: rates are at most so many times the largest ones of the load.
        deadline: when to give up, on the clock of `time.perf_counter`.
        exact: whether rates are compared as fractions, where floats met a tie.

    Raises:
        InapplicableError: there are too many numbers of machines, or no solver for several modules.
        LateError: the deadline passed.
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

    def cheapest(rates: Rates) -> tuple[Staffing, ...] | None:
        enough = table.serves(rates[0]).ravel()[order]
        first = int(np.argmax(enough))
        if not enough[first]:
            return None
        at = tuple(int(n) for n in np.unravel_index(int(order[first]), table.rate.shape))
        return (Staffing(table.serving(at, rates[0])),)

    return cheapest


def _by_solver(session: Session, deadline: float) -> Cheapest:
    """Several modules: what `exact` finds among plans of whole machines; the same rates are solved once."""
    known: dict[Rates, tuple[Staffing, ...] | None] = {}

    def cheapest(rates: Rates) -> tuple[Staffing, ...] | None:
        if rates not in known:
            known[rates] = _solved(at_rates(session, rates), deadline)
        return known[rates]

    return cheapest


def _solved(session: Session, deadline: float) -> tuple[Staffing, ...] | None:
    left_s = deadline - time.perf_counter()
    if left_s <= 0:
        raise LateError
    result = solve(session, "exact", space=WHOLE, time_limit_s=None if left_s == float("inf") else left_s)
    if result.status is Status.INAPPLICABLE:
        raise InapplicableError(result.reason)
    if result.value is None:
        if result.status is Status.INFEASIBLE:
            return None
        raise LateError
    assert result.plan is not None
    return tuple(
        Staffing(
            tuple(
                Serving(a.configuration.hardware, a.configuration.batch, a.configuration.concurrency, n)
                for a in module.allocations
                if (n := a.machines + bool(a.partial_rps))
            )
        )
        for module in result.plan.modules
    )
