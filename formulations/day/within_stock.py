"""The cheapest plans within a stock for many rates at once, as far as their bounds meet them (ours).

The cheapest choices for the rates of each step (`steps`), once with latencies that are not too short and once with
those that are not too long: where both cost the same, the first are a plan and the second prove that none is cheaper.
The session's own
`exact` takes as long for one step in ten as this does for all.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from euclio.problems.day import Day, Staffing
from formulations.day.choices import MARGIN, Box, Choices, Ints, box, choices_of_bounds, choices_of_plans
from formulations.day.one_module import ROUNDING
from formulations.day.steps import Steps, paths_through, steps_of

MEET = 1e-9
"""Share of a plan's cost by which its bound may be lower: floats add them up in another order."""

Proven = tuple[tuple[Staffing, ...], float]
"""A plan, and a bound on all plans per hour."""


def proven_within_stock(day: Day, machines: Ints) -> list[Proven | None]:
    """For each step of a load the cheapest plan of its rates within the stock; None: it is not proven here.

    Args:
        day: the load; its lengths and prices of changes do not matter.
        machines: machines by type of plans that need not be within the stock, shape (steps, modules, types).
    """
    session = day.session
    stock = np.array([np.inf if h.count is None else float(h.count) for h in session.hardware])
    seen = np.minimum(machines, stock).astype(np.int64)
    made = [box(day, m, seen[:, m]) for m in range(seen.shape[1])]
    boxes = [one for one in made if one is not None]
    if len(boxes) < len(made):
        return [None] * len(day.steps)
    price = np.array([float(h.price_per_h) for h in session.hardware])
    prices = np.tile(price, (len(day.steps), len(boxes), 1))
    through, most, slo = paths_through(session), np.array([one.most for one in boxes]), float(session.slo_s)
    choices = choices_of_plans(day, boxes)
    plans = steps_of(choices, through, slo * (1 - MARGIN), most, stock)
    found = plans.bounds(prices)
    bounds = steps_of(choices_of_bounds(day, boxes), through, slo * (1 + MARGIN), most, stock).bounds(prices)
    cost = (plans.machines() @ price).sum(axis=1)
    proven = np.isfinite(found) & (plans.chosen >= 0).all(axis=1) & (cost <= bounds * (1 + MEET))
    return [
        (_staffings(day, boxes, choices, plans, k), float(bounds[k]) * (1 - ROUNDING)) if proven[k] else None
        for k in range(len(day.steps))
    ]


def _staffings(day: Day, boxes: Sequence[Box], choices: Choices, plans: Steps, k: int) -> tuple[Staffing, ...]:
    """What serves in a step with the machines that were chosen."""
    rated = zip(boxes, day.steps[k].rates_rps, plans.chosen[k].tolist(), strict=True)
    return tuple(
        Staffing(own.serving(choices.vectors[c], rate, choices.latency_s[c]) if rate else ()) for own, rate, c in rated
    )
