"""Exported plans, served: what the queue delays do behind a router, and behind a plain load balancer.

M_3 at 198 req/s on 4 + 0.95 machines of batch 32, which takes 0.8 s, within 2 s.
"""

from worked_examples import M_3, one_module, plan

from euclio.export.groups import deployment
from euclio.problems.session import PlanSpace
from euclio.serving.session.setup import SIMULATOR

SESSION = one_module(M_3, 198, 2)
PLAN = plan(SESSION, (32, 4), partial=38)


def attainment(policy, dispatch):
    """The share in time where batches are closed by the delay of the whole machines."""
    space = PlanSpace(policy, "none")
    time_out_s = deployment(SESSION, PLAN, space).groups[0].queue_delay_us / 10**6
    setup = SIMULATOR.setup(arrivals="uniform", seconds=30.0, dispatch=dispatch, timeout_s=time_out_s)
    found = SIMULATOR.describe(SIMULATOR.simulate(SESSION, PLAN, setup, space))
    return found["attainment"], found["modules"][0]["mean_batch"]


def test_a_router_that_sends_whole_batches_keeps_all_in_time():
    served, batch = attainment("tc", "rounds")
    assert served == 1
    assert batch > 25


def test_a_load_balancer_overloads_machines_that_count_on_whole_batches():
    """A machine is sent 40 req/s, of which 32/198 s bring seven; such batches take 0.25 s, as those of eight do."""
    served, batch = attainment("tc", "requests")
    assert served < 0.15
    assert batch < 8


def test_a_load_balancer_keeps_all_in_time_where_the_plan_counts_on_one():
    served, batch = attainment("machine-rate-even", "requests")
    assert served == 1
    assert batch > 31
