"""Fragments by type, and the least GPU share of their stages as tables for compiled pricing (ours).

All fragments have one rate here, so that a head or a shared stage is known by how many fragments it serves. Under least
budgets a type is a partition point and the longest execution that the time budget allows.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt

from euclio.core.errors import InapplicableError
from euclio.fragments import Fleet, FragmentSpace
from euclio.fragments.stages import Frontier, Stages

Ints = npt.NDArray[np.int64]

UNIT = 2**20
"""Prices and GPU shares are whole numbers of this part of a percent, so that reduced costs are exact."""
NEVER = 2**50
"""The GPU share of a stage that is not fast enough, in units: more than any plan, and its sums fit into 64 bits."""
MOST_PCT = 2**28
"""GPU shares of a stage from here on are refused, so that sums over a set stay below `NEVER`."""
MOST_TICKS = 2**60
"""Times from here on are refused."""


MOST_FRAGMENTS = 2000
"""Fragments of a set beyond which tables would grow too large."""


@dataclass(frozen=True, slots=True)
class Types:
    """Fragments that no plan needs to tell apart, sorted by partition point, then by limit.

    Attributes:
        begin: per type its first layer, shape (types,).
        limit: per type the longest execution in ticks, shape (types,).
        members: per type the places of its fragments.
        rate_rps: requests per second of a fragment.
    """

    begin: Ints
    limit: Ints
    members: tuple[tuple[int, ...], ...]
    rate_rps: Fraction

    @property
    def counts(self) -> Ints:
        """Number of fragments of each type, shape (types,)."""
        return np.array([len(own) for own in self.members], dtype=np.int64)


@dataclass(frozen=True, slots=True)
class Tables:
    """Least GPU shares, in units, of shared stages and of heads by time and number of fragments.

    Shared stages of re-partition point p take the rows `shared_start[p]` to `shared_start[p + 1]`, heads that begin at
    the layer `begins[b]` and end at p the rows `own_start[b, p]` to `own_end[b, p]`; rows by ascending time.

    Attributes:
        begins: layers at which fragments begin, ascending, shape (begins,).
        most: most fragments of a set.
        shared_start: shape (layers + 1,).
        shared_ticks: times, shape (rows,).
        shared_cost: share by number of fragments, shape (rows, most + 1).
        shared_least: least share per fragment over all numbers, rounded down, shape (rows,).
        own_start: shape (begins, layers).
        own_end: shape (begins, layers).
        own_ticks: times, shape (rows,).
        own_cost: share of the cheapest heads of so many fragments, shape (rows, most + 1).
    """

    begins: Ints
    most: int
    shared_start: Ints
    shared_ticks: Ints
    shared_cost: Ints
    shared_least: Ints
    own_start: Ints
    own_end: Ints
    own_ticks: Ints
    own_cost: Ints


def types_of(fleet: Fleet, stages: Stages) -> Types:
    """The types of a fleet.

    Raises:
        InapplicableError: fragments of different rates, or times that do not fit into 64 bits.
    """
    rates = {fragment.rate_rps for fragment in fleet.fragments}
    if len(rates) > 1:
        raise InapplicableError(f"fragments have {len(rates)} different rates; this takes one")
    found: dict[tuple[int, int], list[int]] = {}
    for k, fragment in enumerate(fleet.fragments):
        found.setdefault((fragment.partition_point, stages.execution_ticks(fragment.budget_s)), []).append(k)
    keys = sorted(found)
    if max(limit for _, limit in keys) >= MOST_TICKS:
        raise InapplicableError("latencies and time budgets have too many digits for 64 bits")
    return Types(
        np.array([begin for begin, _ in keys], dtype=np.int64),
        np.array([limit for _, limit in keys], dtype=np.int64),
        tuple(tuple(found[key]) for key in keys),
        rates.pop(),
    )


def tables_of(types: Types, stages: Stages, space: FragmentSpace) -> Tables:
    """The tables of a plan space.

    Raises:
        InapplicableError: times or shares do not fit into 64 bits, or sets of too many fragments.
    """
    layers = stages.network.layers
    begins = np.unique(types.begin)
    total = int(types.counts.sum())
    most = total if space.max_members is None else min(total, space.max_members)
    if most > MOST_FRAGMENTS:
        raise InapplicableError(f"a set may have {most:,} fragments; this takes {MOST_FRAGMENTS:,}; allow fewer")
    sizes = [min(most, int(types.counts[types.begin == begin].sum())) for begin in begins]
    shared = [
        _table(stages, (point, layers), types.rate_rps, most, most, space)
        if point >= begins[0]
        else (np.zeros(0, dtype=np.int64), np.zeros((0, most + 1), dtype=np.int64))
        for point in range(layers)
    ]
    own_start = np.zeros((len(begins), layers), dtype=np.int64)
    own_end = np.zeros((len(begins), layers), dtype=np.int64)
    own: list[tuple[Ints, Ints]] = []
    rows = 0
    for b, begin in enumerate(begins.tolist()):
        for point in range(begin + 1, layers):
            ticks, heads = _table(stages, (begin, point), types.rate_rps, sizes[b], most, space)
            own.append((ticks, _divided(heads, sizes[b])))
            own_start[b, point], own_end[b, point] = rows, rows + len(ticks)
            rows += len(ticks)
    shared_cost = np.concatenate([cost for _, cost in shared])
    numbers = np.arange(1, most + 1)
    return Tables(
        begins,
        most,
        np.cumsum([0, *(len(ticks) for ticks, _ in shared)]).astype(np.int64),
        np.concatenate([ticks for ticks, _ in shared]),
        shared_cost,
        (shared_cost[:, 1:] // numbers).min(axis=1),
        own_start,
        own_end,
        np.concatenate([np.zeros(0, dtype=np.int64), *(ticks for ticks, _ in own)]),
        np.concatenate([np.zeros((0, most + 1), dtype=np.int64), *(cost for _, cost in own)]),
    )


def _table(
    stages: Stages, layers: tuple[int, int], rate_rps: Fraction, numbers: int, width: int, space: FragmentSpace
) -> tuple[Ints, Ints]:
    """Times at which some stage gets cheaper, and the least share within each by number of fragments served."""
    found = [stages.frontier(*layers, k * rate_rps, space.max_instances) for k in range(1, numbers + 1)]
    ticks = np.unique(np.concatenate([_fitting(frontier) for frontier in found]))
    cost = np.full((len(ticks), width + 1), NEVER, dtype=np.int64)
    cost[:, 0] = 0
    for k, frontier in enumerate(found, start=1):
        share = frontier.within(ticks)
        fast = share < math.inf
        cost[fast, k] = share[fast].astype(np.int64) * UNIT
    return ticks, cost


def _fitting(frontier: Frontier) -> npt.NDArray[Any]:
    if len(frontier.ticks) and (int(frontier.ticks[-1]) >= MOST_TICKS or int(frontier.total_pct[0]) >= MOST_PCT):
        raise InapplicableError("latencies or GPU shares have too many digits for 64 bits")
    return frontier.ticks.astype(np.int64)


def _divided(heads: Ints, numbers: int) -> Ints:
    """The least share of so many fragments in one head or several, from that of one head."""
    least = heads.copy()
    for k in range(2, numbers + 1):
        for first in range(1, k // 2 + 1):
            np.minimum(least[:, k], least[:, first] + least[:, k - first], out=least[:, k])
    return np.minimum(least, NEVER)
