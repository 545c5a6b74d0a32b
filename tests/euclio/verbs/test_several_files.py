"""Several sessions on one command line are one: they share their machines."""

import json

import pytest

from euclio import compare, explain, pool, solve
from euclio.cli import main
from euclio.files import load_instance, save_instance
from euclio.problems.session import Configuration, Hardware, Module, Session
from euclio.workloads.pipeline.small_clusters import small_cluster

PROFILE = [Configuration("g", b, 1, d) for b, d in ((1, "0.01"), (2, "0.015"), (4, "0.025"))]
SESSIONS = [
    Session(name, "0.2", [Hardware("g", 1, 3)], [Module("m", rate, PROFILE)]) for name, rate in (("a", 150), ("b", 90))
]


@pytest.fixture
def files(tmp_path):
    found = [tmp_path / f"{one.name}.json" for one in SESSIONS]
    for one, file in zip(SESSIONS, found, strict=True):
        save_instance(one, file)
    return [str(file) for file in found]


def test_solve_gives_the_plan_of_the_pool(files, tmp_path, capsys):
    """The result is one of the file that `euclio pool` writes, which the last line says how to make."""
    out, together = tmp_path / "result.json", tmp_path / "pool.json"
    assert main(["solve", *files, "--machines", "whole", "--out", str(out)]) == 0
    said = capsys.readouterr().out
    assert f"as one file: euclio pool {' '.join(files)} --out POOL" in said
    assert main(["pool", *files, "--out", str(together)]) == 0
    assert main(["verify", str(together), str(out)]) == 0
    assert json.loads(out.read_text())["cost_per_h"] == float(solve(pool(SESSIONS), machines="whole").value)
    plan = json.loads(out.read_text())["plan"]
    assert [(one["name"], one["rate_rps"]) for one in plan["applications"]] == [("a", 150), ("b", 90)]
    assert sum(one["cost_per_h"] for one in plan["applications"]) == json.loads(out.read_text())["cost_per_h"]


def test_python_takes_a_list(files):
    found = solve(SESSIONS, machines="whole")
    assert found.value == solve([files[0], SESSIONS[1]], machines="whole").value
    assert compare(tuple(files), "exact").instance.name == "a + b"
    assert explain(SESSIONS).session.name == "a + b"
    assert solve(SESSIONS[:1]).value == solve(SESSIONS[0]).value


@pytest.mark.parametrize("verb", ["solve", "compare", "explain", "what-if", "curve --slo a=0.1,0.2", "most --budget 3"])
def test_every_verb_of_one_instance_takes_them(verb, files, capsys):
    name, *options = verb.split()
    assert main([name, *files, *options]) == 0
    assert "a + b" in capsys.readouterr().out


def test_what_is_no_session_is_refused_in_one_line(files, tmp_path, capsys):
    """Another family, another schema, the same session twice, a file that is to be overwritten."""
    cluster = tmp_path / "cluster.json"
    save_instance(small_cluster(1), cluster)
    other = tmp_path / "other.json"
    other.write_text('{"schema": "euclio/result/1"}')
    for given, said in (
        ([files[0], str(cluster)], f"euclio: {cluster}: is one of clusters; a pool is of sessions"),
        ([files[0], str(other)], f"euclio: {other}: schema: is the text 'euclio/result/1'"),
        ([files[0], files[0]], "two sessions are called 'a'; rename one"),
        ([*files, "--out", files[1]], f"{files[1]}: --out: is read by this command"),
    ):
        assert main(["solve", *given]) == 2
        (line,) = capsys.readouterr().err.strip().splitlines()
        assert said in line
    assert load_instance(files[1]) == SESSIONS[1]
