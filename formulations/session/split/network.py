"""Minimum-cost flow on the DAG of a session by the network simplex method, from any flow (compiled).

The dual of the relaxation of latency splitting is a circulation. It runs from a root into the modules without parents,
through each module from its entry to its exit, along the edges, and from the modules with an end back to the root. A
unit of flow through module m gains its latency at the corner of m's hull that the flow has reached, which falls from
corner to corner. A unit along an edge gains its delay, and one back to the root pays the SLO less the module's end. We
search the circulation of most gain.

Primal network simplex (Dantzig 1951; strongly feasible trees: Cunningham 1976) on arcs whose gain is piecewise linear
and concave: a tree arc is anywhere in a segment of its hull, each other arc where one segment ends and another begins.
A step continues over the ends of segments as long as the cycle gains (a long-step ratio test). No flow has an upper
end, so the previous flow is a circulation for any hulls. So a search that cuts ranges of modes continues from it.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from euclio.core.compiled import compiled, compiled_in_place, compiled_on_tables
from euclio.core.tolerances import TIE
from euclio.problems.session.arrays import Floats, Ints, SessionArrays
from formulations.tolerances import EQUAL_FLOWS

Flags = NDArray[np.bool_]

NEGLIGIBLE_GAIN = 2.0 * TIE
"""Share of the SLO below which a cycle's gain counts as none: paths past the SLO by a `TIE` count as within it."""
STEPS_PER_ARC = 40
"""Steps, for each arc, after which the method gives up: more than were ever seen, so that rounding makes no loop."""


class Hull(NamedTuple):
    """Lower convex hulls of cost over latency, from the slowest corner to the fastest.

    Attributes:
        corners: number of corners of each module, shape (modules,).
        latency: latency of each corner in seconds, shape (modules, capacity).
        cost: cost of each corner per hour, shape (modules, capacity).
        slope: cost per hour for each second saved from corner k − 1 to k, rising; 0 at the first corner, infinite after
            the last one, shape (modules, capacity + 1).
    """

    corners: Ints
    latency: Floats
    cost: Floats
    slope: Floats


class Network(NamedTuple):
    """A circulation and its tree. Of n modules, m's entry is node m, its exit n + m, and the root is 2n.

    Arcs are the modules, then the edges in the order of `SessionArrays.parent`, then those out of the root and those
    into it.

    Attributes:
        tail: node that each arc leaves, shape (arcs,), like the next ones.
        head: node that it enters.
        flow: money per hour and second.
        in_tree: whether it is in the tree.
        corner: corner of each module's hull at which its flow is passed, shape (modules,).
        above: node above each node in the tree, shape (nodes,), like the next ones.
        by: arc to the node above.
        depth: arcs to the root.
        child: a node below; −1 means none.
        following: the next node below the same node; −1 means none.
        preceding: the one before it; −1 means none.
        time: seconds from the root along the tree.
        stack: scratch.
        excess: scratch: the flow into a node less the flow out of it.
        begun: whether there is a tree yet (1), shape (1,).
    """

    tail: Ints
    head: Ints
    flow: Floats
    in_tree: Flags
    corner: Ints
    above: Ints
    by: Ints
    depth: Ints
    child: Ints
    following: Ints
    preceding: Ints
    time: Floats
    stack: Ints
    excess: Floats
    begun: Ints


@compiled
def new_network(s: SessionArrays) -> Network:
    """The network of a session's DAG, without flow and without a tree."""
    modules = s.rate.size
    ends = 0
    for m in range(modules):
        ends += 1 if s.parent_first[m] == s.parent_first[m + 1] else 0
        ends += 1 if s.end[m] > -np.inf else 0
    arcs, nodes = modules + s.parent.size + ends, 2 * modules + 1
    tail, head = np.empty(arcs, np.int64), np.empty(arcs, np.int64)
    a = modules + s.parent.size
    for m in range(modules):
        tail[m], head[m] = m, modules + m
        for i in range(s.parent_first[m], s.parent_first[m + 1]):
            tail[modules + i], head[modules + i] = modules + s.parent[i], m
        if s.parent_first[m] == s.parent_first[m + 1]:
            tail[a], head[a] = 2 * modules, m
            a += 1
    for m in range(modules):
        if s.end[m] > -np.inf:
            tail[a], head[a] = modules + m, 2 * modules
            a += 1
    whole = np.empty((7, nodes), np.int64)
    return Network(
        tail,
        head,
        np.zeros(arcs),
        np.zeros(arcs, np.bool_),
        np.zeros(modules, np.int64),
        whole[0],
        whole[1],
        whole[2],
        whole[3],
        whole[4],
        whole[5],
        np.zeros(nodes),
        whole[6],
        np.zeros(nodes),
        np.zeros(1, np.int64),
    )


