"""Solver `exact` under dummy rule `continuous`: budgets are bracketed in floats, and ties are branched on."""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction

import numpy as np

from euclio.core.numbers import rounded_up
from euclio.core.result import Answer
from euclio.core.tolerances import BRACKET_TOLERANCE, TIE
from euclio.problems.session import (
    Allocation,
    Module,
    ModulePlan,
    Plan,
    PlanSpace,
    Policy,
    Session,
    evaluate,
    longest_path,
)
from euclio.problems.session.arrays import SessionArrays, to_plan
from euclio.problems.session.latency.bound import latency_bound
from euclio.problems.session.latency.paths import times_from, times_until
from euclio.problems.session.policies import Form
from formulations.effort import INFEASIBLE, NO_PLAN, OPTIMAL, RATIONAL_NODES, Effort, UndecidedError
from formulations.session.exact.budget_brackets import ContinuousProof, ContinuousSearch
from formulations.session.exact.in_fractions.budgets import Bracket
from formulations.session.exact.in_fractions.ties import settle
from formulations.session.module.continuous_in_fractions import cheapest_within, continuous_module, full_latencies
from formulations.tolerances import CONTINUOUS_GAP, CONTINUOUS_SLO_SLACK, DUMMY_DIGITS, FULL, JUST_BELOW, SLIVER

# Rule `continuous`: plans that miss the SLO by rounding only, decided by branching (ours).
#
# The search in floating point takes the SLO a little longer. If costs step at latencies that together are past the SLO
# by less than that, its best choice is no plan, and its bound is one of plans that do not exist. Let S_m be the
# latencies of that choice as fractions. For a module at a step, S_m is the step. For a module on a falling part of its
# cost, S_m is a little less, as it can spare that at almost no cost. If a path takes longer than the SLO, every plan
# has a module m on it that takes less than S_m. So one part per module of the path contains all plans. Each part is
# searched with a budget for m that is clearly below S_m. Plans of m between that budget and S_m are bounded in exact
# arithmetic: they cost as much as one at that budget, up to the share `SLIVER`, or the tie stays open.

# From whole counts and budgets in floating point to a plan under rule `continuous` that the exact check accepts.


def fill_up(
    session: Session, plan: Plan, partial: Sequence[bool], budgets: Sequence[Fraction], space: PlanSpace
) -> Plan | None:
    """Give every module the least dummy rate at which its whole and partial machines meet its budget.

    Modules with whole machines only take the rate of these. The others get the rest of their budgets, exactly. If a
    budget is the very one at which a partial machine would be full, rounding decides whether it is. If the check
    refuses the partial machine, whole machines are tried, which cost almost no more.

    Args:
        session: the instance.
        plan: one plan per module; dummy and partial rates are derived anew.
        partial: whether the module's last allocation has a partial machine.
        budgets: budget per module in seconds; the longest path may miss the SLO by rounding.
        space: plan space with rule `continuous`.

    Returns:
        The plan that the check accepts; None means that the budgets are too tight for that, by rounding.
    """
    filled = _fill_modules(session, list(plan.modules), partial, budgets, space)
    if filled is not None:
        return filled
    full = [
        partial[m] and _is_full(module, plan.modules[m], budgets[m], session.price, space.policy)
        for m, module in enumerate(session.modules)
    ]
    if not any(full):
        return None
    modules = [_with_whole(one) if is_full else one for one, is_full in zip(plan.modules, full, strict=True)]
    still = [is_partial and not is_full for is_partial, is_full in zip(partial, full, strict=True)]
    return _fill_modules(session, modules, still, budgets, space)


def _is_full(module: Module, plan: ModulePlan, budget: Fraction, price: dict[str, Fraction], policy: Policy) -> bool:
    """Whether the partial machine that a budget requires is a whole one, by rounding."""
    last = _fill_module(module, plan, True, budget, price, policy).allocations[-1]
    return last.partial_rps >= Fraction(FULL) * last.configuration.throughput_rps


