"""Plan brute force where machines are charged whole or in stock: worked numbers, and a second, naive enumeration."""

from __future__ import annotations

import os
import time
from fractions import Fraction
from itertools import product

import pytest

from bruteforce.session.bought_choices import Choice, Latency, Listing, _undominated
from bruteforce.session.combination import TimeUpError
from bruteforce.session.demands import asked_of
from euclio.core.result import Status
from euclio.core.solving import solve
from euclio.problems.session import (
    Allocation,
    Charging,
    Configuration,
    Hardware,
    Module,
    ModulePlan,
    Plan,
    PlanSpace,
    Session,
    evaluate,
)
from euclio.problems.session.evaluate import rank_key
from euclio.problems.session.policies import POLICIES
from tests.drawn.small_sessions import bought_session, stocked

SEEDS = range(int(os.environ.get("EUCLIO_ORACLE", "40")))
MOST = 4
"""Machines of a configuration that the naive enumeration goes to."""


def one_module(slo, rate, *rows, hardware):
    """A session of one module; rows are (hardware, batch, duration)."""
    profile = [Configuration(h, b, 1, d) for h, b, d in rows]
    return Session("one", slo, hardware, [Module("m", rate, profile)])


def optimum(session: Session, space: PlanSpace) -> Fraction | None:
    result = solve(session, "plan-bruteforce", space=space)
    assert result.status in (Status.OPTIMAL, Status.INFEASIBLE), result.reason
    return result.value


@pytest.mark.parametrize(
    ("slo", "dummy", "cost"),
    [
        ("0.8", "machine", 1),
        ("0.7", "machine", 2),
        ("0.6", "continuous", 2),
        ("0.5", "machine", 4),
        ("0.7", "none", None),
    ],
)
def test_a_spare_machine_collects_faster(slo, dummy, cost):
    """10 req/s in batches of 4 that take 0.4 s: n machines take 0.4 + 4/(10 n) s, and without dummies one is all."""
    session = one_module(slo, 10, ("h", 4, "0.4"), hardware=[Hardware("h", 1)])
    assert optimum(session, PlanSpace(dummy=dummy, charging="whole")) == cost


def test_no_number_of_machines_takes_as_little_as_the_duration():
    session = one_module("0.4", 10, ("h", 4, "0.4"), hardware=[Hardware("h", 1)])
    assert solve(session, "plan-bruteforce", charging="whole").status is Status.INFEASIBLE


@pytest.mark.parametrize(("off", "status"), [(0, Status.INFEASIBLE), (Fraction(1, 10**6), Status.OPTIMAL)])
def test_machines_that_cost_nothing_are_as_many_as_the_slo_asks_for(off, status):
    """Two modules of 0.4 s each: within 0.8 s and a millionth it takes millions of machines, within 0.8 s none do."""
    modules = [Module(name, 10, [Configuration("h", 4, 1, "0.4")]) for name in "ab"]
    session = Session("free", Fraction("0.8") + off, [Hardware("h", 0)], modules, [("a", "b")])
    found = solve(session, "plan-bruteforce", charging="whole")
    assert (found.status, found.value) == (status, 0 if off else None)


@pytest.mark.parametrize(("count", "cost"), [(0, 9), (1, 5), (2, 2), (None, 2)])
def test_stock_makes_a_plan_more_expensive(count, cost):
    """20 req/s: a machine of a or b takes 10 at price 1 and 4; of c, at price 9, all."""
    session = one_module(
        9, 20, ("a", 1, "0.1"), ("b", 1, "0.1"), ("c", 4, "0.1"),
        hardware=[Hardware("a", 1, count), Hardware("b", 4, 1), Hardware("c", 9)],
    )  # fmt: skip
    assert optimum(session, PlanSpace(charging="whole")) == cost


def test_shares_of_a_stock_are_summed():
    """Two modules of 7 req/s on machines of 10: 1.4 machines, so that one is not enough by share, and two are."""
    modules = [Module(name, 7, [Configuration("h", 1, 1, "0.1")]) for name in "ab"]
    for count, cost in ((1, None), (2, Fraction("1.4"))):
        session = Session("two", 9, [Hardware("h", 1, count)], modules)
        assert optimum(session, PlanSpace(dummy="none")) == cost


