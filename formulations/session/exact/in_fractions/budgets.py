"""Rule `continuous`: the cheapest plan of a session by bracketing budgets in exact arithmetic (ours).

The same as `exact/budget_brackets.py` in floating point, for sessions on which that met a tie. A module's least cost
never rises with its budget. Its cheapest plans are known at some budgets. Between the latency of one and the next
smaller known budget, every plan costs at least the infimum just below that latency. Taken as modes, these points and
intervals bound the session from below. If the cheapest choice of modes consists of points only, it is the optimum. An
interval is open at its start, as the cheapest plan within that latency is known. So a path through it takes more than
the sum of the latencies: at a tie with the SLO a point fits where the interval after it does not.

A cost steps where the partial machine of its plans is full (`full_latencies`). Intervals are cut there first, as
halving never hits such a latency. If modules trade latency along curves, a choice of intervals is closed once a bound
by lines (`LineBounds`) shows that none of its plans improves on the best one by more than the tolerance.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import NamedTuple

import numpy as np

from euclio.core.numbers import rounded_up
from euclio.problems.session import Allocation, ModulePlan, Plan, PlanSpace, Session, evaluate
from euclio.problems.session.arrays import SessionArrays, session_arrays
from euclio.problems.session.latency.bound import latency_bound
from formulations.effort import Effort, UndecidedError
from formulations.session.module.continuous import continuous_problem
from formulations.session.module.continuous_in_fractions import (
    ContinuousModule,
    cheapest_within,
    continuous_module,
    full_latencies,
)
from formulations.session.module.line import search_line
from formulations.session.split.in_integers import as_modes, choices_by_cost
from formulations.session.split.modes import new_modes
from formulations.session.split.problem import SplitProblem, without_modes
from formulations.session.split.relaxation import relax
from formulations.tolerances import DUMMY_DIGITS, LINE

# Rule `continuous`: a bound on plans whose modules each lie in an interval of latencies, better than steps (ours).
#
# With time at a price of y_m >= 0 money per second in module m, latencies x that keep the SLO on all paths pay
#
#     Σ_m y_m·x_m <= W(y)·SLO,    W(y) the largest Σ y_m over modules of which no two are on one path,
#
# by linear programming duality and Dilworth's theorem with weights. So no plan costs less than
#
#     Σ_m min over plans of m and latencies x_m of its interval of (cost + y_m·x_m)  −  W(y)·SLO.
#
# Each minimum is a point's own value, or that of a line below the interval. `search_line` finds the line in floating
# point, rounded so that the bound holds; the sums are exact. Any y gives a bound. We take the flow of the relaxation in
# which the cost falls along the interval's chord (`relaxation`). Then the bound is below the least cost only by a term
# of second order in the widths, while steps miss it by one of first order.

NODES = 1 << 14
"""Most nodes of the search for a line."""
MOST_SETS = 4096
"""Sessions with more sets of modules apart than this have no such bounds."""


class Piece(NamedTuple):
    """A point of a module's cost, or an interval of latencies with the point at its end.

    Attributes:
        left_s: start, in seconds.
        end_s: end, in seconds; a point ends where it begins.
        cost_per_h: lower bound on its plans.
        start_per_h: approximate cost of plans at its start; only the quality of the bound depends on it. For a point it
            is the cost.
    """

    left_s: Fraction
    end_s: Fraction
    cost_per_h: Fraction
    start_per_h: Fraction


class LineBounds:
    """Bounds on choices of pieces of one session."""

    def __init__(self, arrays: SessionArrays, problem: SplitProblem) -> None:
        """Prepare bounds for a session with few sets of modules apart.

        Args:
            arrays: the session in its plan space.
            problem: its DAG and SLO.
        """
        self.arrays, self.problem = arrays, problem
        # Modules of which no two are on one path work at the same time, up to the end of the longest path.
        self.most_s = problem.slo_s - min(Fraction(0), *(end for end in problem.ends if end is not None))
        self.apart = _sets_apart(problem)

    def bound(self, pieces: Sequence[Piece]) -> Fraction | None:
        """Lower bound on the cost of all plans in the pieces, one per module; None if it is no better than by steps."""
        if not self.apart:
            return None
        price = self._price_of_time(pieces)
        if price is None:
            return None
        # Near a tie the starts leave a sliver of the SLO, within which a cost hardly falls, even in a wide piece.
        ends = self.problem.room_s([piece.left_s for piece in pieces])
        least = sum(
            (
                self._least(m, piece, y, min(piece.end_s, end))
                for m, (piece, y, end) in enumerate(zip(pieces, price, ends, strict=True))
            ),
            Fraction(0),
        )
        return least - max(sum((price[m] for m in one), Fraction(0)) for one in self.apart) * self.most_s

    def _price_of_time(self, pieces: Sequence[Piece]) -> list[Fraction] | None:
        modes = new_modes(len(pieces), 2)
        for m, piece in enumerate(pieces):
            corners = [(piece.left_s, piece.start_per_h), (piece.end_s, piece.cost_per_h)]
            falls = float(piece.left_s) < float(piece.end_s) and piece.start_per_h > piece.cost_per_h
            kept = corners if falls else [(piece.left_s, piece.cost_per_h)]
            modes.size[m] = len(kept)
            for i, (latency, cost) in enumerate(kept):
                modes.latency[m, i], modes.cost[m, i] = float(latency), float(cost)
        flow = relax(self.arrays, modes, np.zeros(len(pieces), np.int64), modes.size - 1).flow
        if not np.isfinite(flow).all() or not (flow > 0.0).any():
            return None
        return [Fraction(max(0.0, float(y))) for y in flow]

    def _least(self, m: int, piece: Piece, y: Fraction, end_s: Fraction) -> Fraction:
        """Lower bound on cost + y·latency over the plans of module m from a piece's start to a latency within it."""
        step = piece.cost_per_h + y * piece.left_s
        if not y or piece.left_s == piece.end_s or piece.start_per_h <= piece.cost_per_h:
            return step
        most = piece.start_per_h + y * piece.left_s
        # Rounded outwards, so that the interval of floats contains the exact one.
        left, end = math.nextafter(float(piece.left_s), 0.0), math.nextafter(float(end_s), math.inf)
        problem = continuous_problem(self.arrays, m, end)
        # The search for a line needs prices above 0.
        if problem.price.size == 0 or problem.price.min() <= 0.0:
            return step
        found = search_line(problem, left, float(y), float(most - y * Fraction(left)), LINE, NODES)
        if not found.complete:
            return step
        line = Fraction(min(found.start, problem.hidden)) + y * Fraction(left)
        return max(step, min(line, most))


