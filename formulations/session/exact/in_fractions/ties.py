"""Exact decisions on ties of sessions: exact arithmetic finds what rounding hides, or leaves the tie open (ours).

Searches in floating point err on the side that keeps their bounds valid. They ask here if the checker refuses their
plan, or if they are not sure that a plan within a stock or close to the running machines is one. Machines by share
under a countable dummy rule, and whole machines, are decided by the modes of modules in integers. Under dummy rule
`continuous` by share, where costs fall along curves, brackets of budgets in fractions decide (`budgets.py`). A box of
machines within a stock or of changes comes with prices and most machines by module (`stock.py`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import NamedTuple

from euclio.core.tolerances import BRACKET_TOLERANCE
from euclio.problems.session import Module, ModulePlan, Plan, PlanSpace, Session, evaluate
from euclio.problems.session.evaluate import machines_by_hardware
from euclio.problems.session.latency.bound import latency_bound
from formulations.effort import Effort, UndecidedError
from formulations.session.exact.in_fractions.budgets import Bracket, bracket_session
from formulations.session.module.charged_in_integers import cheapest_charged
from formulations.session.module.in_integers import (
    NO_LIMITS,
    MachineLimits,
    cheapest_filled,
    cheapest_plan,
    needs_within,
    rational_module,
)
from formulations.session.module.nearly_full import nearly_full
from formulations.session.split.in_integers import as_modes, cheapest_choice
from formulations.session.split.problem import SplitProblem, without_modes

# The cheapest plan of a session in exact arithmetic: decides ties that floats cannot (ours).
#
# For every module some modes are known, and intervals of latencies with only a lower bound on the cost. The cheapest
# choice of a mode or the fast end of an interval for each module bounds the session from below. If it contains
# intervals, each is searched at a budget such that together they use up the SLO. If it contains none, it is the
# optimum.
#
# A partial machine that dummies fill nearly up to full takes longer than d + b/t, by an arbitrarily small amount, and
# an interval may be open at its start (`as_modes`).


class KnownMode(NamedTuple):
    """A mode of a module: no plan that is as fast costs less.

    Attributes:
        latency_s: its latency in seconds.
        above: whether it takes longer than that, by an arbitrarily small amount.
        cost_per_h: its cost, with additional prices.
        plan: its plan; a partial machine that is to be nearly full takes the rest of the rate.
    """

    latency_s: Fraction
    above: bool
    cost_per_h: Fraction
    plan: ModulePlan


@dataclass(frozen=True, slots=True)
class Interval:
    """Latencies at which there may be modes that are not known.

    Attributes:
        latency_s: its start, in seconds.
        above: whether it is open there.
        end_s: its end, in seconds.
        strictly: whether it is open there.
        cost_per_h: lower bound on the cost of its modes, with additional prices.
    """

    latency_s: Fraction
    above: bool
    end_s: Fraction
    strictly: bool
    cost_per_h: Fraction

    def before(self, mode: KnownMode) -> Interval | None:
        """The part that is faster than a mode and costs no less than that mode; None means that there is none."""
        begins_later = self.latency_s == mode.latency_s and (self.above or not mode.above)
        if self.latency_s > mode.latency_s or begins_later:
            return None
        cost = max(self.cost_per_h, mode.cost_per_h)
        if mode.latency_s > self.end_s:
            return replace(self, cost_per_h=cost)
        # A mode of exactly a latency is faster than a mode above that latency.
        strictly = not mode.above or (mode.latency_s == self.end_s and self.strictly)
        return replace(self, end_s=mode.latency_s, strictly=strictly, cost_per_h=cost)


class ModuleModes:
    """The known part of one module's modes.

    Attributes:
        modes: the known modes.
        intervals: intervals that contain all others of interest.
        most: cost per hour, with additional prices, from which on modes are of no interest; None means no limit.
    """

    def __init__(
        self, session: Session, space: PlanSpace, module: Module, limits: MachineLimits, effort: Effort
    ) -> None:
        self.modes: list[KnownMode] = []
        self.intervals: list[Interval] = []
        self.most: Fraction | None = None
        self._alone = Session(module.name, session.slo_s, session.hardware, [module])
        self._space, self._limits, self._effort = space, limits, effort
        self._rational = rational_module(module, session.price, space, limits)

    @property
    def least_cost(self) -> Fraction:
        """The cost per hour of the cheapest mode, which is the first one that was found."""
        return self.modes[0].cost_per_h

    def start(self, begin_s: Fraction, end_s: Fraction) -> bool:
        """Learn the cheapest mode within two latencies; False means that there is none."""
        whole = Interval(begin_s, False, end_s, False, Fraction(0))
        self.intervals = [whole]
        self.search_within(whole, end_s)
        return bool(self.modes)

    def search_within(self, interval: Interval, budget_s: Fraction) -> Interval | None:
        """Learn the cheapest mode of an interval within a budget in seconds, and its consequences for the others.

        Returns:
            If there is no mode within the budget, the slower part of the interval; None means that there is one, or
            no such part.
        """
        slower = [other for other in self.intervals if other.end_s > interval.end_s]
        # Intervals that end no later are faster, so they too contain nothing cheaper than the mode found.
        faster = [other for other in self.intervals if other.end_s <= interval.end_s and other is not interval]
        strictly = interval.strictly if budget_s >= interval.end_s else False
        rest = replace(interval, latency_s=budget_s, above=True) if budget_s < interval.end_s else None
        if rest is not None:
            slower.append(rest)
        found = self._mode(min(budget_s, interval.end_s), strictly=strictly)
        # There is nothing of interest that is faster than the budget.
        self.intervals = slower
        if found is None:
            return rest
        self.modes.append(found)
        parts = [other.before(found) for other in (interval, *faster)]
        self.intervals += [part for part in parts if part is not None]
        return None

    def _mode(self, budget_s: Fraction, *, strictly: bool) -> KnownMode | None:
        """The cheapest mode of the module within (strictly: below) a budget and below `most`."""
        cheapest = cheapest_plan
        if self._space.fills:
            cheapest = cheapest_charged if self._limits.change else cheapest_filled
        needs = needs_within(self._rational, budget_s, strictly=strictly)
        plan = cheapest(self._rational, needs, self.most, self._effort)
        if plan is None:
            return None
        (priced,) = evaluate(self._alone, Plan((plan,)), self._space).modules
        cost = priced.cost_per_h
        if self._limits.price_per_h:
            used = machines_by_hardware(Plan((plan,)), [priced.partial_rps], self._space)
            cost += sum((n * self._limits.price_per_h.get(name, 0) for name, n in used.items()), Fraction(0))
        cost += self._limits.change_per_h * self._changes(plan)
        if not needs.nearly or not plan.allocations[-1].partial_rps:
            return KnownMode(priced.worst_case_latency_s, False, cost, plan)
        last = plan.allocations[-1].configuration
        # It approaches d + b/t without reaching it; a full machine that takes longer has a latency that is reached.
        full = [self._space.policy.fixed_latency(a.configuration) for a in plan.allocations if a.machines]
        nearly = last.duration_s + last.batch / last.throughput_rps
        return KnownMode(max([nearly, *full]), nearly >= max(full, default=nearly), cost, plan)

    def _changes(self, plan: ModulePlan) -> int:
        """Machines of a plan that are added to and removed from the running ones; 0 if they do not count."""
        if not self._limits.change:
            return 0
        held: dict[str, int] = {}
        for a in plan.allocations:
            name = a.configuration.hardware
            held[name] = held.get(name, 0) + a.machines + (a.partial_rps > 0)
        return self._limits.changes(held)


Entry = KnownMode | Interval
"""A possible choice for a module."""


def cheapest_below(
    session: Session,
    space: PlanSpace,
    cutoff: Fraction | None,
    effort: Effort,
    limits: Sequence[MachineLimits] | None = None,
) -> Plan | None:
    """The cheapest plan of a session below a cutoff, in exact arithmetic.

    Args:
        session: the instance, without a stock.
        space: plan space without `single_hardware`, with a countable dummy rule or whole machines.
        cutoff: cost per hour, with additional prices, that the plan has to stay below; None means any.
        effort: counts nodes.
        limits: limits on the machines of each module; None means no limits.

    Returns:
        The plan; None means that there is none below the cutoff.

    Raises:
        UndecidedError: the effort's limits are reached, or rates that nearly fill a machine cannot be written down.
    """
    bounds = [latency_bound(module, space) for module in session.modules]
    least = [bound for bound in bounds if bound is not None]
    if len(least) < len(bounds):
        return None
    problem = without_modes(session)
    rows = [
        ModuleModes(session, space, module, own, effort)
        for module, own in zip(session.modules, limits or [NO_LIMITS] * len(least), strict=True)
    ]
    for row, room, begin in zip(rows, problem.room_s(least), least, strict=True):
        if not row.start(begin, room):
            return None
    # A module may cost the rest of the cutoff if all others take their cheapest modes.
    total = sum((row.least_cost for row in rows), Fraction(0))
    for row in rows:
        row.most = None if cutoff is None else cutoff - total + row.least_cost
    while True:
        choice = _cheapest(problem, rows, cutoff, effort)
        if choice is None:
            return None
        modes = [entry for entry in choice if isinstance(entry, KnownMode)]
        if len(modes) == len(choice):
            break
        begins = [entry.latency_s for entry in choice]
        for m, (row, entry, budget) in enumerate(zip(rows, choice, _budgets(problem, choice), strict=True)):
            slower = row.search_within(entry, budget) if isinstance(entry, Interval) else None
            # If another module's modes come arbitrarily close to a latency, halves of an interval whose modes all lie
            # at its end would be searched without end. So the rest is the room that these others leave.
            if slower is not None and (room := problem.room_s(begins)[m]) > budget:
                row.search_within(slower, room)
    plan = nearly_full(session, space, Plan(tuple(mode.plan for mode in modes)))
    if not space.dummy.countable and not evaluate(session, plan, space).feasible:
        raise UndecidedError
    return plan


def _cheapest(
    problem: SplitProblem, rows: list[ModuleModes], cutoff: Fraction | None, effort: Effort
) -> list[Entry] | None:
    """The cheapest choice of a mode or an interval per module; None if none within the SLO is below the cutoff."""
    entries: list[list[Entry]] = [[*row.modes, *row.intervals] for row in rows]
    choices, kept = as_modes(problem, entries)
    chosen = cheapest_choice(choices, cutoff, effort)
    return None if chosen is None else [row[i] for row, i in zip(kept, chosen, strict=True)]


def _budgets(problem: SplitProblem, choice: list[Entry]) -> list[Fraction]:
    """Latencies in seconds that use up the SLO: those of modes, and for intervals equal parts of the rest, or more.

    One interval after the other takes the rest that the paths leave it, so that next to the others none can take more.
    """
    budgets = [entry.latency_s for entry in choice]
    open_ended = [m for m, entry in enumerate(choice) if isinstance(entry, Interval)]
    each = (problem.slo_s - problem.critical_path(budgets)[0]) / len(open_ended)
    for m in open_ended:
        budgets[m] += each
    for m in open_ended:
        budgets[m] = max(budgets[m], problem.room_s(budgets)[m])
    return budgets


def settle(
    session: Session,
    space: PlanSpace,
    cutoff: Fraction | None,
    effort: Effort,
    limits: Sequence[MachineLimits] | None = None,
) -> Bracket:
    """The cheapest plan of a session below a cutoff, in exact arithmetic, as far as the effort's limits allow.

    Args:
        session: the instance, without a stock.
        space: plan space without `single_hardware`.
        cutoff: cost per hour, with additional prices, that the plan has to stay below; None means any. Under dummy rule
            `continuous` by share plans of any cost are bracketed.
        effort: counts nodes.
        limits: limits on the machines of each module; None means no limits.

    Returns:
        The plan with its cost, without additional prices. Without a plan it is the cutoff as the bound, below which
        there is none, or that there is none at all, or that the question is undecided.
    """
    if not space.dummy.countable and not space.charging.whole:
        return bracket_session(session, space, 0.5 * BRACKET_TOLERANCE, effort)
    try:
        plan = cheapest_below(session, space, cutoff, effort, limits)
    except UndecidedError:
        return Bracket(None, None, None, False)
    if plan is None:
        return Bracket(None, None, cutoff, cutoff is None)
    cost = evaluate(session, plan, space).cost_per_h
    return Bracket(cost, plan, cost, False)
