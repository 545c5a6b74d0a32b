"""A verb is declared in one file: the command line, its help, completion and the stub for editors follow from it."""

from __future__ import annotations

import sys

import pytest
from places import ROOT
from tiny_sessions import tiny_session

import euclio.verbs
from euclio.cli import main
from euclio.core.errors import InputError
from euclio.core.parameters import Parameter
from euclio.verbs.interface.command import COMMANDS, documented, spelled
from euclio.verbs.interface.parser import verbs
from euclio.verbs.interface.verb import verb

PAGE = ROOT / "docs" / "howto" / "verb.md"
GREET = PAGE.read_text(encoding="utf-8").partition("```python\n")[2].partition("```")[0]
"""The example of the page that says how a verb is added."""


@pytest.fixture
def greet(tmp_path, monkeypatch):
    """A verb that stands in one file, and nowhere else."""
    (tmp_path / "greet.py").write_text(GREET)
    monkeypatch.setattr(euclio.verbs, "__path__", [*euclio.verbs.__path__, str(tmp_path)])
    verbs.cache_clear()
    yield
    verbs.cache_clear()
    COMMANDS.pop("greet", None)
    sys.modules.pop("euclio.verbs.greet", None)


def test_one_file_is_a_verb(greet, capsys):
    """No list elsewhere has to name it."""
    assert main(["greet", "you", "--times", "2", "--loud"]) == 0
    assert capsys.readouterr().out == "hello you!\nhello you!\n"
    assert main(["--help"]) == 0
    assert "greet       say hello" in capsys.readouterr().out
    assert main(["greet", "--help"]) == 0
    out = " ".join(capsys.readouterr().out.split())
    assert "--times N how many greetings; default: 1" in out
    assert "euclio greet you" in out


def test_both_front_ends_spell_the_parameter_that_is_wrong(greet, capsys):
    """What is wrong with a value is said once, and named as it was given."""
    assert main(["greet", "you", "--times", "0"]) == 2
    assert "--times: '0' must be a whole number, at least 1" in capsys.readouterr().err
    from euclio.verbs.greet import greet as call  # type: ignore[import-not-found]

    with pytest.raises(InputError, match=r"^times=0: must be a whole number, at least 1$"):
        call("you", times=0)


def test_what_is_declared_wrong_is_said_at_once():
    """Its author reads it when the file is imported, and no user gets an internal error."""
    with pytest.raises(TypeError, match="--module has a metavar and nothing that reads its value"):
        Parameter("--module", metavar="NAME")
    with pytest.raises(TypeError, match=r"nothing\(\) has no parameter for --tims"):
        verb(Parameter("--tims", parse=str))(nothing)


def nothing() -> None:
    """A function without parameters."""


@pytest.mark.parametrize("call", ["verify", "certify", "simulate"])
@pytest.mark.parametrize("given", [3, None])
def test_what_is_no_result_is_told_by_its_name(call, given):
    """An error inside would say nothing of what was given."""
    with pytest.raises(InputError, match=r"^result(=3)?: is of type \w+; give a result of `euclio.solve`"):
        getattr(euclio, call)(tiny_session(), given)


def test_words_of_python_are_spelled_for_the_command_line():
    """A docstring is the help: what it says of Python alone is left out there."""
    said = 'as of `euclio.solve`, with `over="rate"` or `time_limit`; `x`. None means 5 %. In Python also a list.'
    assert spelled(said, ["time_limit"]) == "as of `euclio solve`, with --over rate or --time-limit; `x`. default: 5 %%"
    assert documented(euclio.curve)["over"].startswith('the variable, "slo" or "rate"')
