"""PPipe §7: its systems plan and serve groups of models, single models under varied conditions, measured instances."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pandas as pd

import euclio.results as results
from euclio.core.errors import InputError
from euclio.pipeline import Cluster
from euclio.pipeline.files import load_cluster
from euclio.pipeline.simulation.setup import Arrivals, Scheduler
from euclio.results.tables import joined
from euclio.runs.solver_settings import measure
from euclio.runs.task import Measure
from euclio.studies.certifying import Proof, proofs_of
from euclio.studies.collector import Collector
from euclio.studies.ppipe.cases import (
    FULL,
    MEAN,
    MEASURED,
    SAMPLED,
    TESTBED,
    UNMERGED,
    Case,
    MeasuredCase,
    Sampling,
    group_cases,
    group_clusters,
    joined_cases,
    planning_clusters,
    sampled_models,
    sensitivity_cases,
    small_cases,
    timeline_case,
)
from euclio.studies.ppipe.measures import CURVE_OF, measures
from euclio.studies.ppipe.reasons import reasons
from euclio.studies.ppipe.serving import Serving
from euclio.studies.ppipe.systems import DART, LITERAL, MANY, NP, PPIPE, PRINTED, SERVED, SYSTEMS, plan_table
from euclio.studies.ppipe.text import text
from euclio.studies.study import Asked, Found, Study
from euclio.workloads.populations import Identity, identify

INSTANCES = Path("../shared/instances/pipelines")
"""Where measured instances are looked for unless a folder is named."""
PLANNED = (NP, DART, PPIPE, MANY, LITERAL)
REFERENCES = {
    "no_partitioning": "published_np",
    "dart_r": "published_dart",
    "reference_gurobi": "gurobi",
    "found": "known",
}
"""Values in the file of expectations next to the instances, and their columns here."""
NO_PLAN = '{"pipelines": []}'
FIGURE_6 = tuple(Serving(s, arrivals) for arrivals in (Arrivals.POISSON, Arrivals.BURSTY) for s in SERVED)


@dataclass(frozen=True, slots=True)
class Stage:
    """Cases that are planned, and whose plans are served.

    Attributes:
        name: its name.
        cases: the clusters.
        systems: labels of the systems that plan, PPipe's among them.
        servings: what of a case is served.
    """

    name: str
    cases: Sequence[Case | MeasuredCase]
    systems: Sequence[str]
    servings: Callable[[Case | MeasuredCase], Sequence[Serving]]


def sampling_of(asked: Asked) -> Sampling:
    """How much is run; a number of workloads is one of groups and of single models."""
    sampling = FULL if asked.full else SAMPLED
    if asked.workloads is None:
        return sampling
    # A study of fewer groups has that part of the time for the MILP that is open on all of them.
    part = min(1.0, asked.workloads / sampling.groups)
    limit_s = part * sampling.groups_limit_s
    return replace(sampling, groups=asked.workloads, models=asked.workloads, groups_limit_s=limit_s)


def collect(collector: Collector, asked: Asked) -> Found:
    """Plan and serve every case; planning times come first and alone.

    Raises:
        InputError: the named folder holds no instance.
    """
    sampling, files = sampling_of(asked), instance_files(asked.instances)
    planning = plan_for_times(collector, sampling, asked.seed)
    instances = plan_instances(collector, files)
    plans: list[pd.DataFrame] = []
    served: list[pd.DataFrame] = []
    proofs: list[Proof] = []
    for stage in stages(sampling, asked.seed, files):
        planned, rows, proven = plan_and_serve(collector, stage, sampling.seconds)
        plans.append(planned)
        served.append(rows)
        proofs += proven
    tables = {
        "plans": joined(plans),
        "serving": joined(served),
        "planning": planning,
        "instances": instances,
    }
    clusters = (identify(group_clusters(sampling.groups, asked.seed), "ppipe", asked.seed), *measured_of(files))
    return Found(tables, proofs, sampling, {"groups": sampling.groups}, clusters)


def measured_of(files: Sequence[Path]) -> list[Identity]:
    """The population of measured clusters; nothing where there are no files."""
    return [identify(map(load_cluster, files), MEASURED, None)] if files else []


def shown(key: str) -> Sequence[str] | None:
    """The populations of a figure or a table: groups on large clusters, the authors' clusters, or cases of its own."""
    if key.startswith("figure-6-") or key in {"figure-7", "figure-8", "figure-10"}:
        return ("ppipe",)
    return (MEASURED,) if key.startswith(("Blocks that the authors measured", "Weighted requests per second")) else ()


def stages(sampling: Sampling, seed: int, files: Sequence[Path]) -> list[Stage]:
    """What is planned and served."""
    models = sampled_models(sampling.models, seed)
    alone = joined_cases([*sensitivity_cases(models, seed), timeline_case(seed), *small_cases(models, seed)])
    # Figure 6 serves several models together.
    measured = [MeasuredCase(file, seed) for file in files if len(load_cluster(file).models) > 1]
    return [
        Stage("groups of models on 100 GPUs", group_cases(sampling.groups, seed), (*SERVED, MANY), _group_servings),
        Stage("single models on 16 GPUs", alone, SERVED, _single_servings),
        Stage("measured groups of models", measured, SERVED, lambda _: FIGURE_6),
    ]


def _single_servings(case: Case | MeasuredCase) -> tuple[Serving, ...]:
    """What Figures 9, 11 and 13 serve of a model alone; DART-r's plan in Figure 9 only."""
    compared = isinstance(case, Case) and TESTBED in case.studies
    return tuple(Serving(system) for system in SERVED if compared or system != DART)


