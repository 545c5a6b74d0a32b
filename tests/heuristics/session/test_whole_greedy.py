"""The heuristic for whole and packed machines: never below the optimum, seldom above it, never above rounding up."""

from fractions import Fraction

import pytest

from euclio import solve
from euclio.core.result import Status
from euclio.problems.session import Configuration, Hardware, Module, PlanSpace, Session, evaluate
from euclio.workloads.session.random_sessions import random_session
from tests.drawn.small_sessions import small_session

SEEDS = range(30)


def gap(seed, **changes):
    """Cost over the optimum of a small session, None where there is no plan; both sides have to agree on that."""
    session = small_session(seed)
    best = solve(session, "plan-bruteforce", charging="whole", **changes)
    found = solve(session, "whole-greedy", **changes)
    assert (found.value is None) == (best.status is Status.INFEASIBLE)
    return None if found.value is None else found.value / best.value


@pytest.mark.parametrize("dummy", [pytest.param("machine", marks=pytest.mark.slow), "none"])
def test_it_is_seldom_above_the_optimum(dummy):
    gaps = [found for seed in SEEDS if (found := gap(seed, dummy=dummy)) is not None]
    assert min(gaps) >= 1
    assert sum(found == 1 for found in gaps) >= 0.9 * len(gaps)


def test_a_second_spare_machine_is_bought_where_one_is_too_slow():
    profile = [Configuration("A", 4, 1, "0.4")]
    session = Session("alone", "0.7", [Hardware("A", 3)], [Module("m", 10, profile)])
    found = solve(session, "whole-greedy")
    assert (found.value, found.plan.modules[0].allocations[0].machines) == (6, 2)


@pytest.mark.parametrize("seed", range(12))
def test_it_is_no_more_expensive_than_harpagon_rounded_up(seed):
    """A heuristic for whole machines that loses to rounding up would be of no use."""
    session = random_session(seed)
    rounded_up = solve(session, "harpagon", charging="whole")
    if rounded_up.value is not None:
        assert solve(session, "whole-greedy").value <= rounded_up.value


@pytest.mark.parametrize("seed", SEEDS)
def test_packed_lies_between_the_bound_of_shares_and_whole_machines(seed):
    """Sharing saves against whole machines, and cannot save more than shares without limits."""
    session = small_session(seed)
    packed, whole = solve(session, "whole-greedy", charging="packed"), solve(session, "whole-greedy")
    assert (packed.value is None) == (whole.value is None)
    if packed.value is not None:
        bound = solve(session, "exact", dummy="continuous").bound
        assert float(packed.value) >= bound * (1 - 1e-9)
        assert packed.value <= whole.value
        assert evaluate(session, packed.plan, PlanSpace(charging="packed")).feasible


@pytest.mark.fifth("policy")
@pytest.mark.parametrize("policy", ["tc", "tc-shared", "rr", "machine-rate", "rr-even", "in-turn"])
@pytest.mark.parametrize("charging", ["whole", "packed"])
def test_every_policy_is_served(policy, charging):
    statuses = {solve(small_session(s), "whole-greedy", policy=policy, charging=charging).status for s in range(8)}
    assert Status.FEASIBLE in statuses
    assert statuses <= {Status.FEASIBLE, Status.INFEASIBLE, Status.UNKNOWN}


@pytest.mark.parametrize("changes", [{"max_allocations": 1}, {"single_hardware": True}, {"batching": False}])
def test_limits_of_the_plan_space_are_kept(changes):
    found = solve(random_session(3), "whole-greedy", **changes)
    assert found.status in (Status.FEASIBLE, Status.INFEASIBLE, Status.UNKNOWN)


def test_machines_by_share_are_not_its_business():
    found = solve(small_session(0), "whole-greedy", charging="share")
    assert found.status is Status.INAPPLICABLE
    assert "does not cover machines by share" in found.reason


