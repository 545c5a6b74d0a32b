"""`euclio certify`: table, JSON, the better plan, exit codes and errors."""

import json
import time

import pytest
from claims_to_certify import SESSION, claimed, proven
from fake_provers import answering_search, enumerated, install
from ppipe_clusters import two_classes
from tiny_clusters import answering as answering_cluster

from euclio.cli import main
from euclio.core import progress
from euclio.core.certificate import Search
from euclio.core.progress import waiting
from euclio.core.solving import solve
from euclio.files import load_result, save_result
from euclio.problems.pipeline.files import save_cluster
from euclio.problems.session.files.instances import save_session


@pytest.fixture
def files(tmp_path):
    """A session and writer of results next to it."""
    session = tmp_path / "tiny.json"
    save_session(SESSION, session)

    def write(result, name="result.json"):
        save_result(result, SESSION, tmp_path / name)
        return [str(session), str(tmp_path / name)]

    return write


def call(capsys, *arguments):
    code = main(["certify", *map(str, arguments)])
    captured = capsys.readouterr()
    return code, captured.out, captured.err


def test_certified_is_exit_code_0(files, capsys, monkeypatch):
    install(monkeypatch, answering_search(exhausted=True))
    code, out, err = call(capsys, *files(proven()))
    assert (code, out.splitlines()[0], err) == (0, "tiny: certified", "")


def test_refuted_is_exit_code_1_and_prints_the_better_plan(files, capsys, monkeypatch):
    install(monkeypatch, enumerated)
    code, out, _ = call(capsys, *files(proven(index=-1)))
    assert code == 1
    assert "tiny: refuted" in out
    assert "machines" in out


def test_open_is_exit_code_4_with_the_reason(files, capsys, monkeypatch):
    install(monkeypatch, answering_search(reason="the limit of 1 s came first"))
    code, out, _ = call(capsys, *files(proven()), "--time-limit", 1)
    assert code == 4
    assert "why: the limit of 1 s came first" in out


def test_nothing_to_certify_is_exit_code_2_and_names_the_file(files, capsys):
    arguments = files(claimed())
    code, out, err = call(capsys, *arguments)
    assert (code, out) == (2, "")
    assert err.startswith(f"euclio: {arguments[1]}: there is nothing to certify")
    assert err.count("\n") == 1


def test_a_file_that_is_no_result_is_exit_code_2(files, capsys):
    session, _ = files(proven())
    code, _, err = call(capsys, session, session)
    assert code == 2
    assert err.count("\n") == 1


def test_a_missing_result_is_exit_code_2(files, capsys, tmp_path):
    code, _, err = call(capsys, files(proven())[0], tmp_path / "none.json")
    assert code == 2
    assert "none.json" in err


def test_a_limit_of_zero_is_exit_code_2(files, capsys):
    code, _, err = call(capsys, *files(proven()), "--time-limit", 0)
    assert code == 2
    assert "--time-limit" in err


def test_the_json_names_verdict_claim_and_hashes(files, capsys, monkeypatch):
    install(monkeypatch, answering_search(exhausted=True))
    _, out, _ = call(capsys, *files(proven()), "--json")
    found = json.loads(out)
    assert found["schema"] == "euclio/certificate/1"
    assert found["verdict"] == "certified"
    assert len(found["instance_sha256"]) == len(found["plan_sha256"]) == 64
    assert found["cutoff_per_h"] == pytest.approx(proven().cost)
    assert found["better_plan"] is None


def test_the_json_has_the_better_plan(files, capsys, monkeypatch):
    install(monkeypatch, enumerated)
    _, out, _ = call(capsys, *files(proven(index=-1)), "--json")
    found = json.loads(out)
    assert found["better_cost_per_h"] < proven(index=-1).cost
    assert found["better_plan"]["modules"]


def test_the_better_plan_is_written_as_a_result(files, capsys, monkeypatch, tmp_path):
    install(monkeypatch, enumerated)
    call(capsys, *files(proven(index=-1)), "--out", tmp_path / "better.json")
    assert load_result(tmp_path / "better.json", SESSION).value < proven(index=-1).value


def test_the_better_plan_as_written_is_accepted_by_verify(files, capsys, monkeypatch, tmp_path):
    install(monkeypatch, enumerated)
    session, result = files(proven(index=-1))
    call(capsys, session, result, "--out", tmp_path / "better.json")
    assert main(["verify", session, str(tmp_path / "better.json")]) == 0


def test_without_a_better_plan_nothing_is_written(files, capsys, monkeypatch, tmp_path):
    install(monkeypatch, answering_search(exhausted=True))
    code, _, err = call(capsys, *files(proven()), "--out", tmp_path / "better.json")
    assert (code, (tmp_path / "better.json").exists()) == (0, False)
    assert "no better plan" in err


@pytest.mark.parametrize("number", [0, 1], ids=["instance", "result"])
@pytest.mark.parametrize("link", [False, True], ids=["itself", "by a link"])
def test_an_input_is_not_written_over(files, capsys, tmp_path, number, link):
    arguments = files(proven(index=-1))
    out = arguments[number]
    if link:
        out = tmp_path / "link.json"
        out.symlink_to(arguments[number])
    code, _, err = call(capsys, *arguments, "--out", out)
    assert code == 2
    assert "--out" in err


def test_a_folder_that_does_not_exist_is_refused_before_the_search(files, capsys, monkeypatch, tmp_path):
    prover = install(monkeypatch, answering_search(exhausted=True))
    code, _, _ = call(capsys, *files(proven()), "--out", tmp_path / "none" / "better.json")
    assert (code, prover.asked) == (2, [])


def test_long_work_is_said_on_standard_error(files, capsys, monkeypatch):
    def slow(*_):
        time.sleep(0.2)
        return Search(None, True, 1)

    install(monkeypatch, slow)
    monkeypatch.setattr(progress, "AFTER_S", 0.05)
    _, out, err = call(capsys, *files(proven()), "--json")
    assert err == "euclio: certifying …\n"
    assert json.loads(out)


def test_short_work_is_silent(capsys):
    with waiting("nothing", after_s=5):
        pass
    assert capsys.readouterr().err == ""


def test_a_cluster_s_better_plan_is_printed_and_written(capsys, monkeypatch, tmp_path):
    install(monkeypatch, enumerated, "pipeline")
    cluster = two_classes()
    save_cluster(cluster, tmp_path / "c.json")
    poor = solve(cluster, "no-partitioning")
    claim = solve(cluster, answering_cluster(poor.plan, bound=poor.cost))
    save_result(claim, cluster, tmp_path / "r.json")
    code, out, _ = call(capsys, tmp_path / "c.json", tmp_path / "r.json", "--out", tmp_path / "better.json")
    assert (code, "refuted" in out, "120 req/s per weight" in out) == (1, True, True)
    assert load_result(tmp_path / "better.json", cluster).value > poor.value
