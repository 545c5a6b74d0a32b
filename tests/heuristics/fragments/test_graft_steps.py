"""Graft's loss by step: plans that may choose all that the one before may, down to the optimum."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import pytest

from euclio.core.registry import Limits, find_solver
from euclio.core.solving import solve
from euclio.core.tables import to_text
from euclio.problems.fragments import Budgets, FragmentSpace, Sharing, evaluate
from euclio.problems.fragments.space import FULL_FRAGMENT_SPACE
from euclio.questions.comparison.decomposing import decompose, goal_of, steps_of, steps_table
from euclio.workloads.fragments.random_fleets import random_fleet, small_fleet
from heuristics.fragments.graft import GraftOptions, Merging, solve_graft
from heuristics.fragments.steps import graft_steps
from tests.drawn.fleets import limited_fleet

STEPS = ["stages", "re-partition point", "division", "grouping", "group size", "merging"]
VARIANTS = [GraftOptions(), GraftOptions(merging=Merging.UNIFORM), GraftOptions(merging=Merging.NONE, group_size=2)]


@pytest.mark.parametrize("options", VARIANTS)
@pytest.mark.parametrize("space", [FULL_FRAGMENT_SPACE, FragmentSpace(budgets=Budgets.OWN, max_instances=2)])
@pytest.mark.parametrize("drawn", [small_fleet, limited_fleet])
@pytest.mark.parametrize("seed", range(6))
def test_each_step_made_the_best_possible_loses_nothing_and_leads_to_the_optimum(seed, drawn, space, options):
    """A step made the best possible never adds shares, and all of them are the optimum if nothing is merged."""
    fleet = drawn(seed)
    plan = solve_graft(fleet, space, Limits(), options=options).plan
    found = list(graft_steps(fleet, space, Limits(), options=options))
    if plan is None:
        assert not found
        return
    values = [evaluate(fleet, own, space).value for _, own in found]
    assert [step for step, _ in found] == STEPS
    assert values[0] == evaluate(fleet, plan, space).value
    assert all(after <= before for before, after in pairwise(values))
    optimum = solve(fleet, "set-partition", space=space).value
    assert values[-1] >= optimum
    if options.merging is Merging.NONE:
        assert values[-1] == optimum


def test_steps_that_are_not_proven_are_counted_with_the_one_before():
    fleet = random_fleet(1, 6, 4)
    limited = replace(FULL_FRAGMENT_SPACE, max_members=3)
    found = list(graft_steps(fleet, limited, Limits(), options=GraftOptions()))
    assert [step for step, _ in found] == [*STEPS[:3], "grouping, group size and merging"]
    assert all(evaluate(fleet, plan, limited).feasible for _, plan in found)


def test_a_space_without_realignment_has_no_steps():
    assert not list(graft_steps(small_fleet(0), FragmentSpace(Sharing.UNIFORM), Limits(), options=GraftOptions()))


def test_losses_of_the_steps_add_up_to_the_gap():
    fleets = [random_fleet(seed, 7, 5) for seed in (1, 2)]
    solvers = [find_solver("graft"), find_solver("gslice")]
    table = decompose(fleets, ["graft", "gslice"])
    steps = steps_of(fleets, solvers, table)
    assert set(steps.solver) == {"graft"}
    whole = steps.groupby("instance").extra.sum()
    for row in table[table.solver == "graft"].itertuples():
        assert whole[row.instance] == pytest.approx(row.total - 1)
    text = to_text(steps_table(steps, goal_of(table)))
    assert text.startswith("extra GPU share by step of the heuristic")
    assert "grouping" in text


def test_systems_that_do_not_know_their_steps_have_no_rows():
    fleets = [random_fleet(1, 3, 3)]
    table = decompose(fleets, ["gslice"])
    assert steps_of(fleets, [find_solver("gslice")], table).empty
