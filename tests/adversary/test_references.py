"""The references against worked numbers and, on a sample, against the plain enumerations of the workbench."""

from __future__ import annotations

from fractions import Fraction

import pytest
from ppipe_clusters import almost_in_time, thirds, two_classes, two_cuts, unservable
from worked_examples import FIVE, M_3, PICCOLO_M_1, one_module, scrooge

from euclio.core.result import Status
from euclio.core.solving import solve
from euclio.core.tolerances import BRACKET_TOLERANCE
from euclio.problems.pipeline import PipelineSpace
from euclio.problems.session import DummyRule, Hardware, Module, PlanSpace, Session
from tests.drawn.cases import drawn, truth_of
from tests.drawn.reference_clusters import cluster_truth
from tests.drawn.reference_sessions import session_truth

ENUMERATION = {
    "session": "plan-bruteforce",
    "pipeline": "pipeline-bruteforce",
    "fragments": "fragments-bruteforce",
}
SEEDS = range(50)


@pytest.mark.parametrize(
    ("rule", "most", "cost"),
    [("none", None, "5.3"), ("none", 2, "5.4375"), ("none", 1, "9.9"), ("machine", None, "5"), ("machine", 1, "5")],
)
def test_harpagons_m3(rule, most, cost):
    """198 req/s within 1 s: 4⊗32 + 1⊗8 + 0.3⊗2 without dummies, 5⊗32 with two."""
    truth = session_truth(one_module(M_3, 198, 1), PlanSpace(dummy=rule, max_allocations=most))
    assert truth.lower == truth.upper == Fraction(cost)


@pytest.mark.parametrize(
    ("space", "cost"),
    [
        (PlanSpace("rr", "none", 2), "3.3125"),
        (PlanSpace(dummy="none"), "3.1"),
        (PlanSpace(), "3"),
        (PlanSpace(dummy="continuous"), "3"),
    ],
)
def test_piccolos_m1(space, cost):
    """285 req/s within 2 s."""
    assert session_truth(one_module(PICCOLO_M_1, 285, 2), space).upper == Fraction(cost)


def test_two_allocations_with_dummies_beat_one_under_tc_shared():
    """115 req/s within 0.52 s: 2⊗16 + 2⊗4."""
    assert session_truth(one_module(FIVE, 115, "0.52"), PlanSpace("tc-shared")).upper == 4


def test_scrooges_tables():
    """2 + 3 · (80 − 8/0.133) · 0.025/2 for A, 1.6 machines of 3 for B."""
    best = 2 + 3 * (80 - Fraction(8) / Fraction("0.133")) * Fraction("0.0125") + Fraction("4.8")
    assert session_truth(scrooge(), PlanSpace("machine-rate", "none")).upper == best


def chain(slo: str) -> Session:
    """Two modules as Harpagon's M_3 one after the other, 198 req/s each."""
    one = one_module(M_3, 198, 1).modules[0]
    modules = [Module(name, 198, one.profile) for name in "ab"]
    return Session("chain", slo, [Hardware("gpu", 1)], modules, [("a", "b")])


def test_modules_of_a_chain_share_the_slo():
    """Both at 5⊗32 take 0.8 + 32/200 = 0.96 s each."""
    assert session_truth(chain("1.92"), PlanSpace()).upper == 10
    assert session_truth(chain("1.9199999999999999"), PlanSpace()).upper > 10


@pytest.mark.fifth("slo")
@pytest.mark.parametrize("slo", ["0.5", "1", "1.5", "1.92", "1.9199999999999999"])
def test_continuous_is_enclosed_and_no_more_expensive_than_machine(slo):
    """What rule `machine` fills up, rule `continuous` may fill up as well."""
    truth = session_truth(chain(slo), PlanSpace(dummy="continuous"))
    assert truth.lower <= truth.upper <= session_truth(chain(slo), PlanSpace()).upper * (1 + Fraction(1, 10**8))
    assert truth.upper - truth.lower <= BRACKET_TOLERANCE * truth.upper


def test_a_latency_that_is_only_come_near_to_is_none():
    """Under rule `continuous` any latency above the duration can be had, the duration itself not."""
    session = one_module([(2, "0.5")], 1, "0.5")
    assert session_truth(session, PlanSpace(dummy="continuous")).infeasible
    assert not session_truth(one_module([(2, "0.5")], 1, "0.5000000000001"), PlanSpace(dummy="continuous")).infeasible


def test_two_classes():
    """Both objectives of the worked cluster: 120 req/s, and 4 for 90 req/s."""
    assert cluster_truth(two_classes(), PipelineSpace()).lower == 120
    assert cluster_truth(two_classes(rate_rps=90), PipelineSpace(objective="cost")).lower == 4


def test_thirds_fill_a_gpu():
    """Three thirds on one GPU at one place serve 3 · 50 req/s; two places would need two GPUs."""
    assert cluster_truth(thirds(), PipelineSpace()).lower == 150


def test_a_picosecond_beyond_the_slo_is_too_much():
    """The faster cut misses the SLO by 1e-12 s, which a comparison of floats with a tolerance would admit."""
    assert cluster_truth(almost_in_time(), PipelineSpace()).lower == 100


@pytest.mark.parametrize(("one_per_sequence", "served"), [(True, 150), (False, 200)])
def test_two_cuts_of_one_sequence(one_per_sequence, served):
    """One pipeline per sequence of GPU types loses 50 req/s against any number of them."""
    space = PipelineSpace(one_per_sequence=one_per_sequence)
    assert cluster_truth(two_cuts(), space).lower == served


def test_a_model_without_gpus_is_no_plan():
    """A cluster that cannot serve a model at all is infeasible, and no plan of nothing."""
    assert cluster_truth(unservable(), PipelineSpace()).infeasible


@pytest.mark.parametrize("family", ENUMERATION)
@pytest.mark.parametrize("seed", SEEDS)
def test_the_enumeration_says_the_same(family, seed):
    """Exactly the same value, or both: no plan."""
    case = drawn(family, seed)
    if family == "session" and case.space.dummy is DummyRule.CONTINUOUS:
        case = type(case)(family, case.instance, PlanSpace(case.space.policy))
    found, truth = solve(case.instance, ENUMERATION[family], space=case.space), truth_of(case, case.space)
    if truth is None:
        pytest.skip("the reference would have to list too much")
    assert found.status in (Status.OPTIMAL, Status.INFEASIBLE)
    assert found.value == truth.upper


@pytest.mark.parametrize("kept_seed", [502337, 502461])
def test_a_path_without_room_leaves_room_to_modules_on_others(kept_seed):
    """One path takes the SLO to the last digit with its fastest plans; a module elsewhere has no fastest plan."""
    case = drawn("session", kept_seed)
    truth = truth_of(case, case.space)
    assert truth is not None
    assert truth.lower is not None
    assert truth.upper is not None
    assert truth.lower <= truth.upper <= truth.lower * (1 + Fraction(1, 10**6))
