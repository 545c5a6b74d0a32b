"""The benchmark set's certificates: kept in the manifest, repeated on a sample, held against instance and plan."""

import shutil
import time
from dataclasses import replace

import pytest
from bench_set_changes import CHAIN, NAMES, change, entry_of
from fake_provers import answering_search, install

from euclio.cli import main
from euclio.core.certificate import Verdict
from euclio.core.numbers import decimal_text
from euclio.experiments.bench_set.build import build
from euclio.experiments.bench_set.certificates import certified, fill, kept_certificate, sample
from euclio.experiments.bench_set.check import defects
from euclio.experiments.bench_set.manifest import (
    CertificateRecord,
    Difficulty,
    best_path,
    read_best,
    read_instance,
    read_manifest,
    write_manifest,
)
from euclio.problems.session import evaluate
from euclio.proving.certifying import instance_sha256, plan_sha256

PROVEN = "s-chain-m1-c8-h1-r2-t10-01"


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    folder = tmp_path_factory.mktemp("set")
    build(folder, chosen=lambda design: design.name in NAMES)
    return folder


@pytest.fixture
def folder(made, tmp_path):
    """A set of three instances that a test may spoil; the cluster's proof does not count here."""
    copy = shutil.copytree(made, tmp_path / "set")
    manifest = read_manifest(copy)
    write_manifest(replace(manifest, entries=tuple(e for e in manifest.entries if e.family == "session")), copy)
    return copy


@pytest.fixture
def certifying(monkeypatch):
    return install(monkeypatch, answering_search(exhausted=True, nodes=12))


def call(capsys, *arguments):
    code = main(["bench-set", *map(str, arguments)])
    captured = capsys.readouterr()
    return code, captured.out, captured.err


def certificates_of(folder):
    return {entry.name: entry.certificate for entry in read_manifest(folder).entries}


def keep(folder, **changes):
    """Keep a certificate of the chain with some other fields."""
    manifest = read_manifest(folder)
    entry = entry_of(folder)
    found = replace(entry, certificate=replace(kept_certificate(certified(folder, entry, None)), **changes))
    write_manifest(replace(manifest, entries=tuple(found if e.name == CHAIN else e for e in manifest.entries)), folder)
    return found


def test_certificates_are_made_and_kept(folder, capsys, certifying):
    code, out, _ = call(capsys, "certify", "--folder", folder)
    assert (code, out) == (0, "2 of 2 proofs certified\n")


def test_what_is_kept_of_a_certificate(folder, capsys, certifying):
    call(capsys, "certify", "--folder", folder)
    found = certificates_of(folder)[CHAIN]
    assert (found.verdict, found.prover, found.nodes) == (Verdict.CERTIFIED, "euclio.proving.session.certifying", 12)
    assert len(found.instance_sha256) == len(found.plan_sha256) == 64


def test_certificates_that_are_there_are_not_made_again(folder, capsys, certifying):
    call(capsys, "certify", "--folder", folder)
    call(capsys, "certify", "--folder", folder)
    assert len(certifying.asked) == 2


def test_again_makes_all_of_them_again(folder, capsys, certifying):
    call(capsys, "certify", "--folder", folder)
    call(capsys, "certify", "--folder", folder, "--again")
    assert len(certifying.asked) == 4


def test_open_ones_are_tried_again(folder, capsys, monkeypatch):
    prover = install(monkeypatch, answering_search())
    _, out, _ = call(capsys, "certify", "--folder", folder)
    call(capsys, "certify", "--folder", folder)
    assert (out, len(prover.asked)) == ("0 of 2 proofs certified, 2 open\n", 4)


def test_a_certificate_of_another_plan_is_made_again(folder, capsys, certifying):
    keep(folder, plan_sha256="0" * 64)
    certifying.asked.clear()
    call(capsys, "certify", "--folder", folder)
    assert {asked[0].name for asked in certifying.asked} == {CHAIN, PROVEN}


def test_building_again_keeps_certificates(folder, capsys, certifying):
    call(capsys, "certify", "--folder", folder)
    before = certificates_of(folder)
    build(folder, chosen=lambda design: design.name in before)
    assert certificates_of(folder) == before


def test_a_set_with_certificates_has_no_defects(folder, certifying):
    fill(folder, [CHAIN], None, lambda: None)
    assert defects(folder, [entry_of(folder)]) == []


@pytest.mark.parametrize("field", ["instance_sha256", "plan_sha256"])
def test_a_certificate_of_something_else_is_a_defect(folder, certifying, field):
    found = keep(folder, **{field: "0" * 64})
    assert any("of another instance or plan" in line for line in defects(folder, [found]))


def test_a_refuted_proof_is_a_defect(folder, certifying):
    found = keep(folder, verdict=Verdict.REFUTED)
    assert any("REFUTED" in line for line in defects(folder, [found]))


def test_an_open_instance_with_a_certificate_is_a_defect(folder, certifying):
    change(best_path(folder, CHAIN), '"status":"optimal"', '"status":"feasible"')
    change(best_path(folder, CHAIN), f'"bound_per_h":{decimal_text(entry_of(folder).bound)}', '"bound_per_h":null')
    found = replace(keep_as_is(folder), bound=None, bound_solver="", difficulty=Difficulty.OPEN)
    assert any("is not proven, but has a certificate" in line for line in defects(folder, [found]))


def keep_as_is(folder):
    instance = read_instance(folder, entry_of(folder))
    best = read_best(folder, instance)

    plan = plan_sha256(instance, best.plan, evaluate(instance, best.plan, best.space))
    return replace(
        entry_of(folder),
        certificate=CertificateRecord(Verdict.CERTIFIED, "p", "0", 1, 0.1, instance_sha256(instance), plan),
    )


