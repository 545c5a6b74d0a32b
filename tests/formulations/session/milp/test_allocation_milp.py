"""The allocation rows of the MILP, which decide all in a session of one module, against enumeration of its plans."""

import pytest

from euclio.core.solving import solve
from euclio.problems.session import PlanSpace, Session, evaluate
from tests.drawn.small_sessions import small_session

SPACES = [
    PlanSpace(),
    PlanSpace(dummy="none"),
    PlanSpace("tc-shared"),
    PlanSpace("rr", "none", 2),
    PlanSpace("machine-rate", "machine", 1),
]


@pytest.mark.parametrize("seed", range(30))
def test_allocation_agrees_with_enumeration(seed):
    """The equations of one module alone, so that an error is found before the joint model."""
    session, space = small_session(seed), SPACES[seed % len(SPACES)]
    alone = Session("alone", session.slo_s, session.hardware, session.modules[:1])
    best = solve(alone, "plan-bruteforce", space=space)
    answer = solve(alone, "milp", space=space)
    assert answer.status is best.status
    if best.cost is not None:
        assert answer.plan is not None
        assert evaluate(alone, answer.plan, space).cost_per_h == pytest.approx(best.value, rel=1e-9)
