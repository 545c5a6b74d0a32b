"""Least machines and longest durations, as the checker, files and tables have them (docs/model/limits.md)."""

from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction

import pytest

from euclio.core.errors import InputError
from euclio.core.result import Status
from euclio.core.solving import solve
from euclio.problems.session import (
    Allocation,
    Configuration,
    Hardware,
    Module,
    ModulePlan,
    Plan,
    PlanSpace,
    Session,
    evaluate,
)
from euclio.problems.session.changes import SessionChanges
from euclio.problems.session.files.instances import session_from_text, session_to_text
from euclio.problems.session.pool import pooled
from euclio.problems.session.table import plan_table
from euclio.proving.session.certifying import find_better
from euclio.questions.most import question

WHOLE, PACKED = PlanSpace(charging="whole"), PlanSpace(charging="packed")
FAST, SLOW = Configuration("A", 1, 1, "0.1"), Configuration("B", 1, 1, "0.2", quantiles_s={"p95": "0.3"})
"""10 and 5 requests per second."""


def session(least=None, at_least=None, price_b=1, **more):
    hardware = [Hardware("A", 3, more.pop("count", None)), Hardware("B", price_b, at_least=at_least)]
    modules = [Module("m", 12, [FAST, SLOW], more.pop("longest", None))]
    return Session("floored", 9, hardware, modules, least_machines={} if least is None else {"m": least}, **more)


def plan(on_a, on_b, partial=0, dummy=0):
    """Machines of A and B; of equal ratios of price and throughput B, at 1 for 5 req/s, ranks first."""
    of_b = [Allocation(SLOW, on_b, Fraction(0 if on_a else partial))] if on_b else []
    of_a = [Allocation(FAST, on_a, Fraction(partial))] if on_a else []
    return Plan((ModulePlan((*of_b, *of_a), Fraction(dummy)),))


@pytest.mark.parametrize(
    ("machines", "least", "idle", "cost"),
    [
        ((2, 0), 2, {}, 6),
        ((2, 0), 4, {("m", "A"): 2}, 12),
        ((1, 1), 4, {("m", "B"): 2}, 6),
        ((0, 3), 3, {}, 3),
        ((0, 3), 5, {("m", "B"): 2}, 5),
    ],
)
def test_idle_machines_are_of_the_cheapest_type_in_use(machines, least, idle, cost):
    found = evaluate(session(least), plan(*machines, dummy=10 * machines[0] + 5 * machines[1] - 12), WHOLE)
    assert (found.violations, found.idle, found.cost_per_h) == ((), idle, cost)
    assert found.floor_cost_per_h == cost - found.modules[0].cost_per_h


def test_of_equally_cheap_types_the_first_one_stands_by():
    """Both cost 3; A, at 3 for 10 req/s, then ranks first."""
    equal = session(3, price_b=3)
    mixed = Plan((ModulePlan((Allocation(FAST, 1), Allocation(SLOW, 0, Fraction(2)))),))
    assert evaluate(equal, mixed, WHOLE).idle == {("m", "A"): 1}


def test_a_partial_machine_counts_as_one_and_idle_ones_count_for_the_stock():
    """12 req/s: one machine of A and a partial one; with two idle ones four of A."""
    found = evaluate(session(2, count=2), plan(1, 0, partial=2), WHOLE)
    assert (found.feasible, found.cost_per_h) == (True, 6)
    assert evaluate(session(4, count=4), plan(1, 0, partial=2), WHOLE).feasible
    found = evaluate(session(4, count=3), plan(1, 0, partial=2), WHOLE)
    assert found.violations == ("the plan takes 4 machines of A, and 3 are in stock",)


def test_idle_machines_count_for_resources_and_are_no_changes():
    one, other = session(4).hardware
    power, hungry = {"power": Fraction(7)}, (replace(one, takes={"power": Fraction(2)}), other)
    limited = replace(session(4), hardware=hungry, resources=power)
    found = evaluate(limited, plan(1, 0, partial=2), WHOLE)
    assert found.violations == ("the plan takes 8 of power, and there is 7",)
    assert evaluate(replace(limited, resources={"power": Fraction(8)}), plan(1, 0, partial=2), WHOLE).feasible
    runs = SessionChanges(running=(), most_changes=2).applied_to(session(4))
    assert evaluate(runs, plan(1, 0, partial=2), WHOLE).changes == 2


