"""Verbs that were on the command line only, called in Python: with objects, and with paths."""

from __future__ import annotations

import inspect
import subprocess
import sys
from dataclasses import replace

import pytest
from tiny_sessions import TEXT, tiny_session

import euclio
from euclio.cli import main
from euclio.core.errors import InputError, NoPlanError
from euclio.core.parameters import keyword_of
from euclio.files import save_result
from euclio.problems.day import Step
from euclio.problems.pipeline import Cluster
from euclio.problems.session import Session


@pytest.fixture(scope="module")
def solved():
    return euclio.solve(tiny_session(), "harpagon", slo=1.5)


@pytest.fixture
def files(tmp_path, solved):
    (tmp_path / "tiny.json").write_text(TEXT, encoding="utf-8")
    save_result(solved, solved.changes.applied_to(tiny_session()), tmp_path / "result.json")
    return tmp_path / "tiny.json", tmp_path / "result.json"


def test_a_result_with_changes_is_verified_against_the_instance_without(files, solved):
    """It states its changes, as in a file, so that nobody applies them by hand, or twice."""
    session, result = files
    assert euclio.verify(tiny_session(), solved).accepted
    assert euclio.verify(session, result).accepted
    refused = euclio.verify(tiny_session(), euclio.solve(tiny_session(), "harpagon", slo="0.0001"))
    assert refused.reasons[0].startswith("the result has no plan")


def test_a_result_with_changes_is_certified_as_it_is():
    """The headroom of a result is not planned for twice."""
    best = euclio.solve(tiny_session(), "exact", headroom=0.2)
    assert euclio.certify(tiny_session(), best, time_limit=30).verdict == "certified"


def test_a_plan_is_simulated_and_exported(files, solved):
    """Without a file in between."""
    assert euclio.simulate(tiny_session(), solved, seconds=1, seed=3).setup.seconds == 1
    assert euclio.simulate(*files, seconds=1, highest_load=True).keys() == {"tiny"}
    assert list(euclio.export(tiny_session(), solved, to="csv")) == ["plan.csv"]


def test_without_a_plan_there_is_nothing_to_simulate():
    """It is an error of its own, as it has an exit code of its own."""
    none = euclio.solve(tiny_session(), "harpagon", slo="0.0001")
    with pytest.raises(NoPlanError, match="there is no plan to simulate"):
        euclio.simulate(tiny_session(), none)


def test_two_plans_are_compared_as_files_or_objects(files, solved):
    """A notebook has the results; a folder has the files."""
    session, result = files
    assert euclio.diff(result, solved, instance=session).data["changes"] == 0
    assert euclio.diff(solved, result).data["changes"] == 0
    with pytest.raises(InputError, match=r"^before: does not know its instance; give that too"):
        euclio.diff(replace(solved, of_instance=None), solved)
    with pytest.raises(InputError, match=r"^after=5: is of type int; give a result of `euclio.solve`"):
        euclio.diff(solved, 5)


def test_two_results_are_compared_with_what_they_were_solved_for():
    """The second one is of twice the rate, on which a plan needs more: what each was solved for is known to it."""
    before, after = euclio.solve(tiny_session()), euclio.solve(tiny_session(), rate=20)
    data = euclio.diff(before, after).data
    assert data["change_cost_per_h"] == pytest.approx(after.cost - before.cost)
    assert data["after"]["instance_changes"]


def test_several_rates_are_asked_at_once():
    """One value is as good as a list of one."""
    answer = euclio.what_if(tiny_session(), rate=[5, 10], slo="1,1.5", machines="whole", solver="exact")
    assert len(answer.points) == 4
    assert euclio.what_if(tiny_session(), rate=5, machines=["whole"]).question.rates == [5]


def test_what_may_change_is_asked_of_a_result(solved):
    """The plan that runs is a result, not a file of one."""
    curve = euclio.changes(tiny_session(), from_=solved, rate=20, most=3)
    assert curve.question.most == 3
    with pytest.raises(InputError, match=r"^from_: is needed"):
        euclio.changes(tiny_session())


def test_a_day_is_planned_of_steps():
    """Whoever has the load as numbers needs no CSV."""
    found = euclio.plan_day(
        tiny_session(), load=[Step(600, [10, 5]), Step(600, [20, 10])], warm_up=60, solvers="day-peak"
    )
    assert found.best.solver == "day-peak"
    assert found.day.warm_up_s == 60


def test_instances_are_drawn_and_returned(tmp_path):
    """The same as the command writes, and the files only where they are asked for."""
    drawn = euclio.generate("random", count=2, seed=7, modules=2, out=tmp_path / "drawn")
    assert [euclio.load(tmp_path / "drawn" / f"{one.name}.json") for one in drawn] == drawn
    assert euclio.generate("random", count=2, seed=7, modules="2") == drawn


def test_profiles_are_imported(tmp_path):
    """Numbers may be numbers or text, as on the command line."""
    file = tmp_path / "p.csv"
    file.write_text("module,hardware,batch,duration_s\na,g,1,0.01\na,g,2,0.015\n", encoding="utf-8")
    numbers = euclio.import_csv(file, prices={"g": 1.5}, rates=10, slo=0.1)
    assert numbers == euclio.import_csv(file, prices="g=1.5", rates="a=10", slo="0.1")
    with pytest.raises(InputError, match=r"^prices: hardware 'h' has no row in .*; it has g$"):
        euclio.import_csv(file, prices={"h": 1}, rates=10, slo=0.1)


def test_the_page_of_an_experiment_is_a_verb_and_a_room():
    """Both are called `report`; which of them is imported first must not matter."""
    code = "import euclio, euclio.report.blocks; print(callable(euclio.report), euclio.report.blocks.__name__)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["True", "euclio.report.blocks"]
    assert "title" in inspect.signature(euclio.report).parameters
    with pytest.raises(InputError, match="no such file or folder"):
        euclio.report("nowhere")


def test_importing_euclio_imports_no_verb():
    """It has to be quick: what a verb needs is imported when it is called."""
    code = (
        "import sys, euclio; dir(euclio); print([m for m in sys.modules if m.startswith(('euclio.verbs.', 'numpy'))])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_words_of_pythons_own_get_an_underscore():
    """`from` and `class` can be options, not keywords."""
    assert [keyword_of(flag) for flag in ("--from", "--class", "--time-limit")] == ["from_", "class_", "time_limit"]


def test_a_file_is_loaded_as_what_is_asked_for(files):
    """An editor knows what comes back, and a cluster in its place is told at once."""
    assert euclio.load(files[0], Session) == euclio.load(files[0])
    with pytest.raises(InputError, match=r"tiny\.json: is one of sessions; clusters are asked for"):
        euclio.load(files[0], Cluster)


@pytest.mark.parametrize("verb", ["what-if", "curve", "changes"])
def test_options_of_other_families_are_refused_by_their_names(files, capsys, verb):
    """They stand in the help of all verbs; one line says that they mean nothing here."""
    assert main([verb, str(files[0]), "--budgets", "own"]) == 2
    assert "--budgets: is an option for fleets, and this is one of sessions; leave it out" in capsys.readouterr().err
