"""From sets of fragments to a plan: each set at its least GPU share, or its fragments apart where that is less."""

from __future__ import annotations

import math
import time
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace

from euclio.problems.fragments import Budgets, Fleet, Fragment, FragmentSpace
from euclio.problems.fragments.realigned import Part, Priced, least_set, part_of
from euclio.problems.fragments.stages import Stages
from formulations.fragments.candidates import Places, TimeUpError

MOST_KINDS = 6
"""Different fragments of a begin, with time budgets of their own, whose heads are chosen exactly."""
MOST_PAIRS = 2**17
"""Pairs of fragments that are left and of a head of them, of begins with several kinds of fragments, up to which heads
are chosen exactly: each takes some microseconds."""


@dataclass(frozen=True, slots=True)
class Found:
    """What a method has found.

    Attributes:
        sets: sets of a plan, by the places of their fragments; None: no plan better than the one that is known.
        bound_pct: no plan has a GPU share below this.
        stats: counters.
    """

    sets: Sequence[Places] | None
    bound_pct: int
    stats: dict[str, float] = field(default_factory=dict)


def alone_pct(fleet: Fleet, stages: Stages, space: FragmentSpace, deadline: float) -> list[int] | None:
    """The GPU share of each fragment by itself; None: one cannot be served in time.

    Raises:
        TimeUpError: the deadline, a `time.perf_counter` value, has passed.
    """
    known: dict[Fragment, int] = {}
    shares = []
    for k, fragment in enumerate(fleet.fragments):
        kind = replace(fragment, name="")
        if kind not in known:
            if time.perf_counter() >= deadline:
                raise TimeUpError
            found = least_set(stages, [part_of(fleet, [k])], space, merge=True)
            if found is None:
                return None
            known[kind] = found.total_pct
        shares.append(known[kind])
    return shares


def priced_plan(
    fleet: Fleet, stages: Stages, space: FragmentSpace, sets: Iterable[Places], alone: Sequence[int]
) -> list[Priced]:
    """The sets of a plan at their least GPU shares.

    Args:
        fleet: the instance.
        stages: stages of its network.
        space: plan space.
        sets: sets by the places of their fragments.
        alone: GPU share of each fragment by itself, in percent.
    """
    plan = []
    for places in sets:
        found = _priced(fleet, stages, space, places)
        # Sets that were chosen for lower rates, or priced roughly, may take more than their fragments apart.
        if found is not None and found.total_pct <= sum(alone[k] for k in places):
            plan.append(found)
        else:
            plan += [single for k in places for single in [_priced(fleet, stages, space, (k,))] if single is not None]
    return plan


def _priced(fleet: Fleet, stages: Stages, space: FragmentSpace, places: Places) -> Priced | None:
    """A set at its least GPU share, or a bit above it where it has too many heads; None: it is too slow.

    Of many different budgets of their own, the heads of the least budget for all are kept.
    """
    parts = [part_of(fleet, [k]) for k in places]
    if not _has_many_heads(parts, space):
        return least_set(stages, parts, space, merge=True)
    if space.budgets is Budgets.OWN:
        least = _priced(fleet, stages, replace(space, budgets=Budgets.LEAST), places)
        if least is None:
            return None
        return least_set(stages, [part_of(fleet, head.fragments) for head in least.plan.heads], space, merge=False)
    return _of_plain_heads(fleet, stages, space, places)


def _has_many_heads(parts: Sequence[Part], space: FragmentSpace) -> bool:
    """Whether the heads of a set are too many to choose them exactly."""
    own = space.budgets is Budgets.OWN
    kinds = Counter((part.begin, part.rate_rps, part.budget_s if own else 0) for part in parts)
    numbers: dict[int, list[int]] = {}
    for (begin, _, _), number in kinds.items():
        numbers.setdefault(begin, []).append(number)
    if own and max(map(len, numbers.values())) > MOST_KINDS:
        return True
    pairs = (math.prod((n + 1) * (n + 2) // 2 for n in each) for each in numbers.values() if len(each) > 1)
    return sum(pairs) > MOST_PAIRS


def _of_plain_heads(fleet: Fleet, stages: Stages, space: FragmentSpace, places: Places) -> Priced | None:
    """The cheapest set with a head per begin, per begin and rate, or per fragment; None: none is fast enough."""
    divisions: list[dict[object, list[int]]] = [{}, {}, {}]
    for k in places:
        own = fleet.fragments[k]
        keys = (own.partition_point, (own.partition_point, own.rate_rps), k)
        for heads, key in zip(divisions, keys, strict=True):
            heads.setdefault(key, []).append(k)
    found = [
        priced
        for heads in divisions
        if (priced := least_set(stages, [part_of(fleet, head) for head in heads.values()], space, merge=False))
    ]
    return min(found, key=lambda priced: priced.total_pct, default=None)
