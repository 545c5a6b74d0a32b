"""Solver `exact`: the cheapest plan of a session in any plan space, with proof."""

from __future__ import annotations

import heapq
import math
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from fractions import Fraction
from itertools import count
from typing import TYPE_CHECKING

import numpy as np

from euclio.core.compiled import is_past
from euclio.core.lazy import late
from euclio.core.registry import Limits
from euclio.core.result import Answer
from euclio.core.tolerances import PROOF_TOLERANCE
from euclio.problems.session import Charging, DummyRule, Hardware, Plan, PlanSpace, Session, evaluate
from euclio.problems.session.arrays import SessionArrays, arrays_kept, session_arrays, to_plan
from euclio.problems.session.demands import is_limited_by_changes
from euclio.problems.session.family import FAMILY
from euclio.problems.session.latency.bound import is_too_fast, takes_all_of_the_slo
from euclio.problems.session.latency.dispatch import CLEAR_PATH, path_times
from euclio.problems.session.machine_limits import has_floors, least_machines, paid_for
from euclio.problems.session.policies import POLICIES, Form
from formulations.effort import (
    INFEASIBLE,
    LIMIT,
    NO_PLAN,
    NO_PLAN_WITHIN_STOCK,
    OPTIMAL,
    RATIONAL_NODES,
    Effort,
)
from formulations.session.demands import limited_shares
from formulations.session.exact.apart import proven_apart
from formulations.session.exact.frontier_search import ANY_WORK, Proof, prove_watched
from formulations.session.known_plans import quick_plan, with_known_plans
from formulations.session.per_hardware import cheapest_over_hardware
from formulations.session.split.course import Course, unwatched, watched, with_trace
from formulations.tolerances import GAP, INSIDE, SLO_SLACK

if TYPE_CHECKING:
    from formulations.session.exact.in_fractions.budgets import Bracket


# Spare machines for those that fail: a fixed charge on each hardware type that a plan uses (ours).
#
# The stock is lowered by them at once. A type in use has that many fewer for the plan, and the stock of an unused type
# does not matter. The rest is the charge. A node of the search is a set of *allowed* types and a set of *paid* ones.
# Its bound is the cost of the cheapest plan on the allowed types without spare machines, plus the charges of the paid
# types. No plan that uses only allowed types and all paid ones costs less. If that plan uses a type that is not paid,
# the type is either no longer allowed or paid in the children. So each set of types is solved once.

Run = Callable[[Session, PlanSpace], Answer]
"""Solves a session without spare machines."""


def cheapest_with_spare(session: Session, space: PlanSpace, run: Run) -> Answer:
    """The cheapest plan with the spare machines, with the least of all bounds and the sums of all counters.

    Args:
        session: the instance.
        space: plan space without `single_hardware`.
        run: solves a session without spare machines in a plan space.
    """
    if not session.spare_machines:
        return run(session, space)
    search = _SpareSearch(session, space, run)
    search.run_all()
    return search.answer()


