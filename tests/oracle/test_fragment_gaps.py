"""Our planner of fragments against proven bounds: 1 % at 50 fragments, 3 % at 1000, on random fleets and networks.

One fleet of each kind by default; with the environment variable EUCLIO_ORACLE at 200 or more, all five random seeds and
all five networks.
"""

from __future__ import annotations

import os

import pytest

from euclio.core.solving import solve
from euclio.workloads.fragments.clients import fleets_of
from euclio.workloads.fragments.networks import find_model
from euclio.workloads.fragments.random_fleets import random_fleet

ALL = int(os.environ.get("EUCLIO_ORACLE", "30")) >= 200
RANDOM = [f"random {seed}" for seed in range(5)]
NETWORKS = ["vit", "res", "vgg", "inc", "mob"]
NAMES = RANDOM + NETWORKS if ALL else RANDOM[:1] + NETWORKS[:1]


@pytest.mark.fifth("name")
@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(("number", "gap"), [(50, 0.01), pytest.param(1000, 0.03, marks=pytest.mark.slow)])
def test_regroup_is_near_the_proven_bound(name, number, gap):
    """The quality that the documentation states of our planner, by a proof and not by another heuristic."""
    random = name.startswith("random")
    fleet = random_fleet(int(name[-1]), number, 8) if random else next(fleets_of(find_model(name), number, 0, 1, 0))
    bound, found = solve(fleet, "fragment-columns", time_limit_s=120).bound, solve(fleet, "regroup").value
    assert bound <= found <= (1 + gap) * float(bound)
    assert found <= min(solve(fleet, other).value for other in ("graft", "graft:massive", "gslice+"))
