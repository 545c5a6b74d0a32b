"""The cheapest plan that keeps an attainment: what it keeps, what it costs, and that it is found again."""

from dataclasses import replace
from fractions import Fraction

import pytest
from worked_examples import M_1, M_3, module

from euclio import solve
from euclio.core.errors import InputError
from euclio.core.registry import find_solver
from euclio.problems.session import Hardware, Session
from euclio.serving.attainment.demand import Demand
from euclio.serving.attainment.margins import alike, spare_space
from euclio.serving.attainment.search import _MarginSearch, cheapest
from euclio.serving.attainment.trials import Trials
from euclio.serving.session.setup import Setup
from euclio.serving.session.simulation import simulate

# Not in the quick tier: a search over margins with requests that nothing has seen.
pytestmark = pytest.mark.slow

SESSION = Session("two", "1.4", [Hardware("gpu", 1)], [module("a", 60, M_1), module("b", 60, M_3)], [("a", "b")])


def planned_by(name):
    def planner(asked):
        result = solve(asked, name)
        return None if result.value is None else (result.plan, result.evaluation)

    return planner


def search(setup, target=0.99, session=SESSION, name="harpagon", **options):
    return cheapest(session, planned_by(name), find_solver(name).space, Demand(target, setup), **options)


SLOW = [pytest.param(name, marks=pytest.mark.slow) for name in ("nexus", "exact")]


@pytest.fixture(scope="module", params=["harpagon", *SLOW])
def found(request):
    return request.param, search(Setup(), name=request.param)


def test_the_plan_keeps_the_attainment_on_requests_that_nothing_has_seen(found):
    name, answer = found
    assert answer.judged.estimate.lower >= 0.99
    space = spare_space(find_solver(name).space)
    setup = replace(Demand(0.99, Setup()).setup, seconds=3000, seed=987654)
    served = simulate(SESSION, answer.best.plan, setup, space)
    assert served.attainment >= 0.99


def test_the_plan_without_margins_does_not(found):
    without = found[1].tried[0]
    assert without.margins == alike(SESSION)
    assert without.share is None or without.share < 0.99
    assert found[1].best.cost_per_h > without.cost_per_h


def test_no_plan_that_was_tried_is_cheaper_and_passes(found):
    answer = found[1]
    for tried in answer.tried:
        if tried.cost_per_h < answer.best.cost_per_h:
            assert tried.share is None or tried.share < answer.best.share


@pytest.mark.slow
def test_the_same_seed_finds_the_same_plan():
    one, other = (search(Setup("gamma", cv=1.5), 0.9, seed=4) for _ in range(2))
    assert one == other


@pytest.mark.slow
def test_a_higher_attainment_costs_more():
    costs = [search(Setup(dispatch="pull"), target).best.cost_per_h for target in (0.8, 0.99, 0.999)]
    assert costs == sorted(costs)
    assert costs[0] < costs[2]


def test_evenly_spaced_requests_need_next_to_no_margin():
    best = search(Setup("uniform", dispatch="rounds")).best
    assert max(best.margins.rates) <= Fraction(1, 10)


def test_a_search_without_time_says_that_it_was_ended():
    assert not search(Setup(), time_limit_s=1e-6).complete


def test_what_no_margin_keeps_is_not_found():
    tight = Session("tight", "0.26", [Hardware("gpu", 1)], [module("a", 60, M_1)])
    answer = search(Setup("bursty", timeout_s=float("inf")), 0.9999, tight)
    assert answer.best is None
    assert answer.complete


@pytest.mark.parametrize(
    ("target", "setup", "message"),
    [(0.2, Setup(), "attainment: is 0.2; it must be"), (0.99, Setup(clients=2), "clients: wait for their answers")],
)
def test_a_demand_that_means_nothing_is_refused(target, setup, message):
    with pytest.raises(InputError, match=message):
        Demand(target, setup)


def test_without_time_for_others_a_plan_that_was_tried_is_judged_next():
    """The cheapest has failed, and the time of the search is over: of those that passed, another is left."""
    space, demand = spare_space(find_solver("harpagon").space), Demand(0.99, Setup(dispatch="pull"))
    search = _MarginSearch(SESSION, planned_by("harpagon"), space, Trials(SESSION, space, demand, 0), None, 0.99)
    first = search.run()
    search.shares[first.plan], search.best, search.ends_at = None, None, 0.0
    second = search.run()
    assert second.share >= 0.99
    assert second.cost_per_h >= first.cost_per_h
    assert second.plan != first.plan
