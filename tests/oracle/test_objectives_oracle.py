"""Several objectives and delays: exact, the models and enumeration agree on tiny sessions; laws of the reduction."""

import random
from dataclasses import replace
from fractions import Fraction

import pytest

from euclio import evaluate, pool, solve
from euclio.core.errors import InputError
from euclio.core.result import Status
from euclio.problems.session import (
    Allocation,
    Configuration,
    Hardware,
    Module,
    ModulePlan,
    Plan,
    PlanSpace,
    Session,
)
from euclio.problems.session.files.instances import session_from_text, session_to_text
from euclio.problems.session.latency.paths import longest_path
from euclio.problems.session.objectives import Objective
from euclio.problems.session.running import Running, RunningMachines
from euclio.problems.session.services import without_objective

DRAWN = 60


def drawn(seed: int) -> Session:
    """Up to four modules on up to two types, with delays, and objectives anywhere in the DAG."""
    rng = random.Random(seed)
    names = "abcd"[: rng.randint(1, 4)]
    hardware = [Hardware("g", rng.choice([1, 2, "0.5"])), Hardware("h", rng.choice([1, 3, "0.7"]))][: rng.randint(1, 2)]
    modules = [Module(name, rng.choice([10, 20, 33, "47.5", 60]), _profile(rng, hardware)) for name in names]
    edges = [(a, b) for i, a in enumerate(names) for b in names[i + 1 :] if rng.random() < 0.5]
    delays = {edge: rng.choice([0, "0.01", "0.03", "0.004"]) for edge in edges}
    longest = Fraction(rng.randint(6, 40), 100)
    shares = (Fraction(1), Fraction(1, 2), Fraction(3, 4), Fraction(9, 10))
    named = rng.sample(names, rng.randint(0, len(names)))
    objectives = [Objective(f"to {name}", name, longest * rng.choice(shares)) for name in named]
    slo = None if objectives else longest
    return Session(f"drawn-{seed}", slo, hardware, modules, edges, objectives=objectives, delay_s=delays)


def _profile(rng: random.Random, hardware: list[Hardware]) -> list[Configuration]:
    profile = []
    for machine in hardware:
        duration = Fraction(rng.randint(1, 6), 100)
        for batch in (1, 2, 4)[: rng.randint(1, 3)]:
            profile.append(Configuration(machine.name, batch, 1, duration))
            duration += Fraction(rng.randint(0, 4), 100)
    return profile


@pytest.mark.parametrize("seed", range(DRAWN))
@pytest.mark.parametrize("machines", ["share", "whole"])
def test_exact_and_enumeration_agree(seed, machines):
    """Guards the reduction of objectives and delays to ends of paths in compiled searches."""
    session = drawn(seed)
    policy = random.Random(seed).choice(["rr", "tc", "tc-shared", "in-turn"])
    found, listed = (
        solve(session, name, machines=machines, policy=policy, time_limit=30) for name in ("exact", "plan-bruteforce")
    )
    if listed.status is Status.UNKNOWN:
        pytest.skip("too many plans to list")
    assert (found.status, found.value) == (listed.status, listed.value)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(0, DRAWN, 3))
@pytest.mark.parametrize("solver", ["milp", "cpsat", "milp-split", "cpsat-split"])
def test_the_models_agree_with_exact(seed, solver):
    """Guards the rows of delays and ends in MILP and CP-SAT."""
    session = drawn(seed)
    if without_objective(session):
        pytest.skip("models do not cover modules that lead to no objective")
    found, proven = solve(session, solver), solve(session, "exact")
    assert (found.status, found.value) == (proven.status, proven.value)


@pytest.mark.parametrize("seed", range(20))
def test_an_objective_at_each_last_module_and_no_delay_change_nothing(seed):
    """The same arrays, so that every digit of an answer is the same."""
    drawn_one = drawn(seed)
    plain = Session(drawn_one.name, drawn_one.slo_s, drawn_one.hardware, drawn_one.modules, drawn_one.edges)
    last = [m.name for m, end in zip(plain.modules, plain.ends(), strict=True) if end is not None]
    said = replace(
        plain,
        slo_s=None,
        objectives=tuple(Objective(name, name, plain.slo_s) for name in last),
        delay_s=dict.fromkeys(plain.edges, 0),
    )
    for solver in ("exact", "harpagon", "price-of-time"):
        one, other = solve(plain, solver), solve(said, solver)
        assert (one.status, one.value, one.bound, one.plan) == (other.status, other.value, other.bound, other.plan)


@pytest.mark.parametrize("seed", range(20))
def test_a_tighter_objective_never_costs_less_and_a_file_holds_them(seed):
    """A plan of the tighter session is one of the looser session."""
    session = drawn(seed)
    assert session_from_text(session_to_text(session)) == session
    if not session.objectives:
        return
    first, *rest = session.objectives
    tighter = replace(session, slo_s=None, objectives=(replace(first, slo_s=first.slo_s * Fraction(9, 10)), *rest))
    loose, tight = solve(session, "exact"), solve(tighter, "exact")
    assert tight.value is None or (loose.value is not None and loose.value <= tight.value)


