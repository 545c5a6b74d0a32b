"""Linear relaxation of latency splitting as a network flow that restarts from a basis (compiled, ours).

The relaxation and its dual are those of `split/relaxation.py`: module m passes a flow y_m at gain min_k(cost_k + y_m
latency_k) over the corners k of its hull, and flow that leaves the DAG pays the SLO. Here a network simplex solves it,
whose spanning tree of tight arcs, with times as potentials, stays nearly optimal when a module loses modes: a node of
a search takes a few pivots (`simplex.py`). Every flow gives a valid bound, so it may stop at any of them.

Node 0 is the start and the end of the DAG; module m begins at node 1 + m and ends at node 1 + modules + m. Arc m is
module m, the others follow.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from euclio.core.compiled import compiled
from euclio.session.arrays import TIE, Floats, Ints, SessionArrays
from formulations.session.split.modes import Modes

Flags = NDArray[np.bool_]


class Network(NamedTuple):
    """The parts of the flow network that do not change during a search.

    Attributes:
        s: the DAG and the SLO.
        modes: all modes, by rising latency and falling cost.
        tail: node that each arc other than the modules leaves, shape (arcs − modules,).
        head: node that it enters, shape (arcs − modules,).
        gain: its gain per unit of flow, 0 or −SLO in seconds, shape (arcs − modules,).
    """

    s: SessionArrays
    modes: Modes
    tail: Ints
    head: Ints
    gain: Floats


class Hulls(NamedTuple):
    """Modes that are left, and the corners of their lower convex hulls, slowest first.

    Attributes:
        alive: whether a mode is left, shape (modules, capacity).
        corners: number of corners of each module, shape (modules,).
        latency: latency of each corner in seconds, shape (modules, capacity).
        cost: cost of each corner per hour, shape (modules, capacity).
        slope: cost per hour for each second saved from corner k − 1 to k; 0 at the first corner, infinite after the
            last one, shape (modules, capacity + 1).
    """

    alive: Flags
    corners: Ints
    latency: Floats
    cost: Floats
    slope: Floats


class Basis(NamedTuple):
    """A spanning tree of tight arcs, with times as potentials, and the flow that it carries.

    A module's flow lies between the slopes at its corner and at the next one; outside of the tree it is the slope at
    its corner. Node arrays have the shape (nodes,), −1 standing for none.

    Attributes:
        parent: parent of each node in the tree.
        arc: arc between a node and its parent.
        depth: arcs from the root to a node.
        child: first child of a node.
        following: next sibling of a node.
        previous: sibling before a node.
        time: time of each node in seconds.
        flow: flow of each arc, money per hour and second, shape (arcs,).
        corner: corner of each module's hull at which its flow is passed, shape (modules,).
        in_tree: whether an arc is part of the tree, shape (arcs,).
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
    """Room for a basis: no tree yet, all times and flows 0."""
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
    """The network of a DAG: its edges, an arc from the start to every first module, and one back from every last one.

    The arcs back have the SLO as their price, which is taken a `TIE` longer so that no choice is lost to rounding.
    """
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
    """The hulls over all modes of every module."""
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
    """Make module m's hull anew from its modes that are left; it has no corners where none is left."""
    latency, cost, slope = hulls.latency[m], hulls.cost[m], hulls.slope[m]
    k = 0
    for i in range(net.modes.size[m] - 1, -1, -1):
        if not hulls.alive[m, i]:
            continue
        rise = 0.0
        # Corners above the line from the corner before them to this mode go; modes fall in cost, so the slowest stays.
        while k > 0:
            rise = (net.modes.cost[m, i] - cost[k - 1]) / (latency[k - 1] - net.modes.latency[m, i])
            if k == 1 or rise > slope[k - 1]:
                break
            k -= 1
        latency[k], cost[k], slope[k] = net.modes.latency[m, i], net.modes.cost[m, i], rise
        k += 1
    hulls.corners[m], slope[k] = k, np.inf
