"""Prices of plans from programs: the family's checker decides, and no figure in the plan does."""

from __future__ import annotations

import copy
import json
from functools import cache
from itertools import islice

import pytest

from euclio.files.json_reading import parse_json
from euclio.scoring.problems import find_problem


@cache
def honest(name):
    """An instance of a problem that several machines, pipelines or sets serve, and the initial program's plan."""
    problem = find_problem(name)
    names = {}
    exec(problem.program(), names)  # a program of our own
    for source in islice(problem.sources(), 30):
        plan = names["solve"](source.data)
        if problem.price(source.text, parse_json(json.dumps(plan))).value is not None:
            return problem, source, plan
    raise LookupError(name)


def answer(name, change):
    """The checker's answer about the honest plan after a change."""
    problem, source, plan = honest(name)
    plan = copy.deepcopy(plan)
    return problem.price(source.text, parse_json(json.dumps(change(plan) or plan)))


def allocation(plan):
    return plan["modules"][0]["allocations"][0]


SESSIONS = {
    "no module": lambda plan: plan["modules"].clear(),
    "a module less": lambda plan: plan["modules"].pop(),
    "a module twice": lambda plan: plan["modules"].append(plan["modules"][0]),
    "an unknown module": lambda plan: plan["modules"][0].update(name="x"),
    "no machines": lambda plan: plan["modules"][0]["allocations"].clear(),
    "negative machines": lambda plan: allocation(plan).update(machines=-1),
    "half a machine": lambda plan: allocation(plan).update(machines=0.5),
    "machines as a text": lambda plan: allocation(plan).update(machines="1"),
    "a flag as machines": lambda plan: allocation(plan).update(machines=True),
    "less than the rate": lambda plan: allocation(plan).update(machines=0, partial_rps=1e-9),
    "a negative share": lambda plan: allocation(plan).update(partial_rps=-1),
    "a huge share": lambda plan: allocation(plan).update(partial_rps=1e30),
    "negative dummies": lambda plan: plan["modules"][0].update(dummy_rps=-1),
    "free hardware": lambda plan: allocation(plan).update(hardware="free"),
    "a faster profile": lambda plan: allocation(plan).update(duration_s=1e-9),
    "a batch that was not measured": lambda plan: allocation(plan).update(batch=10**6),
    "a price of its own": lambda plan: allocation(plan).update(price_per_h=0),
    "a cost of its own": lambda plan: plan.update(cost_per_h=0),
    "a policy of its own": lambda plan: plan.update(policy="mine.py:POLICY"),
    "machines that modules share": lambda plan: plan.update(shared_machines=[[m["name"] for m in plan["modules"]] * 2]),
    "an unknown field that forges feedback": lambda plan: plan.update({"x\nhash: 1 of the way": 1}),
    "a list": lambda plan: [plan],
    "a text": lambda plan: json.dumps(plan),
}


@pytest.mark.parametrize("name", ["splitting", "whole"])
@pytest.mark.parametrize("change", SESSIONS)
def test_a_spoilt_plan_of_a_session_has_no_price(name, change):
    found = answer(name, SESSIONS[change])
    assert found.value is None
    assert found.why
    assert found.why.isprintable()


CLUSTERS = {
    "more GPUs than there are": lambda plan: plan["pipelines"][0]["partitions"][0].update(gpus=10**6),
    "negative GPUs": lambda plan: plan["pipelines"][0]["partitions"][0].update(gpus=-1),
    "a pipeline a thousand times": lambda plan: plan.update(pipelines=plan["pipelines"] * 1000),
    "half of the blocks": lambda plan: plan["pipelines"][0]["partitions"][0].update(last_block=0),
    "a batch that was not measured": lambda plan: plan["pipelines"][0].update(batch=10**6),
    "a rate of its own": lambda plan: plan.update(throughput_rps=1e9),
    "an unknown GPU": lambda plan: plan["pipelines"][0]["partitions"][0].update(gpu="x"),
}


@pytest.mark.parametrize("change", CLUSTERS)
def test_a_spoilt_plan_of_a_cluster_has_no_price(change):
    assert answer("pipelines", CLUSTERS[change]).value is None


FLEETS = {
    "a fragment left out": lambda plan: plan["sets"].pop(),
    "a fragment twice": lambda plan: plan["sets"].append(plan["sets"][0]),
    "negative instances": lambda plan: plan["sets"][0]["shared"].update(instances=-1),
    "no instances": lambda plan: plan["sets"][0]["shared"].update(instances=0),
    "a share that was not measured": lambda plan: plan["sets"][0]["shared"].update(share_pct=0.001),
    "the last layer alone": lambda plan: plan["sets"][0].update(repartition_point=10**6),
}


@pytest.mark.parametrize("change", FLEETS)
def test_a_spoilt_plan_of_a_fleet_has_no_price(change):
    assert answer("fleets", FLEETS[change]).value is None


@pytest.mark.parametrize("field", ["any_latency", "objectives", "applications"])
def test_a_note_on_objectives_changes_no_price(field):
    """A result file lists them for people; modules without an objective follow from the session alone."""
    assert answer("splitting", lambda plan: plan.update({field: []})) == answer("splitting", lambda plan: None)


@pytest.mark.parametrize(
    ("name", "figure"),
    [("splitting", ("modules", "worst_case_latency_s")), ("pipelines", ("pipelines", "rate_rps"))],
)
def test_a_derived_figure_changes_no_price(name, figure):
    """Programs may leave them out, so they may also be wrong."""
    problem, source, plan = honest(name)
    place, field = figure
    lying = answer(name, lambda plan: plan[place][0].update({field: 10**6}))
    assert lying.value == problem.price(source.text, parse_json(json.dumps(plan))).value
