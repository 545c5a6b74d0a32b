"""Latency splitting alone, exact, on DAGs of any shape and size: the discrete time-cost trade-off problem (ours).

A search with a limit on the cost is the shorter, the closer the limit is to the relaxation's bound. So it is repeated
with rising limits: each that ends without a choice becomes the lower bound, the first that ends with one proves it.
How far to raise the limit follows from how the searches have grown.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from formulations.session.split.alone.branching import new_learned
from formulations.session.split.alone.network import network_of
from formulations.session.split.alone.search import search_below
from formulations.session.split.mode_dag import Edges, ModeDag, mode_dag
from formulations.session.split.mode_search import ModeChoice, round_to_modes
from formulations.session.split.relaxation import relax

FIRST_RISE = 0.1
"""The first limit lies at this share of the gap between the relaxation and its rounding."""
GROWTH = 8.0
"""Factor by which every search should take more nodes than the one before."""
LEAST_RISE, MOST_RISE = 0.02, 0.5
"""The limit's distance to the relaxation rises by at least and at most this share."""


def split_modes(
    edges: Edges,
    latencies: Sequence[Sequence[float]],
    costs: Sequence[Sequence[float]],
    slo: float,
    tolerance: float = 1e-9,
    deadline: float = math.inf,
) -> ModeChoice:
    """The cheapest choice of one mode per module whose longest path is within the SLO, with a lower bound.

    Args:
        edges: pairs of modules, parent first; modules are numbered in any order.
        latencies: latency of each module's modes in seconds, in any order.
        costs: their costs per hour.
        slo: end-to-end latency objective in seconds.
        tolerance: relative gap at which a choice counts as proven.
        deadline: seconds on `time.perf_counter` at which to stop; infinite: never.

    Returns:
        The choice, its modes numbered as given; cost infinite: none was found, and there is none if it is complete.

    Raises:
        InputError: the edges have a cycle or name no module, or a module's latencies and costs differ in number.
    """
    dag = mode_dag(edges, latencies, costs, slo)
    size = dag.modes.size
    if size.size == 0 or size.min() == 0:
        cost = 0.0 if size.size == 0 else math.inf
        return ModeChoice(cost, np.zeros(size.size, np.int64), cost, 0, True)
    first, last = np.zeros_like(size), size - 1
    relaxed = relax(dag.arrays, dag.modes, first, last)
    chosen, cost = round_to_modes(dag.arrays, dag.modes, relaxed.window, first, last)
    bound = min(relaxed.bound, cost)
    best = ModeChoice(cost, chosen, bound, 0, bound >= cost * (1.0 - tolerance))
    return _numbered(dag, best if best.complete else _search(dag, best, tolerance, deadline))


def _search(dag: ModeDag, best: ModeChoice, tolerance: float, deadline: float) -> ModeChoice:
    """The best choice and bound after searches with rising limits, until one ends with a choice or the time is up."""
    net, learned = network_of(dag.arrays, dag.modes), new_learned(dag.modes.size.size)
    root, rise = best.bound, FIRST_RISE * (best.cost - best.bound)
    sizes: list[tuple[float, float]] = []
    while not best.complete:
        # Choices cheaper than the best one by less than the tolerance need not be found.
        limit = min(root + rise, best.cost * (1.0 - tolerance))
        found = search_below(net, limit, tolerance, deadline, learned)
        if found.cost < best.cost:
            best = best._replace(cost=found.cost, chosen=found.chosen)
        best = best._replace(nodes=best.nodes + found.nodes)
        # A search that the deadline ended proves nothing; the bound of the one before it stays.
        if not found.complete:
            break
        # No choice costs the limit or less but the best one, if that does.
        complete = best.cost * (1.0 - tolerance) <= limit
        best = best._replace(bound=best.cost if complete else limit, complete=complete)
        sizes.append((rise, math.log(found.nodes)))
        rise += _step(sizes)
    return best


def _step(sizes: list[tuple[float, float]]) -> float:
    """By how much to raise the limit, from the limits so far and the logarithms of their nodes."""
    rise, nodes = sizes[-1]
    step = MOST_RISE * rise
    if len(sizes) > 1 and nodes > sizes[-2][1]:
        step = math.log(GROWTH) * (rise - sizes[-2][0]) / (nodes - sizes[-2][1])
    return min(max(step, LEAST_RISE * rise), MOST_RISE * rise)


def _numbered(dag: ModeDag, found: ModeChoice) -> ModeChoice:
    """The choice with modes numbered as they were given."""
    return found._replace(chosen=dag.number[np.arange(found.chosen.size), found.chosen])