def _sets_apart(problem: SplitProblem) -> list[tuple[int, ...]]:
    """The largest sets of modules of which no two are on one path; none if there are too many."""
    count = len(problem.modules)
    after: list[set[int]] = [set() for _ in range(count)]
    for m in reversed(problem.order):
        for a, b in problem.edges:
            if a == m:
                after[m] |= {b, *after[b]}
    sets: list[tuple[int, ...]] = [()]
    for m in range(count):
        sets += [(*one, m) for one in sets if all(m not in after[k] and k not in after[m] for k in one)]
        if len(sets) > MOST_SETS:
            return []
    # Prices are at least 0, so a set never outweighs a set that contains it.
    return [one for one in sets if not any(len(other) > len(one) and set(one) < set(other) for other in sets)]


STEPS = 2**30
"""Budgets are cut at multiples of 1/STEPS of an interval, so that their denominators stay small."""


class Bracket(NamedTuple):
    """The known bounds of the optimum.

    Attributes:
        cost: cost per hour of the best plan; None means that none was found.
        plan: the plan.
        bound: lower bound on the cost; None means no bound.
        infeasible: whether it is proven that there is no plan.
    """

    cost: Fraction | None
    plan: Plan | None
    bound: Fraction | None
    infeasible: bool

    @property
    def undecided(self) -> bool:
        """Whether there is no result: neither a plan nor a bound, nor a proof that there is no plan."""
        return self.plan is None and self.bound is None and not self.infeasible