@compiled_in_place
def most_gain(s: SessionArrays, hull: Hull, net: Network) -> bool:
    """Change a network's flow to one of most gain; its `time` then has the start and end of each module.

    Args:
        s: the session, of which only the DAG and the SLO matter; the fastest corners meet the SLO.
        hull: the hulls of all modules, each with a corner.
        net: the network, with any flow from before; changed in place.

    Returns:
        Whether it came to an end; if not, the flow is still a circulation up to rounding.
    """
    # A flow from before is a good one for a problem that has changed little; without one the tree is planted.
    if net.begun[0] == 0:
        _plant(s, hull, net)
    else:
        _take_up(s, hull, net)
    least = NEGLIGIBLE_GAIN * s.slo
    arcs, modules = net.tail.size, net.corner.size
    # Corners may have moved below it: the flow of an arc outside of the tree has to be at an end of its segment.
    for a in range(arcs):
        if not net.in_tree[a] and not _is_at_an_end(hull, net, a):
            gain = net.time[net.tail[a]] + _latency(s, hull, net, a) - net.time[net.head[a]]
            if not _push(s, hull, net, a, gain > least, abs(gain), least):
                net.begun[0] = 0
                # This tree has no further use, as the next relaxation plants a new one.
                return False
    # Arcs are looked through block by block; of a block the one that gains most enters the tree.
    block = max(32, int(np.sqrt(arcs)))
    place, seen, best, best_gain, rises = 0, 0, -1, least, True
    for _ in range(STEPS_PER_ARC * arcs + 1000):
        while True:
            a = place
            place = place + 1 if place + 1 < arcs else 0
            seen += 1
            if not net.in_tree[a]:
                span = net.time[net.head[a]] - net.time[net.tail[a]]
                gain = _latency(s, hull, net, a) - span
                if gain > best_gain:
                    best, best_gain, rises = a, gain, True
                elif a < modules and net.corner[a] > 0:
                    # A module's flow may fall, into the segment before; other arcs outside of the tree carry none.
                    gain = span - hull.latency[a, net.corner[a] - 1]
                    if gain > best_gain:
                        best, best_gain, rises = a, gain, False
            if seen >= arcs or (best >= 0 and seen % block == 0):
                break
        # No arc gains in either direction: the flow is one of most gain.
        if best < 0:
            return True
        if not _push(s, hull, net, best, rises, best_gain, least):
            break
        seen, best, best_gain = 0, -1, least
    net.begun[0] = 0
    return False


@compiled_on_tables
def _latency(s: SessionArrays, hull: Hull, net: Network, a: int) -> float:
    """Seconds that one more unit of flow along an arc gains."""
    modules = net.corner.size
    if a < modules:
        return float(hull.latency[a, net.corner[a]])
    if a < modules + s.delay.size:
        return float(s.delay[a - modules])
    return float(s.end[net.tail[a] - modules] - s.slo) if net.head[a] == 2 * modules else 0.0


@compiled_on_tables
def _is_at_an_end(hull: Hull, net: Network, a: int) -> bool:
    """Whether an arc's flow is at the start of its corner's segment, as each arc outside the tree must be."""
    if a < net.corner.size:
        return bool(net.flow[a] == hull.slope[a, net.corner[a]])
    return bool(net.flow[a] == 0.0)


@compiled_on_tables
def _plant(s: SessionArrays, hull: Hull, net: Network) -> None:
    """Begin without flow: each exit leads to the child that has to begin first, each entry through its module."""
    modules = net.corner.size
    root = 2 * modules
    net.flow[:], net.in_tree[:], net.corner[:] = 0.0, False, 0
    net.child[:], net.following[:], net.preceding[:] = -1, -1, -1
    net.time[root], net.depth[root], net.above[root], net.by[root] = 0.0, 0, -1, -1
    # The exits of modules with an end lead to the root.
    for a in range(modules + s.parent.size, net.tail.size):
        if net.head[a] == root:
            net.by[net.tail[a]] = a
    # Children first: an exit takes its time from its own end, or from the child that has to begin first.
    for m in s.order[::-1]:
        out = modules + m
        up, latest = root, s.slo - s.end[m]
        for i in range(s.child_first[m], s.child_first[m + 1]):
            c = s.child[i]
            for j in range(s.parent_first[c], s.parent_first[c + 1]):
                if s.parent[j] == m and net.time[c] - s.delay[j] < latest:
                    up, latest = c, net.time[c] - s.delay[j]
                    net.by[out] = modules + j
        net.by[m] = m
        _hang(net, out, up)
        _hang(net, m, out)
        net.in_tree[net.by[out]], net.in_tree[m] = True, True
        net.depth[out], net.time[out] = net.depth[up] + 1, latest
        net.depth[m], net.time[m] = net.depth[out] + 1, latest - hull.latency[m, 0]
    net.begun[0] = 1


