"""Steps of modules and prices of time: worked by hand, never without a plan that enumeration has, seldom above it."""

import numpy as np
import pytest

from euclio import solve
from euclio.core.result import Status
from euclio.problems.session import Configuration, Hardware, Module, PlanSpace, Policy, Session
from euclio.problems.session.arrays import session_arrays
from euclio.workloads.session.random_sessions import random_session
from heuristics.session.price_of_time import hand_out, prices_of_time
from heuristics.session.staircases import staircases
from tests.drawn.small_sessions import small_session

PROFILE = [Configuration("A", b, 1, d) for b, d in ((1, "0.05"), (4, "0.1"), (10, "0.2"))]
POLICIES = [Policy.TC, Policy.MACHINE_RATE, Policy.RR, Policy.TC_SHARED, Policy.IN_TURN]


def two_modules(slo="0.45"):
    """Modules a (60 requests per second) and b (40) in a row, as docs/model/exact.md works them by hand."""
    modules = [Module("a", 60, PROFILE), Module("b", 40, PROFILE)]
    return Session("two", slo, [Hardware("A", 1)], modules, [("a", "b")])


def steps(session, space, m):
    """Latency and cost of the steps of a module, slowest first."""
    stairs = staircases(session_arrays(session, space))
    own = slice(stairs.first[m], stairs.first[m + 1])
    return list(zip(stairs.latency[own].round(9).tolist(), stairs.cost[own].round(9).tolist(), strict=True))


def test_steps_of_a_module_are_those_worked_by_hand():
    """Under machine-rate a full machine takes 2d, one with rate f d + b/f; within 0.4 s, as b takes 0.05 s at least.

    One and a half machines of batch 4 (0.1 + 4/20 s), one and one of batch 1 (0.2 s), three of batch 1 (0.1 s).
    """
    space = PlanSpace(policy="machine-rate", dummy="none")
    assert steps(two_modules(), space, 0) == [(0.3, 1.5), (0.2, 2.0), (0.1, 3.0)]


def test_dummies_fill_the_last_machine_of_a_step():
    """Within 0.15 s 60/s need 1.5 machines of batch 4, of which half a one would take 0.1 + 4/20 s: it is filled."""
    space = PlanSpace(policy="tc")
    found = dict(steps(two_modules(), space, 0))
    assert found[0.15] == 2.0


def test_time_is_charged_at_what_it_saves_between_two_steps():
    """Halfway from 2 at 0.2 s to 1.5 at 0.3 s, next to b's 1 at 0.2 s: 2.75 at 5 a second, in both the same."""
    s = session_arrays(two_modules(), PlanSpace(policy="machine-rate", dummy="none"))
    stairs = staircases(s)
    price, bound, _ = prices_of_time(s, stairs)
    assert price[0] == price[1]
    assert price[0] == pytest.approx(5, rel=0.2)
    assert 2.7 < bound <= 2.75 + 1e-9


def test_no_choice_of_steps_costs_less_than_the_bound():
    """Prices bound every choice from below: losses are what choices are cut by."""
    for seed in range(20):
        s = session_arrays(random_session(seed, 4), PlanSpace())
        stairs = staircases(s)
        if (stairs.first[1:] > stairs.first[:-1]).all():
            price, bound, _ = prices_of_time(s, stairs)
            cost = hand_out(
                s, stairs, price, np.zeros(s.rate.size), stairs.first[1:] - 1, np.zeros(s.rate.size, np.bool_)
            )
            assert bound <= cost * (1 + 1e-9)


def test_the_session_worked_by_hand():
    """2 at 0.2 s and 1 at 0.2 s; at 0.5 s, a tie with the objective, 1.5 at 0.3 s and 1 at 0.2 s."""
    values = [
        solve(two_modules(slo), "price-of-time", policy="machine-rate", dummy="none").value for slo in ("0.45", "0.5")
    ]
    assert [float(value) for value in values] == [3, 2.5]


@pytest.mark.fifth("policy")
@pytest.mark.parametrize("policy", POLICIES, ids=str)
@pytest.mark.parametrize("dummy", ["machine", "none"])
def test_it_has_a_plan_where_enumeration_has_one(policy, dummy):
    """What it leaves out must never be all that there is; sessions of round numbers have ties with their objectives."""
    gaps = []
    for seed in range(40):
        session = small_session(seed)
        best = solve(session, "plan-bruteforce", policy=policy, dummy=dummy)
        found = solve(session, "price-of-time", policy=policy, dummy=dummy)
        assert (found.value is None) == (best.status is Status.INFEASIBLE)
        if found.value is not None:
            gaps.append(found.value / best.value)
    assert min(gaps) >= 1
    assert sum(gap == 1 for gap in gaps) >= 0.95 * len(gaps)


@pytest.mark.parametrize(
    "changes", [{"max_allocations": 1}, {"max_allocations": 2}, {"single_hardware": True}], ids=str
)
@pytest.mark.parametrize("seed", range(20))
def test_it_keeps_to_narrower_plan_spaces(changes, seed):
    """A limit on allocations, or one hardware type, holds for steps as for plans."""
    session = small_session(seed)
    best, found = (solve(session, name, **changes) for name in ("plan-bruteforce", "price-of-time"))
    assert (found.value is None) == (best.value is None)
    if found.value is not None:
        assert best.value <= found.value <= best.value * 1.05


def test_it_refuses_what_it_does_not_understand():
    """Under an even policy the last allocation's machines share its rate, which steps know nothing of."""
    found = solve(small_session(0), "price-of-time", policy="rr-even")
    assert found.status is Status.INAPPLICABLE
    assert "policies under which all machines of the last allocation share its rate (rr-even)" in found.reason


def test_the_same_session_gives_the_same_plan():
    one, other = (solve(random_session(5), "price-of-time") for _ in range(2))
    assert one.plan == other.plan


def test_modules_of_one_step_have_no_price():
    """With one configuration and a full machine there is nothing to choose, and a second is worth nothing."""
    session = Session("one", 1, [Hardware("A", 1)], [Module("a", 20, PROFILE[:1])])
    s = session_arrays(session, PlanSpace())
    price, bound, _ = prices_of_time(s, staircases(s))
    assert (price.tolist(), bound, solve(session, "price-of-time").value) == ([0], 1, 1)
