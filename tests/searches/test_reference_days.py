"""The reference of loads over time, against other ways to the same number."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from itertools import pairwise, product

import pytest

from euclio.problems.day import Day, DayPlan, Idle, Serving, Staffing, Step, StepPlan, evaluate
from euclio.problems.day.evaluate import WHOLE, session_plan
from euclio.problems.day.instance import at_rates
from euclio.problems.session import Configuration, Hardware, Module, Session
from euclio.problems.session import evaluate as evaluate_session
from tests.drawn.days import nasty_day, tied_day
from tests.drawn.reference_days import _after_changes, ends, least_cost


def enumerated_cost(day: Day, most: int) -> Fraction | None:
    """The least cost of a day with one module, all plans tried that have at most so many machines of a type."""
    vectors = list(product(range(most + 1), repeat=len(day.session.hardware)))
    serving = [[on for on in vectors if _serves(day, k, on)] for k in range(len(day.steps))]
    costs = [_cost(day, path) for path in product(*serving)]
    return min(costs, default=None)


def _serves(day: Day, k: int, on: tuple[int, ...]) -> bool:
    """Whether some use of the machines serves a step, and the stock has them."""
    if any(h.count is not None and n > h.count for h, n in zip(day.session.hardware, on, strict=True)):
        return False
    session = at_rates(day.session, day.steps[k].rates_rps)
    if session is None:
        return True
    profile = session.modules[0].profile
    limit = {h.name: n for h, n in zip(session.hardware, on, strict=True)}
    for counts in product(*(range(limit[c.hardware] + 1) for c in profile)):
        used = {name: sum(n for n, c in zip(counts, profile, strict=True) if c.hardware == name) for name in limit}
        if any(used[name] > limit[name] for name in limit) or not any(counts):
            continue
        named = zip(counts, profile, strict=True)
        staffing = Staffing(tuple(Serving(c.hardware, c.batch, c.concurrency, n) for n, c in named if n))
        if evaluate_session(session, session_plan(session, (staffing,)), WHOLE).feasible:
            return True
    return False


def _cost(day: Day, path: tuple[tuple[int, ...], ...]) -> Fraction:
    """The cost as docs/model/load-over-time.md has it."""
    total, change = Fraction(0), day.price_per_change + day.state.get(day.session.modules[0].name, 0)
    for h, hardware in enumerate(day.session.hardware):
        price = hardware.price_per_h / 3600
        for step, on in zip(day.steps, path, strict=True):
            total += step.length_s * price * on[h]
        for before, after in pairwise(path):
            total += (change + price * day.warm_up_s) * max(0, after[h] - before[h])
            total += (change + price * day.keep_alive_s) * max(0, before[h] - after[h])
    return total


@pytest.mark.parametrize("seed", range(20))
def test_of_one_module_it_is_that_of_all_paths(seed):
    """All paths through all vectors of up to three machines of a type, each held to the SLO by the checker."""
    day = tied_day(seed)
    most = tuple(3 if h.count is None else min(3, h.count) for h in day.session.hardware)
    assert least_cost(day, [most]) == enumerated_cost(day, 3)


@pytest.mark.fifth("quiet")
@pytest.mark.parametrize("quiet", [(), ((0, 0),), ((0, 0), (1, 1)), ((0, 0), (0, 1)), ((1, 0), (0, 0))])
@pytest.mark.parametrize("slo", ["0.2", "0.3", "0.4", "0.5"])
def test_of_two_modules_it_is_that_of_all_plans(slo, quiet):
    """All plans of no to two machines per module and step; two steps, a chain, a stock of three; priced as a whole.

    `quiet` are the steps and modules to which nothing comes.
    """
    modules = [Module(name, 10, [Configuration("h", batch, 1, "0.1") for batch in (1, 2)]) for name in "ab"]
    session = Session("pair", slo, [Hardware("h", 1, 3)], modules, [("a", "b")])
    rates = [[10, 20], [20, Fraction("10.000000000000002")]]
    for k, m in quiet:
        rates[k][m] = 0
    day = Day("pair", session, [Step(60, rates[0]), Step(300, rates[1])], 60, 0, "0.001")
    own = [Staffing(()), *(Staffing((Serving("h", batch, 1, n),)) for batch in (1, 2) for n in (1, 2))]
    own += [Staffing((), (Idle("h", n),)) for n in (1, 2)]
    served = [
        [plan for plan in map(StepPlan, product(own, own)) if evaluate(alone, DayPlan((plan,))).feasible]
        for alone in (replace(day, steps=(step,)) for step in day.steps)
    ]
    costs = [checked.value for steps in product(*served) if (checked := evaluate(day, DayPlan(steps))).feasible]
    assert least_cost(day, [(2,), (2,)]) == min(costs, default=None)


def test_changes_are_those_of_all_pairs():
    """Costs before a change on a table of 3 x 4, some vectors do not serve; against the cheapest of all changes."""
    shape, up, down = (3, 4), (5, 2), (1, 7)
    vectors = list(product(range(3), range(4)))
    cost = [(7 * k * k) % 31 if k % 3 else None for k in range(12)]

    def change(a, b):
        return sum(up[i] * max(0, b[i] - a[i]) + down[i] * max(0, a[i] - b[i]) for i in range(2))

    expected = [
        min(own + change(a, b) for a, own in zip(vectors, cost, strict=True) if own is not None) for b in vectors
    ]
    assert _after_changes(cost, shape, up, down) == expected


def test_days_are_the_same_for_the_same_seed_and_of_all_kinds():
    """Faults are reported by seed; days of one to three modules, some with equal loads or with none, are all drawn."""
    days = [nasty_day(seed) for seed in range(60)]
    assert days == [nasty_day(seed) for seed in range(60)]
    assert {len(day.session.modules) for day in days} == {1, 2, 3}
    assert all(ends(day, 0) is None for day in days if any(map(any, ends(day, 10**9))))
    assert any(a.rates_rps == b.rates_rps for day in days for a, b in pairwise(day.steps))
    assert any(not any(day.steps[0].rates_rps) for day in days)
    assert any(not all(step.rates_rps) and any(step.rates_rps) for day in days for step in day.steps)
