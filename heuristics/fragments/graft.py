"""Graft: merge uniform fragments, group similar ones, realign each group (Graft §4)."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from euclio.core.registry import Limits
from euclio.core.result import Answer
from euclio.problems.fragments import Fleet, FragmentPlan, FragmentSpace, Sharing
from euclio.problems.fragments.least_budget import unserved
from euclio.problems.fragments.realigned import Part, Priced, least_set, part_of
from euclio.problems.fragments.stages import Stages
from heuristics.fragments.options import Edges, GraftOptions, Merging, Weights

Array = npt.NDArray[Any]


# Merging of uniform fragments, which have the same partition point and time budget, into one part (Graft §4.1).


def uniform_groups(fleet: Fleet) -> list[list[int]]:
    """Places of the fragments with equal partition point and time budget, in the order of each group's first one."""
    groups: dict[tuple[int, object], list[int]] = {}
    for k, fragment in enumerate(fleet.fragments):
        groups.setdefault((fragment.partition_point, fragment.budget_s), []).append(k)
    return list(groups.values())


def merged(fleet: Fleet, stages: Stages, space: FragmentSpace, merging: Merging, threshold: float) -> list[Part]:
    """The parts into which fragments are merged.

    A part takes the next uniform fragment until its resource margin has fallen to the threshold. It takes no fragment
    with which it could not be served alone, and none beyond the most that may share instances (ours, since the paper
    has no such limits there).

    Args:
        fleet: the instance.
        stages: stages of its network.
        space: plan space.
        merging: the merging strategy.
        threshold: resource margin that completes a part, under `THRESHOLD`.
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
    """Resource margin of a part by itself, (achievable - demanded throughput)/demanded; None if it cannot be served.

    The achievable throughput is that of the cheapest instances that serve it, at the best batch size in time.
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


# Grouping of parts of similar properties: Graft's greedy balanced partitioning of a complete graph (Graft §4.2).
#
# The paper weights an edge by the distance of its ends and keeps heavy edges inside of groups, which puts unlike
# fragments together; its text wants like ones together. So an edge weighs minus the distance (ours), unless an option
# asks for the printed weight. In groups of equal size a constant added to all weights does not change the best
# grouping, but it changes the greedy: weights above 0 draw parts to the largest group. The properties are scaled to
# their range among the parts, since the paper gives no scale.


def groups_of(
    parts: Sequence[Part], size: int, weights: Weights, seed: int, edges: Edges = Edges.SIMILARITY
) -> list[list[int]]:
    """Places of the parts by group.

    Random parts begin the groups, as many as the group size needs. Each other part, in order, joins the group with room
    and the least increase of cost (1): the variance of the weights inside of it, and the weights across groups.

    Args:
        parts: the parts.
        size: most parts of a group.
        weights: weights of the properties.
        seed: seed of the parts that begin groups.
        edges: the weights of edges.
    """
    points = properties(parts, weights)
    number = math.ceil(len(parts) / size)
    # The parts that begin do not depend on the seeds of other random choices.
    chosen = np.random.default_rng(seed).permutation(len(parts))
    grouping = _Grouping(points, number, edges)
    for group, k in enumerate(chosen[:number]):
        grouping.join(int(k), group)
    for k in np.sort(chosen[number:]):
        grouping.join(int(k), grouping.cheapest(int(k), size))
    return [[int(k) for k in np.flatnonzero(grouping.group == g)] for g in range(number)]


def properties(parts: Sequence[Part], weights: Weights) -> Array:
    """Partition point, time budget and rate of the parts, scaled to their range and weighted, shape (parts, 3)."""
    rows = np.array([[part.begin, float(part.budget_s), float(part.rate_rps)] for part in parts])
    low, high = rows.min(axis=0), rows.max(axis=0)
    span = np.where(high > low, high - low, 1.0)
    scaled: Array = (rows - low) / span * np.array(weights)
    return scaled


