"""Bare DAGs with modes, and the search over their modes against enumeration and a plain start-time MILP."""

import itertools
import math
import random

import numpy as np
import pytest
from random_splittings import CURVES, TIGHTNESS, Splitting, longest_path, random_splitting
from scipy.optimize import Bounds, LinearConstraint, milp
from scipy.sparse import coo_matrix

from euclio.core.errors import InputError
from formulations.session.split.course import unwatched
from formulations.session.split.mode_dag import Edges, mode_dag
from formulations.session.split.search import Choice, no_lines, search_choices


def problem(seed: int, modules: int, modes: int) -> Splitting:
    return random_splitting(seed, modules, modes, CURVES[seed % 2], TIGHTNESS[seed % 3])


def path_of(p: Splitting, chosen: list[int]) -> float:
    return longest_path(p.edges, [row[i] for row, i in zip(p.latencies, chosen, strict=True)])


def cost_of(p: Splitting, chosen: list[int]) -> float:
    return sum(row[i] for row, i in zip(p.costs, chosen, strict=True))


def searched(edges: Edges, latencies: list, costs: list, slo: float) -> tuple[Choice, list[int]]:
    """The choice, and its modes numbered as they were given."""
    dag = mode_dag(edges, latencies, costs, slo)
    if dag.modes.size.min() == 0:
        return Choice(math.inf, dag.modes.size, np.zeros(0), math.inf, 0, True), []
    found = search_choices(dag.arrays, dag.modes, no_lines(dag.modes), math.inf, 1e-9, math.inf, unwatched())
    return found, [int(dag.number[m, i]) for m, i in enumerate(found.chosen)]


def solved(p: Splitting) -> tuple[Choice, list[int]]:
    return searched(p.edges, p.latencies, p.costs, p.slo)


def plain_cost(p: Splitting) -> float:
    """The optimum of HiGHS on one variable per mode and a start time per module."""
    size, most = len(p.latencies), len(p.latencies[0])
    latency, starts = np.array(p.latencies), size * most
    children = [[c for a, c in p.edges if a == m] for m in range(size)]
    ends = [(m, c) for m in range(size) for c in children[m] or [-1]]
    entries = [(m, m * most + i, 1.0) for m in range(size) for i in range(most)]
    for row, (m, c) in enumerate(ends, size):
        entries += [(row, m * most + i, latency[m, i]) for i in range(most)] + [(row, starts + m, 1.0)]
        entries += [(row, starts + c, -1.0)] if c >= 0 else []
    rows, columns, values = (np.array(column) for column in zip(*entries, strict=True))
    matrix = coo_matrix((values, (rows, columns)), shape=(size + len(ends), starts + size)).tocsr()
    lower = np.concatenate((np.ones(size), np.full(len(ends), -np.inf)))
    upper = np.concatenate((np.ones(size), [p.slo if c < 0 else 0.0 for _, c in ends]))
    answer = milp(
        np.concatenate((np.array(p.costs).ravel(), np.zeros(size))),
        integrality=np.concatenate((np.ones(starts), np.zeros(size))),
        bounds=Bounds(0.0, np.concatenate((np.ones(starts), np.full(size, p.slo)))),
        constraints=LinearConstraint(matrix, lower, upper),
        options={"mip_rel_gap": 0.0},
    )
    return float(answer.fun)


@pytest.mark.parametrize("seed", range(12))
def test_small_problems_have_the_cost_that_enumeration_finds(seed: int) -> None:
    """Enumeration shares nothing with the search: a point that is cut off too early shows as a cost above it."""
    p = problem(seed, 6, 4)
    choices = itertools.product(range(4), repeat=6)
    best = min(cost_of(p, c) for c in choices if path_of(p, c) <= p.slo * (1 + 1e-12))
    assert solved(p)[0].cost == pytest.approx(best, rel=1e-9)


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("modules", [12, 20])
def test_more_modules_agree_with_the_plain_model(seed: int, modules: int) -> None:
    """Goals and branching are of use from a dozen modules on, where enumeration ends and a MILP does not."""
    p = problem(seed, modules, 10)
    assert solved(p)[0].cost == pytest.approx(plain_cost(p), rel=1e-6)


@pytest.mark.parametrize("seed", range(4))
def test_choices_meet_the_slo_and_cost_what_is_said(seed: int) -> None:
    """The search adds latencies up along its own arrays; a plan is made of what it chose, not of what it added up."""
    p = problem(seed, 20, 10)
    found, chosen = solved(p)
    assert path_of(p, chosen) <= p.slo * (1 + 1e-12)
    assert found.cost == pytest.approx(cost_of(p, chosen), rel=1e-12)


