"""Provers and proof files of sessions with objectives of modules, delays and several parts, against plain enumeration."""

from __future__ import annotations

import math
import random
from dataclasses import replace
from fractions import Fraction

import pytest
from proof_texts import session_text

from euclio import certify, solve
from euclio.core.certificate import NoProofError, Verdict
from euclio.core.result import Status
from euclio.problems.session import Configuration, DummyRule, Hardware, Module, PlanSpace, Session, evaluate
from euclio.problems.session.objectives import Objective
from euclio.problems.session.policies import POLICIES
from euclio.proving.files.checker import check_text
from euclio.proving.paths import ends, leads, path_after, path_before, through
from euclio.proving.session.certifying import find_better, parts_of
from euclio.proving.session.frontiers import frontiers
from euclio.proving.session.modules import ranked
from tests.drawn.plans import random_plan
from tests.drawn.reference_sessions import session_truth
from tests.drawn.sessions import COUNTABLE, plan_space
from tests.drawn.small_sessions import bought_session, small_session, stocked, with_objectives

TOLERANCE = Fraction(1, 10**9)
LEAST = Fraction(1, 10**18)
NEVER = math.inf


def case(seed: int) -> tuple[Session, PlanSpace, Fraction | None]:
    """A session, a plan space by share and the least cost by listing all plans."""
    session = with_objectives(small_session(seed), seed)
    space = plan_space(random.Random(seed), session.hardware, POLICIES, COUNTABLE)
    return session, space, session_truth(session, space).upper


@pytest.mark.parametrize("seed", range(100))
def test_nothing_beats_the_optimum_and_what_costs_more_is_refuted(seed):
    """Guards delays and ends in every bound of the search: one too high hides plans, one too low finds late ones."""
    session, space, least = case(seed)
    assert find_better(session, space, None, NEVER).exhausted == (least is None)
    if least:
        assert find_better(session, space, least, NEVER).exhausted
        found = find_better(session, space, least * (1 + LEAST), NEVER)
        assert found.plan is not None
        assert evaluate(session, found.plan, space).cost_per_h == least


@pytest.mark.parametrize("seed", range(100))
def test_an_optimum_and_infeasibility_get_a_file_and_too_good_a_claim_gets_none(seed):
    """Guards the rows of delays and the limits of times in the program, both ways."""
    session, space, least = case(seed)
    if least is None:
        if any(_all_served(session, part) for part in parts_of(session, space)):
            assert check_text(session_text(session, space, None, None, NEVER)).infeasible
    elif least > 0:
        for cutoff in (least * (1 - TOLERANCE), least):
            assert cutoff <= check_text(session_text(session, space, None, cutoff, NEVER)).bound <= least
        for cutoff in (least * (1 + LEAST), None):
            with pytest.raises(NoProofError):
                session_text(session, space, None, cutoff, NEVER)


def _all_served(session: Session, space: PlanSpace) -> bool:
    return all(ranked(module, space, session.price).configurations for module in session.modules)


@pytest.mark.parametrize("seed", range(100))
def test_a_plan_is_a_point_of_the_program(seed):
    """Guards against a program that leaves out plans: any plan in time has times that the program allows."""
    session, space, least = case(seed)
    if not least:
        return
    parts = [part for part in parts_of(session, space) if not session_truth(session, part).infeasible]
    found = frontiers(session, parts, least * (1 - TOLERANCE), least / 10**12, NEVER)
    assert found is not None
    draw, model = random.Random(seed), found.model()
    plans = [random_plan(draw, session, part) for part in parts for _ in range(12)]
    for checked in (evaluate(session, plan, space) for plan in plans if plan is not None):
        if checked.feasible:
            point = found.point(checked)
            assert model.problems(point) == []
            assert model.cost(point) <= checked.cost_per_h


@pytest.mark.parametrize("seed", range(40))
def test_rule_continuous_is_right_at_the_bracket(seed):
    """Guards the room that is shared out along paths where plans only come near to a latency."""
    session = with_objectives(small_session(seed), seed)
    space = plan_space(random.Random(seed), session.hardware, POLICIES, [DummyRule.CONTINUOUS])
    truth = session_truth(session, space)
    if truth.lower is None or truth.upper is None:
        assert find_better(session, space, None, NEVER).exhausted
        return
    assert find_better(session, space, None, NEVER).plan is not None
    below = find_better(session, space, truth.lower * (1 - Fraction(1, 10**6)), NEVER)
    assert below.plan is None
    assert below.exhausted
    assert find_better(session, space, truth.upper * (1 + Fraction(1, 10**6)) + LEAST, NEVER).plan is not None


@pytest.mark.parametrize("seed", range(60))
@pytest.mark.parametrize("rule", ["none", "machine", "continuous"])
def test_whole_machines_are_certified_within_limits_too(seed, rule):
    """Guards the lists of machines within a stock, and what is nearly full, at objectives that some plan just keeps."""
    draw = random.Random(f"{seed} {rule}")
    session = with_objectives(bought_session(seed), seed)
    if draw.random() < 0.5:
        session = replace(session, hardware=stocked(session, seed).hardware)
    space = PlanSpace(draw.choice(["tc", "rr", "machine-rate", "in-turn"]), rule, charging="whole")
    found = solve(session, "exact", space=space, time_limit_s=20)
    if found.status not in (Status.OPTIMAL, Status.INFEASIBLE):
        pytest.skip(found.reason)
    certificate = certify(session, found, 20)
    assert certificate.verdict is Verdict.CERTIFIED, certificate.reason
    if found.value:
        false = replace(found, value=found.value * (1 + TOLERANCE * 3), bound=float(found.value) * (1 + 3e-9))
        assert certify(session, false, 20).verdict is Verdict.REFUTED