def _with_whole(plan: ModulePlan) -> ModulePlan:
    """The plan with a whole machine in place of the partial one."""
    last = plan.allocations[-1]
    return replace(plan, allocations=(*plan.allocations[:-1], replace(last, machines=last.machines + 1)))


def _fill_modules(
    session: Session, modules: list[ModulePlan], partial: Sequence[bool], budgets: Sequence[Fraction], space: PlanSpace
) -> Plan | None:
    """The session's plan with the least dummy rates at which machines meet the budgets; None if the check refuses."""
    exact = list(budgets)
    price = session.price
    # Whole machines have a fixed latency; the rest of the paths goes to partial ones, which can be made faster.
    for m, module in enumerate(session.modules):
        if not partial[m]:
            modules[m] = _fill_module(module, modules[m], False, exact[m], price, space.policy)
            alone = Session(module.name, session.slo_s, session.hardware, [module])
            priced = evaluate(alone, Plan((modules[m],)), space)
            exact[m] = exact[m] if priced.latency_s is None else priced.latency_s
    for m in session.order:
        if partial[m]:
            # Budgets come from floats that take the SLO longer, and the excess is removed here.
            over = _longest_through(session, exact, m) - session.slo_s
            exact[m] = exact[m] - max(over, Fraction(0))
            modules[m] = _fill_module(session.modules[m], modules[m], True, exact[m], price, space.policy)
    filled = Plan(tuple(modules))
    return filled if evaluate(session, filled, space).feasible else None


def _longest_through(session: Session, latency_s: list[Fraction], m: int) -> Fraction:
    """Length of the longest path through module m, in seconds."""
    return times_until(session, latency_s)[m] + times_from(session, latency_s)[m] - latency_s[m]


def _fill_module(
    module: Module, plan: ModulePlan, partial: bool, budget: Fraction, price: dict[str, Fraction], policy: Policy
) -> ModulePlan:
    """The plan of one module with just enough dummies for its budget, as far as dummies help, in exact arithmetic.

    Args:
        module: the module.
        plan: its whole machines, and the configuration of the partial machine as the last allocation.
        partial: whether there is a partial machine; without one, dummies fill the surplus of whole machines.
        budget: latency budget in seconds.
        price: price per hour by hardware name.
        policy: the dispatch policy.
    """
    whole = sum((a.machines * a.configuration.throughput_rps for a in plan.allocations), Fraction(0))
    last = plan.allocations[-1]
    if not partial:
        return ModulePlan((*plan.allocations[:-1], replace(last, partial_rps=Fraction(0))), whole - module.rate_rps)
    dummy = max(Fraction(0), _least_total(plan.allocations, budget, price, policy, whole) - module.rate_rps)
    if dummy:
        # A short decimal for a file, rounded up since fewer dummies would miss the budget.
        rounded = rounded_up(dummy, DUMMY_DIGITS)
        fits = module.rate_rps + rounded - whole < last.configuration.throughput_rps
        dummy = rounded if fits else dummy
    allocations = (*plan.allocations[:-1], replace(last, partial_rps=module.rate_rps + dummy - whole))
    return ModulePlan(allocations, dummy)


def _least_total(
    allocations: tuple[Allocation, ...], budget: Fraction, price: dict[str, Fraction], policy: Policy, whole: Fraction
) -> Fraction:
    """The least total rate, dummies included, at which machines that wait for a batch do not exceed the budget.

    Args:
        allocations: the plan of a module in rank order, a partial machine at its end.
        budget: latency budget in seconds; configurations whose duration exceeds it require nothing here.
        price: price per hour by hardware name.
        policy: the dispatch policy.
        whole: rate that all whole machines take together.

    Returns:
        Requests per second.
    """
    total, before, origin = Fraction(0), Fraction(0), Fraction(0)
    ratio: Fraction | None = None
    for i, allocation in enumerate(allocations):
        c = allocation.configuration
        unit_cost = price[c.hardware] / c.throughput_rps
        # In form TIED machines of one ratio share the rate that is left at the first of them.
        if policy.form is not Form.TIED or unit_cost != ratio:
            ratio, origin = unit_cost, before
        wait = budget - c.duration_s
        if wait > 0:
            if policy.form.in_sequence and allocation.machines:
                total = max(total, origin + c.batch / wait)
            if i == len(allocations) - 1 and policy.form is Form.EVEN:
                total = max(total, before + (allocation.machines + 1) * policy.even_batch(c) / wait)
            elif i == len(allocations) - 1:
                total = max(total, (origin if policy.form is Form.TIED else whole) + c.batch / wait)
        before += allocation.machines * c.throughput_rps
    return total