@pytest.mark.parametrize("seed", range(4))
def test_the_same_problem_has_the_same_choice(seed: int) -> None:
    """Reports are the same to the byte only if ties between choices are decided the same way each time."""
    p = problem(seed, 14, 8)
    assert solved(p)[1] == solved(p)[1]


def test_a_deadline_leaves_a_bound_below_the_optimum() -> None:
    """A search that the clock ends at once has proven no more than what its open nodes say."""
    p = random_splitting(0, 20, 10, "convex", 0.4)
    dag = mode_dag(p.edges, p.latencies, p.costs, p.slo)
    found = search_choices(dag.arrays, dag.modes, no_lines(dag.modes), math.inf, 1e-9, 0.0, unwatched())
    assert not found.complete
    assert found.bound <= solved(p)[0].cost


def test_an_slo_below_every_path_is_infeasible() -> None:
    found, _ = searched([(0, 1)], [[1.0], [1.0]], [[1.0], [1.0]], 1.5)
    assert (found.cost, found.complete) == (math.inf, True)


def test_modes_are_numbered_as_given() -> None:
    assert searched([], [[2.0, 0.5, 1.0]], [[9.0, 8.0, 1.0]], 1.5)[1] == [2]


def test_edges_that_longer_paths_imply_are_dropped() -> None:
    dag = mode_dag([(0, 1), (1, 2), (0, 2)], [[1.0]] * 3, [[1.0]] * 3, 9.0)
    assert dag.edges == ((0, 1), (1, 2))


def test_a_cycle_is_refused() -> None:
    with pytest.raises(InputError, match="cycle"):
        mode_dag([(0, 1), (1, 0)], [[1.0], [1.0]], [[1.0], [1.0]], 9.0)


def test_modules_without_edges_take_their_cheapest_mode_within_the_slo() -> None:
    found, chosen = searched([], [[1.0, 2.0, 4.0], [1.0, 3.0]], [[9.0, 5.0, 1.0], [8.0, 2.0]], 3.0)
    assert (found.cost, chosen) == (7.0, [1, 1])


@pytest.mark.parametrize("seed", range(20))
def test_equal_latencies_and_costs_end_in_the_enumerated_cost(seed: int) -> None:
    """Ties of latencies and costs and an SLO that is a sum of them: the hull has points on its edges there."""
    stream = random.Random(f"ties/{seed}")
    edges = [(p, c) for c in range(1, 6) for p in range(c) if stream.random() < 0.4]
    latencies = [sorted(stream.choices([0.1, 0.2, 0.3, 0.6], k=4)) for _ in range(6)]
    costs = [sorted(stream.choices([1.0, 2.0, 3.0, 7.0], k=4), reverse=True) for _ in range(6)]
    slo = stream.choice([0.6, 0.9, 1.2])
    p = Splitting("ties", tuple(edges), tuple(map(tuple, latencies)), tuple(map(tuple, costs)), slo)
    choices = itertools.product(range(4), repeat=6)
    best = min((cost_of(p, c) for c in choices if path_of(p, c) <= slo * (1 + 1e-12)), default=math.inf)
    assert solved(p)[0].cost == pytest.approx(best, rel=1e-9)


def test_modes_a_tenth_of_a_nanosecond_apart_keep_their_optimum() -> None:
    """Flow times latency is 1e10 here, and rounds by more than what the choices differ by."""
    latencies = [
        [1.00000000003, 1.00000000003, 1.00000000039],
        [1.00000000024, 1.0000000003],
        [1.00000000006, 1.00000000042, 1.00000000042, 1.00000000045],
    ]
    costs = [[2.0000016, 2.0000003, 1.0000003], [2.0000013, 1.0000013], [2.0000018, 2.0000013, 2.0000012, 1.0]]
    slo = 3.000000000737153
    found, _ = searched([(0, 1), (1, 2)], latencies, costs, slo)
    choices = [
        sum(row[i] for row, i in zip(costs, chosen, strict=True))
        for chosen in itertools.product(*(range(len(row)) for row in latencies))
        if sum(row[i] for row, i in zip(latencies, chosen, strict=True)) <= slo
    ]
    assert found.complete
    assert found.cost <= min(choices) * (1.0 + 1e-9)
    assert found.bound <= min(choices)
