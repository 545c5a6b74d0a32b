"""What a verb reads before its function is called: each value once, by its own reader, and nothing else."""

from __future__ import annotations

import os

import pytest
from tiny_sessions import TEXT, tiny_session

import euclio
from euclio.cli import main
from euclio.core.errors import InputError
from euclio.core.parameters import Parameter
from euclio.core.values import count
from euclio.verbs.interface.parser import family_named
from euclio.verbs.interface.verb import verb


@pytest.fixture
def session(tmp_path, monkeypatch):
    """A session in the current folder."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "s.json").write_text(TEXT)
    return "s.json"


@verb(Parameter("--jobs", parse=count, metavar="N"))
def compiled(*names: str, jobs: int | None = None) -> tuple[tuple[str, ...], int | None]:
    """What it is given."""
    return names, jobs


def test_values_of_a_list_are_not_read_as_the_parameter_behind_it():
    """`euclio warm-up exact harpagon` names two solvers, and no number of processes."""
    assert compiled("exact", "harpagon", jobs="2") == (("exact", "harpagon"), 2)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no pipes with names")
def test_a_pipe_is_not_opened_to_see_its_family(session, tmp_path):
    """What is read from it is gone, and without a writer the command would wait for ever."""
    os.mkfifo(tmp_path / "p.json")
    assert family_named(["solve", "p.json"]) is None
    assert family_named(["solve", session]) == "session"


def test_an_option_of_the_verb_is_none_of_another_family(session, capsys):
    """Clusters have an option `--objective` for plan spaces; that of `compare` is for every family."""
    assert main(["compare", session, "--solvers", "harpagon", "--objective", "cost"]) == 0
    assert "harpagon" in capsys.readouterr().out


def test_help_has_its_words_however_it_is_asked_for(capsys):
    """`-hh` is help too."""
    shown = []
    for words in (["solve", "--help"], ["solve", "-hh"]):
        assert main(words) == 0
        shown.append(capsys.readouterr().out)
    assert shown[0] == shown[1]


@pytest.mark.parametrize("threads", [0, -1, "x", 1.5, True])
def test_a_value_of_a_group_is_read_too(threads):
    """Engines would be given what they cannot use."""
    with pytest.raises(InputError, match=r"^threads=.*must be a whole number, at least 1"):
        euclio.solve(tiny_session(), "milp", threads=threads)


def test_arrivals_may_be_a_list():
    """A notebook has them as numbers."""
    found = euclio.simulate(tiny_session(), euclio.solve(tiny_session(), "harpagon"), trace=[0.1, 0.2], seconds=1)
    assert found.setup.trace_s == (0.1, 0.2)


def test_a_percentile_may_be_one_number():
    """It is an objective, and there may be one or several."""
    found = euclio.what_if(tiny_session(), rate=5, p90=3, machines="whole", solver="harpagon")
    assert len(found.points) == 1


@pytest.mark.parametrize(
    ("call", "keyword"),
    [
        (lambda: euclio.compare(tiny_session(), "harpagon", certify_s=0), "certify"),
        (lambda: euclio.profile("x.py:f", model="m", hardware="h", batch=None), "batch"),
        (lambda: euclio.profile("x.py:f", model="m", hardware="h", time_out=None), "time_out"),
        (lambda: euclio.import_csv("x.csv", prices={"a": 1}, rates=1, slo=None), "slo"),
        (lambda: euclio.import_perf_analyzer("x.csv", model="m", hardware="h", batch=None), "batch"),
        (lambda: euclio.curve(tiny_session(), over=None), "over"),
    ],
)
def test_a_value_that_is_needed_is_told_by_its_name(call, keyword):
    """None, or a number that is none, is an `InputError` as any other bad value."""
    with pytest.raises(InputError) as caught:
        call()
    assert caught.value.field == keyword


def test_names_of_files_are_not_empty(session, capsys):
    """An empty name is that of the current folder to Python."""
    assert main(["curve", session, "--out="]) == 2
    assert "--out: '' must be the name of a file or folder" in capsys.readouterr().err
