"""Latency splitting alone, exact, on DAGs of any shape and size: the discrete time-cost trade-off problem (ours).

Small problems, and large ones with a loose SLO, end in the search over modes, whose bound is the relaxation of the
whole DAG. Where it does not end within a number of nodes, the relaxation drops every mode whose reduced cost exceeds
the gap to the best choice found, and the rest is a MILP, whose cutting planes bound what the relaxation cannot.
"""

from __future__ import annotations

import math
import time
from collections.abc import Sequence

import numpy as np

from euclio.session.arrays import Ints
from formulations.mode_dag import Edges, ModeDag, keep_modes, mode_dag
from formulations.mode_search import ModeChoice, search_modes
from formulations.relaxation import relax
from formulations.step_model import solve_steps

NODES_TIMES_MODULES = 60_000
"""The search's nodes, times the modules that each of them has to relax: less than half a second."""


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
        The choice, modes numbered as given; cost infinite: none was found, and there is none if it is complete.

    Raises:
        InputError: the edges have a cycle or name no module, or a module's latencies and costs differ in number.
    """
    dag = mode_dag(edges, latencies, costs, slo)
    size = dag.modes.size.size
    if size == 0 or dag.modes.size.min() == 0:
        cost = 0.0 if size == 0 else math.inf
        return ModeChoice(cost, np.zeros(size, np.int64), cost, 0, True)
    most_nodes = max(1, NODES_TIMES_MODULES // size)
    found = search_modes(dag.arrays, dag.modes, math.inf, tolerance, deadline, most_nodes)
    if found.complete or time.perf_counter() >= deadline:
        return _numbered(dag, found)
    rest = _within_gap(dag, found)
    start = _places(dag, rest, found.chosen) if math.isfinite(found.cost) else None
    answer = solve_steps(rest, start, deadline - time.perf_counter())
    best = _numbered(dag, found)
    if answer.chosen is not None:
        cost = float(rest.modes.cost[np.arange(size), answer.chosen].sum())
        if cost < best.cost:
            best = _numbered(rest, found._replace(cost=cost, chosen=answer.chosen))
    # What was dropped costs more than the choice found; so the engine's bound, cut off there, holds for everything.
    bound = min(max(found.bound, answer.bound), best.cost)
    complete = bound >= best.cost * (1.0 - tolerance)
    return best._replace(bound=bound, nodes=found.nodes + answer.nodes, complete=complete)


def _numbered(dag: ModeDag, found: ModeChoice) -> ModeChoice:
    """The choice with modes numbered as they were given."""
    return found._replace(chosen=dag.number[np.arange(found.chosen.size), found.chosen])


def _within_gap(dag: ModeDag, found: ModeChoice) -> ModeDag:
    """Without the modes whose reduced cost exceeds the gap to the choice found."""
    modes = dag.modes
    relaxed = relax(dag.arrays, modes, np.zeros_like(modes.size), modes.size - 1)
    reduced = modes.cost + relaxed.flow[:, None] * modes.latency - relaxed.base[:, None]
    gap = (found.cost - relaxed.bound) * (1.0 + 1e-9)
    keep = [np.flatnonzero(reduced[m, :n] <= gap) for m, n in enumerate(modes.size)]
    for m, row in enumerate(keep):
        if math.isfinite(found.cost) and found.chosen[m] not in row:
            keep[m] = np.sort(np.append(row, found.chosen[m]))
    return keep_modes(dag, [row.tolist() for row in keep])


def _places(dag: ModeDag, rest: ModeDag, chosen: Ints) -> Ints:
    """The same choice, numbered among the modes that are left."""
    return np.array(
        [np.flatnonzero(rest.number[m] == dag.number[m, i])[0] for m, i in enumerate(chosen)], dtype=np.int64
    )
