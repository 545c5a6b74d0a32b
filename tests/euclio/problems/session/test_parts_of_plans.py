"""Results by objective and application: held against plain paths and sums, and tried by `verify`."""

import json
from dataclasses import replace
from fractions import Fraction
from itertools import pairwise

import pytest

from euclio import solve
from euclio.cli import main
from euclio.core.tables import to_text
from euclio.files import result_to_text, save_instance
from euclio.problems.session import Configuration, Hardware, Module, Session
from euclio.problems.session.objectives import Application, Objective
from euclio.problems.session.parts_of_plans import applications_of, objectives_of, tightest_of
from euclio.problems.session.table import plan_table
from tests.drawn.small_sessions import small_session, with_objectives

PROFILE = [Configuration("g", b, 1, d) for b, d in ((1, "0.01"), (2, "0.015"), (4, "0.025"))]
CHAT = Session(
    "chat",
    None,
    [Hardware("g", 1)],
    [Module(name, 40, PROFILE) for name in ("a", "b", "c", "alone")],
    [("a", "b"), ("a", "c")],
    objectives=[Objective("first <token>", "a", "0.3"), Objective("answer", "b", 1)],
    delay_s={("a", "b"): "0.1"},
    applications=[Application("chat", ["a"])],
)


def paths_to(session, name):
    """Every path that ends with a module."""
    before = [parent for parent, child in session.edges if child == name]
    return [(*path, name) for parent in before for path in paths_to(session, parent)] or [(name,)]


@pytest.mark.parametrize("seed", range(40))
def test_each_objective_has_the_longest_of_its_paths(seed):
    """Guards latencies, delays and the path that is named, with objectives in the middle of paths."""
    session = with_objectives(small_session(seed), seed, always=True)
    found = solve(session, "exact", machines="whole")
    if found.value is None:
        pytest.skip("no plan")
    taken = {m.name: one.worst_case_latency_s for m, one in zip(session.modules, found.evaluation.modules, strict=True)}

    def length(path):
        return sum(taken[name] for name in path) + sum(session.delay_s.get(edge, 0) for edge in pairwise(path))

    kept = objectives_of(session, found.evaluation)
    for one in kept:
        assert one.latency_s == max(map(length, paths_to(session, one.to))) == length(one.path)
        assert one.slack_s >= 0
    assert tightest_of(session, found.evaluation).slack_s == session.slo_s - found.evaluation.latency_s


def test_applications_share_the_cost_and_unnamed_modules_come_last():
    """Of 4 modules three are the application; its part and that of the rest are the cost without spare machines."""
    session = replace(CHAT, slo_s=None, spare_machines=1)
    found = solve(session, machines="whole")
    named, rest = applications_of(session, found.evaluation)
    assert (named.name, named.modules, named.rate_rps) == ("chat", ("a", "b", "c"), 40)
    assert (rest.name, rest.modules) == (None, ("alone",))
    assert named.cost_per_h + rest.cost_per_h == found.value - found.evaluation.spare_cost_per_h


def test_the_table_names_objectives_applications_and_free_modules():
    found = solve(CHAT, machines="whole")
    said = to_text(plan_table(CHAT, found))
    assert "c, alone lead to no objective, and may take any latency" in said
    assert "other modules" in said
    (row,) = [line for line in said.splitlines() if line.startswith("answer")]
    assert row.endswith("a -> b")
    free = [line for line in said.splitlines() if line.startswith(("c ", "alone "))]
    assert len(free) == 2
    assert all(" any " in line for line in free)


def test_notebooks_draw_delays_and_objectives():
    said = CHAT._repr_html_()
    assert "100 ms</text>" in said
    assert "first &lt;toke… ≤ 300 ms" in said
    assert "<token>" not in said
    assert "first &lt;token&gt;" in solve(CHAT)._repr_html_()


@pytest.mark.parametrize(
    ("part", "field", "said"),
    [
        ("objectives", "latency_s", "latency_s of objective first <token>"),
        ("applications", "cost_per_h", "cost_per_h of application chat"),
    ],
)
def test_verify_refuses_what_differs_and_takes_what_is_left_out(part, field, said, tmp_path, capsys):
    instance, result = tmp_path / "chat.json", tmp_path / "result.json"
    save_instance(CHAT, instance)
    data = json.loads(result_to_text(solve(CHAT), CHAT))
    assert data["plan"]["any_latency"] == ["c", "alone"]
    data["plan"][part][0][field] *= 1.01
    result.write_text(json.dumps(data))
    assert main(["verify", str(instance), str(result)]) == 1
    assert said in capsys.readouterr().out
    del data["plan"][part]
    result.write_text(json.dumps(data))
    assert main(["verify", str(instance), str(result)]) == 0


def test_plain_sessions_say_nothing_more():
    plain = Session("plain", "0.5", CHAT.hardware, CHAT.modules, CHAT.edges)
    found = solve(plain)
    assert set(json.loads(result_to_text(found, plain))["plan"]) == {"latency_s", "modules"}
    assert "objective" not in to_text(plan_table(plain, found))
    delayed = replace(plain, delay_s={("a", "b"): Fraction(1, 10)})
    assert "of the SLO, delays included)" in to_text(plan_table(delayed, solve(delayed)))
