"""PPipe's evaluation (§7). Its systems plan and serve groups of models and single models under varied conditions.

Everything runs on synthetic layers. With the authors' artifact all of it, except for the unmerged plan, runs again on
the blocks that they measured. Their own instances with published plans are planned as well.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import product
from pathlib import Path
from typing import Any

import pandas as pd

import euclio.experiments.results as results
from euclio.core.errors import InputError
from euclio.core.progress import say
from euclio.experiments.results.tables import joined
from euclio.experiments.solver_settings import measure
from euclio.experiments.task import Measure
from euclio.problems.pipeline import Cluster
from euclio.problems.pipeline.files import load_cluster
from euclio.serving.pipeline.setup import Arrivals, Scheduler
from euclio.workloads.pipeline.artifact_blocks import measured_models
from euclio.workloads.populations import Identity, identify
from studies.collector import Collector
from studies.ppipe import inputs
from studies.ppipe.cases import (
    FULL,
    MEAN,
    SAMPLED,
    TESTBED,
    UNMERGED,
    ClusterCase,
    ClusterSampling,
    Measured,
    ablation_cases,
    group_cases,
    group_clusters,
    joined_cases,
    planning_clusters,
    sampled_models,
    sensitivity_cases,
    small_cases,
    timeline_case,
)
from studies.ppipe.measures import CURVE_OF, measures, on_measured
from studies.ppipe.reasons import reasons
from studies.ppipe.serving import FIT_SEED, FITTED_ON, ServingSetup, fit_table, fitted_cv, tried
from studies.ppipe.systems import DART, LITERAL, MANY, NP, PPIPE, PRINTED, SERVED, SYSTEMS, plan_table
from studies.ppipe.text import text
from studies.proof_sample import SampledProof, made_again, proofs_of
from studies.study import Asked, Found, Study

# The plan of Figure 11, FCN on HC3-S, as a table of its partitions (PPipe §7.5).


def partition_table(case: ClusterCase) -> pd.DataFrame:
    """One row per partition of PPipe's plan for a model alone.

    Returns:
        Pipeline from 1 on, GPU type, virtual GPUs and their share, batch, first and last block, seconds per batch,
        requests per second, seconds of a batch's transfer from the partition before. All rows have setup, model, SLO in
        seconds and requests per second of the whole plan.
    """
    cluster = case.cluster()
    result = made_again(cluster, SYSTEMS[PPIPE])
    assert result.plan is not None
    assert result.evaluation is not None
    model = cluster.models[0]
    rows = []
    for i, (pipeline, priced) in enumerate(zip(result.plan.pipelines, result.evaluation.pipelines, strict=True), 1):
        for p, rate in zip(pipeline.partitions, priced.partition_rps, strict=True):
            before = model.transfer_s_per_request[p.first_block - 1] * p.batch if p.first_block else 0
            rows.append(
                {
                    "setup": case.setup,
                    "model": model.name,
                    "slo_s": float(model.slo_s),
                    "planned_rps": float(result.cost or 0),
                    "pipeline": i,
                    "gpu": p.gpu,
                    "gpus": p.gpus,
                    "share": p.share,
                    "batch": p.batch,
                    "first_block": p.first_block,
                    "last_block": p.last_block,
                    "latency_s": float(model.latency_s(p.gpu, p.share, p.first_block, p.last_block, p.batch) or 0),
                    "rps": float(rate),
                    "transfer_s": float(before),
                }
            )
    return pd.DataFrame(rows)


INSTANCES = Path("../shared/instances/pipelines")
"""Default folder of measured instances."""
PLANNED = (NP, DART, PPIPE, MANY, LITERAL)
REFERENCES = {
    "no_partitioning": "published_np",
    "dart_r": "published_dart",
    "reference_gurobi": "gurobi",
    "found": "known",
}
"""Values in the file of expectations next to the instances, and their columns here."""
NO_PLAN = '{"pipelines": []}'
FIGURE_10 = tuple(ServingSetup(PPIPE, scheduler=scheduler) for scheduler in Scheduler)
FIGURE_6 = tuple(ServingSetup(s, arrivals) for arrivals in (Arrivals.POISSON, Arrivals.BURSTY) for s in SERVED)


@dataclass(frozen=True, slots=True)
class StudyStage:
    """Cases to plan and to serve.

    Attributes:
        name: its name.
        cases: the clusters.
        systems: labels of the planning systems, PPipe's among them.
        servings: the servings of a case.
        seeds: seeds of the arrivals; everything is served with each.
    """

    name: str
    cases: Sequence[ClusterCase]
    systems: Sequence[str]
    servings: Callable[[ClusterCase], Sequence[ServingSetup]]
    seeds: Sequence[int]


def sampling_of(asked: Asked) -> ClusterSampling:
    """The sizes of a run; a number of workloads counts groups, and single models."""
    sampling = FULL if asked.full else SAMPLED
    if asked.workloads is None:
        return sampling
    # A study of fewer groups gives the MILP that part of the time, since it is open on all of them.
    part = min(1.0, asked.workloads / sampling.groups)
    limit_s = part * sampling.groups_limit_s
    return replace(sampling, groups=asked.workloads, models=asked.workloads, groups_limit_s=limit_s)


def collect(collector: Collector, asked: Asked) -> Found:
    """Plan and serve every case on synthetic layers, and with an artifact on measured blocks.

    Without an artifact the rows of measured blocks come from storage.

    Raises:
        InputError: the named folder holds no instance, or the artifact cannot be read.
    """
    sampling, files = sampling_of(asked), instance_files(asked.instances)
    measured = None if asked.artifact is None else measured_models(asked.artifact)
    made_again = _collect_on(collector, sampling, asked.seed)
    tables = {**made_again.tables, "instances": plan_instances(collector, files)}
    populations = [identify(group_clusters(sampling.groups, asked.seed), "ppipe", asked.seed)]
    proofs = list(made_again.proofs)
    if measured is None:
        stored, known = inputs.load_stored()
    else:
        # Measured times are compared with the printed ones, so the MILP gets as much time as the paper's needs.
        limit_s = sampling.measured_limit_s
        patient = replace(sampling, seconds=sampling.measured_seconds, printed_limit_s=limit_s, groups_limit_s=limit_s)
        again = _collect_on(collector, patient, asked.seed, measured)
        serving = inputs.reduced(again.tables["serving"])
        stored = {**again.tables, "serving": serving, "models": inputs.model_table(measured)}
        proofs += again.proofs
        known = [identify(group_clusters(sampling.groups, asked.seed, measured), inputs.MEASURED, None)]
    tables |= inputs.named(stored)
    populations += [*known, *_instances_of(files)]
    return Found(tables, proofs, sampling, {"groups": sampling.groups}, populations)


@dataclass(frozen=True, slots=True)
class MadeRuns:
    """The results on one input: plans, serving and planning times by name, and the proofs."""

    tables: dict[str, pd.DataFrame]
    proofs: list[SampledProof]


def _collect_on(
    collector: Collector, sampling: ClusterSampling, seed: int, measured: Measured | None = None
) -> MadeRuns:
    """Plan and serve every case on synthetic layers, or on measured blocks; planning times come first and alone."""
    planning = plan_for_times(collector, sampling, seed, measured)
    plans: list[pd.DataFrame] = []
    served: list[pd.DataFrame] = []
    proofs: list[SampledProof] = []
    found: dict[str, pd.DataFrame] = {}
    cv = None
    if measured is not None:
        found["bursts"] = fit_bursts(collector, sampling, seed, measured)
        cv = fitted_cv(found["bursts"])
    for stage in stages(sampling, seed, measured, cv):
        planned, rows, proven = plan_and_serve(collector, stage, sampling.seconds)
        plans.append(planned)
        served.append(rows)
        proofs += proven
    found |= {
        "plans": joined(plans),
        "serving": joined(served),
        "planning": planning,
        "partitions": partition_table(timeline_case(seed, measured)),
    }
    return MadeRuns(found, proofs)


def fit_bursts(collector: Collector, sampling: ClusterSampling, seed: int, measured: Measured) -> pd.DataFrame:
    """Serve the groups of half of the clusters under increasingly variable gaps (`studies.ppipe.serving`)."""
    cases = [case for case in group_cases(sampling.groups, seed, measured) if case.setup in FITTED_ON]
    servings = tried(SERVED)
    stage = StudyStage(
        f"variability of bursts{inputs.ON_MEASURED}", cases, SERVED, lambda _: servings, (FIT_SEED + seed,)
    )
    _, rows, _ = plan_and_serve(collector, stage, sampling.seconds)
    return fit_table(rows)


def _instances_of(files: Sequence[Path]) -> list[Identity]:
    """The population of the authors' own instances; nothing if there are no files."""
    return [identify(map(load_cluster, files), inputs.INSTANCES, None)] if files else []


