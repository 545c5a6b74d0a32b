"""What of a plan stands on GPUs, and what has to be started and stopped from one plan to the next (ours)."""

from __future__ import annotations

from collections import Counter
from typing import NamedTuple

from euclio.problems.fragments.instance import Fleet
from euclio.problems.fragments.plan import FragmentPlan


class Instance(NamedTuple):
    """What runs on a share of a GPU; instances that are equal can take each other's place.

    Attributes:
        first: first layer.
        end: layer behind the last one.
        batch: batch size.
        share_pct: GPU share in percent of one GPU.
    """

    first: int
    end: int
    batch: int
    share_pct: int


Deployment = Counter[Instance]
"""How many of each instance run."""


class Process(NamedTuple):
    """An instance whose batch size may change while it runs: its layers and its share.

    Attributes:
        first: first layer.
        end: layer behind the last one.
        share_pct: GPU share in percent of one GPU.
    """

    first: int
    end: int
    share_pct: int


class Moves(NamedTuple):
    """What changes from one deployment to the next.

    Attributes:
        started: instances that are started.
        stopped: instances that are stopped.
        shadow_pct: GPU share of those that are started, which take it before what they replace is stopped.
    """

    started: int
    stopped: int
    shadow_pct: int


def deployed(fleet: Fleet, plan: FragmentPlan) -> Deployment:
    """The instances of a plan."""
    found: Deployment = Counter()
    for own in plan.sets:
        found[Instance(own.repartition_point, fleet.network.layers, own.shared.batch, own.shared.share_pct)] += (
            own.shared.instances
        )
        for head in own.heads:
            if head.stage is not None:
                begin = fleet.fragments[head.fragments[0]].partition_point
                found[Instance(begin, own.repartition_point, head.stage.batch, head.stage.share_pct)] += (
                    head.stage.instances
                )
    return found


def processes(deployment: Deployment) -> Counter[Process]:
    """How many instances run by layers and share, whatever their batch sizes."""
    found: Counter[Process] = Counter()
    for instance, number in deployment.items():
        found[Process(instance.first, instance.end, instance.share_pct)] += number
    return found


def share_of(running: Counter[Instance] | Counter[Process]) -> int:
    """GPU share of all instances, in percent of one GPU."""
    return sum(number * own.share_pct for own, number in running.items())


def moves(before: Deployment, after: Deployment) -> Moves:
    """What has to be started and stopped."""
    started, stopped = after - before, before - after
    return Moves(started.total(), stopped.total(), share_of(started))
