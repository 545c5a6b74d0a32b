"""Every plan of full machines of a tiny session next to the running machines, by plain enumeration in fractions.

Where dummies fill whole machines for nothing, what a plan costs and changes is decided by its machines of each type. So
of the plans of a module with the same ones the fastest is kept, and all choices of one per module are priced by the
checker.
"""

from __future__ import annotations

from fractions import Fraction
from itertools import product

from whole_enumeration import few, plans

from euclio.problems.session import Module, ModulePlan, Plan, PlanSpace, Session, evaluate, longest_path

MOST = 5
"""Machines of a module at most; sessions have to be so small that no more are of use."""


def cheapest_close(session: Session, space: PlanSpace, most: int = MOST) -> Fraction | None:
    """The least cost, changes and spare machines included, with at most `most` machines in each module; None: none."""
    rows = [_fastest(session, module, space, most) for module in session.modules]
    best: Fraction | None = None
    for chosen in product(*rows):
        if longest_path(session, [latency for latency, _ in chosen])[0] > session.slo_s:
            continue
        found = evaluate(session, Plan(tuple(plan for _, plan in chosen)), space)
        if found.feasible and found.cost_per_h is not None and (best is None or found.cost_per_h < best):
            best = found.cost_per_h
    return best


def _fastest(session: Session, module: Module, space: PlanSpace, most: int) -> list[tuple[Fraction, ModulePlan]]:
    """The fastest plan of a module for each number of machines by type, with its latency in seconds."""
    alone = Session(module.name, session.slo_s, session.hardware, [module])
    best: dict[tuple[tuple[str, int], ...], tuple[Fraction, ModulePlan]] = {}
    for plan in plans(session, module, space, few(most)):
        if any(a.partial_rps for a in plan.allocations):
            continue
        checked = evaluate(alone, Plan((plan,)), space)
        if not checked.modules or checked.latency_s is None or checked.latency_s > session.slo_s:
            continue
        machines: dict[str, int] = {}
        for a in plan.allocations:
            machines[a.configuration.hardware] = machines.get(a.configuration.hardware, 0) + a.machines
        key = tuple(sorted(machines.items()))
        if key not in best or checked.latency_s < best[key][0]:
            best[key] = (checked.latency_s, plan)
    return list(best.values())
