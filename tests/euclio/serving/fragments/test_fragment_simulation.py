"""The simulated server's handling of requests, on fleets that can be followed by hand."""

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from simulated_clusters import overlaps
from simulated_fleets import MS, aligned, together, two_clients

from euclio.core.errors import InputError
from euclio.problems.fragments import Fleet, Fragment, FragmentPlan, Head, Network, RealignedSet, Stage
from euclio.serving.fragments import Setup, attainment, describe, highest_loads, simulate, utilization
from euclio.serving.fragments.metrics import longest_wait, most_in_an_execution
from euclio.serving.fragments.system import durations
from euclio.serving.requests import DROPPED, LATE, PENDING, SERVED

TOGETHER = Setup("uniform", seconds=0.07, phases="together")
SETUPS = [
    Setup(arrivals, load, 2.0, dispatch=dispatch, dropping=dropping, noise=noise, seed=3)
    for dispatch in ("shared", "even")
    for dropping in ("hopeless", "never")
    for arrivals, load in (("uniform", 1.0), ("poisson", 0.9), ("bursty", 1.6))
    for noise in (0.0, 0.2)
]


def ms(times):
    return [time / MS for time in times.tolist()]


def busy():
    """Two clients whose last layer runs on two instances, close to what they can do."""
    fleet = two_clients(budget_s="0.05", rate_rps=90)
    return fleet, aligned(instances=2)


def test_two_clients_by_hand():
    """Both send at 0, 20, 40 and 60 ms; a's layer 0 takes 10 ms.

    Layer 1 serves b until 12, a (ready at 10) until 24, b (20) until 36, a (30) until 48, and b (40) until 60. A batch
    of 2 with a (50) and b (60) then takes 16 ms until 76. Last is a (70) until 88.
    """
    a, b = simulate(two_clients(), aligned(), TOGETHER).requests
    assert ms(a.finish_ns) == [24, 48, 76, 88]
    assert ms(b.finish_ns) == [12, 36, 60, 76]


def test_the_ways_of_two_clients_by_hand():
    a, b = simulate(two_clients(), aligned(), TOGETHER).passages
    assert ms(a.own_start_ns) == [0, 20, 40, 60]
    assert ms(a.own_end_ns) == [10, 30, 50, 70]
    assert ms(a.shared_start_ns) == [12, 36, 60, 76]
    assert b.own_start_ns.tolist() == b.own_end_ns.tolist() == [-1] * 4


def test_executions_of_two_clients_by_hand():
    found = simulate(two_clients(), aligned(), TOGETHER)
    assert found.executions.stage.tolist() == [0] * 4 + [1] * 7
    assert found.executions.instance.tolist() == [0] * 4 + [1] * 7
    assert found.executions.requests.tolist() == [1] * 9 + [2, 1]
    assert [stage.shared for stage in found.stages] == [False, True]


def test_figures_of_two_clients_by_hand():
    """Layer 0 works 40 of 70 ms, layer 1 all of them; the longest wait is that of a from 50 to 60 ms."""
    found = describe(simulate(two_clients(), aligned(), TOGETHER))
    assert found["attainment"] == 1
    assert found["utilization"] == pytest.approx((40 / 70 + 1) / 2)
    assert [row["latency_max_s"] for row in found["fragments"]] == pytest.approx([0.036, 0.02])
    assert found["stages"][1]["longest_wait_executions"] == pytest.approx(10 / 16)


def test_a_batch_that_is_not_full_takes_as_long_as_the_next_larger_measured_one():
    network = two_clients().network
    assert [t / MS for t in durations(network, 1, 2, Stage(4, 50, 1))] == [0, 12, 16, 20, 20]


def test_an_instance_takes_what_is_there_and_waits_for_no_more():
    fleet, plan = together(3, batch=4)
    found = simulate(fleet, plan, replace(TOGETHER, seconds=0.01))
    assert found.executions.requests.tolist() == [3]
    assert [ms(r.finish_ns) for r in found.requests] == [[20]] * 3


@pytest.mark.parametrize(("dispatch", "finish"), [("shared", [16, 16, 12]), ("even", [16, 12, 16])])
def test_instances_draw_from_one_queue_or_get_requests_in_turn(dispatch, finish):
    fleet, plan = together(3, instances=2)
    found = simulate(fleet, plan, replace(TOGETHER, seconds=0.01, dispatch=dispatch))
    assert [ms(r.finish_ns)[0] for r in found.requests] == finish


