"""The linear relaxation of latency splitting against a general LP solver, on random DAGs."""

import numpy as np
import pytest
from relaxation_cases import longest, random_case
from scipy.optimize import linprog

from euclio.problems.session.arrays import SessionArrays
from formulations.session.split.modes import Modes
from formulations.session.split.relaxation import new_basis, relax, relax_from

SEEDS = range(60)


def lp_optimum(s: SessionArrays, modes: Modes) -> float:
    """The relaxation as a linear program: shares of modes and start times."""
    size = s.rate.size
    index = [(m, k) for m in range(size) for k in range(modes.size[m])]
    columns = len(index) + size
    rows, limits = [], []
    for m in range(size):
        ends: list[tuple[int | None, float]] = [(None, s.slo)]
        ends += [(int(c), 0.0) for c in s.child[s.child_first[m] : s.child_first[m + 1]]]
        for child, limit in ends:
            row = np.zeros(columns)
            row[len(index) + m] = 1.0
            for j, (module, k) in enumerate(index):
                if module == m:
                    row[j] = modes.latency[m, k]
            if child is not None:
                row[len(index) + child] = -1.0
            rows.append(row)
            limits.append(limit)
    one = np.array([[float(module == m) for module, _ in index] + [0.0] * size for m in range(size)])
    cost = np.array([modes.cost[m, k] for m, k in index] + [0.0] * size)
    return float(linprog(cost, A_ub=np.array(rows), b_ub=limits, A_eq=one, b_eq=np.ones(size)).fun)


@pytest.mark.parametrize("seed", SEEDS)
def test_bound_is_the_lp_optimum(seed: int) -> None:
    """Exact methods prune with this bound; an engine solves the same linear program."""
    arrays, modes = random_case(seed)
    relaxed = relax(arrays, modes, np.zeros(arrays.rate.size, np.int64), modes.size - 1)
    assert relaxed.bound == pytest.approx(lp_optimum(arrays, modes), rel=1e-7)


@pytest.mark.parametrize("seed", SEEDS)
def test_windows_meet_the_slo(seed: int) -> None:
    """Windows along a path add up to no more than the SLO, or plans within them would be late."""
    arrays, modes = random_case(seed)
    relaxed = relax(arrays, modes, np.zeros(arrays.rate.size, np.int64), modes.size - 1)
    assert longest(arrays, relaxed.window) <= arrays.slo * (1 + 1e-9)


@pytest.mark.parametrize("seed", SEEDS)
def test_hulls_at_the_windows_cost_the_bound(seed: int) -> None:
    """Primal and dual meet: the windows are the optimum whose value the bound is."""
    arrays, modes = random_case(seed)
    relaxed = relax(arrays, modes, np.zeros(arrays.rate.size, np.int64), modes.size - 1)
    assert relaxed.hull.sum() == pytest.approx(relaxed.bound, rel=1e-7)


def test_an_slo_below_every_choice_is_infeasible() -> None:
    arrays, modes = random_case(0)
    tight = arrays._replace(slo=1e-6)
    assert relax(tight, modes, np.zeros(arrays.rate.size, np.int64), modes.size - 1).bound == np.inf


@pytest.mark.parametrize("seed", SEEDS)
def test_going_on_from_another_relaxation_finds_the_same_bound(seed: int) -> None:
    """A search cuts ranges of modes and takes cuts back: whatever flow is left, the next bound is that from nothing."""
    arrays, modes = random_case(seed)
    stream = np.random.default_rng(seed)
    basis = new_basis(arrays, modes)
    for _ in range(8):
        first = stream.integers(0, modes.size)
        last = stream.integers(first, modes.size)
        again = relax_from(arrays, modes, first, last, basis)
        assert again.bound == pytest.approx(relax(arrays, modes, first, last).bound, rel=1e-9)
