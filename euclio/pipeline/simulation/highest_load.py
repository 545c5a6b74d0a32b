"""The highest load that a plan serves at 99 % SLO attainment (PPipe §7.1, Figures 6, 9, 10)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from euclio.pipeline import Cluster, PipelinePlan, PipelineSpace
from euclio.pipeline.simulation.metrics import attainment
from euclio.pipeline.simulation.record import Simulation
from euclio.pipeline.simulation.setup import Setup
from euclio.pipeline.simulation.simulation import simulate

GRID = tuple(step / 20 for step in range(1, 21))
"""Load factors that the paper tries: 0.05 to 1 in steps of 0.05."""

TARGET = 0.99
"""SLO attainment that counts as served."""


def highest_loads(
    cluster: Cluster,
    plan: PipelinePlan,
    setup: Setup,
    space: PipelineSpace | None = None,
    done: Callable[[Simulation], None] = lambda _: None,
) -> dict[str, float]:
    """Per model the highest load factor of the grid at which its attainment is 99 % or more; 0: none is.

    All models are under load together; a model without requests counts as served. The grid is gone through from above,
    as far as needed; `done` is told of every simulation.
    """
    found: dict[str, float] = {}
    for load in reversed(GRID):
        simulation = simulate(cluster, plan, replace(setup, load=load), space)
        done(simulation)
        for model, requests in zip(cluster.models, simulation.requests, strict=True):
            share = attainment(requests)
            if share is None or share >= TARGET:
                found.setdefault(model.name, load)
        if len(found) == len(cluster.models):
            break
    return {model.name: found.get(model.name, 0.0) for model in cluster.models}
