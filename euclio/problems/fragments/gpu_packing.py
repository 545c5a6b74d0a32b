"""The packing of a plan's instances onto GPUs by their shares, at most 100 % on a GPU (Graft §5.1, §6).

This is a report, not a rule of the model, which minimises the share. GPU memory needs no check here, since an instance
has at least the share that its memory, and the most instances per GPU, require (`euclio/problems/fragments/memory.py`).
"""

from __future__ import annotations

from collections import Counter

from euclio.problems.fragments.memory import WHOLE_GPU_PCT
from euclio.problems.fragments.plan import FragmentPlan


def gpus_needed(plan: FragmentPlan) -> int:
    """GPUs with all instances, the largest placed first, each on the first GPU with room (first-fit decreasing)."""
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
