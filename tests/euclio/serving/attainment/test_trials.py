"""Simulations that statements are made from: requests that the search has not seen, as many as it takes."""

from dataclasses import replace
from fractions import Fraction

import pytest
from worked_examples import M_3, module

from euclio import solve
from euclio.problems.session import Hardware, Session
from euclio.problems.session.space import FULL_SPACE
from euclio.serving.attainment.confidence import FEWEST_BLOCKS
from euclio.serving.attainment.demand import Demand
from euclio.serving.attainment.long_run import Run
from euclio.serving.attainment.margins import alike, spare_space, stricter, with_spare
from euclio.serving.attainment.trials import Trials
from euclio.serving.session import Setup, simulate
from euclio.serving.session.system import build_system

SPACE = spare_space(FULL_SPACE)
SESSION = Session("one", "1.4", [Hardware("gpu", 1)], [module("b", 60, M_3)])
STEPS = [(b, f"{0.0022 + 0.00098 * b:.5f}") for b in (1, 4, 16, 64)]
FEW = Session("few", "0.15", [Hardware("gpu", 1)], [module("m", 1500, STEPS)])
"""Two machines with large batches at next to full use: late requests come rarely, and hundreds at a time."""


def plan_of(session, rate):
    """The optimum for so much more requests."""
    margins = alike(session, Fraction(rate))
    made = solve(stricter(session, margins))
    return with_spare(session, made.plan, made.evaluation, margins)


def trials(session, setup, target=0.99, seed=0):
    return Trials(session, SPACE, Demand(target, setup), seed)


def test_windows_count_what_a_simulation_counts():
    plan, setup = plan_of(SESSION, "0.1"), Setup(seconds=100, seed=5, dummies=False, partial="shared")
    counted = Run(build_system(SESSION, plan, SPACE, setup), setup, 1.0, 100).go_on(100)
    again = simulate(SESSION, plan, setup, SPACE)
    assert counted.arrived.sum() == again.arrived
    assert counted.arrived.sum() - counted.late.sum() == round(again.attainment * again.arrived)


@pytest.mark.parametrize("setup", [Setup(), Setup(dropping="hopeless"), Setup("on-off", noise=0.2)])
def test_a_simulation_in_pieces_is_the_same(setup):
    """Also at a load that machines cannot take, where requests wait beyond the end."""
    setup = replace(setup, dummies=False, partial="shared", seed=3)
    for rate in ("0", "0.3"):
        system = build_system(SESSION, plan_of(SESSION, rate), SPACE, setup)
        whole, pieces = Run(system, setup, 0.5, 400), Run(system, setup, 0.5, 400)
        pieces.go_on(100)
        found, once = pieces.go_on(400), whole.go_on(400)
        assert (found.arrived == once.arrived).all()
        assert (found.slower == once.slower).all()
        assert (once.slower >= 0).all()
        assert (once.slower <= once.arrived).all()


@pytest.mark.slow
def test_every_judgement_has_requests_of_its_own():
    plan, asked = plan_of(SESSION, "0.3"), trials(SESSION, Setup())
    first, second = (asked.judged(plan, attempt, None) for attempt in (0, 1))
    assert first.seed != second.seed
    # Each look has a part of what the judgement is allowed.
    assert first.estimate.confidence > 0.975
    assert second.estimate.confidence > 1 - 0.025 / 7
    assert trials(SESSION, Setup()).judged(plan, 0, None) == first
    assert trials(SESSION, Setup(), seed=1).judged(plan, 0, None).seed != first.seed


@pytest.mark.slow
def test_it_takes_longer_where_late_requests_come_in_clusters():
    """At a target of 99 % a million requests are enough where they come one by one."""
    few = trials(FEW, Setup()).judged(plan_of(FEW, "0.06"), 0, None).estimate
    many = trials(SESSION, Setup()).judged(plan_of(SESSION, "0.1"), 0, None).estimate
    assert few.requests > 2 * many.requests


def test_a_plan_at_full_use_is_certain_of_nothing():
    """It has no steady state: a longer simulation always keeps less."""
    found = trials(SESSION, Setup(), 0.5).judged(plan_of(SESSION, "0"), 0, None).estimate
    assert found.lower < 0.5


def test_evenly_spaced_requests_that_are_all_in_time_are_so_but_for_what_was_not_looked_at():
    found = trials(SESSION, Setup("uniform")).judged(plan_of(SESSION, "0.1"), 0, None).estimate
    assert found.share == 1.0
    assert found.lower > 0.9999


def test_a_trace_is_replayed_in_whole_cycles():
    """Its rush is a tenth of it: parts of a cycle would keep more or less than all of it."""
    times = [k * (0.5 if k % 1000 < 100 else 1) for k in range(5000)]
    setup = Setup("trace", trace_s=tuple(sorted(times)))
    found = trials(SESSION, setup, 0.5).judged(plan_of(SESSION, "1"), 0, None)
    assert found.seconds * 60 * 8 / 9 / 4999 == pytest.approx(round(found.seconds * 60 * 8 / 9 / 4999), abs=1e-6)


def test_no_time_left_makes_it_as_short_as_may_be():
    plan = plan_of(FEW, "0.06")
    short = trials(FEW, Setup()).judged(plan, 0, 0.0)
    assert short.seconds < trials(FEW, Setup()).judged(plan, 0, None).seconds
    assert short.estimate.blocks >= FEWEST_BLOCKS or short.estimate.lower == 0.0


@pytest.mark.slow
def test_what_is_above_the_target_is_shown_and_what_is_below_is_given_up():
    """A plan that misses 0.9 of what it may shows that, served long enough; one that misses 1.4 is given up."""
    plan = plan_of(SESSION, "0.1")
    missed = 1 - trials(SESSION, Setup(), 0.5).judged(plan, 0, None).estimate.share
    above, below = (trials(SESSION, Setup(), 1 - missed * more) for more in (1.1, 0.7))
    shown, given_up = above.judged(plan, 1, None).estimate, below.judged(plan, 1, None).estimate
    assert shown.lower >= 1 - missed * 1.1
    assert given_up.requests < 500_000
    assert given_up.lower < 1 - missed * 0.7


@pytest.mark.slow
def test_a_search_looks_longer_at_what_is_near_the_least():
    """Whether a plan passes is decided by as many requests as it takes; what is far from the least by few."""
    plan, asked = plan_of(SESSION, "0.1"), trials(SESSION, Setup())
    share = asked.searched(plan, 0.0)
    seen = []
    asked._run, made = (lambda *given: seen.append(made(*given)) or seen[-1]), asked._run
    for least in (1 - 3 * (1 - share), share):
        asked.searched(plan, least)
    far, near = (run.go_on(0).arrived.sum() for run in seen)
    assert near > 1.5 * far