def test_a_users_own_policy_has_no_dummies_for_nothing(tmp_path):
    file = tmp_path / "own.py"
    file.write_text(
        "from euclio.problems.session import Policy\n"
        "def slow(place):\n    return 3 * place.duration_s\n"
        "SLOW = Policy(name='slow', help='', whole=slow, partial=slow)\n"
    )
    session = one_module(9, 15, ("h", 1, "0.1"), hardware=[Hardware("h", 1)])
    found = solve(session, "plan-bruteforce", policy=f"{file}:SLOW", charging="whole")
    assert found.status is Status.INAPPLICABLE
    assert optimum(session, PlanSpace(f"{file}:SLOW", "none", charging="whole")) == 2


def module_plans(module: Module, session: Session) -> list[ModulePlan]:
    """Every vector of counts up to `MOST`, every single partial machine, derived dummies."""
    ranked = sorted(module.profile, key=lambda c: rank_key(c, session.price))
    plans = []
    for counts in product(range(MOST + 1), repeat=len(ranked)):
        rows = [Allocation(c, n) for c, n in zip(ranked, counts, strict=True) if n]
        whole = sum((a.machines * a.configuration.throughput_rps for a in rows), Fraction(0))
        partial, dummy = max(Fraction(0), module.rate_rps - whole), max(Fraction(0), whole - module.rate_rps)
        if not partial:
            plans.append(ModulePlan(tuple(rows), dummy))
            continue
        for k, c in enumerate(ranked):
            others = [a for a in rows if a.configuration != c]
            plans.append(ModulePlan((*others, Allocation(c, counts[k], partial)), dummy))
    return plans


def naive_optimum(session: Session, space: PlanSpace) -> Fraction | None:
    """The cheapest of all combinations, priced by the checker one by one."""
    loose = Session("loose", 10**9, [Hardware(h.name, h.price_per_h) for h in session.hardware], session.modules)
    alone = [Session(m.name, session.slo_s, loose.hardware, [m]) for m in session.modules]
    possible = [
        [plan for plan in module_plans(only.modules[0], only) if evaluate(only, Plan((plan,)), space).feasible]
        for only in alone
    ]
    checked = (evaluate(session, Plan(plans), space) for plans in product(*possible))
    return min((found.cost_per_h for found in checked if found.feasible), default=None)


@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize("dummy", ["none", "machine"])
@pytest.mark.parametrize("seed", SEEDS)
def test_naive_enumeration_agrees(policy, dummy, seed):
    """Small sessions of one or two modules, by share with a stock and whole with and without one."""
    session = bought_session(seed, modules=2, configurations=2)
    for charging, instance in product(Charging, (session, stocked(session, seed))):
        if charging.packs:
            continue
        space = PlanSpace(policy, dummy, charging=charging)
        found, naive = optimum(instance, space), naive_optimum(instance, space)
        # What takes more than MOST machines of a configuration, only the first of the two can see.
        least = min(h.price_per_h for h in instance.hardware)
        seen = found is not None and found < (MOST + 1) * least
        assert found == naive if seen or found is None else naive is None or found <= naive, (seed, space)


@pytest.mark.parametrize(("slo", "cost"), [("0.4", 1), ("0.35", 1), ("0.3", 4)])
def test_round_robin_is_faster_just_below_full(slo, cost):
    """Batch 2 in 0.2 s, two at a time: a full machine takes 0.4 s, one below 20 req/s more than 0.2 + 2/20 = 0.3 s."""
    profile = [Configuration("h", 2, 2, "0.2"), Configuration("k", 1, 1, "0.1")]
    session = Session("one", slo, [Hardware("h", 1), Hardware("k", 4)], [Module("m", 10, profile)])
    space = PlanSpace("rr", "continuous", charging="whole")
    found = solve(session, "plan-bruteforce", space=space)
    assert (found.status, found.value) == (Status.OPTIMAL, cost)


def test_comparing_choices_ends_at_the_deadline():
    """Each choice is compared with all that are kept: a standing search waited 25 minutes where its limit was 2 s."""
    session = one_module("0.8", 10, ("h", 4, "0.4"), hardware=[Hardware("h", 1)])
    space = PlanSpace(charging="whole")
    late = Listing(session, space, asked_of(session), frozenset(), time.perf_counter() - 1)
    with pytest.raises(TimeUpError):
        _undominated(late, iter([Choice(Fraction(1), Latency(Fraction(1), 1), (), frozenset(), (), None)]))
