"""`day-exact`: the least cost of a load over time (docs/model/load-over-time.md).

Several modules (ours). Parts of the DAG that no path joins are planned by themselves (`cheapest_by_parts`). With few
machines, a search of vectors of all modules together proves the optimum (`joint`). Otherwise the plans of the rules
(`first_plans`) are candidates, so none of them is cheaper. Plans of all modules together are gathered by step: the
cheapest of each step, the cheapest for the largest rates of consecutive steps, and the cheapest at the prices of
`bounds` during their ascent. The cheapest way through them (`pool`) is improved module by module (`block_descent`).
Bounds come from `first_plans` and `bounds`.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np

from euclio.core.errors import InapplicableError
from euclio.core.registry import Limits
from euclio.core.result import Answer
from euclio.core.tolerances import PROOF_TOLERANCE
from euclio.problems.day import Day, DayPlan, Step, StepPlan, evaluate
from euclio.problems.day.instance import of_modules
from euclio.problems.day.sharing import WHOLE_DAY, DaySpace
from euclio.problems.session import Configuration, Hardware, Module, Session
from formulations.day.answers import Made, RuleError, answer, day_plan, staffing
from formulations.day.block_descent import BlockDescent
from formulations.day.bounds import MachineValues, SharedPrices, fits, length_of
from formulations.day.cheapest import Cheapest, cheapest_plans
from formulations.day.choices import (
    MARGIN,
    Box,
    Choices,
    Floats,
    Ints,
    box,
    choices_of_bounds,
    choices_of_plans,
)
from formulations.day.first_plans import (
    FirstPlans,
    add_rule,
    add_windows,
    cheapest_accepted,
    cost_of,
    first_plans,
    money_of,
    way_through,
)
from formulations.day.joint import Joint, cheapest_of_all
from formulations.day.known_plans import KnownPlans, Way
from formulations.day.packed import cheapest_way, packed_answer
from formulations.day.paths import LateError
from formulations.day.pool import Pool
from formulations.day.rate_table import cheapest_of_one_module
from formulations.day.rules import thresholds
from formulations.day.steps import paths_through, steps_of

# Modules that no path joins. Each such part of the DAG is a load over time of its own, apart from the stock (ours).
#
# Modules share the SLO only with those on a common path. So the least cost is that of the parts together. With a stock
# it is a bound, and the optimum if the plans together keep the stock.

Part = tuple[int, ...]
"""Places of modules that paths join."""


def parts_of(session: Session) -> list[Part]:
    """The parts of the DAG, in the order of their first modules."""
    parents = session.parents()
    part = list(range(len(parents)))
    for m in session.order:
        for parent in parents[m]:
            old, new = sorted((part[m], part[parent]), reverse=True)
            part = [new if one == old else one for one in part]
    return [tuple(m for m, one in enumerate(part) if one == first) for first in sorted(set(part))]


def cheapest_by_parts(day: Day, deadline: float, of_several: Callable[[Day, float], Made]) -> Made | None:
    """The cheapest plans of the parts as one, and their common bound; None for one part, or without an answer.

    Args:
        day: the instance.
        deadline: deadline on the clock of `time.perf_counter`; parts share the time.
        of_several: function that plans a part of several modules, given a deadline.

    Raises:
        NoPlanError: nothing serves a step.
    """
    parts = sorted(parts_of(day.session), key=len)
    if len(parts) == 1:
        return None
    made: list[Made] = []
    try:
        for n, part in enumerate(parts):
            now = time.perf_counter()
            own, until = of_modules(day, part), now + (deadline - now) / (len(parts) - n)
            made.append(_of_one(own, until) if len(part) == 1 else of_several(own, until))
    except (RuleError, InapplicableError, LateError):
        # A part that is too large or late has no plan, so all modules together come next.
        return None
    bounds = [one.bound for one in made if one.bound is not None]
    return Made(_together(day, parts, made), math.fsum(bounds) if len(bounds) == len(made) else None)


def _of_one(day: Day, deadline: float) -> Made:
    """The cheapest plan of one module, in fractions if floats miss the SLO by rounding."""
    made = cheapest_of_one_module(day, deadline, False)
    return made if evaluate(day, made.plan).feasible else cheapest_of_one_module(day, deadline, True)


def _together(day: Day, parts: Sequence[Part], made: Sequence[Made]) -> DayPlan:
    steps: list[StepPlan] = []
    for k in range(len(day.steps)):
        staffings = {
            m: own
            for part, one in zip(parts, made, strict=True)
            for m, own in zip(part, one.plan.steps[k].modules, strict=True)
        }
        steps.append(StepPlan(tuple(staffings[m] for m in sorted(staffings))))
    return DayPlan(tuple(steps))


WINDOWS = (2, 3, 4, 6, 9, 12, 18, 24, 36)
"""Numbers of consecutive steps for plans of their largest rates."""
FEW_STEPS = 40
"""Most steps of a load for plans of windows by the session's `exact`; longer loads, and loads with a stock, on which
`exact` is slow, get them from choices alone."""
CLIMBS, EVERY, IMPROVED = 240, 10, 60
"""Number of tried prices; intervals for gathering plans, and for improving the best one."""
SHUNNED = 1000
"""Price of an excluded hardware type, in multiples of the largest price."""
LISTED, NEAR = 200, 6
"""Most plans of a step in a search, and number of steps before and after with usable plans."""
TURNS = 2
"""Turns of all modules in a round."""
SEARCHED = 0.8
"""Part of the time after the rules' plans for the search of better ones; the slowest rule gets the rest."""
ENOUGH = 1e-4
"""Shares of the plan's cost: a gap that ends the search, and a gain that is too small to go on."""


