"""Latency splitting over steps and lines: one latency per module, longest path within the SLO, least cost (compiled).

Ours. What is known of a module's cost is a lower bound by rising latency: points, each followed by a step (the cost
stays until the next point) or by a straight line to the next point. Steps alone are *modes*. Branch and bound on the
linear relaxation over the lower convex hull of the points: where the hull is cheaper than what the points and lines say
at a module's window, its range of points is cut there. A latency on a line is taken as it is, one on a step rounded
down to its point. A range is cut at a point that belongs to both parts if a line leads away from it, so that every
latency of the range is in one of the parts.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from euclio.core.compiled import compiled, is_past, total_of
from euclio.session.arrays import TIE, UNLIMITED, Floats, Ints, SessionArrays
from euclio.session.latency.dispatch import path_times
from formulations.session.split.modes import Modes, mode_within
from formulations.session.split.open_ranges import least_bound, open_root, with_children
from formulations.session.split.relaxation import Relaxation, relax
from formulations.tolerances import ABOVE_HULL

Flags = NDArray[np.bool_]

NODES_BETWEEN_CLOCKS = 256
"""Nodes between two looks at the clock, of a session of one module; of a larger one so many fewer."""


class Choice(NamedTuple):
    """The cheapest choice of one latency per module that a search found, and what it proves.

    Attributes:
        cost: cost per hour of the best choice below the given upper bound; infinite: none.
        chosen: last point at or before the latency of each module in it, shape (modules,).
        latency: latency of each module in seconds, shape (modules,).
        bound: lower bound on every choice, no more than the given upper bound.
        nodes: nodes of the search.
        complete: whether the search was exhausted.
    """

    cost: float
    chosen: Ints
    latency: Floats
    bound: float
    nodes: int
    complete: bool


class _Taken(NamedTuple):
    """What each module takes.

    Attributes:
        chosen: last point at or before its latency, shape (modules,), like the next ones.
        latency: its latency in seconds.
        cost: the bound on its cost per hour there.
    """

    chosen: Ints
    latency: Floats
    cost: Floats


@compiled
def no_lines(modes: Modes) -> Flags:
    """No line leads from any point to the next one: all are steps; shape (modules, capacity)."""
    return np.zeros(modes.latency.shape, np.bool_)


@compiled
def search_choices(
    s: SessionArrays,
    modes: Modes,
    leads: Flags,
    upper: float,
    tolerance: float,
    deadline: float,
    most_nodes: int = UNLIMITED,
) -> Choice:
    """The cheapest choice of one latency per module below `upper`, by branch and bound on the linear relaxation.

    Args:
        s: the session, of which only the DAG and the SLO matter.
        modes: points by rising latency and falling cost.
        leads: whether a line leads from a point to the next one, shape (modules, capacity) (`no_lines`).
        upper: only choices cheaper than this, money per hour, are of interest.
        tolerance: choices that are cheaper than the best one found by less than this share are not looked for.
        deadline: seconds on `clock` at which to stop; infinite: never.
        most_nodes: nodes after which to stop.

    Returns:
        The choice and the bound. Choices that the tolerance passed over may cost less than the bound, by that share.
    """
    modules = s.rate.size
    ranges, size, nodes = open_root(modes.size), 1, 0
    best, best_chosen, best_latency = np.inf, np.zeros(modules, np.int64), np.zeros(modules)
    below = upper * (1.0 - tolerance)
    between = max(1, NODES_BETWEEN_CLOCKS // modules)
    while size > 0 and nodes < most_nodes:
        if nodes % between == between - 1 and is_past(deadline):
            break
        size -= 1
        # Prune: the bound of the node's parent was found while the best choice was still more expensive.
        if ranges.bound[size] > below:
            continue
        nodes += 1
        first, last = ranges.first[size].copy(), ranges.last[size].copy()
        relaxed = relax(s, modes, first, last)
        # Prune: bounds of `relax` have their rounding taken off already, so they need no margin here.
        if relaxed.bound > below:
            continue
        _trim(modes, leads, relaxed, first, last, below)
        taken, cost = _within_windows(s, modes, leads, relaxed.window, first, last)
        if cost < best and cost <= below:
            best, best_chosen, best_latency = cost, taken.chosen, taken.latency
            below = min(below, best * (1.0 - tolerance))
        # The choice just found may have brought the limit below the bound.
        if relaxed.bound > below:
            continue
        m, at = _branching(modes, leads, relaxed, first, last)
        if m < 0 and cost > relaxed.bound * (1.0 + tolerance):
            # The hull says that its latencies should have done; where they have not, nothing is proven: halve.
            m, at = _widest(leads, first, last)
        # Either the choice found costs what the bound says, so that nothing here is cheaper; or no range can be cut, so
        # that each is a line, on which the relaxation is exact but for rounding, or a point, and the points miss the
        # SLO by more than a `TIE`.
        if m < 0:
            continue
        # A point that a line leads away from belongs to both parts.
        right_first = at if leads[m, at] else at + 1
        ranges = with_children(ranges, size, first, last, relaxed.bound, m, at, right_first)
        size += 2
    # Nodes that were pruned cost more than `below`, which is `upper` or `best` less the tolerance; those open cost more
    # than their bounds.
    bound = least_bound(ranges, size, min(upper, best))
    return Choice(best, best_chosen, best_latency, bound, nodes, size == 0)


@compiled
def round_to_modes(s: SessionArrays, modes: Modes, window: Floats) -> tuple[Ints, float]:
    """The cheapest mode of each module within its window, then greedily cheaper ones within what is left.

    Args:
        s: the session, of which only the DAG and the SLO matter.
        modes: modes by rising latency and falling cost, at least one of each module.
        window: latencies that together meet the SLO, in seconds, shape (modules,).

    Returns:
        Mode per module, shape (modules,), and the total cost per hour; infinite: they miss the SLO by more than a
        `TIE`.
    """
    first = np.zeros(window.size, np.int64)
    taken, cost = _within_windows(s, modes, no_lines(modes), window, first, modes.size - 1)
    return taken.chosen, cost


@compiled
def reduced_cost(modes: Modes, relaxed: Relaxation, m: int, i: int) -> float:
    """By how much the relaxation's bound rises if module m has to take point i, in money per hour.

    It is a sum of three terms, each rounded once. The bound has the rounding of more terms of that size taken off than
    it is made of (`relax`), so the sum of both errs low.
    """
    return float(modes.cost[m, i] + relaxed.flow[m] * modes.latency[m, i] - relaxed.base[m])


@compiled
def _bound_at(modes: Modes, leads: Flags, m: int, i: int, latency: float) -> float:
    """The bound on module m's cost per hour at a latency in seconds, from point i to the next one."""
    if not leads[m, i]:
        return float(modes.cost[m, i])
    width, fall = modes.latency[m, i + 1] - modes.latency[m, i], modes.cost[m, i] - modes.cost[m, i + 1]
    share = min(1.0, max(0.0, (latency - modes.latency[m, i]) / width))
    return float(modes.cost[m, i] - share * fall)


