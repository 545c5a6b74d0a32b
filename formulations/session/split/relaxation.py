"""Linear relaxation of latency splitting: least cost of one mode per module, longest path within the SLO (compiled).

    min  sum_m c_m(x_m)   s.t.   start_n >= start_m + x_m for every edge (m, n),   longest path <= SLO

with c_m the lower convex hull of module m's modes. This is the linear time-cost trade-off problem of project
scheduling (Fulkerson 1961, Kelley 1961). Its dual is a flow from the DAG's sources to its sinks: module m passes
y_m at gain min_k(cost_k + y_m latency_k), the total flow pays the SLO. The flow of most gain is found by the network
simplex method (`network.py`), from that of the last relaxation. Every flow, even an unfinished one, gives a valid
bound. With f_a on edge a, and u_m the end and v_m the start of module m within the longest path,

    sum_m y_m x_m <= sum_m y_m (u_m - v_m) + sum_a f_a (v_child(a) - u_parent(a)) <= SLO · (y of the sinks + excess)

for all latencies x within the SLO. The excess is the flow into modules beyond y_m and out of them below it, by
rounding.
With delays d_a and ends e_m, v_child - u_parent is at least d_a, and flow that leaves at m pays SLO - e_m.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from euclio.core.compiled import compiled, compiled_in_place, compiled_on_tables
from euclio.core.tolerances import TIE
from euclio.problems.session.arrays import Floats, Ints, SessionArrays
from euclio.problems.session.latency.dispatch import path_times
from formulations.session.split.modes import Modes
from formulations.session.split.network import Hull, Network, most_gain, new_network
from formulations.tolerances import UNIT_ROUNDING


class Relaxation(NamedTuple):
    """Solution of the relaxation.

    Attributes:
        bound: lower bound on the total cost; infinite means that no choice of modes meets the SLO.
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


class Basis(NamedTuple):
    """The starting point of the next relaxation of a session.

    Attributes:
        hull: the hulls of the last one.
        first: first mode of which each module's hull was made, shape (modules,), like the next one; -1 means none yet.
        last: last mode of which it was made.
        net: the flow of the last one.
    """

    hull: Hull
    first: Ints
    last: Ints
    net: Network


@compiled
def new_basis(s: SessionArrays, modes: Modes) -> Basis:
    """A basis without a hull or a flow."""
    none = np.full((2, s.rate.size), -1, np.int64)
    return Basis(_no_hull(modes), none[0], none[1], new_network(s))


@compiled_on_tables
def suits(basis: Basis, modes: Modes) -> bool:
    """Whether a basis has room for modes that have changed; all hulls are to be made anew, while the flow stays."""
    basis.first[:] = -1
    return bool(basis.hull.cost.shape[1] >= modes.cost.shape[1])


@compiled
def basis_for(basis: Basis, modes: Modes) -> Basis:
    """The basis for modes that have changed: the flow stays."""
    if suits(basis, modes):
        return basis
    return Basis(_no_hull(modes), basis.first, basis.last, basis.net)


@compiled
def relax(s: SessionArrays, modes: Modes, first: Ints, last: Ints) -> Relaxation:
    """Solve the relaxation over each module's modes `first` to `last` (inclusive), once; see `relax_from`."""
    return relax_from(s, modes, first, last, new_basis(s, modes))


@compiled
def relax_from(s: SessionArrays, modes: Modes, first: Ints, last: Ints, basis: Basis) -> Relaxation:
    """Solve the relaxation over each module's modes `first` to `last` (inclusive), from the last one.

    Args:
        s: the session, of which only the DAG and the SLO matter.
        modes: modes by rising latency and falling cost.
        first: first allowed mode per module, shape (modules,).
        last: last allowed mode per module, shape (modules,).
        basis: the starting point, for these modes (`basis_for`); changed in place.

    Returns:
        Bound, prices and windows. The bound also holds if the flow is not the best one; the windows are then those of
        the fastest modes.
    """
    # One block of memory, because its allocation takes as long as filling it.
    columns = np.zeros((4, s.rate.size))
    bound = relax_in_place(s, modes, first, last, basis, columns)
    return Relaxation(bound, columns[0], columns[1], columns[2], columns[3])


@compiled_in_place
def relax_in_place(s: SessionArrays, modes: Modes, first: Ints, last: Ints, basis: Basis, columns: Floats) -> float:
    """As `relax_from`, in existing memory.

    Args:
        s: the session, of which only the DAG and the SLO matter.
        modes: modes by rising latency and falling cost.
        first: first allowed mode per module, shape (modules,).
        last: last allowed mode per module, shape (modules,).
        basis: the starting point, for these modes; changed.
        columns: room for the arrays of the relaxation, a row each, shape (4, modules); if the bound is infinite they
            have no meaning.

    Returns:
        The bound.
    """
    modules = s.rate.size
    hull, net = basis.hull, basis.net
    flow, base, window, hull_cost = columns[0], columns[1], columns[2], columns[3]
    for m in range(modules):
        if last[m] < first[m]:
            return np.inf
        # Most ranges are the same as in the relaxation before, and so are their hulls.
        if first[m] != basis.first[m] or last[m] != basis.last[m]:
            _make_hull(hull, m, modes, first[m], last[m])
            basis.first[m], basis.last[m] = first[m], last[m]
        if hull.corners[m] == 0:
            return np.inf
        window[m] = hull.latency[m, hull.corners[m] - 1]
    # All modules at their fastest modes miss the SLO, which is taken a `TIE` longer: no choice of modes meets it.
    if path_times(s, window, base, hull_cost) > s.slo * (1.0 + TIE):
        return np.inf
    if most_gain(s, hull, net):
        _set_windows(s, net, window)
    bound, size = 0.0, 0.0
    for m in range(modules):
        flow[m] = net.flow[m]
        base[m] = _least_base(hull, m, net.corner[m], flow[m])
        bound += base[m]
        size += base[m]
        hull_cost[m] = _hull_at(hull, m, window[m])
    supply, spared = _least_supply(s, net)
    paid = s.slo * (1.0 + TIE) * supply
    bound -= paid
    size += paid
    # The time of delays on the paths, and of ends in the SLO, does not belong to modules.
    bound += spared
    size += abs(spared)
    # Large terms nearly cancel if latency is expensive; the possible rounding error is subtracted.
    bound -= UNIT_ROUNDING * (2 * modules + 8) * size
    return bound


