"""Who stands in a stage's queues, and in which order."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from euclio.serving.fragments.setup import Dispatch
from euclio.serving.fragments.system import ServedStage
from euclio.serving.requests import DROPPED
from euclio.serving.units import Ints


def in_order(fragments: Sequence[int], first_request: Ints, ready_ns: Ints, outcome: Ints) -> Ints:
    """The requests of some fragments that were not dropped, as they become ready.

    Of equally early ones those of the first fragment go first.

    Args:
        fragments: places of the fragments, ascending.
        first_request: number of each fragment's first request, then the total, shape (fragments + 1,).
        ready_ns: when each request can be taken, shape (requests,).
        outcome: what became of it so far, shape (requests,).
    """
    pieces = [np.arange(first_request[k], first_request[k + 1]) for k in fragments]
    requests: Ints = np.concatenate(pieces)
    requests = requests[outcome[requests] != DROPPED]
    # Each fragment's requests are in order already, so that a stable sort merges few runs.
    return requests[np.argsort(ready_ns[requests], kind="stable")]


def queues_of(stage: ServedStage, requests: Ints, dispatch: Dispatch) -> Iterator[tuple[Ints, int, int]]:
    """The queues of a stage: their requests in order, the first instance that draws from them, and how many do."""
    first, instances = stage.first_instance, stage.stage.instances
    if dispatch is Dispatch.SHARED:
        yield requests, first, instances
        return
    for k in range(instances):
        yield np.ascontiguousarray(requests[k::instances]), first + k, 1
