"""The exact knapsack of one model with pools, in which virtual GPUs of several pipelines may share a GPU.

A pool is a position and a GPU type of one model. Its GPUs are counted up to whole ones, so the free part of a GPU in
each pool matters next to the amounts of GPUs. Labels hold both (`labels`). Once no remaining pattern takes a part of a
pool's GPUs, the pool is closed. Its free part stays idle and counts as used, so labels differ in one number less. Pools
with few patterns are closed first.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from formulations.pipeline.columns.enumeration import Columns, Floats, Ints
from formulations.pipeline.columns.knapsack import Grid
from formulations.pipeline.columns.labels import (
    MOST_PAIRS,
    NOTHING_KNOWN,
    CompletionBounds,
    Extensions,
    Labels,
    Pass,
    Resources,
    Table,
    empty_label,
    extend,
    keep_best,
)
from formulations.pipeline.columns.node import Node
from formulations.pipeline.columns.patterns import Patterns
from formulations.pipeline.columns.problem import Deadline, TooManyError

MOST_PARTS = 2**40
"""Most parts of GPUs of a type, so that sums of several stay exact."""


@dataclass(frozen=True, slots=True)
class Usage:
    """The resources of a model's patterns.

    Attributes:
        amount: parts of each GPU type, shape (patterns, types).
        odd: parts of each pool in which some pattern takes a part of a GPU, shape (patterns, pools).
        pool: GPU type of each of those pools, shape (pools,).
    """

    amount: Ints
    odd: Ints
    pool: Ints


@dataclass(frozen=True, slots=True)
class PackedModel:
    """All labels of a model that may be part of the wanted plans.

    Attributes:
        model: its index.
        patterns: its patterns.
        labels: packings of them.
        whole: whole GPUs by label, shape (labels, types).
    """

    model: int
    patterns: Patterns
    labels: Labels
    whole: Ints

    def least_loss(self, node: Node, target: float) -> float:
        """Least loss on whole GPUs of a label that serves enough for the target; infinite if none does."""
        prices, alive = node.relaxation, self.labels.alive
        request = prices.model[self.model]
        served = self.labels.served[alive]
        loss = self.whole[alive] @ prices.gpu - served * request
        enough = served * request >= _need(node, self.model, target) - prices.slack
        return max(0.0, float(loss[enough].min()) - prices.slack) if enough.any() else float("inf")


def _need(node: Node, model: int, target: float) -> float:
    """Worth of the requests per second that a model must serve in a plan worth `target`."""
    return node.problem.least_served(model, target) * float(node.relaxation.model[model])


def units_of(node: Node, patterns: Patterns) -> Ints:
    """Parts of GPUs for counting patterns, by type: the least common multiples of their shares.

    Raises:
        TooManyError: numbers of parts are too large.
    """
    gpu, share = node.columns.gpu[patterns.column], node.columns.share[patterns.column]
    types = range(len(node.problem.count))
    units = [math.lcm(1, *np.unique(share[gpu == t]).tolist()) for t in types]
    if max(n * unit for n, unit in zip(node.problem.count.tolist(), units, strict=True)) > MOST_PARTS:
        raise TooManyError
    return np.array(units, dtype=np.int64)


def usage_of(columns: Columns, patterns: Patterns, unit: Ints) -> Usage:
    """The resources of one model's patterns.

    Args:
        columns: all columns.
        patterns: the patterns.
        unit: parts of a GPU by type; shares of the patterns are whole numbers of them.
    """
    gpu, share = columns.gpu[patterns.column], columns.share[patterns.column]
    parts = np.where(gpu >= 0, patterns.count * unit[gpu] // share, 0)
    amount = np.stack([np.where(gpu == t, parts, 0).sum(axis=1) for t in range(len(unit))], axis=1)
    pools = [(np.where(gpu[:, k] == t, parts[:, k], 0), t) for k in range(gpu.shape[1]) for t in range(len(unit))]
    odd = [(taken, t) for taken, t in pools if (taken % unit[t]).any()]
    empty = np.zeros((len(patterns), 0), dtype=np.int64)
    return Usage(amount, np.column_stack([empty, *(taken for taken, _ in odd)]), np.array([t for _, t in odd], int))


def completion_bounds(
    node: Node,
    model: int,
    grid: Grid,
    target: float,
    gap: float,
    *,
    part: float = 1.0,
    rest: Table | None = None,
    more: Table | None = None,
) -> CompletionBounds:
    """Bounds that decide which labels of a model may be part of a plan that exceeds the target.

    The worth of the model's GPUs exceeds that of its required requests by no more than the gap.

    Args:
        node: the instance.
        model: index of the model.
        grid: the parts of its GPUs.
        target: value that a plan has to exceed.
        gap: worth that a plan may lose.
        part: part of the gap that a label may lose.
        rest: by whole GPUs, the greatest worth of GPUs that the other models leave; None if nothing is known.
        more: by parts of GPUs in use, the most requests per second that can still be added; None if nothing is known.

    Returns:
        The bounds, with the relaxation's slack in favour of plans.
    """
    prices = node.relaxation
    need = _need(node, model, target)
    return CompletionBounds(
        part=prices.gpu / grid.unit,
        request=float(prices.model[model]),
        gap=part * gap + prices.slack,
        most=need + gap + prices.slack,
        need=need - prices.slack,
        rest=rest or NOTHING_KNOWN,
        more=more or NOTHING_KNOWN,
    )


def pack_model(node: Node, model: int, patterns: Patterns, grid: Grid, bounds: CompletionBounds) -> PackedModel:
    """Pack the patterns of a model in all ways within the bounds.

    Exactly one pattern of each column with assigned GPUs is packed first.

    Raises:
        TooManyError: there are too many labels.
        OutOfTimeError: the deadline has passed.
    """
    usage = usage_of(node.columns, patterns, grid.unit)
    packing = _PoolPacking(grid, usage, patterns.served, node.sequences(patterns), bounds, node.deadline)
    required = node.required(model, patterns)
    for rows in required:
        packing.add_one_of(rows)
    packing.add_any(np.setdiff1d(np.arange(len(patterns)), np.concatenate([np.zeros(0, np.int64), *required])))
    labels = packing.found()
    node.progress.count("pool_states", len(labels.served))
    node.progress.count("pairs", packing.pairs)
    return PackedModel(model, patterns, labels, _whole_gpus(labels, usage, grid))


def _whole_gpus(labels: Labels, usage: Usage, grid: Grid) -> Ints:
    """GPUs of each type by label, every pool counted up."""
    types = len(grid.unit)
    amount, odd = labels.taken[:, :types], labels.taken[:, types:]
    idle = -odd % grid.unit[usage.pool]
    filled = [amount[:, t] + idle[:, usage.pool == t].sum(axis=1) for t in range(types)]
    return np.stack(filled, axis=-1) // grid.unit


class _PoolPacking:
    """Labels of a model during the addition of patterns.

    Attributes:
        pairs: tried pairs of label and pattern.
    """

    def __init__(
        self,
        grid: Grid,
        usage: Usage,
        served: Floats,
        sequence: Ints | None,
        bounds: CompletionBounds,
        deadline: Deadline,
    ) -> None:
        self._usage, self._served, self._sequence = usage, served, sequence
        self._taken = np.hstack([usage.amount, usage.odd])
        self._unit, self._bounds, self._deadline = grid.unit, bounds, deadline
        self._resources = Resources(grid.unit, np.array(grid.shape) - 1, usage.pool)
        self._labels, self._size, self.pairs = empty_label(self._resources), 1, 0

    def add_one_of(self, rows: Ints) -> None:
        """Pack exactly one of the patterns in `rows` on top of every label."""
        before = self._labels.alive
        # Labels without one of these patterns are dropped.
        keep_best(self._labels, before[:0])
        self._extend(before, self._useful(rows, None), self._bounds, repeated=False)

    def add_any(self, rows: Ints) -> None:
        """Pack any number of the patterns in `rows` or, with sequences, at most one of each sequence."""
        useful = self._useful(rows, self._sequence)
        later = useful
        for group, closed in self._groups(useful):
            # The remaining patterns give the least loss of all that is still to be added.
            bounds = self._bounds.with_only(self._usage.amount[later], self._served[later])
            later = later[~np.isin(later, group)]
            if len(group):
                self._extend(self._labels.alive, group, bounds, repeated=self._sequence is None)
            if closed is not None:
                self._close(closed)

    def found(self) -> Labels:
        """All labels, without the hash table and room for more."""
        rows = slice(self._size)
        trimmed = {name: getattr(self._labels, name)[rows] for name in Labels._fields if name != "place"}
        return self._labels._replace(**trimmed)

    def _extend(self, sources: Ints, group: Ints, bounds: CompletionBounds, *, repeated: bool) -> None:
        """Extend labels by every pattern of a group.

        Args:
            sources: the labels to extend.
            group: the patterns, by rising loss.
            bounds: the bounds on completions.
            repeated: whether to extend new labels as well.

        Raises:
            TooManyError: there are too many pairs of label and pattern, or too many labels.
            OutOfTimeError: the deadline has passed.
        """
        served, lost = self._served[group], bounds.losses(self._usage.amount[group], self._served[group])
        extensions = Extensions(group, self._taken[group], served, lost, repeated)
        most = MOST_PAIRS - self.pairs
        work = Pass(sources, self._size, extensions, self._resources, bounds, most, self._deadline.at)
        self._labels, self._size, tried = extend(self._labels, self._size, work)
        self._deadline.check()
        self.pairs += tried
        if tried > most:
            raise TooManyError

    def _close(self, pool: int) -> None:
        """The free part of a pool's GPU stays idle, so count it as used."""
        taken, served, alive = self._labels.taken, self._labels.served, self._labels.alive
        types, t = len(self._unit), self._usage.pool[pool]
        taken[alive, t] += -taken[alive, types + pool] % self._unit[t]
        taken[alive, types + pool] = 0
        amount = np.ascontiguousarray(taken[alive, :types])
        keep_best(self._labels, alive[self._bounds.may_complete(amount, served[alive])])

    def _groups(self, useful: Ints) -> Iterator[tuple[Ints, int | None]]:
        """Groups of patterns in the order of packing, and the pool to close after each group; None if there is none.

        With sequences, a group has all patterns of a sequence, since only one of them is packed.
        """
        sequence, odd = self._sequence, self._usage.odd[useful]
        touches = odd % self._unit[self._usage.pool] != 0
        order = np.argsort(touches.sum(axis=0), kind="stable")
        first = np.argmax(np.column_stack([touches[:, order], np.ones(len(useful), dtype=bool)]), axis=1)
        of = np.arange(len(useful)) if sequence is None else np.unique(sequence[useful], return_inverse=True)[1]
        earliest = np.full(len(useful), len(order))
        # Patterns of a sequence are in one group, that of their first pool to close.
        np.minimum.at(earliest, of, first)
        for place in range(len(order) + 1):
            members = useful[earliest[of] == place]
            own = None if sequence is None else sequence[members]
            parts = [members] if own is None else [members[own == s] for s in np.unique(own)]
            yield from ((part, None) for part in parts)
            if place < len(order):
                yield members[:0], int(order[place])

    def _useful(self, rows: Ints, sequence: Ints | None) -> Ints:
        """The patterns in `rows` that may be part of the wanted plans, by rising loss.

        Among patterns with equal amounts of every type and pool (and of one sequence, with sequences) only the one that
        serves most stays.
        """
        amount, served, bounds = self._usage.amount, self._served, self._bounds
        possible = rows[(amount[rows] <= self._resources.limit).all(axis=1)]
        possible = possible[bounds.may_complete(amount[possible], served[possible])]
        group = np.zeros(len(possible), dtype=np.int64) if sequence is None else sequence[possible]
        kind = np.column_stack([group, amount[possible], self._usage.odd[possible]])
        rank = np.lexsort((-served[possible], *kind.T))
        ranked, kind = possible[rank], kind[rank]
        first = np.ones(len(ranked), dtype=bool)
        first[1:] = (kind[1:] != kind[:-1]).any(axis=1)
        best = ranked[first]
        return np.asarray(best[np.argsort(bounds.losses(amount[best], served[best]), kind="stable")])
