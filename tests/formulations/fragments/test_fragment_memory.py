"""Enumeration = MILP = CP-SAT = columns under limits of GPU memory, and the prover says the same.

200 fleets with limits; of them 30 in every plan space and with the prover, where `EUCLIO_ORACLE` sets another number.
"""

import math
import os
from dataclasses import replace

import pytest
from agreeing_fleets import agree
from tiny_fleets import SPACES

from euclio.core.registry import solvers_of
from euclio.core.result import Status
from euclio.core.solving import solve
from euclio.problems.fragments import Fleet, Fragment, FragmentSpace, Network, Server, evaluate
from euclio.problems.fragments.memory import gpus_needed
from euclio.proving.fragments.certifying import find_better
from euclio.workloads.fragments.random_fleets import random_fleet, small_fleet
from tests.drawn.fleets import limited_fleet

SEEDS = range(min(200, int(os.environ.get("EUCLIO_ORACLE", "30"))))


def loose(fleet):
    """The same fleet with a server that has more of all than its instances take."""
    taken = [60] * fleet.network.layers
    return replace(fleet, network=replace(fleet.network, layer_memory_mb=taken, server=Server(10**6, 1000)))


@pytest.mark.parametrize("seed", range(200))
def test_every_exact_solver_finds_what_the_enumeration_finds_within_memory(seed):
    """Solvers that read limits alike must also use them alike."""
    agree(limited_fleet(seed), FragmentSpace())


@pytest.mark.parametrize("changes", SPACES[1:], ids=str)
@pytest.mark.parametrize("seed", SEEDS)
def test_they_do_so_in_every_plan_space(seed, changes):
    """A stage of few instances, or of few fragments, meets memory in other places."""
    agree(limited_fleet(seed), FragmentSpace(**changes))


@pytest.mark.parametrize("seed", SEEDS)
def test_fragments_of_one_rate_agree_within_memory(seed):
    """One rate makes fragments alike, which solvers count together."""
    agree(limited_fleet(seed, one_rate=True), FragmentSpace())


@pytest.mark.parametrize("changes", SPACES, ids=str)
@pytest.mark.parametrize("seed", SEEDS)
def test_the_prover_certifies_the_optimum_within_memory_and_nothing_above_it(seed, changes):
    """A prover that forgot memory would find better plans; one that kept too much of it would certify worse ones."""
    fleet, space = limited_fleet(seed), FragmentSpace(**changes)
    result = solve(fleet, "fragments-bruteforce", space=space)
    assert find_better(fleet, space, result.value, math.inf).exhausted
    if result.value is not None:
        assert find_better(fleet, space, result.value + 1, math.inf).plan is not None


@pytest.mark.parametrize("seed", SEEDS)
def test_every_heuristic_keeps_memory(seed):
    """The checker accepts what each plans, and says nothing is below the optimum; who has no plan names the limit."""
    fleet = replace(limited_fleet(seed), points="mean")
    best = solve(fleet, "fragments-bruteforce")
    for solver in (solver for solver in solvers_of("fragments") if solver.kind == "heuristic"):
        found = solve(fleet, solver.name)
        if found.value is not None:
            assert found.value >= best.value
        else:
            assert (found.status, "network.server.gpu_" in found.reason) == (Status.INFEASIBLE, True)


@pytest.mark.parametrize("seed", SEEDS)
def test_a_limit_that_nothing_reaches_changes_no_plan(seed):
    """Fleets without memory figures are what they were: a limit that is compared where there is none shows here."""
    fleet = small_fleet(seed)
    for name in ("graft", "gslice+", "regroup", "set-partition", "fragment-columns"):
        before, after = solve(fleet, name), solve(loose(fleet), name)
        assert (before.plan, before.value, before.bound) == (after.plan, after.value, after.bound)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(3))
