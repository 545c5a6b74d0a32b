"""Solver `milp`: latency splitting and multi-tuple allocation of all modules in one MILP, with proof (ours).

The model stands in `allocation_model.py` (one module), `joint_model.py` (latencies, start times)
and, under `tc`, `heads.py` (bounds that look two configurations deep). Its latency is an outer approximation
by tangents, so that its optimum is a lower bound. The loop:

1. solve the linear relaxation and add the tangents that it breaks, while that lifts the bound;
2. ask the engine for the cheapest point that costs no more than the incumbent;
3. read the point as a plan and price it exactly; if it is cheaper, it is the incumbent;
4. cut the point off, by tangents at its own rates if it is too slow, else by its whole numbers
   (`formulations/session/joint/candidates.py`), and go on with 2. The plan to start from is cut off at once.

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

from dataclasses import dataclass, replace
from fractions import Fraction
from typing import ClassVar

from euclio.core.registry import Limits
from euclio.core.result import Answer, TracePoint
from euclio.problems.session import PlanSpace, Session
from euclio.problems.session.policies import Form
from formulations.engines.interface import LinearOutcome, engine_limits
from formulations.engines.milp import LinearEngine, chosen_engine, export_lp, run_twice, solve_relaxation
from formulations.session.demands import coupled_prices
from formulations.session.joint.candidates import priced, refused
from formulations.session.joint.problem import JointProblem
from formulations.session.joint.search import Ending, JointSearch, most_cost, solve_joint
from formulations.session.joint.tightening import affordable, by_leading
from formulations.session.milp.heads import add_heads
from formulations.session.milp.joint_model import JointModel, joint_model
from formulations.session.milp.points import cut_off, forbid, read_plan, states_at
from formulations.tolerances import MOST_CANDIDATES, ROOM, STEP

MOST_ROUNDS = 12
LEAST_LIFT = 1e-4
"""Rounds over the relaxation end when one lifts the bound by less than this share."""
NEAR = Fraction(1, 1000)
"""Share between bound and incumbent from which on a run is to prove, not to find."""
SPAN = 10**4
"""Limits on the cost are at most this many units of the model."""
MOST_SHARE, MOST_COUNT = 10**4, 10**6
"""A model is trusted where no machine takes more than this many times its module's rate, nor do all machines together
that dummies may fill, and where no module needs more than this many machines, nor costs more than this many units of
money; nor where more machines run or may be changed, nor where a change or a type's spare machines cost more."""
MOST_MODELS = 12
"""Models with rising limits or finer units before the search gives up."""


