"""Several steps of a module's cost curve by one search, and `exact` where all its searches are such."""

import itertools
import random
from fractions import Fraction

import numpy as np
import pytest

from euclio import solve
from euclio.core.compiled import using
from euclio.core.result import Status
from euclio.core.ways import Way
from euclio.problems.session import DummyRule, PlanSpace
from euclio.problems.session.arrays import session_arrays
from euclio.workloads.session.random_sessions import random_session
from formulations.session.exact import mode_resolution
from formulations.session.module.by_share import new_search_room, search_in_place
from formulations.session.module.charges import no_charges
from formulations.session.module.problem import module_problem, no_stock
from formulations.session.module.steps import COST, LATENCY, MOST, MOST_STEPS, PATIENCE, SCOPE, SIZE
from formulations.tolerances import FRONTIER
from tests.drawn.reference_sessions import module_front, session_truth
from tests.drawn.small_sessions import small_session
from tests.helpers.random_modules import random_module, session_with

RULES = (DummyRule.NONE, DummyRule.MACHINE)
SPACES = [PlanSpace(dummy=rule, max_allocations=most) for rule, most in itertools.product(RULES, (2, None))]


def searched(module, space, budget, most, least=0.0, cutoff=np.inf):
    """Latency and cost of the steps that one search keeps, and whether it was through."""
    arrays = session_arrays(session_with(budget, module), space)
    p = module_problem(arrays, 0, float(budget), no_stock(arrays))
    room = new_search_room(max(1, p.configuration.size), p.most, 0)
    room.steps.numbers[MOST], room.steps.numbers[PATIENCE] = most, 10**9
    room.steps.points[LATENCY, SCOPE], room.steps.points[COST, SCOPE] = least, np.inf
    found = search_in_place(p, no_charges(arrays), 0, cutoff, 0.0, FRONTIER, 10**9, room)
    size = room.steps.numbers[SIZE]
    return list(zip(*room.steps.points[:, :size].tolist(), strict=True)), found.complete


def listed(module, space, budget):
    """The same by enumeration, the cheapest first."""
    points = module_front(module, session_with(budget, module).price, space, ["A", "B"], budget)
    return [(float(latency), float(cost)) for latency, cost in reversed(points)]


@pytest.mark.parametrize("seed", range(150))
def test_one_search_keeps_the_steps_that_an_enumeration_lists(seed):
    # A plan that is dropped as no faster than a step may be the only one within some budget: then a proof is wrong.
    rng = random.Random(seed)
    module, space = random_module(rng), SPACES[seed % len(SPACES)]
    budget = Fraction(rng.randint(5, 400), 100)
    steps, complete = searched(module, space, budget, MOST_STEPS)
    assert complete
    for step, point in itertools.zip_longest(steps, listed(module, space, budget)[:MOST_STEPS]):
        assert step == pytest.approx(point, rel=1e-9)


@pytest.mark.parametrize("seed", range(60))
def test_where_fewer_are_kept_they_are_the_cheapest(seed):
    rng = random.Random(1000 + seed)
    module, space = random_module(rng), SPACES[seed % len(SPACES)]
    budget, most = Fraction(rng.randint(5, 400), 100), rng.randint(2, 4)
    points = listed(module, space, budget)
    steps, _ = searched(module, space, budget, most)
    # All that are faster than the last one are left out, since they cost more.
    assert [cost for _, cost in steps] == pytest.approx([cost for _, cost in points[:most]], rel=1e-9)
    if len(points) > 1:
        # What is faster than the least latency counts as that fast: the cheapest of them is a step.
        steps, _ = searched(module, space, budget, MOST_STEPS, least=points[0][0])
        assert [cost for _, cost in steps] == pytest.approx([points[0][1]], rel=1e-9)
        # What costs as much as the cutoff is none.
        steps, _ = searched(module, space, budget, MOST_STEPS, cutoff=points[1][1])
        assert [cost for _, cost in steps] == pytest.approx([points[0][1]], rel=1e-9)


@pytest.mark.parametrize("seed", range(250))
def test_exact_is_right_where_every_search_keeps_several_steps(seed, monkeypatch):
    # The searches of tiny modules are too short for it, and those that are long enough no enumeration can list.
    monkeypatch.setattr(mode_resolution, "LONG", 0)
    monkeypatch.setattr(mode_resolution, "LONGER", 10**6)
    space = SPACES[seed % len(SPACES)]
    session = small_session(seed)
    # Machine code has the numbers of when it was made built in.
    with using(Way.INTERPRETED):
        least, result = session_truth(session, space).upper, solve(session, "exact", space=space)
    if least is None:
        assert result.status is Status.INFEASIBLE
    else:
        assert (result.status, result.cost) == (Status.OPTIMAL, pytest.approx(float(least), rel=1e-9))


@pytest.mark.parametrize("seed", range(200))
def test_exact_proves_the_same_where_its_searches_keep_one_step_each(seed, monkeypatch):
    # More configurations than an enumeration lists: steps are as fast as a mode begins, and stand for faster ones.
    rng = random.Random(seed)
    session = random_session(seed, modules=rng.choice((1, 2, 3, 4)), configurations=rng.choice((6, 12, 20)))
    found = []
    for long in (0, 1 << 60):
        monkeypatch.setattr(mode_resolution, "LONG", long)
        monkeypatch.setattr(mode_resolution, "LONGER", 20)
        with using(Way.INTERPRETED):
            found.append(solve(session, "exact", space=SPACES[seed % len(SPACES)]))
    several, single = found
    assert several.status is single.status is not Status.ERROR
    assert several.cost == (None if single.cost is None else pytest.approx(single.cost, rel=1e-9))
