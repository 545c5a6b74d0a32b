"""What planners are asked, and what they answer."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from fractions import Fraction

import pytest

from euclio.problems.session.running import RunningMachines
from euclio.serving.dynamics.rules import SCROOGE, Planner, Question, nexus, planned
from euclio.workloads.session.scrooge_sessions import find_scrooge_application

ONE = (Fraction(1),) * 3


def question(*rates, without=frozenset()):
    return Question(tuple(map(Fraction, rates)), ONE, frozenset(without))


def test_rates_are_rounded_up_to_steps():
    planner = Planner(step=Fraction(1, 10))
    assert planner.rounded(1.0) == 1
    assert planner.rounded(1.05) == Fraction("1.1")
    assert planner.rounded(1.1) == Fraction("1.1")
    assert planner.rounded(0.95) == 1
    for value in (0.3, 7.7, 250.0):
        assert value * (1 - 1e-5) <= planner.rounded(value) <= value * 1.1


@pytest.mark.parametrize("solver", ["scrooge-milp", "scrooge-greedy", "harpagon", "exact"])
def test_any_registered_planner_plans(solver):
    found = planned("face", Planner(solver), question(100, 100, 400))
    assert found is not None
    for m, rate in enumerate((100, 100, 400)):
        given = sum(machine.rate_rps for machine in found.machines if machine.module == m)
        assert given >= rate
    assert {machine.configuration.hardware for machine in found.machines if machine.module == 1} == {"CPU"}
    assert all(0 < machine.share <= 1 for machine in found.machines)


def test_nexus_plans_for_one_type_with_a_gpu_and_no_concurrency():
    found = planned("face", nexus(3).planner, question(100, 100, 400))
    assert found is not None
    assert {machine.module for machine in found.machines} == {0, 2}
    assert {machine.configuration.hardware for machine in found.machines} == {"P100"}
    assert {machine.configuration.concurrency for machine in found.machines} == {1}


def test_a_type_that_is_sold_out_is_left_out():
    asked = question(40, 120, 60)
    both = planned("traffic", SCROOGE.planner, asked)
    one = planned("traffic", SCROOGE.planner, asked._replace(without=frozenset({"P100"})))
    assert both is not None
    assert one is not None
    assert {machine.configuration.hardware for machine in one.machines} == {"V100"}
    assert one.cost_per_h >= both.cost_per_h
    assert planned("traffic", SCROOGE.planner, asked._replace(without=frozenset({"P100", "V100"}))) is None


def test_more_is_planned_for_where_little_comes():
    """At one request per second a machine collects a batch for longer than the objective, by the model."""
    found = planned("traffic", SCROOGE.planner, question(2, 1, 1))
    assert found is not None
    assert sum(machine.rate_rps for machine in found.machines if machine.module == 0) > 2


def test_ballooning_and_no_pipelining_make_executions_longer():
    asked = question(40, 120, 60)
    slower = planned("traffic", Planner(slower=Fraction(6, 5)), asked)
    ballooned = planned("traffic", Planner(), asked._replace(balloons=(Fraction(6, 5),) * 3))
    assert slower is not None
    assert ballooned is not None
    assert slower.machines == ballooned.machines


def test_modules_that_are_left_out_are_passed_over():
    """Nexus' detector is followed by keypoints at once: the crop between them takes no time of its plan."""
    face = find_scrooge_application("face")
    assert nexus(1).planner.planned_modules(face) == (0, 2)
    assert SCROOGE.planner.planned_modules(face) == (0, 1, 2)


def machines_of(found, module):
    """Types of the machines of a module, each with their number."""
    return Counter(machine.configuration.hardware for machine in found.machines if machine.module == module)


def test_state_keeps_its_machines_where_moving_it_costs_more_than_is_saved():
    """Three of its machines run on the type that the cheapest plan does not take; seven moves cost $70 an hour."""
    asked = Question(tuple(map(Fraction, (4, 4, 4))), ONE)
    cheapest = planned("caption", Planner("exact"), asked)
    (kind,) = machines_of(cheapest, 2)
    other = {"P100": "V100", "V100": "P100"}[kind]
    running = (RunningMachines("text", other, 3),)
    weighed = asked._replace(state=(("text", Fraction(10)),), running=running)
    kept = planned("caption", Planner("exact"), weighed)
    assert machines_of(kept, 2) == {other: 3}
    free = planned("caption", Planner("exact"), weighed._replace(state=()))
    assert machines_of(free, 2) == machines_of(cheapest, 2)
    # What moving costs is paid once: it is no part of what the plan costs per hour.
    assert free.cost_per_h == cheapest.cost_per_h < kept.cost_per_h
    little = planned("caption", Planner("exact"), weighed._replace(state=(("text", Fraction(1, 10**6)),)))
    assert little.cost_per_h == cheapest.cost_per_h


def test_what_state_costs_per_hour_is_spread_over_the_time_that_a_plan_is_kept():
    """Five cents, kept for half a minute, are as much as $6 an hour; what is not weighed costs a plan nothing."""
    rules = replace(SCROOGE, state={"text": Fraction("0.05"), "order": Fraction(0)})
    assert rules.state_per_h == ()
    assert replace(rules, kept_s=Fraction(30)).state_per_h == (("text", Fraction(6)),)