@dataclass(slots=True)
class _SpareSearch:
    """Branch and bound over the types in use.

    Attributes:
        session: the instance.
        space: its plan space.
        run: solves a session without spare machines.
        cost: cost per hour of the best plan found; None before the first.
        plan: that plan.
        bound: proven lower bound on the cost of all plans.
        solved: answers by allowed types.
    """

    session: Session
    space: PlanSpace
    run: Run
    cost: Fraction | None = None
    plan: Plan | None = None
    bound: float = math.inf
    solved: dict[tuple[str, ...], Answer] = field(default_factory=dict)
    _without: Session = field(init=False)
    _charge: dict[str, Fraction] = field(init=False)

    def __post_init__(self) -> None:
        """Lower the stock, and list the charge of each type if it is used."""
        spare = self.session.spare_machines
        # Machines that are paid for cost nothing here (demand `at_least_coupled`).
        free = [replace(h, at_least=None) for h in self.session.hardware]
        hardware = [h if h.count is None else replace(h, count=max(0, h.count - spare)) for h in free]
        self._without = replace(self.session, hardware=tuple(hardware), spare_machines=0)
        self._charge = {h.name: spare * h.price_per_h for h in self.space.hardware_of(self.session)}

    def run_all(self) -> None:
        """Examine nodes by rising bound until none is below the best plan."""
        numbers = count()
        queue = [(0.0, next(numbers), tuple(self._charge), frozenset[str]())]
        while queue:
            bound, _, allowed, paid = heapq.heappop(queue)
            if bound < self._limit():
                for child in self._children(bound, allowed, paid):
                    heapq.heappush(queue, (child[0], next(numbers), *child[1:]))
            else:
                self.bound = min(self.bound, bound)

    def answer(self) -> Answer:
        """The best plan with its proof."""
        answers = list(self.solved.values())
        names = sorted({name for a in answers for name in a.stats})
        stats = {name: sum(a.stats.get(name, 0.0) for a in answers) for name in names}
        # The first answer allows all types: without a plan there, there is none at all.
        first = answers[0]
        if first.infeasible:
            return replace(first, stats=stats)
        undecided = next((a for a in answers if not a.infeasible and a.raw_status.lower() != "optimal"), first)
        bound = self.bound if 0.0 < self.bound < math.inf else None
        if self.cost is None:
            return Answer(None, undecided.raw_status, bound=bound, stats=stats, reason=undecided.reason)
        claimed = float(self.cost)
        # No plan costs less than 0.
        bound = 0.0 if claimed == 0 else bound
        return Answer.proven(self.plan, claimed, bound, undecided.reason, stats, otherwise=undecided.raw_status)

    def _limit(self) -> float:
        """The bound from which on nothing is of interest."""
        return math.inf if self.cost is None else float(self.cost) * (1.0 - GAP)

    def _children(
        self, bound: float, allowed: tuple[str, ...], paid: frozenset[str]
    ) -> list[tuple[float, tuple[str, ...], frozenset[str]]]:
        """Solve a node, and divide it if its plan uses a type that is not paid."""
        found = self._solved(allowed)
        if found.infeasible:
            return []
        # Every plan uses some type.
        charges = max(sum(self._charge[name] for name in paid), min(self._charge[name] for name in allowed))
        bound = max(bound, (found.bound or 0.0) + float(charges))
        used = self._offered(found.plan)
        # Types whose spare machines cost nothing need no branch.
        more = [name for name in used if name not in paid and self._charge[name] > 0]
        if not more:
            self.bound = min(self.bound, bound)
            return []
        # The type of the largest charge lifts the bound most once it is paid.
        name = max(more, key=lambda h: (self._charge[h], h))
        charged = (bound, allowed, paid | {name})
        fewer = tuple(other for other in allowed if other != name)
        return [charged, (bound, fewer, paid)] if fewer else [charged]

    def _solved(self, allowed: tuple[str, ...]) -> Answer:
        if allowed not in self.solved:
            on = self.space if len(allowed) == len(self._charge) else self.space.on(*allowed)
            self.solved[allowed] = self.run(self._without, on)
        return self.solved[allowed]

    def _offered(self, plan: Plan | None) -> list[str]:
        """The types that a plan uses, after keeping it if it is the best so far; none if it is no plan."""
        if plan is None:
            return []
        checked = evaluate(self.session, plan, self.space)
        if not checked.feasible or checked.cost_per_h is None:
            return []
        if self.cost is None or checked.cost_per_h < self.cost:
            self.cost, self.plan = checked.cost_per_h, plan
        return sorted({a.configuration.hardware for m in plan.modules for a in m.allocations})


# The imports for rare demands take as long as the solution of small sessions.
settle: Callable[[Session, PlanSpace, Fraction | None, Effort], Bracket] = late(
    "formulations.session.exact.in_fractions.ties", "settle"
)
solve_stock: Callable[[Session, PlanSpace, float], Answer] = late(
    "formulations.session.exact.stock.pooled", "solve_stock"
)
solve_with_changes: Callable[[Session, PlanSpace, float], Answer] = late(
    "formulations.session.exact.stock.changes", "solve_with_changes"
)
solve_paid_for: Callable[[Session, PlanSpace, float], Answer] = late(
    "formulations.session.exact.stock.paid_for", "solve_paid_for"
)
solve_packed: Callable[
    [Session, PlanSpace, float, Course, Plan | None, Callable[[PlanSpace, float], Answer]], Answer
] = late("formulations.session.packed.solver", "solve_packed")
solve_continuous: Callable[[Session, PlanSpace, SessionArrays, float], Answer] = late(
    "formulations.session.exact.continuous", "solve_continuous"
)
nearly_full: Callable[[Session, PlanSpace, Plan], Plan] = late("formulations.session.module.nearly_full", "nearly_full")


FIRST_WORK = 2_000_000
"""Work of the first search, in nodes of modules' searches: less than half a second. All of twelve DAGs of 50 modules
and seven of twelve of 100 are proven with less. Quick heuristics at the start would take them as long as the proof."""


