"""Studies: a seeded sample of the proofs is made again and tried; refuted ones begin the page and fail the command."""

from pathlib import Path

import pytest
from fake_provers import answering_search, install
from tiny_sessions import answering, one_configuration_plan, tiny_session

from euclio.cli import main
from euclio.core.errors import RefutedError
from euclio.core.solving import solve
from euclio.report import Heading, Paragraph, html_page
from studies import proof_sample as certifying
from studies.proof_sample import SampledProof, certificate_blocks, certify_sample, refuse_refuted, refuted_blocks

SESSION = tiny_session(2)


def proven(index=0):
    plan = one_configuration_plan(SESSION, index)
    return solve(SESSION, answering(plan, bound=solve(SESSION, answering(plan)).cost))


def proofs(count, result=None):
    return [SampledProof(f"w{k:03d}", "exact", lambda: (SESSION, result or proven())) for k in range(count)]


def sampled(count, size, seed=0, advance=lambda _: None, result=None):
    return certify_sample(proofs(count, result), size, seed, advance)


@pytest.fixture
def certifies(monkeypatch):
    return install(monkeypatch, answering_search(exhausted=True, nodes=5))


@pytest.fixture
def refutes(monkeypatch):
    monkeypatch.setattr("euclio.proving.certifying._is_better", lambda *_, **__: True)
    return install(monkeypatch, answering_search(one_configuration_plan(SESSION)))


def texts(blocks):
    return " ".join(block.text for block in blocks if isinstance(block, Paragraph))


def test_the_sample_depends_on_the_seed(certifies):
    first, again, other = (list(sampled(200, 10, seed).table.workload) for seed in (0, 0, 1))
    assert first == again
    assert first != other


def test_few_proofs_are_all_tried(certifies):
    assert list(sampled(3, 30).table.workload) == ["w000", "w001", "w002"]


def test_every_trial_advances_the_bar(certifies):
    steps = []
    sampled(50, 7, advance=steps.append)
    assert steps == [1] * 7


def test_every_trial_has_the_limit(certifies, monkeypatch):
    monkeypatch.setattr(certifying, "PROOF_LIMIT_S", 3.0)
    sampled(2, 2)
    assert all(deadline < float("inf") for *_, deadline in certifies.asked)


def test_the_page_says_of_how_many_proofs_how_many_were_certified(certifies):
    shown = texts(certificate_blocks(sampled(200, 10, 4)))
    assert shown.startswith("200 runs ended with a proof")
    assert "We ran a sample of 10 (seed 4) again" in shown
    assert shown.endswith("10 s each: 10 of 10 certified.")


def test_the_page_counts_open_ones(monkeypatch):
    install(monkeypatch, answering_search())
    assert texts(certificate_blocks(sampled(5, 5))).endswith("0 of 5 certified, 5 open.")


def test_a_run_that_ends_without_a_proof_this_time_is_open(certifies):
    result = solve(SESSION, answering(one_configuration_plan(SESSION)))
    (reason,) = sampled(1, 1, result=result).table.reason
    assert (reason, certifies.asked) == ("made again, it ended without a proof", [])


def test_a_study_without_proofs_says_nothing():
    assert certificate_blocks(sampled(0, 30)) == []


def test_without_refuted_proofs_the_page_begins_as_ever(certifies):
    assert refuted_blocks(sampled(3, 3)) == []


def test_refuted_proofs_are_a_heading_and_marked_rows(refutes):
    heading, shown, table = refuted_blocks(sampled(3, 2))
    assert heading == Heading("Refuted proofs")
    assert shown.text.startswith("2 of 2 proofs that were tried are REFUTED.")
    assert table.marked == {0, 1}


def test_the_page_can_be_written(refutes):
    certified = sampled(3, 3)
    assert "REFUTED" in html_page("study", [*refuted_blocks(certified), *certificate_blocks(certified)])


def test_refuted_proofs_fail_the_study(refutes):
    with pytest.raises(RefutedError, match="1 of 1 proofs that were tried is REFUTED"):
        refuse_refuted(sampled(1, 1), Path("index.html"))


def test_certified_proofs_do_not(certifies):
    refuse_refuted(sampled(1, 1), Path("index.html"))


def test_the_command_ends_with_exit_code_1(monkeypatch, capsys, tmp_path):
    def reproduce(paper, **_):
        raise RefutedError("1 of 30 proofs that were tried is REFUTED.")

    monkeypatch.setattr("euclio.verbs.reproduce.reproduce_study", reproduce)
    assert main(["reproduce", "scrooge", "--out", str(tmp_path)]) == 1
    assert capsys.readouterr().err == "euclio: 1 of 30 proofs that were tried is REFUTED.\n"


def test_the_size_of_the_sample_is_an_option(monkeypatch, tmp_path):
    asked = []
    monkeypatch.setattr("euclio.verbs.reproduce.reproduce_study", lambda paper, **given: asked.append(given))
    main(["reproduce", "scrooge", "--out", str(tmp_path), "--certify", "5"])
    assert asked[0]["certify"] == 5


def test_a_sample_of_none_is_exit_code_2(tmp_path):
    assert main(["reproduce", "scrooge", "--out", str(tmp_path), "--certify", "0"]) == 2
