"""Plans that are made with margins, as plans of the instance itself."""

from fractions import Fraction

import pytest
from drawn_sessions import tiny_session

from euclio import evaluate, solve
from euclio.session.attainment.margins import Margins, spare_space, stricter, with_spare
from euclio.session.space import FULL_SPACE

SOLVERS = ("harpagon", "nexus", "scrooge", "inferline", "piccolo", "harpagon:nd", "exact")


@pytest.mark.parametrize("name", SOLVERS)
@pytest.mark.parametrize("margins", [Margins(Fraction(1, 7), Fraction(9, 10)), Margins(Fraction(1, 2)), Margins()])
def test_spare_capacity_changes_neither_price_nor_latency(name, margins):
    tried = 0
    for seed in range(12):
        session = stricter(tiny_session(seed, FULL_SPACE), Margins(slo=Fraction(3)))
        narrow = stricter(session, margins)
        result = solve(narrow, name)
        if result.value is None:
            continue
        plan = with_spare(session, result.plan, result.evaluation, margins)
        checked = evaluate(session, plan, spare_space(result.space))
        assert checked.feasible, checked.violations
        assert checked.cost_per_h == result.value
        assert checked.latency_s == result.evaluation.latency_s
        tried += 1
    assert tried > 3


def test_margins_make_a_session_stricter():
    session = tiny_session(3, FULL_SPACE)
    found = stricter(session, Margins(Fraction(1, 4), Fraction(3, 4)))
    assert [m.rate_rps for m in found.modules] == [m.rate_rps * Fraction(5, 4) for m in session.modules]
    assert found.slo_s == session.slo_s * Fraction(3, 4)
