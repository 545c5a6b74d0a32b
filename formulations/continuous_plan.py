"""From whole counts and budgets in floating point to a plan under rule `continuous` that the exact check accepts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from math import ceil

from euclio.session import Allocation, Module, ModulePlan, Plan, PlanSpace, Policy, Session
from euclio.session.evaluate import evaluate, longest_path

SHRINKS = (0, 50, 46, 42, 38, 34, 30, 26)
"""Budgets are shortened by 2^-k of themselves where the SLO is missed by rounding; 0: not at all."""
RATE_DIGITS = 10**12
"""Dummy rates are rounded up to 1/RATE_DIGITS req/s, where a partial machine takes them."""


def fill_up(
    session: Session, plan: Plan, partial: Sequence[bool], budgets: Sequence[float], space: PlanSpace
) -> Plan | None:
    """Give every module the least dummy rate at which its whole and partial machines meet its budget.

    Args:
        session: the instance.
        plan: one plan per module; dummy and partial rates are made anew.
        partial: whether the module's last allocation has a partial machine.
        budgets: budget per module in seconds; the longest path may miss the SLO by rounding.
        space: plan space with rule `continuous`.

    Returns:
        The plan that the check accepts; None: the budgets are too tight for that, by rounding.
    """
    exact = [Fraction(budget) for budget in budgets]
    length = longest_path(session, exact)[0]
    share = min(Fraction(1), session.slo_s / length)
    for shrink in SHRINKS:
        shorter = share * (1 - Fraction(1, 2**shrink) if shrink else 1)
        modules = [
            _fill_module(module, module_plan, with_partial, budget * shorter, session.price, space.policy)
            for module, module_plan, with_partial, budget in zip(
                session.modules, plan.modules, partial, exact, strict=True
            )
        ]
        filled = Plan(tuple(modules))
        if evaluate(session, filled, space).feasible:
            return filled
    return None


def _fill_module(
    module: Module, plan: ModulePlan, partial: bool, budget: Fraction, price: dict[str, Fraction], policy: Policy
) -> ModulePlan:
    """The plan with just enough dummies, as far as dummies help."""
    whole = sum((a.machines * a.configuration.throughput_rps for a in plan.allocations), Fraction(0))
    last = plan.allocations[-1]
    if not partial:
        return ModulePlan((*plan.allocations[:-1], replace(last, partial_rps=Fraction(0))), whole - module.rate_rps)
    dummy = max(Fraction(0), _least_total(plan.allocations, budget, price, policy, whole) - module.rate_rps)
    if dummy:
        dummy = Fraction(ceil(dummy * RATE_DIGITS), RATE_DIGITS)
    allocations = (*plan.allocations[:-1], replace(last, partial_rps=module.rate_rps + dummy - whole))
    return ModulePlan(allocations, dummy)


def _least_total(
    allocations: tuple[Allocation, ...], budget: Fraction, price: dict[str, Fraction], policy: Policy, whole: Fraction
) -> Fraction:
    """The least rate, dummies included, at which no machine with a rate of its own waits beyond the budget."""
    total, before, origin = Fraction(0), Fraction(0), Fraction(0)
    ratio: Fraction | None = None
    for i, allocation in enumerate(allocations):
        c = allocation.configuration
        unit_cost = price[c.hardware] / c.throughput_rps
        if policy is not Policy.TC_SHARED or unit_cost != ratio:
            ratio, origin = unit_cost, before
        wait = budget - c.duration_s
        if wait > 0:
            if policy in (Policy.TC, Policy.TC_SHARED) and allocation.machines:
                total = max(total, origin + c.batch / wait)
            if i == len(allocations) - 1:
                total = max(total, (origin if policy is Policy.TC_SHARED else whole) + c.batch / wait)
        before += allocation.machines * c.throughput_rps
    return total
