"""Solver `milp`: latency splitting and multi-tuple allocation of all modules in one MILP, with proof (ours).

The model stands in `allocation_model.py` (one module), `joint_model.py` (latencies, start times)
and, under `tc`, `heads.py` (bounds that look two configurations deep). Its latency is an outer approximation
by tangents, so that its optimum is a lower bound. The loop:

1. solve the linear relaxation and add the tangents that it breaks, while that lifts the bound;
2. ask the engine for the cheapest point that costs no more than the incumbent;
3. read the point as a plan and price it exactly; if it is cheaper, it is the incumbent;
4. cut the point off, by tangents at its own rates if it is too slow, else by its whole numbers
   (`formulations/session/joint/candidates.py`), and go on with 2. The plan to start from is cut off likewise, at once.

The limit on the cost in 2. is given to HiGHS as a bound on the objective, which it prunes and fixes variables by: as a
row it takes up to three times as long. CBC has it as a row, and HiGHS where it fails otherwise.

Every plan cheaper than the incumbent keeps every row at every turn. When the engine says that no point is left, with
and without its presolve, the incumbent is the optimum, exactly; without one there is no plan.

Where floating point may decide: engines know rows and whole numbers to a tolerance of a millionth. So costs are in
units of the incumbent's (before there is one: of a lower bound, with a limit on the cost that rises step by step),
rates in units of the module's and times in units of the SLO, so that coefficients are near 1; and every row is laxer
than the problem by a millionth of these units, so that "no point" means that no plan comes even near. A bound of the
engine's is lowered by as much. Where the numbers of a session are too far apart for that, or ties too many to go
through, the answer is the incumbent with a bound that holds, and no proof.
"""

from __future__ import annotations

import math
import time
from dataclasses import dataclass, field, replace
from enum import Enum, auto
from fractions import Fraction

from euclio.core.registry import Limits
from euclio.core.result import PROOF_TOLERANCE, Answer, TracePoint, WarmStart
from euclio.session import Evaluation, Plan, PlanSpace, Session, evaluate
from euclio.session.policies import Form
from formulations.engines.milp import (
    EngineRun,
    Outcome,
    chosen_engine,
    engine_limits,
    export_lp,
    later,
    run_twice,
    solve_relaxation,
)
from formulations.session.exact.per_hardware import cheapest_over_hardware
from formulations.session.joint.candidates import MOST_CANDIDATES, priced, refused
from formulations.session.joint.problem import JointProblem, joint_problem
from formulations.session.joint.tightening import affordable, by_leading
from formulations.session.milp.heads import add_heads
from formulations.session.milp.joint_model import ROOM, JointModel, joint_model
from formulations.session.milp.points import cut_off, forbid, read_plan, states_at

MOST_ROUNDS = 12
LEAST_LIFT = 1e-4
"""Rounds over the relaxation end when one lifts the bound by less than this share."""
STEP = Fraction(PROOF_TOLERANCE) / 2
"""Plans that are cheaper than the incumbent by less than this share are not of interest."""
NEAR = Fraction(1, 1000)
"""Share between bound and incumbent from which on a run is to prove, not to find."""
SPAN = 10**4
"""Limits on the cost are at most this many units of the model."""
MOST_SHARE, MOST_COUNT = 10**4, 10**6
"""A model is trusted where no machine takes more than this many times its module's rate, and where no module needs more
than this many machines, nor costs more than this many units of money."""
MOST_MODELS = 12
"""Models with rising limits or finer units before the search gives up."""


class _Outcome(Enum):
    """How the search below a limit on the cost ended."""

    EMPTY = auto()
    """No plan is cheaper than the incumbent, or within the limit."""
    CHEAPER = auto()
    """With an incumbent so much cheaper that it asks for a finer unit."""
    LIMIT = auto()
    """The time limit was hit, or the engine gave up."""
    UNDECIDED = auto()
    """Tolerances leave more points than can be gone through, or the model cannot be trusted."""


