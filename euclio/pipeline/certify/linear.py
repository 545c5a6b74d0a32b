"""Linear programs solved by HiGHS; prices that it finds are proposals, which are never trusted (ours)."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cache
from typing import Any

import highspy
import numpy as np

from euclio.pipeline.certify.lumps import Floats, Whole

OPTIONS: dict[str, Any] = {
    "output_flag": False,
    "threads": 1,
    # The programs are small: presolve costs more than it saves.
    "presolve": "off",
    "solver": "simplex",
    # Prices that are off by more would blur bounds that are to be sharp to 1e-9.
    "dual_feasibility_tolerance": 1e-10,
    "primal_feasibility_tolerance": 1e-9,
}


@dataclass(slots=True)
class Rows:
    """Rows of a linear program: least ≤ Σ values · variables ≤ most."""

    least: list[float] = field(default_factory=list)
    most: list[float] = field(default_factory=list)
    starts: list[int] = field(default_factory=lambda: [0])
    variables: list[Whole] = field(default_factory=list)
    values: list[Floats] = field(default_factory=list)

    def add(self, least: float, most: float, variables: Whole, values: Floats) -> None:
        """Add a row."""
        self.least.append(least)
        self.most.append(most)
        self.starts.append(self.starts[-1] + len(variables))
        self.variables.append(variables)
        self.values.append(values)


def least_cost(cost: Floats, lower: Floats, upper: Floats, rows: Rows, limit_s: float) -> tuple[Floats, Floats] | None:
    """Variables and row prices of an optimum; None: HiGHS has none, or not within the time limit."""
    program = highspy.HighsLp()
    program.num_col_, program.num_row_ = len(cost), len(rows.least)
    program.col_cost_, program.col_lower_, program.col_upper_ = cost, lower, upper
    program.row_lower_, program.row_upper_ = np.array(rows.least), np.array(rows.most)
    matrix = program.a_matrix_
    matrix.format_ = highspy.MatrixFormat.kRowwise
    matrix.num_col_, matrix.num_row_ = len(cost), len(rows.least)
    matrix.start_ = np.array(rows.starts, np.int32)
    matrix.index_ = np.concatenate(rows.variables).astype(np.int32)
    matrix.value_ = np.concatenate(rows.values)
    solver = _solver()
    solver.clearModel()
    solver.passModel(program)
    # Its clock runs on from one program to the next.
    solver.setOptionValue("time_limit", solver.getRunTime() + max(limit_s, 0.0))
    solver.run()
    # No proposal: callers divide or go on without one, and prove nothing from it.
    if solver.getModelStatus() != highspy.HighsModelStatus.kOptimal:
        return None
    found = solver.getSolution()
    values, prices = np.array(found.col_value), np.array(found.row_dual)
    return (values, prices) if np.isfinite(values).all() and np.isfinite(prices).all() else None


@cache
def _solver() -> Any:
    """HiGHS, set up once per process."""
    solver = highspy.Highs()
    for name, value in OPTIONS.items():
        solver.setOptionValue(name, value)
    return solver
