"""Machines beyond the need of the rate, and their uses if dummies fill them at no cost (ours).

docs/model/whole-machines.md: with machines charged whole, under policies that dispatch in sequence, more machines
collect batches faster. Some number of machines meets any latency above the duration. So without limits on machines it
is easy to decide whether there is a plan: on the configurations of the shortest durations, if at all. Under any policy,
such machines may keep changes few, or take over from machines of another type.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from math import ceil, inf, lcm

from euclio.problems.session import (
    Allocation,
    Configuration,
    DummyRule,
    Module,
    ModulePlan,
    Plan,
    PlanSpace,
    Session,
    evaluate,
    longest_path,
)
from euclio.problems.session.demands import quick_when_partial
from euclio.problems.session.evaluate import machine_latencies
from euclio.problems.session.machine_limits import least_machines
from euclio.problems.session.policies import Form
from euclio.problems.session.resources import usable_stock
from euclio.problems.session.services import fixed_seconds, least_end
from formulations.session.demands import changes_of, limited_shares, limited_types
from formulations.session.split.problem import without_modes

ROUNDS = 3
"""Rounds over the modules in which a first plan is made cheaper."""


def all_full(space: PlanSpace) -> bool:
    """Whether dummies fill every machine at no cost, and enough machines to make plans faster."""
    return space.fills and space.policy.form.in_sequence


def has_surplus(session: Session, space: PlanSpace) -> bool:
    """Whether machines beyond the need of the rate may be useful: for latencies, or for demands of the session."""
    held = changes_of(session) is not None or limited_shares(session) or least_machines(session)
    return space.fills and (space.policy.form.in_sequence or bool(held))


def countable(session: Session, space: PlanSpace) -> PlanSpace:
    """The plan space, with dummy rule `machine` for `continuous` if its cheapest plan is also one of `machine`.

    If machines are charged whole, a last machine that is not full is filled at no cost. No machine is slower for it,
    unless full machines of form `FIXED` take longer than those that are nearly full, d + b/t.
    """
    if space.dummy.countable or not space.fills or quick_when_partial(session, space):
        return space
    return replace(space, dummy=DummyRule.MACHINE)


def without_prices(session: Session) -> Session:
    """The session with free machines if no stock and no resource limits them, in which changes do not count.

    It has a plan exactly if the session has one, unless changes are limited or a type has a largest share. Such
    machines are used alone in a module, so their place in the ranking does not matter.
    """
    limited = usable_stock(session)
    hardware = tuple(h if h.name in limited else replace(h, price_per_h=Fraction(0)) for h in session.hardware)
    return replace(session, hardware=hardware, running=None)


def out_of_reach(session: Session, space: PlanSpace) -> bool:
    """Whether without some group a module's other machines can never take enough of its rate, even if all are full."""
    usable = usable_stock(session)
    for module in session.modules:
        most: dict[str, Fraction | float] = {}
        for c in module.profile:
            if space.allows(c.hardware, c.batch, c.concurrency) and c.duration_s < session.slo_s - least_end(session):
                taken = usable[c.hardware] * c.throughput_rps if c.hardware in usable else inf
                most[c.hardware] = max(taken, most.get(c.hardware, 0))
        for group in limited_shares(session):
            if sum(taken for name, taken in most.items() if name not in group.hardware) < group.left(module.rate_rps):
                return True
    return False


def with_enough(
    session: Session,
    space: PlanSpace,
    plan: Plan,
    endless: Mapping[int, Sequence[Configuration]],
    budgets_s: Iterable[Fraction],
) -> Plan:
    """The plan with as many machines of endless configurations as the SLO requires.

    Args:
        session: the session.
        space: the plan space.
        plan: the plan; in modules of `endless` the endless machines alone take the rate.
        endless: by module the endless configurations that it uses.
        budgets_s: latencies with which the modules' own are compared, besides the SLO.

    Returns:
        The plan. If no number of machines is enough, the latencies of modules exceed their limits by so little that no
        comparison with any of the given numbers changes, except for equality.
    """
    checked = evaluate(session, plan, space)
    if not checked.modules:
        return plan
    own = [entry.worst_case_latency_s for entry in checked.modules]
    hurried: dict[int, list[Configuration]] = {}
    for m, many in endless.items():
        hurried[m], own[m] = _hurried(session, space, plan.modules[m], many)
    scale = lcm(*(x.denominator for x in [*fixed_seconds(session), *own, *budgets_s]))
    finest = Fraction(1, 2 * scale * len(own))
    above = session.slo_s
    while above > finest:
        taken = [latency + (above if m in endless else 0) for m, latency in enumerate(own)]
        if longest_path(session, taken)[0] <= session.slo_s:
            break
        above = max(above / 2, finest)
    modules = list(plan.modules)
    for m, many in endless.items():
        rate = max(session.modules[m].rate_rps, *(c.batch / above for c in hurried[m]))
        # So that none of other types stands by.
        least = least_machines(session).get(session.modules[m].name, 1)
        rate = max(rate, *(least * c.throughput_rps for c in many))
        modules[m] = _with_rate(session.modules[m], modules[m], many, rate)
    return Plan(tuple(modules))


