"""From sets of fragments to a plan: each set at its least GPU share, or its fragments apart where that is less."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace

from euclio.fragments import Budgets, Fleet, Fragment, FragmentSpace
from euclio.fragments.realigned import Priced, least_set, part_of
from euclio.fragments.stages import Stages
from formulations.fragments.candidates import Places, TimeUpError

MOST_KINDS = 6
"""Different fragments of a begin, with time budgets of their own, whose heads are chosen exactly."""


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
        if found is not None and found.total_pct <= sum(alone[k] for k in places):
            plan.append(found)
        else:
            plan += [single for k in places for single in [_priced(fleet, stages, space, (k,))] if single is not None]
    return plan


def _priced(fleet: Fleet, stages: Stages, space: FragmentSpace, places: Places) -> Priced | None:
    """A set at its least GPU share, or a bit above it where it has many time budgets of its own; None: it is too slow.

    Heads of many different budgets take too long to choose: those of the least budget for all are kept.
    """
    parts = [part_of(fleet, [k]) for k in places]
    kinds = Counter(begin for begin, _, _ in {(part.begin, part.budget_s, part.rate_rps) for part in parts})
    if space.budgets is Budgets.LEAST or max(kinds.values()) <= MOST_KINDS:
        return least_set(stages, parts, space, merge=True)
    least = least_set(stages, parts, replace(space, budgets=Budgets.LEAST), merge=True)
    if least is None:
        return None
    return least_set(stages, [part_of(fleet, head.fragments) for head in least.plan.heads], space, merge=False)
