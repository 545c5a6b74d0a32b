"""Solver `milp`: latency splitting and multi-tuple allocation of all modules in one MILP, with proof (ours).

`allocation_model.py` has the model of one module, `joint_model.py` that of latencies and start times. Under `tc` there
are also bounds that look two configurations deep. Latency is approximated from outside by tangents, so the optimum is a
lower bound. The loop:

1. solve the linear relaxation and add the tangents that it breaks, as long as that lifts the bound;
2. ask the engine for the cheapest point that costs no more than the incumbent;
3. read the point as a plan and price it exactly; if it is cheaper, it is the incumbent;
4. cut the point off, by tangents at its own rates if it is too slow, else by its whole numbers
   (`formulations/session/joint/candidates.py`), and go on with 2. The plan to start from is cut off at once.

HiGHS receives the limit on the cost in 2. as a bound on the objective, by which it prunes and fixes variables. As a
row it takes up to three times as long. CBC receives it as a row, and so does HiGHS if it fails otherwise.

Every plan cheaper than the incumbent satisfies every row at every turn. If the engine finds no point any more, with and
without its presolve, the incumbent is the optimum, exactly; without an incumbent there is no plan.

Where floating point may decide: engines satisfy rows and whole numbers to a tolerance of a millionth. So costs are in
units of the incumbent's cost. Before there is one, they are in units of a lower bound, with a limit on the cost that
rises step by step. Rates are in units of the module's and times in units of the SLO, so that coefficients are near 1.
Every row is laxer than the problem by a millionth of these units, so "no point" means that no plan comes even near. The
engine's bounds are lowered by as much. If the numbers of a session are too far apart for that, or there are too many
ties, the answer is the incumbent with a valid bound and without a proof.
"""

from __future__ import annotations

import math
import time
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, ClassVar

import numpy as np
import pulp
from numpy.typing import NDArray

from euclio.core.registry import Limits
from euclio.core.result import Answer, TracePoint
from euclio.problems.session import PlanSpace, Session
from euclio.problems.session.policies import Form
from formulations.engines.interface import LinearOutcome, engine_limits
from formulations.engines.milp import export_lp, run_twice, solve_relaxation
from formulations.engines.registry import LinearEngine, chosen_engine
from formulations.session.demands import coupled_prices
from formulations.session.joint.candidates import priced, refused
from formulations.session.joint.problem import JointProblem
from formulations.session.joint.search import Ending, JointSearch, affordable, by_leading, most_cost, solve_joint
from formulations.session.milp.allocation_model import largest_dummy, throughputs
from formulations.session.milp.joint_model import JointModel, joint_model
from formulations.session.milp.points import cut_off, forbid, read_plan, states_at
from formulations.tolerances import HEADS, MOST_CANDIDATES, ROOM, STEP

# Lower bounds per leading configuration that look two configurations deep, for the joint MILP under `tc` (ours).
#
# A plan begins with n whole machines of its leading configuration k. Either k closes it, with a partial machine,
# exactly or with dummies, and its latency and cost are known. Or another configuration j comes next, at the rate
# 1 − n t_k + dummy (shares of the module's rate), and everything from there on costs at least j's unit cost:
#
#     latency ≥ max(d_k + b_k/(1 + dummy),  d_j + b_j/(1 − n t_k + dummy))
#     cost    ≥ n p_k + ρ_j T (1 − n t_k + dummy)
#
# Dummies are cut into intervals, with the latency of an interval's upper end and the cost of its lower end. Of all
# these points of one k the lower convex hull is kept, as columns h_k_i ≥ 0 with
#
#     Σ_i h_k_i = lead_k,   latency ≥ Σ latency_k,i h_k_i,   cost ≥ Σ cost_k,i h_k_i         head_k
#
# A plan lies above one point of its k, hence keeps these rows. Nothing else depends on the columns.
#
# Machines that are charged whole cost no less, so the rows hold without dummies. With dummies, which then fill any
# number of machines, the leading machines determine no rate that is left, and there is no such row
# (`JointProblem.all_full`).