class _Grouping:
    """Growing groups.

    Attributes:
        group: group of each part, -1 if there is none yet; shape (parts,).
    """

    def __init__(self, points: Array, number: int, edges: Edges) -> None:
        self.group = np.full(len(points), -1)
        self._points, self._number = points, number
        self._sign = 1.0 if edges is Edges.DISTANCE else -1.0
        self._size, self._edges = np.zeros(number), np.zeros(number)
        self._sum, self._squares = np.zeros(number), np.zeros(number)

    def join(self, k: int, group: int) -> None:
        """Put a part into a group."""
        _, total, squares = self._to_groups(k)
        self._edges[group] += self._size[group]
        self._sum[group] += total[group]
        self._squares[group] += squares[group]
        self._size[group] += 1
        self.group[k] = group

    def cheapest(self, k: int, size: int) -> int:
        """The group with room and the least increase of cost by a part; ties go to the first."""
        across, total, squares = self._to_groups(k)
        inside = _variance(self._edges + self._size, self._sum + total, self._squares + squares)
        growth = inside - _variance(self._edges, self._sum, self._squares) + 2 * (across - total)
        return int(np.argmin(np.where(self._size < size, growth, math.inf)))

    def _to_groups(self, k: int) -> tuple[float, Array, Array]:
        """Weights of the edges from a part to all grouped ones: their sum, and sums and squares by group."""
        placed = self.group >= 0
        weight = self._sign * np.linalg.norm(self._points[placed] - self._points[k], axis=1)
        groups = self.group[placed]
        total = np.bincount(groups, weight, self._number)
        return float(weight.sum()), total, np.bincount(groups, weight**2, self._number)


def _variance(count: Array, total: Array, squares: Array) -> Array:
    """Variance of weights by their number, sum and sum of squares; 0 of none."""
    number = np.maximum(count, 1)
    found: Array = squares / number - (total / number) ** 2
    return found


# Graft's Algorithm 1 finds the re-partition points of a group that make the cheapest realigned sets (Graft §4.3).
#
# Our reading lets it end: a part that begins at a re-partition point runs on the shared stage and is complete. Line 7
# leaves it out, and would realign the same parts forever at the first point. We read "the last layer" as a re-partition
# point as the end, with nothing to share: each part by itself, as §5.5 assumes. Times come from the frontiers, which
# miss none, instead of a list (line 8).

Sets = tuple[int, tuple[Priced, ...]]
"""GPU share of some realigned sets together, and the sets."""


Alone = dict[Part, Priced | None]
"""The cheapest set of a part by itself; None if it cannot be served."""


def realign(stages: Stages, group: Sequence[Part], space: FragmentSpace, known: Alone | None = None) -> Sets | None:
    """The cheapest realigned sets of a group over re-partition points, each with the parts that begin by its point.

    Args:
        stages: stages of the network.
        group: the parts.
        space: plan space.
        known: parts by themselves with known prices, on the same stages and in the same plan space; it grows.

    Returns:
        The sets; of equally cheap ones those that share least. None means that some part cannot be served.
    """
    if not group:
        return 0, ()
    known = {} if known is None else known
    best = _alone(stages, group, space, known)
    if space.sharing is not Sharing.REALIGNED:
        return best
    begins = sorted({part.begin for part in group})
    for begin, following in zip(begins, [*begins[1:], stages.network.layers], strict=True):
        before = [part for part in group if part.begin <= begin]
        if space.max_members is not None and sum(len(part.fragments) for part in before) > space.max_members:
            break
        first = least_set(stages, before, space, merge=False, points=range(begin, following))
        if first is None:
            continue
        rest = realign(stages, [part for part in group if part.begin > begin], space, known)
        if rest is not None and (best is None or first.total_pct + rest[0] < best[0]):
            best = first.total_pct + rest[0], (first, *rest[1])
    return best


def _alone(stages: Stages, group: Sequence[Part], space: FragmentSpace, known: Alone) -> Sets | None:
    """Each part by itself; None if some cannot be served."""
    for part in group:
        if part not in known:
            known[part] = least_set(stages, [part], space, merge=False)
    found = tuple(priced for priced in (known[part] for part in group) if priced is not None)
    return (sum(priced.total_pct for priced in found), found) if len(found) == len(group) else None


def solve_graft(
    fleet: Fleet, space: FragmentSpace, limits: Limits[FragmentPlan], *, options: GraftOptions
) -> Answer[FragmentPlan]:
    """Graft's plan of a fleet.

    Args:
        fleet: the instance.
        space: plan space.
        limits: limits of the run; the seed is that of the parts that begin groups.
        options: Graft's options.
    """
    stages = Stages(fleet.network)
    parts = merged(fleet, stages, space, options.merging, options.threshold)
    groups = groups_of(parts, options.group_size, options.weights, limits.seed, options.edges)
    found = [realign(stages, [parts[k] for k in group], space) for group in groups]
    sets = [own for own in found if own is not None]
    stats = {"parts": float(len(parts)), "groups": float(len(groups))}
    if len(sets) < len(found):
        # Every part has at least one fragment, which is then late by itself.
        return Answer(None, "finished", infeasible=True, reason=unserved(fleet.network), stats=stats)
    plan = FragmentPlan(tuple(priced.plan for _, own in sets for priced in own))
    return Answer(plan, "finished", float(sum(total for total, _ in sets)), stats=stats)
