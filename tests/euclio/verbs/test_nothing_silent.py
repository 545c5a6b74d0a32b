"""No verb is silent for long, on the command line or in Python; each reports a wait once."""

import re
import time
from importlib import import_module
from types import SimpleNamespace

import pytest
import tiny_sessions

import euclio
from euclio.cli import main
from euclio.core import progress
from euclio.core.registry import Solver
from euclio.core.result import Answer
from euclio.questions.day_rules import compare_day
from euclio.questions.sweep.question import sweep
from euclio.questions.what_if import what_if
from euclio.serving.attainment.attaining import solve_attaining
from euclio.verbs.interface.command import COMMANDS, Command
from euclio.verbs.interface.parser import commands_of, verbs

# Not in the quick tier: commands in processes of their own that have to work for two seconds.
pytestmark = pytest.mark.slow

OWN = """import time
def solve(session):
    time.sleep({0})
"""
SLEEP_S = 0.15
FIXED = {"prices": {"V100": [1]}, "stock": {"V100": [None]}}
"""Of a sweep, in which the session's own point would be solved first to choose the type whose price and stock move."""
EXPERIMENT = """schema = "euclio/experiment/1"
name = "small"
slots = 1
[[instances]]
files = ["s.json"]
[[solvers]]
name = "own.py:solve"
[[solvers]]
name = "harpagon"
"""


@pytest.fixture(autouse=True)
def soon(monkeypatch, tmp_path):
    """Long is what takes longer than a twentieth of a second."""
    monkeypatch.setattr(progress, "AFTER_S", 0.05)
    monkeypatch.delenv(progress.QUIET, raising=False)
    monkeypatch.chdir(tmp_path)
    (tmp_path / "s.json").write_text(tiny_sessions.TEXT)


def lines(capfd):
    """The messages about long work."""
    return [line for line in capfd.readouterr().err.splitlines() if line.endswith("…")]


def of_work(capfd):
    """The same without the command's own messages about the work before and after."""
    return [line for line in lines(capfd) if not line.endswith("is at work …")]


@pytest.mark.parametrize("verb", verbs())
def test_every_command_says_that_it_is_at_work(verb, monkeypatch, capfd):
    """Where nothing inside it says more."""
    for typed in commands_of(verb):
        monkeypatch.delitem(COMMANDS, f"{verb} {typed}".strip())
    monkeypatch.setitem(COMMANDS, verb, Command(verb, lambda arguments: time.sleep(SLEEP_S) or 0, None, ()))
    assert main([verb]) == 0
    assert lines(capfd) == [f"euclio: {verb} is at work …"]


def sleeping(session, space, limits):
    time.sleep(SLEEP_S)
    return Answer(None, "no plan")


SLOW = Solver("slow", "heuristic", "sleeps", sleeping)


def session():
    return euclio.load("s.json")


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda: euclio.solve(session(), SLOW), {"preparing slow", "solving tiny with slow"}),
        (lambda: euclio.compare(session(), [SLOW]), {"running all systems "}),
        (lambda: euclio.decompose([session()] * 2, [SLOW]), {"instances"}),
        (lambda: what_if(session(), rates=[10], slos=[1], solver=SLOW), {"solving all points "}),
        (lambda: sweep(session(), rates=[10], slos=[1], **FIXED, solver=SLOW), {"solving all points "}),
        (lambda: solve_attaining(session(), SLOW), {"looking for a plan that keeps the attainment "}),
    ],
    ids=["solve", "compare", "decompose", "what_if", "sweep", "solve_attaining"],
)
def test_calls_that_run_slow_solvers_say_what_they_do(call, said, capfd):
    """Each call reports in one line of its own, for any number of runs."""
    call()
    found = lines(capfd)
    assert len(found) == len(said)
    assert all(any(line.startswith(f"euclio: {words}") for line in found) for words in said)