@compiled_on_tables
def _set_windows(s: SessionArrays, net: Network, window: Floats) -> None:
    """Each module's window: from the last end of its parents to its own end, within the SLO, in seconds.

    Times break their arcs by rounding and by gains that count as none. Windows do not, as they begin where others end.
    """
    modules, least = s.rate.size, _least_end(s)
    for m in range(modules):
        begin, end = 0.0, _end_of(s, net, m, least)
        for i in range(s.parent_first[m], s.parent_first[m + 1]):
            begin = max(begin, _end_of(s, net, s.parent[i], least) + s.delay[i])
        window[m] = max(end - begin, 0.0)


@compiled_on_tables
def _end_of(s: SessionArrays, net: Network, m: int, least: float) -> float:
    """Seconds after which module m ends, within its objective, or without a limit if it has none."""
    own = s.end[m] if s.end[m] > -np.inf else least
    return float(min(net.time[s.rate.size + m], s.slo - own))


@compiled_on_tables
def _least_end(s: SessionArrays) -> float:
    """The least end of all modules that have one, at most 0, in seconds: no path may be longer than the SLO less it."""
    least = 0.0
    for m in range(s.rate.size):
        if s.end[m] > -np.inf:
            least = min(least, s.end[m])
    return least


@compiled_on_tables
def _least_supply(s: SessionArrays, net: Network) -> tuple[float, float]:
    """Flow that pays the SLO, and the payment of delays and ends to be subtracted.

    Flow leaves the DAG at modules with an end. The excess is the imbalance that rounding has left at the modules;
    without it the bound would not hold for the flow as it is.

    Returns:
        The flow in money per hour and second, and money per hour.
    """
    modules, least = s.rate.size, _least_end(s)
    supply, spared, out = 0.0, 0.0, net.excess
    out[:] = 0.0
    for m in range(modules):
        if s.parent_first[m] < s.parent_first[m + 1]:
            into = 0.0
            for i in range(s.parent_first[m], s.parent_first[m + 1]):
                into += net.flow[modules + i]
                out[s.parent[i]] += net.flow[modules + i]
                spared += net.flow[modules + i] * s.delay[i]
            excess = max(into - net.flow[m], 0.0)
            supply += excess
            spared += excess * least
    for m in range(modules):
        leaves = net.flow[m]
        if s.child_first[m] < s.child_first[m + 1]:
            leaves = max(net.flow[m] - out[m], 0.0)
        supply += leaves
        spared += leaves * (s.end[m] if s.end[m] > -np.inf else least)
    return supply, spared


@compiled_on_tables
def _least_base(hull: Hull, m: int, corner: int, flow: float) -> float:
    """Least cost + flow·latency over the corners of module m, in money per hour.

    The corner noted for the flow is the one, but rounding of slopes may have left it at a neighbour.
    """
    least = np.inf
    for k in range(max(corner - 1, 0), min(corner + 2, hull.corners[m])):
        least = min(least, hull.cost[m, k] + flow * hull.latency[m, k])
    return least


@compiled
def _no_hull(modes: Modes) -> Hull:
    """Hulls without corners, with room for all modes."""
    modules, most = modes.cost.shape
    return Hull(
        np.zeros(modules, np.int64),
        np.empty((modules, most)),
        np.empty((modules, most)),
        np.empty((modules, most + 1)),
    )


@compiled_on_tables
def _make_hull(hull: Hull, m: int, modes: Modes, first: int, last: int) -> None:
    """Make the lower convex hull of module m's allowed modes; it has no corners if none of them has a finite cost."""
    size = 0
    # From the slowest mode to the fastest, the order in which flow takes corners.
    for i in range(last, first - 1, -1):
        latency, cost = modes.latency[m, i], modes.cost[m, i]
        # Of two modes at one latency the one seen first is the cheaper one.
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
    # A sentinel: a search for a flow's corner stops here without counting corners.
    hull.slope[m, size] = np.inf


@compiled_on_tables
def _hull_at(hull: Hull, m: int, latency: float) -> float:
    """Cost per hour of module m's hull at a latency in seconds, that of its fastest corner below all of them."""
    if latency >= hull.latency[m, 0]:
        return float(hull.cost[m, 0])
    for k in range(1, hull.corners[m]):
        if latency >= hull.latency[m, k]:
            return float(hull.cost[m, k] - hull.slope[m, k] * (latency - hull.latency[m, k]))
    return float(hull.cost[m, hull.corners[m] - 1])