def _hurried(
    session: Session, space: PlanSpace, plan: ModulePlan, endless: Sequence[Configuration]
) -> tuple[list[Configuration], Fraction]:
    """The configurations that endless machines make almost as fast as their durations, and the latency approached."""
    used = [a.configuration for a in plan.allocations]
    last = max(used.index(c) for c in endless)
    ratio = [session.price[c.hardware] / c.throughput_rps for c in used]
    tied = space.policy.form is Form.TIED
    hurried = [i for i in range(len(used)) if i <= last or (tied and ratio[i] == ratio[last])]
    total = sum((a.machines * a.configuration.throughput_rps for a in plan.allocations), Fraction(0))
    latencies = machine_latencies(plan.allocations, Fraction(0), total, session.price, space.policy)
    others = [machine.latency_s for machine in latencies if machine.allocation not in hurried]
    return [used[i] for i in hurried], max([*others, *(used[i].duration_s for i in hurried)])


def _with_rate(module: Module, plan: ModulePlan, endless: Sequence[Configuration], rate: Fraction) -> ModulePlan:
    """A module's plan in which machines of each endless configuration take a rate."""
    allocations = tuple(
        Allocation(a.configuration, ceil(rate / a.configuration.throughput_rps)) if a.configuration in endless else a
        for a in plan.allocations
    )
    taken = sum((a.machines * a.configuration.throughput_rps for a in allocations), Fraction(0))
    return ModulePlan(allocations, taken - module.rate_rps)


def first_plan(session: Session, space: PlanSpace, until: float = inf) -> Plan | None:
    """A plan on machines that are not limited, where dummies fill any number of machines; None if there is none.

    Changes do not count: they may cost something, but not be limited.

    Every module gets its shortest duration and an equal part of what that leaves of the SLO, then the cheapest
    configuration alone that keeps to it. The plan is made cheaper until `until`, a `time.perf_counter` value.
    """
    allowed = _unlimited(session, space)
    if not all(allowed):
        return None
    shortest = [min(c.duration_s for c in cs) for cs in allowed]
    left = session.slo_s - longest_path(session, shortest)[0]
    if left <= 0:
        return None
    found = [_cheapest(session, m, allowed[m], duration + left / len(shortest)) for m, duration in enumerate(shortest)]
    plan = Plan(tuple(alone for alone in found if alone is not None))
    return _cheaper(session, space, plan, allowed, until)


def made_cheaper(session: Session, space: PlanSpace, plan: Plan) -> Plan:
    """A plan made cheaper, one module after the other, each within what the others leave it of the SLO."""
    return _cheaper(session, space, plan, _unlimited(session, space), inf)


def _unlimited(session: Session, space: PlanSpace) -> list[list[Configuration]]:
    """By module the configurations of the plan space on machines without a stock and a largest share."""
    limited = usable_stock(session).keys() | limited_types(session)
    return [
        [c for c in m.profile if space.allows(c.hardware, c.batch, c.concurrency) and c.hardware not in limited]
        for m in session.modules
    ]


def _cheaper(session: Session, space: PlanSpace, plan: Plan, allowed: list[list[Configuration]], until: float) -> Plan:
    shape, modules, checked = without_modes(session), list(plan.modules), evaluate(session, plan, space)
    for _ in range(ROUNDS):
        before = list(modules)
        for m in range(len(modules)):
            if time.perf_counter() > until:
                return Plan(tuple(modules))
            budget = shape.room_s([e.worst_case_latency_s for e in checked.modules])[m]
            other = _cheapest(session, m, allowed[m], budget)
            if other is not None and _cost(session, other) < checked.modules[m].cost_per_h:
                modules[m] = other
                checked = evaluate(session, Plan(tuple(modules)), space)
        if modules == before:
            break
    return Plan(tuple(modules))


def _cost(session: Session, plan: ModulePlan) -> Fraction:
    return sum((a.machines * session.price[a.configuration.hardware] for a in plan.allocations), Fraction(0))


def _cheapest(session: Session, m: int, allowed: list[Configuration], budget_s: Fraction) -> ModulePlan | None:
    """The cheapest plan of module m on one of the configurations alone; None if none of them keeps to the budget."""
    plans = [_filled(session.modules[m], c, budget_s) for c in allowed if c.duration_s < budget_s]
    return min(plans, key=lambda plan: (_cost(session, plan), plan.allocations[0].machines), default=None)


def _filled(module: Module, c: Configuration, budget_s: Fraction) -> ModulePlan:
    """The fewest machines of one configuration that take the rate and keep to a budget above the duration."""
    machines = ceil(max(module.rate_rps, c.batch / (budget_s - c.duration_s)) / c.throughput_rps)
    return ModulePlan((Allocation(c, machines),), machines * c.throughput_rps - module.rate_rps)
