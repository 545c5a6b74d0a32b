"""What the simulated data plane does with requests."""

from dataclasses import replace

import numpy as np
import pytest
from simulated_clusters import overlaps, two_model_cluster, two_model_plan, two_stage_cluster, two_stage_plan

from euclio.core.errors import InputError
from euclio.problems.pipeline import BlockProfile, Cluster, Gpu, Model, Partition, Pipeline, PipelinePlan
from euclio.serving.pipeline import Setup, attainment, describe, highest_loads, simulate, utilization
from euclio.serving.requests import DROPPED, LATE, PENDING, SERVED

MS = 1_000_000
SHORT = Setup(seconds=4.0)
SETUPS = [
    Setup(arrivals=arrivals, load=load, seconds=2.0, scheduler=scheduler, noise=noise, seed=3)
    for scheduler in ("reservation", "reactive")
    for arrivals, load in (("poisson", 0.7), ("bursty", 1.3))
    for noise in (0.0, 0.2)
]


def simulated(setup, cluster=None, plan=None):
    return simulate(cluster or two_stage_cluster(), plan or two_stage_plan(), setup)


def single(**changes):
    """One request at time 0 of a plan with batch 2."""
    return simulated(Setup(arrivals="uniform", full_load_rps=1, seconds=0.5, **changes))


def test_a_lone_request_waits_until_a_second_one_could_not_be_served_with_it():
    """A batch of 2 takes 32 + 4 + 16 = 52 ms of 100; then a batch of 1 takes 20 + 2 + 10 = 32 ms."""
    (requests,) = single().requests
    assert requests.finish_ns.tolist() == [48 * MS + 1 + 32 * MS]


def test_the_transfer_of_a_batch_is_between_its_inferences():
    found = single()
    first, second = found.inferences.start_ns.tolist()
    assert found.inferences.end_ns[0] == found.transfers.start_ns[0] == first + 20 * MS
    assert found.transfers.end_ns[0] == second == first + 22 * MS


def test_a_full_batch_goes_at_once():
    """Two requests 1 ms apart: the batch begins with the second one and ends 52 ms later."""
    (requests,) = simulated(Setup(arrivals="uniform", full_load_rps=1000, seconds=0.0015)).requests
    assert requests.finish_ns.tolist() == [53 * MS, 53 * MS]


def test_a_request_that_no_batch_can_serve_is_dropped():
    """Alone it takes 32 ms, the SLO is 30 ms."""
    found = simulated(Setup(arrivals="uniform", full_load_rps=1, seconds=0.5), two_stage_cluster(slo="0.03"))
    assert found.requests[0].outcome.tolist() == [DROPPED]


def test_the_pipeline_with_the_shortest_wait_is_chosen():
    """Whole models on `fast` (18 ms) and `slow` (60 ms): the second request finds `fast` busy and goes to `slow`."""
    whole = (Partition("fast", 1, 1, 0, 1, 1),), (Partition("slow", 1, 1, 0, 1, 1),)
    plan = PipelinePlan(tuple(Pipeline("see", partition) for partition in whole))
    found = simulated(Setup(arrivals="uniform", full_load_rps=500, seconds=0.003), plan=plan)
    assert found.inferences.pipeline.tolist() == [0, 1]


def test_a_pipeline_that_is_too_slow_for_the_oldest_request_is_passed_over():
    """With an SLO of 50 ms only `fast` serves: both requests go there, although the second has to wait."""
    whole = (Partition("fast", 1, 1, 0, 1, 1),), (Partition("slow", 1, 1, 0, 1, 1),)
    plan = PipelinePlan(tuple(Pipeline("see", partition) for partition in whole))
    setup = Setup(arrivals="uniform", full_load_rps=500, seconds=0.003)
    assert simulated(setup, two_stage_cluster(slo="0.05"), plan).inferences.pipeline.tolist() == [0, 0]


def test_transfers_of_one_server_go_one_after_the_other():
    """Two batches of 1 end on one server 1 ms apart, their transfers of 2 ms share its uplink."""
    setup = Setup(arrivals="uniform", full_load_rps=1000, seconds=0.0015)
    found = simulated(setup, two_stage_cluster(slow_per_server=4), two_stage_plan(batch=1))
    assert found.transfers.start_ns.tolist() == [20 * MS, 22 * MS]


def test_virtual_gpus_are_chosen_by_when_their_uplink_is_free():
    """Servers of two: the second batch takes a GPU of the other server, although one of the first is free as soon."""
    setup = Setup(arrivals="uniform", full_load_rps=1000, seconds=0.0015)
    found = simulated(setup, two_stage_cluster(transfer="0.004"), two_stage_plan(batch=1))
    assert found.transfers.resource.tolist() == [0, 1]


@pytest.mark.parametrize("setup", SETUPS)
def test_every_request_is_served_late_or_dropped(setup):
    found = simulated(setup)
    assert all((r.outcome != PENDING).all() for r in found.requests)
    assert all(((r.finish_ns < 0) == (r.outcome == DROPPED)).all() for r in found.requests)


