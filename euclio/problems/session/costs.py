"""The cost of a session's plan in the terms in which capacity is bought: per month, and per million requests."""

from __future__ import annotations

from fractions import Fraction

from euclio.core import words
from euclio.problems.session.evaluate import Evaluation, ModuleEvaluation
from euclio.problems.session.instance import Session
from euclio.problems.session.plan import ModulePlan, Plan

HOURS_PER_MONTH = 730
"""Hours of a month in the pricing of cloud providers: 8760 hours a year over 12."""
HOURS = {
    "second": Fraction(1, 3600),
    "minute": Fraction(1, 60),
    "hour": Fraction(1),
    "day": Fraction(24),
    "month": Fraction(HOURS_PER_MONTH),
}
"""Hours by unit of time of prices and rates."""


def per_month(cost_per_h: Fraction) -> Fraction:
    """Money per month."""
    return cost_per_h * HOURS_PER_MONTH


def per_million(rate_rps: Fraction, cost_per_h: Fraction) -> Fraction:
    """Money per million requests at a rate."""
    return cost_per_h * 10**6 / (3600 * rate_rps)


def allocation_costs(price: dict[str, Fraction], plan: ModulePlan, found: ModuleEvaluation) -> list[Fraction]:
    """Money per hour for each allocation of a module.

    All but the last have whole machines only. The last one costs the rest of the module's cost, because a partial
    machine may be charged by its share, whole, or in part by another module.
    """
    before = [a.machines * price[a.configuration.hardware] for a in plan.allocations[:-1]]
    return [*before, found.cost_per_h - sum(before)]


def cost_by_hardware(session: Session, plan: Plan, evaluation: Evaluation) -> dict[str, Fraction]:
    """Money per hour for each hardware type that a plan uses."""
    costs: dict[str, Fraction] = {}
    for module, found in zip(plan.modules, evaluation.modules, strict=True):
        for allocation, cost in zip(module.allocations, allocation_costs(session.price, module, found), strict=True):
            name = allocation.configuration.hardware
            costs[name] = costs.get(name, Fraction(0)) + cost
    return costs


def money(session: Session, amount: words.Value | None, digits: int = 9) -> str:
    """An amount with the session's currency, if it has one."""
    return words.amount(amount, f" {session.currency}" if session.currency else "", digits=digits)


def costs_in_words(session: Session, cost_per_h: Fraction, rate_rps: Fraction) -> str:
    """Cost per month, and per million requests at a rate, in one line."""
    month, million = per_month(cost_per_h), per_million(rate_rps, cost_per_h)
    return (
        f"{money(session, month, 6)} per month of {HOURS_PER_MONTH} h, "
        f"{money(session, million, 4)} per million requests at {words.amount(rate_rps)} req/s"
    )