EDGES = np.array([0.0, 0.003, 0.01, 0.03, 0.1, 0.3, 1.0])
"""Ends of the intervals of dummies, as shares of the largest throughput that may close the plan."""
MOST_MACHINES = 20_000
"""Modules whose configurations may have more machines together get no such rows, as there would be too many points."""
Points = NDArray[np.float64]


def add_heads(joint: JointModel, deadline: float = math.inf) -> None:
    """Add the columns and rows of every module to a joint model under policy `tc`.

    Args:
        joint: the model.
        deadline: `time.perf_counter` value from which on no more modules get them; the model is valid without them.
    """
    if joint.problem.all_full:
        return
    for m, rows in enumerate(joint.rows):
        if time.perf_counter() >= deadline:
            return
        if sum(c.most_machines for c in rows.module.configurations) > MOST_MACHINES:
            continue
        latency, name = joint.latencies[m], rows.name
        all_latency: dict[Any, float] = {latency.latency: -1.0}
        all_cost: dict[Any, float] = {v: -c for v, c in rows.cost.items()}
        for k, lead in enumerate(rows.lead):
            points = _hull(_points(joint, m, k), latency.latency.upBound)
            columns = [joint.model.add_variable(f"h_{name}_{k}_{i}", 0.0, 1.0) for i in range(len(points))]
            row = pulp.LpAffineExpression({**dict.fromkeys(columns, 1.0), lead: -1.0})
            joint.model += row == 0.0, f"head_{name}_{k}"
            all_latency |= {v: float(p[0]) for v, p in zip(columns, points, strict=True)}
            all_cost |= {v: float(p[1]) for v, p in zip(columns, points, strict=True)}
        joint.model += pulp.LpAffineExpression(all_latency) <= ROOM, f"head_{name}_latency"
        joint.model += pulp.LpAffineExpression(all_cost) <= ROOM, f"head_{name}_cost"


def _points(joint: JointModel, m: int, k: int) -> Points:
    """Latency (share of the SLO) and cost of every way to go on after the leading configuration, shape (points, 2)."""
    rows, latency = joint.rows[m], joint.latencies[m]
    t, d, b = np.array(throughputs(rows.module)), np.array(latency.d), np.array(latency.b)
    unit = joint.unit / rows.module.rate_rps
    full_cost = np.array([float(c.unit_cost / unit) for c in rows.module.configurations])
    closing = _closing_plans(t[k], d[k], b[k], full_cost[k], joint.problem.dummies)
    counts = np.arange(1, rows.module.configurations[k].most_machines + 1, dtype=np.float64)
    # The rest may be 0 up to rounding. Then it counts as a little more for the latency and as 0 for the cost.
    left = 1.0 - counts * t[k]
    left = np.maximum(left[left > -HEADS], 0.0)
    counts = counts[: left.size]
    after = np.arange(k + 1, t.size)
    if not counts.size or not after.size:
        return closing
    most_dummy = np.array([largest_dummy(rows.module, int(j)) if joint.problem.dummies else 0.0 for j in after])
    low = EDGES[:-1] if joint.problem.dummies else np.zeros(1)
    high = EDGES[1:] if joint.problem.dummies else np.zeros(1)
    shape = (counts.size, after.size, low.size)
    least = most_dummy[None, :, None] * low[None, None, :]
    most = most_dummy[None, :, None] * high[None, None, :]
    rest = left[:, None, None]
    first = d[k] + b[k] / (1.0 + most)
    following = d[after][None, :, None] + b[after][None, :, None] / (rest + most + HEADS)
    points_latency = np.broadcast_to(np.maximum(first, following), shape).ravel()
    cost = (counts * t[k] * full_cost[k])[:, None, None] + full_cost[after][None, :, None] * (rest + least)
    going_on = np.stack([points_latency, np.broadcast_to(cost, shape).ravel()], axis=1)
    return np.concatenate([closing, going_on * (1.0 - HEADS)])


def _closing_plans(t: float, d: float, b: float, full_cost: float, dummies: bool) -> Points:
    """Plans of one configuration alone; if rounding may decide whether it fits exactly, all possible ones."""
    whole = int(1.0 / t + HEADS)
    rest = 1.0 - whole * t
    points = []
    if rest < 1e-6:
        points.append((d + b, full_cost))
    if rest > 0.0:
        points.append((d + b / rest, full_cost))
    if dummies and rest > -HEADS:
        points.append((d + b / ((whole + 1) * t), (whole + 1) * t * full_cost))
    return np.array(points).reshape(-1, 2) * (1.0 - HEADS)


