"""Whole machines, shared machines and stock as the checker prices them (docs/model/whole-machines.md)."""

from dataclasses import replace
from fractions import Fraction

import pytest

from euclio.core.errors import InputError
from euclio.files import result_to_text
from euclio.problems.session import (
    Allocation,
    Charging,
    Configuration,
    Hardware,
    Module,
    ModulePlan,
    Plan,
    PlanSpace,
    Session,
    evaluate,
)
from euclio.problems.session.files.instances import session_from_text, session_to_text

FOUR = Configuration("A", 4, 1, "0.4")
"""Batch 4 in 0.4 s: 10 requests per second."""
ONE = Configuration("A", 1, 1, "0.01")
WHOLE, PACKED = PlanSpace(charging="whole"), PlanSpace(charging="packed")


def alone(rate, slo, *profile, count=None):
    return Session("alone", slo, [Hardware("A", 3, count)], [Module("m", rate, list(profile or (FOUR,)))])


def machines(n, *, partial=0, dummy=0, configuration=FOUR):
    return Plan((ModulePlan((Allocation(configuration, n, Fraction(partial)),), Fraction(dummy)),))


def refusal(session, plan, space):
    return "; ".join(evaluate(session, plan, space).violations)


def test_a_partial_machine_costs_a_whole_one():
    assert evaluate(alone(12, 3), machines(1, partial=2), WHOLE).cost_per_h == 6


def test_a_share_of_it_is_charged_by_default():
    assert evaluate(alone(12, 3), machines(1, partial=2)).cost_per_h == Fraction("3.6")


def test_a_second_spare_machine_makes_the_plan_fast_enough():
    """10 req/s: one machine takes 0.4 + 4/10 = 0.8 s; two, with 10 dummies, 0.4 + 4/20 = 0.6 s."""
    session = alone(10, "0.7")
    assert "takes 0.8 s" in refusal(session, machines(1), WHOLE)
    found = evaluate(session, machines(2, dummy=10), WHOLE)
    assert (found.feasible, found.latency_s, found.cost_per_h) == (True, Fraction("0.6"), 6)


@pytest.mark.parametrize("space", [PlanSpace(), PlanSpace(dummy="none"), PlanSpace(dummy="none", charging="whole")])
def test_spare_machines_are_filled_only_where_they_are_charged_whole(space):
    assert "dummies" in refusal(alone(10, "0.7"), machines(2, dummy=10), space)


def test_without_dummies_the_last_machine_collects_from_its_own_rate():
    """0.4 + 4/2 = 2.4 s, charged whole."""
    found = evaluate(alone(12, "2.4"), machines(1, partial=2), PlanSpace(dummy="none", charging="whole"))
    assert (found.feasible, found.latency_s, found.cost_per_h) == (True, Fraction("2.4"), 6)


def test_a_machine_too_few_is_refused():
    assert "left for a partial machine" in refusal(alone(25, 9), machines(1, partial=15), WHOLE)


def pair(slo="2", count=None):
    """Two modules one after the other, 2 and 20 requests per second over."""
    modules = [Module("a", 12, [FOUR]), Module("b", 20, [ONE])]
    return Session("pair", slo, [Hardware("A", 3, count)], modules, [("a", "b")])


def shared(*groups):
    a = ModulePlan((Allocation(FOUR, 1, Fraction(2)),))
    b = ModulePlan((Allocation(ONE, 0, Fraction(20)),))
    return Plan((a, b), groups)


def test_a_shared_machine_is_charged_once_and_its_modules_wait_for_each_other():
    """Whole 3; shared 3, busy 0.2 with a's and 0.2 with b's batches; a waits 0.01 s for b, and b 0.4 s for a."""
    found = evaluate(pair("2.87"), shared((0, 1)), PACKED)
    assert found.violations == ()
    assert [m.worst_case_latency_s for m in found.modules] == [Fraction("2.41"), Fraction("0.46")]
    assert [m.cost_per_h for m in found.modules] == [Fraction("4.5"), Fraction("1.5")]
    assert found.cost_per_h == 6


def test_waits_count_against_the_slo():
    assert "more than the SLO" in refusal(pair("2.86"), shared((0, 1)), PACKED)


@pytest.mark.parametrize("charging", ["share", "whole"])
def test_only_packed_plans_share_machines(charging):
    assert "does not allow" in refusal(pair("9"), shared((0, 1)), PlanSpace(charging=charging))


@pytest.mark.parametrize(
    ("groups", "said"),
    [
        (((0,),), "at least two"),
        (((),), "at least two"),
        (((0, 1), (1, 0)), "already"),
        (((0, 2),), "there is not"),
        (((0, -1),), "there is not"),
    ],
)
def test_groups_that_are_none(groups, said):
    assert said in refusal(pair("9"), shared(*groups), PACKED)


def test_a_full_machine_cannot_be_shared():
    plan = replace(shared((0, 1)), modules=(ModulePlan((Allocation(FOUR, 2),), Fraction(8)), shared().modules[1]))
    assert "has no partial machine" in refusal(pair("9"), plan, PACKED)


@pytest.mark.parametrize("policy", ["tc-shared", "in-turn", "rr-even", "machine-rate-even"])
def test_policies_without_evenly_spaced_batches_do_not_share(policy):
    assert "no latency for" in refusal(pair("9"), shared((0, 1)), PlanSpace(policy, charging="packed"))