def test_the_worked_numbers():
    """docs/model/services.md: 0.25 and 0.6 s keep both objectives; 0.31 and 0.55 s miss the first token by 0.01 s."""
    profile = [Configuration("g", 1, 1, "0.01")]
    session = Session(
        "chain",
        None,
        [Hardware("g", 1)],
        [Module("a", 1, profile), Module("b", 1, profile)],
        [("a", "b")],
        objectives=[Objective("first token", "a", "0.3"), Objective("answer", "b", 1)],
        delay_s={("a", "b"): "0.1"},
    )
    assert session.ends() == (Fraction(7, 10), 0)
    assert longest_path(session, [Fraction("0.25"), Fraction("0.6")]) == (Fraction("0.95"), ["a"])
    assert longest_path(session, [Fraction("0.31"), Fraction("0.55")])[0] == Fraction("1.01")
    late = solve(session, "exact")
    tight = replace(session, slo_s=None, objectives=(Objective("first token", "a", "0.011"), session.objectives[1]))
    assert late.plan is not None
    missed = evaluate(tight, late.plan, late.space).violations
    assert len(missed) == 1
    assert missed[0].startswith("objective first token: a path to a takes")


def test_a_module_that_leads_to_no_objective_takes_no_longer_than_a_session_may_name():
    """A rate of a machine and 1.3e-15 req/s more: the second machine waits 1.6e15 s for two requests, above 1e12 s.

    The checker once accepted that plan, which no solver looks at.
    """
    slow = Module("slow", "6.2015503875969005", [Configuration("g", 2, 1, "0.3225")])
    bounded = Module("bounded", 1, [Configuration("g", 1, 1, "0.01")])
    session = Session("waits", None, [Hardware("g", 1)], [slow, bounded], objectives=[Objective("x", "bounded", 2)])
    found = solve(session, "exact")
    waits = ModulePlan((Allocation(slow.profile[0], 1, slow.rate_rps - slow.profile[0].throughput_rps),))
    assert found.plan is not None
    checked = evaluate(session, Plan((waits, found.plan.modules[1])), found.space)
    assert checked.cost_per_h < found.value
    assert [line.split(",")[0] for line in checked.violations] == ["path slow leads to no objective"]


def test_enumeration_shares_machines_of_modules_that_lead_to_no_objective():
    """Within 1.19 s is m alone: free takes 1.77 s on the machine that both share, at 2 instead of 4 per hour.

    The enumeration once left out what is slower than the longest objective.
    """
    free = Module("free", "4.9", [Configuration("g", 6, 1, "0.35")])
    bounded = Module("m", "6.666666666666667", [Configuration("g", 4, 1, "0.2")])
    session = Session("shares", None, [Hardware("g", 2)], [free, bounded], objectives=[Objective("x", "m", "1.19")])
    space = PlanSpace("rr", "none", charging="packed")
    for solver in ("plan-bruteforce", "whole-greedy"):
        assert solve(session, solver, space=space).value == 2


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"objectives": [Objective("x", "nobody", 1)]}, "unknown module 'nobody'"),
        ({"objectives": [Objective("x", "a", 1), Objective("x", "b", 1)]}, "'x' is listed twice"),
        ({"objectives": []}, "is missing"),
        ({"delay_s": {("b", "a"): 1}, "slo_s": 1}, "there is no edge b -> a"),
        ({"delay_s": {("a", "b"): -1}, "slo_s": 1}, "it must be at least 0"),
    ],
)
def test_bad_objectives_and_delays_are_one_line(changes, said):
    profile = [Configuration("g", 1, 1, "0.01")]
    modules = [Module("a", 1, profile), Module("b", 1, profile)]
    with pytest.raises(InputError, match=said):
        Session("bad", changes.pop("slo_s", None), [Hardware("g", 1)], modules, [("a", "b")], **changes)


def _apart(seed: int) -> tuple[Session, Session]:
    """Two sessions of the same types, and names in part the same."""
    rng = random.Random(seed)
    hardware = [Hardware("g", 1), Hardware("h", 3)]
    return tuple(
        Session(
            name,
            Fraction(rng.randint(10, 30), 100),
            hardware,
            [Module("m", rng.choice([20, 33]), _profile(rng, hardware))],
        )
        for name in ("one", "two")
    )


@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize("machines", ["share", "whole"])
def test_a_pool_without_shared_limits_costs_the_sum(seed, machines):
    """Applications that share nothing are planned apart."""
    sessions = _apart(seed)
    costs = [solve(one, "exact", machines=machines).value for one in sessions]
    found = solve(pool(sessions), "exact", machines=machines).value
    assert found == (None if None in costs else sum(costs))
    assert pool(sessions[:1]) is sessions[0]


@pytest.mark.parametrize("seed", range(20))
def test_a_pool_within_one_stock_is_planned_as_enumeration_does(seed):
    """A stock ties applications with different objectives."""
    sessions = _apart(seed)
    stock = {"g": random.Random(seed).randint(1, 3)}
    together = pool(sessions)
    assert [one.name for one in together.applications] == ["one", "two"]
    assert [module.name for module in together.modules] == ["one/m", "two/m"]
    found, listed = (
        solve(together, name, machines="whole", stock=stock, time_limit=30) for name in ("exact", "plan-bruteforce")
    )
    if listed.status is not Status.UNKNOWN:
        assert (found.status, found.value) == (listed.status, listed.value)


def test_pools_refuse_types_that_differ():
    one, two = _apart(0)
    other = replace(two, hardware=(replace(two.hardware[0], price_per_h=Fraction(2)), *two.hardware[1:]))
    with pytest.raises(InputError, match="g differs between one and two"):
        pool([one, other])
    with pytest.raises(InputError, match="two sessions are called 'one'"):
        pool([one, one])
    runs = replace(one, running=Running((RunningMachines("m", "g", 1),)))
    with pytest.raises(InputError, match="names modules of one session"):
        pool([runs, two])
