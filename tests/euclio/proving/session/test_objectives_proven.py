"""Provers and proof files of sessions with objectives of modules, delays and several parts, against enumeration."""

from __future__ import annotations

import math
import random
from dataclasses import replace
from fractions import Fraction

import pytest
from proof_texts import session_text

from euclio import certify, check_proof, solve
from euclio.core.certificate import NoProofError, Verdict
from euclio.core.result import Status
from euclio.problems.session import Configuration, DummyRule, Hardware, Module, PlanSpace, Session, evaluate
from euclio.problems.session.latency.paths import longest_path, most_latencies
from euclio.problems.session.objectives import Objective
from euclio.problems.session.policies import POLICIES
from euclio.problems.session.services import without_objective
from euclio.proving.files.checker import check_text
from euclio.proving.paths import around, leads, through
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


@pytest.mark.parametrize("seed", range(100))
def test_paths_are_those_of_the_checker(seed):
    """Guards the provers' own delays and ends, which they share with nobody, also of modules without an objective."""
    session = with_objectives(small_session(seed), seed)
    draw = random.Random(seed)
    latencies = [Fraction(draw.randint(0, 500), 1000) for _ in session.modules]
    assert max(through(session, latencies)) == longest_path(session, latencies)[0]
    nothing = [Fraction(0)] * len(latencies)
    assert [session.slo_s - rest for rest in around(session, nothing)] == most_latencies(session)
    free = [module.name for module, leading in zip(session.modules, leads(session), strict=True) if not leading]
    assert tuple(free) == without_objective(session)
    for exact, rounded in zip(through(session, latencies), through(session, list(map(float, latencies))), strict=True):
        assert rounded == pytest.approx(float(exact)) if exact >= 0 else rounded == -math.inf


PROFILE = [Configuration("g", b, 1, d) for b, d in ((1, "0.04"), (2, "0.05"), (4, "0.08"), (8, "0.15"))]
CHAIN = Session(
    "chain",
    None,
    [Hardware("g", 1)],
    [Module("a", 90, PROFILE), Module("b", 60, PROFILE), Module("log", 30, PROFILE)],
    [("a", "b"), ("b", "log")],
    objectives=[Objective("first token", "a", "0.12"), Objective("answer", "b", "0.4")],
    delay_s={("a", "b"): "0.1", ("b", "log"): 5},
)
"""The first token is the longest path; log leads to no objective."""


def _with_slo(name: str, slo_s: str) -> Session:
    objectives = tuple(replace(one, slo_s=Fraction(slo_s)) if one.name == name else one for one in CHAIN.objectives)
    return replace(CHAIN, slo_s=None, objectives=objectives)


CHANGED = {
    "a shorter delay": replace(CHAIN, delay_s={**CHAIN.delay_s, ("a", "b"): Fraction("0.09")}),
    "a longer delay": replace(CHAIN, delay_s={**CHAIN.delay_s, ("a", "b"): Fraction("0.101")}),
    "no delay": replace(CHAIN, delay_s={}),
    "a longer first objective": _with_slo("first token", "0.13"),
    "a shorter last objective": _with_slo("answer", "0.36"),
    "an objective of another module": replace(
        CHAIN, slo_s=None, objectives=(CHAIN.objectives[0], Objective("answer", "log", "5.5"))
    ),
    "one objective": replace(CHAIN, slo_s=Fraction("0.4"), objectives=(), delay_s={}),
}


@pytest.fixture
def proof(tmp_path):
    """The proof file of the chain's optimum."""
    path = tmp_path / "chain.vipr"
    assert certify(CHAIN, solve(CHAIN, "exact"), proof=path).evidence == "file"
    return path


def test_a_file_is_of_its_own_session(proof):
    shown = check_proof(proof, CHAIN, solve(CHAIN, "exact"))
    assert shown.accepted, shown.reason


@pytest.mark.parametrize("what", CHANGED)
def test_a_file_of_other_objectives_or_delays_is_refused(proof, what):
    """A file shows its own program alone, so that the program of the changed session has to differ."""
    changed = CHANGED[what]
    shown = check_proof(proof, changed, solve(changed, "exact"))
    assert not shown.accepted
    assert shown.reason.startswith("what it says is not what this claim says")


@pytest.mark.parametrize("what", CHANGED)
def test_a_result_of_other_objectives_is_refuted_unless_all_of_it_is_true_here(what):
    """The optimum of a session with other objectives or delays, claimed as one of this session.

    Its plan is late or too dear here, or the longest path of some objective is stated wrongly. If plan and latencies
    are those of the own optimum, the claim is true.
    """
    claimed, own = (solve(session, "exact") for session in (CHANGED[what], CHAIN))
    assert claimed.plan is not None
    # Another delay changes the latency that is stated of each objective behind it.
    same = (claimed.plan, claimed.evaluation.latency_s) == (own.plan, own.evaluation.latency_s)
    is_true = same and CHANGED[what].delay_s == CHAIN.delay_s
    assert certify(CHAIN, claimed).verdict is (Verdict.CERTIFIED if is_true else Verdict.REFUTED)


def test_an_objective_shorter_than_the_delays_before_it_is_proven_infeasible(tmp_path):
    """No machines help: 0.1 s between a and b leave b nothing of 0.09 s."""
    late = _with_slo("answer", "0.09")
    late = replace(late, slo_s=None, objectives=late.objectives[1:])
    found = solve(late, "exact")
    assert found.status is Status.INFEASIBLE
    certificate = certify(late, found, proof=tmp_path / "late.vipr")
    assert (certificate.verdict, certificate.evidence) == (Verdict.CERTIFIED, "file")
    assert check_proof(tmp_path / "late.vipr", late, found).accepted


@pytest.mark.parametrize("longest", ["1", "1000", "1e9"])
@pytest.mark.parametrize("machines", ["share", "whole"])
def test_objectives_far_apart_are_certified(longest, machines, tmp_path):
    """A linear program that measured time in the longest objective would lose the shortest in its tolerance."""
    far = _with_slo("answer", longest)
    certificate = certify(far, solve(far, "exact", machines=machines), proof=tmp_path / "far.vipr")
    assert (certificate.verdict, certificate.evidence) == (Verdict.CERTIFIED, "file"), certificate.reason
