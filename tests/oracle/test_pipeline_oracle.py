"""The ladder of pooled pipelines: brute force = columns = ppipe = its CP-SAT twin, and the literal print next to them.

30 seeded instances, two plan spaces each for the models; the environment variable EUCLIO_ORACLE sets another
number, 200 at most, and with 200 every instance runs the models in every space.
"""

from __future__ import annotations

import os
from functools import cache

import pytest

from euclio.core.registry import solvers_of
from euclio.core.result import Result, Status
from euclio.core.solving import solve
from euclio.core.tolerances import PROOF_TOLERANCE
from euclio.problems.pipeline import PipelineSpace
from euclio.workloads.pipeline.small_clusters import small_cluster

MOST = 200
COUNT = min(MOST, int(os.environ.get("EUCLIO_ORACLE", "30")))
SEEDS = range(COUNT)
BRUTE_FORCE = "pipeline-bruteforce"
LITERAL, EVERY_SEQUENCE = "ppipe-literal", "pipeline-bruteforce:every-sequence"
ONE = PipelineSpace(one_per_sequence=True)
COST = PipelineSpace(one_per_sequence=True, objective="cost")
FRACTIONS = PipelineSpace(one_per_sequence=True, whole_gpus=False)
MANY = PipelineSpace()
MANY_COST = PipelineSpace(objective="cost")
NARROW = PipelineSpace(one_per_sequence=True, virtual_gpus=False, batch_build=False, max_partitions=2)
MODELS = {"ppipe": (ONE, COST, FRACTIONS, NARROW), "ppipe-cpsat": (ONE, COST, FRACTIONS, NARROW)}
COLUMNS = (ONE, COST, FRACTIONS, MANY, MANY_COST, NARROW)
HEURISTICS = [s for s in solvers_of("pipeline") if s.kind == "heuristic" and s.name != LITERAL]


@cache
def optimum(seed: int, space: PipelineSpace) -> Result:
    return solve(small_cluster(seed), BRUTE_FORCE, space=space)


def disagreement(seed: int, name: str, space: PipelineSpace) -> str:
    """What a solver says that brute force does not; empty: they agree."""
    best, found = optimum(seed, space), solve(small_cluster(seed), name, space=space, time_limit_s=60)
    same = best.value is None or found.value == pytest.approx(best.value, rel=PROOF_TOLERANCE)
    if found.status is best.status and same:
        return ""
    return f"{space}: brute force {best.status} {best.cost}, {name} {found.status} {found.cost} {found.bound}"


@pytest.mark.parametrize("seed", SEEDS)
def test_brute_force_is_never_refused(seed):
    """The reference decides every drawn cluster in each plan space; where it did not, nothing would be held."""
    assert {optimum(seed, space).status for space in COLUMNS} <= {Status.OPTIMAL, Status.INFEASIBLE}


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize("seed", SEEDS)
def test_models_agree_with_brute_force(seed, name):
    """Two models of the same equations in different engines have the optimum of the enumeration."""
    spaces = MODELS[name]
    chosen = spaces if COUNT == MOST else (ONE, spaces[1 + seed % 3])
    assert not [line for space in chosen if (line := disagreement(seed, name, space))]


@pytest.mark.parametrize("seed", SEEDS)
def test_columns_agree_with_brute_force(seed):
    """Column generation, which never sees all pipelines, has the optimum of the enumeration of all."""
    assert not [line for space in COLUMNS if (line := disagreement(seed, "columns", space))]


@pytest.mark.parametrize("seed", SEEDS)
def test_literal_print_agrees_with_brute_force_over_every_sequence(seed):
    """The equations as printed are enumerated on their own: forcing every sequence changes the optimum."""
    best, found = (solve(small_cluster(seed), name) for name in (EVERY_SEQUENCE, LITERAL))
    assert found.status is best.status
    if best.value is not None:
        assert found.value == pytest.approx(best.value, rel=PROOF_TOLERANCE)


@pytest.mark.parametrize("seed", SEEDS)
def test_literal_print_is_never_worth_more_than_free_choice_in_its_space(seed):
    """Forcing pipelines into a plan can only lose; more would be a wrong count of GPUs."""
    found = solve(small_cluster(seed), LITERAL)
    if found.value is not None:
        assert found.value <= optimum(seed, FRACTIONS).value


@pytest.mark.parametrize("seed", SEEDS)
def test_many_pipelines_per_sequence_never_serve_less(seed):
    """A larger plan space has no worse optimum, and a plan exactly where the smaller one has."""
    one, many = optimum(seed, ONE), optimum(seed, MANY)
    assert one.status is many.status
    if one.value is not None:
        assert many.value >= one.value


@pytest.mark.parametrize("solver", HEURISTICS, ids=lambda s: s.name)
@pytest.mark.parametrize("seed", SEEDS)
def test_heuristic_is_never_above_the_optimum_of_its_space(seed, solver):
    """A heuristic above the optimum is priced in another plan space than its own."""
    found = solve(small_cluster(seed), solver)
    best = optimum(seed, found.space)
    if found.value:
        assert found.value <= best.value
    else:
        known = (Status.INFEASIBLE, Status.INAPPLICABLE, Status.OPTIMAL, Status.FEASIBLE, Status.UNKNOWN)
        assert found.status in known, found.reason
        assert found.status is not Status.INFEASIBLE or best.status is Status.INFEASIBLE
