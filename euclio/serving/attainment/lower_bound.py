"""No plan of the plan space that keeps an attainment costs less: the optimum where modules need more capacity (ours).

The plans of the plan space keep the SLO under even arrivals; the bound does not cover others. docs/model/holding.md has
the argument.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from heapq import heappop, heappush
from itertools import count
from typing import Any

from euclio.core.numbers import exact
from euclio.core.result import Status
from euclio.core.solver import Limits as RunLimits
from euclio.core.solving import PreparedRun, prepare
from euclio.problems.session.bought_whole import packed_bound
from euclio.problems.session.instance import Module, Session
from euclio.problems.session.latency.of_requests import session_rate
from euclio.problems.session.latency.paths import times_from, times_until
from euclio.problems.session.services import is_plain
from euclio.problems.session.space import PlanSpace
from euclio.serving.attainment.demand import Demand
from euclio.serving.attainment.least_capacity import bursts_of, law_of, needed_rates, serves_in_order, windows_left
from euclio.serving.attainment.least_machines import MachineLimits, Needs
from euclio.serving.attainment.margins import spare_space
from euclio.serving.setup import Arrivals

# Whole machines that keep an attainment: parts of a plan space, each with a bound (ours, docs/model/holding.md).
# The window of a module is the SLO less the least times of the others. These are the least times of the machines of a
# plan, not of all machines; and the worst cases, whose sum the plan space limits, leave each module less than the SLO.
# So the search halves the plan space again and again, by the fastest machine or the worst case of one module. It bounds
# each part by itself, and always halves the cheapest open part next.

LEAST_SPREAD = Fraction(1, 64)
"""Ranges of times are not halved below this share of the SLO."""


@dataclass(frozen=True, slots=True)
class _TimeRange:
    """Ranges of times of a module's machines in a part of the plan space."""

    # first and last place, in the ascending list of them, of the shortest time of the fastest machine.
    fastest: tuple[int, int]
    above: Fraction  # the module's worst case, as the plan space counts it, is no less; in seconds
    upto: Fraction  # and no more


Part = tuple[_TimeRange, ...]
"""A part of the plan space: a range per module."""


@dataclass(slots=True)
class _PlanSpaceParts:
    session: Session
    needs: Sequence[Needs]
    times: list[list[Fraction]]
    """By module, the possible shortest times of a batch on a machine, ascending."""

    def whole(self) -> Part:
        """The plan space."""
        return tuple(_TimeRange((0, len(times) - 1), times[0], self.session.slo_s) for times in self.times)

    def collected(self, part: Part) -> list[Fraction]:
        """The largest worst case of each module within its range and the time that the others leave."""
        above = [own.above for own in part]
        until, rest = times_until(self.session, above), times_from(self.session, above)
        left = (self.session.slo_s - u - r + 2 * own for u, r, own in zip(until, rest, above, strict=True))
        return [min(most, own.upto) for most, own in zip(left, part, strict=True)]

    def cost(self, part: Part) -> float:
        """Lower bound on the cost of the machines of all modules."""
        least = [times[own.fastest[0]] for times, own in zip(self.times, part, strict=True)]
        total, windows, collected = 0.0, windows_left(self.session, least), self.collected(part)
        for m, (times, own) in enumerate(zip(self.times, part, strict=True)):
            one = times[own.fastest[1]] if own.fastest[1] < len(times) - 1 else None
            total += self.needs[m].price(MachineLimits(windows[m], collected[m], least[m], one))
            if math.isinf(total):
                break
        return total

    def halves(self, part: Part) -> Iterator[Part]:
        """The two halves of the part, at the module with the widest range; none if no range is open."""
        spreads, collected = [], self.collected(part)
        for m, (times, own) in enumerate(zip(self.times, part, strict=True)):
            first, last = own.fastest
            spreads.append((times[last] - times[first], m, True))
            if self.needs[m].in_sequence:
                spreads.append((collected[m] - own.above, m, False))
        spread, m, is_time = max(spreads)
        if spread < LEAST_SPREAD * self.session.slo_s:
            return
        own, times = part[m], self.times[m]
        if is_time:
            first, last = own.fastest
            middle = (times[first] + times[last]) / 2
            split = max(place for place in range(first, last) if place == first or times[place] <= middle)
            new = replace(own, fastest=(first, split)), replace(own, fastest=(split + 1, last))
        else:
            middle = (own.above + collected[m]) / 2
            new = replace(own, upto=middle), replace(own, above=middle)
        for half in new:
            yield (*part[:m], half, *part[m + 1 :])


