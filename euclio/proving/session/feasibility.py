"""Is there any plan within the SLO at all? Least worst-case latencies of the modules, exactly."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction

from euclio.core.certificate import Search
from euclio.problems.session.instance import Session
from euclio.problems.session.plan import Plan
from euclio.problems.session.policies import Form
from euclio.proving.effort import Effort, GivenUpError
from euclio.proving.paths import through
from euclio.proving.session.curves import ModuleProver, least_latency_bound
from euclio.proving.session.modules import Offer, Ranked, fixed_latency, full_machines_suffice, offer

ZERO = Fraction(0)
CLOSE = Fraction(1, 10**6)
"""Width, as a share of the latency, to which halving brackets the least latency before the search steps down to it."""


def find_any(session: Session, modules: Sequence[Ranked], deadline: float) -> Search:
    """Find a plan within the SLO, at any cost, or show that there is none."""
    if not all(m.configurations for m in modules):
        return Search(None, True, 0)
    if _comes_near(modules):
        return _find_filled(session, modules)
    effort = Effort(deadline)
    provers = [ModuleProver(m, None, ZERO, effort) for m in modules]
    floors = [least_latency_bound(m) or ZERO for m in modules]
    offers: list[Offer] = []
    try:
        for i, prover in enumerate(provers):
            # With the others at their fastest, more than this is of no use.
            known = [o.latency for o in offers] + floors[len(offers) :]
            budget = session.slo_s - through(session, known)[i] + floors[i]
            fastest = _fastest(prover, floors[i], budget)
            if fastest is None:
                return Search(None, True, effort.nodes)
            offers.append(fastest)
    except GivenUpError as error:
        return Search(None, False, effort.nodes, str(error))
    if max(through(session, [o.latency for o in offers])) > session.slo_s:
        return Search(None, True, effort.nodes)
    return Search(Plan(tuple(o.plan for o in offers)), False, effort.nodes)


def _fastest(prover: ModuleProver, floor: Fraction, budget: Fraction) -> Offer | None:
    """The plan with the least worst-case latency within a budget; None if there is none within it."""
    if floor > budget:
        return None
    best = prover.any_plan(budget, False)
    low = floor
    # Halving first, since there may be very many plans to step through one by one.
    while best is not None and best.latency - low > CLOSE * best.latency:
        middle = Fraction(float((low + best.latency) / 2))
        faster = prover.any_plan(middle, False)
        if faster is None:
            low = middle
        else:
            best = faster
    # Then plan by plan, each strictly faster than the last: if none is left, the last one is the fastest.
    while best is not None and (faster := prover.any_plan(best.latency, True)) is not None:
        best = faster
    return best


def least_latencies(session: Session, modules: Sequence[Ranked], deadline: float) -> list[Fraction]:
    """The least worst-case latency of each module, in seconds; with dummies of any rate plans may only come near to it.

    Args:
        session: the instance.
        modules: its modules within the plan space, each with some configuration.
        deadline: `time.perf_counter` value at which to stop.

    Raises:
        GivenUpError: the deadline passed, or numbers lie too far apart for the prover.
    """
    if _comes_near(modules):
        return [min(_limit(m, k)[0] for k in range(len(m.configurations))) for m in modules]
    found = []
    for m in modules:
        prover, floor, fastest = ModuleProver(m, None, ZERO, Effort(deadline)), least_latency_bound(m) or ZERO, None
        budget = max(session.slo_s, floor)
        # There is some plan. Its latency depends on the rate and is not known beforehand.
        while fastest is None:
            budget *= 2
            fastest = _fastest(prover, floor, budget)
        found.append(fastest.latency)
    return found


def _comes_near(modules: Sequence[Ranked]) -> bool:
    """Whether dummies bring each module as near to its least latency as one likes, with one configuration.

    Where machines are charged whole and some machine is faster if it is not full, the least latency depends on the
    rates of the others; then it is searched for.
    """
    if modules[0].whole:
        return all(map(full_machines_suffice, modules))
    return not modules[0].dummy.countable


def _find_filled(session: Session, modules: Sequence[Ranked]) -> Search:
    """Enough dummies bring each module as near to its least latency as one likes."""
    offers = spread(session, modules)
    return Search(None, True, 0) if offers is None else Search(Plan(tuple(o.plan for o in offers)), False, 0)


def spread(session: Session, modules: Sequence[Ranked]) -> list[Offer] | None:
    """A plan of each module, each of one configuration and filled up, which together keep the SLO, or None."""
    limits = [min(_limit(m, k) for k in range(len(m.configurations))) for m in modules]
    path = through(session, [latency for latency, _ in limits])
    offers = []
    for m, (latency, beyond), longest in zip(modules, limits, path, strict=True):
        # The modules share the time that paths leave in equal parts, so no path gets more than it has left.
        spare = (session.slo_s - longest) / len(modules)
        # A latency that plans only approach needs some slack.
        if spare < 0 or (spare == 0 and beyond):
            return None
        found = (_alone(m, k, latency + spare) for k in range(len(m.configurations)))
        offers.append(next(offer for offer in found if offer is not None))
    return offers


def _limit(m: Ranked, k: int) -> tuple[Fraction, bool]:
    """Least latency of a plan with configuration k alone, and whether plans only approach it."""
    c, t = m.configurations[k], m.throughput[k]
    if m.policy.form.in_sequence:
        return c.duration_s, True
    # Enough dummies fill all machines, and none is faster than a full one.
    if m.policy.form is Form.EVEN or m.whole:
        return fixed_latency(m, k), False
    alone, whole = c.duration_s + c.batch / t, fixed_latency(m, k)
    # One partial machine nearly at full rate collects faster than round robin lets a full one.
    return (alone, True) if t > m.rate and alone < whole else (whole, False)


def _alone(m: Ranked, k: int, budget: Fraction) -> Offer | None:
    """A plan with configuration k alone within a budget."""
    c, t = m.configurations[k], m.throughput[k]
    if budget <= c.duration_s:
        return None
    machines = [0] * len(m.configurations)
    need = c.batch / (budget - c.duration_s)
    machines[k] = math.ceil(max(m.rate, need if m.policy.form.in_sequence else ZERO) / t)
    plan = offer(m, machines, -1, budget)
    if plan is not None and plan.latency <= budget:
        return plan
    # Where whole machines miss the budget, one partial machine alone may keep it.
    machines[k] = 0
    plan = offer(m, machines, k, budget)
    return plan if plan is not None and plan.latency <= budget else None