def cheapest_of_several_modules(day: Day, deadline: float) -> Made:
    """A plan of a day with several modules, at most as expensive as that of any rule, and a bound on all plans.

    Args:
        day: the instance.
        deadline: deadline on the clock of `time.perf_counter`; a plan found by then is kept.

    Raises:
        NoPlanError: nothing serves a step.
        RuleError: no rule has a plan, and there is no proof that none exists.
        LateError: the deadline passed before any rule had a plan.
    """
    apart = _apart(day, deadline)
    if apart is not None and _is_proven(apart):
        return apart
    joint = _joint(day, deadline)
    if joint is not None and joint.proven and joint.way is not None:
        return Made(day_plan(joint.way), joint.bound)
    cheapest = cheapest_plans(day, Fraction(1), deadline, exact=False)
    found = first_plans(day, cheapest)
    bound = found.bounds[0]
    if apart is not None:
        bound = max(bound, apart.bound or 0.0)
        found.ways += [[step.modules for step in apart.plan.steps]] if apart.checked and apart.checked.feasible else []
    if joint is not None:
        bound = max(bound, joint.bound)
        found.ways += [] if joint.way is None else [joint.way]
    if found.ways:
        now = time.perf_counter()
        try:
            way, bound = _better(day, cheapest, found, bound, now + SEARCHED * (deadline - now))
            found.ways += [] if way is None else [way]
        except LateError as late:
            found.missing.append(late)
    money = money_of(day)
    least = min((cost_of(day, money, way) for way in found.ways), default=math.inf)
    # If the best plan is proven, the slowest rule need not run.
    if least > bound:
        add_rule(day, cheapest, found, thresholds, least)
    if not found.ways:
        raise next((own for own in found.missing if isinstance(own, LateError)), found.missing[0])
    return cheapest_accepted(day, found.ways, bound)


def _apart(day: Day, deadline: float) -> Made | None:
    """Plan parts of the DAG by themselves in half of the time; all modules together get the rest."""
    now = time.perf_counter()
    made = cheapest_by_parts(day, now + (deadline - now) / 2, cheapest_of_several_modules)
    return None if made is None else made._replace(checked=evaluate(day, made.plan))


def _is_proven(made: Made) -> bool:
    """Whether a checked plan is feasible and costs the same as its bound."""
    checked = made.checked
    if checked is None or not checked.feasible or checked.value is None or made.bound is None:
        return False
    return made.bound >= float(checked.value) * (1 - PROOF_TOLERANCE)


