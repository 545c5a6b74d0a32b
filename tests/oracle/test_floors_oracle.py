"""Least machines, longest durations: exact methods agree with enumeration, and laws of both (docs/model/limits.md)."""

from __future__ import annotations

import math
import random
from dataclasses import replace
from fractions import Fraction

import pytest

from euclio.core.result import Status
from euclio.core.solving import solve
from euclio.problems.session import Configuration, Hardware, Module, PlanSpace, Session, evaluate
from euclio.problems.session.running import Running, RunningMachines
from euclio.proving.session.certifying import find_better

pytest.importorskip("ortools")

LEAST = Fraction(1, 10**18)
PRICES = (0, 1, 1, 2, 3, "0.5")
POLICIES = ("tc", "tc", "tc-shared", "rr", "rr-even", "machine-rate")


def drawn(seed: int) -> tuple[Session, PlanSpace]:
    """A tiny session with floors, equal prices and machines for nothing among them, and a plan space."""
    rng = random.Random(f"floors {seed}")
    whole = rng.random() < 0.65
    hardware = []
    for name in "ABC"[: rng.randint(1, 3)]:
        least = rng.choice((None, None, 0, 1, 2, 3))
        count = (least or 0) + rng.randint(0, 3) if rng.random() < 0.3 else None
        hardware.append(Hardware(name, rng.choice(PRICES), count, takes={"power": rng.randint(1, 3)}, at_least=least))
    modules = [
        Module(f"m{k}", rng.choice((3, 5, 8, 12, 20, 33)), _profile(rng, hardware), rng.choice((None, None, "0.35")))
        for k in range(rng.randint(1, 2))
    ]
    session = Session(
        f"floors {seed}",
        Fraction(rng.randint(20, 80), 100),
        hardware,
        modules,
        [("m0", "m1")] if len(modules) > 1 and rng.random() < 0.6 else [],
        running=_running(rng, modules) if rng.random() < 0.2 else None,
        spare_machines=int(rng.random() < 0.2),
        resources={"power": rng.randint(4, 15)} if rng.random() < 0.2 else None,
        least_machines={m.name: rng.choice((0, 1, 2, 3)) for m in modules if rng.random() < 0.7} if whole else None,
    )
    charging, dummy = ("whole" if whole else "share"), rng.choice(("machine", "machine", "none"))
    most = rng.choice((None, None, 2, 1))
    return session, PlanSpace(rng.choice(POLICIES), dummy, most, charging=charging)


def _profile(rng: random.Random, hardware: list[Hardware]) -> list[Configuration]:
    """Some configurations, of which the first is always fast enough for the longest duration."""
    first = Configuration(hardware[0].name, 1, 1, Fraction(rng.randint(10, 30), 200))
    others = (
        Configuration(h.name, b, 1, Fraction(rng.randint(5, 20) * (b + 1), 200))
        for h in hardware
        for b in (1, 2)
        if (h.name, b) != (first.hardware, 1) and rng.random() < 0.8
    )
    return [first, *others]


def _running(rng: random.Random, modules: list[Module]) -> Running:
    """A machine or two that run for each module, with a limit on changes or a price of them."""
    counts = tuple(RunningMachines(m.name, m.profile[0].hardware, rng.randint(1, 2)) for m in modules)
    return Running(counts, rng.choice((None, 2, 4)), Fraction(rng.choice(("0", "0.5", "2"))))


@pytest.mark.parametrize("seed", range(60))
def test_exact_methods_agree_with_enumeration(seed):
    """Idle machines, those paid for and not used, and configurations left out, next to stock, changes and spare ones.

    Each method counts them in its own way: enumeration as a term of each plan, the joint models by rows, `exact` by
    prices, most machines and rows of a module, the prover by sums over modules.
    """
    session, space = drawn(seed)
    found = {
        name: solve(session, name, space=space, time_limit_s=30)
        for name in ("plan-bruteforce", "exact", "milp", "cpsat")
    }
    decided = {name: one for name, one in found.items() if one.status in (Status.OPTIMAL, Status.INFEASIBLE)}
    assert {one.status for one in found.values()} <= {Status.OPTIMAL, Status.INFEASIBLE, Status.INAPPLICABLE}
    assert len({(one.status, one.value) for one in decided.values()}) == 1, decided
    best = found["plan-bruteforce"].value
    assert find_better(session, space, best, math.inf).plan is None
    if best is not None:
        assert not find_better(session, space, best + max(best, Fraction(1)) * LEAST, math.inf).exhausted


