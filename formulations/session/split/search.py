"""Latency splitting over steps and lines: one latency per module, longest path within the SLO, least cost (compiled).

Ours. The known part of a module's cost is a lower bound by rising latency. It consists of points, each followed by a
step (the cost stays until the next point) or by a straight line to the next point. Steps alone are *modes*. The search
is branch and bound on the linear relaxation over the lower convex hull of the points. If the hull at a module's window
is cheaper than the points and lines there, the module's range of points is cut at it. A latency on a line is taken as
it is, one on a step is rounded down to its point. A range is cut at a point that belongs to both parts if a line leads
away from it, so that every latency of the range is in one of the parts.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from euclio.core.compiled import compiled, compiled_in_place, compiled_on_tables, is_past, total_of
from euclio.core.tolerances import TIE
from euclio.problems.session.arrays import UNLIMITED, Floats, Ints, SessionArrays
from euclio.problems.session.latency.dispatch import path_times
from formulations.session.split.course import BETWEEN, Course, note
from formulations.session.split.modes import Modes, mode_within, new_modes
from formulations.session.split.open_ranges import least_bound, open_root, with_children
from formulations.session.split.relaxation import Basis, Relaxation, basis_for, new_basis, relax_from, relax_in_place
from formulations.tolerances import ABOVE_HULL

Flags = NDArray[np.bool_]

DIVED, LEAST_DIVED = 2, 32
"""Nodes per module of the first search for a choice, before goals are set, and the least number over all modules. With
few modules that is mostly the whole search, while each goal takes a relaxation from its own ranges."""
FIRST_GOAL = 1.0 / 32.0
"""The first goal of a search, as a share of the way from the first bound to the largest cost of interest."""
AT_ONCE = 4
"""A goal that takes fewer nodes is no nearer to the optimum than the bound was; the next one is as far from it."""
MORE_NODES = float(np.log(4.0))
"""The next goal is where four times as many nodes are expected, if their logarithm grows with the way to the goal."""
NODES_BETWEEN_CLOCKS = 256
"""Nodes between two looks at the clock for a session of one module; proportionally fewer for a larger one."""


class Choice(NamedTuple):
    """The cheapest choice of one latency per module that a search found, with its proof.

    Attributes:
        cost: cost per hour of the best choice below the given upper bound; infinite means none.
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


class _Offer(NamedTuple):
    """The cheapest choice of any node, at any cost; searches write into it.

    Attributes:
        cost: its cost per hour, shape (1,); infinite means that no node had one.
        chosen: as of `Choice`.
        latency: as of `Choice`.
    """

    cost: Floats
    chosen: Ints
    latency: Floats


class _Root(NamedTuple):
    """The start of all searches below goals.

    Attributes:
        relaxed: the relaxation of all points for which paths leave room.
        basis: starting point of the next relaxation.
        offer: the cheapest choice met so far.
    """

    relaxed: Relaxation
    basis: Basis
    offer: _Offer


class Taken(NamedTuple):
    """The choice of each module.

    Attributes:
        chosen: last point at or before its latency, shape (modules,), like the next ones.
        latency: its latency in seconds.
        cost: the bound on its cost per hour there.
    """

    chosen: Ints
    latency: Floats
    cost: Floats


@compiled
def new_taken(modules: int) -> Taken:
    """Room for the choices of some modules."""
    return Taken(np.zeros(modules, np.int64), np.zeros(modules), np.zeros(modules))


@compiled
def no_lines(modes: Modes) -> Flags:
    """Flags for modes without lines: all are steps; shape (modules, capacity)."""
    return np.zeros(modes.latency.shape, np.bool_)


