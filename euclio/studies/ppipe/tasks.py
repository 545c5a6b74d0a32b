"""What worker processes are asked to do: plan a case with every system, and serve the plans under rising load."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

from euclio.pipeline import Cluster, PipelinePlan
from euclio.pipeline.simulation.highest_load import GRID
from euclio.pipeline.simulation.setup import Arrivals, Scheduler
from euclio.studies.ppipe.cases import Case, MeasuredCase, group_cases
from euclio.studies.ppipe.loads import search
from euclio.studies.ppipe.serving import serve
from euclio.studies.ppipe.systems import DART, NP, PPIPE, SYSTEMS, plan_row
from euclio.studies.rows import Row

WARM_UP_S = 0.01
"""Simulated seconds of the run that loads everything."""


@dataclass(frozen=True, slots=True)
class Serving:
    """A plan served under rising load.

    Attributes:
        system: label of the system that made the plan.
        arrivals: how requests come.
        scheduler: who forms batches.
        every_load: all loads of the grid, for a curve; False: as many as the highest load takes.
    """

    system: str
    arrivals: Arrivals = Arrivals.POISSON
    scheduler: Scheduler = Scheduler.RESERVATION
    every_load: bool = False


@dataclass(frozen=True, slots=True)
class Task:
    """A case to plan and serve.

    Attributes:
        case: the cluster.
        systems: labels of the systems that plan it, PPipe's among them.
        servings: what is served.
        seconds: simulated seconds per load.
    """

    case: Case | MeasuredCase
    systems: tuple[str, ...]
    servings: tuple[Serving, ...]
    seconds: float


@dataclass(frozen=True, slots=True)
class Done:
    """Rows of one task: one per plan; one per serving, load and model."""

    plans: tuple[Row, ...]
    serving: tuple[Row, ...]


def run_task(task: Task) -> list[Done]:
    """Plan and serve one case."""
    case, cluster = task.case, task.case.cluster()
    head = case.describe(cluster)
    found = {label: SYSTEMS[label].plan(cluster) for label in task.systems}
    plans = tuple({**head, **plan_row(cluster, label, result)} for label, result in found.items())
    full = found[PPIPE].cost
    if not full:
        return [Done(plans, ())]
    rows: list[Row] = []
    for serving in task.servings:
        plan = found[serving.system].plan or PipelinePlan(())
        rows += [{**head, "system": serving.system, **row} for row in _loads(cluster, plan, full, serving, task)]
    return [Done(plans, tuple(rows))]


def _loads(cluster: Cluster, plan: PipelinePlan, full_load_rps: float, serving: Serving, task: Task) -> list[Row]:
    """Load factor 1 is what PPipe's plan serves, whoever serves it (§7.1)."""
    rows: list[Row] = []
    run = partial(serve, cluster, plan, full_load_rps, seconds=task.seconds, seed=task.case.seed)

    def attained(load: float) -> Sequence[float]:
        own = run(load, arrivals=serving.arrivals, scheduler=serving.scheduler)
        rows.extend(own)
        return [row["attainment"] for row in own]

    if serving.every_load:
        for load in GRID:
            attained(load)
    else:
        search(attained)
    return rows


def warm_up_worker() -> None:
    """Load solvers and machine code before anything is timed."""
    case = group_cases(1, 0)[0]
    run_task(Task(case, (NP, DART, PPIPE), (Serving(PPIPE),), WARM_UP_S))