@compiled_on_tables
def _take_up(s: SessionArrays, hull: Hull, net: Network) -> None:
    """Continue from a flow and its tree with other hulls: look up corners, balance the flow anew, and count times."""
    modules, root = net.corner.size, 2 * net.corner.size
    net.excess[:] = 0.0
    for a in range(net.tail.size):
        if not net.in_tree[a]:
            net.excess[net.head[a]] += net.flow[a]
            net.excess[net.tail[a]] -= net.flow[a]
    # Nodes in an order in which those above come first; back to front, the tree's arcs carry the surplus.
    net.stack[0] = root
    size, done = 1, 0
    while done < size:
        x = net.child[net.stack[done]]
        done += 1
        while x >= 0:
            net.stack[size] = x
            size += 1
            x = net.following[x]
    for i in range(size - 1, 0, -1):
        x = net.stack[i]
        a, up = net.by[x], net.above[x]
        # A flow that rounding makes negative is set to 0; the bound does not depend on it.
        net.flow[a] = max(net.excess[x] if net.tail[a] == x else -net.excess[x], 0.0)
        net.excess[up] += net.excess[x]
    for m in range(modules):
        k = min(net.corner[m], hull.corners[m] - 1)
        while k > 0 and net.flow[m] < hull.slope[m, k]:
            k -= 1
        while net.flow[m] >= hull.slope[m, k + 1]:
            k += 1
        net.corner[m] = k
    for i in range(1, size):
        _count_time(s, hull, net, net.stack[i])


@compiled_on_tables
def _count_time(s: SessionArrays, hull: Hull, net: Network, x: int) -> None:
    """Set a node's time and depth from those of the node above it."""
    a, up = net.by[x], net.above[x]
    latency = _latency(s, hull, net, a)
    net.time[x] = net.time[up] - latency if net.tail[a] == x else net.time[up] + latency
    net.depth[x] = net.depth[up] + 1


@compiled_on_tables
def _push(s: SessionArrays, hull: Hull, net: Network, entering: int, rises: bool, gain: float, least: float) -> bool:
    """Change the flow along the cycle that an arc closes with the tree as long as that gains more than `least`.

    Args:
        s: the session.
        hull: the hulls.
        net: the network.
        entering: an arc outside of the tree.
        rises: whether its flow rises.
        gain: seconds that the cycle gains.
        least: gain that counts as none.

    Returns:
        Whether an arc has left the tree, or the entering one has come to the end of a segment; if not, the cycle gains
        without end.
    """
    start, end = net.tail[entering], net.head[entering]
    if not rises:
        start, end = end, start
        # Its flow falls in the segment before the end that it is at.
        if entering < net.corner.size and net.corner[entering] > 0 and _is_at_an_end(hull, net, entering):
            net.corner[entering] -= 1
    crossed = False
    while True:
        # The last arc that blocks, from the cycle's top along its direction, must leave: trees stay strongly feasible.
        amount, leaving, before = np.inf, -1, True
        x, y = start, end
        while x != y:
            if net.depth[x] > net.depth[y]:
                # Up from `start` is against the cycle's direction: of equal rooms the first one seen comes last.
                room = _room(hull, net, net.by[x], net.head[net.by[x]] == x)
                if room < amount:
                    amount, leaving, before = room, x, True
                x = net.above[x]
            else:
                # Up from `end` is along it, so the last one seen does; an infinite room blocks nothing.
                room = _room(hull, net, net.by[y], net.tail[net.by[y]] == y)
                if room <= amount and room < np.inf:
                    amount, leaving, before = room, y, False
                y = net.above[y]
        top = x
        own = _room(hull, net, entering, rises)
        # The entering arc comes after those on the side of `start`, and before those on the side of `end`.
        itself = own < amount or (own == amount and before)
        if itself:
            amount = own
        if not np.isfinite(amount):
            return False
        _shift(hull, net, start, end, top, entering, rises, amount)
        a = entering if itself else net.by[leaving]
        up = rises if itself else (net.head[a] == leaving) == before
        lost = _to_the_end(hull, net, a, up)
        # Beyond the end of a segment the cycle gains less, but perhaps still enough.
        if lost < np.inf and gain - lost > least:
            gain -= lost
            crossed = crossed or not itself
            if not up:
                net.corner[a] -= 1
            continue
        if not itself:
            _exchange(s, hull, net, entering, start if before else end, leaving)
        # An arc beyond the end of its segment has another latency, which moves all times below it.
        if crossed:
            _count_below(s, hull, net, top)
        return True


