"""Capacity that each module needs to keep an attainment, under every scheduler (ours, docs/model/holding.md)."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import partial

import numpy as np

from euclio.core.numbers import exact
from euclio.problems.session.instance import Module, Session
from euclio.problems.session.latency.of_requests import session_rate
from euclio.problems.session.latency.paths import times_from, times_until
from euclio.problems.session.policies import Form
from euclio.problems.session.space import PlanSpace
from euclio.serving.attainment import least_loss, renewal_loss
from euclio.serving.attainment.demand import Demand
from euclio.serving.session.clock import alike
from euclio.serving.session.setup import Dispatch, Dropping, Setup
from euclio.serving.session.targets import joins, own_dispatch
from euclio.serving.setup import Arrivals

# The same share where requests follow a trace that is replayed over and over (ours, docs/model/holding.md).

UNIT = 1 << 40
"""The work of a request."""
MOST_REQUESTS = 100_000
"""Longer traces have no bound."""


class Trace:
    """A trace, by its gaps.

    Attributes:
        gaps: in units of the mean gap over `UNIT`, rounded up.
    """

    def __init__(self, trace_s: Sequence[float]) -> None:
        """The gaps of timestamps in seconds, in any order."""
        recorded = [Fraction(gap) for gap in np.diff(np.sort(np.asarray(trace_s)))]
        mean = sum(recorded, Fraction(0)) / len(recorded)
        self.gaps = [math.ceil(gap / mean * UNIT) for gap in recorded]

    def least_share(self, load: Fraction, buffer: Fraction, *, whole: bool) -> Fraction:
        """Least share that is turned away, as in `least_loss`: of requests taken `whole`, or of all work."""
        brim, level, lost = math.ceil(buffer * UNIT), 0, 0
        above, below = load.numerator, load.denominator
        for gap in self.gaps:
            level += UNIT
            if level > brim:
                turned_away = UNIT if whole else level - brim
                level -= turned_away
                lost += turned_away
            level = max(0, level - -(-gap * below // above))
        return Fraction(lost, UNIT * len(self.gaps))


STEPS = 1024
"""Steps of the tried capacities in a module's rate."""
COARSE = 8
"""Width in steps to which a capacity is found where each trial solves a linear system."""
PARTS, FEW = 120, 12
"""Most parts of a plan space that are bounded apart; few where each capacity takes a linear system."""
MOST_CAPACITY = 64
"""Largest capacity that is tried, over the module's rate."""

Share = Callable[[Fraction, Fraction], Fraction]
"""The least share that is turned away, by load and buffer in units of a request's work."""


@dataclass(frozen=True, slots=True)
class Law:
    """Bounds that follow from the process of arrivals."""

    requests: Share  # least share of requests that are lost, if each is served whole or not at all
    work: Share  # least share of work that is lost, if requests may be served in part
    fineness: int = 1  # width in steps to which the least capacity is found
    parts: int = 0  # most parts of a plan space that are bounded apart; 0 for no division


def law_of(setup: Setup, rate_rps: Fraction) -> Law | None:
    """The law of arrivals; None if no argument asks for more than the mean rate."""
    if setup.arrivals is Arrivals.POISSON:
        return Law(least_loss.least_share_of_requests, least_loss.least_share_of_work, parts=PARTS)
    if setup.arrivals is Arrivals.TRACE:
        if not 2 <= len(setup.trace_s) <= MOST_REQUESTS:
            return None
        return _law(Trace(setup.trace_s).least_share)
    gaps = renewal_loss.gaps_of(setup, float(rate_rps))
    if gaps is None:
        return None
    return _law(partial(renewal_loss.least_share, gaps), COARSE, FEW)


def _law(least_share: Callable[..., Fraction], fineness: int = 1, parts: int = 0) -> Law:
    return Law(partial(least_share, whole=True), partial(least_share, whole=False), fineness, parts)


def serves_in_order(space: PlanSpace, demand: Demand) -> bool:
    """Whether modules start invocations in the order in which they become ready, and all of them, for Poisson requests.

    Machines that pull from one queue do; machines with queues of their own do not, as one may be behind another.
    """
    setup = demand.setup
    dispatch = setup.dispatch or own_dispatch(space.policy)
    drops, poisson = setup.dropping is not Dropping.NEVER, setup.arrivals is Arrivals.POISSON
    return dispatch is Dispatch.PULL and poisson and not (drops or setup.hold or setup.noise)


def needed_in_order(rate: Fraction, least: int, seconds: Fraction, late: Fraction) -> Fraction:
    """The largest capacity that was tried and makes too many requests late where they are served in order.

    Args:
        rate: requests per second of the session.
        least: invocations of the module that each request makes at least, 1 or more.
        seconds: time that the capacity may take for the work before a request, its own invocations included.
        late: share of requests that may be late.
    """
    mean = rate * least / STEPS

    def is_too_little(steps: int) -> bool:
        return least_loss.least_share_in_order(Fraction(STEPS, steps), mean * steps * seconds / least) > late

    return mean * _most_too_little(is_too_little)