@dataclass(slots=True)
class _Search(JointSearch):
    """One run on one problem.

    Attributes:
        exact: proven lower bound on the cost of every plan in which the engine had no say.
        raw_status: the engine's own word.
        runs: models solved.
        nodes: their nodes of branch and bound.
        rounds: relaxations solved.
        tangents: tangents added.
        by_row: whether the limit on the cost is a row; otherwise the engine prunes by it.
    """

    ties: ClassVar[str] = "the engine's tolerance cannot tell whether there is a plan"

    exact: Fraction = Fraction(0)
    raw_status: str = "the time limit was hit"
    runs: int = 0
    nodes: int = 0
    rounds: int = 0
    tangents: int = 0
    by_row: bool = False

    @property
    def least(self) -> Fraction:
        """Proven lower bound on the cost of every plan; 0 where nothing is known."""
        return self.bound or Fraction(0)

    def improved(self) -> None:
        """Take the bound back if the engine had lost this plan."""
        if self.cost is not None and self.cost < self.least:
            self.bound = min(self.exact, self.cost)

    def last_word(self, ending: Ending) -> str:
        """The engine's own word on the last model."""
        return self.raw_status

    def counters(self) -> dict[str, float]:
        """Models, nodes, relaxations and tangents."""
        return {
            "runs": float(self.runs),
            "nodes": float(self.nodes),
            "rounds": float(self.rounds),
            "tangents": float(self.tangents),
        }

    def lift(self, bound: Fraction, most: Fraction) -> None:
        """Take a lower bound on the plans that cost less than `most`, if it is better."""
        self.bound = max(self.least, min(bound, most))

    def run(self) -> Ending:
        """Search below rising limits, until nothing is left or a limit of the run is hit."""
        most = most_cost(self.problem)
        unit = None
        for _ in range(MOST_MODELS):
            if self.proven():
                return Ending.EMPTY
            if self.left() <= 0:
                return Ending.LIMIT
            if self.cost is not None:
                limit = unit = self.cost * (1 - STEP)
            else:
                unit = _first_unit(self.problem, most) if unit is None else limit
                limit = min(most, unit * SPAN)
            ending = self._below(limit, unit)
            if ending in (Ending.LIMIT, Ending.TIES):
                return ending
            if ending is Ending.EMPTY:
                self.bound = max(self.least, limit if self.cost is None else min(limit, self.cost * (1 - STEP)))
                if self.cost is not None or limit == most:
                    return ending
        return Ending.TIES

    def _below(self, limit: Fraction, unit: Fraction) -> Ending:
        """Search among the plans that cost at most a limit, in a model whose unit of money is given."""
        ranges = by_leading(self.problem, limit)
        if ranges.empty:
            return Ending.EMPTY
        self.exact = max(self.exact, min(sum(ranges.least_costs, Fraction(0)), limit))
        self.lift(self.exact, limit)
        problem = affordable(ranges, limit)
        if problem.infeasible:
            return Ending.EMPTY
        if not _trusted(problem, unit):
            self.raw_status = "numbers too far apart"
            return Ending.TIES
        joint = joint_model(problem, unit)
        if self.problem.space.policy.form is Form.LEFT:
            add_heads(joint, self.deadline)
        joint.demand_below(limit, by_row=self.by_row)
        for plan, checked in self.known[-MOST_CANDIDATES:]:
            assert self.cost is not None
            forbid(joint, priced(problem, plan, checked, self.cost, self.exact))
        ending = self._search(joint, problem, limit)
        self.tangents += joint.tangents
        return ending

    def _search(self, joint: JointModel, problem: JointProblem, limit: Fraction) -> Ending:
        engine = chosen_engine(self.limits.options)
        ending = self._tighten(joint, engine, limit)
        if ending is not None:
            return ending
        for _ in range(MOST_CANDIDATES):
            if self.left() <= 0:
                return Ending.LIMIT
            elapsed = self.elapsed()
            # Near the end nothing is left to find; searches for incumbents would only take time.
            plain = self.cost is not None and self.least >= self.cost * (1 - NEAR)
            most = None if self.by_row else joint.most_cost
            given = replace(engine_limits(self.limits, self.left()), plain=plain, most=most)
            run = run_twice(joint.model, engine, given)
            self._note(joint, run, elapsed)
            if run.infeasible:
                return Ending.EMPTY
            self._lift(joint, run.bound, limit)
            if run.values is None:
                if self.by_row or self.left() <= 0:
                    return Ending.LIMIT
                self.by_row = True  # HiGHS fails now and then over a bound on the objective
                joint.demand_below(limit, by_row=True)
                continue
            plan = read_plan(joint, run.values)
            checked = self.accept(plan)
            if not run.optimal:
                return Ending.LIMIT
            if self.cost is not None and self.cost * (1 - STEP) < limit:
                if self.cost * SPAN < joint.unit:
                    return Ending.FOUND
                limit = self.cost * (1 - STEP)
                joint.demand_below(limit, by_row=self.by_row)
            if self.cost is not None and self.least >= limit:
                return Ending.EMPTY
            if checked.feasible or not checked.modules or not cut_off(joint, run.values, plan, checked):
                for exclusion in refused(problem, states_at(joint, run.values), plan, checked):
                    forbid(joint, exclusion)
            if checked.feasible and self.cost is not None:
                forbid(joint, priced(problem, plan, checked, self.cost, self.exact))
        return Ending.TIES

    def _tighten(self, joint: JointModel, engine: LinearEngine, limit: Fraction) -> Ending | None:
        """Add tangents that the relaxation breaks; an ending: the search is over."""
        before = 0.0
        while self.rounds < MOST_ROUNDS:
            if self.left() <= 0:
                return Ending.LIMIT
            run = solve_relaxation(joint.model, engine, engine_limits(self.limits, self.left()))
            self.raw_status = run.raw_status
            self.rounds += 1
            if run.infeasible:
                return None  # the model itself is to say so
            if run.objective is None or run.values is None or not run.optimal:
                return Ending.LIMIT
            self._lift(joint, run.objective, limit)
            if run.objective - before < LEAST_LIFT * run.objective or not joint.separate(run.values):
                return None
            before = run.objective
        return None

    def _lift(self, joint: JointModel, bound: float | None, limit: Fraction) -> None:
        if bound is not None:
            self.lift(joint.cost_per_h(bound * (1.0 - 2.0 * ROOM) - 2.0 * ROOM), limit)

    def _note(self, joint: JointModel, run: LinearOutcome, elapsed: float) -> None:
        self.raw_status = run.raw_status
        self.nodes += run.nodes
        self.runs += 1
        for point in run.trace_from(elapsed):
            bound = float(self.least)
            if point.bound is not None:
                bound = max(bound, float(joint.cost_per_h(point.bound * (1.0 - 2.0 * ROOM) - 2.0 * ROOM)))
            cost = None if self.cost is None else float(self.cost)
            self.trace.append(TracePoint(point.wall_s, cost, bound if cost is None else min(bound, cost)))


def run_milp(session: Session, space: PlanSpace, limits: Limits) -> Answer:
    """Cheapest plan of a session by one MILP, with proof.

    Raises:
        InputError: the engine is not there.
    """

    def begin(problem: JointProblem, started: float, deadline: float) -> _Search:
        if limits.options.export_lp is not None:
            whole = joint_model(problem)
            if space.policy.form is Form.LEFT:
                add_heads(whole, deadline)
            export_lp(whole.model, limits.options.export_lp)
        by_row = not chosen_engine(limits.options).prunes
        return _Search(problem, limits, started, deadline, bound=Fraction(0), by_row=by_row)

    return solve_joint(session, space, limits, begin)


def _first_unit(problem: JointProblem, most: Fraction) -> Fraction:
    """What a plan costs at least if that is something, else a small share of what it costs at most."""
    least = sum((min(c.lead_cost_per_h for c in m.configurations) for m in problem.modules), Fraction(0))
    return least or most / SPAN


def _trusted(problem: JointProblem, unit: Fraction) -> bool:
    """Whether the coefficients of the model are near enough to 1 for an engine's tolerance to mean something."""
    changes = problem.changes
    return all(
        c.most_machines <= MOST_COUNT
        and (c.most_machines == 0 or c.throughput_rps <= MOST_SHARE * module.rate_rps)
        and c.unit_cost * min(module.rate_rps, c.throughput_rps) <= MOST_COUNT * unit
        for module in problem.modules
        for c in module.configurations
    ) and not (
        (problem.surplus and any(m.most_left_rps(0) > MOST_SHARE * m.rate_rps for m in problem.modules))
        or any(price > MOST_COUNT * unit for price in coupled_prices(problem.session))
        or (changes is not None and max(changes.running.total() + changes.gone, changes.most or 0) > MOST_COUNT)
    )
