"""Latency splitting (Harpagon §III-D): Algorithm 2, node merger, cost-direct, and the other systems' splitters."""

from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from worked_examples import M_1, one_module

from euclio.core.result import Status
from euclio.core.solving import solve
from euclio.problems.session import FULL_SPACE, Configuration, Hardware, Module, PlanSpace, Session
from euclio.problems.session.arrays import session_arrays
from euclio.problems.session.latency.dispatch import path_times
from euclio.problems.session.latency.series_parallel import reduce_series_parallel
from euclio.workloads.session.random_sessions import chain_from_modules, random_session
from heuristics.session.dummy_generator import generator_of
from heuristics.session.latency_splitting import (
    COST,
    LATENCY_COST,
    LEAST_LATENCY,
    MOST_EXPENSIVE_HARDWARE,
    THROUGHPUT,
    Moves,
    continue_splitting,
    single_units,
    split_latency,
    split_quantized,
)
from heuristics.session.module_scheduler import schedule_module
from heuristics.session.schedule import new_schedule
from heuristics.session.solver import split_evenly
from heuristics.session.split_optimizer import merged_units

SERIES_PARALLEL = ("chain", "fork", "diamond")
QUANTA = 8


def two_step_module(name: str, rate: int, first: str, second: str) -> Module:
    """A module on hardware of its own with batch 1 in `first` and batch 2 in `second` seconds."""
    return Module(name, rate, [Configuration(name, 1, 1, first), Configuration(name, 2, 1, second)])


def node_merger_session() -> Session:
    """§III-D, node merger: x feeds y and z, one update fits, latency-cost efficiencies 20, 10 and 15.

    At 10 req/s batch 1 takes 0.5 + 1/10 = 0.60 s and batch 2 takes 0.55 + 2/10 = 0.75 s; at price p the update saves
    p·10·(0.5/1 − 0.55/2) = 2.25 p for 0.15 s: 15 p. Prices 4/3, 2/3 and 1. Two updates in a row need 1.50 s.
    """
    modules = [two_step_module(name, 10, "0.5", "0.55") for name in "xyz"]
    hardware = [Hardware("x", Fraction(4, 3)), Hardware("y", Fraction(2, 3)), Hardware("z", 1)]
    return Session("node merger", "1.4", hardware, modules, [("x", "y"), ("x", "z")])


def cost_direct_session() -> Session:
    """§III-D, cost-direct: x then y, one update fits; x takes 0.01 s at efficiency 20, y takes 0.1 s at 10.

    x at 200 req/s and price 0.1: 0.030 to 0.040 s, saves 20·(0.025 − 0.03/2) = 0.2.
    y at 20 req/s and price 1: 0.20 to 0.30 s, saves 20·(0.15 − 0.2/2) = 1.0.
    """
    modules = [two_step_module("x", 200, "0.025", "0.03"), two_step_module("y", 20, "0.15", "0.2")]
    return Session("cost-direct", "0.335", [Hardware("x", "0.1"), Hardware("y", 1)], modules, [("x", "y")])


def slow_expensive_session(slo_s: str) -> Session:
    """Batch 1 takes 0.5 + 0.1 s on the expensive hardware, 0.1 + 0.1 s on the cheap one."""
    profile = [Configuration("expensive", 1, 1, "0.5"), Configuration("cheap", 1, 1, "0.1")]
    return Session(
        "slow but expensive", slo_s, [Hardware("expensive", 2), Hardware("cheap", 1)], [Module("M", 10, profile)]
    )


def states(moves: Moves) -> list[list[float]]:
    """Latencies of the units in every state, rounded to a microsecond."""
    return [[round(float(x), 6) for x in row] for row in moves.latency[: moves.reached]]


def split(
    session: Session, criterion: int = LATENCY_COST, start: int = MOST_EXPENSIVE_HARDWARE, merge: bool = False
) -> Moves:
    arrays = session_arrays(session, FULL_SPACE)
    return split_latency(arrays, merged_units(arrays) if merge else single_units(arrays), criterion, start)


# Algorithm 2.


