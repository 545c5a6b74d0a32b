"""`euclio diff`: two written plans next to each other."""

import json

import pytest
import tiny_clusters
import tiny_sessions
from worked_examples import M_3, one_module, plan

from euclio.cli import main
from euclio.core.registry import Solver
from euclio.core.result import Answer
from euclio.core.solving import solve
from euclio.files import load_instance, save_result


def keep(session, made, file):
    solver = Solver("fixed", "heuristic", "a fixed plan", lambda session, asked, limits: Answer(made, "done"))
    result = solve(session, solver, dummy="none")
    assert result.value is not None, result.reason
    save_result(result, session, file)


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """M_3 at 198 req/s on 4 + 0.95 machines of batch 32, then at 150 req/s on 3 of batch 32 and 0.9375 of batch 8."""
    monkeypatch.chdir(tmp_path)
    busy, calm = one_module(M_3, 198, 2), one_module(M_3, 150, 2)
    keep(busy, plan(busy, (32, 4), partial=38), "busy.json")
    keep(calm, plan(calm, (32, 3), (8, 0), partial=30), "calm.json")
    return tmp_path


def diff(capsys, *arguments):
    code = main(["diff", *map(str, arguments)])
    out, err = capsys.readouterr()
    return code, out, err


def test_machines_and_costs_are_next_to_each_other(capsys, folder):
    """Five machines become four: three stay, one takes batch 8, one goes; 4.95 becomes 3 + 30/32."""
    code, out, err = diff(capsys, "busy.json", "calm.json")
    assert (code, err) == (0, "")
    lines = out.splitlines()
    assert lines[2] == "cost 4.95 -> 3.9375 per hour (-1.0125, -20.45 %)"
    assert lines[3] == "1 machine change: 0 added, 1 removed; 1 machine changes batch or concurrency only"
    rows = [line.split("  ") for line in lines[7:9]]
    assert [[cell.strip() for cell in row if cell.strip()] for row in rows] == [
        ["M", "gpu", "32", "1", "4 + 0.950", "3", "1 removed, 1 to batch 8 x 1"],
        ["M", "gpu", "8", "1", "0", "0 + 0.938", "1 from batch 32 x 1"],
    ]
    assert lines[-1].split() == ["gpu", "5", "4", "0", "1", "1"]


def test_json_has_the_same(capsys, folder):
    found = json.loads(diff(capsys, "calm.json", "busy.json", "--json")[1])
    assert (found["schema"], found["change_cost_per_h"]) == ("euclio/difference/1", 1.0125)
    assert (found["changes"], found["added"], found["removed"]) == (1, 1, 0)
    assert found["hardware"] == [{"hardware": "gpu", "before": 4, "after": 5, "added": 1, "removed": 0, "changes": 1}]
    assert found["machines"] == [{"module": "M", "hardware": "gpu", "batch": 32, "concurrency": 1, "added": 1}]
    assert found["reset"][0]["before"] == {"batch": 8, "concurrency": 1}
    assert [row["after"] for row in found["load"]] == [4.95, 0]


def test_a_plan_and_itself_have_no_rows(capsys, folder):
    out = diff(capsys, "busy.json", "busy.json")[1]
    assert "cost 4.95 -> 4.95 per hour (0, 0.00 %)" in out
    assert "0 machine changes: 0 added, 0 removed" in out
    assert "batch or concurrency only\n\nhardware" in out


def test_a_share_that_changes_alone_is_said(capsys, folder):
    less = one_module(M_3, 190, 2)
    keep(less, plan(less, (32, 4), partial=30), "less.json")
    out = diff(capsys, "busy.json", "less.json")[1]
    assert "4 + 0.950   4 + 0.750   load" in out


def test_moves_are_said_in_words(capsys, tmp_path, monkeypatch):
    """Detect goes from a V100 to two P100; the V100 of classify stays."""
    monkeypatch.chdir(tmp_path)
    session = tiny_sessions.tiny_session(2)
    first, last = (tiny_sessions.one_configuration_plan(session, index) for index in (0, -1))
    keep(session, first, "first.json")
    keep(session, last, "last.json")
    out = diff(capsys, "first.json", "last.json")[1]
    assert out.splitlines()[-1] == "1 machine of detect moves from V100 to P100"


def test_clusters_are_compared_part_by_part(capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    cluster = tiny_clusters.tiny_cluster()
    for file, solver in (("tiny.json", tiny_clusters.answering(tiny_clusters.tiny_plan())), ("best.json", "columns")):
        save_result(solve(cluster, solver), cluster, file)
    code, out, _ = diff(capsys, "tiny.json", "best.json")
    assert code == 0
    assert out.splitlines()[2].startswith("throughput 66.6666667 -> 80 req/s per weight (+13.3")
    assert any(line.startswith("- pipelines: {") and '"model": "see"' in line for line in out.splitlines())
    found = json.loads(diff(capsys, "tiny.json", "best.json", "--json")[1])
    assert len(found["removed"]) == out.count("\n- ")
    assert len(found["added"]) == out.count("\n+ ") > 0
    assert "0 parts of the first plan only (-), 0 of the second only (+)" in diff(capsys, *["best.json"] * 2)[1]


def test_results_of_two_families_are_refused(capsys, folder):
    (folder / "c.json").write_text(tiny_clusters.TEXT)
    cluster = load_instance("c.json")
    save_result(solve(cluster, "columns"), cluster, "cluster.json")
    code, out, err = diff(capsys, "busy.json", "cluster.json")
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert "cluster.json: is of clusters, and busy.json of sessions; give two results of one family" in err


def test_a_changed_instance_is_named_with_its_changes(capsys, folder):
    edited(folder, changes={"rate_rps": 150})
    out = diff(capsys, "busy.json", "edited.json")[1]
    assert out.splitlines()[1] == "after:  edited.json: one module with rate 150 req/s, fixed, feasible"
    found = json.loads(diff(capsys, "busy.json", "edited.json", "--json")[1])
    assert [found[end]["instance_changes"] for end in ("before", "after")] == ["", "rate 150 req/s"]


def edited(folder, **changes):
    data = json.loads((folder / "calm.json").read_text())
    (folder / "edited.json").write_text(json.dumps(data | changes))


@pytest.mark.parametrize(
    ("changes", "code", "words"),
    [
        ({"plan": None, "status": "infeasible", "cost_per_h": None}, 4, "there is no plan to compare (status infeas"),
        ({"options": {}}, 2, "options, plan: are those of no problem family; give a result"),
        ({"plan": {"x": 1}}, 2, "options, plan: are those of no problem family; give a result"),
        ({"schema": "euclio/session/1"}, 2, "schema: is the text 'euclio/session/1'; a file of schema euclio/result/1"),
        ({"cost_per_h": "much"}, 2, "cost_per_h: is the text 'much'; it must be a number"),
        ({"plan": {"latency_s": 1, "modules": [], "shared_machines": [["M"]]}}, 2, "shared_machines[0][0]: is 'M'"),
    ],
)
def test_what_is_no_result_is_one_line(capsys, folder, changes, code, words):
    edited(folder, **changes)
    found, out, err = diff(capsys, "busy.json", "edited.json")
    assert (found, out, err.count("\n")) == (code, "", 1)
    assert words in err


def test_a_result_of_a_user_whose_machines_are_many_is_read(capsys, folder):
    data = json.loads((folder / "calm.json").read_text())
    data["plan"]["modules"][0]["allocations"][0]["machines"] = 10**9
    edited(folder, plan=data["plan"])
    assert diff(capsys, "busy.json", "edited.json")[0] == 0
