"""`exact` within a stock of machines, whole and by share: every answer is held against the enumeration of all plans."""

import random
import time
from dataclasses import replace
from fractions import Fraction
from itertools import product

import pytest

from euclio import solve
from euclio.core.result import Status
from euclio.problems.session import Configuration, Hardware, Module, Plan, PlanSpace, Policy, Session, evaluate
from euclio.problems.session.evaluate import machines_by_hardware
from euclio.problems.session.family import FAMILY
from euclio.problems.session.policies import POLICIES
from euclio.problems.session.resources import without_stock
from formulations.session.exact.stock.boxes import attainable, parts_of_machines
from formulations.session.exact.stock.search import StockSearch
from formulations.session.exact.stock.stock import limits_of
from tests.drawn.small_sessions import bought_session, stocked

SOON_S = 10.0
"""Seconds that are far more than a small session takes."""
WHOLE = PlanSpace(charging="whole")
SHARE = PlanSpace()
SPACES = [
    PlanSpace(policy, rule, most, charging="whole")
    for policy, rule, most in product(POLICIES, ("none", "machine", "continuous"), (None, 1, 2))
]
SHARES = [PlanSpace(policy, rule, most) for policy, rule, most in product(POLICIES, ("none", "machine"), (None, 1, 2))]
RELATIVE = Fraction(1, 10**9)
"""Plans that are cheaper by less are not looked for."""


def two_modules(fast, slow, slo="1"):
    """A chain of two modules that each take one fast machine, or two slow ones."""
    hardware = [Hardware("fast", 3, fast), Hardware("slow", 2, slow)]
    profile = [Configuration("fast", 4, 1, "0.1"), Configuration("slow", 4, 1, "0.2")]
    modules = [Module("a", 40, profile), Module("b", 40, profile)]
    return Session("two", slo, hardware, modules, [("a", "b")])


@pytest.mark.parametrize("seed", range(24))
def test_exact_agrees_with_plan_enumeration(seed):
    """A stock joins modules: the cheapest plan of each may take the same machines twice."""
    session = stocked(bought_session(seed), seed)
    for space in [*random.Random(seed).sample(SPACES, 2), *random.Random(seed).sample(SHARES, 2)]:
        found, best = solve(session, "exact", space=space), solve(session, "plan-bruteforce", space=space)
        assert found.status is best.status
        assert best.value is None or best.value <= found.value <= best.value * (1 + RELATIVE)


@pytest.mark.parametrize(("fast", "cost"), [(None, 6), (2, 6), (1, 7), (0, 8)])
def test_modules_share_what_there_is(fast, cost):
    assert solve(two_modules(fast, None), "exact", space=WHOLE).value == cost


def test_too_small_a_stock_is_proven_and_said_with_what_would_do():
    found = solve(two_modules(1, 1), "exact", space=WHOLE)
    assert found.status is Status.INFEASIBLE
    assert found.reason == (
        "no plan meets the SLO with the machines in stock (proven); 1 more of fast would do, or 1 more of slow would do"
    )


def test_a_slo_that_no_stock_meets_is_said_so():
    found = solve(two_modules(1, 1, slo="0.15"), "exact", space=WHOLE)
    assert (found.status, found.reason) == (Status.INFEASIBLE, "no plan meets the SLO (proven)")


def test_explanations_agree_with_the_solver_on_the_stock():
    """The reason of the solver stays; the page said "feasible" of a session that `solve` proves infeasible."""
    session = two_modules(1, 1)
    found = solve(session, "exact", space=WHOLE)
    assert FAMILY.why_infeasible(session, found, None) == found.reason
    explained = FAMILY.explain(session, WHOLE, None)
    assert explained.status is found.status is Status.INFEASIBLE
    assert "no plan keeps a stock of machines" in explained.text
    slow = two_modules(1, 1, slo="0.15")
    assert "more than the SLO" in FAMILY.why_infeasible(slow, solve(slow, "exact", space=WHOLE), None)


def test_stock_of_shares_is_refused_where_dummies_take_any_rate():
    found = solve(two_modules(1, 1), "exact", space=replace(SHARE, dummy="continuous"))
    assert (found.status, found.reason) == (
        Status.INAPPLICABLE,
        "exact does not cover a stock of machines by share under dummy rule continuous; use --dummy machine with exact",
    )