Most = tuple[float, ...]
"""The part of the plans in which no module takes longer than this, in seconds; infinite means any latency."""
MOST_PARTS = 64
"""Parts after which a tie is left open; most random sessions with ties need only the parts of one path."""
MOST_NODES = 100_000
"""Nodes after which the cost next to a step is left open."""
SPARE = 128.0 * TIE
"""Share of the SLO that a module on a falling part of its cost can spare: more than the whole slack of the search."""


def branch_on_ties(
    session: Session, space: PlanSpace, arrays: SessionArrays, least: list[float], deadline: float
) -> tuple[Bracket, dict[str, float]]:
    """The optimum of a session as far as ties can be decided, and the counters of the search.

    Args:
        session: the instance.
        space: plan space without `single_hardware`, with dummy rule `continuous`.
        arrays: the session in the plan space, with the SLO that searches in floating point take.
        least: lower bound on each module's worst-case latency in seconds.
        deadline: `time.perf_counter` value at which to stop; infinite means never.
    """
    search = _TieSearch(session, space, arrays, least, deadline)
    search.run()
    bound = min(search.bound, math.inf if search.best.cost is None else float(search.best.cost))
    found = search.best._replace(infeasible=bound == math.inf, bound=None if bound == math.inf else Fraction(bound))
    return found, {"solves": float(search.solves), "rounds": float(search.rounds), "parts": float(search.parts)}