def test_clients_that_coincide_wait_longer_than_an_execution():
    """The last of five simultaneous requests in batches of 2 waits for two batches of 16 ms."""
    fleet, plan = together(5)
    found = simulate(fleet, plan, replace(TOGETHER, seconds=0.01))
    assert longest_wait(found, found.stages[0]) == 2
    assert most_in_an_execution(found, found.stages[0]) == 5


def test_the_same_clients_one_after_the_other_do_not_wait():
    fleet, plan = together(5, rate_rps=10)
    found = simulate(fleet, plan, replace(TOGETHER, seconds=1, phases="staggered"))
    assert longest_wait(found, found.stages[0]) == 0


def test_requests_that_moved_ahead_of_a_shared_stage_are_counted():
    """One of b within 16 ms; of a, whose layer 0 takes 10 to 20 ms, two that were sent within 26 ms."""
    found = simulate(two_clients(), aligned(), TOGETHER)
    assert most_in_an_execution(found, found.stages[1]) == 3


def test_a_hopeless_request_is_dropped_before_it_costs_time():
    """40 ms: of five at once the last begins at 32 and would end at 44."""
    fleet, plan = together(5, budget_s="0.04")
    setup = replace(TOGETHER, seconds=0.01)
    found = simulate(fleet, plan, setup)
    assert [r.outcome[0] for r in found.requests] == [SERVED] * 4 + [DROPPED]
    assert found.executions.requests.tolist() == [2, 2]
    never = simulate(fleet, plan, replace(setup, dropping="never"))
    assert [r.outcome[0] for r in never.requests] == [SERVED] * 4 + [LATE]
    assert never.executions.requests.tolist() == [2, 2, 1]


def test_what_follows_counts_when_requests_are_dropped():
    """22 ms are needed by `a` at the least; with 21 ms it is dropped at once, before layer 0."""
    found = simulate(two_clients(budget_s="0.021"), aligned(), TOGETHER)
    assert set(found.requests[0].outcome) == {DROPPED}
    assert found.executions.stage.tolist() == [1] * 4


@pytest.mark.fifth("setup")
@pytest.mark.parametrize("setup", SETUPS)
def test_every_request_is_served_late_or_dropped(setup):
    for requests in simulate(*busy(), setup).requests:
        assert (requests.outcome != PENDING).all()
        assert ((requests.finish_ns < 0) == (requests.outcome == DROPPED)).all()
        assert setup.dropping == "hopeless" or not (requests.outcome == DROPPED).any()


@pytest.mark.fifth("setup")
@pytest.mark.parametrize("setup", SETUPS)
def test_requests_are_conserved_at_every_stage(setup):
    """Each stage, own or shared, executes or drops every request that arrives there."""
    found = simulate(*busy(), setup)
    a, b = found.requests
    way = found.passages[0]
    executed = np.bincount(found.executions.stage, found.executions.requests)
    assert executed[0] == (way.own_end_ns >= 0).sum()
    assert executed[1] == sum((r.finish_ns >= 0).sum() for r in (a, b))
    assert ((way.shared_start_ns >= 0) <= (way.own_start_ns >= 0)).all()
    for row, r in zip(describe(found)["fragments"], (a, b), strict=True):
        assert row["arrived"] == row["served"] + row["late"] + row["dropped"] == r.arrival_ns.size


@pytest.mark.fifth("setup")
@pytest.mark.parametrize("setup", SETUPS)
def test_at_every_moment_what_arrived_is_done_or_in_flight(setup):
    """Requests in flight, counted from their ways, are those that arrived less those that ended."""
    found = simulate(*busy(), setup)
    a, way = found.requests[0], found.passages[0]
    kept = a.outcome != DROPPED
    arrival, finish = a.arrival_ns[kept], a.finish_ns[kept]
    steps = (arrival, way.own_start_ns[kept], way.own_end_ns[kept], way.shared_start_ns[kept], finish)
    assert all((early <= late).all() for early, late in pairwise(steps))
    for at in (0, 500 * MS, 1999 * MS):
        parts = [((early <= at) & (at < late)).sum() for early, late in pairwise(steps)]
        assert sum(parts) == (arrival <= at).sum() - (finish <= at).sum()


@pytest.mark.fifth("setup")
@pytest.mark.parametrize("setup", SETUPS)
def test_no_instance_executes_two_batches_at_a_time(setup):
    done = simulate(*busy(), setup).executions
    assert overlaps(done.instance, done.start_ns, done.end_ns) == 0
    assert done.requests.min() >= 1
    assert done.requests.max() <= 2


