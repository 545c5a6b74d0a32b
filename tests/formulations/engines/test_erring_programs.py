"""Programs that released engines answered wrongly, and their neighbours, through every engine for linear models."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path
from random import Random

import pulp
import pytest
from erring_programs import ERRING, Tiny

from euclio.core.errors import InputError
from euclio.core.result import Status
from formulations.engines.interface import EngineLimits
from formulations.engines.milp import ENGINES, find_engine, run_twice
from tests.helpers.places import ROOT

NEIGHBOURS = 20
ROOM = 1e-6
"""Share of an optimum by which an engine's may differ, as its points keep rows to a tolerance."""


def modelled(tiny: Tiny) -> pulp.LpProblem:
    """The program as a model in PuLP."""
    model = pulp.LpProblem("tiny", pulp.LpMinimize)
    bounds = [tuple(None if end is None else float(end) for end in pair) for pair in tiny.bounds]
    variables = [
        pulp.LpVariable(f"x{j}", *ends, cat=pulp.LpInteger if whole else pulp.LpContinuous)
        for j, (ends, whole) in enumerate(zip(bounds, tiny.whole, strict=True))
    ]
    model += pulp.lpSum(float(a) * x for a, x in zip(tiny.cost, variables, strict=True))
    for row, sense, right in tiny.rows:
        left = pulp.lpSum(float(a) * x for a, x in zip(row, variables, strict=True))
        model += (
            left <= float(right) if sense == "<=" else left >= float(right) if sense == ">=" else left == float(right)
        )
    return model


def wrong(tiny: Tiny, optimum: Fraction | float | None, engine: str) -> str:
    """What an engine says of a program that is not so; empty: nothing."""
    try:
        found = run_twice(modelled(tiny), find_engine(engine), EngineLimits(time_limit_s=20.0))
    except InputError:
        pytest.skip(f"{engine} is not installed")
    if found.status is Status.INFEASIBLE:
        return "" if optimum is None else f"infeasible, and {optimum} is the optimum"
    if found.status is not Status.OPTIMAL or optimum is None or found.objective is None:
        # Where a neighbour has no point, an engine may come within its tolerance of one.
        return ""
    return "" if abs(found.objective - optimum) <= ROOM * max(1, abs(optimum)) else f"{found.objective}, not {optimum}"


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("number", ERRING)
def test_engine_finds_what_releases_missed(number: str, engine: str) -> None:
    """As printed; the optimum is that of the report, which branch and bound in fractions finds too."""
    tiny, optimum = ERRING[number]
    assert tiny.optimum() == optimum
    assert not wrong(tiny, optimum, engine)


@pytest.mark.slow
@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("number", ERRING)
def test_engine_finds_what_releases_missed_nearby(number: str, engine: str) -> None:
    """A fault belongs to a kind of program: HiGHS without presolve missed the optima of all neighbours of #3273."""
    draw = Random(number)
    near = [ERRING[number][0].neighbour(draw) for _ in range(NEIGHBOURS)]
    assert not [fault for tiny in near if (fault := wrong(tiny, tiny.optimum(), engine))]


def test_options_that_lose_optima_are_set_in_one_place() -> None:
    """No other file may decide on restarts and feasibility jump, or run HiGHS without `run_highs`."""
    sources = [
        p for folder in ("euclio", "heuristics", "formulations", "bruteforce") for p in (ROOT / folder).rglob("*.py")
    ]
    telling = ("mip_allow_restart", "feasibility_jump", "highs.run()")
    found = {p.relative_to(ROOT) for p in sources if any(word in p.read_text(encoding="utf-8") for word in telling)}
    assert found == {Path("euclio/core/highs_runs.py")}