def stages(
    sampling: ClusterSampling, seed: int, measured: Measured | None = None, cv: float | None = None
) -> list[StudyStage]:
    """Plans and their serving; bursts are gamma gaps of a coefficient of variation, None means heavy-tailed gaps."""
    models = sampled_models(sampling.models, seed)
    alone = joined_cases(
        [
            *sensitivity_cases(models, seed, measured),
            timeline_case(seed, measured),
            *small_cases(models, seed, measured),
        ]
    )
    on = "" if measured is None else inputs.ON_MEASURED
    # On measured blocks the models and groups are all of the paper's, so only arrivals vary.
    seeds = range(seed, seed + (1 if measured is None else sampling.arrival_seeds))
    groups = group_cases(sampling.groups, seed, measured)
    return [
        StudyStage(
            f"groups of models on 100 GPUs{on}", groups, (*SERVED, MANY), partial(_group_servings, cv=cv), seeds
        ),
        StudyStage(f"single models on 16 GPUs{on}", alone, SERVED, _single_servings, seeds),
        StudyStage(
            f"single models on 100 GPUs{on}", ablation_cases(models, seed, measured), (PPIPE,), _ablation, seeds
        ),
    ]


def _single_servings(case: ClusterCase) -> tuple[ServingSetup, ...]:
    """The serving of a single model in Figures 9, 11 and 13; DART-r's plan in Figure 9 only."""
    compared = TESTBED in case.studies
    return tuple(ServingSetup(system) for system in SERVED if compared or system != DART)