def solve_exact(session: Session, space: PlanSpace, limits: Limits) -> Answer:
    """Solver `exact` (ours): module frontiers, resolved where necessary, and a search over their modes.

    Under dummy rule `continuous` the modules' budgets are bracketed instead (`exact/budget_brackets.py`), unless
    machines are charged whole. Then dummies cost nothing, and costs fall in steps (`session/module/whole.py`). If
    modules may share machines, the search branches on their numbers (`session/packed/solver.py`).
    With `single_hardware` every hardware type is solved alone and the cheapest answer kept. Spare machines make it a
    search over the types in use.

    Args:
        session: the instance.
        space: plan space, with any dummy rule and any policy except those of form `GENERAL`.
        limits: time limit; the method draws no random numbers.

    Returns:
        The cheapest plan and a lower bound; under a time limit the best plan found and a valid bound. The plan is no
        worse than those of quick heuristics. Above 100 modules it is no worse than that of `price-of-time`, if the
        limit leaves five milliseconds per module. The trace and `Limits.standing` have the intermediate plans and
        bounds. Exceptions are stocks, limits on changes, machines that are paid for, spare machines, dummy rule
        `continuous` by share, and one hardware type per session.
    """
    if space.charging.packs:
        # It begins with the plans of quick heuristics.
        return _solve(session, space, limits)
    machines = bool(session.stock or session.resources or has_floors(session) or session.share_groups)
    limited = machines or is_limited_by_changes(session)
    rounds = not (limited or _is_on_lines(space))
    return with_known_plans(session, space, limits, lambda within: _solve(session, space, within), rounds=rounds)


def compile_exact() -> None:
    """Compile the functions that a run in the full plan space does not reach: dummies of any rate, and sharing.

    Dummies of any rate are compiled for both kinds of policies. It also compiles those of a
    run at its time limit, as quick heuristics have no time to load then.
    """
    solve_exact(*FAMILY.tiny(PlanSpace()), Limits(0.0))

    any_rate = next(rule for rule in DummyRule if not rule.countable)
    for form in (Form.LEFT, Form.EVEN):
        policy = next(policy for policy in POLICIES if policy.form is form)
        solve_exact(*FAMILY.tiny(PlanSpace(policy=policy, dummy=any_rate)), Limits())
    session, space = FAMILY.tiny(PlanSpace(charging=Charging.PACKED))
    # Next to another price sums of prices are dense, so that the bound alone proves nothing.
    solve_exact(replace(session, hardware=(*session.hardware, Hardware("other", "1.01"))), space, Limits())


def _solve(session: Session, space: PlanSpace, limits: Limits) -> Answer:
    deadline = limits.deadline()
    # The bound of one hardware type, or of plans without spare machines, is no bound of the session.
    in_parts = space.single_hardware or session.spare_machines > 0
    course = unwatched() if in_parts else watched(limits.standing)
    start = None if in_parts else limits.options.warm_start

    def run(on: PlanSpace) -> Answer:
        return cheapest_with_spare(session, on, lambda part, within: _solve_on(part, within, deadline, course, start))

    return with_trace(course, cheapest_over_hardware(session, space, run))


def _solve_on(session: Session, space: PlanSpace, deadline: float, course: Course, start: Plan | None) -> Answer:
    arrays = session_arrays(session, space)
    if (arrays.first[1:] == arrays.first[:-1]).any():
        return Answer(None, "infeasible", infeasible=True, reason="a module has no configuration in the plan space")
    if _is_nearly_too_fast(arrays) and is_too_fast(session, space):
        return Answer(None, "infeasible", infeasible=True, reason=NO_PLAN)
    if _is_barely_too_fast_for_the_stock(session, space):
        return Answer(None, "infeasible", infeasible=True, reason=NO_PLAN_WITHIN_STOCK)
    if space.charging.packs:
        return solve_packed(
            session,
            space,
            deadline,
            course,
            start,
            lambda apart, until: _solve_on(session, apart, until, unwatched(), None),
        )
    if paid_for(session):
        return solve_paid_for(session, space, deadline)
    if is_limited_by_changes(session):
        return solve_with_changes(session, space, deadline)
    if session.stock or session.resources or least_machines(session) or limited_shares(session):
        return solve_stock(session, space, deadline)
    if _is_on_lines(space):
        return solve_continuous(session, space, arrays, deadline)
    # The search works in floating point, always on the side that keeps too many plans: its optimum is a lower bound.
    relaxed, known = relaxed_arrays(session, space, arrays), _priced(session, space, start)
    upper = math.inf if known is None else float(known)

    def proven(upper: float, most_work: int) -> Proof:
        return proven_apart(
            relaxed, upper, lambda part, known: prove_watched(part, GAP, deadline, known, most_work, course)
        )

    proof = proven(upper, FIRST_WORK if known is None else ANY_WORK)
    # A session that is not decided soon may never be, so the plan of every quick heuristic comes first.
    if proof.status == LIMIT and known is None and not is_past(deadline):
        start, known = quick_plan(session, space, _plan_of(session, space, arrays, proof))
        upper, course.counts[1] = math.inf if known is None else float(known), 0
        proof = proven(upper, ANY_WORK)
    stats = {"solves": float(proof.solves), "nodes": float(proof.nodes), "rounds": float(proof.rounds)}
    if proof.status == INFEASIBLE:
        return Answer(None, "infeasible", infeasible=True, stats=stats, reason=NO_PLAN)
    # A bound of 0 proves nothing, unless the plan costs nothing.
    bound = float(proof.bound) if proof.bound > 0 or proof.cost == 0 else None
    status = "optimal" if proof.status == OPTIMAL else "limit"
    if not math.isfinite(proof.cost):
        reason = "" if status == "optimal" else "the time limit was hit"
        plan, claimed = (None, None) if known is None else (start, upper)
        return Answer(plan, status, claimed, bound, stats=stats, reason=reason)
    plan = _plan_of(session, space, arrays, proof)
    # If a partial machine may take any rate, plans only approach the latency of the search.
    if proof.clear and proof.path_s < arrays.slo * CLEAR_PATH and (arrays.countable or (proof.partial_at < 0).all()):
        return Answer(plan, status, float(proof.cost), bound, stats=stats)
    return _settled(session, space, arrays, Answer(plan, status, float(proof.cost), bound, stats=stats), deadline)


