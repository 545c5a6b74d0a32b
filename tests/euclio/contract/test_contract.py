"""The contract of solvers: each defect of a bad solver is named, and the workbench's own solvers have none."""

import json

import pytest
from places import HELPERS

from euclio.cli import main
from euclio.contract import process
from euclio.contract.checking import check_solver, judge
from euclio.contract.child import observe
from euclio.contract.evidence import Described
from euclio.contract.findings import Report
from euclio.core.errors import InputError
from euclio.core.families import find_family
from euclio.core.registry import find_solver
from euclio.core.trials import trials_for

FILE = HELPERS / "own_solvers.py"
DEFECTS = {
    "mutates": ("instance", "another text of the instance after the run"),
    "claims_nan": ("claim", "claims nan, no finite number"),
    "claims_less": ("claim", "claimed_cost_per_h is 3.00375, the checked cost is 3.3375"),
    "claims_optimal": ("honest", "says 'optimal' without a bound"),
    "says_infeasible_with_a_plan": ("honest", "says infeasible and gives a plan"),
    "bounds_too_high": ("bound", "the bound 3.3375 lies above what exact proves, 3"),
    "bounds_infinity": ("bound", "the bound is inf, no finite number"),
    "gives_infeasible_plan": ("accepted", "refused: path a -> c -> d takes 0.592171717 s, more than the SLO of 0.2 s"),
    "gives_half_a_plan": ("accepted", "the checker cannot read the plan: AttributeError"),
    "ignores_the_plan_space": ("plan-space", "is outside the plan space"),
    "proves_infeasible": ("infeasible", "warm-up: exact has a plan of cost 3"),
    "finds_nothing": ("finds", "a plan on 0 of 2 small instances that have one"),
    "is_random": ("repeatable", "warm-up: claims 0."),
    "takes_too_long": ("time-limit", "s of 0.5 s"),
    "changes_folder": ("surroundings", "the current folder changed"),
    "draws_from_the_global_stream": ("surroundings", "the state of random changed"),
    "raises": ("ends", "ZeroDivisionError: division by zero"),
    "returns_nonsense": ("ends", "returns_nonsense: returned a dict; return a Plan, an Answer or None"),
    "goes_by_names": ("permuted", "warm-up, in another order: proves"),
    "goes_by_price": ("scaled", "warm-up, scaled: proves"),
}
"""By function what is found out where it runs in the process of the test."""
DEFECTS_OF_PROCESSES = {
    "goes_by_hashes": ("fresh", "warm-up: claims "),
    "prints_in_c": ("silent", "hello from below"),
    "leaves_a_child": ("surroundings", "child processes changed"),
    "writes_junk": ("ends", "the process wrote to descriptors that are not its own"),
    "crashes": ("ends", "the process died of signal SIGSEGV"),
    "answers_with_code": ("ends", "its answer is no plain data: AttributeError"),
}


def broken(report: Report) -> dict[str, str]:
    """The broken claims with what was seen."""
    return {finding.claim: finding.evidence for finding in report.findings if finding.verdict == "broken"}


def judged_here(function: str) -> Report:
    """The judgement on a function of the file that runs in this process."""
    solver = find_solver(f"{FILE}:{function}")
    trials = trials_for(find_family(solver.family), solver.space, 1)
    described = Described(solver.name, solver.kind, solver.family, solver.space, solver.version)
    return judge(described, [(trial, observe(solver, trial)) for trial in trials])


@pytest.mark.fifth("function")
@pytest.mark.parametrize("function", DEFECTS)
def test_defect_is_named(function, monkeypatch):
    monkeypatch.chdir(FILE.parent)
    claim, evidence = DEFECTS[function]
    assert evidence in broken(judged_here(function)).get(claim, "is not broken")


@pytest.mark.slow
@pytest.mark.parametrize("function", DEFECTS_OF_PROCESSES)
def test_defect_that_only_a_process_shows_is_named(function):
    claim, evidence = DEFECTS_OF_PROCESSES[function]
    assert evidence in broken(check_solver(f"{FILE}:{function}", 1)).get(claim, "is not broken")


@pytest.mark.slow
def test_hanging_solver_is_killed(monkeypatch):
    monkeypatch.setattr(process, "OVERRUN_S", 0.5)
    assert "still running after 1 s, and killed" in broken(check_solver(f"{FILE}:hangs", 1))["time-limit"]


@pytest.mark.fifth("name")
@pytest.mark.parametrize("name", ["harpagon", pytest.param("columns", marks=pytest.mark.slow), f"{FILE}:good"])
def test_good_solver_keeps_every_claim(name):
    assert not broken(check_solver(name, 2))


def test_unknown_solver_is_bad_input():
    with pytest.raises(InputError, match="unknown solver 'hrapagon'; did you mean harpagon"):
        check_solver("hrapagon")


def test_solver_that_crashes_when_it_is_loaded_is_reported(tmp_path):
    file = tmp_path / "mine.py"
    file.write_text("import ctypes\nctypes.string_at(0)\ndef solve(session): return None\n")
    assert broken(check_solver(f"{file}:solve")) == {"loads": "the process died of signal SIGSEGV"}


@pytest.mark.slow
def test_command_names_what_is_broken(capsys):
    code = main(["check-solver", f"{FILE}:raises", "--samples", "1", "--json"])
    claims = {c["claim"]: c["verdict"] for c in json.loads(capsys.readouterr().out)["claims"]}
    assert (code, claims["ends"], claims["silent"]) == (1, "broken", "kept")


def test_command_refuses_a_missing_function_in_one_line(capsys):
    code = main(["check-solver", f"{FILE}:nothing_of_this_name"])
    err = capsys.readouterr().err.strip().splitlines()[-1]
    assert (code, err.startswith(f"euclio: {FILE}: has no function 'nothing_of_this_name'")) == (2, True)
