"""A verb is declared in one file: the command line, its help, completion and the stub for editors follow from it."""

from __future__ import annotations

import sys

import pytest

import euclio.verbs
from euclio.cli import main
from euclio.core.errors import InputError
from euclio.verbs.interface.command import COMMANDS, documented, spelled
from euclio.verbs.interface.parser import verbs

GREET = '''"""`euclio greet`: say hello."""

from __future__ import annotations

from argparse import Namespace

from euclio.core.parameters import Parameter
from euclio.core.values import count
from euclio.verbs.interface.command import command
from euclio.verbs.interface.verb import verb


@verb(Parameter("--times", parse=count, metavar="N"), Parameter("--loud"))
def greet(name: str, *, times: int | None = None, loud: bool = False) -> list[str]:
    """Greetings.

    Args:
        name: who is greeted.
        times: how many greetings, of which 5 % with `loud`; None: 1.
        loud: with an exclamation mark.
    """
    return [f"hello {name}{'!' * loud}"] * (times or 1)


@command(greet, Parameter("name", help="who", metavar="NAME"), examples=("euclio greet you",))
def print_greetings(arguments: Namespace) -> int:
    """Greet."""
    print(*greet(arguments.name, **arguments.keywords), sep="\\n")
    return 0
'''


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
    assert "--times N how many greetings, of which 5 % with --loud; default: 1" in out
    assert "euclio greet you" in out


def test_both_front_ends_spell_the_parameter_that_is_wrong(greet, capsys):
    """What is wrong with a value is said once, and named as it was given."""
    assert main(["greet", "you", "--times", "0"]) == 2
    assert "--times: '0' must be a whole number, at least 1" in capsys.readouterr().err
    from euclio.verbs.greet import greet as call  # type: ignore[import-not-found]

    with pytest.raises(InputError, match=r"^times=0: must be a whole number, at least 1$"):
        call("you", times=0)


def test_words_of_python_are_spelled_for_the_command_line():
    """A docstring is the help: what it says of Python alone is left out there."""
    said = 'as of `euclio.solve`, with `over="rate"` or `time_limit`; `x`. None: 5 %. In Python also a list.'
    assert spelled(said, ["time_limit"]) == "as of `euclio solve`, with --over rate or --time-limit; `x`. default: 5 %%"
    assert documented(euclio.curve)["over"].startswith("what the cost is a function of")