def _ablation(_: ClusterCase) -> tuple[ServingSetup, ...]:
    """The serving of a single model in Figure 10: PPipe's plan under both schedulers."""
    return FIGURE_10


def _group_servings(case: ClusterCase, cv: float | None) -> tuple[ServingSetup, ...]:
    """The serving of a group in Figures 6 to 8."""
    curves = case.group == CURVE_OF
    return tuple(
        replace(s, every_load=curves) if s.arrivals is Arrivals.POISSON else replace(s, cv=cv) for s in FIGURE_6
    )


def plan_and_serve(
    collector: Collector, stage: StudyStage, seconds: float
) -> tuple[pd.DataFrame, pd.DataFrame, list[SampledProof]]:
    """Make a stage.

    Returns:
        One row per case and system; one per case, serving, load and model; the proven plans.
    """
    clusters = {case.name: case.cluster() for case in stage.cases}
    heads = {case.name: case.describe(clusters[case.name]) for case in stage.cases}
    settings = [SYSTEMS[label] for label in stage.systems]
    named = _named(clusters)
    total = sum(len(settings) + len(stage.seeds) * len(stage.servings(case)) for case in stage.cases)
    with collector.stage(stage.name, total) as advance:
        frame = collector.runs(named, settings, advance)
        found = {(row["instance"], row["label"]): row for row in frame.to_dict("records")}
        asked: list[Measure] = []
        for case in stage.cases:
            full = found[case.name, PPIPE]["plan"]
            if full and found[case.name, PPIPE]["value"] > 0:
                for serving, seed in product(stage.servings(case), stage.seeds):
                    head = {**heads[case.name], "system": serving.system, inputs.ARRIVAL_SEED: seed}
                    if serving.cv is not None:
                        head["cv"] = serving.cv
                    plan = found[case.name, serving.system]["plan"] or NO_PLAN
                    asked.append(_served(case, serving, head, plan, full, seconds, seed))
        rows = results.measured(collector.runs(named, asked, advance))
    return (
        plan_table(frame, clusters, heads),
        rows.drop(columns=["instance", "label"], errors="ignore"),
        proofs_of(frame, named, settings),
    )


