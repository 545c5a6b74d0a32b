"""Spare machines, and the largest share of a type, as the checker holds plans to them."""

from dataclasses import replace
from fractions import Fraction

import pytest

from euclio import pool
from euclio.core.errors import InputError
from euclio.core.values import amounts_by_name
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
from euclio.problems.session.largest_shares import LargestShare

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


# Groups of types. "spot" takes 20 req/s a machine, "spot+b" and A 10 each.

LAST = Configuration("spot+b", 1, 1, "0.1")


def grouped(*groups, share=None):
    hardware = [Hardware("A", 1), Hardware("spot", "0.5", largest_share=share), Hardware("spot+b", "0.4")]
    return Session("groups", 9, hardware, [Module("m", 40, [ONE, OTHER, LAST])], largest_shares=groups)


def in_group(on_spot, on_b, on_a):
    """Machines in rank order: a request is cheapest on "spot", then on "spot+b"."""
    machines = ((OTHER, on_spot), (LAST, on_b), (ONE, on_a))
    dummy = 20 * on_spot + 10 * on_b + 10 * on_a - 40
    return Plan((ModulePlan(tuple(Allocation(c, n) for c, n in machines if n), Fraction(dummy)),))


@pytest.mark.parametrize(("share", "feasible"), [("0.75", True), ("0.7499", False), (1, True)])
def test_a_group_is_lost_as_a_whole(share, feasible):
    """One machine of each: without the group, that of A takes 10 of 40; without either type, the others take 20."""
    session = grouped(LargestShare(["spot", "spot+b"], share))
    found = evaluate(session, in_group(1, 1, 1), WHOLE)
    assert found.feasible is feasible
    said = "module m: without spot and spot+b its machines take 10 of 40 req/s, less than 0.2501 of them"
    assert feasible or found.violations == (said,)
    assert evaluate(grouped(LargestShare(["spot"], "0.5"), LargestShare(["spot+b"], "0.5")), in_group(1, 1, 1)).feasible


@pytest.mark.parametrize(
    ("text", "groups", "shares"),
    [
        ("spot+b=0.5", [], {"spot+b": "0.5"}),  # a known type as a whole
        ("A+spot=0.5", [(("A", "spot"), "0.5")], {}),
        ("spot + A=0.5,spot=0.3", [(("spot", "A"), "0.5")], {"spot": "0.3"}),
    ],
)
def test_a_name_of_an_option_is_a_type_or_a_group(text, groups, shares):
    option = next(option for option in CHANGE_OPTIONS if option.flag == "--largest-share")
    changes = SessionChanges(largest_share=option.parse(text))
    changed = changes.applied_to(grouped())
    assert [(g.hardware, g.share) for g in changed.largest_shares] == [(types, Fraction(s)) for types, s in groups]
    own = {h.name: h.largest_share for h in changed.hardware if h.largest_share is not None}
    assert own == {name: Fraction(s) for name, s in shares.items()}
    assert changes.applied_to(changed) == changed
    assert session_from_text(session_to_text(changed)) == changed


def test_a_change_takes_the_place_of_the_group_of_the_same_types():
    session = grouped(LargestShare(["A", "spot"], "0.5"), LargestShare(["A", "spot+b"], "0.5"))
    changed = SessionChanges(largest_share={"spot+A": Fraction("0.7")}).applied_to(session)
    assert changed.largest_shares == (LargestShare(["A", "spot+b"], "0.5"), LargestShare(["spot", "A"], "0.7"))


@pytest.mark.parametrize(
    ("groups", "said"),
    [
        ([["A", "X"]], "largest_shares[0].hardware[1]: unknown hardware 'X'; known: A, spot, spot+b"),
        ([["A", "spot"], ["spot", "A"]], "largest_shares[1]: the share of spot and A is given twice"),
        ([["spot"]], "largest_shares[0]: the share of spot is given twice"),
    ],
)
def test_groups_that_are_refused(groups, said):
    with pytest.raises(InputError) as error:
        grouped(*(LargestShare(types, "0.5") for types in groups), share="0.5")
    assert said in str(error.value)


@pytest.mark.parametrize("types", [[], ["A", "A"]])
def test_a_group_has_types_and_each_once(types):
    with pytest.raises(InputError):
        LargestShare(types, "0.5")


def test_what_machines_take_of_a_resource_is_a_change():
    """All spot machines of a region within one quota; what other machines take stays."""
    changes = SessionChanges(resources={"region": Fraction(3)}, takes=amounts_by_name("region=spot:1,spot+b:0.5"))
    changed = changes.applied_to(grouped())
    assert [h.takes for h in changed.hardware] == [{}, {"region": 1}, {"region": Fraction(1, 2)}]
    assert evaluate(changed, in_group(2, 2, 0), WHOLE).feasible
    assert not evaluate(changed, in_group(3, 1, 0), WHOLE).feasible
    again = replace(changes, takes={"region": {"A": Fraction(1)}}).applied_to(changed)
    assert [h.takes.get("region") for h in again.hardware] == [1, 1, Fraction(1, 2)]
    words = "3 of region in all, 1 of region for each spot and 0.5 of region for each spot+b"
    assert changes.in_words() == words
    with pytest.raises(
        InputError, match=r"takes\.zone: limits nothing, since zone has no capacity; give --resource zone=N"
    ):
        SessionChanges(takes={"zone": {"A": Fraction(1)}}).applied_to(changed)


def test_sessions_of_a_pool_have_the_same_groups():
    """A group of one session would otherwise limit modules of another."""
    one = grouped(LargestShare(["A", "spot"], "0.5"))
    same = replace(one, name="same", modules=(replace(one.modules[0], name="n"),))
    assert pool([one, same]).largest_shares == one.largest_shares
    with pytest.raises(InputError, match="the group of A and spot is none of same"):
        pool([one, replace(same, largest_shares=())])
