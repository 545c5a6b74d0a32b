"""Theorem 1 of Harpagon: requests that break it, and the proven replacements (docs/findings/theorem-1.md)."""

from __future__ import annotations

from fractions import Fraction
from random import Random

import numpy as np
import pytest
from own_rate_policy import OWN_RATE

from euclio import solve
from euclio.problems.session import Charging, Configuration, Hardware, Module, PlanSpace, Policy, Session, evaluate
from euclio.problems.session.evaluate import machine_latencies
from euclio.problems.session.plan import Allocation, ModulePlan, Plan
from euclio.problems.session.rules import DummyRule
from euclio.serving.session.server import Logs, serve_evenly
from euclio.serving.session.setup import Dispatch, Setup
from euclio.serving.session.system import build_system
from euclio.serving.units import NS_PER_S
from tests.drawn.small_sessions import small_session

NO_DUMMIES = PlanSpace(Policy.TC, DummyRule.NONE)


def worst_ns(logs: Logs, machines: range | None = None) -> int:
    """Longest time from ready to end of a request, without the last tenth, whose batches nothing fills."""
    rows = logs.invocations
    rows = rows[(rows[:, 0] >= 0) & (rows[:, 2] < rows[:, 2].max() * 9 // 10)]
    if machines is not None:
        rows = rows[np.isin(rows[:, 3], machines)]
    return int((rows[:, 5] - rows[:, 2]).max())


def two_machines(first: tuple[int, str], second: tuple[int, str]) -> tuple[Session, Plan]:
    """A machine of each of two configurations, both with all the load that they can carry."""
    configurations = [Configuration(name, b, 1, d) for name, (b, d) in zip("AB", (first, second), strict=True)]
    rate = sum((c.throughput_rps for c in configurations), Fraction(0))
    hardware = [Hardware("A", "0.001"), Hardware("B", 1)]
    session = Session("two", 1000, hardware, [Module("m", rate, configurations)])
    return session, Plan((ModulePlan(tuple(Allocation(c, 1) for c in configurations)),))


@pytest.mark.parametrize("dispatch", [Dispatch.ROUNDS, Dispatch.BATCHES])
def test_the_smallest_plan_that_breaks_it(dispatch: Dispatch) -> None:
    """Statement 5 as the paper dispatches: A: batch 1, 0.5 s; B: batch 2, 2 s; 3 per second. 1 s instead of 5/6."""
    session, plan = two_machines((1, "0.5"), (2, "2"))
    logs = serve_evenly(build_system(session, plan, NO_DUMMIES, Setup(dispatch=dispatch)), 300)
    assert "".join("AB"[row[3]] for row in sorted(logs.invocations.tolist())[:9]) == "ABBAAAABB"
    assert worst_ns(logs, range(1)) == NS_PER_S
    first = {row[0]: row for row in logs.invocations.tolist()}
    assert [first[k][4] for k in (3, 4, 5, 6)] == [NS_PER_S, NS_PER_S * 3 // 2, 2 * NS_PER_S, NS_PER_S * 5 // 2]


@pytest.mark.parametrize("rate", range(2, 10))
def test_two_machines_of_batch_1_keep_it(rate: int) -> None:
    """So that nothing smaller than batches 1 and 2 breaks it, at the rates p/q of small p and q that are tried."""
    for first in range(1, rate):
        durations = [str(Fraction(1, first)), str(Fraction(1, rate - first))]
        configurations = [Configuration(name, 1, 1, Fraction(d)) for name, d in zip("AB", durations, strict=True)]
        hardware = [Hardware("A", "0.001"), Hardware("B", 1)]
        session = Session("two", 1000, hardware, [Module("m", rate, configurations)])
        plan = Plan((ModulePlan(tuple(Allocation(c, 1) for c in configurations)),))
        logs = serve_evenly(build_system(session, plan, NO_DUMMIES), 500)
        for k, (c, w) in enumerate(zip(configurations, (rate, rate - first), strict=True)):
            bound = (c.duration_s + Fraction(1, w)) * NS_PER_S
            assert worst_ns(logs, range(k, k + 1)) <= bound + len(logs.executions) + 2


def test_a_partial_machine_delays_the_whole_one() -> None:
    """One configuration, batch 2, a whole machine at 3/s and a partial one at 1/s: 1.25 s instead of 2/3 + 2/4."""
    c = Configuration("h", 2, 1, Fraction(2, 3))
    session = Session("partial", 1000, [Hardware("h", 1)], [Module("m", 4, [c])])
    plan = Plan((ModulePlan((Allocation(c, 1, Fraction(1)),)),))
    logs = serve_evenly(build_system(session, plan, NO_DUMMIES), 400)
    assert abs(worst_ns(logs, range(1)) - NS_PER_S * 5 // 4) <= len(logs.executions)


@pytest.mark.parametrize("batch", [4, 6, 16, 64])
def test_it_is_broken_by_any_factor(batch: int) -> None:
    """Statement 6: A: batch b; B: batch 1; both 1/s. After b for A come b in a row for B: (b + 1)/2 s, not 2 s."""
    session, plan = two_machines((batch, str(batch)), (1, "1"))
    logs = serve_evenly(build_system(session, plan, NO_DUMMIES), 40 * batch)
    assert worst_ns(logs, range(1, 2)) == (batch + 1) * NS_PER_S // 2


def random_module(seed: int, allocations: int) -> tuple[Session, Plan, DummyRule]:
    """A module on its own with a random plan; with one allocation, some have dummies."""
    stream = Random(f"theorem 1/{seed}/{allocations}")
    types = "ABC"[:allocations]
    configurations = [
        Configuration(
            name, stream.choice((1, 2, 3, 4, 8, 16)), stream.choice((1, 1, 2, 3)), Fraction(stream.randint(1, 40), 20)
        )
        for name in types
    ]
    machines = [stream.randint(1, 4) for _ in types]
    whole = sum((n * c.throughput_rps for n, c in zip(machines, configurations, strict=True)), Fraction(0))
    last = configurations[-1].throughput_rps
    part = last * Fraction(stream.randint(0, 19), 20)
    dummies = allocations == 1 and part > 0 and seed % 2 == 1
    rate = whole - last + part if dummies else whole + part
    # The rank is that of the prices.
    hardware = [Hardware(name, Fraction(1000) ** k) for k, name in enumerate(types)]
    found = [Allocation(c, n) for c, n in zip(configurations, machines, strict=True)]
    if not dummies:
        found[-1] = Allocation(configurations[-1], machines[-1], part)
    session = Session(f"random {seed}", 1000, hardware, [Module("m", rate, configurations)])
    plan = Plan((ModulePlan(tuple(found), whole - rate if dummies else Fraction(0)),))
    return session, plan, DummyRule.MACHINE if dummies else DummyRule.NONE


@pytest.mark.parametrize("seed", range(60))
def test_one_allocation_in_turn_keeps_it(seed: int) -> None:
    """Statement 1 allows d + (b − 1)/F without dummies and d + b/F with them; rounding is under 1 ns per batch."""
    session, plan, rule = random_module(seed, 1)
    system = build_system(session, plan, PlanSpace(Policy.IN_TURN, rule))
    logs = serve_evenly(system, 2000)
    (module,), c = system.evaluation.modules, session.modules[0].profile[0]
    total = session.modules[0].rate_rps + module.dummy_rps
    proven = c.duration_s + (c.batch - (0 if module.dummy_rps else 1)) / total
    assert worst_ns(logs) <= proven * NS_PER_S + len(logs.executions) + 2
    assert proven <= module.worst_case_latency_s == c.duration_s + c.batch / total


@pytest.mark.parametrize("seed", range(60))
def test_single_requests_in_turn_keep_what_a_load_balancer_is_planned_for(seed: int) -> None:
    """At most d + ((b − 1)·n + W − 1)/R, W = 1, or 2 with dummies (docs/model/policies.md, `load-balancer`)."""
    session, plan, rule = random_module(seed, 1)
    system = build_system(session, plan, PlanSpace(Policy.LOAD_BALANCER, rule))
    logs = serve_evenly(system, 2000)
    (module,), c = system.evaluation.modules, session.modules[0].profile[0]
    total, n = session.modules[0].rate_rps + module.dummy_rps, len(system.machines)
    proven = c.duration_s + ((c.batch - 1) * n + (1 if module.dummy_rps else 0)) / total
    assert worst_ns(logs) <= proven * NS_PER_S + len(logs.executions) + 2
    assert proven <= module.worst_case_latency_s == c.duration_s + c.batch * n / total


@pytest.mark.parametrize("seed", range(60))
def test_machines_that_pull_answer_within_twice_the_duration(seed: int) -> None:
    """At most 2d without dummies, however little the machines have to do (docs/model/policies.md, `shared-queue`)."""
    session, plan, rule = random_module(seed, 1)
    system = build_system(session, plan, PlanSpace(Policy.SHARED_QUEUE, rule), Setup(dummies=False))
    logs = serve_evenly(system, 2000)
    (module,), c = system.evaluation.modules, session.modules[0].profile[0]
    assert worst_ns(logs) <= 2 * c.duration_s * NS_PER_S + len(logs.executions) + 2
    assert module.worst_case_latency_s >= 2 * c.duration_s


@pytest.mark.parametrize("seed", range(60))
def test_split_allocations_keep_their_own_rate(seed: int) -> None:
    """Statement 2 allows d + b/R for an allocation of rate R; its k-th request is in its window (Tijdeman)."""
    session, plan, rule = random_module(seed, 2 + seed % 2)
    space = PlanSpace(Policy.TC, rule)
    system = build_system(session, plan, space, Setup(dispatch=Dispatch.SPLIT))
    logs = serve_evenly(system, 2000)
    total = session.modules[0].rate_rps
    dealt = [row[3] for row in sorted(logs.invocations.tolist())]
    for k, allocation in enumerate(plan.modules[0].allocations):
        c = allocation.configuration
        rate = allocation.machines * c.throughput_rps + allocation.partial_rps
        numbers = [n for n, machine in enumerate(system.machines) if machine.allocation == k]
        worst = worst_ns(logs, range(numbers[0], numbers[-1] + 1))
        assert worst <= (c.duration_s + c.batch / rate) * NS_PER_S + len(logs.executions) + 2
        places = [place for place, number in enumerate(dealt) if number in numbers]
        for j, place in enumerate(places):
            assert j * total / rate <= place < (j + 1) * total / rate + 1


@pytest.mark.parametrize("seed", range(40))
def test_single_requests_keep_the_rate_of_a_machine(seed: int) -> None:
    """Statement 3, round robin over machines: d + b/f, f the rate of the machine."""
    session, plan, rule = random_module(seed, 1 + seed % 3)
    if rule is not DummyRule.NONE:
        return
    system = build_system(session, plan, PlanSpace(Policy.MACHINE_RATE, rule))
    logs = serve_evenly(system, 2000)
    used = set(logs.invocations[:, 3].tolist())
    for number, machine in enumerate(system.machines):
        c = plan.modules[0].allocations[machine.allocation].configuration
        if number in used:
            bound = (c.duration_s + c.batch / machine.rate_rps) * NS_PER_S
            assert worst_ns(logs, range(number, number + 1)) <= bound + len(logs.executions) + 2


def chained(seed: int) -> tuple[Session, Plan]:
    """A diamond of modules that are invoked 1, ½, 1/3 and 2 times per request, planned under `in-turn`."""
    stream = Random(f"chained/{seed}")
    ratios = dict(zip("abcd", map(Fraction, ("1", "1/2", "1/3", "2")), strict=True))
    rate = Fraction(stream.randint(5, 60))
    modules = [
        Module(name, rate * ratio, [Configuration("h", b, 1, Fraction(b + 3, 100)) for b in (1, 2, 4, 8)])
        for name, ratio in ratios.items()
    ]
    session = Session("diamond", "0.6", [Hardware("h", 1)], modules, [("a", "b"), ("a", "c"), ("b", "d"), ("c", "d")])
    plan = solve(session, "exact", space=PlanSpace(Policy.IN_TURN, DummyRule.NONE)).plan
    assert plan is not None
    return session, plan


@pytest.mark.parametrize("seed", range(10))
def test_sessions_that_hold_requests_keep_their_slo(seed: int) -> None:
    """By statement 4, `hold` gives modules evenly spaced requests; W = u/v + 1 − 1/v is at most 2.5 here."""
    session, plan = chained(seed)
    system = build_system(session, plan, PlanSpace(Policy.IN_TURN, DummyRule.NONE), Setup(hold=True))
    logs = serve_evenly(system, 2000)
    latency = (logs.requests[:, 2] - logs.requests[:, 1])[:1800]
    assert latency.max() <= system.slo_ticks + len(logs.executions)
    for m in range(3):
        rows = logs.invocations[logs.invocations[:, 1] == m]
        ready = np.unique(rows[:, 2])[:-40]
        assert np.ptp(np.diff(ready)) <= 2  # evenly spaced but for rounding


@pytest.mark.parametrize("rule", [DummyRule.NONE, DummyRule.MACHINE])
@pytest.mark.parametrize("seed", range(12))
def test_one_allocation_is_as_cheap_as_any_that_are_safe_one_by_one(seed: int, rule: DummyRule) -> None:
    """Statement 11: the cheapest plan with d + b/R per allocation costs what the cheapest under `in-turn` does."""
    session = small_session(seed)
    space = PlanSpace(OWN_RATE, rule)
    listed = solve(session, "plan-bruteforce", space=space, time_limit_s=20)
    found = solve(session, "exact", space=PlanSpace(Policy.IN_TURN, rule))
    assert listed.status == found.status
    if listed.plan is not None and found.plan is not None:
        assert evaluate(session, found.plan, space).feasible
        assert evaluate(session, found.plan, space).cost_per_h == evaluate(session, listed.plan, space).cost_per_h


@pytest.mark.parametrize("seed", range(40))
def test_without_dummies_nothing_under_tc_is_cheaper(seed: int) -> None:
    """Statement 12: the optimum under `in-turn` is at most that under `tc`, as the first allocation alone shows."""
    session = small_session(seed)
    optima = [solve(session, "exact", space=PlanSpace(p, DummyRule.NONE)) for p in (Policy.TC, Policy.IN_TURN)]
    if optima[0].plan is not None:
        assert optima[1].value is not None
        assert optima[0].value is not None
        assert optima[1].value <= optima[0].value * (1 + 1e-12)


@pytest.mark.parametrize("seed", range(60))
def test_split_keeps_twice_what_tc_counts_on(seed: int) -> None:
    """Statement 9, first half: no request takes longer than 2·(d + b/w) of its machine when invocations are split."""
    session, plan, rule = random_module(seed, 1 + seed % 3)
    space = PlanSpace(Policy.TC, rule)
    system = build_system(session, plan, space, Setup(dispatch=Dispatch.SPLIT))
    logs = serve_evenly(system, 2000)
    (module,), total = system.evaluation.modules, session.modules[0].rate_rps
    rate = total + module.dummy_rps
    for bound in machine_latencies(plan.modules[0].allocations, module.partial_rps, rate, session.price, space.policy):
        own = [
            number
            for number, machine in enumerate(system.machines)
            if (machine.allocation, machine.partial) == (bound.allocation, bound.partial)
        ]
        if own and np.isin(logs.invocations[:, 3], own).any():
            worst = worst_ns(logs, range(own[0], own[-1] + 1))
            assert worst <= 2 * bound.latency_s * NS_PER_S + len(logs.executions) + 2


@pytest.mark.parametrize("seed", range(40))
def test_in_whole_machines_nothing_in_turn_is_cheaper_than_under_tc(seed: int) -> None:
    """Statement 13: the cheapest in turn is the cheapest under `tc` with one configuration, so never below the optimum.

    Its machines, filled with dummies, are a plan under `tc`, which the checker accepts at the same price. The printed
    reading costs what `tc` does, unless two configurations have one ratio.
    """
    session = small_session(seed)
    spaces = {policy: PlanSpace(policy, charging=Charging.WHOLE) for policy in (Policy.TC, Policy.IN_TURN)}
    one = PlanSpace(Policy.TC, max_allocations=1, charging=Charging.WHOLE)
    tc, in_turn, alone = (solve(session, "exact", space=space) for space in (*spaces.values(), one))
    assert in_turn.value == alone.value
    shared = solve(session, "exact", space=PlanSpace(Policy.TC_SHARED, charging=Charging.WHOLE))
    ratios = [[c.throughput_rps / session.price[c.hardware] for c in module.profile] for module in session.modules]
    if all(len(set(own)) == len(own) for own in ratios):
        assert shared.value == tc.value
    if in_turn.plan is None or tc.value is None or in_turn.value is None:
        return
    assert in_turn.value >= tc.value
    filled = []
    for module, own in zip(session.modules, in_turn.plan.modules, strict=True):
        (allocation,) = own.allocations
        machines = allocation.machines + (allocation.partial_rps > 0)
        dummies = machines * allocation.configuration.throughput_rps - module.rate_rps
        filled.append(ModulePlan((Allocation(allocation.configuration, machines),), dummies))
    checked = evaluate(session, Plan(tuple(filled)), spaces[Policy.TC])
    assert checked.feasible
    assert checked.cost_per_h == in_turn.value