def _joint(day: Day, deadline: float) -> Joint | None:
    """Plan all modules together in half of the time if machines are few; the rules get the rest."""
    now = time.perf_counter()
    try:
        return cheapest_of_all(day, now + (deadline - now) / 2)
    except LateError:
        return None


def _better(day: Day, cheapest: Cheapest, found: FirstPlans, bound: float, deadline: float) -> tuple[Way | None, float]:
    """A cheaper way than those so far, if there is one, and a bound on all plans.

    Raises:
        LateError: the deadline passed before the search began.
    """
    money = money_of(day)
    least = min(cost_of(day, money, way) for way in found.ways)
    if least - bound <= ENOUGH * least:
        return None, bound
    if len(day.steps) <= FEW_STEPS and not day.session.stock:
        add_windows(day, cheapest, found, WINDOWS)
    for way in found.ways:
        found.known.add(way)
    own = found.own
    boxes = [] if own is None else [box(day, m, own[:, m]) for m in range(own.shape[1])]
    made = [one for one in boxes if one is not None]
    # Without a box for every module there is only a choice between known plans.
    if len(made) < len(day.session.modules):
        return way_through(found.known, money, NEAR), bound
    search = _PlanSearch(day, made, found.known, deadline)
    for cost, highest in search.rounds():
        bound = max(bound, highest)
        if cost - bound <= ENOUGH * cost:
            break
    return search.way(), bound


def compile_several_modules() -> None:
    """Compile the functions that days of one module do not need, on a tiny one of two."""
    profile = [Configuration("h", batch, 1, Fraction(batch, 20)) for batch in (1, 2)]
    modules = [Module(name, 10, profile) for name in ("a", "b")]
    session = Session("compiled", 1, [Hardware("h", 1)], modules, [("a", "b")])
    day = Day("compiled", session, [Step(60, [own, own]) for own in (10, 30, 20)], 60)
    found = first_plans(day, cheapest_plans(day, Fraction(1), math.inf, exact=False))
    assert found.own is not None
    boxes = [made for m in range(2) if (made := box(day, m, found.own[:, m])) is not None]
    for _ in _PlanSearch(day, boxes, found.known, math.inf).rounds():
        pass


