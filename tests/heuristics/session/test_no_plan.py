"""A heuristic that finds no plan says so, and "infeasible" only where that is proven."""

import pytest

from euclio.cli import main
from euclio.core.registry import solvers_of
from euclio.core.result import Status
from euclio.core.solving import solve
from euclio.problems.session import Configuration, Hardware, Module, Session
from euclio.problems.session.files.instances import save_session
from euclio.problems.session.least_latency import why_no_plan
from euclio.workloads.session.random_sessions import random_session

SEARCHING_SOME = [
    s
    for s in solvers_of("session")
    if s.kind == "heuristic"
    or s.name in ("split-bruteforce", "split-enumeration", "piccolo-bruteforce", "scrooge-milp")
]
LISTED = [s.name for s in SEARCHING_SOME if s.space.dummy.countable and not s.space.fills]
ANY_RATE = [s.name for s in SEARCHING_SOME if s.name not in LISTED]
SESSIONS = [random_session(seed, 2, 3, slo_over_least=(0.9, 1.6)) for seed in range(25)]


@pytest.mark.fifth("name")
@pytest.mark.parametrize("name", LISTED)
def test_infeasible_is_said_only_where_enumeration_has_no_plan(name):
    said = [(s, found) for s in SESSIONS if (found := solve(s, name)).status is Status.INFEASIBLE]
    assert said
    for session, found in said:
        assert solve(session, "plan-bruteforce", space=found.space).status is Status.INFEASIBLE


@pytest.mark.fifth("name")
@pytest.mark.parametrize("name", ANY_RATE)
def test_infeasible_is_said_only_where_exact_proves_it(name):
    """With dummies at any rate a plan comes as near to its durations as one likes: the SLOs are below that."""
    sessions = [random_session(seed, 2, 3, slo_over_least=(0.3, 0.9)) for seed in range(12)]
    said = [(s, found) for s in sessions if (found := solve(s, name)).status is Status.INFEASIBLE]
    assert said
    for session, found in said:
        assert solve(session, "exact", space=found.space).status is Status.INFEASIBLE


def test_there_are_sessions_where_only_the_heuristic_found_nothing():
    open_ones = [s for s in SESSIONS if solve(s, "harpagon").status is Status.UNKNOWN]
    assert [s.name for s in open_ones if solve(s, "plan-bruteforce").status is Status.OPTIMAL]


def test_command_ends_with_code_4_and_says_that_there_is_a_plan(tmp_path, capsys):
    session = next(
        s
        for s in SESSIONS
        if solve(s, "harpagon").status is Status.UNKNOWN and solve(s, "plan-bruteforce").plan is not None
    )
    save_session(session, tmp_path / "s.json")
    code = main(["solve", str(tmp_path / "s.json"), "--solver", "harpagon"])
    assert code == 4
    assert ": unknown: harpagon found no plan, but its plan space has one" in capsys.readouterr().err


def test_plan_that_is_forced_proves_it():
    """At 80/3 req/s as a decimal, without dummies, 4/3e-15 req/s are left for a partial machine."""
    sliver = Module("m", "26.666666666666668", [Configuration("A", 4, 1, "0.3")])
    session = Session("s", 4, [Hardware("A", 1)], [sliver])
    assert solve(session, "harpagon", dummy="none").status is Status.INFEASIBLE


def test_hardware_types_are_proven_one_by_one_where_a_session_keeps_to_one():
    nexus = next(s for s in solvers_of("session") if s.name == "nexus").space
    modules = [
        Module("a", 10, [Configuration("A", 1, 1, "0.01"), Configuration("B", 1, 1, "0.2")]),
        Module("b", 10, [Configuration("A", 1, 1, "0.2"), Configuration("B", 1, 1, "0.01")]),
    ]
    session = Session("s", "0.1", [Hardware("A", 1), Hardware("B", 1)], modules, [("a", "b")])
    assert why_no_plan(session, nexus).count("not even the least latencies meet the SLO (proven)") == 2
