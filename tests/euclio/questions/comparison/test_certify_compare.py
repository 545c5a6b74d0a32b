"""`compare`: how many of its proofs were certified; a refuted one is an error that nothing is measured against."""

import json

import pytest
from decreed_solvers import EXACT, FIRST, NOTHING, SECOND
from fake_provers import answering_search, install
from tiny_sessions import one_configuration_plan, tiny_session

from euclio import compare
from euclio.cli import main
from euclio.core.certificate import Verdict
from euclio.core.tables import to_text
from euclio.problems.session.files.instances import save_session
from euclio.questions.comparison.views import comparison_table

SESSION = tiny_session(2)


@pytest.fixture(autouse=True)
def registry(monkeypatch):
    known = {s.name: s for s in (EXACT, SECOND, NOTHING, FIRST)}
    monkeypatch.setattr("euclio.core.registry.solvers", lambda family=None: known)
    monkeypatch.setattr("euclio.questions.comparison.comparison.solvers", lambda family=None: known)


def verdicts(comparison):
    return [found.verdict for found in comparison.certificates]


def test_proofs_are_counted_without_being_tried():
    comparison = compare(SESSION)
    assert (comparison.proofs, comparison.certificates) == (2, ())


def test_every_proof_is_tried(monkeypatch):
    prover = install(monkeypatch, answering_search(exhausted=True))
    comparison = compare(SESSION, certify_s=5)
    assert verdicts(comparison) == [Verdict.CERTIFIED, Verdict.CERTIFIED]
    assert len({space for _, space, *_ in prover.asked}) == 2


def test_the_table_says_how_many_were_certified(monkeypatch):
    install(monkeypatch, answering_search(exhausted=True))
    assert "proofs: 2 of 2 certified" in to_text(comparison_table(compare(SESSION, certify_s=5)))


def test_the_table_says_that_none_was_tried():
    assert "proofs: 0 of 2 certified; --certify S tries them" in to_text(comparison_table(compare(SESSION)))


def test_the_table_says_how_many_stayed_open(monkeypatch):
    install(monkeypatch, answering_search())
    assert "proofs: 0 of 2 certified, 2 open" in to_text(comparison_table(compare(SESSION, certify_s=5)))


@pytest.fixture
def refuting(monkeypatch):
    """A prover with a better plan than the one that is optimal by decree."""
    plan = one_configuration_plan(SESSION, -1)
    install(monkeypatch, answering_search(plan))
    monkeypatch.setattr("euclio.proving.certifying._is_better", lambda *_, **__: True)


def test_a_refuted_proof_is_no_optimum(refuting):
    comparison = compare(SESSION, certify_s=5)
    assert (comparison.optimum, comparison.best.value) == (None, None)


def test_nothing_is_measured_against_a_refuted_proof(refuting):
    assert {row.gap for row in compare(SESSION, certify_s=5).rows} == {None}


def test_the_table_names_refuted_proofs(refuting):
    assert "REFUTED: exact: optimal: no plan has less cost" in to_text(comparison_table(compare(SESSION, certify_s=5)))


@pytest.fixture
def file(tmp_path):
    save_session(SESSION, tmp_path / "tiny.json")
    return str(tmp_path / "tiny.json")


def test_a_refuted_proof_is_exit_code_1(refuting, file, capsys):
    assert main(["compare", file, "--certify", "5"]) == 1
    assert "REFUTED: exact" in capsys.readouterr().err


def test_certify_without_a_number_has_a_limit(monkeypatch, file, capsys):
    prover = install(monkeypatch, answering_search(exhausted=True))
    assert main(["compare", file, "--certify"]) == 0
    assert prover.asked[0][3] < float("inf")


def test_the_json_has_the_certificates(monkeypatch, file, capsys):
    install(monkeypatch, answering_search(exhausted=True, nodes=4))
    main(["compare", file, "--certify", "5", "--json"])
    data = json.loads(capsys.readouterr().out)
    assert (data["proofs"], [found["nodes"] for found in data["certificates"]]) == (2, [4, 4])


def test_a_limit_of_zero_is_exit_code_2(file, capsys):
    assert main(["compare", file, "--certify", "0"]) == 2
