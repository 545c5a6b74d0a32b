"""`euclio certify --proof` and `euclio check-proof`: what is written, what is said, exit codes and errors."""

import gzip
import json
from dataclasses import replace

import pytest
from claims_to_certify import SESSION, claimed, proven
from fake_provers import answering_search, enumerated, install
from tiny_clusters import tiny_cluster

import euclio
from euclio.cli import main
from euclio.core.certificate import Search
from euclio.core.errors import InputError
from euclio.core.solving import solve
from euclio.files import save_instance, save_result
from euclio.problems.session import Configuration, Hardware, Module, Session


def best(session=SESSION, **options):
    return euclio.solve(session, "plan-bruteforce", **options)


@pytest.fixture
def files(tmp_path):
    """A session, a result, and where a proof is to stand."""

    def write(result, session=SESSION):
        save_instance(session, tmp_path / "instance.json")
        save_result(result, session, tmp_path / "result.json")
        return [str(tmp_path / "instance.json"), str(tmp_path / "result.json")]

    return write


@pytest.fixture
def proof(tmp_path):
    return tmp_path / "proof.vipr"


def call(capsys, *arguments):
    code = main([*map(str, arguments)])
    captured = capsys.readouterr()
    return code, captured.out, captured.err


def test_a_certified_claim_has_a_file_which_the_table_names(files, proof, capsys):
    code, out, _ = call(capsys, "certify", *files(best()), "--proof", proof)
    assert code == 0
    assert f"evidence: file {proof} ({proof.stat().st_size:,} bytes)" in out


def test_the_file_is_accepted(files, proof, capsys):
    call(capsys, "certify", *files(best()), "--proof", proof)
    code, out, _ = call(capsys, "check-proof", proof)
    assert code == 0
    assert out.startswith("accepted: no feasible point is better than ")


def test_a_packed_file_is_smaller_and_accepted_too(files, proof, tmp_path, capsys):
    packed = tmp_path / "proof.vipr.gz"
    call(capsys, "certify", *files(best()), "--proof", proof)
    call(capsys, "certify", *files(best()), "--proof", packed)
    assert gzip.decompress(packed.read_bytes()) == proof.read_bytes()
    assert call(capsys, "check-proof", packed)[:2] == call(capsys, "check-proof", proof)[:2]


def test_the_same_claim_gives_the_same_bytes(files, tmp_path, capsys):
    names = [tmp_path / name for name in ("a.gz", "b.gz")]
    for name in names:
        call(capsys, "certify", *files(best()), "--proof", name)
    assert names[0].read_bytes() == names[1].read_bytes()


def test_the_json_names_the_evidence(files, proof, capsys):
    _, out, _ = call(capsys, "certify", *files(best()), "--proof", proof, "--json")
    found = json.loads(out)
    assert (found["evidence"], found["proof_file"], found["no_proof"]) == ("file", str(proof), None)
    assert found["proof_bytes"] == proof.stat().st_size


def test_without_a_file_the_evidence_is_the_search(files, capsys):
    _, out, _ = call(capsys, "certify", *files(best()))
    assert "evidence: independent search\n" in out
    assert "no proof file" not in out


def test_infeasibility_has_a_file(files, proof, capsys):
    session = Session("late", "0.01", SESSION.hardware, SESSION.modules, SESSION.edges)
    code, _, _ = call(capsys, "certify", *files(best(session), session), "--proof", proof)
    assert code == 0
    assert call(capsys, "check-proof", proof)[1].startswith("accepted: there is no feasible point\n")


def test_a_refuted_claim_has_none_and_the_exit_code_stays(files, proof, capsys, monkeypatch):
    install(monkeypatch, enumerated)
    code, out, _ = call(capsys, "certify", *files(proven(index=-1)), "--proof", proof)
    assert code == 1
    assert "no proof file: only a claim that is certified has one" in out
    assert not proof.exists()


def test_an_open_claim_has_none(files, proof, capsys, monkeypatch):
    install(monkeypatch, answering_search(reason="late"))
    code, _, _ = call(capsys, "certify", *files(proven()), "--proof", proof)
    assert (code, proof.exists()) == (4, False)


def test_a_claim_that_the_prover_was_wrong_about_has_none(files, proof, capsys, monkeypatch):
    """The file rests on a search of its own, which finds the better plan."""
    install(monkeypatch, answering_search(exhausted=True))
    code, out, _ = call(capsys, "certify", *files(proven(index=-1)), "--proof", proof)
    assert code == 0
    assert "evidence: independent search\nno proof file: " in out
    assert not proof.exists()


FREE = Session("free", 9, [Hardware("a", 0)], [Module("m", 1, [Configuration("a", 1, 1, "0.5")])])


def test_a_cost_of_0_needs_none(files, proof, capsys):
    code, out, _ = call(capsys, "certify", *files(best(FREE), FREE), "--proof", proof)
    assert code == 0
    assert "evidence: checker\nno proof file: no cost is below 0, which needs no proof" in out
    assert not proof.exists()


