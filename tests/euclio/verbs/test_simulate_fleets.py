"""`euclio simulate` on fleets as users meet it."""

import json

import pytest
from simulate_command import call, drawn_twice, saved_results
from simulated_fleets import aligned, two_clients
from tiny_fleets import TEXT as OTHER_FLEET

from euclio.cli import main
from euclio.problems.fragments import FragmentSpace
from euclio.problems.fragments.files import save_fleet


@pytest.fixture
def files(tmp_path):
    """Paths of two clients' fleet, and of results with and without a plan."""
    fleet, path = two_clients(), str(tmp_path / "fleet.json")
    save_fleet(fleet, path)
    return [path, *saved_results(tmp_path, fleet, "fragments", FragmentSpace(), (aligned(), None))]


def test_the_table_says_what_became_of_the_requests(capsys, files):
    code, out, err = call(capsys, *files[:2], "--arrivals", "uniform", "--seconds", 2)
    assert code == 0
    assert "two-clients: 100.00 % of all requests in their time budgets" in out
    assert "uniform arrivals (random phases) at load 1 for 2 s" in out
    assert "the plan counts on 1" in out
    assert "batches simulated in" in err


def test_waiting_longer_than_planned_is_said(capsys, files):
    out = call(capsys, *files[:2], "--load", 1.3, "--seconds", 2, "--dropping", "never")[1]
    assert "no request dropped" in out
    assert "waiting: longer than an execution, which the plan counts on, at " in out


def test_json_is_the_same_every_time(capsys, files):
    arguments = (*files[:2], "--arrivals", "bursty", "--seconds", 2, "--noise", 0.1, "--seed", 4, "--json")
    first, second = (call(capsys, *arguments)[1] for _ in range(2))
    assert first == second
    found = json.loads(first)
    assert (found["dispatch"], found["dropping"], found["phases"]) == ("shared", "hopeless", "random")
    assert found["fragments"][0]["arrived"] > 0


def test_options_of_fleets_change_the_simulation(capsys, files):
    options = ("--dispatch", "even", "--phases", "together", "--dropping", "never")
    found = json.loads(call(capsys, *files[:2], "--arrivals", "uniform", *options, "--json")[1])
    assert (found["dispatch"], found["dropping"], found["phases"]) == ("even", "never", "together")


def test_the_highest_load_is_searched(capsys, files):
    out = call(capsys, *files[:2], "--arrivals", "uniform", "--highest-load", "--seconds", 2)[1]
    assert "fragment" in out
    assert "mean" in out


def test_a_timeline_is_drawn_the_same_every_time(capsys, files, tmp_path):
    first, second = drawn_twice(capsys, files, tmp_path)
    assert first.count("<path") > 10
    assert first == second


def test_a_result_without_a_plan_ends_with_code_4(capsys, files):
    code, _, err = call(capsys, files[0], files[2])
    assert code == 4
    assert "there is no plan to simulate" in err


def test_of_many_fragments_the_worst_are_listed(capsys, tmp_path):
    fleet, result = tmp_path / "fleet.json", tmp_path / "result.json"
    assert main(["generate", "random-fleets", "--fragments", "50", "--out", str(fleet)]) == 0
    assert main(["solve", str(fleet), "--solver", "gslice", "--out", str(result)]) == 0
    capsys.readouterr()
    out = call(capsys, fleet, result, "--seconds", 1)[1]
    assert "40 of 50 fragments are listed, those with the least attainment" in out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--scheduler", "reactive"), "--scheduler: is an option for clusters; leave it out"),
        (("--dispatch", "fastest"), "--dispatch: invalid choice"),
        (("--dispatch", "random"), "--dispatch: is 'random', which fleets do not have; give shared or even"),
        (("--load", "0"), "must be a number greater than 0"),
        (("--timeline", "out.txt"), "end the name in .svg, .png, .pdf"),
        (("--seconds", "1e7"), "--seconds: would bring about 1,000,000,000 requests"),
    ],
)
def test_bad_input_is_one_line_and_code_2(capsys, files, arguments, message):
    code, out, err = call(capsys, *files[:2], *arguments)
    assert (code, out) == (2, "")
    assert message in err
    assert err.count("\n") == 1


def test_a_plan_of_another_fleet_is_refused(capsys, files, tmp_path):
    path = tmp_path / "other.json"
    path.write_text(OTHER_FLEET)
    code, _, err = call(capsys, path, files[1])
    assert code == 2
    assert err.count("\n") == 1
