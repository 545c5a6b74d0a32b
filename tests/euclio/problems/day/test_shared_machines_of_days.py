"""Machines that modules share from step to step: prices of changes, refusals, files (docs/model/load-over-time.md)."""

from __future__ import annotations

import json
from dataclasses import replace
from fractions import Fraction

import pytest

from euclio.core.errors import InputError
from euclio.core.solving import solve
from euclio.files import load_result, save_result
from euclio.problems.day import Day, DayPlan, Serving, Staffing, Step, StepPlan, evaluate
from euclio.problems.day.plan import Resident, SharedMachine
from euclio.problems.day.sharing import PACKED_DAY, DaySpace
from euclio.problems.session import Configuration, Hardware, Module, Session

PROFILE = [Configuration("h", 1, 1, "0.1", 600)]
SESSION = Session("two", 1, [Hardware("h", 36, 2, 1000)], [Module(name, 4, PROFILE) for name in "ab"])
SMALL = replace(SESSION, modules=tuple(Module(name, 4, [Configuration("h", 1, 1, "0.1", 400)]) for name in "ab"))
NONE, ALONE = Staffing(()), Staffing((Serving("h", 1, 1, 1),))


def day(session: Session = SMALL, state: dict[str, str] | None = None) -> Day:
    """Two steps of 100 s: 36 per hour are 0.01 per second, a change 0.5, a warm-up 0.3 and a keep-alive 0.2."""
    return Day("two", session, [Step(100, [4, 4]), Step(100, [4, 4])], 30, 20, "0.5", state)


def shared(*modules: str, number: int = 1, rate: int = 4) -> SharedMachine:
    return SharedMachine(number, "h", tuple(Resident(name, 1, 1, Fraction(rate)) for name in modules))


TOGETHER = StepPlan((NONE, NONE), (shared("a", "b"),))
APART = StepPlan((ALONE, ALONE))


@pytest.mark.parametrize(
    ("steps", "running", "changing", "changes"),
    [
        ((TOGETHER, TOGETHER), 2, "0", (0, 0)),
        # Another number is another machine: one stop (0.5 + 0.2), one start (0.5), and both models warm up.
        ((TOGETHER, StepPlan((NONE, NONE), (shared("a", "b", number=2),))), 2, "1.8", (2, 2)),
        # The machine stays on for `a`, which pays nothing; `b` moves to another one: a start of 0.5 and its warm-up.
        ((TOGETHER, StepPlan((NONE, NONE), (shared("a"), shared("b", number=2)))), 3, "0.8", (1, 1)),
        # A model that joins a machine pays its own warm-up, the machine that it leaves is stopped.
        ((StepPlan((NONE, NONE), (shared("a"), shared("b", number=2))), TOGETHER), 3, "1.0", (1, 1)),
        # Machines of modules' own are other machines.
        ((APART, TOGETHER), 3, "2.5", (2, 2)),
    ],
)
def test_each_model_that_moves_pays_its_warm_up_and_each_machine_its_start(steps, running, changing, changes):
    """Of the last row: two stops at 0.7 each, one start of 0.5 with two warm-ups of 0.3."""
    found = evaluate(day(), DayPlan(steps), PACKED_DAY)
    assert found.violations == ()
    assert (found.running, found.changing) == (running, Fraction(changing))
    assert (found.starts, found.stops) == changes


def test_state_moves_with_the_model():
    steps = (TOGETHER, StepPlan((NONE, NONE), (shared("a"), shared("b", number=2))))
    assert evaluate(day(state={"b": "2"}), DayPlan(steps), PACKED_DAY).changing == Fraction("4.8")


def test_a_model_without_requests_stays_loaded_and_takes_no_time():
    """10 requests per second of `a` take all of the machine; `b` may share it in a step in which none come to it."""
    quiet = replace(day(), steps=(Step(100, [4, 4]), Step(100, [4, 0])))
    assert evaluate(quiet, DayPlan((TOGETHER, TOGETHER)), PACKED_DAY).feasible


@pytest.mark.parametrize(
    ("step", "said"),
    [
        (StepPlan((NONE, NONE), (shared("a", "b", rate=6),)), "shared machine 1 would be busy 120 % of the time"),
        (StepPlan((NONE, NONE), (shared("a"), shared("b"))), "two shared machines have one number"),
        (StepPlan((NONE, NONE), (shared("a", "b"), shared("a", number=2))), "a module is on two shared machines"),
        (StepPlan((NONE, NONE), (shared("a", "c"),)), "shared machine 1: no module c"),
        (StepPlan((NONE, NONE), (shared(),)), "shared machine 1 serves no module"),
        (StepPlan((NONE, NONE), (shared("a", "b", rate=3),)), "module a"),
        (StepPlan((NONE, ALONE), (shared("a", rate=0),)), "module a: its rate is not above 0"),
        (StepPlan((ALONE, ALONE), (shared("a", "b"),)), "3 machines of h, 2 are in stock"),
        (StepPlan((NONE, NONE), (SharedMachine(1, "g", (Resident("a", 1, 1, Fraction(4)),)),)), "no hardware g"),
        (StepPlan((NONE, NONE), (SharedMachine(1, "h", (Resident("a", 2, 1, Fraction(4)),)),)), "not in the profile"),
    ],
)
def test_what_breaks_a_rule_is_named(step, said):
    found = evaluate(day(), DayPlan((step, TOGETHER)), PACKED_DAY)
    assert not found.feasible
    assert any(line.startswith("step 1: ") and said in line for line in found.violations), found.violations


def test_models_have_to_fit_into_the_memory():
    """600 MB each are too much for 1000 MB."""
    found = evaluate(day(SESSION), DayPlan((TOGETHER, TOGETHER)), PACKED_DAY)
    assert "step 1: the models of shared machine 1 need 1200 of 1000 MB or more" in found.violations


def test_shared_machines_belong_to_packed_days_alone():
    found = evaluate(day(), DayPlan((TOGETHER, TOGETHER)))
    assert found.violations == ("modules share machines; the plan space has whole ones",)
    with pytest.raises(InputError, match="by share, and the machines of a day are whole"):
        DaySpace("share")


def test_files_say_it_of_packed_days_alone(tmp_path):
    """A day of whole machines stands in its file as before: without the plan space and without shared machines."""
    for space, says in ((None, False), (PACKED_DAY, True)):
        result = solve(day(), "day-exact", space=space)
        save_result(result, day(), tmp_path / "result.json")
        data = json.loads((tmp_path / "result.json").read_text())
        assert ("charging" in data["options"]) == says
        assert all(("shared" in step) == says for step in data["plan"]["steps"])
        again = load_result(tmp_path / "result.json", day())
        assert (again.plan, again.value) == (result.plan, result.value)
