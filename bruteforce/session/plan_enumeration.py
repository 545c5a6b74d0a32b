"""Complete enumeration of the plans of a session: the oracle for small cases (ours; rules: docs/model/sessions.md).

Every vector of whole-machine counts of every module is visited and closed in every way that the dummy rule allows.
A module keeps its frontier: the plans that are strictly faster than every cheaper one. Then all combinations of
frontier plans are enumerated (`combination.py`). Nothing is bounded by anything cleverer than a sum of least costs.

Arithmetic is exact: rates and costs are integers on a common scale, made from the decimal text of the input. The
latency formulas of the built-in policies are written here a second time on purpose; the checker's are not used. A
user's own policy, which is nothing but such formulas, is asked for every plan.
"""

from __future__ import annotations

import functools
import time
from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from math import ceil, exp, floor, inf, lgamma, log
from typing import NamedTuple

from bruteforce.session.combination import ModuleChoice, TimeUpError, cheapest_plan
from bruteforce.session.scaled_module import ScaledModule, scale_module
from euclio.core.errors import InapplicableError
from euclio.core.registry import Limits
from euclio.core.result import Answer
from euclio.session import Allocation, Module, ModulePlan, Plan, PlanSpace, Session
from euclio.session.policies import Place

MOST_VECTORS = 5_000_000
"""Count vectors of one module beyond which the enumeration refuses to begin."""

_LARGEST_EXPONENT = 700.0
"""exp of more is no float."""


class _Counts(NamedTuple):
    """A closed plan of one module in scaled integers; sorts by cost."""

    cost: int
    machines: tuple[tuple[int, int], ...]
    """Pairs of configuration index and whole machines, in rank order."""
    partial: int
    dummy: int


def solve_by_plan_enumeration(session: Session, space: PlanSpace, limits: Limits) -> Answer:
    """The cheapest plan of a session in a plan space, by enumerating all plans.

    Args:
        session: the instance.
        space: plan space with dummy rule `none` or `machine`.
        limits: time limit.

    Raises:
        InapplicableError: rule `continuous` (its plans cannot be listed), or more count vectors than `MOST_VECTORS`.
    """
    if not space.dummy.countable:
        raise InapplicableError("rule continuous has infinitely many plans; use none or machine")
    deadline = inf if limits.time_limit_s is None else time.perf_counter() + limits.time_limit_s
    names = [h.name for h in session.hardware if space.hardware is None or h.name in space.hardware]
    spaces = [space.on(name) for name in names] if space.single_hardware else [space]
    best: tuple[Fraction, Plan] | None = None
    reason = "no hardware is allowed"
    try:
        for narrowed in spaces:
            found = cheapest_plan(session, functools.partial(_frontier, session, narrowed, deadline), deadline)
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
    vectors = _most_vectors(scaled, space.max_allocations)
    if vectors > MOST_VECTORS:
        raise InapplicableError(
            f"module {module.name} may have {vectors:.2g} vectors of machine counts; "
            f"enumeration stops at {MOST_VECTORS:.0e}, use exact"
        )
    frontier: list[ModuleChoice] = []
    needs = [_need(scaled, i, budget_s, strictly=False) for i in range(len(scaled.configurations))]
    # By rising cost, so that a plan is kept exactly if it is faster than every cheaper one.
    for counts in sorted(_all_counts(scaled, space, deadline)):
        # Where machines share a rate, and under a user's policy, there are no least rates, only latencies of plans.
        if scaled.even or scaled.general is not None:
            latency = _even_latency(scaled, counts) if scaled.general is None else _general_latency(scaled, counts)
            kept = latency < frontier[-1].latency_s if frontier else latency <= budget_s
        else:
            collected = list(_collection_rates(scaled, counts))
            kept = all(rate >= needs[i] for i, rate in collected)
            if kept:
                latency = max(
                    scaled.configurations[i].duration_s + Fraction(scaled.configurations[i].batch * scaled.scale, rate)
                    for i, rate in collected
                )
        if kept:
            # As cheap as the last one and faster: the last one goes.
            if frontier and frontier[-1].cost_per_h * scaled.cost_scale == counts.cost:
                frontier.pop()
            frontier.append(_choice(scaled, counts, latency))
            # From here on only strictly faster plans are kept.
            needs = [_need(scaled, i, latency, strictly=True) for i in range(len(scaled.configurations))]
    return frontier


def _most_vectors(scaled: ScaledModule, max_allocations: int | None) -> float:
    """An upper bound on the count vectors: the smaller of a box, thinned by the limit, and a simplex.

    The integer points of {n >= 0, sum n·t < T} number at most the volume of the same simplex enlarged by a unit cube.
    """
    counts = [scaled.rate / t + 1 for t in scaled.throughput]
    size = len(counts)
    by_support = [1.0] + [0.0] * size
    for n in counts:
        for k in range(size, 0, -1):
            by_support[k] += n * by_support[k - 1]
    box = sum(by_support[: (size if max_allocations is None else max_allocations) + 1])
    enlarged = scaled.rate + sum(scaled.throughput)
    simplex = sum(log(enlarged / t) for t in scaled.throughput) - lgamma(size + 1)
    return min(box, exp(min(simplex, _LARGEST_EXPONENT)))


