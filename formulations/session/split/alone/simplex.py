"""Network simplex on the flow relaxation of latency splitting, from any basis (compiled, ours).

Among several arcs that could leave the tree the last one along the cycle leaves, which keeps zero flows pointing to
the root and so ends the pivots (Cunningham 1976); a basis that lost modes may break that, so pivots are limited.
"""

from __future__ import annotations

import numpy as np

from euclio.core.compiled import compiled
from formulations.session.split.alone.network import Basis, Hulls, Network, new_basis
from formulations.tolerances import ENTERING, SUMS


@compiled
def start_basis(net: Network, hulls: Hulls) -> Basis:
    """The basis to begin with: no flow, every module at its slowest mode, all times as late as the SLO allows."""
    n = net.s.rate.size
    basis = new_basis(n, n + net.tail.size)
    for m in net.s.order[::-1]:
        begin, end, best, arc = 1 + m, 1 + n + m, np.inf, -1
        for a in range(net.tail.size):
            if net.tail[a] == end and basis.time[net.head[a]] - net.gain[a] < best:
                best, arc = basis.time[net.head[a]] - net.gain[a], a
        _hang(basis, end, net.head[arc], n + arc)
        _hang(basis, begin, end, m)
        basis.in_tree[n + arc], basis.in_tree[m] = True, True
        _renew(net, hulls, basis, end)
    return basis


@compiled
def copy_basis(basis: Basis, to: Basis) -> None:
    """Copy the arrays of `basis` into those of `to`, which have the same shapes."""
    to.parent[:], to.arc[:], to.depth[:] = basis.parent, basis.arc, basis.depth
    to.child[:], to.following[:], to.previous[:] = basis.child, basis.following, basis.previous
    to.time[:], to.flow[:] = basis.time, basis.flow
    to.corner[:], to.in_tree[:] = basis.corner, basis.in_tree


@compiled
def flow_bound(net: Network, hulls: Hulls, basis: Basis) -> float:
    """Lower bound on the cost per hour that the flow of a basis proves, whatever flow it is (weak duality).

    Where modes are close in latency and far apart in cost, flow times latency is far larger than any cost, and its sum
    nearly cancels: what rounding may have added to it is taken off. Flows that were large once keep their rounding. A
    node where more arrives than leaves is paid for with the latest time it can have, the SLO; a flow below zero, with
    the most that its arc can be ahead of time, twice the SLO.
    """
    n, bound, size = net.s.rate.size, 0.0, 0.0
    arrives, unpaid = np.zeros(2 * n + 1), 0.0
    for m in range(n):
        k, flow = basis.corner[m], basis.flow[m]
        term = hulls.cost[m, k] + flow * hulls.latency[m, k]
        bound += term
        size += abs(term)
        arrives[1 + m] -= flow
        arrives[1 + n + m] += flow
        unpaid += 2.0 * max(0.0, -flow)
    for a in range(net.tail.size):
        flow = basis.flow[n + a]
        bound += net.gain[a] * flow
        size += abs(net.gain[a] * flow)
        arrives[net.tail[a]] -= flow
        arrives[net.head[a]] += flow
        unpaid += 2.0 * max(0.0, -flow)
    for v in range(1, 2 * n + 1):
        unpaid += max(0.0, arrives[v])
    return bound - SUMS * size - unpaid * net.s.slo


@compiled
def fit(net: Network, hulls: Hulls, basis: Basis, m: int) -> bool:
    """Adapt the basis to module m's new hull; False: the flow rises without end, so no choice is within the SLO.

    A flow that is no slope of the new hull goes into the tree or falls to one; it stays a flow, so its bound is valid.
    """
    n, flow, k = net.s.rate.size, basis.flow[m], 0
    while k + 1 < hulls.corners[m] and hulls.slope[m, k + 1] <= flow:
        k += 1
    basis.corner[m] = k
    if basis.in_tree[m]:
        _renew(net, hulls, basis, 1 + n + m if basis.parent[1 + n + m] == 1 + m else 1 + m)
    elif flow > hulls.slope[m, k]:
        gain = hulls.latency[m, k] - basis.time[1 + n + m] + basis.time[1 + m]
        # Falling has an end, so a gain that is but rounding never looks like a flow without one.
        return bool(_pivot(net, hulls, basis, m, gain > ENTERING * net.s.slo) < np.inf)
    return True


