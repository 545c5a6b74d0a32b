"""The linear relaxation of latency splitting against a general LP solver, on random DAGs."""

import random

import numpy as np
import pytest
from scipy.optimize import linprog

from euclio.session import FULL_SPACE, Configuration, Hardware, Module, Session
from euclio.session.arrays import SessionArrays, session_arrays
from formulations.session.exact.modes import Modes, new_modes
from formulations.session.exact.relaxation import relax

SEEDS = range(60)


def random_case(seed: int) -> tuple[SessionArrays, Modes]:
    """A random DAG of 2 to 9 modules with up to 7 modes each, and an SLO between fastest and slowest."""
    chance = random.Random(seed)
    size = chance.randint(2, 9)
    density = chance.choice([0.2, 0.5])
    edges = [(f"m{i}", f"m{j}") for j in range(size) for i in range(j) if chance.random() < density]
    modules = [Module(f"m{i}", 1, [Configuration("a", 1, 1, 1)]) for i in range(size)]
    arrays = session_arrays(Session("random", 100, [Hardware("a", 1)], modules, edges), FULL_SPACE)
    modes = new_modes(size, 8)
    for m in range(size):
        latency = sorted({round(chance.uniform(0.1, 1), 2) for _ in range(chance.randint(1, 7))})
        cost = np.sort([chance.uniform(1, 10) for _ in latency])[::-1]
        modes.size[m] = len(latency)
        modes.latency[m, : len(latency)], modes.cost[m, : len(latency)] = latency, cost
    fastest = longest(arrays, modes.latency[:, 0])
    slowest = longest(arrays, np.array([modes.latency[m, modes.size[m] - 1] for m in range(size)]))
    return arrays._replace(slo=fastest + chance.random() * (slowest - fastest) * 1.05 + 1e-9), modes


def longest(s: SessionArrays, latency: np.ndarray) -> float:
    finish = {}
    for m in s.order:
        parents = s.parent[s.parent_first[m] : s.parent_first[m + 1]]
        finish[m] = latency[m] + max((finish[p] for p in parents), default=0.0)
    return max(finish.values())


def lp_optimum(s: SessionArrays, modes: Modes) -> float:
    """The relaxation as a linear program: shares of modes and start times."""
    size = s.rate.size
    index = [(m, k) for m in range(size) for k in range(modes.size[m])]
    columns = len(index) + size
    rows, limits = [], []
    for m in range(size):
        ends: list[tuple[int | None, float]] = [(None, s.slo)]
        ends += [(int(c), 0.0) for c in s.child[s.child_first[m] : s.child_first[m + 1]]]
        for child, limit in ends:
            row = np.zeros(columns)
            row[len(index) + m] = 1.0
            for j, (module, k) in enumerate(index):
                if module == m:
                    row[j] = modes.latency[m, k]
            if child is not None:
                row[len(index) + child] = -1.0
            rows.append(row)
            limits.append(limit)
    one = np.array([[float(module == m) for module, _ in index] + [0.0] * size for m in range(size)])
    cost = np.array([modes.cost[m, k] for m, k in index] + [0.0] * size)
    return float(linprog(cost, A_ub=np.array(rows), b_ub=limits, A_eq=one, b_eq=np.ones(size)).fun)


@pytest.mark.parametrize("seed", SEEDS)
def test_bound_is_the_lp_optimum(seed: int) -> None:
    arrays, modes = random_case(seed)
    relaxed = relax(arrays, modes, np.zeros(arrays.rate.size, np.int64), modes.size - 1)
    assert relaxed.bound == pytest.approx(lp_optimum(arrays, modes), rel=1e-7)


@pytest.mark.parametrize("seed", SEEDS)
def test_windows_meet_the_slo(seed: int) -> None:
    arrays, modes = random_case(seed)
    relaxed = relax(arrays, modes, np.zeros(arrays.rate.size, np.int64), modes.size - 1)
    assert longest(arrays, relaxed.window) <= arrays.slo * (1 + 1e-9)


@pytest.mark.parametrize("seed", SEEDS)
def test_hulls_at_the_windows_cost_the_bound(seed: int) -> None:
    arrays, modes = random_case(seed)
    relaxed = relax(arrays, modes, np.zeros(arrays.rate.size, np.int64), modes.size - 1)
    assert relaxed.hull.sum() == pytest.approx(relaxed.bound, rel=1e-7)


def test_an_slo_below_every_choice_is_infeasible() -> None:
    arrays, modes = random_case(0)
    tight = arrays._replace(slo=1e-6)
    assert relax(tight, modes, np.zeros(arrays.rate.size, np.int64), modes.size - 1).bound == np.inf