def test_most_efficient_move_comes_first():
    """M_1 at 100 req/s: 0.18 s, then batch 4 (0.24 s, efficiency 50.0) before batch 8 (0.40 s, 18.2)."""
    assert states(split(one_module(M_1, 100, "0.4"))) == [[0.18], [0.24], [0.4]]


def test_move_beyond_the_slo_is_left_out():
    assert states(split(one_module(M_1, 100, "0.39"))) == [[0.18], [0.24]]


def test_throughput_criterion_takes_the_largest_throughput_at_once():
    """M_1's batch 8 has the largest throughput, 25 req/s."""
    assert states(split(one_module(M_1, 100, "0.4"), THROUGHPUT)) == [[0.18], [0.4]]


def test_splitting_starts_at_batch_1_on_the_most_expensive_hardware():
    assert states(split(slow_expensive_session("0.7")))[0] == [0.6]


def test_start_that_misses_the_slo_falls_back_to_the_least_latency():
    moves = split(slow_expensive_session("0.3"))
    assert (moves.fallback, states(moves)[0]) == (True, [0.2])


def test_fallback_is_reported():
    assert solve(slow_expensive_session("0.3"), "harpagon").stats["start_fallback"] == 1


def test_start_at_the_least_latency_is_no_fallback():
    assert not split(slow_expensive_session("0.3"), start=LEAST_LATENCY).fallback


def test_nothing_is_reached_where_the_least_latency_misses_the_slo():
    assert split(slow_expensive_session("0.19")).reached == 0


# Node merger.


def test_without_merger_the_single_best_module_moves():
    """20 > 15 > 10: x moves, then nothing fits."""
    assert states(split(node_merger_session())) == [[0.6, 0.6, 0.6], [0.75, 0.6, 0.6]]


def test_merged_modules_move_together_where_their_sum_is_better():
    """10 + 15 > 20: y and z move, then x does not fit. Units: x, {y, z}."""
    assert states(split(node_merger_session(), merge=True)) == [[0.6, 0.6], [0.6, 0.75]]


def test_merged_efficiencies_add_up():
    units = merged_units(session_arrays(node_merger_session(), FULL_SPACE))
    expensive, cheap = (next(k for k in range(2, 6) if round(units.latency[k], 6) == x) for x in (0.6, 0.75))
    efficiency = (units.cost[expensive] - units.cost[cheap]) / (units.latency[cheap] - units.latency[expensive])
    assert efficiency == pytest.approx(10 + 15)


def test_modules_in_a_row_are_not_merged():
    assert len(merged_units(session_arrays(cost_direct_session(), FULL_SPACE)).first) == 3


# Cost-direct.


def test_without_cost_direct_the_more_efficient_move_wins():
    """20 > 10: x moves, then y does not fit."""
    assert states(split(cost_direct_session())) == [[0.03, 0.2], [0.04, 0.2]]


def test_cost_direct_redoes_the_last_move_by_cost_saved():
    """0.1·10 > 0.01·20: y moves instead."""
    arrays = session_arrays(cost_direct_session(), FULL_SPACE)
    units = single_units(arrays)
    moves = split_latency(arrays, units, LATENCY_COST, MOST_EXPENSIVE_HARDWARE)
    assert states(continue_splitting(arrays, units, COST, moves, 1)) == [[0.03, 0.2], [0.03, 0.3]]


def test_harpagon_is_cheaper_than_without_cost_direct_on_the_example():
    session = cost_direct_session()
    assert solve(session, "harpagon:0re").cost < solve(session, "harpagon:ncd", max_allocations=1).cost


@pytest.mark.parametrize("seed", range(20))
def test_cost_direct_never_makes_a_plan_more_expensive(seed):
    """Its last move is redone by cost saved, and kept where it saves."""
    session = random_session(seed, slo_over_least=(1.5, 6.0))
    with_it, without = solve(session, "harpagon").value, solve(session, "harpagon:ncd").value
    assert without is None or with_it <= without


# Quantized splitting.


