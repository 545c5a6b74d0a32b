"""The checker refuses: every rule of docs/model/sessions.md broken once."""

from dataclasses import replace
from fractions import Fraction

import pytest
from worked_examples import (
    M_3,
    PICCOLO_M_1,
    module,
    module_plan,
    one_module,
    plan,
    scrooge,
    scrooge_best_plan,
)

from euclio.problems.session import (
    Allocation,
    Configuration,
    Hardware,
    ModulePlan,
    Plan,
    PlanSpace,
    Session,
    evaluate,
)

TC_NONE = PlanSpace("tc", "none")
TC_MACHINE = PlanSpace("tc", "machine")
TC_CONTINUOUS = PlanSpace("tc", "continuous")
SCROOGE_SPACE = PlanSpace("machine-rate", "none")


def refusal(session: Session, answer: Plan, space: PlanSpace = TC_MACHINE) -> str:
    return "; ".join(evaluate(session, answer, space).violations)


def m3() -> Session:
    return one_module(M_3, 198, 1)


# The plan that is broken: S3 of M_3.


def s3(session: Session, **changes: object) -> Plan:
    rows = {"rows": [(32, 4), (8, 1), (2, 0)], "partial": 6, "dummy": 0} | changes
    return plan(session, *rows["rows"], partial=rows["partial"], dummy=rows["dummy"])


def test_base_plan_of_the_mutations_is_accepted():
    assert refusal(m3(), s3(m3())) == ""


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"rows": [(32, 3), (8, 1), (2, 0)]}, "46 req/s are left for a partial machine of 20"),
        ({"rows": [(32, 4), (8, 2), (2, 0)], "partial": 0}, "neither a whole nor a partial machine"),
        ({"rows": [(32, 4), (8, 2), (2, 1)], "partial": 0}, "46 req/s of dummies fill more than the last machine"),
        ({"rows": [(32, -4), (8, 1), (2, 0)]}, "has -4 machines"),
        ({"rows": [(32, 4), (8, 0), (2, 1)], "partial": 18}, "an allocation before the last has no whole machine"),
        ({"rows": [(8, 1), (32, 4), (2, 0)]}, "not strictly descending in rank"),
        ({"rows": [(32, 3), (32, 1), (8, 1), (2, 0)]}, "not strictly descending in rank"),
        ({"partial": "6.001"}, "partial rate written as 6.001, derived as 6"),
        ({"partial": 0}, "partial rate written as 0, derived as 6"),
        ({"partial": 20, "dummy": 14}, "partial rate written as 20, derived as 6"),
        ({"dummy": "0.001"}, "dummy rate written as 0.001, derived as 0"),
        ({"dummy": -1}, "dummy rate written as -1, derived as 0"),
    ],
)
def test_mutated_plan_is_refused(changes, message):
    assert message in refusal(m3(), s3(m3(), **changes))


def test_written_partial_rate_may_be_rounded():
    """1e-9·198 is the tolerance for rates that rarely terminate as decimals."""
    assert refusal(m3(), s3(m3(), partial=Fraction(6) + Fraction(198, 10**9))) == ""


def test_partial_machine_before_the_last_allocation_is_refused():
    base = s3(m3()).modules[0]
    first = replace(base.allocations[0], partial_rps=Fraction(1))
    broken = Plan((replace(base, allocations=(first, *base.allocations[1:])),))
    assert "an allocation before the last has a partial machine" in refusal(m3(), broken)


def test_plan_without_allocations_is_refused():
    assert "no allocation" in refusal(m3(), Plan((ModulePlan(()),)))


def test_plan_with_too_few_modules_is_refused():
    assert "the plan has 0 modules, the session 1" in refusal(m3(), Plan(()))


def test_machine_too_many_is_dummies_where_none_are_allowed():
    assert "2 req/s of dummies, none are allowed" in refusal(m3(), plan(m3(), (32, 5), dummy=2), TC_NONE)


def test_dummies_that_are_not_written_are_refused():
    assert "dummy rate written as 0, derived as 2" in refusal(m3(), plan(m3(), (32, 5)))


def test_exactly_one_machine_of_dummies_is_refused():
    """200 req/s are five machines of 40; a sixth is 40 dummies, not less than one machine."""
    session = one_module(M_3, 200, 1)
    assert "40 req/s of dummies fill more" in refusal(session, plan(session, (32, 6), dummy=40))


@pytest.mark.parametrize(
    "stranger",
    [
        Configuration("gpu", 4, 1, "0.2"),
        Configuration("gpu", 8, 2, "0.25"),
        Configuration("gpu", 8, 1, "0.24"),
        Configuration("tpu", 8, 1, "0.25"),
    ],
    ids=["batch", "concurrency", "duration", "hardware"],
)
def test_configuration_outside_the_profile_is_refused(stranger):
    answer = Plan((ModulePlan((Allocation(stranger, 1, Fraction(1)),)),))
    assert "is not in the profile" in refusal(m3(), answer)