@compiled
def search_choices(
    s: SessionArrays,
    modes: Modes,
    leads: Flags,
    upper: float,
    tolerance: float,
    deadline: float,
    course: Course,
    most_nodes: int = UNLIMITED,
) -> Choice:
    """The cheapest choice of one latency per module below `upper`, by branch and bound on the linear relaxation.

    After a first search for a choice, goals above the bound are tried in turn, each farther from it than the one
    before, up to the best known choice. Below a near goal most points are ruled out at once, and the last goal takes
    most of the nodes. So about as few nodes are examined as with best-first search, with a short stack, and the bound
    rises on the way.

    Args:
        s: the session, of which only the DAG and the SLO matter.
        modes: points by rising latency and falling cost.
        leads: whether a line leads from a point to the next one, shape (modules, capacity) (`no_lines`).
        upper: only choices cheaper than this, money per hour, are of interest.
        tolerance: choices that are cheaper than the best one found by less than this share are not searched.
        deadline: seconds on `clock` at which to stop; infinite means never.
        course: records the proven bound goal by goal.
        most_nodes: nodes after which to stop.

    Returns:
        The choice and the bound. Choices that the tolerance passed over may cost less than the bound, by that share.
    """
    modules = s.rate.size
    first, last = np.zeros(modules, np.int64), modes.size - 1
    _cut_to_rooms(s, modes, leads, first, last, np.empty((3, modules)))
    basis = new_basis(s, modes)
    relaxed = relax_from(s, modes, first, last, basis)
    # Even the relaxation costs as much as the upper limit, so no choice can be cheaper.
    if relaxed.bound > upper * (1.0 - tolerance):
        return Choice(np.inf, first, np.zeros(modules), min(relaxed.bound, upper), 1, True)
    offer = _Offer(np.full(1, np.inf), np.zeros(modules, np.int64), np.zeros(modules))
    root = _Root(relaxed, basis, offer)
    # A first search of few nodes: small sessions end here, and in others its choice limits the goals.
    first_look = min(most_nodes, max(DIVED * modules, LEAST_DIVED))
    best = _search_below(s, modes, leads, root, upper, tolerance, deadline, first_look)
    bound, nodes = max(relaxed.bound, best.bound), best.nodes
    if best.complete:
        return best
    upper = min(upper, best.cost)
    base, step = relaxed.bound, FIRST_GOAL * (upper - relaxed.bound)
    while True:
        # Without any known choice there is nothing by which to set goals.
        goal = min(upper, base + step) if np.isfinite(upper) else np.inf
        left = most_nodes - nodes
        found = _search_below(s, modes, leads, root, goal, tolerance, deadline, left)
        nodes += found.nodes
        bound = max(bound, found.bound)
        # The search leaves out choices that are cheaper by less than the tolerance.
        note(course, np.inf, bound * (1.0 - tolerance), course.counts[1] + BETWEEN)
        ends = not found.complete or goal == upper
        if np.isfinite(found.cost):
            best = found
        elif offer.cost[0] < upper:
            # It costs more than the goal, and less than all known choices: no goal needs to be set beyond it.
            upper = offer.cost[0]
            best = Choice(upper, offer.chosen.copy(), offer.latency.copy(), found.bound, found.nodes, False)
        if np.isfinite(found.cost) or ends:
            return Choice(best.cost, best.chosen, best.latency, bound, nodes, found.complete)
        if found.nodes < AT_ONCE:
            base = goal
        else:
            # Few nodes prove little about the growth of their number, so the way is at most doubled.
            step *= 1.0 + MORE_NODES / max(MORE_NODES, np.log(found.nodes))


@compiled
def _live_points(modes: Modes, leads: Flags, root: Relaxation, below: float) -> tuple[Modes, Flags, Ints]:
    """The points whose reduced costs do not lift the root's bound above `below`, or that a line touches.

    Returns:
        The points, whether lines lead away from them, and their numbers among all, shape (modules, capacity).
    """
    modules, most = modes.latency.shape
    number, size = np.empty((modules, most), np.int64), np.zeros(modules, np.int64)
    for m in range(modules):
        for i in range(modes.size[m]):
            # A line needs both its ends, at any cost.
            touched = leads[m, i] or (i > 0 and leads[m, i - 1])
            if touched or reduced_cost(modes, root, m, i) + root.bound <= below:
                number[m, size[m]] = i
                size[m] += 1
    most = max(1, size.max())
    kept, kept_leads = new_modes(modules, most), np.zeros((modules, most), np.bool_)
    for m in range(modules):
        kept.size[m] = size[m]
        for i in range(size[m]):
            j = number[m, i]
            kept.latency[m, i], kept.cost[m, i], kept.plan[m, i] = (
                modes.latency[m, j],
                modes.cost[m, j],
                modes.plan[m, j],
            )
            kept_leads[m, i] = leads[m, j]
    return kept, kept_leads, number


