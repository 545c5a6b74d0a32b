"""Linear relaxation of latency splitting: least cost of one mode per module, longest path within the SLO (compiled).

    min  sum_m c_m(x_m)   s.t.   start_n >= start_m + x_m for every edge (m, n),   longest path <= SLO

with c_m the lower convex hull of module m's modes. This is the linear time-cost trade-off problem of project
scheduling (Fulkerson 1961, Kelley 1961). Its dual is a flow from the DAG's sources to its sinks: module m passes
y_m at gain min_k(cost_k + y_m latency_k), the total flow pays the SLO. We augment along longest paths of the
residual network until the longest one meets the SLO. Every flow, also an unfinished one, gives a valid bound: with
f_a on edge a, and u_m the end and v_m the begin of module m within the longest path,

    sum_m y_m x_m <= sum_m y_m (u_m - v_m) + sum_a f_a (v_child(a) - u_parent(a)) <= SLO · (y of the sinks + excess)

for all latencies x within the SLO; the excess is what modules take in beyond y_m and let out below it, by rounding.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from euclio.core.compiled import compiled
from euclio.session.arrays import TIE, Floats, Ints, SessionArrays
from formulations.session.split.modes import Modes
from formulations.tolerances import EQUAL_FLOWS, UNIT_ROUNDING

AUGMENTATIONS_MOST = 20_000
UNREACHED = -1e30


class Relaxation(NamedTuple):
    """Solution of the relaxation.

    Attributes:
        bound: lower bound on the total cost; infinite: no choice of modes meets the SLO.
        flow: y, money per hour that a second of each module's latency is worth, shape (modules,).
        base: least cost + y·latency over the module's modes, shape (modules,).
        window: latency that the module may use, all together within the SLO, shape (modules,).
        hull: cost of the hull at the window, shape (modules,).
    """

    bound: float
    flow: Floats
    base: Floats
    window: Floats
    hull: Floats


class _Hull(NamedTuple):
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


class _Network(NamedTuple):
    """A flow, and the longest distances in its residual network.

    Attributes:
        flow: flow through each module, money per hour and second, shape (modules,).
        corner: corner of each module's hull at which that flow is passed, shape (modules,).
        edge_flow: flow along each edge, shape (edges,).
        begin: longest distance from the source to a module's entry, in seconds, shape (modules,).
        end: longest distance from the source to a module's exit, in seconds, shape (modules,).
        begin_from: edge that the label of the entry came along, −1: the source, −2: back through the module itself.
        end_from: edge, taken backwards, that the label of the exit came along, −1: through the module.
    """

    flow: Floats
    corner: Ints
    edge_flow: Floats
    begin: Floats
    end: Floats
    begin_from: Ints
    end_from: Ints


@compiled
def relax(s: SessionArrays, modes: Modes, first: Ints, last: Ints) -> Relaxation:
    """Solve the relaxation over each module's modes `first` to `last` (inclusive).

    Args:
        s: the session, of which only the DAG and the SLO matter.
        modes: modes by rising latency and falling cost.
        first: first allowed mode per module, shape (modules,).
        last: last allowed mode per module, shape (modules,).

    Returns:
        Bound, prices and windows. The bound holds also where the augmentations were cut off; the windows are then those
        of the fastest modes.
    """
    modules = s.rate.size
    base, hull_cost, window = np.zeros(modules), np.zeros(modules), np.zeros(modules)
    for m in range(modules):
        if last[m] < first[m]:
            return Relaxation(np.inf, np.zeros(modules), base, window, hull_cost)
    hull = _hulls(modes, first, last)
    if hull.corners.min() == 0:
        return Relaxation(np.inf, np.zeros(modules), base, window, hull_cost)
    net = _Network(
        np.zeros(modules),
        np.zeros(modules, np.int64),
        np.zeros(s.parent.size),
        np.zeros(modules),
        np.zeros(modules),
        np.full(modules, -1, np.int64),
        np.full(modules, -1, np.int64),
    )
    slo = s.slo * (1.0 + TIE)
    met, feasible = False, True
    for _ in range(AUGMENTATIONS_MOST):
        sink = _label(s, hull, net)
        met = net.end[sink] <= slo
        if met:
            _stretch_to(s, hull, net, s.slo)
            break
        amount = _augment(s, hull, net, sink)
        # The path has all its modules at their fastest modes and is still longer than the SLO, which is taken a `TIE`
        # longer: no choice of modes meets it.
        if not np.isfinite(amount):
            feasible = False
            break
        # Rounding has left nothing to augment: the flow as it is still gives a bound.
        if amount <= 0.0:
            break
    if not feasible:
        return Relaxation(np.inf, net.flow, base, window, hull_cost)
    bound, size = 0.0, 0.0
    for m in range(modules):
        base[m] = _least_base(hull, m, net.corner[m], net.flow[m])
        bound += base[m]
        size += base[m]
        window[m] = net.end[m] - net.begin[m] if met else hull.latency[m, hull.corners[m] - 1]
        hull_cost[m] = _hull_at(hull, m, window[m])
    paid = slo * _least_supply(s, net)
    bound -= paid
    size += paid
    # Large terms nearly cancel where latency is expensive; what rounding may have added is taken off.
    bound -= UNIT_ROUNDING * (2 * modules + 8) * size
    return Relaxation(bound, net.flow, base, window, hull_cost)


@compiled
def _least_supply(s: SessionArrays, net: _Network) -> float:
    """Flow that pays the SLO: what leaves the DAG at its sinks and the excess, money per hour and second.

    The excess is what rounding has left unbalanced at the modules; without it the bound would not hold for the flow as
    it is. The labels `begin` are overwritten.
    """
    supply = 0.0
    out = net.begin
    out[:] = 0.0
    for m in range(s.rate.size):
        if s.parent_first[m] < s.parent_first[m + 1]:
            into = 0.0
            for i in range(s.parent_first[m], s.parent_first[m + 1]):
                into += net.edge_flow[i]
                out[s.parent[i]] += net.edge_flow[i]
            supply += max(into - net.flow[m], 0.0)
    for m in range(s.rate.size):
        if s.child_first[m] < s.child_first[m + 1]:
            supply += max(net.flow[m] - out[m], 0.0)
        else:
            supply += net.flow[m]
    return supply


@compiled
def _least_base(hull: _Hull, m: int, corner: int, flow: float) -> float:
    """Least cost + flow·latency over the corners of module m, in money per hour.

    The corner noted for the flow is the one, but rounding of slopes may have left it at a neighbour.
    """
    least = np.inf
    for k in range(max(corner - 1, 0), min(corner + 2, hull.corners[m])):
        least = min(least, hull.cost[m, k] + flow * hull.latency[m, k])
    return least


@compiled
def _hulls(modes: Modes, first: Ints, last: Ints) -> _Hull:
    """The lower convex hulls of the allowed modes; a module without corners has no mode of finite cost."""
    modules = first.size
    most = 1
    for m in range(modules):
        most = max(most, last[m] - first[m] + 1)
    hull = _Hull(
        np.zeros(modules, np.int64),
        np.empty((modules, most)),
        np.empty((modules, most)),
        np.zeros((modules, most + 1)),
    )
    for m in range(modules):
        size = 0
        for i in range(last[m], first[m] - 1, -1):
            latency, cost = modes.latency[m, i], modes.cost[m, i]
            if not np.isfinite(cost) or (size > 0 and latency >= hull.latency[m, size - 1]):
                continue
            # Corners above the line from the corner before them to this mode go, and those that cost no less than it.
            while size > 0:
                slope = (cost - hull.cost[m, size - 1]) / (hull.latency[m, size - 1] - latency)
                if slope > hull.slope[m, size - 1] and slope > 0.0:
                    break
                size -= 1
            hull.latency[m, size], hull.cost[m, size] = latency, cost
            hull.slope[m, size] = 0.0
            if size > 0:
                hull.slope[m, size] = (cost - hull.cost[m, size - 1]) / (hull.latency[m, size - 1] - latency)
            size += 1
        hull.corners[m] = size
        hull.slope[m, size] = np.inf
    return hull


@compiled
def _hull_at(hull: _Hull, m: int, latency: float) -> float:
    """Cost per hour of module m's hull at a latency in seconds, that of its fastest corner below all of them."""
    if latency >= hull.latency[m, 0]:
        return float(hull.cost[m, 0])
    for k in range(1, hull.corners[m]):
        if latency >= hull.latency[m, k]:
            return float(hull.cost[m, k] - hull.slope[m, k] * (latency - hull.latency[m, k]))
    return float(hull.cost[m, hull.corners[m] - 1])


