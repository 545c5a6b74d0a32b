"""The independent prover of loads over time: is any plan cheaper than a cutoff? (ours).

For one module with few machines: every number of machines of every configuration, held to the SLO by the checker of
sessions, then the cheapest way through the steps over all pairs of vectors of machines, in fractions.
"""

from __future__ import annotations

import math
import time
from collections.abc import Iterable
from fractions import Fraction
from itertools import product
from math import prod

from euclio.core.certificate import Search
from euclio.day.evaluate import WHOLE, evaluate, session_plan
from euclio.day.instance import HOUR_S, Day, at_rates
from euclio.day.plan import DayPlan, Idle, Serving, Staffing, StepPlan
from euclio.session import Configuration
from euclio.session import evaluate as evaluate_session

MOST_USES, MOST_VECTORS = 20_000, 400
"""Uses of machines that are listed at most, and vectors of machines of which all pairs are tried."""

OUT_OF_TIME = "the time limit was reached"

Vector = tuple[int, ...]
Use = tuple[Fraction, tuple[Serving, ...]]
"""A rate, and what serves it."""


class OutOfTimeError(Exception):
    """The deadline has passed."""


def find_better(day: Day, space: object, cutoff: Fraction | None, deadline: float) -> Search:
    """Search for a plan that costs less than a cutoff; a plan that is found is confirmed by the checker.

    Args:
        day: the instance.
        space: there is nothing to restrict.
        cutoff: money in all; None: any plan is better.
        deadline: `time.perf_counter` value at which to stop; infinite: never.
    """
    if len(day.session.modules) > 1:
        return Search(None, False, 0, "the prover covers days of one module")
    most = most_of(day)
    profile = day.session.modules[0].profile
    uses = prod(most[c.hardware] + 1 for c in profile)
    if uses > MOST_USES or prod(n + 1 for n in most.values()) > MOST_VECTORS:
        return Search(None, False, 0, "there are too many numbers of machines for this prover")
    try:
        plan, nodes = _cheapest(day, most, deadline)
    except OutOfTimeError:
        return Search(None, False, 0, OUT_OF_TIME)
    if plan is None:
        return Search(None, True, nodes)
    checked = evaluate(day, plan)
    if not checked.feasible or checked.value is None:
        return Search(None, False, nodes, f"the prover's plan was refused: {'; '.join(checked.violations)}")
    better = cutoff is None or checked.value < cutoff
    return Search(plan if better else None, not better, nodes)


def most_of(day: Day) -> dict[str, int]:
    """For each hardware type a number of machines of it that no plan needs more of.

    They serve the largest rate alone, so that a plan with more may leave the rest out; 0 where the type is too slow.
    """
    rate, slo = day.largest_rates_rps[0], day.session.slo_s
    found: dict[str, int] = {}
    for hardware in day.session.hardware:
        alone = [
            math.ceil(max(rate, c.batch / (slo - c.duration_s)) / c.throughput_rps)
            for c in day.session.modules[0].profile
            if c.hardware == hardware.name and c.duration_s < slo
        ]
        count = min(alone, default=0)
        found[hardware.name] = count if hardware.count is None else min(count, hardware.count)
    return found


def _cheapest(day: Day, most: dict[str, int], deadline: float) -> tuple[DayPlan | None, int]:
    """The cheapest plan, None where there is none, and the pairs of vectors that were tried."""
    uses = uses_of(day, most, deadline)
    prices = [hardware.price_per_h for hardware in day.session.hardware]
    starts, stops = [day.price_of_start(p) for p in prices], [day.price_of_stop(p) for p in prices]

    def change(before: Vector, after: Vector) -> Fraction:
        pairs = zip(before, after, starts, stops, strict=True)
        return sum((up * max(0, b - a) + down * max(0, a - b) for a, b, up, down in pairs), Fraction(0))

    costs: dict[Vector, Fraction] | None = None
    tried = 0
    back: list[dict[Vector, Vector]] = []
    for step in day.steps:
        rate = step.rates_rps[0]
        here: dict[Vector, Fraction] = {}
        origin: dict[Vector, Vector] = {}
        for on in (own for own, (largest, _) in uses.items() if largest >= rate):
            if time.perf_counter() > deadline:
                raise OutOfTimeError
            here[on] = step.length_s / HOUR_S * sum((p * n for p, n in zip(prices, on, strict=True)), Fraction(0))
            if costs is not None:
                tried += len(costs)
                cost, origin[on] = min((own + change(before, on), before) for before, own in costs.items())
                here[on] += cost
        if not here:
            return None, tried
        costs = here
        back.append(origin)
    assert costs is not None
    _, at = min((cost, on) for on, cost in costs.items())
    path = [at]
    for origin in reversed(back[1:]):
        at = origin[at]
        path.append(at)
    return _plan(day, uses, reversed(path)), tried


def uses_of(day: Day, most: dict[str, int], deadline: float) -> dict[Vector, Use]:
    """For each vector of machines the largest rate that it serves, and how; some may be idle."""
    names = list(most)
    best: dict[Vector, Use] = {on: (Fraction(0), ()) for on in product(*(range(n + 1) for n in most.values()))}
    profile = day.session.modules[0].profile
    for counts in product(*(range(most[c.hardware] + 1) for c in profile)):
        if time.perf_counter() > deadline:
            raise OutOfTimeError
        used = [(c, n) for c, n in zip(profile, counts, strict=True) if n]
        on = tuple(sum(n for c, n in used if c.hardware == name) for name in names)
        rate = sum((n * c.throughput_rps for c, n in used), Fraction(0))
        if used and on in best and rate > best[on][0] and _in_time(day, used, rate):
            best[on] = rate, tuple(Serving(c.hardware, c.batch, c.concurrency, n) for c, n in used)
    for on in sorted(best):
        for h in range(len(on)):
            less = (*on[:h], on[h] - 1, *on[h + 1 :])
            if on[h] and best[less][0] > best[on][0]:
                best[on] = best[less]
    return best


def _in_time(day: Day, used: list[tuple[Configuration, int]], rate: Fraction) -> bool:
    """Whether full machines keep the SLO, as the checker of sessions says."""
    session = at_rates(day.session, (rate,))
    assert session is not None  # full machines have a rate
    serving = tuple(Serving(c.hardware, c.batch, c.concurrency, n) for c, n in used)
    latency = evaluate_session(session, session_plan(session, (Staffing(serving),)), WHOLE).latency_s
    return latency is not None and latency <= session.slo_s


def _plan(day: Day, uses: dict[Vector, Use], path: Iterable[Vector]) -> DayPlan:
    steps: list[StepPlan] = []
    for on in path:
        serving = uses[on][1]
        idle = dict(zip((h.name for h in day.session.hardware), on, strict=True))
        for one in serving:
            idle[one.hardware] -= one.machines
        steps.append(StepPlan((Staffing(serving, tuple(Idle(name, n) for name, n in idle.items() if n)),)))
    return DayPlan(tuple(steps))
