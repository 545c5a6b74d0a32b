"""The checker on plans whose numbers are worked out by hand; the fleet is that of `tiny_fleets`.

On half a GPU a layer takes 10 ms: one instance at batch 1 serves 100 requests per second of one layer, 50 of two.
"""

from dataclasses import replace
from fractions import Fraction

import pytest
from tiny_fleets import tiny_fleet

from euclio.problems.fragments import FragmentPlan, FragmentSpace, Head, RealignedSet, Server, Stage, evaluate
from euclio.problems.fragments.memory import gpus_needed

HALF = Stage(1, 50, 1)
ALONE_A = RealignedSet(0, HALF, (Head((0,)),))
ALONE_B = RealignedSet(1, HALF, (Head((1,)),))
ALONE_C = RealignedSet(1, HALF, (Head((2,)),))
# 200 requests per second on layer 1: batch 2 in 10 ms; a's own layer 0 takes 10 ms: 2 (10 + 10) = 40 ms, the budget.
ALIGNED = RealignedSet(1, Stage(2, 50, 1), (Head((1, 2)), Head((0,), HALF)))


def check(*sets, **space):
    return evaluate(tiny_fleet(), FragmentPlan(sets), FragmentSpace(**space))


def test_each_alone_takes_half_a_gpu_each():
    found = check(ALONE_A, ALONE_B, ALONE_C)
    assert found.violations == ()
    assert found.value == 150
    assert [own.latency_s for own in found.sets] == [Fraction(2, 100), Fraction(1, 100), Fraction(1, 100)]


def test_a_realigned_set_shares_its_last_layer():
    found = check(ALIGNED)
    assert found.violations == ()
    assert found.value == 100
    (own,) = found.sets
    assert (own.latency_s, own.shared.rate_rps, own.shared.throughput_rps) == (Fraction(2, 100), 200, 200)
    assert own.heads[0] is None
    assert (own.heads[1].first, own.heads[1].end, own.heads[1].rate_rps) == (0, 1, 50)


def test_a_late_fragment_is_named():
    fleet = tiny_fleet()
    tighter = replace(fleet.fragments[0], budget_s=Fraction("0.0399"))
    late = replace(fleet, fragments=(tighter, *fleet.fragments[1:]))
    found = evaluate(late, FragmentPlan((ALIGNED,)))
    assert found.violations == ("set 0: fragment a: 0.04 s, queueing included, exceed its time budget of 0.0399 s",)


def test_under_the_least_budget_all_of_a_set_keep_it_and_under_their_own_each_its_own():
    # c has 20.5 ms, enough for the shared 10 ms twice; a needs 40 ms of its 50 ms.
    fleet = tiny_fleet()
    a, b, c = fleet.fragments
    fragments = (replace(a, budget_s=Fraction("0.05")), b, replace(c, budget_s=Fraction("0.0205")))
    changed = replace(fleet, fragments=fragments)
    assert evaluate(changed, FragmentPlan((ALIGNED,)), FragmentSpace(budgets="own")).violations == ()
    assert evaluate(changed, FragmentPlan((ALIGNED,))).violations == (
        "set 0: fragment a: 0.04 s, queueing included, exceed the least time budget of the set of 0.0205 s",
    )


OTHER = {
    "overloaded": (
        (replace(ALIGNED, shared=HALF),),
        "set 0: layers 1 to 1: the instances serve 100 of 200 requests per second",
    ),
    "not served": ((ALONE_A, ALONE_B), "fragment c is served 0 times; it must be served once"),
    "served twice": ((ALIGNED, ALONE_C), "fragment c is served 2 times; it must be served once"),
    "no such fragment": (
        (ALIGNED, RealignedSet(1, HALF, (Head((3,)),))),
        "set 1: there is no fragment at place 3",
    ),
    "not measured": (
        (replace(ALIGNED, shared=Stage(3, 50, 1)),),
        "set 0: batch 3 at 50 % of a GPU was not measured",
    ),
    "no instance": (
        (replace(ALIGNED, shared=Stage(2, 50, 0)),),
        "set 0: a stage has 0 instances; at least 1 is needed",
    ),
    "point outside": (
        (replace(ALIGNED, repartition_point=2),),
        "set 0: re-partition point 2 is outside of the network; its layers are 0 to 1",
    ),
    "empty head": ((ALIGNED, replace(ALONE_B, heads=(Head(()),))), "set 1: a head has no fragments"),
    "empty set": ((ALIGNED, replace(ALONE_B, heads=())), "set 1: has no fragments"),
    "head of two points": (
        (RealignedSet(1, Stage(2, 50, 1), (Head((0, 1, 2), HALF),)),),
        "set 0: fragments a and others of a head have different partition points",
    ),
    "no own stage": (
        (RealignedSet(1, Stage(2, 50, 1), (Head((0, 1, 2)),)),),
        "set 0: fragment a begins at layer 0, not 1, and has no stage of its own",
    ),
    "own stage of no layer": (
        (RealignedSet(1, Stage(2, 50, 1), (Head((1, 2), HALF), Head((0,), HALF))),),
        "set 0: fragment b begins at layer 1; no layers are left for a stage before 1",
    ),
}


