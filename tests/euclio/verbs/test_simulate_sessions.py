"""`euclio simulate` on sessions as users meet it."""

import json

import pytest
from simulate_command import call, drawn_twice, saved_results
from tiny_sessions import one_configuration_plan, tiny_session

from euclio.problems.session import PlanSpace
from euclio.problems.session.files.instances import save_session


@pytest.fixture
def files(tmp_path):
    """Paths of a session of two modules, and of results with and without a plan."""
    session, path = tiny_session(), str(tmp_path / "session.json")
    save_session(session, path)
    plans = (one_configuration_plan(session), None)
    return [path, *saved_results(tmp_path, session, "session", PlanSpace(), plans)]


def test_the_table_says_what_became_of_the_requests(capsys, files):
    code, out, err = call(capsys, *files[:2], "--arrivals", "uniform", "--seconds", 20)
    assert code == 0
    assert "tiny: 100.00 % of 200 requests answered within the SLO of 1,000.0 ms" in out
    assert "uniform arrivals at load 1 (10.000 req/s) for 20 s, seed 0, noise 0\n" in out
    assert "dispatch rounds, time-outs as planned, no dummies, partial machines alone\n" in out
    assert "200 requests simulated in" in err


def test_json_is_the_same_every_time(capsys, files):
    arguments = (*files[:2], "--arrivals", "gamma", "--cv", 3, "--seconds", 20, "--noise", 0.1, "--seed", 4, "--json")
    first, second = (call(capsys, *arguments)[1] for _ in range(2))
    assert first == second
    found = json.loads(first)
    assert (found["dispatch"], found["dropping"], found["partial"], found["cv"]) == ("rounds", "never", "alone", 3)
    assert [module["name"] for module in found["modules"]] == ["detect", "classify"]


def test_options_of_sessions_change_the_simulation(capsys, files):
    options = ("--dispatch", "pull", "--time-out", "none", "--no-dummies", "--hold", "--dropping", "hopeless")
    found = json.loads(call(capsys, *files[:2], *options, "--partial", "shared", "--seconds", 5, "--json")[1])
    kept = ("dispatch", "timeout_s", "dummies", "hold", "dropping", "partial")
    assert [found[key] for key in kept] == ["pull", "none", False, True, "hopeless", "shared"]


def test_clients_wait_for_their_answers(capsys, files):
    out = call(capsys, *files[:2], "--clients", 2, "--seconds", 5)[1]
    assert "2 clients, who wait for their answers, for 5 s" in out


def test_the_highest_load_is_searched(capsys, files):
    out = call(capsys, *files[:2], "--arrivals", "uniform", "--highest-load", "--seconds", 5)[1]
    assert "session" in out
    assert "tiny" in out


def test_a_timeline_is_drawn_the_same_every_time(capsys, files, tmp_path):
    first, second = drawn_twice(capsys, files, tmp_path)
    assert first.count("<path") > 10
    assert first == second


def test_latencies_are_drawn(capsys, files, tmp_path):
    picture = tmp_path / "latencies.svg"
    assert call(capsys, *files[:2], "--latencies", picture)[0] == 0
    assert "worst case as checked" in picture.read_text()


def test_a_result_without_a_plan_ends_with_code_4(capsys, files):
    code, _, err = call(capsys, files[0], files[2])
    assert code == 4
    assert "there is no plan to simulate" in err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--dispatch", "even"), "--dispatch: is 'even', which sessions do not have; give rounds, batches, split"),
        (("--phases", "random"), "--phases: is an option for fleets; leave it out"),
        (("--time-out", "soon"), "'soon' must be a number greater than 0, or none"),
        (("--clients", "0"), "must be a whole number, at least 1"),
        (("--clients", "3", "--arrivals", "poisson"), "--clients: stands instead of --arrivals; leave one out"),
        (("--clients", "3", "--load", "2"), "--clients: stands instead of --load; leave one out"),
        (("--timeline", "a.svg", "--latencies", "a.svg"), "is the file of --timeline too"),
        (("--latencies", "out.svg", "--highest-load"), "--latencies: shows one load, --highest-load tries many"),
        (("--seconds", "1e9", "--load", "2"), "--seconds: would bring about 20,000,000,000 requests"),
    ],
)
def test_bad_input_is_one_line_and_code_2(capsys, files, arguments, message):
    code, out, err = call(capsys, *files[:2], *arguments)
    assert (code, out) == (2, "")
    assert message in err
    assert err.count("\n") == 1
