"""Which module a search over latency splits branches on (compiled, ours).

The one that promises the largest product of both rises of the bound; rises are tried out until a module's mean rise
per second is known (reliability branching, Achterberg, Koch and Martin 2005).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from euclio.core.compiled import compiled
from euclio.session.arrays import TIE, Floats, Ints
from formulations.session.split.alone.network import Basis, Hulls, Network, set_hull
from formulations.session.split.alone.simplex import copy_basis, fit, improve

RELIABLE = 100
"""Trials after which a module's mean rise is trusted."""
TRIALS, TRIAL_PIVOTS = 12, 60
"""Most modules tried per node, and pivots per trial."""
UNIMPROVED = 8
"""Modules looked at in a row without a better one, after which the choice is made."""
SHORTEST = 1e-4
"""Windows are at least this share of the SLO away from a mode when rises are compared per second."""
LEAST_RISE = 1e-6
"""Share of the gap that a rise counts at least, so that products stay comparable."""


class Learned(NamedTuple):
    """What trials have taught of each module's branches.

    Attributes:
        rise: mean rise of the bound, in money per hour for each second that the window changes, when the module takes a
            faster mode (column 0) or a slower one (column 1), shape (modules, 2).
        trials: trials that the mean is over, shape (modules, 2).
    """

    rise: Floats
    trials: Ints


class Branch(NamedTuple):
    """A node in two sides: one module takes a mode up to some mode, or a slower one.

    Attributes:
        module: the module; −1: there is nothing to decide.
        mode: the slowest mode of the faster side.
        faster: lower bound on the cost per hour of the faster side.
        slower: lower bound on the cost per hour of the slower side.
    """

    module: int
    mode: int
    faster: float
    slower: float


class _Candidates(NamedTuple):
    """Modules to branch on: those of which no mode fills the window that the relaxation gives them.

    Attributes:
        module: the modules, shape (candidates,).
        mode: slowest mode of each within its window, shape (candidates,).
        seconds: from the window down to that mode, and up to the next one, shape (candidates, 2).
        score: what the branch promises, as far as trials say; larger is better, shape (candidates,).
    """

    module: Ints
    mode: Ints
    seconds: Floats
    score: Floats


@compiled
def new_learned(modules: int) -> Learned:
    """What is known of the branches of so many modules before any trial: nothing."""
    return Learned(np.zeros((modules, 2)), np.zeros((modules, 2), np.int64))


@compiled
def restrict(net: Network, hulls: Hulls, m: int, mode: int, side: int) -> None:
    """Leave module m its modes up to `mode` (side 0), or only those slower than it (side 1); its hull is made anew."""
    if side == 0:
        hulls.alive[m, mode + 1 :] = False
    else:
        hulls.alive[m, : mode + 1] = False
    set_hull(net, hulls, m)


@compiled
def best_branch(
    net: Network, hulls: Hulls, basis: Basis, bound: float, upper: float, learned: Learned, scratch: Basis
) -> Branch:
    """The branch that promises most, by trials and what earlier trials have taught.

    Args:
        net: the problem.
        hulls: modes that are left.
        basis: a solved relaxation over them; basis and hulls are unchanged afterwards.
        bound: lower bound that the basis proves, money per hour.
        upper: limit on the cost per hour, above which all bounds are alike.
        learned: mean rises, to which trials are added.
        scratch: room for a basis.

    Returns:
        The branch; module −1: a mode fills every window.
    """
    found = _candidates(net, hulls, basis, learned)
    gap, best, best_score = upper - bound, Branch(-1, -1, bound, bound), -1.0
    least, tried, unimproved = LEAST_RISE * gap + 1e-300, 0, 0
    for _ in range(found.module.size):
        at = int(found.score.argmax())
        m, mode, score = found.module[at], found.mode[at], found.score[at]
        found.score[at] = -1.0
        branch = Branch(m, mode, bound, bound)
        if learned.trials[m].min() < RELIABLE:
            # An untried score is no promise, and enough have been tried: only modules with reliable means remain.
            if tried == TRIALS:
                continue
            tried += 1
            faster = _trial(net, hulls, basis, scratch, m, mode, 0, upper)
            slower = _trial(net, hulls, basis, scratch, m, mode, 1, upper)
            branch = Branch(m, mode, max(bound, faster), max(bound, slower))
            rises = min(branch.faster - bound, 1.001 * gap), min(branch.slower - bound, 1.001 * gap)
            for side in range(2):
                learned.trials[m, side] += 1
                per_second = rises[side] / found.seconds[at, side]
                learned.rise[m, side] += (per_second - learned.rise[m, side]) / learned.trials[m, side]
            # One side is above the limit already: the branch costs no node, so none is better.
            if max(branch.faster, branch.slower) > upper:
                return branch
            score = max(rises[0], least) * max(rises[1], least)
        if score > best_score:
            best, best_score, unimproved = branch, score, 0
        else:
            unimproved += 1
            if unimproved == UNIMPROVED:
                break
    return best


