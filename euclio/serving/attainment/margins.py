"""Margins of a stricter instance, and the conversion of its plans to plans of the instance."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from euclio.problems.session.evaluate import Evaluation
from euclio.problems.session.instance import Module, Session
from euclio.problems.session.latency.paths import times_until
from euclio.problems.session.plan import Plan
from euclio.problems.session.rules import DummyRule
from euclio.problems.session.space import PlanSpace


@dataclass(frozen=True, slots=True)
class Margins:
    """Margins by which a stricter instance, which a planner solves, differs from the instance.

    Attributes:
        rates: share by which the rate of each module is higher.
        slo: share of the SLO, or of each objective, that is planned with.
    """

    rates: tuple[Fraction, ...]
    slo: Fraction = Fraction(1)

    def at(self, module: int, rate: Fraction) -> Margins:
        """The same with another margin on one module's rate."""
        return Margins((*self.rates[:module], rate, *self.rates[module + 1 :]), self.slo)


def alike(session: Session, rate: Fraction = Fraction(0), slo: Fraction = Fraction(1)) -> Margins:
    """The same margin on all rates."""
    return Margins((rate,) * len(session.modules), slo)


def stricter(session: Session, margins: Margins) -> Session:
    """The session with higher rates and a tighter SLO."""
    rows = zip(session.modules, margins.rates, strict=True)
    modules = [Module(m.name, m.rate_rps * (1 + rate), m.profile) for m, rate in rows]
    if not session.objectives:
        return replace(session, slo_s=session.slo_s * margins.slo, modules=tuple(modules))
    changed: dict[str, Any] = {"slo_s": None}
    changed["objectives"] = tuple(replace(one, slo_s=one.slo_s * margins.slo) for one in session.objectives)
    return replace(session, modules=tuple(modules), **changed)


def least_share(session: Session) -> Fraction:
    """The share of the objectives that the shortest batches take. Every plan takes more, with any margins."""
    until = times_until(session, [min(c.duration_s for c in module.profile) for module in session.modules])
    if not session.objectives:
        return max(until) / session.slo_s
    return max(until[session.index[one.to]] / one.slo_s for one in session.objectives)


def spare_space(space: PlanSpace) -> PlanSpace:
    """The plan space in which capacity may be kept free at any rate: dummies of any rate pay for it."""
    return replace(space, dummy=DummyRule.CONTINUOUS)


def with_spare(session: Session, plan: Plan, evaluation: Evaluation, margins: Margins) -> Plan:
    """A plan of the stricter session as a plan of the session: the same machines at the same price.

    Dummies stand for the machines' spare capacity above the session's rates. They are never sent: a plan states spare
    capacity by them, and the checker charges it.

    Args:
        session: the instance.
        plan: a plan of the stricter session.
        evaluation: its evaluation by the checker there.
        margins: the margins of the stricter session.
    """
    modules = []
    rows = zip(session.modules, plan.modules, evaluation.modules, margins.rates, strict=True)
    for module, own, checked, rate in rows:
        last = replace(own.allocations[-1], partial_rps=checked.partial_rps)
        spare = module.rate_rps * rate + checked.dummy_rps
        modules.append(replace(own, allocations=(*own.allocations[:-1], last), dummy_rps=spare))
    return Plan(tuple(modules), plan.shared)