def _most_too_little(is_too_little: Callable[[int], bool], fineness: int = 1) -> int:
    """The most steps that were tried and are too little, from `STEPS` on, to a fineness."""
    low, high = STEPS, 2 * STEPS
    while high < MOST_CAPACITY * STEPS and is_too_little(high):
        low, high = high, 2 * high
    while high - low > fineness:
        middle = (low + high) // 2
        low, high = (middle, high) if is_too_little(middle) else (low, middle)
    return low


def needed_rates(session: Session, space: PlanSpace, demand: Demand) -> list[Fraction]:
    """A rate for each module such that every plan which keeps the demand is, or costs as much as, a plan for them.

    Without an argument it is the module's own rate.
    """
    own = [module.rate_rps for module in session.modules]
    rate = session_rate(session)
    law, bursts = law_of(demand.setup, rate), bursts_of(session, space, demand)
    if law is None or bursts is None:
        return own
    late, found = 1 - exact(demand.target), []
    for module, window, burst in zip(session.modules, windows(session), bursts, strict=True):
        ratio = module.rate_rps / rate
        needed = needed_capacity(law, Asked(rate, ratio, window, late, burst))
        found.append(max(module.rate_rps, needed / speed_up(module, space)))
    return found


def windows(session: Session) -> list[Fraction]:
    """Seconds that a request has for each module at most: the SLO less the least time of the others on its way."""
    return windows_left(session, [min(c.duration_s for c in module.profile) for module in session.modules])


def windows_left(session: Session, least_s: Sequence[Fraction]) -> list[Fraction]:
    """The same where each module takes so many seconds at least.

    A module that some requests do not invoke takes them no time, so that it counts for nothing to the others.
    """
    rate = session_rate(session)
    passed = [s if m.rate_rps >= rate else Fraction(0) for m, s in zip(session.modules, least_s, strict=True)]
    until, rest = times_until(session, passed), times_from(session, passed)
    return [session.slo_s - u - r + 2 * own for u, r, own in zip(until, rest, passed, strict=True)]


def speed_up(module: Module, space: PlanSpace) -> Fraction:
    """The most that a machine may do over its profiled throughput: smaller batches may take less time per request."""
    allowed = [c for c in module.profile if space.allows(c.hardware, c.batch, c.concurrency)]
    rates = ((k.batch / k.duration_s) / (c.batch / c.duration_s) for c in allowed for k in alike(module, c))
    return max(rates, default=Fraction(1))


def bursts_of(session: Session, space: PlanSpace, demand: Demand) -> list[int] | None:
    """Invocations that each module may start beyond its capacity times a span; None if no argument covers this.

    Machines that are charged whole count whole: a partial one of a plan, filled with dummies, makes a plan of the same
    machines that is no slower. Of a machine that is charged in part, f, batches start b/f apart, so that one batch more
    than f times a span starts in it.
    """
    if demand.setup.noise or session.share_groups or space.charging.packs:
        return None
    if space.charging.whole and (space.policy.form in (Form.LEFT, Form.TIED, Form.EVEN) or _fills(session, space)):
        return [0] * len(session.modules)
    if joins(space.policy, demand.setup.dispatch or own_dispatch(space.policy)):
        return None
    return [max(c.batch for c in module.profile) for module in session.modules]


def _fills(session: Session, space: PlanSpace) -> bool:
    """Whether no full machine is slower than one that is not, under a policy where the configuration decides."""
    return space.policy.form is Form.FIXED and all(
        space.policy.fixed_latency(c) <= c.duration_s + c.batch / c.throughput_rps
        for module in session.modules
        for c in module.profile
    )


@dataclass(frozen=True, slots=True)
class Asked:
    """The demand on one module."""

    rate: Fraction  # requests per second of the session
    ratio: Fraction  # invocations of the module per request
    window: Fraction  # seconds that a request has for it
    late: Fraction  # share of requests that may be late
    burst: int  # invocations that may start beyond capacity times a span

    def is_too_little(self, law: Law, capacity: Fraction) -> bool:
        """Whether this capacity makes more requests late than may be.

        A request with only some of its invocations served in time is late. So lost work of w invocations makes at least
        w / ⌈ratio⌉ requests late. Each request takes at least ⌊ratio⌋ invocations. These alone give another argument,
        which is the stronger one if all requests take as many.
        """
        room = capacity * max(Fraction(0), self.window) + self.burst
        least, most = math.floor(self.ratio), math.ceil(self.ratio)
        if least and law.requests(self.rate * least / capacity, room / least) > self.late:
            return True
        if least == most:
            return False
        lost = law.work(self.rate * self.ratio / capacity, room / self.ratio)
        return lost * self.ratio > self.late * most


def needed_capacity(law: Law, asked: Asked) -> Fraction:
    """The largest tried capacity that is proven too little; 0 if not even the module's own rate is."""
    mean = asked.rate * asked.ratio / STEPS
    if not asked.is_too_little(law, mean * STEPS):
        return Fraction(0)
    return mean * _most_too_little(lambda steps: asked.is_too_little(law, mean * steps), law.fineness)
