"""`day-exact` of several modules next to the rules: never more expensive; what becomes of a plan that is missing."""

from __future__ import annotations

from fractions import Fraction

import pytest

from euclio.core.result import Answer, Status
from euclio.core.solving import solve
from euclio.problems.day import Day, Serving, Staffing, Step
from euclio.problems.session import Configuration, Hardware, Module, Session
from formulations.day import cheapest, joint, solver
from formulations.day.first_plans import first_plans
from formulations.day.paths import LateError

RULES = ("day-peak", "day-per-machine", "day-thresholds", "day-per-step")
ABOVE_TWO = Fraction("33.33333333333334")
"""What a float prints of two machines of one request in 0.06 s: above their 33.333… by less than floats can tell."""


def two_apart(rates: list[tuple[Fraction | int, int]], slo: str = "2.5", count: int | None = None, **changes) -> Day:
    """Modules on a type of their own: 1 request in 0.06 s at 2 per hour, 3 requests in 0.03 s at 1 per hour."""
    modules = [
        Module("a", 1, [Configuration("dear", 1, 1, "0.06")]),
        Module("b", 1, [Configuration("cheap", 3, 1, "0.03")]),
    ]
    session = Session("apart", slo, [Hardware("dear", 2, count), Hardware("cheap", 1, count)], modules)
    return Day("apart", session, [Step(3600, rate) for rate in rates], **changes)


def one_type(count: int | None, *, modules: int = 2, rate: Fraction | float = 10) -> Day:
    """Modules that take 10 requests per second by each machine of one type."""
    made = [Module(f"m{m}", rate, [Configuration("h", 1, 1, "0.1")]) for m in range(modules)]
    return Day("one-type", Session("one-type", 10, [Hardware("h", 1, count)], made), [Step(3600, [rate] * modules)])


@pytest.fixture
def no_joint(monkeypatch):
    """As if days had too many machines for vectors of all modules together, and paths joined all modules."""
    monkeypatch.setattr(joint, "MOST_CELLS", 0)
    monkeypatch.setattr(solver, "cheapest_by_parts", lambda *arguments: None)


def test_a_rate_just_above_whole_machines_leaves_the_plan_for_all_day():
    """Module a needs 1, 3 and 2 machines, b 2, 2 and 1. All day 3 and 2 cost 3·(3·2 + 2) = 24; each change 100."""
    day = two_apart([(16, 126), (ABOVE_TWO, 200), (21, 100)], price_per_change=100)
    best = solve(day, "day-exact")
    assert (best.status, best.value) == (Status.OPTIMAL, 24)


@pytest.mark.parametrize("rate", [ABOVE_TWO, Fraction(100, 3), Fraction("33.33333333333333")])
def test_plans_that_are_searched_serve_ties_exactly(no_joint, rate):
    """Two machines serve 100/3 and what is printed below it, three are needed above; b needs 2, 2 and 1 machines."""
    day = two_apart([(16, 126), (rate, 200), (21, 100)], price_per_change=100)
    best = solve(day, "day-exact")
    assert best.reason == ""
    assert best.value == 3 * (2 * (3 if rate == ABOVE_TWO else 2) + 2)


@pytest.mark.fifth("price")
@pytest.mark.parametrize("limit", [None, 20])
@pytest.mark.parametrize("price", [0, "0.01", 5, 10**6])
def test_no_rule_is_cheaper(no_joint, price, limit):
    day = two_apart([(16, 126), (ABOVE_TWO, 200), (21, 100), (ABOVE_TWO / 2, 1)], price_per_change=price, warm_up_s=600)
    best = solve(day, "day-exact", time_limit_s=limit)
    assert all(best.value <= solve(day, rule).value for rule in RULES)


def test_a_search_that_ends_late_leaves_the_plans_of_the_rules(monkeypatch, no_joint):
    def late(*arguments):
        raise LateError

    monkeypatch.setattr(solver, "_better", late)
    day = two_apart([(16, 126), (ABOVE_TWO, 200), (21, 100)], price_per_change=100)
    assert solve(day, "day-exact").value == solve(day, "day-peak").value == 24


def test_steps_that_are_late_leave_the_plan_for_all_day():
    """The time is over after the first plan, that for the largest rates, which are those of step 2: 3·2 + 2."""
    day = two_apart([(16, 126), (ABOVE_TWO, 200), (21, 100)])
    known = cheapest.cheapest_plans(day, Fraction(1), float("inf"), exact=False)
    asked = []

    def once(rates):
        if asked and rates != asked[0]:
            raise LateError
        asked.append(rates)
        return known(rates)

    found = first_plans(day, once)
    assert len(found.ways) == 2
    assert all(isinstance(reason, LateError) for reason in found.missing)
    assert found.own is None
    assert found.bounds == pytest.approx([8, 8, 0])


