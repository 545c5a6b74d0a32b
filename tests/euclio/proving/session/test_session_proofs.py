"""Proof files of tiny sessions: what is true gets a file, what is not gets none, and plans are points of the models."""

from __future__ import annotations

import contextlib
import math
import random
from collections.abc import Sequence
from fractions import Fraction

import pytest
from proof_texts import session_text

from euclio import solve
from euclio.core.certificate import NoProofError
from euclio.core.result import Status
from euclio.problems.session import Configuration, DummyRule, Hardware, Module, PlanSpace, Session, evaluate
from euclio.problems.session.plan import Plan
from euclio.problems.session.policies import POLICIES
from euclio.proving.files.checker import check_text
from euclio.proving.session.certifying import find_better, parts_of
from euclio.proving.session.frontiers import frontiers
from euclio.proving.session.modules import Ranked, ranked
from euclio.proving.session.proof import shorter
from tests.drawn.plans import random_plan
from tests.drawn.reference_sessions import session_truth
from tests.drawn.sessions import COUNTABLE, plan_space
from tests.drawn.small_sessions import bought_session, small_session

TOLERANCE = Fraction(1, 10**9)


def case(seed: int) -> tuple[Session, PlanSpace, Fraction | None]:
    """A session, a plan space and the least cost by listing all plans."""
    session, space = drawn(seed, COUNTABLE)
    return session, space, session_truth(session, space).upper


def drawn(seed: int, rules: Sequence[DummyRule]) -> tuple[Session, PlanSpace]:
    """A session of numbers near each other, which have proofs to the last digit, and a plan space."""
    session = small_session(seed)
    return session, plan_space(random.Random(seed), session.hardware, POLICIES, rules)


def view(session: Session, space: PlanSpace) -> list[Ranked]:
    return [ranked(module, space, session.price) for module in session.modules]


@pytest.mark.parametrize("seed", range(150))
def test_an_optimum_and_infeasibility_get_a_file(seed):
    """Also an optimum without any tolerance, under every policy, with one type of hardware and with all."""
    session, space, least = case(seed)
    if least is None:
        if any(all(m.configurations for m in view(session, part)) for part in parts_of(session, space)):
            assert check_text(session_text(session, space, None, None, math.inf)).infeasible
        else:
            with pytest.raises(NoProofError, match="no configuration at all"):
                session_text(session, space, None, None, math.inf)
    elif least > 0:
        for cutoff in (least * (1 - TOLERANCE), least):
            shown = check_text(session_text(session, space, None, cutoff, math.inf))
            # The number in the file may be shorter, and a little sharper than what was asked for.
            assert cutoff <= shown.bound <= least


@pytest.mark.parametrize(
    ("policy", "rule"),
    [("tc", "machine"), ("tc", "continuous"), ("tc", "none"), ("rr", "machine"), ("rr", "continuous")],
)
@pytest.mark.parametrize("seed", range(40))
def test_whole_machines_get_a_file(seed, policy, rule):
    """Plans of whole machines are cells like others, also those that come near to a latency and never reach it."""
    session = bought_session(seed)
    space = PlanSpace(policy, rule, charging="whole")
    truth = solve(session, "exact", space=space)
    if truth.status is Status.INFEASIBLE:
        with contextlib.suppress(NoProofError):
            assert check_text(session_text(session, space, None, None, math.inf)).infeasible
    elif truth.value:
        shown = check_text(session_text(session, space, truth.plan, truth.value * (1 - TOLERANCE), math.inf))
        assert shown.bound <= truth.value
        with pytest.raises(NoProofError):
            session_text(session, space, None, truth.value * (1 + TOLERANCE), math.inf)


@pytest.mark.parametrize("seed", range(150))
def test_a_claim_that_is_too_good_gets_none(seed):
    """A cutoff just above the optimum, or infeasibility of what has a plan."""
    session, space, least = case(seed)
    if least is not None:
        for cutoff in (least + Fraction(1, 10**12), None):
            with pytest.raises(NoProofError):
                session_text(session, space, None, cutoff, math.inf)


@pytest.mark.parametrize("seed", range(60))
def test_a_file_under_rule_continuous(seed):
    """Up to three modules; a cutoff that the prover certifies gets a file, and one that a plan beats gets none."""
    session, space = drawn(seed, [DummyRule.CONTINUOUS])
    start = find_better(session, space, None, math.inf).plan
    if start is None:
        return
    cost = evaluate(session, start, space).cost_per_h
    for cutoff in (cost * share for share in (Fraction(1, 3), Fraction(9, 10), Fraction(1), 1 + TOLERANCE) if cost):
        search = find_better(session, space, cutoff, math.inf)
        if search.exhausted:
            assert check_text(session_text(session, space, None, cutoff, math.inf)).bound >= cutoff
        elif search.plan is not None:
            with pytest.raises(NoProofError):
                session_text(session, space, None, cutoff, math.inf)


