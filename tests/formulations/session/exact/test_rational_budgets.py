"""Rule `continuous` in exact arithmetic: steps of a cost, bounds by lines, and the bracketing made of both."""

import random
from fractions import Fraction

import numpy as np
import pytest

from euclio.problems.session import Allocation, Configuration, Hardware, Module, ModulePlan, PlanSpace, Policy, Session
from euclio.problems.session.arrays import session_arrays
from euclio.problems.session.policies import POLICIES
from formulations.effort import Effort
from formulations.session.exact.in_fractions.budgets import Bracket, LineBounds, Piece, bracket_session
from formulations.session.module.continuous_in_fractions import cheapest_within, continuous_module, full_latencies
from formulations.session.split.problem import without_modes

TOLERANCE = 0.5e-6


def effort() -> Effort:
    return Effort(200_000, np.inf)


def bracketed(session: Session, space: PlanSpace) -> Bracket:
    return bracket_session(session, space, TOLERANCE, effort())


def pair(slo: str, rates: tuple[str, str], d: str = "0.2", batch: int = 5) -> Session:
    """Two modules one after the other, each with machines of one kind."""
    modules = [Module(f"m{i}", rate, [Configuration("a", batch, 1, d)]) for i, rate in enumerate(rates)]
    return Session("pair", slo, [Hardware("a", "1.5")], modules, [("m0", "m1")])


def random_case(seed: int) -> tuple[Session, PlanSpace]:
    """Two to four modules of up to two configurations, in a chain, a fork or a diamond, with some room."""
    chance = random.Random(seed)
    hardware = [Hardware("a", 1), Hardware("b", "0.7")]
    edges = chance.choice([[(0, 1)], [(0, 1), (0, 2)], [(0, 1), (0, 2), (1, 3), (2, 3)], [(0, 1), (2, 3)]])
    modules = []
    for m in range(1 + max(max(edge) for edge in edges)):
        profile = [
            Configuration(name, chance.choice([1, 4, 8]), chance.choice([1, 2]), f"{chance.uniform(0.1, 0.5):.2f}")
            for name in chance.choice(["a", "ab"])
        ]
        modules.append(Module(f"m{m}", f"{chance.uniform(1, 30):.1f}", profile))
    slo = f"{chance.uniform(2, 5):.2f}"
    named = [(f"m{a}", f"m{b}") for a, b in edges]
    return Session("random", slo, hardware, modules, named), PlanSpace(chance.choice(POLICIES), "continuous")


def test_step_at_a_full_machine_is_hit_where_the_slo_leaves_nothing_else():
    """Each machine takes 0.4 s only if it is full; a little less for one module costs two machines for the other."""
    found = bracketed(pair("0.8", ("2.1", "0.000000003")), PlanSpace(dummy="continuous", max_allocations=1))
    assert found.cost == found.bound == 3


def test_step_that_the_slo_misses_by_the_last_digit_is_proven_to_be_missed():
    found = bracketed(pair("0.7999999999999999999", ("2.1", "2.1")), PlanSpace(dummy="continuous", max_allocations=1))
    assert found.cost is not None
    assert found.bound is not None
    assert found.cost > 4
    assert found.bound >= found.cost * (1 - Fraction(TOLERANCE))


@pytest.mark.parametrize(
    ("policy", "latencies"),
    [
        # 200 req/s in all, 100 before the second kind, and 50 for its partial machine alone.
        (Policy.TC, ["0.3", "0.225", "0.25"]),
        (Policy.RR, ["0.3", "0.4", "0.4"]),
        (Policy.MACHINE_RATE, ["0.3", "0.3", "0.3"]),
        # Two machines with equal rates fill up together.
        (Policy.RR_EVEN, ["0.4", "0.4", "0.4"]),
        (Policy.MACHINE_RATE_EVEN, ["0.3", "0.3", "0.3"]),
    ],
)
def test_latencies_of_full_machines(policy: Policy, latencies: list[str]) -> None:
    """Two machines of 50 req/s, one of the same throughput at twice the price, and a partial one."""
    cheap, other = (Configuration(name, 5, 2, "0.2") for name in "ab")
    session = Session("full", 10, [Hardware("a", 1), Hardware("b", 2)], [Module("m", 160, [cheap, other])])
    m = continuous_module(session.modules[0], session.price, PlanSpace(policy, "continuous"))
    plan = ModulePlan((Allocation(cheap, 2), Allocation(other, 1, Fraction(10))))
    assert full_latencies(m, plan) == [Fraction(one) for one in latencies]