@compiled
def _label(s: SessionArrays, hull: _Hull, net: _Network) -> int:
    """Find the longest distances from the source in the residual network; returns the last module that ends latest."""
    net.begin[:], net.end[:] = UNREACHED, UNREACHED
    _propagate(s, hull, net)
    farthest = -1
    for m in range(s.rate.size):
        if s.child_first[m] == s.child_first[m + 1] and (farthest < 0 or net.end[m] > net.end[farthest]):
            farthest = m
    return farthest


@compiled
def _stretch_to(s: SessionArrays, hull: _Hull, net: _Network, slo: float) -> None:
    """Let every module whose flow leaves the DAG end at the SLO: where latency has a price, none is left over."""
    for m in range(s.rate.size):
        if s.child_first[m] == s.child_first[m + 1] and net.flow[m] > 0.0:
            net.end[m] = max(net.end[m], slo)
    _propagate(s, hull, net)


@compiled
def _propagate(s: SessionArrays, hull: _Hull, net: _Network) -> None:
    """Raise labels along all residual arcs until none changes, or as often as a label can be raised but for rounding.

    Labels rise only by more than a `TIE`, so that arcs which are tight but for rounding make no cycle. Labels only say
    where to send flow; no bound depends on them.
    """
    begin, end, begin_from, end_from = net.begin, net.end, net.begin_from, net.end_from
    flow, corner, edge_flow = net.flow, net.corner, net.edge_flow
    latency, slope = hull.latency, hull.slope
    order, parent_first, parent = s.order, s.parent_first, s.parent
    for _ in range(4 * order.size + 4):
        for m in order:
            if parent_first[m] == parent_first[m + 1] and begin[m] < 0.0:
                begin[m], begin_from[m] = 0.0, -1
            for i in range(parent_first[m], parent_first[m + 1]):
                p = parent[i]
                if end[p] > begin[m] + TIE * abs(begin[m]):
                    begin[m], begin_from[m] = end[p], i
            through = begin[m] + latency[m, corner[m]]
            if through > end[m] + TIE * abs(end[m]):
                end[m], end_from[m] = through, -1
        # Forward arcs are done; flow can also be taken back, through modules and along edges that carry some.
        changed = False
        for m in order[::-1]:
            if flow[m] == 0.0:
                continue
            k = corner[m]
            back = end[m] - (latency[m, k] if flow[m] > slope[m, k] else latency[m, k - 1])
            if back > begin[m] + TIE * abs(begin[m]):
                begin[m], begin_from[m], changed = back, -2, True
            for i in range(parent_first[m], parent_first[m + 1]):
                p = parent[i]
                if edge_flow[i] > 0.0 and begin[m] > end[p] + TIE * abs(end[p]):
                    end[p], end_from[p], changed = begin[m], i, True
        if not changed:
            return


