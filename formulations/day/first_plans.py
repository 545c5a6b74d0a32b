"""Plans of a load over time before the search for its least cost: those of the rules, and those of the steps (ours).

The answer is the cheapest of these and of the search's plans, so no rule is ever cheaper. A slow rule runs last, and
only as long as it may be the cheapest.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import accumulate

import numpy as np
from numpy.typing import NDArray

from euclio.core.tolerances import PROOF_TOLERANCE
from euclio.problems.day import Day, DayPlan, evaluate
from euclio.problems.day.evaluate import DayEvaluation
from euclio.problems.day.instance import HOUR_S
from formulations.day.answers import Made, RuleError, day_plan, nothing_serves
from formulations.day.cheapest import Cheapest
from formulations.day.known_plans import Ints, KnownPlans, Way, machines_of
from formulations.day.paths import LateError
from formulations.day.pool import Money, cheapest_way
from formulations.day.rate_table import ROUNDING
from formulations.day.rules import Rule, peak, per_machine, per_step

# A bound from the steps alone: each costs at least its own cheapest plan, and changes cost at least 0 (ours).


def bounds_of_steps(day: Day, bounds_per_h: Sequence[float | None]) -> list[float]:
    """For each step a bound on the cost of it and all steps after it; the first one bounds the cost of all plans.

    Args:
        day: the instance.
        bounds_per_h: a bound on the plans of each step, in money per hour; None if there is none.
    """
    own = [
        float(step.length_s / HOUR_S) * max(0.0, bound or 0.0)
        for step, bound in zip(day.steps, bounds_per_h, strict=True)
    ]
    return [total * (1 - ROUNDING) for total in reversed(list(accumulate(reversed(own))))]


@dataclass(slots=True)
class FirstPlans:
    """Plans and a bound.

    Attributes:
        ways: the plans of the rules with a plan.
        known: all known plans that serve a step.
        own: machines of the cheapest plans of all steps, shape (steps, modules, types); None if some are unknown.
        bounds: for each step, the least cost of it and all steps after it.
        missing: reasons for rules without a plan.
    """

    ways: list[Way]
    known: KnownPlans
    own: Ints | None
    bounds: list[float]
    missing: list[RuleError | LateError] = field(default_factory=list)


def first_plans(day: Day, cheapest: Cheapest) -> FirstPlans:
    """The plans of all steps, and of the rules that are no slower than these.

    A rule without a plan has its reason in `missing`, as has an unfinished one at the deadline.

    Args:
        day: the instance.
        cheapest: function that finds the cheapest plan for rates.

    Raises:
        NoPlanError: nothing serves a step.
    """
    found = FirstPlans([], KnownPlans(day), None, [])
    for rule in (peak, per_machine, per_step):
        add_rule(day, cheapest, found, rule)
    _add_steps(day, cheapest, found)
    return found


def add_rule(day: Day, cheapest: Cheapest, found: FirstPlans, rule: Rule, most: float = math.inf) -> None:
    """Add the plan of a rule, which runs as long as its total cost may stay within some money.

    Raises:
        NoPlanError: nothing serves a step.
    """
    money, cost = money_of(day), 0.0
    way: Way = []
    before: Ints | None = None
    try:
        for k, staffings in enumerate(rule(day, cheapest)):
            way.append(staffings)
            on = machines_of(day, staffings)
            cost += float((on @ money.running[k]).sum())
            if before is not None:
                cost += _changes(money, before, on)
            before = on
            # With the least cost of the later steps, it cannot be the cheapest any more.
            if k + 1 < len(found.bounds) and cost + found.bounds[k + 1] > most * (1 + PROOF_TOLERANCE):
                return
    except (RuleError, LateError) as reason:
        found.missing.append(reason)
        return
    found.ways.append(way)
    found.known.add(way)


def _add_steps(day: Day, cheapest: Cheapest, found: FirstPlans) -> None:
    """The cheapest plan of each step, and the bound from all of them."""
    bounds: list[float | None] = []
    own: list[Ints] = []
    for k, step in enumerate(day.steps):
        try:
            plan = cheapest(step.rates_rps)
        except (RuleError, LateError) as reason:
            found.missing.append(reason)
            bounds.append(None)
            continue
        if plan is None:
            raise nothing_serves(day, k)
        found.known.add_plan(plan.staffings, [k])
        own.append(machines_of(day, plan.staffings))
        bounds.append(plan.bound_per_h)
    found.own = np.array(own) if len(own) == len(day.steps) else None
    found.bounds = bounds_of_steps(day, bounds)


def add_windows(day: Day, cheapest: Cheapest, found: FirstPlans, widths: Sequence[int]) -> None:
    """The cheapest plans for the largest rates of a number of consecutive steps.

    Raises:
        LateError: the deadline passed.
    """
    steps = len(day.steps)
    for width in (n for n in widths if n < steps):
        for first in range(steps - width + 1):
            inside = range(first, first + width)
            rates = tuple(max(column) for column in zip(*(day.steps[k].rates_rps for k in inside), strict=True))
            try:
                plan = cheapest(rates)
            except RuleError as reason:
                found.missing.append(reason)
                continue
            if plan is not None:  # the stock may be too small for all of them together
                found.known.add_plan(plan.staffings, inside)


def money_of(day: Day) -> Money:
    """Costs of machines."""
    hours = np.array([float(step.length_s / HOUR_S) for step in day.steps])
    hardware = day.session.hardware
    return Money(
        hours[:, None] * np.array([float(own.price_per_h) for own in hardware]),
        _by_machine(day, day.price_of_start),
        _by_machine(day, day.price_of_stop),
    )


def _by_machine(day: Day, price: Callable[[int, int], Fraction]) -> NDArray[np.float64]:
    """A price by module and type."""
    types = range(len(day.session.hardware))
    return np.array([[float(price(m, h)) for h in types] for m in range(len(day.session.modules))])


def cost_of(day: Day, money: Money, way: Way) -> float:
    """The cost of a way, in floats."""
    on = np.array([machines_of(day, staffings) for staffings in way])
    return float((on.sum(axis=1) * money.running).sum()) + _changes(money, on[:-1], on[1:])


def _changes(money: Money, before: Ints, after: Ints) -> float:
    """The cost of changes from some machines to others; modules and types are the last axes."""
    more = after - before
    return float((np.maximum(more, 0) * money.start + np.maximum(-more, 0) * money.stop).sum())


def way_through(known: KnownPlans, money: Money, reach: int) -> Way:
    """The cheapest way through the known plans; every step has one."""
    machines, steps, staffings = known.lists(reach)
    running = (machines.sum(1) * money.running[steps]).sum(1)
    ends = np.searchsorted(steps, np.arange(len(money.running)), side="right")
    flat = machines.reshape(len(machines), -1)
    _, chosen = cheapest_way(flat, running, ends, money.start.ravel(), money.stop.ravel())
    return [staffings[n] for n in chosen]


def cheapest_accepted(day: Day, ways: Iterable[Way], bound: float) -> Made:
    """The cheapest of some ways that the checker accepts.

    Floats sort them, and fractions decide between close ones. A refused plan is a fault of its method, and the answer
    says so. If all are refused, the answer has the first one, with the checker's reasons.
    """
    money = money_of(day)
    priced = sorted(
        ((cost_of(day, money, way), n, day_plan(way)) for n, way in enumerate(ways)), key=lambda own: own[:2]
    )
    best: tuple[Fraction, DayPlan, DayEvaluation] | None = None
    refused: list[str] = []
    for cost, _, plan in priced:
        # They are sorted by cost in floats, so all later ones cost more beyond any rounding.
        if best is not None and cost > float(best[0]) * (1 + PROOF_TOLERANCE):
            break
        checked = evaluate(day, plan)
        if checked.value is None or not checked.feasible:
            refused.append(f"a cheaper plan was refused by the checker: {checked.violations[0]}")
        elif best is None or checked.value < best[0]:
            best = checked.value, plan, checked
    reason = "".join(refused[:1])
    return Made(priced[0][2], bound, reason) if best is None else Made(best[1], bound, reason, best[2])