def least_cost(session: Session, space: PlanSpace, demand: Demand, enough: float = math.inf) -> float | None:
    """A lower bound on the cost of every plan that keeps the demand; infinite if no plan does, None if not computed.

    The plan space allows spare capacity at any rate. The bound need not be higher than `enough`.
    """
    rate, bursts = session_rate(session), bursts_of(session, space, demand)
    law = law_of(demand.setup, rate)
    if law is None or not law.parts or bursts is None or any(bursts) or not space.charging.whole:
        return None
    if any(price <= 0 for price in session.price.values()):
        return None
    poisson, late = demand.setup.arrivals is Arrivals.POISSON, 1 - exact(demand.target)
    behind, ordered = {child for _, child in session.edges}, serves_in_order(space, demand)
    needs = []
    for module in session.modules:
        profile = tuple(c for c in module.profile if space.allows(c.hardware, c.batch, c.concurrency))
        if not profile:
            return None
        own = replace(module, profile=profile)
        # Behind other modules a request may be ready before one that came first.
        in_order = ordered and module.name not in behind and module.rate_rps >= rate
        in_sequence = space.policy.form.in_sequence
        needs.append(Needs(own, session.price, law, rate, late, poisson, in_sequence, in_order))
    times = [sorted({own.fastest(c) for c in own.module.profile}) for own in needs]
    return _searched(_PlanSpaceParts(session, needs, times), law.parts, enough)


def _searched(parts: _PlanSpaceParts, most: int, enough: float) -> float:
    """The least bound of all open parts, once it is enough or `most` parts were bounded."""
    number = count()
    heap = [(parts.cost(parts.whole()), next(number), parts.whole())]
    while heap:
        cost, _, part = heappop(heap)
        halves = list(parts.halves(part))
        if cost >= enough or not halves or next(number) >= most:
            return cost
        for half in halves:
            bound = max(cost, parts.cost(half))
            if bound < math.inf:
                heappush(heap, (bound, next(number), half))
    return math.inf


MOST_S = 60.0
"""Longest time for a bound if the run has no limit."""
ROUNDED = 1e-9
"""Share by which sums of prices are lowered against rounding errors of floating point."""
BOUND_OF = "plans that keep the SLO under even arrivals"
"""Plans that bounds cover. Others may keep an attainment for less: if no request waits for a batch to fill, d + b/w may
exceed the SLO by far."""


@dataclass(frozen=True, slots=True)
class Bound:
    """Proven statement on all plans that keep an attainment, and the SLO under even arrivals."""

    # least rate for which each module's machines are charged, in the order of the session's modules.
    rates_rps: tuple[Fraction, ...]
    cost_per_h: float | None  # no such plan costs less; None if no bound was found
    infeasible: bool  # whether there is no such plan
    # whether it holds only where modules start invocations in the order in which they become ready, and all of them
    # (`serves_in_order`); else it holds under every scheduler.
    in_order: bool = False


def needs_capacity(session: Session) -> bool:
    """Whether the argument on capacity applies: to one stream of requests with one objective, without delays."""
    return is_plain(session) and not session.applications


def bound_on(ready: PreparedRun, demand: Demand, time_limit_s: float | None, enough: float = math.inf) -> Bound:
    """A lower bound on the cost of every plan of the plan space that keeps the demand.

    If no argument on capacity applies (`needs_capacity`), the bound is the optimum of the plan space. The same holds
    for packed machines, any of which may serve all of its modules at any time. If the solver does not prove that
    optimum, the bound is that of machines by share.

    Args:
        ready: the run whose plans are bounded: its instance, and its plan space with capacity that may be kept free.
        demand: target, arrivals and dispatch.
        time_limit_s: limit in seconds; None means `MOST_S`.
        enough: cost per hour of a plan that keeps the demand; the computation ends once this is proven to be the least.
    """
    space = spare_space(ready.space)
    needs = needs_capacity(ready.instance) and not space.charging.packs
    rates = tuple(module.rate_rps for module in ready.instance.modules)
    if needs:
        rates = tuple(needed_rates(ready.instance, space, demand))
    limits: RunLimits[Any] = RunLimits(MOST_S if time_limit_s is None else max(1e-3, time_limit_s), ready.limits.seed)
    run = prepare(with_rates(ready.instance, rates), None, space=space, limits=limits)
    if space.charging.packs and run.solver.uncovered(run.instance, space):
        least = packed_bound(run.instance, space, limits.time_limit_s or MOST_S)
        return Bound(rates, least, infeasible=False, in_order=serves_in_order(space, demand))
    run.warm_up()
    found = run.check(*run.answer())
    infeasible, cost_per_h = found.status is Status.INFEASIBLE, found.bound
    if needs and not infeasible and cost_per_h is not None and cost_per_h < enough * (1 - ROUNDED):
        least = least_cost(ready.instance, space, demand, enough)
        infeasible = least is not None and math.isinf(least)
        cost_per_h = None if infeasible else max(cost_per_h, 0.0 if least is None else least * (1 - ROUNDED))
    return Bound(rates, cost_per_h, infeasible, serves_in_order(space, demand))


def with_rates(session: Session, rates_rps: Sequence[Fraction]) -> Session:
    """The session with other rates of its modules."""
    rows = zip(session.modules, rates_rps, strict=True)
    return replace(session, modules=tuple(Module(m.name, rate, m.profile) for m, rate in rows))