def _all_counts(scaled: ScaledModule, space: PlanSpace, deadline: float) -> Iterator[_Counts]:
    """Every plan of the module that the dummy rule and the limit on allocations allow, whatever its latency."""
    size = len(scaled.configurations)
    most = size if space.max_allocations is None else min(size, space.max_allocations)
    dummies = space.dummy.adds
    pending: list[tuple[int, int, int, tuple[tuple[int, int], ...]]] = [(0, scaled.rate, 0, ())]
    while pending:
        if time.perf_counter() > deadline:
            raise TimeUpError
        first, left, cost, before = pending.pop()
        for i in range(first, size):
            t, unit = scaled.throughput[i], scaled.unit_cost[i]
            whole, rest = divmod(left, t)
            yield _Counts(cost + left * unit, (*before, (i, whole)), rest, 0)
            # Or one more whole machine, which dummies fill up.
            if rest and dummies:
                yield _Counts(cost + (whole + 1) * t * unit, (*before, (i, whole + 1)), 0, t - rest)
            # Fewer whole machines leave a rest to later configurations, one allocation at least.
            if len(before) + 1 < most and i + 1 < size:
                for n in range(1, (whole if rest else whole - 1) + 1):
                    pending.append((i + 1, left - n * t, cost + n * t * unit, (*before, (i, n))))


def _collection_rates(scaled: ScaledModule, counts: _Counts) -> Iterator[tuple[int, int]]:
    """Configuration and the rate at which a batch is collected, for each kind of machine: latency is d + b/rate.

    A full machine collects at all the rate not taken by allocations before it (tc), at all the rate on configurations
    of the same or a lower ratio (tc-shared), at b/d (rr) or at its own throughput (machine-rate).
    """
    left = collecting = scaled.rate + counts.dummy
    ratio_cost = -1
    for i, n in counts.machines:
        if not scaled.shared or scaled.unit_cost[i] != ratio_cost:
            ratio_cost, collecting = scaled.unit_cost[i], left
        if n:
            yield i, scaled.own_rate[i] if scaled.own_rate else collecting
            left -= n * scaled.throughput[i]
    if counts.partial:
        yield counts.machines[-1][0], collecting if scaled.shared else counts.partial


def _even_latency(scaled: ScaledModule, counts: _Counts) -> Fraction:
    """Worst-case latency of a plan in seconds where the last allocation's machines are all as busy as one another.

    A full machine collects b requests in b/r, r being its own rate; one that is busy for a share s of the time takes
    b/(r·s). The last allocation's machines, the partial one included, are busy for the share R/(n·t).
    """
    worst = Fraction(0)
    last = len(counts.machines) - 1
    for position, (i, whole) in enumerate(counts.machines):
        c, t = scaled.configurations[i], scaled.throughput[i]
        busy = Fraction(1)
        if position == last and counts.partial:
            busy = Fraction(whole * t + counts.partial, (whole + 1) * t)
        worst = max(worst, c.duration_s + c.batch * scaled.scale / (scaled.own_rate[i] * busy))
    return worst


def _general_latency(scaled: ScaledModule, counts: _Counts) -> Fraction:
    """Worst-case latency of a plan in seconds, as the record of a policy says it for each kind of machine."""
    policy = scaled.general
    assert policy is not None
    worst = Fraction(0)
    left = tied = scaled.rate + counts.dummy
    ratio_cost = -1
    for position, (i, n) in enumerate(counts.machines):
        if scaled.unit_cost[i] != ratio_cost:
            ratio_cost, tied = scaled.unit_cost[i], left
        partial = counts.partial if position == len(counts.machines) - 1 else 0
        c = scaled.configurations[i]
        rates = (Fraction(rate, scaled.scale) for rate in (partial, left, tied))
        place = Place(c.duration_s, c.batch, c.throughput_rps, n, *rates)
        if n:
            worst = max(worst, policy.whole_latency(place))
        if partial:
            worst = max(worst, policy.partial_latency(place))
        left -= n * scaled.throughput[i]
    return worst


def _need(scaled: ScaledModule, i: int, latency_s: Fraction, *, strictly: bool) -> float:
    """The least scaled rate at which configuration i stays within (strictly: below) a latency; inf: none."""
    configuration = scaled.configurations[i]
    collecting_s = latency_s - configuration.duration_s
    if collecting_s <= 0:
        return inf
    rate = configuration.batch * scaled.scale / collecting_s
    return floor(rate) + 1 if strictly else ceil(rate)


def _choice(scaled: ScaledModule, counts: _Counts, latency_s: Fraction) -> ModuleChoice:
    """A closed plan with its latency in seconds, back on the scale of the input."""
    allocations = [Allocation(scaled.configurations[i], n) for i, n in counts.machines]
    allocations[-1] = replace(allocations[-1], partial_rps=Fraction(counts.partial, scaled.scale))
    plan = ModulePlan(tuple(allocations), Fraction(counts.dummy, scaled.scale))
    return ModuleChoice(latency_s, Fraction(counts.cost, scaled.cost_scale), plan)