class _TieSearch:
    def __init__(
        self, session: Session, space: PlanSpace, arrays: SessionArrays, least: list[float], deadline: float
    ) -> None:
        self.session, self.space, self.arrays, self.least, self.deadline = session, space, arrays, least, deadline
        self.best = Bracket(None, None, None, False)
        self.bound = math.inf
        self.solves, self.rounds, self.parts = 0, 0, 0

    def run(self) -> None:
        """Search part by part, the whole session first; `bound` is the least of the parts not divided further."""
        open_parts: list[tuple[Most, int]] = [(tuple([math.inf] * len(self.least)), 0)]
        while open_parts:
            most, cuts = open_parts.pop()
            proof = ContinuousSearch(self.arrays, self.least, self.deadline, most).prove()
            # Every cut may have left a sliver out, with plans that are cheaper than all those searched.
            bound = proof.bound * (1.0 - SLIVER) ** cuts
            self.parts += 1
            self.solves, self.rounds = self.solves + proof.solves, self.rounds + proof.rounds
            if proof.status == INFEASIBLE:
                continue
            children: list[Most] = []
            if proof.plans:
                at = self._steps(proof)
                self._offer(proof, [Fraction(found.latency) for found in proof.plans])
                # Rounding may have put a module just below its step; the others can spare that at almost no cost.
                self._offer(proof, at)
                if proof.status == OPTIMAL and not self._is_closed(bound, cuts) and self.parts < MOST_PARTS:
                    children = self._children(at, most)
            if not children:
                self.bound = min(self.bound, bound)
            open_parts += [(child, cuts + 1) for child in children]

    def _is_closed(self, bound: float, cuts: int) -> bool:
        """Whether no plan of a part improves on the best one by more than the tolerance of its search and its cuts."""
        gap = CONTINUOUS_GAP + (cuts + 1) * SLIVER
        return self.best.cost is not None and bound >= float(self.best.cost) * (1.0 - gap)

    def _offer(self, proof: ContinuousProof, budgets: list[Fraction]) -> None:
        """Keep the counts of a search with some budgets in seconds if the checker accepts them and they cost less."""
        partial = [found.partial_at >= 0 for found in proof.plans]
        plan = fill_up(self.session, self._counts(proof), partial, budgets, self.space)
        cost = None if plan is None else evaluate(self.session, plan, self.space).cost_per_h
        if cost is not None and (self.best.cost is None or cost < self.best.cost):
            self.best = self.best._replace(plan=plan, cost=cost)

    def _counts(self, proof: ContinuousProof) -> Plan:
        machines = np.concatenate([found.machines for found in proof.plans])
        return to_plan(self.session, self.arrays, machines, np.array([found.partial_at for found in proof.plans]))

    def _children(self, at: list[Fraction], most: Most) -> list[Most]:
        """The parts that contain all plans of a part whose cheapest choice misses the SLO; none if none are known."""
        length, path = longest_path(self.session, at)
        if length <= self.session.slo_s:
            return []
        children = []
        for m, module in enumerate(self.session.modules):
            if module.name in path:
                budget = float(at[m]) * JUST_BELOW
                # Plans between this budget and the step are in no part, so they have to be bounded apart.
                if not self._is_sliver_bounded(module, at[m], budget):
                    return []
                children.append((*most[:m], budget, *most[m + 1 :]))
        return children

    def _steps(self, proof: ContinuousProof) -> list[Fraction]:
        """The latencies S_m of a choice in seconds."""
        near, at = Fraction(SPARE) * self.session.slo_s, []
        for module, plan, found in zip(self.session.modules, self._counts(proof).modules, proof.plans, strict=True):
            latency = Fraction(found.latency)
            steps = self._latencies_of_steps(module, plan, found.partial_at >= 0)
            at.append(max((step for step in steps if abs(step - latency) <= near), default=latency - near))
        return at

    def _latencies_of_steps(self, module: Module, plan: ModulePlan, is_partial: bool) -> list[Fraction]:
        if not is_partial:
            alone = Session(module.name, self.session.slo_s, self.session.hardware, [module])
            priced = evaluate(alone, Plan((plan,)), self.space)
            return [] if priced.latency_s is None else [priced.latency_s]
        last = plan.allocations[-1]
        # The steps of a partial machine's kind of plan do not depend on its rate, only on its existence.
        running = replace(last, partial_rps=last.partial_rps or module.rate_rps)
        rational = continuous_module(module, self.session.price, self.space)
        return full_latencies(rational, replace(plan, allocations=(*plan.allocations[:-1], running)))

    def _is_sliver_bounded(self, module: Module, step: Fraction, budget: float) -> bool:
        """Whether plans of a module from a budget up to just below a step cost no less than at it, up to a sliver."""
        rational, effort = continuous_module(module, self.session.price, self.space), Effort(MOST_NODES, self.deadline)
        try:
            above = cheapest_within(rational, step, effort, strictly=True)
            at = None if above is None else cheapest_within(rational, Fraction(budget), effort)
        except UndecidedError:
            return False
        return above is None or (at is not None and above[0] >= at[0] * (1 - Fraction(SLIVER)))


BRACKETING_S = 10.0
"""Seconds after which a bracketing in exact arithmetic ends with its result so far."""


def solve_continuous(session: Session, space: PlanSpace, arrays: SessionArrays, deadline: float) -> Answer:
    """The cheapest plan under rule `continuous`: budgets bracketed in floats, dummy rates derived from them exactly.

    If that ends without a proof that the checker confirms, the session is bracketed once more in fractions.

    Args:
        session: the instance.
        space: plan space without `single_hardware`.
        arrays: the session in the plan space.
        deadline: `time.perf_counter` value at which to stop; infinite means never.
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
    """The cheaper plan and the larger bound of two searches; exact arithmetic decides infeasibility."""
    best = min((one for one in (floats, exact) if one.cost is not None), key=lambda one: one.cost or 0, default=exact)
    bound = max((one.bound for one in (floats, exact) if one.bound is not None), default=None)
    return Bracket(best.cost, best.plan, bound, exact.infeasible)


def _effort(deadline: float) -> Effort:
    """The limits of a bracketing in exact arithmetic."""
    return Effort(RATIONAL_NODES, min(deadline, time.perf_counter() + BRACKETING_S))
