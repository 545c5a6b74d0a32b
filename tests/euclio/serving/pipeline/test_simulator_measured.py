"""Optimal plans of measured clusters under load; plans are typed: GPU type, share, virtual GPUs, last block, batch."""

from dataclasses import replace

import pytest
from places import SHARED

from euclio.problems.pipeline import Partition, Pipeline, PipelinePlan, evaluate
from euclio.problems.pipeline.files import load_cluster
from euclio.serving.pipeline import Setup, mean_attainment, simulate

FOLDER = SHARED / "pipelines"
pytestmark = pytest.mark.skipif(not FOLDER.is_dir(), reason="the measured clusters are not next to the checkout")

PLANS = {
    "ppipe-trio-L4-P4-00": [
        (0, "P4 1 22 5 1", "L4 1 8 9 1"),
        (1, "L4 1 8 5 1", "P4 1 27 8 1"),
        (2, "P4 1 24 4 1", "L4 1 9 9 1"),
    ],
    "ppipe-trio-L4-P4-08": [
        (0, "P4 1 31 3 1", "L4 1 12 9 1"),
        (1, "L4 1 3 4 1", "P4 1 11 9 1"),
        (1, "L4 2 2 7 1", "P4 1 1 9 1"),
        (2, "L4 1 1 9 3"),
        (2, "P4 1 31 3 1", "L4 1 8 9 1"),
    ],
    "ppipe-trio-V100-P4-18": [
        (0, "P4 1 8 6 1", "V100 2 4 9 1"),
        (1, "V100 1 11 5 1", "P4 1 24 8 1"),
        (2, "V100 1 12 7 1", "P4 1 17 9 1"),
    ],
    "ppipe-solo-L4-T4-32": [(0, "L4 1 25 9 7"), (0, "T4 2 76 6 1", "T4 1 37 9 1")],
    "ppipe-solo-L4-T4-34": [(0, "T4 1 68 9 1"), (0, "T4 1 7 0 3", "L4 1 25 9 3")],
}
UNIFORM = Setup(arrivals="uniform", load=0.98, seconds=10.0)


def cluster_and_plan(name):
    cluster = load_cluster(FOLDER / f"{name}.json")
    pipelines = []
    for model, *stages in PLANS[name]:
        first, partitions = 0, []
        for stage in stages:
            gpu, *numbers = stage.split()
            share, gpus, last, batch = map(int, numbers)
            partitions.append(Partition(gpu, share, gpus, first, last, batch))
            first = last + 1
        pipelines.append(Pipeline(cluster.models[model].name, tuple(partitions)))
    return cluster, PipelinePlan(tuple(pipelines))


@pytest.mark.parametrize("name", PLANS)
def test_the_checker_accepts_the_plan(name):
    assert evaluate(*cluster_and_plan(name)).feasible


@pytest.mark.fifth("name")
@pytest.mark.parametrize("name", PLANS)
def test_uniform_arrivals_at_load_98_per_cent_lose_nothing(name):
    assert mean_attainment(simulate(*cluster_and_plan(name), UNIFORM)) == 1


@pytest.mark.fifth("name")
@pytest.mark.parametrize("name", ["ppipe-trio-V100-P4-18", "ppipe-solo-L4-T4-32"])
def test_reactive_pools_serve_less_where_servers_share_uplinks(name):
    setup = replace(UNIFORM, arrivals="poisson", load=0.95)
    cluster, plan = cluster_and_plan(name)
    reactive = mean_attainment(simulate(cluster, plan, replace(setup, scheduler="reactive")))
    assert reactive < mean_attainment(simulate(cluster, plan, setup))


@pytest.mark.slow
def test_half_a_minute_on_a_hundred_gpus_takes_no_longer_than_three_seconds():
    assert simulate(*cluster_and_plan("ppipe-trio-L4-P4-08"), replace(UNIFORM, seconds=30.0)).wall_s <= 3
