"""The cheapest plan of a session in exact arithmetic: decides ties that floats cannot (ours).

Every module's modes come one by one: the cheapest plan within the latency that the others leave it at most, then the
cheapest one that is strictly faster, and so on, as long as a plan of the session with it could cost less than the
cutoff. The cheapest choice of one mode per module is the optimum.
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

from euclio.session import Module, Plan, PlanSpace, Session, evaluate
from euclio.session.latency_bound import latency_bound
from formulations.session.rational.module import Effort, cheapest_plan, needs_within, rational_module
from formulations.session.rational.split import cheapest_choice
from formulations.session.splitting.problem import Mode, without_modes
from formulations.session.whole.cover import cheapest_filled


def cheapest_below(session: Session, space: PlanSpace, cutoff: Fraction | None, effort: Effort) -> Plan | None:
    """The cheapest plan of a session below a cutoff, in exact arithmetic.

    Args:
        session: the instance.
        space: plan space without `single_hardware`, with a countable dummy rule or whole machines.
        cutoff: cost per hour that the plan has to stay below; None: any.
        effort: counts nodes.

    Returns:
        The plan; None: there is none below the cutoff.

    Raises:
        UndecidedError: the effort's limits are reached.
    """
    bounds = [latency_bound(module, space) for module in session.modules]
    least = [bound for bound in bounds if bound is not None]
    if len(least) < len(bounds):
        return None
    problem = without_modes(session)
    rooms = problem.room_s(least)
    first = []
    for module, room in zip(session.modules, rooms, strict=True):
        mode = _mode(session, space, module, room, None, effort, strictly=False)
        if mode is None:
            return None
        first.append(mode)
    enough = problem.room_s([mode.latency_s for mode in first])
    total = sum((mode.cost_per_h for mode in first), Fraction(0))
    rows = []
    for module, mode, target in zip(session.modules, first, enough, strict=True):
        most = None if cutoff is None else cutoff - total + mode.cost_per_h
        rows.append(_modes(session, space, module, mode, target, most, effort))
    chosen = cheapest_choice(replace(problem, modes=tuple(rows)), cutoff, effort)
    if chosen is None:
        return None
    plans = [row[i].plan for row, i in zip(rows, chosen, strict=True)]
    return Plan(tuple(plan for plan in plans if plan is not None))


def _modes(
    session: Session,
    space: PlanSpace,
    module: Module,
    first: Mode,
    target: Fraction,
    most: Fraction | None,
    effort: Effort,
) -> tuple[Mode, ...]:
    """The modes from the first on, until one is within `target` seconds or the next one costs `most` or more."""
    modes = [first]
    while modes[-1].latency_s > target:
        mode = _mode(session, space, module, modes[-1].latency_s, most, effort, strictly=True)
        if mode is None:
            break
        modes.append(mode)
    return tuple(modes)


def _mode(
    session: Session,
    space: PlanSpace,
    module: Module,
    budget_s: Fraction,
    most: Fraction | None,
    effort: Effort,
    *,
    strictly: bool,
) -> Mode | None:
    """The cheapest mode of a module within (strictly: below) a budget and below a cost."""
    rational = rational_module(module, session.price, space)
    cheapest = cheapest_filled if space.fills else cheapest_plan
    plan = cheapest(rational, needs_within(rational, budget_s, strictly=strictly), most, effort)
    if plan is None:
        return None
    checked = evaluate(Session(module.name, session.slo_s, session.hardware, [module]), Plan((plan,)), space)
    (priced,) = checked.modules
    return Mode(priced.worst_case_latency_s, priced.cost_per_h, plan)
