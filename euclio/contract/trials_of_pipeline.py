"""What solvers of clusters are tried on (`euclio.contract`)."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

from euclio.core.objective import Goal
from euclio.core.parts import Sources
from euclio.core.space_fields import variants_of
from euclio.problems.pipeline.instance import Cluster, Gpu

SCALE = 2
FIRST_SEED = 14
"""Among the clusters from here on some can serve every sequence of GPU types, which PPipe's model as printed needs."""


def _small(seed: int) -> Cluster:
    from euclio.workloads.pipeline.small_clusters import small_cluster

    return small_cluster(FIRST_SEED + seed)


def _large() -> Cluster:
    from euclio.workloads.pipeline.instances import ClusterRequest, pipeline_cluster
    from euclio.workloads.pipeline.layer_models import FIRST_GROUP, weights
    from euclio.workloads.pipeline.setups import find_setup

    return pipeline_cluster(ClusterRequest(find_setup("HC1-L"), FIRST_GROUP, weights(len(FIRST_GROUP), 0)))


def _scaled(cluster: Cluster, goal: Goal) -> tuple[Cluster, Fraction]:
    """All weights doubled where throughput per weight counts, else all prices."""
    if goal.maximised:
        models = tuple(replace(model, weight=SCALE * model.weight) for model in cluster.models)
        return replace(cluster, models=models), Fraction(1, SCALE)
    return replace(cluster, gpus=tuple(map(_more_expensive, cluster.gpus))), Fraction(SCALE)


def _more_expensive(gpu: Gpu) -> Gpu:
    return gpu if gpu.price_per_h is None else replace(gpu, price_per_h=SCALE * gpu.price_per_h)


def _permuted(cluster: Cluster) -> Cluster:
    """GPU types, models and profiles back to front, models renamed."""
    models = tuple(
        replace(model, name=f"renamed {i}", profiles=model.profiles[::-1]) for i, model in enumerate(cluster.models)
    )
    return replace(cluster, gpus=cluster.gpus[::-1], models=models[::-1])


SOURCES = Sources(_small, _large, variants_of, _scaled, _permuted, ("columns", "pipeline-bruteforce"))