@compiled
def improve(net: Network, hulls: Hulls, basis: Basis, upper: float, pivots: int) -> float:
    """Pivot until the bound is the relaxation's value or exceeds `upper`.

    Args:
        net: the network.
        hulls: hulls over the modes that are left.
        basis: the basis to go on from, which is changed in place.
        upper: limit on the cost per hour, above which no better bound is needed.
        pivots: most pivots.

    Returns:
        The lower bound, money per hour; infinite: no choice meets the SLO.
    """
    bound = flow_bound(net, hulls, basis)
    for _ in range(pivots):
        if bound > upper:
            break
        gain, arc, more = _entering(net, hulls, basis)
        if arc < 0:
            break
        # The flow of a module that falls is passed at the corner before.
        if arc < net.s.rate.size and not more:
            basis.corner[arc] -= 1
        amount = _pivot(net, hulls, basis, arc, more)
        if amount == np.inf:
            return np.inf
        bound += amount * gain
    # The sum kept up to date by pivots has gathered rounding; what is returned is added up anew.
    return flow_bound(net, hulls, basis)


@compiled
def _entering(net: Network, hulls: Hulls, basis: Basis) -> tuple[float, int, bool]:
    """Gain in seconds and number of the arc outside the tree that gains most, and whether its flow rises; −1: none."""
    n, time = net.s.rate.size, basis.time
    best, arc, more = ENTERING * net.s.slo, -1, True
    for m in range(n):
        if not basis.in_tree[m]:
            window, k = time[1 + n + m] - time[1 + m], basis.corner[m]
            if hulls.latency[m, k] - window > best:
                best, arc, more = hulls.latency[m, k] - window, m, True
            if k > 0 and window - hulls.latency[m, k - 1] > best:
                best, arc, more = window - hulls.latency[m, k - 1], m, False
    for a in range(net.tail.size):
        if not basis.in_tree[n + a] and net.gain[a] + time[net.tail[a]] - time[net.head[a]] > best:
            best, arc, more = net.gain[a] + time[net.tail[a]] - time[net.head[a]], n + a, True
    return best, arc, more


@compiled
def _pivot(net: Network, hulls: Hulls, basis: Basis, arc: int, more: bool) -> float:
    """Change the flow of an arc outside the tree, and of its cycle, until an arc of the cycle reaches a limit.

    That arc leaves the tree and the given one enters it; where the given one is at a limit first, the tree stays.

    Args:
        net: the network.
        hulls: hulls over the modes that are left.
        basis: the basis, changed in place.
        arc: the arc that enters.
        more: whether its flow rises.

    Returns:
        By how much the flow has changed; infinite: nothing limits it, and nothing was changed.
    """
    tail, head = _ends(net, arc)
    source, target = (tail, head) if more else (head, tail)
    # The cycle closes where the ways from both ends to the root meet.
    x, y = source, target
    while x != y:
        if basis.depth[x] >= basis.depth[y]:
            x = basis.parent[x]
        else:
            y = basis.parent[y]
    amount, leaving, at_source = np.inf, -1, False
    node = source
    while node != x:
        room = _room(net, hulls, basis, basis.arc[node], _ends(net, basis.arc[node])[0] != node)
        if room < amount:
            amount, leaving, at_source = room, node, True
        node = basis.parent[node]
    room = _room(net, hulls, basis, arc, more)
    # Of several limits that are reached together the last one along the cycle counts (Cunningham's rule), hence `<=`.
    if room <= amount:
        amount, leaving = room, -1
    node = target
    while node != x:
        room = _room(net, hulls, basis, basis.arc[node], _ends(net, basis.arc[node])[0] == node)
        if room <= amount:
            amount, leaving, at_source = room, node, False
        node = basis.parent[node]
    if amount == np.inf:
        return amount
    amount = max(amount, 0.0)
    for side in range(2):
        node = target if side else source
        while node != x:
            rises = (_ends(net, basis.arc[node])[0] == node) == (side == 1)
            _send(net, hulls, basis, basis.arc[node], rises, amount, node == leaving)
            node = basis.parent[node]
    _send(net, hulls, basis, arc, more, amount, leaving < 0)
    if leaving >= 0:
        basis.in_tree[basis.arc[leaving]], basis.in_tree[arc] = False, True
        _move(basis, leaving, source if at_source else target, target if at_source else source, arc)
        _renew(net, hulls, basis, source if at_source else target)
    return amount


