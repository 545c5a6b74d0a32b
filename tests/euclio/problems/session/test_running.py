"""Plans close to one that runs already: changes counted, limited and paid for (docs/model/whole-machines.md)."""

import argparse
from dataclasses import replace
from fractions import Fraction

import pytest

from euclio.core.errors import InputError
from euclio.core.solving import solve
from euclio.files.result_files import save_result
from euclio.problems.session import (
    Allocation,
    Configuration,
    Hardware,
    Module,
    ModulePlan,
    Plan,
    PlanSpace,
    Session,
    evaluate,
)
from euclio.problems.session.changes import CHANGE_OPTIONS, SessionChanges
from euclio.problems.session.files.instances import session_from_text, session_to_text
from euclio.problems.session.running import Running, RunningMachines

WHOLE = PlanSpace(charging="whole")
ONE, TWO = Configuration("A", 1, 1, "0.1"), Configuration("A", 2, 1, "0.15")
OTHER = Configuration("B", 1, 1, "0.05")
"""10, 13.3 and 20 requests per second."""


def session(running=None):
    modules = [Module("m", 30, [ONE, TWO, OTHER]), Module("n", 10, [ONE, OTHER])]
    return Session("run", 9, [Hardware("A", 1), Hardware("B", 3)], modules, [("m", "n")], running=running)


def plan(*modules):
    return Plan(tuple(ModulePlan(tuple(Allocation(c, n) for c, n in own), Fraction(dummy)) for own, dummy in modules))


def runs(*machines, **limits):
    return Running(tuple(RunningMachines(*own) for own in machines), **limits)


THREE_AND_ONE = plan(([(ONE, 3)], 0), ([(ONE, 1)], 0))


@pytest.mark.parametrize(
    ("machines", "changes"),
    [
        ([("m", "A", 3), ("n", "A", 1)], 0),
        ([("m", "A", 2), ("n", "A", 1)], 1),
        ([("m", "A", 5), ("n", "A", 1)], 2),
        ([("m", "A", 4)], 2),  # one moves from m to n
        ([("m", "A", 3), ("n", "B", 1)], 2),  # one moves to another type
        ([("m", "A", 3), ("n", "A", 1), ("gone", "A", 2)], 2),
        ([("m", "A", 3), ("n", "A", 1), ("m", "C", 1)], 1),  # a type that there is no more
        ([], 4),
    ],
)
def test_changes_are_counted_in_machines(machines, changes):
    assert evaluate(session(runs(*machines)), THREE_AND_ONE, WHOLE).changes == changes


def test_another_batch_is_no_change():
    batched = plan(([(TWO, 3)], 10), ([(ONE, 1)], 0))
    assert evaluate(session(runs(("m", "A", 3), ("n", "A", 1))), batched, WHOLE).changes == 0


def test_a_partial_machine_is_a_machine():
    part = Plan((ModulePlan((Allocation(OTHER, 1, Fraction(10)),)), ModulePlan((Allocation(ONE, 1),))))
    found = evaluate(session(runs(("m", "B", 2), ("n", "A", 1))), part)
    assert (found.feasible, found.changes) == (True, 0)


def test_more_changes_than_allowed_are_refused():
    found = evaluate(session(runs(("m", "A", 1), most_changes=2)), THREE_AND_ONE, WHOLE)
    assert found.violations == ("3 machines are added or removed, at most 2 may be",)


def test_as_many_as_allowed_are_not():
    assert evaluate(session(runs(("m", "A", 1), most_changes=3)), THREE_AND_ONE, WHOLE).feasible


def test_changes_have_their_price():
    found = evaluate(session(runs(("m", "A", 1), price_per_change_per_h=Fraction("0.1"))), THREE_AND_ONE, WHOLE)
    assert found.cost_per_h == 4 + Fraction("0.3")


def test_where_nothing_runs_nothing_is_counted():
    assert evaluate(session(), THREE_AND_ONE, WHOLE).changes is None


def test_what_runs_in_files():
    given = session(runs(("m", "A", 3), ("n", "A", 1), most_changes=2))
    text = session_to_text(given)
    assert '"most_changes": 2' in text
    assert session_from_text(text) == given
    assert "running" not in session_to_text(session())


@pytest.mark.parametrize("changes", [{"most_changes": 2}, {"price_per_change_per_h": Fraction(1)}])
def test_changes_need_a_running_plan(changes):
    with pytest.raises(InputError, match="give it by --from"):
        SessionChanges(**changes).applied_to(session())


def test_the_running_plan_as_a_change_of_the_instance():
    changes = SessionChanges(running=(RunningMachines("m", "A", 3),), most_changes=1)
    assert changes.applied_to(session()) == session(runs(("m", "A", 3), most_changes=1))
    assert changes.in_words() == "3 machines that run already and at most 1 of them changed"


def test_a_new_limit_keeps_what_runs():
    given = session(runs(("m", "A", 3), most_changes=1))
    again = SessionChanges(most_changes=2).applied_to(given)
    assert again == replace(given, running=runs(("m", "A", 3), most_changes=2))


@pytest.mark.parametrize(
    ("made", "said"),
    [
        (lambda: RunningMachines("m", "A", 0), "at least 1"),
        (lambda: runs(most_changes=-1), "at least 0"),
        (lambda: runs(price_per_change_per_h=Fraction(-1)), "at least 0"),
        (lambda: runs(("m", "A", 1), ("m", "A", 2)), "twice"),
    ],
)
def test_what_cannot_run(made, said):
    with pytest.raises(InputError, match=said):
        made()


def test_methods_that_do_not_know_it_refuse():
    from euclio import solve

    found = solve(session(runs(("m", "A", 3), most_changes=1)), "harpagon", space=WHOLE)
    assert found.status.value == "inapplicable"
    assert "a limit on changes" in found.reason


def test_the_running_plan_of_a_result(tmp_path):
    result = tmp_path / "old.json"
    save_result(solve(session(), "exact"), session(), result)
    parse = next(option.parse for option in CHANGE_OPTIONS if option.flag == "--from")
    assert parse(str(result)) == (RunningMachines("m", "A", 3), RunningMachines("n", "A", 1))


@pytest.mark.parametrize(("text", "said"), [(None, "no such file"), ("{}", "schema")])
def test_no_result_to_begin_with(tmp_path, text, said):
    path = tmp_path / "old.json"
    if text is not None:
        path.write_text(text)
    parse = next(option.parse for option in CHANGE_OPTIONS if option.flag == "--from")
    with pytest.raises(argparse.ArgumentTypeError, match=said):
        parse(str(path))