def test_a_shared_machine_counts_for_each_module_on_it():
    """Two modules of 2 req/s share a machine of A: each has one, and one of each stands by."""
    modules = [Module(name, 2, [FAST]) for name in "ab"]
    both = Session("both", 9, [Hardware("A", 3)], modules, least_machines={"a": 2, "b": 1})
    own = ModulePlan((Allocation(FAST, 0, Fraction(2)),))
    found = evaluate(both, Plan((own, own), ((0, 1),)), PACKED)
    assert (found.violations, found.idle, found.cost_per_h) == ((), {("a", "A"): 1}, 6)


def test_by_share_least_machines_of_a_module_are_refused():
    found = evaluate(session(2), plan(1, 0, partial=2))
    assert found.violations == ("least_machines counts whole machines; charge them whole (--machines whole)",)
    for solver in ("exact", "harpagon", "milp"):
        answer = solve(session(2), solver)
        assert answer.status is Status.INAPPLICABLE
        assert "least machines of a module by share; use " in answer.reason
    assert solve(session(1), "exact").status is Status.OPTIMAL


@pytest.mark.parametrize(
    ("at_least", "unused", "cost"), [(None, {}, 2), (2, {}, 2), (3, {"B": 1}, 3), (7, {"B": 5}, 7)]
)
def test_machines_that_are_paid_for_cost_their_price_used_or_not(at_least, unused, cost):
    ten = replace(session(at_least=at_least), modules=(Module("m", 10, [FAST, SLOW]),))
    found = evaluate(ten, plan(0, 2), WHOLE)
    assert (found.feasible, found.unused, found.cost_per_h, found.floor_cost_per_h) == (True, unused, cost, cost - 2)


def test_by_share_all_parts_of_machines_count_for_those_paid_for():
    """12 req/s on B: 2.4 machines of 3 paid for; on A alone all 3 are not used."""
    found = evaluate(session(at_least=3), plan(0, 2, partial=2))
    assert (found.unused, found.cost_per_h) == ({"B": Fraction("0.6")}, 3)
    assert evaluate(session(at_least=3), plan(1, 0, partial=2)).cost_per_h == 3 + Fraction("3.6")


def test_spare_and_idle_machines_are_paid_for_too():
    """On B 3 used, 1 spare, 1 idle: 5 of 6 paid for."""
    found = evaluate(session(4, at_least=6, spare_machines=1), plan(0, 3, dummy=3), WHOLE)
    assert (found.idle, found.unused, found.cost_per_h) == ({("m", "B"): 1}, {"B": 1}, 6)


def test_what_is_paid_for_is_within_the_stock():
    with pytest.raises(InputError, match="at_least: is 3, more than the 2 in stock"):
        Hardware("A", 1, 2, at_least=3)
    with pytest.raises(InputError, match=r"stock\.B: does not fit `at_least`, which is 3, more than the 2 in stock"):
        SessionChanges(stock={"B": 2}).applied_to(session(at_least=3))
    with pytest.raises(InputError, match=r"at_least\.A: is 3, more than the 2 in stock"):
        SessionChanges(at_least={"A": 3}).applied_to(session(count=2))


@pytest.mark.parametrize("number", [-1, 10**10, True, "2", 1.5])
def test_numbers_of_machines_out_of_range(number):
    with pytest.raises(InputError, match="whole number of machines"):
        session(number)
    with pytest.raises(InputError, match="whole number of machines"):
        session(at_least=number)


def test_slow_configurations_are_left_out_and_kept_in_the_file():
    bounded = session(longest="0.15")
    assert bounded.modules[0].profile == (FAST,)
    assert bounded.modules[0].given == (FAST, SLOW)
    assert session_from_text(session_to_text(bounded)) == bounded
    assert "0.2" in session_to_text(bounded)
    assert evaluate(bounded, plan(0, 3, dummy=3), WHOLE).violations == (
        "module m: B batch 1 concurrency 1 taking 0.2 s is not in the profile",
    )
    assert replace(bounded.modules[0], longest_duration_s=None).profile == (FAST, SLOW)
    assert replace(bounded.modules[0], rate_rps=7).given == (FAST, SLOW)