def test_rounding_up_packs_partial_machines_too():
    """Two modules of 3 requests per second each on machines that take 10."""
    profile = [Configuration("A", 1, 1, "0.1")]
    modules = [Module(name, 3, profile) for name in "ab"]
    session = Session("two", 2, [Hardware("A", 1)], modules, [("a", "b")])
    found = solve(session, "harpagon", charging="packed")
    assert (found.value, found.claimed, found.plan.shared) == (1, 1.0, ((0, 1),))
    assert [m.cost_per_h for m in found.evaluation.modules] == [Fraction(1, 2)] * 2


def test_the_same_session_gives_the_same_plan():
    for charging in ("whole", "packed"):
        one, other = (solve(random_session(5), "whole-greedy", charging=charging) for _ in range(2))
        assert one.plan == other.plan


def two_types(slo, memory=None, needed=None):
    """Modules that are cheaper each on a type of its own, and together on the more expensive one of them.

    One request per second each. On S a batch takes 0.9 s, which keeps it busy for 0.9 of the time; on L 0.1 s.
    """
    profiles = [
        [Configuration("S", 1, 1, "0.9"), Configuration("L", 1, 1, "0.1", needed)],
        [Configuration("T", 1, 1, "0.9"), Configuration("L", 1, 1, "0.1", needed)],
    ]
    modules = [Module(name, 1, own) for name, own in zip("ab", profiles, strict=True)]
    hardware = [Hardware("S", 2), Hardware("T", 2), Hardware("L", 3, None, memory)]
    return Session("types", slo, hardware, modules)


@pytest.mark.parametrize(
    ("slo", "memory", "needed", "cost"),
    [(9, None, None, 3), (9, 2, 1, 3), (9, 1, 1, 4), (9, 2, None, 4), ("1.1", None, None, 6)],
)
def test_modules_change_their_type_to_share_a_machine(slo, memory, needed, cost):
    """Unless the models do not fit, or the SLO is too short for waiting (1 + 0.1 + 0.1 s)."""
    session = two_types(slo, memory, needed)
    assert solve(session, "whole-greedy").value == (4 if slo == 9 else 6)
    found = solve(session, "whole-greedy", charging="packed")
    assert found.value == cost
    assert found.evaluation.feasible


@pytest.mark.parametrize("dummy", ["machine", "none"])
@pytest.mark.parametrize("modules", [3, 7])
def test_larger_sessions_are_packed_a_few_modules_at_a_time(modules, dummy):
    """Modules that take 0.3 of a machine each, three of which fit on one."""
    profile = [Configuration("A", 1, 1, "0.1"), Configuration("B", 1, 1, "0.2")]
    session = Session(
        "many", 9, [Hardware("A", 2), Hardware("B", 1)], [Module(f"m{i}", 3, profile) for i in range(modules)]
    )
    found = solve(session, "whole-greedy", charging="packed", dummy=dummy)
    # 0.3·modules of A at 2, or 0.6 of B at 1 for each module that is alone.
    assert found.value == {3: 2, 7: 5}[modules]
    assert sorted(len(group) for group in found.plan.shared) == [3] * (modules // 3)


@pytest.mark.parametrize("policy", ["tc", "rr", "machine-rate"])
@pytest.mark.parametrize("changes", [{"max_allocations": 1}, {"single_hardware": True}, {"batching": False}, {}])
@pytest.mark.parametrize("seed", range(4))
def test_packing_obeys_the_plan_space_and_never_costs_more_than_whole_machines(seed, changes, policy):
    """Under each limit of the plan space the packed plan is accepted and no more expensive."""
    session = random_session(seed)
    whole = solve(session, "whole-greedy", policy=policy, **changes)
    packed = solve(session, "whole-greedy", policy=policy, charging="packed", **changes)
    assert (whole.value is None) == (packed.value is None)
    if packed.value is not None:
        assert packed.evaluation.feasible
        assert packed.value <= whole.value
