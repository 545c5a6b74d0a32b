"""Branch and bound for latency splitting on the flow relaxation, depth first (compiled, ours).

At every node modes whose reduced cost reaches above the limit, and modes for which the fastest of the rest leave no
room, are dropped. It branches on a window that no mode fills: the module takes a mode within it, or a slower one.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from euclio.core.compiled import compiled, is_past
from euclio.session.arrays import TIE, Floats, Ints
from euclio.session.dispatch import path_times
from formulations.session.exact.mode_search import ModeChoice, round_to_modes
from formulations.session.splitting.branching import Branch, Learned, any_branch, best_branch, restrict
from formulations.session.splitting.network import Basis, Flags, Hulls, Network, all_hulls, new_basis, set_hull
from formulations.session.splitting.simplex import copy_basis, fit, improve, start_basis

PIVOTS_PER_MODULE = 100
NODES_BETWEEN_CLOCKS, NODES_BETWEEN_ROUNDINGS = 64, 16


class _Open(NamedTuple):
    """Decisions from the root to the node: basis and modes before each, what was decided, sides left, their bounds."""

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
        upper: more expensive choices are not searched.
        tolerance: nor those that are cheaper than the best found by less than this share.
        deadline: seconds on `clock` at which to stop; infinite: never.
        learned: mean rises, which the search adds to.

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
        if bound <= upper:
            branch = best_branch(net, hulls, basis, bound, upper, learned, scratch)
            if branch.module < 0 or nodes % NODES_BETWEEN_ROUNDINGS == 1:
                chosen, cost = _round(net, basis)
                if cost < best:
                    best, best_chosen, upper = cost, chosen, min(upper, cost * (1.0 - tolerance))
            if branch.module < 0:
                branch = any_branch(hulls, bound)
            if branch.module >= 0 and bound <= upper:
                _push(stack, depth, basis, hulls, branch)
                depth += 1
        depth = _next_open(stack, depth, upper)
        if depth == 0:
            return ModeChoice(best, best_chosen, upper, nodes, True)
        if stack.left[depth - 1] == 0:
            _restore(net, hulls, basis, stack, depth - 1)
        m = stack.module[depth - 1]
        restrict(net, hulls, m, stack.mode[depth - 1], _side(stack, depth - 1))
        bound = _settle(net, hulls, basis, upper) if fit(net, hulls, basis, m) else np.inf


@compiled
def _round(net: Network, basis: Basis) -> tuple[Ints, float]:
    """A choice of modes within the windows of the relaxation."""
    n, size = net.s.rate.size, net.modes.size
    return round_to_modes(net.s, net.modes, basis.time[1 + n :] - basis.time[1 : 1 + n], np.zeros_like(size), size - 1)


@compiled
def _push(stack: _Open, row: int, basis: Basis, hulls: Hulls, branch: Branch) -> None:
    copy_basis(basis, _row(stack.bases, row))
    stack.alive[row], stack.left[row] = hulls.alive, 2
    stack.module[row], stack.mode[row] = branch.module, branch.mode
    stack.bound[row, 0], stack.bound[row, 1] = branch.faster, branch.slower


@compiled
def _next_open(stack: _Open, depth: int, upper: float) -> int:
    """Depth of the deepest decision with a side worth searching, which is then no longer left; 0: none."""
    while depth > 0:
        stack.left[depth - 1] -= 1
        if stack.left[depth - 1] < 0:
            depth -= 1
        elif stack.bound[depth - 1, _side(stack, depth - 1)] <= upper:
            break
    return depth


@compiled
def _row(bases: Basis, row: int) -> Basis:
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
    copy_basis(_row(stack.bases, row), basis)
    hulls.alive[:] = stack.alive[row]
    for m in range(hulls.corners.size):
        set_hull(net, hulls, m)


@compiled
def _side(stack: _Open, row: int) -> int:
    """First the side with the lower bound, 0: faster; then the other."""
    first = 0 if stack.bound[row, 0] <= stack.bound[row, 1] else 1
    return first if stack.left[row] == 1 else 1 - first


@compiled
def _settle(net: Network, hulls: Hulls, basis: Basis, upper: float) -> float:
    """Solve the relaxation and drop modes until none is dropped; returns the bound, infinite: no choice is left."""
    while True:
        bound = improve(net, hulls, basis, upper, PIVOTS_PER_MODULE * net.s.rate.size)
        if bound > upper:
            return bound
        _drop_dear(net, hulls, basis, upper - bound)
        dropped = _drop_slow(net, hulls, basis)
        if dropped < 0:
            return np.inf
        if dropped == 0:
            return bound


@compiled
def _drop_dear(net: Network, hulls: Hulls, basis: Basis, gap: float) -> None:
    """Without modes whose reduced cost exceeds the gap; corners in use have none, so the basis stays."""
    for m in range(net.s.rate.size):
        flow, k, dropped = basis.flow[m], basis.corner[m], False
        most = hulls.cost[m, k] + flow * hulls.latency[m, k] + gap
        for i in range(net.modes.size[m]):
            if hulls.alive[m, i] and net.modes.cost[m, i] + flow * net.modes.latency[m, i] > most:
                hulls.alive[m, i], dropped = False, True
        if dropped:
            set_hull(net, hulls, m)
            fit(net, hulls, basis, m)


@compiled
def _drop_slow(net: Network, hulls: Hulls, basis: Basis) -> int:
    """Leave out modes too slow for the fastest ones of the others; returns how many modules lose some, −1: all."""
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