@dataclass(frozen=True, slots=True, eq=False)
class _Known:
    """A point or an open interval of a module's cost curve; entries are compared by identity.

    Attributes:
        latency_s: latency of the point, or start of the interval.
        cost_per_h: lower bound on the plans of the interval, or the least cost at the point.
        end_s: end of the interval; None means that it is a point.
        plan: the plan of the point.
        paid_per_h: cost of that plan, a little more if its dummy rate was rounded up.
        below: the cheapest plan just before the end of the interval.
    """

    latency_s: Fraction
    cost_per_h: Fraction
    end_s: Fraction | None = None
    plan: ModulePlan | None = None
    paid_per_h: Fraction | None = None
    below: ModulePlan | None = None

    @property
    def above(self) -> bool:
        """Whether its plans are later than its start: an interval is open there."""
        return self.end_s is not None


class _Curve:
    """The known part of one module's cost, by rising latency."""

    def __init__(
        self, session: Session, space: PlanSpace, m: ContinuousModule, least: Fraction, effort: Effort
    ) -> None:
        self.alone = Session(m.module.name, session.slo_s, session.hardware, [m.module])
        self.space, self.m, self.effort, self.least = space, m, effort, least
        self.known: list[_Known] = []

    def start(self, budget_s: Fraction) -> bool:
        """Learn the plans at the largest and the least budget, where the first interval begins; False if none."""
        found = self._points(self.least, budget_s)
        # Intervals are open at their start, so a plan that takes just the least latency is searched apart.
        if budget_s > self.least and not any(k.end_s is None and k.latency_s == self.least for k in found):
            found = [*self._points(self.least, self.least), *found]
        self.known = found
        return any(entry.end_s is None for entry in found)

    def point_at(self, interval: _Known) -> _Known | None:
        """The point at which an interval ends, if the interval is not cut off there."""
        return next((k for k in self.known if k.end_s is None and k.latency_s == interval.end_s), None)

    def point_within(self, entry: _Known) -> _Known | None:
        """The cheapest known plan that is no later than the start of an entry."""
        place = self.known.index(entry)
        return next((k for k in self.known[place::-1] if k.end_s is None), None)

    def step_within(self, interval: _Known) -> Fraction | None:
        """The last latency within an open interval at which its cost may step; None if it has none or is a point."""
        if interval.end_s is None or interval.below is None:
            return None
        full = full_latencies(self.m, interval.below)
        return max((at for at in full if interval.latency_s < at < interval.end_s), default=None)

    def piece(self, entry: _Known) -> Piece:
        """A point or an interval in the form for lines."""
        if entry.end_s is None:
            return Piece(entry.latency_s, entry.latency_s, entry.cost_per_h, entry.cost_per_h)
        place = self.known.index(entry)
        before = self.known[place - 1].cost_per_h if place else entry.cost_per_h
        return Piece(entry.latency_s, entry.end_s, entry.cost_per_h, before)

    def cut(self, at: _Known, budget_s: Fraction) -> _Known | None:
        """Learn the cheapest plan at a budget within an open interval; None if no plan is within the budget."""
        assert at.end_s is not None
        place = self.known.index(at)
        below = self._points(at.latency_s, budget_s)
        above = self._interval(budget_s, at.end_s)
        self.known[place : place + 1] = [*below, *above]
        return next((entry for entry in reversed(below) if entry.end_s is None), None)

    def _points(self, left: Fraction, budget_s: Fraction) -> list[_Known]:
        """The cheapest plan at a budget, after the interval from `left` to its latency."""
        found = cheapest_within(self.m, budget_s, self.effort)
        if found is None:
            return []
        plan = _writable(found[1])
        checked = evaluate(self.alone, Plan((plan,)), self.space)
        (priced,) = checked.modules
        # A rounded dummy rate makes the plan a little faster; the budgets up to the given one are still known.
        point = _Known(priced.worst_case_latency_s, found[0], None, plan, priced.cost_per_h)
        return [*self._interval(left, point.latency_s, found[0]), point]

    def _interval(self, left: Fraction, right: Fraction, least: Fraction | None = None) -> list[_Known]:
        if left >= right:
            return []
        infimum = cheapest_within(self.m, right, self.effort, strictly=True)
        if infimum is None:
            return []
        # Just below a latency nothing costs less than at it.
        cost = infimum[0] if least is None else max(infimum[0], least)
        return [_Known(left, cost, right, below=infimum[1])]


