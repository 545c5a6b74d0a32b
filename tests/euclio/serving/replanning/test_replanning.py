"""Re-planning: plans that are repaired, what moves, hindsight against trying everything, and the study's files."""

from __future__ import annotations

import json
from collections import Counter
from fractions import Fraction
from itertools import pairwise, product

import pytest

from euclio.problems.fragments import Fleet, Fragment, FragmentPlan, FragmentSpace, Server, evaluate
from euclio.problems.fragments.deployment import Instance, deployed, moves, share_of
from euclio.problems.fragments.stages import Stages
from euclio.serving.replanning import study
from euclio.serving.replanning.__main__ import main
from euclio.serving.replanning.policies import (
    Followed,
    Hindsight,
    Planner,
    Repairer,
    Timeline,
    budget_at,
    from_scratch,
    kept,
)
from euclio.serving.replanning.study import at_mean, in_hindsight, late
from euclio.workloads.fragments.neurosurgeon import fragment_of
from euclio.workloads.fragments.random_fleets import on, random_fleet

GRAFT = Planner("graft")


@pytest.fixture(scope="module")
def line() -> Timeline:
    return Followed("mob", 6, 2, 8, 1).timeline()


def test_moves_are_what_two_deployments_do_not_share():
    a, b = Instance(0, 4, 1, 20), Instance(2, 4, 8, 35)
    assert moves(Counter({a: 2}), Counter({a: 1, b: 3})) == (3, 1, 105)
    assert moves(Counter({a: 2}), Counter({a: 2})) == (0, 0, 0)
    assert share_of(Counter({a: 2, b: 1})) == 75


@pytest.mark.parametrize("seed", range(5))
def test_what_runs_has_the_share_of_the_plan(seed):
    """Instances that are counted as running are those of the plan, or a change would be priced wrong."""
    fleet = random_fleet(seed, 9, 5)
    plan = GRAFT(fleet)
    assert share_of(deployed(fleet, plan)) == evaluate(fleet, plan, FragmentSpace()).value


@pytest.mark.parametrize("server", [None, Server(200), Server(gpu_instances=4)], ids=str)
@pytest.mark.parametrize("seed", range(8))
def test_a_repaired_plan_serves_the_other_fleet(seed, server):
    """Others come, go, cut elsewhere and have other budgets; instances keep to their share of GPU memory."""
    before, other = random_fleet(seed, 10, 6), random_fleet(seed + 100, 12, 6)
    if server is not None:
        before = on(before, server, 50)
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
    short = Followed("inc", 4, 1, 4, 3).timeline()
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


def test_a_bandwidth_that_holds_gives_a_fleet_per_value_of_the_trace():
    """240 s at 60 s a value are the first four values, one fleet each; 241 s reach a fifth."""
    by_second, by_minute = (
        Followed("mob", 4, 1, 5, 1, name="a").timeline(),
        Followed("mob", 4, 1, 241, 1, name="a", step_s=60).timeline(),
    )
    assert by_minute.fleets == by_second.fleets
    assert (by_second.step_s, by_minute.step_s) == (1, 60)
    assert len(Followed("mob", 4, 1, 240, 1, step_s=60).timeline().fleets) == 4


def test_equal_fleets_are_planned_once():
    """Measured traces of one and two values: every second fleet is the same object, so that a planner knows it."""
    traces = [(Fraction(40),), (Fraction(40), Fraction(90))]
    repeated = Followed("mob", 3, 1, 6, 1, traces).timeline()
    assert len({id(fleet) for fleet in repeated.fleets}) == len(set(repeated.fleets)) <= 2


def test_a_trigger_is_a_client_that_cuts_elsewhere_and_not_another_budget():
    fleet = random_fleet(3, 4, 6)
    first = fleet.fragments[0]
    tighter = Fragment(first.name, first.partition_point, first.budget_s * Fraction(99, 100), first.rate_rps)
    point = next(f.partition_point for f in fleet.fragments if f.partition_point != first.partition_point)
    elsewhere = Fragment(first.name, point, Fraction(1), first.rate_rps)
    rest = fleet.fragments[1:]
    fleets = [
        fleet,
        Fleet("tighter", fleet.network, [tighter, *rest]),
        Fleet("elsewhere", fleet.network, [elsewhere, *rest]),
        Fleet("gone", fleet.network, rest),
        Fleet("still", fleet.network, rest),
    ]
    seen = Timeline("seen", (), tuple(fleets))
    assert seen.triggers == (0, 2, 3)
    assert [fleet.name for fleet in seen.held().fleets] == [fleet.name, fleet.name, "elsewhere", "gone", "gone"]


