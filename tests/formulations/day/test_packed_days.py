"""Days whose modules may share machines: no dearer than whole ones, and never below the bound."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import pytest

from euclio import evaluate, solve
from euclio.core.result import Status
from euclio.problems.day import Day, Step
from euclio.problems.day.sharing import PACKED_DAY
from euclio.problems.session import Configuration, Hardware, Module, Session
from tests.drawn.days import nasty_day

MODELS = [Configuration("h", 1, 1, "0.02"), Configuration("h", 4, 1, "0.05")]
FOUR = Session("four", "0.5", [Hardware("h", 1)], [Module(f"m{k}", 10, MODELS) for k in range(4)])
RATES = (2, 20, 60, 20, 2, 0)
DAY = Day("four", FOUR, [Step(3600, [rate] * 4) for rate in RATES], 60, 60, "0.01")


@pytest.mark.parametrize("seed", range(40))
def test_sharing_costs_no_more_than_whole_machines_and_no_less_than_the_bound(seed):
    """Ties, stocks, free machines and quiet steps: a packed day is a plan that the checker accepts."""
    day = nasty_day(seed)
    whole, packed = (solve(day, "day-exact", space=space, time_limit_s=10) for space in (None, PACKED_DAY))
    if packed.status is Status.INFEASIBLE:
        assert whole.status is Status.INFEASIBLE
    if packed.value is None:
        assert whole.value is None
        return
    assert evaluate(day, packed.plan, PACKED_DAY).feasible
    assert packed.bound <= float(packed.value) * (1 + 1e-9)
    assert whole.value is None or packed.value <= whole.value


def test_four_modules_share_one_machine_at_night_and_more_by_day():
    """Whole machines are four all day; the bound is that of machines by share, in whole machines."""
    whole, packed = (solve(DAY, "day-exact", space=space) for space in (None, PACKED_DAY))
    assert packed.bound <= packed.value < whole.value / 2
    on = [sum(map(sum, step)) for step in packed.evaluation.machines]
    assert on[0] == on[4] == 1
    assert max(on) == on[2] > 1
    assert packed.evaluation.changing > 0


def test_dear_changes_keep_machines_as_they_are():
    dear = replace(DAY, price_per_change=Fraction(1000))
    found = solve(dear, "day-exact", space=PACKED_DAY)
    assert (found.evaluation.starts, found.evaluation.stops) == (0, 0)
    assert found.value == solve(dear, "day-peak", space=PACKED_DAY).value


def test_no_rule_is_cheaper():
    best = solve(DAY, "day-exact", space=PACKED_DAY).value
    for name in ("day-peak", "day-per-step"):
        found = solve(DAY, name, space=PACKED_DAY)
        assert found.value >= best
        assert found.bound is None


def test_the_same_day_gives_the_same_plan():
    first, again = (solve(DAY, "day-exact", space=PACKED_DAY).plan for _ in range(2))
    assert first == again


def test_rules_that_cannot_share_name_those_that_can():
    result = solve(DAY, "day-thresholds", space=PACKED_DAY)
    assert result.status is Status.INAPPLICABLE
    assert result.reason == ("day-thresholds does not cover packed machines; use day-exact or day-peak or day-per-step")
