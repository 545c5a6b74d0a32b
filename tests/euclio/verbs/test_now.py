"""The machines that run now: what they cost, how late they are, and how far from the optimum."""

import json

import pytest
from tiny_sessions import TEXT, tiny_session

import euclio
from euclio.cli import main
from euclio.core.errors import InputError

MACHINES = "detect:V100=1,classify:V100=2"


@pytest.fixture
def file(tmp_path):
    (tmp_path / "tiny.json").write_text(TEXT, encoding="utf-8")
    return str(tmp_path / "tiny.json")


def test_a_deployment_is_served_next_to_the_optimum(capsys, file):
    """One V100 takes 20 of 10 detections, two take 20 of 5 classifications: one of these three is too many."""
    assert main(["simulate", file, "--machines", MACHINES, "--seconds", "5"]) == 0
    out = capsys.readouterr().out
    assert "now: cost 4.5 per hour, latency 0.45 s of 1 s\noptimum: 3 per hour\n" in out
    assert main(["simulate", file, "--machines", MACHINES, "--seconds", "5", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["now"] == {"cost_per_h": 4.5, "violations": [], "optimum_per_h": 3, "optimum_status": "optimal"}
    assert found["attainment"] == 1


def test_compare_has_a_system_now(capsys, file):
    """Within 0.4 s nothing has a plan, which exit code 3 says; the line has the cost of now all the same."""
    assert main(["compare", file, "--now", MACHINES, "--solvers", "exact", "--slo", "0.4"]) == 3
    out = capsys.readouterr().out
    assert "now: cost 4.5 per hour, latency 0.45 s of 0.4 s; path detect -> classify takes 0.45 s, more than" in out
    rows = euclio.compare(file, now={"detect:V100": 1, "classify:V100": 2}, solvers="exact").rows
    assert {row.solver.name: row.result.value for row in rows}["now"] == 4.5


def test_python_takes_the_same(file):
    by_text = euclio.simulate(file, machines=MACHINES, batch="detect=2,classify=1x2", seconds=3)
    by_names = euclio.simulate(
        tiny_session(),
        machines={"detect:V100": 1, "classify:V100": 2},
        batch={"detect": 2, "classify": (1, 2)},
        seconds=3,
    )
    assert by_text.attainment == by_names.attainment == 1
    assert [own.dummy_rps for own in by_names.plan.modules] == [10, 15]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ([], "RESULT: is missing; name a result, or state the machines that run now by --machines"),
        (["result.json", "--machines", MACHINES], "--machines: is given next to a result; leave one out"),
        (["--batch", "2"], "--batch: is that of the machines of --machines; add these, or leave it out"),
        (["--machines", MACHINES, "--batch", "2y"], "--batch: '2y' must be a batch, such as 8, or 8x2 for two of them"),
        (["--machines", "detect:V100=0"], "--machines: '0' must be a whole number, at least 1"),
    ],
)
def test_options_that_do_not_go_together_are_refused(capsys, file, options, message):
    assert main(["simulate", file, *options]) == 2
    assert message in capsys.readouterr().err


def test_other_families_have_no_such_machines():
    with pytest.raises(InputError, match="states machines of sessions, and this is one of clusters; leave it out"):
        euclio.compare(euclio.generate("pipelines", count=1)[0], now="a:b=1")
