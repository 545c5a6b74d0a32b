"""A result's claim becomes a cutoff; the checker or the prover decides it (`euclio.proving.certifying`)."""

import hashlib
import signal
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from fractions import Fraction

import pytest
from claims_to_certify import SESSION, claimed, proven
from fake_provers import answering_search, enumerated, install
from tiny_clusters import tiny_cluster
from tiny_clusters import tiny_plan as cluster_plan
from tiny_sessions import answering, one_configuration_plan, tiny_session

import euclio
from euclio.core.certificate import CHECKER, Verdict
from euclio.core.errors import InputError
from euclio.core.result import Status
from euclio.core.solving import solve
from euclio.files import load_result, save_result
from euclio.problems.pipeline import evaluate as evaluate_cluster
from euclio.problems.session import Configuration, DummyRule, Hardware, Module, Session
from euclio.problems.session.files.instances import session_to_text
from euclio.proving.certifying import certify, is_proof

FREE = Session("free", 9, [Hardware("a", 0)], [Module("m", 1, [Configuration("a", 1, 1, "0.5")])])


@pytest.fixture
def nothing_better(monkeypatch):
    return install(monkeypatch, answering_search(exhausted=True))


def test_certify_is_a_verb_of_the_package(nothing_better):
    assert euclio.certify(SESSION, proven()).verdict is certify(SESSION, proven()).verdict


def test_an_exhausted_search_certifies(nothing_better):
    assert certify(SESSION, proven()).verdict is Verdict.CERTIFIED


def test_a_certificate_has_the_nodes_of_its_search(nothing_better):
    assert certify(SESSION, proven()).nodes == 7


def test_a_certificate_names_the_prover(nothing_better):
    assert certify(SESSION, proven()).prover == "euclio.proving.session.certifying"


def test_the_cutoff_of_a_cost_is_the_value_less_the_tolerance_exactly(nothing_better):
    result = proven()
    certify(SESSION, result)
    assert nothing_better.asked[0][2] == result.value * (1 - Fraction(1, 10**9))


def test_the_cutoff_under_rule_continuous_leaves_a_millionth(nothing_better):
    plan = one_configuration_plan(SESSION)
    cost = euclio.evaluate(SESSION, plan).cost_per_h
    result = solve(SESSION, answering(plan, bound=float(cost)), dummy=DummyRule.CONTINUOUS)
    certify(SESSION, result)
    assert nothing_better.asked[0][2] == cost * (1 - Fraction(1, 10**6))


def test_the_cutoff_of_a_throughput_is_the_value_and_the_tolerance_exactly(monkeypatch):
    prover = install(monkeypatch, answering_search(exhausted=True), "pipeline")
    cluster, plan = tiny_cluster(), cluster_plan()
    value = evaluate_cluster(cluster, plan).value
    result = solve(cluster, cluster_solver(plan, bound=float(value)))
    certify(cluster, result)
    assert prover.asked[0][2] == value * (1 + Fraction(1, 10**9))


def cluster_solver(plan, **answer):
    from tiny_clusters import answering as answering_cluster

    return answering_cluster(plan, **answer)


def test_infeasibility_has_no_cutoff(nothing_better):
    certify(SESSION, claimed(plan=False, infeasible=True))
    assert nothing_better.asked[0][2] is None


def test_the_cutoff_of_a_bound_is_the_bound_less_the_tolerance(nothing_better):
    certify(SESSION, claimed(bound=1.25))
    assert nothing_better.asked[0][2] == Fraction(5, 4) * (1 - Fraction(1, 10**9))


def test_a_bound_without_a_plan_is_certified(nothing_better):
    result = claimed(plan=False, bound=1.25)
    assert (result.status, certify(SESSION, result).verdict) == (Status.UNKNOWN, Verdict.CERTIFIED)


def test_a_better_plan_refutes_an_optimum(monkeypatch):
    install(monkeypatch, enumerated)
    found = certify(SESSION, proven(index=-1))
    assert (found.verdict, found.value) == (Verdict.REFUTED, euclio.evaluate(SESSION, found.plan).cost_per_h)


