"""HiGHS for linear and mixed-integer programs as arrays, solved once, or kept and solved again from a basis.

`solve_mip` does not take `EngineLimits`, since the programs are small and many: it has no seed, log or start, but a gap
and a number of nodes. `euclio/core/highs_runs.py` reads HiGHS's statuses; `highs.py` lists its traps.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from euclio.core.highs_runs import run_highs, status_of
from euclio.core.result import Status
from formulations.engines.interface import Outcome
from formulations.tolerances import SUMS

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
ArrayOutcome = Outcome[Floats, float]
"""The outcome on a program as arrays; values by column."""

MIP_OPTIONS: dict[str, Any] = {
    "mip_abs_gap": 0.0,
    # The programs are small and rarely infeasible, so presolve, sub-MIPs and strong branching cost more than they save.
    "presolve": "off",
    "mip_pscost_minreliable": 1,
}

LINEAR_OPTIONS: dict[str, Any] = {"presolve": "off"}


@dataclass(slots=True)
class Program:
    """A mixed-integer program to be minimised, built up by variables and rows."""

    cost: list[float] = field(default_factory=list)
    lower: list[float] = field(default_factory=list)
    upper: list[float] = field(default_factory=list)
    whole: list[bool] = field(default_factory=list)
    row_lower: list[float] = field(default_factory=list)
    row_upper: list[float] = field(default_factory=list)
    starts: list[int] = field(default_factory=lambda: [0])
    columns: list[int] = field(default_factory=list)
    values: list[float] = field(default_factory=list)

    def variables(self, size: int, lower: float, upper: float | Floats, *, whole: bool, cost: float = 0.0) -> Ints:
        """Add variables; returns their indices, shape (variables,)."""
        first = len(self.cost)
        self.cost += [cost] * size
        self.lower += [lower] * size
        self.upper += np.broadcast_to(upper, size).tolist()
        self.whole += [whole] * size
        return np.arange(first, first + size)

    def row(self, columns: Sequence[Any], values: Sequence[Any], lower: float, upper: float) -> None:
        """Add a row: lower ≤ Σ values · variables ≤ upper."""
        self.columns += [int(c) for c in columns]
        self.values += [float(v) for v in values]
        self.starts.append(len(self.columns))
        self.row_lower.append(lower)
        self.row_upper.append(upper)


@dataclass(frozen=True, slots=True)
class LinearOptimum:
    """Optimum of min cost · x, matrix · x ≤ upper, x ≥ 0.

    Attributes:
        values: x.
        duals: value of one more unit of each row.
    """

    values: Floats
    duals: Floats


class Linear:
    """The linear program min cost · x, matrix · x ≤ upper, x ≥ 0, solved cost by cost, each from the last optimum."""

    def __init__(self, matrix: Floats, upper: Floats) -> None:
        import highspy

        rows, columns = np.nonzero(matrix)
        model = highspy.HighsLp()
        model.num_row_, model.num_col_ = matrix.shape
        model.col_cost_ = model.col_lower_ = np.zeros(matrix.shape[1])
        model.col_upper_ = np.full(matrix.shape[1], math.inf)
        model.row_lower_, model.row_upper_ = np.full(len(upper), -math.inf), np.asarray(upper, dtype=float)
        model.a_matrix_.format_ = highspy.MatrixFormat.kRowwise
        model.a_matrix_.start_ = np.searchsorted(rows, np.arange(len(upper) + 1)).astype(np.int32)
        model.a_matrix_.index_, model.a_matrix_.value_ = columns.astype(np.int32), matrix[rows, columns]
        self._columns = np.arange(matrix.shape[1], dtype=np.int32)
        self._highs = _passed(model, LINEAR_OPTIONS)

    def solve(self, cost: Floats) -> LinearOptimum | None:
        """The optimum for this cost; None if HiGHS finds none, which proves nothing."""
        self._highs.changeColsCost(len(cost), self._columns, np.asarray(cost, dtype=float))
        run_highs(self._highs)
        if status_of(self._highs)[0] is not Status.OPTIMAL:
            return None
        solution = self._highs.getSolution()
        return LinearOptimum(np.array(solution.col_value), np.maximum(-np.array(solution.row_dual), 0.0))

    def has_none(self, matrix: Floats, upper: Floats, most: Floats) -> bool:
        """Whether HiGHS's last run proves that no point within `most` keeps the rows; its tolerances do not matter.

        The proof adds up the rows with the weights of its ray; the least value of the sum exceeds its limit.
        """
        _, found, ray = self._highs.getDualRay()
        for weights in (np.maximum(-np.array(ray), 0.0), np.maximum(np.array(ray), 0.0)) if found else ():
            least, allowed = np.minimum(weights @ matrix, 0.0) * most, weights * upper
            if least.sum() - allowed.sum() > SUMS * (np.abs(least).sum() + np.abs(allowed).sum()):
                return True
        return False


class Covering:
    """The linear program min cost · x, at least `least` of each row, x ≥ 0, with columns that are added later.

    It is solved again from the last basis.

    Attributes:
        value: the last optimum by HiGHS, which is no bound.
    """

    def __init__(self, least: Floats) -> None:
        self.value = math.inf
        self._highs = _new_highs({**LINEAR_OPTIONS, "simplex_strategy": 4})
        for each in least.tolist():
            self._highs.addRow(each, math.inf, 0, np.zeros(0, dtype=np.int32), np.zeros(0))

    def add(self, cost: float, rows: Sequence[int], values: Sequence[float]) -> None:
        """Add a column, which has the next number."""
        index = np.array(rows, dtype=np.int32)
        self._highs.addCol(cost, 0.0, math.inf, len(index), index, np.array(values, dtype=float))

    def recost(self, column: int, cost: float) -> None:
        """Give a column another cost."""
        self._highs.changeColCost(column, cost)

    def prices(self) -> Floats:
        """Prices of the rows at the optimum, not negative, shape (rows,)."""
        run_highs(self._highs)
        self.value = float(self._highs.getInfo().objective_function_value)
        prices: Floats = np.maximum(np.array(self._highs.getSolution().row_dual), 0.0)
        return prices


def solve_mip(program: Program, time_limit_s: float, gap: float, most_nodes: int | None = None) -> ArrayOutcome:
    """Solve a mixed-integer program.

    Args:
        program: the program.
        time_limit_s: seconds; infinite means no limit.
        gap: relative distance of bound and incumbent at which it may stop.
        most_nodes: nodes after which it stops; None means no limit.
    """
    options = {**MIP_OPTIONS, "mip_rel_gap": gap}
    if math.isfinite(time_limit_s):
        options["time_limit"] = max(time_limit_s, 1e-3)
    if most_nodes is not None:
        options["mip_max_nodes"] = most_nodes
    highs = _highs(program, options)
    run_highs(highs)
    info, (status, raw) = highs.getInfo(), status_of(highs)
    found = status in (Status.OPTIMAL, Status.FEASIBLE)
    return Outcome(
        status,
        raw,
        np.array(highs.getSolution().col_value) if found else None,
        float(info.objective_function_value) if found else None,
        float(info.mip_dual_bound) if math.isfinite(info.mip_dual_bound) else None,
        max(0, int(info.mip_node_count)),
    )


def _highs(program: Program, options: dict[str, Any]) -> Any:
    import highspy

    model = highspy.HighsLp()
    model.num_col_, model.num_row_ = len(program.cost), len(program.row_lower)
    model.col_cost_ = np.array(program.cost)
    model.col_lower_, model.col_upper_ = np.array(program.lower), np.array(program.upper)
    model.row_lower_, model.row_upper_ = np.array(program.row_lower), np.array(program.row_upper)
    kinds = highspy.HighsVarType
    if any(program.whole):
        model.integrality_ = [kinds.kInteger if whole else kinds.kContinuous for whole in program.whole]
    model.a_matrix_.format_ = highspy.MatrixFormat.kRowwise
    model.a_matrix_.start_ = np.array(program.starts, dtype=np.int32)
    model.a_matrix_.index_ = np.array(program.columns, dtype=np.int32)
    model.a_matrix_.value_ = np.array(program.values)
    return _passed(model, options)


def _passed(model: Any, options: dict[str, Any]) -> Any:
    highs = _new_highs(options)
    highs.passModel(model)
    return highs


def _new_highs(options: dict[str, Any]) -> Any:
    import highspy

    highs = highspy.Highs()
    for key, value in {"output_flag": False, "threads": 1, **options}.items():
        highs.setOptionValue(key, value)
    return highs
