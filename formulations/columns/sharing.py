"""Packing patterns of one model with pools: virtual GPUs of several pipelines may share a GPU of their pool.

A pool is a position and a GPU type; its GPUs are counted up to whole ones. So besides the amounts of GPUs, it matters
what part of a GPU every pool leaves free. Only those states are kept from which the target can still be reached.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Protocol

import numpy as np

from formulations.columns.enumeration import Columns, Floats, Ints
from formulations.columns.packing import Grid
from formulations.columns.patterns import Patterns
from formulations.columns.task import Deadline

MOST_STATES = 400_000
MOST_AT_ONCE = 400_000
"""Pairs of state and pattern to look at together."""


MOST_PAIRS = 10**7
"""Pairs to look at altogether, some seconds."""


class TooManyError(Exception):
    """More states than fit, or too many ways to reach them."""


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


class Reach(Protocol):
    """Which states may lead to the target."""

    def losses(self, amount: Ints, served: Floats) -> Floats:
        """What these parts of GPUs lose for the requests per second that they serve."""

    def adding(self, amount: Ints, served: Floats) -> Reach:
        """The same where no other patterns can be added than those that use and serve this."""

    @property
    def gap(self) -> float:
        """What a state may lose."""

    def hopeful(self, amount: Ints, served: Floats) -> np.ndarray:
        """Whether the target can be reached from these parts of GPUs."""

    def allows(self, whole: Ints, amount: Ints, served: Floats) -> np.ndarray:
        """Whether these whole GPUs may be used for these parts."""


@dataclass(slots=True)
class States:
    """Ways to pack, in the order found; `alive` are the best of their kind, `tried` counts all that were looked at."""

    amount: Ints
    odd: Ints
    served: Floats
    parent: Ints
    pattern: Ints
    alive: Ints
    keys: Ints = field(default_factory=lambda: np.zeros(1, dtype=np.int64))
    tried: int = 0

    def patterns_of(self, state: int) -> list[int]:
        """The patterns packed."""
        found = []
        while state:
            found.append(int(self.pattern[state]))
            state = int(self.parent[state])
        return found


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


def pack_pools(
    grid: Grid,
    usage: Usage,
    served: Floats,
    reach: Reach,
    stage: Ints | None,
    deadline: Deadline,
    required: Sequence[Ints] = (),
) -> States:
    """Pack patterns of one model in all ways that may lead to the target.

    Args:
        grid: parts of GPUs.
        usage: what the patterns take.
        served: requests per second by pattern.
        reach: what a state has to hold.
        stage: group of each pattern of which only one may be packed; None: any number of any pattern.
        deadline: when to stop.
        required: groups of patterns of each of which exactly one is packed, in none of the ways above.

    Raises:
        TooManyError: there are too many states.
        OutOfTimeError: the deadline has passed.
    """
    nothing = np.zeros((1, len(grid.unit)), np.int64)
    states = States(
        nothing, np.zeros((1, len(usage.gpu)), np.int64), np.zeros(1), np.zeros(1, np.int64), np.zeros(1, np.int64),
        np.zeros(1, np.int64),
    )  # fmt: skip
    for rows in required:
        before, states.alive, states.keys = states.alive, states.alive[:0], states.keys[:0]
        group = _useful(grid, usage, served, reach, None, rows)
        _extend(states, before, group, grid, usage, served, reach, deadline)
    rows = np.setdiff1d(np.arange(len(served)), np.concatenate([np.zeros(0, np.int64), *required]))
    useful = _useful(grid, usage, served, reach, stage, rows)
    later = useful
    for group, closed in _groups(grid, usage, useful, stage):
        rest = reach.adding(usage.amount[later], served[later])
        later = later[~np.isin(later, group)]
        new = states.alive if len(group) else states.alive[:0]
        while len(new):
            old = len(states.served)
            _extend(states, new, group, grid, usage, served, rest, deadline)
            new = states.alive[states.alive >= old] if stage is None else new[:0]
        if closed is not None:
            _close(states, closed, grid, usage, reach)
    return states


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


def _close(states: States, pool: int, grid: Grid, usage: Usage, reach: Reach) -> None:
    """What a pool leaves free of a GPU stays idle: count it as used."""
    alive, t = states.alive, usage.gpu[pool]
    states.amount[alive, t] += -states.odd[alive, pool] % grid.unit[t]
    states.odd[alive, pool] = 0
    alive = alive[reach.hopeful(states.amount[alive], states.served[alive])]
    key = _keys(states.amount[alive], states.odd[alive], grid, grid.unit[usage.gpu])
    best = _best(key, states.served[alive])
    states.alive, states.keys = alive[best], key[best]


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


def _extend(
    states: States,
    new: Ints,
    group: Ints,
    grid: Grid,
    usage: Usage,
    served: Floats,
    reach: Reach,
    deadline: Deadline,
) -> None:
    """Add every pattern of a group to every new state, and keep the best of each kind."""
    unit, limit = grid.unit, np.array(grid.shape) - 1
    lost = reach.losses(usage.amount[group], served[group])
    room = reach.gap - reach.losses(states.amount[new], states.served[new])
    pairs = np.searchsorted(lost, room, side="right")
    states.tried += int(pairs.sum())
    if states.tried > MOST_PAIRS:
        raise TooManyError
    block = np.cumsum(pairs) // MOST_AT_ONCE
    for start, end in pairwise([*np.searchsorted(block, np.unique(block)), len(new)]):
        deadline.check()
        some, many = new[start:end], pairs[start:end]
        parent = np.repeat(some, many)
        pattern = group[np.arange(len(parent)) - np.repeat(np.cumsum(many) - many, many)]
        amount = states.amount[parent] + usage.amount[pattern]
        rate = states.served[parent] + served[pattern]
        fits = np.flatnonzero((amount <= limit).all(axis=1))
        fits = fits[reach.hopeful(amount[fits], rate[fits])]
        amount, parent, pattern, rate = amount[fits], parent[fits], pattern[fits], rate[fits]
        odd = (states.odd[parent] + usage.odd[pattern]) % unit[usage.gpu]
        whole = whole_gpus(amount, odd, usage.gpu, unit)
        fits = np.flatnonzero((whole * unit <= limit).all(axis=1))
        good = fits[reach.allows(whole[fits], amount[fits], rate[fits])]
        _add(states, amount[good], odd[good], rate[good], parent[good], pattern[good], grid, unit[usage.gpu])


def _add(
    states: States, amount: Ints, odd: Ints, served: Floats, parent: Ints, pattern: Ints, grid: Grid, units: Ints
) -> None:
    """Add states, keep those alive that serve most for their amount and pools."""
    key = _keys(amount, odd, grid, units)
    known, place = states.keys, len(states.served)
    every = np.concatenate([known, key])
    rate = np.concatenate([states.served[states.alive], served])
    best = _best(every, rate)
    fresh = best[best >= len(known)] - len(known)
    identity = np.full(len(served), -1)
    identity[fresh] = place + np.arange(len(fresh))
    names = np.concatenate([states.alive, identity])
    states.alive, states.keys = names[best], every[best]
    states.amount = np.concatenate([states.amount, amount[fresh]])
    states.odd = np.concatenate([states.odd, odd[fresh]])
    states.served = np.concatenate([states.served, served[fresh]])
    states.parent = np.concatenate([states.parent, parent[fresh]])
    states.pattern = np.concatenate([states.pattern, pattern[fresh]])
    if len(states.served) > MOST_STATES:
        raise TooManyError


def _keys(amount: Ints, odd: Ints, grid: Grid, units: Ints) -> Ints:
    """A number for every amount and what is taken of the pools."""
    key = amount @ grid.strides
    for k, size in enumerate(units):
        key = key * size + odd[:, k]
    return np.asarray(key)


def _best(key: Ints, served: Floats) -> Ints:
    """Those that serve most of each key."""
    order = np.lexsort((-served, key))
    first = np.ones(len(order), dtype=bool)
    first[1:] = key[order][1:] != key[order][:-1]
    return np.asarray(order[first])
