"""Merging of uniform fragments: those with the same partition point and time budget become one part (Graft §4.1)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from euclio.problems.fragments import Fleet, FragmentSpace, Sharing
from euclio.problems.fragments.realigned import Part, part_of
from euclio.problems.fragments.stages import Stages
from heuristics.fragments.options import Merging


def uniform_groups(fleet: Fleet) -> list[list[int]]:
    """Places of the fragments with equal partition point and time budget, in the order of the first of each."""
    groups: dict[tuple[int, object], list[int]] = {}
    for k, fragment in enumerate(fleet.fragments):
        groups.setdefault((fragment.partition_point, fragment.budget_s), []).append(k)
    return list(groups.values())


def merged(fleet: Fleet, stages: Stages, space: FragmentSpace, merging: Merging, threshold: float) -> list[Part]:
    """The parts that fragments are merged into.

    A part takes on the next uniform fragment until its resource margin has fallen to the threshold. One that could then
    not be served alone, or has as many fragments as may share instances, takes none on (ours: the paper has no such
    limits there).

    Args:
        fleet: the instance.
        stages: stages of its network.
        space: plan space.
        merging: which fragments to merge.
        threshold: resource margin at which a part is closed, under `THRESHOLD`.
    """
    if merging is Merging.NONE or space.sharing is Sharing.ALONE:
        return [part_of(fleet, [k]) for k in range(len(fleet.fragments))]
    least = threshold if merging is Merging.THRESHOLD else -1.0
    return [part for group in uniform_groups(fleet) for part in _merged(fleet, stages, space, group, least)]


def _merged(
    fleet: Fleet, stages: Stages, space: FragmentSpace, group: Sequence[int], threshold: float
) -> Iterator[Part]:
    """The parts of uniform fragments."""
    own: list[int] = []
    for k in group:
        wider = [*own, k]
        fits = space.max_members is None or len(wider) <= space.max_members
        if own and (not fits or margin(stages, part_of(fleet, wider), space.max_instances) is None):
            yield part_of(fleet, own)
            wider = [k]
        left = margin(stages, part_of(fleet, wider), space.max_instances)
        own = wider
        if left is not None and left <= threshold:
            yield part_of(fleet, own)
            own = []
    if own:
        yield part_of(fleet, own)


def margin(stages: Stages, part: Part, max_instances: int | None) -> float | None:
    """Resource margin of a part by itself: (achievable - demanded throughput)/demanded; None: it cannot be served.

    Achievable is what the cheapest instances that serve it can do at the best batch size that is in time.
    """
    network = stages.network
    frontier = stages.frontier(part.begin, network.layers, part.rate_rps, max_instances)
    limit = stages.execution_ticks(part.budget_s)
    stage = frontier.stage(limit)
    if stage is None:
        return None
    achievable = []
    for batch in network.batches:
        latency = network.latency_s(part.begin, network.layers, batch, stage.share_pct)
        assert latency is not None
        if latency * stages.ticks_per_s <= limit:
            achievable.append(stage.instances * batch / latency)
    return float(max(achievable) / part.rate_rps - 1)
