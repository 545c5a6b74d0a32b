"""Queues of requests that wait to be batched (compiled)."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from euclio.core.compiled import compiled
from euclio.serving.pipeline.system import System
from euclio.serving.requests import DROPPED
from euclio.serving.units import Ints


class Queues(NamedTuple):
    """One queue per model, then one per pool that is not first in its pipeline (used where pools batch by themselves).

    Attributes:
        base: where each queue begins in `item`, shape (queues,), like the next ones.
        first: its oldest pending entry, from 0.
        last: one past its youngest.
        wanted: pending requests at which its scheduler looks again.
        timer: when it looks again otherwise.
        waited: the oldest request with which its scheduler has waited for others; -1: none.
        item: requests, queue by queue.
        model_of: model of each queue.
        model: model of each request, shape (requests,).
        arrival: arrival of each request in nanoseconds, model by model, shape (requests,).
        outcome: PENDING, SERVED, LATE or DROPPED, shape (requests,).
        finish: when each request was served, in nanoseconds, shape (requests,); -1: it was not.
    """

    base: Ints
    first: Ints
    last: Ints
    wanted: Ints
    timer: Ints
    waited: Ints
    item: Ints
    model_of: Ints
    model: Ints
    arrival: Ints
    outcome: Ints
    finish: Ints


def new_queues(system: System, arrivals: list[Ints], per_pool: bool) -> Queues:
    """Empty queues for the arrivals of each model; `per_pool`: with those of the pools."""
    sizes = [len(a) for a in arrivals]
    models = list(range(len(arrivals)))
    if per_pool:
        models += [int(system.model_of[p]) for p in system.pipeline_of]
    lengths = [sizes[m] for m in models]
    starts = np.concatenate(([0], np.cumsum(lengths))).astype(np.int64)
    total = sum(sizes)
    item = np.empty(starts[-1], np.int64)
    item[:total] = np.arange(total)
    zero = np.zeros(len(models), np.int64)
    return Queues(
        starts[:-1],
        zero,
        zero.copy(),
        np.ones_like(zero),
        np.full_like(zero, -1),
        np.full_like(zero, -1),
        item,
        np.array(models, np.int64),
        np.repeat(np.arange(len(sizes)), sizes).astype(np.int64),
        np.concatenate([*arrivals, np.zeros(0, np.int64)]),
        np.zeros(total, np.int64),
        np.full(total, -1, np.int64),
    )


@compiled
def waiting(queues: Queues, queue: int) -> int:
    """Pending requests of a queue."""
    return int(queues.last[queue] - queues.first[queue])


@compiled
def oldest(queues: Queues, queue: int) -> int:
    """The oldest pending request."""
    return int(queues.item[queues.base[queue] + queues.first[queue]])


@compiled
def deadline_of(system: System, queues: Queues, queue: int) -> int:
    """When the oldest pending request has to be served."""
    return int(queues.arrival[oldest(queues, queue)] + system.slo[queues.model_of[queue]])


@compiled
def drop_first(queues: Queues, queue: int) -> None:
    """Drop the oldest pending request."""
    queues.outcome[oldest(queues, queue)] = DROPPED
    queues.first[queue] += 1


@compiled
def take(queues: Queues, queue: int, size: int) -> int:
    """Take the oldest requests; returns where in `item` they stand, one after the other."""
    place = queues.base[queue] + queues.first[queue]
    queues.first[queue] += size
    return int(place)