def _hull(points: Points, most_latency: float) -> list[Points]:
    """The lower left convex hull of the points within a latency, latency rising and cost falling."""
    points = points[points[:, 0] <= most_latency]
    hull: list[Points] = []
    best = np.inf
    for p in points[np.lexsort((points[:, 1], points[:, 0]))]:
        if p[1] >= best:
            continue
        best = float(p[1])
        while len(hull) > 1 and _is_above(hull[-2], hull[-1], p):
            hull.pop()
        hull.append(p)
    return hull


def _is_above(a: Points, b: Points, c: Points) -> bool:
    """Whether b lies on or above the line from a to c."""
    return bool((b[0] - a[0]) * (c[1] - a[1]) <= (b[1] - a[1]) * (c[0] - a[0]))


MOST_ROUNDS = 12
LEAST_LIFT = 1e-4
"""Rounds over the relaxation end once one lifts the bound by less than this share."""
NEAR = Fraction(1, 1000)
"""Share between bound and incumbent from which on a run should prove, not find."""
SPAN = 10**4
"""The largest limit on the cost in units of the model."""
MOST_SHARE, MOST_COUNT = 10**4, 10**6
"""A model is trusted if no machine takes more than the first number times its module's rate, nor do all machines
together that dummies may fill. Also, no module may need more machines or cost more units of money than the second
number. Nor may more machines run, be changed or be paid for, or a change or a type's spare machines cost more."""
MOST_MODELS = 12
"""The most models with rising limits or finer units before the search gives up."""


@dataclass(slots=True)
class _MilpSearch(JointSearch):
    """One run on one problem.

    Attributes:
        exact: proven lower bound on the cost of every plan, without the engine.
        raw_status: the engine's own status.
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
        """Proven lower bound on the cost of every plan; 0 if none is known."""
        return self.bound or Fraction(0)

    def improved(self) -> None:
        """Withdraw the bound if the engine had lost this plan."""
        if self.cost is not None and self.cost < self.least:
            self.bound = min(self.exact, self.cost)

    def last_word(self, ending: Ending) -> str:
        """The engine's own status of the last model."""
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
        """Record a lower bound on the plans that cost less than `most`, if it is better."""
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
            # Near the end nothing is left to find, and searches for incumbents would only take time.
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
                self.by_row = True  # HiGHS sometimes fails over a bound on the objective
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
        """Add tangents that the relaxation breaks; an ending means that the search is over."""
        before = 0.0
        while self.rounds < MOST_ROUNDS:
            if self.left() <= 0:
                return Ending.LIMIT
            run = solve_relaxation(joint.model, engine, engine_limits(self.limits, self.left()))
            self.raw_status = run.raw_status
            self.rounds += 1
            if run.infeasible:
                return None  # the model itself has to show it
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
        InputError: the engine is not installed.
    """

    def begin(problem: JointProblem, started: float, deadline: float) -> _MilpSearch:
        if limits.options.export_lp is not None:
            whole = joint_model(problem)
            if space.policy.form is Form.LEFT:
                add_heads(whole, deadline)
            export_lp(whole.model, limits.options.export_lp)
        by_row = not chosen_engine(limits.options).prunes
        return _MilpSearch(problem, limits, started, deadline, bound=Fraction(0), by_row=by_row)

    return solve_joint(session, space, limits, begin)


def _first_unit(problem: JointProblem, most: Fraction) -> Fraction:
    """The least cost of a plan if that is above 0, else a small share of the largest cost."""
    least = sum((min(c.lead_cost_per_h for c in m.configurations) for m in problem.modules), Fraction(0))
    return least or most / SPAN


def _trusted(problem: JointProblem, unit: Fraction) -> bool:
    """Whether the coefficients of the model are close enough to 1 for an engine's tolerance."""
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
        or max(problem.session.at_least.values(), default=0) > MOST_COUNT
        or (changes is not None and max(changes.running.total() + changes.gone, changes.most or 0) > MOST_COUNT)
    )
