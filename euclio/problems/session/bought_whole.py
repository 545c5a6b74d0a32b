"""The cost of plans bought whole and of plans on shared machines, and a bound on packed plans (ours)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from fractions import Fraction
from math import ceil, gcd, lcm

from euclio.core.compiled import as_they_are
from euclio.core.coverage import fitting
from euclio.core.numbers import exact
from euclio.core.objective import LEAST_COST
from euclio.core.registry import solvers
from euclio.core.result import Result, Status
from euclio.core.solving import solve
from euclio.core.warm_up import warm_up
from euclio.core.words import full, percent
from euclio.problems.session.costs import money
from euclio.problems.session.demands import is_limited_by_changes
from euclio.problems.session.evaluate import evaluate
from euclio.problems.session.instance import Session
from euclio.problems.session.packing import packs, residents
from euclio.problems.session.placing import share_machines
from euclio.problems.session.plan import Plan
from euclio.problems.session.resources import without_stock
from euclio.problems.session.rules import Charging, DummyRule
from euclio.problems.session.space import PlanSpace

# The least cost of whole machines, from some amount on (ours).

MOST_UNITS = 1 << 22
"""Sums are not searched if there are more multiples than this of the largest unit that divides all prices."""


def price_unit(prices: Iterable[Fraction]) -> Fraction:
    """An amount that divides all prices, perhaps not the largest: gcd of numerators over lcm of denominators."""
    own = tuple(prices)
    return Fraction(gcd(*(price.numerator for price in own)), lcm(*(price.denominator for price in own)))


def least_sum(prices: Iterable[Fraction], amount: Fraction) -> Fraction:
    """The least sum of prices, each taken any number of times, that is not less than an amount above 0.

    Args:
        prices: money per hour by hardware type; prices of 0 do not count.
        amount: money per hour.

    Returns:
        The sum, exactly; the amount itself if there are too many sums, or all prices are 0.
    """
    paid = sorted({price for price in prices if price})
    if not paid or amount <= 0:
        return amount
    unit = price_unit(paid)
    sizes = [int(price / unit) for price in paid]
    asked = ceil(amount / unit)
    most = asked + sizes[0]
    if most > MOST_UNITS:
        return amount
    # Bit i says whether i units are a sum. A sum of at least the amount is below `most`: add the cheapest price.
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
"""Entry of a result's `stats`: a proven lower bound on the cost per hour of plans of packed machines."""
BELOW = 1 - Fraction(1, 10**9)
"""The factor that lowers a bound in floating point by more than its error before it is compared with sums of prices."""
LIMIT_S = 5.0
"""The most seconds of the search for the best whole plan, or for the bound."""
EXACT = "exact"
SHARED, BUSIEST, SHARED_IN_TIME = "shared_per_h", "shared_busiest", "shared_poisson_attainment"
SHARED_FREE = "shared_keeps_free"
"""Entries of a result's `stats` about a plan that shares machines and costs less than the best known whole plan.

They are its cost per hour, the time share that its busiest shared machine works, and its share of Poisson requests in
time. A further entry is 1 if its machines keep capacity free, as plans of an attainment do."""
MOST_SHARING, SHARE_S = 20, 0.1
"""Modules of a session for which sharing is tried, and seconds for each plan by share."""
PARTS = (Fraction(1), Fraction(3, 4))
"""Parts of the SLO for which these plans are made; the rest is left for the waits on shared machines."""


def prepare(space: PlanSpace) -> None:
    """Compile the functions of `with_whole_costs` for a plan space, before anything is timed."""
    if EXACT in solvers("session"):
        if space.charging is Charging.SHARE:
            warm_up(solvers("session")[EXACT], _whole(space))
        elif space.charging is Charging.PACKED:
            warm_up(solvers("session")[EXACT], _by_share(space))