@compiled
def _point_before(modes: Modes, m: int, latency: float, first: Ints, last: Ints) -> int:
    """The last point of a module's range that is not after a latency; the first one where all are."""
    return int(max(first[m], min(mode_within(modes, m, latency * (1.0 + TIE)), last[m])))


@compiled
def _within_windows(
    s: SessionArrays, modes: Modes, leads: Flags, window: Floats, first: Ints, last: Ints
) -> tuple[_Taken, float]:
    """Latencies within the windows, then greedily cheaper ones within what is left.

    Args:
        s: the session, of which only the DAG and the SLO matter.
        modes: points by rising latency and falling cost.
        leads: whether a line leads from a point to the next one, shape (modules, capacity).
        window: latencies that together meet the SLO, in seconds, shape (modules,).
        first: first allowed point per module.
        last: last allowed point per module.

    Returns:
        What each module takes, and the total cost per hour; infinite: they miss the SLO by more than a `TIE`.
    """
    modules = s.rate.size
    taken = _Taken(np.zeros(modules, np.int64), np.zeros(modules), np.zeros(modules))
    for m in range(modules):
        _take(modes, leads, m, window[m], first, last, taken)
    before, after = np.zeros(modules), np.zeros(modules)
    while True:
        if path_times(s, taken.latency, before, after) > s.slo * (1.0 + TIE):
            return taken, np.inf
        # One module after the other takes what the paths leave; the one that saves most goes first.
        best_saving, best = 0.0, -1
        for m in range(modules):
            room = s.slo - before[m] - after[m]
            if room <= taken.latency[m]:
                continue
            i = _point_before(modes, m, room, first, last)
            saving = taken.cost[m] - (_bound_at(modes, leads, m, i, room) if i < last[m] else modes.cost[m, i])
            # Along a line a `TIE` of the cost is rounding: the next point may never be reached.
            if saving > best_saving and (i > taken.chosen[m] or saving > TIE * taken.cost[m]):
                best_saving, best = saving, m
        if best < 0:
            break
        _take(modes, leads, best, s.slo - before[best] - after[best], first, last, taken)
    return taken, total_of(taken.cost)


