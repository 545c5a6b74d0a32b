"""Linear relaxation of latency splitting as a network flow that restarts from a basis (compiled, ours).

The relaxation and its dual are those of `relaxation.py`: module m passes a flow y_m at gain min_k(cost_k + y_m
latency_k) over the corners k of its hull, and flow that leaves the DAG pays the SLO. Here a network simplex solves it,
whose spanning tree of tight arcs, with times as potentials, stays nearly optimal when a module loses modes: a node of
a search takes a few pivots (`split_simplex.py`). Every flow gives a valid bound, so it may stop at any of them.

Node 0 is the start and the end of the DAG; module m begins at node 1 + m and ends at node 1 + modules + m. Arc m is
module m, the others follow.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from euclio.core.compiled import compiled
from euclio.session.arrays import TIE, Floats, Ints, SessionArrays
from formulations.session.exact.modes import Modes

Flags = NDArray[np.bool_]


class Network(NamedTuple):
    """What stays: modes by rising latency and falling cost, and arcs; all times in seconds.

    Attributes:
        s: the DAG and the SLO.
        modes: all modes.
        tail: node that each arc beyond the modules leaves, shape (arcs − modules,), like the next ones.
        head: node that it enters.
        gain: its gain, 0 or −SLO.
    """

    s: SessionArrays
    modes: Modes
    tail: Ints
    head: Ints
    gain: Floats


class Hulls(NamedTuple):
    """Modes that are left, shape (modules, capacity), and the corners of their lower convex hulls, slowest first.

    slope[m, k] leads from corner k − 1 to k; the last is infinite.
    """

    alive: Flags
    corners: Ints
    latency: Floats
    cost: Floats
    slope: Floats


class Basis(NamedTuple):
    """Spanning tree and flow; a module's flow lies between the slopes at `corner` and the next, outside the tree at it.

    Nodes have parent, the arc to it, depth, first child, next and previous sibling (−1: none) and time.
    """

    parent: Ints
    arc: Ints
    depth: Ints
    child: Ints
    following: Ints
    previous: Ints
    time: Floats
    flow: Floats
    corner: Ints
    in_tree: Flags


@compiled
def new_basis(modules: int, arcs: int) -> Basis:
    """Room for a basis."""
    nodes = 2 * modules + 1
    return Basis(
        np.full(nodes, -1, np.int64),
        np.full(nodes, -1, np.int64),
        np.zeros(nodes, np.int64),
        np.full(nodes, -1, np.int64),
        np.full(nodes, -1, np.int64),
        np.full(nodes, -1, np.int64),
        np.zeros(nodes),
        np.zeros(arcs),
        np.zeros(modules, np.int64),
        np.zeros(arcs, np.bool_),
    )


@compiled
def network_of(s: SessionArrays, modes: Modes) -> Network:
    """The network: edges, then an arc from the start to every module without parents, and back from every last one."""
    n = s.rate.size
    tail, head, gain = np.zeros(s.parent.size + 2 * n, np.int64), np.zeros(s.parent.size + 2 * n, np.int64), [0.0]
    gain.pop()
    for m in range(n):
        for i in range(s.parent_first[m], s.parent_first[m + 1]):
            tail[len(gain)], head[len(gain)] = 1 + n + s.parent[i], 1 + m
            gain.append(0.0)
        if s.parent_first[m] == s.parent_first[m + 1]:
            head[len(gain)] = 1 + m
            gain.append(0.0)
        if s.child_first[m] == s.child_first[m + 1]:
            tail[len(gain)] = 1 + n + m
            gain.append(-s.slo * (1.0 + TIE))
    return Network(s, modes, tail[: len(gain)], head[: len(gain)], np.array(gain))


@compiled
def all_hulls(net: Network) -> Hulls:
    """Hulls over all modes."""
    n, capacity = net.modes.latency.shape
    hulls = Hulls(
        np.zeros((n, capacity), np.bool_),
        np.zeros(n, np.int64),
        np.zeros((n, capacity)),
        np.zeros((n, capacity)),
        np.zeros((n, capacity + 1)),
    )
    for m in range(n):
        hulls.alive[m, : net.modes.size[m]] = True
        set_hull(net, hulls, m)
    return hulls


@compiled
def set_hull(net: Network, hulls: Hulls, m: int) -> None:
    """Make module m's hull from its modes that are left; no corners: none is."""
    latency, cost, slope = hulls.latency[m], hulls.cost[m], hulls.slope[m]
    k = 0
    for i in range(net.modes.size[m] - 1, -1, -1):
        if not hulls.alive[m, i]:
            continue
        rise = 0.0
        while k > 0:
            rise = (net.modes.cost[m, i] - cost[k - 1]) / (latency[k - 1] - net.modes.latency[m, i])
            if k == 1 or rise > slope[k - 1]:
                break
            k -= 1
        latency[k], cost[k], slope[k] = net.modes.latency[m, i], net.modes.cost[m, i], rise
        k += 1
    hulls.corners[m], slope[k] = k, np.inf
