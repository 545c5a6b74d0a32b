"""Random latency-splitting problems on large DAGs that are not series-parallel."""

from __future__ import annotations

import random
from dataclasses import dataclass

CURVES = ("convex", "non-convex")
TIGHTNESS = (0.2, 0.4, 0.6)
MOST_PARENTS = 4
LATENCIES_MS = range(10, 1001)
"""Latencies are whole milliseconds."""


@dataclass(frozen=True, slots=True)
class Splitting:
    """A DAG of modules with modes.

    Attributes:
        name: size, curves, SLO and seed in words.
        edges: pairs of modules, parent first.
        latencies: latency of each module's modes in seconds, rising.
        costs: their costs per hour, falling.
        slo: in seconds.
    """

    name: str
    edges: tuple[tuple[int, int], ...]
    latencies: tuple[tuple[float, ...], ...]
    costs: tuple[tuple[float, ...], ...]
    slo: float


def random_splitting(seed: int, modules: int, modes: int, curve: str, tightness: float) -> Splitting:
    """A splitting problem; the same arguments give the same one.

    Every module has 1 to 4 parents among the max(4, modules / 6) before it (the first ones as many as there are). DAG
    and modes do not depend on the SLO.

    Args:
        seed: seed of the random stream.
        modules: number of modules.
        modes: modes of each.
        curve: one of `CURVES`; convex: the next second costs less and less; non-convex: costs are drawn freely.
        tightness: where the SLO lies between the least (0) and the largest (1) longest path.
    """
    stream = random.Random(f"splitting/{modules}/{modes}/{curve}/{seed}")
    reach = max(MOST_PARENTS, modules // 6)
    edges: list[tuple[int, int]] = []
    for m in range(1, modules):
        earlier = range(max(0, m - reach), m)
        parents = stream.sample(earlier, min(stream.randint(1, MOST_PARENTS), len(earlier)))
        edges += [(p, m) for p in sorted(parents)]
    latencies, costs = [], []
    for _ in range(modules):
        latencies.append(tuple(ms / 1000 for ms in sorted(stream.sample(LATENCIES_MS, modes))))
        costs.append(_convex(stream, latencies[-1]) if curve == "convex" else _free(stream, modes))
    least = longest_path(edges, [row[0] for row in latencies])
    most = longest_path(edges, [row[-1] for row in latencies])
    name = f"{modules} modules, {curve}, SLO at {tightness:g}, seed {seed}"
    return Splitting(name, tuple(edges), tuple(latencies), tuple(costs), round(least + tightness * (most - least), 6))


def _convex(stream: random.Random, latency: tuple[float, ...]) -> tuple[float, ...]:
    slopes = sorted(stream.uniform(1.0, 100.0) for _ in latency[1:])
    cost = [stream.uniform(1.0, 10.0)]
    for slope, i in zip(slopes, range(len(latency) - 1, 0, -1), strict=True):
        cost.append(cost[-1] + slope * (latency[i] - latency[i - 1]))
    return tuple(round(c, 4) for c in reversed(cost))


def _free(stream: random.Random, modes: int) -> tuple[float, ...]:
    return tuple(sorted((round(stream.uniform(1.0, 100.0), 4) for _ in range(modes)), reverse=True))


def longest_path(edges: list[tuple[int, int]] | tuple[tuple[int, int], ...], latency: list[float]) -> float:
    """Longest path in seconds; edges in order of their child, children after parents."""
    finish = list(latency)
    for p, m in edges:
        finish[m] = max(finish[m], finish[p] + latency[m])
    return max(finish)