@compiled
def _move(basis: Basis, top: int, node: int, parent: int, arc: int) -> None:
    """Hang the nodes below `top` under `parent`, turned so that `node` is their new top."""
    while True:
        old_parent, old_arc = basis.parent[node], basis.arc[node]
        _take_off(basis, node)
        _hang(basis, node, parent, arc)
        if node == top:
            return
        parent, arc, node = node, old_arc, old_parent


@compiled
def _hang(basis: Basis, node: int, parent: int, arc: int) -> None:
    """Make a node the first child of a parent, by an arc."""
    first = basis.child[parent]
    basis.parent[node], basis.arc[node] = parent, arc
    basis.following[node], basis.previous[node], basis.child[parent] = first, -1, node
    if first >= 0:
        basis.previous[first] = node


@compiled
def _take_off(basis: Basis, node: int) -> None:
    """Take a node out of the list of its parent's children."""
    before, after = basis.previous[node], basis.following[node]
    if before >= 0:
        basis.following[before] = after
    else:
        basis.child[basis.parent[node]] = after
    if after >= 0:
        basis.previous[after] = before


@compiled
def _renew(net: Network, hulls: Hulls, basis: Basis, top: int) -> None:
    """Set times and depths of a node and all nodes below it, walking through the tree in depth-first order."""
    n = net.s.rate.size
    node = top
    while True:
        parent, arc = basis.parent[node], basis.arc[node]
        gain = hulls.latency[arc, basis.corner[arc]] if arc < n else net.gain[arc - n]
        basis.depth[node] = basis.depth[parent] + 1
        basis.time[node] = basis.time[parent] + (-gain if _ends(net, arc)[0] == node else gain)
        if basis.child[node] >= 0:
            node = basis.child[node]
            continue
        while node != top and basis.following[node] < 0:
            node = basis.parent[node]
        if node == top:
            return
        node = basis.following[node]


@compiled
def _ends(net: Network, arc: int) -> tuple[int, int]:
    """The nodes that an arc leaves and enters."""
    n = net.s.rate.size
    return (1 + arc, 1 + n + arc) if arc < n else (net.tail[arc - n], net.head[arc - n])


@compiled
def _room(net: Network, hulls: Hulls, basis: Basis, arc: int, more: bool) -> float:
    """By how much the flow of an arc may rise (`more`) or fall while its gain stays as it is; infinite: no limit."""
    if arc >= net.s.rate.size:
        return np.inf if more else float(basis.flow[arc])
    slope, k = hulls.slope[arc], basis.corner[arc]
    return float(slope[k + 1] - basis.flow[arc] if more else basis.flow[arc] - slope[k])


@compiled
def _send(net: Network, hulls: Hulls, basis: Basis, arc: int, more: bool, amount: float, leaves: bool) -> None:
    """Raise (`more`) or lower the flow of an arc; one that leaves the tree is put exactly on its limit."""
    if not leaves:
        basis.flow[arc] += amount if more else -amount
    elif arc >= net.s.rate.size:
        basis.flow[arc] = 0.0
    else:
        basis.corner[arc] += 1 if more else 0
        basis.flow[arc] = hulls.slope[arc, basis.corner[arc]]
