"""Solver `exact`: the cheapest plan of a session in any plan space, with proof."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np

from euclio.core.compiled import is_past
from euclio.core.lazy import late
from euclio.core.registry import Limits
from euclio.core.result import Answer
from euclio.core.tolerances import PROOF_TOLERANCE
from euclio.problems.session import DummyRule, Plan, PlanSpace, Session, evaluate
from euclio.problems.session.arrays import SessionArrays, arrays_kept, session_arrays, to_plan
from euclio.problems.session.demands import is_limited_by_changes
from euclio.problems.session.latency.bound import is_too_fast, takes_all_of_the_slo
from euclio.problems.session.latency.dispatch import CLEAR_PATH, path_times
from euclio.problems.session.policies import POLICIES, Form
from formulations.effort import Effort
from formulations.session.exact.frontier_search import prove_watched
from formulations.session.exact.outcomes import (
    INFEASIBLE,
    NO_PLAN,
    NO_PLAN_WITHIN_STOCK,
    OPTIMAL,
    RATIONAL_NODES,
)
from formulations.session.exact.spare import cheapest_with_spare
from formulations.session.known_plans import with_known_plans
from formulations.session.module.nearly_full import nearly_full
from formulations.session.per_hardware import cheapest_over_hardware
from formulations.session.split.course import Course, unwatched, watched, with_trace
from formulations.tolerances import GAP, INSIDE, SLO_SLACK

if TYPE_CHECKING:
    from formulations.session.exact.in_fractions.budgets import Bracket

# What few sessions ask for takes as long to import as small sessions take to be solved.
settle: Callable[[Session, PlanSpace, Fraction | None, Effort], Bracket] = late(
    "formulations.session.exact.in_fractions.settle", "settle"
)
solve_stock: Callable[[Session, PlanSpace, float], Answer] = late(
    "formulations.session.exact.stock.stock", "solve_stock"
)
solve_close: Callable[[Session, PlanSpace, float], Answer] = late(
    "formulations.session.exact.stock.close", "solve_close"
)
solve_continuous: Callable[[Session, PlanSpace, SessionArrays, float], Answer] = late(
    "formulations.session.exact.continuous", "solve_continuous"
)


def solve_exact(session: Session, space: PlanSpace, limits: Limits) -> Answer:
    """Solver `exact` (ours): module frontiers resolved where they matter, and a search over their modes.

    Under dummy rule `continuous` the modules' budgets are bracketed instead (`exact/bracketing/budgets.py`), unless
    machines are charged whole: there dummies cost nothing, and costs fall in steps (`session/module/whole.py`).
    With `single_hardware` every hardware type is solved alone and the cheapest answer kept; spare machines make
    it a search over the types that are used.

    Args:
        session: the instance.
        space: plan space, with any dummy rule and any policy but those of form `GENERAL`.
        limits: time limit; the method draws no random numbers.

    Returns:
        The cheapest plan and a lower bound; under a time limit the best plan found and a bound that holds. The plan is
        no worse than those of quick heuristics; of more than a hundred modules than that of `price-of-time`, where the
        limit leaves a second per fifty of them. What was found
        and proven on the way is the trace, and `Limits.standing` has it at any moment, but for stocks, limits on
        changes, spare machines, dummy rule `continuous` by share, and one hardware type per session.
    """
    rounds = not (session.stock or session.resources or is_limited_by_changes(session) or _is_on_lines(space))
    return with_known_plans(session, space, limits, lambda within: _solve(session, space, within), rounds=rounds)


def compile_exact() -> None:
    """Compile what a run in the full plan space does not reach: dummies of any rate, by both kinds of policies.

    And what one does at its time limit: quick heuristics have no time to be loaded then.
    """
    from euclio.problems.session.family import FAMILY

    solve_exact(*FAMILY.tiny(PlanSpace()), Limits(0.0))

    any_rate = next(rule for rule in DummyRule if not rule.countable)
    for form in (Form.LEFT, Form.EVEN):
        policy = next(policy for policy in POLICIES if policy.form is form)
        solve_exact(*FAMILY.tiny(PlanSpace(policy=policy, dummy=any_rate)), Limits())


def _solve(session: Session, space: PlanSpace, limits: Limits) -> Answer:
    deadline = limits.deadline()
    # The bound of one hardware type, or of plans without spare machines, is none of the session.
    in_parts = space.single_hardware or session.spare_machines > 0
    course = unwatched() if in_parts else watched(limits.standing)

    def run(on: PlanSpace) -> Answer:
        return cheapest_with_spare(session, on, lambda part, within: _solve_on(part, within, deadline, course))

    return with_trace(course, cheapest_over_hardware(session, space, run))


def _solve_on(session: Session, space: PlanSpace, deadline: float, course: Course) -> Answer:
    arrays = session_arrays(session, space)
    if (arrays.first[1:] == arrays.first[:-1]).any():
        return Answer(None, "infeasible", infeasible=True, reason="a module has no configuration in the plan space")
    if _is_nearly_too_fast(arrays) and is_too_fast(session, space):
        return Answer(None, "infeasible", infeasible=True, reason=NO_PLAN)
    if _is_barely_too_fast_for_the_stock(session, space):
        return Answer(None, "infeasible", infeasible=True, reason=NO_PLAN_WITHIN_STOCK)
    if is_limited_by_changes(session):
        return solve_close(session, space, deadline)
    if session.stock or session.resources:
        return solve_stock(session, space, deadline)
    if _is_on_lines(space):
        return solve_continuous(session, space, arrays, deadline)
    # The search works in floating point, always on the side that allows too much: its optimum is a lower bound.
    proof = prove_watched(relaxed_arrays(session, space, arrays), GAP, deadline, course)
    stats = {"solves": float(proof.solves), "nodes": float(proof.nodes), "rounds": float(proof.rounds)}
    if proof.status == INFEASIBLE:
        return Answer(None, "infeasible", infeasible=True, stats=stats, reason=NO_PLAN)
    # A bound of 0 says nothing, unless the plan costs nothing.
    bound = float(proof.bound) if proof.bound > 0 or proof.cost == 0 else None
    if not math.isfinite(proof.cost):
        return Answer(None, "limit", bound=bound, stats=stats, reason="the time limit was hit")
    plan = nearly_full(session, space, to_plan(session, arrays, proof.machines, proof.partial_at))
    status = "optimal" if proof.status == OPTIMAL else "limit"
    # Where any rate of a partial machine is one, the search's latency is one that plans only come near to.
    if proof.clear and proof.path_s < arrays.slo * CLEAR_PATH and (arrays.countable or (proof.partial_at < 0).all()):
        return Answer(plan, status, float(proof.cost), bound, stats=stats)
    return _settled(session, space, arrays, Answer(plan, status, float(proof.cost), bound, stats=stats), deadline)


def _is_on_lines(space: PlanSpace) -> bool:
    """Whether costs fall along curves, not in steps: dummies of any rate, and machines charged by share."""
    return not space.dummy.countable and not space.charging.whole


def _is_nearly_too_fast(arrays: SessionArrays) -> bool:
    """Whether durations alone take the SLO, all but a little: only then are they compared with it in fractions.

    Next to it searches need ever more machines for ever less time, up to one for each digit of a float; so what can be
    said without a search is said first.
    """
    least = np.minimum.reduceat(arrays.duration, arrays.first[:-1])
    # No path is longer than all modules together.
    if least.sum() <= arrays.slo * INSIDE:
        return False
    scratch = np.zeros(arrays.rate.size)
    return path_times(arrays, least, scratch, np.zeros_like(scratch)) > arrays.slo * INSIDE


def _is_barely_too_fast_for_the_stock(session: Session, space: PlanSpace) -> bool:
    """Whether durations that the stock forces take all of the SLO, but no more than rounding may hide.

    The search, which takes the SLO for a little longer, finds plans there of as many machines as a float has digits.
    Where more is missing, its own proof comes at once, and says how many machines more would do.
    """
    left = takes_all_of_the_slo(session, space) if session.stock else None
    return left is not None and -left <= session.slo_s * Fraction(2 * SLO_SLACK)


def relaxed_arrays(session: Session, space: PlanSpace, arrays: SessionArrays) -> SessionArrays:
    """The session's arrays with the longer SLO that the search takes; made once per session and plan space."""
    key = (space, SLO_SLACK)
    kept = arrays_kept(session)
    known = kept.get(key)
    if known is None:
        known = kept[key] = arrays._replace(slo=arrays.slo * (1.0 + SLO_SLACK))
    return known


