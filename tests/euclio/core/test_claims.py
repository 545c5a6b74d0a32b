"""What a solver says about its plan is compared with what the checker finds; the plan of the tiny session costs 1.5."""

import math
from fractions import Fraction

import numpy as np
import pytest
from tiny_sessions import answering, one_configuration_plan, tiny_session

from euclio import solve
from euclio.core.objective import LEAST_COST, MOST_THROUGHPUT
from euclio.core.registry import Solver
from euclio.core.result import Answer, Status


def solved(**answer):
    session = tiny_session()
    return solve(session, answering(one_configuration_plan(session), **answer))


@pytest.mark.parametrize("claimed", [1.5, 1.5 * (1 + 9e-7), np.float32(1.5), Fraction(3, 2), None])
def test_confirmed_claim_is_accepted(claimed):
    assert solved(claimed=claimed).status is Status.FEASIBLE


@pytest.mark.parametrize("claimed", [1.49999, 1.50001, 0.0, -1.5])
def test_wrong_claim_is_an_error_with_both_numbers(claimed):
    result = solved(claimed=claimed)
    assert (result.status, result.value) == (Status.ERROR, None)
    assert result.reason == f"the solver's claim is wrong: claimed_cost_per_h is {claimed:.9g}, the checked cost is 1.5"


@pytest.mark.parametrize("figure", [math.nan, math.inf, "cheap", 1j])
@pytest.mark.parametrize("name", ["claimed", "bound"])
def test_claim_or_bound_that_is_no_finite_number_is_an_error(name, figure):
    result = solved(**{name: figure})
    assert result.status is Status.ERROR
    assert result.reason == f"the solver's {name.removesuffix('ed')} is {figure!r}, no finite number"


def test_bound_that_is_no_number_is_an_error_without_a_plan_too():
    assert solve(tiny_session(), answering(None, bound=math.nan)).status is Status.ERROR


def test_claim_is_wrong_to_either_side_whatever_the_goal():
    for goal in (LEAST_COST, MOST_THROUGHPUT):
        assert goal.wrong_claim(Fraction(2), 2.1)
        assert goal.wrong_claim(Fraction(2), 1.9)
        assert not goal.wrong_claim(Fraction(2), 2.0)


def test_claim_of_a_plan_that_costs_nothing_is_compared_as_it_is():
    assert not LEAST_COST.wrong_claim(0, 1e-7)
    assert LEAST_COST.wrong_claim(0, 1e-5)


def test_what_is_no_answer_is_said_so():
    with pytest.raises(TypeError, match="the solver returned int, not an Answer"):
        solve(tiny_session(), Solver("number", "heuristic", "returns a number", lambda *_: 42))


def test_plan_of_another_type_is_said_so():
    with pytest.raises(TypeError, match="the solver's plan is str, not Plan"):
        solve(tiny_session(), Solver("text", "heuristic", "returns text", lambda *_: Answer("plan", "done")))
