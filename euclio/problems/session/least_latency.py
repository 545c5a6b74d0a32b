"""The least worst-case latency that a module can attain in a plan space, bracketed by a proof and a plan (ours)."""

from __future__ import annotations

import math
import time
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction

from euclio.core.numbers import LARGEST
from euclio.core.registry import solvers
from euclio.core.result import Status
from euclio.core.solving import solve
from euclio.problems.session import (
    Allocation,
    Configuration,
    Module,
    ModulePlan,
    Plan,
    PlanSpace,
    Session,
    evaluate,
    longest_path,
)
from euclio.problems.session.latency.bound import latency_bound
from euclio.problems.session.resources import without_stock

RESOLUTION = Fraction(1, 10**9)
"""A search ends if it is proven that no plan is faster than the fastest found by more than this share."""

MANY = 10**10
"""Machines with which rule `continuous` comes as close as a search to a latency that no plan attains."""

EXACT = "exact"


@dataclass(frozen=True, slots=True)
class Least:
    """A bracket of the least worst-case latency of a module.

    Attributes:
        bound_s: proven lower bound on the latency of all plans.
        latency_s: worst-case latency of `plan`, as checked.
        plan: the fastest plan found.
    """

    bound_s: Fraction
    latency_s: Fraction
    plan: ModulePlan

    @property
    def least_s(self) -> Fraction:
        """The least latency if it is known, else the proven bound."""
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
        The bracket; None if the plan space allows none of the module's configurations.
    """
    bound = latency_bound(module, space)
    if bound is None:
        return None
    alone = _alone(session, module, session.slo_s)
    found: list[tuple[Fraction, ModulePlan]] = []
    for c in module.profile:
        if space.allows(c.hardware, c.batch, c.concurrency):
            for plan in _plans_of(c, module.rate_rps, space):
                checked = evaluate(alone, Plan((plan,)), space)
                if checked.latency_s is not None:
                    found.append((checked.latency_s, plan))
    latency, plan = min(found, key=lambda entry: entry[0])
    return Least(latency if _forced(module, space) else bound, latency, plan)


def least_latency(session: Session, module: Module, space: PlanSpace, deadline: float | None = None) -> Least | None:
    """The least worst-case latency of a module, by the exact method on the module alone.

    If a single configuration does not attain the bound, the search halves the SLO of the module alone towards the bound
    until the exact method proves that no plan is faster than the fastest one found. A plan may take longer than the
    longest SLO of any session. Then the search begins at that SLO. If no plan keeps it either, the bracket stays open
    above it.

    Args:
        session: the session of the module, for its hardware.
        module: the module, with its rate.
        space: the plan space.
        deadline: end of the search on the clock of `time.perf_counter`, which leaves the bracket open; None means no
            end.

    Returns:
        The bracket; None if the plan space allows none of the module's configurations.
    """
    least = bracket(session, module, space)
    near = True
    while least is not None and not least.known and least.bound_s < LARGEST and EXACT in solvers("session"):
        left_s = None if deadline is None else deadline - time.perf_counter()
        if left_s is not None and left_s <= 0:
            break
        # First just below the last plan, as it is often the fastest already.
        target = least.latency_s * (1 - RESOLUTION) if near else (least.bound_s + least.latency_s) / 2
        target = min(Fraction(float(target)), Fraction(LARGEST))
        found = solve(_alone(session, module, target), EXACT, space=space, time_limit_s=left_s)
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


def why_no_plan(session: Session, space: PlanSpace) -> str:
    """Why a session has no plan in a plan space, in one line, if bounds of its modules prove it without a search.

    A method that searches only some of the plans can prove infeasibility by it; exact.

    Returns:
        The reason; empty if there may be a plan.
    """
    if not space.single_hardware:
        return _why_none(session, space)
    on_each = [(h.name, _why_none(session, space.on(h.name))) for h in space.hardware_of(session)]
    return "; ".join(f"on {name}: {why}" for name, why in on_each) if all(why for _, why in on_each) else ""


def _why_none(session: Session, space: PlanSpace) -> str:
    """Why there is no plan, in a plan space where modules are independent; empty if the bounds do not prove it."""
    least: list[Fraction] = []
    for module in session.modules:
        forced = bracket(session, module, space) if _forced(module, space) else None
        bound = latency_bound(module, space) if forced is None else forced.bound_s
        if bound is None:
            return f"module {module.name} has no configuration in the plan space"
        least.append(bound)
    above = longest_path(session, least)[0] > session.slo_s
    return "not even the least latencies meet the SLO (proven)" if above else ""


def _alone(session: Session, module: Module, slo_s: Fraction) -> Session:
    """The module as a session of its own, with any number of machines."""
    return without_stock(Session(module.name, slo_s, session.hardware, [module]))


def _forced(module: Module, space: PlanSpace) -> bool:
    """Whether `_plans_of` the only allowed configuration are all plans: n = floor(T/t), and with dummies ceil(T/t)."""
    allowed = [c for c in module.profile if space.allows(c.hardware, c.batch, c.concurrency)]
    return len(allowed) == 1 and space.dummy.countable and not space.fills


def _plans_of(c: Configuration, rate: Fraction, space: PlanSpace) -> Iterator[ModulePlan]:
    """The plans of a module at one configuration that may be the fastest."""
    t = c.throughput_rps
    whole = math.floor(rate / t)
    yield ModulePlan((Allocation(c, whole, rate - whole * t),))
    if space.dummy.adds:
        filled = math.ceil(rate / t)
        yield ModulePlan((Allocation(c, filled),), filled * t - rate)
    if space.fills or not space.dummy.countable:
        many = whole + MANY
        yield ModulePlan((Allocation(c, many),), many * t - rate)
    if not space.dummy.countable:
        almost_full = t * (1 - Fraction(1, MANY))
        if rate < almost_full:
            yield ModulePlan((Allocation(c, 0, almost_full),), almost_full - rate)