def test_a_shared_machine_has_no_more_than_its_time():
    """0.4 · 6/4 = 0.6 and 0.01 · 50 = 0.5 of it."""
    modules = [Module("a", 6, [FOUR]), Module("b", 50, [ONE])]
    session = Session("busy", 9, [Hardware("A", 3)], modules)
    rates = [ModulePlan((Allocation(c, 0, Fraction(f)),)) for c, f in ((FOUR, 6), (ONE, 50))]
    assert "need 1.1 of its time" in refusal(session, Plan(tuple(rates), ((0, 1),)), PACKED)


def test_concurrency_does_not_help_a_shared_machine():
    """Batch 4, two at a time in 0.8 s: f/t = 6/10, but one batch at a time keeps the machine busy 1.2 of its time."""
    two = Configuration("A", 4, 2, "0.8")
    modules = [Module("a", 6, [two]), Module("b", 1, [ONE])]
    session = Session("two", 99, [Hardware("A", 3)], modules)
    rates = [ModulePlan((Allocation(c, 0, Fraction(f)),)) for c, f in ((two, 6), (ONE, 1))]
    assert "need 1.21 of its time" in refusal(session, Plan(tuple(rates), ((0, 1),)), PACKED)


def test_machines_of_different_types_cannot_be_one():
    other = Configuration("B", 1, 1, "0.01")
    modules = [Module("a", 12, [FOUR]), Module("b", 20, [other])]
    session = Session("types", 9, [Hardware("A", 3), Hardware("B", 1)], modules)
    plan = Plan((shared().modules[0], ModulePlan((Allocation(other, 0, Fraction(20)),))), ((0, 1),))
    assert "run on A, B" in refusal(session, plan, PACKED)


@pytest.mark.parametrize(
    ("charging", "plan", "count", "fits"),
    [
        ("share", shared(), 1, False),  # 1.2 + 0.2 machines
        ("share", shared(), 2, True),
        ("whole", shared(), 2, False),
        ("whole", shared(), 3, True),
        ("packed", shared((0, 1)), 1, False),
        ("packed", shared((0, 1)), 2, True),
        ("share", shared(), 0, False),
    ],
)
def test_stock(charging, plan, count, fits):
    found = evaluate(pair("9", count), plan, PlanSpace(charging=charging))
    assert found.feasible == fits
    assert fits or "in stock" in found.violations[0]


@pytest.mark.parametrize("count", [-1, 1.5, True, "4", 10**9 + 1])
def test_a_stock_is_a_whole_number(count):
    with pytest.raises(InputError, match="whole number of machines"):
        Hardware("A", 1, count)


def test_stock_in_files():
    session = pair(count=0)
    assert '"count": 0' in session_to_text(session)
    assert session_from_text(session_to_text(session)) == session


def test_files_without_a_stock_say_nothing_of_it():
    assert "count" not in session_to_text(pair())


def test_solvers_for_shares_refuse_a_stock_and_say_who_else_plans():
    from euclio import solve

    found = solve(pair("9", 1), "scrooge-greedy")
    assert found.status.value == "inapplicable"
    assert "does not cover a stock of machines" in found.reason


def test_published_systems_are_rounded_up():
    from euclio import solve

    found = solve(pair("9"), "harpagon", charging=Charging.WHOLE)
    assert found.evaluation.feasible
    assert found.value == 3 * sum(a.machines + bool(a.partial_rps) for m in found.plan.modules for a in m.allocations)


def test_shared_machines_in_result_files(tmp_path):
    from euclio.core.registry import Limits
    from euclio.core.result import Answer
    from euclio.core.solving import check
    from euclio.files import load_result, save_instance

    session = pair("9")
    result = check(session, "by hand", PACKED, Limits(), Answer(shared((0, 1)), "feasible"), 0.0)
    text = result_to_text(result, session)
    (tmp_path / "r.json").write_text(text)
    save_instance(session, tmp_path / "i.json")
    assert load_result(tmp_path / "r.json", session).plan.shared == ((0, 1),)


def with_memory(there, a, b):
    modules = [
        Module("a", 12, [Configuration("A", 4, 1, "0.4", a)]),
        Module("b", 20, [Configuration("A", 1, 1, "0.01", b)]),
    ]
    return Session("memory", 9, [Hardware("A", 3, memory_mb=there)], modules)


@pytest.mark.parametrize(
    ("there", "a", "b", "said"),
    [
        (None, None, None, ""),
        (None, 9000, None, ""),
        (8000, 5000, 3000, ""),
        (8000, 5000, "3000.5", "need 8000.5 of 8000 MB"),
        (8000, 5000, None, "give memory_mb"),
    ],
)
def test_models_on_a_shared_machine_have_to_fit(there, a, b, said):
    found = refusal(with_memory(there, a, b), shared((0, 1)), PACKED)
    assert said in found if said else not found


def test_a_configuration_that_does_not_fit_is_refused():
    with pytest.raises(InputError, match="is 9000, and A has 8000") as error:
        with_memory(8000, 1000, 9000)
    assert error.value.field == "modules[1].profile[0].memory_mb"


def test_memory_in_files():
    session = with_memory(8000, "1000.5", None)
    again = session_from_text(session_to_text(session))
    assert again == session
    assert [m.profile[0].memory_mb for m in again.modules] == [Fraction("1000.5"), None]
    assert again.hardware[0].memory_mb == 8000
