"""Fragments by type; plans under least budgets need not distinguish fragments of one type (ours).

A type is a partition point, a rate and the longest execution that the time budget allows. Rates are whole multiples of
a common one, so the number of these determines a stage.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import numpy.typing as npt

from euclio.core.errors import InapplicableError
from euclio.problems.fragments import Fleet
from euclio.problems.fragments.stages import Stages

Ints = npt.NDArray[np.int64]

MOST_TICKS = 2**60
"""Least refused time."""
MOST_WEIGHT = 2**25
"""Least refused sum of rates of all fragments, in multiples of the common one."""


@dataclass(frozen=True, slots=True)
class Types:
    """Types of fragments, sorted by partition point, then by rate, then by limit.

    Attributes:
        begin: per type its first layer, shape (types,).
        limit: per type the longest execution in ticks, shape (types,).
        members: per type the places of its fragments.
        rate_rps: requests per second of which all rates are whole multiples.
        weight: per type its rate as such a multiple, shape (types,); None if all have this rate.
    """

    begin: Ints
    limit: Ints
    members: tuple[tuple[int, ...], ...]
    rate_rps: Fraction
    weight: Ints | None = None

    @property
    def counts(self) -> Ints:
        """Number of fragments of each type, shape (types,)."""
        return np.array([len(own) for own in self.members], dtype=np.int64)

    @property
    def weights(self) -> Ints:
        """The rate of each type in multiples of `rate_rps`, shape (types,)."""
        return np.ones(len(self.begin), dtype=np.int64) if self.weight is None else self.weight


def types_of(fleet: Fleet, stages: Stages) -> Types:
    """The types of a fleet.

    Raises:
        InapplicableError: times do not fit into 64 bits.
    """
    rates = [fragment.rate_rps for fragment in fleet.fragments]
    below = math.lcm(*(rate.denominator for rate in rates))
    unit = Fraction(math.gcd(*(int(rate * below) for rate in rates)), below)
    found: dict[tuple[int, int, int], list[int]] = {}
    for k, fragment in enumerate(fleet.fragments):
        limit = stages.execution_ticks(fragment.budget_s)
        found.setdefault((fragment.partition_point, int(fragment.rate_rps / unit), limit), []).append(k)
    keys = sorted(found)
    if max(limit for _, _, limit in keys) >= MOST_TICKS:
        raise InapplicableError("latencies and time budgets have too many digits for 64 bits")
    if sum(weight * len(found[begin, weight, limit]) for begin, weight, limit in keys) >= MOST_WEIGHT:
        raise InapplicableError("the rates of the fragments have too small a common divisor")
    weight = np.array([weight for _, weight, _ in keys], dtype=np.int64)
    return Types(
        np.array([begin for begin, _, _ in keys], dtype=np.int64),
        np.array([limit for _, _, limit in keys], dtype=np.int64),
        tuple(tuple(found[key]) for key in keys),
        unit,
        None if (weight == 1).all() else weight,
    )
