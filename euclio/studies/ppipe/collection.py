"""Runs everything: plans and serves every case in worker processes, and measures planning times alone."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

import pandas as pd

from euclio.core.result import AnyResult, Status
from euclio.pipeline import Cluster
from euclio.pipeline.simulation.setup import Arrivals, Scheduler
from euclio.runs.stages import Stage, progress_bars
from euclio.studies.certifying import Certified, Proof, certify_sample
from euclio.studies.ppipe.cases import (
    GROUPS,
    Case,
    MeasuredCase,
    group_cases,
    sampled_models,
    sensitivity_cases,
    timeline_case,
)
from euclio.studies.ppipe.measured_instances import PLANNED, instance_files, instance_rows, of_several_models
from euclio.studies.ppipe.planning import planning_clusters, planning_rows
from euclio.studies.ppipe.profiles import model_latencies, ratios_along_depth
from euclio.studies.ppipe.sampling import Sampling
from euclio.studies.ppipe.systems import DART, MANY, NP, PPIPE, SYSTEMS
from euclio.studies.ppipe.tasks import Serving, Task, run_task, warm_up_worker
from euclio.studies.rows import Row
from euclio.studies.store import frame
from euclio.studies.workers import run_chunks, worker_pool

REACTIVE_ON = "HC2-L"
"""Cluster of Figure 10."""
CURVE_OF = "G1"
"""Group of Figure 7."""
SERVED = (NP, DART, PPIPE)
FIGURE_6 = tuple(Serving(s, arrivals) for arrivals in (Arrivals.POISSON, Arrivals.BURSTY) for s in SERVED)


@dataclass(frozen=True, slots=True)
class Collected:
    """Everything that the report is made of.

    Attributes:
        latencies: one row per model of the synthetic profiles.
        ratios: latency ratios along EfficientNet-B8.
        instances: one row per measured instance and system; empty: there were no files.
        planning: one row per cluster and planner of Figure 14.
        plans: one row per case and system.
        serving: one row per case, system, arrivals, scheduler, load and model.
        timeline: the case of Figures 11 and 12.
        sampling: how much was run.
        seconds: wall time per stage.
        jobs: worker processes used.
        certified: what an independent prover says of a sample of the proofs among the plans.
    """

    latencies: pd.DataFrame
    ratios: pd.DataFrame
    instances: pd.DataFrame
    planning: pd.DataFrame
    plans: pd.DataFrame
    serving: pd.DataFrame
    timeline: Case
    sampling: Sampling
    seconds: dict[str, float]
    jobs: int
    certified: Certified


def collect(sampling: Sampling, seed: int, jobs: int, instances: Path | None, certify: int) -> Collected:
    """Run every stage.

    Args:
        sampling: how much to run.
        seed: seed of layers, groups, weights, samples and arrivals.
        jobs: worker processes; planning times are measured before they start.
        instances: folder of measured instances; None: the default one where it is present.
        certify: how many proofs are tried.

    Raises:
        InputError: the named folder holds no instance.
    """
    files = instance_files(instances)
    seconds: dict[str, float] = {}
    with progress_bars() as progress:
        clusters = planning_clusters(sampling, seed)
        with Stage(progress, seconds, "planning times", sum(len(systems) for *_, systems in clusters)) as stage:
            planning = frame(planning_rows(clusters, sampling, stage.advance))
        with Stage(progress, seconds, "measured instances", len(files) * len(PLANNED)) as stage:
            measured = frame(instance_rows(files, stage.advance))
        plans: list[Row] = []
        serving: list[Row] = []
        stages = _stages(sampling, seed, files)
        with worker_pool(jobs, warm_up_worker) as pool:
            for name, tasks in stages.items():
                with Stage(progress, seconds, name, len(tasks)) as stage:
                    for done in run_chunks(pool, run_task, tasks, stage.advance):
                        plans += done.plans
                        serving += done.serving
        proofs = _proofs(plans, [task.case for tasks in stages.values() for task in tasks])
        with Stage(progress, seconds, "certify a sample of the proofs", min(certify, len(proofs))) as stage:
            certified = certify_sample(proofs, certify, seed, stage.advance)
    return Collected(
        model_latencies(seed),
        ratios_along_depth(seed),
        measured,
        planning,
        frame(plans),
        frame(serving),
        timeline_case(seed),
        sampling,
        seconds,
        jobs,
        certified,
    )


def _proofs(plans: Sequence[Row], cases: Sequence[Case | MeasuredCase]) -> list[Proof]:
    """The plans that are proven, by case and system."""
    by_name = {case.name: case for case in cases}
    proven = sorted({(row["case"], row["system"]) for row in plans if row["status"] == Status.OPTIMAL})
    return [Proof(name, label, partial(_again, by_name[name], label)) for name, label in proven]


def _again(case: Case | MeasuredCase, label: str) -> tuple[Cluster, AnyResult]:
    cluster = case.cluster()
    return cluster, SYSTEMS[label].plan(cluster)


def _stages(sampling: Sampling, seed: int, files: Sequence[Path]) -> dict[str, list[Task]]:
    alone = sensitivity_cases(sampled_models(sampling.models, seed), seed)
    return {
        "groups of models on 100 GPUs": [
            Task(case, (*SERVED, MANY), _group_servings(case), sampling.seconds)
            for case in group_cases(sampling.groups, seed)
        ],
        "single models on 16 GPUs": [
            Task(case, (NP, PPIPE), (Serving(NP), Serving(PPIPE)), sampling.seconds)
            for case in (*alone, timeline_case(seed))
        ],
        "measured groups of models": [
            Task(MeasuredCase(file, seed), SERVED, FIGURE_6, sampling.seconds) for file in of_several_models(files)
        ],
    }


def _group_servings(case: Case) -> tuple[Serving, ...]:
    """What Figures 6, 7, 8 and 10 serve of a group."""
    curves = case.group == CURVE_OF
    found = tuple(replace(s, every_load=curves and s.arrivals is Arrivals.POISSON) for s in FIGURE_6)
    return (*found, Serving(PPIPE, scheduler=Scheduler.REACTIVE))


def of_study(rows: pd.DataFrame, study: str) -> pd.DataFrame:
    """The rows that belong to a study."""
    return rows[rows.studies.str.split(",").map(lambda names: study in names)] if len(rows) else rows


def of_groups(rows: pd.DataFrame) -> pd.DataFrame:
    """The rows of the groups of models."""
    return of_study(rows, GROUPS)


def stage_rows(seconds: dict[str, float]) -> Sequence[tuple[str, str]]:
    """Wall time per stage as text."""
    return [(name, f"{value:.1f}") for name, value in seconds.items()]
