"""What plans by share cost bought whole, the best plan of whole machines, and what no packed plan is below (ours)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from fractions import Fraction
from math import ceil, gcd, lcm

from euclio.core.numbers import exact
from euclio.core.objective import LEAST_COST
from euclio.core.registry import solvers
from euclio.core.result import Result
from euclio.core.solving import solve
from euclio.core.warm_up import warm_up
from euclio.problems.session.costs import money
from euclio.problems.session.demands import is_limited_by_changes
from euclio.problems.session.evaluate import evaluate
from euclio.problems.session.instance import Session
from euclio.problems.session.rules import Charging, DummyRule
from euclio.problems.session.space import PlanSpace

# The least that whole machines cost together, from some amount on (ours).

MOST_UNITS = 1 << 22
"""Sums are not looked for where there are more multiples of the largest unit that divides all prices."""


def least_sum(prices: Iterable[Fraction], amount: Fraction) -> Fraction:
    """The least sum of prices, each taken any number of times, that is no less than an amount above 0.

    Args:
        prices: money per hour by hardware type; those that are 0 do not count.
        amount: money per hour.

    Returns:
        The sum, exactly; the amount itself where there are too many sums, or all prices are 0.
    """
    paid = sorted({price for price in prices if price})
    if not paid or amount <= 0:
        return amount
    unit = Fraction(gcd(*(price.numerator for price in paid)), lcm(*(price.denominator for price in paid)))
    # gcd of numerators over lcm of denominators divides all prices, if perhaps it is not the largest unit that does.
    sizes = [int(price / unit) for price in paid]
    asked = ceil(amount / unit)
    most = asked + sizes[0]
    if most > MOST_UNITS:
        return amount
    # Bit i says whether i units are a sum. One that is no less than asked for is below `most`: add the cheapest.
    sums, mask = 1, (1 << most + 1) - 1
    for size in sizes:
        while size <= most:
            sums |= sums << size & mask
            size *= 2
    above = sums >> asked
    return (asked + (above & -above).bit_length() - 1) * unit


BOUGHT, BEST, BOUND = "bought_whole_per_h", "best_whole_per_h", "best_whole_bound_per_h"
"""Entries of a result's `stats`: cost per hour of the plan rounded up, of the best whole plan found, its bound."""
PACKED_BOUND = "packed_bound_per_h"
"""Entry of a result's `stats`: cost per hour that no plan of packed machines is below, proven."""
BELOW = 1 - Fraction(1, 10**9)
"""A bound in floating point is lowered by more than it may err before sums of prices are compared with it."""
LIMIT_S = 5.0
"""Seconds that the search of the best whole plan, or of the bound, takes at most."""
EXACT = "exact"


def prepare(space: PlanSpace) -> None:
    """Compile what `with_whole_costs` needs for a plan space, before anything is timed."""
    if EXACT in solvers("session"):
        if space.charging is Charging.SHARE:
            warm_up(solvers("session")[EXACT], _whole(space))
        elif space.charging is Charging.PACKED:
            warm_up(solvers("session")[EXACT], _by_share(space))


def with_whole_costs(session: Session, result: Result, limit_s: float | None) -> Result:
    """The result with what its plan costs bought whole, and what the best plan of whole machines costs, in `stats`.

    With a plan of packed machines it is what none is below.

    Args:
        session: the session, with its changes.
        result: its result.
        limit_s: seconds that there are for it; None: no limit but `LIMIT_S`.

    Returns:
        The result; as it is where it has no plan, or one of whole machines already.
    """
    if result.value is None or result.plan is None or result.space.charging is Charging.WHOLE:
        return result
    if result.space.charging is Charging.PACKED:
        return _with_packed_bound(session, result, limit_s)
    space = _whole(result.space)
    stats = dict(result.stats)
    bought = evaluate(session, result.plan, space)
    if bought.feasible and bought.cost_per_h is not None:
        stats[BOUGHT] = float(bought.cost_per_h)
    left_s = LIMIT_S if limit_s is None else min(limit_s, LIMIT_S)
    if EXACT in solvers("session") and left_s > 0:
        best = solve(session, EXACT, space=space, time_limit_s=left_s)
        stats |= {name: float(value) for name, value in ((BEST, best.value), (BOUND, best.bound)) if value is not None}
    return replace(result, stats=stats)


def _with_packed_bound(session: Session, result: Result, limit_s: float | None) -> Result:
    """The result with a proven bound on packed plans: the optimum by share, with dummies at any rate.

    Every packed plan is one of these: on a shared machine the shares f/t sum up to no more than the time that it is
    busy, hence to 1, and nobody waits for others. It is raised to the least sum of prices that is no less. Changes to
    running machines are counted in other ways there, so that nothing is said where they bind.
    """
    left_s = LIMIT_S if limit_s is None else min(limit_s, LIMIT_S)
    # A solver that proves a bound of its own, as `exact` does, proves no less.
    known = result.bound is not None or is_limited_by_changes(session)
    if EXACT not in solvers("session") or left_s <= 0 or known:
        return result
    bound = solve(session, EXACT, space=_by_share(result.space), time_limit_s=left_s).bound
    if bound is None:
        return result
    # Where packed, every machine is charged whole: a cost is a sum of prices, and the least of these is a bound too.
    least = float(least_sum(session.price.values(), exact(bound) * BELOW))
    return replace(result, stats={**result.stats, PACKED_BOUND: max(float(bound), least)})


def whole_costs_in_words(session: Session, result: Result) -> list[str]:
    """The line on whole machines under a plan by share, or on packed plans under one; none where nothing is known."""
    stats = result.stats
    if result.space.charging is Charging.PACKED and result.value is not None and PACKED_BOUND in stats:
        least = money(session, exact(stats[PACKED_BOUND]))
        proof = "proven: the bound of machines by share, in whole machines"
        return [f"no plan of packed machines costs less than {least} per hour ({proof})"]
    if result.space.charging is not Charging.SHARE or result.value is None or BEST not in stats:
        return []
    bought = f"bought whole {money(session, exact(stats[BOUGHT]))} per hour" if BOUGHT in stats else "beyond the stock"
    known = stats.get(BOUND, 0.0)
    proven = "proven" if LEAST_COST.proven(exact(stats[BEST]), known) else f"at least {money(session, exact(known))}"
    best = f"{money(session, exact(stats[BEST]))} ({proven})"
    return [f"{bought}; the best plan of whole machines, --machines whole: {best}"]


def _whole(space: PlanSpace) -> PlanSpace:
    return replace(space, charging=Charging.WHOLE)


def _by_share(space: PlanSpace) -> PlanSpace:
    return replace(space, charging=Charging.SHARE, dummy=DummyRule.CONTINUOUS)
