"""The highest load that a plan of pooled pipelines serves at 99 % SLO attainment (PPipe §7.1, Figures 6, 9, 10)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from euclio.pipeline import Cluster, PipelinePlan, PipelineSpace
from euclio.pipeline.simulation.record import Simulation
from euclio.pipeline.simulation.setup import Setup
from euclio.pipeline.simulation.simulation import simulate
from euclio.simulation.highest_load import GRID, TARGET
from euclio.simulation.highest_load import highest_loads as highest_loads_of
from euclio.simulation.requests import Requests

__all__ = ["GRID", "TARGET", "highest_loads"]


def highest_loads(
    cluster: Cluster,
    plan: PipelinePlan,
    setup: Setup,
    space: PipelineSpace | None = None,
    done: Callable[[Simulation], None] = lambda _: None,
) -> dict[str, float]:
    """Per model the highest load factor at which its attainment is 99 % or more; `done` gets every simulation."""
    names = [model.name for model in cluster.models]

    def served_at(load: float) -> dict[str, Requests]:
        simulation = simulate(cluster, plan, replace(setup, load=load), space)
        done(simulation)
        return dict(zip(names, simulation.requests, strict=True))

    return highest_loads_of(names, served_at)