@compiled
def any_branch(hulls: Hulls, bound: float) -> Branch:
    """A branch where a mode fills every window but rounding kept the choice from being one: the module with most modes.

    Args:
        hulls: modes that are left.
        bound: lower bound of the node, which holds for both sides.

    Returns:
        The fastest mode against all others; module −1: every module has one mode left.
    """
    left = np.array([row.sum() for row in hulls.alive])
    m = int(left.argmax())
    if left[m] < 2:
        return Branch(-1, -1, bound, bound)
    fastest = 0
    while not hulls.alive[m, fastest]:
        fastest += 1
    return Branch(m, fastest, bound, bound)


@compiled
def _candidates(net: Network, hulls: Hulls, basis: Basis, learned: Learned) -> _Candidates:
    """The modules to branch on at a solved relaxation; untried ones come first, by their cost above the hull."""
    n, count, shortest = net.s.rate.size, 0, SHORTEST * net.s.slo
    module, mode = np.zeros(n, np.int64), np.zeros(n, np.int64)
    seconds, score = np.zeros((n, 2)), np.zeros(n)
    latency, cost = net.modes.latency, net.modes.cost
    for m in range(n):
        window = basis.time[1 + n + m] - basis.time[1 + m]
        within, beyond = -1, -1
        for i in range(net.modes.size[m]):
            if hulls.alive[m, i] and latency[m, i] <= window * (1.0 + TIE):
                within = i
            elif hulls.alive[m, i]:
                beyond = i
                break
        # All modes that are left are within the window, or none is but for rounding: there is nothing to decide.
        if within < 0 or beyond < 0:
            continue
        excess = cost[m, within] - _hull_at(hulls, m, window)
        if excess <= TIE * cost[m, within]:
            continue
        module[count], mode[count] = m, within
        seconds[count, 0] = max(window - latency[m, within], shortest)
        seconds[count, 1] = max(latency[m, beyond] - window, shortest)
        rises = learned.rise[m, 0] * seconds[count, 0], learned.rise[m, 1] * seconds[count, 1]
        score[count] = rises[0] * rises[1] if learned.trials[m, 0] > 0 else 1e30 * excess
        count += 1
    return _Candidates(module[:count], mode[:count], seconds[:count], score[:count])


@compiled
def _hull_at(hulls: Hulls, m: int, window: float) -> float:
    """Cost per hour of module m's hull at a window in seconds."""
    k = 0
    while k + 1 < hulls.corners[m] and window < hulls.latency[m, k]:
        k += 1
    return float(hulls.cost[m, k] + hulls.slope[m, k] * min(0.0, hulls.latency[m, k] - window))


@compiled
def _trial(
    net: Network, hulls: Hulls, basis: Basis, scratch: Basis, m: int, mode: int, side: int, upper: float
) -> float:
    """Lower bound on the cost per hour of one side of a branch, after a few pivots; infinite: the side has no choice.

    Args:
        net: the problem.
        hulls: modes that are left; unchanged afterwards.
        basis: a solved relaxation over them; unchanged afterwards.
        scratch: room for a basis.
        m: the module.
        mode: the slowest mode of the faster side.
        side: 0: the faster side, 1: the slower one.
        upper: pivots end where the bound exceeds this.
    """
    alive = hulls.alive[m].copy()
    copy_basis(basis, scratch)
    restrict(net, hulls, m, mode, side)
    bound = improve(net, hulls, basis, upper, TRIAL_PIVOTS) if fit(net, hulls, basis, m) else np.inf
    hulls.alive[m] = alive
    set_hull(net, hulls, m)
    copy_basis(scratch, basis)
    return bound
