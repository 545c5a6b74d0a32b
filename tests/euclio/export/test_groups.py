"""Plans as groups of machines: whose numbers they are, and who takes turns with whom."""

from dataclasses import replace
from fractions import Fraction

import pytest
from tiny_sessions import one_configuration_plan, tiny_session
from worked_examples import M_3, module_plan, one_module, plan, scrooge, scrooge_best_plan

from euclio.export.exporters import csv_rows
from euclio.export.groups import deployment
from euclio.export.remarks import plan_remarks
from euclio.problems.session import Configuration, Hardware, Module, Plan, PlanSpace, Policy, Session, evaluate
from euclio.problems.session.policies import POLICIES

NO_DUMMIES = PlanSpace(dummy="none")


def groups(session, plan, space=NO_DUMMIES):
    return deployment(session, plan, space).groups


def test_a_partial_machine_gathers_from_its_own_rate():
    """M_3 at 198 req/s: four machines of batch 32 take 160 and gather 32/198 s, one takes 38 and gathers 32/38 s."""
    session = one_module(M_3, 198, 2)
    whole, partial = groups(session, plan(session, (32, 4), partial=38))
    assert (whole.machines, whole.rate_rps, whole.gathering_s) == (4, 40, Fraction(32, 198))
    assert (partial.machines, partial.rate_rps, partial.gathering_s) == (1, 38, Fraction(32, 38))
    assert (whole.load, partial.load) == (1, Fraction(38, 40))


@pytest.mark.parametrize("policy", [p for p in POLICIES if p.bounded_by or p is Policy.TC_SHARED])
def test_the_worst_group_of_a_module_is_what_the_checker_says(policy):
    session = one_module(M_3, 198, 3)
    made, space = plan(session, (32, 4), partial=38), PlanSpace(policy, "none")
    found = groups(session, made, space)
    checked = evaluate(session, made, space)
    assert max(group.latency_s for group in found) == checked.modules[0].worst_case_latency_s
    assert sum(group.machines * group.rate_rps for group in found) == 198


@pytest.mark.parametrize("policy", ["tc-shared", "in-turn", "rr-even", "machine-rate-even"])
def test_machines_with_equal_rates_are_one_group(policy):
    """198 req/s on five machines of 40: 39.6 each."""
    session = one_module(M_3, 198, 3)
    (group,) = groups(session, plan(session, (32, 4), partial=38), PlanSpace(policy, "none"))
    assert (group.machines, group.rate_rps, group.partial) == (5, Fraction("39.6"), False)


def test_a_lone_machine_below_its_rate_is_a_group():
    session = one_module(M_3, 20, 3)
    (group,) = groups(session, plan(session, (32, 0), partial=20), PlanSpace("tc-shared", "none"))
    assert (group.machines, group.rate_rps, group.load) == (1, 20, Fraction(1, 2))


def test_dummies_count_where_batches_gather():
    """M_3 at 198 req/s and 2 of dummies: five machines of batch 32 gather 32/200 s."""
    session = one_module(M_3, 198, 1)
    (group,) = groups(session, plan(session, (32, 5), dummy=2), PlanSpace())
    assert (group.machines, group.gathering_s) == (5, Fraction(32, 200))


def test_the_queue_delay_never_makes_a_request_late():
    """32/198 s are 161616.16 microseconds."""
    session = one_module(M_3, 198, 2)
    delays = [group.queue_delay_us for group in groups(session, plan(session, (32, 4), partial=38))]
    assert delays == [161616, 842105]


def test_whole_cost_is_that_of_all_machines_bought():
    """A on one X and a share of one Y, B on 1.6 machines Y: 2 + 3 + 2·3 = 11."""
    assert deployment(scrooge(), scrooge_best_plan(), PlanSpace("tc-shared", "none")).whole_cost_per_h == 11


def shared():
    """Two modules on a third of a machine each, which they share."""
    profile = [Configuration("gpu", 1, 1, "0.1")]
    session = Session("two", 1, [Hardware("gpu", 1)], [Module(name, 3, profile) for name in "ab"], [])
    own = [module_plan(module, (1, 0), partial=3) for module in session.modules]
    return session, Plan(tuple(own), ((0, 1),)), PlanSpace(dummy="none", charging="packed")


def test_modules_on_a_shared_machine_have_one_home_and_wait_for_each_other():
    """A batch gathers 1/3 s, waits 0.1 s for the other module's and takes 0.1 s."""
    deployed = deployment(*shared())
    assert {group.home for group in deployed.groups} == {"shared-1"}
    assert [group.latency_s for group in deployed.groups] == [Fraction(1, 3) + Fraction("0.2")] * 2
    assert [group.queue_delay_us for group in deployed.groups] == [333333] * 2
    assert deployed.whole_cost_per_h == deployed.evaluation.cost_per_h == 1


def test_names_are_labels_of_their_own():
    """`a b` would be called as `a-b` is, and has the first digits of its hash behind it (SHA-256)."""
    profile = [Configuration("gpu", 1, 1, "0.1")]
    names = ["Ärger mit Namen", "9", "a b", "a-b", "x" * 200]
    session = Session("n", 9, [Hardware("gpu", 1)], [Module(name, 3, profile) for name in names], [])
    found = [group.name for group in groups(session, one_configuration_plan(session))]
    assert found == ["rger-mit-namen-1", "m-9-1", "a-b-c8687a08-1", "a-b-1", "x" * 50 + "-1"]


@pytest.mark.parametrize("policy", [p.name for p in POLICIES])
def test_runs_are_needed_where_whole_batches_are_counted_on(policy):
    """At 198 req/s four machines of batch 32 gather 32/198 s under tc, by themselves 32/40 s."""
    session = one_module(M_3, 198, 3)
    first, *rest = groups(session, plan(session, (32, 4), partial=38), PlanSpace(policy, "none"))
    assert first.needs_runs == (policy in ("tc", "tc-shared", "in-turn"))
    assert not any(group.needs_runs for group in rest)


def test_a_batch_of_one_needs_no_run():
    session = one_module([(1, "0.1")], 35, 1)
    assert not any(group.needs_runs for group in groups(session, plan(session, (1, 3), partial=5)))


def test_groups_follow_the_modules_and_the_rank():
    session = tiny_session()
    assert [group.name for group in groups(session, one_configuration_plan(session))] == ["detect-1", "classify-1"]


def test_machines_that_stand_by_are_bought_and_mentioned():
    session = replace(one_module(M_3, 198, 1), spare_machines=2)
    deployed = deployment(session, plan(session, (32, 5), dummy=2), PlanSpace())
    assert deployed.whole_cost_per_h == deployed.evaluation.cost_per_h == 5 + 2
    said = [line for line in plan_remarks(deployed, "hand") if "spare machines" in line]
    name = session.hardware[0].name
    assert said == [f"- spare machines: 2 of {name} each, started by nothing in these files."]
    assert f"spare machines (2 of {name})" in csv_rows(deployed)
