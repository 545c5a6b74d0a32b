"""The linear program over the columns so far: each type's fragments covered, at the least GPU share (ours)."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from formulations.engines.highs_arrays import LINEAR_OPTIONS

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]
Counts = tuple[tuple[int, int], ...]
"""A column: types, ascending, and how many fragments of each."""


class Master:
    """min share · x, at least the fragments of each type in sets, x ≥ 0; solved again from the last basis.

    To cover is enough: a set without some of its fragments costs no more.

    Attributes:
        columns: GPU share in percent of each column so far.
        value: the last optimum as HiGHS has it: no bound.
    """

    def __init__(self, counts: Ints) -> None:
        import highspy

        self.columns: dict[Counts, int] = {}
        self.value = math.inf
        self._places: dict[Counts, int] = {}
        self._highs = highspy.Highs()
        for key, value in {"output_flag": False, "threads": 1, **LINEAR_OPTIONS, "simplex_strategy": 4}.items():
            self._highs.setOptionValue(key, value)
        for number in counts.tolist():
            self._highs.addRow(float(number), math.inf, 0, np.zeros(0, dtype=np.int32), np.zeros(0))

    def add(self, column: Counts, share_pct: int) -> bool:
        """Add a column, or a lower share of one; whether that is new."""
        known = self.columns.get(column)
        if known is not None and known <= share_pct:
            return False
        self.columns[column] = share_pct
        if known is not None:
            self._highs.changeColCost(self._places[column], float(share_pct))
            return True
        self._places[column] = len(self._places)
        index = np.array([kind for kind, _ in column], dtype=np.int32)
        self._highs.addCol(float(share_pct), 0.0, math.inf, len(column), index, np.array([float(k) for _, k in column]))
        return True

    def prices(self) -> Floats:
        """Prices of a fragment of each type at the optimum, not negative, in percent."""
        self._highs.run()
        self.value = float(self._highs.getInfo().objective_function_value)
        prices: Floats = np.maximum(np.array(self._highs.getSolution().row_dual), 0.0)
        return prices
