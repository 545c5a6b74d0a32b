"""The PuLP engines: one test per trap of solver libraries."""

import itertools
import random
import re
import subprocess
import sys
import time
from importlib.metadata import version

import pulp
import pytest

from euclio.core.engine_packages import is_installed
from euclio.core.errors import InputError
from euclio.core.registry import EngineOptions
from euclio.core.result import Status, WarmStart
from formulations.engines.interface import EngineLimits
from formulations.engines.milp import readable, solve_relaxation
from formulations.engines.registry import chosen_engine, find_engine

HIGHS, CBC, PROGRAM = find_engine("highs"), find_engine("cbc"), find_engine("highs-program")
OPTIONAL = {"highs-program": "highsbox", "scip": "pyscipopt", "gurobi": "gurobipy"}
ENGINES = [HIGHS, CBC, *(find_engine(name) for name, package in OPTIONAL.items() if is_installed(package))]
SENSES = [pulp.LpMinimize, pulp.LpMaximize]


def knapsack(size: int, sense: int, constant: float = 7.0) -> pulp.LpProblem:
    """A hard knapsack: values near weights, so that a bound is close and a proof is far."""
    rng = random.Random(1)
    model = pulp.LpProblem("knapsack", sense)
    x = [model.add_variable(f"x_{i}", 0, 3, pulp.LpInteger) for i in range(size)]
    weight = [rng.randint(100, 200) for _ in x]
    value = [w + rng.randint(-3, 3) + rng.random() for w in weight]
    model += pulp.lpSum(v * a for v, a in zip(value, x, strict=True)) + constant
    load = pulp.lpSum(w * a for w, a in zip(weight, x, strict=True))
    model += load <= 0.7 * sum(weight) if sense == pulp.LpMaximize else load >= 0.7 * sum(weight) + 0.5
    return model


def covering(size: int = 120, rows: int = 12) -> pulp.LpProblem:
    """Many covering rows with random weights: a solution is found at once, a proof takes very long."""
    rng = random.Random(3)
    model = pulp.LpProblem("covering", pulp.LpMinimize)
    x = [model.add_variable(f"x_{i}", 0, 1, pulp.LpInteger) for i in range(size)]
    model += pulp.lpSum(rng.randint(50, 150) * a for a in x)
    for _ in range(rows):
        weight = [rng.randint(1, 1000) for _ in x]
        model += pulp.lpSum(w * a for w, a in zip(weight, x, strict=True)) >= 0.5 * sum(weight)
    return model


def near_tie() -> pulp.LpProblem:
    """Choices that differ by less than the engines' default relative gap of 1e-4."""
    model = pulp.LpProblem("near_tie", pulp.LpMinimize)
    x = [model.add_variable(f"x_{i}", cat=pulp.LpBinary) for i in range(12)]
    cost = [1000.05 - 0.005 * i for i in range(12)]
    model += pulp.lpSum(c * a for c, a in zip(cost, x, strict=True))
    model += pulp.lpSum(x) == 1
    return model


@pytest.mark.parametrize("engine_seed", [0, 1, 2**31 - 1, 2**31, 2**63 - 1])
def test_cbc_is_never_given_the_seed_that_stands_for_the_time_of_day(tmp_path, engine_seed):
    """CBC takes 0 for the clock and reads 32 bits: such a seed would make two runs differ."""
    CBC.run(near_tie(), EngineLimits(seed=engine_seed, log_file=tmp_path / "log"))
    seeds = re.findall(r"-random(?:Cbc)?Seed (\d+)", (tmp_path / "log").read_text())
    assert len(seeds) == 2
    assert all(0 < int(number) < 2**31 for number in seeds)


