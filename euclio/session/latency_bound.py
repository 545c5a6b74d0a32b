"""A lower bound on a module's worst-case latency in a plan space; ours, see `_least_of` for why it holds."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import assert_never

from euclio.session.instance import Configuration, Module
from euclio.session.policies import Form
from euclio.session.rules import DummyRule
from euclio.session.space import PlanSpace


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
    w <= n·t <= ceil(T/t)·t; in form `TIED` w counts equal ratios too and is only known to be below T + t.
    In form `FIXED` a whole machine takes the same wherever it stands; without dummies it needs t <= T, and a plan with
    no whole machine is one partial machine at f = T < t. Rule `continuous` leaves w unbounded, and f anywhere from T
    to t: bounds that plans come as near to as one likes. In form `EVEN` no machine takes less than a full one; a plan
    without dummies has none of c where t > T, and may then be one machine at R = T, with n·t/R = t/T. In form `GENERAL`
    nothing is known but that a machine takes no less than its duration.
    """
    d, t = c.duration_s, c.throughput_rps
    match space.policy.form:
        case Form.LEFT | Form.TIED:
            return d + _least_collecting(c, rate, space)
        case Form.FIXED:
            whole, alone = space.policy.fixed_latency(c), _alone(c, rate, space.dummy)
            if rate >= t:
                return whole
            return min(whole, alone) if space.dummy.adds else alone
        case Form.EVEN:
            full = space.policy.fixed_latency(c)
            return full if rate >= t or space.dummy.adds else d + (full - d) * t / rate
        case Form.GENERAL:
            return d
        case _:
            assert_never(space.policy.form)


def _least_collecting(c: Configuration, rate: Fraction, space: PlanSpace) -> Fraction:
    """What collecting a batch takes at least in sequence: b over the largest w that the dummy rule leaves possible.

    Where machines are charged whole, dummies may fill any number of them, and w is unbounded under every rule that
    has dummies.
    """
    if space.fills:
        return Fraction(0)
    match space.dummy:
        case DummyRule.NONE:
            return c.batch / rate
        case DummyRule.MACHINE:
            t = c.throughput_rps
            # With one allocation w is the rate of its own machines in form `TIED` as well.
            own = space.policy.form is Form.LEFT or space.max_allocations == 1
            return c.batch / (math.ceil(rate / t) * t if own else rate + t)
        case DummyRule.CONTINUOUS:
            return Fraction(0)
        case _:
            assert_never(space.dummy)


def _alone(c: Configuration, rate: Fraction, rule: DummyRule) -> Fraction:
    """Least latency of a plan that is one partial machine, which takes the rate, or under `continuous` nearly t."""
    return c.duration_s + c.batch / (rate if rule.countable else c.throughput_rps)
