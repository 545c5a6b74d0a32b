"""The checker: the papers' worked plans, every rule broken once, and properties of the price."""

from dataclasses import replace
from fractions import Fraction

import pytest
from worked_examples import (
    FIVE,
    M_1,
    M_2,
    M_3,
    M_4,
    PICCOLO_M_1,
    one_module,
    plan,
    scrooge,
    scrooge_best_plan,
    scrooge_first_plan,
)

from euclio.problems.session import (
    Evaluation,
    Plan,
    PlanSpace,
    Session,
    evaluate,
)

TC_NONE = PlanSpace("tc", "none")
TC_MACHINE = PlanSpace("tc", "machine")
RR_NONE = PlanSpace("rr", "none")
SHARED_NONE = PlanSpace("tc-shared", "none")
SHARED_MACHINE = PlanSpace("tc-shared", "machine")
SCROOGE_SPACE = PlanSpace("machine-rate", "none")


def priced(session: Session, answer: Plan, space: PlanSpace) -> Evaluation:
    evaluation = evaluate(session, answer, space)
    assert evaluation.feasible, evaluation.violations
    return evaluation


def refusal(session: Session, answer: Plan, space: PlanSpace = TC_MACHINE) -> str:
    return "; ".join(evaluate(session, answer, space).violations)


# Harpagon §II, Figure 2: M_1 at 100 req/s.


@pytest.mark.parametrize(
    ("policy", "batch", "rate", "machines", "latency"),
    [
        ("rr", 2, 100, 8, "0.32"),
        ("rr", 4, 100, 5, "0.40"),
        ("rr", 8, 100, 4, "0.64"),
        ("tc", 2, 100, 8, "0.18"),
        ("tc", 4, 100, 5, "0.24"),
        ("tc", 8, 100, 4, "0.40"),
    ],
)
def test_m1_latencies(policy, batch, rate, machines, latency):
    """Round robin 2d = .32, .40, .64; batch-aware d + b/100 = .16+.02, .20+.04, .32+.08."""
    session = one_module(M_1, rate, 1)
    assert priced(session, plan(session, (batch, machines)), PlanSpace(policy, "none")).latency_s == Fraction(latency)


def test_m1_round_robin_needs_five_machines():
    """Batch 4 (20 req/s, 2d = 0.4 s) is the best within 0.4 s: 100/20 = 5."""
    session = one_module(M_1, 100, "0.4")
    assert priced(session, plan(session, (4, 5)), RR_NONE).cost_per_h == 5


def test_m1_round_robin_refuses_batch_8():
    """2·0.32 = 0.64 s > 0.4 s."""
    session = one_module(M_1, 100, "0.4")
    assert "more than the SLO" in refusal(session, plan(session, (8, 4)), RR_NONE)


def test_m1_batch_aware_needs_four_machines():
    """Batch 8 (25 req/s) takes 0.32 + 8/100 = 0.4 s exactly: 100/25 = 4."""
    session = one_module(M_1, 100, "0.4")
    assert priced(session, plan(session, (8, 4)), TC_NONE).cost_per_h == 4


# Harpagon Table II: M_3 (20, 32, 40 req/s) at 198 req/s, 1.0 s.


def m3() -> Session:
    return one_module(M_3, 198, 1)


