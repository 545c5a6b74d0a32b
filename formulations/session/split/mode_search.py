"""Latency splitting over given modes: one mode per module, longest path within the SLO, least cost (compiled, ours).

Branch and bound on the linear relaxation: where the hull is cheaper than the best mode within the window, branch on
that window.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from euclio.core.compiled import compiled, is_past
from euclio.session.arrays import TIE, UNLIMITED, Floats, Ints, SessionArrays
from euclio.session.latency.dispatch import path_times
from formulations.session.split.modes import Modes, mode_within
from formulations.session.split.open_ranges import least_bound, open_root, with_children
from formulations.session.split.relaxation import Relaxation, relax
from formulations.tolerances import ABOVE_HULL

NODES_BETWEEN_CLOCKS = 256
"""Nodes between two looks at the clock, of a session of one module; of a larger one so many fewer."""


class ModeChoice(NamedTuple):
    """The cheapest choice of one mode per module that a search found, and what it proves.

    Attributes:
        cost: cost per hour of the best choice below the given upper bound; infinite: none.
        chosen: number of the mode of each module in it, shape (modules,).
        bound: lower bound on every choice, no more than the given upper bound.
        nodes: nodes of the search.
        complete: whether the search was exhausted.
    """

    cost: float
    chosen: Ints
    bound: float
    nodes: int
    complete: bool


@compiled
def search_modes(
    s: SessionArrays, modes: Modes, upper: float, tolerance: float, deadline: float, most_nodes: int = UNLIMITED
) -> ModeChoice:
    """The cheapest choice of one mode per module below `upper`, by branch and bound on the linear relaxation.

    Args:
        s: the session, of which only the DAG and the SLO matter.
        modes: modes by rising latency and falling cost.
        upper: only choices cheaper than this, money per hour, are of interest.
        tolerance: choices that are cheaper than the best one found by less than this share are not looked for.
        deadline: seconds on `clock` at which to stop; infinite: never.
        most_nodes: nodes after which to stop.

    Returns:
        The choice and the bound. Choices that the tolerance passed over may cost less than the bound, by that share.
    """
    modules = s.rate.size
    ranges, size, nodes = open_root(modes.size), 1, 0
    best, best_chosen = np.inf, np.zeros(modules, np.int64)
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
        _trim(modes, relaxed, first, last, below)
        chosen, cost = round_to_modes(s, modes, relaxed.window, first, last)
        if cost < best and cost <= below:
            best, best_chosen = cost, chosen
            below = min(below, best * (1.0 - tolerance))
        m, at = _branching(s, modes, relaxed, first, last)
        # The choice just found may have brought the limit below the bound.
        if relaxed.bound > below:
            continue
        if m < 0 and cost > relaxed.bound * (1.0 + tolerance):
            # The hull says that rounding should have done; where it has not, nothing is proven: go on by halves.
            m, at = _widest(first, last)
        # Either the choice found costs what the bound says, so that nothing here is cheaper; or one mode is left per
        # module, and they miss the SLO by more than a `TIE`.
        if m < 0:
            continue
        ranges = with_children(ranges, size, first, last, relaxed.bound, m, at, at + 1)
        size += 2
    # Nodes that were pruned cost more than `below`, which is `upper` or `best` less the tolerance; those open cost more
    # than their bounds.
    bound = least_bound(ranges, size, min(upper, best))
    return ModeChoice(best, best_chosen, bound, nodes, size == 0)


@compiled
def round_to_modes(s: SessionArrays, modes: Modes, window: Floats, first: Ints, last: Ints) -> tuple[Ints, float]:
    """The cheapest mode of each module within its window, then greedily cheaper ones within what is left.

    Args:
        s: the session.
        modes: modes by rising latency and falling cost.
        window: latencies that together meet the SLO, in seconds.
        first: first allowed mode per module.
        last: last allowed mode per module.

    Returns:
        Mode per module, shape (modules,), and the total cost per hour; infinite: they miss the SLO by more than a
        `TIE`.
    """
    modules = s.rate.size
    chosen, latency = np.zeros(modules, np.int64), np.zeros(modules)
    for m in range(modules):
        # A window is never below the first mode but by rounding, which counts where the other modules take much longer.
        chosen[m] = max(first[m], min(mode_within(modes, m, window[m] * (1.0 + TIE)), last[m]))
        latency[m] = modes.latency[m, chosen[m]]
    before, after = np.zeros(modules), np.zeros(modules)
    while True:
        if path_times(s, latency, before, after) > s.slo * (1.0 + TIE):
            return chosen, np.inf
        # One module after the other takes what the paths leave; the one that saves most goes first.
        best_saving, best, best_mode = 0.0, -1, -1
        for m in range(modules):
            room = s.slo * (1.0 + TIE) - before[m] - after[m]
            i = min(mode_within(modes, m, room), last[m])
            saving = modes.cost[m, chosen[m]] - modes.cost[m, i] if i > chosen[m] else 0.0
            if saving > best_saving:
                best_saving, best, best_mode = saving, m, i
        if best < 0:
            break
        chosen[best], latency[best] = best_mode, modes.latency[best, best_mode]
    total = 0.0
    for m in range(modules):
        total += modes.cost[m, chosen[m]]
    return chosen, total


@compiled
def _trim(modes: Modes, relaxed: Relaxation, first: Ints, last: Ints, below: float) -> None:
    """Drop modes at both ends of the ranges whose reduced cost alone lifts the bound above `below`; in place.

    A reduced cost is a sum of three terms, each rounded once. The bound has the rounding of more terms of that size
    taken off than it is made of (`relax`), so the sum of both errs low, and no mode of a choice below is dropped.
    """
    for m in range(first.size):
        while first[m] < last[m] and reduced_cost(modes, relaxed, m, first[m]) + relaxed.bound > below:
            first[m] += 1
        while last[m] > first[m] and reduced_cost(modes, relaxed, m, last[m]) + relaxed.bound > below:
            last[m] -= 1


@compiled
def reduced_cost(modes: Modes, relaxed: Relaxation, m: int, i: int) -> float:
    """By how much the relaxation's bound rises if module m has to take mode i, in money per hour."""
    return float(modes.cost[m, i] + relaxed.flow[m] * modes.latency[m, i] - relaxed.base[m])


@compiled
def _widest(first: Ints, last: Ints) -> tuple[int, int]:
    """The module with the most modes left and the middle one of them; (-1, -1): each has one."""
    best, at = -1, -1
    for m in range(first.size):
        if last[m] > first[m] and (best < 0 or last[m] - first[m] > last[best] - first[best]):
            best, at = m, (first[m] + last[m]) // 2
    return best, at


@compiled
def _branching(s: SessionArrays, modes: Modes, relaxed: Relaxation, first: Ints, last: Ints) -> tuple[int, int]:
    """Module whose best mode within its window costs most above the hull, and that mode; (-1, -1): none does."""
    best, best_m, best_at = ABOVE_HULL * relaxed.bound, -1, -1
    for m in range(first.size):
        at = min(mode_within(modes, m, relaxed.window[m] * (1.0 + TIE)), last[m])
        # The module may take its cheapest mode: there is nothing to decide.
        if at >= last[m]:
            continue
        # A window short of the first mode is so by rounding only.
        if at < first[m]:
            at = first[m]
            if at >= last[m]:
                continue
        excess = modes.cost[m, at] - relaxed.hull[m]
        if excess > best:
            best, best_m, best_at = excess, m, at
    return best_m, best_at