def _writable(plan: ModulePlan) -> ModulePlan:
    """The plan with a dummy rate that ends as a decimal, if its partial machine can take the difference."""
    last, dummy = plan.allocations[-1], plan.dummy_rps
    if not dummy or not last.partial_rps:
        return plan
    rounded = rounded_up(dummy, DUMMY_DIGITS)
    partial = last.partial_rps + rounded - dummy
    if partial >= last.configuration.throughput_rps:
        return plan
    rows = (*plan.allocations[:-1], Allocation(last.configuration, last.machines, partial))
    return ModulePlan(rows, rounded)


def bracket_session(session: Session, space: PlanSpace, tolerance: float, effort: Effort) -> Bracket:
    """Bracket the optimum of a session to a relative tolerance, or as far as the effort's limits allow.

    Args:
        session: the instance.
        space: plan space without `single_hardware`, with dummy rule `continuous`.
        tolerance: relative gap at which to stop.
        effort: counts nodes.
    """
    none = Bracket(None, None, None, True)
    bounds = [latency_bound(module, space) for module in session.modules]
    least = [bound for bound in bounds if bound is not None]
    if len(least) < len(bounds):
        return none
    problem = without_modes(session)
    curves = [
        _Curve(session, space, continuous_module(module, session.price, space), bound, effort)
        for module, bound in zip(session.modules, least, strict=True)
    ]
    best = Bracket(None, None, None, False)
    closed = _ClosedChoices(curves, LineBounds(session_arrays(session, space), problem), Fraction(tolerance))
    try:
        for curve, room in zip(curves, problem.room_s(least), strict=True):
            if not curve.start(room):
                return none
        while True:
            choice = _choose(problem, curves, closed, best.cost, effort)
            if choice is None and best.cost is None:
                return none
            steps = [] if choice is None else [sum((entry.cost_per_h for entry in choice), Fraction(0))]
            # Every plan is in an open choice (the cheapest bounds these), in a closed one, or no cheaper than the best.
            bound = min(steps + [one for one in (best.cost, closed.least) if one is not None])
            best = best._replace(bound=bound)
            if choice is None or (best.cost is not None and bound >= best.cost * (1 - Fraction(tolerance))):
                return best
            # A choice of narrow intervals is as good as the plans at their starts, which keep the SLO.
            best = _better(best, [curve.point_within(entry) for curve, entry in zip(curves, choice, strict=True)])
            best = _better(best, _cut(problem, curves, choice, effort))
    except UndecidedError:
        return best


class _ClosedChoices:
    """Choices for which lines have shown that no plan improves on the best one by more than the tolerance."""

    def __init__(self, curves: list[_Curve], lines: LineBounds, tolerance: Fraction) -> None:
        self.curves, self.lines, self.tolerance = curves, lines, tolerance
        self.bounds: dict[tuple[_Known, ...], Fraction | None] = {}
        self.least: Fraction | None = None
        """The least bound of choices that were closed."""

    def holds(self, choice: list[_Known], best: Fraction) -> bool:
        """Whether a choice is closed, or can be, given the cost of the best plan."""
        key = tuple(choice)
        if key not in self.bounds:
            self.bounds[key] = self.lines.bound(
                [curve.piece(entry) for curve, entry in zip(self.curves, choice, strict=True)]
            )
        bound = self.bounds[key]
        if bound is None or bound < best * (1 - self.tolerance):
            return False
        self.least = bound if self.least is None else min(bound, self.least)
        return True