def shared_stock(stock, rate="10", slo="2"):
    """Two modules apart; each needs rate/40 of a machine, and a slow machine takes half of what a fast one does."""
    hardware = [Hardware("fast", 3, stock), Hardware("slow", 2)]
    profile = [Configuration("fast", 4, 1, "0.1"), Configuration("slow", 4, 1, "0.2")]
    return Session("two", slo, hardware, [Module("a", rate, profile), Module("b", rate, profile)])


@pytest.mark.parametrize(
    ("stock", "rate", "cost"),
    [
        (None, "30", Fraction(9, 2)),
        (1, "20", 3),  # two halves are the one machine in stock
        (1, "30", Fraction(21, 4)),  # three quarters of it, and one and a half slow ones instead of the others
        (0, "10", 2),
    ],
)
def test_shares_of_modules_are_summed(stock, rate, cost):
    found = solve(shared_stock(stock, rate), "exact", space=replace(SHARE, dummy="none", max_allocations=1))
    assert (found.status, found.value) == (Status.OPTIMAL, cost)


@pytest.mark.parametrize(
    ("rate", "fits"),
    [
        ("20", True),
        ("20.000000000000000000000000000001", False),
        ("19.999999999999999999999999999999", True),
    ],
)
def test_shares_that_add_up_to_the_stock_are_decided_to_the_last_digit(rate, fits):
    """Half a machine each, or more by what no float shows."""
    session = replace(shared_stock(1, rate), hardware=(Hardware("fast", 3, 1), Hardware("slow", 2, 0)))
    found = solve(session, "exact", space=replace(SHARE, dummy="none"))
    assert found.status is (Status.OPTIMAL if fits else Status.INFEASIBLE)
    if not fits:
        assert "1 more of fast would do" in found.reason


def test_a_stock_of_shares_that_is_too_small_is_proven_and_said_with_what_would_do():
    session = replace(shared_stock(1, "30"), hardware=(Hardware("fast", 3, 1), Hardware("slow", 2, 0)))
    assert solve(session, "exact", space=SHARE).reason == (
        "no plan meets the SLO with the machines in stock (proven); 1 more of fast would do, or 2 more of slow would do"
    )


def test_nearly_full_machines_of_two_modules_are_decided_within_a_stock():
    """Round robin, concurrency 4: nearly full, a machine takes a little over 0.5 s, and two of them over 1 s."""
    profile = [Configuration("h", 4, 4, "0.4")]
    modules = [Module("a", 5, profile), Module("b", 5, profile)]
    space = PlanSpace("rr", "continuous", charging="whole")
    for slo, feasible in (("1", False), ("1.0001", True)):
        for stock in (None, 2):
            session = Session("two", slo, [Hardware("h", 1, stock)], modules, [("a", "b")])
            found = solve(session, "exact", space=space)
            assert found.status is (Status.OPTIMAL if feasible else Status.INFEASIBLE)
            assert found.value == (2 if feasible else None)


@pytest.mark.parametrize("space", [WHOLE, replace(WHOLE, policy=Policy.TC_SHARED)])
def test_a_slo_that_any_number_of_machines_only_comes_near_to_is_not_met(space):
    """Two fast machines take 0.15 s, and slow ones, of which there are any number, a little over 0.2 s."""
    found = solve(two_modules(2, None, slo="0.35"), "exact", space=space)
    assert found.status is Status.INFEASIBLE
    assert solve(two_modules(2, None, slo="0.36"), "exact", space=space).status is Status.OPTIMAL


@pytest.mark.slow
@pytest.mark.parametrize("space", [WHOLE, replace(WHOLE, dummy="none")])
def test_a_type_of_which_there_is_none_makes_no_other_one_faster(space):
    """Without the fast machines a module needs 0.2 s at least, however many slow ones there are."""
    session = two_modules(0, None, slo="0.35")
    started = time.perf_counter()
    assert solve(session, "exact", space=space).status is Status.INFEASIBLE
    assert time.perf_counter() - started < SOON_S


