"""Systems that divide one objective: their readings of several, held against all paths one by one."""

from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest

from euclio import solve
from euclio.core.registry import find_solver
from euclio.core.result import Status
from euclio.problems.session import FULL_SPACE, Configuration, Hardware, Module, Session
from euclio.problems.session.arrays import session_arrays
from euclio.problems.session.objectives import Objective
from heuristics.session.objective_shares import even_shares, has_one_objective, stretch_factors
from tests.drawn.small_sessions import small_session, with_objectives

SYSTEMS = ("clipper", "piccolo", "piccolo:0re", "harpagon:splitter=even", "rate-over-throughput", "utilisation-70")


def paths_to(session, name):
    """Every path that ends with a module."""
    before = [parent for parent, child in session.edges if child == name]
    return [(*path, name) for parent in before for path in paths_to(session, parent)] or [(name,)]


def bounded(session):
    """Every path to an objective, with the objective and what its delays leave of it."""
    for one in session.objectives:
        for path in paths_to(session, one.to):
            yield one, path, one.slo_s - sum(session.delay_s.get(edge, Fraction(0)) for edge in pairwise(path))


@pytest.mark.parametrize("seed", range(40))
def test_even_shares_are_the_least_over_paths(seed):
    """Guards the counts of modules before and after, where a path with fewer modules may have more delay."""
    session = with_objectives(small_session(seed), seed, always=True)
    found = even_shares(session_arrays(session, FULL_SPACE))
    for module, budget in zip(session.modules, found.tolist(), strict=True):
        own = [left / len(path) for _, path, left in bounded(session) if module.name in path]
        if own:
            assert budget == pytest.approx(float(min(own)), rel=1e-9, abs=1e-12)
        else:
            assert budget > 10**9


@pytest.mark.parametrize("seed", range(40))
def test_factors_are_the_least_of_the_objectives_that_a_module_leads_to(seed):
    """Guards the search for a factor, where the longest path changes with it."""
    session = with_objectives(small_session(seed), seed, always=True)
    parts = {m.name: Fraction(k + 1, 7) for k, m in enumerate(session.modules)}
    found = stretch_factors(session_arrays(session, FULL_SPACE), np.array([float(x) for x in parts.values()]))
    of_objective = {
        one.name: min(left / sum(parts[name] for name in path) for own, path, left in bounded(session) if own is one)
        for one in session.objectives
    }
    for module, factor in zip(session.modules, found.tolist(), strict=True):
        leads = {one.name for one, path, _ in bounded(session) if module.name in path}
        if leads:
            assert factor == pytest.approx(float(min(of_objective[name] for name in leads)), rel=1e-9, abs=1e-12)


@pytest.mark.parametrize("seed", range(20))
def test_one_objective_is_divided_as_the_papers_say(seed):
    """Guards the change of formula: both ways agree where all modules without children have one objective."""
    arrays = session_arrays(small_session(seed), FULL_SPACE)
    assert has_one_objective(arrays)
    even = find_solver("harpagon:splitter=even")
    assert "objectives" in even.covers
    ones = np.ones(arrays.rate.size)
    assert stretch_factors(arrays, ones).min() == pytest.approx(even_shares(arrays).min())


@pytest.mark.parametrize("seed", range(40))
@pytest.mark.parametrize("name", SYSTEMS)
def test_their_plans_keep_every_objective(seed, name):
    """The checker accepts what they plan, and no plan is cheaper than the proven optimum of its plan space."""
    session = with_objectives(small_session(seed), seed, always=True)
    found = solve(session, name)
    assert found.status is not Status.ERROR, found.reason
    if found.value is None:
        return
    assert all(found.evaluation.objectives[one.name] <= one.slo_s for one in session.objectives)
    best = solve(session, "exact", space=found.space)
    if best.status is Status.OPTIMAL:
        assert found.value >= best.value * (1 - Fraction(1, 10**6))


def test_a_tight_application_leaves_others_their_time():
    """Apart: 0.2 s in two parts for a -> b, 2 s for c alone. Joined: b also leads to d, within 0.15 s less 0.03 s."""
    profile = [Configuration("g", 1, 1, "0.01")]
    session = Session(
        "apart",
        None,
        [Hardware("g", 1)],
        [Module(name, 1, profile) for name in "abcd"],
        [("a", "b"), ("b", "d")],
        objectives=[Objective("b", "b", "0.2"), Objective("c", "c", 2), Objective("d", "d", "0.15")],
        delay_s={("b", "d"): "0.03"},
    )
    budgets = even_shares(session_arrays(session, FULL_SPACE)).tolist()
    assert budgets == pytest.approx([0.04, 0.04, 2, 0.04])
