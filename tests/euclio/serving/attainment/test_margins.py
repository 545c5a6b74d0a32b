"""Plans that are made with margins, as plans of the instance itself."""

from fractions import Fraction
from random import Random

import pytest

from euclio import evaluate, solve
from euclio.problems.session.space import FULL_SPACE
from euclio.serving.attainment.margins import Margins, alike, spare_space, stricter, with_spare
from tests.drawn.sessions import session_in
from tests.drawn.small_sessions import small_session

SOLVERS = ("harpagon", "nexus", "scrooge", "inferline", "piccolo", "harpagon:nd", "exact")


@pytest.mark.fifth("name")
@pytest.mark.parametrize("name", SOLVERS)
@pytest.mark.parametrize("margins", [(Fraction(1, 7), Fraction(9, 10)), (Fraction(1, 2),), ()])
def test_spare_capacity_changes_neither_price_nor_latency(name, margins):
    tried = 0
    for seed in range(24):
        tight = session_in(Random(seed), FULL_SPACE)
        session = stricter(tight, alike(tight, slo=Fraction(3)))
        own = alike(session, *margins).at(0, Fraction(1, 3))
        narrow = stricter(session, own)
        result = solve(narrow, name)
        if result.value is None:
            continue
        plan = with_spare(session, result.plan, result.evaluation, own)
        checked = evaluate(session, plan, spare_space(result.space))
        assert checked.feasible, checked.violations
        assert checked.cost_per_h == result.value
        assert checked.latency_s == result.evaluation.latency_s
        tried += 1
    assert tried > 1


@pytest.mark.parametrize("seed", range(20))
def test_machines_that_modules_share_stay_shared(seed):
    """A margin once took the modules of a shared machine apart, and each paid for a machine of its own."""
    session = small_session(seed)
    own = alike(session, Fraction(1, 7), Fraction(9, 10))
    result = solve(stricter(session, own), "whole-greedy", charging="packed")
    if result.value is None:
        return
    plan = with_spare(session, result.plan, result.evaluation, own)
    checked = evaluate(session, plan, spare_space(result.space))
    assert checked.feasible, checked.violations
    assert (plan.shared, checked.cost_per_h) == (result.plan.shared, result.value)


def test_margins_make_a_session_stricter():
    session = session_in(Random(3), FULL_SPACE)
    rates = tuple(Fraction(k, 4) for k in range(len(session.modules)))
    found = stricter(session, Margins(rates, Fraction(3, 4)))
    assert [m.rate_rps for m in found.modules] == [
        m.rate_rps * (1 + rate) for m, rate in zip(session.modules, rates, strict=True)
    ]
    assert found.slo_s == session.slo_s * Fraction(3, 4)
