"""Measurements in a worker process: plans served under rising load in simulation (§7.1)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import pandas as pd

from euclio.core.families import family_of
from euclio.files.json_reading import parse_json
from euclio.problems.pipeline import Cluster, PipelinePlan, PipelineSpace, evaluate
from euclio.serving.pipeline.metrics import (
    probes_per_batch,
    seconds_per_batch,
    transfer_seconds,
    utilization,
)
from euclio.serving.pipeline.record import Simulation
from euclio.serving.pipeline.setup import Arrivals, Scheduler, Setup
from euclio.serving.pipeline.simulation import simulate
from euclio.serving.requests import GRID, TARGET, Requests, attainment
from studies.papers.published import printed_values
from studies.ppipe.cases import LARGE
from studies.ppipe.measures import BURSTY, KEYS, POISSON, RESERVATION, mean_loads, of_groups


@dataclass(frozen=True, slots=True)
class ServingSetup:
    """A plan served under rising load.

    Attributes:
        system: label of the system that made the plan.
        arrivals: the arrivals of requests.
        scheduler: the scheduler that forms batches.
        every_load: whether to serve all loads of the grid, for a curve; False means those that find the highest load.
        cv: coefficient of variation of gamma gaps in place of these arrivals; None means the arrivals themselves.
    """

    system: str
    arrivals: Arrivals = Arrivals.POISSON
    scheduler: Scheduler = Scheduler.RESERVATION
    every_load: bool = False
    cv: float | None = None


def loads(
    cluster: Cluster,
    head: dict[str, Any],
    plan: str,
    full: str,
    seconds: float,
    seed: int,
    arrivals: str,
    scheduler: str,
    every_load: bool,
    cv: float | None = None,
) -> list[dict[str, Any]]:
    """Serve a plan under rising load; load factor 1 is the rate of each model in PPipe's plan (§7.1).

    Args:
        cluster: the instance.
        head: the first columns of the rows, which name the serving.
        plan: JSON text of the plan as in a result file.
        full: JSON text of PPipe's plan.
        seconds: simulated seconds per load.
        seed: seed of the arrivals.
        arrivals: word of `Arrivals`.
        scheduler: word of `Scheduler`.
        every_load: whether to serve all loads of the grid; False means those that find the highest load.
        cv: coefficient of variation of gamma gaps in place of the named arrivals; None means the named ones.

    Returns:
        One row per load and model, in the order in which loads were tried.
    """
    read = _read(plan, cluster)
    at_full = at_full_load(cluster, _read(full, cluster))
    rows: list[dict[str, Any]] = []

    setup = Setup(Arrivals(arrivals), 1.0, seconds, scheduler=Scheduler(scheduler), seed=seed, full_load_rps=1.0)
    if cv is not None:
        setup = replace(setup, arrivals=Arrivals.GAMMA, cv=cv)

    def attained(load: float) -> Sequence[float]:
        own = serve(at_full, read, replace(setup, load=load))
        rows.extend({**head, **row, "arrivals": arrivals} for row in own)
        return [row["attainment"] for row in own]

    if every_load:
        for load in GRID:
            attained(load)
    else:
        search(attained)
    return rows


def _read(plan: str, cluster: Cluster) -> PipelinePlan:
    """The plan in a JSON text."""
    files = family_of(cluster).plan_files()
    found: PipelinePlan = files.plan_from(files.plan.model_validate(parse_json(plan)), cluster)
    return found


def at_full_load(cluster: Cluster, plan: PipelinePlan) -> Cluster:
    """The cluster with the rates at load factor 1 as weights, "the throughput in the output of PPipe's MILP".

    §7.1 does not fix the parts of the load. If the plan serves more of a model than its part, that is its full load, as
    in the authors' runs.

    Args:
        cluster: the instance.
        plan: PPipe's plan for it.
    """
    served = evaluate(cluster, plan, PipelineSpace()).models
    models = tuple(replace(m, weight=own.throughput_rps) for m, own in zip(cluster.models, served, strict=True))
    return replace(cluster, models=models)


def serve(cluster: Cluster, plan: PipelinePlan, setup: Setup) -> list[dict[str, Any]]:
    """One row per model: its attainment, and the simulation's numbers on the whole cluster.

    Args:
        cluster: the instance; its first GPU type is the high class, its last the low class.
        plan: the plan.
        setup: arrivals, load and scheduler; plans served with the same seed get the same requests.
    """
    found = simulate(cluster, plan, setup)
    used = utilization(found)
    whole = {
        "arrivals": setup.arrivals.value,
        "scheduler": setup.scheduler.value,
        "load": setup.load,
        "high_class": used[cluster.gpus[0].name],
        "low_class": used[cluster.gpus[-1].name],
        "batches": found.batches,
        "probes_per_batch": probes_per_batch(found),
        "seconds_per_batch": seconds_per_batch(found),
    }
    return [
        {
            **whole,
            "model": model.name,
            "requests": requests.outcome.size,
            "attainment": _attainment(requests),
            **_used(cluster, found, model.name),
            **{f"transfer_{name}": taken for name, taken in _transfers(found, model.name).items()},
        }
        for model, requests in zip(cluster.models, found.requests, strict=True)
    ]


def _used(cluster: Cluster, found: Simulation, model: str) -> dict[str, float]:
    """Utilisation of both classes by a model, by name of the column."""
    used = utilization(found, model)
    return {"high_class_own": used[cluster.gpus[0].name], "low_class_own": used[cluster.gpus[-1].name]}


def _transfers(found: Simulation, model: str) -> dict[str, float | None]:
    """Seconds of a model's transfers from first to second partitions (§7.4), by name of the column."""
    taken = transfer_seconds(found, model, partition=1)
    return {"mean_s": taken["mean_s"], "p99_s": taken["p99_s"], "alone_s": taken["alone_mean_s"]}


