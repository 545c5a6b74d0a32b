"""The linear program of all provers, solved by HiGHS; its prices are proposals, which are never trusted (ours).

Solvers have their own code, since a prover shares nothing with the solvers whose claims it tests; an import contract
enforces that. A prover continues from HiGHS's final prices, and several price vectors may be optimal. Each prover
therefore fixes a `Setting`, so that its certificates stay the same to the digit.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from euclio.core.engine_packages import is_installed
from euclio.core.highs_runs import run_highs

Floats = NDArray[np.float64]
Whole = NDArray[np.int64]

# Less accurate prices would blur bounds that have to be sharp to 1e-9.
TOLERANCES = {"dual_feasibility_tolerance": 1e-10, "primal_feasibility_tolerance": 1e-9}

OPTIONS: dict[str, Any] = {
    "output_flag": False,
    "threads": 1,
    # The programs are small: presolve costs more than it saves.
    "presolve": "off",
    "solver": "simplex",
    **TOLERANCES,
}


@dataclass(frozen=True, slots=True)
class Setting:
    """The settings of HiGHS for a prover.

    Attributes:
        by_highspy: whether it uses highspy if installed, which takes a fifth of the time of scipy's interface.
        method: method of `scipy.optimize.linprog`.
    """

    by_highspy: bool
    method: str
    options: Mapping[str, Any]


SHARP = Setting(True, "highs-ds", {"presolve": False, **TOLERANCES})
"""Many small programs, whose prices are to be as sharp as they can be had."""

PLAIN = Setting(False, "highs", {})
"""As scipy sets HiGHS: few programs, for which that is fast and sharp enough."""


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


def least_cost(
    cost: Floats, lower: Floats, upper: Floats, rows: Rows, limit_s: float = math.inf, setting: Setting = SHARP
) -> tuple[Floats, Floats] | None:
    """Variables and row prices of an optimum; None if HiGHS finds none within the time limit.

    Args:
        cost: of each variable, shape (variables,).
        lower: least value of each variable.
        upper: largest value of each variable.
        rows: the rows; each has an upper limit, and a lower one only if that is the same.
        limit_s: seconds; infinite means no limit.
        setting: settings of HiGHS.

    Returns:
        Values of the variables, and for each row the rise of the cost per unit of its limits; at most 0 for a row with
        an upper limit only.
    """
    if setting.by_highspy and is_installed("highspy"):
        found = _by_highspy(cost, lower, upper, rows, max(limit_s, 0.0))
    else:
        found = _by_scipy(cost, lower, upper, rows, max(limit_s, 0.0), setting)
    # There is no proposal: callers divide or go on without one, and prove nothing from it.
    return found if found is not None and all(np.isfinite(part).all() for part in found) else None


def _by_highspy(cost: Floats, lower: Floats, upper: Floats, rows: Rows, limit_s: float) -> tuple[Floats, Floats] | None:
    import highspy

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
    solver.setOptionValue("time_limit", solver.getRunTime() + limit_s)
    run_highs(solver)
    if solver.getModelStatus() != highspy.HighsModelStatus.kOptimal:
        return None
    found = solver.getSolution()
    return np.array(found.col_value), np.array(found.row_dual)


def _by_scipy(
    cost: Floats, lower: Floats, upper: Floats, rows: Rows, limit_s: float, setting: Setting = SHARP
) -> tuple[Floats, Floats] | None:
    from scipy.optimize import linprog
    from scipy.sparse import csr_array

    shape = len(rows.least), len(cost)
    entries = np.concatenate(rows.values), np.concatenate(rows.variables), np.array(rows.starts)
    matrix: Any = csr_array(entries, shape=shape)
    most = np.array(rows.most)
    equal = np.array(rows.least) == most
    # Its type stubs know dense matrices only.
    program: Any = linprog
    found = program(
        cost,
        A_ub=matrix[~equal],
        b_ub=most[~equal],
        A_eq=matrix[equal],
        b_eq=most[equal],
        bounds=np.column_stack([lower, upper]),
        method=setting.method,
        options={**setting.options, "time_limit": limit_s},
    )
    if found.status != 0:
        return None
    prices = np.empty(len(most))
    prices[~equal], prices[equal] = found.ineqlin.marginals, found.eqlin.marginals
    return np.array(found.x), prices


@cache
def _solver() -> Any:
    """HiGHS, set up once per process."""
    import highspy

    solver = highspy.Highs()
    for name, value in OPTIONS.items():
        solver.setOptionValue(name, value)
    return solver