def drawn_plans(session: Session, space: PlanSpace, draw: random.Random) -> list[Plan]:
    """Plans of modules put together at random, feasible or not."""
    return [plan for _ in range(12) if (plan := random_plan(draw, session, space)) is not None]


@pytest.mark.parametrize("seed", range(150))
def test_a_plan_is_a_point_of_the_model_and_of_its_shorter_forms(seed):
    """Model and checker agree: what keeps the rules is a point, and it costs no more than the checker's price."""
    session, space, least = case(seed)
    if not least:
        return
    parts = [part for part in parts_of(session, space) if not session_truth(session, part).infeasible]
    asked = least * (1 - TOLERANCE)
    found = frontiers(session, parts, asked, asked / 10**12, math.inf)
    assert found is not None
    draw = random.Random(seed)
    for one in (found, *shorter(found, least * (1 - 3 * TOLERANCE), least * TOLERANCE)):
        model = one.model()
        for plan in (plan for part in parts for plan in drawn_plans(session, part, draw)):
            checked = evaluate(session, plan, space)
            if checked.feasible:
                point = one.point(checked)
                assert model.problems(point) == []
                assert model.cost(point) <= checked.cost_per_h


@pytest.mark.parametrize("seed", range(0, 150, 5))
def test_shorter_frontiers_are_weaker(seed):
    """Each corner of the longer ones lies in one of the shorter ones, that begins no later and costs no more."""
    session, space, least = case(seed)
    if not least or space.single_hardware:
        return
    asked = least * (1 - TOLERANCE)
    found = frontiers(session, [space], asked, Fraction(0), math.inf)
    *weaker, last = shorter(found, least * (1 - 3 * TOLERANCE), least * TOLERANCE)
    assert last is found
    for one in weaker:
        for new, old in zip(one.corners, found.corners, strict=True):
            assert all(any(n.low <= o.low and n.cost <= o.cost for n in new) for o in old)


@pytest.mark.parametrize("seed", range(0, 150, 10))
def test_the_same_claim_gives_the_same_bytes(seed):
    """Files are named by their hash, so nothing of a proof may depend on sets or addresses."""
    session, space, least = case(seed)
    if least:
        first, second = (session_text(session, space, None, least * (1 - TOLERANCE), math.inf) for _ in range(2))
        assert first == second


def test_a_plan_stands_in_the_file_as_a_solution():
    session, space, least = case(6)
    for plan in drawn_plans(session, space, random.Random(0)):
        checked = evaluate(session, plan, space)
        if checked.feasible:
            text = session_text(session, space, plan, least * (1 - TOLERANCE), math.inf)
            assert check_text(text).solved <= checked.cost_per_h


def test_a_deadline_that_is_past_leaves_no_file():
    session, space, least = case(6)
    with pytest.raises(NoProofError, match="time limit"):
        session_text(session, space, None, least * (1 - TOLERANCE), 0.0)


def test_names_need_not_be_of_ascii():
    """A file has the letters of ASCII alone; the names of modules stand in its comments."""
    module = Module("détecter", 10, [Configuration("grün", 2, 1, "0.1")])
    session = Session("séance", 1, [Hardware("grün", 1)], [module])
    assert check_text(session_text(session, PlanSpace(), None, Fraction(1, 2), math.inf)).bound == Fraction(1, 2)


@pytest.mark.parametrize(("price", "rate", "duration"), [("1e-12", "1e-6", "1e-12"), ("1e12", "1e9", "1e-3")])
def test_numbers_at_the_ends_of_what_is_supported(price, rate, duration):
    """A cost of 1e-30, and one of 1e18 per hour: numbers are still rounded to fewer digits than they have."""
    module = Module("m", rate, [Configuration("h", 1, 1, duration)])
    session = Session("ends", "1e7", [Hardware("h", price)], [module])
    least = Fraction(price) * Fraction(rate) * Fraction(duration)
    shown = check_text(session_text(session, PlanSpace(), None, least * (1 - TOLERANCE), math.inf))
    assert least * (1 - TOLERANCE) <= shown.bound <= least
