"""Partial machines put on shared ones: what the checker accepts, for less money, best fit first."""

from dataclasses import replace
from fractions import Fraction

import pytest

from euclio import solve
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
from euclio.problems.session.bought_whole import (
    BUSIEST,
    PACKED_BOUND,
    SHARED,
    SHARED_IN_TIME,
    cheaper_shared,
    least_sum,
    whole_costs_in_words,
    with_whole_costs,
)
from euclio.problems.session.packing import by_fit
from euclio.problems.session.placing import share_machines
from euclio.questions.companion import with_both
from euclio.serving.attainment import solve_attaining
from euclio.serving.session import Setup, simulate
from euclio.serving.session.service import DEPLOYED
from tests.drawn.small_sessions import small_session

PACKED = PlanSpace(charging="packed")
TENTH = Configuration("A", 1, 1, "0.1")


def session_of(*rates, slo=9, memory=None, needed=None, edges=()):
    """Modules on one type, each with batch 1 in 0.1 s."""
    profile = [Configuration("A", 1, 1, "0.1", needed)]
    modules = [Module(f"m{i}", rate, profile) for i, rate in enumerate(rates)]
    return Session("some", slo, [Hardware("A", 1, None, memory)], modules, edges)


def alone(*rates):
    """Each module on whole machines of 10 requests per second and a partial one."""
    return Plan(tuple(ModulePlan((Allocation(TENTH, rate // 10, Fraction(rate % 10)),)) for rate in rates))


def test_best_fit_takes_the_least_room_that_is_enough():
    room = {3: Fraction(1, 2), 1: Fraction(1, 4), 2: Fraction(1, 4), 0: Fraction(1, 8)}
    assert by_fit(room, Fraction(1, 4)) == [1, 2, 3]
    assert by_fit(room, Fraction(1, 4), lambda number: -number) == [2, 1, 3]


def test_partial_machines_share_by_time():
    """Shares of 7, 3 and 6 tenths: the first two fill a machine."""
    session = session_of(7, 3, 6)
    found = share_machines(session, alone(7, 3, 6), PACKED)
    assert found.shared == ((0, 1),)
    assert evaluate(session, found, PACKED).cost_per_h == 2


def test_whole_machines_stay_alone():
    session = session_of(13, 4)
    found = share_machines(session, alone(13, 4), PACKED)
    assert found.shared == ((0, 1),)
    assert evaluate(session, found, PACKED).cost_per_h == 2


def test_machines_that_dummies_fill_are_shared_without_them():
    session = session_of(4, 4)
    full = Plan(tuple(ModulePlan((Allocation(TENTH, 1),), Fraction(6)) for _ in range(2)))
    found = share_machines(session, full, PACKED)
    assert found == Plan(alone(4, 4).modules, ((0, 1),))
    assert evaluate(session, found, PACKED).feasible


@pytest.mark.parametrize(("slo", "shared"), [("0.9", ((0, 1),)), ("0.89", ())])
def test_the_waits_have_to_fit_the_paths(slo, shared):
    """In a row: 2 · (0.1 + 1/4) alone, 0.1 more each on a shared machine."""
    session = session_of(4, 4, slo=slo, edges=[("m0", "m1")])
    assert share_machines(session, alone(4, 4), PACKED).shared == shared


@pytest.mark.parametrize(
    ("memory", "needed", "shared"), [(100, 50, ((0, 1),)), (99, 50, ()), (99, None, ()), (None, 50, ((0, 1),))]
)
def test_models_have_to_fit_the_memory(memory, needed, shared):
    session = session_of(4, 4, memory=memory, needed=needed)
    found = share_machines(session, alone(4, 4), PACKED)
    assert found.shared == shared
    assert evaluate(session, found, PACKED).feasible


def test_different_types_do_not_share():
    profile = [TENTH], [Configuration("B", 1, 1, "0.1")]
    modules = [Module(name, 4, own) for name, own in zip("ab", profile, strict=True)]
    session = Session("types", 9, [Hardware("A", 1), Hardware("B", 1)], modules)
    plan = Plan(tuple(ModulePlan((Allocation(own[0], 0, Fraction(4)),)) for own in profile))
    assert share_machines(session, plan, PACKED) == plan


@pytest.mark.parametrize("space", [PlanSpace(charging="whole"), PlanSpace("tc-shared", charging="packed")])
def test_a_plan_stays_where_machines_cannot_be_shared(space):
    assert share_machines(session_of(4, 4), alone(4, 4), space) == alone(4, 4)


def test_a_plan_that_is_refused_stays():
    assert share_machines(session_of(4, 4, slo="0.2"), alone(4, 4), PACKED) == alone(4, 4)


@pytest.mark.parametrize("seed", range(6))
def test_a_bound_stands_next_to_a_packed_plan(seed):
    """The optimum of machines by share with dummies at any rate, which no packed plan is below, as a sum of prices."""
    session = small_session(seed)
    result = solve(session, "whole-greedy", charging="packed")
    told = with_whole_costs(session, result, 5)
    if result.value is None:
        assert told is result
        return
    assert told.stats[PACKED_BOUND] <= float(result.value) * (1 + 1e-9)
    by_share = solve(session, "exact", dummy="continuous").bound
    least = float(least_sum(session.price.values(), Fraction(by_share) * (1 - Fraction(1, 10**9))))
    assert told.stats[PACKED_BOUND] == max(by_share, least)
    (line,) = whole_costs_in_words(session, told)
    assert line.startswith("no plan of packed machines costs less than ")


@pytest.mark.parametrize("policy", ["tc", "rr", "machine-rate"])
@pytest.mark.parametrize("seed", range(25))
def test_random_plans_become_no_more_expensive(seed, policy):
    """Sharing is taken only where it saves: a plan is never the worse for having been packed."""
    session, space = small_session(seed), PlanSpace(policy, charging="packed")
    plan = solve(session, "whole-greedy", policy=policy).plan
    if plan is None:
        return
    before = evaluate(session, plan, space)
    after = evaluate(session, share_machines(session, plan, space), space)
    assert after.feasible
    assert after.cost_per_h <= before.cost_per_h


@pytest.mark.parametrize("seed", range(40))
def test_sharing_is_proposed_only_at_a_price_that_the_checker_finds_less(seed):
    """A proposal is an accepted plan below the optimum of whole machines, and not below the bound of shared ones."""
    session = small_session(seed)
    result = solve(session, "exact", charging="whole")
    if result.value is None:
        return
    space = replace(result.space, charging="packed")
    plan = cheaper_shared(session, space, [result.plan], result.value)
    if plan is None:
        return
    checked = evaluate(session, plan, space)
    assert checked.feasible
    assert plan.shared
    assert checked.cost_per_h < result.value
    told = with_whole_costs(session, solve(session, "whole-greedy", space=space), 5)
    assert float(checked.cost_per_h) >= told.stats.get(PACKED_BOUND, 0) * (1 - 1e-9)


def test_a_proposal_states_price_use_attainment_and_the_solver_that_makes_it():
    """Three modules at 1 request per second, 0.1 s each: 30 % of one machine instead of three."""
    session, space = session_of(1, 1, 1), PlanSpace(charging="whole")
    result = with_both(session, solve(session, "exact", space=space), None)
    assert (result.stats[SHARED], result.stats[BUSIEST]) == (1, pytest.approx(0.3))
    packed = replace(space, charging="packed")
    plan = cheaper_shared(session, packed, [result.plan], result.value)
    assert result.stats[SHARED_IN_TIME] == simulate(session, plan, Setup(**DEPLOYED), packed).attainment
    (line,) = whole_costs_in_words(session, result)
    assert line.startswith("shared machines: 1 per hour, the busiest works 30 % of the time, 100.00 % of Poisson")
    named = line.partition("; --machines packed")[2]
    chosen = named.removeprefix(" --solver ") or None
    assert solve(session, chosen, charging="packed").value == 1


@pytest.mark.parametrize(
    ("session", "space"),
    [
        (session_of(4), PlanSpace(charging="whole")),
        (session_of(10, 10), PlanSpace(charging="whole")),
        (session_of(4, 4, memory=10, needed=6), PlanSpace(charging="whole")),
        (session_of(4, 4), PlanSpace("shared-queue", charging="whole")),
        (session_of(4, 4), PACKED),
    ],
    ids=["one module", "full machines", "no memory", "no policy for it", "shared already"],
)
def test_nothing_is_proposed_where_sharing_saves_nothing(session, space):
    result = with_both(session, solve(session, "whole-greedy", space=space), None)
    assert result.value is not None
    assert SHARED not in result.stats


def test_a_proposal_for_machines_by_share_is_held_against_the_best_whole_ones():
    """By share 0.3 is less than any machine; a shared one is proposed, since three whole ones cost 3."""
    session = session_of(1, 1, 1)
    result = with_both(session, solve(session, "exact"), None)
    assert (result.stats[SHARED], float(result.value)) == (1, pytest.approx(0.3))
    assert result.stats[SHARED] < result.stats["best_whole_per_h"]
    assert whole_costs_in_words(session, result)[1].startswith("shared machines: 1 per hour")


def test_at_low_rates_a_proposal_keeps_capacity_free_and_is_asked_for_by_an_attainment():
    """A request each 2 s waits longer than the SLO with b/f; machines that have time for 4 times as many do not."""
    session = session_of("0.5", "0.5", slo=1)
    result = with_both(session, solve(session, "exact", charging="whole"), None)
    assert result.value == 2
    assert solve(session, "whole-greedy", charging="packed").value == 2
    assert (result.stats[SHARED], result.stats[SHARED_IN_TIME]) == (1, 1)
    assert result.stats[BUSIEST] == pytest.approx(0.1)
    (line,) = whole_costs_in_words(session, result)
    assert line == "shared machines that keep capacity free may cost less: --machines packed --attainment 0.99"
    assert solve_attaining(session, "whole-greedy", 0.99, charging="packed").value == 1
