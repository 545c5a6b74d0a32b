"""The cheapest choice of one vector of machines per module within the SLO, in every step of a load (compiled, ours).

A module has a list of choices per step: vectors of machines with the latency that they have. Given a price for each
machine of each module, the cheapest choices that keep the SLO on all paths, and the stock, are those of one of each
list within what there is (`cheapest_of_each`).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from euclio.core.compiled import compiled
from formulations.day.choices import Choices

# The cheapest choice of one of each list within what there is of some resources (compiled, ours).
#
# A multiple-choice knapsack with several resources. A price on each resource (Lagrange's multipliers) bounds what all
# choices cost, and says of every one how much more than that those with it cost at least: most are out of the question
# before the lists are searched, depth first.

Flags = NDArray[np.bool_]
Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

MOST_NODES = 100_000
"""Nodes of a search; beyond, the bound is that of the multipliers."""
FIRST_MOVES, MOVES = 30, 6
"""Moves of the multipliers where none are known, and from those of a search before."""
REACH = 0.05
"""Where no choices are known, the multipliers aim so much above the bound, as a share of what choices cost."""
MOST_WEIGHT = 100.0
"""Multipliers take no more than so many times what all choices cost for the whole SLO or stock: beyond, floats that
are subtracted from each other lose digits."""


@compiled
def cheapest_of_each(
    cost: Floats, uses: Floats, count: Ints, room: Floats, known: float, weights: Floats, found: Ints
) -> tuple[float, bool]:
    """A lower bound on one choice per module within all room, and whether `found` has cheaper ones than are known.

    The bound is what they cost unless the search was too long.

    Args:
        cost: cost of each choice, shape (modules, choices).
        uses: what it takes of each resource, shape (modules, choices, resources).
        count: choices of each module.
        room: what there is of each resource.
        known: what choices within the room cost that are known; infinite if none are.
        weights: multipliers of the resources, to be replaced by better ones.
        found: to be filled with the cheapest choices.
    """
    modules, resources = count.size, room.size
    # A list without a choice, or more taken by the least of all lists than there is.
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
    """Choices that are left, those that cost least at the multipliers first.

    Attributes:
        reduced: what each costs at them, shape (modules, choices).
        place: which choice it is.
        size: number of choices of each module.
    """

    reduced: Floats
    place: Ints
    size: Ints


@compiled
def _left(cost: Floats, uses: Floats, count: Ints, weights: Floats, most: float) -> _Lists:
    """The choices that may be cheaper than the best ones.

    Those that cost by `most` more at the multipliers than the cheapest one of their list are not, whatever the others
    are.
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
    """What the cheapest choices cost that cost less than `best`, which are written to `found`; else `best`.

    Depth first; whether the search came to its end is said as well.
    """
    modules, resources = lists.size.size, room.size
    # Modules with few choices come first: what they exclude is excluded once.
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
        # Choices further on cost more at the multipliers, so that none of them is cheaper than the best ones either.
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
    """What the modules from each depth on cost at least at the multipliers, less all room, and what they take at least.

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
    """The bound of better multipliers, what the best known choices cost, and whether `found` has them.

    Each module takes what is the cheapest for it at the multipliers; those of resources of which all take too much
    rise (Polyak's rule). `weights` are left where the bound was the largest.
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
    """What a choice costs with what it takes at the multipliers."""
    for r in range(weights.size):
        cost += weights[r] * uses[r]
    return cost


SHARES = 1e-9
"""Share of a stock by which sums of shares may miss it: far more than rounding, far less than a machine."""


class Within(NamedTuple):
    """What the choices of a step have to keep.

    Attributes:
        through: which modules each path goes through, shape (paths, modules).
        slo_s: the objective of each path.
        stock: machines of each type; infinite means no limit.
    """

    through: Flags
    slo_s: float
    stock: Floats


class _Frontiers(NamedTuple):
    """Room for the choices of a step that no other one replaces, those of a module by rising cost.

    Attributes:
        cost: what each costs, shape (modules, longest list), like the next two.
        latency: its latency.
        place: which of all choices it is.
        size: how many there are of each module.
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
        choices: what the modules choose from.
        prices: price of a machine, shape (steps, modules, types).
        worth: money that a second of latency brings in, shape (steps, modules).
        within: what they have to keep.
        least: to be filled with a lower bound of each step, infinite where nothing keeps the SLO within the stock.
        chosen: choices that keep both, to begin with, shape (steps, modules), -1 if none are known; to be replaced by
            the cheapest ones.
        weights: multipliers to begin with, 0 where none are known, to be replaced by better ones: money per SLO on each
            path and per stock of each limited type, shape (steps, paths + limited types).
    """
    steps, modules = chosen.shape
    first, stock, longest = choices.first, within.stock, 0
    for k in range(steps):
        for m in range(modules):
            longest = max(longest, first[k, m, 1] - first[k, m, 0])
    limited = np.flatnonzero(np.isfinite(stock))
    # Room for the longest list, taken once: steps are many, and short.
    left = _Frontiers(
        np.empty((modules, longest)),
        np.empty((modules, longest)),
        np.empty((modules, longest), np.int64),
        np.empty(modules, np.int64),
    )
    found, paths = np.empty(modules, np.int64), within.through.shape[0]
    uses, room = np.empty((modules, longest, paths + limited.size)), np.ones(paths + limited.size)
    for t in range(limited.size):
        # Shares that add up to all of the stock may be more than 1 by rounding, and one machine more is more by far.
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
    """What choices of a step cost that are known; infinite if none are.

    It is worth something to begin with: the search ends at once where nothing is cheaper.
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
    """Fill in what each choice takes of each path's SLO and of the stock of each limited type, as a share of it."""
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
    """Fill in the choices of module m in step k that no other one replaces, the cheapest first.

    One that is as fast, costs no more and has no more machines of any type that is limited replaces another.
    """
    vectors, latency_s = choices.vectors, choices.latency_s
    cost, latency, place = left.cost[m], left.latency[m], left.place[m]
    size = 0
    for i in range(choices.first[k, m, 0], choices.first[k, m, 1]):
        own = -worth * latency_s[i]
        for h in range(prices.size):
            own += prices[h] * vectors[i, h]
        # Latencies rise, so only choices before this one are as fast; those that cost no more stand last.
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
        # Without a stock the cheapest one of those that are as fast is enough.
        if size and not limited.size and latency_s[i] == latency[size - 1]:
            size, at = size - 1, at - 1
        for j in range(size, at, -1):
            cost[j], latency[j], place[j] = cost[j - 1], latency[j - 1], place[j - 1]
        cost[at], latency[at], place[at] = own, latency_s[i], i
        size += 1
    # The cheapest one stands last: turned round.
    for i in range(size // 2):
        j = size - 1 - i
        cost[i], cost[j] = cost[j], cost[i]
        latency[i], latency[j] = latency[j], latency[i]
        place[i], place[j] = place[j], place[i]
    left.size[m] = size
