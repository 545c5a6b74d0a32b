"""The schedule that the heuristics build: whole machines per configuration, partial machine, dummies (compiled)."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import NamedTuple

import numpy as np

from euclio.core.compiled import compiled
from euclio.core.numbers import rounded_up
from euclio.problems.session import Allocation, DummyRule, ModulePlan, Plan, PlanSpace, Session, evaluate
from euclio.problems.session.arrays import Floats, Ints, SessionArrays, to_plan
from euclio.problems.session.machine_limits import has_floors


class Schedule(NamedTuple):
    """A plan as arrays that compiled functions fill in place.

    Attributes:
        machines: whole machines, shape (configurations,).
        partial_at: configuration of each module's partial machine, -1 for none, shape (modules,).
        partial: rate of the partial machine in requests per second, shape (modules,).
        dummy: dummy rate of the module in requests per second, shape (modules,).
        latency: worst-case latency of the module in seconds, shape (modules,).
        cost: cost of the module per hour, shape (modules,).
    """

    machines: Ints
    partial_at: Ints
    partial: Floats
    dummy: Floats
    latency: Floats
    cost: Floats


@compiled
def new_schedule(s: SessionArrays) -> Schedule:
    """An empty schedule for a session."""
    modules = s.rate.size
    return Schedule(
        np.zeros(s.batch.size, np.int64),
        np.full(modules, -1, np.int64),
        np.zeros(modules),
        np.zeros(modules),
        np.zeros(modules),
        np.zeros(modules),
    )


@compiled
def copy_schedule(source: Schedule, target: Schedule) -> None:
    """Copy the plans of all modules from one schedule into another."""
    target.machines[:] = source.machines
    target.partial_at[:] = source.partial_at
    target.partial[:] = source.partial
    target.dummy[:] = source.dummy
    target.latency[:] = source.latency
    target.cost[:] = source.cost


@compiled
def copy_module(s: SessionArrays, m: int, source: Schedule, target: Schedule) -> None:
    """Copy the plan of module m from one schedule into another."""
    for k in range(s.first[m], s.first[m + 1]):
        target.machines[k] = source.machines[k]
    target.partial_at[m] = source.partial_at[m]
    target.partial[m] = source.partial[m]
    target.dummy[m] = source.dummy[m]
    target.latency[m] = source.latency[m]
    target.cost[m] = source.cost[m]


# From the schedule of a heuristic to a plan in exact numbers, under any dummy rule.

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


def idle_cost(session: Session, plan: Plan, space: PlanSpace) -> float:
    """What machines cost per hour that are paid for and not used: plans are made without a look at them."""
    return float(evaluate(session, plan, space).floor_cost_per_h) if has_floors(session) else 0.0


def filled_plan(session: Session, s: SessionArrays, machines: Ints, partial_at: Ints, fills: bool) -> Plan:
    """The plan that counts of machines describe where dummies may fill whole machines for nothing.

    Args:
        session: the instance.
        s: its arrays.
        machines: whole machines per configuration, shape (configurations,).
        partial_at: configuration of each module's partial machine, -1 for none, shape (modules,).
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
