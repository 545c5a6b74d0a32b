"""The least cost by changes: every step is what solving with that limit gives, and between steps nothing falls."""

import csv
import io
import json
from dataclasses import replace
from fractions import Fraction

import pytest

from euclio import solve
from euclio.core.errors import InputError
from euclio.core.figures import figure_style, svg_text
from euclio.core.registry import Solver
from euclio.core.result import Answer, Status
from euclio.core.tables import to_text
from euclio.problems.session import Configuration, Hardware, Module, PlanSpace, Session, evaluate
from euclio.problems.session.changes import SessionChanges
from euclio.problems.session.running import Running, RunningMachines
from euclio.questions.change_costs import MOST_SOLVED, change_costs
from euclio.questions.figures import draw_change_costs
from euclio.questions.tables import change_costs_csv, change_table, describe_change_costs
from euclio.workloads.session.random_sessions import random_session

WHOLE = PlanSpace(charging="whole")


def moving(rate=40, slo=9):
    """One module: machines A take 10 requests per second for 3, machines B take 20 for 4; four A run."""
    profile = [Configuration("A", 1, 1, "0.1"), Configuration("B", 1, 1, "0.05")]
    session = Session("moving", slo, [Hardware("A", 3), Hardware("B", 4)], [Module("m", rate, profile)])
    return replace(session, running=Running((RunningMachines("m", "A", 4),)))


def summary(curve):
    return [(step.most, step.cost_per_h) for step in curve.steps]


def test_machines_are_exchanged_step_by_step():
    """Two A give way to one B: three changes, twice, save 2 each."""
    curve = change_costs(moving())
    assert summary(curve) == [(0, 12), (3, 10), (6, 8)]
    assert [curve.saved(step) for step in curve.steps] == [0, 2, 4]
    assert [curve.part_of_saving(step) for step in curve.steps] == [0, Fraction(1, 2), 1]
    assert curve.steps[1].moves.added == {("m", "B"): 1}
    assert curve.steps[1].moves.removed == {("m", "A"): 2}
    assert (curve.reached, curve.complete, curve.without_plan, curve.running_per_h) == (True, True, None, 12)


def test_changes_without_a_plan_come_before_the_first_step():
    curve = change_costs(moving(80))
    assert curve.without_plan.most == 1
    assert curve.without_plan.result.status is Status.INFEASIBLE
    assert summary(curve) == [(2, 20), (5, 18), (8, 16)]


def test_a_largest_number_of_changes_ends_the_curve():
    curve = change_costs(moving(), most=4)
    assert summary(curve) == [(0, 12), (3, 10)]
    assert (curve.reached, curve.free.cost_per_h, curve.part_of_saving(curve.steps[1])) == (False, 8, Fraction(1, 2))
    assert "without a limit: 8.000, with 6 changes" in to_text(change_table(curve))


def test_a_price_on_changes_is_part_of_the_cost():
    changes = SessionChanges(price_per_change_per_h=Fraction(1, 2))
    assert summary(change_costs(moving(), changes=changes)) == [(0, 12), (3, Fraction(23, 2)), (6, 11)]
    changes = SessionChanges(price_per_change_per_h=Fraction(1))
    assert summary(change_costs(moving(), changes=changes)) == [(0, 12)]


def test_no_plan_at_all():
    curve = change_costs(moving(slo="0.01"))
    assert (curve.steps, curve.tried, curve.free.result.status) == ((), (), Status.INFEASIBLE)
    assert "without a limit on changes: infeasible" in to_text(change_table(curve))
    assert describe_change_costs(curve)["without_limit"]["cost_per_h"] is None
    assert draw_change_costs(curve)


def test_without_what_runs_it_is_refused():
    with pytest.raises(InputError, match="is needed: the result whose plan runs"):
        change_costs(replace(moving(), running=None))


def test_a_solver_that_does_not_cover_changes_is_refused():
    with pytest.raises(InputError, match="does not cover"):
        change_costs(moving(), solver="harpagon")


@pytest.mark.parametrize("seed", range(8))
def test_every_limit_has_the_cost_of_the_last_step_before_it(seed):
    """Next to solving each number of changes alone."""
    session = random_session(seed)
    plan = solve(session, "exact", space=WHOLE, time_limit_s=5)
    if plan.value is None:
        return
    from euclio.problems.session.machine_limits import machine_counts, named_plan

    counts = machine_counts(named_plan(session, plan.plan))
    running = tuple(RunningMachines(*place, count) for place, count in sorted(counts.items()))
    factor = Fraction(4, 5) if seed % 2 else Fraction(6, 5)
    modules = tuple(replace(module, rate_rps=module.rate_rps * factor) for module in session.modules)
    changed = replace(session, modules=modules, running=Running(running))
    curve = change_costs(changed, time_limit_s=5)
    assert curve.complete
    for most in range((curve.tried[-1].most if curve.tried else 0) + 2):
        limited = replace(changed, running=Running(running, most))
        alone = solve(limited, "exact", space=WHOLE, time_limit_s=5)
        before = [step for step in curve.steps if step.most <= most]
        assert (alone.value is None) == (not before)
        if before:
            assert before[-1].cost_per_h == alone.value
            assert evaluate(limited, before[-1].result.plan, WHOLE).feasible


def test_many_falls_are_put_together():
    """A hundred A that give way to B one by one: two thirds of the falls stay unknown, and the table says so."""
    profile = [Configuration("A", 1, 1, "0.1"), Configuration("B", 1, 1, "0.1")]
    session = Session("many", 9, [Hardware("A", 3), Hardware("B", 2)], [Module("m", 1000, profile)])
    session = replace(session, running=Running((RunningMachines("m", "A", 100),)))
    calls = []

    def counting(session, space, limits):
        calls.append(session.running and session.running.most_changes)
        return solve(session, "exact", space=space).plan and Answer(solve(session, "exact", space=space).plan, "done")

    solver = Solver("counting", "heuristic", "as exact", counting, covers=frozenset({"whole", "changes"}))
    curve = change_costs(session, solver=solver, space=WHOLE)
    assert not curve.complete
    assert len(calls) <= MOST_SOLVED + 4
    costs = [cost for _, cost in summary(curve)]
    assert costs == sorted(costs, reverse=True)
    assert (costs[0], costs[-1]) == (300, 200)
    assert "there may be others at which the cost falls" in to_text(change_table(curve))


def test_the_table_the_file_and_the_figure_say_the_same():
    curve = change_costs(moving(80))
    text = to_text(change_table(curve))
    assert "running: 4 machines, 12 per hour" in text
    assert "0 to 1" in text
    assert "+3 B, -2 A" in text
    assert "more changes save nothing: this is the cheapest plan, 16.000" in text
    rows = list(csv.DictReader(io.StringIO(change_costs_csv(curve))))
    assert [(row["most_changes"], row["cost_per_h"], row["added_B"]) for row in rows] == [
        ("2", "20", "2"),
        ("5", "18", "3"),
        ("8", "16", "4"),
        ("", "16", "4"),
    ]
    found = describe_change_costs(curve)
    assert (found["schema"], found["no_plan_up_to"], found["complete"]) == ("euclio/change-costs/1", 1, True)
    json.dumps([step["status"] for step in found["steps"]])
    with figure_style():
        figures = [svg_text(draw_change_costs(own), "a", "costs") for own in (curve, change_costs(moving(80)))]
    assert "no plan" in figures[0]
    assert figures[0] == figures[1]