class _PlanSearch:
    """A search that alternates between plans and values."""

    def __init__(self, day: Day, boxes: Sequence[Box], known: KnownPlans, deadline: float) -> None:
        """Begin with the cheapest way through the known plans within the boxes, as all steps' own plans are."""
        self.day, self.boxes, self.known, self.deadline = day, boxes, known, deadline
        session = day.session
        through = paths_through(session)
        self.money = money_of(day)
        slo = float(session.slo_s)
        self.choices = choices_of_plans(day, boxes)
        most = np.array([one.most for one in boxes])
        stock = np.array([np.inf if h.count is None else float(h.count) for h in session.hardware])
        self.chooser = steps_of(self.choices, through, slo * (1 - MARGIN), most, stock)
        self.bounding = steps_of(choices_of_bounds(day, boxes), through, slo * (1 + MARGIN), most, stock)
        kept, steps, _ = known.lists(NEAR, most)
        self.pool = Pool(session, self.choices, self.money, [{} for _ in day.steps], kept, steps)
        self.descent = BlockDescent(day, boxes, self.choices, deadline)
        self.cost, self.on = self.pool.cheapest(1, 0)

    def rounds(self) -> Iterator[tuple[float, float]]:
        """Cost of the best plan and the largest bound, from round to round."""
        self._add_windows()
        self._improve()
        prices = self._prices()
        for n in range(1, CLIMBS + 1):
            if time.perf_counter() > self.deadline:
                return
            prices.climb(length_of(n, CLIMBS))
            if n % EVERY == 0:
                self._add_chosen(prices.prices(), prices.worth)
            if n % IMPROVED == 0:
                self._improve()
            yield self.cost, prices.best
        self._add(self.descent.improved_in_pairs(self.on))
        self.cost, self.on = self.pool.cheapest(1, 1, self.on)
        yield self.cost, prices.best

    def _prices(self) -> SharedPrices | MachineValues:
        """Prices that bound the cost: the better kind if the tables of modules are small enough."""
        if fits(self.day, self.boxes):
            return SharedPrices(self.day, self.boxes, self.bounding, self.money, self.cost)
        return MachineValues(self.bounding, self.money)

    def _add_chosen(self, prices: Floats, worth: Floats | None = None) -> None:
        """The choices of the steps at prices."""
        self.chooser.cheapest(prices, worth)
        self._add(self.chooser.machines())

    def _add(self, on: Ints) -> None:
        self.pool.add(on, range(len(on)))

    def _add_windows(self) -> None:
        """Plans for the largest rates of consecutive steps, on all hardware types and without one of them."""
        rates = np.array([[float(rate) for rate in step.rates_rps] for step in self.day.steps])
        steps, modules = rates.shape
        columns = np.arange(modules)
        for width in (1, *WINDOWS):
            starts = np.arange(0, steps, max(1, width // 2))
            ends = np.minimum(starts + width, steps)
            largest = np.array([a + np.argmax(rates[a:b], axis=0) for a, b in zip(starts, ends, strict=True)])
            choices = Choices(self.choices.vectors, self.choices.latency_s, self.choices.first[largest, columns])
            own = self.chooser
            chooser = steps_of(choices, own.through, own.slo_s, own.most, own.stock)
            prices = np.repeat(self.money.running[starts][:, None], modules, axis=1)
            # -1 means that all types are in.
            for left_out in range(-1, prices.shape[2]):
                shunned = prices.copy()
                if left_out >= 0:
                    shunned[:, :, left_out] += prices.max() * SHUNNED
                least, on = chooser.bounds(shunned), chooser.machines()
                for n in np.flatnonzero(np.isfinite(least)):
                    inside = range(starts[n], ends[n])
                    self.pool.add(np.repeat(on[n : n + 1], len(inside), axis=0), inside)

    def _improve(self) -> None:
        """The cheapest way through the gathered plans, improved module by module."""
        _, on = self.pool.cheapest(LISTED, NEAR, self.on)
        try:
            better = self.descent.improved(on, TURNS)
        except LateError:
            better = on
        self._add(better)
        self.cost, self.on = self.pool.cheapest(1, 1, better)

    def way(self) -> Way:
        """The best plan of each step; a known one if choices are too coarse to show that its machines serve."""
        on = self.on
        steps = np.arange(len(on))
        serves, chosen = self.pool.serves(on, steps), self.choices.fastest(on, steps)
        names = [hardware.name for hardware in self.day.session.hardware]
        found: Way = []
        for k, step in enumerate(self.day.steps):
            if serves[k]:
                serving = [
                    one.serving(self.choices.vectors[c], rate, self.choices.latency_s[c]) if rate else ()
                    for one, rate, c in zip(self.boxes, step.rates_rps, chosen[k], strict=True)
                ]
            else:
                serving = [own.serving for own in self.known.within(k, on[k])]
            machines = (dict(zip(names, row.tolist(), strict=True)) for row in on[k])
            found.append(tuple(staffing(own, named) for own, named in zip(serving, machines, strict=True)))
        return found


WHOLE_PART = 0.4
"""Part of the time for whole machines where modules may share some."""


def solve_day(day: Day, space: DaySpace, limits: Limits[Any]) -> Answer[DayPlan]:
    """The cheapest plan, proven for one module; for several a plan and a bound, which proves it with few machines."""
    if space.charging.packs and len(day.session.modules) > 1:
        began = time.perf_counter()
        part_s = None if limits.time_limit_s is None else WHOLE_PART * limits.time_limit_s
        whole = solve_day(day, WHOLE_DAY, replace(limits, time_limit_s=part_s))
        left_s = None if limits.time_limit_s is None else limits.time_limit_s - (time.perf_counter() - began)
        return packed_answer(day, whole, replace(limits, time_limit_s=left_s), cheapest_way, bounded=True)

    def made(used: Day, deadline: float, exact: bool) -> Made:
        if len(used.session.modules) == 1:
            return cheapest_of_one_module(used, deadline, exact)
        # Plans of several modules are exact.
        return cheapest_of_several_modules(used, deadline)

    return answer(day, limits, made)