def test_the_optimum_of_the_enumeration_is_certified(monkeypatch):
    install(monkeypatch, enumerated)
    assert certify(SESSION, proven()).verdict is Verdict.CERTIFIED


def test_a_plan_refutes_infeasibility(monkeypatch):
    install(monkeypatch, enumerated)
    assert certify(SESSION, claimed(plan=False, infeasible=True)).verdict is Verdict.REFUTED


def test_a_bound_a_millionth_above_the_optimum_is_refuted(monkeypatch):
    install(monkeypatch, enumerated)
    bound = claimed().cost * (1 + 1e-6)
    assert certify(SESSION, claimed(index=-1, bound=bound)).verdict is Verdict.REFUTED


def test_a_bound_at_the_optimum_is_certified(monkeypatch):
    install(monkeypatch, enumerated)
    assert certify(SESSION, claimed(index=-1, bound=claimed().cost)).verdict is Verdict.CERTIFIED


def test_a_better_throughput_refutes_an_optimum(monkeypatch):
    install(monkeypatch, enumerated, "pipeline")
    cluster, plan = tiny_cluster(), cluster_plan()
    value = float(evaluate_cluster(cluster, plan).value)
    optimum = solve(cluster, "pipeline-bruteforce").value
    found = certify(cluster, solve(cluster, cluster_solver(plan, bound=value)))
    assert (found.verdict is Verdict.REFUTED) is (optimum > value)


def test_a_search_that_ends_early_leaves_the_claim_open(monkeypatch):
    install(monkeypatch, answering_search(reason="the limit of 1 s came first"))
    found = certify(SESSION, proven())
    assert (found.verdict, found.reason) == (Verdict.OPEN, "the limit of 1 s came first")


def test_the_limit_becomes_a_deadline(nothing_better):
    before = time.perf_counter()
    certify(SESSION, proven(), 5)
    assert before + 4.9 < nothing_better.asked[0][3] < time.perf_counter() + 5


def test_without_a_limit_the_deadline_never_comes(nothing_better):
    certify(SESSION, proven())
    assert nothing_better.asked[0][3] == float("inf")


def test_a_plan_of_the_prover_that_is_not_better_refutes_nothing(monkeypatch):
    install(monkeypatch, answering_search(one_configuration_plan(SESSION)))
    found = certify(SESSION, proven())
    assert (found.verdict, found.plan) == (Verdict.OPEN, None)


def test_a_plan_of_the_prover_that_the_checker_refuses_refutes_nothing(monkeypatch):
    install(monkeypatch, answering_search(one_configuration_plan(tiny_session(1))))
    tight = replace_slo("0.01")
    found = certify(tight, claimed(tight, plan=False, infeasible=True))
    assert found.verdict is Verdict.OPEN
    assert "report it" in found.reason


def replace_slo(slo_s):
    return Session("tiny", slo_s, SESSION.hardware, SESSION.modules, SESSION.edges)


def test_a_cost_of_zero_is_certified_by_the_checker_alone(nothing_better):
    found = certify(FREE, proven(FREE))
    assert (found.verdict, found.prover, nothing_better.asked) == (Verdict.CERTIFIED, CHECKER, [])


def test_a_bound_of_zero_on_a_cost_needs_no_search(nothing_better):
    assert certify(SESSION, claimed(bound=0.0)).prover == CHECKER


def test_a_refused_plan_refutes_before_any_search(nothing_better):
    result = replace(proven(), space=replace(proven().space, max_allocations=1, hardware=("P100",)))
    found = certify(SESSION, result)
    assert (found.verdict, found.cutoff, nothing_better.asked) == (Verdict.REFUTED, None, [])


def test_a_wrong_figure_refutes_before_any_search(nothing_better):
    found = certify(SESSION, replace(proven(), value=Fraction(1)))
    assert found.verdict is Verdict.REFUTED
    assert "is written as 1" in found.reason