def test_a_bound_at_a_duration_keeps_it():
    assert session(longest="0.2").modules[0].profile == (FAST, SLOW)


def test_a_bound_below_all_durations_names_the_fastest():
    said = "longest_duration_s: is 0.05, and the fastest configuration, A batch 1 concurrency 1, takes 0.1 s; raise it"
    with pytest.raises(InputError, match=said):
        session(longest="0.05")


def test_the_bound_is_one_of_the_durations_that_are_planned_with():
    """B takes 0.2 s, 0.3 s at p95; A says 0.1 s, 0.15 s at p95. What was left out may fit, and the other way round."""
    quantiles = replace(FAST, quantiles_s={"p95": Fraction("0.15")})
    given = replace(session(), modules=(Module("m", 12, [quantiles, SLOW], "0.25"),))
    late = SessionChanges(durations="p95").applied_to(given).modules[0]
    assert [c.hardware for c in late.profile] == ["A"]
    both = SessionChanges(durations="p95", longest_duration_s={"m": Fraction("0.3")}).applied_to(given).modules[0]
    assert [c.duration_s for c in both.profile] == [Fraction("0.15"), Fraction("0.3")]
    shorter = replace(SLOW, quantiles_s={"p50": Fraction("0.1")})
    left_out = Module("m", 12, [replace(FAST, quantiles_s={"p50": Fraction("0.09")}), shorter], "0.15")
    found = SessionChanges(durations="p50").applied_to(replace(session(), modules=(left_out,))).modules[0]
    assert len(found.profile) == 2
    with pytest.raises(InputError, match=r"longest_duration_s.m: m is 0.12, and the fastest .* takes 0.15 s"):
        SessionChanges(durations="p95", longest_duration_s={"m": Fraction("0.12")}).applied_to(given)


def test_as_changes_of_the_instance():
    asked = SessionChanges(longest_duration_s={"m": Fraction("0.15")}, least_machines={"m": 2}, at_least={"B": 3})
    assert asked.applied_to(session()) == session(2, 3, longest="0.15")
    assert asked.in_words() == (
        "batches of m within 0.15 s, at least 2 machines for m and 3 machines of B paid for at least"
    )
    with pytest.raises(InputError, match=r"least_machines\.n: unknown module 'n'"):
        SessionChanges(least_machines={"n": 2}).applied_to(session())
    with pytest.raises(InputError, match=r"longest_duration_s\.n: unknown module 'n'"):
        SessionChanges(longest_duration_s={"n": Fraction(1)}).applied_to(session())


def test_files_say_floors_only_where_there_are_some():
    given = session(2, 3)
    assert session_from_text(session_to_text(given)) == given
    assert all(word not in session_to_text(session()) for word in ("least", "longest", "left_out"))


def test_a_pool_keeps_them():
    other = replace(session(3, 2, longest="0.15"), name="other")
    assert pooled([session(2, 2), other]).least_machines == {"floored/m": 2, "other/m": 3}
    assert pooled([session(2, 2), other]).at_least == {"B": 2}
    assert pooled([session(2), other]).at_least == {"B": 2}
    with pytest.raises(InputError, match="at_least: B has 1 in floored and 2 in other; state the machines that"):
        pooled([session(2, 1), other])


def test_a_table_has_a_line_of_each():
    found = solve(session(5, 9), "plan-bruteforce", space=PlanSpace(dummy="none", charging="whole"))
    text = "\n".join(str(line) for line in plan_table(session(5, 9), found).renderables)
    assert "idle machines: 2 machines of B for m, 2 per hour" in text
    assert "paid for and not used: 4 of B, 4 per hour" in text


def test_the_prover_counts_them():
    """Next to one machine that serves, idle ones of B cost 1 each; with 9 of B paid for, all machines are of B."""
    for asked in (session(5), session(5, 9)):
        best = solve(asked, "plan-bruteforce", space=WHOLE)
        assert find_better(asked, WHOLE, best.value, math.inf).exhausted
        assert find_better(asked, WHOLE, best.value + Fraction(1, 10**9), math.inf).plan is not None


def test_a_budget_below_what_least_machines_cost_is_refused():
    with pytest.raises(InputError, match="is 4, less than least machines cost at any rate, 5"):
        question(session(5), Fraction(4), solver="milp")
    assert question(session(5), Fraction(5), solver="milp").budget_per_h == 5
