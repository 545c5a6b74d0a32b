"""Policies `rr-even` and `machine-rate-even`: worked latencies of the last allocation, and who says the same."""

from dataclasses import replace
from fractions import Fraction

import pytest
from worked_examples import M_1, M_3, PICCOLO_M_1, one_module, plan

from euclio import certify
from euclio.core.result import Status
from euclio.core.solving import solve
from euclio.core.tables import to_text
from euclio.problems.session import Configuration, Hardware, Module, Plan, PlanSpace, Policy, Session, evaluate
from euclio.problems.session.latency.bound import latency_bound
from euclio.problems.session.table import plan_table
from tests.drawn.small_sessions import small_session

RR_EVEN, RATE_EVEN = PlanSpace("rr-even", "none"), PlanSpace("machine-rate-even", "none")
EVEN = (Policy.RR_EVEN, Policy.MACHINE_RATE_EVEN)
EXACT = ("exact", "plan-bruteforce", "milp", "cpsat", "milp-split", "cpsat-split")


def latency_of(session: Session, answer: Plan, space: PlanSpace) -> Fraction:
    checked = evaluate(session, answer, space)
    assert checked.feasible, checked.violations
    assert checked.latency_s is not None
    return checked.latency_s


def two_at_a_time(rate: int, slo: str = "9") -> Session:
    """One configuration: batches of 4, two at a time, 0.4 s each: 20 req/s."""
    return Session("e = 2", slo, [Hardware("h", 1)], [Module("m", rate, [Configuration("h", 4, 2, "0.4")])])


def of_its_own(session: Session, machines: int, partial: int) -> Plan:
    c = session.modules[0].profile[0]
    return plan(session, (c.batch, machines), partial=partial)


@pytest.mark.parametrize(
    ("rate", "machines", "round_robin", "machine_rate"),
    [
        (60, 3, "0.8", "0.6"),  # full: 2d, and d + b/t = 0.4 + 4/20
        (50, 2, "0.88", "0.64"),  # three at 50/3: 0.4·(1 + 60/50), 0.4 + 4·3/50
        (25, 1, "1.04", "0.72"),  # two at 12.5: 0.4·(1 + 40/25), 0.4 + 4·2/25
        (10, 0, "1.2", "0.8"),  # one at 10: 0.4·(1 + 20/10), 0.4 + 4/10
    ],
)
def test_latencies_at_concurrency_2(rate, machines, round_robin, machine_rate):
    session = two_at_a_time(rate)
    answer = of_its_own(session, machines, rate - 20 * machines)
    assert latency_of(session, answer, RR_EVEN) == Fraction(round_robin)
    assert latency_of(session, answer, RATE_EVEN) == Fraction(machine_rate)
    assert evaluate(session, answer, RR_EVEN).cost_per_h == Fraction(rate, 20)


def test_one_machine_at_concurrency_1_collects_from_its_rate():
    """D + b/R, under both."""
    session = one_module([(8, "0.2")], 30, 9)
    for space in (RR_EVEN, RATE_EVEN):
        assert latency_of(session, plan(session, (8, 0), partial=30), space) == Fraction("0.2") + Fraction(8, 30)


def test_just_above_one_machine_it_takes_nearly_3d():
    """Two machines at little more than half of what they can take collect for nearly 2d."""
    session = one_module([(10, "1")], "10.1", 900)
    answer = plan(session, (10, 1), partial="0.1")
    assert latency_of(session, answer, RR_EVEN) == 1 + 20 / Fraction("10.1")
    assert latency_of(session, answer, PlanSpace("rr", "none")) == 1 + 10 / Fraction("0.1")


def test_only_the_last_allocation_is_even():
    """Piccolo's M_1: 2⊗100 take 2d = 2.0 s; 1⊗20 and 5 req/s more on it, 85 of 160: 0.25·(1 + 160/85)."""
    session = one_module(PICCOLO_M_1, 285, 2)
    answer = plan(session, (100, 2), (20, 1), partial=5)
    assert latency_of(session, answer, RR_EVEN) == 2
    alone = one_module(PICCOLO_M_1, 85, 2)
    assert latency_of(alone, plan(alone, (20, 1), partial=5), RR_EVEN) == Fraction("0.25") * (1 + Fraction(160, 85))


