"""Code that an experiment names: it is run where the call names its file too, and nowhere else."""

from pathlib import Path

import pytest
from tiny_sessions import TEXT

import euclio
from euclio.cli import main
from euclio.core.errors import InputError
from euclio.experiments.experiment_files import load_experiment

HEAD = 'schema = "euclio/experiment/1"\nname = "e"\n[[instances]]\nfiles = ["s.json"]\n'
CODE = """from pathlib import Path

from euclio.problems.session.policies import Policy

Path("{mark}").write_text("by running an experiment")
POLICY = Policy(name="p", help="", whole=lambda p: 2 * p.duration_s, partial=lambda p: 3 * p.duration_s)


def solve(session):
    return None
"""
PLACES = {
    "name": 'name = "evil.py:solve"',
    "policy": 'name = "harpagon"\npolicy = ["tc", "evil.py:POLICY"]',
    "warm_start": 'name = "milp"\nwarm_start = "evil.py:solve"',
}
"""Where an experiment may name code."""


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """The current folder, with what somebody else sent: a session, an experiment's solvers."""
    monkeypatch.chdir(tmp_path)
    Path("s.json").write_text(TEXT)
    Path("evil.py").write_text(CODE.format(mark=tmp_path / "EXECUTED"))
    return tmp_path


@pytest.mark.parametrize("place", PLACES)
def test_an_experiment_alone_has_no_code_run(folder, capsys, place):
    """One line with file, field and remedy, exit code 2, nothing run or written."""
    Path("e.toml").write_text(f"{HEAD}[[solvers]]\n{PLACES[place]}\n")
    assert main(["run", "e.toml"]) == 2
    out, err = capsys.readouterr()
    name = "evil.py:POLICY" if place == "policy" else "evil.py:solve"
    expected = (
        f"euclio: e.toml: solvers[0].{place}: names code ({name}), and what a file names is not run; if you trust it, "
        "name it yourself: --code evil.py\n"
    )
    assert (out, err) == ("", expected)
    assert sorted(path.name for path in folder.iterdir()) == ["e.toml", "evil.py", "s.json"]


@pytest.mark.parametrize("place", PLACES)
def test_what_the_call_names_is_loaded(folder, place):
    Path("e.toml").write_text(f"{HEAD}[[solvers]]\n{PLACES[place]}\n")
    assert load_experiment("e.toml", ["evil.py"]).solvers
    assert (folder / "EXECUTED").exists()


def test_what_the_command_line_names_is_run_by_workers(folder, capsys):
    Path("e.toml").write_text(f"{HEAD}[[solvers]]\n{PLACES['name']}\n")
    assert main(["run", "e.toml", "--code", "./evil.py"]) == 0
    assert "1 of 1 runs are finished" in capsys.readouterr().err


def test_all_files_are_named_in_one_line(folder):
    """Relative to the current folder, as the option wants them."""
    Path("sub").mkdir()
    Path("sub/e.toml").write_text(
        f'{HEAD}[[solvers]]\nname = "a.py:f"\n[[solvers]]\nname = "harpagon"\npolicy = "../b.py:P"\n'
    )
    with pytest.raises(InputError, match=r"--code sub/a\.py,b\.py$"):
        load_experiment("sub/e.toml")
    with pytest.raises(InputError, match=r"solvers\[1\]\.policy: .* --code b\.py$"):
        load_experiment("sub/e.toml", ["sub/a.py"])


def test_another_file_of_that_name_is_another_file(folder):
    """The files are compared, not what they are called."""
    Path("sub").mkdir()
    Path("sub/evil.py").write_text(Path("evil.py").read_text())
    Path("sub/e.toml").write_text(f"{HEAD}[[solvers]]\n{PLACES['name']}\n")
    with pytest.raises(InputError, match="names code"):
        euclio.run("sub/e.toml", code=["evil.py"])
    assert not (folder / "EXECUTED").exists()
