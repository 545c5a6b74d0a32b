"""Partial machines that dummies fill nearly up to full, if a full one is slower (`rr` with concurrency, ours).

Under dummy rule `continuous` such a machine takes d + b/f for any rate f below t. No plan attains d + b/t. If the other
modules leave any more than that, a rate that is close enough to t works.
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

from euclio.problems.session import Module, ModulePlan, Plan, PlanSpace, Session, evaluate

LACKING = tuple(Fraction(1, 10**digits) for digits in (2, 4, 6, 8, 10, 12, 15, 20, 30))
"""Shares of t by which f may be below it, the largest first: decimal numbers."""


def nearly_full(session: Session, space: PlanSpace, plan: Plan) -> Plan:
    """The plan with its partial machines filled up as far as the SLO requires.

    Args:
        session: the instance.
        space: the plan space, with whole machines.
        plan: a plan whose partial machines take the rest of the rate that the whole ones leave.

    Returns:
        The plan itself if the dummy rule leaves no choice; a plan that misses the SLO if no share was close enough.
    """
    if space.dummy.countable or not any(m.allocations[-1].partial_rps for m in plan.modules):
        return plan
    for lacking in LACKING:
        modules = zip(session.modules, plan.modules, strict=True)
        filled = Plan(tuple(_filled(module, one, lacking) for module, one in modules))
        if evaluate(session, filled, space).feasible:
            break
    return filled


def _filled(module: Module, plan: ModulePlan, lacking: Fraction) -> ModulePlan:
    last = plan.allocations[-1]
    if not last.partial_rps:
        return plan
    partial = max(last.partial_rps, last.configuration.throughput_rps * (1 - lacking))
    whole = sum((a.machines * a.configuration.throughput_rps for a in plan.allocations), Fraction(0))
    return ModulePlan((*plan.allocations[:-1], replace(last, partial_rps=partial)), whole + partial - module.rate_rps)