@pytest.mark.parametrize("setup", SETUPS)
def test_every_request_that_was_not_dropped_is_in_one_last_inference(setup):
    found = simulated(setup)
    last = found.inferences.partition == 1
    assert found.inferences.requests[last].sum() == sum((r.outcome != DROPPED).sum() for r in found.requests)


@pytest.mark.parametrize("setup", SETUPS)
def test_no_resource_is_used_twice_at_a_time(setup):
    found = simulated(setup)
    work, sent = found.inferences, found.transfers
    assert overlaps(work.resource, work.start_ns, work.end_ns) == 0
    assert overlaps(sent.resource, sent.start_ns, sent.end_ns) == 0
    known = sent.receiver >= 0
    assert overlaps(sent.receiver[known], sent.start_ns[known], sent.end_ns[known]) == 0


@pytest.mark.parametrize("setup", SETUPS)
def test_nothing_begins_before_it_is_ready(setup):
    found = simulated(setup)
    assert all((uses.start_ns >= uses.ready_ns).all() for uses in (found.inferences, found.transfers))


@pytest.mark.parametrize("setup", SETUPS)
def test_utilization_is_a_share(setup):
    assert all(0 < share <= 1 for share in utilization(simulated(setup)).values())


@pytest.mark.parametrize("setup", SETUPS)
def test_the_same_input_gives_the_same_figures(setup):
    assert describe(simulated(setup)) == describe(simulated(setup))


@pytest.mark.parametrize("setup", [s for s in SETUPS if s.scheduler == "reservation" and not s.noise])
def test_reservations_keep_every_deadline_where_durations_are_as_profiled(setup):
    assert not (simulated(setup).requests[0].outcome == LATE).any()


def test_reserved_times_are_the_real_ones_where_durations_are_as_profiled():
    found = simulated(SETUPS[0])
    work = found.inferences
    assert (work.end_ns - work.start_ns == work.estimate_ns).all()


def test_longer_durations_than_profiled_make_requests_late():
    found = simulated(replace(SETUPS[0], noise=0.2))
    assert (found.requests[0].outcome == LATE).any()


@pytest.mark.parametrize("batch", [1, 2])
def test_uniform_arrivals_at_load_98_per_cent_lose_nothing(batch):
    (requests,) = simulated(Setup(arrivals="uniform", load=0.98, seconds=10), plan=two_stage_plan(batch)).requests
    assert (requests.outcome == SERVED).all()


def test_twice_the_load_drops_about_half_of_the_requests():
    found = simulated(replace(SHORT, load=2.0), plan=two_stage_plan(batch=1))
    assert attainment(found.requests[0]) == pytest.approx(0.5, abs=0.05)


def test_utilization_is_the_load_times_that_of_the_plan():
    """At load 0.5 of 200 requests/s, batches of 1: slow 100 · 20 ms / 4 = 0.5, fast 100 · 10 ms / 2 = 0.5."""
    setup = Setup(arrivals="uniform", load=0.5, seconds=20)
    assert utilization(simulated(setup, plan=two_stage_plan(batch=1))) == pytest.approx(
        {"slow": 0.5, "fast": 0.5}, abs=0.01
    )


def test_half_a_gpu_counts_as_half_busy():
    """`see` at 60 requests/s on two halves of 15 ms: 0.9 of two halves is 0.45 of a GPU; `hear` 120 · 10 ms = 1.2."""
    found = simulate(two_model_cluster(), two_model_plan(), Setup(arrivals="uniform", full_load_rps=60, seconds=20))
    assert utilization(found)["fast"] == pytest.approx((0.45 + 1.2) / 4, abs=0.01)


def test_load_is_split_by_weight():
    """The plan serves 133.3 of `see` (weight 1) and 200 of `hear` (weight 2): load 1 is 100 per weight."""
    assert simulate(two_model_cluster(), two_model_plan(), SHORT).offered_rps == pytest.approx((100, 200))


def test_uses_name_pipelines_as_the_plan_numbers_them():
    """In the plan `hear` comes first, in the cluster `see`."""
    found = simulate(two_model_cluster(), two_model_plan(), SHORT)
    assert {found.gpus[g].pipeline for g in found.inferences.resource[found.inferences.pipeline == 0]} == {0}


def test_a_model_without_a_pipeline_loses_its_requests():
    plan = PipelinePlan(two_model_plan().pipelines[:1])
    see, hear = simulate(two_model_cluster(), plan, replace(SHORT, full_load_rps=50)).requests
    assert (attainment(see), attainment(hear)) == (0, 1)


