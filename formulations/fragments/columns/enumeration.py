"""Every realigned set that a plan within a target may hold, by reduced costs in whole numbers (ours).

A plan's share less what its fragments are worth at given prices is the sum of the reduced costs of its sets. None of
these is below what pricing found, so that none is above the target less the bound. The share of a set follows from its
least budget and from how many of its fragments begin at which layer: first such numbers are listed, then who they are.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from euclio.core.compiled import compiled, is_past
from formulations.fragments.columns.types import NEVER

Ints = npt.NDArray[np.int64]


@compiled
def shares_by_numbers(
    limit: int,
    slack: int,
    begins: Ints,
    size: Ints,
    worth: Ints,
    most: int,
    shared_start: Ints,
    shared_ticks: Ints,
    shared_cost: Ints,
    shared_least: Ints,
    own_start: Ints,
    own_end: Ints,
    own_ticks: Ints,
    own_cost: Ints,
    radix: Ints,
    least: Ints,
) -> None:
    """The least share of sets within a limit by their numbers of fragments, where the reduced cost may be small enough.

    Args:
        limit: longest execution in ticks.
        slack: largest reduced cost, in units.
        begins: layers at which fragments begin.
        size: fragments of each begin that have the limit, shape (begins,).
        worth: the highest prices of so many of them, summed up, shape (begins, most + 1).
        most: most fragments of a set.
        shared_start: see `Tables`, as the next seven.
        shared_ticks: see `Tables`.
        shared_cost: see `Tables`.
        shared_least: see `Tables`.
        own_start: see `Tables`.
        own_end: see `Tables`.
        own_ticks: see `Tables`.
        own_cost: see `Tables`.
        radix: place value of each begin in an index of `least`, shape (begins,).
        least: filled in: the least share in units by numbers of fragments; `NEVER` where no set is within the slack.
    """
    classes, layers = len(begins), len(shared_start) - 1
    least[:] = NEVER
    net = np.zeros((classes, most + 1), dtype=np.int64)
    fits = np.zeros(classes, dtype=np.int64)
    hoped = np.zeros(classes + 1, dtype=np.int64)
    own = np.zeros(classes, dtype=np.int64)
    cost = np.zeros(classes + 1, dtype=np.int64)
    gain = np.zeros(classes + 1, dtype=np.int64)
    number = np.zeros(classes + 1, dtype=np.int64)
    index = np.zeros(classes + 1, dtype=np.int64)
    for point in range(begins[0], layers):
        for row in range(shared_start[point], shared_start[point + 1]):
            if shared_ticks[row] > limit:
                break
            left, each = limit - shared_ticks[row], shared_least[row]
            for b in range(classes - 1, -1, -1):
                fits[b], alone = 0, 0
                at = -1
                if begins[b] < point:
                    start, end = own_start[b, point], own_end[b, point]
                    at = start + np.searchsorted(own_ticks[start:end], left, side="right") - 1
                    if at >= start:
                        fits[b] = size[b]
                elif begins[b] == point:
                    fits[b] = size[b]
                for k in range(1, fits[b] + 1):
                    net[b, k] = own_cost[at, k] if at >= 0 else 0
                    alone = max(alone, worth[b, k] - net[b, k] - each * k)
                hoped[b] = hoped[b + 1] + alone
            if hoped[0] < -slack:
                continue
            # Numbers of each begin in turn, given up as soon as what the others may gain does not make up for it.
            b = 0
            own[0] = -1
            while b >= 0:
                own[b] += 1
                k = own[b]
                if k > fits[b] or number[b] + k > most:
                    b -= 1
                    continue
                share = net[b, k] if k > 0 else 0
                if share >= NEVER:
                    continue
                cost[b + 1] = cost[b] + share
                gain[b + 1] = gain[b] + worth[b, k] - share
                number[b + 1] = number[b] + k
                index[b + 1] = index[b] + k * radix[b]
                if gain[b + 1] - each * number[b + 1] + hoped[b + 1] < -slack:
                    continue
                if b + 1 < classes:
                    b += 1
                    own[b] = -1
                    continue
                total = number[classes]
                if total > 0 and gain[classes] - shared_cost[row, total] >= -slack:
                    found = cost[classes] + shared_cost[row, total]
                    least[index[classes]] = min(least[index[classes]], found)


@compiled
def sets_of_numbers(
    limit: int,
    slack: int,
    class_start: Ints,
    item_limit: Ints,
    item_price: Ints,
    item_type: Ints,
    size: Ints,
    worth: Ints,
    radix: Ints,
    least: Ints,
    members: npt.NDArray[np.int32],
    share: Ints,
    held: int,
    deadline: float,
) -> int:
    """The sets of a least budget whose reduced cost is within the slack, added to those that are held.

    Args:
        limit: the longest execution that the least budget allows, in ticks.
        slack: largest reduced cost, in units.
        class_start: items that begin at the same layer, as for `best_sets`, those of one type next to each other.
        item_limit: see `best_sets`.
        item_price: see `best_sets`.
        item_type: type of each item.
        size: see `shares_by_numbers`.
        worth: see `shares_by_numbers`.
        radix: see `shares_by_numbers`.
        least: as `shares_by_numbers` filled it in.
        members: filled in: items of a set, then -1, shape (room, most).
        share: filled in: its share in units, shape (room,).
        held: sets that are held already.
        deadline: `clock` value at which to stop.

    Returns:
        Sets held now; -1: there is no room for all, -2: the deadline has passed.
    """
    classes, most = len(size), members.shape[1]
    numbers = np.zeros(classes, dtype=np.int64)
    eligible = np.zeros(class_start[classes], dtype=np.int64)
    first = np.zeros(classes, dtype=np.int64)
    placed = 0
    for b in range(classes):
        first[b] = placed
        for i in range(class_start[b], class_start[b + 1]):
            if item_limit[i] >= limit:
                eligible[placed] = i
                placed += 1
    slot_class = np.zeros(most + 1, dtype=np.int64)
    slot_left = np.zeros(most + 1, dtype=np.int64)
    rest = np.zeros(most + 1, dtype=np.int64)
    place = np.zeros(most + 1, dtype=np.int64)
    total = np.zeros(most + 1, dtype=np.int64)
    for vector in range(len(least)):
        if least[vector] >= NEVER:
            continue
        if is_past(deadline):
            return -2
        wanted = least[vector] - slack
        remaining = vector
        slots = 0
        for b in range(classes - 1, -1, -1):
            numbers[b] = remaining // radix[b]
            remaining -= numbers[b] * radix[b]
        for b in range(classes):
            for k in range(numbers[b]):
                slot_class[slots], slot_left[slots] = b, numbers[b] - k
                slots += 1
        after = 0
        for b in range(classes - 1, -1, -1):
            for s in range(slots):
                if slot_class[s] == b:
                    rest[s] = after
            after += worth[b, numbers[b]]
        s = 0
        place[0] = first[slot_class[0]] - 1
        total[0] = 0
        fresh = True
        while s >= 0:
            b = slot_class[s]
            end = first[b + 1] if b + 1 < classes else placed
            i = place[s] + 1
            if not fresh:
                # What was passed over is passed over with all of its type.
                while i < end and item_type[eligible[i]] == item_type[eligible[place[s]]]:
                    i += 1
            fresh = False
            if i + slot_left[s] > end:
                s -= 1
                continue
            hoped = total[s] + rest[s]
            for k in range(slot_left[s]):
                hoped += item_price[eligible[i + k]]
            if hoped < wanted:
                s -= 1
                continue
            place[s] = i
            total[s + 1] = total[s] + item_price[eligible[i]]
            if s + 1 < slots:
                s += 1
                place[s] = i if slot_class[s] == b else first[slot_class[s]] - 1
                fresh = True
                continue
            has = False
            for k in range(slots):
                if item_limit[eligible[place[k]]] == limit:
                    has = True
            if has:
                if held >= len(share):
                    return -1
                for k in range(slots):
                    members[held, k] = eligible[place[k]]
                for k in range(slots, most):
                    members[held, k] = -1
                share[held] = least[vector]
                held += 1
    return held