@pytest.mark.parametrize("case", OTHER)
def test_a_wrong_plan_is_refused_with_its_reason(case):
    sets, line = OTHER[case]
    found = check(*sets)
    assert line in found.violations
    assert not found.feasible


SPACES = {
    "alone": ({"sharing": "alone"}, "set 0: has 3 fragments; each has to be served alone"),
    "not realigned": (
        {"sharing": "uniform"},
        "set 0: a stage ends before the last layer; fragments may not be realigned",
    ),
    "not uniform": (
        {"sharing": "uniform"},
        "set 0: has fragments of different partition points or time budgets; only uniform ones may share instances",
    ),
    "members": ({"max_members": 2}, "set 0: has 3 fragments; 2 may share instances"),
}


@pytest.mark.parametrize("case", SPACES)
def test_a_plan_outside_of_the_plan_space_is_refused(case):
    space, line = SPACES[case]
    found = check(ALIGNED, **space)
    assert line in found.violations
    assert found.value == 100


def test_too_many_instances_are_refused():
    many = replace(ALONE_A, shared=Stage(1, 50, 3))
    assert check(many, ALONE_B, ALONE_C, max_instances=2).violations == (
        "set 0: a stage has 3 instances; 2 are allowed",
    )


def limited(**fields):
    """The tiny fleet whose layers take 30 and 20 MB, and each instance 10 MB besides."""
    fleet = tiny_fleet()
    network = replace(fleet.network, layer_memory_mb=[30, 20], instance_memory_mb=10, server=Server(**fields))
    return replace(fleet, network=network)


MEMORY = {
    # Both layers and the process take 60 MB: half of 120 MB, to the megabyte.
    "filled exactly": ({"gpu_memory_mb": 120}, ()),
    "too little": (
        {"gpu_memory_mb": "119.9"},
        (
            "set 0: layers 0 to 1: an instance takes 60 MB; 50 % of a GPU hold 59.95 of its 119.9 MB "
            "(network.server.gpu_memory_mb)",
        ),
    ),
    "two on a GPU": ({"gpu_instances": 2}, ()),
    "one on a GPU": (
        {"gpu_instances": 1},
        tuple(
            f"set {k}: layers {first} to 1: 50 % of a GPU are less than the share of each of 1 instances, the most on "
            "one (network.server.gpu_instances)"
            for k, first in enumerate((0, 1, 1))
        ),
    ),
}


@pytest.mark.parametrize("case", MEMORY)
def test_an_instance_takes_no_more_of_a_gpus_memory_than_its_share(case):
    fields, lines = MEMORY[case]
    found = evaluate(limited(**fields), FragmentPlan((ALONE_A, ALONE_B, ALONE_C)))
    assert found.violations == lines
    assert found.value == 150


def test_own_stages_take_memory_too():
    """Layer 0 and the process take 40 MB, layer 1 and the process 30: half of 70 MB holds the latter only."""
    assert evaluate(limited(gpu_memory_mb=70), FragmentPlan((ALIGNED,))).violations == (
        "set 0: layers 0 to 0: an instance takes 40 MB; 50 % of a GPU hold 35 of its 70 MB "
        "(network.server.gpu_memory_mb)",
    )


def test_gpus_are_counted_by_first_fit():
    # 70, 40, 40 and 20 %: 70 + 20, 40 + 40.
    stages = [Stage(1, 70, 1), Stage(1, 40, 2), Stage(1, 20, 1)]
    plan = FragmentPlan(tuple(RealignedSet(0, stage, (Head((k,)),)) for k, stage in enumerate(stages)))
    assert gpus_needed(plan) == 2
