"""Scripts of before go on: what they import is what is there today."""

import importlib
import subprocess
import sys
import warnings

import pytest

import euclio
from euclio.core.former_names import FORMER, name_today
from euclio.problems.session import PlanSpace, Session
from euclio.problems.session.policies import Policy


@pytest.mark.parametrize("before", FORMER)
def test_a_module_has_the_name_of_before(before):
    sys.modules.pop(before, None)
    with pytest.warns(DeprecationWarning, match="import that"):
        found = importlib.import_module(before)
    today = importlib.import_module(FORMER[before])
    names = getattr(today, "__all__", [name for name in vars(today) if not name.startswith("_")])
    assert {name: getattr(found, name) for name in names} == {name: getattr(today, name) for name in names}


def test_a_policy_of_a_script_is_one_of_today():
    """A policy that was written against the old name is told by its class."""
    program = (
        "import euclio\n"
        "from euclio.session import PlanSpace, Session\n"
        "from euclio.session.policies import Policy\n"
        "print(PlanSpace.__module__, Session.__module__, Policy.__module__)"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.split() == [kind.__module__ for kind in (PlanSpace, Session, Policy)]


def test_a_folder_that_an_update_left_behind_hides_no_name_of_before(tmp_path):
    """Git leaves folders where Python has put `__pycache__`; they look like packages without an `__init__`."""
    (tmp_path / "session" / "__pycache__").mkdir(parents=True)
    program = f"import euclio\neuclio.__path__.append({str(tmp_path)!r})\nfrom euclio.session import Session"
    subprocess.run([sys.executable, "-c", program], check=True)


@pytest.mark.parametrize(
    ("before", "name"),
    [
        ("euclio.analysis.gap_figures", "performance_profile"),
        ("euclio.runs.experiment", "Experiment"),
        ("euclio.session.workloads.acceptance", "SYSTEMS"),
        ("euclio.pipeline.simulation.timeline_figure", "draw"),
        ("euclio.studies.harpagon.kinds", "answers"),
    ],
)
def test_notebooks_of_before_find_what_they_import(before, name):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert hasattr(importlib.import_module(before), name)


def test_other_names_are_not_found():
    assert name_today("euclio.sessions") is None
    with pytest.raises(ModuleNotFoundError):
        importlib.import_module("euclio.sessions")
    assert euclio.results.load is importlib.import_module("euclio.experiments.results").load
