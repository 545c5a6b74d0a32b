"""The stages of a plan with their durations in whole nanoseconds, for the compiled loop."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from euclio.core.errors import InputError
from euclio.core.parameters import verb_text
from euclio.core.words import full
from euclio.problems.fragments.evaluate import evaluate
from euclio.problems.fragments.instance import Fleet, Network
from euclio.problems.fragments.plan import FragmentPlan, RealignedSet, Stage
from euclio.serving.units import NANOSECONDS, Ints

MOST_S = 100
"""Longest execution that is simulated, in seconds: with it, and as many requests as the command takes, times in
nanoseconds fit into 64 bits."""

MOST_INSTANCES = 10**6
"""Instances of all stages together that are simulated; each has a place in memory."""


@dataclass(frozen=True, slots=True)
class ServedStage:
    """A stage of a plan as the simulation runs it."""

    place: int  # its set's place in the plan
    shared: bool  # whether it is the set's shared stage; else it is a head's own
    first: int  # its first layer
    end: int  # the layer behind its last one
    stage: Stage  # batch size, share and number of instances
    first_instance: int  # number of its first instance, counted over all stages
    fragments: tuple[int, ...]  # places of the fragments that pass it, ascending
    latency_ns: Ints  # execution time of a batch by its number of requests, shape (batch + 1,); the first is unused
    least_ns: int  # the least time of a request from here to the last layer, alone in its batches


def build_system(fleet: Fleet, plan: FragmentPlan) -> tuple[ServedStage, ...]:
    """The stages of all sets, own ones before the shared one that they lead to.

    Raises:
        InputError: the plan cannot be priced, has too many instances, or an execution is too long to simulate.
    """
    evaluation = evaluate(fleet, plan)
    if not evaluation.sets:
        raise InputError(f"{evaluation.violations[0]}; {verb_text('verify')} says more", field="plan")
    wanted = sum(stage.instances for own in plan.sets for stage in own.stages)
    if wanted > MOST_INSTANCES:
        raise InputError(f"has {wanted} instances; up to {MOST_INSTANCES} are simulated", field="plan")
    found: list[ServedStage] = []
    instances = 0
    for place, own in enumerate(plan.sets):
        for stage in _stages_of(fleet, place, own, instances):
            found.append(stage)
            instances += stage.stage.instances
    return tuple(found)


def _stages_of(fleet: Fleet, place: int, own: RealignedSet, instances: int) -> Iterator[ServedStage]:
    point, end = own.repartition_point, fleet.network.layers
    shared = durations(fleet.network, point, end, own.shared)
    behind = int(shared[1:].min())
    for head in own.heads:
        if head.stage is None:
            continue
        first, members = fleet.fragments[head.fragments[0]].partition_point, tuple(sorted(head.fragments))
        latency = durations(fleet.network, first, point, head.stage)
        least = int(latency[1:].min()) + behind
        yield ServedStage(place, False, first, point, head.stage, instances, members, latency, least)
        instances += head.stage.instances
    yield ServedStage(place, True, point, end, own.shared, instances, tuple(sorted(own.fragments)), shared, behind)


def durations(network: Network, first: int, end: int, stage: Stage) -> Ints:
    """Execution times of batches of 0 to `stage.batch` requests, rounded down to whole nanoseconds.

    A batch that is not full takes as long as the next larger measured one: padding fills it up.

    Raises:
        InputError: it takes longer than `MOST_S`.
    """
    found = np.zeros(stage.batch + 1, np.int64)
    for size in range(1, stage.batch + 1):
        measured = network.batches[bisect_left(network.batches, size)]
        latency = network.latency_s(first, end, measured, stage.share_pct)
        assert latency is not None
        if latency > MOST_S:
            raise InputError(
                f"layers {first} to {end - 1} take {full(latency)} s at batch {measured}; up to {MOST_S} s are "
                "simulated",
                field="plan",
            )
        found[size] = NANOSECONDS.duration(latency)
    return found
