"""Results of changed instances: verified, certified and simulated from the original file."""

import json

import pytest
from tiny_sessions import TEXT

from euclio.cli import main
from euclio.core.certificate import Verdict
from euclio.files import load_result
from euclio.problems.session.files.instances import load_session
from euclio.proving.certifying import certify


@pytest.fixture
def files(tmp_path, capsys):
    instance, result = tmp_path / "tiny.json", tmp_path / "r.json"
    instance.write_text(TEXT)
    changes = ["--rate", "25", "--slo", "0.9", "--price", "P100=0.4", "--headroom", "0.1"]
    assert main(["solve", str(instance), *changes, "--out", str(result)]) == 0
    capsys.readouterr()
    return str(instance), str(result)


def test_the_certificate_is_of_the_changed_instance_and_says_so(files, capsys):
    assert main(["certify", *files, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["verdict"] == "certified"
    assert found["changes"] == {"rate_rps": 25, "slo_s": 0.9, "price_per_h": {"P100": 0.4}, "headroom": 0.1}
    assert main(["certify", *files]) == 0
    assert "with rate 25 req/s, SLO 0.9 s" in capsys.readouterr().out


def test_the_claim_does_not_hold_of_the_original_instance(files):
    session = load_session(files[0])
    written = load_result(files[1], session)
    assert certify(written.changed, written).verdict is Verdict.CERTIFIED
    assert certify(session, written).verdict is Verdict.REFUTED


def test_a_better_plan_is_written_with_the_changes(files, tmp_path):
    worse, better = tmp_path / "worse.json", tmp_path / "better.json"
    # With P100 at a tenth of its price, the best plan on V100 alone is not the best one.
    changes = ["--slo", "0.9", "--price", "P100=0.1"]
    assert main(["solve", files[0], "--hardware", "V100", *changes, "--out", str(worse)]) == 0
    data = json.loads(worse.read_text())
    data["options"]["hardware"] = None
    worse.write_text(json.dumps(data))
    assert main(["certify", files[0], str(worse), "--out", str(better)]) == 1
    assert json.loads(better.read_text())["changes"] == {"slo_s": 0.9, "price_per_h": {"P100": 0.1}}
    assert main(["verify", files[0], str(better)]) == 0


def test_simulation_serves_the_changed_rates(files, capsys):
    assert main(["simulate", *files, "--arrivals", "uniform", "--seconds", "2", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["offered_rps"] == pytest.approx(27.5)
    assert found["slo_s"] == pytest.approx(0.9)
