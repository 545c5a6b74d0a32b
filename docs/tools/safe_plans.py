"""Plans under which no request waits longer than an execution, whenever clients send (ours; see `coincidence.py`).

Each stage takes at once all requests that can come within an execution of it. Clients that begin at the same layer
share stages, those with the next larger time budgets together, as is cheapest; nothing is realigned. So what the
guarantee costs is no more than these plans do.
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import NamedTuple

from euclio.problems.fragments import Fleet, FragmentPlan, Head, RealignedSet, Stage
from euclio.problems.fragments.evaluate import QUEUEING

Choices = list[tuple[Fraction, int, int]]
"""Latency of the layers in question, batch size, share; ascending."""


class Served(NamedTuple):
    """The cheapest plan of some clients."""

    total_pct: int
    sets: tuple[RealignedSet, ...]


def safe_plan(fleet: Fleet) -> FragmentPlan:
    """The cheapest such plan of a fleet in which every client can be served in time and all have one rate."""
    sets: list[RealignedSet] = []
    for point in sorted({fragment.partition_point for fragment in fleet.fragments}):
        own = [k for k, fragment in enumerate(fleet.fragments) if fragment.partition_point == point]
        sets += _of_point(fleet, point, sorted(own, key=lambda k: fleet.fragments[k].budget_s))
    return FragmentPlan(tuple(sets))


def _of_point(fleet: Fleet, point: int, own: list[int]) -> tuple[RealignedSet, ...]:
    """The cheapest division of clients, by time budget, into runs: with one rate, no other division is cheaper."""
    network = fleet.network
    choices = sorted(
        (latency, b, s)
        for b in network.batches
        for s in network.shares_pct
        if (latency := network.latency_s(point, network.layers, b, s)) is not None
    )
    best = [Served(0, ())]
    for end in range(1, len(own) + 1):
        ways = []
        for begin in range(end):
            stage = _safe_stage(fleet, choices, own[begin:end])
            served = RealignedSet(point, stage, (Head(tuple(own[begin:end])),))
            ways.append(Served(best[begin].total_pct + stage.total_pct, (*best[begin].sets, served)))
        best.append(min(ways, key=lambda way: way.total_pct))
    return best[-1].sets


def _safe_stage(fleet: Fleet, choices: Choices, members: list[int]) -> Stage:
    """The cheapest stage that is fast enough, and takes at once what can come within an execution."""
    limit = min(fleet.fragments[k].budget_s for k in members) / QUEUEING
    found = []
    for latency, batch, share in choices:
        if latency > limit:
            break
        at_once = sum(math.ceil(fleet.fragments[k].rate_rps * latency) for k in members)
        found.append(Stage(batch, share, -(-at_once // batch)))
    return min(found, key=lambda stage: stage.total_pct)