@pytest.mark.parametrize("solver", EXACT)
@pytest.mark.parametrize(
    ("profile", "rate", "slo", "space", "cost"),
    [
        (M_3, 198, 1, replace(RR_EVEN, max_allocations=2), "6.1875"),  # 7 of batch 8 at 198/7; rr needs 6.3
        (M_1, 100, "0.4", RR_EVEN, "5"),
        # 3⊗100 would take 1 + 300/285 > 2; so 2⊗100 and two of batch 20 at 42.5.
        (PICCOLO_M_1, 285, 2, RR_EVEN, "3.0625"),
        (PICCOLO_M_1, 285, 2, PlanSpace("rr-even"), "3"),  # dummies fill the third one: 2d = 2
    ],
)
def test_optima_of_the_examples(solver, profile, rate, slo, space, cost):
    found = solve(one_module(profile, rate, slo), solver, space=space)
    assert found.status is Status.OPTIMAL
    assert found.value == Fraction(cost)


def test_rr_keeps_its_optima():
    """Table II's S1 is what Algorithm 1 makes of rr (tests/test_worked_numbers.py); optima stay what they were."""
    assert solve(one_module(PICCOLO_M_1, 285, 2), space=PlanSpace("rr", "none", 2)).value == Fraction("3.3125")


def test_continuous_dummies_shorten_the_latency_just_enough():
    """15 req/s within 0.9 s where n machines of 20 req/s take 0.4·(1 + n·20/R): R = 16, one machine at 0.8 of a price.

    It collects for 0.4·20/16 = 0.5 s. Rule machine fills the machine up; without dummies there is no plan.
    """
    session = two_at_a_time(15, "0.9")
    assert solve(session, space=RR_EVEN).status is Status.INFEASIBLE
    assert solve(session, space=PlanSpace("rr-even")).value == 1
    found = solve(session, space=PlanSpace("rr-even", "continuous"))
    assert found.status is Status.OPTIMAL
    assert found.cost == pytest.approx(0.8, rel=1e-9)
    assert found.plan is not None
    assert float(found.plan.modules[0].dummy_rps) == pytest.approx(1, rel=1e-9)


def test_more_rate_may_need_another_machine_and_be_slower():
    """20 req/s fill one machine, 0.8 s; 21 are two at 10.5, 0.4·(1 + 40/21) s: not within 0.8 s, however cheap."""
    assert solve(two_at_a_time(20, "0.8"), space=RR_EVEN).value == 1
    assert solve(two_at_a_time(21, "0.8"), space=RR_EVEN).status is Status.INFEASIBLE
    assert solve(two_at_a_time(21, "0.8"), space=PlanSpace("rr-even")).value == 2
    assert solve(two_at_a_time(40, "0.8"), space=RR_EVEN).value == 2


@pytest.mark.fifth("policy")
@pytest.mark.parametrize("policy", EVEN)
@pytest.mark.parametrize("dummy", ["none", "machine", "continuous"])
def test_answers_are_certified_and_wrong_ones_are_not(policy, dummy):
    space = PlanSpace(policy, dummy)
    for seed in range(12):
        session = small_session(seed)
        found = solve(session, space=space)
        if dummy != "continuous" or found.plan is None:
            assert certify(session, found, time_limit_s=20).verdict == "certified"
        claim = replace(found, status=Status.INFEASIBLE, plan=None, evaluation=None, value=None, bound=None)
        assert (certify(session, claim, time_limit_s=20).verdict == "refuted") == (found.plan is not None)


@pytest.mark.parametrize("policy", EVEN)
@pytest.mark.parametrize("seed", range(40))
def test_bounds_of_other_policies_hold(policy, seed):
    """No plan is faster than under the policy of `bounded_by`; a latency bound holds on every optimum."""
    session = small_session(seed)
    for dummy in ("none", "machine"):
        found = solve(session, space=PlanSpace(policy, dummy))
        if found.plan is None or found.evaluation is None:
            continue
        wider = evaluate(session, found.plan, PlanSpace(policy.bounded_by, dummy))
        assert wider.feasible
        for module, one, wide in zip(session.modules, found.evaluation.modules, wider.modules, strict=True):
            assert wide.worst_case_latency_s <= one.worst_case_latency_s
            assert latency_bound(module, PlanSpace(policy, dummy)) <= one.worst_case_latency_s


@pytest.mark.parametrize(("policy", "machines"), [("rr-even", ["3", "x", "0.833"]), ("rr", ["2", "+", "0.500"])])
def test_tables_say_how_many_machines_share_the_rate(policy, machines):
    session = two_at_a_time(50)
    table = to_text(plan_table(session, solve(session, space=PlanSpace(policy, "none"))))
    assert ["m", "h", "4", "2", *machines] in [line.split()[:7] for line in table.splitlines()]
