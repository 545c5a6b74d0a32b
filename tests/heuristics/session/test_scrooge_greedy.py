import math
import time
from fractions import Fraction

import numpy as np
import pytest
from worked_examples import scrooge, scrooge_best_plan

from euclio import solve
from euclio.core.result import Status
from euclio.problems.session import Configuration, Hardware, Module, Session
from euclio.problems.session.arrays import session_arrays
from euclio.workloads.session.protocol import SEED, draw
from euclio.workloads.session.random_sessions import random_session
from heuristics.session import SCROOGE_SPACE
from heuristics.session.scrooge import allocate_greedily, as_counts, refine_greedily, ways

GREEDY = "scrooge-greedy"


def one_module(rate_rps, slo_s, *rows):
    """A session of one module; rows are (hardware, batch, duration), X at price 2 and Y at price 3."""
    profile = [Configuration(h, b, 1, d) for h, b, d in rows]
    return Session("one", slo_s, [Hardware("X", 2), Hardware("Y", 3)], [Module("M", rate_rps, profile)])


def chosen(session):
    """What the greedy allocation gives each module: (hardware, batch)."""
    s = session_arrays(session, SCROOGE_SPACE)
    found = [m.profile[s.profile_index[k]] for m, k in zip(session.modules, allocate_greedily(s)[0], strict=True)]
    return [(c.hardware, c.batch) for c in found]


def test_worked_example_ends_at_the_papers_plan():
    result = solve(scrooge(), GREEDY)
    assert [m.allocations for m in result.plan.modules] == [m.allocations for m in scrooge_best_plan().modules]


def test_starts_at_the_least_worst_case_latency():
    """X: 0.2 s at 20/s. Y: 0.22 s at 18.2/s. Nothing else fits, and Y serves less per money."""
    assert chosen(one_module(30, "0.25", ("X", 2, "0.1"), ("Y", 2, "0.11"))) == [("X", 2)]


def test_takes_the_highest_gain_over_cost_and_latency_increase():
    """From batch 1 (10/s, 0.2 s): batch 2 gains 5/s in 0.0667 s (75), batch 4 10/s in 0.2 s (50); 2 first, then 4."""
    session = one_module(30, "0.4", ("X", 1, "0.1"), ("X", 2, "0.13333"), ("X", 4, "0.2"))
    s = session_arrays(session, SCROOGE_SPACE)
    assert allocate_greedily(s)[1] == 2
    assert chosen(session) == [("X", 4)]


def test_moves_to_a_slower_worker_type_that_serves_more_per_money():
    """Y 30/s at 3 is 10 per money, X 25/s at 2 is 12.5: throughput alone would stay on Y."""
    assert chosen(one_module(100, "0.5", ("Y", 3, "0.1"), ("X", 3, "0.12"))) == [("X", 3)]


def test_keeps_within_the_slo():
    assert chosen(one_module(30, "0.3", ("X", 1, "0.1"), ("X", 4, "0.2"))) == [("X", 1)]


def test_least_latency_above_the_slo_is_infeasible():
    assert solve(one_module(30, "0.19", ("X", 1, "0.1")), GREEDY).status is Status.INFEASIBLE


def test_partial_allocations_that_no_machine_collects_in_time_leave_no_plan():
    """10 req/s a machine, 0.5 req/s left over: 2 s for a batch of 1, and the SLO is 0.3 s; batch 2 takes 0.38 s."""
    result = solve(one_module("20.5", "0.3", ("X", 1, "0.1"), ("X", 2, "0.19")), GREEDY)
    assert (result.status, result.plan) == (Status.UNKNOWN, None)
    assert "partial allocations" in result.reason


@pytest.mark.parametrize("seed", range(25))
def test_plans_are_accepted_and_no_cheaper_than_the_optimum(seed):
    """A heuristic below the optimum is priced in another plan space than its own."""
    session = random_session(seed, 1 + seed % 4, 8, concurrency=3)
    result, best = solve(session, GREEDY), solve(session, "exact", space=SCROOGE_SPACE)
    if result.cost is not None:
        assert result.cost >= best.cost * (1 - 1e-9)
        assert result.claimed == pytest.approx(result.cost, rel=1e-9)


def test_other_spaces_are_refused():
    assert solve(scrooge(), GREEDY, dummy="machine").status is Status.INAPPLICABLE
    assert solve(scrooge(), GREEDY, max_allocations=1).status is Status.INAPPLICABLE


# Partial allocations, equation (3).


def test_ways_of_the_worked_example():
    """A on one X<4,2>: 19.85 req/s are left. Y<2,1> 25 + 2/19.85 = 125.8 ms, less than the X's 199.5 ms."""
    session = scrooge()
    s = session_arrays(session, SCROOGE_SPACE)
    best = next(k for k in range(4) if session.modules[0].profile[s.profile_index[k]].batch == 4)
    cheapest_last = ways(s, 0, best)[-1]
    left = 80 - Fraction(8) / Fraction("0.133")
    assert cheapest_last.latency_s == pytest.approx(0.133 + 4 / (8 / 0.133))
    assert cheapest_last.cost_per_h == pytest.approx(float(2 + left / 80 * 3))


def test_no_way_is_beaten_by_another():
    s = session_arrays(draw(SEED, 2).session, SCROOGE_SPACE)
    for m in range(s.rate.size):
        found = ways(s, m, int(s.first[m]))
        assert all(np.diff([w.cost_per_h for w in found]) >= 0)
        assert all(np.diff([w.latency_s for w in found]) < 0)


def test_a_smaller_batch_may_need_whole_machines_for_the_rest():
    """80 req/s on batch 16 at 100/s leave 80 as partial; batch 1 at 50/s takes one whole machine and 30."""
    session = one_module(80, 1, ("X", 16, "0.16"), ("X", 1, "0.02"))
    fastest = ways(session_arrays(session, SCROOGE_SPACE), 0, 0)[-1]
    assert fastest.machines == ((1, 1),)
    assert fastest.latency_s == pytest.approx(0.02 + 1 / 30)


def test_whole_machines_are_released_where_the_rest_is_too_slow():
    """201 req/s leave 1 on machines of 100/s, too slow even at batch 1; one machine less leaves 101.

    On batch 1 at 50/s that is two machines and again 1, on batch 2 at 40/s two machines and 21.
    """
    session = one_module(201, "0.32", ("X", 16, "0.16"), ("X", 1, "0.02"), ("X", 2, "0.05"))
    s = session_arrays(session, SCROOGE_SPACE)
    refined = refine_greedily(s, [0], math.inf)
    machines, partial_at = as_counts(s, refined)
    assert machines.tolist() == [1, 0, 2]
    assert partial_at.tolist() == [2]


@pytest.mark.parametrize("solver", [GREEDY, "scrooge-milp"])
def test_a_rate_of_a_million_machines_ends_at_the_time_limit(solver):
    """The rest of 1 req/s is too slow however many of the machines are released for it, and they were, one by one."""
    session = one_module(10**8 + 1, "0.4", ("X", 16, "0.16"))
    begun = time.process_time()
    found = solve(session, solver, time_limit_s=0.3)
    assert time.process_time() - begun < 10
    assert found.plan is None
