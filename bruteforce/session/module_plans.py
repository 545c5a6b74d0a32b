"""Every plan of one module with its latency, in scaled integers, for enumerations of plans (ours).

The latency formulas of the built-in policies are written here a second time on purpose; the checker's are not used. A
user's own policy consists of such formulas, and is called for every plan.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from math import exp, lcm, lgamma, log
from typing import NamedTuple

from bruteforce.session.combination import TimeUpError
from euclio.problems.session import Configuration, Module, PlanSpace, Policy
from euclio.problems.session.evaluate import rank_key
from euclio.problems.session.policies import Form, Place

# A module in integers: rates and costs on common scales, made from the decimal text of the input.

OWN_RATE: dict[str, Callable[[Configuration], Fraction]] = {
    "rr": lambda c: c.batch / c.duration_s,
    "machine-rate": lambda c: c.throughput_rps,
    "rr-even": lambda c: c.batch / c.duration_s,
    "machine-rate-even": lambda c: c.throughput_rps,
    "load-balancer": lambda c: c.throughput_rps,
    "shared-queue": lambda c: c.batch / c.duration_s,
}
"""Rate that a full machine collects at under policies of forms `FIXED` and `EVEN`; written a second time on purpose."""


@dataclass(frozen=True, slots=True)
class ScaledModule:
    """One module with its allowed configurations in rank order, rates as integers.

    Attributes:
        configurations: allowed configurations, best throughput-cost ratio first.
        scale: integer units per request per second.
        rate: request rate in those units.
        throughput: t of each configuration in those units.
        unit_cost: cost of one such unit of rate on each configuration, times `cost_scale`.
        cost_scale: integer units per money per hour.
        own_rate: rate that a full machine collects at, if its configuration alone decides it; empty under tc and
            tc-shared.
        even: whether the machines of the last allocation share its rate, so that they collect at a share of `own_rate`.
        shared: whether configurations of one ratio collect together (tc-shared).
        general: a policy whose latencies are the record's own functions of a plan; None if the fields above define the
            policy.
    """

    configurations: tuple[Configuration, ...]
    scale: int
    rate: int
    throughput: tuple[int, ...]
    unit_cost: tuple[int, ...]
    cost_scale: int
    own_rate: tuple[int, ...]
    shared: bool
    even: bool
    general: Policy | None = None


def scale_module(module: Module, price: dict[str, Fraction], space: PlanSpace) -> ScaledModule:
    """The integers of a module, with the configurations that a plan space allows.

    Args:
        module: the module.
        price: price per hour by hardware name.
        space: plan space.
    """
    allowed = [c for c in module.profile if space.allows(c.hardware, c.batch, c.concurrency)]
    per_rate = {c: price[c.hardware] / c.throughput_rps for c in allowed}
    ranked = sorted(allowed, key=lambda c: rank_key(c, price))
    throughput = [c.throughput_rps for c in ranked]
    own = [OWN_RATE[space.policy.name](c) for c in ranked] if space.policy.form.by_configuration else []
    scale = lcm(*(x.denominator for x in [module.rate_rps, *throughput, *own]))
    cost_scale = lcm(*(x.denominator for x in per_rate.values())) * scale
    return ScaledModule(
        configurations=tuple(ranked),
        scale=scale,
        rate=int(module.rate_rps * scale),
        throughput=tuple(int(t * scale) for t in throughput),
        unit_cost=tuple(int(per_rate[c] * cost_scale / scale) for c in ranked),
        cost_scale=cost_scale,
        own_rate=tuple(int(x * scale) for x in own),
        shared=space.policy.form is Form.TIED,
        even=space.policy.form is Form.EVEN,
        general=space.policy if space.policy.form is Form.GENERAL else None,
    )


MOST_VECTORS = 5_000_000
"""Count vectors of one module beyond which the enumeration refuses to begin."""

_LARGEST_EXPONENT = 700.0
"""exp of more is no float."""


class Counts(NamedTuple):
    """A closed plan of one module in scaled integers; sorts by cost."""

    cost: int
    machines: tuple[tuple[int, int], ...]
    """Pairs of configuration index and whole machines, in rank order."""
    partial: int
    dummy: int


def most_vectors(scaled: ScaledModule, max_allocations: int | None) -> float:
    """An upper bound on the count vectors: the smaller of a box, thinned by the limit, and a simplex.

    The integer points of {n >= 0, sum n·t < T} number at most the volume of the same simplex enlarged by a unit cube.
    """
    counts = [scaled.rate / t + 1 for t in scaled.throughput]
    size = len(counts)
    by_support = [1.0] + [0.0] * size
    for n in counts:
        # From the back, so that each configuration is counted once at most.
        for k in range(size, 0, -1):
            by_support[k] += n * by_support[k - 1]
    box = sum(by_support[: (size if max_allocations is None else max_allocations) + 1])
    enlarged = scaled.rate + sum(scaled.throughput)
    simplex = sum(log(enlarged / t) for t in scaled.throughput) - lgamma(size + 1)
    return min(box, exp(min(simplex, _LARGEST_EXPONENT)))


def all_counts(scaled: ScaledModule, space: PlanSpace, deadline: float) -> Iterator[Counts]:
    """Every plan of the module that the dummy rule and the limit on allocations allow, at any latency."""
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
            yield Counts(cost + left * unit, (*before, (i, whole)), rest, 0)
            # Or one more whole machine, which dummies fill up.
            if rest and dummies:
                yield Counts(cost + (whole + 1) * t * unit, (*before, (i, whole + 1)), 0, t - rest)
            # Fewer whole machines leave a rest to later configurations, one allocation at least.
            if len(before) + 1 < most and i + 1 < size:
                for n in range(1, (whole if rest else whole - 1) + 1):
                    pending.append((i + 1, left - n * t, cost + n * t * unit, (*before, (i, n))))


def worst_latency(scaled: ScaledModule, counts: Counts) -> Fraction:
    """Worst-case latency of a plan of the module in seconds."""
    if scaled.general is not None:
        return _general_latency(scaled, counts)
    if scaled.even:
        return _even_latency(scaled, counts)
    return max(
        scaled.configurations[i].duration_s + Fraction(scaled.configurations[i].batch * scaled.scale, rate)
        for i, rate in collection_rates(scaled, counts)
    )


def collection_rates(scaled: ScaledModule, counts: Counts) -> Iterator[tuple[int, int]]:
    """Configuration and the rate at which a batch is collected, for each kind of machine: latency is d + b/rate.

    A full machine's collection rate depends on the policy. Under tc it is the rate that earlier allocations leave;
    under tc-shared, the whole rate on configurations of the same or a lower ratio. Under rr it is b/d, and under
    machine-rate the machine's own throughput.
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


def _even_latency(scaled: ScaledModule, counts: Counts) -> Fraction:
    """Worst-case latency of a plan in seconds if the last allocation's machines are equally busy.

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


def _general_latency(scaled: ScaledModule, counts: Counts) -> Fraction:
    """Worst-case latency of a plan in seconds, from a policy's record for each kind of machine."""
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