def test_an_attainment_has_none(proof, monkeypatch):
    def nothing(instance, space, asked, cutoff, deadline):
        return Search(None, True, 1)

    monkeypatch.setattr("euclio.proving.session.attainment.find_better_keeping", nothing)
    result = claimed(bound=1.25)
    asked = replace(result, options={**result.options, "attainment": {"target": 0.9, "arrivals": "poisson"}})
    certificate = euclio.certify(SESSION, asked, proof=proof)
    assert certificate.evidence == "independent search"
    assert certificate.no_proof == "claims about an attainment have no proof model yet"
    assert not proof.exists()


def test_a_file_that_would_be_too_large_is_not_written(proof, monkeypatch):
    """Checking takes a second for each megabyte, and the verdict does not hang on a file."""
    monkeypatch.setattr("euclio.proving.proof_files.MOST_BYTES", 100)
    certificate = euclio.certify(SESSION, euclio.solve(SESSION), proof=proof)
    assert (certificate.verdict, certificate.evidence) == ("certified", "independent search")
    assert certificate.no_proof.endswith("MB; 0.0001 MB are written at most")
    assert not proof.exists()


def test_a_cluster_has_one(tmp_path, proof, capsys):
    cluster = tiny_cluster()
    save_instance(cluster, tmp_path / "c.json")
    save_result(solve(cluster, "pipeline-bruteforce"), cluster, tmp_path / "r.json")
    code, out, _ = call(capsys, "certify", tmp_path / "c.json", tmp_path / "r.json", "--proof", proof)
    assert code == 0
    assert f"evidence: file {proof}" in " ".join(out.split())
    assert call(capsys, "check-proof", proof)[0] == 0


def test_whole_machines_that_dummies_fill_have_one(files, proof, capsys):
    """Plans of full machines are listed like others."""
    code, out, _ = call(capsys, "certify", *files(best(machines="whole")), "--proof", proof)
    assert code == 0
    assert f"evidence: file {proof}" in " ".join(out.split())
    assert call(capsys, "check-proof", proof)[0] == 0


def test_whole_machines_that_nothing_fills_have_one(files, proof, capsys):
    """Without dummies a machine may be partly filled, and is charged whole all the same."""
    code, out, _ = call(capsys, "certify", *files(best(machines="whole", dummy="none")), "--proof", proof)
    assert code == 0, out
    assert call(capsys, "check-proof", proof)[0] == 0


def test_packed_machines_have_none(files, proof, capsys):
    """The prover certifies the claim; the program of proof files has no rows for them, which is said."""
    code, out, _ = call(capsys, "certify", *files(best(machines="packed")), "--proof", proof)
    print(out)
    assert code == 0
    assert "no proof file: machines that modules share have no rows in the file's program" in out
    assert not proof.exists()


def test_a_file_that_is_there_is_replaced(files, proof, capsys):
    proof.write_text("old")
    call(capsys, "certify", *files(best()), "--proof", proof)
    assert proof.read_text().startswith("% session tiny")


def test_a_file_that_is_there_stays_where_there_is_no_proof(files, proof, capsys, monkeypatch):
    proof.write_text("old")
    install(monkeypatch, answering_search(reason="late"))
    call(capsys, "certify", *files(proven()), "--proof", proof)
    assert proof.read_text() == "old"


@pytest.mark.parametrize("place", [".", "missing/proof.vipr", "instance.json", "result.json"])
def test_a_place_that_cannot_be_written_is_refused_before_the_search(files, tmp_path, capsys, monkeypatch, place):
    install(monkeypatch, prover := answering_search(exhausted=True))
    code, out, err = call(capsys, "certify", *files(proven()), "--proof", tmp_path / place)
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert prover.asked == []


def test_one_file_is_not_written_twice(files, proof, capsys):
    code, _, err = call(capsys, "certify", *files(best()), "--out", proof, "--proof", proof)
    assert code == 2
    assert "is the file of --out too" in err


def test_in_python_the_certificate_has_the_file(tmp_path):
    certificate = euclio.certify(SESSION, best(), proof=tmp_path / "p.vipr")
    assert certificate.evidence == "file"
    assert certificate.proof.size == (tmp_path / "p.vipr").stat().st_size
    assert euclio.check_proof(certificate.proof.path).accepted


INVENTED = """% session tiny: whatever an attacker says
VER 1.0
VAR 1
x
INT 0
OBJ min 1 0 1
CON 1 1
c G 1000 1 0 1
RTP range 1000 inf
SOL 0
DER 0
"""


def test_a_file_is_held_against_the_claim_that_it_is_said_to_prove(files, proof, capsys):
    """What a file says of itself was all that tied it to a session: a true proof of another program was accepted."""
    given = files(best())
    call(capsys, "certify", *given, "--proof", proof)
    code, out, _ = call(capsys, "check-proof", proof, *given)
    assert (code, "those of the claim, made anew" in out) == (0, True)
    assert "claim: optimal: no plan has less cost" in out
    assert "plan space: tc, dummies machine" in out
    proof.write_text(INVENTED)
    code, out, _ = call(capsys, "check-proof", proof)
    assert (code, "taken as it is" in out) == (0, True)
    code, out, _ = call(capsys, "check-proof", proof, *given, "--json")
    found = json.loads(out)
    assert (code, found["accepted"], found["of_claim"]) == (1, False, False)
    assert found["reason"].startswith("what it says is not what this claim says")