def _choose(
    problem: SplitProblem, curves: list[_Curve], closed: _ClosedChoices, best: Fraction | None, effort: Effort
) -> list[_Known] | None:
    """The cheapest choice of points and intervals that is not closed; None if none within the SLO beats the best."""
    choices, kept = as_modes(problem, [curve.known for curve in curves])
    for chosen in choices_by_cost(choices, best, effort):
        choice = [row[i] for row, i in zip(kept, chosen, strict=True)]
        if best is None or not closed.holds(choice, best):
            return choice
    return None


def _cut(problem: SplitProblem, curves: list[_Curve], choice: list[_Known], effort: Effort) -> list[_Known | None]:
    """Cut the chosen intervals at steps, or else where together they use up the SLO; returns the plans there."""
    left = [entry.latency_s for entry in choice]
    right = [entry.latency_s if entry.end_s is None else entry.end_s for entry in choice]
    # If all ends fit together and cost as much as the bounds of their intervals, they are the cheapest choice.
    if problem.critical_path(right)[0] <= problem.slo_s:
        ends = [c if c.end_s is None else curve.point_at(c) for curve, c in zip(curves, choice, strict=True)]
        if all(end is not None and end.cost_per_h == c.cost_per_h for end, c in zip(ends, choice, strict=True)):
            return ends
    steps = [curve.step_within(entry) for curve, entry in zip(curves, choice, strict=True)]
    for curve, entry, step in zip(curves, choice, steps, strict=True):
        if step is not None:
            curve.cut(entry, step)
    if any(step is not None for step in steps):
        return [None]
    share = _share_within(problem, left, right, effort)
    # If no share of the intervals keeps the SLO, they are halved.
    budget = [
        begin
        if end == begin
        else _short(begin + Fraction(share if share else STEPS // 2, STEPS) * (end - begin), begin)
        for begin, end in zip(left, right, strict=True)
    ]
    if share:
        _use_up(problem, budget, right)
    served: list[_Known | None] = []
    for curve, entry, at in zip(curves, choice, budget, strict=True):
        end = curve.point_at(entry) if at == entry.end_s else None
        served.append(entry if entry.end_s is None else end or curve.cut(entry, at))
    # Halved intervals need not keep the SLO together: their plans then make none of the session.
    return served if share or all(entry.end_s is None for entry in choice) else [None]


def _use_up(problem: SplitProblem, budget: list[Fraction], most: list[Fraction]) -> None:
    """Raise budgets to use up the SLO exactly: a tie is there, and no share of an interval may ever hit it."""
    for m in range(len(budget)):
        if budget[m] < most[m]:
            budget[m] = min(most[m], problem.room_s(budget)[m])


def _short(budget_s: Fraction, above_s: Fraction) -> Fraction:
    """The budget or a little less, above a given latency, with a short denominator, as repeated cuts lengthen it."""
    shorter = Fraction(math.nextafter(float(budget_s), 0.0))
    return shorter if above_s < shorter <= budget_s else budget_s


def _share_within(problem: SplitProblem, left: list[Fraction], right: list[Fraction], effort: Effort) -> int:
    """The largest share of the intervals, in 1/STEPS and below 1, that keeps the SLO when added to their left ends."""
    low, high = 0, STEPS
    while high - low > 1:
        effort.count()
        middle = (low + high) // 2
        latency = [a + Fraction(middle, STEPS) * (b - a) for a, b in zip(left, right, strict=True)]
        low, high = (middle, high) if problem.critical_path(latency)[0] <= problem.slo_s else (low, middle)
    return low


def _better(best: Bracket, served: list[_Known | None]) -> Bracket:
    """The better of the known bracket and the plans at budgets that together keep the SLO."""
    plans = [entry.plan for entry in served if entry is not None and entry.plan is not None]
    if len(plans) < len(served):
        return best
    cost = sum((entry.paid_per_h or Fraction(0) for entry in served if entry is not None), Fraction(0))
    if best.cost is not None and cost >= best.cost:
        return best
    return best._replace(cost=cost, plan=Plan(tuple(plans)))
