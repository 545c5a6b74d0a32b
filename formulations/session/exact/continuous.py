"""Solver `exact` under dummy rule `continuous`: budgets are bracketed in floats, and ties are branched on."""

from __future__ import annotations

import time
from fractions import Fraction

from euclio.core.result import Answer
from euclio.core.tolerances import BRACKET_TOLERANCE
from euclio.problems.session import PlanSpace, Session, longest_path
from euclio.problems.session.arrays import SessionArrays
from euclio.problems.session.latency.bound import latency_bound
from formulations.effort import Effort
from formulations.session.exact.in_fractions.branching import branch_on_ties
from formulations.session.exact.in_fractions.budgets import Bracket
from formulations.session.exact.in_fractions.settle import settle
from formulations.session.exact.outcomes import NO_PLAN, RATIONAL_NODES
from formulations.tolerances import CONTINUOUS_SLO_SLACK

BRACKETING_S = 10.0
"""Seconds after which a bracketing in exact arithmetic ends with what it has."""


def solve_continuous(session: Session, space: PlanSpace, arrays: SessionArrays, deadline: float) -> Answer:
    """The cheapest plan under rule `continuous`: budgets are bracketed in floats, dummy rates made exactly from those.

    What ends without a proof that the checker confirms is bracketed once more in fractions.

    Args:
        session: the instance.
        space: plan space without `single_hardware`.
        arrays: the session in the plan space.
        deadline: `time.perf_counter` value at which to stop; infinite: never.
    """
    shortest = [latency_bound(module, space) for module in session.modules]
    least = [latency for latency in shortest if latency is not None]
    if longest_path(session, least)[0] > session.slo_s:
        return Answer(None, "infeasible", infeasible=True, reason=NO_PLAN)
    starts = [float(latency) for latency in least]
    relaxed = arrays._replace(slo=arrays.slo * (1.0 + CONTINUOUS_SLO_SLACK))
    found, stats = branch_on_ties(session, space, relaxed, starts, deadline)
    if not _is_closed(found) and time.perf_counter() < deadline:
        # Numbers too far apart for floats, or ties of many kinds: the same again in exact arithmetic.
        found = _better(found, settle(session, space, None, _effort(deadline)))
    if found.infeasible:
        return Answer(None, "infeasible", infeasible=True, stats=stats, reason=NO_PLAN)
    bound = float(found.bound) if found.bound is not None and (found.bound > 0 or found.cost == 0) else None
    if found.cost is None:
        return Answer(None, "limit", bound=bound, stats=stats, reason="a limit was hit before a plan was found")
    return Answer.proven(found.plan, float(found.cost), bound, "", stats, tolerance=BRACKET_TOLERANCE)


def _is_closed(found: Bracket) -> bool:
    """Whether a plan and a bound meet."""
    return (
        found.cost is not None
        and found.bound is not None
        and found.bound >= found.cost * (1 - Fraction(BRACKET_TOLERANCE))
    )


def _better(floats: Bracket, exact: Bracket) -> Bracket:
    """The cheaper plan and the larger bound of two searches; infeasibility as exact arithmetic has it."""
    best = min((one for one in (floats, exact) if one.cost is not None), key=lambda one: one.cost or 0, default=exact)
    bound = max((one.bound for one in (floats, exact) if one.bound is not None), default=None)
    return Bracket(best.cost, best.plan, bound, exact.infeasible)


def _effort(deadline: float) -> Effort:
    """What a bracketing in exact arithmetic may cost."""
    return Effort(RATIONAL_NODES, min(deadline, time.perf_counter() + BRACKETING_S))
