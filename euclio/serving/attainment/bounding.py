"""No plan of the plan space that keeps an attainment costs less: the optimum where modules need more capacity (ours).

The plans of the plan space keep the SLO under even arrivals; nothing is said of others. The argument stands in
docs/model/holding.md.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from euclio.core.result import Status
from euclio.core.solver import Limits
from euclio.core.solving import PreparedRun, prepare
from euclio.problems.session.instance import Module, Session
from euclio.serving.attainment.demand import Demand
from euclio.serving.attainment.dividing import least_cost
from euclio.serving.attainment.least_capacity import needed_rates, serves_in_order
from euclio.serving.attainment.margins import spare_space

MOST_S = 60.0
"""Longest time that is spent on a bound where the run has no limit."""
ROUNDED = 1e-9
"""Share by which sums of prices are lowered, which are added up in floating point."""
BOUND_OF = "plans that keep the SLO under even arrivals"
"""What bounds are on. Others may keep an attainment for less: where nothing waits for a batch to fill, d + b/w may
exceed the SLO by far."""


@dataclass(frozen=True, slots=True)
class Bound:
    """What is proven of all plans that keep an attainment, and the SLO under even arrivals.

    Attributes:
        rates_rps: rate that each module's machines have to be paid for at least, in the order of the session's modules.
        cost_per_h: no such plan costs less; None: no bound was found.
        infeasible: whether there is no such plan.
        in_order: whether it holds only where modules start invocations in the order in which they become ready, and all
            of them (`serves_in_order`); else it does whoever schedules.
    """

    rates_rps: tuple[Fraction, ...]
    cost_per_h: float | None
    infeasible: bool
    in_order: bool = False


def bound_on(ready: PreparedRun, demand: Demand, time_limit_s: float | None, enough: float = math.inf) -> Bound:
    """A lower bound on the cost of every plan of the plan space that keeps the demand.

    Args:
        ready: the run whose plans are bounded: its instance, and its plan space with capacity that may be kept free.
        demand: target, arrivals and dispatch.
        time_limit_s: limit in seconds; None: `MOST_S`.
        enough: cost per hour of a plan that keeps it; where that is shown to be the least, no more is computed.
    """
    space = spare_space(ready.space)
    rates = tuple(needed_rates(ready.instance, space, demand))
    limits: Limits[Any] = Limits(MOST_S if time_limit_s is None else max(1e-3, time_limit_s), ready.limits.seed)
    run = prepare(with_rates(ready.instance, rates), None, space=space, limits=limits)
    run.warm_up()
    found = run.check(*run.answer())
    infeasible, cost_per_h = found.status is Status.INFEASIBLE, found.bound
    if not infeasible and cost_per_h is not None and cost_per_h < enough * (1 - ROUNDED):
        least = least_cost(ready.instance, space, demand, enough)
        infeasible = least is not None and math.isinf(least)
        cost_per_h = None if infeasible else max(cost_per_h, 0.0 if least is None else least * (1 - ROUNDED))
    return Bound(rates, cost_per_h, infeasible, serves_in_order(space, demand))


def with_rates(session: Session, rates_rps: Sequence[Fraction]) -> Session:
    """The session with other rates of its modules."""
    rows = zip(session.modules, rates_rps, strict=True)
    return replace(session, modules=tuple(Module(m.name, rate, m.profile) for m, rate in rows))
