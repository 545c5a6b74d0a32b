"""Every pipeline that keeps its SLO, as a column (docs/model/pipelines.md).

A column is a model cut into partitions, with GPU type, share and batch size of each (PPipe §3). Its numbers of virtual
GPUs are open: on g_k of them partition k serves g_k · rate_k requests per second, and the column the least of its
partitions. Latencies are floats. If they are so close to the SLO that rounding could decide, fractions do.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from euclio.core.errors import InapplicableError
from euclio.core.words import plain
from euclio.problems.pipeline import BlockProfile, Cluster, Model, PipelineSpace

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]

MOST_COMBINATIONS = 2 * 10**8
"""Most combinations of cuts, GPU types, shares and batch sizes; about 20 s."""
MOST_COLUMNS = 4 * 10**6
"""Most pipelines; about 2 GB."""
LARGEST = 2**62
"""Whole numbers that arrays hold stay below this."""
DOUBTFUL = 1e-9
"""Relative distance from the SLO within which floating point does not decide."""


@dataclass(frozen=True, slots=True)
class Columns:
    """Feasible pipelines without their numbers of virtual GPUs.

    Attributes:
        model: index of the model, shape (columns,).
        gpu: index of the GPU type by position, -1 where there is no partition, shape (columns, positions).
        share: v by position, 1 where there is no partition.
        rate: requests per second of one virtual GPU by position, link limits included; infinite where there is no
            partition.
        batch: batch size by position.
        end: first block after the partition by position.
        sequence: a number for the model and its sequence of GPU types.
    """

    model: Ints
    gpu: Ints
    share: Ints
    rate: Floats
    batch: Ints
    end: Ints
    sequence: Ints

    def __len__(self) -> int:
        """Number of columns."""
        return len(self.model)

    def take(self, chosen: Ints | NDArray[np.bool_]) -> Columns:
        """The columns at the given indices, or those that a mask chooses, in that order."""
        return Columns(
            self.model[chosen],
            self.gpu[chosen],
            self.share[chosen],
            self.rate[chosen],
            self.batch[chosen],
            self.end[chosen],
            self.sequence[chosen],
        )

    @property
    def live(self) -> NDArray[np.bool_]:
        """Whether there is a partition, by column and position."""
        return self.gpu >= 0


@dataclass(frozen=True, slots=True)
class _Choice:
    """A virtual GPU and a batch size that a partition may have.

    Attributes:
        gpu: index of the GPU type.
        name: its name.
        share: v, each virtual GPU being the v-th part of a GPU.
        batch: batch size.
        latency: seconds of blocks i to j (exclusive) at [i, j]; infinite if the batch was not measured for all of them.
        sharing: virtual GPUs that share the links of a server.
        budget: seconds allowed for a pipeline that begins with this batch.
    """

    gpu: int
    name: str
    share: int
    batch: int
    latency: Floats
    sharing: int
    budget: float


def enumerate_columns(cluster: Cluster, space: PipelineSpace) -> Columns:
    """Every feasible pipeline of every model.

    Args:
        cluster: the instance.
        space: plan space.

    Returns:
        The columns, model by model; a model without any has no pipeline that keeps its SLO.

    Raises:
        InapplicableError: there are too many.
    """
    most = space.most_partitions(cluster)
    unified = space.unifies_batch(cluster)
    choices = [_choices(cluster, model, space, unified) for model in cluster.models]
    _refuse_too_many(cluster, choices, most)
    parts: list[Columns] = []
    found = 0
    for i, model in enumerate(cluster.models):
        for together in choices[i]:
            for length in range(1, min(most, model.blocks) + 1):
                for part in _of_length(model, i, together, length, most, space):
                    parts.append(part)
                    found += len(part)
                    if found > MOST_COLUMNS:
                        raise InapplicableError(
                            f"more than {MOST_COLUMNS:,} pipelines keep the SLO; allow fewer partitions or shares"
                        )
    if not parts:
        wide, narrow = np.zeros((0, most), np.int64), np.zeros(0, np.int64)
        return Columns(narrow, wide, wide, wide.astype(np.float64), wide, wide, narrow)
    columns = Columns(*(np.concatenate([getattr(part, name) for part in parts]) for name in Columns.__slots__))
    return replace(columns, sequence=_sequences(columns, len(cluster.gpus) + 1))


def _sequences(columns: Columns, base: int) -> Ints:
    """A number for the model and the GPU types of each column."""
    most = columns.gpu.shape[1]
    if (int(columns.model.max()) + 1) * base**most < LARGEST:
        return np.asarray(columns.model * base**most + (columns.gpu + 1) @ base ** np.arange(most))
    rows = np.column_stack([columns.model, columns.gpu])
    return np.asarray(np.unique(rows, axis=0, return_inverse=True)[1]).reshape(-1)


def _choices(cluster: Cluster, model: Model, space: PipelineSpace, unified: bool) -> list[list[_Choice]]:
    """The choices for the partitions of a pipeline: one list per batch size, or one for all."""
    index = {gpu.name: i for i, gpu in enumerate(cluster.gpus)}
    by_batch: dict[int, list[_Choice]] = {}
    budgets: dict[int, float] = {}
    for profile in model.profiles:
        if profile.share != 1 and not space.virtual_gpus:
            continue
        gpu = cluster.gpu(profile.gpu)
        sharing = profile.share * gpu.gpus_per_server
        for batch, latency in enumerate(_latency_tables(profile), start=1):
            if batch not in budgets:
                budgets[batch] = float(_budget(model, batch, space))
            choice = _Choice(index[gpu.name], gpu.name, profile.share, batch, latency, sharing, budgets[batch])
            by_batch.setdefault(batch, []).append(choice)
    if unified or not by_batch:
        return list(by_batch.values())
    return [list(itertools.chain.from_iterable(by_batch.values()))]


def _latency_tables(profile: BlockProfile) -> Floats:
    """Latency by batch size of blocks i to j (exclusive), shape (batches, blocks + 1, blocks + 1); infinite if unknown.

    Only the blocks of a partition need measurements. Each sum is added up by itself, since differences of sums from the
    first block on would lose small terms next to large ones.
    """
    rows, most = profile.latency_s, max(len(row) for row in profile.latency_s)
    each = np.array([[float(row[b]) if b < len(row) else math.inf for row in rows] for b in range(most)])
    tables = np.zeros((most, len(rows) + 1, len(rows) + 1))
    upper = np.triu(np.ones((len(rows), len(rows)), dtype=bool))
    tables[:, :-1, 1:] = np.cumsum(np.where(upper, each[:, None, :], 0.0), axis=2)
    return tables


def _refuse_too_many(cluster: Cluster, choices: list[list[list[_Choice]]], most: int) -> None:
    """Count the combinations before the enumeration."""
    total = sum(
        math.comb(model.blocks - 1, length - 1) * len(together) ** length
        for model, own in zip(cluster.models, choices, strict=True)
        for together in own
        for length in range(1, min(most, model.blocks) + 1)
    )
    if total > MOST_COMBINATIONS:
        raise InapplicableError(
            f"{plain(total, 3, ',')} pipelines would have to be enumerated, {MOST_COMBINATIONS:,} are the most; "
            "allow fewer partitions, group the layers into fewer blocks, or unify batch sizes"
        )


@dataclass(frozen=True, slots=True)
class _Length:
    """All pipelines of one model with one number of partitions.

    Attributes:
        model: index of the model.
        choices: the choices for a partition.
        edges: first block of each partition and the end of the last, shape (cuts, partitions + 1).
        rates: requests per second of a virtual GPU by partition, each of shape (choices, cuts).
        most: most partitions of any pipeline, which is the number of positions of a column.
    """

    model: int
    choices: list[_Choice]
    edges: Ints
    rates: list[Floats]
    most: int

    def columns(self, chosen: list[Ints], cut: Ints) -> Columns:
        """The columns of some pipelines.

        Args:
            chosen: for each partition the index of its choice by pipeline, each of shape (pipelines,).
            cut: index of the cuts by pipeline, shape (pipelines,).
        """
        size = len(cut)
        gpu, share = np.full((size, self.most), -1, np.int64), np.ones((size, self.most), np.int64)
        batch, end = np.ones((size, self.most), np.int64), np.zeros((size, self.most), np.int64)
        rate = np.full((size, self.most), np.inf)
        table = np.array([(choice.gpu, choice.share, choice.batch) for choice in self.choices])
        for k, own in enumerate(chosen):
            gpu[:, k], share[:, k], batch[:, k] = table[own].T
            end[:, k] = self.edges[cut, k + 1]
            rate[:, k] = self.rates[k][own, cut]
        model = np.full(size, self.model)
        return Columns(model, gpu, share, rate, batch, end, model)


def _of_length(
    model: Model, index: int, choices: list[_Choice], length: int, most: int, space: PipelineSpace
) -> Iterator[Columns]:
    """Feasible pipelines of this many partitions.

    It enumerates the choices of all partitions except the last two one by one, and those of the last two, and all cuts,
    at once.
    """
    cuts = np.array(list(itertools.combinations(range(1, model.blocks), length - 1)), dtype=np.int64)
    cuts = cuts.reshape(-1 if length > 1 else 1, length - 1)
    edges = np.hstack([np.zeros((len(cuts), 1), np.int64), cuts, np.full((len(cuts), 1), model.blocks)])
    transfer = np.array([float(x) for x in model.transfer_s_per_request])[cuts - 1]
    own = [_latencies(choices, edges[:, k], edges[:, k + 1]) for k in range(length)]
    rates = [_rates(choices, own[k], transfer, k) for k in range(length)]
    every = _Length(index, choices, edges, rates, most)
    batches = np.array([choice.batch for choice in choices])
    budgets = np.array([choice.budget for choice in choices])
    together = min(2, length)
    for head in itertools.product(range(len(choices)), repeat=length - together):
        fixed = sum((own[k][o] + transfer[:, k] * batches[o] for k, o in enumerate(head)), np.zeros(len(cuts)))
        latency = fixed + own[-1] if together == 1 else _pairs(fixed, own, transfer, batches)
        room = _room(budgets, head, together) - latency
        close = DOUBTFUL * max(0.0, float(budgets.max()))
        chosen = np.nonzero(room >= -close)
        tails = [np.full(len(chosen[0]), o) for o in head] + list(chosen[:-1])
        cut = chosen[-1]
        column = every.columns(tails, cut)
        # Clearly late pipelines were left out; fractions decide on those close to the SLO.
        doubtful = np.flatnonzero(room[chosen] <= close)
        if len(doubtful):
            keeps = np.ones(len(column), dtype=bool)
            keeps[doubtful] = [_keeps_slo(model, choices, column, int(i), space) for i in doubtful]
            column = column.take(keeps)
        if len(column):
            yield column


def _latencies(choices: list[_Choice], first: Ints, end: Ints) -> Floats:
    """Seconds that a partition takes for a batch, shape (choices, cuts); infinite if a block was not measured for it.

    Args:
        choices: virtual GPUs and batch sizes to choose from.
        first: first block of the partition by cut, shape (cuts,).
        end: first block after it by cut, shape (cuts,).
    """
    return np.stack([choice.latency[first, end] for choice in choices])


def _rates(choices: list[_Choice], own: Floats, transfer: Floats, position: int) -> Floats:
    """Requests per second of one virtual GPU of a partition, limits of its links included, shape (choices, cuts).

    Args:
        choices: virtual GPUs and batch sizes to choose from.
        own: seconds of the partition for a batch, shape (choices, cuts).
        transfer: seconds per request of each link between partitions, shape (cuts, partitions − 1).
        position: number of the partition.
    """
    batch = np.array([[choice.batch] for choice in choices])
    sharing = np.array([[choice.sharing] for choice in choices])
    rate = batch / own
    for link in range(max(0, position - 1), min(position + 1, transfer.shape[1])):
        with np.errstate(divide="ignore"):
            rate = np.minimum(rate, 1 / (transfer[:, link] * sharing))
    return rate


def _pairs(fixed: Floats, own: list[Floats], transfer: Floats, batches: Ints) -> Floats:
    """Latencies in seconds by the choices of the last two positions and by cut, shape (choices, choices, cuts)."""
    before = fixed + own[-2] + transfer[:, -1] * batches[:, None]
    return np.asarray(before[:, None, :] + own[-1][None, :, :])


def _room(budgets: Floats, head: tuple[int, ...], together: int) -> Floats:
    """Budgets, which depend on the first partition's batch, in the shape of the latencies."""
    if head:
        budgets = budgets[[head[0]]]
    return np.reshape(budgets, (-1,) + (1,) * together)


def _budget(model: Model, batch: int, space: PipelineSpace) -> Fraction:
    """Seconds allowed for a pipeline that begins with this batch: the SLO without margin and batch-build delay."""
    delay = model.batch_build.delay_s(batch) if space.batch_build and model.batch_build is not None else 0
    return model.budget_s - delay


def _keeps_slo(model: Model, choices: list[_Choice], columns: Columns, i: int, space: PipelineSpace) -> bool:
    """Whether a column keeps the SLO, in exact arithmetic."""
    names = {choice.gpu: choice.name for choice in choices}
    latency, first = Fraction(0), 0
    for k in np.flatnonzero(columns.gpu[i] >= 0):
        end, batch = int(columns.end[i, k]), int(columns.batch[i, k])
        own = model.latency_s(names[int(columns.gpu[i, k])], int(columns.share[i, k]), first, end - 1, batch)
        assert own is not None
        latency += own + (model.transfer_s_per_request[end - 1] * batch if end < model.blocks else 0)
        first = end
    return latency <= _budget(model, int(columns.batch[i, 0]), space)