@pytest.mark.parametrize("space", [WHOLE, SHARE])
@pytest.mark.parametrize("seed", range(12))
def test_stock_never_makes_a_plan_cheaper(seed, space):
    """A limit more never saves."""
    session = stocked(bought_session(seed), seed)
    free, limited = solve(without_stock(session), "exact", space=space), solve(session, "exact", space=space)
    assert limited.value is None or limited.value >= free.value


@pytest.mark.parametrize("space", [WHOLE, SHARE])
def test_a_stock_that_does_not_bind_changes_nothing(space):
    session = two_modules(None, None)
    plenty = replace(session, hardware=tuple(replace(h, count=1000) for h in session.hardware))
    assert solve(plenty, "exact", space=space).value == solve(session, "exact", space=space).value


@pytest.mark.parametrize("rule", ["none", "machine"])
@pytest.mark.parametrize("policy", ["rr-even", "machine-rate", "tc"])
def test_boxes_of_shares_end_at_those_that_plans_have(policy, rule):
    """Between one machine of a type and two there is no plan, however finely their parts are counted.

    Module a takes two machines of `one`, or one and some of `two`; b half of one of `one`, or three of `three`.
    """
    hardware = [Hardware("one", 1, 2), Hardware("two", 1), Hardware("three", 1)]
    first = [Configuration("two", 4, 3, "0.23"), Configuration("one", 8, 1, "0.1000000001")]
    second = [Configuration("one", 3, 3, "0.35"), Configuration("three", 1, 1, "0.22")]
    modules = [Module("a", "159.99999984", first), Module("b", "12.857142857142858", second)]
    session = Session("holes", "3.678", hardware, modules)
    space = PlanSpace(policy, rule)
    found = solve(session, "exact", space=space, time_limit_s=60)
    best = solve(session, "plan-bruteforce", space=space)
    assert (found.status, found.value) == (best.status, best.value)
    assert found.stats["boxes"] < 100


@pytest.mark.parametrize("seed", range(40))
def test_the_parts_that_plans_have_are_all_listed(seed):
    """Every plan of the enumeration has parts that the list of its module has."""
    session, rng = stocked(bought_session(seed), seed), random.Random(seed)
    space = rng.choice([s for s in SHARES if s.policy.name != "tc-shared" or s.max_allocations])
    names, parts = [h.name for h in session.hardware], parts_of_machines(session, space)
    listed = attainable(session, space, names, parts)
    plan = solve(without_stock(session), "plan-bruteforce", space=space).plan
    for m, own in enumerate(plan.modules if plan is not None else ()):
        checked = evaluate(session, plan, space).modules[m]
        used = machines_by_hardware(Plan((own,)), [checked.partial_rps], space)
        for kind, name in enumerate(names):
            assert used.get(name, 0) * parts in listed.values[m][kind]


def test_whole_machines_are_counted_without_rates_in_fractions():
    """Subtracting what each configuration serves took two fifths of the time of a search of many boxes."""
    session = two_modules(2, 1)
    search = StockSearch(session, WHOLE, limits_of(session, WHOLE), time.perf_counter() + SOON_S)
    search._profile = []
    search.run()
    assert search.plan is not None
    assert search.cost == float(solve(session, space=WHOLE).value)


def test_a_part_without_a_cheaper_plan_just_inside_the_slo_is_no_plan():
    """A hair below 0.4 s four machines take too long: the search just inside that found none, and its zeros crashed."""
    profiles = {1: {1: "0.1", 2: "0.2"}, 12: {4: "0.4", 2: "0.2"}, 6: {1: "0.1", 4: "0.4"}}
    modules = [
        Module(f"m{rate}", rate, [Configuration("X", batch, 1, seconds) for batch, seconds in own.items()])
        for rate, own in profiles.items()
    ]
    slo = Fraction(2, 5) - Fraction(1, 250 * 10**18)
    session = Session("some", slo, [Hardware("X", 1, 9)], modules, [("m1", "m6")])
    for solver in ("exact", "plan-bruteforce"):
        found = solve(session, solver, charging="whole")
        assert (found.status, found.value) == (Status.OPTIMAL, 5)
