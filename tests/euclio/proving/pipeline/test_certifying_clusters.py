"""The independent prover of clusters: never a wrong proof, and always an answer on tiny clusters."""

import random
import time
from dataclasses import replace
from fractions import Fraction
from math import inf
from pathlib import Path

import pytest
from places import ROOT

import euclio.proving.pipeline
from euclio.files.result_files import load_result
from euclio.problems.pipeline import BatchBuild, BlockProfile, Cluster, Gpu, Model, Objective, PipelineSpace, evaluate
from euclio.problems.pipeline.files import load_cluster
from euclio.problems.pipeline.space import FULL_PIPELINE_SPACE
from euclio.proving.pipeline.certifying import find_better
from euclio.proving.pipeline.demand import Demand, sharpened
from euclio.proving.pipeline.lumps import _ceilings
from tests.drawn.clusters import cluster_case
from tests.drawn.reference_clusters import cluster_truth

DATA = ROOT / "data" / "instances"
LEAST_COST = PipelineSpace(objective=Objective.COST)
BILLIONTH = Fraction(1, 10**9)


def better(value, space, part):
    """A value that is better by a part of it."""
    return value * (1 + part if space.objective is Objective.THROUGHPUT else 1 - part)


def confirmed(cluster, space, cutoff):
    """The value of the plan that the prover finds beyond a cutoff, which has to be there."""
    search = find_better(cluster, space, cutoff, inf)
    assert search.plan is not None
    assert not search.exhausted
    checked = evaluate(cluster, search.plan, space)
    assert checked.feasible
    return checked.value


@pytest.fixture(scope="module")
def tiny():
    """Clusters, plan spaces and best values."""
    cases = [cluster_case(random.Random(seed)) for seed in range(40)]
    return [(cluster, space, cluster_truth(cluster, space).lower) for cluster, space in cases]


def test_nothing_is_better_than_the_best_by_enumeration(tiny):
    for cluster, space, best in tiny:
        if best is not None:
            assert find_better(cluster, space, best, inf).exhausted


def test_nothing_is_better_than_just_beyond_the_best(tiny):
    for cluster, space, best in tiny:
        if best is not None:
            assert find_better(cluster, space, better(best, space, BILLIONTH), inf).exhausted


def test_a_claim_just_short_of_the_best_is_refuted(tiny):
    for cluster, space, best in tiny:
        if best:
            cutoff = better(best, space, -BILLIONTH / 10**30)
            assert confirmed(cluster, space, cutoff) == best


def test_a_claim_of_infeasibility_is_refuted_where_there_is_a_plan_and_proven_where_there_is_none(tiny):
    for cluster, space, best in tiny:
        search = find_better(cluster, space, None, inf)
        assert search.exhausted == (best is None)
        assert (search.plan is not None) == (best is not None)


def test_every_step_from_no_plan_to_the_best_is_found(tiny):
    for cluster, space, best in tiny[:20]:
        cutoff = None
        while (search := find_better(cluster, space, cutoff, inf)).plan is not None:
            cutoff = evaluate(cluster, search.plan, space).value
        assert search.exhausted
        assert cutoff == best


def uneven():
    """Blocks that are measured up to different batches: the last block's batch 2 serves more on g0."""
    return Cluster(
        "uneven",
        [Gpu("g0", 2, price_per_h=2), Gpu("g1", 1, price_per_h=2)],
        [
            Model(
                "m",
                "4.6",
                [0],
                [
                    BlockProfile("g0", 1, [["0.1"], ["0.3", "0.5"]]),
                    BlockProfile("g1", 1, [["0.1", "0.1"], ["0.3"]]),
                ],
                rate_rps=2,
            )
        ],
        max_partitions=2,
    )


def test_a_batch_counts_where_the_partitions_own_blocks_have_it_measured():
    assert confirmed(uneven(), FULL_PIPELINE_SPACE, Fraction("7.5")) == 8
    assert find_better(uneven(), FULL_PIPELINE_SPACE, Fraction(8), inf).exhausted


def one_type(count, times, **options):
    profiles = [BlockProfile("g", share, [[x]]) for share, x in times]
    return Cluster("one", [Gpu("g", count, price_per_h=3)], [Model("m", 1, [], profiles, **options)])


def test_shares_of_one_position_are_added_up_before_they_are_counted_up():
    # 1 half and 2 thirds are more than a GPU; 2 halves, or 3 thirds, are one.
    cluster = one_type(1, [(1, "0.5"), (2, "0.5"), (3, "0.9")])
    assert find_better(cluster, FULL_PIPELINE_SPACE, Fraction(4), inf).exhausted
    assert confirmed(cluster, FULL_PIPELINE_SPACE, Fraction("3.9")) == 4


def test_fractions_of_gpus_are_added_up_where_the_plan_space_does():
    cluster = one_type(2, [(1, "0.5"), (2, "0.4")], rate_rps="2.5")
    assert confirmed(cluster, replace(LEAST_COST, whole_gpus=False), Fraction(3)) == Fraction("1.5")
    assert confirmed(cluster, LEAST_COST, Fraction(6)) == 3


