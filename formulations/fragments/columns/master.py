"""The linear program over the columns so far: each type's fragments covered, at the least GPU share (ours)."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from formulations.engines.highs_arrays import Covering

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]
Counts = tuple[tuple[int, int], ...]
"""A column: types, ascending, and how many fragments of each."""


class Master:
    """min share · x, at least the fragments of each type in sets, x ≥ 0.

    To cover is enough: a set without some of its fragments costs no more.

    Attributes:
        columns: GPU share in percent of each column so far, in the order in which they were added.
    """

    def __init__(self, counts: Ints) -> None:
        self.columns: dict[Counts, int] = {}
        self._places: dict[Counts, int] = {}
        self._program = Covering(counts.astype(float))

    @property
    def value(self) -> float:
        """The last optimum as HiGHS has it: no bound."""
        return self._program.value

    def add(self, column: Counts, share_pct: int) -> bool:
        """Add a column, or a lower share of one; whether that is new."""
        known = self.columns.get(column)
        if known is not None and known <= share_pct:
            return False
        self.columns[column] = share_pct
        if known is not None:
            self._program.recost(self._places[column], float(share_pct))
            return True
        self._places[column] = len(self._places)
        self._program.add(float(share_pct), [kind for kind, _ in column], [float(k) for _, k in column])
        return True

    def prices(self) -> Floats:
        """Prices of a fragment of each type at the optimum, not negative, in percent."""
        return self._program.prices()
