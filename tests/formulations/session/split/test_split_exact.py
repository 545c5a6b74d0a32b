"""Latency splitting alone against enumeration and against a plain start-time MILP, on random DAGs."""

import itertools
import math
import random
import time

import numpy as np
import pytest

from euclio.core.errors import InputError
from formulations.session.split.alone.solver import split_modes
from formulations.session.split.mode_dag import mode_dag
from formulations.session.split.mode_search import ModeChoice, search_modes
from tests.bench.random_splittings import CURVES, TIGHTNESS, Splitting, longest_path, random_splitting
from tests.bench.splittings_speed import plain_model

SEEDS = range(4)


def problem(seed: int, modules: int, modes: int) -> Splitting:
    return random_splitting(seed, modules, modes, CURVES[seed % 2], TIGHTNESS[seed % 3])


def path_of(p: Splitting, chosen: np.ndarray) -> float:
    return longest_path(p.edges, [row[i] for row, i in zip(p.latencies, chosen, strict=True)])


def cost_of(p: Splitting, chosen: np.ndarray) -> float:
    return sum(row[i] for row, i in zip(p.costs, chosen, strict=True))


def solved(p: Splitting, deadline: float = math.inf) -> ModeChoice:
    return split_modes(p.edges, p.latencies, p.costs, p.slo, deadline=deadline)


@pytest.mark.parametrize("seed", range(12))
def test_small_problems_have_the_cost_that_enumeration_finds(seed: int) -> None:
    """Six modules of four choices, all 4096 of them."""
    p = problem(seed, 6, 4)
    choices = itertools.product(range(4), repeat=6)
    best = min(cost_of(p, c) for c in choices if path_of(p, c) <= p.slo * (1 + 1e-12))
    assert solved(p).cost == pytest.approx(best, rel=1e-9)


@pytest.mark.parametrize("seed", range(6))
def test_twelve_modules_agree_with_the_plain_model(seed: int) -> None:
    """More than can be listed, against start times in an engine."""
    p = problem(seed, 12, 10)
    assert solved(p).cost == pytest.approx(plain_model(p, 60.0).cost, rel=1e-6)


@pytest.mark.parametrize("seed", range(6))
def test_two_searches_agree_on_twenty_modules(seed: int) -> None:
    """Two searches that prune by different bounds end at one cost."""
    p = problem(seed, 20, 10)
    dag = mode_dag(p.edges, p.latencies, p.costs, p.slo)
    by_relaxation = search_modes(dag.arrays, dag.modes, math.inf, 1e-9, math.inf)
    assert solved(p).cost == pytest.approx(by_relaxation.cost, rel=1e-9)


@pytest.mark.parametrize("seed", range(2))
def test_thirty_modules_agree_with_the_plain_model(seed: int) -> None:
    """At a size where only the plain model is left to compare with."""
    p = problem(seed, 30, 10)
    assert solved(p).cost == pytest.approx(plain_model(p, 60.0).cost, rel=1e-6)


@pytest.mark.parametrize("seed", SEEDS)
def test_choices_meet_the_slo(seed: int) -> None:
    """The choice itself, and not only its cost, is one of those allowed."""
    p = problem(seed, 20, 10)
    assert path_of(p, solved(p).chosen) <= p.slo * (1 + 1e-12)


@pytest.mark.parametrize("seed", SEEDS)
def test_the_cost_is_that_of_the_choice(seed: int) -> None:
    """The cost that is returned belongs to the choice that is returned."""
    p = problem(seed, 20, 10)
    found = solved(p)
    assert found.cost == pytest.approx(cost_of(p, found.chosen), rel=1e-12)


@pytest.mark.parametrize("seed", SEEDS)
def test_the_same_problem_has_the_same_choice(seed: int) -> None:
    """Ties are broken the same way each time, or files would differ from run to run."""
    p = problem(seed, 14, 8)
    assert solved(p).chosen.tolist() == solved(p).chosen.tolist()


def test_a_deadline_leaves_a_bound_below_the_optimum() -> None:
    p = random_splitting(0, 30, 10, "convex", 0.4)
    assert solved(p, time.perf_counter()).bound <= solved(p).cost