INNER = {
    "certify": ("euclio.proving.certifying", "certify", "certifying"),
    "explain": ("euclio.questions.explain.explaining", "explain", "looking for least latencies"),
    "write a study's report": ("studies.page_builder", "write", "writing the report"),
    "workloads": ("euclio.workloads.session.protocol", "workloads", "sampling workloads"),
    "steps_of": ("euclio.questions.comparison.decomposing", "steps_of", "looking at each step"),
    "what_if": ("euclio.questions.what_if", "answered", "solving all points"),
    "what_if_page": ("euclio.report.what_if.page", "page", "writing the page"),
    "cost_curve": ("euclio.questions.cost_curve", "answered", "solving all steps"),
    "change_costs": ("euclio.questions.change_costs", "answered", "solving all numbers of changes"),
    "simulate a cluster": ("euclio.serving.pipeline.simulation", "simulate", "simulating"),
    "simulate a fleet": ("euclio.serving.fragments.simulation", "simulate", "simulating"),
    "switch": ("euclio.serving.fragments.switching", "switch", "simulating a change of plans"),
    "highest load of a session": ("euclio.serving.session.simulation", "highest_loads", "looking for the highest"),
    "highest load of a cluster": ("euclio.serving.pipeline.simulation", "highest_loads", "looking for the highest"),
    "highest load of a fleet": ("euclio.serving.fragments.simulation", "highest_loads", "looking for the highest"),
    "generate": ("euclio.workloads.generation", "generate", "drawing instances"),
    "build": ("euclio.experiments.bench_set.build", "build", "making the benchmark set"),
    "defects": ("euclio.experiments.bench_set.check", "defects", "checking the benchmark set"),
    "defects_of_set": ("euclio.experiments.bench_set.check", "defects_of_set", "looking for twins"),
    "fill": ("euclio.experiments.bench_set.certificates", "fill", "certifying the benchmark set"),
    "export": ("euclio.experiments.bench_set.export.whole_set", "export", "exporting the benchmark set"),
    "compare_with_best": (
        "euclio.experiments.bench_set.best_known",
        "compare_with_best",
        "running a solver on the benchmark set",
    ),
    "results.load": ("euclio.experiments.results.loading", "load", "reading results"),
    "write_report": ("euclio.report.experiment.page", "write_report", "writing the page"),
    "status": ("euclio.experiments.status", "status", "looking at the experiment"),
    "dynamics.run": ("euclio.serving.dynamics.run", "run", "serving changing workloads"),
    "measure": ("euclio.workloads.profiling.measurement", "measure", "measuring"),
}
"""Functions that are told of while they run: module, name, beginning of the line."""


class ToldError(Exception):
    """Raised in place of the work, with what is said of it."""


@pytest.mark.parametrize("case", INNER)
def test_functions_that_can_take_long_say_so(case, monkeypatch):
    def instead(what):
        raise ToldError(what)

    monkeypatch.setattr(progress, "waiting", instead)
    module, name, words = INNER[case]
    with pytest.raises(ToldError, match=f"^{words}"):
        getattr(import_module(module), name)()


def test_the_solvers_of_a_day_and_trials_of_a_solver_are_counted(monkeypatch, capfd):
    def slow(*_, **__):
        time.sleep(SLEEP_S)
        return SimpleNamespace(bound=None)

    compare_day(None, ["a", "b"], slow)
    monkeypatch.setattr("euclio.contract.checking._checked", slow)
    euclio.check_solver("harpagon")
    assert lines(capfd) == ["euclio: solvers …", "euclio: trials …"]


@pytest.mark.slow
def test_runs_of_an_experiment_say_how_far_they_are_before_the_first_ten_seconds(tmp_path, capfd):
    """In Python as on the command line; runs themselves say nothing."""
    (tmp_path / "own.py").write_text(OWN.format(0.6))
    (tmp_path / "e.toml").write_text(EXPERIMENT)
    euclio.run("e.toml", code=["own.py"])
    said = capfd.readouterr().err.splitlines()
    assert re.fullmatch(r"euclio: \d of 2 runs, .*", said[0])
    assert said[-1].startswith("euclio: 2 of 2 runs are finished")
    assert [line for line in said if "solving" in line or "at work" in line] == []


def test_a_command_says_it_once_though_its_solver_runs_in_a_process_of_its_own(tmp_path, capfd):
    (tmp_path / "own.py").write_text(OWN.format(0.5))
    assert main(["solve", "s.json", "--solver", "own.py:solve"]) == 4
    preparing, solving = of_work(capfd)
    assert preparing == "euclio: preparing own.py:solve …"
    assert solving == "euclio: solving tiny with own.py:solve …"


def test_comparing_on_the_command_line_says_it_once(tmp_path, capfd):
    (tmp_path / "own.py").write_text(OWN.format(0.2))
    assert main(["compare", "s.json", "--solvers", "own.py:solve"]) == 4
    assert of_work(capfd) == ["euclio: running all systems …"]


def test_nothing_is_said_where_that_is_asked_for(tmp_path, capfd, monkeypatch):
    monkeypatch.setenv(progress.QUIET, "1")
    euclio.solve(session(), SLOW)
    assert lines(capfd) == []
    (tmp_path / "own.py").write_text(OWN.format(0.2))
    assert main(["compare", "s.json", "--solvers", "own.py:solve", "--json"]) == 4
    assert lines(capfd) == []
