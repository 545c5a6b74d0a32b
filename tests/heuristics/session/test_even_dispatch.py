"""Systems under the even policies: what a throughput-based split chose can be scheduled (fidelity of Table III)."""

from dataclasses import replace

import numpy as np
import pytest
from worked_examples import M_3, one_module

from euclio.core.registry import Limits
from euclio.problems.session import Policy, Session, evaluate
from euclio.problems.session.arrays import session_arrays
from euclio.problems.session.latency.dispatch import configuration_latency
from heuristics.session.latency_splitting import LEAST_LATENCY, THROUGHPUT, Moves, single_units, split_latency
from heuristics.session.solver import run_system
from heuristics.session.systems import CLIPPER, INFERLINE, SCROOGE, System
from tests.drawn.small_sessions import small_session

SEEDS = range(150)


def under(system: System, policy: Policy) -> System:
    return replace(system, dispatch=policy)


def last_state(session: Session, system: System) -> tuple[Moves, int]:
    """The states of InferLine's split, and the last of them; -1: it has none."""
    arrays = session_arrays(session, system.space)
    moves = split_latency(arrays, single_units(arrays), THROUGHPUT, LEAST_LATENCY)
    return moves, moves.reached - 1


def scheduled(policy: Policy) -> list[bool]:
    """Of every module of a session with a split, whether InferLine serves it for no more than its split said."""
    system = under(INFERLINE, policy)
    found = []
    for seed in SEEDS:
        session = small_session(seed)
        if (np.diff(session_arrays(session, system.space).first) == 0).any():
            continue
        moves, last = last_state(session, system)
        if last < 0:
            continue
        answer = run_system(system, session, system.space, Limits())
        checked = None if answer.plan is None else evaluate(session, answer.plan, system.space)
        if checked is None:
            found += [False] * len(session.modules)
            continue
        assert checked.feasible
        found += [
            float(module.cost_per_h) <= cost * (1 + 1e-9)
            for module, cost in zip(checked.modules, moves.cost[last], strict=True)
        ]
    return found


def test_inferline_serves_every_module_with_what_its_split_chose_or_better():
    found = scheduled(Policy.RR_EVEN)
    assert len(found) > 100
    assert all(found)


def test_under_rr_it_seldom_does():
    """Its partial machine waits b/f > d for less than a whole machine's rate: only rates of whole machines fit."""
    found = scheduled(Policy.RR)
    assert sum(found) < 0.05 * len(found)


@pytest.mark.parametrize("policy", [Policy.RR_EVEN, Policy.MACHINE_RATE_EVEN])
def test_the_split_estimates_what_the_checker_says(policy):
    """GetWCL of a configuration is the latency of the plan that serves all of the rate with it."""
    session = one_module(M_3, 198, 9)
    system = under(INFERLINE, policy)
    arrays = session_arrays(session, system.space)
    plan = run_system(system, session, system.space, Limits()).plan
    assert plan is not None
    k = list(arrays.batch).index(plan.modules[0].allocations[0].configuration.batch)
    exact = evaluate(session, plan, system.space).latency_s
    assert configuration_latency(arrays, k, 198.0) == pytest.approx(float(exact), rel=1e-12)


@pytest.mark.fifth("policy")
@pytest.mark.parametrize(("system", "policy"), [(SCROOGE, Policy.MACHINE_RATE), (CLIPPER, Policy.RR)])
def test_systems_plan_more_sessions_evenly(system, policy):
    """Whatever the policy, plans are the checker's; under the even one fewer sessions are left without."""
    even = {Policy.RR: Policy.RR_EVEN, Policy.MACHINE_RATE: Policy.MACHINE_RATE_EVEN}[policy]
    planned = {policy: 0, even: 0}
    for seed in SEEDS:
        for one in planned:
            row = under(system, one)
            answer = run_system(row, small_session(seed), row.space, Limits())
            if answer.plan is not None:
                assert evaluate(small_session(seed), answer.plan, row.space).feasible
                planned[one] += 1
    assert planned[even] > planned[policy]
