"""Complete enumeration of the plans of a session: the oracle for small cases (ours; rules: docs/model/sessions.md).

Every vector of whole-machine counts of every module is visited and closed in every way that the dummy rule allows.
A module keeps its frontier: the plans that are strictly faster than every cheaper one. Then all combinations of
frontier plans are enumerated (`combination.py`). Nothing is bounded by anything cleverer than a sum of least costs.

Where machines are charged whole, or plans are held to more than latency and cost, `bought_enumeration.py` says what is
listed; where partial machines may be shared, `packed_enumeration.py`.

Arithmetic is exact: rates and costs are integers on a common scale, made from the decimal text of the input.
"""

from __future__ import annotations

import functools
from dataclasses import replace
from fractions import Fraction
from math import ceil, floor, inf

from bruteforce.session.asked import asked_of
from bruteforce.session.bought_enumeration import cheapest_bought
from bruteforce.session.combination import ModuleChoice, TimeUpError, cheapest_plan
from bruteforce.session.module_plans import (
    MOST_VECTORS,
    Counts,
    all_counts,
    collection_rates,
    most_vectors,
    worst_latency,
)
from bruteforce.session.packed_enumeration import cheapest_packed
from bruteforce.session.scaled_module import ScaledModule, scale_module
from euclio.core.errors import InapplicableError
from euclio.core.registry import Limits
from euclio.core.result import Answer
from euclio.core.words import plain
from euclio.problems.session import Allocation, Module, ModulePlan, Plan, PlanSpace, Session


def solve_by_plan_enumeration(session: Session, space: PlanSpace, limits: Limits) -> Answer:
    """The cheapest plan of a session in a plan space, by enumerating all plans.

    Args:
        session: the instance.
        space: plan space with dummy rule `none` or `machine`; also `continuous` where machines are charged whole, under
            the policies of this package.
        limits: time limit.

    Raises:
        InapplicableError: more count vectors than `MOST_VECTORS`.
    """
    deadline = limits.deadline()
    names = [h.name for h in session.hardware if space.hardware is None or h.name in space.hardware]
    spaces = [space.on(name) for name in names] if space.single_hardware else [space]
    best: tuple[Fraction, Plan] | None = None
    reason = "no hardware is allowed"
    try:
        for narrowed in spaces:
            found = _cheapest_in(session, narrowed, deadline)
            if isinstance(found, str):
                reason = found
            elif best is None or found[0] < best[0]:
                # Strictly cheaper: ties keep the hardware that is listed first.
                best = found
    except TimeUpError:
        return Answer(None, "time limit", reason="the time limit was reached before every plan was seen")
    if best is None:
        return Answer(None, "exhausted", infeasible=True, reason=reason)
    cost = float(best[0])
    return Answer(best[1], "exhausted", claimed=cost, bound=cost)


def _cheapest_in(session: Session, space: PlanSpace, deadline: float) -> tuple[Fraction, Plan] | str:
    """Cost and plan of the cheapest plan of a plan space without `single_hardware`, or in words why there is none."""
    if space.charging.packs:
        return cheapest_packed(session, space, deadline)
    if space.charging.whole or asked_of(session).anything:
        return cheapest_bought(session, space, deadline)
    return cheapest_plan(session, functools.partial(_frontier, session, space, deadline), deadline)


def _frontier(session: Session, space: PlanSpace, deadline: float, module: Module) -> list[ModuleChoice]:
    """The frontier of a module of the session within the SLO."""
    return module_frontier(module, session.price, space, session.slo_s, deadline)


def module_frontier(
    module: Module, price: dict[str, Fraction], space: PlanSpace, budget_s: Fraction, deadline: float = inf
) -> list[ModuleChoice]:
    """The module's plans within a latency budget that are strictly faster than every cheaper one, cheapest first.

    Args:
        module: the module.
        price: price per hour by hardware name.
        space: plan space, in which `single_hardware` is left out of account.
        budget_s: largest worst-case latency in seconds.
        deadline: `time.perf_counter` value at which to give up.

    Raises:
        InapplicableError: there may be more count vectors than `MOST_VECTORS`.
    """
    scaled = scale_module(module, price, space)
    vectors = most_vectors(scaled, space.max_allocations)
    if vectors > MOST_VECTORS:
        raise InapplicableError(
            f"module {module.name} may have {plain(vectors, 2, ',')} vectors of machine counts; "
            f"enumeration stops at {MOST_VECTORS:,}, use exact"
        )
    frontier: list[ModuleChoice] = []
    needs = [_need(scaled, i, budget_s, strictly=False) for i in range(len(scaled.configurations))]
    # By rising cost, so that a plan is kept exactly if it is faster than every cheaper one.
    for counts in sorted(all_counts(scaled, space, deadline)):
        # Where machines share a rate, and under a user's policy, there are no least rates, only latencies of plans.
        if scaled.even or scaled.general is not None:
            latency = worst_latency(scaled, counts)
            kept = latency < frontier[-1].latency_s if frontier else latency <= budget_s
        else:
            kept = all(rate >= needs[i] for i, rate in collection_rates(scaled, counts))
            if kept:
                latency = worst_latency(scaled, counts)
        if kept:
            # As cheap as the last one and faster: the last one goes.
            if frontier and frontier[-1].cost_per_h * scaled.cost_scale == counts.cost:
                frontier.pop()
            frontier.append(_choice(scaled, counts, latency))
            # From here on only strictly faster plans are kept.
            needs = [_need(scaled, i, latency, strictly=True) for i in range(len(scaled.configurations))]
    return frontier


def _need(scaled: ScaledModule, i: int, latency_s: Fraction, *, strictly: bool) -> float:
    """The least scaled rate at which configuration i stays within (strictly: below) a latency; inf: none."""
    configuration = scaled.configurations[i]
    collecting_s = latency_s - configuration.duration_s
    if collecting_s <= 0:
        return inf
    rate = configuration.batch * scaled.scale / collecting_s
    return floor(rate) + 1 if strictly else ceil(rate)


def _choice(scaled: ScaledModule, counts: Counts, latency_s: Fraction) -> ModuleChoice:
    """A closed plan with its latency in seconds, back on the scale of the input."""
    allocations = [Allocation(scaled.configurations[i], n) for i, n in counts.machines]
    allocations[-1] = replace(allocations[-1], partial_rps=Fraction(counts.partial, scaled.scale))
    plan = ModulePlan(tuple(allocations), Fraction(counts.dummy, scaled.scale))
    return ModuleChoice(latency_s, Fraction(counts.cost, scaled.cost_scale), plan)