@compiled
def _augment(s: SessionArrays, hull: _Hull, net: _Network, sink: int) -> float:
    """Send as much flow as fits along the labelled path to `sink`; returns how much, infinite (none sent): no limit."""
    amount = _walk(s, hull, net, sink, 0.0)
    if np.isfinite(amount):
        _walk(s, hull, net, sink, amount)
    return amount


@compiled
def _walk(s: SessionArrays, hull: _Hull, net: _Network, sink: int, amount: float) -> float:
    """Follow the labels back from `sink`, and send `amount` along the way; returns the path's capacity before that.

    Rounding may leave labels that lead in a circle; after more steps than any path has, the capacity is 0.
    """
    capacity = np.inf
    m, at_end = sink, True
    for _ in range(8 * s.rate.size * s.rate.size + 8):
        k = net.corner[m]
        if at_end and net.end_from[m] == -1:
            capacity = min(capacity, hull.slope[m, k + 1] - net.flow[m])
            if amount > 0.0:
                _add_flow(hull, net, m, amount)
            at_end = False
        elif at_end:
            i = net.end_from[m]
            capacity = min(capacity, net.edge_flow[i])
            if amount > 0.0:
                left = net.edge_flow[i] - amount
                net.edge_flow[i] = left if left > EQUAL_FLOWS * (amount + net.edge_flow[i]) else 0.0
            m, at_end = _module_below(s, i), False
        elif net.begin_from[m] == -2:
            floor = hull.slope[m, k] if net.flow[m] > hull.slope[m, k] else hull.slope[m, k - 1]
            capacity = min(capacity, net.flow[m] - floor)
            if amount > 0.0:
                _add_flow(hull, net, m, -amount)
            at_end = True
        elif net.begin_from[m] == -1:
            return capacity
        else:
            i = net.begin_from[m]
            if amount > 0.0:
                net.edge_flow[i] += amount
            m, at_end = s.parent[i], True
    return 0.0


@compiled
def _module_below(s: SessionArrays, edge: int) -> int:
    """The module that an edge leads to: the one whose row of parents holds it."""
    m = 0
    while s.parent_first[m + 1] <= edge:
        m += 1
    return m


@compiled
def _add_flow(hull: _Hull, net: _Network, m: int, amount: float) -> None:
    """Change the flow through module m, and note the corner of its hull at which the new flow is passed."""
    flow = net.flow[m] + amount
    k = net.corner[m]
    # A flow that reaches a corner's slope but for rounding is put on it: else the next path has almost no capacity.
    for slope in (hull.slope[m, k], hull.slope[m, k + 1], hull.slope[m, max(k - 1, 0)]):
        if np.isfinite(slope) and abs(flow - slope) <= EQUAL_FLOWS * max(abs(amount), net.flow[m]):
            flow = slope
    while k > 0 and flow < hull.slope[m, k]:
        k -= 1
    while flow >= hull.slope[m, k + 1]:
        k += 1
    net.flow[m], net.corner[m] = max(flow, 0.0), k
