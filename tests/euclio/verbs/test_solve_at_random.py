"""The line under a plan of `euclio solve` that says what it keeps under Poisson arrivals."""

import json
import re
import shlex

import pytest
from simulate_command import call as simulate
from tiny_fleets import TEXT as FLEET
from tiny_sessions import TEXT

from euclio import solve
from euclio.cli import main
from euclio.core.compiled import Kernel, using
from euclio.core.ways import Way
from euclio.core.words import full, percent
from euclio.files import load_instance
from euclio.questions import at_random
from euclio.serving.session import glance

LINE = re.compile(
    r"under Poisson arrivals(?: ([0-9.]+ %) in time)?: (euclio simulate .*?)"
    r"(; 99 %: (?:at most about [0-9.]+ per hour, )?--attainment 0.99)?\n"
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


@pytest.mark.fifth("options")
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
    monkeypatch.setattr(glance, "BY_MODULE", 100)
    share, command, more = last_line(capsys, session)
    assert share is None
    assert command == shlex.join(["euclio", "simulate", str(session), "RESULT", "--arrivals", "poisson"])
    assert more is not None


def test_other_families_name_the_command(tmp_path, capsys):
    # An attainment can be asked for of sessions only.
    path = tmp_path / "fleet.json"
    path.write_text(FLEET)
    assert last_line(capsys, path) == (None, f"euclio simulate {path} RESULT --arrivals poisson", None)


@pytest.fixture
def unhurried(monkeypatch):
    """What is found in time does not depend on how busy the machine is."""
    monkeypatch.setattr(at_random, "LIMIT_S", 60.0)


def test_json_has_the_numbers_of_the_line(session, capsys, unhurried):
    """What people read stands there for programs too, and in files."""
    share, _, more = last_line(capsys, session)
    assert main(["solve", str(session), "--json"]) == 0
    stats = json.loads(capsys.readouterr().out)["stats"]
    assert percent(stats["poisson_attainment"]) == share
    about = float(f"{stats['poisson_99_about_per_h']:.3g}")
    assert more == f"; 99 %: at most about {full(about)} per hour, --attainment 0.99"


@pytest.mark.slow
def test_a_rough_cost_is_about_that_of_a_plan_that_keeps_it(session, capsys, unhurried):
    """It says what to expect of `--attainment 0.99`, which simulates a hundred times as many requests."""
    assert main(["solve", str(session), "--json"]) == 0
    about = json.loads(capsys.readouterr().out)["stats"]["poisson_99_about_per_h"]
    assert about == pytest.approx(solve(session, attainment=0.99).cost, rel=0.2)


@pytest.mark.parametrize("way", Way)
def test_the_line_neither_loads_nor_makes_machine_code(session, monkeypatch, way):
    """With `EUCLIO_KERNELS=compiled` and no machine code at hand it would take a minute."""
    result = solve(session)
    with using(way):
        monkeypatch.setattr(Kernel, "take", lambda self: pytest.fail(f"{self} takes machine code"))
        assert glance.poisson_attainment(load_instance(session), result) is not None


def test_notebooks_show_the_line(session):
    shown = solve(session)._repr_html_()
    assert "under Poisson arrivals" in shown
    assert "99 %: attainment=0.99" in shown


def test_plans_that_there_are_not_have_no_such_line(session, capsys):
    assert main(["solve", str(session), "--slo", "0.01"]) == 3
    assert "under Poisson" not in "".join(capsys.readouterr())


def test_python_has_the_number_and_a_call_does_not_pay_for_it(session):
    result = solve(session)
    assert "under Poisson" not in repr(result)
    share = glance.poisson_attainment(load_instance(session), result)
    assert 0 < share <= 1