def module_costs(session: Session, space: PlanSpace, quantum: float) -> np.ndarray:
    """Algorithm 1's cost of each module at 1, 2, … quanta; infinite where it has no plan."""
    arrays = session_arrays(session, space)
    plan = new_schedule(arrays)
    costs = np.full((len(session.modules), QUANTA), np.inf)
    for m, q in product(range(len(session.modules)), range(QUANTA)):
        if schedule_module(arrays, m, arrays.rate[m], (q + 1) * quantum, generator_of(space.dummy), plan):
            costs[m, q] = plan.cost[m]
    return costs


def cheapest_quantized(session: Session, space: PlanSpace, quantum: float) -> float:
    """The least cost over all vectors of quanta whose longest path is within the SLO, tried one by one."""
    arrays, costs = session_arrays(session, space), module_costs(session, space, quantum)
    modules = len(session.modules)
    best = np.inf
    for quanta in product(range(1, QUANTA + 1), repeat=modules):
        path = path_times(arrays, np.array(quanta, float), np.zeros(modules), np.zeros(modules))
        if path <= QUANTA:
            best = min(best, sum(costs[m, q - 1] for m, q in enumerate(quanta)))
    return float(best)


def quantized(session: Session, space: PlanSpace) -> tuple[np.ndarray, float, float]:
    """Budgets in quanta and cost of the dynamic program, and its quantum: an eighth of the SLO."""
    arrays = session_arrays(session, space)
    quantum = float(session.slo_s) / QUANTA
    budgets, cost = split_quantized(arrays, reduce_series_parallel(arrays).steps, quantum, generator_of(space.dummy))
    return np.rint(budgets / quantum).astype(int), float(cost), quantum


@pytest.mark.parametrize(
    "space", [FULL_SPACE, PlanSpace("rr", "none", 2), PlanSpace(dummy="continuous")], ids=["full", "nexus", "piccolo"]
)
@pytest.mark.parametrize("shape", SERIES_PARALLEL)
@pytest.mark.parametrize("seed", range(8))
def test_quantized_splitting_equals_enumeration(seed, shape, space):
    """Nexus' dynamic program over steps against all splits into steps."""
    session = random_session(seed, 4, shape=shape, slo_over_least=(1.5, 8.0))
    _, cost, quantum = quantized(session, space)
    assert cost == pytest.approx(cheapest_quantized(session, space, quantum), rel=1e-12)


@pytest.mark.parametrize("shape", SERIES_PARALLEL)
@pytest.mark.parametrize("seed", range(8))
def test_quantized_budgets_give_the_cost_that_was_found(seed, shape):
    """The budgets that are handed on cost what the dynamic program says."""
    session = random_session(seed, 4, shape=shape, slo_over_least=(1.5, 8.0))
    quanta, cost, quantum = quantized(session, FULL_SPACE)
    if np.isfinite(cost):
        costs = module_costs(session, FULL_SPACE, quantum)
        assert sum(costs[m, q - 1] for m, q in enumerate(quanta)) == pytest.approx(cost, rel=1e-12)


def test_quantized_splitting_does_not_apply_to_a_dag_that_is_not_series_parallel():
    session = random_session(1, 4, shape="n", slo_over_least=(4.0, 6.0))
    assert solve(session, "nexus").status.value == "inapplicable"


# Even splitting.


def even_budgets(edges: list[tuple[str, str]], names: str) -> list[float]:
    modules = [two_step_module(name, 10, "0.5", "0.55") for name in names]
    session = Session("even", 12, [Hardware(name, 1) for name in names], modules, edges)
    return [float(b) for b in split_evenly(session_arrays(session, FULL_SPACE))]


def test_a_chain_is_split_into_equal_shares():
    assert even_budgets([("a", "b"), ("b", "c")], "abc") == [4, 4, 4]


def test_each_module_gets_its_share_of_the_longest_chain_through_it():
    """A → b → c and a → d: three modules on the longest chain through a, two on the one through d."""
    assert even_budgets([("a", "b"), ("b", "c"), ("a", "d")], "abcd") == [4, 4, 4, 6]


def test_cost_direct_undoes_a_few_of_very_many_moves():
    """20 modules take far more than 64 moves; going on from a late state once overran its table of states."""
    result = solve(chain_from_modules(0, 20, 0.4), "harpagon")
    assert result.status is Status.FEASIBLE
