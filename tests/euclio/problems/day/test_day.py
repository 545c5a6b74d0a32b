"""Loads over time: instances, files, the checker."""

from __future__ import annotations

import json
from dataclasses import replace
from fractions import Fraction

import pytest

from euclio.core.errors import InputError
from euclio.core.solving import solve
from euclio.problems.day import Day, DayPlan, Idle, Serving, Staffing, Step, StepPlan, evaluate
from euclio.problems.day.family import day_from_text, day_to_text, small
from euclio.problems.day.instance import at_rates
from euclio.problems.session import Configuration, Hardware, Module, Session
from euclio.problems.session.objectives import Application

SESSION = Session("one", 1, [Hardware("h", 36, 3)], [Module("m", 10, [Configuration("h", 1, 1, "0.1")])])
DAY = Day("one", SESSION, [Step(100, [10]), Step(50, [20]), Step(100, [10])], 30, 20, "0.5")


def plan(*counts: tuple[int, int]) -> DayPlan:
    """Machines that serve and that are idle, by step."""
    steps = []
    for serving, idle in counts:
        parked = (Idle("h", idle),) if idle else ()
        steps.append(StepPlan((Staffing((Serving("h", 1, 1, serving),), parked),)))
    return DayPlan(tuple(steps))


def test_the_cost_is_that_of_the_page():
    # 36 per hour are 0.01 per second; a start costs 0.5 + 0.3, a stop 0.5 + 0.2.
    checked = evaluate(DAY, plan((1, 0), (2, 0), (1, 0)))
    assert (checked.violations, checked.starts, checked.stops) == ((), 1, 1)
    assert (checked.running, checked.changing, checked.value) == (3, Fraction(3, 2), Fraction(9, 2))
    idle = evaluate(DAY, plan((1, 0), (2, 0), (1, 1)))
    assert (idle.changing, idle.value) == (Fraction(8, 10), Fraction(48, 10))
    assert idle.machines == (((1,),), ((2,),), ((2,),))


@pytest.mark.parametrize(
    ("own", "said"),
    [
        (plan((1, 0), (1, 0), (1, 0)), "step 2: module m"),
        (plan((1, 0), (2, 2), (1, 0)), "step 2: 4 machines of h, 3 are in stock"),
        (plan((1, 0), (2, 0)), "the plan has 2 steps, the load 3"),
        (plan((1, 0), (0, 0), (1, 0)), "a number of machines below 1"),
        (DayPlan((StepPlan(()),) * 3), "step 1: 0 modules, the session has 1"),
        (
            DayPlan((StepPlan((Staffing((Serving("h", 9, 1, 2),)),)),) * 3),
            "h batch 9 concurrency 1 is not in the profile",
        ),
        (DayPlan((StepPlan((Staffing((Serving("h", 1, 1, 2),), (Idle("g", 1),)),)),) * 3), "no hardware g"),
        (DayPlan((StepPlan((Staffing((Serving("h", 1, 1, 1),) * 2),)),) * 3), "a configuration is listed twice"),
        (DayPlan((StepPlan((Staffing(()),)),) * 3), "no allocation"),
    ],
)
def test_what_breaks_a_rule_is_named(own, said):
    checked = evaluate(DAY, own)
    assert not checked.feasible
    assert said in "; ".join(checked.violations)


def test_a_file_holds_what_the_instance_is():
    text = day_to_text(DAY)
    assert day_from_text(text) == DAY
    assert json.loads(text)["schema"] == "euclio/day/1"
    least = {k: v for k, v in json.loads(text).items() if k not in {"warm_up_s", "keep_alive_s", "price_per_change"}}
    assert day_from_text(json.dumps(least)) == Day("one", SESSION, DAY.steps)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"steps": []}, "steps: there are no steps"),
        ({"steps": [{"length_s": 0, "rates_rps": [1]}]}, "steps[0].length_s: is 0"),
        ({"steps": [{"length_s": 1, "rates_rps": [1, 2]}]}, "steps[0].rates_rps: has 2 rates; the session has 1"),
        ({"steps": [{"length_s": 1, "rates_rps": [1e12]}]}, "rate_rps: is 1000000000000"),
        ({"warm_up_s": -1}, "warm_up_s: is -1"),
        ({"session": {}}, "session.name: is missing"),
    ],
)
def test_what_a_file_has_wrong_is_named(change, said):
    with pytest.raises(InputError) as error:
        day_from_text(json.dumps(json.loads(day_to_text(DAY)) | change))
    assert said in str(error.value)


def test_a_longer_warm_up_never_makes_the_optimum_cheaper():
    for seed in range(4):
        day = small(seed)
        costs = [solve(replace(day, warm_up_s=Fraction(w))).value for w in (0, 60, 600, 6000)]
        assert costs == sorted(costs)


def test_applications_have_the_requests_of_a_step():
    """Modules x and y are an application of 6 requests per second: half of the largest rate comes, and x rests.

    The other application rests.
    """
    profile = [Configuration("A", 1, 1, "0.1")]
    modules = [Module("x", 10, profile), Module("y", 10, profile), Module("z", 4, profile)]
    named = [Application("one", ["x"], 6), Application("two", ["z"])]
    session = Session("s", 1, [Hardware("A", 1)], modules, [("x", "y")], applications=named, least_machines={"x": 2})
    found = at_rates(session, (Fraction(0), Fraction(5), Fraction(0)))
    assert found.applications == (Application("one", ["y"], 3),)
    assert (found.edges, found.least_machines) == ((), {})
