"""The least cost of several modules over time: a plan, and a bound (ours).

Plans of all modules together are gathered by step: the cheapest of each step, the cheapest for the largest rates of
some steps in a row, and those that are the cheapest while the values of `machine_values` rise, which bound the cost.
The cheapest way through them (`pool`) is improved module by module (`turns`). Bounds: `machine_values`, `step_bound`,
`shared_prices`.
"""

from __future__ import annotations

import math
import time
from collections.abc import Iterator, Sequence
from fractions import Fraction

import numpy as np

from euclio.day import Day, DayPlan, Step
from euclio.day.instance import HOUR_S
from euclio.session import Configuration, Hardware, Module, Session
from formulations.day.answers import Made, nothing_serves
from formulations.day.cheapest import Found, cheapest_plans
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
from formulations.day.machine_values import Ascent, steps_of
from formulations.day.one_path import LateError
from formulations.day.pool import Money, Pool
from formulations.day.pool_kernel import latencies
from formulations.day.shared_prices import SharedPrices, fits
from formulations.day.staffings import day_plan, staffing
from formulations.day.step_bound import bound_of_steps
from formulations.day.turns import Turns

WINDOWS = (2, 3, 4, 6, 9, 12, 18, 24, 36)
"""Steps in a row for whose largest rates plans are made."""
ROUNDS, CLIMBS, EVERY = 2, 150, 10
"""Rounds of plans; values per round; values from one gathering of plans to the next."""
SHARED_CLIMBS, IMPROVED = 240, 60
"""Prices shared between modules and steps that are tried; after how many of them the plan is improved, and it is seen
whether the bound still rises."""
MOST_PATHS = 64
"""Paths on which choices keep the SLO; plans are held to it on all others too, bounds need not be."""
SHUNNED = 1000
"""Price of a hardware type that is left out, in multiples of the largest one."""
LISTED, NEAR = 200, 6
"""Plans of a step that are looked at, and how many steps before and after lend theirs."""
TURNS = 2
"""Turns of all modules in a round."""
ENOUGH = 1e-4
"""Share of the plan's cost: a gap at which nothing better is looked for, and a gain that is too small to go on."""


def cheapest_of_several_modules(day: Day, deadline: float, exact: bool) -> Made:
    """A plan of a day with several modules, and a bound on all plans.

    Args:
        day: the instance.
        deadline: when to give up, on the clock of `time.perf_counter`; a plan that was found by then is kept.
        exact: whether floats missed an SLO; then the steps' own plans are taken, which the checker's fractions hold.

    Raises:
        NoPlanError: nothing serves a step.
        LateError: the deadline passed before every step had a plan.
    """
    found = _own_plans(day, deadline)
    plan = day_plan(one.staffings for one in found)
    bound = bound_of_steps(day, [one.bound_per_h for one in found])
    if exact:
        return plan, bound
    own = _machines(day, found)
    boxes = [box(day, m, own[:, m]) for m in range(own.shape[1])]
    made = [one for one in boxes if one is not None]
    if len(made) < len(boxes):
        return plan, bound
    search = _Search(day, made, own, deadline)
    for cost, highest in search.rounds():
        bound = max(bound, highest)
        if cost - bound <= ENOUGH * cost:
            break
    return search.plan(found), bound


def compile_several_modules() -> None:
    """Compile what days of one module do not reach, on a tiny one of two."""
    profile = [Configuration("h", batch, 1, Fraction(batch, 20)) for batch in (1, 2)]
    modules = [Module(name, 10, profile) for name in ("a", "b")]
    session = Session("compiled", 1, [Hardware("h", 1)], modules, [("a", "b")])
    day = Day("compiled", session, [Step(60, [own, own]) for own in (10, 30, 20)], 60)
    own = _machines(day, _own_plans(day, math.inf))
    boxes = [made for m in range(2) if (made := box(day, m, own[:, m])) is not None]
    for _ in _Search(day, boxes, own, math.inf).rounds():
        pass


def _own_plans(day: Day, deadline: float) -> list[Found]:
    """The cheapest plan of each step."""
    cheapest = cheapest_plans(day, Fraction(1), deadline, exact=False)
    plans: list[Found] = []
    for k, step in enumerate(day.steps):
        found = cheapest(step.rates_rps)
        if found is None:
            raise nothing_serves(day, k)
        plans.append(found)
    return plans


def _paths(session: Session) -> list[list[int]]:
    """Paths through the DAG from modules without parents to modules without children, the first `MOST_PATHS`."""
    parents = session.parents()
    inner = {parent for own in parents for parent in own}
    waiting = [[m] for m in reversed(range(len(parents))) if m not in inner]
    found: list[list[int]] = []
    while waiting and len(found) < MOST_PATHS:
        path = waiting.pop()
        before = parents[path[0]]
        waiting += [[parent, *path] for parent in reversed(before)]
        if not before:
            found.append(path)
    return found


def _machines(day: Day, found: Sequence[Found]) -> Ints:
    """Machines of the steps' own plans, shape (steps, modules, types)."""
    places = {hardware.name: h for h, hardware in enumerate(day.session.hardware)}
    on = np.zeros((len(found), len(day.session.modules), len(places)), np.int64)
    for k, one in enumerate(found):
        for m, own in enumerate(one.staffings):
            for serving in own.serving:
                on[k, m, places[serving.hardware]] += serving.machines
    return on


