"""Random latency splittings, and their longest paths."""

import random

import numpy as np

from euclio.problems.session import FULL_SPACE, Configuration, Hardware, Module, Session
from euclio.problems.session.arrays import SessionArrays, session_arrays
from formulations.session.split.modes import Modes, new_modes


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
