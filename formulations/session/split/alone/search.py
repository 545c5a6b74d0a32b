"""Branch and bound for latency splitting on the flow relaxation, depth first (compiled, ours).

At every node modes whose reduced cost reaches above the limit, and modes for which the fastest of the rest leave no
room, are dropped. It branches on a window that no mode fills: the module takes a mode within it, or a slower one.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from euclio.core.compiled import compiled, is_past
from euclio.session.arrays import TIE, Floats, Ints
from euclio.session.latency.dispatch import path_times
from formulations.session.split.alone.branching import Branch, Learned, any_branch, best_branch, restrict
from formulations.session.split.alone.network import Basis, Flags, Hulls, Network, all_hulls, new_basis, set_hull
from formulations.session.split.alone.simplex import copy_basis, fit, improve, start_basis
from formulations.session.split.mode_search import ModeChoice, round_to_modes
from formulations.tolerances import SUMS

PIVOTS_PER_MODULE = 100
NODES_BETWEEN_CLOCKS, NODES_BETWEEN_ROUNDINGS = 64, 16


class _Open(NamedTuple):
    """Decisions from the root to the node, one row each.

    Attributes:
        bases: solved relaxations before each decision.
        alive: modes that were left before it, shape (rows, modules, capacity).
        module: the module that is decided on, shape (rows,).
        mode: the slowest mode of the faster side, shape (rows,).
        left: sides that are still to be searched, 2, 1 or 0, shape (rows,).
        bound: lower bounds on the faster and the slower side, money per hour, shape (rows, 2).
    """

    bases: Basis
    alive: Flags
    module: Ints
    mode: Ints
    left: Ints
    bound: Floats


@compiled
def search_below(net: Network, upper: float, tolerance: float, deadline: float, learned: Learned) -> ModeChoice:
    """The cheapest choice of modes if it costs at most `upper`, else any choice that was met.

    Args:
        net: the problem.
        upper: limit on the cost per hour; more expensive choices are not searched.
        tolerance: choices that are cheaper than the best one found by less than this share are not searched either.
        deadline: seconds on `clock` at which to stop; infinite: never.
        learned: mean rises of the bound by branching, which the search adds to.

    Returns:
        The choice; if complete, all others cost more than its bound; if not, the bound says nothing (−infinite).
    """
    n = net.s.rate.size
    hulls = all_hulls(net)
    basis = start_basis(net, hulls)
    stack = _new_open(net)
    scratch = new_basis(n, n + net.tail.size)
    best, best_chosen, nodes, depth = np.inf, np.zeros(n, np.int64), 0, 0
    bound = _settle(net, hulls, basis, upper)
    while True:
        nodes += 1
        if nodes % NODES_BETWEEN_CLOCKS == 0 and is_past(deadline):
            return ModeChoice(best, best_chosen, -np.inf, nodes, False)
        # A node above the limit is done with: go back to the last decision with a side left.
        if bound <= upper:
            branch = best_branch(net, hulls, basis, bound, upper, learned, scratch)
            if branch.module < 0 or nodes % NODES_BETWEEN_ROUNDINGS == 1:
                chosen, cost = _round(net, basis)
                if cost < best:
                    best, best_chosen, upper = cost, chosen, min(upper, cost * (1.0 - tolerance))
            # A mode fills every window, so rounding should have found a choice at the cost of the bound. If it has, the
            # limit is below the bound now; if not, nothing is proven, and the node is split anyhow, down to one choice.
            if branch.module < 0:
                branch = any_branch(hulls, bound)
                if branch.module < 0:
                    chosen, cost = _only_choice(net, hulls)
                    if cost < best:
                        best, best_chosen, upper = cost, chosen, min(upper, cost * (1.0 - tolerance))
            if branch.module >= 0 and bound <= upper:
                _push(stack, depth, basis, hulls, branch)
                depth += 1
        depth = _next_open(stack, depth, upper)
        if depth == 0:
            return ModeChoice(best, best_chosen, upper, nodes, True)
        # The first side of a decision goes on from the basis as it is, the second one from that before the decision.
        if stack.left[depth - 1] == 0:
            _restore(net, hulls, basis, stack, depth - 1)
        m = stack.module[depth - 1]
        restrict(net, hulls, m, stack.mode[depth - 1], _side(stack, depth - 1))
        bound = _settle(net, hulls, basis, upper) if fit(net, hulls, basis, m) else np.inf


@compiled
def _round(net: Network, basis: Basis) -> tuple[Ints, float]:
    """A choice of modes within the windows of the relaxation, and its cost per hour; infinite: it misses the SLO."""
    n, size = net.s.rate.size, net.modes.size
    return round_to_modes(net.s, net.modes, basis.time[1 + n :] - basis.time[1 : 1 + n], np.zeros_like(size), size - 1)


@compiled
def _only_choice(net: Network, hulls: Hulls) -> tuple[Ints, float]:
    """The one mode that every module has left, and their cost per hour; infinite: they miss the SLO."""
    n = net.s.rate.size
    chosen, latency, cost = np.zeros(n, np.int64), np.zeros(n), 0.0
    for m in range(n):
        chosen[m] = np.argmax(hulls.alive[m])
        latency[m] = net.modes.latency[m, chosen[m]]
        cost += net.modes.cost[m, chosen[m]]
    fits = path_times(net.s, latency, np.zeros(n), np.zeros(n)) <= net.s.slo * (1.0 + TIE)
    return chosen, cost if fits else np.inf


@compiled
def _push(stack: _Open, row: int, basis: Basis, hulls: Hulls, branch: Branch) -> None:
    """Note a decision, with the basis and the modes before it, in a row of the stack; both its sides are left."""
    copy_basis(basis, _row(stack.bases, row))
    stack.alive[row], stack.left[row] = hulls.alive, 2
    stack.module[row], stack.mode[row] = branch.module, branch.mode
    stack.bound[row, 0], stack.bound[row, 1] = branch.faster, branch.slower


@compiled
def _next_open(stack: _Open, depth: int, upper: float) -> int:
    """Depth of the deepest decision with a side whose bound is within the limit; 0: none.

    That side counts as searched from now on, as do sides passed over: their bounds exceed the limit, which only falls.
    """
    while depth > 0:
        stack.left[depth - 1] -= 1
        if stack.left[depth - 1] < 0:
            depth -= 1
        elif stack.bound[depth - 1, _side(stack, depth - 1)] <= upper:
            break
    return depth


@compiled
def _row(bases: Basis, row: int) -> Basis:
    """One basis of several: views of the arrays, not copies."""
    return Basis(
        bases.parent[row],
        bases.arc[row],
        bases.depth[row],
        bases.child[row],
        bases.following[row],
        bases.previous[row],
        bases.time[row],
        bases.flow[row],
        bases.corner[row],
        bases.in_tree[row],
    )


@compiled
def _new_open(net: Network) -> _Open:
    """Room for as many decisions as can follow each other: each takes at least one mode away."""
    n, arcs, capacity = net.s.rate.size, net.s.rate.size + net.tail.size, net.modes.latency.shape[1]
    most, nodes = int(net.modes.size.sum()) - n + 1, 2 * n + 1
    bases = Basis(
        np.empty((most, nodes), np.int64),
        np.empty((most, nodes), np.int64),
        np.empty((most, nodes), np.int64),
        np.empty((most, nodes), np.int64),
        np.empty((most, nodes), np.int64),
        np.empty((most, nodes), np.int64),
        np.empty((most, nodes)),
        np.empty((most, arcs)),
        np.empty((most, n), np.int64),
        np.empty((most, arcs), np.bool_),
    )
    return _Open(
        bases,
        np.empty((most, n, capacity), np.bool_),
        np.zeros(most, np.int64),
        np.zeros(most, np.int64),
        np.zeros(most, np.int64),
        np.zeros((most, 2)),
    )


@compiled
def _restore(net: Network, hulls: Hulls, basis: Basis, stack: _Open, row: int) -> None:
    """Bring basis, modes and hulls back to what they were before the decision in a row of the stack."""
    copy_basis(_row(stack.bases, row), basis)
    hulls.alive[:] = stack.alive[row]
    for m in range(hulls.corners.size):
        set_hull(net, hulls, m)


@compiled
def _side(stack: _Open, row: int) -> int:
    """The side of a decision to search next: 0 the faster, 1 the slower; that with the lower bound comes first."""
    first = 0 if stack.bound[row, 0] <= stack.bound[row, 1] else 1
    return first if stack.left[row] == 1 else 1 - first


@compiled
def _settle(net: Network, hulls: Hulls, basis: Basis, upper: float) -> float:
    """Solve the relaxation and drop modes until none is dropped.

    Returns:
        The bound, money per hour; above `upper` or infinite: no choice within the limit is left.
    """
    while True:
        bound = improve(net, hulls, basis, upper, PIVOTS_PER_MODULE * net.s.rate.size)
        # Prune: the flow proves the bound, from which rounding was taken off.
        if bound > upper:
            return bound
        _drop_expensive(net, hulls, basis, upper - bound)
        dropped = _drop_slow(net, hulls, basis)
        if dropped < 0:
            return np.inf
        if dropped == 0:
            return bound


@compiled
def _drop_expensive(net: Network, hulls: Hulls, basis: Basis, gap: float) -> None:
    """Drop modes whose reduced cost exceeds the gap, in money per hour: with them the bound is above the limit.

    The corners that the flow is passed at have no reduced cost, so they stay and the basis fits the new hulls.
    """
    for m in range(net.s.rate.size):
        flow, k, dropped = basis.flow[m], basis.corner[m], False
        most = hulls.cost[m, k] + flow * hulls.latency[m, k] + gap
        # Both sides are sums of a cost and a product, which round by a share of what is larger.
        most += SUMS * (abs(hulls.cost[m, k]) + flow * net.modes.latency[m].max())
        for i in range(net.modes.size[m]):
            if hulls.alive[m, i] and net.modes.cost[m, i] + flow * net.modes.latency[m, i] > most:
                hulls.alive[m, i], dropped = False, True
        if dropped:
            set_hull(net, hulls, m)
            fit(net, hulls, basis, m)


@compiled
def _drop_slow(net: Network, hulls: Hulls, basis: Basis) -> int:
    """Drop modes that are too slow next to the fastest modes of all other modules.

    The SLO is taken a `TIE` longer, which is more than sums of latencies lose by rounding.

    Returns:
        How many modules lose modes; −1: even the fastest modes miss the SLO, or a module loses all of its modes.
    """
    n = net.s.rate.size
    fastest, before, after = np.zeros(n), np.zeros(n), np.zeros(n)
    for m in range(n):
        fastest[m] = hulls.latency[m, hulls.corners[m] - 1]
    slo, changed = net.s.slo * (1.0 + TIE), 0
    if path_times(net.s, fastest, before, after) > slo:
        return -1
    for m in range(n):
        room, dropped = slo - before[m] - after[m], False
        for i in range(net.modes.size[m] - 1, -1, -1):
            if net.modes.latency[m, i] <= room:
                break
            dropped = dropped or hulls.alive[m, i]
            hulls.alive[m, i] = False
        if dropped:
            changed += 1
            set_hull(net, hulls, m)
            if hulls.corners[m] == 0 or not fit(net, hulls, basis, m):
                return -1
    return changed
