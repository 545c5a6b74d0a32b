"""Names given as text for a later import exist."""

import os
import re
import subprocess
import sys
from importlib import import_module

import pytest
from places import ROOT

from euclio import generate
from euclio.files import save_session
from tests.drawn.small_sessions import small_session

PACKAGES = ("euclio", "studies", "heuristics", "formulations", "bruteforce")
LATE = re.compile(r"late(?:_value)?\(\s*\"([\w.]+)\",\s*\"(\w+)\"")
LAZY = ("euclio", "euclio.files", "euclio.report", "euclio.experiments.results")


def late_names():
    sources = [path.read_text() for package in PACKAGES for path in sorted((ROOT / package).rglob("*.py"))]
    return sorted({found for text in sources for found in LATE.findall(text)})


def test_functions_are_named_late_at_all():
    assert len(late_names()) > 30


@pytest.mark.parametrize(("module", "name"), late_names())
def test_a_late_name_is_there(module, name):
    assert hasattr(import_module(module), name)


@pytest.mark.parametrize("package", LAZY)
def test_a_package_has_all_names_that_it_offers(package):
    module = import_module(package)
    assert all(hasattr(module, name) for name in module.__all__)


@pytest.mark.parametrize("package", LAZY)
def test_a_package_has_no_other_name(package):
    with pytest.raises(AttributeError, match="has no attribute 'nothing'"):
        _ = import_module(package).nothing


def test_compiled_code_does_not_bring_linear_algebra_along():
    code = "import sys, euclio.core.compiled; print('scipy.linalg' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout.strip() == "False"


def imported_by_solving(session):
    """The modules that a process has at its end which solves a session from its file."""
    code = f"""
import sys
from euclio.cli import main
main(["solve", {str(session)!r}])
print("imported:", *sys.modules)
"""
    unset = {name: value for name, value in os.environ.items() if name != "EUCLIO_KERNELS"}
    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=unset).stdout
    first, *names = said.splitlines()[-1].split()
    assert first == "imported:"
    assert "euclio.cli" in names
    return set(names)


@pytest.fixture(scope="module")
def imported(tmp_path_factory):
    """The imports of solving a small session, found once, since the process takes a second."""
    session = tmp_path_factory.mktemp("small") / "session.json"
    save_session(small_session(1), session)
    return imported_by_solving(session)


def test_solving_from_a_file_imports_none_of_the_large_libraries(imported):
    """Each of them takes longer to import than a small session takes to be solved, read, checked and printed."""
    assert {"scipy", "pandas", "numba", "matplotlib", "highspy", "ortools", "pulp"} & imported == set()


def test_printing_a_plan_imports_no_search_for_attainments_and_no_simulator(imported):
    """The solving process imports them before its limit counts; the printing process must not do so again."""
    heavy = ("attainment.attaining", "attainment.rough_cost", "session.in_turn")
    assert all((ROOT / f"euclio/serving/{name.replace('.', '/')}.py").exists() for name in heavy)
    assert {f"euclio.serving.{name}" for name in heavy} & imported == set()


NOT_FOR_A_SOLVE = (
    "concurrent.futures",
    "euclio.problems.session.files.plans",
    "euclio.serving.session.simulation",
    "logging",
    "multiprocessing",
)
"""Modules that one solve does not use: pools of processes, result files where none is written, simulators."""


def test_solving_from_a_file_imports_nothing_of_other_verbs(tmp_path):
    """A list of names and no time: together they took a tenth of what a small session takes from start to end."""
    session = tmp_path / "session.json"
    # Of so many requests that whether its plan holds is not simulated under it.
    (many,) = generate("published", models=["resnet50"], rate=2000, slo=0.4)
    save_session(many, session)
    assert {*NOT_FOR_A_SOLVE} & imported_by_solving(session) == set()


def test_the_exact_solver_imports_nothing_that_decides_ties():
    """Few sessions have any; it is imported where one of them does."""
    code = "import sys, formulations.session.exact.solver; print(*(m for m in sys.modules if 'in_fractions' in m))"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout.strip() == ""


def test_a_rough_cost_imports_no_search_for_attainments():
    """It tries a few margins itself; the package that it stands in took as long to import as numpy."""
    code = (
        "import sys, euclio.serving.attainment.rough_cost; print('euclio.serving.attainment.attaining' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout.strip() == "False"


@pytest.mark.parametrize("words", [["--help"], ["solvers"]])
def test_what_computes_nothing_imports_no_arrays(words):
    """Lists of solvers and commands: numpy would take a fifth of the time of the list of solvers."""
    code = f"""
import sys
from euclio.cli import main
try:
    main({words!r})
except SystemExit:
    pass
print("imported:", *({{"numpy", "pandas", "numba"}} & set(sys.modules)))
"""
    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout
    assert said.splitlines()[-1] == "imported:"


@pytest.mark.slow
def test_what_was_taken_for_imported_is_imported_when_it_is_used():
    code = "import euclio.core.compiled, numba, numpy as np; print(numba.njit(lambda a: np.dot(a, a))(np.eye(2))[0, 0])"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout.strip() == "1.0"


@pytest.mark.parametrize(
    ("place", "name"),
    [
        ("euclio.files", "load_session"),
        ("euclio.files", "save_cluster"),
        ("euclio.files", "WrittenResult"),
        ("euclio.core.family", "find_family"),
        ("euclio.core.registry", "Solver"),
    ],
)
def test_names_that_scripts_take_from_a_place_are_still_there(place, name):
    """Their code moved to where it belongs; people's scripts did not."""
    assert getattr(import_module(place), name) is not None
