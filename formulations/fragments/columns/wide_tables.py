"""Least GPU shares of stages of fragments of one rate as tables, for thousands of them (ours)."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from euclio.core.errors import InapplicableError
from euclio.problems.fragments import FragmentSpace
from euclio.problems.fragments.memory import WHOLE_GPU_PCT
from euclio.problems.fragments.stages import FITS, Stages
from formulations.fragments.columns.tables import MOST_PCT, NEVER, UNIT
from formulations.fragments.columns.types import MOST_TICKS, Ints, Types
from heuristics.fragments.regrouping_tables import divide_heads

WIDTH = 250
"""Fragments of a stage in the first tables; larger sets are bounded by their least share per fragment."""


class WideTables(NamedTuple):
    """Least GPU shares in units of shared stages and of heads, by time and number of fragments.

    Shared stages of re-partition point p take the rows `shared_start[p]` to `shared_start[p + 1]`, heads of queue b
    that end at p the rows `own_start[b, p]` to `own_start[b, p + 1]`; rows by ascending time.

    Attributes:
        shared_start: shape (layers + 1,).
        shared_ticks: times, shape (rows,).
        shared_cost: shape (rows, width + 1).
        shared_least: least share per fragment of any number, rounded down, shape (rows,).
        own_start: shape (queues, layers + 1).
        own_ticks: times, shape (rows,).
        own_cost: share of the cheapest heads, one or several, shape (rows, width + 1).
        own_least: as `shared_least`, shape (rows,).
    """

    shared_start: Ints
    shared_ticks: Ints
    shared_cost: Ints
    shared_least: Ints
    own_start: Ints
    own_ticks: Ints
    own_cost: Ints
    own_least: Ints


def wide_tables(types: Types, stages: Stages, space: FragmentSpace, most: int = WIDTH) -> WideTables:
    """The tables of a plan space, for at most so many fragments of a stage.

    Raises:
        InapplicableError: times do not fit into 64 bits.
    """
    layers, begins = stages.network.layers, np.unique(types.begin).tolist()
    total = int(types.counts.sum())
    width = min(most, total, space.max_members or total)
    rows = _Rows(stages, types, width, space.max_instances)
    shared = [rows.of(p, layers) if p >= begins[0] else rows.none() for p in range(layers)]
    heads = [[rows.of(begin, p) if p > begin else rows.none() for p in range(layers)] for begin in begins]
    sizes = np.array([[len(ticks) for ticks, _, _ in own] for own in heads], dtype=np.int64)
    ends = np.cumsum(sizes.ravel()).reshape(sizes.shape)
    own_cost = np.concatenate([cost for own in heads for _, cost, _ in own])
    divide_heads(own_cost)
    return WideTables(
        np.cumsum([0, *(len(ticks) for ticks, _, _ in shared)]).astype(np.int64),
        np.concatenate([ticks for ticks, _, _ in shared]),
        np.concatenate([cost for _, cost, _ in shared]),
        np.concatenate([least for _, _, least in shared]),
        np.concatenate((ends[:, :1] - sizes[:, :1], ends), axis=1),
        np.concatenate([ticks for own in heads for ticks, _, _ in own]),
        own_cost,
        np.concatenate([least for own in heads for _, _, least in own]),
    )


class _Rows:
    """Makes the rows of one range of layers after the other."""

    def __init__(self, stages: Stages, types: Types, width: int, max_instances: int | None) -> None:
        self._stages, self._width, self._max_instances = stages, width, max_instances
        self._per_tick = types.rate_rps / stages.ticks_per_s

    def none(self) -> tuple[Ints, Ints, Ints]:
        """The rows of a range that no stage runs."""
        return np.zeros(0, dtype=np.int64), np.zeros((0, self._width + 1), dtype=np.int64), np.zeros(0, dtype=np.int64)

    def of(self, first: int, end: int) -> tuple[Ints, Ints, Ints]:
        """Times at which some number of fragments is served at a smaller share, shares, and the least per fragment."""
        choices = self._stages.choices(first, end)
        if not len(choices.ticks):
            return self.none()
        above, below = self._per_tick.numerator, self._per_tick.denominator
        ticks, batch, share = (part.astype(object) for part in (choices.ticks, choices.batch, choices.share_pct))
        if int(ticks.max()) >= MOST_TICKS:
            raise InapplicableError("latencies and time budgets have too many digits for 64 bits")
        each = np.minimum.accumulate((UNIT * share * ticks * above) // (batch * below))
        load, room = ticks * above, batch * below
        if self._width * int(load.max()) < FITS and int(room.max()) < FITS:
            load, room = load.astype(np.int64), room.astype(np.int64)
        instances = -(-(load[:, None] * np.arange(self._width + 1)) // room[:, None])
        if int(each.max()) >= MOST_PCT * UNIT or int(instances.max()) * WHOLE_GPU_PCT >= MOST_PCT:
            raise InapplicableError("latencies or GPU shares have too many digits for 64 bits")
        instances = instances.astype(np.int64)
        cost = instances * (share.astype(np.int64) * UNIT)[:, None]
        if self._max_instances is not None:
            cost[instances > self._max_instances] = NEVER
        cost = np.minimum(np.minimum.accumulate(cost, axis=0), NEVER)
        # Of rows at one time the last has the least shares of all up to it.
        last = np.append(ticks[1:] != ticks[:-1], True).astype(bool)
        ticks, cost, each = ticks[last].astype(np.int64), cost[last], each[last].astype(np.int64)
        # A row at which nothing gets cheaper says what the one before it says.
        cheaper = (cost[1:] < cost[:-1]).any(axis=1) | (each[1:] < each[:-1])
        kept = np.append(True, cheaper)
        return ticks[kept], cost[kept], each[kept]