class _Search:
    """Plans and values that take turns."""

    def __init__(self, day: Day, boxes: Sequence[Box], own: Ints, deadline: float) -> None:
        self.day, self.boxes, self.deadline = day, boxes, deadline
        session = day.session
        modules, types = len(boxes), len(session.hardware)
        through = np.array([[m in path for m in range(modules)] for path in _paths(session)])
        hours = np.array([float(step.length_s / HOUR_S) for step in day.steps])
        prices = np.array([float(hardware.price_per_h) for hardware in session.hardware])
        start = np.array([float(day.price_of_start(h.price_per_h)) for h in session.hardware])
        stop = np.array([float(day.price_of_stop(h.price_per_h)) for h in session.hardware])
        self.money = Money(hours[:, None] * prices, start, stop)
        slo = float(session.slo_s)
        self.choices = choices_of_plans(day, boxes)
        self.chooser = steps_of(self.choices, through, slo * (1 - MARGIN))
        stock = np.array([np.inf if h.count is None else float(h.count) for h in session.hardware])
        self.ascent = Ascent(
            steps_of(choices_of_bounds(day, boxes), through, slo * (1 + MARGIN)),
            self.money,
            np.array([one.most for one in boxes]),
            stock,
            np.zeros((len(day.steps) + 1, modules, types)),
            np.zeros((len(day.steps), types)),
        )
        self.pool = Pool(session, self.choices, self.money, [{} for _ in day.steps])
        self.turns = Turns(day, boxes, self.choices, deadline)
        self.on = own
        self.cost = self.pool.cheapest(1, 0, own)[0]

    def rounds(self) -> Iterator[tuple[float, float]]:
        """Cost of the best plan and the largest bound, from round to round."""
        self._add_windows()
        self._improve()
        for _ in range(ROUNDS):
            for n in range(CLIMBS):
                if time.perf_counter() > self.deadline:
                    return
                self.ascent.climb(self.cost)
                if n % EVERY == 0:
                    self._add(self.chooser.cheapest(np.maximum(self.ascent.prices(), 0.0))[1])
            self._improve()
            yield self.cost, self.ascent.best
        if not fits(self.day, self.boxes):
            return
        shared = SharedPrices(self.day, self.boxes, self.ascent)
        before = shared.best
        for n in range(1, SHARED_CLIMBS + 1):
            if time.perf_counter() > self.deadline:
                return
            if n % IMPROVED == 0:
                if shared.best - before <= ENOUGH * self.cost:
                    return
                before = shared.best
            shared.climb(self.cost)
            if n % EVERY == 0:
                self._add(self.chooser.cheapest(np.maximum(shared.prices(), 0.0), shared.per_s)[1])
            if n % IMPROVED == 0:
                self._improve()
            yield self.cost, shared.best

    def _add(self, on: Ints) -> None:
        self.pool.add(on, range(len(on)))

    def _add_windows(self) -> None:
        """Plans for the largest rates of some steps in a row, on all hardware types and with one of them left out."""
        rates = np.array([[float(rate) for rate in step.rates_rps] for step in self.day.steps])
        steps, modules = rates.shape
        columns = np.arange(modules)
        for width in (1, *WINDOWS):
            starts = np.arange(0, steps, max(1, width // 2))
            ends = np.minimum(starts + width, steps)
            largest = np.array([a + np.argmax(rates[a:b], axis=0) for a, b in zip(starts, ends, strict=True)])
            choices = Choices(self.choices.vectors, self.choices.latency_s, self.choices.first[largest, columns])
            chooser = steps_of(choices, self.chooser.through, self.chooser.slo_s)
            prices = np.repeat(self.money.running[starts][:, None], modules, axis=1)
            for left_out in range(-1, prices.shape[2]):
                own = prices.copy()
                if left_out >= 0:
                    own[:, :, left_out] += prices.max() * SHUNNED
                least, on = chooser.cheapest(own)
                for n in np.flatnonzero(np.isfinite(least)):
                    inside = range(starts[n], ends[n])
                    self.pool.add(np.repeat(on[n : n + 1], len(inside), axis=0), inside)

    def _improve(self) -> None:
        """The cheapest way through the plans that were gathered, module by module improved."""
        _, on = self.pool.cheapest(LISTED, NEAR, self.on)
        try:
            better = self.turns.improved(on, TURNS)
        except LateError:
            better = on
        self._add(better)
        self.cost, self.on = self.pool.cheapest(1, 1, better)

    def latencies(self) -> Floats:
        """Latencies in the best plan, shape (steps, modules)."""
        own, steps = self.choices, np.arange(len(self.on))
        found: Floats = latencies(own.vectors, own.latency_s, own.first, self.on, steps)
        return found

    def plan(self, found: Sequence[Found]) -> DayPlan:
        """The best plan; `found` are the steps' own plans, which serve where choices are too coarse to know it."""
        own = self.latencies()
        serves = self.pool.serves(self.on, np.arange(len(self.on)))
        names = [hardware.name for hardware in self.day.session.hardware]
        modules = []
        for k, step in enumerate(self.day.steps):
            row = []
            for m, one in enumerate(self.boxes):
                serving = (
                    one.serving(self.on[k, m], float(step.rates_rps[m]), own[k, m])
                    if serves[k]
                    else found[k].staffings[m].serving
                )
                row.append(staffing(serving, dict(zip(names, self.on[k, m].tolist(), strict=True))))
            modules.append(row)
        return day_plan(modules)
