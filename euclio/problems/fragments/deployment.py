"""A plan's instances on GPUs, and the starts and stops from one plan to the next (ours)."""

from __future__ import annotations

from collections import Counter
from typing import NamedTuple

from euclio.problems.fragments.instance import Fleet
from euclio.problems.fragments.plan import FragmentPlan


class Instance(NamedTuple):
    """An instance on a share of a GPU; equal instances can replace each other.

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
"""Number of each running instance."""


class Process(NamedTuple):
    """An instance with a batch size that may change while it runs: its layers and its share.

    Attributes:
        first: first layer.
        end: layer behind the last one.
        share_pct: GPU share in percent of one GPU.
    """

    first: int
    end: int
    share_pct: int


class Moves(NamedTuple):
    """The changes from one deployment to the next.

    Attributes:
        started: started instances.
        stopped: stopped instances.
        shadow_pct: GPU share of the started ones, which take it before the replaced ones stop.
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
    """Numbers of running instances by layers and share, over all batch sizes."""
    found: Counter[Process] = Counter()
    for instance, number in deployment.items():
        found[Process(instance.first, instance.end, instance.share_pct)] += number
    return found


def share_of(running: Counter[Instance] | Counter[Process]) -> int:
    """GPU share of all instances, in percent of one GPU."""
    return sum(number * own.share_pct for own, number in running.items())


def moves(before: Deployment, after: Deployment) -> Moves:
    """The starts and stops."""
    started, stopped = after - before, before - after
    return Moves(started.total(), stopped.total(), share_of(started))
