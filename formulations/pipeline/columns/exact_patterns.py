"""Patterns in exact arithmetic: what columns serve with whole numbers of virtual GPUs, as fractions (ours)."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from euclio.pipeline import Cluster
from formulations.pipeline.columns.enumeration import Columns, Ints
from formulations.pipeline.columns.level import Setting


@dataclass(frozen=True, slots=True)
class ExactPattern:
    """A column with its numbers of virtual GPUs.

    Attributes:
        column: index of the column.
        count: virtual GPUs by position.
        served: requests per second.
    """

    column: int
    count: tuple[int, ...]
    served: Fraction


def exact_rates(cluster: Cluster, columns: Columns, column: int) -> list[Fraction]:
    """Requests per second of one virtual GPU by position, link limits included, of a column's partitions."""
    model, rates, first = cluster.models[int(columns.model[column])], [], 0
    for k in np.flatnonzero(columns.live[column]):
        gpu = cluster.gpus[int(columns.gpu[column, k])]
        share, batch, end = (int(entry[column, k]) for entry in (columns.share, columns.batch, columns.end))
        own = model.latency_s(gpu.name, share, first, end - 1, batch)
        assert own is not None
        ends = [model.transfer_s_per_request[cut - 1] for cut in (first, end) if 0 < cut < model.blocks]
        rates.append(min([batch / own, *(1 / (x * share * gpu.gpus_per_server) for x in ends if x)]))
        first = end
    return rates


def exact_patterns(setting: Setting, cluster: Cluster, near: Ints, gap: float) -> Iterator[ExactPattern]:
    """Patterns of some columns that may be part of a plan that loses no more than the gap, each once.

    A pattern serves what one of its partitions does on whole numbers of virtual GPUs, and has no more of the others
    than that takes. A column loses its excess on all that it serves.
    """
    columns, excess, slack = setting.columns, setting.relaxation.excess, setting.relaxation.slack
    for column in near.tolist():
        rates = exact_rates(cluster, columns, column)
        live = np.flatnonzero(columns.live[column])
        room = [int(setting.task.count[columns.gpu[column, k]] * columns.share[column, k]) for k in live]
        found = set()
        for rate, most in zip(rates, room, strict=True):
            for n in range(1, most + 1):
                served = n * rate
                if excess[column] * float(served) > gap + slack:
                    break
                count = tuple(math.ceil(served / own) for own in rates)
                if any(own > limit for own, limit in zip(count, room, strict=True)):
                    break
                if count not in found:
                    found.add(count)
                    yield ExactPattern(column, count, served)
