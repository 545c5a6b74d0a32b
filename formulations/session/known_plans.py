"""Plans of quick heuristics, for an exact method whose limit ends before it has a better one.

The heuristics are found by the registry and run after the limit has ended, which takes some hundredths of a second. One
of them takes seconds if there are many modules. Then it runs first, and only if the limit leaves time for it. If there
are so many modules that even the check of a plan takes a while, the search ends that much before the limit. For a
process that is late is killed, and then it has neither plan nor bound. The plans of such a search are then compared
with one heuristic alone, whose time grows linearly in the modules, and which runs first.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from fractions import Fraction
from itertools import chain

from euclio.core.errors import InapplicableError
from euclio.core.registry import Limits, solvers
from euclio.core.result import Answer
from euclio.problems.session import Plan, PlanSpace, Session, evaluate
from formulations.session.surplus import all_full, first_plan

QUICK = ("piccolo", "scrooge", "whole-greedy")
"""Heuristics that take hundredths of a second for 100 modules."""
THOROUGH, THOROUGH_S = "harpagon", 2e-6
"""A heuristic whose time grows with the third power of the modules, and its factor in seconds: 2 s for 100 of them."""
IN_LINE, IN_LINE_S = "price-of-time", 1e-3
"""A heuristic whose time grows linearly in the modules, and the most seconds for each of them."""
AT_ONCE_S, SHARE = 0.03, 0.2
"""The thorough heuristic runs after the limit if it is as quick as this. Either of the two runs before the search if it
takes at most this share of the limit."""
CHECK_S, MOST_CHECK, LATE_S = 1e-3, 0.05, 0.1
"""Seconds that the check and the return of a plan may take for each module, on a busy machine; the largest share of the
limit that is left for it; and the time from which on any is. So long after the limit no further heuristic runs once
there is a plan."""


def with_known_plans(
    session: Session,
    space: PlanSpace,
    limits: Limits[Plan],
    run: Callable[[Limits[Plan]], Answer[Plan]],
    *,
    rounds: bool = False,
) -> Answer[Plan]:
    """The answer of an exact method, with the plan of a quick heuristic if the method has no better one.

    Args:
        session: the instance.
        space: its plan space.
        limits: limits of the run; without a time limit the method ends with a proof, and no heuristic runs.
        run: the exact method, within the limits that it is given.
        rounds: whether it has a plan at once by rounding its own relaxation. Then the thorough heuristic, which would
            take a share of the limit, does not run first. A plan that is made first is passed to it as
            `EngineOptions.warm_start`.
    """
    if limits.time_limit_s is None:
        return run(limits)
    modules, limit_s = len(session.modules), limits.time_limit_s
    is_late = _is_late(session)
    takes, before = THOROUGH_S * modules**3, None
    names = [*QUICK] if is_late else [*QUICK, IN_LINE]
    started = time.perf_counter()
    if takes <= AT_ONCE_S:
        names.append(THOROUGH)
    elif not rounds and takes <= SHARE * limit_s:
        before = _made_by(THOROUGH, session, space)
    elif rounds and is_late and IN_LINE_S * modules <= SHARE * limit_s:
        before = _made_by(IN_LINE, session, space)
        limits = replace(limits, options=replace(limits.options, warm_start=before))
    left_s = max(0.0, limit_s - (time.perf_counter() - started))
    if is_late:
        # Each plan is checked, and the returned one once more.
        left_s -= min(CHECK_S * modules * (1 if before is None else 2), MOST_CHECK * left_s)
    found = run(replace(limits, time_limit_s=left_s))
    if found.infeasible or found.raw_status.lower() == "optimal":
        return found
    if rounds and is_late and found.plan is not None:
        if before is None:
            return found
        names = []
    known = [plan for plan in (found.plan, before) if plan is not None]
    late = started + limit_s + LATE_S
    made = _made_in_time(names, session, space, late, bool(known))
    plan, cost = cheapest_of(session, space, chain(known, made))
    if plan is None and all_full(space):
        # In fractions, however little the SLO leaves to collect batches in.
        plan, cost = cheapest_of(session, space, [first_plan(session, space, late)])
    if plan is None or cost is None or plan is found.plan:
        return found
    claimed = float(cost)
    return replace(found, plan=plan, claimed=claimed, bound=None if found.bound is None else min(found.bound, claimed))


def quick_plan(
    session: Session, space: PlanSpace, own: Plan | None, deadline: float = math.inf
) -> tuple[Plan | None, Fraction | None]:
    """The cheapest of an own plan and those of heuristics that take hundredths of a second, with its cost per hour.

    On a busy machine they take seconds, so from `LATE_S` past the deadline on no further one runs once there is a plan.
    """
    names = (IN_LINE,) if _is_late(session) else (*QUICK, IN_LINE)
    made = _made_in_time(names, session, space, deadline + LATE_S, own is not None)
    return cheapest_of(session, space, chain([own], made))


def _made_in_time(
    names: Iterable[str], session: Session, space: PlanSpace, until: float, is_known: bool
) -> Iterator[Plan]:
    """The plans of heuristics, each run when its plan is asked for; from `until` on none is run if a plan is known."""
    for name in names:
        if is_known and time.perf_counter() > until:
            return
        plan = _made_by(name, session, space)
        if plan is not None:
            is_known = True
            yield plan


def _is_late(session: Session) -> bool:
    """Whether there are so many modules that even the check of a plan takes a while."""
    return CHECK_S * len(session.modules) > LATE_S


def cheapest_of(
    session: Session, space: PlanSpace, plans: Iterable[Plan | None]
) -> tuple[Plan | None, Fraction | None]:
    """The cheapest of some plans that the checker accepts, of equal ones the first, and its cost per hour."""
    best, least = None, None
    for plan in plans:
        checked = None if plan is None else evaluate(session, plan, space)
        if checked is None or not checked.feasible or checked.cost_per_h is None:
            continue
        if least is None or checked.cost_per_h < least:
            best, least = plan, checked.cost_per_h
    return best, least


def _made_by(name: str, session: Session, space: PlanSpace) -> Plan | None:
    """The plan of a heuristic; None means that it is not installed, does not cover the session or finds nothing."""
    solver = solvers().get(name)
    if solver is None or solver.uncovered(session, space):
        return None
    try:
        plan: Plan | None = solver.run(session, space, Limits()).plan
    except InapplicableError:
        return None
    return plan
