"""The cheapest plan of a session in exact arithmetic: decides ties that floats cannot (ours).

Every module's modes come one by one: the cheapest plan within the latency that the others leave it at most, then the
cheapest one that is strictly faster, and so on, as long as a plan of the session with it could cost less than the
cutoff. The cheapest choice of one mode per module is the optimum.

A partial machine that dummies fill nearly up to full takes longer than d + b/t, by as little as one likes. The sums of
latencies and the SLO are whole multiples of 1/D, D the denominator that they have in common. With 1/D over one more
than the modules for each such mode, a path is past the SLO exactly if it is with delays as small as one likes.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from typing import NamedTuple

from euclio.session import Module, ModulePlan, Plan, PlanSpace, Session, evaluate
from euclio.session.evaluate import machines_by_hardware
from euclio.session.latency_bound import latency_bound
from formulations.session.rational.module import (
    NO_LIMITS,
    Effort,
    MachineLimits,
    UndecidedError,
    cheapest_plan,
    needs_within,
    rational_module,
)
from formulations.session.rational.split import cheapest_choice
from formulations.session.splitting.problem import Mode, without_modes
from formulations.session.whole.cover import cheapest_filled
from formulations.session.whole.nearly_full import nearly_full


class _Known(NamedTuple):
    """A mode of a module.

    Attributes:
        latency_s: its latency in seconds.
        above: whether it takes longer than that, by as little as one likes.
        cost_per_h: what it costs, prices on top included.
        plan: its plan; a partial machine that is to be nearly full takes what the others leave of the rate.
    """

    latency_s: Fraction
    above: bool
    cost_per_h: Fraction
    plan: ModulePlan


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
    searches = [
        _ModuleSearch(session, space, module, own, effort)
        for module, own in zip(session.modules, limits or [NO_LIMITS] * len(least), strict=True)
    ]
    first = []
    for search, room in zip(searches, problem.room_s(least), strict=True):
        mode = search.mode(room, None, strictly=False)
        if mode is None:
            return None
        first.append(mode)
    enough = problem.room_s([mode.latency_s for mode in first])
    total = sum((mode.cost_per_h for mode in first), Fraction(0))
    rows = []
    for search, mode, target in zip(searches, first, enough, strict=True):
        most = None if cutoff is None else cutoff - total + mode.cost_per_h
        rows.append(search.modes(mode, target, most, above=any(other.above for other in first)))
    chosen = cheapest_choice(replace(problem, modes=_delayed(session, rows)), cutoff, effort)
    if chosen is None:
        return None
    plan = nearly_full(session, space, Plan(tuple(row[i].plan for row, i in zip(rows, chosen, strict=True))))
    if not space.dummy.countable and not evaluate(session, plan, space).feasible:
        raise UndecidedError
    return plan


def _delayed(session: Session, rows: list[list[_Known]]) -> tuple[tuple[Mode, ...], ...]:
    """The modes of all modules, those that take longer than their latency later by next to nothing."""
    denominators = {known.latency_s.denominator for row in rows for known in row}
    delay = Fraction(1, math.lcm(session.slo_s.denominator, *denominators) * (len(rows) + 1))
    return tuple(
        tuple(Mode(known.latency_s + known.above * delay, known.cost_per_h, known.plan) for known in row)
        for row in rows
    )


class _ModuleSearch:
    """The search for one module's modes."""

    def __init__(
        self, session: Session, space: PlanSpace, module: Module, limits: MachineLimits, effort: Effort
    ) -> None:
        self.alone = Session(module.name, session.slo_s, session.hardware, [module])
        self.space, self.limits, self.effort = space, limits, effort
        self.rational = rational_module(module, session.price, space, limits)

    def modes(self, first: _Known, target: Fraction, most: Fraction | None, *, above: bool) -> list[_Known]:
        """The modes from the first on, until one is within `target` seconds or the next one costs `most` or more.

        Args:
            first: the first mode.
            target: latency in seconds that the others leave this module at least.
            most: cost per hour from which on modes are of no interest; None: any is.
            above: whether the others may leave less than that, by next to nothing.
        """
        modes = [first]
        while modes[-1].latency_s > target or (modes[-1].latency_s == target and (above or modes[-1].above)):
            # Faster than a mode that is above a latency is one of exactly that latency.
            mode = self.mode(modes[-1].latency_s, most, strictly=not modes[-1].above)
            if mode is None:
                break
            modes.append(mode)
        return modes

    def mode(self, budget_s: Fraction, most: Fraction | None, *, strictly: bool) -> _Known | None:
        """The cheapest mode of the module within (strictly: below) a budget and below a cost."""
        cheapest = cheapest_filled if self.space.fills else cheapest_plan
        needs = needs_within(self.rational, budget_s, strictly=strictly)
        plan = cheapest(self.rational, needs, most, self.effort)
        if plan is None:
            return None
        (priced,) = evaluate(self.alone, Plan((plan,)), self.space).modules
        cost = priced.cost_per_h
        if self.limits.price_per_h:
            used = machines_by_hardware(Plan((plan,)), [priced.partial_rps], self.space)
            cost += sum((n * self.limits.price_per_h.get(name, 0) for name, n in used.items()), Fraction(0))
        if not needs.nearly or not plan.allocations[-1].partial_rps:
            return _Known(priced.worst_case_latency_s, False, cost, plan)
        last = plan.allocations[-1].configuration
        full = [self.space.policy.fixed_latency(a.configuration) for a in plan.allocations if a.machines]
        nearly = last.duration_s + last.batch / last.throughput_rps
        return _Known(max([nearly, *full]), nearly >= max(full, default=nearly), cost, plan)
