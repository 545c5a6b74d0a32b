"""Spare machines, and the largest share of a type, as the checker holds plans to them."""

from dataclasses import replace
from fractions import Fraction

import pytest

from euclio.core.errors import InputError
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
from euclio.problems.session.changes import SessionChanges
from euclio.problems.session.files.instances import session_from_text, session_to_text

WHOLE = PlanSpace(charging="whole")
ONE, OTHER = Configuration("A", 1, 1, "0.1"), Configuration("spot", 1, 1, "0.05")
"""10 and 20 requests per second."""


def session(spare=0, share=None, count=None):
    hardware = [Hardware("A", 1, count), Hardware("spot", "0.5", largest_share=share)]
    return Session("safe", 9, hardware, [Module("m", 40, [ONE, OTHER])], spare_machines=spare)


def plan(on_spot, on_a, partial=0, dummy=0):
    spot = [Allocation(OTHER, on_spot, Fraction(0 if on_a else partial))] if on_spot or not on_a else []
    own = [Allocation(ONE, on_a, Fraction(partial))] if on_a else []
    return Plan((ModulePlan((*spot, *own), Fraction(dummy)),))


@pytest.mark.parametrize(
    ("machines", "cost", "spare_cost"),
    [((0, 4), 4 + 2, 2), ((2, 0), 1 + 1, 1), ((1, 2), Fraction("2.5") + 3, 3)],
)
def test_spare_machines_cost_their_price_for_each_type_used(machines, cost, spare_cost):
    found = evaluate(session(spare=2), plan(*machines), WHOLE)
    assert (found.feasible, found.cost_per_h, found.spare_cost_per_h) == (True, cost, spare_cost)
    assert found.modules[0].cost_per_h == cost - spare_cost


def test_by_share_too_they_are_whole():
    found = evaluate(session(spare=1), plan(1, 0, partial=Fraction(20) - Fraction(1, 2), dummy=0))
    assert not found.feasible  # 39.5 of 40 req/s
    part = Session("part", 9, session().hardware, [Module("m", 15, [OTHER])], spare_machines=1)
    found = evaluate(part, plan(0, 0, partial=15))
    assert (found.feasible, found.cost_per_h) == (True, Fraction("0.375") + Fraction("0.5"))


def test_they_count_for_the_stock():
    assert evaluate(session(spare=2, count=6), plan(0, 4), WHOLE).feasible
    found = evaluate(session(spare=2, count=5), plan(0, 4), WHOLE)
    assert found.violations == ("the plan takes 4 machines of A and 2 spare ones, and 5 are in stock",)
    assert evaluate(session(spare=2, count=0), plan(2, 0), WHOLE).feasible  # none of A is used, none stands by


@pytest.mark.parametrize(
    ("share", "machines", "feasible"),
    [
        ("0.5", (1, 2), True),
        ("0.49", (1, 2), False),
        (1, (2, 0), True),
        ("0.75", (2, 1), True),
        ("0.74", (2, 1), False),
    ],
)
def test_without_a_type_the_others_take_the_rest(share, machines, feasible):
    dummy = 20 * machines[0] + 10 * machines[1] - 40
    found = evaluate(session(share=share), plan(*machines, dummy=dummy), WHOLE)
    assert found.feasible is feasible
    assert feasible or "without spot its machines take" in found.violations[0]


def test_a_share_counts_partial_machines_of_others():
    part = Session("part", 9, session(share="0.8").hardware, [Module("m", 25, [ONE, OTHER])])
    own = Plan((ModulePlan((Allocation(OTHER, 1), Allocation(ONE, 0, Fraction(5)))),))
    assert evaluate(part, own).feasible
    assert not evaluate(replace(part, hardware=session(share="0.79").hardware), own).feasible


def test_in_files():
    given = session(spare=2, share="0.5")
    assert session_from_text(session_to_text(given)) == given
    text = session_to_text(session())
    assert "spare_machines" not in text
    assert "largest_share" not in text


def test_as_changes_of_the_instance():
    changes = SessionChanges(spare_machines=1, largest_share={"spot": Fraction(1, 2)})
    assert changes.applied_to(session()) == session(spare=1, share="0.5")
    assert changes.in_words() == "spot for at most 50.0 % and 1 spare machine of every type that is used"


@pytest.mark.parametrize("share", [0, "1.01", -1])
def test_shares_out_of_range(share):
    with pytest.raises(InputError):
        Hardware("spot", 1, largest_share=share)
    with pytest.raises(InputError):
        SessionChanges(largest_share={"spot": share})


@pytest.mark.parametrize("machines", [-1, 10**10, True, "2"])
def test_spare_machines_out_of_range(machines):
    with pytest.raises(InputError, match="whole number of machines"):
        session(spare=machines)