@compiled
def _search_below(
    s: SessionArrays,
    all_modes: Modes,
    all_leads: Flags,
    root: _Root,
    upper: float,
    tolerance: float,
    deadline: float,
    most_nodes: int,
) -> Choice:
    """The cheapest choice below `upper`, depth first; other arguments than `root` as those of `search_choices`."""
    modules = s.rate.size
    below = upper * (1.0 - tolerance)
    modes, leads, number = _live_points(all_modes, all_leads, root.relaxed, below)
    basis = basis_for(root.basis, modes)
    ranges, size, nodes = open_root(modes.size), 1, 0
    best, best_chosen, best_latency = np.inf, np.zeros(modules, np.int64), np.zeros(modules)
    room, between = np.empty((7, modules)), max(1, NODES_BETWEEN_CLOCKS // modules)
    taken, columns, times = new_taken(modules), room[:4], room[4:]
    while size > 0 and nodes < most_nodes:
        if nodes % between == between - 1 and is_past(deadline):
            break
        size -= 1
        # Prune: the bound of the node's parent was found while the best choice was still more expensive.
        if ranges.bound[size] > below:
            continue
        nodes += 1
        # Ranges are cut in place below, and the rows of the stack are the next nodes to be written.
        first, last = ranges.first[size].copy(), ranges.last[size].copy()
        lower = _tightened(s, modes, leads, first, last, basis, below, room)
        # Prune: bounds of `relax` have their rounding subtracted already, so they need no margin here.
        if lower > below:
            continue
        relaxed = Relaxation(lower, columns[0], columns[1], columns[2], columns[3])
        # Windows keep the SLO together, so every node has a choice to offer, most of them within the SLO.
        cost = take_within(s, modes, leads, relaxed.window, first, last, taken, times)
        if cost < best and cost <= below:
            best, best_chosen[:], best_latency[:] = cost, taken.chosen, taken.latency
            below = min(below, best * (1.0 - tolerance))
        _keep(root.offer, cost, taken, number)
        # The choice just found may have brought the limit below the bound.
        if relaxed.bound > below:
            continue
        m, at = _branch(modes, leads, relaxed, first, last)
        if m < 0 and cost > relaxed.bound * (1.0 + tolerance):
            # By the hull its latencies should have worked; as they have not, nothing is proven, and it is halved.
            m, at = _widest(leads, first, last)
        # Either the choice found costs as much as the bound, so nothing here is cheaper. Or no range can be cut, so
        # each range is a line, on which the relaxation is exact up to rounding, or a point. Then the points miss the
        # SLO by more than a `TIE`.
        if m < 0:
            continue
        left_last, right_first = _parts(modes, leads, relaxed, m, at, first, last, below)
        ranges = with_children(ranges, size, first, last, relaxed.bound, m, left_last, right_first)
        size += 2
    # Nodes that were pruned cost more than `below`, which is `upper` or `best` less the tolerance; open nodes cost more
    # than their bounds.
    bound = least_bound(ranges, size, min(upper, best))
    for m in range(modules):
        best_chosen[m] = number[m, best_chosen[m]]
    return Choice(best, best_chosen, best_latency, bound, nodes, size == 0)


@compiled_in_place
def _keep(offer: _Offer, cost: float, taken: Taken, number: Ints) -> None:
    """Keep the choice of a node if nothing cheaper is kept; `number` has the numbers of its points among all points."""
    if cost < offer.cost[0]:
        offer.cost[0] = cost
        for m in range(number.shape[0]):
            offer.chosen[m], offer.latency[m] = number[m, taken.chosen[m]], taken.latency[m]


@compiled_in_place
def _tightened(
    s: SessionArrays,
    modes: Modes,
    leads: Flags,
    first: Ints,
    last: Ints,
    basis: Basis,
    below: float,
    room: Floats,
) -> float:
    """The bound of ranges, which are cut to the points that it leaves, repeated as long as that lets paths cut more.

    Faster points go if they cost too much, and then slower ones of other modules have no room next to the rest. The
    arrays of the relaxation are written into the first four rows of `room`, shape (7, modules).
    """
    columns, times = room[:4], room[4:]
    _cut_to_rooms(s, modes, leads, first, last, times)
    while True:
        bound = relax_in_place(s, modes, first, last, basis, columns)
        if bound > below:
            return bound
        relaxed = Relaxation(bound, columns[0], columns[1], columns[2], columns[3])
        _trim(modes, leads, relaxed, first, last, below)
        if not _cut_to_rooms(s, modes, leads, first, last, times):
            return bound


@compiled_on_tables
def _parts(
    modes: Modes, leads: Flags, relaxed: Relaxation, m: int, at: int, first: Ints, last: Ints, below: float
) -> tuple[int, int]:
    """The last point of the left part and the first one of the right part of module m's range cut at a point.

    Points next to the cut whose reduced cost alone lifts the bound above `below` are in neither part. A point that a
    line leads away from belongs to both parts.
    """
    if leads[m, at]:
        return at, at
    left_last, right_first = at, at + 1
    while left_last > first[m] and not leads[m, left_last - 1]:
        if reduced_cost(modes, relaxed, m, left_last) + relaxed.bound <= below:
            break
        left_last -= 1
    while right_first < last[m] and not leads[m, right_first]:
        if reduced_cost(modes, relaxed, m, right_first) + relaxed.bound <= below:
            break
        right_first += 1
    return left_last, right_first


@compiled_on_tables
def reduced_cost(modes: Modes, relaxed: Relaxation, m: int, i: int) -> float:
    """The rise of the relaxation's bound if module m has to take point i, in money per hour.

    It is a sum of three terms, each rounded once. The rounding subtracted from the bound is that of more terms of that
    size than the bound has (`relax`), so the sum of both errs low.
    """
    return float(modes.cost[m, i] + relaxed.flow[m] * modes.latency[m, i] - relaxed.base[m])


@compiled_on_tables
def _bound_at(modes: Modes, leads: Flags, m: int, i: int, latency: float) -> float:
    """The bound on module m's cost per hour at a latency in seconds, from point i to the next one."""
    if not leads[m, i]:
        return float(modes.cost[m, i])
    width, fall = modes.latency[m, i + 1] - modes.latency[m, i], modes.cost[m, i] - modes.cost[m, i + 1]
    share = min(1.0, max(0.0, (latency - modes.latency[m, i]) / width))
    return float(modes.cost[m, i] - share * fall)


@compiled_on_tables
def _point_before(modes: Modes, m: int, latency: float, first: Ints, last: Ints) -> int:
    """The last point of a module's range that is not after a latency; the first one where all are."""
    return int(max(first[m], min(mode_within(modes, m, latency * (1.0 + TIE)), last[m])))


@compiled_in_place
def take_within(
    s: SessionArrays,
    modes: Modes,
    leads: Flags,
    window: Floats,
    first: Ints,
    last: Ints,
    taken: Taken,
    times: Floats,
) -> float:
    """Latencies within the windows, then greedily cheaper ones within the rest.

    Args:
        s: the session, of which only the DAG and the SLO matter.
        modes: points by rising latency and falling cost.
        leads: whether a line leads from a point to the next one, shape (modules, capacity).
        window: latencies that together meet the SLO, in seconds, shape (modules,).
        first: first allowed point per module.
        last: last allowed point per module.
        taken: room for the choice of each module.
        times: room for figures of modules, shape (2 or more, modules).

    Returns:
        The total cost per hour; infinite means that they miss the SLO by more than a `TIE`.
    """
    modules, before, after = s.rate.size, times[0], times[1]
    for m in range(modules):
        _take(modes, leads, m, window[m], first, last, taken)
    while True:
        # If a range has no point within its window, its first one is taken, and the paths may be too long.
        if path_times(s, taken.latency, before, after) > s.slo * (1.0 + TIE):
            return np.inf
        # One module after the other takes the rest that the paths leave; the one that saves most goes first.
        best_saving, best = 0.0, -1
        for m in range(modules):
            room = s.slo - before[m] - after[m]
            if room <= taken.latency[m]:
                continue
            i = _point_before(modes, m, room, first, last)
            # A line that leaves the range's last point belongs to another node.
            saving = taken.cost[m] - (_bound_at(modes, leads, m, i, room) if i < last[m] else modes.cost[m, i])
            # Along a line a `TIE` of the cost is rounding: the next point may never be reached.
            if saving > best_saving and (i > taken.chosen[m] or saving > TIE * taken.cost[m]):
                best_saving, best = saving, m
        if best < 0:
            break
        _take(modes, leads, best, s.slo - before[best] - after[best], first, last, taken)
    return total_of(taken.cost)


@compiled_on_tables
def _take(modes: Modes, leads: Flags, m: int, room: float, first: Ints, last: Ints, taken: Taken) -> None:
    """Let module m take the cheapest latency of its range within a room in seconds; its entries are written."""
    i = _point_before(modes, m, room, first, last)
    latency, cost = modes.latency[m, i], modes.cost[m, i]
    if i < last[m] and leads[m, i]:
        latency = min(max(room, latency), modes.latency[m, i + 1])
        cost = _bound_at(modes, leads, m, i, latency)
    taken.chosen[m], taken.latency[m], taken.cost[m] = i, latency, cost


@compiled_in_place
def _cut_to_rooms(s: SessionArrays, modes: Modes, leads: Flags, first: Ints, last: Ints, times: Floats) -> bool:
    """Cut ranges to the latencies for which the fastest points of all other modules leave room; whether any was cut.

    The SLO is taken longer than choices may be, by more than the rounding of sums of latencies. `times` is room for
    figures of modules, shape (3, modules).
    """
    fastest, before, after = times[0], times[1], times[2]
    for m in range(first.size):
        # A module without points is skipped here: the relaxation finds that it has none.
        fastest[m] = modes.latency[m, first[m]] if modes.size[m] > 0 else 0.0
    path_times(s, fastest, before, after)
    cut = False
    for m in range(first.size):
        room = s.slo * (1.0 + 4.0 * TIE) - before[m] - after[m]
        while last[m] > first[m] and modes.latency[m, last[m]] > room:
            # A line that begins within the room ends at the next point.
            if leads[m, last[m] - 1] and modes.latency[m, last[m] - 1] <= room:
                break
            last[m] -= 1
            cut = True
    return cut


@compiled_on_tables
def _trim(modes: Modes, leads: Flags, relaxed: Relaxation, first: Ints, last: Ints, below: float) -> None:
    """Drop points at both ends of the ranges whose reduced cost alone lifts the bound above `below`; in place.

    A line is dropped with the point at its end if its other end is to be dropped too: reduced costs are linear along
    it, so none in between is less than both. More rounding is subtracted from the bound than reduced costs have.
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


@compiled_on_tables
def _widest(leads: Flags, first: Ints, last: Ints) -> tuple[int, int]:
    """The module with the most points left and where to cut its range; (-1, -1) if none can be cut."""
    best, at = -1, -1
    for m in range(first.size):
        if best < 0 or last[m] - first[m] > last[best] - first[best]:
            cut = _cut_near(leads, m, (first[m] + last[m]) // 2, first, last)
            if cut >= 0:
                best, at = m, cut
    return best, at


@compiled_on_tables
def _cut_near(leads: Flags, m: int, i: int, first: Ints, last: Ints) -> int:
    """Where to cut a module's range so that both parts are smaller: at point i or the next one; -1 means nowhere."""
    if i >= last[m]:
        return -1
    # The start of a line belongs to both parts, so a cut at the range's first point would make one part the whole
    # again.
    if not leads[m, i] or i > first[m]:
        return i
    return i + 1 if i + 1 < last[m] else -1


@compiled_on_tables
def _branch(modes: Modes, leads: Flags, relaxed: Relaxation, first: Ints, last: Ints) -> tuple[int, int]:
    """Module whose bound at its window is highest above the hull, and where to cut its range; (-1, -1) if none is."""
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
