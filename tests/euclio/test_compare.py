from fractions import Fraction
from pathlib import Path

import pytest
from tiny_sessions import answering, first_configuration, one_configuration_plan, second_configuration, tiny_session

from euclio import compare
from euclio.comparison_figure import draw
from euclio.errors import InputError
from euclio.figure_files import save_figure
from euclio.registry import Solver
from euclio.result import Answer
from euclio.session import DummyRule, PlanSpace, Policy, evaluate
from euclio.tables import comparison_table, to_text

NARROW = PlanSpace(Policy.RR, DummyRule.NONE)


def exact_of_two_spaces(session, space, limits):
    """Optimal by decree: 1.5 in the full space, 2.0 in the narrow one (classify has one configuration only)."""
    plan = one_configuration_plan(session, -1 if space.policy is Policy.RR else 0)
    return Answer(plan, "optimal", bound=float(evaluate(session, plan, space).cost_per_h))


EXACT = Solver("exact", "exact", "optimal by decree", exact_of_two_spaces)
FIRST = Solver("first", "heuristic", "best", first_configuration)
SECOND = Solver("second", "heuristic", "dearer by design", second_configuration, NARROW)
WASTEFUL = Solver("wasteful", "heuristic", "dearer by its own fault", second_configuration)
NOTHING = answering(None, name="nothing", infeasible=True)


@pytest.fixture
def registry(monkeypatch):
    known = {s.name: s for s in (EXACT, SECOND, WASTEFUL, NOTHING, FIRST)}
    monkeypatch.setattr("euclio.registry.solvers", lambda: known)
    monkeypatch.setattr("euclio.comparing.solvers", lambda: known)
    return known


def rows_of(comparison):
    return {row.solver.name: row for row in comparison.rows}


def test_every_heuristic_is_compared_cheapest_first(registry):
    assert [row.solver.name for row in compare(tiny_session(2)).rows] == ["first", "second", "wasteful", "nothing"]


def test_named_solvers_only(registry):
    assert [row.solver.name for row in compare(tiny_session(2), ["second", "exact"]).rows] == ["exact", "second"]


def test_gap_is_to_the_optimum_of_the_full_space(registry):
    found = rows_of(compare(tiny_session(2)))
    assert (found["first"].gap, found["second"].gap, found["nothing"].gap) == (0, pytest.approx(1 / 3), None)


def test_gap_splits_into_design_and_heuristic(registry):
    found = rows_of(compare(tiny_session(2)))
    assert (found["second"].design_share, found["second"].heuristic_share) == (1, 0)
    assert (found["wasteful"].design_share, found["wasteful"].heuristic_share) == (0, 1)


def test_no_gap_has_no_split(registry):
    assert rows_of(compare(tiny_session(2)))["first"].design_share is None


def test_own_optimum_is_solved_once_per_plan_space(registry, monkeypatch):
    spaces = []

    def counted(session, space, limits):
        spaces.extend([space] if session.name == "tiny" else [])
        return exact_of_two_spaces(session, space, limits)

    registry["exact"] = Solver("exact", "exact", "counts its runs", counted)
    compare(tiny_session(2))
    assert sorted(spaces, key=str) == sorted([PlanSpace(), NARROW], key=str)


def test_without_exact_solver_gaps_are_dashes(registry):
    del registry["exact"]
    comparison = compare(tiny_session(2))
    assert comparison.optimum_per_h is None
    line = next(x for x in to_text(comparison_table(comparison)).splitlines() if x.startswith("first"))
    assert line.split()[:6] == ["first", "1.500", "-", "-", "-", "-"]


def test_optimum_that_is_not_proven_is_not_used(registry):
    registry["exact"] = Solver("exact", "exact", "hits its limit", first_configuration)
    comparison = compare(tiny_session(2))
    assert rows_of(comparison)["second"].gap is None
    assert "optimum not proven (feasible; cost 1.5, no bound)" in to_text(comparison_table(comparison))


def test_unknown_solver_is_named():
    with pytest.raises(InputError, match="unknown solver 'hrapagon'"):
        compare(tiny_session(2), ["hrapagon"])


def test_plain_data_keeps_exact_costs(registry):
    data = compare(tiny_session(2)).describe()
    assert (data["optimum_per_h"], data["systems"][1]["cost_per_h"]) == (Fraction(3, 2), Fraction(2))


def test_table_fits_100_columns(registry):
    assert max(map(len, to_text(comparison_table(compare(tiny_session(2)))).splitlines())) <= 100


def test_bars_are_stacked_optimum_design_heuristic(registry):
    axes = draw(compare(tiny_session(2))).axes[0]
    second = [bar for bar in axes.patches if round(bar.get_y() + bar.get_height() / 2) == 1]
    assert [(round(bar.get_x(), 6), round(bar.get_width(), 6)) for bar in second] == [(0, 1.5), (1.5, 0.5)]


@pytest.mark.parametrize("ending", [".svg", ".png", ".pdf"])
def test_figure_is_written(registry, tmp_path, ending):
    path = tmp_path / f"c{ending}"
    save_figure(draw(compare(tiny_session(2))), path)
    assert path.stat().st_size > 1000


def test_figure_that_cannot_be_written_is_bad_input(registry):
    with pytest.raises(InputError, match="cannot be written"):
        save_figure(draw(compare(tiny_session(2))), Path("/no/such/folder/c.svg"))


def test_infeasible_session_is_called_so(registry):
    registry["exact"] = answering(None, name="exact", kind="exact", infeasible=True)
    assert "tiny: infeasible, the full plan space has no plan" in to_text(comparison_table(compare(tiny_session(2))))
