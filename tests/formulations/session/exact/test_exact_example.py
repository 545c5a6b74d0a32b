"""The session of docs/model/exact.md: what the page says of every round is what the method does."""

import math
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pytest

from euclio import load, solve
from euclio.core.result import Status
from euclio.problems.session import DummyRule, PlanSpace, Policy
from euclio.problems.session.arrays import session_arrays
from formulations.session.exact import frontier_search
from formulations.session.exact.solver import relaxed_arrays
from formulations.session.module.charges import no_charges
from formulations.session.module.problem import no_stock
from formulations.session.split.course import unwatched
from formulations.session.split.frontiers import split_problem
from formulations.tolerances import GAP

FILE = Path(__file__).parents[4] / "docs" / "model" / "two-modules.json"
SPACE = PlanSpace(Policy.MACHINE_RATE, DummyRule.NONE)


def test_modes_are_those_that_the_page_works_by_hand():
    """Within 0.6 s: a costs 3, 2, 1.5 or 1.25; b costs 2, 1 or 0.8; each from one latency on."""
    problem = split_problem(replace(load(FILE), slo_s=Fraction(6, 10)), SPACE, math.inf)
    modes = [
        [(mode.latency_s, mode.cost_per_h) for mode in sorted(own, key=lambda x: x.latency_s)] for own in problem.modes
    ]
    tenth = Fraction(1, 10)
    assert modes[0] == [(tenth, 3), (2 * tenth, 2), (3 * tenth, Fraction(3, 2)), (5 * tenth, Fraction(5, 4))]
    assert modes[1] == [(tenth, 2), (2 * tenth, 1), (Fraction(9, 20), Fraction(4, 5))]


def test_rounds_are_those_of_the_page(monkeypatch):
    """Bounds from 2 to 2.75; the plan of cost 3 in the first round; the search finds nothing cheaper."""
    bounds, windows, plans, choices = [], [], [], []
    kept = {
        "_relax": lambda found, room: bounds.append(found) or windows.append(list(room.columns[2])),
        "_round": lambda found, _: plans.append(found),
        "search_choices": lambda found, _: choices.append((found.cost, found.bound, found.complete)),
    }
    for name, keep in kept.items():
        kernel = getattr(frontier_search, name)

        def heard(*given, kernel=kernel, keep=keep):
            found = kernel(*given)
            keep(found, given[-1])
            return found

        monkeypatch.setattr(frontier_search, name, heard)
    session = load(FILE)
    s = relaxed_arrays(session, SPACE, session_arrays(session, SPACE))
    # The function itself, uncompiled: what is heard above is called by name.
    limits = (math.inf, math.inf, frontier_search.ANY_WORK)
    frontier_search.prove_within.function(s, no_stock(s), no_charges(s), GAP, *limits, unwatched())
    assert bounds == pytest.approx([2, 2.5, 2 + 5 / 8, 2 + 2 / 3, 2 + 17 / 24, 2.75], rel=1e-9)
    assert windows == [pytest.approx([0.25, 0.2], rel=1e-9)] * 6
    assert plans == pytest.approx([3] * 6)
    assert choices == [(math.inf, pytest.approx(3), True)]


def test_optimum_is_the_one_of_the_page():
    found = solve(load(FILE), "exact", space=SPACE)
    assert found.status is Status.OPTIMAL
    assert found.value == 3
