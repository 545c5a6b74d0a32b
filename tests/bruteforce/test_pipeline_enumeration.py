"""The enumeration of pooled pipelines: worked numbers, plan spaces, limits."""

import pytest
from ppipe_clusters import thirds, two_classes, two_cuts, unservable

from euclio import solve
from euclio.core.result import Status

NAME = "pipeline-bruteforce"


def test_pooled_pipeline_and_left_over_gpu_are_best():
    """B -> A at 100 req/s and B alone at 20: 120."""
    result = solve(two_classes(), NAME)
    assert (result.status, result.value) == (Status.OPTIMAL, 120)


@pytest.mark.parametrize(("rate", "cost"), [(90, 4), (110, 5)])
def test_least_cost_serves_the_load(rate, cost):
    """90 req/s: one A and one B as B -> A, $4; 110: the other B besides, $5."""
    assert solve(two_classes(rate_rps=rate), NAME, objective="cost").value == cost


def test_load_beyond_the_cluster_is_infeasible():
    assert solve(two_classes(rate_rps=121), NAME, objective="cost").status is Status.INFEASIBLE


def test_cluster_that_cannot_serve_a_model_is_infeasible():
    assert solve(unservable(), NAME).status is Status.INFEASIBLE


@pytest.mark.parametrize(("single", "throughput"), [(True, 150), (False, 200)])
def test_several_pipelines_on_one_sequence_can_be_worth_more(single, throughput):
    """Two cuts of A -> B at 100 req/s each, or one pipeline at 150."""
    assert solve(two_cuts(), NAME, one_per_sequence=single).value == throughput


def test_fractions_of_gpus_count_where_the_space_adds_them_up():
    """A -> A on thirds of the only GPU: two places, so two whole GPUs, or two thirds of one."""
    whole, fractions = (solve(thirds(), NAME + ":every-sequence", whole_gpus=whole) for whole in (True, False))
    assert (whole.status, fractions.value) == (Status.UNKNOWN, 150)


def test_every_sequence_is_forced_as_printed():
    """Five of each: 50 + 20 + 100 + 25 + 100 + 25 = 320 req/s."""
    result = solve(two_classes(5, 5), NAME + ":every-sequence")
    assert (result.value, result.bound) == (320, None)


def test_too_much_to_list_is_said_before_it_begins():
    result = solve(two_classes(400, 400), NAME)
    assert result.status is Status.INAPPLICABLE
    assert "fewer blocks" in result.reason


def test_time_limit_ends_the_enumeration():
    result = solve(two_classes(8, 8), NAME, time_limit_s=0.0)
    assert result.status is Status.UNKNOWN
