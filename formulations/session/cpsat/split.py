"""Solver `cpsat-split`: latency splitting over given module frontiers in CP-SAT (Harpagon §III-D, Scrooge (2a)-(2d)).

The model is in whole numbers that are rounded down, so that each split within the SLO is a solution at no higher a
cost. Each split that the model returns is added up exactly and cut off, until nothing cheaper than the incumbent is
left (`formulations/session/split/proof.py`). Time is counted coarsely first, and finely once a split is refused.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from fractions import Fraction
from math import floor

from ortools.sat.python import cp_model

from euclio.core.registry import Limits
from euclio.core.result import Answer
from euclio.problems.session import PlanSpace, Session
from formulations.engines.cpsat import CP_SAT, ROW_UNITS, CountedValues, common_scale
from formulations.engines.interface import EngineLimits, engine_limits
from formulations.session.split.frontiers import split_session
from formulations.session.split.problem import SplitProblem
from formulations.session.split.proof import Build, Turn

# Latency splitting over given module frontiers in CP-SAT: the model (Harpagon §III-D, Scrooge (2a)-(2d)).
#
# Names as in `formulations.session.split.problem`, latencies in units of 1/Q seconds, costs in units of 1/S per hour:
#
#     minimise    Σ_m Σ_i ⌊cost_m,i S⌋ · x_m_i                                               Scrooge (2a)
#     choose_m    Σ_i x_m_i = 1                                     for every module m       Scrooge (2d)
#     after_a_m   start_m ≥ start_a + Σ_i ⌊latency_a,i Q⌋ · x_a_i + ⌊delay_a,m Q⌋   for every edge (a, m)
#     end_m       start_m + Σ_i ⌊latency_m,i Q⌋ · x_m_i ≤ ⌊(SLO − end_m) Q⌋         for every m with an end
#
# Everything is rounded down, so every split within the SLO is a solution, at no higher a cost.

MONEY_UNITS = 1 << 26
"""Most units in the incumbent's cost."""


@dataclass(slots=True)
class CpSatSplitModel:
    """The CP-SAT model of a split problem.

    Attributes:
        problem: the problem.
        model: the model.
        x: variable of each mode of each module.
        total: cost of a split in units of money.
        money: units per money per hour: S.
        limits: limits of the run, without the time limit.
        finest: whether no model of the problem is finer.
    """

    problem: SplitProblem
    model: cp_model.CpModel
    x: list[list[cp_model.IntVar]]
    total: cp_model.LinearExprT
    money: Fraction
    limits: EngineLimits
    finest: bool

    def solve(self, left_s: float) -> Turn:
        """The cheapest solution, within some seconds."""
        limit = None if math.isinf(left_s) else max(left_s, 0.0)
        found = CP_SAT.run(self.model, replace(self.limits, time_limit_s=limit))
        return found.translated(self._chosen, self._cost, self._cost)

    def _chosen(self, values: CountedValues) -> tuple[int, ...]:
        return tuple(next(i for i, v in enumerate(xs) if values[v.index]) for xs in self.x)

    def _cost(self, units: int) -> Fraction:
        return units / self.money

    def forbid_slow(self, chosen: tuple[int, ...], path: list[int]) -> None:
        """Demand that a module on this path takes a faster mode than the one chosen."""
        self.model.add(sum(v for m in path for v in self.x[m][: chosen[m] + 1]) <= len(path) - 1)

    def forbid_costly(self, chosen: tuple[int, ...]) -> None:
        """Demand that a module takes a cheaper mode than the one chosen."""
        self.model.add(sum(v for xs, i in zip(self.x, chosen, strict=True) for v in xs[i:]) <= len(self.x) - 1)

    def demand_below(self, cost: Fraction) -> None:
        """Demand that all modes together cost at most this much per hour, rounded down."""
        self.model.add(self.total <= floor(cost * self.money))


def split_model(
    problem: SplitProblem, unit: Fraction, units: int, limits: EngineLimits, *, finest: bool
) -> CpSatSplitModel:
    """The model of a split problem in which every module has a mode.

    Args:
        problem: the problem.
        unit: the most that a split of interest costs per hour; above 0.
        units: units of time in the SLO.
        limits: limits of the run, without the time limit.
        finest: whether no model of the problem is finer.
    """
    model = cp_model.CpModel()
    modes = problem.modes
    together = sum((sum((mode.cost_per_h for mode in ms), Fraction(0)) for ms in modes), Fraction(0))
    most = max(unit, together * MONEY_UNITS / ROW_UNITS)
    money = common_scale([mode.cost_per_h for ms in modes for mode in ms], most, MONEY_UNITS)
    time_scale = common_scale(
        [problem.slo_s, *(mode.least_s for ms in modes for mode in ms)], problem.slo_s, _units(problem, units)
    )
    end = floor(problem.slo_s * time_scale)
    x = [
        [model.new_bool_var(f"x_{name}_{i}") for i in range(len(ms))]
        for name, ms in zip(problem.modules, modes, strict=True)
    ]
    start = [model.new_int_var(0, end, f"start_{name}") for name in problem.modules]
    latency = [
        sum(floor(mode.least_s * time_scale) * v for mode, v in zip(ms, xs, strict=True))
        for ms, xs in zip(modes, x, strict=True)
    ]
    for xs in x:
        model.add_exactly_one(xs)
    for (a, m), delay in zip(problem.edges, problem.delays, strict=True):
        model.add(start[m] >= start[a] + latency[a] + floor(delay * time_scale))
    for m, spare in enumerate(problem.ends):
        if spare is not None:
            model.add(start[m] + latency[m] <= floor((problem.slo_s - spare) * time_scale))
    total = sum(
        floor(mode.cost_per_h * money) * v
        for ms, xs in zip(modes, x, strict=True)
        for mode, v in zip(ms, xs, strict=True)
    )
    model.minimize(total)
    return CpSatSplitModel(problem, model, x, total, money, limits, finest)


def _units(problem: SplitProblem, units: int) -> int:
    """Units of time such that the latencies of a module sum to less than CP-SAT's limit."""
    largest = max(sum((mode.latency_s for mode in ms), Fraction(0)) for ms in problem.modes)
    return min(units, floor(ROW_UNITS * problem.slo_s / largest))


SCALES = (1 << 16, 1 << 26)
"""Units in the SLO, coarse and fine."""


def run_cpsat_split(session: Session, space: PlanSpace, limits: Limits) -> Answer:
    """Cheapest plan of a session: module frontiers, then the model above; with proof."""
    return split_session(session, space, limits, builder(limits))


def builder(limits: Limits) -> Build:
    """A function that makes models that run within some limits."""

    def build(problem: SplitProblem, unit: Fraction, coarse: int) -> CpSatSplitModel:
        scale = min(coarse, len(SCALES) - 1)
        given = engine_limits(limits, math.inf)
        return split_model(problem, unit, SCALES[scale], given, finest=scale == len(SCALES) - 1)

    return build