def test_check_repeats_a_sample(folder, capsys, certifying):
    code, out, _ = call(capsys, "check", "--folder", folder, "--class", "easy", "--certify", "--sample", 1)
    assert (code, len(certifying.asked)) == (0, 1)
    assert "1 proofs tried: 1 certified, 0 refuted, 0 open" in out


def test_check_repeats_all(folder, capsys, certifying):
    call(capsys, "check", "--folder", folder, "--class", "easy", "--certify", "--sample", "all")
    assert len(certifying.asked) == 2


def test_the_limit_of_a_repeated_search_is_printed(folder, capsys, certifying):
    before = time.perf_counter()
    arguments = ("--certify", "--sample", "all", "--time-limit", 7)
    call(capsys, "check", "--folder", folder, "--class", "easy", *arguments)
    assert before + 7 < certifying.asked[0][3] < time.perf_counter() + 7


def test_a_refuted_repetition_is_exit_code_1(folder, capsys, monkeypatch):
    instance = read_instance(folder, entry_of(folder, PROVEN))
    cheaper = answering_search(read_best(folder, instance).plan)
    install(monkeypatch, cheaper)
    monkeypatch.setattr("euclio.proving.certifying._is_better", lambda *_, **__: True)
    code, out, err = call(capsys, "check", "--folder", folder, "--class", "easy", "--certify", "--sample", "all")
    assert (code, "REFUTED" in out, "REFUTED" in err) == (1, True, True)


@pytest.mark.parametrize(
    ("arguments", "flag"),
    [
        (("--sample", 3), "--sample"),
        (("--seed", 3), "--seed"),
        (("--time-limit", 3), "--time-limit"),
        (("--certify", "--sample", "some"), "--sample"),
        (("--certify", "--sample", 0), "--sample"),
    ],
)
def test_wrong_options_are_exit_code_2(folder, capsys, arguments, flag):
    """A check that runs for minutes refuses what it cannot do before it begins."""
    code, _, err = call(capsys, "check", "--folder", folder, *arguments)
    assert (code, flag in err, err.count("\n")) == (2, True, 1)


def test_samples_depend_on_the_seed_alone():
    assert sample(range(100), 5, 3) == sample(range(100), 5, 3) != sample(range(100), 5, 4)


def test_samples_are_in_order():
    found = sample(range(100), 10, 0)
    assert found == sorted(found)


def test_a_certificate_with_an_unknown_verdict_is_bad_input(folder, capsys, certifying):
    keep(folder)
    change(folder / "manifest.json", '"verdict":"certified"', '"verdict":"perhaps"')
    code, _, err = call(capsys, "check", "--folder", folder)
    assert (code, "certificate.verdict" in err) == (2, True)


def test_an_instance_that_the_method_took_for_proven_is_solved_again(folder):
    entry = entry_of(folder)
    manifest = read_manifest(folder)
    opened = replace(entry, difficulty=Difficulty.OPEN, bound=entry.bound * 999 / 1000)
    write_manifest(replace(manifest, entries=tuple(opened if e.name == CHAIN else e for e in manifest.entries)), folder)
    change(best_path(folder, CHAIN), '"status":"optimal"', '"status":"feasible"')
    build(folder, chosen=lambda design: design.name == CHAIN)
    assert entry_of(folder).difficulty is not Difficulty.OPEN


def test_proof_files_are_written_and_their_sizes_shown(folder, capsys, tmp_path):
    """Both sessions have one, which is accepted again as it is read for the table."""
    proofs = tmp_path / "new" / "proofs"
    sessions = ("check", "--folder", folder, "--family", "session")
    code, out, _ = call(capsys, *sessions, "--certify", "--sample", "all", "--proofs", proofs)
    assert code == 0
    assert sorted(path.name for path in proofs.iterdir()) == sorted(f"{name}.vipr" for name in certificates_of(folder))
    (row,) = [line.split() for line in out.splitlines() if line.startswith("all ")]
    assert row[1:3] == ["2", "2"]
    assert int(row[4].replace(",", "")) == max(path.stat().st_size for path in proofs.iterdir())


def test_what_has_no_proof_file_is_counted_with_the_reason(folder, capsys, tmp_path, monkeypatch):
    install(monkeypatch, answering_search(reason="too hard"))
    sessions = ("check", "--folder", folder, "--family", "session")
    code, out, _ = call(capsys, *sessions, "--certify", "--proofs", tmp_path / "proofs")
    assert code == 0
    assert "2 without a file: too hard" in out
    assert list((tmp_path / "proofs").iterdir()) == []


def test_a_family_is_checked_alone(folder, capsys):
    assert call(capsys, "check", "--folder", folder, "--family", "pipeline")[1] == "no instances\n"


@pytest.mark.parametrize("place", ["manifest.json", "manifest.json/proofs"])
def test_a_file_is_no_folder_for_proofs(folder, capsys, place):
    sessions = ("check", "--folder", folder, "--family", "session")
    code, _, err = call(capsys, *sessions, "--certify", "--proofs", folder / place)
    assert (code, err.count("\n")) == (2, 1)
    assert "cannot be a folder" in err


def test_proofs_are_for_what_is_tried(folder, capsys, tmp_path):
    code, _, err = call(capsys, "check", "--folder", folder, "--proofs", tmp_path)
    assert code == 2
    assert "--proofs: is for the proofs that are tried; add --certify" in err
