"""A lower bound on a module's worst-case latency in a plan space; ours, `_least_of` states why it holds.

If dummies may fill any number of machines, or a machine up to any rate, plans come arbitrarily close to the bound and
none attains it. Then every plan misses an SLO that is the sum of such bounds along a path.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from fractions import Fraction
from typing import assert_never

from euclio.problems.session.instance import Configuration, Module, Session
from euclio.problems.session.latency.paths import longest_path
from euclio.problems.session.policies import Form
from euclio.problems.session.rules import DummyRule
from euclio.problems.session.services import fixed_seconds
from euclio.problems.session.space import PlanSpace


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


def is_too_fast(session: Session, space: PlanSpace) -> bool:
    """Whether the bounds of the modules alone prove that no plan of the space meets the SLO.

    They do if a path of them is longer than the SLO, or as long and one of its modules has no plan that attains its
    bound. A module whose configurations are all outside the space proves it as well.
    """
    least = [latency_bound(module, space) for module in session.modules]
    known = [bound for bound in least if bound is not None]
    if len(known) < len(least):
        return True
    # All sums of bounds and the SLO are whole multiples of 1/D. All modules together add less than that. So a path of
    # raised bounds is longer than the SLO exactly if its bounds are longer, or as long and one of them is not attained.
    denominators = [seconds.denominator for seconds in (*fixed_seconds(session), *known)]
    unit = Fraction(1, math.lcm(*denominators) * (len(known) + 1))
    latencies = [
        bound if is_attained(module, space) else bound + unit
        for module, bound in zip(session.modules, known, strict=True)
    ]
    return longest_path(session, latencies)[0] > session.slo_s


def takes_all_of_the_slo(session: Session, space: PlanSpace) -> Fraction | None:
    """The rest of the SLO, at most 0, if the durations that the stock forces on a path take all of it.

    No machine takes less than its duration. Under all policies but those of form `GENERAL` it takes longer.

    Returns:
        SLO less the durations of the longest path in seconds, at most 0, which proves that there is no plan; None if
        they prove nothing.
    """
    forced = [_forced_duration(module, session.stock, space) for module in session.modules]
    known = [duration for duration in forced if duration is not None]
    if len(known) < len(forced):
        return None
    left = session.slo_s - longest_path(session, known)[0]
    return left if left < 0 or (left == 0 and space.policy.form is not Form.GENERAL) else None


def _forced_duration(module: Module, stock: Mapping[str, int], space: PlanSpace) -> Fraction | None:
    """The least duration up to which configurations take the module's rate, if it has all of the stock to itself.

    None if even all of them together do not.
    """
    allowed = [c for c in module.profile if space.allows(c.hardware, c.batch, c.concurrency)]
    most: dict[str, Fraction] = {}
    for c in sorted(allowed, key=lambda c: c.duration_s):
        if c.hardware not in stock:
            return c.duration_s
        most[c.hardware] = max(most.get(c.hardware, Fraction(0)), stock[c.hardware] * c.throughput_rps)
        if sum(most.values()) >= module.rate_rps:
            return c.duration_s
    return None


def is_attained(module: Module, space: PlanSpace) -> bool:
    """Whether a plan may take no longer than `latency_bound`: False if it is proven that all take longer.

    If dummies let w grow beyond any number, every machine of forms `LEFT` and `TIED` takes d + b/w, longer than d.
    In form `FIXED` under rule `continuous` a partial machine takes only rates below t. So d + b/t is attained exactly
    if a whole machine takes no longer.

    Args:
        module: the module, with its rate.
        space: the plan space, which allows one of its configurations at least.
    """
    match space.policy.form:
        case Form.LEFT | Form.TIED:
            return not space.fills and space.dummy.countable
        case Form.FIXED if not space.dummy.countable:
            allowed = [c for c in module.profile if space.allows(c.hardware, c.batch, c.concurrency)]
            least = min(_least_of(c, module.rate_rps, space) for c in allowed)
            return any(space.policy.fixed_latency(c) <= least for c in allowed)
        case _:
            return True


def _least_of(c: Configuration, rate: Fraction, space: PlanSpace) -> Fraction:
    """The least time that some machine of every plan takes, if the plan's decisive machine runs c.

    Without dummies, a machine of the first allocation is decisive: it collects at w <= T. With rule `machine` one of
    the last allocation is. Of its n machines, n - 1 and everything before stay below T, so w <= n·t <= ceil(T/t)·t. In
    form `TIED` w counts equal ratios too and is only known to be below T + t.
    In form `FIXED` a whole machine takes the same at any place. Without dummies it needs t <= T, and a plan with no
    whole machine is one partial machine at f = T < t. Rule `continuous` leaves w unbounded, and f anywhere from T to t:
    plans come arbitrarily close to these bounds. In form `EVEN` no machine takes less than a full one. A plan without
    dummies has none of c if t > T, and may then be one machine at R = T, with n·t/R = t/T. In form `GENERAL` nothing is
    known but that a machine takes no less than its duration.
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
    """The least time of collecting a batch in sequence: b over the largest w that the dummy rule allows.

    If machines are charged whole, dummies may fill any number of them, and w is unbounded under every rule that has
    dummies.
    """
    if space.fills:
        return Fraction(0)
    match space.dummy:
        case DummyRule.NONE:
            return c.batch / rate
        case DummyRule.MACHINE:
            t = c.throughput_rps
            # With one allocation w is the rate of its own machines in form `TIED` too.
            own = space.policy.form is Form.LEFT or space.max_allocations == 1
            return c.batch / (math.ceil(rate / t) * t if own else rate + t)
        case DummyRule.CONTINUOUS:
            return Fraction(0)
        case _:
            assert_never(space.dummy)


def _alone(c: Configuration, rate: Fraction, rule: DummyRule) -> Fraction:
    """Least latency of a plan that is one partial machine; it takes the rate, or under `continuous` nearly t."""
    return c.duration_s + c.batch / (rate if rule.countable else c.throughput_rps)
