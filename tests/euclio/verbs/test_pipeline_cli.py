import json
from argparse import ArgumentTypeError

import pytest
from bad_clusters import BAD_TEXTS
from tiny_clusters import TEXT, answering, tiny_plan
from tiny_sessions import TEXT as SESSION_TEXT
from tiny_sessions import answering as session_solver

from euclio.cli import main
from euclio.core.values import part
from euclio.problems.pipeline import PipelineSpace

FAKES = [
    answering(tiny_plan(), name="columns", claimed=66.66666667, bound=70.0),
    answering(tiny_plan(), name="narrow", space=PipelineSpace(max_partitions=1)),
    answering(None, name="nothing", infeasible=True),
    answering(None, name="slow"),
    answering(tiny_plan(), name="boaster", bound=-1.0),
    session_solver(None, name="exact"),
]


@pytest.fixture(autouse=True)
def fake_solvers(monkeypatch):
    monkeypatch.setattr(
        "euclio.core.registry.solvers", lambda family=None: {s.name: s for s in FAKES if family in (None, s.family)}
    )


@pytest.fixture
def instance(tmp_path):
    path = tmp_path / "tiny.json"
    path.write_text(TEXT)
    return str(path)


@pytest.fixture
def session(tmp_path):
    path = tmp_path / "session.json"
    path.write_text(SESSION_TEXT)
    return str(path)


def call(capsys, *arguments):
    code = main([str(a) for a in arguments])
    captured = capsys.readouterr()
    return code, captured.out, captured.err


def test_solve_uses_columns_by_default(capsys, instance):
    code, out, err = call(capsys, "solve", instance)
    assert (code, err) == (0, "")
    assert out.startswith("tiny: feasible, throughput 66.6666667 req/s per weight, bound 70")
    assert "solver columns" in out


def test_solve_prints_json_that_is_the_written_file(capsys, instance, tmp_path):
    code, out, _ = call(capsys, "solve", instance, "--json", "--out", tmp_path / "r.json")
    assert code == 0
    assert out == (tmp_path / "r.json").read_text()
    assert json.loads(out)["claimed_throughput_rps"] == 66.66666667


def test_options_reach_the_plan_space(capsys, instance):
    options = "--objective cost --max-partitions 3 --one-per-sequence --no-virtual-gpus --no-batch-unification"
    _, out, _ = call(capsys, "solve", instance, "--solver", "slow", "--json", *options.split(), "--no-batch-build")
    assert json.loads(out)["options"] == {
        "objective": "cost",
        "max_partitions": 3,
        "unify_batch": False,
        "virtual_gpus": False,
        "batch_build": False,
        "one_per_sequence": True,
        "whole_gpus": True,
        "time_limit_s": None,
        "seed": 0,
    }


def test_a_solvers_own_plan_space_holds_where_no_option_is_given(capsys, instance):
    _, out, _ = call(capsys, "solve", instance, "--solver", "narrow", "--json")
    assert json.loads(out)["options"]["max_partitions"] == 1


@pytest.mark.parametrize(
    ("solver", "code", "words"),
    [
        ("nothing", 3, "nothing found no plan for the GPUs at hand, although every model has a pipeline that fits"),
        ("slow", 4, "no plan was found within the limit"),
        ("narrow", 1, "the checker refused the plan: pipeline 0 of see: has 2 partitions; 1 to 1 are allowed"),
        ("boaster", 1, "the solver's bound is wrong: bound_rps is -1, below the checked throughput of 66.6"),
    ],
)
def test_exit_code_and_one_line_where_there_is_no_plan(capsys, instance, solver, code, words):
    found, _, err = call(capsys, "solve", instance, "--solver", solver)
    assert found == code
    assert words in err
    assert err.count("\n") == 1


@pytest.fixture
def tight(tmp_path):
    path = tmp_path / "tight.json"
    path.write_text(TEXT.replace('"slo_s": 0.05', '"slo_s": 0.02'))
    return str(path)


LEAST = "no pipeline of model hear fits its SLO: the least latency is 0.03 s, the SLO without its margin 0.02 s"


def test_infeasible_cluster_names_the_model_and_its_least_latency(capsys, tight):
    code, _, err = call(capsys, "solve", tight, "--solver", "nothing")
    assert (code, err) == (3, f"euclio: {tight}: infeasible: {LEAST}\n")


