"""Packing patterns of one model with pools: virtual GPUs of several pipelines may share a GPU of their pool.

A pool is a position and a GPU type; its GPUs are counted up to whole ones. So besides the amounts of GPUs, it matters
what part of a GPU every pool leaves free. Only those states are kept from which the target can still be reached.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from formulations.pipeline.columns.enumeration import Columns, Floats, Ints
from formulations.pipeline.columns.packing import Grid
from formulations.pipeline.columns.patterns import Patterns
from formulations.pipeline.columns.reach import Reach
from formulations.pipeline.columns.states import MOST_PAIRS, Kinds, Patterned, States, kept, nothing_packed, packed
from formulations.pipeline.columns.task import Deadline, TooManyError


@dataclass(frozen=True, slots=True)
class Usage:
    """What patterns take of every pool.

    Attributes:
        amount: parts of each GPU type, shape (patterns, types).
        odd: parts taken of each pool that is not always used by whole GPUs, shape (patterns, pools).
        gpu: GPU type of these pools.
    """

    amount: Ints
    odd: Ints
    gpu: Ints


def usage_of(columns: Columns, patterns: Patterns, unit: Ints) -> Usage:
    """What patterns take of the pools of their model."""
    gpu, share = columns.gpu[patterns.column], columns.share[patterns.column]
    parts = np.where(gpu >= 0, patterns.count * unit[gpu] // share, 0)
    amount = np.stack([np.where(gpu == t, parts, 0).sum(axis=1) for t in range(len(unit))], axis=1)
    pools = [(np.where(gpu[:, k] == t, parts[:, k], 0), t) for k in range(gpu.shape[1]) for t in range(len(unit))]
    odd = [(taken, t) for taken, t in pools if (taken % unit[t]).any()]
    empty = np.zeros((len(patterns), 0), dtype=np.int64)
    return Usage(amount, np.column_stack([empty, *(taken for taken, _ in odd)]), np.array([t for _, t in odd], int))


def whole_gpus(amount: Ints, odd: Ints, gpu: Ints, unit: Ints) -> Ints:
    """GPUs of each type, every pool counted up."""
    slack = -odd % unit[gpu]
    filled = [amount[..., t] + slack[..., gpu == t].sum(axis=-1) for t in range(len(unit))]
    return np.stack(filled, axis=-1) // unit


class _Packing:
    """States of a model as patterns are added."""

    def __init__(self, grid: Grid, usage: Usage, served: Floats, deadline: Deadline) -> None:
        self._kinds = Kinds(grid.unit, np.array(grid.shape) - 1, usage.gpu)
        self._patterns = Patterned(usage.amount, usage.odd, served)
        self._deadline = deadline
        self._size, self._tried = 1, 0
        self.states = nothing_packed(self._kinds)

    def add(self, states: Ints, group: Ints, reach: Reach, *, again: bool) -> None:
        """Add every pattern of a group to these states and, if asked for, to those found: the best of each kind."""
        amount, _, served = self._patterns
        lost, most = reach.losses(amount[group], served[group]), MOST_PAIRS - self._tried
        self.states, self._size, tried = packed(
            self.states,
            self._size,
            states,
            again,
            self._patterns,
            group,
            lost,
            self._kinds,
            reach,
            (most, self._deadline.at),
        )
        self._deadline.check()
        self._tried += tried
        if tried > most:
            raise TooManyError

    def close(self, pool: int, reach: Reach) -> None:
        """What a pool leaves free of a GPU stays idle: count it as used."""
        amount, odd, alive, t = self.states.amount, self.states.odd, self.states.alive, self._kinds.pool[pool]
        amount[alive, t] += -odd[alive, pool] % self._kinds.unit[t]
        odd[alive, pool] = 0
        kept(self.states, alive[reach.hopeful(amount[alive], self.states.served[alive])])

    def found(self) -> tuple[States, int]:
        """All states, and the pairs of state and pattern that were tried."""
        rows = slice(self._size)
        trimmed = {name: getattr(self.states, name)[rows] for name in States._fields if name != "place"}
        return self.states._replace(**trimmed), self._tried


def pack_pools(
    grid: Grid,
    usage: Usage,
    served: Floats,
    reach: Reach,
    stage: Ints | None,
    deadline: Deadline,
    required: Sequence[Ints] = (),
) -> tuple[States, int]:
    """Pack patterns of one model in all ways that may lead to the target.

    Args:
        grid: parts of GPUs.
        usage: what the patterns take.
        served: requests per second by pattern.
        reach: what a state has to hold.
        stage: group of each pattern of which only one may be packed; None: any number of any pattern.
        deadline: when to stop.
        required: groups of patterns of each of which exactly one is packed, in none of the ways above.

    Returns:
        The states, and the pairs of state and pattern that were tried.

    Raises:
        TooManyError: there are too many states.
        OutOfTimeError: the deadline has passed.
    """
    packing = _Packing(grid, usage, served, deadline)
    for rows in required:
        before = packing.states.alive
        kept(packing.states, before[:0])
        packing.add(before, _useful(grid, usage, served, reach, None, rows), reach, again=False)
    rows = np.setdiff1d(np.arange(len(served)), np.concatenate([np.zeros(0, np.int64), *required]))
    useful = _useful(grid, usage, served, reach, stage, rows)
    later = useful
    for group, closed in _groups(grid, usage, useful, stage):
        rest = reach.adding(usage.amount[later], served[later])
        later = later[~np.isin(later, group)]
        if len(group):
            packing.add(packing.states.alive, group, rest, again=stage is None)
        if closed is not None:
            packing.close(closed, reach)
    return packing.found()


def _groups(grid: Grid, usage: Usage, useful: Ints, stage: Ints | None) -> Iterator[tuple[Ints, int | None]]:
    """Patterns to pack one group after the other, and the pool that none of the later groups takes parts of a GPU of.

    Pools that few patterns use come first.
    """
    touches = usage.odd[useful] % grid.unit[usage.gpu] != 0
    order = np.argsort(touches.sum(axis=0), kind="stable")
    first = np.argmax(np.column_stack([touches[:, order], np.ones(len(useful), dtype=bool)]), axis=1)
    stages = np.arange(len(useful)) if stage is None else np.unique(stage[useful], return_inverse=True)[1]
    earliest = np.full(len(useful), len(order))
    np.minimum.at(earliest, stages, first)
    for place in range(len(order) + 1):
        members = useful[earliest[stages] == place]
        parts = [members] if stage is None else [members[stage[members] == s] for s in np.unique(stage[members])]
        yield from ((part, None) for part in parts)
        if place < len(order):
            yield members[:0], int(order[place])


def _useful(grid: Grid, usage: Usage, served: Floats, reach: Reach, stage: Ints | None, rows: Ints) -> Ints:
    """Patterns among these that may be part of what is sought, by loss: the best that take the same of every pool."""
    hopeful = rows[(usage.amount[rows] < np.array(grid.shape)).all(axis=1)]
    hopeful = hopeful[reach.hopeful(usage.amount[hopeful], served[hopeful])]
    order = np.zeros(len(hopeful), dtype=np.int64) if stage is None else stage[hopeful]
    kind = np.column_stack([order, usage.amount[hopeful], usage.odd[hopeful]])
    rank = np.lexsort((-served[hopeful], *kind.T))
    ranked, kind = hopeful[rank], kind[rank]
    first = np.ones(len(ranked), dtype=bool)
    first[1:] = (kind[1:] != kind[:-1]).any(axis=1)
    best = ranked[first]
    return np.asarray(best[np.argsort(reach.losses(usage.amount[best], served[best]), kind="stable")])
