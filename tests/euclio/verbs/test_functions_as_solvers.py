"""Functions are solvers in Python: a verb that takes a solver's name takes a function, or refuses it in one line."""

import functools
import inspect
import subprocess
import sys

import pytest
from tiny_sessions import tiny_session

import euclio
from euclio.core.errors import InputError
from euclio.core.own_solver import name_elsewhere
from euclio.experiments.solver_settings import solver_settings
from euclio.files import load_result, save_result
from euclio.problems.session import Allocation, ModulePlan, Plan

VERBS = {
    name: value
    for name in dir(euclio)
    if not name.startswith("_") and inspect.isfunction(value := getattr(euclio, name)) and name != "reproduce"
}


def first_fit(session, times=1):
    """One module, M3 of two kinds; 1.5 per hour at 2 requests per second (`test_own_solver`)."""
    plans = []
    for module in session.modules:
        best = max(module.profile, key=lambda c: c.throughput_rps / session.price[c.hardware])
        whole, rest = divmod(module.rate_rps, best.throughput_rps)
        plans.append(ModulePlan((Allocation(best, int(whole) * times, rest),)))
    return Plan(tuple(plans))


def solve(session):
    return first_fit(session)


class Greedy:
    """It is called, and has no name of its own."""

    def __call__(self, session, space):
        """A plan."""
        return first_fit(session)


UNNAMED = lambda session: first_fit(session)  # noqa: E731
NAMES = {
    "first_fit": first_fit,
    "test_functions_as_solvers.solve": solve,
    f"lambda:{UNNAMED.__code__.co_firstlineno}": UNNAMED,
    "Greedy": Greedy(),
    "first_fit(times=1)": functools.partial(first_fit, times=1),
}


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("supervised", [False, True])
def test_a_result_carries_the_name_of_its_function(name, supervised):
    found = euclio.solve(tiny_session(2), NAMES[name], supervised=supervised)
    assert (found.solver, found.cost) == (name, pytest.approx(1.5))


def test_every_verb_that_takes_a_solver_takes_a_function():
    """A verb whose parameter says `str` would be the next one that answers a function with an AttributeError."""
    said = {
        f"{name}({key})": str(parameter.annotation)
        for name, verb in VERBS.items()
        for key, parameter in inspect.signature(verb).parameters.items()
        if key in ("solver", "solvers", "solve", "warm_start") or (name, key) == ("check_solver", "name")
    }
    assert len(said) == 16
    assert [key for key, kind in said.items() if "SolverLike" not in kind] == []


SESSION = tiny_session(2)
ASKED = {
    "compare": lambda: [row.solver.name for row in euclio.compare(SESSION, [first_fit, "exact"]).rows],
    "compare one": lambda: [row.solver.name for row in euclio.compare(SESSION, first_fit, supervised=True).rows],
    "decompose": lambda: euclio.decompose(SESSION, [first_fit]).solver.tolist(),
    "what_if": lambda: [
        p.result.solver for p in euclio.what_if(SESSION, rate=[1, 2], solver=first_fit).points.values()
    ],
    "solve to start from": lambda: [euclio.solve(SESSION, "milp", warm_start=first_fit).options["warm_start"]],
    "cite": lambda: list(euclio.cite(solver=[first_fit, "exact"]).silent),
}


@pytest.mark.parametrize("verb", ASKED)
def test_the_neighbours_of_solve_take_one_too(verb):
    assert "first_fit" in ASKED[verb]()


@pytest.mark.parametrize("name", NAMES)
def test_a_result_of_a_function_is_written_and_read(name, tmp_path):
    """A file is read where the function is not known: its solver is a name there, and no code."""
    file = tmp_path / "result.json"
    save_result(euclio.solve(SESSION, NAMES[name]), SESSION, file)
    assert load_result(file, SESSION).solver == name


@pytest.mark.parametrize(
    ("given", "says"),
    [
        (5, "solver=5: give the name of a solver, a `Solver` or a function"),
        (max, "max: does not say what it takes; write a function around it"),
        (lambda: None, "takes no instance"),
    ],
)
def test_what_is_no_solver_is_refused_in_one_line(given, says):
    with pytest.raises(InputError, match=says):
        euclio.solve(SESSION, given)


def test_a_function_takes_no_name_of_a_registered_solver():
    """Else a result of it would pass for one of a method that proves what it says."""

    def exact(session):
        return first_fit(session)

    with pytest.raises(InputError, match="'exact' is the name of a registered solver; give the function another one"):
        euclio.solve(SESSION, exact)


def test_two_functions_of_one_name_are_refused_and_the_same_one_runs_once():
    """Rows of a comparison are told apart by name."""
    assert len(euclio.compare(SESSION, [first_fit, first_fit]).rows) == 1
    with pytest.raises(InputError, match=r"has two named 'Greedy'; give one of them another name"):
        euclio.compare(SESSION, [Greedy(), Greedy()])


@pytest.mark.parametrize("verb", [euclio.check_solver, euclio.warm_up, solver_settings])
def test_other_processes_find_a_function_by_its_file_or_not_at_all(verb):
    """They are told of a solver by name: one of a module is found there, one that no module has is refused."""
    assert name_elsewhere(first_fit) == f"{__file__}:first_fit"
    with pytest.raises(InputError, match="other processes, which find a solver by its name; write the function into"):
        verb(lambda session: None)


@pytest.mark.slow
def test_check_solver_tries_a_function_of_a_module_and_none_of_the_file_that_runs(tmp_path):
    """A process that ran that file again would start the next one, and so on without end."""
    (tmp_path / "mine.py").write_text("def nothing(session):\n    return None\n", encoding="utf-8")
    script = tmp_path / "script.py"
    script.write_text(
        "import euclio\nfrom mine import nothing\n\ndef own(session):\n    return None\n\n"
        "print(euclio.check_solver(nothing, samples=1).solver)\n"
        "try:\n    euclio.check_solver(own)\nexcept ValueError as error:\n    print(error)\n",
        encoding="utf-8",
    )
    said = subprocess.check_output([sys.executable, str(script)], text=True, cwd=tmp_path)
    assert said.splitlines()[0] == f"{tmp_path / 'mine.py'}:nothing"
    assert "'own' is to run in other processes" in said
