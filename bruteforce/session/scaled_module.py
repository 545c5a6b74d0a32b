"""A module in integers: rates and costs on common scales, made from the decimal text of the input."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from math import lcm

from euclio.problems.session import Configuration, Module, PlanSpace, Policy
from euclio.problems.session.evaluate import rank_key
from euclio.problems.session.policies import Form

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
        own_rate: rate that a full machine collects at where only its configuration decides it (empty: tc, tc-shared).
        even: whether the machines of the last allocation share its rate, so that they collect at a share of `own_rate`.
        shared: whether configurations of one ratio collect together (tc-shared).
        general: a policy whose latencies are the record's own functions of a plan; None: the fields above say all.
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
