"""`euclio cite` and `euclio.cite`: euclio first, then what results and solvers rest on, each with its reason."""

import json
import re
from dataclasses import replace

import pytest
import tiny_clusters
import tiny_fleets
import tiny_sessions

import euclio
from euclio.cli import main
from euclio.core.errors import InputError
from euclio.files import load_instance, save_result

KEY = re.compile(r"^@[a-z]+\{([a-z0-9]+),$", re.MULTILINE)
TEXTS = {"session": tiny_sessions.TEXT, "cluster": tiny_clusters.TEXT, "fleet": tiny_fleets.TEXT}


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name, text in TEXTS.items():
        (tmp_path / f"{name}.json").write_text(text)
    return tmp_path


def keys(cited):
    return KEY.findall(str(cited))


def solved(instance, solver, **options):
    """A result in a file, and itself."""
    loaded = load_instance(f"{instance}.json")
    result = euclio.solve(loaded, solver, **options)
    save_result(result, loaded, f"{solver}.result.json")
    return result


def test_without_anything_euclio_and_the_five_papers_are_cited(capsys):
    assert main(["cite"]) == 0
    printed = capsys.readouterr().out
    assert keys(printed) == ["euclio", "harpagon", "piccolo", "scrooge", "ppipe", "graft"]
    assert printed == f"{euclio.cite()}\n"


@pytest.mark.parametrize(
    ("instance", "solver", "options", "cited"),
    [
        ("session", "nexus", {}, ["euclio", "harpagon", "nexus"]),
        ("session", "milp", {"engine": "cbc"}, ["euclio", "harpagon", "pulp", "cbc"]),
        ("session", "milp", {}, ["euclio", "harpagon", "pulp", "highs"]),
        ("session", "scrooge-milp", {}, ["euclio", "scrooge", "pulp", "highs"]),
        ("session", "cpsat", {"warm_start": "piccolo"}, ["euclio", "harpagon", "piccolo", "cpsat"]),
        ("cluster", "dart-r", {}, ["euclio", "ppipe", "dart"]),
        ("fleet", "gslice", {}, ["euclio", "graft", "gslice"]),
        ("fleet", "set-partition", {}, ["euclio", "graft", "highs"]),
    ],
)
def test_a_result_cites_its_papers_its_engine_and_what_it_started_from(folder, instance, solver, options, cited):
    result = solved(instance, solver, **options)
    assert keys(euclio.cite(result)) == cited
    assert keys(euclio.cite(f"{solver}.result.json")) == cited


def test_several_results_and_solvers_are_one_list_in_one_order(folder):
    """Whatever they are given in: the same work has the same bibliography."""
    first, second = solved("session", "clipper"), solved("cluster", "dart-r")
    assert str(euclio.cite(first, second, first)) == str(euclio.cite(second, first))
    assert keys(euclio.cite(first, second)) == ["euclio", "harpagon", "ppipe", "clipper", "dart"]
    assert keys(euclio.cite(first, solver=["scrooge-greedy"])) == ["euclio", "harpagon", "scrooge", "clipper"]


def test_every_entry_says_why_and_so_does_json(folder, capsys):
    assert main(["cite", "--solver", "milp", "--json"]) == 0
    described = json.loads(capsys.readouterr().out)
    because = {one["key"]: one["because"] for one in described["references"]}
    assert because == {
        "euclio": ["euclio itself"],
        "harpagon": ["solver milp", "solver harpagon"],
        "pulp": ["modelled with PuLP"],
        "highs": ["engine highs"],
    }
    assert main(["cite", "--solver", "milp"]) == 0
    assert "% solver milp and solver harpagon\n@misc{harpagon," in capsys.readouterr().out


def test_a_solver_that_does_not_say_what_it_rests_on_is_named(folder, capsys):
    (folder / "own.py").write_text("def solve(session):\n    return None\n")
    assert main(["cite", "--solver", "own.py:solve"]) == 0
    said = capsys.readouterr()
    assert keys(said.out) == ["euclio"]
    assert said.err == "euclio: own.py:solve does not say what it rests on; cite what its authors ask for\n"


def test_no_code_that_a_result_names_is_run(folder):
    """A result may come from anybody."""
    (folder / "trap.py").write_text("raise SystemExit('run')\n")
    result = replace(solved("session", "harpagon"), solver="trap.py:solve")
    cited = euclio.cite(result)
    assert cited.silent == ("trap.py:solve",)
    assert keys(cited) == ["euclio"]


def test_what_is_no_result_is_refused_in_one_line(folder, capsys):
    with pytest.raises(InputError):
        euclio.cite("session.json")
    assert main(["cite", "session.json"]) == 2
    assert main(["cite", "--solver", "harpagn"]) == 2
    assert "did you mean harpagon" in capsys.readouterr().err
