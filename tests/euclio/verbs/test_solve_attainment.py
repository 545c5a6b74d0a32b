"""`euclio solve --attainment` as users meet it."""

import json
import re
import shlex

import pytest
from simulate_command import call as simulate
from tiny_fleets import TEXT as FLEET
from tiny_sessions import TEXT

import euclio
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


@pytest.mark.slow
def test_the_table_says_what_is_kept_and_what_it_costs(written):
    _, text = written
    assert "tiny: feasible, cost" in text
    assert " per hour, bound " in text
    assert " under poisson arrivals, dispatch rounds: at least 9" in text
    assert "more expensive than without\nspare capacity is kept free for the requests that come at random" in text


def test_the_result_is_one_of_the_instance_itself(written, session, capsys):
    assert main(["verify", str(session), str(written[0])]) == 0
    found = json.loads(written[0].read_text())
    assert found["status"] == "feasible"
    assert 0 < found["bound_per_h"] <= found["cost_per_h"]
    asked = found["options"]["attainment"]
    assert list(asked.pop("least_rates_rps")) == ["detect", "classify"]
    margins, seconds, seed = (asked.pop(key) for key in ("rate_margins", "seconds", "seed"))
    assert list(asked.pop("module_latency_s")) == ["detect", "classify"]
    assert seconds * 10 > found["stats"]["validated_requests"]
    assert seed > 0
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
        "bound_of": "plans that keep the SLO under even arrivals",
    }
    assert found["stats"]["attainment_at_least"] >= 0.95


def shown_by(text):
    """The arguments of the command that is printed."""
    line = next(line for line in text.splitlines() if "shown by: " in line)
    words = shlex.split(line.partition("shown by: ")[2])
    assert words[:2] == ["euclio", "simulate"]
    return words[2:]


@pytest.mark.slow
@pytest.mark.parametrize(
    "options",
    [
        (),
        ("--arrivals", "gamma", "--cv", 1.5, "--dispatch", "pull"),
        ("--arrivals", "on-off", "--on", 2, "--off", 0.5, "--noise", 0.1, "--hold"),
        ("--time-out", "none", "--dropping", "hopeless"),
        ("--time-out", 0.25, "--policy", "rr"),
        ("--rate", 20),
    ],
)
def test_the_printed_command_shows_at_least_what_is_stated(session, tmp_path, capsys, options):
    out = tmp_path / "a result.json"
    code, text, _ = solve(capsys, session, "--attainment", 0.9, *options, "--out", out)
    assert code == 0
    least = json.loads(out.read_text())["stats"]["attainment_at_least"]
    code, shown, err = simulate(capsys, *shown_by(text), "--json")
    assert code == 0
    assert json.loads(shown)["attainment"] >= least
    assert "served as planned: " in err
    assert "but for" not in err


def test_the_printed_command_follows_the_trace(session, tmp_path, capsys):
    trace, out = tmp_path / "times.csv", tmp_path / "result.json"
    trace.write_text("time\n" + "".join(f"{k * k % 977 + 1000 * k / 7}\n" for k in range(500)))
    code, text, _ = solve(capsys, session, "--attainment", 0.8, "--trace", trace, "--out", out)
    assert code == 0
    assert str(trace) in shown_by(text)
    found = json.loads(simulate(capsys, *shown_by(text), "--json")[1])
    assert found["attainment"] >= json.loads(out.read_text())["stats"]["attainment_at_least"]


@pytest.mark.slow
def test_without_a_file_the_result_has_a_placeholder_and_json_stays_json(session, capsys):
    code, text, err = solve(capsys, session, "--attainment", 0.9, "--json")
    assert code == 0
    json.loads(text)
    assert shown_by(err)[:2] == [str(session), "RESULT"]


@pytest.mark.slow
def test_a_plain_simulation_serves_as_planned_and_flags_override(written, session, capsys):
    # Its dummies stand for spare capacity: sent, they would use up what keeps requests in time.
    out, stated = written
    code, text, err = simulate(capsys, session, out, "--json")
    assert code == 0
    found, least = json.loads(text), json.loads(out.read_text())["stats"]["attainment_at_least"]
    assert found["attainment"] >= least
    assert text == simulate(capsys, *shown_by(stated), "--json")[1]
    planned = "Poisson arrivals, rounds, dummies not sent, partial machines shared"
    assert f"{out}: served as planned: {planned}\n" in err
    options = ("--dummies", "--partial", "alone", "--time-out", 0.5, "--hold", "--arrivals", "uniform", "--noise", 0.1)
    _, text, err = simulate(capsys, session, out, *options, "--seconds", 20)
    assert "uniform arrivals at load 1 (10.000 req/s) for 20 s, seed 0, noise 0.1\n" in text
    assert (
        "dispatch rounds, time-out 500.000 ms, dummies sent, partial machines alone, modules hold requests"
        in " ".join(text.split())
    )
    assert (
        f"served as planned ({planned}) but for: even arrivals, time-out 500.000 ms, dummies sent, partial machines "
        "alone, modules hold requests, noise 0.1\n"
    ) in err


