"""Ticks made for an instance: all times of its simulation are whole ticks, if 63 bits allow it (ours)."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from fractions import Fraction

from euclio.core.numbers import exact
from euclio.problems.session.evaluate import Evaluation
from euclio.problems.session.instance import Configuration, Module, Session
from euclio.problems.session.plan import Plan
from euclio.problems.session.services import streams
from euclio.serving.arrivals import duration_factors
from euclio.serving.session.setup import Setup
from euclio.serving.setup import Arrivals
from euclio.serving.units import NS_PER_S, Clock

MOST_TICKS = 1 << 61
"""Most ticks of a whole simulation, with the work left after the last arrival."""
MOST_DURATION = 1 << 52
"""Most ticks of an execution, so that the product with its factor is exact."""
MARGIN = 4
"""Most random arrivals: this factor times their mean number, plus a hundred."""
FINEST = 10**6
"""Most ticks in a nanosecond if times cannot be exact."""


def fine_clock(session: Session, plan: Plan, checked: Evaluation, setup: Setup, rate: Fraction) -> Clock:
    """The clock of a simulation.

    Its ticks are nanoseconds if all durations are whole ones and arrivals are random. Otherwise they are parts of
    nanoseconds, such that durations, and the periods of evenly spaced requests and of their dummies, are whole ticks.
    If the simulated time has no room for so many ticks, only durations are whole ticks. If even these take too many, a
    tick is the finest decimal part with enough room. Delays of edges count as durations. `rate` is that of all streams
    together at load 1, in requests per second.
    """
    durations = [*_durations(session, plan), *session.delay_s.values()]
    most = _most_ticks_per_ns(session, plan, checked, setup, rate)
    alone = _common(durations)
    is_even = setup.arrivals is Arrivals.UNIFORM and not setup.clients
    periods = _periods(session, checked, setup, rate) if is_even else ()
    everything = math.lcm(alone, _common(periods))
    if everything == 1 or everything <= most:
        return Clock(everything, exact=True)
    if alone <= most:
        return Clock(alone)
    ticks = 1
    while ticks < FINEST and 10 * ticks <= most:
        ticks *= 10
    return Clock(ticks)


def alike(module: Module, c: Configuration) -> Iterator[Configuration]:
    """The configurations up to which a batch of this one may be padded: no larger, on the same hardware."""
    return (
        k for k in module.profile if (k.hardware, k.concurrency) == (c.hardware, c.concurrency) and k.batch <= c.batch
    )


def _common(seconds: Iterable[Fraction]) -> int:
    """The fewest ticks in a nanosecond with which all of these are whole ticks."""
    return math.lcm(*((time * NS_PER_S).denominator for time in seconds))


def _durations(session: Session, plan: Plan) -> Iterator[Fraction]:
    for module, own in zip(session.modules, plan.modules, strict=True):
        for allocation in own.allocations:
            yield from (k.duration_s for k in alike(module, allocation.configuration))


def _periods(session: Session, checked: Evaluation, setup: Setup, rate: Fraction) -> Iterator[Fraction]:
    """Periods of requests and of dummies, which begin with half of one, and the times that modules hold requests."""
    for stream in streams(session):
        yield 1 / (offered(setup, rate) * stream.rate_rps / rate)
    for module in checked.modules:
        if setup.dummies and module.dummy_rps:
            yield 1 / (2 * module.dummy_rps)
        yield module.worst_case_latency_s
    if setup.timeout_s is not None and not math.isinf(setup.timeout_s):
        yield exact(setup.timeout_s)


def offered(setup: Setup, rate: Fraction) -> Fraction:
    """Mean rate of requests at the load of a setup, in requests per second, as its numbers are written."""
    return exact(setup.load) * (rate if setup.full_load_rps is None else exact(setup.full_load_rps))


def _most_ticks_per_ns(session: Session, plan: Plan, checked: Evaluation, setup: Setup, rate: Fraction) -> int:
    """Most ticks in a nanosecond that the time has room for, even if every invocation were executed alone in turn."""
    longest = float(duration_factors(setup.noise, setup.seed).max())
    seconds = exact(setup.seconds)
    # Clients have one request each when no more come; arrivals may all be left then.
    requests = setup.clients or MARGIN * offered(setup, rate) * seconds + 100
    total, most = seconds + sum(session.delay_s.values()), Fraction(0)
    for module, own, found in zip(session.modules, plan.modules, checked.modules, strict=True):
        invocations = (requests + 1) * module.rate_rps / rate + 1 + found.dummy_rps * seconds
        slowest = max(allocation.configuration.duration_s for allocation in own.allocations)
        most = max(most, slowest)
        total += invocations * (slowest * math.ceil(longest) + Fraction(1, NS_PER_S)) + found.worst_case_latency_s
    return int(min(MOST_TICKS / (total * NS_PER_S), MOST_DURATION / (most * NS_PER_S)))
