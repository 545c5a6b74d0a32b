"""Limits on the machines of all modules together as rows of whole numbers (ours)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import floor, lcm
from typing import Any

import numpy as np
from numpy.typing import NDArray

from euclio.problems.session.resources import MachineLimit

Counts = NDArray[Any]
"""Machines, in 64 bits; or parts of machines, which may be many, as whole numbers of Python's."""

MOST_ROOM = 1 << 45
"""More machines than any plan has of a type, few enough to be added up in 64 bits."""
MOST_IN_64_BITS = 1 << 31
"""Largest numbers of rows whose products with numbers of machines stay within 64 bits."""


@dataclass(frozen=True, slots=True)
class Rows:
    """Rows of whole numbers over the machines of all modules: Σ takes·machines ≤ most in each row.

    Attributes:
        takes: what a machine takes, above 0 in some row for each column, shape (rows, columns).
        most: the most that all take together, in parts of machines' as a box counts, shape (rows,).
    """

    takes: Counts
    most: Counts

    def beyond(self, machines: Counts) -> Counts:
        """The excess over the most of each row, below 0 if some is left; machines have shape (modules, columns)."""
        found: Counts = self.takes @ machines.sum(axis=0) - self.most
        return found

    def fit(self, machines: Counts) -> bool:
        """Whether no row is broken."""
        return bool((self.beyond(machines) <= 0).all())

    def room(self, machines: Counts) -> Counts:
        """Most machines of each column that there may be next to others, below 0 where these are too many."""
        left = -self.beyond(machines)
        rows = range(len(left))
        room = [min(int(left[r]) // int(row[r]) for r in rows if row[r]) for row in self.takes.T]
        return np.array(room if machines.dtype == object else np.minimum(room, MOST_ROOM), machines.dtype)

    def short(self, rows: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """The columns that take some of one of the rows."""
        return np.asarray((self.takes[rows] > 0).any(axis=0), np.bool_)

    def with_column(self, most: int) -> Rows:
        """The rows with a column of its own limit."""
        takes = np.zeros((self.takes.shape[0] + 1, self.takes.shape[1] + 1), self.takes.dtype)
        takes[:-1, :-1], takes[-1, -1] = self.takes, 1
        return Rows(takes, np.append(self.most, np.array([most], self.most.dtype)))


def rows_of(limits: Sequence[MachineLimit], names: Sequence[str], parts: int) -> Rows:
    """The rows of some limits in whole numbers.

    Args:
        limits: what limits machines.
        names: the types of the columns.
        parts: parts of machines that boxes count (`parts_of_machines`).
    """
    takes, most = [], []
    for limit in limits:
        scale = lcm(*(each.denominator for each in limit.takes.values()))
        takes.append([int(limit.takes.get(name, 0) * scale) for name in names])
        # Machines take whole numbers on this scale, so that the rest of a capacity is of no use.
        most.append(floor(limit.capacity * scale * parts))
    large = parts > 1 or max(map(abs, [0, *most, *(each for row in takes for each in row)])) > MOST_IN_64_BITS
    dtype = object if large else np.int64
    return Rows(np.array(takes, dtype).reshape(len(limits), len(names)), np.array(most, dtype))
