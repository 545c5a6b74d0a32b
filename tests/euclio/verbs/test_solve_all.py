"""Many instances at once: the results are those of each by itself, and what is wrong with one says with which."""

from __future__ import annotations

import json
import time

import pytest

import euclio
from euclio.cli import main
from euclio.core.errors import InputError
from euclio.files.instance_files import save_instance
from euclio.questions.solved_instances import on_all_cores
from euclio.workloads.kinds import find_kind
from tests.helpers.tiny_clusters import tiny_cluster
from tests.helpers.tiny_sessions import tiny_session


@pytest.fixture
def folder(tmp_path):
    """Six random sessions, in the order of their names."""
    for session in find_kind("random").draw({"modules": 2}, 6, 3):
        save_instance(session, tmp_path / f"{session.name}.json")
    return tmp_path


@pytest.mark.parametrize("jobs", [1, 2, 5])
@pytest.mark.parametrize("solver", ["exact", "harpagon"])
def test_results_are_those_one_by_one(folder, jobs, solver):
    """Threads share kernels, caches of arrays and the clock; none of that may show."""
    together = euclio.solve_all(folder, solver, jobs=jobs)
    for file, found in zip(sorted(folder.glob("*.json")), together, strict=True):
        alone = euclio.solve(file, solver)
        kept = ("instance", "status", "value", "bound", "claimed", "plan", "stats", "reason", "options")
        assert [getattr(found, name) for name in kept] == [getattr(alone, name) for name in kept]


def test_changes_and_spaces_hold_for_all(folder):
    together = euclio.solve_all(folder, rate=7, machines="whole")
    alone = [euclio.solve(file, rate=7, machines="whole") for file in sorted(folder.glob("*.json"))]
    assert [one.value for one in together] == [one.value for one in alone]
    assert [one.changes for one in together] == [one.changes for one in alone]


def test_it_shows_itself_and_has_a_frame(folder):
    found = euclio.solve_all(folder)
    assert "6 instances" in repr(found)
    assert found[0].instance in found._repr_html_()
    assert list(found.frame().columns) == [
        *("instance", "solver", "status", "cost_per_h", "bound_per_h", "wall_s", "reason"),
    ]


def test_the_command_writes_what_the_function_gives(folder, tmp_path, capsys):
    out = tmp_path / "costs.csv"
    assert main(["solve-all", str(folder), "--csv", str(out), "--json"]) == 0
    rows = json.loads(capsys.readouterr().out)["results"]
    assert [row["instance"] for row in rows] == [one.instance for one in euclio.solve_all(folder)]
    assert len(out.read_text().splitlines()) == 7


def test_without_any_plan_the_exit_code_says_so(folder, capsys):
    assert main(["solve-all", str(folder), "--slo", "0.000001"]) == 3
    assert "6 infeasible" in capsys.readouterr().out


def test_a_file_that_is_wrong_is_named_before_anything_is_solved(folder, capsys):
    (folder / "zz.json").write_text("{}")
    assert main(["solve-all", str(folder)]) == 2
    said = capsys.readouterr()
    assert "zz.json" in said.err
    assert said.out == ""


def test_families_are_not_mixed():
    with pytest.raises(InputError, match="one family at a time"):
        euclio.solve_all([tiny_session(2), tiny_cluster()])


def test_nothing_is_no_answer():
    with pytest.raises(InputError, match="nothing to solve"):
        euclio.solve_all([])


def test_what_has_not_begun_does_not_begin_after_an_error():
    """Else Ctrl-C, or the first bad instance of a thousand, would be answered when all others are solved."""
    begun = []

    def work(k):
        begun.append(k)
        time.sleep(0.01)
        if k > 20:
            raise ValueError(k)

    with pytest.raises(ValueError, match="21"):
        on_all_cores(work, list(range(1000)), "trying", 2)
    assert len(begun) < 100
