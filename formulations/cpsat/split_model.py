"""Latency splitting over given module frontiers in CP-SAT: the model (Harpagon §III-D, Scrooge (2a)-(2d)).

Names as in `formulations.split_problem`, latencies in units of 1/Q seconds, costs in units of 1/S per hour:

    minimise    Σ_m Σ_i [cost_m,i S] · x_m_i                                               Scrooge (2a)
    choose_m    Σ_i x_m_i = 1                                     for every module m       Scrooge (2d)
    after_a_m   start_m ≥ start_a + Σ_i [latency_a,i Q] · x_a_i   for every edge (a, m)    Scrooge (2c)
    end_m       start_m + Σ_i [latency_m,i Q] · x_m_i ≤ ⌊SLO Q⌋   for every module m       Scrooge (2c)

Every [·] is rounded down, for a bound, or up, for a split that surely meets the SLO.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import ceil, floor
from typing import TYPE_CHECKING

from formulations.cpsat.engine import CpSatAnswer
from formulations.cpsat.scaling import common_scale
from formulations.split_problem import SplitProblem

if TYPE_CHECKING:
    from ortools.sat.python import cp_model

MONEY_UNITS = 1 << 26
"""Most units that the dearest split comes to."""
ROW_UNITS = 1 << 30
"""Most units in one row, so that it stays within CP-SAT's limit."""


@dataclass(slots=True)
class SplitModel:
    """The CP-SAT model of a split problem.

    Attributes:
        problem: the problem.
        model: the model.
        x: variable of each module's each mode.
        start: start time of each module.
        money: units per money per hour: S.
    """

    problem: SplitProblem
    model: cp_model.CpModel
    x: list[list[cp_model.IntVar]]
    start: list[cp_model.IntVar]
    money: Fraction

    def chosen(self, answer: CpSatAnswer) -> tuple[int, ...]:
        """The mode of each module in a solution."""
        return tuple(next(i for i, v in enumerate(xs) if answer.value(v)) for xs in self.x)

    def hint(self, chosen: tuple[int, ...]) -> None:
        """Let the search start from a split."""
        for xs, i in zip(self.x, chosen, strict=True):
            for k, v in enumerate(xs):
                self.model.add_hint(v, int(k == i))

    def forbid(self, chosen: tuple[int, ...], path: list[int]) -> None:
        """Demand that a module on this path takes a faster mode than the one chosen."""
        as_slow = [self.x[m][i] for m in path for i in range(chosen[m] + 1)]
        self.model.add(sum(as_slow) <= len(path) - 1)


def split_model(problem: SplitProblem, units: int, *, up: bool) -> SplitModel:
    """The model of a split problem in which every module has a mode.

    Args:
        problem: the problem.
        units: units of time that the SLO comes to.
        up: round latencies and costs up, not down.
    """
    from ortools.sat.python import cp_model

    model = cp_model.CpModel()
    modes = problem.modes
    dearest = sum((max(mode.cost_per_h for mode in ms) for ms in modes), Fraction(0))
    total = sum((sum((mode.cost_per_h for mode in ms), Fraction(0)) for ms in modes), Fraction(0))
    most = max(dearest, total * MONEY_UNITS / ROW_UNITS)
    money = common_scale([mode.cost_per_h for ms in modes for mode in ms], most, MONEY_UNITS) if most else Fraction(1)
    time_scale = common_scale(
        [problem.slo_s, *(mode.latency_s for ms in modes for mode in ms)], problem.slo_s, _units(problem, units)
    )
    rounded = ceil if up else floor
    end = floor(problem.slo_s * time_scale)
    x = [
        [model.new_bool_var(f"x_{name}_{i}") for i in range(len(ms))]
        for name, ms in zip(problem.modules, modes, strict=True)
    ]
    start = [model.new_int_var(0, end, f"start_{name}") for name in problem.modules]
    latency = [
        sum(rounded(mode.latency_s * time_scale) * v for mode, v in zip(ms, xs, strict=True))
        for ms, xs in zip(modes, x, strict=True)
    ]
    for xs in x:
        model.add_exactly_one(xs)
    for a, m in problem.edges:
        model.add(start[m] >= start[a] + latency[a])
    parents = {a for a, _ in problem.edges}
    for m in range(len(modes)):
        if m not in parents:
            model.add(start[m] + latency[m] <= end)
    model.minimize(
        sum(
            rounded(mode.cost_per_h * money) * v
            for ms, xs in zip(modes, x, strict=True)
            for mode, v in zip(ms, xs, strict=True)
        )
    )
    return SplitModel(problem, model, x, start, money)


def _units(problem: SplitProblem, units: int) -> int:
    """Units of time such that the latencies of a module sum to less than CP-SAT's limit."""
    largest = max(sum((mode.latency_s for mode in ms), Fraction(0)) for ms in problem.modes)
    return min(units, floor(ROW_UNITS * problem.slo_s / largest))
