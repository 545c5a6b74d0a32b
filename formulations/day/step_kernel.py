"""The cheapest choice of one vector of machines per module within the SLO, in every step of a load (compiled, ours).

A module has a list of choices per step, vectors of machines with their latencies. Given a price for each machine of
each module, the cheapest choices that keep the SLO on all paths, and the stock, are one choice of each list within
limited resources (`cheapest_of_each`).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from euclio.core.compiled import compiled
from formulations.day.choices import Choices

# The cheapest choice of one of each list within limited resources (compiled, ours).
#
# This is a multiple-choice knapsack with several resources. A price on each resource (Lagrange's multipliers) bounds
# the cost of all choices, and the least cost of those with a given choice. That excludes most choices before a
# depth-first search of the lists.

Flags = NDArray[np.bool_]
Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

MOST_NODES = 100_000
"""Most nodes of a search; beyond, the bound is that of the multipliers."""
FIRST_MOVES, MOVES = 30, 6
"""Moves of the multipliers without known ones, and from those of an earlier search."""
REACH = 0.05
"""Aim of the multipliers above the bound without known choices, as a share of the cost of choices."""
MOST_WEIGHT = 100.0
"""Largest charge of multipliers for the whole SLO or stock, in multiples of the cost of all choices; beyond it,
differences of floats lose digits."""


@compiled
def cheapest_of_each(
    cost: Floats, uses: Floats, count: Ints, room: Floats, known: float, weights: Floats, found: Ints
) -> tuple[float, bool]:
    """A lower bound on one choice per module within all room, and whether `found` has cheaper ones than the known.

    The bound is their cost unless the search was too long.

    Args:
        cost: cost of each choice, shape (modules, choices).
        uses: its use of each resource, shape (modules, choices, resources).
        count: number of choices of each module.
        room: amount of each resource.
        known: cost of known choices within the room; infinite if there are none.
        weights: multipliers of the resources, replaced by better ones.
        found: output, the cheapest choices.
    """
    modules, resources = count.size, room.size
    # A list has no choice, or the least uses of all lists exceed a resource.
    for m in range(modules):
        if not count[m]:
            return np.inf, False
    for r in range(resources):
        needed = 0.0
        for m in range(modules):
            needed += uses[m, : count[m], r].min()
        if needed > room[r]:
            return np.inf, False
    bound, best, better = _raised(cost, uses, count, room, known, weights, found)
    if bound >= best:
        return best, better
    lists = _left(cost, uses, count, weights, best - bound)
    for m in range(modules):
        if not lists.size[m]:
            return best, better
    cheapest, complete = _searched(cost, uses, room, lists, weights, best, found)
    return (cheapest if complete else bound), better or cheapest < best


class _Lists(NamedTuple):
    """Remaining choices, by rising cost at the multipliers.

    Attributes:
        reduced: cost of each at them, shape (modules, choices).
        place: place of the choice.
        size: number of choices of each module.
    """

    reduced: Floats
    place: Ints
    size: Ints


@compiled
def _left(cost: Floats, uses: Floats, count: Ints, weights: Floats, most: float) -> _Lists:
    """The choices that may be cheaper than the best ones.

    A choice that exceeds the cheapest one of its list by `most` at the multipliers cannot be, with any other choices.
    """
    modules, longest = cost.shape
    reduced, place = np.empty((modules, longest)), np.empty((modules, longest), np.int64)
    size = np.zeros(modules, np.int64)
    for m in range(modules):
        least = np.inf
        for i in range(count[m]):
            least = min(least, _weighed(cost[m, i], uses[m, i], weights))
        for i in range(count[m]):
            own = _weighed(cost[m, i], uses[m, i], weights)
            if own - least >= most:
                continue
            at = size[m]
            while at > 0 and reduced[m, at - 1] > own:
                reduced[m, at], place[m, at] = reduced[m, at - 1], place[m, at - 1]
                at -= 1
            reduced[m, at], place[m, at] = own, i
            size[m] += 1
    return _Lists(reduced, place, size)


@compiled
def _searched(
    cost: Floats, uses: Floats, room: Floats, lists: _Lists, weights: Floats, best: float, found: Ints
) -> tuple[float, bool]:
    """The cost of the cheapest choices below `best`, which are written to `found`; else `best`.

    The search is depth first; it also returns whether it was complete.
    """
    modules, resources = lists.size.size, room.size
    # Modules with few choices come first, so that an exclusion by them happens once.
    order = np.argsort(lists.size, kind="mergesort")
    rest, needed = _to_come(uses, room, lists, weights, order)
    depth, nodes = 0, 0
    at, tried, spent = np.zeros(modules, np.int64), np.zeros(modules + 1), np.zeros(modules + 1)
    taken = np.zeros((modules + 1, resources))
    while depth >= 0:
        nodes += 1
        if nodes > MOST_NODES:
            return best, False
        m = order[depth]
        # Later choices cost more at the multipliers, so none of them is cheaper than the best ones either.
        if at[depth] >= lists.size[m] or tried[depth] + lists.reduced[m, at[depth]] + rest[depth + 1] >= best:
            depth -= 1
            if depth >= 0:
                at[depth] += 1
            continue
        i = lists.place[m, at[depth]]
        fits = True
        for r in range(resources):
            taken[depth + 1, r] = taken[depth, r] + uses[m, i, r]
            fits = fits and taken[depth + 1, r] + needed[depth + 1, r] <= room[r]
        if not fits:
            at[depth] += 1
            continue
        spent[depth + 1] = spent[depth] + cost[m, i]
        if depth < modules - 1:
            tried[depth + 1] = tried[depth] + lists.reduced[m, at[depth]]
            depth += 1
            at[depth] = 0
            continue
        if spent[modules] < best:
            best = spent[modules]
            for d in range(modules):
                found[order[d]] = lists.place[order[d], at[d]]
        at[depth] += 1
    return best, True


@compiled
def _to_come(uses: Floats, room: Floats, lists: _Lists, weights: Floats, order: Ints) -> tuple[Floats, Floats]:
    """The least cost of the modules from each depth on at the multipliers, less all room, and their least uses.

    Returns:
        Shapes (modules + 1,) and (modules + 1, resources).
    """
    modules, resources = order.size, room.size
    rest, needed = np.zeros(modules + 1), np.zeros((modules + 1, resources))
    for r in range(resources):
        rest[modules] -= weights[r] * room[r]
    for depth in range(modules - 1, -1, -1):
        m = order[depth]
        rest[depth] = rest[depth + 1] + lists.reduced[m, 0]
        for r in range(resources):
            least = np.inf
            for n in range(lists.size[m]):
                least = min(least, uses[m, lists.place[m, n], r])
            needed[depth, r] = needed[depth + 1, r] + least
    return rest, needed


@compiled
def _raised(
    cost: Floats, uses: Floats, count: Ints, room: Floats, known: float, weights: Floats, found: Ints
) -> tuple[float, float, bool]:
    """The bound of better multipliers, the cost of the best known choices, and whether `found` has them.

    Each module takes its cheapest choice at the multipliers; those of overused resources rise (Polyak's rule).
    `weights` end at the multipliers of the largest bound.
    """
    modules, resources = count.size, room.size
    best, better, bound = known, False, -np.inf
    own, beyond, picked = weights.copy(), np.empty(resources), np.empty(modules, np.int64)
    range_of = 0.0
    for m in range(modules):
        range_of += np.abs(cost[m, : count[m]]).max()
    moves = MOVES if weights.any() else FIRST_MOVES
    for _ in range(moves):
        here, spent = 0.0, 0.0
        for r in range(resources):
            here -= own[r] * room[r]
            beyond[r] = -room[r]
        for m in range(modules):
            least, at = np.inf, 0
            for i in range(count[m]):
                weighed = _weighed(cost[m, i], uses[m, i], own)
                if weighed < least:
                    least, at = weighed, i
            here += least
            spent += cost[m, at]
            picked[m] = at
            for r in range(resources):
                beyond[r] += uses[m, at, r]
        if here > bound:
            bound = here
            weights[:] = own
        size, within = 0.0, True
        for r in range(resources):
            within = within and beyond[r] <= 0
            # A multiplier of 0 cannot fall.
            if beyond[r] < 0 and own[r] <= 0:
                beyond[r] = 0.0
            size += beyond[r] ** 2
        if within and spent < best:
            best, better = spent, True
            found[:] = picked
        if bound >= best or not size:
            break
        aim = best if best < np.inf else bound + REACH * range_of
        move = max(0.0, aim - here) / size
        for r in range(resources):
            own[r] = min(max(0.0, own[r] + move * beyond[r]), MOST_WEIGHT * range_of)
    return bound, best, better


@compiled
def _weighed(cost: float, uses: Floats, weights: Floats) -> float:
    """The cost of a choice, its uses at the multipliers included."""
    for r in range(weights.size):
        cost += weights[r] * uses[r]
    return cost


SHARES = 1e-9
"""Share of a stock by which sums of shares may miss it, far more than rounding and far less than a machine."""


class Within(NamedTuple):
    """The limits on the choices of a step.

    Attributes:
        through: whether each path goes through a module, shape (paths, modules).
        slo_s: the objective of each path.
        stock: machines of each type; infinite means no limit.
    """

    through: Flags
    slo_s: float
    stock: Floats


class _Frontiers(NamedTuple):
    """Space for the choices of a step that no other one replaces, by module and rising cost.

    Attributes:
        cost: cost of each, shape (modules, longest list), like the next two.
        latency: its latency.
        place: its place among all choices.
        size: number of choices of each module.
    """

    cost: Floats
    latency: Floats
    place: Ints
    size: Ints


@compiled
def cheapest_steps(
    choices: Choices, prices: Floats, worth: Floats, within: Within, least: Floats, chosen: Ints, weights: Floats
) -> None:
    """The cheapest choices of all steps, each within the stock.

    Args:
        choices: the choices of the modules.
        prices: price of a machine, shape (steps, modules, types).
        worth: money that a second of latency brings, shape (steps, modules).
        within: the limits.
        least: output, a lower bound of each step, infinite if no choices keep the SLO within the stock.
        chosen: known choices that keep both, shape (steps, modules), -1 if there are none; replaced by the cheapest
            ones.
        weights: known multipliers or 0, replaced by better ones: money per SLO on each path and per stock of each
            limited type, shape (steps, paths + limited types).
    """
    steps, modules = chosen.shape
    first, stock, longest = choices.first, within.stock, 0
    for k in range(steps):
        for m in range(modules):
            longest = max(longest, first[k, m, 1] - first[k, m, 0])
    limited = np.flatnonzero(np.isfinite(stock))
    # Space for the longest list is allocated once, since steps are many and short.
    left = _Frontiers(
        np.empty((modules, longest)),
        np.empty((modules, longest)),
        np.empty((modules, longest), np.int64),
        np.empty(modules, np.int64),
    )
    found, paths = np.empty(modules, np.int64), within.through.shape[0]
    uses, room = np.empty((modules, longest, paths + limited.size)), np.ones(paths + limited.size)
    for t in range(limited.size):
        # Shares that add up to the whole stock may exceed 1 by rounding, and one more machine exceeds it by far more.
        room[paths + t] = min(1.0, stock[limited[t]]) * (1.0 + SHARES)
    for k in range(steps):
        for m in range(modules):
            _frontier(choices, k, m, prices[k, m], worth[k, m], limited, left)
        _use(choices.vectors, left, within, limited, uses)
        known = _cost(choices, prices[k], worth[k], chosen[k])
        least[k], better = cheapest_of_each(left.cost, uses, left.size, room, known, weights[k], found)
        if better:
            for m in range(modules):
                chosen[k, m] = left.place[m, found[m]]


@compiled
def _cost(choices: Choices, prices: Floats, worth: Floats, chosen: Ints) -> float:
    """The cost of known choices of a step; infinite if there are none.

    This start pays off, since the search ends at once if nothing is cheaper.
    """
    cost = 0.0
    for m in range(chosen.size):
        if chosen[m] < 0:
            return np.inf
        cost -= worth[m] * choices.latency_s[chosen[m]]
        for h in range(prices.shape[1]):
            cost += prices[m, h] * choices.vectors[chosen[m], h]
    return cost


@compiled
def _use(vectors: Ints, left: _Frontiers, within: Within, limited: Ints, uses: Floats) -> None:
    """Write each choice's use of each path's SLO and of the stock of each limited type, as a share of it."""
    paths = within.through.shape[0]
    for m in range(left.size.size):
        for i in range(left.size[m]):
            for p in range(paths):
                uses[m, i, p] = left.latency[m, i] / within.slo_s if within.through[p, m] else 0.0
            for t in range(limited.size):
                used = vectors[left.place[m, i], limited[t]]
                uses[m, i, paths + t] = used / max(1.0, within.stock[limited[t]])


@compiled
def _frontier(choices: Choices, k: int, m: int, prices: Floats, worth: float, limited: Ints, left: _Frontiers) -> None:
    """Write the choices of module m in step k that no other one replaces, the cheapest first.

    A choice replaces another one if it is as fast, costs no more and has no more machines of any limited type.
    """
    vectors, latency_s = choices.vectors, choices.latency_s
    cost, latency, place = left.cost[m], left.latency[m], left.place[m]
    size = 0
    for i in range(choices.first[k, m, 0], choices.first[k, m, 1]):
        own = -worth * latency_s[i]
        for h in range(prices.size):
            own += prices[h] * vectors[i, h]
        # Latencies rise, so only choices before this one are as fast; those that cost no more are last.
        at, replaced = size, False
        while at > 0 and cost[at - 1] <= own and not replaced:
            at -= 1
            replaced = True
            for h in limited:
                if vectors[place[at], h] > vectors[i, h]:
                    replaced = False
                    break
        if replaced:
            continue
        # Without a stock the cheapest of the equally fast ones is enough.
        if size and not limited.size and latency_s[i] == latency[size - 1]:
            size, at = size - 1, at - 1
        for j in range(size, at, -1):
            cost[j], latency[j], place[j] = cost[j - 1], latency[j - 1], place[j - 1]
        cost[at], latency[at], place[at] = own, latency_s[i], i
        size += 1
    # The cheapest one is last, so the list is reversed.
    for i in range(size // 2):
        j = size - 1 - i
        cost[i], cost[j] = cost[j], cost[i]
        latency[i], latency[j] = latency[j], latency[i]
        place[i], place[j] = place[j], place[i]
    left.size[m] = size
