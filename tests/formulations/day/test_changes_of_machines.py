"""Changes of machines over tables of vectors, next to a look at every pair of vectors.

The sweeps run row by row where rows are long and block by block where they are short, and the way back looks at few
vectors; a mistake in either makes a plan of a day more expensive than it is, or its bound too high, which no checker
of plans sees.
"""

from itertools import product

import numpy as np
import pytest

from formulations.day import paths as one_path
from formulations.day.paths import SHORT_ROW, ChangePrices, cheapest_path

LONG = SHORT_ROW + 1
SHAPES = [(1,), (2,), (LONG,), (3, 2), (1, 4, 1), (2, LONG), (LONG, 2), (2, 3, 2, 4), (2, 2, SHORT_ROW)]


def drawn(shape, seed):
    """Costs with ties and vectors that do not serve, and prices of changes of which some are 0."""
    draw = np.random.default_rng(seed)
    cost = draw.integers(0, 6, shape).astype(float)
    cost[draw.random(shape) < 0.25] = np.inf
    start, stop = (tuple(draw.choice([0.0, 0.25, 1.0, 2.0], len(shape)).tolist()) for _ in range(2))
    return cost, ChangePrices(start, stop)


def change(prices, before, after):
    """What a change costs, type by type."""
    pairs = zip(before, after, prices.start, prices.stop, strict=True)
    return sum(start * max(b - a, 0) + stop * max(a - b, 0) for a, b, start, stop in pairs)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("shape", SHAPES)
def test_the_cost_after_a_change_is_the_least_over_all_vectors_before(shape, seed):
    """All amounts are multiples of a quarter, so that sums are exact and have to be equal."""
    cost, prices = drawn(shape, seed)
    places = list(product(*map(range, shape)))
    least = np.array([min(cost[a] + change(prices, a, b) for a in places) for b in places]).reshape(shape)
    assert (prices.after_change(cost) == least).all()


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("shape", SHAPES)
def test_the_best_vector_before_is_the_first_of_equals(shape, seed):
    """Reports are the same to the byte only if ties between vectors are decided by their order."""
    cost, prices = drawn(shape, seed)
    places = list(product(*map(range, shape)))
    for b in places:
        first = min(places, key=lambda a, b=b: cost[a] + change(prices, a, b))
        if np.isfinite(cost[first]):
            assert prices.best_before(cost, b) == first


@pytest.mark.parametrize("steps", [1, 2, 5, 16])
def test_tables_that_are_made_again_lead_the_same_way_as_those_that_are_kept(steps, monkeypatch):
    """Small tables are all kept, large ones every so many: both ways back are the same."""
    per_h, prices = np.arange(12.0).reshape(3, 4), ChangePrices((0.5, 1.0), (0.25, 0.0))
    draw = np.random.default_rng(steps)
    serves = draw.random((steps, 3, 4)) < 0.4
    serves[:, 2, 3] = True

    def found():
        return cheapest_path(lambda k: serves[k], per_h, [1.0] * steps, prices, float("inf"))

    kept = found()
    monkeypatch.setattr(one_path, "KEPT_ENTRIES", 0)
    assert found() == kept
