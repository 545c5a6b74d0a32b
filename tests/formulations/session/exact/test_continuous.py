"""`exact` under dummy rule `continuous` (Piccolo §III-D), against brackets over every vector of counts."""

from __future__ import annotations

from fractions import Fraction
from functools import cache

import pytest

from euclio import evaluate, solve
from euclio.core.result import Result, Status
from euclio.core.tolerances import OPTIMALITY_TOLERANCE
from euclio.files import load_result, save_result
from euclio.problems.session import Configuration, Hardware, Module, PlanSpace, Session
from euclio.problems.session.policies import POLICIES
from tests.drawn.reference_sessions import session_truth
from tests.drawn.small_sessions import small_session

PROVEN = (Status.OPTIMAL, Status.INFEASIBLE)
SEEDS = range(20, 36)
CLOSE = Fraction(5, 10**7)
WIDE = (212, 760)
"""Seeds of sessions whose optimum the reference encloses less closely, which would say less."""
SPACES = [PlanSpace(policy, "continuous", most) for policy in POLICIES for most in (1, None)]


def piccolo(rate: int, slo: str) -> Session:
    """Piccolo's M_1."""
    profile = [Configuration("gpu", b, 1, d) for b, d in ((5, ".1"), (20, ".25"), (100, "1.0"))]
    return Session("M_1", slo, [Hardware("gpu", 1)], [Module("M_1", rate, profile)])


@cache
def answer(seed: int, space: PlanSpace) -> Result:
    return solve(small_session(seed), "exact", space=space, time_limit_s=10)


def small_enough(session: Session) -> bool:
    sizes = [m.rate_rps / min(c.throughput_rps for c in m.profile) for m in session.modules]
    return max(sizes) <= 4 and max(len(m.profile) for m in session.modules) <= 4 and len(session.modules) < 4


def test_piccolo_module_fills_three_machines():
    """285 req/s at 2.0 s: 3 machines of batch 100 with δ = 15 cost 3.0, as under rule machine."""
    assert solve(piccolo(285, "2.0"), dummy="continuous").cost == pytest.approx(3.0, rel=1e-9)


def test_partial_machine_is_filled_just_enough():
    """50 req/s at 2.5 s on batch 100 alone: 100/(2.5 - 1.0) = 66.7 req/s are needed, so 2/3 of a machine."""
    alone = Session("M_1", "2.5", [Hardware("gpu", 1)], [Module("M_1", 50, [Configuration("gpu", 100, 1, "1.0")])])
    assert solve(alone, dummy="continuous").cost == pytest.approx(2 / 3, rel=1e-9)


def test_cost_is_at_least_the_fluid_bound():
    assert solve(piccolo(250, "2.5"), dummy="continuous").cost >= 2.5


@pytest.mark.parametrize("seed", SEEDS)
def test_plan_is_accepted_within_the_gap_of_its_bound(seed):
    """No enumeration has all plans under this rule: plan and bound have to close on each other."""
    results = [answer(seed, space) for space in SPACES]
    assert not [r for r in results if r.status not in PROVEN], [(r.space, r.status, r.reason) for r in results]


@pytest.mark.parametrize("seed", SEEDS)
def test_continuous_never_costs_more_than_machine(seed):
    """Dummies of whole machines are among those of any rate."""
    for policy in POLICIES:
        machine = solve(small_session(seed), space=PlanSpace(policy, "machine")).cost
        here = answer(seed, PlanSpace(policy, "continuous")).cost
        assert machine is None or (here is not None and here <= machine * (1 + OPTIMALITY_TOLERANCE))


def test_latency_that_a_partial_machine_only_comes_near_to_does_not_meet_the_slo():
    """Partial machines of M0 stay above 0.15 s, which is what the SLO leaves next to two rounds of 0.329 s."""
    assert answer(7, PlanSpace("rr", "continuous", 1)).cost == pytest.approx(14.1707576, rel=1e-6)


@pytest.mark.parametrize("seed", [s for s in range(900) if s not in WIDE and small_enough(small_session(s))][:70])
def test_exact_agrees_with_every_vector_of_counts(seed):
    """In a policy that changes from seed to seed; the bracket of the reference has to hold the cost."""
    session, space = small_session(seed), SPACES[seed % len(SPACES)]
    found = answer(seed, space)
    truth = session_truth(session, space)
    if truth.lower is None or truth.upper is None:
        assert found.cost is None
        return
    assert found.cost is not None
    assert truth.upper - truth.lower <= CLOSE * truth.upper
    assert truth.lower * (1 - Fraction(OPTIMALITY_TOLERANCE)) <= found.cost
    assert found.cost <= truth.upper * (1 + Fraction(OPTIMALITY_TOLERANCE))
    assert found.bound <= truth.upper * (1 + Fraction(1, 10**9))


def test_single_hardware_takes_the_cheapest_type():
    space = PlanSpace("tc", "continuous", single_hardware=True)
    session = small_session(20)
    costs = [solve(session, space=space.on(h.name)).cost for h in session.hardware]
    assert answer(20, space).cost == pytest.approx(min(c for c in costs if c is not None), rel=OPTIMALITY_TOLERANCE)


def test_written_plan_is_accepted_when_read_again(tmp_path):
    """Whole machines of 3/0.07 req/s: the dummy rate does not end as a decimal."""
    session = Session("thirds", 10, [Hardware("x", 1)], [Module("m", 42, [Configuration("x", 3, 1, "0.07")])])
    result = solve(session, policy="rr", dummy="continuous")
    save_result(result, session, tmp_path / "r.json")
    read = load_result(tmp_path / "r.json", session)
    assert evaluate(session, read.plan, read.space).feasible


def test_time_limit_leaves_a_valid_bound():
    space = PlanSpace("tc", "continuous", 1)
    result = solve(small_session(2), "exact", space=space, time_limit_s=0.02)
    assert (result.bound or 0.0) <= answer(2, space).cost
