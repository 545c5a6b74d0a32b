"""Solver `cpsat`: splitting and allocation in one CP-SAT model, integer scaling with a proven error bound (ours).

The model (`joint_model.py`, on blocks of `allocation_model.py`) rounds everything in the plan's
favour, so its optimum bounds every plan from below. Scales leave at most a few parts in ten million between the cost of
a solution and that of its plan, which the checker prices exactly; where it accepts the plan, cost and bound meet within
the tolerance of "optimal". Where it refuses the plan, rounding alone made it possible (a latency just above the SLO, a
sliver of rate left over): these whole numbers of the modules concerned are cut off, and the model is solved again.
There are finitely many of them, and no plan that the checker accepts is ever cut off.

A plan to start from gives a cutoff: only cheaper plans are of interest, which lets one-module models tighten what each
module can take and cost (`tightening.py`). If nothing is left, the plan to start from is optimal.

Why products: measured against linear tangents of b/w on the published workloads, products of spare time and rate were
2 to 20 times faster, with the linear relaxation at its strongest (level 2); one worker on it beats two mixed ones.
Presolve is off: it gains nothing here, and that of OR-Tools 9.14 turns some products into factors of three, which then
end the process.
"""

from __future__ import annotations

import math
import time
from dataclasses import dataclass, field
from enum import Enum, auto
from fractions import Fraction

from euclio.registry import Limits
from euclio.result import OPTIMALITY_TOLERANCE, Answer, TracePoint, WarmStart
from euclio.session import Plan, PlanSpace, Session, evaluate, longest_path
from formulations.cpsat.allocation import allocate_module
from formulations.cpsat.engine import CpSatAnswer, CpSatOptions, solve_model
from formulations.cpsat.joint_model import JointModel, joint_model
from formulations.cpsat.tightening import tighten
from formulations.joint_problem import JointProblem, joint_problem
from formulations.per_hardware import cheapest_over_hardware

STEP = Fraction(1, 10**7)
"""Plans that are cheaper than the incumbent by less than this share are of no interest."""
TIGHTENING_S = 2.0
"""Most seconds for one one-module model."""


class _Outcome(Enum):
    """How the search among the plans within a cutoff ended."""

    FOUND = auto()
    """With the cheapest of them."""
    EMPTY = auto()
    """There are none."""
    LIMIT = auto()


_RAW_STATUS = {_Outcome.FOUND: "optimal at the finest scale", _Outcome.EMPTY: "optimal", _Outcome.LIMIT: "limit"}


