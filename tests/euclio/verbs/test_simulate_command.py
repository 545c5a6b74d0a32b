"""`euclio simulate` as users meet it."""

import json

import pytest
from simulate_command import call, drawn_twice, saved_results
from simulated_clusters import two_stage_cluster, two_stage_plan
from tiny_sessions import TEXT as SESSION

from euclio.problems.pipeline import PipelineSpace
from euclio.problems.pipeline.files import save_cluster


@pytest.fixture
def files(tmp_path):
    """Paths of the two-stage cluster, and of results with and without a plan."""
    cluster, path = two_stage_cluster(), str(tmp_path / "cluster.json")
    save_cluster(cluster, path)
    return [path, *saved_results(tmp_path, cluster, "pipeline", PipelineSpace(), (two_stage_plan(), None))]


def test_the_table_says_what_became_of_the_requests(capsys, files):
    code, out, _ = call(capsys, *files[:2], "--arrivals", "uniform", "--load", 0.5, "--seconds", 2)
    assert code == 0
    assert "mean SLO attainment 100.00 %" in out
    assert "GPUs busy: slow" in out


def test_the_time_per_batch_is_on_standard_error(capsys, files):
    assert "per batch" in call(capsys, *files[:2], "--seconds", 1)[2]


def test_json_is_the_same_every_time(capsys, files):
    arguments = (*files[:2], "--arrivals", "bursty", "--seconds", 2, "--noise", 0.1, "--seed", 4, "--json")
    first, second = (call(capsys, *arguments)[1] for _ in range(2))
    assert first == second
    assert json.loads(first)["models"][0]["arrived"] > 0


def test_reactive_pools_do_not_probe(capsys, files):
    found = json.loads(call(capsys, *files[:2], "--scheduler", "reactive", "--seconds", 1, "--json")[1])
    assert found["probes_per_batch"] is None


def test_the_highest_load_is_searched(capsys, files):
    out = call(capsys, *files[:2], "--arrivals", "uniform", "--highest-load", "--seconds", 2, "--json")[1]
    assert json.loads(out)["mean_highest_load"] == 1


def test_a_trace_sets_the_pace(capsys, files, tmp_path):
    path = tmp_path / "trace.csv"
    path.write_text("0\n1\n4\n5\n")
    found = json.loads(call(capsys, *files[:2], "--trace", path, "--seconds", 4, "--json")[1])
    assert found["timestamps"] == 4
    assert found["models"][0]["arrived"] == pytest.approx(1000, abs=5)


def test_a_timeline_is_drawn_the_same_every_time(capsys, files, tmp_path):
    first, second = drawn_twice(capsys, files, tmp_path)
    assert first.count("<path") > 20
    assert first == second


@pytest.mark.parametrize(
    ("options", "fields"),
    [
        (("gamma",), {"cv": 2.0}),
        (("gamma", "--cv", 3), {"cv": 3.0}),
        (("on-off", "--on", 0.5), {"on_s": 0.5, "off_s": 1.0}),
    ],
)
def test_processes_have_parameters(capsys, files, options, fields):
    found = json.loads(call(capsys, *files[:2], "--seconds", 2, "--arrivals", *options, "--json")[1])
    assert found["arrivals"] == options[0]
    assert fields.items() <= found.items()


def test_a_result_without_a_plan_ends_with_code_4(capsys, files):
    code, _, err = call(capsys, files[0], files[2])
    assert code == 4
    assert "there is no plan to simulate" in err


def test_a_result_of_a_session_is_refused(capsys, files, tmp_path):
    path = tmp_path / "session.json"
    path.write_text(SESSION)
    code, _, err = call(capsys, path, files[1])
    assert code == 2
    assert "instance: is 'two-stage', but the instance is 'tiny'" in err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--noise", "2"), "must be a number from 0 to 1"),
        (("--load", "0"), "must be a number greater than 0"),
        (("--arrivals", "uniform", "--trace", "x.csv"), "--trace: is given next to --arrivals; leave one out"),
        (("--trace", "missing.csv"), "missing.csv: cannot be read"),
        (("--arrivals", "gamma", "--cv", "0"), "must be a number from 0.01 to 100"),
        (("--arrivals", "on-off", "--on", "-1"), "must be a number of seconds from 0.001 to 1000000"),
        (("--arrivals", "uniform", "--cv", "2"), "--cv: is for --arrivals gamma; leave it out"),
        (("--off", "2"), "--off: is for --arrivals on-off; leave it out"),
        (("--timeline", "out.txt"), "end the name in .svg, .png, .pdf"),
        (("--timeline", "out.svg", "--highest-load"), "shows one load, --highest-load tries many"),
        (("--seconds", "1e7"), "--seconds: would bring about 2,500,000,000 requests"),
    ],
)
def test_bad_input_is_one_line_and_code_2(capsys, files, arguments, message):
    code, out, err = call(capsys, *files[:2], *arguments)
    assert (code, out) == (2, "")
    assert message in err
    assert err.count("\n") == 1
