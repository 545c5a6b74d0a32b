"""Solver `cpsat`: splitting and allocation in one CP-SAT model, integer scaling with a proven error bound (ours).

The model (`joint_model.py`, on blocks of `allocation_model.py`) rounds everything in the plan's favour, so every plan
is a solution of it, at no higher a cost. Scales leave a few parts in ten million between the cost of a solution and
that of its plan, which the checker prices exactly. Only plans cheaper than the incumbent (by `STEP`) are asked for. A
solution that comes back is cut off by its whole numbers, whether rounding alone made it possible or its plan is the new
incumbent or ties with it (`formulations/session/joint/candidates.py`), and the model is solved again, until it has no
solution: then nothing is cheaper than the incumbent, and rounding has had no say in it. Where there are too many such
solutions to go through, the answer is the incumbent with the bound of the model.

The cutoff also lets one-module models tighten what each module can take and cost
(`formulations/session/joint/tightening.py`).

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

from euclio.core.registry import Limits
from euclio.core.result import PROOF_TOLERANCE, Answer, TracePoint, WarmStart
from euclio.session import Evaluation, Plan, PlanSpace, Session, evaluate
from formulations.engines.cpsat import CpSatAnswer, CpSatOptions, solve_model
from formulations.session.cpsat.allocation import allocate_module
from formulations.session.cpsat.joint_model import JointModel, joint_model
from formulations.session.exact.per_hardware import cheapest_over_hardware
from formulations.session.joint.candidates import MOST_CANDIDATES, Exclusion, priced, refused
from formulations.session.joint.problem import JointProblem, joint_problem
from formulations.session.joint.tightening import tighten

STEP = Fraction(PROOF_TOLERANCE) / 2
"""Plans that are cheaper than the incumbent by less than this share are of no interest: half the distance within which
a plan is called optimal."""
WORTH, FINE = Fraction(1, 1000), Fraction(1, 10**6)
"""The model is made anew, with narrower ranges and a finer scale, where the cost fell by more than the first share and
the scale left more than the second one between it and the bound."""
TIGHTENING_S = 2.0
"""Most seconds for one one-module model."""


class _Outcome(Enum):
    """How the search among the plans within a cutoff ended."""

    FOUND = auto()
    """With a plan that is cheaper by far, so that a narrower search pays, or that is proven to be the cheapest."""
    EMPTY = auto()
    """There are none, or none cheaper than the incumbent."""
    LIMIT = auto()
    """The time limit was hit."""
    TIES = auto()
    """There are too many whole numbers that the scale cannot tell from plans of interest."""


_RAW_STATUS = {
    _Outcome.FOUND: "optimal",
    _Outcome.EMPTY: "optimal",
    _Outcome.LIMIT: "limit",
    _Outcome.TIES: "too many ties at the finest scale",
}


_REASON = {
    _Outcome.EMPTY: "",
    _Outcome.LIMIT: "the time limit was hit",
    _Outcome.TIES: "no plan was found among those that the model's whole numbers cannot tell from plans",
}


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
        known: plans priced so far, accepted by the checker.
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
    known: list[tuple[Plan, Evaluation]] = field(default_factory=list)
    trace: list[TracePoint] = field(default_factory=list)
    stats: dict[str, float] = field(
        default_factory=lambda: dict.fromkeys(("models", "module_models", "conflicts", "refused"), 0.0)
    )
    cheapest: dict[int, tuple[dict[int, int], int | None]] = field(default_factory=dict)

    def accept(self, plan: Plan) -> Evaluation:
        """Price a plan exactly, keep it if it is the best; returns what the checker says."""
        checked = evaluate(self.problem.session, plan, self.problem.space)
        if not checked.feasible or checked.cost_per_h is None:
            return checked
        self.known.append((plan, checked))
        if self.cost is None or checked.cost_per_h < self.cost:
            self.plan, self.cost = plan, checked.cost_per_h
            self._note(time.perf_counter() - self.started)
        return checked

    @property
    def cutoff(self) -> Fraction:
        """Plans that cost more are of no interest."""
        return _dearest(self.problem) if self.cost is None else self.cost * (1 - STEP)

    def raise_bound(self, bound: Fraction, cutoff: Fraction) -> None:
        """Take in a lower bound on the plans within a cutoff."""
        valid = min(bound, cutoff)
        if self.bound is None or valid > self.bound:
            self.bound = valid
            self._note(time.perf_counter() - self.started)

    def search(self) -> _Outcome:
        """Look for the cheapest plan that costs at most the cutoff."""
        cutoff = self.cutoff
        ranges = tighten(self.problem, cutoff, self._least_cost, self.deadline)
        if ranges.empty:
            self.raise_bound(cutoff, cutoff)
            return _Outcome.EMPTY
        self.raise_bound(sum(ranges.least_costs, Fraction(0)), cutoff)
        if len(self.cheapest) == len(self.problem.modules):
            # If the cheapest of every module meet the SLO together they are the optimum, which the joint model would
            # have to find among whole numbers that hardly differ in cost.
            checked = self.accept(self._cheapest_plan())
            if self.proven() or (checked.feasible and self._prove_by_module(checked)):
                return _Outcome.FOUND
            cutoff = min(cutoff, self.cutoff)
            if sum(ranges.least_costs, Fraction(0)) > cutoff:
                self.raise_bound(cutoff, cutoff)
                return _Outcome.EMPTY
        model = joint_model(ranges.problem, cutoff, ranges.least_costs, ranges.most_costs(cutoff))
        for plan, evaluation in self.known[-MOST_CANDIDATES:]:
            model.forbid(self._priced(ranges.problem, plan, evaluation))
        for _ in range(MOST_CANDIDATES):
            if time.perf_counter() >= self.deadline:
                return _Outcome.LIMIT
            answer = self._run(model, cutoff)
            if answer.infeasible:
                self.raise_bound(cutoff, cutoff)
                return _Outcome.EMPTY
            if answer.values is None:
                return _Outcome.LIMIT
            plan = model.plan(answer)
            checked = self.accept(plan)
            if answer.status != "OPTIMAL":
                return _Outcome.LIMIT
            if self.cutoff < cutoff * (1 - WORTH) and (self.bound or 0) < self.cutoff * (1 - FINE):
                return _Outcome.FOUND
            if self.cutoff < cutoff:
                cutoff = self.cutoff
                model.demand_below(cutoff)
            for exclusion in refused(ranges.problem, model.states(answer), plan, checked):
                self.stats["refused"] += 1
                model.forbid(exclusion)
            if checked.feasible:
                model.forbid(self._priced(ranges.problem, plan, checked))
        return _Outcome.TIES

    def _priced(self, problem: JointProblem, plan: Plan, checked: Evaluation) -> Exclusion:
        assert self.cost is not None
        return priced(problem, plan, checked, self.cost, self.bound or Fraction(0))

    def _prove_by_module(self, checked: Evaluation) -> bool:
        """Whether every module's plan of the incumbent is the cheapest within its largest budget."""
        assert self.plan is not None
        assert self.cost is not None
        if checked.cost_per_h != self.cost or len(self.problem.modules) == 1:
            return False
        bound = Fraction(0)
        for m, entry in enumerate(checked.modules):
            alone = _Search(self.problem.alone(m), self.limits, self.started, self.deadline)
            alone.accept(Plan((self.plan.modules[m],)))
            outcome = alone.run()
            self.stats["module_models"] += alone.stats["models"] + alone.stats["module_models"]
            self.stats["conflicts"] += alone.stats["conflicts"]
            if outcome is not _Outcome.EMPTY or alone.cost != entry.cost_per_h:
                return False
            bound += alone.bound or 0
        self.raise_bound(bound, self.cost)
        return self.proven()

    def run(self) -> _Outcome:
        """Search until nothing cheaper is left, or a limit is hit."""
        outcome = _Outcome.FOUND
        while outcome is _Outcome.FOUND and not self.proven():
            if time.perf_counter() >= self.deadline:
                return _Outcome.LIMIT
            outcome = self.search()
        return _Outcome.EMPTY if self.proven() else outcome

    def _cheapest_plan(self) -> Plan:
        machines, partial_at = [], []
        for m, module in enumerate(self.problem.modules):
            counts, at = self.cheapest[m]
            index = [c.index for c in module.configurations]
            machines.append([counts.get(i, 0) for i in index])
            partial_at.append(None if at is None else index.index(at))
        return self.problem.plan(machines, partial_at)

    def proven(self) -> bool:
        """Whether bound and incumbent have met; nothing is cheaper than nothing."""
        if self.cost == 0:
            self.bound = Fraction(0)
        if self.cost is None or self.bound is None:
            return False
        return self.cost - self.bound <= STEP * self.cost

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
        if most_cost == 0:
            return Fraction(0)
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
        warm_start = WarmStart.USED if search.accept(start).feasible else WarmStart.IGNORED
    outcome = search.run()
    infeasible = outcome is _Outcome.EMPTY and search.cost is None
    reason = "no plan meets the SLO (proven)" if infeasible else _REASON[outcome]
    bound = None if infeasible or search.bound is None else float(search.bound)
    if search.proven() and search.cost is not None:
        bound = float(search.cost)
    return Answer(
        plan=search.plan,
        raw_status=_RAW_STATUS[outcome] if not infeasible else "infeasible",
        claimed=None if search.cost is None else float(search.cost),
        bound=bound,
        infeasible=infeasible,
        stats=search.stats,
        reason="" if search.plan is not None else reason,
        trace=tuple(search.trace),
        warm_start=warm_start,
    )


def _dearest(problem: JointProblem) -> Fraction:
    """No plan costs more: the whole rate and the most dummies at the highest unit cost."""
    total = Fraction(0)
    for module in problem.modules:
        most = max(c.throughput_rps for c in module.configurations)
        total += max(c.unit_cost for c in module.configurations) * (module.rate_rps + most)
    return total or Fraction(1)
