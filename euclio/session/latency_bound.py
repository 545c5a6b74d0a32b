"""A lower bound on a module's worst-case latency in a plan space; ours, see `_least_of` for why it holds."""

from __future__ import annotations

import math
from fractions import Fraction

from euclio.session.instance import Configuration, Module
from euclio.session.space import DummyRule, PlanSpace, Policy


def latency_bound(module: Module, space: PlanSpace) -> Fraction | None:
    """A proven lower bound on the worst-case latency of a module in any plan of the space, in seconds.

    Args:
        module: the module, with its rate.
        space: the plan space.

    Returns:
        The bound, or None if the space allows none of the module's configurations.
    """
    allowed = [c for c in module.profile if space.allows(c.hardware, c.batch, c.concurrency)]
    return min((_least_of(c, module.rate_rps, space) for c in allowed), default=None)


def _least_of(c: Configuration, rate: Fraction, space: PlanSpace) -> Fraction:
    """What some machine of every plan takes at least, if the plan's decisive machine runs c.

    Decisive is, without dummies, a machine of the first allocation: it collects at w <= T. With rule `machine` it is
    one of the last allocation: of its n machines n - 1 and everything before stay below T, so that
    w <= n·t <= ceil(T/t)·t; under `tc-shared` w counts equal ratios too and is only known to be below T + t.
    Under `rr` and `machine-rate` a whole machine takes the same wherever it stands; without dummies it needs t <= T,
    and a plan with no whole machine is one partial machine at f = T < t. Rule `continuous` leaves w unbounded, and f
    anywhere from T to t: bounds that plans come as near to as one likes.
    """
    d, b, t = c.duration_s, c.batch, c.throughput_rps
    if space.policy in (Policy.TC, Policy.TC_SHARED):
        if space.dummy is DummyRule.CONTINUOUS:
            return d
        if space.dummy is DummyRule.NONE:
            return d + b / rate
        return d + b / (math.ceil(rate / t) * t if space.policy is Policy.TC else rate + t)
    whole = 2 * d if space.policy is Policy.RR else d + b / t
    if space.dummy is DummyRule.CONTINUOUS:
        return min(whole, d + b / t) if rate < t else whole
    alone = d + b / rate
    if space.dummy is DummyRule.MACHINE:
        return min(whole, alone) if rate < t else whole
    return alone if rate < t else whole
