"""The cheapest plan of whole machines for given rates, with which the rules plan."""

from __future__ import annotations

import math
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np

from euclio.core.errors import InputError
from euclio.core.registry import Limits
from euclio.core.result import Answer
from euclio.problems.day import Day, Serving, Staffing, Step
from euclio.problems.day.evaluate import WHOLE
from euclio.problems.day.instance import asked, at_rates
from euclio.problems.session import ModulePlan, Plan, Session
from euclio.problems.session.resources import without_stock
from formulations.day.answers import RuleError
from formulations.day.choices import MARGIN, Box, Choices, Ints, box, choices_of_bounds, choices_of_plans
from formulations.day.known_plans import machines_of
from formulations.day.paths import LateError, per_vector
from formulations.day.rate_table import ROUNDING, rate_table
from formulations.day.steps import Steps, paths_through, steps_of
from formulations.session.exact.solver import solve_exact

# The cheapest plans within a stock for many rates at once, if their bounds meet them (ours).
#
# This finds the cheapest choices for the rates of each step (`steps`), once with latencies that are not too short and
# once with latencies that are not too long. If both cost the same, the first are a plan and the second prove that none
# is cheaper. The session's own `exact` takes as long for a tenth of the steps as this for all.

MEET = 1e-9
"""Share of a plan's cost by which its bound may be lower, since floats add them up in another order."""

Proven = tuple[tuple[Staffing, ...], float]
"""A plan, and a bound on all plans per hour."""


def proven_within_stock(day: Day, machines: Ints) -> list[Proven | None]:
    """For each step of a load the cheapest plan of its rates within the stock; None if it is not proven here.

    Args:
        day: the load; its lengths and prices of changes do not matter.
        machines: machines by type of plans, within the stock or not, shape (steps, modules, types).
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
    """The serving machines in a step, with the chosen numbers."""
    rated = zip(boxes, day.steps[k].rates_rps, plans.chosen[k].tolist(), strict=True)
    return tuple(
        Staffing(own.serving(choices.vectors[c], rate, choices.latency_s[c]) if rate else ()) for own, rate, c in rated
    )


Rates = tuple[Fraction, ...]

HALF = 0.5
"""Part of the remaining time for plans without the stock, before those within it."""


class RatesPlan(NamedTuple):
    """The cheapest plan for some rates.

    Attributes:
        staffings: one per module.
        bound_per_h: proven bound on the hourly cost of plans for these rates; None if there is none.
    """

    staffings: tuple[Staffing, ...]
    bound_per_h: float | None


Cheapest = Callable[[Rates], RatesPlan | None]
"""Takes rates of the modules; returns the cheapest plan, or None if none serves them."""


def cheapest_plans(day: Day, factor: Fraction, deadline: float, *, exact: bool) -> Cheapest:
    """A function that finds the cheapest plan for rates.

    Args:
        day: the instance.
        factor: largest rates over the largest ones of the load.
        deadline: deadline on the clock of `time.perf_counter`.
        exact: whether to compare rates as fractions, after a tie in floats.

    Raises:
        InapplicableError: there are too many numbers of machines.
        LateError: the deadline passed.

    The function raises LateError too, and RuleError without a plan or a proof that there is none.
    """
    session = day.session
    if len(session.modules) > 1:
        return _by_solver(day, factor, deadline)
    return _by_table(session, factor * day.largest_rates_rps[0], exact)


def _by_table(session: Session, largest_rps: Fraction, exact: bool) -> Cheapest:
    """One module: the cheapest vector of machines whose rate is enough."""
    table = rate_table(session, session.modules[0], session.slo_s, largest_rps, exact=exact)
    prices = per_vector(tuple(float(session.price[name]) for name in table.hardware), table.rate.shape).ravel()
    order = np.argsort(prices, kind="stable")

    def cheapest(rates: Rates) -> RatesPlan | None:
        enough = table.serves(rates[0]).ravel()[order]
        # Vectors come by rising price, so the first one that serves is the cheapest.
        first = int(np.argmax(enough))
        if not enough[first]:
            return None
        at = tuple(int(n) for n in np.unravel_index(int(order[first]), table.rate.shape))
        return RatesPlan((Staffing(table.serving(at, rates[0])),), float(prices[order[first]]))

    return cheapest


def _by_solver(day: Day, factor: Fraction, deadline: float) -> Cheapest:
    """For several modules, the answer of `exact` among plans of whole machines; equal rates are solved once."""
    known: dict[Rates, RatesPlan | RuleError | None] = {}
    solving = _Solving(day, factor, deadline)

    def cheapest(rates: Rates) -> RatesPlan | None:
        if rates not in known:
            try:
                known[rates] = solving.found(rates)
            except RuleError as open_:
                # Open answers are kept as well, since the same rates would only stay open again.
                known[rates] = open_
        found = known[rates]
        if isinstance(found, RuleError):
            raise found
        return found

    return cheapest


class _Solving:
    """The cheapest plans of whole machines for rates, by the session's `exact`.

    Without the stock it is quick, and its plan is mostly within the stock. `proven_within_stock` tries the rates of all
    other steps together. The slow `exact` within the stock tries those that are still open.
    """

    def __init__(self, day: Day, factor: Fraction, deadline: float) -> None:
        """Nothing is solved yet."""
        self.day, self.factor, self.deadline = day, factor, deadline
        self._proven: dict[Rates, RatesPlan] | None = None
        self._freed: dict[Rates, Answer[Plan]] = {}

    def found(self, rates: Rates) -> RatesPlan | None:
        """The needs of the modules with requests; the others have no machines. Errors as of `cheapest_plans`."""
        session = self.day.session
        there = at_rates(session, rates)
        if there is None:
            return _for_all(rates, RatesPlan((), 0.0))
        free = self._free(rates, there)
        if not session.stock or free.infeasible or _within_stock(session, free.plan):
            return self._taken(rates, there, free)
        if self._proven is None:
            self._proven = self._all_proven()
        if rates in self._proven:
            return self._proven[rates]
        return self._taken(rates, there, solve_exact(there, WHOLE, _until(self.deadline, 1.0)))

    def _free(self, rates: Rates, there: Session) -> Answer[Plan]:
        """The answer of `exact` without the stock."""
        if rates not in self._freed:
            # A tie that slows the search without the stock need not be one within the stock.
            limits = _until(self.deadline, HALF if there.stock else 1.0)
            self._freed[rates] = solve_exact(without_stock(there), WHOLE, limits)
        return self._freed[rates]

    def _taken(self, rates: Rates, there: Session, answer: Answer[Plan]) -> RatesPlan | None:
        if answer.plan is not None:
            return _for_all(rates, RatesPlan(tuple(_full(module) for module in answer.plan.modules), answer.bound))
        if answer.infeasible:
            return None
        if time.perf_counter() >= self.deadline:
            raise LateError
        named = ", ".join(f"{float(module.rate_rps):g}" for module in there.modules[:6])
        raise RuleError(f"the cheapest plan for {named} req/s is open: {answer.reason or answer.raw_status}")

    def _all_proven(self) -> dict[Rates, RatesPlan]:
        """The plans of the steps' rates that need more than the stock without it, as far as they are proven at once."""
        beyond: list[tuple[Rates, Plan]] = []
        for rates in dict.fromkeys(rates for step in self.day.steps for rates in self._rates(step)):
            there = at_rates(self.day.session, rates)
            if there is None:
                continue
            free = self._free(rates, there)
            if free.plan is not None and not _within_stock(self.day.session, free.plan):
                beyond.append((rates, free.plan))
        if not beyond:
            return {}
        load = replace(self.day, steps=tuple(Step(1, rates) for rates, _ in beyond))
        staffed = [
            _for_all(rates, RatesPlan(tuple(map(_full, plan.modules)), None)).staffings for rates, plan in beyond
        ]
        proven = proven_within_stock(load, np.array([machines_of(load, own) for own in staffed]))
        return {rates: RatesPlan(*own) for (rates, _), own in zip(beyond, proven, strict=True) if own is not None}

    def _rates(self, step: Step) -> Iterator[Rates]:
        """The rates that a step is planned for, as far as machines can be counted for them."""
        for factor in {Fraction(1), self.factor}:
            rates = tuple(factor * rate for rate in step.rates_rps)
            if supported(self.day, rates):
                yield rates