@pytest.mark.parametrize(
    ("name", "rows", "partial", "dummy", "space", "cost"),
    [
        ("S1", [(8, 6), (2, 0)], 6, 0, replace(RR_NONE, max_allocations=2), "6.3"),
        ("S2", [(32, 4), (2, 1)], 18, 0, replace(TC_NONE, max_allocations=2), "5.9"),
        ("S3", [(32, 4), (8, 1), (2, 0)], 6, 0, TC_NONE, "5.3"),
        ("S4", [(32, 5)], 0, 2, TC_MACHINE, "5.0"),
        ("best of two", [(32, 3), (8, 2)], 14, 0, replace(TC_NONE, max_allocations=2), "5.4375"),
        ("best single", [(2, 9)], 18, 0, replace(TC_NONE, max_allocations=1), "9.9"),
    ],
)
def test_m3_costs(name, rows, partial, dummy, space, cost):
    """Worked costs of M_3 at 198 req/s.

    S1 192 + 6: 6 + 6/20 = 6.3. S2 160 + 38: 4 + 38/20 = 5.9. S3 160 + 32 + 6: 4 + 1 + 6/20 = 5.3.
    S4 198 + 2 = 200: 5. Best of two 120 + 78: 3 + 78/32 = 5.4375. Best single 198/20 = 9.9.
    """
    session = m3()
    assert priced(session, plan(session, *rows, partial=partial, dummy=dummy), space).cost_per_h == Fraction(cost)


def test_m3_s3_latency_is_that_of_batch_32():
    """max(0.8 + 32/198, 0.25 + 8/38, 0.1 + 2/6) = 0.8 + 32/198 = 0.9616 s."""
    session = m3()
    answer = plan(session, (32, 4), (8, 1), (2, 0), partial=6)
    assert priced(session, answer, TC_NONE).latency_s == Fraction("0.8") + Fraction(32, 198)


def test_m3_single_configuration_fits_under_tc_shared():
    """198 = 4.95⊗32; the partial machine of 38 req/s shares w = 198: 0.8 + 32/198 = 0.9616 s."""
    session = m3()
    assert priced(session, plan(session, (32, 4), partial=38), SHARED_NONE).cost_per_h == Fraction("4.95")


def test_m3_single_configuration_is_refused_under_tc():
    """The partial machine collects at its own 38 req/s: 0.8 + 32/38 = 1.642 s > 1 s."""
    session = m3()
    assert "takes 1.64210526 s" in refusal(session, plan(session, (32, 4), partial=38), TC_NONE)


def test_m3_filled_costs_five_under_tc_shared_too():
    """5⊗32 with 2 dummies is whole machines only: w = 200, 0.8 + 32/200 = 0.96 s."""
    session = m3()
    assert priced(session, plan(session, (32, 5), dummy=2), SHARED_MACHINE).latency_s == Fraction("0.96")


# Harpagon §III-B: M_4 at 8 req/s, A and B = (6, 2.0), C = (2, 1.0).


@pytest.mark.parametrize(("policy", "latency"), [("tc", "2.75"), ("tc-shared", "2.75"), ("rr", "4.0")])
def test_m4_bounds(policy, latency):
    """A and B have w = 8, C has w = 2: tc max(2 + 6/8, 1 + 2/2) = 2.75; rr 2·2.0 = 4.0."""
    session = one_module(M_4, 8, 5)
    answer = plan(session, (6, 2), (2, 1))
    assert priced(session, answer, PlanSpace(policy, "none")).latency_s == Fraction(latency)


def test_m4_c_waits_for_its_own_rate():
    """C alone takes 2 req/s: 1 + 2/2 = 2.0 s."""
    session = one_module(M_4, 2, 5)
    assert priced(session, plan(session, (2, 1)), TC_NONE).latency_s == 2


# Piccolo §II: M_1 (50, 80, 100 req/s) at 285 req/s, 2.0 s.


@pytest.mark.parametrize(
    ("rows", "partial", "dummy", "space", "cost"),
    [
        ([(100, 2), (5, 1)], 35, 0, replace(RR_NONE, max_allocations=2), "3.7"),
        ([(100, 2), (20, 1), (5, 0)], 5, 0, TC_NONE, "3.1"),
        ([(100, 3)], 0, 15, TC_MACHINE, "3.0"),
        ([(100, 3)], 0, 15, PlanSpace("tc", "continuous"), "3.0"),
        ([(20, 3), (5, 0)], 45, 0, RR_NONE, "3.9"),
        ([(100, 1), (20, 2)], 25, 0, replace(RR_NONE, max_allocations=2), "3.3125"),
    ],
)
def test_piccolo_m1_costs(rows, partial, dummy, space, cost):
    """Two 2 + 1 + 35/50 = 3.7; three 2 + 1 + 5/50 = 3.1; 285 + 15 = 300: 3; 3 + 45/50 = 3.9; 1 + 2 + 25/80 = 3.3125."""
    session = one_module(PICCOLO_M_1, 285, 2)
    assert priced(session, plan(session, *rows, partial=partial, dummy=dummy), space).cost_per_h == Fraction(cost)


