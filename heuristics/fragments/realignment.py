"""Graft's Algorithm 1: the re-partition points of a group, the cheapest realigned sets that they make (Graft §4.3).

Read so that it ends: a part that begins at a re-partition point runs on the shared stage and is not looked at again;
line 7 leaves it out, and would realign the same parts forever at the first point. And "the last layer" as a
re-partition point is read as the end, where nothing is left to be shared: each part by itself, which §5.5 counts on.
Times are not listed (line 8) but read off the frontiers, which miss none.
"""

from __future__ import annotations

from collections.abc import Sequence

from euclio.fragments import FragmentSpace, Sharing
from euclio.fragments.realigned import Part, Priced, least_set
from euclio.fragments.stages import Stages

Sets = tuple[int, tuple[Priced, ...]]
"""GPU share of some realigned sets together, and the sets."""


Alone = dict[Part, Priced | None]
"""The cheapest set of a part by itself; None: it cannot be served."""


def realign(stages: Stages, group: Sequence[Part], space: FragmentSpace, known: Alone | None = None) -> Sets | None:
    """The cheapest realigned sets of a group that re-partition points make, each with the parts that begin by then.

    Args:
        stages: stages of the network.
        group: the parts.
        space: plan space.
        known: parts by themselves that were priced before, on the same stages and in the same plan space; grows.

    Returns:
        The sets; of equally cheap ones those that share least. None: some part cannot be served.
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
    """Each part by itself; None: some cannot be served."""
    for part in group:
        if part not in known:
            known[part] = least_set(stages, [part], space, merge=False)
    found = tuple(priced for priced in (known[part] for part in group) if priced is not None)
    return (sum(priced.total_pct for priced in found), found) if len(found) == len(group) else None