def test_a_plan_better_than_the_bound_refutes_at_once(nothing_better):
    result = replace(claimed(bound=1.0), bound=1.6)
    found = certify(SESSION, result)
    assert (found.verdict, found.plan, nothing_better.asked) == (Verdict.REFUTED, result.plan, [])


def test_infeasibility_with_a_plan_is_refuted_by_that_plan(nothing_better):
    result = replace(claimed(), status=Status.INFEASIBLE)
    assert certify(SESSION, result).plan == result.plan


def test_an_optimum_without_a_plan_is_refuted(nothing_better):
    result = replace(claimed(plan=False), status=Status.OPTIMAL)
    assert "no plan" in certify(SESSION, result).reason


@pytest.mark.parametrize("result", [claimed(), claimed(plan=False)], ids=["feasible", "unknown"])
def test_a_result_without_a_bound_claims_nothing(result):
    with pytest.raises(InputError, match=r"there is nothing to certify: status .*, no bound"):
        certify(SESSION, result)


def test_an_error_claims_nothing():
    with pytest.raises(InputError, match="nothing to certify: status error"):
        certify(SESSION, claimed(bound=99.0))


def test_a_result_of_another_instance_is_refused():
    with pytest.raises(InputError, match="instance"):
        certify(FREE, proven())


def test_the_instance_is_known_by_the_hash_of_its_text(nothing_better):
    expected = hashlib.sha256(session_to_text(SESSION).encode()).hexdigest()
    assert certify(SESSION, proven()).instance_sha256 == expected


def test_a_plan_has_the_same_hash_from_memory_and_from_its_file(nothing_better, tmp_path):
    result = proven()
    save_result(result, SESSION, tmp_path / "result.json")
    read = load_result(tmp_path / "result.json", SESSION)
    assert certify(SESSION, result).plan_sha256 == certify(SESSION, read).plan_sha256


def test_different_plans_have_different_hashes(nothing_better):
    assert certify(SESSION, proven()).plan_sha256 != certify(SESSION, proven(index=-1)).plan_sha256


def test_infeasibility_has_no_hash_of_a_plan(nothing_better):
    assert certify(SESSION, claimed(plan=False, infeasible=True)).plan_sha256 is None


def test_a_certificate_has_the_version_that_made_it(nothing_better):
    assert certify(SESSION, proven()).provenance["packages"]["euclio"]


@pytest.mark.parametrize(
    ("status", "kind", "proof"),
    [
        (Status.OPTIMAL, "heuristic", True),
        (Status.INFEASIBLE, "exact", True),
        (Status.INFEASIBLE, "heuristic", False),
        (Status.FEASIBLE, "exact", False),
    ],
)
def test_what_counts_as_a_proof(status, kind, proof):
    assert is_proof(status, kind) is proof


def test_a_prover_that_overruns_its_limit_is_interrupted(monkeypatch):
    def stubborn(*_):
        while True:
            try:
                while True:
                    pass
            except Exception:
                continue

    install(monkeypatch, stubborn)
    found = certify(SESSION, proven(), 0.1)
    assert (found.verdict, found.reason) == (Verdict.OPEN, "the prover overran its limit and was interrupted")


def test_the_alarm_is_as_before_after_a_search(nothing_better):
    certify(SESSION, proven(), 5)
    assert (signal.getsignal(signal.SIGALRM), signal.getitimer(signal.ITIMER_REAL)) == (signal.SIG_DFL, (0.0, 0.0))


def test_an_alarm_in_use_is_left_alone(nothing_better):
    before = signal.signal(signal.SIGALRM, lambda *_: None)
    try:
        assert certify(SESSION, proven(), 5).verdict is Verdict.CERTIFIED
    finally:
        signal.signal(signal.SIGALRM, before)


def test_certifying_works_outside_of_the_main_thread(nothing_better):
    with ThreadPoolExecutor(1) as pool:
        assert pool.submit(certify, SESSION, proven(), 5).result().verdict is Verdict.CERTIFIED
