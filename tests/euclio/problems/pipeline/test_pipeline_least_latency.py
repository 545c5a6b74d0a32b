"""The least latency of a model's pipelines, against the checker's latency of every pipeline there is."""

import itertools
import random

import pytest

from euclio.problems.pipeline import BatchBuild, BlockProfile, Cluster, Gpu, Model, Partition, Pipeline, PipelinePlan
from euclio.problems.pipeline import PipelineSpace as Space
from euclio.problems.pipeline.evaluate import evaluate
from euclio.problems.pipeline.family import least_latency_s


def random_cluster(seed):
    """One model of 3 blocks on two GPU types, whole and halved, batches 1 and 2 measured here and there."""
    draw = random.Random(seed)

    def rows():
        return [[draw.randint(1, 60) / 1000 for _ in range(draw.randint(1, 2))] for _ in range(3)]

    profiles = [BlockProfile(gpu, share, rows()) for gpu in ("x", "y") for share in (1, 2)]
    transfers = [draw.randint(0, 20) / 1000 for _ in range(2)]
    model = Model("m", 1, transfers, profiles, batch_build=BatchBuild(1, draw.randint(20, 400)))
    return Cluster("c", [Gpu("x", 9), Gpu("y", 9)], [model], draw.randint(1, 3), draw.random() < 0.5)


def every_pipeline(cluster):
    pools = list(itertools.product("xy", (1, 2), (1, 2)))
    for count in range(1, 4):
        for cuts in itertools.combinations((1, 2), count - 1):
            edges = (0, *cuts, 3)
            for chosen in itertools.product(pools, repeat=count):
                yield Pipeline(
                    "m",
                    tuple(
                        Partition(gpu, share, 1, edges[k], edges[k + 1] - 1, batch)
                        for k, (gpu, share, batch) in enumerate(chosen)
                    ),
                )


@pytest.mark.parametrize("seed", range(12))
def test_least_latency_is_that_of_the_fastest_pipeline(seed):
    """Found without listing pipelines, against all of them one by one."""
    cluster = random_cluster(seed)
    space = Space(virtual_gpus=seed % 3 > 0, batch_build=seed % 4 > 0)
    checked = (evaluate(cluster, PipelinePlan((pipeline,)), space) for pipeline in every_pipeline(cluster))
    latencies = [found.pipelines[0].latency_s for found in checked if found.pipelines]
    assert least_latency_s(cluster, cluster.models[0], space) == min(latencies, default=None)
