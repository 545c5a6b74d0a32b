"""Explanations of sessions with several objectives and delays: held against the exact method and plain paths."""

import json
from dataclasses import replace
from fractions import Fraction
from itertools import pairwise

import pytest

from euclio import explain, solve
from euclio.cli import main
from euclio.core.result import Status
from euclio.files import save_instance
from euclio.problems.session import Configuration, Hardware, Module, PlanSpace, Session
from euclio.problems.session.objectives import Objective
from tests.drawn.small_sessions import small_session, with_objectives

SPACES = (PlanSpace(), PlanSpace(single_hardware=True, batching=False))


def paths_to(session: Session, name: str) -> list[tuple[str, ...]]:
    """Every path that ends with a module."""
    before = [parent for parent, child in session.edges if child == name]
    return [(*path, name) for parent in before for path in paths_to(session, parent)] or [(name,)]


def with_least(session: Session, least_s: dict[str, Fraction], shorter: str = "") -> Session:
    """The session with other objectives, one of them shorter by a millionth."""
    part = {name: 1 - Fraction(name == shorter, 10**6) for name in least_s}
    return replace(
        session,
        slo_s=None,
        objectives=tuple(replace(one, slo_s=least_s[one.name] * part[one.name]) for one in session.objectives),
    )


@pytest.mark.parametrize("seed", range(40))
@pytest.mark.parametrize("space", SPACES)
def test_it_agrees_with_the_exact_method(seed: int, space: PlanSpace) -> None:
    """Guards conflicts of paths that end anywhere, and the least of each objective where all are at their least."""
    session = with_objectives(small_session(seed), seed)
    found = explain(session, space)
    proven = solve(session, "exact", space=space)
    assert (found.status is Status.INFEASIBLE) == (proven.status is Status.INFEASIBLE)
    if not found.least_objectives_s:
        return
    assert solve(with_least(session, found.least_objectives_s), "exact", space=space).value is not None
    for one in session.objectives if found.least_proven and not space.single_hardware else ():
        shorter = with_least(session, found.least_objectives_s, one.name)
        assert solve(shorter, "exact", space=space).status is Status.INFEASIBLE


@pytest.mark.parametrize("seed", range(40))
def test_a_conflict_is_a_path_that_takes_longer_than_its_objective(seed: int) -> None:
    """Guards the sum of a conflict: its modules follow one another, and no path has more delay than is said of it."""
    session = with_objectives(small_session(seed), seed)
    for conflict in explain(session).conflicts:
        assert conflict.objective is not None
        assert conflict.needed_s is not None
        assert conflict.needed_s > conflict.objective.slo_s
        names = {session.modules[i].name for i in conflict.modules}
        over = [path for path in paths_to(session, conflict.objective.to) if names <= set(path)]
        delays = [sum(session.delay_s.get(edge, 0) for edge in pairwise(path)) for path in over]
        assert conflict.delay_s in delays


PROFILE = [Configuration("g", 1, 1, "0.1")]


def chain(*objectives: Objective, delay: str = "0.05") -> Session:
    """Modules a and b, which take more than 0.1 s each, however many machines they have."""
    modules = [Module("a", 10, PROFILE), Module("b", 10, PROFILE)]
    return Session(
        "chain", None, [Hardware("g", 1)], modules, [("a", "b")], objectives=objectives, delay_s={("a", "b"): delay}
    )


def test_the_objective_that_binds_is_named_with_the_least_change(capsys, tmp_path) -> None:
    """Module a alone keeps 0.5 s; a -> b needs 0.1 + 0.05 + 0.1 s, more than 0.2 s."""
    session = chain(Objective("first", "a", "0.5"), Objective("answer", "b", "0.2"))
    found = explain(session)
    assert found.binding is session.objectives[1]
    (conflict,) = found.conflicts
    assert (conflict.objective, conflict.delay_s) == (session.objectives[1], Fraction("0.05"))
    file = tmp_path / "chain.json"
    save_instance(session, file)
    assert main(["explain", str(file)]) == 3
    said = capsys.readouterr().out
    assert "more than objective answer of 0.2 s" in said
    assert "feasible from objective answer of" in said
    assert "objective first" not in said.partition("remedies")[2]
    assert main(["explain", str(file), "--json"]) == 3
    plain = json.loads(capsys.readouterr().out)
    assert (plain["objective"], plain["slo_s"], plain["conflict"][0]["objective"]) == ("answer", 0.2, "answer")
    assert [one["name"] for one in plain["objectives"]] == ["first", "answer"]


def test_delays_alone_are_a_reason_of_their_own(capsys, tmp_path) -> None:
    """0.05 s between a and b are more than 0.04 s, whatever the machines are."""
    session = chain(Objective("answer", "b", "0.04"))
    (conflict,) = explain(session).conflicts
    assert (conflict.modules, conflict.needed_s) == ((), Fraction("0.05"))
    file = tmp_path / "chain.json"
    save_instance(session, file)
    assert main(["solve", str(file)]) == 3
    assert "delays on the way to b take 0.05 s, more than objective answer of 0.04 s" in capsys.readouterr().err


def test_room_is_said_of_each_objective_and_free_modules_are_named(capsys, tmp_path) -> None:
    session = chain(Objective("first", "a", "0.5"))
    found = explain(session)
    assert found.status is Status.FEASIBLE
    assert found.slack_s == Fraction("0.5") - found.least_objectives_s["first"]
    file = tmp_path / "chain.json"
    save_instance(session, file)
    assert main(["explain", str(file)]) == 0
    said = capsys.readouterr().out
    assert "first: up to" in said
    assert "b leads to no objective, and may take any latency" in said


def test_a_module_without_a_configuration_is_the_conflict_even_where_it_leads_to_no_objective() -> None:
    (conflict,) = explain(
        replace(
            chain(Objective("first", "a", "0.5")),
            hardware=(Hardware("g", 1), Hardware("h", 1)),
            modules=(Module("a", 10, PROFILE), Module("b", 10, [Configuration("h", 1, 1, "0.1")])),
            slo_s=None,
        ),
        hardware="g",
    ).conflicts
    assert (conflict.modules, conflict.objective, conflict.needed_s) == ((1,), None, None)