@pytest.mark.slow
def test_a_deadline_is_kept() -> None:
    p = random_splitting(0, 100, 10, "non-convex", 0.2)
    split_modes(p.edges[:1], p.latencies[:2], p.costs[:2], 9.0)  # compiled before
    start = time.perf_counter()
    solved(p, start + 1.0)
    assert time.perf_counter() - start < 5.0


def test_an_slo_below_every_path_is_infeasible() -> None:
    found = split_modes([(0, 1)], [[1.0], [1.0]], [[1.0], [1.0]], 1.5)
    assert (found.cost, found.complete) == (math.inf, True)


def test_modes_are_numbered_as_given() -> None:
    assert split_modes([], [[2.0, 0.5, 1.0]], [[9.0, 8.0, 1.0]], 1.5).chosen.tolist() == [2]


def test_edges_that_longer_paths_imply_are_dropped() -> None:
    dag = mode_dag([(0, 1), (1, 2), (0, 2)], [[1.0]] * 3, [[1.0]] * 3, 9.0)
    assert dag.edges == ((0, 1), (1, 2))


def test_a_cycle_is_refused() -> None:
    with pytest.raises(InputError, match="cycle"):
        split_modes([(0, 1), (1, 0)], [[1.0], [1.0]], [[1.0], [1.0]], 9.0)


@pytest.mark.parametrize("curve", CURVES)
@pytest.mark.parametrize("tightness", [0.4, 0.6])
def test_fifty_modules_are_proven(curve: str, tightness: float) -> None:
    p = random_splitting(1, 50, 10, curve, tightness)
    found = solved(p, time.perf_counter() + 60.0)
    assert (found.complete, found.bound) == (True, found.cost)


def test_modules_without_edges_take_their_cheapest_mode_within_the_slo() -> None:
    found = split_modes([], [[1.0, 2.0, 4.0], [1.0, 3.0]], [[9.0, 5.0, 1.0], [8.0, 2.0]], 3.0)
    assert (found.cost, found.chosen.tolist()) == (7.0, [1, 1])


@pytest.mark.parametrize("seed", range(20))
def test_equal_latencies_and_costs_end_in_the_enumerated_cost(seed: int) -> None:
    """Curves with steps of no width and no height, where pruning by `<` and `<=` differs."""
    stream = random.Random(f"ties/{seed}")
    edges = [(p, c) for c in range(1, 6) for p in range(c) if stream.random() < 0.4]
    latencies = [sorted(stream.choices([0.1, 0.2, 0.3, 0.6], k=4)) for _ in range(6)]
    costs = [sorted(stream.choices([1.0, 2.0, 3.0, 7.0], k=4), reverse=True) for _ in range(6)]
    slo = stream.choice([0.6, 0.9, 1.2])
    p = Splitting("ties", tuple(edges), tuple(map(tuple, latencies)), tuple(map(tuple, costs)), slo)
    choices = itertools.product(range(4), repeat=6)
    best = min((cost_of(p, c) for c in choices if path_of(p, c) <= slo * (1 + 1e-12)), default=math.inf)
    assert solved(p).cost == pytest.approx(best, rel=1e-9)


def test_modes_a_tenth_of_a_nanosecond_apart_keep_their_optimum():
    """Flow times latency is 1e10 here, and rounds by more than what the choices differ by."""
    latencies = [
        [1.00000000003, 1.00000000003, 1.00000000039],
        [1.00000000024, 1.0000000003],
        [1.00000000006, 1.00000000042, 1.00000000042, 1.00000000045],
    ]
    costs = [[2.0000016, 2.0000003, 1.0000003], [2.0000013, 1.0000013], [2.0000018, 2.0000013, 2.0000012, 1.0]]
    slo = 3.000000000737153
    found = split_modes([(0, 1), (1, 2)], latencies, costs, slo)
    choices = [
        sum(row[i] for row, i in zip(costs, chosen, strict=True))
        for chosen in itertools.product(*(range(len(row)) for row in latencies))
        if sum(row[i] for row, i in zip(latencies, chosen, strict=True)) <= slo
    ]
    assert found.complete
    assert found.cost <= min(choices) * (1.0 + 1e-9)
    assert found.bound <= min(choices)