@compiled
def _take(modes: Modes, leads: Flags, m: int, room: float, first: Ints, last: Ints, taken: _Taken) -> None:
    """Let module m take the cheapest latency of its range within a room in seconds; its entries are written."""
    i = _point_before(modes, m, room, first, last)
    latency, cost = modes.latency[m, i], modes.cost[m, i]
    if i < last[m] and leads[m, i]:
        latency = min(max(room, latency), modes.latency[m, i + 1])
        cost = _bound_at(modes, leads, m, i, latency)
    taken.chosen[m], taken.latency[m], taken.cost[m] = i, latency, cost


@compiled
def _trim(modes: Modes, leads: Flags, relaxed: Relaxation, first: Ints, last: Ints, below: float) -> None:
    """Drop points at both ends of the ranges whose reduced cost alone lifts the bound above `below`; in place.

    A line is dropped with the point at its end if its other end is to be dropped too: reduced costs are linear along
    it, so that none in between is less than both. The bound has more rounding taken off than reduced costs have.
    """
    for m in range(first.size):
        while first[m] < last[m] and reduced_cost(modes, relaxed, m, first[m]) + relaxed.bound > below:
            if leads[m, first[m]] and reduced_cost(modes, relaxed, m, first[m] + 1) + relaxed.bound <= below:
                break
            first[m] += 1
        while last[m] > first[m] and reduced_cost(modes, relaxed, m, last[m]) + relaxed.bound > below:
            if leads[m, last[m] - 1] and reduced_cost(modes, relaxed, m, last[m] - 1) + relaxed.bound <= below:
                break
            last[m] -= 1


@compiled
def _widest(leads: Flags, first: Ints, last: Ints) -> tuple[int, int]:
    """The module with the most points left and where to cut its range; (-1, -1): none can be cut."""
    best, at = -1, -1
    for m in range(first.size):
        if best < 0 or last[m] - first[m] > last[best] - first[best]:
            cut = _cut_near(leads, m, (first[m] + last[m]) // 2, first, last)
            if cut >= 0:
                best, at = m, cut
    return best, at


@compiled
def _cut_near(leads: Flags, m: int, i: int, first: Ints, last: Ints) -> int:
    """Where to cut a module's range so that both parts are smaller: at point i or the next one; -1: nowhere."""
    if i >= last[m]:
        return -1
    if not leads[m, i] or i > first[m]:
        return i
    return i + 1 if i + 1 < last[m] else -1


@compiled
def _branching(modes: Modes, leads: Flags, relaxed: Relaxation, first: Ints, last: Ints) -> tuple[int, int]:
    """Module whose bound at its window is highest above the hull, and where to cut its range; (-1, -1): none is."""
    best, best_m, best_at = ABOVE_HULL * relaxed.bound, -1, -1
    for m in range(first.size):
        i = _point_before(modes, m, relaxed.window[m], first, last)
        cut = _cut_near(leads, m, i, first, last)
        if cut < 0:
            continue
        excess = _bound_at(modes, leads, m, i, relaxed.window[m]) - relaxed.hull[m]
        if excess > best:
            best, best_m, best_at = excess, m, cut
    return best_m, best_at