@pytest.mark.slow
def test_python_serves_as_planned_too(written, session):
    found = json.loads(written[0].read_text())
    simulation = euclio.simulate(session, written[0])
    assert simulation.attainment >= found["stats"]["attainment_at_least"]
    assert (simulation.setup.dummies, simulation.setup.seed) == (False, found["options"]["attainment"]["seed"])
    assert euclio.simulate(session, written[0], seconds=5).setup.seed == 0


@pytest.mark.slow
def test_an_older_file_of_an_attainment_is_served_as_planned(written, session, capsys):
    # Files without `planned_for` state the setup among their options.
    found = json.loads(written[0].read_text())
    del found["planned_for"]
    written[0].write_text(json.dumps(found))
    err = simulate(capsys, session, written[0], "--seconds", 5)[2]
    assert "served as planned: Poisson arrivals, rounds, dummies not sent, partial machines shared" in err


@pytest.mark.slow
def test_two_statements_that_differ_are_bad_input(written, session, capsys):
    found = json.loads(written[0].read_text())
    found["planned_for"]["dummies"] = True
    written[0].write_text(json.dumps(found))
    code, _, err = simulate(capsys, session, written[0])
    assert code == 2
    assert "planned_for: is another setup than options.attainment" in err
    assert err.count("\n") == 1


@pytest.mark.slow
def test_exports_and_differences_say_what_was_planned_for(written, session, tmp_path, capsys):
    even = tmp_path / "even.json"
    solve(capsys, session, "--out", even)
    planned = "95 % in time under Poisson arrivals, rounds, dummies not sent, partial machines shared"
    asked = ["export", str(session), str(written[0]), "--to", "kubernetes", "--image", "x"]
    assert main(asked) == 1
    assert "--attainment" in capsys.readouterr().err
    assert main([*asked, "--router", "own"]) == 0
    found = capsys.readouterr()
    assert f"planned for {planned}\n" in found.err
    text = " ".join(found.out.replace("\n#", " ").split())
    assert f"Planned for {planned}." in text
    assert "stand for capacity that is kept free; nothing is to be sent" in text
    assert main(["diff", str(even), str(written[0])]) == 0
    before = "all in time under even arrivals, rounds, dummies sent, partial machines alone"
    assert f"planned for: {before} -> {planned}" in capsys.readouterr().out


@pytest.mark.slow
def test_what_reads_a_result_says_its_objectives_of_modules(session, tmp_path, capsys):
    """Those of `--module-p90` stand in what the plan was made for, in words wherever that is said."""
    out, even = tmp_path / "result.json", tmp_path / "even.json"
    assert solve(capsys, session, "--module-p90", "detect=5", "--solver", "harpagon", "--out", out)[0] == 0
    assert json.loads(out.read_text())["planned_for"]["modules"] == [{"module": "detect", "share": 0.9, "seconds": 5.0}]
    solve(capsys, session, "--out", even)
    planned = "90 % in time, 90 % through detect within 5,000.0 ms, under Poisson arrivals"
    assert main(["export", str(session), str(out), "--to", "kubernetes", "--image", "x", "--router", "own"]) == 0
    found = capsys.readouterr()
    assert f"planned for {planned}" in found.err
    assert f"Planned for {planned}" in " ".join(found.out.replace("\n#", " ").split())
    assert main(["diff", str(even), str(out)]) == 0
    assert f"-> {planned}" in " ".join(capsys.readouterr().out.split())
    err = simulate(capsys, session, out, "--seconds", 5)[2]
    assert "planned for 90 % through detect within 5,000.0 ms\n" in err


@pytest.mark.slow
def test_a_result_that_states_odd_flags_is_bad_input(written, session, capsys):
    found = json.loads(written[0].read_text())
    found["options"]["attainment"]["arrivals"] = "never"
    written[0].write_text(json.dumps(found))
    code, _, err = simulate(capsys, session, written[0])
    assert code == 2
    assert "options.attainment: is no setup of a simulation" in err
    assert err.count("\n") == 1


@pytest.mark.slow
def test_the_bound_is_rounded_down(written):
    stated = re.search(r"at least ([0-9.]+) %", written[1]).group(1)
    least = json.loads(written[0].read_text())["stats"]["attainment_at_least"]
    assert 0 <= least - float(stated) / 100 < 1e-4


@pytest.mark.slow
def test_the_simulator_finds_the_same_attainment(written, session, capsys):
    # A plan may keep little more than is asked for, which takes a million requests to be seen.
    options = ("--no-dummies", "--partial", "shared", "--seconds", 100_000, "--seed", 99, "--json")
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
