"""Small programs that released engines answered wrongly, and their neighbours, through every way to an engine.

The right values are those of a branch and bound in fractions that shares nothing with any engine.
"""

from __future__ import annotations

import math
from fractions import Fraction
from random import Random

import numpy as np
import pulp
import pytest

from euclio.core.engine_packages import is_installed
from euclio.core.result import Status
from formulations.engines.cpsat import CP_SAT
from formulations.engines.highs_arrays import Program, solve_mip
from formulations.engines.interface import EngineLimits
from formulations.engines.milp import run_twice
from formulations.engines.registry import REGISTERED, find_engine
from heuristics.highs import Limits, least_whole
from tests.helpers.erring_programs import ERRING

OPTIONAL = {"highs": "highspy", "highs-program": "highsbox", "scip": "pyscipopt", "gurobi": "gurobipy"}
NEIGHBOURS = 20
NONE = Status.INFEASIBLE


def in_pulp(program):
    model = pulp.LpProblem("tiny", pulp.LpMinimize)
    x = [
        model.add_variable(
            f"x{j}",
            None if low is None else float(low),
            None if high is None else float(high),
            pulp.LpInteger if whole else pulp.LpContinuous,
        )
        for j, ((low, high), whole) in enumerate(zip(program.bounds, program.whole, strict=True))
    ]
    model += pulp.lpSum(float(c) * v for c, v in zip(program.cost, x, strict=True))
    for row, sense, right in program.rows:
        left = pulp.lpSum(float(a) * v for a, v in zip(row, x, strict=True) if a)
        model += left <= float(right) if sense == "<=" else left >= float(right) if sense == ">=" else left == right
    return model


def by_engine(name, limits):
    def ask(program):
        engine = find_engine(name)
        found = (
            run_twice(in_pulp(program), engine, EngineLimits())
            if limits is None
            else engine.run(in_pulp(program), limits)
        )
        return NONE if found.status is NONE else found.objective if found.status is Status.OPTIMAL else found.status

    return ask


def limits_of(row, right, sense):
    return (-math.inf if sense == "<=" else right, math.inf if sense == ">=" else right)


def by_arrays(program):
    built = Program()
    for (low, high), whole, cost in zip(program.bounds, program.whole, program.cost, strict=True):
        ends = -math.inf if low is None else float(low), math.inf if high is None else float(high)
        built.variables(1, *ends, whole=whole, cost=float(cost))
    for row, sense, right in program.rows:
        built.row(range(len(row)), row, *limits_of(row, float(right), sense))
    found = solve_mip(built, math.inf, 0.0)
    return NONE if found.status is NONE else found.objective if found.status is Status.OPTIMAL else found.status


def by_scipy(program):
    """The heuristics' way knows variables from 0 on: each is counted from its least value, or from -1000."""
    low = np.array([-1000.0 if low is None else float(low) for low, _ in program.bounds])
    high = np.array([math.inf if high is None else float(high) for _, high in program.bounds]) - low
    matrix = np.array([[float(a) for a in row] for row, _, _ in program.rows])
    ends = np.array([limits_of(row, float(right), sense) for row, sense, right in program.rows]).T - matrix @ low
    rows = Limits(matrix, ends[0], ends[1]), Limits(np.eye(len(low)), 0.0, high)
    cost = np.array([float(c) for c in program.cost])
    found = least_whole(cost, np.array(program.whole), rows)
    if found.values is None:
        return NONE if found.infeasible else found.raw_status
    assert found.bound == pytest.approx(float(cost @ found.values), rel=1e-6, abs=1e-6)
    return float(cost @ (found.values + low))


SETTINGS = {
    "twice": None,
    "plain": EngineLimits(presolve=True, plain=True),
    "presolve": EngineLimits(presolve=True),
    "bare": EngineLimits(presolve=False),
}
WAYS = {
    f"{name} {setting}": by_engine(name, limits)
    for name in REGISTERED
    if name not in OPTIONAL or is_installed(OPTIONAL[name])
    for setting, limits in SETTINGS.items()
}
WAYS |= {"arrays": by_arrays} if is_installed("highspy") else {}
WAYS |= {"scipy": by_scipy}


def right_answer(answer, optimum):
    """CBC ends with an error over some programs without a point, which is no answer, and no wrong one."""
    if optimum is None:
        return answer in (NONE, Status.UNKNOWN)
    return not isinstance(answer, str) and answer == pytest.approx(float(optimum), rel=1e-6, abs=1e-6)


@pytest.mark.parametrize("number", ERRING)
def test_the_reference_finds_the_values_that_were_reported(number):
    """12, 8000, 9, 0.03, 64, -2916285/772 and -175.91 (in fractions: 3273 and 2432 are minimised here)."""
    program, optimum = ERRING[number]
    assert abs(program.optimum() - optimum) < Fraction(1, 10**9)


@pytest.mark.parametrize("number", ERRING)
@pytest.mark.parametrize("way", WAYS)
def test_every_way_to_an_engine_answers_the_seven_programs_right(way, number):
    program, optimum = ERRING[number]
    assert right_answer(WAYS[way](program), optimum)


@pytest.mark.slow
@pytest.mark.parametrize("number", ERRING)
def test_every_way_to_an_engine_answers_their_neighbours_right(number):
    """Guards engines' settings: without presolve feasibility jump had HiGHS lose the optimum of all neighbours."""
    wrong = []
    for seed in range(NEIGHBOURS):
        program = ERRING[number][0].neighbour(Random(f"{number} {seed}"))
        optimum = program.optimum()
        wrong += [(way, seed) for way, ask in WAYS.items() if not right_answer(ask(program), optimum)]
    assert wrong == []


@pytest.mark.parametrize("number", ERRING)
@pytest.mark.skipif(not is_installed("ortools"), reason="needs ortools")
def test_cpsat_answers_the_programs_in_whole_numbers_right(number):
    """All variables whole, numbers scaled to whole ones: units of 1/1000 do for all of the seven."""
    from ortools.sat.python import cp_model

    program = ERRING[number][0].counted()
    model = cp_model.CpModel()
    x = [model.new_int_var(math.ceil(low), math.floor(high), f"x{j}") for j, (low, high) in enumerate(program.bounds)]
    units = 10_000

    def total(numbers):
        return cp_model.LinearExpr.weighted_sum(x, [int(a * units) for a in numbers])

    for row, sense, right in program.rows:
        left, most = total(row), int(right * units)
        model.add(left <= most if sense == "<=" else left >= most if sense == ">=" else left == most)
    model.minimize(total(program.cost))
    found = CP_SAT.run(model, EngineLimits())
    optimum = program.optimum()
    assert (found.status, found.objective) == (
        (NONE, None) if optimum is None else (Status.OPTIMAL, int(optimum * units))
    )
