import json
from dataclasses import replace
from fractions import Fraction

import pytest

from euclio import plan_day
from euclio.cli import main
from euclio.core.errors import InputError
from euclio.core.registry import solvers
from euclio.core.solving import solve
from euclio.problems.day.family import day_from_text, day_to_text, load_day, save_day
from euclio.problems.day.instance import Day, Step
from euclio.problems.session import (
    Allocation,
    Charging,
    Configuration,
    Hardware,
    Module,
    ModulePlan,
    Plan,
    PlanSpace,
    Session,
)
from euclio.problems.session.changes import SessionChanges
from euclio.problems.session.evaluate import evaluate
from euclio.problems.session.files.instances import load_session, save_session, session_from_text, session_to_text
from euclio.problems.session.running import Running, RunningMachines

WHOLE = PlanSpace(charging=Charging.WHOLE)
METHODS = [name for name in ("exact", "milp", "cpsat", "plan-bruteforce") if name in solvers()]


def module(name):
    """A module of which one machine of either type serves its 8 requests per second."""
    return Module(name, 8, [Configuration(kind, 1, 1, "0.1") for kind in ("dear", "cheap")])


def session(state=None, price="0.7", change="0"):
    """Caption's module that keeps frames in order, and one without state; both run on machines at 1 an hour."""
    running = Running(tuple(RunningMachines(name, "dear", 1) for name in ("order", "text")), None, Fraction(change))
    hardware = (Hardware("dear", 1), Hardware("cheap", price))
    modules = [module("order"), module("text")]
    return Session("caption", 1, hardware, modules, [("order", "text")], running=running, state=state)


def moved(found):
    """The types that the modules are on."""
    return [plan.allocations[0].configuration.hardware for plan in found.plan.modules]


@pytest.mark.fifth("price")
@pytest.mark.parametrize("name", METHODS)
@pytest.mark.parametrize(("price", "stays"), [("0.149", False), ("0.151", True), ("0", False), ("7", True)])
def test_a_machine_with_state_moves_only_where_more_is_saved_than_that_costs(name, price, stays):
    """It saves 0.3 per hour; one removed and one added cost twice the price. The other module moves for nothing."""
    found = solve(session({"order": price}), name, space=WHOLE)
    assert moved(found) == ["dear" if stays else "cheap", "cheap"]
    assert found.value == (Fraction("1.7") if stays else Fraction("1.4") + 2 * Fraction(price))


@pytest.mark.parametrize("name", METHODS)
@pytest.mark.parametrize(("hardware", "price"), [("0.7", "0.15"), ("0.4", "0.3"), ("0.9999999", "0.00000005")])
def test_at_the_very_price_of_what_is_saved_either_is_optimal(name, hardware, price):
    """1 − 0.7 = 2·0.15 and 1 − 0.4 = 2·0.3, which is 0.1·3 twice, and no float says."""
    found = solve(session({"order": price}, hardware), name, space=WHOLE)
    assert found.status == "optimal"
    assert found.value == 1 + Fraction(hardware)


@pytest.mark.parametrize("name", METHODS)
def test_what_any_change_costs_comes_on_top(name):
    """Two changes at 0.1 + 0.06 cost 0.32 and save 0.3; at 0.1 alone they cost 0.2."""
    found = solve(session({"order": "0.06"}, change="0.1"), name, space=WHOLE)
    assert moved(found) == ["dear", "cheap"]
    assert found.value == Fraction("1.9")


@pytest.mark.parametrize("name", METHODS)
def test_removing_machines_of_types_that_are_of_no_use_costs_their_state_too(name):
    """The machine on a type that the module cannot use any more is removed by every plan: 0.25 in any case."""
    own = session({"order": "0.25"})
    gone = (*own.running.machines, RunningMachines("order", "other", 1), RunningMachines("left", "dear", 2))
    found = solve(replace(own, running=Running(gone)), name, space=WHOLE)
    assert found.value == Fraction("1.7") + Fraction("0.25")


def test_machines_that_are_shared_hold_the_state_of_all():
    own = session({"order": "0.5", "text": "0.25"}, change="0.1")
    assert own.change_price("order + text") == Fraction("0.85")
    assert own.change_price("left") == Fraction("0.1")
    odd = replace(own, modules=(module("order + text"), module("order")), edges=(), state={"order + text": Fraction(2)})
    assert odd.change_price("order + text") == Fraction("2.1")


def test_the_checker_prices_moves_whoever_made_the_plan():
    """Both move: 1.4 for machines, 2·0.5 for state."""
    own = session({"order": "0.5"})
    plan = Plan(tuple(ModulePlan((Allocation(m.profile[1], 1),), Fraction(2)) for m in own.modules))
    found = evaluate(own, plan, WHOLE)
    assert (found.feasible, found.changes, found.cost_per_h) == (True, 4, Fraction("2.4"))
    assert evaluate(replace(own, running=None), plan, WHOLE).cost_per_h == Fraction("1.4")


def test_files_keep_it_and_have_not_a_byte_more_without_it(tmp_path):
    plain, stateful = session(), session({"order": "0.3", "text": "0"})
    assert "state" not in session_to_text(plain)
    text = session_to_text(stateful)
    assert [m.get("state_price_per_change_per_h") for m in json.loads(text)["modules"]] == [0.3, 0]
    again = session_from_text(text)
    assert again == stateful
    assert session_to_text(again) == text
    save_session(stateful, tmp_path / "session.json")
    assert load_session(tmp_path / "session.json") == stateful


