"""Enumeration = MILP = CP-SAT = columns on seeded small fleets; bound ≤ exact ≤ every heuristic.

30 fleets in every plan space; `EUCLIO_ORACLE` sets another number, 200 at most.
"""

import os
from dataclasses import replace

import pytest
from agreeing_fleets import agree
from tiny_fleets import SPACES

from euclio.core.registry import solvers_of
from euclio.core.solving import solve
from euclio.problems.fragments import Fleet, Fragment, FragmentSpace, Network
from euclio.workloads.fragments.random_fleets import small_fleet

SEEDS = range(min(200, int(os.environ.get("EUCLIO_ORACLE", "30"))))
MORE_SPACES = (*SPACES, {"sharing": "uniform", "max_members": 2}, {"budgets": "own", "max_instances": 2})


@pytest.mark.parametrize("changes", MORE_SPACES, ids=str)
@pytest.mark.parametrize("seed", SEEDS)
def test_every_exact_solver_finds_what_the_enumeration_finds(seed, changes):
    """Methods that share nothing but the checker, in each plan space."""
    agree(small_fleet(seed), FragmentSpace(**changes))


@pytest.mark.parametrize("seed", SEEDS)
def test_fragments_of_one_rate_agree_too(seed):
    """One rate makes fragments alike, which solvers count together."""
    fleet = small_fleet(seed)
    rate = fleet.fragments[0].rate_rps
    fragments = [replace(fragment, rate_rps=rate) for fragment in fleet.fragments]
    agree(Fleet(fleet.name, fleet.network, fragments), FragmentSpace())


@pytest.mark.parametrize("seed", SEEDS)
def test_no_heuristic_is_below_the_optimum(seed):
    """A heuristic below the optimum is priced in another plan space than its own."""
    fleet = small_fleet(seed)
    best = solve(fleet, "fragment-columns")
    for solver in solvers_of("fragments"):
        found = solve(fleet, solver.name) if solver.kind == "heuristic" else None
        if found is not None and found.value is not None:
            assert found.value >= best.bound == best.value


ROWS = ["0.01", "0.006"]
SLOW_ROWS = ["0.012", "0.0072"]


def two_layers(*fragments, rows=ROWS):
    network = Network("even", [1, 2], [50, 100], [[rows, SLOW_ROWS], [rows, SLOW_ROWS]])
    return Fleet("nasty", network, [Fragment(f"c{k}", *own) for k, own in enumerate(fragments)])


NASTY = {
    # Two layers on the whole GPU take 0.012 s: budgets on it, and one unit of the last digit below.
    "ties": two_layers((0, "0.024", 50), (0, "0.024", 50), (1, "0.024", 50), (1, "0.012", 80)),
    "late by the last digit": two_layers((0, "0.0239999999999999999", 50), (1, "0.04", 50)),
    # 1 / 0.006 as a float prints it, above and below the exact rate.
    "floats as printed": two_layers((0, 0.1 + 0.2, 166.66666666666666), (1, 0.1, 166.66666666666669), (0, 0.3, 1 / 3)),
    "nearly no layers": two_layers((0, "0.03", 30), (1, "0.03", 30), (1, "0.02", 7), rows=["1e-12", "1e-12"]),
    "extreme rates": two_layers((0, "0.05", "1e-9"), (0, "0.05", "1e7"), (1, "0.06", 30)),
    "extreme budgets": two_layers((0, "1e9", 30), (1, "0.0120000000001", 30), (1, "1e-3", 30)),
    "all rates different": two_layers(*((k % 2, f"0.0{3 + k}", 10 + 7 * k) for k in range(5))),
    "all alike": two_layers(*[(0, "0.05", 30)] * 5),
}


@pytest.mark.fifth("name")
@pytest.mark.parametrize("changes", MORE_SPACES, ids=str)
@pytest.mark.parametrize("name", NASTY)
def test_nasty_numbers_agree(name, changes):
    agree(NASTY[name], FragmentSpace(**changes))
