"""Solver `milp-split`: latency splitting over given module frontiers as a MILP (Harpagon §III-D, Scrooge (2a)-(2d)).

The model, names as in `formulations.session.split.problem`, times as shares of the SLO, money in units of the
incumbent's cost:

    minimise    Σ_m Σ_i cost_m,i · x_m_i                                                   Scrooge (2a)
    choose_m    Σ_i x_m_i = 1                                     for every module m       Scrooge (2d)
    after_a_m   start_m ≥ start_a + Σ_i latency_a,i · x_a_i + delay_a,m   for every edge   Scrooge (2c)
    end_m       start_m + Σ_i latency_m,i · x_m_i ≤ 1 − end_m     for every m with an end  Scrooge (2c)
    x_m_i ∈ {0, 1},  start_m ≥ 0

Scrooge writes one row per path; start times express the same with one row per edge. Its (2b), which serves the whole
rate, holds within every mode.

The engine works with tolerances, but the answer is exact. The rows are laxer by more than the tolerances. Each split
that the engine returns is added up exactly and cut off, and the engine runs again until nothing cheaper than the
incumbent is left (`formulations/session/split/proof.py`). The engine's own bounds are lowered by its tolerance.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import pulp

from euclio.core.registry import Limits
from euclio.core.result import Answer
from euclio.problems.session import PlanSpace, Session
from formulations.engines.interface import LinearValues, engine_limits
from formulations.engines.milp import export_lp, readable, run_twice
from formulations.engines.registry import LinearEngine, chosen_engine
from formulations.session.split.frontiers import split_session
from formulations.session.split.problem import SplitProblem
from formulations.session.split.proof import Turn
from formulations.tolerances import SPLIT_ROOM


@dataclass(slots=True)
class MilpSplitModel:
    """The MILP of a split problem.

    Attributes:
        model: the PuLP model.
        x: variable of each mode of each module.
        costs: cost of each of them, in units.
        unit: money per hour that counts as 1.
        limits: limits of the run.
        engine: the engine.
        rows: rows added so far.
        finest: whether no model of the problem is finer.
    """

    model: pulp.LpProblem
    x: list[list[Any]]
    costs: dict[Any, float]
    unit: Fraction
    limits: Limits
    engine: LinearEngine
    rows: int = 0
    finest: bool = True

    def solve(self, left_s: float) -> Turn:
        """The cheapest solution, within some seconds."""
        run = run_twice(self.model, self.engine, engine_limits(self.limits, left_s))
        return run.translated(self._chosen, lambda objective: Fraction(objective) * self.unit, self._bound)

    def _chosen(self, values: LinearValues) -> tuple[int, ...]:
        shares = [[values[v.name] for v in xs] for xs in self.x]
        return tuple(xs.index(max(xs)) for xs in shares)

    def _bound(self, value: float) -> Fraction:
        return Fraction(value * (1.0 - SPLIT_ROOM) - SPLIT_ROOM) * self.unit

    def forbid_slow(self, chosen: tuple[int, ...], path: list[int]) -> None:
        """Demand that a module on this path takes a faster mode than the one chosen."""
        self._add({v: 1.0 for m in path for v in self.x[m][: chosen[m] + 1]}, len(path) - 1, "path")

    def forbid_costly(self, chosen: tuple[int, ...]) -> None:
        """Demand that a module takes a cheaper mode than the one chosen."""
        self._add({v: 1.0 for xs, i in zip(self.x, chosen, strict=True) for v in xs[i:]}, len(self.x) - 1, "cheaper")

    def demand_below(self, cost: Fraction) -> None:
        """Demand that all modes together cost at most this much per hour, or slightly more."""
        self._add(self.costs, float(cost / self.unit) * (1.0 + SPLIT_ROOM) + SPLIT_ROOM, "cutoff")

    def _add(self, terms: dict[Any, float], most: float, label: str) -> None:
        self.rows += 1
        self.model += pulp.LpAffineExpression(terms) <= most, f"{label}_{self.rows}"


def run_milp_split(session: Session, space: PlanSpace, limits: Limits) -> Answer:
    """Cheapest plan of a session: module frontiers, then the MILP above; with proof.

    Raises:
        InputError: the engine is not installed.
    """
    engine, file = chosen_engine(limits.options), limits.options.export_lp

    def build(problem: SplitProblem, unit: Fraction, coarse: int) -> MilpSplitModel:
        return split_model(problem, unit, limits, engine)

    def export(problem: SplitProblem) -> None:
        if file is not None and all(problem.modes):
            export_lp(build(problem, Fraction(1), 0).model, file)

    return split_session(session, space, limits, build, export)


def split_model(problem: SplitProblem, unit: Fraction, limits: Limits, engine: LinearEngine) -> MilpSplitModel:
    """The MILP of a split problem in which every module has a mode.

    Args:
        problem: the problem.
        unit: money per hour that counts as 1.
        limits: limits of the run.
        engine: the engine.
    """
    model = pulp.LpProblem("latency_splitting", pulp.LpMinimize)
    names = readable(problem.modules)
    x = [
        [model.add_variable(f"x_{name}_{i}", cat=pulp.LpBinary) for i in range(len(modes))]
        for name, modes in zip(names, problem.modes, strict=True)
    ]
    begin = [model.add_variable(f"start_{name}", 0.0, 1.0) for name in names]
    latency = [
        {v: float(mode.least_s / problem.slo_s) for v, mode in zip(xs, modes, strict=True)}
        for xs, modes in zip(x, problem.modes, strict=True)
    ]
    costs = {
        v: float(mode.cost_per_h / unit)
        for xs, modes in zip(x, problem.modes, strict=True)
        for v, mode in zip(xs, modes, strict=True)
    }
    model += pulp.LpAffineExpression(costs)
    for m, name in enumerate(names):
        model += pulp.LpAffineExpression(dict.fromkeys(x[m], 1.0)) == 1.0, f"choose_{name}"
    after = readable([f"after_{names[a]}_{names[m]}" for a, m in problem.edges])
    for (a, m), delay, row in zip(problem.edges, problem.delays, after, strict=True):
        end = pulp.LpAffineExpression({begin[a]: 1.0, **latency[a], begin[m]: -1.0})
        model += end <= -float(delay / problem.slo_s), row
    for m, (name, spare) in enumerate(zip(names, problem.ends, strict=True)):
        if spare is not None:
            end = pulp.LpAffineExpression({begin[m]: 1.0, **latency[m]})
            model += end <= 1.0 - float(spare / problem.slo_s) + SPLIT_ROOM, f"end_{name}"
    return MilpSplitModel(model, x, costs, unit, limits, engine)
