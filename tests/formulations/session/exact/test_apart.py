"""Parts of a session searched apart: the same answers as all together, and far fewer nodes."""

from __future__ import annotations

import math

import numpy as np
import pytest
from drawn.small_sessions import small_session

from euclio import pool, solve
from euclio.problems.session import PlanSpace
from euclio.problems.session.arrays import session_arrays
from formulations.effort import OPTIMAL
from formulations.session.exact.apart import joined, parts_of, proven_apart
from formulations.session.exact.frontier_search import ANY_WORK, prove_watched
from formulations.session.exact.solver import relaxed_arrays
from formulations.session.split.course import unwatched
from formulations.tolerances import GAP


def chain_of_two():
    """A connected session."""
    return next(session for session in map(small_session, range(50)) if session.edges == (("M0", "M1"),))


def _proven(arrays, known=math.inf):
    return prove_watched(arrays, GAP, math.inf, known, ANY_WORK, unwatched())


def _two(seed):
    """A pool of two sessions, which may have several parts themselves, as arrays."""
    one, two = small_session(seed), small_session(seed + 1000)
    prices = {h.name: h for h in (*one.hardware, *two.hardware)}
    hardware = tuple(prices.values())
    space = PlanSpace(charging=("whole", "share")[seed % 2])
    together = pool([type(s)(s.name, s.slo_s, hardware, s.modules, s.edges) for s in (one, two)])
    return together, space, relaxed_arrays(together, space, session_arrays(together, space))


@pytest.mark.parametrize("seed", range(20))
def test_parts_cost_what_all_cost_together(seed):
    """Guards the arrays of parts: their configurations, edges, ends and the way back to the session's places."""
    _, _, arrays = _two(seed)
    apart, together = proven_apart(arrays, math.inf, _proven), _proven(arrays)
    assert apart.status == together.status
    if apart.status == OPTIMAL:
        assert apart.cost == pytest.approx(together.cost, rel=2 * GAP, abs=0)
        assert apart.bound <= apart.cost
        assert (apart.machines * arrays.price).sum() <= apart.cost * (1 + GAP)


@pytest.mark.parametrize("seed", range(0, 20, 4))
def test_a_part_has_what_the_session_has(seed):
    """Guards the low digits of rates, which stand behind those of all configurations."""
    _, _, arrays = _two(seed)
    parts = parts_of(arrays)
    assert sorted(np.concatenate([part.modules for part in parts]).tolist()) == list(range(arrays.rate.size))
    for part in parts:
        own = part.arrays
        assert np.array_equal(own.low[own.batch.size :], arrays.low[arrays.batch.size + part.modules])
        assert own.parent.size == own.child.size == own.delay.size


def test_a_known_plan_that_is_no_dearer_is_kept():
    """As a search of all together has it: the cost is infinite where nothing cheaper was found."""
    _, _, arrays = _two(1)
    cost = proven_apart(arrays, math.inf, _proven).cost
    again = proven_apart(arrays, cost, _proven)
    assert math.isinf(again.cost)
    assert again.bound <= cost


def test_a_part_without_a_plan_leaves_none():
    """The parts behind it are not asked for."""
    _, _, arrays = _two(1)
    one, *_ = parts_of(arrays)
    late = one.arrays._replace(slo=1e-9)

    def found():
        yield one, _proven(late)
        raise AssertionError

    assert math.isinf(joined(arrays, found()).cost)


def test_a_connected_session_is_its_only_part():
    """The very arrays, so that every digit of an answer is as it was."""
    arrays = session_arrays(chain_of_two(), PlanSpace())
    (only,) = parts_of(arrays)
    assert only.arrays is arrays


def test_ten_applications_take_as_long_as_their_sum():
    """All together, the choices of ten applications would be multiplied."""
    base = small_session(7)
    many = pool(
        [type(base)(f"{base.name} {k}", base.slo_s, base.hardware, base.modules, base.edges) for k in range(10)]
    )
    alone, together = solve(base, "exact"), solve(many, "exact")
    assert together.value == 10 * alone.value
    assert together.stats["nodes"] == 10 * alone.stats["nodes"]