# Scrooge §3: X $2 and Y $3 per hour, A at 80/s, B at 320/s, 300 ms.


def test_scrooge_best_plan_cost():
    """A 2 + (80 − 8/0.133)/80·3 = 2.7444, B 320/200·3 = 4.8: $7.5444."""
    cost = priced(scrooge(), scrooge_best_plan(), SCROOGE_SPACE).cost_per_h
    assert cost == 2 + (80 - Fraction(8) / Fraction("0.133")) * Fraction(3, 80) + Fraction("4.8")


def test_scrooge_best_plan_latency():
    """A 0.133 + 4/60.15 = 0.1995 s, B 0.04 + 4/120 = 0.0733 s: 272.8 ms."""
    latency = priced(scrooge(), scrooge_best_plan(), SCROOGE_SPACE).latency_s
    assert latency == Fraction("0.1995") + Fraction("0.04") + Fraction(4, 120)


def test_scrooge_first_plan_is_refused():
    """A 0.095 + 4/80 = 0.145 s; B has 320 − 2·153.85 = 12.3 req/s left: 0.013 + 2/12.3 = 0.1755 s; in all 0.3205 s."""
    assert "path A -> B takes 0.3205 s" in refusal(scrooge(), scrooge_first_plan(), SCROOGE_SPACE)


# Theorem 1 read literally (tc-shared) with dummies.


def test_m2_at_30_costs_1_2_without_dummies():
    """Budget 0.51: batch 8 takes 0.25 + 8/30 = 0.517 s, so batch 4 (25 req/s): 30/25 = 1.2."""
    session = one_module(M_2, 30, "0.51")
    assert priced(session, plan(session, (4, 1), partial=5), SHARED_NONE).cost_per_h == Fraction("1.2")


def test_m2_at_30_batch_8_misses_the_budget_without_dummies():
    """0.25 + 8/30 = 0.51667 s > 0.51 s."""
    session = one_module(M_2, 30, "0.51")
    assert "takes 0.516666667 s" in refusal(session, plan(session, (8, 0), partial=30), SHARED_NONE)


def test_m2_at_30_costs_1_with_two_dummies():
    """30 + 2 = 32 req/s fill one batch 8 machine: 0.25 + 8/32 = 0.5 s."""
    session = one_module(M_2, 30, "0.51")
    assert priced(session, plan(session, (8, 1), dummy=2), SHARED_MACHINE).cost_per_h == 1


def five_plan(session: Session) -> Plan:
    whole = 2 * Fraction(16) / Fraction("0.391") + 2 * Fraction(4) / Fraction("0.164")
    return plan(session, (16, 2), (4, 2), dummy=whole - 115)


def test_five_configurations_two_allocations_with_dummies():
    """2·40.92 + 2·24.39 = 130.6 req/s; 0.391 + 16/130.6 = 0.5135 s and 0.164 + 4/48.78 = 0.246 s; 4 machines."""
    session = one_module(FIVE, 115, "0.52")
    assert priced(session, five_plan(session), SHARED_MACHINE).cost_per_h == 4


def test_five_configurations_best_single():
    """115/24.39 = 4.715 machines of batch 4, sharing w = 115: 0.164 + 4/115 = 0.199 s."""
    session = one_module(FIVE, 115, "0.52")
    left = 115 - 4 * Fraction(4) / Fraction("0.164")
    assert priced(session, plan(session, (4, 4), partial=left), SHARED_NONE).cost_per_h == Fraction("4.715")