def test_explain_names_every_models_least_latency(capsys, tight):
    code, out, _ = call(capsys, "explain", tight)
    assert code == 3
    assert out.splitlines() == ["tiny: infeasible", "model see: least latency 0.03 s of 0.08 s", LEAST]


def test_explain_prints_json(capsys, instance):
    code, out, _ = call(capsys, "explain", instance, "--json")
    assert code == 0
    assert json.loads(out)["models"][1] == {"name": "hear", "budget_s": 0.05, "least_latency_s": 0.03}


def test_verify_accepts_what_solve_writes(capsys, instance, tmp_path):
    call(capsys, "solve", instance, "--out", tmp_path / "r.json")
    code, out, _ = call(capsys, "verify", instance, tmp_path / "r.json")
    assert code == 0
    assert out.splitlines()[0] == "accepted: throughput 66.6666667 req/s per weight, GPUs 2 of 2 big, 2 of 3 small"


def test_verify_accepts_a_cost_result(capsys, instance, tmp_path):
    call(capsys, "solve", instance, "--solver", "slow", "--objective", "cost")
    path = tmp_path / "r.json"
    call(capsys, "solve", instance, "--solver", "narrow", "--max-partitions", "2", "--objective", "cost", "--out", path)
    code, out, _ = call(capsys, "verify", instance, path)
    assert (code, out.splitlines()[0]) == (0, "accepted: cost 8 per hour, GPUs 2 of 2 big, 2 of 3 small")


def partition(number, **changes):
    return lambda d: d["plan"]["pipelines"][0]["partitions"][number].update(changes)


MUTATIONS = {
    "throughput": (lambda d: d.update(throughput_rps=70), "throughput_rps is written as 70, checked as 66.6666666667"),
    "no throughput": (lambda d: d.update(throughput_rps=None), "throughput_rps is written as null"),
    "rate": (
        lambda d: d["plan"]["pipelines"][0].update(rate_rps=58),
        "plan.pipelines[0].rate_rps is written as 58, checked as 57.1428571429",
    ),
    "GPU more": (partition(1, gpus=3), "GPUs of type big are used, there are 2"),
    "GPU less": (partition(1, gpus=1), "plan.pipelines[0].rate_rps is written as 57.1428571429, checked as 28.57"),
    "pipeline missing": (
        lambda d: d["plan"]["pipelines"].pop(0),
        "model see is not served",
    ),
    "pipeline twice": (
        lambda d: d["plan"]["pipelines"].append(d["plan"]["pipelines"][1]),
        "3 GPUs of type big are used",
    ),
    "block moved": (partition(0, last_block=1), "the partitions do not follow on one another"),
    "share": (partition(1, share=1), "GPUs of type big are used"),
    "type": (partition(0, gpu="big"), "GPUs of type big are used"),
    "batch": (lambda d: d["plan"]["pipelines"][0].update(batch=2), "batch 2 on 1/2 of a big was not measured"),
    "optimal without bound": (
        lambda d: d.update(status="optimal", bound_rps=None),
        "status is optimal, but bound_rps does not reach the throughput",
    ),
    "optimal below the bound": (lambda d: d.update(status="optimal"), "bound_rps does not reach the throughput"),
    "bound below the value": (
        lambda d: d.update(bound_rps=66),
        "bound_rps is 66, below the checked throughput of 66.6666667",
    ),
    "infeasible with a plan": (lambda d: d.update(status="infeasible"), "there is a feasible plan"),
    "no plan": (lambda d: d.update(plan=None), "the result has no plan (status feasible)"),
    "outside the space": (lambda d: d["options"].update(virtual_gpus=False), "only whole GPUs are allowed"),
}


@pytest.mark.fifth("case")
@pytest.mark.parametrize("case", MUTATIONS)
def test_verify_refuses_a_changed_result_with_the_reason(capsys, instance, tmp_path, case):
    change, words = MUTATIONS[case]
    path = tmp_path / "r.json"
    call(capsys, "solve", instance, "--out", path)
    data = json.loads(path.read_text())
    change(data)
    path.write_text(json.dumps(data))
    code, out, _ = call(capsys, "verify", instance, path)
    assert code == 1
    assert out.startswith("refused: ")
    assert words in out