@pytest.mark.parametrize("seed", range(60))
def test_no_plan_in_the_intervals_costs_less_than_the_bound_by_lines(seed: int) -> None:
    """Intervals are left out by this bound; a plan below it would be lost."""
    session, space = random_case(seed)
    chance = random.Random(-seed)
    problem, arrays = without_modes(session), session_arrays(session, space)
    lines = LineBounds(arrays, problem)
    modules = [continuous_module(module, session.price, space) for module in session.modules]
    share = session.slo_s / len(modules)
    left = [share * Fraction(chance.randint(50, 100), 100) for _ in modules]
    end = [at * (1 + Fraction(chance.choice([1, 10, 50]), 100)) for at in left]
    at_left = [cheapest_within(m, at, effort()) for m, at in zip(modules, left, strict=True)]
    at_end = [cheapest_within(m, at, effort()) for m, at in zip(modules, end, strict=True)]
    pieces = [
        Piece(a, b, high[0], low[0])
        for a, b, low, high in zip(left, end, at_left, at_end, strict=True)
        if low is not None and high is not None
    ]
    if len(pieces) < len(modules):
        return
    bound = lines.bound(pieces)
    if bound is None:
        return
    for _ in range(20):
        at = [a + (b - a) * Fraction(chance.randint(1, 100), 100) for a, b in zip(left, end, strict=True)]
        if problem.critical_path(at)[0] > session.slo_s:
            continue
        plans = [cheapest_within(m, budget, effort()) for m, budget in zip(modules, at, strict=True)]
        assert bound <= sum(plan[0] for plan in plans if plan is not None)


@pytest.mark.parametrize("gap", [Fraction(1, 100), Fraction(1, 1000)])
def test_bound_by_lines_is_below_the_least_cost_by_the_square_of_the_width(gap: Fraction) -> None:
    """Two like modules share 4 s: 2 s each is best, at 0.3/1.8 each."""
    session = pair("4", ("0.001", "0.001"))
    lines = LineBounds(session_arrays(session, PlanSpace(dummy="continuous")), without_modes(session))
    left, end = 2 - gap, 2 + gap
    price = Fraction("0.3")
    piece = Piece(left, end, price / (end - Fraction("0.2")), price / (left - Fraction("0.2")))
    bound, least = lines.bound([piece, piece]), 2 * price / Fraction("1.8")
    assert bound is not None
    assert least * (1 - 4 * gap**2 - Fraction(1, 10**7)) <= bound <= least


@pytest.mark.parametrize("seed", range(30))
def test_bracket_closes_along_curves(seed: int) -> None:
    """The bounds by lines close what steps alone would take a hundred times as many cuts for."""
    session, space = random_case(seed)
    found = bracketed(session, space)
    if found.infeasible:
        return
    assert found.cost is not None
    assert found.bound is not None
    assert found.bound <= found.cost
    assert found.bound >= found.cost * (1 - Fraction(TOLERANCE))


def test_curves_that_trade_latency_next_to_a_tie_are_closed():
    """Whole machines of all modules miss the SLO by 4e-16 s; what the begins of intervals leave of it is less.

    Two of the modules trade latency along curves. Cut in halves, their intervals need to be 1e-15 s narrow.
    """
    hardware = [Hardware("h0", "2194543.016210825"), Hardware("h1", "2194543.016210825")]
    first = [
        Configuration("h1", 2, 2, "0.0484"),
        Configuration("h1", 7, 1, "0.095"),
        Configuration("h0", 8, 1, "0.0928"),
    ]
    profile = [Configuration("h0", 6, 1, "0.7803837940516946"), Configuration("h0", 16, 3, "4.230713783565569")]
    rates = ("337.7030493017954", "20", "15.377049205105724")
    modules = [Module(f"m{m}", rate, profile if m else first) for m, rate in enumerate(rates)]
    session = Session("tie", "3.307135176206778", hardware, modules, [("m0", "m1"), ("m1", "m2")])
    found = bracket_session(session, PlanSpace("rr", "continuous"), TOLERANCE, Effort(50_000, np.inf))
    assert found.cost is not None
    assert found.bound is not None
    assert found.cost * (1 - Fraction(TOLERANCE)) <= found.bound <= found.cost
    assert 20135455 < found.cost < 20138302
