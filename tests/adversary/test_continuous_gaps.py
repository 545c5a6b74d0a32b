"""Drawn sessions under rule `continuous` that were left undecided: bounds by steps only, ties cut without end."""

from __future__ import annotations

import pytest

from tests.drawn.cases import drawn, truth_of

from .judging import Outcome, judge
from .worker import run

CURVES = (176, 220, 302, 320, 550, 951, 1128, 1254, 1427, 1990, 6567)
"""Partial machines filled up in several modules: one module's latency is traded for another's along curves."""
FREE = (2200, 1500960)
"""Very many machines that cost nothing."""
TIES = {1055: 6.0, 1535: 1.0, 1715: 9.0, 4598: 4.9315644000973045, 6605: 3.0, 7470: 10.883333333333333, 7757: 6.5}
"""Machines that need the SLO to the last digit, next to plans that only come near to it, and the optimum."""
FULL = {7841: 3.0, 506000: 5.046075085, 700664: 10.692939, 702478: 21.6, 902509: 8.4, 902637: 2.0}
"""The SLO is met where partial machines are just full, and the optimum."""
PRICES_APART = (503909,)
"""A module costs 10^7 times as much as the others, which wait for full machines."""
MISSED = (6991,)
"""Two modules miss a tie with the SLO by the last digit, two others trade latencies along curves."""
NEAR_A_TIE = {503434: 5.94150607808135}
"""The whole machines of a plan meet their need only just, and a partial machine of another kind makes them faster."""
LIMIT_S = 20.0


@pytest.mark.fifth("kept_seed")
@pytest.mark.parametrize("kept_seed", CURVES + FREE + PRICES_APART + MISSED)
def test_gap_closes(kept_seed):
    """`exact` proves what it once left open after its time, and the reference encloses the cost."""
    case = drawn("session", kept_seed)
    answer = run("exact", case, case.space, LIMIT_S)
    truth = truth_of(case, case.space)
    assert answer.status == "optimal", (answer.value, answer.bound)
    assert judge(answer, truth, case.instance, LIMIT_S).outcome in (Outcome.RIGHT, Outcome.UNJUDGED)


@pytest.mark.fifth("kept_seed")
@pytest.mark.parametrize("kept_seed", TIES)
def test_plan_at_a_tie_is_found_and_proven(kept_seed):
    """The optimum lies on the SLO itself; a search that cuts intervals in two only comes near to it."""
    case = drawn("session", kept_seed)
    answer = run("exact", case, case.space, LIMIT_S)
    assert answer.status == "optimal", (answer.value, answer.bound)
    assert float(answer.value) == TIES[kept_seed]


@pytest.mark.fifth("kept_seed")
@pytest.mark.parametrize("kept_seed", FULL)
def test_plan_of_full_machines_is_found_and_proven(kept_seed):
    """Where a partial machine is just full, its latency jumps; the plan on the jump is found and proven."""
    case = drawn("session", kept_seed)
    answer = run("exact", case, case.space, LIMIT_S)
    assert answer.status == "optimal", (answer.value, answer.bound)
    assert float(answer.value) == pytest.approx(FULL[kept_seed], rel=1e-6)


@pytest.mark.parametrize("kept_seed", NEAR_A_TIE)
def test_bound_is_below_the_plan_with_a_little_more_than_whole_machines(kept_seed):
    """A bound that takes whole machines as met by a float would be above this plan."""
    case = drawn("session", kept_seed)
    answer = run("exact", case, case.space, LIMIT_S)
    assert answer.status == "optimal", (answer.value, answer.bound)
    assert float(answer.value) == pytest.approx(NEAR_A_TIE[kept_seed], rel=1e-6)