def test_a_proof_of_the_claim_that_says_to_be_of_something_else_is_refused(files, proof, capsys):
    """Its program is the claim's, word for word; "its first lines say what they mean" was printed of a lie."""
    given = files(best())
    call(capsys, "certify", *given, "--proof", proof)
    proof.write_text("% No plan of any kind costs less.\n" + proof.read_text())
    code, out, _ = call(capsys, "check-proof", proof, *given)
    assert (code, out.startswith("refused: what it says is not what this claim says: it has 'No'")) == (1, True)


def test_a_claim_about_other_plans_says_so(files, proof, capsys):
    """The result says what the claim is about: an attacker's may leave out all plans that are cheap."""
    given = files(best(single_hardware=True))
    call(capsys, "certify", *given, "--proof", proof)
    _, out, _ = call(capsys, "check-proof", proof, *given)
    assert "one hardware type" in out
    found = json.loads(call(capsys, "check-proof", proof, *given, "--json")[1])
    assert "one hardware type" in found["plan_space"]
    assert (found["of_claim"], found["open"], found["changes"]) == (True, False, None)


def test_a_program_that_cannot_be_made_anew_leaves_the_file_open(files, proof, capsys):
    """Out of time was "refused", of a file that proves the claim."""
    given = files(best())
    call(capsys, "certify", *given, "--proof", proof)
    code, out, _ = call(capsys, "check-proof", proof, *given, "--time-limit", "1e-9")
    assert (code, out.split("\n")[0]) == (
        4,
        "open: the program of this claim could not be made anew: the time limit was reached",
    )
    assert not euclio.check_proof(proof, *given, time_limit=1e-9).accepted


@pytest.mark.parametrize(
    "claim",
    [best(FREE), claimed(bound=0), claimed(bound=-1)],
    ids=["a cost of 0", "a bound of 0", "a bound below 0"],
)
def test_a_claim_that_needs_no_proof_leaves_any_file_open(files, proof, capsys, claim):
    """Its program was asked for at a cutoff of 0, which the prover divides by: an internal error, exit code 1."""
    proof.write_text(INVENTED)
    given = files(claim, FREE if claim.instance == FREE.name else SESSION)
    code, out, err = call(capsys, "check-proof", proof, *given)
    assert (code, err) == (4, "")
    assert out.startswith("open: the program of this claim could not be made anew: no cost is below 0, which needs")


def test_an_instance_without_a_result_has_no_claim(files, proof, capsys):
    proof.write_text(INVENTED)
    code, _, err = call(capsys, "check-proof", proof, files(best())[0])
    assert (code, err) == (
        2,
        "euclio: instance: a proof file is of a result's claim; give the instance and the result\n",
    )


def test_in_python_a_bad_place_is_named(tmp_path):
    with pytest.raises(InputError, match=f"{tmp_path}: cannot be written"):
        euclio.certify(SESSION, best(), proof=tmp_path)


def test_a_spoilt_file_is_refused_with_exit_code_1(files, proof, capsys):
    call(capsys, "certify", *files(best()), "--proof", proof)
    lines = proof.read_text().splitlines()
    proof.write_text("\n".join(lines[:-1]) + "\n")
    code, out, err = call(capsys, "check-proof", proof)
    assert (code, out, err) == (1, "refused: step 0: ends early\n", "")
    assert euclio.check_proof(proof).reason == "step 0: ends early"


@pytest.mark.parametrize(
    ("data", "why"),
    [
        (b'{"schema": "euclio/session/1"}', "is no VIPR file"),
        (b"", "is no VIPR file"),
        (b"\xff\xfe", "is no text"),
        (b"\x1f\x8b", "is no text"),
    ],
)
def test_what_is_no_proof_file_is_exit_code_2(proof, capsys, data, why):
    proof.write_bytes(data)
    code, out, err = call(capsys, "check-proof", proof)
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert err.startswith(f"euclio: {proof}: {why}")
    assert "give a file that `euclio certify --proof` wrote" in err


@pytest.mark.parametrize(("name", "why"), [("missing.vipr", "no such file"), (".", "is a directory")])
def test_what_cannot_be_read_is_exit_code_2(tmp_path, capsys, name, why):
    code, _, err = call(capsys, "check-proof", tmp_path / name)
    assert (code, err.count("\n")) == (2, 1)
    assert why in err


def test_numbers_of_others_may_be_any(proof, capsys):
    """A third has no decimals, and a number of 900 digits is no float."""
    for number in ("1/3", "7" * 900):
        text = f"VER 1.0 VAR 1 x INT 0 OBJ min 1 0 1 CON 1 0 low G {number} 1 0 1 RTP range {number} inf SOL 0 DER 0"
        proof.write_text(text)
        code, out, _ = call(capsys, "check-proof", proof)
        assert (code, out.split()[7]) == (0, number)