@pytest.mark.slow
@pytest.mark.parametrize(
    "order",
    [
        "from ortools.sat.python import cp_model; import pulp, highspy, pyscipopt",
        "import pulp, highspy, pyscipopt; from ortools.sat.python import cp_model",
        "import pyscipopt; from ortools.sat.python import cp_model; import pulp, highspy",
    ],
)
@pytest.mark.skipif(not is_installed("pyscipopt"), reason="needs euclio[engines]")
def test_all_libraries_solve_in_one_process(order):
    """OR-Tools has a SCIP and a HiGHS of its own inside, and two releases of HiGHS do break each other."""
    code = f"""
{order}
m = cp_model.CpModel(); x = m.NewIntVar(0, 5, 'x'); m.Maximize(x)
s = cp_model.CpSolver(); assert s.Solve(m) == cp_model.OPTIMAL and s.Value(x) == 5
p = pulp.LpProblem('p', pulp.LpMaximize); y = p.add_variable('y', 0, 5, pulp.LpInteger); p += y; p += y <= 4.5
p.solve(pulp.HiGHS(msg=False)); assert y.value() == 4
q = pyscipopt.Model(); q.hideOutput(); z = q.addVar(vtype='I', lb=0, ub=4.5, obj=-1); q.optimize()
assert round(q.getVal(z)) == 4
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr


def test_versions_are_those_that_answer_right():
    assert (version("highspy"), version("ortools"), version("pulp")[:4]) == ("1.13.1", "9.15.6755", "3.3.")


@pytest.mark.parametrize("sense", SENSES)
def test_all_engines_find_the_same_optimum(sense):
    first, *others = (engine.run(knapsack(12, sense), EngineLimits()) for engine in ENGINES)
    assert [one.objective for one in others] == pytest.approx([first.objective] * len(others), rel=1e-9)


@pytest.mark.parametrize("engine", ENGINES, ids=lambda engine: engine.name)
def test_gap_limits_are_zero(engine):
    assert engine.run(near_tie(), EngineLimits()).objective == pytest.approx(999.995, rel=1e-12)


def test_highs_is_asked_to_close_the_gap():
    model = near_tie()
    HIGHS.run(model, EngineLimits())
    gaps = [model.solverModel.getOptionValue(name)[1] for name in ("mip_rel_gap", "mip_abs_gap")]
    assert gaps == [0.0, 0.0]


@pytest.mark.fifth("engine")
@pytest.mark.parametrize("engine", [engine for engine in ENGINES if engine.prunes], ids=lambda engine: engine.name)
@pytest.mark.parametrize("presolve", [False, True])
def test_no_solution_past_what_is_of_interest_is_counted(presolve, engine):
    """HiGHS calls what its heuristics came upon past the limit optimal; nothing of interest was looked for then."""
    best = engine.run(knapsack(12, 1), EngineLimits()).objective
    near, past, far = (
        engine.run(knapsack(12, 1), EngineLimits(presolve=presolve, most=most))
        for most in (best + 1e-5, best - 1e-5, best - 1.0)
    )
    assert (near.status, near.objective) == (Status.OPTIMAL, pytest.approx(best, rel=1e-9))
    assert {(one.status, one.values) for one in (past, far)} == {(Status.INFEASIBLE, None)}


@pytest.mark.fifth("engine")
@pytest.mark.parametrize("engine", [engine for engine in ENGINES if engine.prunes], ids=lambda engine: engine.name)
def test_a_bound_does_not_exceed_what_is_of_interest(engine):
    """What is past that is pruned, so that a bound there would be of the plans that are left."""
    best = engine.run(knapsack(12, 1), EngineLimits()).objective
    run = engine.run(knapsack(12, 1), EngineLimits(most=best + 1.0))
    assert all(point.bound is None or point.bound <= best + 1.0 for point in run.trace)
    assert run.bound == pytest.approx(best, abs=1e-6)


@pytest.mark.fifth("engine")
@pytest.mark.parametrize("engine", ENGINES, ids=lambda engine: engine.name)
def test_a_timeout_with_a_solution_is_not_optimal(engine):
    model = covering()
    run = engine.run(model, EngineLimits(time_limit_s=0.5))
    assert run.status == Status.FEASIBLE
    # What PuLP calls it, where it runs the engine.
    assert model.status == (pulp.LpStatusOptimal if engine in (HIGHS, CBC) else pulp.LpStatusNotSolved)


@pytest.mark.slow
@pytest.mark.parametrize("engine", ENGINES, ids=lambda engine: engine.name)
def test_a_limit_is_overrun_by_less_than_a_second_on_a_small_model(engine):
    started = time.perf_counter()
    engine.run(covering(), EngineLimits(time_limit_s=0.2))
    assert time.perf_counter() - started < 1.2


@pytest.mark.fifth("engine")
@pytest.mark.parametrize("engine", ENGINES, ids=lambda engine: engine.name)
@pytest.mark.parametrize("sense", SENSES)
def test_a_stopped_run_has_a_bound_on_the_right_side(engine, sense):
    run = engine.run(knapsack(60, sense), EngineLimits(time_limit_s=0.3))
    assert run.bound is None or sense * (run.objective - run.bound) >= -1e-6


@pytest.mark.fifth("engine")
@pytest.mark.parametrize("engine", ENGINES, ids=lambda engine: engine.name)
@pytest.mark.parametrize("sense", SENSES)
def test_the_trace_closes_in_on_the_optimum(engine, sense):
    """Gaps over time are drawn of it: an incumbent that has no constant, or a bound on the wrong side, would show."""
    run = engine.run(knapsack(40, sense), EngineLimits())
    found = [point.incumbent for point in run.trace if point.incumbent is not None]
    assert run.trace
    assert [point.wall_s for point in run.trace] == sorted(point.wall_s for point in run.trace)
    assert all(sense * (one - other) >= -1e-6 for one, other in itertools.pairwise(found))
    assert all(sense * (one - run.objective) >= -1e-6 for one in found)
    assert all(point.bound is None or sense * (run.objective - point.bound) >= -1e-6 for point in run.trace)


@pytest.mark.fifth("engine")
@pytest.mark.parametrize("engine", ENGINES, ids=lambda engine: engine.name)
@pytest.mark.parametrize("sense", SENSES)
def test_a_proof_has_a_bound_equal_to_the_objective(engine, sense):
    run = engine.run(knapsack(10, sense), EngineLimits())
    assert run.bound == pytest.approx(run.objective, rel=1e-9)


@pytest.mark.parametrize("engine", ENGINES, ids=lambda engine: engine.name)
def test_an_infeasible_model_has_neither_solution_nor_bound(engine):
    model = knapsack(5, pulp.LpMinimize)
    first, second = model.variables()[:2]
    model += 2 * first + 2 * second == 3
    run = engine.run(model, EngineLimits())
    assert (run.status, run.values, run.objective, run.bound) == (Status.INFEASIBLE, None, None, None)


@pytest.mark.fifth("engine")
@pytest.mark.parametrize("engine", ENGINES, ids=lambda engine: engine.name)
def test_a_feasible_start_is_used(engine):
    values = engine.run(knapsack(12, pulp.LpMinimize), EngineLimits()).values
    again = engine.run(knapsack(12, pulp.LpMinimize), EngineLimits(), values)
    assert again.warm_start is WarmStart.USED


@pytest.mark.fifth("engine")
@pytest.mark.parametrize("engine", ENGINES, ids=lambda engine: engine.name)
def test_an_infeasible_start_is_ignored_and_says_so(engine):
    start = {f"x_{i}": 0.0 for i in range(12)}
    assert engine.run(knapsack(12, pulp.LpMinimize), EngineLimits(), start).warm_start is WarmStart.IGNORED


@pytest.mark.fifth("engine")
@pytest.mark.parametrize("engine", ENGINES, ids=lambda engine: engine.name)
def test_standard_output_stays_clean_and_the_log_goes_to_the_file(engine, tmp_path, capfd):
    engine.run(knapsack(12, pulp.LpMinimize), EngineLimits(log_file=tmp_path / "engine.log"))
    assert (capfd.readouterr().out, (tmp_path / "engine.log").stat().st_size > 0) == ("", True)


def test_an_engine_that_ends_with_an_error_leaves_no_answer(monkeypatch):
    def broken(model, solver):
        raise pulp.PulpSolverError("Pulp: Error while trying to execute")

    monkeypatch.setattr(pulp.LpProblem, "solve", broken)
    found = CBC.run(near_tie(), EngineLimits())
    assert (found.status, found.values, found.bound) == (Status.UNKNOWN, None, None)


@pytest.mark.fifth("engine")
@pytest.mark.parametrize("engine", ENGINES, ids=lambda engine: engine.name)
def test_the_relaxation_is_a_bound_and_has_reduced_costs(engine):
    relaxed = solve_relaxation(knapsack(12, pulp.LpMinimize), engine, EngineLimits())
    best = engine.run(knapsack(12, pulp.LpMinimize), EngineLimits())
    assert relaxed.objective <= best.objective
    assert set(relaxed.reduced_costs) == set(best.values)


def test_the_number_of_threads_may_change_within_a_process():
    runs = [HIGHS.run(knapsack(8, pulp.LpMinimize), EngineLimits(threads=n)) for n in (1, 2, 1)]
    assert {run.status for run in runs} == {Status.OPTIMAL}


def test_an_unknown_engine_is_refused():
    with pytest.raises(InputError, match="highs, cbc"):
        chosen_engine(EngineOptions(engine="cplex"))


def test_names_in_models_stay_different():
    assert readable(["a b", "a-b", "c"]) == ["a_b", "a_b_2", "c"]
