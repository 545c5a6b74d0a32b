"""HiGHS is run in one way, which a run of the same process on other threads does not stop."""

from __future__ import annotations

import ast
import math
from pathlib import Path

import numpy as np
import pytest

from euclio import solve
from euclio.core.families import find_family
from euclio.core.highs_runs import OFF, run_highs
from euclio.core.linear_program import Rows, least_cost
from euclio.core.result import Status
from euclio.workloads.populations import find_population
from formulations.engines.highs_arrays import Covering, Linear, Program, solve_mip
from heuristics.highs import covering_program

highspy = pytest.importorskip("highspy")

ROOT = Path(__file__).parents[3]
PACKAGES = ("euclio", "heuristics", "formulations", "bruteforce")
ONE_WAY = "euclio/core/highs_runs.py"


def run_on(threads):
    """HiGHS run on so many threads by a program of the user: the scheduler of the process is as it left it."""
    highspy.Highs.resetGlobalScheduler(True)
    own = highspy.Highs()
    own.setOptionValue("output_flag", False)
    own.setOptionValue("threads", threads)
    own.addVar(0.0, 1.0)
    assert own.run() == highspy.HighsStatus.kOk


def provers():
    rows = Rows()
    rows.add(3.0, 3.0, np.arange(2), np.ones(2))
    found = least_cost(np.array([1.0, 2.0]), np.zeros(2), np.full(2, 2.0), rows)
    return None if found is None else found[0].tolist()


def heuristics():
    program = covering_program()
    program.row(3.0)
    program.column(2.0, [0], [1.0])
    return program.prices().tolist()


def columns():
    program = Covering(np.array([3.0]))
    program.add(2.0, [0], [1.0])
    return program.prices().tolist()


def costs():
    found = Linear(np.array([[1.0, 1.0]]), np.array([3.0])).solve(np.array([-1.0, -2.0]))
    return None if found is None else found.values.tolist()


def programs():
    program = Program()
    program.row(program.variables(1, 0.0, 5.0, whole=True, cost=1.0).tolist(), [2.0], 3.0, math.inf)
    found = solve_mip(program, 10.0, 0.0)
    return found.status, found.objective, found.bound


def models():
    family = find_family("session")
    instance, space = family.tiny(family.full_space)
    return solve(instance, "milp", space=space).status


@pytest.mark.parametrize("ask", [provers, heuristics, columns, costs, programs, models])
@pytest.mark.parametrize("threads", [2, 3])
def test_threads_of_an_earlier_run_change_nothing(ask, threads):
    """One scheduler serves the process: after a model on two threads `columns` had no bound and proved nothing."""
    run_on(1)
    answer = ask()
    run_on(threads)
    assert answer is not None
    assert ask() == answer


def test_highs_refuses_other_threads_by_itself():
    """The trap is there: without it nothing here would be worth its lines."""
    run_on(2)
    own = highspy.Highs()
    own.setOptionValue("output_flag", False)
    own.setOptionValue("threads", 1)
    own.addVar(0.0, 1.0)
    assert own.run() == highspy.HighsStatus.kError
    run_on(1)


@pytest.mark.slow
def test_a_forked_process_does_not_wait_for_threads_that_it_has_not():
    """It has its parent's scheduler without the threads, and stood still until its time limit."""
    protocol = find_population("harpagon")
    (session,) = protocol.draw(1, protocol.seed)
    assert solve(session, "milp", threads=2).status is Status.OPTIMAL
    assert solve(session, "milp", threads=2, time_limit_s=60, supervised=True).status is Status.OPTIMAL


SOUND = {
    "mip_heuristic_run_feasibility_jump": {ONE_WAY},
    "mip_allow_restart": {ONE_WAY},
    "run_highs": {"euclio/core/linear_program.py", "formulations/engines/highs.py", "heuristics/highs.py"}
    | {ONE_WAY, "formulations/engines/highs_arrays.py"},
    "import highsbox": {"formulations/engines/highs_program.py"},
    "pulp.HiGHS": {"formulations/engines/highs.py"},
    "scipy.optimize import Bounds, LinearConstraint, milp": {"heuristics/highs.py"},
    "from scipy.optimize import linprog": {"euclio/core/linear_program.py", "heuristics/highs.py"},
}
"""Every way to HiGHS, and the files that may take it: each leaves out what loses optima, or solves no whole numbers."""


@pytest.mark.parametrize("words", SOUND)
def test_only_known_files_reach_highs(words):
    """A run elsewhere would have restarts and feasibility jump on, which lose optima that they call proven."""
    files = (path for package in PACKAGES for path in (ROOT / package).rglob("*.py"))
    found = {path.relative_to(ROOT).as_posix() for path in files if words in path.read_text(encoding="utf-8")}
    assert found == SOUND[words]


def test_a_run_leaves_out_what_loses_optima():
    """Whatever was set before: `columns`, models in PuLP and programs of heuristics set other options only."""
    own = highspy.Highs()
    own.setOptionValue("output_flag", False)
    own.addVar(0.0, 1.0)
    run_highs(own)
    assert {name: own.getOptionValue(name)[1] for name in OFF} == OFF


def test_nothing_else_runs_highs():
    """A file that runs it by itself meets the trap again."""
    for package in PACKAGES:
        for path in (ROOT / package).rglob("*.py"):
            name, text = path.relative_to(ROOT).as_posix(), path.read_text(encoding="utf-8")
            if "highspy" not in text or name == ONE_WAY:
                continue
            calls = [node.func for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Call)]
            own = [call for call in calls if isinstance(call, ast.Attribute) and call.attr in {"run", "solve"}]
            said = {ast.unparse(call) for call in own}
            assert not {call for call in said if "highs" in call.lower() or call == "solver.run"}, name
