"""A policy and a row of Table III from a user's own files, served by every verb."""

import json
import pickle
from fractions import Fraction
from pathlib import Path

import pytest
from tiny_sessions import TEXT, tiny_session

from euclio import solve
from euclio.cli import main
from euclio.core.errors import InputError
from euclio.core.result import Status
from euclio.problems.session import DummyRule, PlanSpace, Policy
from euclio.problems.session.policies import POLICIES

POLICY = '''"""Even dispatch: the machines of an allocation take equal rates."""

from euclio.problems.session.policies import Place, Policy


def even(p: Place):
    """The slowest of n machines that each take 1/n of the rate of the allocation."""
    machines = p.machines + (1 if p.partial_rps > 0 else 0)
    rate = p.machines * p.throughput_rps + p.partial_rps
    return p.duration_s * (1 + machines * p.throughput_rps / rate)


POLICY = Policy(name="even", help="equal rates for the machines of an allocation", whole=even, partial=even)
'''
SYSTEM = """from dataclasses import replace

from heuristics.session.systems import HARPAGON
from my_policy import POLICY

SYSTEM = replace(HARPAGON, name="even-harpagon", summary="Harpagon's components under even dispatch", dispatch=POLICY)
TWO = replace(HARPAGON, name="two", summary="two configurations", allocations=2)
"""
REFERENCE = "my_policy.py:POLICY"


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """The current folder, with a session, a policy and two systems."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    Path("s.json").write_text(TEXT)
    Path("my_policy.py").write_text(POLICY)
    Path("my_system.py").write_text(SYSTEM)
    return tmp_path


def test_the_checker_prices_by_the_formula(folder):
    session = tiny_session()
    found = solve(session, "plan-bruteforce", policy=REFERENCE)
    assert found.status is Status.OPTIMAL
    assert found.plan is not None
    for module, checked in zip(found.plan.modules, found.evaluation.modules, strict=True):
        worst = Fraction(0)
        for a in module.allocations:
            t = a.configuration.throughput_rps
            partial = checked.partial_rps if a is module.allocations[-1] else Fraction(0)
            count = a.machines + (1 if partial else 0)
            worst = max(worst, a.configuration.duration_s * (1 + count * t / (a.machines * t + partial)))
        assert checked.worst_case_latency_s == worst


@pytest.mark.parametrize("rule", [rule for rule in DummyRule if rule.countable])
@pytest.mark.parametrize("solver", ["harpagon", "nexus", "scrooge", "inferline", "clipper"])
def test_heuristics_serve_it_and_never_beat_the_enumeration(folder, solver, rule):
    session = tiny_session()
    least = solve(session, "plan-bruteforce", policy=REFERENCE, dummy=rule)
    found = solve(session, solver, policy=REFERENCE, dummy=rule, max_allocations=None)
    assert found.status in (Status.FEASIBLE, Status.UNKNOWN, Status.INFEASIBLE)
    assert found.value is None or (least.value is not None and found.value >= least.value)


@pytest.mark.parametrize("solver", ["exact", "milp", "cpsat", "milp-split", "cpsat-split", "split-bruteforce"])
def test_exact_methods_say_that_they_cannot(folder, solver):
    found = solve(tiny_session(), solver, policy=REFERENCE)
    assert found.status is Status.INAPPLICABLE
    assert "my_policy.py:POLICY" in found.reason


def test_solve_and_verify_a_result_file(folder, capsys):
    assert main(["solve", "s.json", "--solver", "harpagon", "--policy", REFERENCE, "--out", "r.json"]) == 0
    written = json.loads(Path("r.json").read_text())["options"]["policy"]
    assert written.startswith(f"{REFERENCE}@")
    capsys.readouterr()
    assert main(["verify", "s.json", "r.json", "--policy", REFERENCE]) == 0
    assert f"plan space: {written}" in capsys.readouterr().out


def test_verifying_needs_the_file_as_it_was(folder, capsys):
    main(["solve", "s.json", "--solver", "harpagon", "--policy", REFERENCE, "--out", "r.json"])
    capsys.readouterr()
    Path("my_policy.py").write_text(POLICY + "# changed\n")
    assert main(["verify", "s.json", "r.json", "--policy", REFERENCE]) == 2
    changed = capsys.readouterr().err
    assert changed.count("\n") == 1
    assert "my_policy.py: has changed" in changed
    Path("my_policy.py").unlink()
    assert main(["verify", "s.json", "r.json", "--policy", REFERENCE]) == 2
    missing = capsys.readouterr().err
    assert missing == "euclio: my_policy.py: cannot be read: No such file or directory; give FILE.py:POLICY\n"


def test_a_row_of_table_iii_is_a_solver(folder, capsys):
    assert main(["solve", "s.json", "--solver", "my_system.py:TWO"]) == 0
    assert "at most 2 allocations" in " ".join(capsys.readouterr().out.split())
    assert main(["compare", "s.json", "--solvers", "my_system.py:SYSTEM,harpagon"]) == 0
    assert "even-harpagon" in capsys.readouterr().out


@pytest.mark.slow
def test_an_experiment_runs_it(folder, capsys):
    Path("e.toml").write_text(
        'schema = "euclio/experiment/1"\nname = "even"\n[[instances]]\nfiles = ["s.json"]\n'
        f'[[solvers]]\nname = "harpagon"\npolicy = ["tc", "{REFERENCE}"]\n'
        '[[solvers]]\nname = "my_system.py:SYSTEM"\n'
    )
    assert main(["run", "e.toml", "--out", "out", "--code", "my_policy.py,my_system.py"]) == 0
    assert "3 of 3 runs are finished" in capsys.readouterr().err


@pytest.mark.slow
def test_check_solver_tries_it(folder, capsys):
    assert main(["check-solver", "my_system.py:SYSTEM", "--samples", "3"]) == 0


@pytest.mark.fifth("text")
@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("return p.duration_s / 2", "no less than the duration"),
        ("return float(p.duration_s)", "a latency is a Fraction"),
        ("raise KeyError('x')", "KeyError"),
    ],
)
def test_what_is_no_latency_is_refused(folder, capsys, text, problem):
    head, _, tail = POLICY.partition("    machines =")
    Path("bad.py").write_text(f"{head}    {text}\n\n\nPOLICY = Policy(" + tail.partition("POLICY = Policy(")[2])
    for solver in ("harpagon", "plan-bruteforce"):
        assert main(["solve", "s.json", "--solver", solver, "--policy", "bad.py:POLICY"]) != 0
        assert problem in capsys.readouterr().err


def test_names_that_are_not_there(folder, capsys):
    assert main(["solve", "s.json", "--policy", "my_policy.py:NONE"]) == 2
    assert "has no policy 'NONE'; it has: POLICY" in capsys.readouterr().err
    assert main(["solve", "s.json", "--policy", "fast"]) == 2
    names = ", ".join(f"'{policy}'" for policy in POLICIES)
    assert f"invalid choice: 'fast' (choose from {names})" in capsys.readouterr().err


def test_one_record_per_state_of_the_file_also_in_other_processes(folder):
    space = PlanSpace(policy=REFERENCE)
    assert PlanSpace(policy=REFERENCE) == space
    assert pickle.loads(pickle.dumps(space)) == space
    assert pickle.loads(pickle.dumps(Policy.RR)) is Policy.RR


def test_a_policy_of_no_file_is_refused():
    with pytest.raises(InputError, match="is of no file"):
        PlanSpace(policy=Policy(name="x", help="", whole=lambda p: p.duration_s, partial=lambda p: p.duration_s))