_REASON = {
    _Outcome.LIMIT: "the time limit was hit",
    _Outcome.UNDECIDED: "the engine's tolerance cannot tell whether there is a plan",
}


@dataclass(slots=True)
class _Search:
    """Best plan, best bound and what the engine said so far.

    Attributes:
        problem: the problem.
        limits: limits of the run.
        started: `time.perf_counter` value at the start.
        deadline: likewise at which to stop.
        plan: best plan so far, accepted by the checker.
        cost: its exact cost.
        bound: proven lower bound on the cost of every plan.
        exact: likewise, where the engine had no say in it.
        known: plans priced so far, accepted by the checker.
        raw_status: the engine's own word.
        runs: models solved.
        nodes: their nodes of branch and bound.
        rounds: relaxations solved.
        tangents: tangents added.
        trace: incumbent and bound over time.
        by_row: whether the limit on the cost is a row; otherwise the engine prunes by it.
    """

    problem: JointProblem
    limits: Limits
    started: float
    deadline: float
    plan: Plan | None = None
    cost: Fraction | None = None
    bound: Fraction = Fraction(0)
    exact: Fraction = Fraction(0)
    known: list[tuple[Plan, Evaluation]] = field(default_factory=list)
    raw_status: str = "the time limit was hit"
    runs: int = 0
    nodes: int = 0
    rounds: int = 0
    tangents: int = 0
    trace: list[TracePoint] = field(default_factory=list)
    by_row: bool = False

    def accept(self, plan: Plan) -> Evaluation:
        """Price a plan exactly, keep it if it is the best; returns what the checker says."""
        checked = evaluate(self.problem.session, plan, self.problem.space)
        if checked.feasible and checked.cost_per_h is not None:
            self.known.append((plan, checked))
            if self.cost is None or checked.cost_per_h < self.cost:
                self.plan, self.cost = plan, checked.cost_per_h
                if self.cost < self.bound:  # the engine had lost this plan
                    self.bound = min(self.exact, self.cost)
        return checked

    def lift(self, bound: Fraction, most: Fraction) -> None:
        """Take a lower bound on the plans that cost less than `most`, if it is better."""
        self.bound = max(self.bound, min(bound, most))

    @property
    def proven(self) -> bool:
        """Whether bound and cost meet; nothing is cheaper than nothing."""
        return self.cost is not None and self.cost - self.bound <= STEP * self.cost

    def left(self) -> float:
        """Seconds that are left."""
        return self.deadline - time.perf_counter()

    def run(self) -> _Outcome:
        """Search below rising limits, until nothing is left or a limit of the run is hit."""
        dearest = _dearest(self.problem)
        unit = None
        for _ in range(MOST_MODELS):
            if self.proven:
                return _Outcome.EMPTY
            if self.left() <= 0:
                return _Outcome.LIMIT
            if self.cost is not None:
                limit = unit = self.cost * (1 - STEP)
            else:
                unit = _first_unit(self.problem, dearest) if unit is None else limit
                limit = min(dearest, unit * SPAN)
            outcome = self._below(limit, unit)
            if outcome in (_Outcome.LIMIT, _Outcome.UNDECIDED):
                return outcome
            if outcome is _Outcome.EMPTY:
                self.bound = max(self.bound, limit if self.cost is None else min(limit, self.cost * (1 - STEP)))
                if self.cost is not None or limit == dearest:
                    return outcome
        return _Outcome.UNDECIDED

    def _below(self, limit: Fraction, unit: Fraction) -> _Outcome:
        """Search among the plans that cost at most a limit, in a model whose unit of money is given."""
        ranges = by_leading(self.problem, limit)
        if ranges.empty:
            return _Outcome.EMPTY
        self.exact = max(self.exact, min(sum(ranges.least_costs, Fraction(0)), limit))
        self.lift(self.exact, limit)
        problem = affordable(ranges, limit)
        if problem.infeasible:
            return _Outcome.EMPTY
        if not _trusted(problem, unit):
            self.raw_status = "numbers too far apart"
            return _Outcome.UNDECIDED
        joint = joint_model(problem, unit)
        if self.problem.space.policy.form is Form.LEFT:
            add_heads(joint, self.deadline)
        joint.demand_below(limit, by_row=self.by_row)
        for plan, checked in self.known[-MOST_CANDIDATES:]:
            assert self.cost is not None
            forbid(joint, priced(problem, plan, checked, self.cost, self.exact))
        outcome = self._search(joint, problem, limit)
        self.tangents += joint.tangents
        return outcome

    def _search(self, joint: JointModel, problem: JointProblem, limit: Fraction) -> _Outcome:
        engine = chosen_engine(self.limits.options)
        outcome = self._tighten(joint, engine, limit)
        if outcome is not None:
            return outcome
        for _ in range(MOST_CANDIDATES):
            if self.left() <= 0:
                return _Outcome.LIMIT
            elapsed = time.perf_counter() - self.started
            # Near the end nothing is left to find; searches for incumbents would only take time.
            plain = self.cost is not None and self.bound >= self.cost * (1 - NEAR)
            most = None if self.by_row else joint.most_cost
            given = replace(engine_limits(self.limits, self.left()), plain=plain, most=most)
            run = run_twice(joint.model, engine, given)
            self._note(joint, run, elapsed)
            if run.outcome is Outcome.INFEASIBLE:
                return _Outcome.EMPTY
            self._lift(joint, run.bound, limit)
            if not run.values:
                if self.by_row or self.left() <= 0:
                    return _Outcome.LIMIT
                self.by_row = True  # HiGHS fails now and then over a bound on the objective
                joint.demand_below(limit, by_row=True)
                continue
            plan = read_plan(joint, run.values)
            checked = self.accept(plan)
            if run.outcome is not Outcome.OPTIMAL:
                return _Outcome.LIMIT
            if self.cost is not None and self.cost * (1 - STEP) < limit:
                if self.cost * SPAN < joint.unit:
                    return _Outcome.CHEAPER
                limit = self.cost * (1 - STEP)
                joint.demand_below(limit, by_row=self.by_row)
            if self.cost is not None and self.bound >= limit:
                return _Outcome.EMPTY
            if checked.feasible or not checked.modules or not cut_off(joint, run.values, plan, checked):
                for exclusion in refused(problem, states_at(joint, run.values), plan, checked):
                    forbid(joint, exclusion)
            if checked.feasible and self.cost is not None:
                forbid(joint, priced(problem, plan, checked, self.cost, self.exact))
        return _Outcome.UNDECIDED

    def _tighten(self, joint: JointModel, engine: str, limit: Fraction) -> _Outcome | None:
        """Add tangents that the relaxation breaks; an outcome: the search is over."""
        before = 0.0
        while self.rounds < MOST_ROUNDS:
            if self.left() <= 0:
                return _Outcome.LIMIT
            run = solve_relaxation(joint.model, engine, engine_limits(self.limits, self.left()))
            self.raw_status = run.raw_status
            self.rounds += 1
            if run.outcome is Outcome.INFEASIBLE:
                return None  # the model itself is to say so
            if run.objective is None or run.outcome is not Outcome.OPTIMAL:
                return _Outcome.LIMIT
            self._lift(joint, run.objective, limit)
            if run.objective - before < LEAST_LIFT * run.objective or not joint.separate(run.values):
                return None
            before = run.objective
        return None

    def _lift(self, joint: JointModel, bound: float | None, limit: Fraction) -> None:
        if bound is not None:
            self.lift(joint.cost_per_h(bound * (1.0 - 2.0 * ROOM) - 2.0 * ROOM), limit)

    def _note(self, joint: JointModel, run: EngineRun, elapsed: float) -> None:
        self.raw_status = run.raw_status
        self.nodes += run.nodes
        self.runs += 1
        for point in later(run.trace, elapsed):
            bound = float(self.bound)
            if point.bound is not None:
                bound = max(bound, float(joint.cost_per_h(point.bound * (1.0 - 2.0 * ROOM) - 2.0 * ROOM)))
            cost = None if self.cost is None else float(self.cost)
            self.trace.append(TracePoint(point.wall_s, cost, bound if cost is None else min(bound, cost)))