def _plan_of(session: Session, space: PlanSpace, arrays: SessionArrays, proof: Proof) -> Plan | None:
    """The plan that a search has found; None means that it has none."""
    if not math.isfinite(proof.cost):
        return None
    plan = to_plan(session, arrays, proof.machines, proof.partial_at)
    # With countable dummies there is no rate of a partial machine to choose.
    return plan if space.dummy.countable else nearly_full(session, space, plan)


def _is_on_lines(space: PlanSpace) -> bool:
    """Whether costs fall along curves, not in steps: dummies of any rate, and machines charged by share."""
    return not space.dummy.countable and not space.charging.whole


def _is_nearly_too_fast(arrays: SessionArrays) -> bool:
    """Whether durations alone take almost all of the SLO: only then are they compared with it in fractions.

    Next to it searches need ever more machines for ever less time, up to one for each digit of a float. So the answer
    that needs no search comes first.
    """
    least = np.minimum.reduceat(arrays.duration, arrays.first[:-1])
    # No path is longer than all modules together.
    if least.sum() <= arrays.slo * INSIDE:
        return False
    scratch = np.zeros(arrays.rate.size)
    return path_times(arrays, least, scratch, np.zeros_like(scratch)) > arrays.slo * INSIDE


def _is_barely_too_fast_for_the_stock(session: Session, space: PlanSpace) -> bool:
    """Whether durations that the stock forces take all of the SLO, by no more than rounding may hide.

    The search, which takes the SLO a little longer, finds plans there with as many machines as a float has digits. If
    more is missing, its own proof comes at once, with the number of missing machines.
    """
    left = takes_all_of_the_slo(session, space) if session.stock else None
    return left is not None and -left <= session.slo_s * Fraction(2 * SLO_SLACK)


def relaxed_arrays(session: Session, space: PlanSpace, arrays: SessionArrays) -> SessionArrays:
    """The session's arrays with the longer SLO of the search; made once per session and plan space."""
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
        found: plan and bound of the search that takes the SLO longer.
        deadline: `time.perf_counter` value at which to stop.

    Returns:
        The answer, with the checker's cost as its claim.
    """
    priced = _priced(session, space, found.plan)
    if priced is not None and _proves(found.bound, priced):
        return replace(found, claimed=float(priced))
    best, plan = priced, found.plan if priced is not None else None
    # Just inside the SLO no tie matters: if a plan there costs no more than the bound, it is the optimum.
    if not is_past(deadline):
        inside = prove_watched(arrays._replace(slo=arrays.slo * INSIDE), GAP, deadline, math.inf, ANY_WORK, unwatched())
        other = _plan_of(session, space, arrays, inside)
        cost = _priced(session, space, other)
        if cost is not None and (best is None or cost < best):
            best, plan = cost, other
    if best is not None and _proves(found.bound, best):
        return replace(found, plan=plan, claimed=float(best))
    effort = Effort(RATIONAL_NODES, deadline)
    # Past the deadline nothing is decided; for many modules the preparation alone takes seconds.
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
    """The exact cost of a plan; None means that there is none or the checker refuses it."""
    checked = None if plan is None else evaluate(session, plan, space)
    return checked.cost_per_h if checked is not None and checked.feasible else None


def _proves(bound: float | None, cost: Fraction) -> bool:
    """Whether a bound shows that no plan is cheaper."""
    return bound is not None and bound >= float(cost) * (1.0 - PROOF_TOLERANCE)
