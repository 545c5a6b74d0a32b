"""Exports for a router that is named: plans that it cannot keep are refused, with the policy that it can."""

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
        assert export(SESSION, result, to=to, **keywords) == export(SESSION, result, to=to, router="own", **keywords)
        with pytest.raises(RefusedError, match=r"cannot keep; plan with .*load-balancer"):
            export(SESSION, result, to=to, router="round-robin", **keywords)
    kept = solve(SESSION, policy="load-balancer")
    assert export(SESSION, kept, to=to, router="round-robin", **keywords)


def test_a_router_that_nobody_knows_is_bad_input():
    with pytest.raises(InputError, match="is no router; give own or round-robin"):
        export(SESSION, solve(SESSION), to="csv", router="p2c")