def test_hundreds_of_fragments_keep_memory(seed):
    """Where the gap stays open bound and plan stand on both sides of the optimum, and a tighter limit costs no less."""
    fleet = random_fleet(seed, 220, 6)
    values = []
    for memory in (10**6, 400, 140):
        own = replace(fleet.network, layer_memory_mb=[10, 20, 40, 30, 20, 10], server=Server(memory))
        limited = replace(fleet, network=own)
        found = solve(limited, time_limit_s=20)
        assert evaluate(limited, found.plan).feasible
        assert found.bound <= found.value
        values.append(found.value)
    assert values == sorted(values)
    assert values[0] < values[-1]


@pytest.mark.parametrize("seed", SEEDS)
def test_gpus_that_hold_the_shares_hold_the_memory(seed):
    """An instance takes at most its share of the memory, so that GPUs packed by share need no look at memory.

    All of a plan's instances together take no more than the GPUs that it is packed on have.
    """
    fleet = limited_fleet(seed)
    found, server = solve(fleet, "graft"), fleet.network.server
    if found.plan is None:
        return
    pairs = [(s, e) for own, e in zip(found.plan.sets, found.evaluation.sets, strict=True) for s, e in _stages(own, e)]
    taken = sum(stage.instances * fleet.network.memory_mb(e.first, e.end) for stage, e in pairs)
    number = sum(stage.instances for stage, _ in pairs)
    gpus = gpus_needed(found.plan)
    assert server.gpu_memory_mb is None or taken <= gpus * server.gpu_memory_mb
    assert server.gpu_instances is None or number <= gpus * server.gpu_instances


def _stages(own, found):
    heads = [(h.stage, e) for h, e in zip(own.heads, found.heads, strict=True) if h.stage is not None]
    return [(own.shared, found.shared), *heads]


def two_layers(memory, limit, most=None):
    """Two clients at layer 0, one at layer 1; a layer takes 10 ms on half of a GPU and 20 ms on a quarter of it."""
    row = ["0.02", "0.01"]
    network = Network("n", [1, 2], [25, 50], [[row, row]] * 2, memory, None, Server(limit, most))
    fragments = [Fragment("a", 0, "0.2", 10), Fragment("b", 0, "0.2", 10), Fragment("c", 1, "0.1", 10)]
    return Fleet("nasty", network, fragments)


NASTY = {
    # 0.1 and 0.2 MB are 0.3 MB: a quarter of 1.2 MB holds them. As floats they are 0.30000000000000004 MB.
    "filled exactly": two_layers(["0.1", "0.2"], "1.2"),
    "filled exactly, as floats add up": two_layers([0.1, 0.2], 4 * 0.3),
    "a limit as floats multiply": two_layers([0.1, 0.1 * 2], 0.1 * 3 * 4),
    "above it by the last digit": two_layers(["0.1", "0.2000000000000000001"], "1.2"),
    "as floats add it up": two_layers([0.1, 0.1 + 0.1 + 0.1], "1.2"),
    "tiny next to huge": two_layers(["1e-12", "1e12"], "1e12"),
    "nothing in the first layer": two_layers([0, 50], 200),
    "layers that fit apart only": two_layers([50, 50], 100),
    "exactly as many instances as shares": two_layers([1, 1], 100, 4),
    "one instance less": two_layers([1, 1], 100, 3),
    "one instance per GPU": two_layers([1, 1], 100, 1),
}


@pytest.mark.fifth("name")
@pytest.mark.parametrize("changes", SPACES, ids=str)
@pytest.mark.parametrize("name", NASTY)
def test_nasty_memory_agrees(name, changes):
    agree(NASTY[name], FragmentSpace(**changes))


@pytest.mark.parametrize(
    ("name", "least"),
    [
        ("filled exactly", 25),
        ("filled exactly, as floats add up", 25),
        ("a limit as floats multiply", 25),
        ("above it by the last digit", 26),
        ("as floats add it up", 34),
        ("layers that fit apart only", 100),
        ("exactly as many instances as shares", 25),
        ("one instance less", 34),
    ],
)
def test_the_least_share_is_exact(name, least):
    """Both layers: the megabytes over those of a GPU in percent, rounded up, in fractions of the printed decimals."""
    assert NASTY[name].network.least_share_pct(0, 2) == least
