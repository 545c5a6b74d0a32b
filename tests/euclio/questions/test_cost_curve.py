"""Least cost over objectives and rates: the same by either way, what is between two steps, what is refused."""

import random
from dataclasses import replace
from fractions import Fraction

import pytest
from tiny_sessions import tiny_session

from euclio import what_if
from euclio.core.errors import InputError
from euclio.core.registry import find_solver
from euclio.core.result import Status
from euclio.core.solving import solve
from euclio.problems.session import (
    FULL_SPACE,
    Configuration,
    DummyRule,
    Hardware,
    Module,
    PlanSpace,
    Policy,
    Session,
    evaluate,
)
from euclio.problems.session.changes import SessionChanges
from euclio.problems.session.rules import Charging
from euclio.questions.cost_curve import CostCurve, cost_curve
from tests.drawn.small_sessions import bought_session, small_session

WHOLE = PlanSpace(charging=Charging.WHOLE)
ONE_BY_ONE = replace(find_solver("exact"), pieces=None)
"""The exact solver as one that does not know the whole function."""


def costs(curve: CostCurve) -> list[Fraction | None]:
    return [step.cost_per_h for step in curve.steps]


@pytest.mark.parametrize("seed", range(10))
def test_step_by_step_it_is_the_same(seed: int) -> None:
    """A solver that knows the whole function and one that is asked again below each step find the same plans."""
    session = small_session(seed)
    at_once, walked = cost_curve(session), cost_curve(session, solver=ONE_BY_ONE)
    assert costs(at_once) == costs(walked)
    assert [step.start for step in at_once.steps] == [step.start for step in walked.steps]
    assert at_once.proven
    assert walked.proven


@pytest.mark.parametrize("seed", range(10))
def test_whole_machines_cost_what_solving_at_a_rate_says(seed: int) -> None:
    """Over the rate, at drawn rates and where each step ends."""
    session = bought_session(seed)
    curve = cost_curve(session, over="rate", space=WHOLE)
    assert curve.proven
    draw, start, end = random.Random(seed), float(curve.question.start), float(curve.question.end)
    for rate in (*(Fraction(draw.uniform(start, end)) for _ in range(4)), *(step.end for step in curve.steps)):
        step = curve.at(rate)
        if step is not None:
            assert step.cost_per_h == solve(curve.question.at(rate), "exact", space=WHOLE).value


def test_a_value_is_looked_up() -> None:
    """The step of the session's own objective is its optimum; outside of the range there is none."""
    session = small_session(3)
    curve = cost_curve(session)
    own = curve.at(session.slo_s)
    assert own is not None
    assert own.cost_per_h == solve(session, "exact").value
    assert (curve.at(session.slo_s / 3), curve.at(session.slo_s * 3)) == (None, None)


def test_without_a_plan_it_is_one_step() -> None:
    """Durations alone take longer than the longest objective."""
    (step,) = cost_curve(tiny_session(), between=("0.01", "0.02")).steps
    assert (step.result.status, step.start, step.end) == (Status.INFEASIBLE, Fraction(1, 100), Fraction(1, 50))


def test_changes_hold_at_all_steps() -> None:
    """Prices twice as high cost twice as much; a stock, which has to be solved one by one, never less."""
    session = tiny_session()
    curve = cost_curve(session)
    dear = cost_curve(session, changes=SessionChanges(price_per_h={"V100": Fraction(3), "P100": Fraction(2)}))
    assert costs(dear) == [None if cost is None else 2 * cost for cost in costs(curve)]
    short = cost_curve(session, changes=SessionChanges(stock={"V100": 2}), space=WHOLE)
    assert short.proven
    free = cost_curve(session, space=WHOLE)
    for step in short.steps:
        least = free.at(step.start)
        assert step.cost_per_h is None or least is None or step.cost_per_h >= least.cost_per_h


def test_what_if_has_the_same_costs() -> None:
    """A grid of objectives is solved point by point, and read off the function."""
    session = small_session(5)
    slos = [session.slo_s * k / 10 for k in range(5, 21)]
    curve, grid = cost_curve(session), what_if(session, slo=slos, machines="share")
    for point in grid.points.values():
        step = curve.at(point.slo_s)
        assert step is None or step.cost_per_h == point.result.value


