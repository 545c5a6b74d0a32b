"""The least cost of one module over time, by dynamic programming over vectors of machines (ours)."""

from __future__ import annotations

from euclio.problems.day import Day
from euclio.problems.day.instance import HOUR_S
from formulations.day.answers import Made, day_plan, nothing_serves, staffing
from formulations.day.paths import change_prices, cheapest_path, per_vector
from formulations.day.rate_table import rate_table

ROUNDING = 1e-10
"""Share by which sums of 20,000 steps in floats may be too large, with a hundredfold margin."""


def cheapest_of_one_module(day: Day, deadline: float, exact: bool) -> Made:
    """The cheapest plan of a day with one module, and a bound that proves it.

    Args:
        day: the instance.
        deadline: deadline on the clock of `time.perf_counter`.
        exact: whether to compare rates as fractions. Otherwise vectors that serve because of rounding count too, so the
            bound holds and the plan may be infeasible.

    Raises:
        NoPlanError: nothing serves a step.
        LateError: the deadline passed.
        InapplicableError: there are too many numbers of machines.
    """
    session = day.session
    rates = [step.rates_rps[0] for step in day.steps]
    table = rate_table(session, session.modules[0], session.slo_s, max(rates), exact=exact)
    prices = tuple(float(session.price[name]) for name in table.hardware)
    types = [hardware.name for hardware in session.hardware]
    found = cheapest_path(
        lambda k: table.serves(rates[k]),
        per_vector(prices, table.rate.shape),
        [float(step.length_s / HOUR_S) for step in day.steps],
        change_prices(day, [(0, types.index(name)) for name in table.hardware]),
        deadline,
    )
    if isinstance(found, int):
        raise nothing_serves(day, found)
    modules = (
        [staffing(table.serving(on, rate), dict(zip(table.hardware, on, strict=True)))]
        for on, rate in zip(found.machines, rates, strict=True)
    )
    return Made(day_plan(modules), found.cost * (1 - ROUNDING))