def with_whole_costs(session: Session, result: Result, limit_s: float | None) -> Result:
    """The result with the cost of its plan bought whole, and of the best plan of whole machines, in `stats`.

    With a plan of packed machines, the entry is a lower bound on the cost of such plans.

    Args:
        session: the session, with its changes.
        result: its result.
        limit_s: seconds for both; None means no limit but `LIMIT_S`.

    Returns:
        The result; unchanged if it has no plan, or a plan of whole machines.
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
    """The result with a proven bound on packed plans; a solver with a bound of its own, as `exact`, proves no less."""
    if result.bound is not None:
        return result
    least = packed_bound(session, result.space, LIMIT_S if limit_s is None else min(limit_s, LIMIT_S))
    return result if least is None else replace(result, stats={**result.stats, PACKED_BOUND: least})


def packed_bound(session: Session, space: PlanSpace, limit_s: float) -> float | None:
    """A lower bound on the cost per hour of packed plans: the optimum by share, with any dummy rates. None if unknown.

    Every packed plan counts as a plan by share. On a shared machine the shares f/t sum up to at most the time that it
    is busy, hence to at most 1, and the plan by share has no waits for other modules. The bound is raised to the least
    sum of prices that is not less. Changes to running machines are counted in other ways by share, so if they bind
    there is no bound. Stock and resources are left out, which only lowers the bound.
    """
    if EXACT not in solvers("session") or limit_s <= 0 or is_limited_by_changes(session):
        return None
    bound = solve(without_stock(session), EXACT, space=_by_share(space), time_limit_s=limit_s).bound
    if bound is None:
        return None
    # Every packed machine is charged whole, so a cost is a sum of prices, and the least such sum is a bound too.
    return max(float(bound), float(least_sum(session.price.values(), exact(bound) * BELOW)))


def cheaper_shared(session: Session, space: PlanSpace, plans: Iterable[Plan], least: Fraction) -> Plan | None:
    """A plan on shared machines that costs less than some amount per hour; None if none is found.

    The plans of other ways of charging are packed (`share_machines`), also those by share, which use the least time.

    Args:
        session: the session.
        space: plan space of the plan, in which machines are packed.
        plans: plans of the session to be packed next to those by share.
        least: money per hour.
    """
    if not 1 < len(session.modules) <= MOST_SHARING or not packs(space.policy):
        return None
    known, best, by_share = list(plans), None, replace(space, charging=Charging.SHARE)
    for part in PARTS if EXACT in solvers("session") and not session.objectives else ():
        with as_they_are():
            own = replace(session, slo_s=session.slo_s * part)
            found = solve(own, EXACT, space=by_share, time_limit_s=SHARE_S)
        known += [found.plan] if found.status is Status.OPTIMAL and found.plan is not None else []
    for plan in known:
        shared = share_machines(session, plan, space)
        checked = evaluate(session, shared, space)
        if shared.shared and checked.feasible and checked.cost_per_h is not None and checked.cost_per_h < least:
            best, least = shared, checked.cost_per_h
    return best


def shared_stats(session: Session, plan: Plan, space: PlanSpace) -> dict[str, float]:
    """Cost of a plan on shared machines, and the share of the time that the busiest of these works for requests."""
    checked = evaluate(session, plan, space)
    assert checked.cost_per_h is not None
    groups = residents(plan, [module.partial_rps for module in checked.modules])
    came = [m.rate_rps / (m.rate_rps + own.dummy_rps) for m, own in zip(session.modules, checked.modules, strict=True)]
    busiest = max(sum((one.busy * came[one.module] for one in group), Fraction(0)) for group in groups)
    return {SHARED: float(checked.cost_per_h), BUSIEST: float(busiest)}


def _shared_in_words(session: Session, result: Result) -> list[str]:
    """The line on shared machines under another plan; none if they save nothing, or no solver makes such plans."""
    space, stats = replace(result.space, charging=Charging.PACKED), result.stats
    makers = fitting(session, lambda solver: solver.space_on(session, space)) if SHARED in stats else []
    if not makers:
        return []
    if stats.get(SHARED_FREE):
        # The plan is made for margins: the attainment decides whether there is one, and its cost.
        return ["shared machines that keep capacity free may cost less: --machines packed --attainment 0.99"]
    kept = f", {percent(stats[SHARED_IN_TIME])} of Poisson requests in time" if SHARED_IN_TIME in stats else ""
    named = "" if any(own.name == EXACT for own in makers) else f" --solver {makers[0].name}"
    cost, busy = money(session, exact(full(stats[SHARED]))), percent(stats[BUSIEST], 0)
    return [f"shared machines: {cost} per hour, the busiest works {busy} of the time{kept}; --machines packed{named}"]


def whole_costs_in_words(session: Session, result: Result) -> list[str]:
    """The line on whole machines under a plan by share, or on packed plans under a packed one; none if unknown."""
    stats = result.stats
    if result.space.charging is Charging.PACKED and result.value is not None and PACKED_BOUND in stats:
        least = money(session, exact(stats[PACKED_BOUND]))
        proof = "proven: the bound of machines by share, in whole machines"
        return [f"no plan of packed machines costs less than {least} per hour ({proof})"]
    shared = _shared_in_words(session, result)
    if result.space.charging is not Charging.SHARE or result.value is None or BEST not in stats:
        return shared
    bought = f"bought whole {money(session, exact(stats[BOUGHT]))} per hour" if BOUGHT in stats else "beyond the stock"
    known = stats.get(BOUND, 0.0)
    proven = "proven" if LEAST_COST.proven(exact(stats[BEST]), known) else f"at least {money(session, exact(known))}"
    best = f"{money(session, exact(stats[BEST]))} ({proven})"
    return [f"{bought}; the best plan of whole machines, --machines whole: {best}", *shared]


def _whole(space: PlanSpace) -> PlanSpace:
    return replace(space, charging=Charging.WHOLE)


def _by_share(space: PlanSpace) -> PlanSpace:
    return replace(space, charging=Charging.SHARE, dummy=DummyRule.CONTINUOUS)