def test_solvers_are_listed_by_family(capsys):
    _, out, _ = call(capsys, "solvers")
    heads = [line.strip() for line in out.splitlines() if "solvers of" in line]
    assert heads == ["solvers of sessions", "solvers of clusters"]


def assert_bad_input(capsys, arguments, *words):
    code, out, err = call(capsys, *arguments)
    assert (code, out) == (2, "")
    assert err.count("\n") == 1
    for word in words:
        assert word in err


@pytest.mark.fifth("case")
@pytest.mark.parametrize("case", BAD_TEXTS)
def test_bad_instance_is_one_line_and_exit_2(capsys, tmp_path, case):
    path = tmp_path / "bad.json"
    path.write_text(BAD_TEXTS[case][0])
    assert_bad_input(capsys, ["solve", path], f"euclio: {path}: ")


FITTING = "those for clusters are: columns, boaster, narrow, nothing, slow"


def test_a_solver_of_sessions_is_refused_with_those_that_fit(capsys, instance):
    line = f"{instance}: --solver: solver 'exact' is for sessions; {FITTING}"
    assert_bad_input(capsys, ["solve", instance, "--solver", "exact"], line)


def test_a_solver_of_clusters_is_refused_on_a_session(capsys, session):
    line = f"{session}: --solver: solver 'columns' is for clusters; those for sessions are: exact"
    assert_bad_input(capsys, ["solve", session, "--solver", "columns"], line)


@pytest.mark.parametrize(
    "options", [["--policy", "rr"], ["--max-allocations", "any"], ["--hardware", "V100"], ["--no-batching"]]
)
def test_an_option_for_sessions_is_refused_on_a_cluster(capsys, instance, options):
    line = f"{instance}: {options[0]}: is an option for sessions, and this is one of clusters; leave it out"
    assert_bad_input(capsys, ["solve", instance, *options], line)


@pytest.mark.parametrize("options", [["--objective", "cost"], ["--max-partitions", "2"], ["--no-virtual-gpus"]])
def test_an_option_for_clusters_is_refused_on_a_session(capsys, session, options):
    line = f"{session}: {options[0]}: is an option for clusters, and this is one of sessions; leave it out"
    assert_bad_input(capsys, ["solve", session, *options], line)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--max-partitions", "0"], "--max-partitions"),
        (["--max-partitions", "two"], "--max-partitions"),
        (["--objective", "luck"], "--objective"),
        (["--engine", "highs"], "--engine: solver 'columns' does not take this option"),
    ],
)
def test_bad_option_is_one_line_and_exit_2(capsys, instance, options, words):
    assert_bad_input(capsys, ["solve", instance, *options], words)


def test_least_cost_without_loads_names_the_field(capsys, tmp_path):
    path = tmp_path / "bare.json"
    path.write_text(TEXT.replace('"rate_rps": 20, ', ""))
    line = f"{path}: models[1].rate_rps: is missing; the least-cost objective needs it"
    assert_bad_input(capsys, ["solve", path, "--objective", "cost"], line)


def test_a_folder_is_no_instance(capsys, tmp_path):
    assert_bad_input(capsys, ["solve", tmp_path], f"euclio: {tmp_path}: is a directory; name a file in it")


def test_a_result_of_another_instance_is_refused_by_its_name(capsys, instance, tmp_path):
    """Whatever else is in it: here a result of a session, whose objective no cluster has."""
    path = tmp_path / "r.json"
    path.write_text(json.dumps({"schema": "euclio/result/1", "instance": "other", "options": {"objective": "odd"}}))
    assert_bad_input(capsys, ["verify", instance, path], "instance: is 'other', but the instance is 'tiny'")


@pytest.mark.parametrize("text", ["0", "0.00", "0e3"])
def test_a_margin_may_be_nothing(text):
    assert part(text) == 0


@pytest.mark.parametrize("text", ["1", "-0.1", "nan", "x"])
def test_a_margin_that_is_no_part_of_the_slo_is_refused(text):
    with pytest.raises(ArgumentTypeError, match="from 0 to less than 1"):
        part(text)
