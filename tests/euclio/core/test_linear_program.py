"""The provers' linear program: HiGHS through highspy and through scipy find optima and prices of the same worth."""

import math

import numpy as np
import pytest

from euclio.core import linear_program
from euclio.core.linear_program import Rows

WAYS = [linear_program._by_highspy, linear_program._by_scipy]


def drawn(seed):
    """A program: min cost · x within bounds, rows at most a limit, the last row met exactly."""
    rng = np.random.default_rng(seed)
    variables, rows = 6, Rows()
    values = rng.integers(0, 5, (4, variables)).astype(float)
    inside = rng.random(variables)
    for k, row in enumerate(values):
        at = float(row @ inside)
        rows.add(at if k == 3 else -math.inf, at, np.arange(variables), row)
    return rng.random(variables) - 0.5, np.zeros(variables), np.full(variables, 2.0), rows, values


@pytest.mark.parametrize("seed", range(20))
def test_both_ways_find_the_same_optimum_and_prices_that_prove_it(seed):
    """The dual: prices times limits, and each variable at the bound that is cheaper for it, come to the optimum."""
    pytest.importorskip("highspy")
    cost, lower, upper, rows, values = drawn(seed)
    for solved in WAYS:
        found, prices = solved(cost, lower, upper, rows, 10.0)
        assert cost @ found == pytest.approx(cost @ WAYS[0](cost, lower, upper, rows, 10.0)[0], abs=1e-9)
        left = cost - prices @ values
        assert prices @ rows.most + np.minimum(left * lower, left * upper).sum() == pytest.approx(
            cost @ found, abs=1e-9
        )
        assert (prices[:3] <= 1e-9).all()


@pytest.mark.parametrize("solved", WAYS)
def test_without_an_optimum_there_is_no_proposal(solved):
    """A number between 0 and 1 is at most -1."""
    if solved is linear_program._by_highspy:
        pytest.importorskip("highspy")
    rows = Rows()
    rows.add(-math.inf, -1.0, np.array([0]), np.array([1.0]))
    assert solved(np.ones(1), np.zeros(1), np.ones(1), rows, 10.0) is None
