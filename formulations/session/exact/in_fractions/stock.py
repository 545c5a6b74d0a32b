"""A box of machines in exact arithmetic: decides ties with the SLO or the stock that floats cannot (ours)."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import NamedTuple

from euclio.problems.session import ModulePlan, Plan, PlanSpace, Session, evaluate
from euclio.problems.session.evaluate import machines_by_hardware
from formulations.effort import Effort, UndecidedError
from formulations.session.demands import least_rows
from formulations.session.exact.in_fractions.ties import settle
from formulations.session.exact.stock.boxes import Box
from formulations.session.module.in_integers import MachineLimits
from formulations.session.module.limit_rows import Rows


class BoxPlan(NamedTuple):
    """The cheapest plan of a box at its prices.

    Attributes:
        plan: the plan, which keeps the SLO and the box, and perhaps not the stock.
        cost_per_h: its cost per hour without prices on limits.
        bound: lower bound on the cost per hour of the box's plans within the limits.
        used: machines of each type that each module takes, or parts of them, by module and column of the box.
    """

    plan: Plan
    cost_per_h: Fraction
    bound: Fraction
    used: list[list[int]]


@dataclass(frozen=True, slots=True)
class Changes:
    """The cost and the limit of changes to running machines.

    Attributes:
        running: machines that run by name of the hardware, one entry for each module.
        change_per_h: money per hour for each machine added or removed, one entry for each module.
        most: most machines added and removed over all modules; None means any number. Otherwise they are the last
            column of a box.
        free: whether machines cost nothing, so that the cost of a plan is that of its changes alone.
    """

    running: list[dict[str, int]]
    change_per_h: list[Fraction]
    most: int | None
    free: bool


class Limited(NamedTuple):
    """The problem of some boxes.

    Attributes:
        session: the instance, without a stock and without most changes.
        space: plan space with whole machines or a countable dummy rule, and without `single_hardware`.
        names: the types of a box's columns.
        rows: limits on the modules together; with a limit on changes, it is the last row and column.
        parts: parts of machines that a box counts (`parts_of_machines`).
        discount: reduction of a machine's price per hour, by type.
    """

    session: Session
    space: PlanSpace
    names: Sequence[str]
    rows: Rows
    parts: int
    discount: Mapping[str, Fraction]


def cheapest_in_box(
    limited: Limited,
    box: Box,
    limit: float,
    effort: Effort,
    changes: Changes | None = None,
) -> BoxPlan | None:
    """The cheapest plan of a box at its prices, in exact arithmetic.

    Args:
        limited: the problem of the box.
        box: the box.
        limit: cost per hour from which on plans are of no interest; infinite means that all are of interest.
        effort: counts nodes.
        changes: the cost and the limit of changes; None ignores them.

    Returns:
        The plan; None means that there is none in the box below the limit.

    Raises:
        UndecidedError: the effort's limits are reached.
    """
    session, space, names, rows, parts, discount = limited
    # Any prices give a valid bound. Taken as exact fractions, these floats give it without rounding.
    prices = [Fraction(one) for one in box.price.tolist()]
    price = {
        name: sum((one * int(each) for one, each in zip(prices, column, strict=True)), Fraction(0))
        for name, column in zip(names, rows.takes.T, strict=False)
    }
    # The term λ·C of the bound: the capacities at these prices.
    paid = sum((one * Fraction(int(most), parts) for one, most in zip(prices, rows.most, strict=True)), Fraction(0))
    added = prices[-1] if changes is not None and changes.most is not None else Fraction(0)
    # A discount on machines is taken off their prices again.
    free = changes is not None and changes.free
    own = {h.name: -(h.price_per_h if free else discount.get(h.name, Fraction(0))) for h in session.hardware}
    own = {name: less for name, less in own.items() if less}
    on_top = {name: own.get(name, Fraction(0)) + price.get(name, Fraction(0)) for name in {**own, **price}}
    cutoff = None if math.isinf(limit) else Fraction(limit) + paid
    most = [{name: Fraction(int(n), parts) for name, n in zip(names, row, strict=False)} for row in box.most]
    asked = [least_rows(session, module) for module in session.modules]
    limits = [MachineLimits(own, on_top, rows=least) for own, least in zip(most, asked, strict=True)]
    if changes is not None:
        each = [int(row[-1]) // parts if changes.most is not None else None for row in box.most]
        limits = [
            replace(one, running=running, change_per_h=price + added, most_changes=most_changes)
            for one, running, price, most_changes in zip(
                limits, changes.running, changes.change_per_h, each, strict=True
            )
        ]
    settled = settle(session, space, cutoff, effort, limits)
    if settled.undecided:
        raise UndecidedError
    if settled.plan is None:
        return None
    plan = settled.plan
    checked = evaluate(session, plan, space)
    partial = [m.partial_rps for m in checked.modules]
    machines = [machines_by_hardware(Plan((m,)), [f], space) for m, f in zip(plan.modules, partial, strict=True)]
    used = [[int(row.get(name, Fraction(0)) * parts) for name in names] for row in machines]
    cost = sum((m.cost_per_h for m in checked.modules), Fraction(0))
    cost += sum((own.get(name, Fraction(0)) * n for row in machines for name, n in row.items()), Fraction(0))
    bound = sum((price.get(name, 0) * n for row in machines for name, n in row.items()), Fraction(0)) - paid
    if changes is not None:
        counted = [one.changes(_counted(m, f)) for one, m, f in zip(limits, plan.modules, partial, strict=True)]
        cost += sum((price * n for price, n in zip(changes.change_per_h, counted, strict=True)), Fraction(0))
        bound += added * sum(counted)
        if changes.most is not None:
            used = [[*row, n * parts] for row, n in zip(used, counted, strict=True)]
    return BoxPlan(plan, cost, cost + bound, used)


def _counted(plan: ModulePlan, partial: Fraction) -> dict[str, int]:
    """Machines of a module by name of the hardware, a partial one counted whole."""
    held: dict[str, int] = {}
    for a in plan.allocations:
        held[a.configuration.hardware] = held.get(a.configuration.hardware, 0) + a.machines
    held[plan.allocations[-1].configuration.hardware] += bool(partial)
    return held
