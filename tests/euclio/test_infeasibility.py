import random
from fractions import Fraction
from itertools import product

import pytest

from euclio.session import (
    Allocation,
    Configuration,
    DummyRule,
    Hardware,
    Module,
    ModulePlan,
    Plan,
    PlanSpace,
    Policy,
    Session,
    evaluate,
)
from euclio.session.evaluate import rank_key
from euclio.session.infeasibility import explain_infeasible, least_latency

RULES = list(product(Policy, DummyRule))


def session_with(slo, *modules, edges=()):
    return Session("s", slo, [Hardware("A", 2), Hardware("B", 1)], list(modules), list(edges))


def random_module(rng):
    options = [(h, b, e) for h in "AB" for b in (1, 2, 4, 8) for e in (1, 2)]
    chosen = rng.sample(options, rng.randint(1, 4))
    profile = [Configuration(h, b, e, Fraction(rng.randint(1, 20) * (b + 2), 100)) for h, b, e in chosen]
    return Module("m", Fraction(rng.randint(1, 400), 10), profile)


def some_plans(rng, session, dummy):
    """Plans that mostly obey the rules: counts down the ranking, then a partial machine or a filled one."""
    module = session.modules[0]
    ranked = sorted(module.profile, key=lambda c: rank_key(c, session.price))
    for _ in range(12):
        rows = sorted(rng.sample(range(len(ranked)), rng.randint(1, len(ranked))))
        left, allocations = module.rate_rps, []
        for k in rows[:-1]:
            most = int(left / ranked[k].throughput_rps)
            if most:
                machines = rng.randint(1, most)
                left -= machines * ranked[k].throughput_rps
                allocations.append(Allocation(ranked[k], machines))
        last = ranked[rows[-1]]
        whole = int(left / last.throughput_rps)
        rest = left - whole * last.throughput_rps
        yield Plan((ModulePlan((*allocations, Allocation(last, whole, rest))),))
        fill = last.throughput_rps - rest
        yield Plan((ModulePlan((*allocations, Allocation(last, whole + 1)), fill),))
        if dummy is DummyRule.CONTINUOUS:
            more = fill * rng.randint(1, 9) / 10
            yield Plan((ModulePlan((*allocations, Allocation(last, whole, rest + more)), more),))
            machines = whole + rng.randint(2, 9)
            more = machines * last.throughput_rps - left
            yield Plan((ModulePlan((*allocations, Allocation(last, machines)), more),))


@pytest.mark.parametrize(("policy", "dummy"), RULES)
def test_no_accepted_plan_is_faster_than_the_bound(policy, dummy):
    rng = random.Random(f"{policy} {dummy}")
    space = PlanSpace(policy, dummy)
    accepted = 0
    for _ in range(150):
        session = session_with(1000, random_module(rng))
        bound = least_latency(session.modules[0], space).latency_s
        for plan in some_plans(rng, session, dummy):
            evaluation = evaluate(session, plan, space)
            if evaluation.feasible:
                accepted += 1
                assert evaluation.modules[0].worst_case_latency_s >= bound
    assert accepted > 300


@pytest.mark.parametrize("policy", [Policy.TC, Policy.RR, Policy.MACHINE_RATE])
def test_bound_is_reached_where_dummies_may_fill_a_machine(policy):
    rng = random.Random(5)
    space = PlanSpace(policy, DummyRule.MACHINE)
    for _ in range(100):
        session = session_with(1000, random_module(rng))
        bound = least_latency(session.modules[0], space)
        c, rate = bound.configuration, session.modules[0].rate_rps
        whole = -(-rate // c.throughput_rps)
        filled = Plan((ModulePlan((Allocation(c, whole),), whole * c.throughput_rps - rate),))
        latencies = [evaluate(session, filled, space).modules[0].worst_case_latency_s]
        if rate < c.throughput_rps:
            alone = Plan((ModulePlan((Allocation(c, 0, rate),)),))
            latencies.append(evaluate(session, alone, space).modules[0].worst_case_latency_s)
        assert min(latencies) == bound.latency_s


def test_module_alone_above_the_slo_is_named_with_its_best_configuration():
    slow = Module("slow", 10, [Configuration("A", 1, 1, "0.1"), Configuration("B", 1, 1, "0.3")])
    assert explain_infeasible(session_with("0.15", slow), PlanSpace()) == (
        "module slow needs at least 0.2 s on any hardware (A, batch 1, concurrency 1), more than the SLO of 0.15 s"
    )


def test_path_above_the_slo_is_named_with_its_parts():
    first = Module("first", 10, [Configuration("A", 1, 1, "0.1")])
    second = Module("second", 10, [Configuration("A", 1, 1, "0.1")])
    assert explain_infeasible(session_with("0.3", first, second, edges=[("first", "second")]), PlanSpace()) == (
        "path first -> second needs at least 0.4 s on any hardware (first 0.2 s, second 0.2 s), "
        "more than the SLO of 0.3 s"
    )


def test_allowed_hardware_is_named():
    slow = Module("slow", 10, [Configuration("A", 1, 1, "0.01"), Configuration("B", 1, 1, "0.3")])
    assert "slow needs at least" in explain_infeasible(session_with("0.15", slow), PlanSpace(hardware=("B",)))
    assert " on B (B, batch 1" in explain_infeasible(session_with("0.15", slow), PlanSpace(hardware=("B",)))


def test_module_without_allowed_configuration_is_named():
    only_a = Module("only", 10, [Configuration("A", 2, 1, "0.01")])
    space = PlanSpace(hardware=("B",), batching=False)
    assert explain_infeasible(session_with(1, only_a), space).startswith("module only has no configuration on B at b")


def test_one_hardware_type_is_explained_type_by_type():
    a = Module("a", 10, [Configuration("A", 1, 1, "0.01"), Configuration("B", 1, 1, "0.2")])
    b = Module("b", 10, [Configuration("A", 1, 1, "0.2"), Configuration("B", 1, 1, "0.01")])
    text = explain_infeasible(session_with("0.25", a, b), PlanSpace(single_hardware=True))
    assert text.startswith("on A: module b needs at least")
    assert "; on B: module a needs at least" in text


@pytest.mark.parametrize(
    ("searched", "words"), [(True, "the search proved that no plan meets it"), (False, "which proves nothing")]
)
def test_otherwise_the_search_is_the_reason(searched, words):
    module = Module("m", 10, [Configuration("A", 1, 1, "0.01")])
    assert words in explain_infeasible(session_with(1, module), PlanSpace(), searched=searched)
