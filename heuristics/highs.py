"""HiGHS for heuristics; an import contract ensures that no other file of theirs calls it.

Exact methods use `formulations/engines/`. Heuristics know no formulation, since a method measured against an optimum
must not use it. They also run without an engine, since scipy brings a HiGHS of its own.

`covering_program` has linear programs that cover rows at least cost and get columns later, for the prices of their rows
    (ours): min cost · x, at least `least` of each row, x ≥ 0. highspy solves them from the last basis; without it scipy
    starts anew each time. `least_whole` solves a mixed-integer program once.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from euclio.core.engine_packages import is_installed
from euclio.core.highs_runs import run_highs

Floats = npt.NDArray[np.float64]

OPTIONS = {"output_flag": False, "threads": 1, "presolve": "off", "simplex_strategy": 4}


class Covering(Protocol):
    """Such a program."""

    def row(self, least: float) -> None:
        """Add a row, before the columns that cover it."""

    def column(self, cost: float, rows: list[int], values: list[float]) -> None:
        """Add a variable."""

    def prices(self) -> Floats:
        """Prices of the rows at the optimum, not negative, shape (rows,)."""


def covering_program() -> Covering:
    """A program without rows and columns."""
    return _ByHighspy() if is_installed("highspy") else _ByScipy()


class _ByHighspy:
    def __init__(self) -> None:
        import highspy

        self._infinity = highspy.kHighsInf
        self._highs = highspy.Highs()
        for key, value in OPTIONS.items():
            self._highs.setOptionValue(key, value)

    def row(self, least: float) -> None:
        self._highs.addRow(least, self._infinity, 0, np.zeros(0, dtype=np.int32), np.zeros(0))

    def column(self, cost: float, rows: list[int], values: list[float]) -> None:
        index = np.array(rows, dtype=np.int32)
        self._highs.addCol(cost, 0.0, self._infinity, len(index), index, np.array(values))

    def prices(self) -> Floats:
        run_highs(self._highs)
        found: Floats = np.maximum(np.array(self._highs.getSolution().row_dual), 0.0)
        return found


class _ByScipy:
    def __init__(self) -> None:
        self._least: list[float] = []
        self._cost: list[float] = []
        self._starts = [0]
        self._rows: list[int] = []
        self._values: list[float] = []

    def row(self, least: float) -> None:
        self._least.append(least)

    def column(self, cost: float, rows: list[int], values: list[float]) -> None:
        self._cost.append(cost)
        self._rows += rows
        self._values += values
        self._starts.append(len(self._rows))

    def prices(self) -> Floats:
        from scipy.optimize import linprog
        from scipy.sparse import csc_array

        shape = len(self._least), len(self._cost)
        covered: Any = -csc_array((self._values, self._rows, self._starts), shape=shape)
        found: Any = linprog(self._cost, A_ub=covered, b_ub=-np.array(self._least), method="highs-ds")
        # Prices guide a search only, so without an optimum every price is 0.
        return np.zeros(shape[0]) if found.status != 0 else np.maximum(-found.ineqlin.marginals, 0.0)


@dataclass(frozen=True, slots=True)
class Limits:
    """Rows of a program, least ≤ matrix · x ≤ most; each limit is one number, or one for each row."""

    matrix: Floats
    least: float | Floats
    most: float | Floats


@dataclass(frozen=True, slots=True)
class Whole:
    """The outcome of a mixed-integer program.

    Attributes:
        values: of the variables, whole within HiGHS's tolerance; None if none were found.
        bound: HiGHS's bound on the objective, within its tolerances; None if there is none.
        raw_status: the library's own word.
        infeasible: whether HiGHS finds that there is no solution.
    """

    values: Floats | None
    bound: float | None
    raw_status: str
    infeasible: bool


def least_whole(
    objective: Floats, whole: npt.NDArray[np.bool_], rows: tuple[Limits, ...], time_limit_s: float | None = None
) -> Whole:
    """Minimise objective · x, x ≥ 0, some of the variables whole, through scipy.

    Args:
        objective: cost of each variable, shape (variables,).
        whole: which variables are whole, shape (variables,).
        rows: limits on sums of variables.
        time_limit_s: seconds; None means no limit.
    """
    from scipy.optimize import Bounds, LinearConstraint, milp

    found = milp(
        objective,
        integrality=whole.astype(int),
        bounds=Bounds(0, np.inf),
        constraints=[LinearConstraint(own.matrix, own.least, own.most) for own in rows],
        options={"mip_rel_gap": 0.0, "time_limit": math.inf if time_limit_s is None else time_limit_s},
    )
    bound = found.mip_dual_bound
    bound = None if bound is None or not math.isfinite(bound) else float(bound)
    return Whole(found.x, bound, str(found.message), found.status == 2)