def _served(
    case: ClusterCase,
    serving: ServingSetup,
    head: dict[str, Any],
    plan: str,
    full: str,
    seconds: float,
    seed: int,
) -> Measure:
    arrivals, scheduler = serving.arrivals.value, serving.scheduler.value
    gaps = "" if serving.cv is None else f" of variation {serving.cv:g}"
    return measure(
        "studies.ppipe.serving:loads",
        f"{case.name}: {serving.system}, {arrivals}{gaps}, {scheduler}, seed {seed}",
        "pipeline",
        on=[case.name],
        head=head,
        plan=plan,
        full=full,
        seconds=seconds,
        seed=seed,
        arrivals=arrivals,
        scheduler=scheduler,
        every_load=serving.every_load,
        cv=serving.cv,
    )


def plan_for_times(
    collector: Collector, sampling: ClusterSampling, seed: int, measured: Measured | None = None
) -> pd.DataFrame:
    """Planning times of Figure 14: one row per cluster and planner, one run at a time."""
    clusters = planning_clusters(sampling, seed, measured)
    on = "" if measured is None else inputs.ON_MEASURED
    # The paper's mean is of its own MILP on groups of models on the large clusters; ours takes the first group of each.
    groups = [(MEAN, replace(case.cluster(), name=case.name)) for case in group_cases(1, seed, measured)]
    both = [cluster.name for study, cluster in clusters if study != UNMERGED]
    settings = [
        replace(SYSTEMS[PPIPE], time_s=sampling.columns_limit_s),
        replace(SYSTEMS[PRINTED], time_s=sampling.printed_limit_s, on=frozenset(both)),
    ]
    printed = [replace(SYSTEMS[PRINTED], time_s=sampling.groups_limit_s)]
    frame = pd.concat(
        [
            collector.staged(f"planning times{on}", [cluster for _, cluster in clusters], settings, alone=True),
            collector.staged(f"planning times of groups{on}", [cluster for _, cluster in groups], printed, alone=True),
        ],
        ignore_index=True,
    )
    clusters += groups
    heads = {c.name: {"study": study, "blocks": max(model.blocks for model in c.models)} for study, c in clusters}
    return plan_table(frame, {cluster.name: cluster for _, cluster in clusters}, heads)


def plan_instances(collector: Collector, files: Sequence[Path]) -> pd.DataFrame:
    """Clusters with measured blocks: one row per instance and system, one run at a time; empty means no files."""
    clusters = {file.stem: load_cluster(file) for file in files}
    frame = collector.staged("measured instances", _named(clusters), [SYSTEMS[label] for label in PLANNED], alone=True)
    heads = {}
    for file in files:
        known = _expected(file.parent).get(file.stem, {})
        references = {column: known.get(name) for name, column in REFERENCES.items()}
        heads[file.stem] = {"case": file.stem, "models": len(clusters[file.stem].models), **references}
    return plan_table(frame, clusters, heads)


def _named(clusters: dict[str, Cluster]) -> list[Cluster]:
    """The clusters under the names of their cases, since several cases may share one."""
    return [replace(cluster, name=name) for name, cluster in clusters.items()]


def instance_files(folder: Path | None) -> list[Path]:
    """The files of a folder. None means the default one; without it there are none.

    Raises:
        InputError: the named folder holds no instance.
    """
    files = sorted((INSTANCES if folder is None else folder).glob("*.json"))
    if folder is not None and not files:
        raise InputError("holds no instance files (*.json); name a folder of clusters", file=str(folder))
    if not files:
        say(f"the authors' instances are left out, as {INSTANCES} has none; --instances DIR names a folder of them")
    return files


def _expected(folder: Path) -> dict[str, Any]:
    """Published and best known values, from the file next to the folder; empty if there is none."""
    file = folder.parent / f"{folder.name}_expected.json"
    return dict(json.loads(file.read_text(encoding="utf-8"))) if file.exists() else {}


TITLE = "PPipe reproduced: what do pooled pipelines gain on mixed GPUs?"
STUDY = Study(
    "ppipe",
    TITLE,
    0,
    collect,
    measures,
    reasons,
    text,
    shown=inputs.shown,
    details=sampling_of,
    from_artifacts=on_measured,
    keep=inputs.keep,
)