@pytest.mark.fifth("setup")
@pytest.mark.parametrize("setup", SETUPS)
def test_the_same_input_gives_the_same_figures(setup):
    assert describe(simulate(*busy(), setup)) == describe(simulate(*busy(), setup))


def test_the_seed_draws_phases_and_arrivals():
    for arrivals in ("uniform", "poisson", "bursty"):
        first, second = (simulate(*busy(), Setup(arrivals, seconds=2, seed=seed)) for seed in (1, 2))
        assert first.requests[0].arrival_ns[0] != second.requests[0].arrival_ns[0]


def test_phases_are_within_a_period_and_the_period_stays():
    for setup in (Setup("uniform", seconds=2), Setup("uniform", seconds=2, phases="staggered")):
        fleet, plan = together(4)
        found = simulate(fleet, plan, setup)
        for requests in found.requests:
            assert 0 <= requests.arrival_ns[0] < 20 * MS
            assert requests.arrival_ns[-1] < 2000 * MS
            assert (np.abs(np.diff(requests.arrival_ns) - 20 * MS) <= 1).all()
    assert ms(np.array([r.arrival_ns[0] for r in found.requests])) == [0, 5, 10, 15]


def test_clients_of_a_head_are_staggered_as_those_of_a_set_are():
    """Two heads of 2 clients send in turn, so that each head's requests are half a period apart."""
    fleet, _ = together(4)
    plan = FragmentPlan((RealignedSet(1, Stage(4, 50, 1), (Head((0, 1)), Head((2, 3)))),))
    found = simulate(fleet, plan, Setup("uniform", seconds=1, phases="staggered"))
    assert ms(np.array([r.arrival_ns[0] for r in found.requests])) == [0, 10, 5, 15]


def test_load_and_full_load_set_the_rates():
    fleet, plan = together(2)
    assert simulate(fleet, plan, Setup(load=0.5, seconds=1)).offered_rps == (25, 25)
    assert simulate(fleet, plan, Setup(load=0.5, seconds=1, full_load_rps=10)).offered_rps == (5, 5)


def test_utilization_weighs_instances_by_their_share():
    fleet, plan = together(1, batch=1)
    found = simulate(fleet, plan, Setup("uniform", seconds=10, phases="together"))
    assert utilization(found) == pytest.approx(50 * 0.012)


def test_the_highest_load_is_that_at_which_99_per_cent_are_in_budget():
    """One client on one instance of 12 ms serves 83 requests per second: 0.8 of 100, and not 0.85."""
    fleet, plan = together(1, batch=1, budget_s="0.024", rate_rps=100)
    assert highest_loads(fleet, plan, Setup("uniform", seconds=4)) == {"c0": 0.8}


def test_noise_makes_requests_late_that_were_in_time():
    fleet, plan = together(1, budget_s="0.013")
    setup = Setup("uniform", seconds=4)
    assert attainment(simulate(fleet, plan, setup).requests[0]) == 1
    assert attainment(simulate(fleet, plan, replace(setup, noise=0.3)).requests[0]) < 0.9


def test_no_request_at_all_is_no_attainment():
    fleet, plan = together(2)
    found = describe(simulate(fleet, plan, Setup("poisson", seconds=1e-6)))
    assert (found["attainment"], found["batches"], found["mean_batch"]) == (None, 0, None)
    assert found["fragments"][0]["latency_max_s"] is None


def test_the_longest_budgets_and_rarest_requests_are_simulated():
    fleet, plan = together(2, budget_s="1e12", rate_rps="1e-12")
    assert sum(r.arrival_ns.size for r in simulate(fleet, plan, Setup("uniform", seconds=10)).requests) == 0
    found = simulate(fleet, plan, Setup("uniform", seconds=10, phases="together"))
    assert [r.outcome.tolist() for r in found.requests] == [[SERVED], [SERVED]]


def test_an_execution_that_is_too_long_to_simulate_is_refused():
    network = Network("slow", [1], [50], [[["101"]]])
    fleet = Fleet("slow", network, [Fragment("a", 0, "1000", "0.001")])
    with pytest.raises(InputError, match="plan: layers 0 to 0 take 101 s at batch 1; up to 100 s are simulated"):
        simulate(fleet, FragmentPlan((RealignedSet(0, Stage(1, 50, 1), (Head((0,)),)),)))


def test_a_plan_that_cannot_be_priced_is_refused():
    with pytest.raises(InputError, match="plan: fragment b is served 0 times"):
        simulate(two_clients(), FragmentPlan((RealignedSet(0, Stage(1, 50, 1), (Head((0,)),)),)))