@dataclass(slots=True)
class _Search:
    """One run on one problem.

    Attributes:
        problem: the problem.
        limits: limits of the run.
        started: `time.perf_counter` value at the start.
        deadline: likewise at which to stop.
        plan: best plan so far, accepted by the checker.
        cost: its exact cost.
        bound: proven lower bound on the cost of every plan; None: none yet.
        trace: incumbent and bound over time.
        stats: counters.
        cheapest: by module what a one-module model found last: whole machines of each configuration, by index, and the
            index of the partial machine's.
    """

    problem: JointProblem
    limits: Limits
    started: float
    deadline: float
    plan: Plan | None = None
    cost: Fraction | None = None
    bound: Fraction | None = None
    trace: list[TracePoint] = field(default_factory=list)
    stats: dict[str, float] = field(
        default_factory=lambda: dict.fromkeys(("models", "module_models", "conflicts", "refused"), 0.0)
    )
    cheapest: dict[int, tuple[dict[int, int], int | None]] = field(default_factory=dict)

    def accept(self, plan: Plan) -> bool:
        """Price a plan exactly, keep it if it is the best; returns whether the checker accepts it."""
        checked = evaluate(self.problem.session, plan, self.problem.space)
        if not checked.feasible or checked.cost_per_h is None:
            return False
        if self.cost is None or checked.cost_per_h < self.cost:
            self.plan, self.cost = plan, checked.cost_per_h
            self._note(time.perf_counter() - self.started)
        return True

    def raise_bound(self, bound: Fraction, cutoff: Fraction) -> None:
        """Take in a lower bound on the plans within a cutoff."""
        valid = min(bound, cutoff)
        if self.bound is None or valid > self.bound:
            self.bound = valid
            self._note(time.perf_counter() - self.started)

    def search_within(self, cutoff: Fraction) -> _Outcome:
        """Look for the cheapest plan that costs at most the cutoff."""
        ranges = tighten(self.problem, cutoff, self._least_cost, self.deadline)
        if ranges.empty:
            self.raise_bound(cutoff, cutoff)
            return _Outcome.EMPTY
        self.raise_bound(sum(ranges.least_costs, Fraction(0)), cutoff)
        if len(self.cheapest) == len(self.problem.modules):
            # If the cheapest of every module meet the SLO together they are the optimum, which the joint model would
            # have to find among whole numbers that hardly differ in cost.
            self.accept(self._cheapest_plan())
            if self.proven():
                return _Outcome.FOUND
        model = joint_model(ranges.problem, cutoff, ranges.least_costs, ranges.most_costs(cutoff))
        while time.perf_counter() < self.deadline:
            answer = self._run(model, cutoff)
            if answer.infeasible:
                self.raise_bound(cutoff, cutoff)
                return _Outcome.EMPTY
            accepted = answer.values is not None and self.accept(model.plan(answer))
            if answer.status != "OPTIMAL":
                break
            if accepted:
                return _Outcome.FOUND
            self.stats["refused"] += 1
            model.forbid(answer, self._at_fault(model.plan(answer)))
        return _Outcome.LIMIT

    def _cheapest_plan(self) -> Plan:
        machines, partial_at = [], []
        for m, module in enumerate(self.problem.modules):
            counts, at = self.cheapest[m]
            index = [c.index for c in module.configurations]
            machines.append([counts.get(i, 0) for i in index])
            partial_at.append(None if at is None else index.index(at))
        return self.problem.plan(machines, partial_at)

    def proven(self) -> bool:
        """Whether bound and incumbent have met."""
        if self.cost is None or self.bound is None:
            return False
        return float(self.cost - self.bound) <= 0.5 * OPTIMALITY_TOLERANCE * float(self.cost)

    def _options(self, most_s: float = math.inf) -> CpSatOptions:
        left = min(most_s, self.deadline - time.perf_counter())
        given = self.limits.options
        return CpSatOptions(
            None if math.isinf(left) else max(left, 0.0),
            given.threads or 1,
            self.limits.seed,
            given.log_file,
            presolve=False,
        )

    def _least_cost(self, problem: JointProblem, m: int, most_cost: Fraction) -> Fraction | None:
        found = allocate_module(problem, m, most_cost, self._options(TIGHTENING_S))
        self.stats["module_models"] += 1
        self.stats["conflicts"] += found.conflicts
        if found.machines is not None:
            index = [c.index for c in problem.modules[m].configurations]
            at = None if found.partial_at is None else index[found.partial_at]
            self.cheapest[m] = dict(zip(index, found.machines, strict=True)), at
        return None if found.infeasible else found.bound_per_h

    def _run(self, model: JointModel, cutoff: Fraction) -> CpSatAnswer:
        """Solve the joint model once more and note what came of it."""
        before = time.perf_counter() - self.started
        answer = solve_model(model.model, self._options())
        self.stats["models"] += 1
        self.stats["conflicts"] += answer.conflicts
        for point in answer.trace:
            if point.bound is not None:
                bound = min(point.bound / model.units_per_money, cutoff)
                self.bound = bound if self.bound is None else max(bound, self.bound)
                self._note(before + point.wall_s)
        if answer.bound is not None:
            self.raise_bound(answer.bound / model.units_per_money, cutoff)
        return answer

    def _note(self, wall_s: float) -> None:
        incumbent = None if self.cost is None else float(self.cost)
        self.trace.append(TracePoint(wall_s, incumbent, None if self.bound is None else float(self.bound)))

    def _at_fault(self, plan: Plan) -> list[int]:
        """The modules without which a refused plan would not have been refused."""
        session, space = self.problem.session, self.problem.space
        latencies: list[Fraction] = []
        for m, module in enumerate(session.modules):
            alone = Session(module.name, session.slo_s, session.hardware, [module])
            checked = evaluate(alone, Plan((plan.modules[m],)), space)
            if not checked.modules:
                return [m]
            latencies.append(checked.modules[0].worst_case_latency_s)
        _, path = longest_path(session, latencies)
        return [session.index[name] for name in path]


def run_cpsat(session: Session, space: PlanSpace, limits: Limits) -> Answer:
    """The cheapest plan of a session in any plan space with dummy rule none or machine; anytime, with a valid bound.

    A plan to start from counts as used if it is one of the plan space: its cost is the first cutoff.

    Raises:
        InapplicableError: the dummy rule is `continuous`.
    """
    started = time.perf_counter()
    deadline = math.inf if limits.time_limit_s is None else started + limits.time_limit_s

    def run(on: PlanSpace) -> Answer:
        return _solve(_Search(joint_problem(session, on), limits, started, deadline))

    return cheapest_over_hardware(session, space, run)


def _solve(search: _Search) -> Answer:
    start, warm_start = search.limits.options.warm_start, WarmStart.NONE
    if search.problem.infeasible:
        return Answer(
            None,
            "infeasible",
            infeasible=True,
            reason="a module has no configuration that meets the SLO",
            warm_start=WarmStart.NONE if start is None else WarmStart.IGNORED,
        )
    if start is not None:
        warm_start = WarmStart.USED if search.accept(start) else WarmStart.IGNORED
    outcome, cutoff = _Outcome.FOUND, _dearest(search.problem)
    while outcome is _Outcome.FOUND and not search.proven():
        before = search.cost
        cutoff = cutoff if before is None else before * (1 - STEP)
        outcome = search.search_within(cutoff)
        if outcome is _Outcome.FOUND and search.cost == before:
            break  # the scale is too coarse to tell the two apart
    infeasible = outcome is _Outcome.EMPTY and search.cost is None
    reason = "no plan meets the SLO (proven)" if infeasible else "the time limit was hit"
    return Answer(
        plan=search.plan,
        raw_status=_RAW_STATUS[outcome] if not infeasible else "infeasible",
        claimed=None if search.cost is None else float(search.cost),
        bound=None if infeasible or search.bound is None else float(search.bound),
        infeasible=infeasible,
        stats=search.stats,
        reason="" if search.plan is not None else reason,
        trace=tuple(search.trace),
        warm_start=warm_start,
    )


def _dearest(problem: JointProblem) -> Fraction:
    """No plan costs more: the whole rate and the most dummies at the highest unit cost."""
    total = Fraction(1)
    for module in problem.modules:
        most = max(c.throughput_rps for c in module.configurations)
        total += max(c.unit_cost for c in module.configurations) * (module.rate_rps + most)
    return total
