"""Every exact solver on a fixed sample of drawn cases: nothing wrong, and what is small is decided.

`python -m tests.adversary` runs as many as one likes; what it finds is shrunk and belongs into `cases/`.
"""

from __future__ import annotations

import pytest
from hypothesis import given, note, settings
from hypothesis import strategies as st

from euclio.core.registry import find_solver
from tests.drawn.cases import Case, data_text, drawn, to_data
from tests.drawn.clusters import cluster_case
from tests.drawn.fleets import fleet_case
from tests.drawn.sessions import EVEN_POLICIES, POLICIES, session_case

from .judging import UNDECIDED, WRONG
from .worker import asked, judge_case

SAMPLES = {
    "exact": range(160),
    "columns": range(60),
    "milp": range(12),
    "cpsat": range(12),
    "ppipe": range(8),
    "ppipe-cpsat": range(8),
    "fragment-columns": range(120),
    "set-partition": range(60),
    "set-partition-cpsat": range(30),
}
DECIDES = ("exact", "columns", "fragment-columns", "set-partition", "set-partition-cpsat")
"""Solvers that decide everything small; the others may leave open what their models' tolerances cannot decide."""
LIMIT_S = 20.0


@pytest.mark.parametrize(("solver", "seed"), [(name, seed) for name, seeds in SAMPLES.items() for seed in seeds])
def test_on_a_drawn_case(solver, seed):
    """Right, or (by a model in floating point) undecided with a valid bound."""
    case = drawn(find_solver(solver).family, seed)
    found = judge_case(solver, case, asked(solver, case), LIMIT_S)
    assert found.outcome not in WRONG | (UNDECIDED if solver in DECIDES else set()), found.why


@settings(max_examples=40, derandomize=True)
@given(st.randoms(use_true_random=False))
def test_exact_decides_whatever_hypothesis_draws(rng):
    """Hypothesis draws from the same generator and shrinks what fails."""
    case = Case("session", *session_case(rng, POLICIES + EVEN_POLICIES))
    note(data_text(to_data(case)))
    found = judge_case("exact", case, case.space, LIMIT_S)
    assert found.outcome not in WRONG | UNDECIDED, found.why


@settings(max_examples=25, derandomize=True)
@given(st.randoms(use_true_random=False))
def test_columns_decides_whatever_hypothesis_draws(rng):
    """Hypothesis draws clusters from the generator of `cluster_case` and shrinks what `columns` fails on."""
    case = Case("pipeline", *cluster_case(rng))
    note(data_text(to_data(case)))
    found = judge_case("columns", case, case.space, LIMIT_S)
    assert found.outcome not in WRONG | UNDECIDED, found.why


@settings(max_examples=40, derandomize=True)
@given(st.randoms(use_true_random=False))
def test_fragment_columns_decides_whatever_hypothesis_draws(rng):
    """Hypothesis draws fleets from the generator of `fleet_case` and shrinks what `fragment-columns` fails on."""
    case = Case("fragments", *fleet_case(rng, 4))
    note(data_text(to_data(case)))
    found = judge_case("fragment-columns", case, case.space, LIMIT_S)
    assert found.outcome not in WRONG | UNDECIDED, found.why
