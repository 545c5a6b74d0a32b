from dataclasses import replace

import pytest
from bad_fleets import BAD_TEXTS
from tiny_fleets import TEXT, tiny_fleet

from euclio.cli import main
from euclio.core.errors import InputError
from euclio.core.registry import Solver
from euclio.core.result import Answer
from euclio.core.solving import solve
from euclio.files import load_result, save_result
from euclio.problems.fragments import Points, Server
from euclio.problems.fragments.files import fleet_from_text, fleet_to_text, load_fleet, save_fleet
from euclio.problems.fragments.plan import FragmentPlan
from euclio.serving.fragments.system import build_system
from euclio.workloads.fragments.random_fleets import random_fleet
from tests.drawn.fleets import limited_fleet


def test_text_gives_the_fleet_typed_in_python():
    assert fleet_from_text(TEXT) == tiny_fleet()


def test_fleet_survives_saving_and_loading(tmp_path):
    fleet = random_fleet(0, 20, 5)
    save_fleet(fleet, tmp_path / "one.json")
    assert load_fleet(tmp_path / "one.json") == fleet
    assert fleet_to_text(load_fleet(tmp_path / "one.json")) == (tmp_path / "one.json").read_text()


@pytest.mark.parametrize("case", ["a process larger than a GPU", "a limit without figures", "memory of a GPU 0"])
def test_the_command_refuses_wrong_memory_in_one_line(case, tmp_path, capsys):
    text, line = BAD_TEXTS[case]
    path = tmp_path / "bad.json"
    path.write_text(text, encoding="utf-8")
    assert main(["solve", str(path)]) == 2
    said = capsys.readouterr().err
    assert line in said
    assert said.count("\n") == 1


def test_a_fleet_shows_the_limits_of_its_server():
    fleet = tiny_fleet()
    network = replace(fleet.network, instance_memory_mb=400, server=Server(11_000, 48))
    shown = str(replace(fleet, network=network))
    assert "11000 MB of GPU memory (network.server.gpu_memory_mb) and 48 instances per GPU" in " ".join(shown.split())
    assert "GPU memory" not in str(fleet)


MEMORY = {
    "layers": {"layer_memory_mb": [97.5, 0]},
    "instances": {"instance_memory_mb": "0.30000000000000004"},
    "all": {"layer_memory_mb": [0.1, 0.2], "instance_memory_mb": 400, "server": Server(11_000, 48)},
    "instances on a GPU alone": {"server": Server(gpu_instances=48)},
}


@pytest.mark.parametrize("case", MEMORY)
def test_memory_survives_saving_and_loading_byte_by_byte(case):
    fleet = tiny_fleet()
    limited = replace(fleet, network=replace(fleet.network, **MEMORY[case]))
    text = fleet_to_text(limited)
    assert fleet_from_text(text) == limited
    assert fleet_to_text(fleet_from_text(text)) == text


@pytest.mark.parametrize("seed", range(40))
def test_plans_within_memory_survive_saving_and_loading(seed, tmp_path):
    drawn = limited_fleet(seed)
    fleet = fleet_from_text(fleet_to_text(drawn))
    # Rates such as a third of ten have no decimals that a file could hold; all of a network has.
    assert fleet.network == drawn.network
    assert fleet_to_text(fleet) == fleet_to_text(drawn)
    result = solve(fleet, "graft")
    save_result(result, fleet, tmp_path / "r.json")
    read = load_result(tmp_path / "r.json", fleet)
    assert (read.plan, read.value) == (result.plan, result.value)


def test_fleets_without_memory_say_nothing_of_it():
    """Files from before there was memory are what is written today."""
    assert "mb" not in fleet_to_text(tiny_fleet())
    assert "server" not in fleet_to_text(tiny_fleet())


@pytest.mark.parametrize("case", BAD_TEXTS)
def test_bad_text_names_file_field_and_remedy_in_one_line(case):
    text, line = BAD_TEXTS[case]
    with pytest.raises(InputError) as caught:
        fleet_from_text(text, file="bad.json")
    assert line in str(caught.value)
    assert str(caught.value).startswith("bad.json: ")
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("points", ["now", "mean"])
def test_a_fleet_says_what_its_partition_points_were_taken_from(points):
    text = TEXT.replace('"name": "two-layers",', f'"name": "two-layers",\n  "points": "{points}",')
    fleet = fleet_from_text(text)
    assert fleet.points is Points(points)
    assert fleet_from_text(fleet_to_text(fleet)) == fleet
    assert "points" not in fleet_to_text(tiny_fleet())


def test_unknown_points_are_refused():
    text = TEXT.replace('"name": "two-layers",', '"name": "two-layers", "points": "median",')
    with pytest.raises(InputError, match="points: is 'median'; it must be one of now, mean"):
        fleet_from_text(text)


def with_many_instances(count):
    """The tiny fleet's plan with so many instances of a stage, as a measured network may need a hundred million."""
    fleet = tiny_fleet()
    plan = solve(fleet).plan
    many = replace(plan.sets[0], shared=replace(plan.sets[0].shared, instances=count))
    run = Solver("made", "heuristic", "gives a plan", lambda *_: Answer(FragmentPlan((many, *plan.sets[1:])), "made"))
    return fleet, solve(fleet, replace(run, family="fragments", space=solve(fleet).space))


@pytest.mark.parametrize("count", [10**6 + 1, 95_700_001, 10**20])
def test_plan_of_any_number_of_instances_is_read(tmp_path, count):
    """Nothing limits how many a stage needs, so that none is too many for a file."""
    fleet, result = with_many_instances(count)
    save_result(result, fleet, tmp_path / "r.json")
    read = load_result(tmp_path / "r.json", fleet)
    assert (read.plan, read.value) == (result.plan, result.value)


def test_more_instances_than_are_simulated_are_refused():
    """Each has a place in the simulator's memory."""
    fleet, result = with_many_instances(95_700_001)
    with pytest.raises(InputError, match=r"has 9570000\d instances; up to 1000000 are simulated"):
        build_system(fleet, result.plan)


@pytest.mark.parametrize("field", ["max_instances", "max_members"])
def test_limits_of_any_size_are_read_as_the_command_takes_them(tmp_path, field):
    fleet = tiny_fleet()
    result = solve(fleet, **{field: 2_000_000})
    save_result(result, fleet, tmp_path / "r.json")
    assert load_result(tmp_path / "r.json", fleet).space == result.space


def test_latencies_that_grow_with_the_share_are_accepted():
    fleet = fleet_from_text(TEXT.replace("0.006", "0.02"))
    assert solve(fleet).value is not None


@pytest.mark.parametrize(
    ("old", "new", "line"),
    [
        ('"a"', '"z"', "fragment 'z' is not in the instance; give the result of this instance"),
        ('"instances": 1', '"instances": 0', "must be a whole number, at least 1"),
        ('"repartition_point": ', '"repartition_point": -1', "layers are counted from 0"),
    ],
)
def test_bad_plan_in_a_result_is_refused(tmp_path, old, new, line):
    fleet = tiny_fleet()
    path = tmp_path / "result.json"
    save_result(solve(fleet), fleet, path)
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new, 1))
    with pytest.raises(InputError) as caught:
        load_result(path, fleet)
    assert line in str(caught.value)