@pytest.mark.parametrize("seed", range(30))
@pytest.mark.parametrize("solver", ["exact", "milp"])
def test_a_higher_floor_never_costs_less(seed, solver):
    """Drawn sessions: each plan costs at least as much under a higher floor, and so does the cheapest."""
    session, space = drawn(seed)
    costs = []
    for more in (0, 1, 2):
        hardware = tuple(replace(h, count=None, at_least=more and (h.at_least or 0) + more) for h in session.hardware)
        floored = replace(session, hardware=hardware, running=None, least_machines={}, resources={})
        if solver == "milp" and space.charging.whole:
            floored = replace(floored, least_machines={m.name: more for m in session.modules})
        found = solve(floored, solver, space=space, time_limit_s=30)
        costs.append(found.value)
        if found.plan is not None and found.value is not None:
            floors = found.evaluation.floor_cost_per_h
            assert floors >= 0
            assert evaluate(replace(floored, hardware=_without(hardware)), found.plan, space).cost_per_h <= found.value
    if None not in costs:
        assert costs == sorted(costs)


def _without(hardware: tuple[Hardware, ...]) -> tuple[Hardware, ...]:
    return tuple(replace(h, at_least=None) for h in hardware)


@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize("solver", ["exact", "milp", "harpagon"])
def test_floors_of_nothing_and_long_durations_change_nothing(seed, solver):
    """Drawn sessions: least machines of 0 or 1, none paid for, and a bound above all durations leave results alone."""
    session, space = drawn(seed)
    plain = replace(
        session,
        hardware=tuple(replace(h, count=None, at_least=None) for h in session.hardware),
        running=None,
        resources={},
        least_machines={},
        modules=tuple(replace(m, longest_duration_s=None) for m in session.modules),
    )
    same = replace(
        plain,
        hardware=tuple(replace(h, at_least=0) for h in plain.hardware),
        least_machines={m.name: k % 2 for k, m in enumerate(plain.modules)},
        modules=tuple(replace(m, longest_duration_s=9) for m in plain.modules),
    )
    first, second = (solve(one, solver, space=space) for one in (plain, same))
    assert (first.status, first.value, first.plan, first.bound, first.claimed) == (
        second.status,
        second.value,
        second.plan,
        second.bound,
        second.claimed,
    )
    assert all(m.profile is own.profile for m, own in zip(plain.modules, same.modules, strict=True))


def test_more_machines_for_nothing_are_paid_for_than_spare_ones_leave_in_stock():
    """Two in stock of price 0 are paid for. Next to the spare one, one of them takes the 5 requests of at most 10."""
    hardware = [Hardware("A", 0, 2, at_least=2)]
    module = Module("m", 5, [Configuration("A", 1, 1, "0.1")])
    found = solve(Session("free", 1, hardware, [module], spare_machines=1), "exact", space=PlanSpace(charging="whole"))
    assert (found.status, found.value) == (Status.OPTIMAL, 0)


def test_as_many_machines_as_a_module_needs_at_least_may_be_of_a_cheaper_type():
    """One machine of A takes all 30 requests. Two of B, each within 0.5 + 1/2 s, cost less than two of A: 5 + 1 + 1."""
    hardware = [Hardware("A", 5), Hardware("B", 1)]
    profile = [Configuration("A", 1, 1, "0.02"), Configuration("B", 1, 1, "0.5")]
    asked = Session("m", "1.1", hardware, [Module("m", 30, profile)], least_machines={"m": 3})
    for name in ("exact", "milp", "plan-bruteforce"):
        assert solve(asked, name, space=PlanSpace(charging="whole")).value == 7, name
