"""Rule `continuous`: plans that miss the SLO by rounding only, decided by branching (ours).

The search in floating point takes the SLO for a little longer. Where costs step at latencies that together are past the
SLO by less than that, its best choice is no plan, and its bound is one of plans that do not exist. Let S_m be the
latencies of that choice as fractions: of a module at a step, the step; of one on a falling part of its cost, a little
less, as it can spare that for next to nothing. If a path takes longer than the SLO, every plan has a module m on it
that takes less than S_m: one part per module of the path holds all plans, and each is searched with a budget for m that
is clearly below S_m. Plans of m between that budget and S_m are bounded in exact arithmetic: they cost as much as one
at that budget, but for the share `SLIVER`, or the tie stays open.
"""

from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction

import numpy as np

from euclio.problems.session import Module, ModulePlan, Plan, PlanSpace, Session, evaluate, longest_path
from euclio.problems.session.arrays import TIE, SessionArrays, to_plan
from formulations.effort import Effort, UndecidedError
from formulations.session.exact.bracketing.budgets import ContinuousProof, ContinuousSearch
from formulations.session.exact.bracketing.plan import fill_up
from formulations.session.exact.in_fractions.budgets import Bracket
from formulations.session.exact.outcomes import INFEASIBLE, OPTIMAL
from formulations.session.module.continuous_in_fractions import cheapest_within, continuous_module, full_latencies
from formulations.tolerances import CONTINUOUS_GAP, JUST_BELOW, SLIVER

Most = tuple[float, ...]
"""The part of the plans in which no module takes longer than this, in seconds; infinite: any latency."""
MOST_PARTS = 64
"""Parts after which a tie is left open; of random sessions with ties most need those of one path."""
MOST_NODES = 100_000
"""Nodes after which the cost next to a step is left open."""
SPARE = 128.0 * TIE
"""Share of the SLO that a module on a falling part of its cost can spare: more than all the slack of the search."""


def branch_on_ties(
    session: Session, space: PlanSpace, arrays: SessionArrays, least: list[float], deadline: float
) -> tuple[Bracket, dict[str, float]]:
    """The optimum of a session as far as ties can be decided, and what the search did.

    Args:
        session: the instance.
        space: plan space without `single_hardware`, with dummy rule `continuous`.
        arrays: the session in the plan space, with the SLO that searches in floating point take.
        least: lower bound on each module's worst-case latency in seconds.
        deadline: `time.perf_counter` value at which to stop; infinite: never.
    """
    search = _Search(session, space, arrays, least, deadline)
    search.run()
    bound = min(search.bound, math.inf if search.best.cost is None else float(search.best.cost))
    found = search.best._replace(infeasible=bound == math.inf, bound=None if bound == math.inf else Fraction(bound))
    return found, {"solves": float(search.solves), "rounds": float(search.rounds), "parts": float(search.parts)}


class _Search:
    def __init__(
        self, session: Session, space: PlanSpace, arrays: SessionArrays, least: list[float], deadline: float
    ) -> None:
        self.session, self.space, self.arrays, self.least, self.deadline = session, space, arrays, least, deadline
        self.best = Bracket(None, None, None, False)
        self.bound = math.inf
        self.solves, self.rounds, self.parts = 0, 0, 0

    def run(self) -> None:
        """Search part by part, the whole session first; `bound` is the least of what was not divided further."""
        open_parts: list[tuple[Most, int]] = [(tuple([math.inf] * len(self.least)), 0)]
        while open_parts:
            most, cuts = open_parts.pop()
            proof = ContinuousSearch(self.arrays, self.least, self.deadline, most).prove()
            # Every cut may have left a sliver out, with plans that are cheaper than all that was searched.
            bound = proof.bound * (1.0 - SLIVER) ** cuts
            self.parts += 1
            self.solves, self.rounds = self.solves + proof.solves, self.rounds + proof.rounds
            if proof.status == INFEASIBLE:
                continue
            children: list[Most] = []
            if proof.plans:
                at = self._steps(proof)
                self._offer(proof, [Fraction(found.latency) for found in proof.plans])
                # Rounding may have put a module just below its step; what the others spare for that is next to nothing.
                self._offer(proof, at)
                if proof.status == OPTIMAL and not self._is_closed(bound, cuts) and self.parts < MOST_PARTS:
                    children = self._children(at, most)
            if not children:
                self.bound = min(self.bound, bound)
            open_parts += [(child, cuts + 1) for child in children]

    def _is_closed(self, bound: float, cuts: int) -> bool:
        """Whether a part holds nothing better than the best plan by more than its search and its cuts leave open."""
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
        """The parts that hold all plans of a part whose cheapest choice misses the SLO; none: no such are known."""
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
        # Only that there is a partial machine matters for where its kind of plan has steps, not what it takes.
        running = replace(last, partial_rps=last.partial_rps or module.rate_rps)
        rational = continuous_module(module, self.session.price, self.space)
        return full_latencies(rational, replace(plan, allocations=(*plan.allocations[:-1], running)))

    def _is_sliver_bounded(self, module: Module, step: Fraction, budget: float) -> bool:
        """Whether plans of a module from a budget up to just below a step cost no less than at that budget, about."""
        rational, effort = continuous_module(module, self.session.price, self.space), Effort(MOST_NODES, self.deadline)
        try:
            above = cheapest_within(rational, step, effort, strictly=True)
            at = None if above is None else cheapest_within(rational, Fraction(budget), effort)
        except UndecidedError:
            return False
        return above is None or (at is not None and above[0] >= at[0] * (1 - Fraction(SLIVER)))