def _group_servings(case: Case | MeasuredCase) -> tuple[Serving, ...]:
    """What Figures 6, 7, 8 and 10 serve of a group."""
    curves = isinstance(case, Case) and case.group == CURVE_OF
    found = tuple(replace(s, every_load=curves and s.arrivals is Arrivals.POISSON) for s in FIGURE_6)
    return (*found, Serving(PPIPE, scheduler=Scheduler.REACTIVE))


def plan_and_serve(
    collector: Collector, stage: Stage, seconds: float
) -> tuple[pd.DataFrame, pd.DataFrame, list[Proof]]:
    """Make a stage.

    Returns:
        One row per case and system; one per case, serving, load and model; the plans that are proven.
    """
    clusters = {case.name: case.cluster() for case in stage.cases}
    heads = {case.name: case.describe(clusters[case.name]) for case in stage.cases}
    settings = [SYSTEMS[label] for label in stage.systems]
    named = _named(clusters)
    total = sum(len(settings) + len(stage.servings(case)) for case in stage.cases)
    with collector.stage(stage.name, total) as advance:
        frame = collector.runs(named, settings, advance)
        found = {(row["instance"], row["label"]): row for row in frame.to_dict("records")}
        asked: list[Measure] = []
        for case in stage.cases:
            full_load_rps = found[case.name, PPIPE]["value"]
            if full_load_rps > 0:
                for serving in stage.servings(case):
                    head = {**heads[case.name], "system": serving.system}
                    plan = found[case.name, serving.system]["plan"] or NO_PLAN
                    asked.append(_served(case, serving, head, plan, full_load_rps, seconds))
        rows = results.measured(collector.runs(named, asked, advance))
    return (
        plan_table(frame, clusters, heads),
        rows.drop(columns=["instance", "label"], errors="ignore"),
        proofs_of(frame, named, settings),
    )


def _served(
    case: Case | MeasuredCase, serving: Serving, head: dict[str, Any], plan: str, full_load_rps: float, seconds: float
) -> Measure:
    arrivals, scheduler = serving.arrivals.value, serving.scheduler.value
    return measure(
        "euclio.studies.ppipe.serving:loads",
        f"{case.name}: {serving.system}, {arrivals}, {scheduler}",
        "pipeline",
        on=[case.name],
        head=head,
        plan=plan,
        full_load_rps=full_load_rps,
        seconds=seconds,
        seed=case.seed,
        arrivals=arrivals,
        scheduler=scheduler,
        every_load=serving.every_load,
    )


def plan_for_times(collector: Collector, sampling: Sampling, seed: int) -> pd.DataFrame:
    """Planning times of Figure 14: one row per cluster and planner, one run at a time."""
    clusters = planning_clusters(sampling, seed)
    # The paper's mean is that of its own MILP, on groups of models on the large clusters: the first group of each.
    groups = [(MEAN, replace(case.cluster(), name=case.name)) for case in group_cases(1, seed)]
    both = [cluster.name for study, cluster in clusters if study != UNMERGED]
    settings = [
        replace(SYSTEMS[PPIPE], time_s=sampling.columns_limit_s),
        replace(SYSTEMS[PRINTED], time_s=sampling.printed_limit_s, on=frozenset(both)),
    ]
    printed = [replace(SYSTEMS[PRINTED], time_s=sampling.groups_limit_s)]
    frame = pd.concat(
        [
            collector.staged("planning times", [cluster for _, cluster in clusters], settings, alone=True),
            collector.staged("planning times of groups", [cluster for _, cluster in groups], printed, alone=True),
        ],
        ignore_index=True,
    )
    clusters += groups
    heads = {c.name: {"study": study, "blocks": max(model.blocks for model in c.models)} for study, c in clusters}
    return plan_table(frame, {cluster.name: cluster for _, cluster in clusters}, heads)


def plan_instances(collector: Collector, files: Sequence[Path]) -> pd.DataFrame:
    """Clusters with measured blocks: one row per instance and system, one run at a time; empty: no files."""
    clusters = {file.stem: load_cluster(file) for file in files}
    frame = collector.staged("measured instances", _named(clusters), [SYSTEMS[label] for label in PLANNED], alone=True)
    heads = {}
    for file in files:
        known = _expected(file.parent).get(file.stem, {})
        references = {column: known.get(name) for name, column in REFERENCES.items()}
        heads[file.stem] = {"case": file.stem, "models": len(clusters[file.stem].models), **references}
    return plan_table(frame, clusters, heads)


def _named(clusters: dict[str, Cluster]) -> list[Cluster]:
    """The clusters under the names of their cases, since several cases may have one cluster."""
    return [replace(cluster, name=name) for name, cluster in clusters.items()]


def instance_files(folder: Path | None) -> list[Path]:
    """The files of a folder; None: of the default one, and none where that is absent.

    Raises:
        InputError: the named folder holds no instance.
    """
    files = sorted((INSTANCES if folder is None else folder).glob("*.json"))
    if folder is not None and not files:
        raise InputError("holds no instance files (*.json); name a folder of clusters", file=str(folder))
    return files


def _expected(folder: Path) -> dict[str, Any]:
    """Published and best known values, from the file next to the folder; empty where there is none."""
    file = folder.parent / f"{folder.name}_expected.json"
    return dict(json.loads(file.read_text(encoding="utf-8"))) if file.exists() else {}


TITLE = "PPipe reproduced: what do pooled pipelines gain on mixed GPUs?"
STUDY = Study("ppipe", TITLE, 0, collect, measures, reasons, text, shown=shown, details=sampling_of)
