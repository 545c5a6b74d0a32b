"""What exact methods have when their limit ends, and what they say where plans only come near to an SLO."""

import random
import time
from fractions import Fraction
from itertools import pairwise, product

import pytest

from euclio import solve
from euclio.core.registry import Limits, find_solver
from euclio.core.result import Answer, Status
from euclio.problems.session import (
    Configuration,
    DummyRule,
    Hardware,
    Module,
    PlanSpace,
    Policy,
    Session,
    evaluate,
    longest_path,
)
from euclio.problems.session.family import FAMILY
from euclio.workloads.session.applications import profiles
from formulations.effort import FIRST, LATER, first_nodes, next_nodes
from formulations.session.known_plans import IN_LINE, LATE_S, QUICK, quick_plan, with_known_plans
from formulations.session.split.frontiers import modes_below
from tests.drawn.small_sessions import small_session

IN_SEQUENCE = (Policy.TC, Policy.TC_SHARED, Policy.IN_TURN)


def layered(modules, tightness, seed=0, widest=None):
    """A DAG of measured modules in layers of at most so many, rates from 5 to 400 requests per second."""
    rng = random.Random(f"{modules} {tightness} {seed}")
    measured = [p for p in profiles().values() if {c.hardware for c in p} <= {"P100", "V100"}]
    layers, rest = [], list(range(modules))
    while rest:
        width = rng.randint(1, widest or max(2, modules // 8))
        layers.append(rest[:width])
        rest = rest[width:]
    edges = [(f"m{rng.choice(before)}", f"m{j}") for before, layer in pairwise(layers) for j in layer]
    own = [Module(f"m{i}", str(round(rng.uniform(5, 400), 2)), rng.choice(measured)) for i in range(modules)]
    hardware = [Hardware("P100", "2.07"), Hardware("V100", "3.06")]
    fastest = [min(c.duration_s + c.batch / m.rate_rps for c in m.profile) for m in own]
    slo = longest_path(Session("layered", 1, hardware, own, edges), fastest)[0] * Fraction(tightness)
    return Session("layered", str(round(float(slo), 4)), hardware, own, edges)


@pytest.mark.slow
@pytest.mark.parametrize("widest", [None, 1, 40])
@pytest.mark.parametrize(
    ("modules", "tightness"), [(20, "1.3"), (50, "1.3"), (50, "5"), (100, "1.3"), (100, "2"), (200, "1.3"), (200, "3")]
)
@pytest.mark.parametrize("space", [PlanSpace(), PlanSpace(charging="whole"), PlanSpace(dummy="continuous")])
def test_a_large_session_has_a_plan_when_the_limit_ends_as_good_as_that_of_quick_heuristics(
    modules, tightness, space, widest
):
    """A search over splits that no plan prunes never ended, so that there was none; the bound holds for all plans."""
    session = layered(modules, tightness, widest=widest)
    found = solve(session, "exact", space=space, time_limit_s=1)
    assert found.status in (Status.OPTIMAL, Status.FEASIBLE)
    assert found.bound is None or found.bound <= found.value
    for name in (*QUICK, IN_LINE):
        covers = name != "whole-greedy" and not find_solver(name).uncovered(session, space)
        plan = find_solver(name).run(session, space, Limits()).plan if covers else None
        assert plan is None or found.value <= evaluate(session, plan, space).cost_per_h


@pytest.mark.slow
@pytest.mark.parametrize("solver", ["milp-split", "cpsat-split", "milp", "cpsat"])
def test_other_exact_methods_have_a_plan_when_their_limit_ends(solver):
    """Frontiers or models of 25 modules are not even made within a hundredth of a second."""
    found = solve(layered(25, "1.3"), solver, time_limit_s=0.01, warm_start="none")
    assert found.plan is not None


def test_what_a_method_has_proven_is_left_alone():
    """No heuristic is run where nothing is open, so that small sessions take no longer."""
    session, space = layered(3, "2"), PlanSpace()
    ends = [Answer(None, "infeasible", infeasible=True), Answer(None, "optimal")]
    for end in ends:
        assert with_known_plans(session, space, Limits(1.0), lambda _, end=end: end) is end


def test_of_many_modules_the_heuristic_that_grows_in_line_with_them_is_asked_where_the_limit_has_time_for_it():
    """A search that was broken off may hold a plan further from the bound than `price-of-time`'s, as one of six did."""
    session, space = layered(120, "1.3"), PlanSpace()
    ours = evaluate(session, find_solver(IN_LINE).run(session, space, Limits()).plan, space).cost_per_h
    worse = find_solver("piccolo").run(session, space, Limits()).plan
    given = []

    def broken_off(limits):
        given.append(limits.time_limit_s)
        return Answer(worse, "limit", bound=1.0)

    assert with_known_plans(session, space, Limits(60.0), broken_off, rounds=True).claimed == pytest.approx(float(ours))
    assert with_known_plans(session, space, Limits(0.5), broken_off, rounds=True).claimed is None
    # What checking takes is left for both plans, or for the one.
    assert given[0] <= 60 - 2 * 0.12
    assert given[1] == pytest.approx(0.5 * 0.95, abs=1e-3)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(6))
def test_a_search_that_takes_long_holds_the_plan_of_every_quick_heuristic(seed, monkeypatch):
    """A DAG of 100 modules was left after 10 s with a plan 2.4 % above that of `price-of-time`, which takes 0.05 s."""
    monkeypatch.setattr("formulations.session.exact.solver.FIRST_WORK", 0)
    session = layered(100, "1.3", seed)
    quick = [solve(session, name).value for name in (*QUICK, IN_LINE)]
    found = solve(session, "exact", time_limit_s=1.0)
    assert found.value <= min(value for value in quick if value is not None)


@pytest.mark.parametrize("seed", range(10))
def test_a_search_that_begins_again_with_a_known_plan_proves_the_same(seed, monkeypatch):
    """The known plan may be the optimum, which no search then finds again, or one that rounding cannot tell from it."""
    session = small_session(seed)
    at_once = solve(session, "exact")
    monkeypatch.setattr("formulations.session.exact.solver.FIRST_WORK", 0)
    again = solve(session, "exact")
    assert (again.status, again.value) == (at_once.status, at_once.value)


def test_without_a_time_limit_no_heuristic_is_run():
    session, end = layered(3, "2"), Answer(None, "limit")
    assert with_known_plans(session, PlanSpace(), Limits(), lambda _: end) is end


def chain(durations, slo, rate=5, concurrency=1, charging_price=1):
    modules = [
        Module(f"m{i}", rate, [Configuration("h", concurrency, concurrency, d)]) for i, d in enumerate(durations)
    ]
    edges = [(f"m{i}", f"m{i + 1}") for i in range(len(durations) - 1)]
    return Session("chain", slo, [Hardware("h", charging_price)], modules, edges)


@pytest.mark.parametrize(("policy", "dummy"), list(product(IN_SEQUENCE, (DummyRule.MACHINE, DummyRule.CONTINUOUS))))
@pytest.mark.parametrize("durations", [("0.1",), ("0.1", "0.4"), ("0.1", "0.2", "0.3")])
def test_no_plan_of_whole_machines_takes_no_more_than_its_durations(policy, dummy, durations):
    """Collecting takes b/w > 0 at any rate w: an SLO of the sum of durations is missed, however many machines."""
    session = chain(durations, sum(map(Fraction, durations)))
    found = solve(session, "exact", space=PlanSpace(policy, dummy, charging="whole"), time_limit_s=20)
    assert found.status is Status.INFEASIBLE


@pytest.mark.parametrize("policy", IN_SEQUENCE)
def test_nor_does_one_by_share_under_rule_continuous(policy):
    session = chain(("0.1", "0.4"), "0.5")
    assert solve(session, "exact", space=PlanSpace(policy, "continuous"), time_limit_s=20).status is Status.INFEASIBLE


@pytest.mark.fifth("slack")
@pytest.mark.parametrize("slack", ["1e-17", "1e-12", "1e-7", "1e-3"])
def test_a_plan_is_found_however_little_there_is_to_collect_in(slack):
    """0.1 + 0.4 s and a little: some number of machines collects fast enough, though no float may tell."""
    session = chain(("0.1", "0.4"), Fraction("0.5") + Fraction(slack))
    found = solve(session, "exact", charging="whole", time_limit_s=1)
    assert found.plan is not None


def test_prices_far_apart_do_not_make_thousands_of_steps_worth_a_look():
    """Machines at 1 next to a duration, up to what one at 1e12 costs: a search over splits tells that they are no use.

    The first on `slow` and the last on `near` take 0.5 + 0.33 s or more, so one of them runs on `dear`.
    """
    hardware = [Hardware("near", 2), Hardware("dear", 10**12), Hardware("slow", 1)]
    modules = [
        Module("a", 10, [Configuration("slow", 3, 3, "0.5"), Configuration("dear", 2, 1, "0.3")]),
        Module("b", "213.33333333333334", [Configuration("near", 8, 2, "0.15")]),
        Module("c", 16, [Configuration("dear", 3, 1, "0.25"), Configuration("near", 1, 3, "0.33")]),
    ]
    session = Session("far", "0.825", hardware, modules, [("a", "b"), ("a", "c")])
    found = solve(session, "exact", space=PlanSpace("in-turn", charging="whole"), time_limit_s=60)
    # Two machines of `dear` take 10 requests per second of `a`; b and c take 0.375 s or less on a few of `near`.
    assert found.status is Status.OPTIMAL
    assert found.stats["solves"] < 5000


def test_stages_end_with_the_time_that_is_left():
    """Without a deadline there is one stage; of a stage that took longer than what is left, no other is begun."""
    assert first_nodes(float("inf")) > 1 << 50
    assert first_nodes(1.0) == FIRST
    assert next_nodes(100, 0.0, float("inf")) == LATER * 100
    assert next_nodes(100, -1e9, 0.0) == 0


def test_many_modules_leave_time_to_hand_their_plan_over_and_have_no_heuristic_run_after_the_limit(monkeypatch):
    """A process is killed half a second after its limit, with its plan and its bound: of 200 modules 0.2 s are kept."""
    limits, other = [], []

    def made_by(name, *given):
        other.append((name, len(limits)))

    monkeypatch.setattr("formulations.session.known_plans._made_by", made_by)

    def run(given):
        limits.append(given.time_limit_s)
        return Answer(object(), "limit", 2.0, 1.0)

    found = with_known_plans(layered(200, "2"), PlanSpace(), Limits(10.0), run, rounds=True)
    # The one that is asked is asked before the search.
    assert (found.claimed, other) == (2.0, [(IN_LINE, 0)])
    assert limits == [pytest.approx(9.8, abs=1e-3)]


def test_past_the_limit_heuristics_are_run_until_there_is_a_plan(monkeypatch):
    """Each takes a second and the second one finds a plan: two are run, all where none has one, or the limit is far."""
    session, now, asked = layered(4, "2"), [0.0], []
    plan = solve(session, "whole-greedy").plan

    def made_by(name, *given):
        asked.append(name)
        now[0] += 1.0
        return plan if name == finds else None

    monkeypatch.setattr("formulations.session.known_plans._made_by", made_by)
    monkeypatch.setattr(time, "perf_counter", lambda: now[0])
    for finds, deadline, runs in ((QUICK[1], LATE_S, 2), ("none", LATE_S, len(QUICK) + 1), (QUICK[1], 99.0, 4)):
        now[0] = 0.0
        asked.clear()
        found, _ = quick_plan(session, PlanSpace(), None, deadline)
        assert (found, len(asked)) == (None if finds == "none" else plan, runs)


def test_past_the_deadline_no_modes_are_listed():
    """Sixty modules with many modes each would keep a late process busy; what is not listed is not claimed complete."""
    session, space = FAMILY.tiny(PlanSpace(charging="whole"))
    most = [1e3] * len(session.modules)
    listed, late = (modes_below(session, space, most, {}, deadline)[0] for deadline in (float("inf"), 0.0))
    assert (listed.complete, all(listed.modes)) == (True, True)
    assert (late.complete, any(late.modes)) == (False, False)


def test_a_staircase_of_millions_of_modes_stops_at_its_deadline():
    """With millions of machines each search ends before it reads the clock; a packed plan took hours."""
    session, began = layered(4, "2"), time.perf_counter()
    found = modes_below(session, PlanSpace(charging="whole"), [1e9] * 4, {}, began + 0.2)[0]
    assert not found.complete
    assert any(found.modes)
    assert time.perf_counter() - began < 10.0