def test_a_load_that_is_a_multiple_as_floats_print_it_is_taken_as_written():
    # Two GPUs serve 20/3, which is less than this.
    above, below = "6.666666666666667", "6.666666666666666"
    assert find_better(one_type(2, [(1, "0.3")], rate_rps=above), LEAST_COST, None, inf).exhausted
    assert confirmed(one_type(2, [(1, "0.3")], rate_rps=below), LEAST_COST, None) == 6


def test_latency_on_the_objective_fits_and_one_unit_beyond_does_not():
    build = BatchBuild(1, 3)
    for slo, fits in (("0.500000000001", True), ("0.5", True), ("0.499999999999", False)):
        model = Model("m", slo, ["0.1"], [BlockProfile("g", 1, [["0.2"], ["0.2"]])], batch_build=build)
        cluster = Cluster("tie", [Gpu("g", 2)], [model], max_partitions=2)
        whole = Cluster("whole", [Gpu("g", 2)], [replace_profile(model)], max_partitions=2)
        assert find_better(cluster, FULL_PIPELINE_SPACE, None, inf).plan is not None
        assert (find_better(whole, FULL_PIPELINE_SPACE, None, inf).plan is not None) == fits


def replace_profile(model):
    """A model of 0.5 s however it is cut: in one part there is no transfer, so its blocks take longer."""
    return Model("m", model.slo_s, ["0.1"], [BlockProfile("g", 1, [["0.3"], ["0.2"]])])


def test_a_cutoff_of_money_is_strict():
    cluster = one_type(2, [(1, "0.5")], rate_rps=3)
    assert find_better(cluster, LEAST_COST, Fraction(6), inf).exhausted
    assert confirmed(cluster, LEAST_COST, Fraction(6) + Fraction(1, 10**40)) == 6


def test_a_missing_price_or_load_leaves_no_plan_of_least_cost():
    without_load = one_type(2, [(1, "0.5")])
    without_price = Cluster("one", [Gpu("g", 1)], [Model("m", 1, [], [BlockProfile("g", 1, [[1]])], rate_rps=1)])
    assert find_better(without_load, LEAST_COST, None, inf).exhausted
    assert find_better(without_price, LEAST_COST, None, inf).exhausted


def test_a_deadline_that_has_passed_leaves_the_claim_open():
    search = find_better(uneven(), FULL_PIPELINE_SPACE, Fraction(8), time.perf_counter())
    assert search.plan is None
    assert not search.exhausted
    assert "time limit" in search.reason


def test_more_virtual_gpus_than_supported_leave_the_claim_open():
    cluster = one_type(10**6, [(1, 1)], rate_rps=10**6)
    assert find_better(cluster, LEAST_COST, Fraction(3 * 10**6), inf).exhausted
    search = find_better(cluster, LEAST_COST, None, inf)
    assert search.plan is None
    assert not search.exhausted
    assert "supported" in search.reason


NAMES = (
    "p-l4p4-m1-b10-g100-s50-k2-cost-01",
    "p-l4p4-m1-b10-g8-s25-k2-throughput-01",
    "p-l4p4-m1-b4-g8-s50-k2-throughput-01",
    "p-l4p4-m1-b6-g8-s50-k2-cost-01",
)


@pytest.mark.fifth("name")
@pytest.mark.parametrize("name", NAMES)
def test_a_measured_cluster_is_certified_and_a_bound_a_millionth_short_refuted(name):
    cluster = load_cluster(DATA / "clusters" / f"{name}.json")
    known = load_result(DATA / "best" / f"{name}.json", cluster)
    value = evaluate(cluster, known.plan, known.space).value
    assert find_better(cluster, known.space, better(value, known.space, BILLIONTH), inf).exhausted
    assert confirmed(cluster, known.space, better(value, known.space, Fraction(-1, 10**6))) == value


def test_a_demand_is_sharpened_to_the_next_number_that_can_be_served():
    rates = (Fraction(10, 3), Fraction(5, 2))
    assert sharpened(Demand(Fraction(20, 3), strict=True), rates) == Demand(Fraction(41, 6), strict=False)
    assert sharpened(Demand(Fraction(20, 3), strict=False), rates) == Demand(Fraction(20, 3), strict=False)
    assert sharpened(Demand(Fraction("6.66"), strict=False), rates) == Demand(Fraction(20, 3), strict=False)


def test_numbers_of_virtual_gpus_are_counted_up_exactly():
    import numpy as np

    numbers = np.arange(1, 31)
    third, above = Fraction(1, 3), Fraction(1, 3) + Fraction(1, 10**30)
    assert _ceilings(numbers, third).tolist() == [-(-n // 3) for n in range(1, 31)]
    assert _ceilings(numbers, above).tolist() == [n // 3 + 1 for n in range(1, 31)]


def test_the_prover_shares_no_code_with_solvers():
    folder = Path(euclio.proving.pipeline.__file__).parent
    for path in (*folder.glob("*.py"), folder.parent / "certifying.py"):
        text = path.read_text()
        assert not any(f"from {package}" in text for package in ("formulations", "heuristics", "bruteforce"))
