"""The ladder on measured sessions: bound ≤ exact ≤ cost for the joint models, and equal wherever they prove.

Every sixth session; all of them where the environment variable EUCLIO_ORACLE asks for at least 1000 instances.
"""

from __future__ import annotations

import json
import os
from functools import cache

import pytest
from places import SHARED

from euclio import load
from euclio.core.registry import solvers
from euclio.core.result import Result, Status
from euclio.core.solving import solve
from euclio.core.tolerances import OPTIMALITY_TOLERANCE

FOLDER = SHARED / "sessions"
ALL = int(os.environ.get("EUCLIO_ORACLE", "100")) >= 1000
NAMES = sorted(path.stem for path in FOLDER.glob("*.json"))[:: 1 if ALL else 6]
MODELS = [name for name in ("milp", "cpsat") if name in solvers()]
LIMIT_S = 5.0 if ALL else 3.0

pytestmark = pytest.mark.skipif(not FOLDER.is_dir(), reason="the measured sessions are not next to the checkout")


@cache
def optimum(name: str) -> Result:
    return solve(load(FOLDER / f"{name}.json"), "exact")


@cache
def expected() -> dict[str, dict[str, float | None]]:
    text = (FOLDER.parent / "sessions_expected.json").read_text(encoding="utf-8")
    return dict(json.loads(text))


@pytest.mark.parametrize("name", NAMES)
def test_exact_gives_the_expected_optimum(name):
    """Optima of measured sessions that were computed elsewhere, so that no common error of ours hides."""
    cost = expected()[name]["optimum"]
    assert optimum(name).cost == (None if cost is None else pytest.approx(cost, rel=OPTIMALITY_TOLERANCE))


@pytest.mark.fifth("name")
@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("name", NAMES)
def test_exact_lies_between_bound_and_cost_of_the_joint_models(name, model):
    """On profiles as measured, too many to list, models that share no search with `exact` enclose it."""
    best = optimum(name)
    answer = solve(load(FOLDER / f"{name}.json"), model, time_limit_s=LIMIT_S, threads=2)
    if best.cost is None:
        assert answer.status in (Status.INFEASIBLE, Status.UNKNOWN)
        return
    slack = OPTIMALITY_TOLERANCE * best.cost
    assert answer.status in (Status.OPTIMAL, Status.FEASIBLE, Status.UNKNOWN), answer.reason
    assert answer.bound is None or answer.bound <= best.cost + slack
    assert answer.cost is None or answer.cost >= best.cost - slack
    assert answer.status is not Status.OPTIMAL or answer.cost <= best.cost + slack