def test_a_plan_that_the_checker_refuses_is_left_out_and_said(monkeypatch, no_joint):
    """One machine of a serves 16.7 of 33.3 requests: a plan with it all day costs less than the others, for nothing."""
    few = (Staffing((Serving("dear", 1, 1, 1),)), Staffing((Serving("cheap", 3, 1, 2),)))
    monkeypatch.setattr(solver, "_better", lambda *arguments: ([few] * 3, 0.0))
    best = solve(two_apart([(16, 126), (ABOVE_TWO, 200), (21, 100)], price_per_change=100), "day-exact")
    assert best.value == 24
    assert "a cheaper plan was refused by the checker: step 2" in best.reason


def test_a_rule_without_a_plan_leaves_those_of_the_others(no_joint):
    """At the largest rates 2 + 2 machines are needed and 3 are there; no step needs more than 3."""
    day = one_type(3)
    steps = [Step(3600, [10, 20]), Step(3600, [20, 10])]
    day = Day("turns", day.session, steps)
    assert solve(day, "day-peak").status is Status.UNKNOWN
    best = solve(day, "day-exact")
    assert (best.status, best.value) == (Status.OPTIMAL, 6)


def test_machines_of_all_modules_are_held_to_the_stock():
    """25 requests are cheapest on two machines of 10 and one of 5: 2.6; three of 10 are 3, six for two modules."""
    profile = [Configuration("large", 1, 1, "0.1"), Configuration("small", 1, 1, "0.2")]
    hardware = [Hardware("large", 1, 5), Hardware("small", "0.6")]
    day = Day("shared", Session("shared", 10, hardware, [Module(m, 25, profile) for m in "ab"]), [Step(3600, [25, 25])])
    assert solve(day, "day-exact").value == Fraction("5.2")
    found = solve(day, "day-per-machine")
    assert found.status is Status.UNKNOWN
    assert found.reason == "step 1 needs 6 machines of large, more than the 5 in stock"


@pytest.mark.parametrize("solver", ["day-exact", *RULES])
def test_the_largest_numbers_of_machines_are_planned(solver):
    """10⁹ machines serve the load, and no more are supported: a rule that wants some to spare plans without."""
    found = solve(one_type(None, rate=1e10), solver)
    assert found.status in {Status.OPTIMAL, Status.FEASIBLE}, found.reason
    assert found.value == 2 * 10**9


@pytest.mark.parametrize("solver", ["day-exact", *RULES])
def test_an_infeasible_session_is_an_infeasible_day(monkeypatch, no_joint, solver):
    """What the session's search proves is what every solver of days says."""
    monkeypatch.setattr(cheapest, "solve_exact", lambda *arguments: Answer(None, "infeasible", infeasible=True))
    found = solve(two_apart([(16, 126), (20, 200)]), solver)
    assert found.status is Status.INFEASIBLE
    assert "within the SLO and the stock" in found.reason


@pytest.mark.parametrize("solver", ["day-exact", *RULES])
def test_what_the_session_leaves_open_is_said_as_it_is(monkeypatch, no_joint, solver):
    monkeypatch.setattr(cheapest, "solve_exact", lambda *arguments: Answer(None, "limit", reason="a tie is undecided"))
    found = solve(two_apart([(16, 126), (20, 200)]), solver)
    assert found.status is Status.UNKNOWN
    assert "is open: a tie is undecided" in found.reason


@pytest.mark.parametrize("edges", [[("a", "c"), ("b", "c")], [("a", "b"), ("b", "c")]])
def test_an_slo_of_the_sum_of_durations_is_infeasible_without_asking_for_plans(monkeypatch, edges):
    """Latencies are longer than durations: 0.1 + 0.4, and on the chain 0.05 more, are not within that sum."""
    monkeypatch.setattr(cheapest, "solve_exact", lambda *arguments: pytest.fail("the session was asked"))
    durations = {"a": "0.1", "b": "0.05", "c": "0.4"}
    modules = [Module(name, 1, [Configuration("h", 1, 1, d)]) for name, d in durations.items()]
    slo = Fraction("0.5") if edges[0] == ("a", "c") else Fraction("0.55")
    steps = [Step(60, [17, 38, 5]), Step(600, [26, 19, Fraction(5, 2)])]
    found = solve(Day("sum", Session("sum", slo, [Hardware("h", 1)], modules, edges), steps), "day-exact")
    assert found.status is Status.INFEASIBLE
    assert "step 1 of 2 has no plan" in found.reason


def test_free_machines_make_batches_as_fast_as_an_slo_asks():
    """0.1 + 1/w ≤ 0.1001 asks for w = 10,000 requests per second: 1000 machines of 10, which cost nothing."""
    module = Module("m", 1, [Configuration("h", 1, 1, "0.1")])
    session = Session("free", "0.1001", [Hardware("h", 0)], [module, Module("n", 1, module.profile)])
    found = solve(Day("free", session, [Step(60, [1, 1])]), "day-exact")
    assert (found.status, found.value) == (Status.OPTIMAL, 0)


def test_a_limit_that_is_over_at_once_is_said():
    found = solve(two_apart([(16, 126), (20, 200)]), "day-exact", time_limit_s=1e-9)
    assert found.status is Status.UNKNOWN
    assert "time limit" in found.reason