@pytest.mark.parametrize(
    ("asked", "words"),
    [
        ({"solver": "harpagon"}, "--solver: harpagon proves nothing between two points"),
        ({"over": "rate", "space": FULL_SPACE}, "--over: over the rate the cost is a step function only where"),
        ({"over": "rate", "space": replace(WHOLE, dummy=DummyRule.NONE)}, "--over: over the rate"),
        ({"between": (2, 1)}, "--slo: takes two values above 0, the lesser one first"),
        ({"space": WHOLE, "solver": "milp-split"}, "--solver: milp-split does not cover whole machines"),
        ({"space": PlanSpace(dummy="continuous")}, "--dummy: is continuous"),
    ],
)
def test_what_is_no_step_function_is_refused(asked, words) -> None:
    with pytest.raises(InputError) as error:
        cost_curve(tiny_session(), **asked)
    assert str(error.value).startswith(words)


@pytest.mark.parametrize("seed", range(5))
def test_steps_that_share_modules_plans_are_checked_as_each_alone(seed: int) -> None:
    """What the checker found of a module in one step is taken in the next: it has to be what it finds of it anew."""
    for step in cost_curve(small_session(seed)).steps:
        if step.result.plan is not None:
            assert evaluate(step.session, step.result.plan, step.result.space) == step.result.evaluation


def three_at_a_time(concurrency: int = 3, *, dear: bool = False) -> Session:
    """SLO 0.45 s, a machine of 0.25 s for 1 per hour; where asked for, one of 0.1 s for 5."""
    hardware = [Hardware("h1", 1), Hardware("h2", 5)][: 1 + dear]
    profile = [Configuration("h1", 1, concurrency, Fraction(1, 4)), Configuration("h2", 1, 1, Fraction(1, 10))]
    return Session("rr", "0.45", hardware, [Module("m", 6, profile[: 1 + dear])])


@pytest.mark.parametrize(("dear", "least"), [(False, None), (True, Fraction(5))])
def test_nothing_is_said_between_rates_where_a_machine_that_is_not_full_is_faster(dear, least) -> None:
    """A full one takes 2·0.25 = 0.5 s, too long; at 6 req/s one takes 0.25 + 1/6 = 0.417 s, at 2 req/s 0.75 s.

    So there is a plan for 1 at 6 req/s and none for it at 2, where a machine of 0.1 s for 5 takes 0.2 s at most.
    """
    curve = cost_curve(three_at_a_time(dear=dear), over="rate", between=(2, 11), space=replace(WHOLE, policy=Policy.RR))
    first, own = curve.at(2), curve.at(6)
    assert first is not None
    assert own is not None
    assert (first.cost_per_h, own.cost_per_h) == (least, 1)
    assert (curve.proven, curve.complete, curve.at("2.1")) == (False, False, None)
    assert all(step.start == step.end for step in curve.steps)


def test_round_robin_of_one_batch_at_a_time_has_steps() -> None:
    """At concurrency 1 a full machine takes 2·0.2 s = 0.2 + 1/5, no longer than one that is not full: proven steps."""
    profile = [Configuration("h1", 1, 1, Fraction(1, 5))]
    session = Session("rr", "0.45", [Hardware("h1", 1)], [Module("m", 6, profile)])
    curve = cost_curve(session, over="rate", between=(2, 11), space=replace(WHOLE, policy=Policy.RR))
    assert curve.proven
    assert [(s.start, s.end, s.cost_per_h) for s in curve.steps] == [(2, 5, 1), (5, 10, 2), (10, 11, 3)]
    # The next step is asked for a billionth above the last one's end: below that nothing is proven.
    assert curve.at(5 + Fraction(1, 10**9)) is None


def test_packed_machines_are_asked_rate_by_rate() -> None:
    """Modules share a machine that is not full: with less to do it waits longer for its batch, and may be too late."""
    space = replace(WHOLE, charging=Charging.PACKED)
    curve = cost_curve(tiny_session(), over="rate", solver="plan-bruteforce", space=space)
    assert not curve.proven
    assert all(step.start == step.end for step in curve.steps)


@pytest.mark.parametrize("over", ["slo", "rate"])
def test_a_plan_that_is_not_proven_lends_no_proof_to_its_neighbour(over) -> None:
    """Of two steps that cost the same only the one asked second is optimal: the first one may have a cheaper plan."""
    count = 0

    def first_is_open(*given, **options):
        nonlocal count
        count += 1
        found = solve(*given, **options)
        return replace(found, status=Status.FEASIBLE, bound=0.0) if count == 1 else found

    session = Session("alike", 1, [Hardware("h", 0)], [Module("m", 6, [Configuration("h", 1, 1, Fraction(1, 5))])])
    curve = cost_curve(session, over=over, space=WHOLE, solver=ONE_BY_ONE, solving=first_is_open)
    statuses = {step.result.status for step in curve.steps}
    assert Status.FEASIBLE in statuses
    assert not curve.proven
