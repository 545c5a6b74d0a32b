"""From the schedule of a heuristic to a plan in exact numbers, under any dummy rule."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import numpy as np

from euclio.core.numbers import rounded_up
from euclio.problems.session import Allocation, DummyRule, ModulePlan, Plan, Session
from euclio.problems.session.arrays import Ints, SessionArrays, to_plan
from heuristics.session.schedule import Schedule

LIFT = 1 + Fraction(1, 10**11)
"""Rates that dummies fill up to the point are raised by this much: by more than floats err, so that they keep a budget.

It costs no more than 1e-11 of a machine's price, far less than what any comparison of costs resolves."""
DUMMY_DIGITS = 13
"""Dummy rates are rounded up to so many significant digits, so that they can be written down."""


def plan_of(session: Session, arrays: SessionArrays, schedule: Schedule, rule: DummyRule) -> Plan:
    """The plan that a schedule stands for.

    Whole machines leave no choice: partial and dummy rates follow from them exactly. Only a partial machine that
    dummies fill, which no countable rule has, takes the rate of the schedule.

    Args:
        session: the instance.
        arrays: its arrays.
        schedule: a complete schedule, in floating point.
        rule: dummy rule of the plan space.
    """
    plan = to_plan(session, arrays, schedule.machines, schedule.partial_at)
    if rule.countable:
        return plan
    modules = list(plan.modules)
    for m in np.flatnonzero((schedule.partial_at >= 0) & (schedule.dummy > 0.0)):
        modules[m] = _filled(modules[m], session.modules[m].rate_rps, Fraction(schedule.partial[m]))
    return Plan(tuple(modules))


def bought_whole(session: Session, plan: Plan) -> float:
    """Cost per hour of a plan whose partial machines are bought whole, one that modules share once."""
    price = session.price
    machines = ((a, a.machines + bool(a.partial_rps)) for module in plan.modules for a in module.allocations)
    cost = sum((count * price[a.configuration.hardware] for a, count in machines), Fraction(0))
    for group in plan.shared:
        cost -= (len(group) - 1) * price[plan.modules[group[0]].allocations[-1].configuration.hardware]
    return float(cost)


def spare_cost(session: Session, plan: Plan) -> float:
    """What the spare machines cost per hour: so many of each hardware type that a plan uses."""
    used = {a.configuration.hardware for module in plan.modules for a in module.allocations}
    return float(session.spare_machines * sum((session.price[name] for name in used), Fraction(0)))


def filled_plan(session: Session, s: SessionArrays, machines: Ints, partial_at: Ints, fills: bool) -> Plan:
    """The plan that counts of machines describe where dummies may fill whole machines for nothing.

    Args:
        session: the instance.
        s: its arrays.
        machines: whole machines per configuration, shape (configurations,).
        partial_at: configuration of each module's partial machine, -1: none, shape (modules,).
        fills: whether dummies fill machines.
    """
    plan = to_plan(session, s, machines, partial_at)
    modules = [_full(m) if fills and at < 0 else m for m, at in zip(plan.modules, partial_at, strict=True)]
    return Plan(tuple(modules))


def _full(plan: ModulePlan) -> ModulePlan:
    """The plan with one machine more where in exact numbers its machines are a little too few."""
    last = plan.allocations[-1]
    if not last.partial_rps:
        return plan
    more = Allocation(last.configuration, last.machines + 1)
    return ModulePlan((*plan.allocations[:-1], more), last.configuration.throughput_rps - last.partial_rps)


def _filled(plan: ModulePlan, rate: Fraction, partial: Fraction) -> ModulePlan:
    """The plan with its partial machine at the rate `partial`, slightly raised; dummies are what this exceeds."""
    last = plan.allocations[-1]
    whole = sum((a.machines * a.configuration.throughput_rps for a in plan.allocations), Fraction(0))
    dummy = whole + partial * LIFT - rate
    # In exact numbers the leftover may be as much already.
    if dummy <= 0:
        return plan
    dummy = rounded_up(dummy, DUMMY_DIGITS)
    return ModulePlan((*plan.allocations[:-1], replace(last, partial_rps=rate + dummy - whole)), dummy)
