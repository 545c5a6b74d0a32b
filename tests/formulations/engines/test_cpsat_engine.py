"""The CP-SAT wrapper: one test per trap."""

from __future__ import annotations

import random
import re
import time
from dataclasses import replace

import pytest

from euclio.core.result import Status, WarmStart
from formulations.engines import cpsat
from formulations.engines.cpsat import COEFFICIENT_LIMIT, CP_SAT, check_rows
from formulations.engines.interface import EngineLimits

cp_model = pytest.importorskip("ortools.sat.python.cp_model")


def knapsack(items: int, seed: int = 0):
    """Least weight of a multi-row covering problem, and its variables."""
    stream = random.Random(seed)
    model = cp_model.CpModel()
    take = [model.new_bool_var(f"take_{i}") for i in range(items)]
    for _ in range(8):
        model.add(sum(stream.randint(1, 10**5) * v for v in take) >= items * 25_000)
    model.minimize(sum(stream.randint(10**4, 10**5) * v for v in take))
    return model, take


def test_optimal_has_equal_bound_and_objective():
    model, _ = knapsack(12)
    answer = CP_SAT.run(model, EngineLimits())
    assert answer.status is Status.OPTIMAL
    assert answer.bound == answer.objective


def test_unknown_has_no_bound():
    """CP-SAT itself reports 0.0."""
    model, _ = knapsack(200)
    answer = CP_SAT.run(model, EngineLimits(time_limit_s=0.0))
    assert (answer.status, answer.bound, answer.values) == (Status.UNKNOWN, None, None)


def test_infeasible_has_no_bound():
    model, take = knapsack(12)
    model.add(sum(take) <= 0)
    answer = CP_SAT.run(model, EngineLimits())
    assert answer.infeasible
    assert answer.bound is None


def test_row_past_the_limit_is_refused():
    model = cp_model.CpModel()
    a, b = model.new_bool_var("a"), model.new_bool_var("b")
    model.add((COEFFICIENT_LIMIT - 1) * a + b <= 5)
    with pytest.raises(OverflowError, match="past 2\\^31"):
        CP_SAT.run(model, EngineLimits())


def test_row_just_below_the_limit_is_taken():
    model = cp_model.CpModel()
    a, b = model.new_bool_var("a"), model.new_bool_var("b")
    model.add((COEFFICIENT_LIMIT - 2) * a + b <= 5)
    check_rows(model)


def test_objective_past_the_limit_is_refused():
    model = cp_model.CpModel()
    model.minimize(COEFFICIENT_LIMIT * model.new_bool_var("a"))
    with pytest.raises(OverflowError):
        check_rows(model)


def _one_of_three():
    """The optimum is -4 with 1, 2, 4, 5 and 6: 1 - 10 + 2 + 1.87 is below 3.7, and of 0, 3 and 6 only 6 is taken."""
    model = cp_model.CpModel()
    x = [model.new_bool_var(f"x_{i}") for i in range(7)]
    model.add(x[0] + x[3] + x[6] == 1)
    model.add(x[0] + x[2] + x[5] <= 2)
    billion = 10**9
    model.add(billion * (x[1] + 2 * x[4] + x[3] - 10 * x[2]) + 1870618749 * x[6] <= 3700000000)
    model.minimize(-x[1] - x[4] - x[5] - x[6])
    return model, -4


def _at_most_one():
    """The optimum is -1 - 1 with 2 and 6: 4 + 6.3 exceeds 4.3; of 0, 4 and 6 only 6 is taken, of 2 and 3 only 2."""
    model = cp_model.CpModel()
    x = [model.new_bool_var(f"x_{i}") for i in range(7)]
    model.add_exactly_one(x[0], x[4], x[6])
    model.add_at_most_one(x[2], x[3])
    billion = 10**9
    row = billion * (4 * x[2] - 16 * x[4] + 10 * (x[5] + x[0] + x[1] + x[3])) + 6299911037 * x[6]
    model.add(row >= 4300000000)
    model.minimize(x[1] - x[2] - x[6])
    return model, -2


PAST_THE_LIMIT = [_one_of_three, _at_most_one]


@pytest.mark.parametrize("built", PAST_THE_LIMIT)
def test_no_wrong_optimum_is_certified_where_coefficients_sum_past_the_limit(built, monkeypatch):
    """Should such a row come through: the optimum, found without the presolve that overflows, is right."""
    model, best = built()
    with pytest.raises(OverflowError):
        CP_SAT.run(model, EngineLimits())
    monkeypatch.setattr(cpsat, "check_rows", lambda model: None)
    answer = CP_SAT.run(model, EngineLimits())
    assert (answer.status, answer.objective, answer.bound) == (Status.OPTIMAL, best, best)