def supported(day: Day, rates_rps: Rates) -> bool:
    """Whether machines can be counted for rates that are more than the load."""
    try:
        at_rates(day.session, rates_rps)
    except InputError:
        return False
    return True


def _for_all(rates: Rates, found: RatesPlan) -> RatesPlan:
    """A plan of the modules with requests as one of all modules; the others have no machines."""
    own = dict(zip(asked(rates), found.staffings, strict=True))
    return RatesPlan(tuple(own.get(m, Staffing(())) for m in range(len(rates))), found.bound_per_h)


def _until(deadline: float, part: float) -> Limits[Any]:
    """Limits that leave a part of the time until a deadline."""
    left_s = deadline - time.perf_counter()
    if left_s <= 0:
        raise LateError
    return Limits(None if left_s == math.inf else left_s * part)


def _within_stock(session: Session, plan: Plan | None) -> bool:
    """Whether there is a plan, and it needs no more machines than there are."""
    if plan is None:
        return False
    used: Counter[str] = Counter()
    for module in plan.modules:
        for one in _full(module).serving:
            used[one.hardware] += one.machines
    return all(used[name] <= count for name, count in session.stock.items())


def _full(plan: ModulePlan) -> Staffing:
    """The machines of a module's plan, the partial one filled by dummies: that is free, and makes no machine slower."""
    counted = ((a.configuration, a.machines + bool(a.partial_rps)) for a in plan.allocations)
    return Staffing(tuple(Serving(c.hardware, c.batch, c.concurrency, n) for c, n in counted if n))