def _attainment(requests: Requests) -> float:
    """A model without requests counts as served."""
    share = attainment(requests)
    return 1.0 if share is None else share


def search(attained: Callable[[float], Sequence[float]]) -> None:
    """Try loads by halving until the highest one of every model is known, since attainment falls with load.

    Args:
        attained: attainment of each model at a load factor.
    """
    tried: dict[int, Sequence[float]] = {}
    step: int | None = len(GRID)
    while step is not None:
        tried[step] = attained(GRID[step - 1])
        step = _next(tried)


def _next(tried: Mapping[int, Sequence[float]]) -> int | None:
    for model in range(len(next(iter(tried.values())))):
        low = max((step for step, found in tried.items() if found[model] >= TARGET), default=0)
        high = min((step for step in tried if step > low), default=low)
        if high - low > 1:
            return (low + high) // 2
    return None


FITTED_ON = LARGE[::2]
"""Clusters of the fit."""
CVS = (1.1, 1.25, 1.5, 1.75, 2.0, 2.5)
FIT_SEED = 1000
"""The number that is added to the seed of the study."""


def tried(systems: tuple[str, ...]) -> tuple[ServingSetup, ...]:
    """The arrivals for the fit: Poisson, and gamma gaps of each coefficient of variation."""
    poisson = tuple(ServingSetup(system) for system in systems)
    return (*poisson, *(replace(serving, cv=cv) for serving in poisson for cv in CVS))


def printed_reductions() -> dict[str, float]:
    """By system, the printed mean load under bursts over that of Poisson arrivals."""
    value = printed_values("ppipe")
    return {system: value[f"load_{key}_{BURSTY}"] / value[f"load_{key}_{POISSON}"] for system, key in KEYS.items()}


def fit_table(serving: pd.DataFrame) -> pd.DataFrame:
    """One row per coefficient of variation and system: the reduction, the printed one, the error over all systems.

    Args:
        serving: served plans under the arrivals of `tried`; `cv` is NaN for Poisson arrivals.
    """
    printed = printed_reductions()
    poisson = mean_loads(serving[serving.cv.isna()], POISSON, RESERVATION).mean()
    rows = []
    for cv, own in serving[serving.cv.notna()].groupby("cv"):
        found = mean_loads(own, POISSON, RESERVATION).mean() / poisson
        error = sum((found[system] - printed[system]) ** 2 for system in KEYS)
        rows += [
            {"cv": cv, "system": system, "reduction": found[system], "printed": printed[system], "error": error}
            for system in KEYS
        ]
    return pd.DataFrame(rows)


def fitted_cv(table: pd.DataFrame) -> float:
    """The coefficient of variation with the least error."""
    return float(table.cv[table.error.idxmin()])


def reductions(serving: pd.DataFrame, setups: tuple[str, ...]) -> dict[str, float]:
    """By system, the mean load served under bursts over that of Poisson arrivals, on some clusters."""
    groups = of_groups(serving)
    own = groups[groups.setup.isin(setups)]
    bursty, poisson = (mean_loads(own, arrivals, RESERVATION).mean() for arrivals in (BURSTY, POISSON))
    return {system: float(bursty[system] / poisson[system]) for system in KEYS}
