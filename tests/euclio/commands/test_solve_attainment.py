"""`euclio solve --attainment` as users meet it."""

import json

import pytest
from simulate_command import call as simulate
from tiny_fleets import TEXT as FLEET
from tiny_sessions import TEXT

from euclio.cli import main


@pytest.fixture
def session(tmp_path):
    path = tmp_path / "session.json"
    path.write_text(TEXT)
    return path


def solve(capsys, *arguments):
    """Exit code, output and messages of one call."""
    code = main(["solve", *map(str, arguments)])
    captured = capsys.readouterr()
    return code, captured.out, captured.err


@pytest.fixture
def written(session, tmp_path, capsys):
    """A result that keeps 95 % under Poisson arrivals, and what was printed."""
    out = tmp_path / "result.json"
    code, text, _ = solve(capsys, session, "--solver", "harpagon", "--attainment", 0.95, "--out", out)
    assert code == 0
    return out, text


def test_the_table_says_what_is_kept_and_what_it_costs(written):
    _, text = written
    assert "tiny: feasible, cost" in text
    assert "no bound" in text
    assert " under poisson arrivals, dispatch rounds: at least 9" in text
    assert "more expensive than without\ndummies stand for capacity that is kept free" in text


def test_the_result_is_one_of_the_instance_itself(written, session, capsys):
    assert main(["verify", str(session), str(written[0])]) == 0
    found = json.loads(written[0].read_text())
    assert found["status"] == "feasible"
    assert found["bound_per_h"] is None
    asked = found["options"]["attainment"]
    margins = asked.pop("rate_margins")
    assert list(margins) == ["detect", "classify"]
    assert max(margins.values()) == found["stats"]["rate_margin"]
    assert asked == {
        "target": 0.95,
        "confidence": 0.95,
        "arrivals": "poisson",
        "dispatch": "rounds",
        "timeout_s": None,
        "dummies": False,
        "hold": False,
        "dropping": "never",
        "partial": "shared",
        "noise": 0.0,
    }
    assert found["stats"]["attainment_at_least"] >= 0.95


def test_the_simulator_finds_the_same_attainment(written, session, capsys):
    options = ("--no-dummies", "--partial", "shared", "--seconds", 5000, "--seed", 99, "--json")
    found = json.loads(simulate(capsys, session, written[0], *options)[1])
    assert found["attainment"] >= 0.95


def test_an_infeasible_session_says_why(session, capsys):
    session.write_text(TEXT.replace('"slo_s": 1.0', '"slo_s": 0.1'))
    code, _, err = solve(capsys, session, "--solver", "exact", "--attainment", 0.9)
    assert code == 3
    assert "infeasible: " in err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--attainment", "2"), "must be a number from 0 to 1"),
        (("--attainment", "0.2"), "attainment: is 0.2; it must be a number from 0.5 to 0.9999"),
        (
            ("--arrivals", "poisson"),
            "--arrivals: says what --attainment is asked under; give that too, or leave this out",
        ),
        (("--dispatch", "pull"), "--dispatch: says what --attainment is asked under"),
        (("--attainment", "0.9", "--cv", "2"), "--cv: is for --arrivals gamma; leave it out"),
        (("--attainment", "0.9", "--trace", "missing.csv"), "missing.csv: cannot be read"),
    ],
)
def test_bad_input_is_one_line_and_code_2(session, capsys, arguments, message):
    code, out, err = solve(capsys, session, *arguments)
    assert (code, out) == (2, "")
    assert message in err
    assert err.count("\n") == 1


def test_other_families_are_refused(tmp_path, capsys):
    path = tmp_path / "fleet.json"
    path.write_text(FLEET)
    code, _, err = solve(capsys, path, "--attainment", 0.9)
    assert code == 2
    assert "--attainment: is an option for sessions; leave it out" in err
