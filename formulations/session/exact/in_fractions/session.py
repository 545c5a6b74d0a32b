"""The cheapest plan of a session in exact arithmetic: decides ties that floats cannot (ours).

Of every module some modes are known, and intervals of latencies of which only a lower bound on the cost is. The
cheapest choice of a mode or the fast end of an interval for each module bounds the session from below. Where it holds
intervals, each is searched at a budget such that together they use up the SLO; where it holds none, it is the optimum.

A partial machine that dummies fill nearly up to full takes longer than d + b/t, by as little as one likes, and an
interval may be open where it begins. The sums of latencies and the SLO are whole multiples of 1/D, D the denominator
that they have in common. With 1/D over one more than the modules for each such latency, a path is past the SLO exactly
if it is with delays as small as one likes.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction

from euclio.session import Plan, PlanSpace, Session, evaluate
from euclio.session.latency.bound import latency_bound
from formulations.effort import Effort, UndecidedError
from formulations.session.exact.in_fractions.mode_intervals import Interval, KnownMode, ModuleModes
from formulations.session.module.in_integers import NO_LIMITS, MachineLimits
from formulations.session.module.nearly_full import nearly_full
from formulations.session.split.in_integers import cheapest_choice
from formulations.session.split.problem import Mode, SplitProblem, without_modes

Entry = KnownMode | Interval
"""What a module may be chosen to take."""


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
        cutoff: cost per hour, prices on top included, that the plan has to stay below; None: any.
        effort: counts nodes.
        limits: what limits the machines of each module; None: nothing does.

    Returns:
        The plan; None: there is none below the cutoff.

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
        for row, entry, budget in zip(rows, choice, _budgets(problem, choice), strict=True):
            if isinstance(entry, Interval):
                row.search_within(entry, budget)
    plan = nearly_full(session, space, Plan(tuple(mode.plan for mode in modes)))
    if not space.dummy.countable and not evaluate(session, plan, space).feasible:
        raise UndecidedError
    return plan


def _cheapest(
    problem: SplitProblem, rows: list[ModuleModes], cutoff: Fraction | None, effort: Effort
) -> list[Entry] | None:
    """The cheapest choice of a mode or an interval per module; None: there is none within the SLO below the cutoff."""
    entries: list[list[Entry]] = [[*row.modes, *row.intervals] for row in rows]
    denominators = {entry.latency_s.denominator for row in entries for entry in row}
    delay = Fraction(1, math.lcm(problem.slo_s.denominator, *denominators) * (len(rows) + 1))
    kept = [_staircase(row, delay) for row in entries]
    modes = tuple(tuple(Mode(_from(entry, delay), entry.cost_per_h) for entry in row) for row in kept)
    chosen = cheapest_choice(replace(problem, modes=modes), cutoff, effort)
    return None if chosen is None else [row[i] for row, i in zip(kept, chosen, strict=True)]


def _from(entry: Entry, delay: Fraction) -> Fraction:
    """The latency that an entry stands for at least, in seconds."""
    return entry.latency_s + delay if entry.above else entry.latency_s


def _staircase(row: list[Entry], delay: Fraction) -> list[Entry]:
    """Entries that are faster than all cheaper ones, cheapest first."""
    kept: list[Entry] = []
    for entry in sorted(row, key=lambda entry: (entry.cost_per_h, _from(entry, delay))):
        if not kept or _from(entry, delay) < _from(kept[-1], delay):
            kept.append(entry)
    return kept


def _budgets(problem: SplitProblem, choice: list[Entry]) -> list[Fraction]:
    """Latencies in seconds that use up the SLO: those of modes, and for intervals equal parts of what is left, or more.

    One interval after the other takes what the paths leave it, so that next to the others none can take more.
    """
    budgets = [entry.latency_s for entry in choice]
    open_ended = [m for m, entry in enumerate(choice) if isinstance(entry, Interval)]
    each = (problem.slo_s - problem.critical_path(budgets)[0]) / len(open_ended)
    for m in open_ended:
        budgets[m] += each
    for m in open_ended:
        budgets[m] = max(budgets[m], problem.room_s(budgets)[m])
    return budgets