@pytest.mark.parametrize(("given", "said"), [(-1, "must be at least 0"), ("much", "number"), (1e15, "1e12")])
def test_bad_prices_are_refused_in_one_line(tmp_path, capsys, given, said):
    data = json.loads(session_to_text(session({"order": "0.3"})))
    data["modules"][0]["state_price_per_change_per_h"] = given
    path = tmp_path / "bad.json"
    path.write_text(json.dumps(data), encoding="utf-8")
    assert main(["solve", str(path)]) == 2
    (line,) = capsys.readouterr().err.strip().splitlines()
    assert "bad.json" in line
    assert "modules[0].state_price_per_change_per_h" in line
    assert said in line


def test_the_option_says_it_for_one_run_and_the_result_states_it(tmp_path, capsys):
    path, out = tmp_path / "session.json", tmp_path / "plan.json"
    save_session(session(), path)
    asked = ["solve", str(path), "--machines", "whole", "--state-price", "order=0.2", "--out", str(out)]
    assert main(asked) == 0
    assert "0.2 more where machines of order change" in capsys.readouterr().out
    assert json.loads(out.read_text(encoding="utf-8"))["changes"] == {"state": {"order": 0.2}}
    assert main(["verify", str(path), str(out)]) == 0
    assert main([*asked[:4], "--state-price", "odrer=0.2"]) == 2
    assert "odrer" in capsys.readouterr().err


def test_without_running_machines_the_option_says_what_lacks():
    with pytest.raises(InputError, match="give it by --from RESULT"):
        SessionChanges(state={"order": Fraction(1)}).applied_to(replace(session(), running=None))


def test_unknown_modules_hold_no_state():
    with pytest.raises(InputError, match="unknown module 'odrer'; known: order, text"):
        session({"odrer": "1"})


def test_days_refuse_what_they_would_pass_over():
    with pytest.raises(InputError, match="give state_price_per_change of the day") as refused:
        Day("day", replace(session({"text": "0"}), running=None), [Step(3600, [8, 8])])
    assert refused.value.field == "session.modules[1].state_price_per_change_per_h"


def day(state=None, rates=((8, 8), (16, 16), (8, 8)), **changes):
    """Both modules need a second machine for an hour, at 0.7; keeping it for another hour costs as much."""
    steps = [Step(3600, own) for own in rates]
    return Day("day", replace(session(), running=None), steps, state=state, **changes)


@pytest.mark.parametrize(("price", "kept"), [("0.69", False), ("0.7", None), ("0.71", True), ("0", False)])
def test_in_a_day_machines_are_kept_whose_state_costs_more_to_move_than_they_do(price, kept):
    """The second machine of `order` is started and stopped, or on for two hours more, which cost 0.7 each."""
    own = day({"order": price})
    found = solve(own, "day-exact")
    assert found.status == "optimal"
    # Six machine hours of both modules, two more in the middle, and what the second machine of `order` costs on top.
    assert found.value == 8 * Fraction("0.7") + 2 * min(Fraction(price), Fraction("0.7"))
    if kept is not None:
        assert found.evaluation.changing == (0 if kept else 2 * Fraction(price))
        assert {on[0] for on in found.evaluation.machines} == ({(0, 2)} if kept else {(0, 1), (0, 2)})


def test_a_day_keeps_it_in_files_and_has_not_a_byte_more_without_it(tmp_path):
    plain, stateful = day(), day({"order": "0.3", "text": "0"})
    assert "state" not in day_to_text(plain)
    text = day_to_text(stateful)
    assert json.loads(text)["state_price_per_change"] == {"order": 0.3, "text": 0}
    assert day_from_text(text) == stateful
    assert "0.3 more of order" in repr(stateful) + stateful._repr_html_()


@pytest.mark.parametrize(
    ("state", "said"), [({"odrer": 1}, "known: order, text"), ({"order": -1}, "at least 0"), ({"order": "x"}, "number")]
)
def test_bad_state_of_a_day_is_refused_in_one_line(tmp_path, capsys, state, said):
    data = {**json.loads(day_to_text(day())), "state_price_per_change": state}
    path = tmp_path / "bad.json"
    path.write_text(json.dumps(data), encoding="utf-8")
    assert main(["plan-day", str(path)]) == 2
    (line,) = capsys.readouterr().err.strip().splitlines()
    assert "bad.json" in line
    assert f"state_price_per_change.{next(iter(state))}" in line
    assert said in line


def test_the_option_says_it_for_a_day_too(tmp_path, capsys):
    path, out = tmp_path / "day.json", tmp_path / "out.json"
    save_day(day(), path)
    assert main(["plan-day", str(path), "--state-price", "order=2", "--day-out", str(out), "--json"]) == 0
    assert load_day(out) == day({"order": 2})
    assert plan_day(path, state_price={"order": 2}).day == day({"order": 2})
    assert plan_day(out, state_price={"text": 1}).day == day({"order": 2, "text": 1})
    capsys.readouterr()
    assert main(["plan-day", str(path), "--state-price", "odrer=2"]) == 2
    (line,) = capsys.readouterr().err.strip().splitlines()
    assert "--state-price" in line
    assert "known: order, text" in line