def test_latency_equal_to_the_slo_is_accepted():
    """S4 takes 0.8 + 32/200 = 0.96 s."""
    session = one_module(M_3, 198, "0.96")
    assert refusal(session, plan(session, (32, 5), dummy=2)) == ""


def test_latency_one_ulp_over_the_slo_is_refused():
    """0.96 s against the float just below it: no tolerance."""
    session = one_module(M_3, 198, Fraction(0.96) - Fraction(1, 2**53))
    assert "path M takes" in refusal(session, plan(session, (32, 5), dummy=2))


def test_too_many_allocations_are_refused():
    space = replace(TC_MACHINE, max_allocations=2)
    assert "3 allocations, at most 2 are allowed" in refusal(m3(), s3(m3()), space)


@pytest.mark.parametrize(
    "space",
    [TC_MACHINE.on("tpu"), replace(TC_MACHINE, batching=False)],
    ids=["hardware", "batching"],
)
def test_configuration_outside_the_plan_space_is_refused(space):
    assert "is outside the plan space" in refusal(m3(), s3(m3()), space)


def test_concurrency_outside_the_plan_space_is_refused():
    space = replace(SCROOGE_SPACE, concurrency=False)
    assert "X batch 4 concurrency 2 is outside the plan space" in refusal(scrooge(), scrooge_best_plan(), space)


def test_mixed_hardware_is_refused_where_one_type_is_allowed():
    space = replace(SCROOGE_SPACE, single_hardware=True)
    assert "mixes hardware X, Y" in refusal(scrooge(), scrooge_best_plan(), space)


def test_each_module_alone_may_meet_the_slo_and_their_path_miss_it():
    """Two modules of 0.96 s on one path: 1.92 s > 1.9 s; side by side they take 0.96 s."""
    modules = [module("P", 198, M_3), module("Q", 198, M_3)]
    rows = Plan(tuple(module_plan(m, (32, 5), dummy=2) for m in modules))
    chain = Session("chain", "1.9", [Hardware("gpu", 1)], modules, [("P", "Q")])
    assert "path P -> Q takes 1.92 s" in refusal(chain, rows)


def test_modules_without_an_edge_do_not_add_up():
    """Max, not sum, of 0.96 s and 0.96 s."""
    modules = [module("P", 198, M_3), module("Q", 198, M_3)]
    rows = Plan(tuple(module_plan(m, (32, 5), dummy=2) for m in modules))
    apart = Session("apart", 1, [Hardware("gpu", 1)], modules)
    assert evaluate(apart, rows, TC_MACHINE).latency_s == Fraction("0.96")


# Rule continuous: δ as written (Piccolo §III-D). M_1 at 250 req/s, 2.5 s: batch 100 needs 100/(2.5 − 1.0) = 66.67.


def continuous(dummy: int | Fraction, partial: int | Fraction) -> str:
    session = one_module(PICCOLO_M_1, 250, "2.5")
    return refusal(session, plan(session, (100, 2), partial=partial, dummy=dummy), TC_CONTINUOUS)


def test_continuous_fills_just_enough():
    """50 + 16.67 = 66.67 req/s on the partial machine: 1.0 + 100/66.67 = 2.5 s exactly."""
    assert continuous(Fraction(50, 3), Fraction(200, 3)) == ""


def test_continuous_cost_counts_the_dummies():
    """2 + 66.67/100 = 2.6667."""
    session = one_module(PICCOLO_M_1, 250, "2.5")
    answer = plan(session, (100, 2), partial=Fraction(200, 3), dummy=Fraction(50, 3))
    assert evaluate(session, answer, TC_CONTINUOUS).cost_per_h == Fraction(8, 3)


@pytest.mark.parametrize(
    ("dummy", "partial", "message"),
    [
        (16, 66, "more than the SLO"),
        (-1, 49, "negative dummy rate"),
        (50, 100, "100 req/s are left for a partial machine of 100"),
        (Fraction(50, 3), 50, "partial rate written as 50, derived as 66.6666667"),
    ],
)
def test_continuous_mutations_are_refused(dummy, partial, message):
    assert message in continuous(dummy, partial)


def test_continuous_fill_is_refused_under_rule_machine():
    """Under rule machine the partial machine has what is left, 50 req/s, and no dummies."""
    session = one_module(PICCOLO_M_1, 250, "2.5")
    answer = plan(session, (100, 2), partial=Fraction(200, 3), dummy=Fraction(50, 3))
    assert "partial rate written as 66.6666667, derived as 50" in refusal(session, answer, TC_MACHINE)


def test_continuous_with_more_machines_than_rate_and_dummies_is_refused():
    session = one_module(PICCOLO_M_1, 250, "2.5")
    answer = plan(session, (100, 3), dummy=49)
    assert "more than rate and dummies together" in refusal(session, answer, TC_CONTINUOUS)
