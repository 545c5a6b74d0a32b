"""What is said of claims that are an engine's word, whichever engine it is."""

from __future__ import annotations

import pytest
from tiny_clusters import tiny_cluster
from tiny_sessions import tiny_session

from euclio import solve
from euclio.core.engine_packages import ENGINE_OF_LIBRARY, engine_of_claim
from euclio.core.registry import solvers
from euclio.core.result import Status
from euclio.core.tables import claimed_of


@pytest.mark.parametrize(
    ("solver", "engine"),
    [("milp", "highs"), ("milp-split", "highs"), ("cpsat", "cpsat"), ("cpsat-split", "cpsat"), ("exact", "")],
)
def test_an_engines_word_on_a_session_is_said_to_be_its_own(solver, engine):
    """CP-SAT's "infeasible" (exit code 3) and "optimal" stood as if a search had proven them."""
    for slo, status in (("9", Status.OPTIMAL), ("0.001", Status.INFEASIBLE)):
        found = solve(tiny_session(slo), solver)
        assert found.status is status
        assert claimed_of(found) == (f", by the engine {engine} alone" if engine else "")


def test_so_is_its_word_on_a_cluster():
    assert engine_of_claim(solve(tiny_cluster(), "ppipe-cpsat")) == "cpsat"


def test_every_solver_that_loads_cp_sat_says_so():
    """A library that is one engine is known by its name: a new solver on it cannot leave the words out."""
    loading = {s.name: s for s in solvers().values() if "ortools" in s.needs}
    assert {"cpsat", "cpsat-split", "ppipe-cpsat", "set-partition-cpsat"} <= loading.keys()
    assert [name for name, s in loading.items() if ENGINE_OF_LIBRARY.get(s.library) != "cpsat"] == []
