"""Vectors of machines of all modules together: what they serve is decided in fractions, ends of axes prove nothing."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import product

import pytest

from euclio.core.result import Status
from euclio.core.solving import solve
from euclio.problems.day import Day, Staffing, Step
from euclio.problems.day.evaluate import WHOLE, session_plan
from euclio.problems.day.instance import at_rates
from euclio.problems.session import Configuration, Hardware, Module, Session, evaluate
from formulations.day.answers import NoPlanError
from formulations.day.joint import cheapest_of_all, number_of_uses, uses_of
from formulations.day.paths import LateError

PROFILE = (
    Configuration("large", 1, 1, "0.1"),
    Configuration("large", 4, 1, "0.2"),
    Configuration("small", 2, 2, "0.3"),
    Configuration("small", 1, 1, Fraction(1, 7)),
)


def day_of(slo: Fraction | str, rates: list[Fraction | int], modules: int = 1, stock: int | None = None) -> Day:
    hardware = [Hardware("large", 2), Hardware("small", "0.5", stock)]
    made = [Module(f"m{m}", 10, PROFILE) for m in range(modules)]
    edges = [(f"m{m}", f"m{m + 1}") for m in range(modules - 1)]
    return Day("few", Session("few", slo, hardware, made, edges), [Step(600, [rate] * modules) for rate in rates])


@pytest.mark.parametrize("most", [(0, 2), (1, 1), (2, 3)])
def test_all_uses_of_machines_are_listed_as_the_checker_prices_them(most):
    day = day_of(100, [10])
    uses = uses_of(day, 0, most)
    in_box = [
        counts
        for counts in product(range(max(most) + 1), repeat=4)
        if any(counts) and counts[0] + counts[1] <= most[0] and counts[2] + counts[3] <= most[1]
    ]
    assert len(uses.counts) == len(in_box) == number_of_uses(day, 0, most) - 1
    for use in range(len(uses.counts)):
        rate = uses.exact_rate(use)
        session = at_rates(day.session, (rate,))
        assert session is not None
        checked = evaluate(session, session_plan(session, (Staffing(uses.serving(use)),)), WHOLE)
        assert checked.latency_s == uses.exact_latency(use)
        assert float(rate) == pytest.approx(uses.rate[use])


@pytest.mark.parametrize(
    "rate", [10, 20, Fraction(100, 3), Fraction("33.33333333333334"), Fraction("33.33333333333333")]
)
def test_the_least_uses_are_below_all_that_take_a_rate(rate):
    uses, rate = uses_of(day_of(100, [10]), 0, (2, 3)), Fraction(rate)
    least = uses.least(rate)
    assert all(uses.exact_rate(use) >= rate for use, _ in least)
    for use in range(len(uses.counts)):
        if uses.exact_rate(use) >= rate:
            assert any(
                (uses.machines[own] <= uses.machines[use]).all() and latency <= uses.exact_latency(use)
                for own, latency in least
            )


def test_a_sum_of_latencies_at_the_slo_is_in_time_and_one_above_is_not():
    """One small machine takes 1/7 + 1/7 = 2/7 at batch 1, two modules 4/7: 0.5 each for an hour's sixth."""
    exact = solve(day_of(Fraction(4, 7), [7, 7], modules=2), "day-exact")
    assert (exact.status, exact.value) == (Status.OPTIMAL, 2 * Fraction(1200, 3600) / 2)
    shorter = solve(day_of(Fraction(4, 7) * (1 - Fraction(1, 10**15)), [7, 7], modules=2), "day-exact")
    assert shorter.status is Status.OPTIMAL
    assert shorter.value > exact.value


def test_axes_grow_until_their_ends_are_out_of_the_way():
    """0.1 + 1/w ≤ 0.105 asks for w = 200: 20 machines, more than the two at which axes end at first."""
    module = Module("m", 1, [Configuration("h", 1, 1, "0.1")])
    session = Session("many", "0.105", [Hardware("h", 1)], [module])
    found = cheapest_of_all(Day("many", session, [Step(3600, [1])]), math.inf)
    assert found is not None
    assert found.proven
    assert found.bound == pytest.approx(20)


def test_machines_beyond_the_stock_are_none():
    """19 of the 20 machines are in stock."""
    module = Module("m", 1, [Configuration("h", 1, 1, "0.1")])
    session = Session("many", "0.105", [Hardware("h", 1, 19)], [module])
    with pytest.raises(NoPlanError, match="step 1 of 1 has no plan"):
        cheapest_of_all(Day("many", session, [Step(3600, [1])]), math.inf)


def test_too_many_vectors_are_left_to_others():
    """Six modules of ten types each have two machines or more on 60 axes."""
    names = [f"h{n}" for n in range(10)]
    modules = [Module(f"m{m}", 100, [Configuration(name, 1, 1, "0.1") for name in names]) for m in range(6)]
    session = Session("large", 10, [Hardware(name, 1) for name in names], modules)
    assert cheapest_of_all(Day("large", session, [Step(60, [100] * 6)]), math.inf) is None


def test_a_deadline_that_is_over_ends_it():
    with pytest.raises(LateError):
        cheapest_of_all(day_of(1, [10, 20], modules=2), -math.inf)