@compiled_on_tables
def _room(hull: Hull, net: Network, a: int, up: bool) -> float:
    """How far the flow along an arc may rise or fall within its segment; infinite means no limit."""
    if a < net.corner.size:
        k = net.corner[a]
        return max(float(hull.slope[a, k + 1] - net.flow[a]) if up else float(net.flow[a] - hull.slope[a, k]), 0.0)
    return np.inf if up else float(net.flow[a])


@compiled_on_tables
def _shift(hull: Hull, net: Network, start: int, end: int, top: int, entering: int, rises: bool, amount: float) -> None:
    """Send an amount along the cycle from its top down to `start`, along the entering arc, and from `end` up."""
    _add(hull, net, entering, amount if rises else -amount)
    x = start
    while x != top:
        a = net.by[x]
        _add(hull, net, a, amount if net.head[a] == x else -amount)
        x = net.above[x]
    x = end
    while x != top:
        a = net.by[x]
        _add(hull, net, a, amount if net.tail[a] == x else -amount)
        x = net.above[x]


@compiled_on_tables
def _add(hull: Hull, net: Network, a: int, amount: float) -> None:
    """Change the flow along an arc within its segment; a flow at its end up to rounding is put there."""
    flow = net.flow[a] + amount
    near = EQUAL_FLOWS * max(abs(amount), net.flow[a])
    if a < net.corner.size:
        below, above = hull.slope[a, net.corner[a]], hull.slope[a, net.corner[a] + 1]
        net.flow[a] = below if flow <= below + near else above if flow >= above - near else flow
    else:
        net.flow[a] = flow if flow > near else 0.0


@compiled_on_tables
def _to_the_end(hull: Hull, net: Network, a: int, up: bool) -> float:
    """Put an arc at the end of its segment; returns the seconds that its flow gains less beyond, infinite if none."""
    if a >= net.corner.size:
        # Arcs that are no modules have one segment: their flow falls to 0 and no further.
        net.flow[a] = 0.0
        return np.inf
    k = net.corner[a]
    if up:
        net.corner[a] = k + 1
        net.flow[a] = hull.slope[a, k + 1]
        return float(hull.latency[a, k] - hull.latency[a, k + 1])
    net.flow[a] = hull.slope[a, k]
    # Below the first segment there is no flow.
    return float(hull.latency[a, k - 1] - hull.latency[a, k]) if k > 0 else np.inf


@compiled_on_tables
def _exchange(s: SessionArrays, hull: Hull, net: Network, entering: int, inner: int, leaving: int) -> None:
    """Cut the tree above node `leaving` and hang that part below the entering arc, by its end `inner` in the part."""
    outer = net.tail[entering] if net.head[entering] == inner else net.head[entering]
    net.in_tree[net.by[leaving]], net.in_tree[entering] = False, True
    x, up, by = inner, outer, entering
    # The path from `inner` up to `leaving` turns around: each node of it hangs below the one that was below it.
    while True:
        old_up, old_by = net.above[x], net.by[x]
        _unhang(net, x)
        net.by[x] = by
        _hang(net, x, up)
        if x == leaving:
            break
        x, up, by = old_up, x, old_by
    _count_time(s, hull, net, inner)
    _count_below(s, hull, net, inner)


@compiled_on_tables
def _hang(net: Network, x: int, up: int) -> None:
    """Hang a node below another one."""
    first = net.child[up]
    net.above[x], net.preceding[x], net.following[x], net.child[up] = up, -1, first, x
    if first >= 0:
        net.preceding[first] = x


@compiled_on_tables
def _unhang(net: Network, x: int) -> None:
    """Take a node off the list of those below the same node."""
    before, after = net.preceding[x], net.following[x]
    if before >= 0:
        net.following[before] = after
    else:
        net.child[net.above[x]] = after
    if after >= 0:
        net.preceding[after] = before


@compiled_on_tables
def _count_below(s: SessionArrays, hull: Hull, net: Network, top: int) -> None:
    """Count the times of all nodes below one anew."""
    net.stack[0] = top
    size = 1
    while size > 0:
        size -= 1
        x = net.child[net.stack[size]]
        while x >= 0:
            _count_time(s, hull, net, x)
            net.stack[size] = x
            size += 1
            x = net.following[x]
