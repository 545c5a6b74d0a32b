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
    with pytest.raises(RefusedError, match=r"single requests; plan with .*load-balancer.*, or .*router='own'"):
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


def made_for(dispatch, policy="load-balancer", timeout_s=None, **keywords):
    """A result that states an attainment behind a router; that such plans are found is tested where they are."""
    result = solve(SESSION, policy=policy, **keywords)
    stated = {"attainment": 0.99, "arrivals": "poisson", "dispatch": dispatch, "timeout_s": timeout_s}
    return replace(result, planned_for={**result.planned_for, **stated, "dummies": False, "partial": "shared"})


KUBERNETES, RAY = ("kubernetes", {"image": "x"}), ("ray-serve", {"import_path": "a:b"})


@pytest.mark.parametrize(
    ("kind", "dispatch", "kept"),
    [
        (RAY, "power-of-two", True),
        (RAY, "random", False),
        (RAY, "least-outstanding", False),
        (KUBERNETES, "random", True),
        (KUBERNETES, "round-robin", True),
        (KUBERNETES, "requests", True),
        (KUBERNETES, "power-of-two", False),
        (KUBERNETES, "pull", False),
    ],
)
def test_a_plan_for_what_the_files_bring_is_kept_and_no_other(kind, dispatch, kept):
    to, keywords = kind
    result = made_for(dispatch)
    if kept:
        files = export(SESSION, result, to=to, **keywords)
        assert all("CAN OVERLOAD" not in text and "send whole batches" not in text for text in files.values())
        return
    with pytest.raises(RefusedError, match=rf"dispatch {dispatch}, behind .* dispatch='(power|round).*router='own'"):
        export(SESSION, result, to=to, **keywords)


@pytest.mark.parametrize("router", ["round-robin", "random", "least-outstanding", "power-of-two"])
def test_a_router_that_is_named_keeps_what_was_judged_behind_it(router):
    assert export(SESSION, made_for(router), to="csv", router=router)
    with pytest.raises(RefusedError, match=r"cannot keep; plan with .*load-balancer"):
        export(SESSION, made_for("pull"), to="csv", router=router)


def test_no_worst_case_holds_behind_a_router_that_draws():
    with pytest.raises(RefusedError, match=r"counts on a worst case.*dispatch='random'"):
        export(SESSION, solve(SESSION, policy="load-balancer"), to="csv", router="random")


def test_groups_with_rates_of_their_own_are_refused_whatever_they_were_judged_behind():
    """A Service and a handle have no weights: whole machines and a partial one are two groups under tc."""
    result = made_for("power-of-two", policy="tc", dummy="none")
    assert export(SESSION, result, to="ray-serve", import_path="a:b", router="own")
    with pytest.raises(RefusedError, match="2 groups of machines with rates of their own"):
        export(SESSION, result, to="ray-serve", import_path="a:b")


def test_the_queue_delay_is_the_one_that_the_plan_was_made_for():
    """0 as the router's machines have it by default, or the time-out that was asked for; a replica takes all."""
    (text,) = export(SESSION, made_for("power-of-two"), to="ray-serve", import_path="a:b").values()
    assert "batch_wait_timeout_s: 0.0\n" in text
    assert "max_ongoing_requests: 1000000\n" in text
    (text,) = export(SESSION, made_for("random", timeout_s=0.05), to="kubernetes", image="x").values()
    assert 'value: "50000"' in text
    with pytest.raises(RefusedError, match="holds batches until they are full"):
        export(SESSION, made_for("random", timeout_s="none"), to="kubernetes", image="x")


def test_a_router_that_nobody_knows_is_bad_input():
    with pytest.raises(InputError, match="is no router; give own, round-robin, random"):
        export(SESSION, solve(SESSION), to="csv", router="p2c")
