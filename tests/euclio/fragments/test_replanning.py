"""Re-planning: plans that are repaired, what moves, hindsight against trying everything, and the study's files."""

from __future__ import annotations

import json
from collections import Counter
from fractions import Fraction
from itertools import pairwise, product

import pytest

from euclio.fragments import Fleet, Fragment, FragmentPlan, FragmentSpace, evaluate
from euclio.fragments.deployment import Instance, deployed, moves, share_of
from euclio.fragments.replanning import study
from euclio.fragments.replanning.__main__ import main
from euclio.fragments.replanning.cuts import at_mean, in_hindsight
from euclio.fragments.replanning.policies import Hindsight, Planner, from_scratch, kept
from euclio.fragments.replanning.repair import Repairer
from euclio.fragments.replanning.timeline import Timeline, budget_at, timeline
from euclio.fragments.stages import Stages
from euclio.fragments.workloads.neurosurgeon import fragment_of
from euclio.fragments.workloads.random_fleets import random_fleet

GRAFT = Planner("graft")


@pytest.fixture(scope="module")
def line() -> Timeline:
    return timeline("mob", 6, 2, 8, 1)


def test_moves_are_what_two_deployments_do_not_share():
    a, b = Instance(0, 4, 1, 20), Instance(2, 4, 8, 35)
    assert moves(Counter({a: 2}), Counter({a: 1, b: 3})) == (3, 1, 105)
    assert moves(Counter({a: 2}), Counter({a: 2})) == (0, 0, 0)
    assert share_of(Counter({a: 2, b: 1})) == 75


@pytest.mark.parametrize("seed", range(5))
def test_what_runs_has_the_share_of_the_plan(seed):
    fleet = random_fleet(seed, 9, 5)
    plan = GRAFT(fleet)
    assert share_of(deployed(fleet, plan)) == evaluate(fleet, plan, FragmentSpace()).value


@pytest.mark.parametrize("seed", range(8))
def test_a_repaired_plan_serves_the_other_fleet(seed):
    """Others come, go, cut elsewhere and have other budgets."""
    before, other = random_fleet(seed, 10, 6), random_fleet(seed + 100, 12, 6)
    fragments = [
        Fragment(f.name, f.partition_point, f.budget_s * Fraction(90 + 5 * (k % 5), 100), f.rate_rps)
        for k, f in enumerate(before.fragments[2:])
    ]
    points = {f.partition_point for f in before.fragments}
    added = [
        Fragment(f"new {f.name}", min(points, key=lambda p: abs(p - f.partition_point)), Fraction(1), f.rate_rps)
        for f in other.fragments[:3]
    ]
    now = Fleet("now", before.network, [*added, *fragments])
    plan = Repairer(Stages(before.network)).repaired(before, GRAFT(before), now)
    assert evaluate(now, plan, FragmentSpace()).feasible


def test_a_plan_of_the_same_fleet_is_left_as_it_is():
    fleet = random_fleet(3, 10, 6)
    plan = GRAFT(fleet)
    repaired = Repairer(Stages(fleet.network)).repaired(fleet, plan, fleet)
    assert not any(moves(deployed(fleet, plan), deployed(fleet, repaired)))


def test_who_leaves_takes_instances_along_that_nobody_needs():
    fleet = random_fleet(3, 10, 6)
    few = Fleet("few", fleet.network, fleet.fragments[:2])
    repaired = Repairer(Stages(fleet.network)).repaired(fleet, GRAFT(fleet), few)
    change = moves(deployed(fleet, GRAFT(fleet)), deployed(few, repaired))
    assert change.started == 0
    assert change.stopped > 0


def test_a_kept_plan_is_taken_anew_when_it_is_due(line):
    new, old = from_scratch(line, GRAFT), kept(line, GRAFT)
    assert kept(line, GRAFT, every=1).plans == new.plans
    assert kept(line, GRAFT, every=4).plans[4] == new.plans[4]
    assert old.plans[0] == new.plans[0]
    shares = [share_of(d) for d in kept(line, GRAFT, worse=0.1).deployments]
    least = [share_of(d) for d in new.deployments]
    assert all(share <= 1.1 * known for share, known in zip(shares, least, strict=True))


def test_hindsight_is_the_best_of_all_sequences():
    short = timeline("inc", 4, 1, 4, 3)
    hindsight, repairer = Hindsight(short, GRAFT), Repairer(Stages(short.fleets[0].network))
    choices = [[GRAFT(now), *(repairer.repaired(old, GRAFT(old), now) for old in short.fleets)] for now in short.fleets]

    def seconds(plans: tuple[FragmentPlan, ...], shadow_s: float) -> float:
        running = [deployed(now, plan) for now, plan in zip(short.fleets, plans, strict=True)]
        started = sum(moves(a, b).shadow_pct for a, b in pairwise(running))
        return sum(map(share_of, running)) + shadow_s * started

    for shadow_s in (0.0, 0.5, 3.0):
        assert seconds(hindsight.best(shadow_s).plans, shadow_s) == min(
            seconds(plans, shadow_s) for plans in product(*choices)
        )


def test_the_budget_at_a_cut_is_that_of_neurosurgeon(line):
    for client in line.clients:
        for t in range(len(line.fleets)):
            found = client.after(t)
            if found is not None:
                left = budget_at(client, found.partition_point, t)
                assert left is not None
                assert 0 <= left - found.budget_s < Fraction(1, 1000)
    mbps = line.clients[0].trace[0]
    assert fragment_of("a", line.clients[0].model, line.clients[0].device, mbps, Fraction(1, 1000), 30) is None


def test_plans_that_stay_say_how_often_they_are_late(line):
    mean, fixed = at_mean(line, GRAFT), in_hindsight(line, GRAFT)
    assert 0 <= mean.missed <= 1
    assert fixed.missed == 0
    assert {f.name for f in fixed.fleet.fragments} == {client.name for client in line.clients}


def test_the_study_writes_table_figures_and_rows(tmp_path, capsys):
    main(["--models", "mob", "--seconds", "4", "--clients", "4", "--out", str(tmp_path / "a")])
    main(["--models", "mob", "--seconds", "4", "--clients", "4", "--out", str(tmp_path / "b")])
    assert capsys.readouterr().out == f"{tmp_path / 'a'}\n{tmp_path / 'b'}\n"
    for name in ("replanning.json", "replanning.md", "replanning.svg"):
        assert (tmp_path / "a" / name).read_bytes() == (tmp_path / "b" / name).read_bytes()
    rows = json.loads((tmp_path / "a" / "replanning.json").read_text())["rows"]
    assert {row["planner"] for row in rows} == set(study.SOLVERS.values())
    optimum = [row for row in rows if (row["planner"], row["policy"]) == ("optimum", study.SCRATCH)]
    assert [row["above"] for row in optimum] == [0.0]
    moving = [row for row in rows if row["policy"] not in (study.MEAN, study.FIXED)]
    assert all(row["above"] >= 0 for row in moving)
