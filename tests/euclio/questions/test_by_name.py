"""Rates and objectives that vary by name: each point is what solving it alone gives."""

from dataclasses import replace
from fractions import Fraction

import pytest

from euclio import curve, solve, what_if
from euclio.cli import main
from euclio.core.errors import InputError
from euclio.core.result import Status
from euclio.files import save_instance
from euclio.problems.session import Session
from euclio.problems.session.objectives import Application
from euclio.questions.sweep.question import sweep
from tests.drawn.small_sessions import small_session, with_objectives

FACTORS = (Fraction(1, 2), Fraction(9, 10), Fraction(2))


def named(seed: int) -> Session:
    """A session with objectives, and its first part an application."""
    session = with_objectives(small_session(seed), seed, always=True)
    return replace(session, slo_s=None, applications=(Application("first", [session.modules[0].name]),))


def alone(session: Session, machines: str, **changes: object) -> tuple[Status, Fraction | None]:
    found = solve(session, "exact", machines=machines, **changes)
    return found.status, found.value


@pytest.mark.parametrize("seed", range(20))
def test_points_are_what_solving_alone_gives(seed: int) -> None:
    """Guards plans that are kept under shorter objectives: other objectives of the session count too."""
    session = named(seed)
    one, *rest = session.objectives
    slos = {one.name: [one.slo_s * factor for factor in FACTORS], **{other.name: other.slo_s for other in rest[:1]}}
    answer = what_if(session, slo=slos, rate={"first": [7, 19]}, machines=["share", "whole"])
    assert [axis.of for axis in answer.question.axes] == ["first", one.name]
    for (rate, slo, way), point in answer.points.items():
        found = alone(session, way.value, slo={one.name: slo}, rate={"first": rate})
        assert (point.result.status, point.result.value) == found
        if point.checked is not None:
            assert point.checked[1].objectives[one.name] <= slo


@pytest.mark.parametrize("seed", range(20))
def test_the_curve_of_one_objective_is_what_solving_its_points_gives(seed: int) -> None:
    """Guards where a step ends: at what its plan takes of that objective, not at the longest path of all."""
    session = named(seed)
    one = session.objectives[0]
    found = curve(
        session, slo={one.name: [one.slo_s * Fraction(9, 10), one.slo_s * Fraction(11, 10)]}, machines="whole"
    )
    assert found.proven or not found.complete
    for factor in map(Fraction, ("9/10", "1", "21/20", "11/10")):
        step = found.at(one.slo_s * factor)
        if step is not None:
            assert step.cost_per_h == alone(session, "whole", slo={one.name: one.slo_s * factor})[1]


@pytest.mark.parametrize("seed", range(20))
def test_a_curve_over_the_slo_counts_delays(seed: int) -> None:
    """Guards the function that is found at once: it merges modules by the DAG, where edges may take time."""
    session = small_session(seed)
    if not session.edges:
        pytest.skip("no edge, no delay")
    session = replace(session, delay_s=dict.fromkeys(session.edges, session.slo_s / 5))
    found = curve(session)
    for factor in (*FACTORS, Fraction(1)):
        step = found.at(session.slo_s * factor)
        if step is not None:
            assert step.cost_per_h == alone(session, "share", slo=session.slo_s * factor)[1]


@pytest.mark.parametrize("seed", range(20))
def test_the_curve_of_one_application_is_what_solving_its_points_gives(seed: int) -> None:
    """Guards the end of a step: the rate that the machines of this application take, those of others aside."""
    session = named(seed)
    found = curve(session, over="rate", rate={"first": [5, 40]})
    for rate in (5, 11, Fraction(70, 3), 40):
        step = found.at(rate)
        if step is not None and found.complete:
            assert step.cost_per_h == alone(session, "whole", rate={"first": rate})[1]


@pytest.mark.parametrize("seed", range(0, 20, 4))
def test_a_page_varies_objectives_and_applications_by_name(seed: int) -> None:
    """Guards axes by name; without any, the first objective varies."""
    session = named(seed)
    one = session.objectives[0]
    found = sweep(session, rates={"first": [7, 19]}, stock={}, prices={}, chargings=["whole"])
    labels = [axis.label for axis in found.question.axes]
    assert labels[:2] == ["rate of first", f"SLO of {one.name}"]
    place = tuple(0 for _ in found.question.axes)
    here = found.question.session_at(place)
    assert found.points[place, found.question.chargings[0]].result.value == solve(here, "exact", machines="whole").value


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["what-if", "--slo", "0.3"], "the session has several objectives; name one of"),
        (["what-if", "--slo", "nobody=0.3"], "unknown objective 'nobody'; known: "),
        (["what-if", "--rate", "nobody=3"], "unknown application 'nobody'; known: first"),
        (["what-if", "--slo", "o0=0.3,0.4,o1=1,2"], "gives several values of o0 and o1; give several of one of them"),
        (["curve"], "the session has several objectives; name one, as in NAME=S,S: o0"),
        (["curve", "--slo", "nobody=0.3,1"], "unknown objective 'nobody'; name one, as in NAME=S,S: o0"),
        (["curve", "--slo", "o0=0.3"], "takes two values, the least and the largest"),
        (["curve", "--over", "rate", "--rate", "nobody=3,4"], "unknown application 'nobody'; known: first"),
    ],
)
def test_bad_names_are_one_line(arguments: list[str], said: str, capsys, tmp_path) -> None:
    file = tmp_path / "named.json"
    save_instance(named(next(seed for seed in range(50) if len(named(seed).objectives) > 1)), file)
    assert main([arguments[0], str(file), *arguments[1:]]) == 2
    lines = capsys.readouterr().err.strip().splitlines()
    assert said in lines[-1]
    assert str(file) in lines[-1] or "--slo" in lines[-1]


def test_a_session_with_one_objective_has_none_by_name() -> None:
    with pytest.raises(InputError, match="its one objective has no name"):
        curve(small_session(0), slo={"answer": [1, 2]})
