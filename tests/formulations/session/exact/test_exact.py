"""Solver `exact`: measured instances with known optima, and what it says under a limit."""

import json
from fractions import Fraction
from pathlib import Path

import pytest
from places import SHARED

from euclio.core.result import Status
from euclio.core.solving import solve
from euclio.problems.session import Configuration, Hardware, Module, PlanSpace, Session
from euclio.problems.session.files.instances import load_session
from euclio.workloads.session.random_sessions import chain_from_modules

SPACES = {
    "optimum": PlanSpace(),
    "no_dummy": PlanSpace(dummy="none"),
    "max_tuples_1": PlanSpace(max_allocations=1),
    "max_tuples_2": PlanSpace(max_allocations=2),
}


def measured(folder: str) -> list[Path]:
    return sorted((SHARED / folder).glob("*.json"))


def expected(folder: str, name: str) -> dict[str, float | None]:
    return json.loads((SHARED / f"{folder}_expected.json").read_text())[name]


def check(path: Path, space: PlanSpace, cost: float | None) -> None:
    result = solve(load_session(path), "exact", space=space)
    if cost is None:
        assert result.status is Status.INFEASIBLE
    else:
        assert (result.status, result.cost) == (Status.OPTIMAL, pytest.approx(cost, rel=1e-6))


needs_shared = pytest.mark.skipif(not SHARED.exists(), reason="the measured instances are not next to the checkout")


@pytest.mark.fifth("path")
@needs_shared
@pytest.mark.parametrize("column", SPACES)
@pytest.mark.parametrize("path", measured("sessions"), ids=lambda p: p.stem)
def test_measured_sessions_have_the_expected_optimum(path: Path, column: str) -> None:
    check(path, SPACES[column], expected("sessions", path.stem)[column])


@pytest.mark.compiled
@needs_shared
@pytest.mark.parametrize("folder", ["sessions_large", "sessions_hard"])
def test_large_and_hard_sessions_have_the_expected_optimum(folder: str) -> None:
    for path in measured(folder):
        check(path, PlanSpace(), expected(folder, path.stem)["cost"])


@pytest.mark.parametrize("tightness", [0.2, 0.6])
def test_chains_of_forty_modules_are_proven(tightness: float) -> None:
    assert solve(chain_from_modules(3, 40, tightness), "exact").status is Status.OPTIMAL


def test_a_limit_of_no_time_gives_no_false_proof() -> None:
    session = chain_from_modules(0, 12, 0.3)
    optimum = solve(session, "exact")
    limited = solve(session, "exact", time_limit_s=1e-9)
    assert limited.status in {Status.UNKNOWN, Status.FEASIBLE}
    assert limited.bound is None or limited.bound <= optimum.cost * (1 + 1e-9)


@pytest.mark.parametrize("digits", [4, 6, 8])
@pytest.mark.parametrize("mantissa", [1, 3, 7])
def test_a_module_that_takes_next_to_nothing_is_not_called_infeasible(mantissa: int, digits: int) -> None:
    """A window that is the difference of two long paths may fall short of a tiny latency by rounding alone."""
    seconds = Fraction(mantissa, 10**digits)
    slow = [("A", 2, 1, "0.76"), ("A", 1, 2, "0.24"), ("B", 8, 1, "0.1"), ("A", 2, 2, "0.8")]
    modules = [
        Module("slow", "18.9", [Configuration(*c) for c in slow]),
        Module("fast", 1 / seconds, [Configuration("A", 1, 1, seconds)]),
    ]
    session = Session("tiny", "0.73", [Hardware("A", 2), Hardware("B", 1)], modules, [("slow", "fast")])
    assert all(solve(session, "exact", policy=policy).status is Status.OPTIMAL for policy in ("tc", "tc-shared", "rr"))
