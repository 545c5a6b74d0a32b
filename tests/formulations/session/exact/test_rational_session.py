"""The cheapest plan of a session in exact arithmetic, from nothing, next to `exact` and the enumeration of plans."""

import math
import random
from dataclasses import replace
from fractions import Fraction
from itertools import product

import pytest

from euclio import solve
from euclio.problems.session import PlanSpace, evaluate
from euclio.problems.session.policies import POLICIES
from euclio.problems.session.resources import without_stock
from formulations.effort import Effort, UndecidedError
from formulations.session.exact.in_fractions.ties import cheapest_below
from formulations.session.module.in_integers import MachineLimits
from tests.drawn.small_sessions import bought_session, stocked

SPACES = [
    PlanSpace(policy, rule, most, charging=charging)
    for charging, rule, most, policy in product(
        ("whole", "share"), ("none", "machine", "continuous"), (None, 1, 2), POLICIES
    )
    if charging == "whole" or rule != "continuous"
]
NODES = 50_000
RELATIVE = Fraction(1, 10**9)


def cheapest(session, space, cutoff=None, limits=None):
    return cheapest_below(session, space, cutoff, Effort(NODES, math.inf), limits)


@pytest.mark.parametrize("seed", range(30))
def test_it_needs_no_search_in_floats(seed):
    """Given no plan and no bound, the search in fractions ends at the same optimum."""
    session = bought_session(seed)
    for space in random.Random(seed).sample(SPACES, 3):
        best, plan = solve(session, "exact", space=space).value, cheapest(session, space)
        assert (plan is None) == (best is None)
        if plan is not None:
            checked = evaluate(session, plan, space)
            assert checked.feasible
            assert checked.cost_per_h <= best <= checked.cost_per_h * (1 + RELATIVE)
            assert cheapest(session, space, cutoff=checked.cost_per_h) is None


@pytest.mark.parametrize("seed", range(30))
def test_limits_and_prices_on_machines_are_kept_to(seed):
    """Of one module: a price on top of all that it takes is added to its cost, and shifts what is the cheapest."""
    session = stocked(bought_session(seed, modules=1), seed)
    free = without_stock(session)
    most = {name: Fraction(count) for name, count in session.stock.items()}
    for space in random.Random(seed).sample(SPACES, 3):
        plan = cheapest(free, space, limits=[MachineLimits(most)])
        best = solve(session, "plan-bruteforce", space=space).value
        assert (plan is None) == (best is None)
        if plan is None:
            continue
        assert evaluate(session, plan, space).feasible
        assert evaluate(session, plan, space).cost_per_h == best
        raised = replace(session, hardware=tuple(replace(h, price_per_h=2 * h.price_per_h) for h in session.hardware))
        twice = cheapest(free, space, limits=[MachineLimits(most, session.price)])
        assert evaluate(raised, twice, space).cost_per_h == 2 * best


def test_effort_is_limited():
    with pytest.raises(UndecidedError):
        cheapest_below(bought_session(3), PlanSpace(charging="whole"), None, Effort(1, math.inf))
