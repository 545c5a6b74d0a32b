"""A public question, numbers typed in: how many prefill and decode replicas fit under a ceiling on GPUs?

Source: ai-dynamo/dynamo, pull request 13064, `proportional_clamp_pair` (Apache-2.0), numbers alone. A planner wishes 10
prefill replicas of 8 GPUs and 1 decode replica of 1 GPU, and may have 20 GPUs; or 12 and 1, and 32. It answers 2 and
4, or 3 and 8: decode grows on the path that is to save GPUs.

At a share f of the wished load ceil(10 f) prefill and ceil(f) decode replicas are needed. 8 ceil(10 f) + ceil(f) <= 20
gives f = 0.2 with 2 and 1 replicas, 17 GPUs. A third prefill replica would make 25, so that 3 GPUs stay idle; no number
of decode replicas serves more. 8 ceil(12 f) + ceil(f) <= 32 gives f = 0.25 with 3 and 1, 25 GPUs.
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import pytest

from euclio import evaluate, most, solve
from euclio.core.result import Status
from euclio.problems.session import Allocation, Configuration, Hardware, Module, ModulePlan, Plan, PlanSpace, Session
from euclio.problems.session.objectives import Objective

CASES = [(10, 20, Fraction(1, 5), 2, 4), (12, 32, Fraction(1, 4), 3, 8)]
"""Wished prefill replicas, GPUs, share of the load, prefill replicas, and decode replicas of the published answer."""


def roles(prefill: int, gpus: int) -> Session:
    """A prefill replica serves 10 requests per second, a decode replica all; a machine is a replica at its GPUs."""
    wished = 10 * prefill
    serves = {
        "prefill": [Configuration("prefill", 1, 1, "0.1")],
        "decode": [Configuration("decode", 1, 1, Fraction(1, wished))],
    }
    return Session(
        "roles",
        None,
        [Hardware("prefill", 8, takes={"gpu": 8}), Hardware("decode", 1, takes={"gpu": 1})],
        [Module(name, wished, profile) for name, profile in serves.items()],
        [("prefill", "decode")],
        resources={"gpu": gpus},
        objectives=[Objective("first token", "prefill", "0.3"), Objective("answer", "decode", "0.6")],
    )


def machines(plan: Plan) -> list[int]:
    """Machines of each module, partial ones counted."""
    return [sum(a.machines + (a.partial_rps > 0) for a in own.allocations) for own in plan.modules]


@pytest.mark.parametrize(("prefill", "gpus", "share", "two", "_"), CASES)
def test_the_most_requests_under_the_ceiling(prefill, gpus, share, two, _):
    """The ceiling as a resource, and GPUs as money: the same answer, proven."""
    session = roles(prefill, gpus)
    assert solve(session, machines="whole").status is Status.INFEASIBLE
    for given, budget in ((session, 10**6), (replace(session, resources={}, slo_s=None), gpus)):
        found = most(given, budget=budget)
        assert (found.best.factor, found.proven, found.largest_of_all) == (share, True, True)
        assert machines(found.best.result.plan) == [two, 1]
        assert found.best.result.value == 8 * two + 1


@pytest.mark.parametrize(("prefill", "gpus", "share", "two", "four"), CASES)
def test_the_published_answer_keeps_the_ceiling_and_serves_no_more(prefill, gpus, share, two, four):
    """The checker accepts it at that share, at 3 or 7 GPUs more; just above, its prefill replicas are too few."""
    for factor, refused in ((share, False), (share * Fraction(1001, 1000), True)):
        session = roles(prefill, gpus)
        modules = tuple(replace(module, rate_rps=module.rate_rps * factor) for module in session.modules)
        served = replace(session, modules=modules, slo_s=None)
        plan = Plan(
            tuple(
                ModulePlan(
                    (Allocation(m.profile[0], n),), max(Fraction(0), n * m.profile[0].throughput_rps - m.rate_rps)
                )
                for m, n in zip(modules, (two, four), strict=True)
            )
        )
        checked = evaluate(served, plan, PlanSpace(charging="whole"))
        assert bool(checked.violations) is refused
        assert refused or checked.cost_per_h == gpus == 8 * two + four
