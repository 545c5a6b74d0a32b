"""Certificates of results that keep an attainment: the prover confirms what is so, and nothing more."""

from dataclasses import replace
from fractions import Fraction

import pytest
from session_bounds import bounded, plans_below, tiny

from euclio import certify
from euclio.core.certificate import Verdict
from euclio.files import load_result, save_result
from euclio.problems.session import Configuration, Hardware, Module, Session
from euclio.problems.session.space import PlanSpace
from euclio.proving.session.attainment import _most, find_better_keeping
from euclio.serving.attainment import solve_attaining
from euclio.serving.attainment.least_loss import erlang_sum
from euclio.serving.attainment.margins import spare_space
from euclio.serving.session import Setup

SPARE = spare_space(PlanSpace(charging="whole"))
ONE = Session("one", "1", [Hardware("g", 1)], [Module("a", 30, [Configuration("g", 1, 1, "0.08")])])
"""2.4 machines of 12.5 req/s: three, and whether 99 % need a fourth is not a matter of capacity."""


def stated(session, target, found):
    rates = {m.name: float(rate) for m, rate in zip(session.modules, found.rates_rps, strict=True)}
    return {"arrivals": "poisson", "target": target, "least_rates_rps": rates}


@pytest.mark.parametrize(("load", "level"), [("0.5", "0.7"), ("0.9", "4.3"), ("1", "12"), ("1.2", "6")])
def test_both_derivations_of_the_sum_agree(load, level):
    """An alternating sum, and an integral equation without a minus: the second is an upper bound, close by."""
    exact, above = erlang_sum(Fraction(load), Fraction(level))[1], _most(Fraction(load), Fraction(level))
    assert exact <= above <= exact * Fraction(103, 100)


@pytest.mark.parametrize("seed", range(30))
def test_bounds_are_certified_and_higher_ones_are_not(seed):
    """A bound that only the code that made it believes proves nothing; one that is too high has to stay open."""
    session, target = tiny(seed)
    found = bounded(session, target)
    if found.cost_per_h is None:
        return
    cost, asked = Fraction(found.cost_per_h), stated(session, target, found)
    below = find_better_keeping(session, SPARE, asked, cost * (1 - Fraction(1, 10**6)), float("inf"))
    above = find_better_keeping(session, SPARE, asked, cost * (1 + Fraction(1, 10**6)), float("inf"))
    assert below.exhausted, below.reason
    assert not above.exhausted


@pytest.mark.parametrize("seed", range(30))
def test_bounds_of_requests_in_order_are_certified_and_higher_ones_are_not(seed):
    """The prover has the argument on its own: its integral equation, and the largest batches that machines may have."""
    session, target = tiny(seed)
    found = bounded(session, target, Setup(dispatch="pull"))
    if found.cost_per_h is None:
        return
    cost = Fraction(found.cost_per_h)
    asked = stated(session, target, found) | {"dispatch": "pull", "dropping": "never", "hold": False}
    below = find_better_keeping(session, SPARE, asked, cost * (1 - Fraction(1, 10**6)), float("inf"))
    above = find_better_keeping(session, SPARE, asked, cost * (1 + Fraction(1, 10**6)), float("inf"))
    assert below.exhausted, below.reason
    assert not above.exhausted


@pytest.mark.parametrize("seed", range(5))
def test_rates_that_are_stated_too_high_are_not_believed(seed):
    """Twice the rates would prove twice the cost; each is shown anew, so that the plan found stays open."""
    session, target = tiny(seed)
    found = bounded(session, target)
    if found.cost_per_h is None:
        return
    lies = stated(session, target, replace(found, rates_rps=tuple(100 * rate for rate in found.rates_rps)))
    cost = Fraction(found.cost_per_h) * 2
    assert not find_better_keeping(session, SPARE, lies, cost, float("inf")).exhausted


@pytest.mark.slow
def test_a_result_and_its_file_are_certified(tmp_path):
    result = solve_attaining(ONE, "exact", 0.9, charging="whole")
    assert result.bound is not None
    assert certify(ONE, result).verdict is Verdict.CERTIFIED
    save_result(result, ONE, tmp_path / "result.json")
    assert certify(ONE, load_result(tmp_path / "result.json", ONE)).verdict is Verdict.CERTIFIED


@pytest.mark.slow
def test_a_bound_above_what_is_proven_is_left_open():
    """No plan can refute it here: one that is cheaper may keep the attainment or not."""
    result = solve_attaining(ONE, "exact", 0.9, charging="whole")
    wrong = replace(result, bound=float(result.value) * (1 + 1e-12), status="feasible")
    below = list(plans_below(ONE, float(result.value)))
    assert certify(ONE, wrong).verdict is (Verdict.CERTIFIED if not below else Verdict.OPEN)


def test_what_the_prover_does_not_cover_is_left_open():
    asked = {"arrivals": "gamma", "target": 0.9, "least_rates_rps": {"a": 30.0}}
    found = find_better_keeping(ONE, SPARE, asked, Fraction(1), float("inf"))
    assert not found.exhausted
    assert "Poisson" in found.reason
