"""Exports for a router that is named: plans that it cannot keep are refused, with the policy that it can."""

from dataclasses import replace

import pytest
from worked_examples import M_3, one_module

from euclio import export, solve
from euclio.core.errors import InputError, RefusedError

SESSION = one_module(M_3, 198, 2)
KINDS = [("triton", {}), ("kubernetes", {"image": "x"}), ("ray-serve", {"import_path": "a:b"}), ("csv", {})]


@pytest.mark.parametrize(("to", "keywords"), KINDS)
def test_a_load_balancer_is_given_no_plan_that_it_cannot_keep(to, keywords):
    # Whole batches in runs, or groups with rates of their own, are not what it sends.
    for policy in ("tc", "in-turn"):
        result = solve(SESSION, policy=policy)
        assert export(SESSION, result, to=to, router="own", **keywords)
        with pytest.raises(RefusedError, match=r"cannot keep; plan with .*load-balancer"):
            export(SESSION, result, to=to, router="round-robin", **keywords)
    kept = solve(SESSION, policy="load-balancer")
    assert export(SESSION, kept, to=to, router="round-robin", **keywords)


@pytest.mark.parametrize(("to", "keywords"), KINDS)
def test_files_with_a_router_are_given_no_plan_that_it_cannot_keep(to, keywords):
    """Services of Kubernetes and Ray Serve spread single requests; a model repository and a table send none."""
    result = solve(SESSION)
    if to in {"triton", "csv"}:
        assert export(SESSION, result, to=to, **keywords) == export(SESSION, result, to=to, router="own", **keywords)
        return
    with pytest.raises(RefusedError, match=r"single requests; plan with .*load-balancer.*, or .*router own"):
        export(SESSION, result, to=to, **keywords)
    kept = solve(SESSION, policy="load-balancer")
    assert export(SESSION, kept, to=to, **keywords) == export(SESSION, kept, to=to, router="own", **keywords)


@pytest.mark.parametrize(("to", "keywords"), KINDS)
def test_results_that_do_not_say_what_they_are_for_are_exported_as_before(to, keywords):
    """Scripts that keep files of older versions go on."""
    result = solve(SESSION)
    older = replace(result, planned_for={})
    assert export(SESSION, older, to=to, **keywords) == export(SESSION, result, to=to, router="own", **keywords)


def test_machines_that_pull_hold_no_batch_back():
    """Triton's batcher at a queue delay of 0 keeps 2d behind what gives each machine its part of the rate evenly."""
    result = solve(SESSION, policy="shared-queue")
    files = export(SESSION, result, to="triton", router="round-robin")
    assert all("max_queue_delay_microseconds: 0\n" in text for text in files.values())
    assert result.planned_for["dispatch"] == "pull"
    assert not result.planned_for["dummies"]


def test_a_router_that_nobody_knows_is_bad_input():
    with pytest.raises(InputError, match="is no router; give own or round-robin"):
        export(SESSION, solve(SESSION), to="csv", router="p2c")