def run_milp(session: Session, space: PlanSpace, limits: Limits) -> Answer:
    """Cheapest plan of a session by one MILP, with proof.

    A plan to start from counts as used if it is one of the plan space: its cost is the first limit.

    Raises:
        InapplicableError: the dummy rule is `continuous`.
        InputError: the engine is not there.
    """
    started = time.perf_counter()
    deadline = math.inf if limits.time_limit_s is None else started + limits.time_limit_s
    return cheapest_over_hardware(session, space, lambda on: _solve_on(session, on, limits, started, deadline))


def _solve_on(session: Session, space: PlanSpace, limits: Limits, started: float, deadline: float) -> Answer:
    problem, given = joint_problem(session, space), limits.options.warm_start
    warm_start = WarmStart.NONE if given is None else WarmStart.IGNORED
    if problem.infeasible:
        reason = "a module has no configuration that meets the SLO"
        return Answer(None, "infeasible", infeasible=True, reason=reason, warm_start=warm_start)
    if limits.options.export_lp is not None:
        whole = joint_model(problem)
        if space.policy.form is Form.LEFT:
            add_heads(whole, deadline)
        export_lp(whole.model, limits.options.export_lp)
    search = _Search(problem, limits, started, deadline, by_row=chosen_engine(limits.options) != "highs")
    if given is not None and search.accept(given).feasible:
        warm_start = WarmStart.USED
    outcome = search.run()
    stats = {
        "runs": float(search.runs),
        "nodes": float(search.nodes),
        "rounds": float(search.rounds),
        "tangents": float(search.tangents),
    }
    trace = tuple(search.trace)
    if search.cost is None:
        infeasible = outcome is _Outcome.EMPTY
        reason = "no plan meets the SLO (proven)" if infeasible else _REASON[outcome]
        bound = None if infeasible else float(search.bound)
        return Answer(None, search.raw_status, None, bound, infeasible, stats, reason, trace, warm_start)
    bound = float(search.cost) if search.proven else float(search.bound)
    return Answer(
        search.plan, search.raw_status, float(search.cost), bound, stats=stats, trace=trace, warm_start=warm_start
    )


def _first_unit(problem: JointProblem, dearest: Fraction) -> Fraction:
    """What a plan costs at least if that is something, else a small share of what it costs at most."""
    least = sum((min(c.lead_cost_per_h for c in m.configurations) for m in problem.modules), Fraction(0))
    return least or dearest / SPAN


def _dearest(problem: JointProblem) -> Fraction:
    """No plan costs more: the whole rate and the most dummies at the highest unit cost."""
    total = Fraction(0)
    for module in problem.modules:
        most = max(c.throughput_rps for c in module.configurations)
        total += max(c.unit_cost for c in module.configurations) * (module.rate_rps + most)
    return total or Fraction(1)


def _trusted(problem: JointProblem, unit: Fraction) -> bool:
    """Whether the coefficients of the model are near enough to 1 for an engine's tolerance to mean something."""
    return all(
        c.most_machines <= MOST_COUNT
        and (c.most_machines == 0 or c.throughput_rps <= MOST_SHARE * module.rate_rps)
        and c.unit_cost * min(module.rate_rps, c.throughput_rps) <= MOST_COUNT * unit
        for module in problem.modules
        for c in module.configurations
    )
