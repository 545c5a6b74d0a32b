"""Options that change an instance: what is solved, what the result states, and what the other verbs make of it."""

import json
from pathlib import Path

import pytest
from tiny_clusters import tiny_cluster
from tiny_sessions import TEXT, one_configuration_plan

from euclio.cli import main
from euclio.core.registry import Solver
from euclio.core.result import Answer
from euclio.files import load_result, save_instance
from euclio.problems.session.files.instances import load_session

FIRST = Solver(
    "first",
    "heuristic",
    "first configuration",
    lambda session, *_: Answer(one_configuration_plan(session), "done"),
    covers=frozenset({"stock", "shares"}),
)
CHANGES = ["--rate", "20", "--slo", "0.9", "--price", "V100=3", "--headroom", "0.5"]
STATED = {"rate_rps": 20, "slo_s": 0.9, "price_per_h": {"V100": 3}, "headroom": 0.5}


@pytest.fixture(autouse=True)
def fake_solvers(monkeypatch):
    monkeypatch.setattr("euclio.core.registry.solvers", lambda family=None: {"first": FIRST, "exact": FIRST})
    monkeypatch.setattr("euclio.questions.comparison.comparison.solvers", lambda family=None: {"first": FIRST})
    monkeypatch.setattr("euclio.problems.session.least_latency.solvers", lambda family: {})


@pytest.fixture
def instance(tmp_path):
    path = tmp_path / "tiny.json"
    path.write_text(TEXT)
    return str(path)


@pytest.fixture
def result(instance, tmp_path, capsys):
    path = str(tmp_path / "r.json")
    assert main(["solve", instance, "--solver", "first", *CHANGES, "--out", path]) == 0
    capsys.readouterr()
    return path


def test_solve_solves_the_changed_instance_and_states_the_changes(instance, result):
    data = json.loads(Path(result).read_text())
    assert data["changes"] == STATED
    assert data["instance"] == "tiny"
    # 30 and 15 req/s at 20 and 10 req/s per machine of 3 per hour.
    assert data["cost_per_h"] == 9
    assert load_session(instance).slo_s == 1


def test_a_result_without_changes_does_not_speak_of_them(instance, capsys):
    assert main(["solve", instance, "--solver", "first", "--json"]) == 0
    assert "changes" not in json.loads(capsys.readouterr().out)


def test_the_table_says_the_changes(instance, capsys):
    main(["solve", instance, "--solver", "first", *CHANGES])
    words = "with rate 20 req/s, SLO 0.9 s, price of V100 3 per hour and headroom 50.0 %"
    assert words in capsys.readouterr().out.splitlines()


def test_a_written_result_comes_with_the_changed_instance(instance, result):
    written = load_result(result, load_session(instance))
    assert [module.rate_rps for module in written.changed.modules] == [30, 15]
    assert written.changed.slo_s == pytest.approx(0.9)


def test_verify_applies_the_changes(instance, result, capsys):
    assert main(["verify", instance, result]) == 0
    out = capsys.readouterr().out
    assert out.startswith("accepted: cost 9 per hour")
    assert "with rate 20 req/s" in out


def test_verify_refuses_the_result_where_the_changes_are_taken_out(instance, result, capsys):
    data = json.loads(Path(result).read_text())
    del data["changes"]
    Path(result).write_text(json.dumps(data))
    assert main(["verify", instance, result]) == 1


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"rate_rps": 0}, "changes.rate_rps: is 0; it must be greater than 0"),
        ({"rate": 20}, "changes.rate: has no unit; write `rate_rps`, in requests per second"),
        ({"price_per_h": {"P10": 1}}, "changes.price_per_h.P10: unknown hardware 'P10'; did you mean P100?"),
        ({"slo_s": "0.9"}, "changes.slo_s: is the text '0.9'; it must be a number, without quotes"),
    ],
)
def test_wrong_changes_in_a_file_name_file_field_and_remedy(instance, result, capsys, changes, words):
    data = json.loads(Path(result).read_text())
    data["changes"] = changes
    Path(result).write_text(json.dumps(data))
    assert main(["verify", instance, result]) == 2
    assert capsys.readouterr().err == f"euclio: {result}: {words}\n"


@pytest.mark.parametrize("verb", ["compare", "explain"])
def test_other_verbs_change_the_instance_and_say_so(instance, capsys, verb):
    solvers = ["--solvers", "first"] if verb == "compare" else ["--solver", "first"]
    main([verb, instance, *solvers, *CHANGES, "--json"])
    assert json.loads(capsys.readouterr().out)["changes"] == STATED
    main([verb, instance, *solvers, *CHANGES])
    assert "with rate 20 req/s" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--price", "P10=1"], "--price: unknown hardware 'P10'; did you mean P100?"),
        (["--price", "P100"], "argument --price: 'P100' must be NAME=VALUE; pairs are divided by commas"),
        (["--price", "P100=1,P100=2"], "argument --price: 'P100' is given twice; keep one of them"),
        (["--price", "P100=cheap"], "argument --price: 'cheap' must be a number of at least 0"),
        (["--rate", "0"], "argument --rate: is 0; it must be greater than 0"),
        (["--rate", "1e999"], "argument --rate: is 1e999"),
        (["--stock", "P100=-1"], "argument --stock: '-1' must be a whole number, at least 0"),
        (["--stock", "P10=1"], "--stock: unknown hardware 'P10'; did you mean P100?"),
        (["--slo", "nan"], "argument --slo: 'nan' must be a number greater than 0"),
        (["--headroom", "-0.1"], "argument --headroom: is -0.1; it must be at least 0"),
        (["--rate", "1e12"], "--rate: is too high for this session"),
    ],
)
def test_bad_changes_are_one_line_and_exit_2(instance, capsys, options, words):
    assert main(["solve", instance, "--solver", "first", *options]) == 2
    err = capsys.readouterr().err
    assert words in err
    assert err.count("\n") == 1


def test_other_families_refuse_the_options(tmp_path, capsys):
    path = tmp_path / "cluster.json"
    save_instance(tiny_cluster(), path)
    assert main(["explain", str(path), "--rate", "10"]) == 2
    words = "--rate: is an option for sessions, and this is one of clusters; leave it out\n"
    assert capsys.readouterr().err.endswith(words)


def test_a_stock_is_stated_and_held_to(instance, tmp_path, capsys):
    path = tmp_path / "r.json"
    solving = ["solve", instance, "--solver", "first", "--out", str(path)]
    assert main([*solving, "--stock", "V100=4,P100=0"]) == 0
    assert json.loads(path.read_text())["changes"] == {"stock": {"V100": 4, "P100": 0}}
    assert main([*solving, "--stock", "V100=0"]) == 1
    assert "the plan takes 1 machines of V100, and 0 are in stock" in capsys.readouterr().err


def test_decimal_text_is_exact(instance, tmp_path):
    path = str(tmp_path / "r.json")
    main(["solve", instance, "--solver", "first", "--slo", "0.9000000000000000000001", "--out", path])
    assert '"slo_s": 0.9000000000000000000001' in Path(path).read_text()
    assert load_result(path, load_session(instance)).changed.slo_s > load_session(instance).slo_s * 9 / 10
