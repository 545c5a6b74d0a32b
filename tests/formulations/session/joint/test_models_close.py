"""Worked numbers: changes, spare machines and largest shares, by both joint models and by enumeration."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import pytest

from euclio.core.result import Status
from euclio.core.solving import solve
from euclio.problems.session import Configuration, Hardware, Module, PlanSpace, Session
from euclio.problems.session.running import Running, RunningMachines
from formulations.session.demands import changes_of, limits_in_words
from formulations.session.joint.problem import joint_problem
from formulations.session.joint.search import most_cost
from formulations.session.surplus import out_of_reach

pytest.importorskip("ortools")

METHODS = ("plan-bruteforce", "milp", "cpsat")
WHOLE = PlanSpace(charging="whole")
NONE = PlanSpace(charging="whole", dummy="none")
ROBIN = PlanSpace("rr", charging="whole")
EVEN = PlanSpace("rr-even", charging="whole")
SHARE = PlanSpace()


def one_module(rate, *rows, hardware, slo=9, running=(), most=None, price=0, spare=0):
    """A session of one module `m`; rows are (hardware, batch, duration), what runs (module, hardware, machines)."""
    profile = [Configuration(h, b, 1, d) for h, b, d in rows]
    before = Running(tuple(RunningMachines(*own) for own in running), most, Fraction(price)) if running else None
    module = Module("m", rate, profile)
    return Session("one", slo, hardware, [module], running=before, spare_machines=spare)


def cost(session, name, space):
    """What the optimum costs; None: there is no plan."""
    found = solve(session, name, space=space, time_limit_s=20.0)
    assert found.status in (Status.OPTIMAL, Status.INFEASIBLE), found.reason
    return found.value


@pytest.mark.fifth("space")
@pytest.mark.parametrize("name", METHODS)
@pytest.mark.parametrize("space", [WHOLE, ROBIN, EVEN])
@pytest.mark.parametrize(("price", "total"), [("0.5", 2), ("1", 3), ("2", 3), ("7", 3)])
def test_a_machine_is_kept_where_its_removal_costs_more(name, space, price, total):
    """One machine of 10 req/s takes 8; three run, at 1 an hour each: two are removed for less than 1 an hour each."""
    session = one_module(8, ("h", 1, "0.1"), hardware=[Hardware("h", 1)], running=[("m", "h", 3)], price=price)
    assert cost(session, name, space) == total


@pytest.mark.fifth("space")
@pytest.mark.parametrize("name", METHODS)
@pytest.mark.parametrize("space", [WHOLE, ROBIN, EVEN])
@pytest.mark.parametrize(("most", "total"), [(0, 3), (1, 2), (2, 1), (5, 1)])
def test_machines_that_may_not_be_removed_are_filled(name, space, most, total):
    session = one_module(8, ("h", 1, "0.1"), hardware=[Hardware("h", 1)], running=[("m", "h", 3)], most=most)
    assert cost(session, name, space) == total


@pytest.mark.parametrize("name", METHODS)
@pytest.mark.parametrize("space", [NONE, SHARE, PlanSpace(dummy="none")])
@pytest.mark.parametrize("most", [0, 1, 2])
def test_machines_that_cannot_be_filled_have_to_go(name, space, most):
    """Without dummies for nothing a plan has one machine, used in part, which is one of the three that run."""
    session = one_module(8, ("h", 1, "0.1"), hardware=[Hardware("h", 1)], running=[("m", "h", 3)], most=most)
    least = 1 if space.charging.whole else Fraction(4, 5)
    assert cost(session, name, space) == (None if most < 2 else least)


@pytest.mark.parametrize("name", METHODS)
@pytest.mark.parametrize("space", [WHOLE, SHARE])
def test_machines_of_modules_and_types_that_are_gone_are_removed_by_every_plan(name, space):
    """Two changes that no plan is without; the third one is a machine less or a machine more."""
    running = [("m", "h", 1), ("old", "h", 1), ("m", "old", 1)]
    hardware = [Hardware("h", 1)]
    session = one_module(10, ("h", 1, "0.1"), hardware=hardware, running=running, price="0.25")
    assert cost(session, name, space) == Fraction(3, 2)
    few = one_module(10, ("h", 1, "0.1"), hardware=hardware, running=running, most=1)
    assert cost(few, name, space) is None
    assert cost(replace(few, running=replace(few.running, most_changes=2)), name, space) == 1


@pytest.mark.fifth("space")
@pytest.mark.parametrize("name", METHODS)
@pytest.mark.parametrize("space", [WHOLE, ROBIN])
@pytest.mark.parametrize(
    ("most", "price", "total"),
    [(0, 0, 6), (1, 0, 6), (2, 0, 4), (3, 0, 4), (4, 0, 2), (4, "0.1", "2.4"), (None, "0.1", "2.4"), (None, 2, 6)],
)
def test_machines_are_moved_as_far_as_changes_go(name, space, most, price, total):
    """Two k at 3 an hour run, that two h at 1 could replace: 10 req/s each, one removed and one added at a time."""
    rows, hardware = [("h", 1, "0.1"), ("k", 1, "0.1")], [Hardware("h", 1), Hardware("k", 3)]
    session = one_module(20, *rows, hardware=hardware, running=[("m", "k", 2)], most=most, price=price)
    assert cost(session, name, space) == Fraction(total)


@pytest.mark.fifth("space")
@pytest.mark.parametrize("name", METHODS)
@pytest.mark.parametrize(("space", "totals"), [(WHOLE, "2.5 4 5"), (NONE, "2.5 4 5"), (SHARE, "2.25 3.75 5")])
def test_a_plan_of_fewer_types_needs_fewer_spare_machines(name, space, totals):
    """15 req/s: a g of 10 at 1.5 an hour and an h of 5 at 1 are cheapest, until they need spare machines of both types.

    By share one and a half g are.
    """
    rows, hardware = [("g", 1, "0.1"), ("h", 1, "0.2")], [Hardware("g", "1.5"), Hardware("h", 1)]
    for spare, total in enumerate(totals.split()):
        session = one_module(15, *rows, hardware=hardware, spare=spare)
        assert cost(session, name, space) == Fraction(total)


@pytest.mark.parametrize("name", METHODS)
@pytest.mark.parametrize("space", [WHOLE, SHARE])
@pytest.mark.parametrize(("count", "feasible"), [(1, False), (2, False), (3, True)])
def test_spare_machines_count_for_the_stock(name, space, count, feasible):
    session = one_module(8, ("h", 1, "0.1"), hardware=[Hardware("h", 1, count)], spare=2)
    total = cost(session, name, space)
    assert total == ((2 + (Fraction(4, 5) if space is SHARE else 1)) if feasible else None)


@pytest.mark.fifth("space")
@pytest.mark.parametrize("name", METHODS)
@pytest.mark.parametrize("space", [WHOLE, ROBIN, NONE])
@pytest.mark.parametrize(("most", "total"), [("1", 2), ("0.75", 5), ("0.5", 5), ("0.25", 8)])
def test_other_machines_take_what_may_be_taken_away(name, space, most, total):
    """20 req/s on spot machines of 10 at 1, and on others of 10 at 4: each of these takes half of the requests."""
    hardware = [Hardware("spot", 1, largest_share=most), Hardware("own", 4)]
    session = one_module(20, ("spot", 1, "0.1"), ("own", 1, "0.1"), hardware=hardware)
    assert cost(session, name, space) == total


@pytest.mark.fifth("space")
@pytest.mark.parametrize("name", METHODS)
@pytest.mark.parametrize("space", [WHOLE, PlanSpace("tc-shared", charging="whole")])
@pytest.mark.parametrize(("count", "total"), [(0, None), (1, 5), (2, 5)])
@pytest.mark.parametrize("slo", ["0.22", "0.21"])
def test_machines_in_stock_next_to_spot_machines(name, space, count, total, slo):
    """There is no plan on spot machines alone, and without a limit on them the model has to find one.

    20 req/s in batches of 2: 0.1 + 2/20 s on the spot machine that comes first, and 0.1 + 2/10 s on the other.
    """
    hardware = [Hardware("spot", 1, largest_share="0.5"), Hardware("own", 4, count)]
    session = one_module(20, ("spot", 1, "0.1"), ("own", 1, "0.1"), hardware=hardware, slo=slo)
    assert cost(session, name, space) == total


@pytest.mark.parametrize("name", METHODS)
def test_two_types_of_spot_machines_make_up_for_each_other(name):
    hardware = [Hardware("a", 1, largest_share="0.5"), Hardware("b", 2, largest_share="0.5")]
    session = one_module(20, ("a", 1, "0.1"), ("b", 1, "0.1"), hardware=hardware, slo="0.205")
    assert cost(session, name, WHOLE) == 3


@pytest.mark.parametrize("name", METHODS)
@pytest.mark.parametrize("slo", ["0.5", "0.41"])
def test_spot_machines_for_nothing_next_to_some_that_cost_something(name, slo):
    """Batches of 4 on machines that cost nothing: as many as it takes; and half of the rate on one that costs 3."""
    hardware = [Hardware("spot", 0, largest_share="0.5"), Hardware("own", 3)]
    session = one_module(20, ("spot", 4, "0.4"), ("own", 1, "0.1"), hardware=hardware, slo=slo)
    assert cost(session, name, WHOLE) == 3


@pytest.mark.parametrize(("most", "said"), [(0, "0 machines"), (1, "1 machine")])
@pytest.mark.parametrize("name", ["milp", "cpsat"])
def test_why_there_is_no_plan_is_said(name, most, said):
    hardware = [Hardware("h", 1, 3, largest_share="0.5")]
    session = one_module(8, ("h", 1, "0.1"), hardware=hardware, running=[("m", "h", 3)], most=most)
    found = solve(session, name, space=WHOLE)
    assert found.status is Status.INFEASIBLE
    words = f" within the stock and the largest shares with at most {said} added or removed"
    assert limits_in_words(session) == words
    assert f"{words} (proven)" in found.reason


def test_another_engine_agrees():
    running = [("m", "h", 2), ("m", "k", 1)]
    hardware = [Hardware("h", 1), Hardware("k", 3, largest_share="0.9")]
    session = one_module(
        20, ("h", 1, "0.1"), ("k", 1, "0.1"), hardware=hardware, running=running, price="0.25", spare=1
    )
    highs, cbc = (solve(session, "milp", space=WHOLE, engine=engine) for engine in ("highs", "cbc"))
    assert highs.value == cbc.value == cost(session, "plan-bruteforce", WHOLE)


def test_machines_that_run_bound_those_of_a_plan():
    session = one_module(
        8, ("h", 1, "0.1"), hardware=[Hardware("h", 1)], running=[("m", "h", 3), ("x", "h", 1)], most=2
    )
    problem = joint_problem(session, WHOLE)
    assert [c.most_machines for c in problem.modules[0].configurations] == [4]
    assert most_cost(problem) == 4
    assert changes_of(replace(session, running=None)) is None


def test_types_that_alone_take_the_rate_are_out_of_reach_of_their_share():
    rows = [("h", 1, "0.1"), ("k", 1, "0.1")]
    hardware = [Hardware("h", 1, largest_share="0.5"), Hardware("k", 1, 1)]
    assert out_of_reach(one_module(21, *rows, hardware=hardware), WHOLE)
    assert not out_of_reach(one_module(20, *rows, hardware=hardware), WHOLE)
