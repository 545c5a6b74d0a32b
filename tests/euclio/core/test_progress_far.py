"""A line of progress says how far the work is: as soon as that is known, and again where it has changed."""

import time
from dataclasses import replace
from types import SimpleNamespace

import pytest
import tiny_sessions

from euclio import solve
from euclio.core import progress
from euclio.core.progress import waiting
from euclio.core.registry import find_solver
from euclio.core.result import Answer
from euclio.verbs.interface.supervised import Supervised

# Not in the quick tier: held against the clock, and a process of its own.
pytestmark = pytest.mark.slow


@pytest.fixture(autouse=True)
def soon(monkeypatch):
    monkeypatch.setattr(progress, "AFTER_S", 0.05)
    monkeypatch.setattr(progress, "SAY_EVERY_S", 0.05)
    monkeypatch.delenv(progress.QUIET, raising=False)


def shown_until(capfd, words):
    """What is shown until these words are, or five seconds have passed."""
    shown, until = "", time.monotonic() + 5.0
    while words not in shown and time.monotonic() < until:
        time.sleep(0.02)
        shown += capfd.readouterr().err
    return shown


def test_it_is_said_when_it_is_known_and_again_only_where_it_has_changed(capfd):
    known = SimpleNamespace(far="")
    with waiting("work", far=lambda: known.far):
        assert shown_until(capfd, "…") == "euclio: work …\n"
        for known.far in ("gap 2 %", "gap 1 %"):
            assert shown_until(capfd, "…") == f"euclio: work: {known.far} …\n"
        time.sleep(0.2)
    assert capfd.readouterr().err == ""


def test_on_a_terminal_it_is_asked_for_each_time_that_the_line_is_drawn(monkeypatch, capfd):
    monkeypatch.setattr(progress, "_is_terminal", lambda: True)
    monkeypatch.setenv("FORCE_COLOR", "1")
    known = SimpleNamespace(far="")
    with waiting("work", far=lambda: known.far):
        for known.far in ("gap 2 %", "gap 1 %"):
            assert known.far in shown_until(capfd, known.far)


@pytest.mark.parametrize("supervised", [False, True])
def test_who_waits_for_a_solver_is_told_plan_bound_and_gap(capfd, supervised):
    """Also where the solver is in a process of its own: (2 - 1) / 2 is open."""

    def slow(session, space, limits):
        if limits.standing is not None:
            limits.standing.note(2.0, 1.0)
            time.sleep(0.5)
        return Answer(None, "none")

    solver = replace(find_solver("harpagon"), name="slow", run=slow, narrow=None, variants=None)
    session = tiny_sessions.tiny_session()
    if supervised:
        with Supervised([session], [solver]) as other:
            other.solve(session, solver)
    else:
        solve(session, solver)
    said = capfd.readouterr().err.splitlines()
    assert any(line.endswith("with slow: plan 2 per hour, bound 1, gap 50.00 % …") for line in said)
