"""The GPUs that a plan's instances are packed onto, by their shares: at most 100 % on a GPU (Graft §5.1, §6).

A report, not a rule of the model, which minimises the share. GPU memory needs no look here: an instance takes at most
its share of it, and at least the share that leaves room for the most instances (`euclio/problems/fragments/memory.py`).
"""

from __future__ import annotations

from collections import Counter

from euclio.problems.fragments.memory import WHOLE_GPU_PCT
from euclio.problems.fragments.plan import FragmentPlan


def gpus_needed(plan: FragmentPlan) -> int:
    """GPUs that hold all instances, the largest placed first, each on the first with room (first-fit decreasing)."""
    instances: Counter[int] = Counter()
    for own in plan.sets:
        for stage in own.stages:
            instances[stage.share_pct] += stage.instances
    room: list[int] = []
    for share, number in sorted(instances.items(), reverse=True):
        left = number
        for k, free in enumerate(room):
            placed = min(left, free // share)
            room[k] -= placed * share
            left -= placed
        each = WHOLE_GPU_PCT // share
        while left:
            placed = min(left, each)
            room.append(WHOLE_GPU_PCT - placed * share)
            left -= placed
    return len(room)