def test_between_triggers_the_plan_stays_and_whoever_has_too_little_time_is_late(line):
    """Budgets of the second step are a tenth of what the plan takes: all clients of it are late, none of the first."""
    first = line.fleets[0]
    plan = GRAFT(first)
    hasty = Fleet(
        "hasty",
        first.network,
        [Fragment(f.name, f.partition_point, f.budget_s / 100, f.rate_rps) for f in first.fragments],
    )
    seen = Timeline("seen", line.clients, (first, hasty))
    held = from_scratch(seen.held(), GRAFT)
    assert held.plans == (plan, plan)
    assert late(seen, held) == len(first.fragments) / (2 * len(line.clients))
    assert late(line, from_scratch(line, GRAFT)) == 0


def test_stretches_begin_where_they_stand_in_the_whole():
    whole = Followed("mob", 4, 1, 12, 1).timeline()
    parts = Followed("mob", 4, 1, 12, 1).stretches(number=3, length=2)
    assert [part.fleets for part in parts] == [whole.fleets[0:2], whole.fleets[4:6], whole.fleets[8:10]]
    for part, begin in zip(parts, (0, 4, 8), strict=True):
        bandwidths = [client.uplink_mbps(1) for client in part.clients]
        assert bandwidths == [client.uplink_mbps(begin + 1) for client in whole.clients]


def test_the_break_even_is_where_share_and_starts_cost_the_same():
    """4 % more share and 30 % less started a step: 4/30 of a step, 0.133 s by the second and 8 s by the minute."""

    def row(share_pct: float, shadow_pct: float, step_s: int) -> study.PolicyRow:
        return study.PolicyRow("a", "optimum", "b", 0.0, share_pct, 0.0, 0.0, shadow_pct, 0.0, step_s, 1.0, ())

    assert study.break_even_s(row(76, 60, 1), row(80, 30, 1)) == pytest.approx(4 / 30)
    assert study.break_even_s(row(76, 60, 60), row(80, 30, 60)) == pytest.approx(8)
    assert study.break_even_s(row(76, 30, 1), row(80, 30, 1)) is None


@pytest.mark.slow
def test_the_study_follows_minutes_and_stretches_on_the_trigger(tmp_path, monkeypatch):
    """The page keeps what stands outside of its marks, and gets both lengths of a step."""
    monkeypatch.setattr(study, "LONGEST", 5)
    monkeypatch.setattr(study, "STRETCHES", 2)
    monkeypatch.setattr(study, "STRETCH", 2)
    page = tmp_path / "page.md"
    page.write_text("before\n\n<!-- replanning -->\nold\n<!-- /replanning -->\n\nafter\n")
    arguments = ["--models", "mob", "--clients", "4", "--seconds", "180", "--bandwidth-every", "60,1", "--trigger"]
    main([*arguments, "--out", str(tmp_path), "--page", str(page)])
    rows = json.loads((tmp_path / "replanning.json").read_text())["rows"]
    assert {row["step_s"] for row in rows} == {60, 1}
    assert {row["policy"] for row in rows} >= {study.TRIGGERED, study.TRIGGERED_WITHIN}
    assert all(row["planned"] <= 1 for row in rows)
    text = page.read_text()
    assert text.startswith("before\n")
    assert text.endswith("after\n")
    assert "every minute, seeded" in text
    assert "old" not in text


def test_a_page_without_marks_is_refused_in_one_line(tmp_path, capsys):
    page = tmp_path / "page.md"
    page.write_text("no marks\n")
    arguments = ["--models", "mob", "--clients", "3", "--seconds", "2", "--out", str(tmp_path), "--page", str(page)]
    with pytest.raises(SystemExit) as ended:
        main(arguments)
    assert ended.value.code == 2
    assert "page.md has no place for replanning" in capsys.readouterr().err
    assert page.read_text() == "no marks\n"


def test_plans_that_stay_say_how_often_they_are_late(line):
    mean, fixed = at_mean(line, GRAFT), in_hindsight(line, GRAFT)
    assert 0 <= mean.missed <= 1
    assert fixed.missed == 0
    assert {f.name for f in fixed.fleet.fragments} == {client.name for client in line.clients}


@pytest.mark.slow
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
