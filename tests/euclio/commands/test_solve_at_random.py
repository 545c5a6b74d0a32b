"""The line under a plan of `euclio solve` that says what it keeps under Poisson arrivals."""

import re
import shlex

import pytest
from simulate_command import call as simulate
from tiny_fleets import TEXT as FLEET
from tiny_sessions import TEXT

from euclio.cli import main
from euclio.files import load_instance
from euclio.session.simulation import glance
from euclio.verbs import solve

LINE = re.compile(
    r"under Poisson arrivals(?: ([0-9.]+ %) in time)?: (euclio simulate .*?)(; 99 %: --attainment 0.99)?\n"
)


@pytest.fixture
def session(tmp_path):
    path = tmp_path / "a session.json"
    path.write_text(TEXT)
    return path


def last_line(capsys, *arguments):
    """The share, the command and what is said of 99 %."""
    assert main(["solve", *map(str, arguments)]) == 0
    return LINE.search(capsys.readouterr().out).groups()


@pytest.mark.parametrize("options", [(), ("--policy", "rr"), ("--rate", 8), ("--machines", "whole")])
def test_the_printed_command_shows_the_printed_number(session, tmp_path, capsys, options):
    # 30 s of this session are few enough requests to be simulated at once; changes stand in the result.
    out = tmp_path / "result.json"
    share, command, more = last_line(capsys, session, *options, "--out", out)
    assert more is not None
    words = shlex.split(command)
    assert words[:4] == ["euclio", "simulate", str(session), str(out)]
    assert f"tiny: {share} of " in simulate(capsys, *words[2:])[1]


def test_without_room_for_the_simulation_there_is_the_command_alone(session, capsys, monkeypatch):
    # It is requests that are counted, so that the same input prints the same on any machine.
    monkeypatch.setattr(glance, "INTERPRETED", 100)
    monkeypatch.setattr(glance, "COMPILED", 100)
    share, command, more = last_line(capsys, session)
    assert share is None
    assert command == shlex.join(["euclio", "simulate", str(session), "RESULT", "--arrivals", "poisson"])
    assert more is not None


def test_other_families_name_the_command(tmp_path, capsys):
    # An attainment can be asked for of sessions only.
    path = tmp_path / "fleet.json"
    path.write_text(FLEET)
    assert last_line(capsys, path) == (None, f"euclio simulate {path} RESULT --arrivals poisson", None)


def test_json_and_plans_that_there_are_not_have_no_such_line(session, capsys):
    assert main(["solve", str(session), "--json"]) == 0
    assert "under Poisson" not in "".join(capsys.readouterr())
    assert main(["solve", str(session), "--slo", "0.01"]) == 3
    assert "under Poisson" not in "".join(capsys.readouterr())


def test_python_has_the_number_and_a_call_does_not_pay_for_it(session):
    result = solve(session)
    assert "under Poisson" not in repr(result)
    share = glance.poisson_attainment(load_instance(session), result)
    assert 0 < share <= 1