@pytest.mark.parametrize("load", [0.5, 0.9, 1.0])
def test_reactive_pools_serve_no_more_where_links_bound(load):
    """Transfers of 7 ms: an uplink for two `slow` GPUs carries 143 requests/s, the pool of four 286, GPUs 200."""
    setup = Setup(load=load, seconds=8.0)
    cluster, plan = two_stage_cluster(transfer="0.007", slow_per_server=4), two_stage_plan(batch=1)
    by_reservation = attainment(simulated(setup, cluster, plan).requests[0])
    reactive = attainment(simulated(replace(setup, scheduler="reactive"), cluster, plan).requests[0])
    assert reactive <= by_reservation


def test_probe_is_called_twice_per_batch_where_there_is_one_pipeline_of_batch_one():
    """Once in line 7 of Algorithm 1, to choose the pipeline, and once in line 14, for its unified batch size."""
    found = simulated(Setup(arrivals="uniform", load=0.5, seconds=4.0), plan=two_stage_plan(batch=1))
    assert describe(found)["probes_per_batch"] == 2


def reactive(cluster=None, plan=None, **changes):
    """Two requests 1 ms apart, or as the changes say."""
    setup = {"arrivals": "uniform", "full_load_rps": 1000, "seconds": 0.0015, "scheduler": "reactive", **changes}
    return simulated(Setup(**setup), cluster, plan or two_stage_plan(batch=1))


def test_a_reactive_pool_sends_what_it_has_served_at_once():
    """Batches of 1 end on one server after 20 and 21 ms; their transfers of 4 ms share its uplink, one to nowhere."""
    sent = reactive(two_stage_cluster(transfer="0.004", slow_per_server=4)).transfers
    assert (sent.ready_ns.tolist(), sent.start_ns.tolist()) == ([20 * MS, 21 * MS], [20 * MS, 24 * MS])
    assert sent.receiver.tolist() == [-1, -1]


def test_a_reactive_pool_drops_a_request_that_slow_transfers_bring_too_late():
    """20 ms, a transfer of 4 and 10 ms are within 35 of arrival; the second has waited 3 ms for the uplink."""
    cluster = two_stage_cluster(transfer="0.004", slow_per_server=4, slo="0.035")
    found = reactive(cluster)
    assert found.requests[0].outcome.tolist() == [SERVED, DROPPED]
    assert found.inferences.partition.tolist() == [0, 0, 1]


def test_a_reactive_pool_takes_the_virtual_gpu_that_has_been_free_for_longest():
    """Four GPUs of 20 ms, a request every 25 ms: each in turn, although the first is free again."""
    found = reactive(full_load_rps=40, seconds=0.12)
    first = found.inferences.resource[found.inferences.partition == 0]
    assert first.tolist() == [0, 1, 2, 3, 0]


def test_a_reactive_pool_drops_what_comes_too_late_for_the_planned_batch():
    """A batch of 2 takes 52 ms, of 1 it takes 32: with an SLO of 50 ms no request waits for a second one."""
    found = reactive(two_stage_cluster(slo="0.05"), two_stage_plan(batch=2))
    assert found.requests[0].outcome.tolist() == [DROPPED, DROPPED]


def test_the_highest_load_is_the_last_of_the_grid_with_99_per_cent():
    setup = Setup(arrivals="uniform", full_load_rps=250, seconds=4.0)
    (load,) = highest_loads(two_stage_cluster(), two_stage_plan(batch=1), setup).values()
    assert load == 0.8


def test_batches_that_are_not_unified_are_refused():
    stages = (Partition("slow", 1, 4, 0, 0, 2), Partition("fast", 1, 2, 1, 1, 1))
    with pytest.raises(InputError, match=r"plan.pipelines\[0\]: its partitions differ in batch size"):
        simulated(replace(SHORT, full_load_rps=50), plan=PipelinePlan((Pipeline("see", stages),)))


def test_a_plan_that_cannot_be_priced_is_refused():
    plan = PipelinePlan((Pipeline("see", (Partition("fast", 1, 2, 0, 0, 1),)),))
    with pytest.raises(InputError, match="do not cover the blocks"):
        simulated(SHORT, plan=plan)


def test_three_partitions_follow_on_one_another():
    """Stages of 30, 10 and 10 ms with transfers of 5 and 1 ms: a batch of 1 takes 56 ms."""
    model = Model(
        "see", "0.1", ["0.005", "0.001"], [BlockProfile("one", 1, [["0.03"], ["0.01"], ["0.01"]])], margin_s="0.04"
    )
    cluster = Cluster("three", [Gpu("one", 5, 1)], [model])
    stages = tuple(Partition("one", 1, gpus, k, k, 1) for k, gpus in enumerate((3, 1, 1)))
    plan = PipelinePlan((Pipeline("see", stages),))
    (requests,) = simulated(Setup(arrivals="uniform", load=0.98, seconds=5), cluster, plan).requests
    assert (requests.finish_ns - requests.arrival_ns).min() == 56 * MS
    assert (requests.outcome == SERVED).all()


def test_records_are_in_the_order_of_dispatch():
    assert (np.diff(simulated(SHORT).inferences.batch) >= 0).all()