def _settled(session: Session, space: PlanSpace, arrays: SessionArrays, found: Answer, deadline: float) -> Answer:
    """Decide exactly what rounding may have decided: that a plan found is one, or another one, or that there is none.

    Args:
        session: the instance.
        space: the plan space.
        arrays: the session's arrays, with its own SLO.
        found: plan and bound of the search that takes the SLO for longer.
        deadline: `time.perf_counter` value at which to stop.

    Returns:
        The answer, claimed at the checker's cost.
    """
    priced = _priced(session, space, found.plan)
    if priced is not None and _proves(found.bound, priced):
        return replace(found, claimed=float(priced))
    best, plan = priced, found.plan if priced is not None else None
    # Just inside the SLO no tie matters: where a plan there costs no more than the bound, it is the optimum.
    if not is_past(deadline):
        inside = prove_watched(arrays._replace(slo=arrays.slo * INSIDE), GAP, deadline, unwatched())
        other = None
        if math.isfinite(inside.cost):
            other = nearly_full(session, space, to_plan(session, arrays, inside.machines, inside.partial_at))
        cost = _priced(session, space, other)
        if cost is not None and (best is None or cost < best):
            best, plan = cost, other
    if best is not None and _proves(found.bound, best):
        return replace(found, plan=plan, claimed=float(best))
    effort = Effort(RATIONAL_NODES, deadline)
    # Past the deadline nothing is decided; of many modules, making ready for it alone takes seconds.
    settled = None if is_past(deadline) else settle(session, space, best, effort)
    if settled is None or settled.undecided:
        claimed = None if best is None else float(best)
        return replace(found, plan=plan, raw_status="limit", claimed=claimed, reason="a tie with the SLO is undecided")
    stats = {**found.stats, "rational_nodes": float(effort.nodes)}
    if settled.plan is not None:
        plan, best = settled.plan, settled.cost
    if best is None:
        return Answer(None, "infeasible", infeasible=True, stats=stats, reason=NO_PLAN)
    return Answer(plan, "optimal", float(best), float(best), stats=stats)


def _priced(session: Session, space: PlanSpace, plan: Plan | None) -> Fraction | None:
    """The exact cost of a plan; None: there is none or the checker refuses it."""
    checked = None if plan is None else evaluate(session, plan, space)
    return checked.cost_per_h if checked is not None and checked.feasible else None


def _proves(bound: float | None, cost: Fraction) -> bool:
    """Whether a bound shows that no plan is cheaper."""
    return bound is not None and bound >= float(cost) * (1.0 - PROOF_TOLERANCE)
