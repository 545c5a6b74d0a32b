"""From whole counts and budgets in floating point to a plan under rule `continuous` that the exact check accepts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction

from euclio.core.numbers import rounded_up
from euclio.problems.session import Allocation, Module, ModulePlan, Plan, PlanSpace, Policy, Session, evaluate
from euclio.problems.session.latency.paths import times_from, times_until
from euclio.problems.session.policies import Form
from formulations.tolerances import DUMMY_DIGITS, FULL


def fill_up(
    session: Session, plan: Plan, partial: Sequence[bool], budgets: Sequence[Fraction], space: PlanSpace
) -> Plan | None:
    """Give every module the least dummy rate at which its whole and partial machines meet its budget.

    Modules with whole machines only take what they take. The others get what is left of their budgets, exactly. Where
    a budget is the very one at which a partial machine would be full, rounding decides whether it is: if the check
    refuses that, whole machines are tried, which cost next to nothing more and take what they take.

    Args:
        session: the instance.
        plan: one plan per module; dummy and partial rates are made anew.
        partial: whether the module's last allocation has a partial machine.
        budgets: budget per module in seconds; the longest path may miss the SLO by rounding.
        space: plan space with rule `continuous`.

    Returns:
        The plan that the check accepts; None: the budgets are too tight for that, by rounding.
    """
    filled = _fill_modules(session, list(plan.modules), partial, budgets, space)
    if filled is not None:
        return filled
    full = [
        partial[m] and _is_full(module, plan.modules[m], budgets[m], session.price, space.policy)
        for m, module in enumerate(session.modules)
    ]
    if not any(full):
        return None
    modules = [_with_whole(one) if is_full else one for one, is_full in zip(plan.modules, full, strict=True)]
    still = [is_partial and not is_full for is_partial, is_full in zip(partial, full, strict=True)]
    return _fill_modules(session, modules, still, budgets, space)


def _is_full(module: Module, plan: ModulePlan, budget: Fraction, price: dict[str, Fraction], policy: Policy) -> bool:
    """Whether the partial machine that a budget asks for is a whole one, by rounding."""
    last = _fill_module(module, plan, True, budget, price, policy).allocations[-1]
    return last.partial_rps >= Fraction(FULL) * last.configuration.throughput_rps


def _with_whole(plan: ModulePlan) -> ModulePlan:
    """The plan with a whole machine in place of the partial one."""
    last = plan.allocations[-1]
    return replace(plan, allocations=(*plan.allocations[:-1], replace(last, machines=last.machines + 1)))


def _fill_modules(
    session: Session, modules: list[ModulePlan], partial: Sequence[bool], budgets: Sequence[Fraction], space: PlanSpace
) -> Plan | None:
    """The session's plan with the least dummy rates at which machines meet the budgets; None: the check refuses it."""
    exact = list(budgets)
    price = session.price
    # Whole machines take what they take; what is left of the paths goes to partial ones, which can be made faster.
    for m, module in enumerate(session.modules):
        if not partial[m]:
            modules[m] = _fill_module(module, modules[m], False, exact[m], price, space.policy)
            alone = Session(module.name, session.slo_s, session.hardware, [module])
            priced = evaluate(alone, Plan((modules[m],)), space)
            exact[m] = exact[m] if priced.latency_s is None else priced.latency_s
    for m in session.order:
        if partial[m]:
            # Budgets come from floats that take the SLO for longer: what is over is taken off here.
            over = _longest_through(session, exact, m) - session.slo_s
            exact[m] = exact[m] - max(over, Fraction(0))
            modules[m] = _fill_module(session.modules[m], modules[m], True, exact[m], price, space.policy)
    filled = Plan(tuple(modules))
    return filled if evaluate(session, filled, space).feasible else None


def _longest_through(session: Session, latency_s: list[Fraction], m: int) -> Fraction:
    """Length of the longest path through module m, in seconds."""
    return times_until(session, latency_s)[m] + times_from(session, latency_s)[m] - latency_s[m]


def _fill_module(
    module: Module, plan: ModulePlan, partial: bool, budget: Fraction, price: dict[str, Fraction], policy: Policy
) -> ModulePlan:
    """The plan of one module with just enough dummies for its budget, as far as dummies help, in exact arithmetic.

    Args:
        module: the module.
        plan: its whole machines, and the configuration of the partial machine as the last allocation.
        partial: whether there is a partial machine; without one, the dummies are what whole machines take too much.
        budget: latency budget in seconds.
        price: price per hour by hardware name.
        policy: the dispatch policy.
    """
    whole = sum((a.machines * a.configuration.throughput_rps for a in plan.allocations), Fraction(0))
    last = plan.allocations[-1]
    if not partial:
        return ModulePlan((*plan.allocations[:-1], replace(last, partial_rps=Fraction(0))), whole - module.rate_rps)
    dummy = max(Fraction(0), _least_total(plan.allocations, budget, price, policy, whole) - module.rate_rps)
    if dummy:
        # A short decimal that can be written to a file, rounded up since fewer dummies would miss the budget.
        rounded = rounded_up(dummy, DUMMY_DIGITS)
        fits = module.rate_rps + rounded - whole < last.configuration.throughput_rps
        dummy = rounded if fits else dummy
    allocations = (*plan.allocations[:-1], replace(last, partial_rps=module.rate_rps + dummy - whole))
    return ModulePlan(allocations, dummy)


def _least_total(
    allocations: tuple[Allocation, ...], budget: Fraction, price: dict[str, Fraction], policy: Policy, whole: Fraction
) -> Fraction:
    """The least total rate, dummies included, at which machines that wait for a batch do not exceed the budget.

    Args:
        allocations: the plan of a module in rank order, a partial machine at its end.
        budget: latency budget in seconds; configurations whose duration exceeds it ask for nothing here.
        price: price per hour by hardware name.
        policy: the dispatch policy.
        whole: rate that all whole machines take together.

    Returns:
        Requests per second.
    """
    total, before, origin = Fraction(0), Fraction(0), Fraction(0)
    ratio: Fraction | None = None
    for i, allocation in enumerate(allocations):
        c = allocation.configuration
        unit_cost = price[c.hardware] / c.throughput_rps
        # In form TIED machines of one ratio share the rate that is left at the first of them.
        if policy.form is not Form.TIED or unit_cost != ratio:
            ratio, origin = unit_cost, before
        wait = budget - c.duration_s
        if wait > 0:
            if policy.form.in_sequence and allocation.machines:
                total = max(total, origin + c.batch / wait)
            if i == len(allocations) - 1 and policy.form is Form.EVEN:
                total = max(total, before + (allocation.machines + 1) * policy.even_batch(c) / wait)
            elif i == len(allocations) - 1:
                total = max(total, (origin if policy.form is Form.TIED else whole) + c.batch / wait)
        before += allocation.machines * c.throughput_rps
    return total
