"""A box of machines in exact arithmetic: decides ties with the SLO or the stock that floats cannot (ours)."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import NamedTuple

from euclio.session import Plan, PlanSpace, Session, evaluate
from euclio.session.evaluate import machines_by_hardware
from formulations.session.rational.module import Effort, MachineLimits
from formulations.session.rational.session import cheapest_below
from formulations.session.whole.boxes import Box


class Found(NamedTuple):
    """The cheapest plan of a box at its prices.

    Attributes:
        plan: the plan, which keeps the SLO and the box, and perhaps not the stock.
        cost_per_h: its cost per hour without prices on stock.
        bound: no plan of the box within the stock costs less, per hour.
        used: machines of each type that each module takes, or parts of them, by module and type.
    """

    plan: Plan
    cost_per_h: Fraction
    bound: Fraction
    used: list[list[int]]


def cheapest_in_box(
    session: Session, space: PlanSpace, stock: dict[str, int], parts: int, box: Box, limit: float, effort: Effort
) -> Found | None:
    """The cheapest plan of a box at its prices, in exact arithmetic.

    Args:
        session: the instance, without a stock.
        space: plan space with whole machines or a countable dummy rule, and without `single_hardware`.
        stock: machines in stock by name of the hardware, in the order of the box's types.
        parts: parts of machines that the box counts (`parts_of_machines`).
        box: the box.
        limit: cost per hour from which on plans are of no interest; infinite: all are of interest.
        effort: counts nodes.

    Returns:
        The plan; None: there is none in the box below the limit.

    Raises:
        UndecidedError: the effort's limits are reached.
    """
    price = {name: Fraction(one) for name, one in zip(stock, box.price.tolist(), strict=True)}
    paid = sum((price[name] * n for name, n in stock.items()), Fraction(0))
    cutoff = None if math.isinf(limit) else Fraction(limit) + paid
    rows = [{name: Fraction(int(n), parts) for name, n in zip(stock, row, strict=True)} for row in box.most]
    plan = cheapest_below(session, space, cutoff, effort, [MachineLimits(row, price) for row in rows])
    if plan is None:
        return None
    checked = evaluate(session, plan, space)
    cost = sum((m.cost_per_h for m in checked.modules), Fraction(0))
    used = [
        machines_by_hardware(Plan((own,)), [found.partial_rps], space)
        for own, found in zip(plan.modules, checked.modules, strict=True)
    ]
    bound = cost - paid + sum((price.get(name, 0) * n for row in used for name, n in row.items()), Fraction(0))
    return Found(plan, cost, bound, [[int(row.get(name, Fraction(0)) * parts) for name in stock] for row in used])