@pytest.mark.parametrize("built", PAST_THE_LIMIT)
def test_presolve_that_overflows_certifies_a_wrong_optimum(built):
    """The guard prevents this. If this test fails, OR-Tools has repaired it (#5293), and the guard may go."""
    model, best = built()
    solver = cp_model.CpSolver()
    solver.parameters.num_workers = 1
    assert solver.solve(model) == cp_model.OPTIMAL
    assert solver.objective_value > best


def _nine_rows():
    """Rows of one module under `rr-even`, as `cpsat` made them: 1 machine of the second configuration does."""
    model = cp_model.CpModel()
    n, last = (
        (model.new_int_var(0, 3, "n"), model.new_int_var(0, 1, "n2")),
        [model.new_bool_var(f"z{k}") for k in range(2)],
    )
    left = [model.new_int_var(0, 99876488, f"left{k}") for k in range(3)]
    rest, filled = model.new_int_var(0, 32767875, "rest"), model.new_constant(0)
    cost, partial = model.new_int_var(16777209, 16777214, "cost"), model.new_int_var(0, 8806281, "partial")
    model.add(rest <= 18724500 * last[0] + 32767875 * last[1])
    model.add(left[2] == rest)
    model.add(left[0] - 18724500 * n[0] == left[1])
    model.add(left[1] - 32767875 * n[1] == left[2])
    model.add(left[0] >= 67108608)
    model.add(left[0] <= 67108608).only_enforce_if(filled.negated())
    model.add(16777216 * partial - 3945226 * rest >= -20722442).only_enforce_if(last[0])
    model.add(16777216 * partial - 4508830 * rest >= -21286046).only_enforce_if(last[1])
    model.add(cost == 4403138 * n[0] + 8806276 * n[1] + partial)
    return model


def test_a_model_that_presolve_calls_infeasible_has_its_solution():
    """No row comes near 2^31: presolve errs for another reason, so that it is left out altogether."""
    assert CP_SAT.run(_nine_rows(), EngineLimits()).status is Status.OPTIMAL


def test_presolve_calls_a_feasible_model_infeasible():
    """`cpsat` leaves presolve out for this. If this fails, OR-Tools may have repaired it; `cpsat` may be faster."""
    solver = cp_model.CpSolver()
    solver.parameters.num_workers = 1
    solver.parameters.linearization_level = 2
    solver.parameters.cp_model_probing_level = 0
    solver.parameters.presolve_inclusion_work_limit = 0
    assert solver.solve(_nine_rows()) == cp_model.INFEASIBLE


def test_gap_limits_are_zero(tmp_path):
    model, _ = knapsack(12)
    log = tmp_path / "cpsat.log"
    CP_SAT.run(model, EngineLimits(log_file=log))
    assert {"relative_gap_limit: 0", "absolute_gap_limit: 0"} <= set(re.findall(r"\w+_gap_limit: \S+", log.read_text()))


def test_stdout_stays_clean(capfd, tmp_path):
    model, _ = knapsack(12)
    CP_SAT.run(model, EngineLimits(log_file=tmp_path / "cpsat.log"))
    assert capfd.readouterr().out == ""


def test_time_limit_overruns_by_little():
    """Presolve looks at the clock rarely; on a model of this size that is far below a second."""
    model, _ = knapsack(300)
    started = time.process_time()
    answer = CP_SAT.run(model, EngineLimits(time_limit_s=0.3))
    assert time.process_time() - started < 3.0
    assert answer.status in (Status.FEASIBLE, Status.UNKNOWN)


def test_stopped_run_keeps_a_bound_below_its_objective():
    model, take = knapsack(300)
    for v in take:
        model.add_hint(v, 1)
    answer = CP_SAT.run(model, EngineLimits(time_limit_s=1.0))
    assert answer.bound < answer.objective


def test_a_complete_start_is_used():
    model, take = knapsack(12)
    start = {v.index: 1 for v in take}
    assert CP_SAT.run(model, EngineLimits(), start).warm_start is WarmStart.USED


def test_without_start_none_is_used():
    model, _ = knapsack(12)
    assert CP_SAT.run(model, EngineLimits()).warm_start is WarmStart.NONE


def test_trace_ends_with_the_answer():
    model, _ = knapsack(30)
    answer = CP_SAT.run(model, EngineLimits())
    assert answer.trace[-1].incumbent == answer.objective


def test_same_seed_same_values():
    options = EngineLimits(seed=3)
    model, _ = knapsack(30)
    assert CP_SAT.run(model, options).values == CP_SAT.run(model, replace(options)).values
