"""The least worst-case latency that a module can attain in a plan space, bracketed by a proof and a plan (ours)."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction

from euclio.registry import solvers
from euclio.result import Status
from euclio.session import Allocation, Configuration, DummyRule, Module, ModulePlan, Plan, PlanSpace, Session, evaluate
from euclio.session.latency_bound import latency_bound
from euclio.solving import solve

RESOLUTION = Fraction(1, 10**9)
"""A search ends where no plan is faster than the fastest found by more than this share."""

MANY = 10**10
"""Machines with which rule `continuous` comes as near to a latency that no plan attains as a search does."""

EXACT = "exact"
LONG_S = 10**12


@dataclass(frozen=True, slots=True)
class Least:
    """A bracket of the least worst-case latency of a module.

    Attributes:
        bound_s: no plan is faster, proven.
        latency_s: worst-case latency of `plan`, as checked.
        plan: the fastest plan found.
    """

    bound_s: Fraction
    latency_s: Fraction
    plan: ModulePlan

    @property
    def least_s(self) -> Fraction:
        """The least latency where it is known, else the proven bound."""
        return self.latency_s if self.known else self.bound_s

    @property
    def known(self) -> bool:
        """Whether bound and plan meet, up to `RESOLUTION`."""
        return self.latency_s - self.bound_s <= RESOLUTION * self.latency_s


def bracket(session: Session, module: Module, space: PlanSpace) -> Least | None:
    """A bracket without any search: the bound, and the fastest plan with one configuration.

    Args:
        session: the session of the module, for its hardware.
        module: the module, with its rate.
        space: the plan space.

    Returns:
        The bracket; None: the plan space allows none of the module's configurations.
    """
    bound = latency_bound(module, space)
    if bound is None:
        return None
    alone = _alone(session, module, Fraction(LONG_S))
    found: list[tuple[Fraction, ModulePlan]] = []
    for c in module.profile:
        if space.allows(c.hardware, c.batch, c.concurrency):
            for plan in _plans_of(c, module.rate_rps, space.dummy):
                checked = evaluate(alone, Plan((plan,)), space)
                if checked.latency_s is not None:
                    found.append((checked.latency_s, plan))
    latency, plan = min(found, key=lambda entry: entry[0])
    return Least(bound, latency, plan)


def least_latency(
    session: Session, module: Module, space: PlanSpace, time_limit_s: float | None = None
) -> Least | None:
    """The least worst-case latency of a module, by the exact method on the module alone.

    Where a single configuration does not attain the bound, the SLO of the module alone is halved towards the bound
    until the exact method proves that no plan is faster than the fastest one found.

    Args:
        session: the session of the module, for its hardware.
        module: the module, with its rate.
        space: the plan space.
        time_limit_s: limit of each solve in seconds; where it is hit, the bracket stays open.

    Returns:
        The bracket; None: the plan space allows none of the module's configurations.
    """
    least = bracket(session, module, space)
    near = True
    while least is not None and not least.known and EXACT in solvers():
        # Just below the last plan first: it is often the fastest already.
        target = least.latency_s * (1 - RESOLUTION) if near else (least.bound_s + least.latency_s) / 2
        target = Fraction(float(target))
        found = solve(_alone(session, module, target), EXACT, space=space, time_limit_s=time_limit_s)
        if found.evaluation is not None and found.evaluation.feasible and found.plan is not None:
            assert found.evaluation.latency_s is not None
            near = not near
            least = Least(least.bound_s, found.evaluation.latency_s, found.plan.modules[0])
        elif found.status is Status.INFEASIBLE:
            near = False
            least = Least(max(least.bound_s, target), least.latency_s, least.plan)
        else:
            break
    return least


def _alone(session: Session, module: Module, slo_s: Fraction) -> Session:
    """The module as a session of its own."""
    return Session(module.name, slo_s, session.hardware, [module])


def _plans_of(c: Configuration, rate: Fraction, dummy: DummyRule) -> Iterator[ModulePlan]:
    """The plans of a module at one configuration that can be the fastest."""
    t = c.throughput_rps
    whole = math.floor(rate / t)
    yield ModulePlan((Allocation(c, whole, rate - whole * t),))
    if dummy is not DummyRule.NONE:
        filled = math.ceil(rate / t)
        yield ModulePlan((Allocation(c, filled),), filled * t - rate)
    if dummy is DummyRule.CONTINUOUS:
        many = whole + MANY
        yield ModulePlan((Allocation(c, many),), many * t - rate)
        almost_full = t * (1 - Fraction(1, MANY))
        if rate < almost_full:
            yield ModulePlan((Allocation(c, 0, almost_full),), almost_full - rate)
