"""Latency splitting: Algorithm 2 of Harpagon (§III-D), and the throughput-based rule of Scrooge and InferLine.

Both walk from the least efficient configurations towards cheaper ones. They move *units*: one module, or several
that the node merger made move together. A unit's *options* are the configurations it can switch to.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from euclio.core.compiled import compiled
from euclio.core.tolerances import TIE
from euclio.problems.session.arrays import Floats, Ints, SessionArrays
from euclio.problems.session.latency.dispatch import configuration_latency, path_times
from euclio.problems.session.latency.series_parallel import SERIES
from heuristics.session.module_scheduler import schedule_module
from heuristics.session.schedule import new_schedule

# Quantized latency splitting: Nexus' dynamic program over budgets in fixed steps (Harpagon §IV-C, Harp-q).


@compiled
def split_quantized(s: SessionArrays, steps: Ints, quantum: float, dummies: int) -> tuple[Floats, float]:
    """The cheapest budgets that are multiples of the quantum, by dynamic programming over the reduced DAG.

    Each module's cost at a budget is Algorithm 1's (with the dummy generator if allowed).

    Args:
        s: the session; its DAG is series-parallel.
        steps: the merges of `Reduction.steps`.
        quantum: step of the budgets in seconds.
        dummies: the dummy generator (`dummy_generator.py`).

    Returns:
        Budget per module in seconds and the total cost; infinite if infeasible.
    """
    modules = s.rate.size
    # Raised before rounding down, so that an SLO of whole quanta keeps its last one.
    quanta = int(s.slo / quantum * (1.0 + TIE))
    cost = np.full((modules + steps.shape[0], quanta + 1), np.inf)
    plan = new_schedule(s)
    for m in range(modules):
        for q in range(1, quanta + 1):
            if schedule_module(s, m, s.rate[m], q * quantum, dummies, plan):
                # Algorithm 1 is greedy and may cost more with more time: the smaller budget stays allowed.
                cost[m, q] = min(plan.cost[m], cost[m, q - 1])
            else:
                cost[m, q] = cost[m, q - 1]
    budget = np.zeros(modules + steps.shape[0], np.int64)
    for i in range(steps.shape[0]):
        _merge(steps[i, 0], cost[steps[i, 1]], cost[steps[i, 2]], cost[modules + i])
    root = modules + steps.shape[0] - 1
    budget[root] = quanta
    for i in range(steps.shape[0] - 1, -1, -1):
        a, b, q = steps[i, 1], steps[i, 2], budget[modules + i]
        if steps[i, 0] == SERIES:
            budget[a] = _best_cut(cost[a], cost[b], q)
            budget[b] = q - budget[a]
        else:
            budget[a], budget[b] = q, q
    return budget[:modules] * quantum, cost[root, quanta] if quanta > 0 else np.inf


@compiled
def _merge(kind: int, a: Floats, b: Floats, merged: Floats) -> None:
    """Fill in the least cost per hour of two components in series or in parallel at every number of quanta."""
    for q in range(merged.size):
        if kind == SERIES:
            cut = _best_cut(a, b, q)
            merged[q] = a[cut] + b[q - cut]
        else:
            merged[q] = a[q] + b[q]


@compiled
def _best_cut(a: Floats, b: Floats, quanta: int) -> int:
    """How many of the quanta go to the first of two components in series."""
    # The first of equally cheap cuts: ties give the first component the fewest quanta.
    return int((a[: quanta + 1] + b[quanta::-1]).argmin())


LATENCY_COST, THROUGHPUT, COST = 0, 1, 2
"""Criteria for the best move: cost saved per second (Algorithm 2), throughput, cost saved (cost-direct)."""

MOST_EXPENSIVE_HARDWARE, LEAST_LATENCY = 0, 1
"""Where splitting starts: batch 1 on the most expensive hardware (Harpagon), or least latency (InferLine)."""


class Units(NamedTuple):
    """The units that Algorithm 2 moves (Harpagon §III-D), and their options.

    Attributes:
        unit_of: unit of each module, shape (modules,).
        first: start of each unit's options, shape (units + 1,).
        latency: worst-case latency of each option in seconds, shape (options,).
        cost: cost p·T/t of each option per hour, shape (options,).
        throughput: throughput of each option's configurations in requests per second, shape (options,).
    """

    unit_of: Ints
    first: Ints
    latency: Floats
    cost: Floats
    throughput: Floats


class Moves(NamedTuple):
    """The states that splitting went through, the start included.

    Attributes:
        latency: latency of each unit in each state, shape (states, units).
        cost: cost per hour of each unit in each state, shape (states, units).
        reached: number of states; one less is the number of moves (the paper's iterations).
        fallback: whether the start had to be the least latency because the asked one misses the SLO.
    """

    latency: Floats
    cost: Floats
    reached: int
    fallback: bool


@compiled
def single_units(s: SessionArrays) -> Units:
    """The units where every module moves alone; its options are its configurations in rank order."""
    options = s.batch.size
    latency, cost = np.empty(options), np.empty(options)
    for m in range(s.rate.size):
        for k in range(s.first[m], s.first[m + 1]):
            latency[k] = configuration_latency(s, k, s.rate[m])
            cost[k] = s.unit_cost[k] * s.rate[m]
    return Units(np.arange(s.rate.size), s.first.copy(), latency, cost, s.throughput.copy())


@compiled
def split_latency(s: SessionArrays, units: Units, criterion: int, start: int) -> Moves:
    """Algorithm 2: repeat the best feasible move until none is left.

    A move must cut cost. Among moves without more latency, whose latency-cost efficiency is infinite, and on
    ties, the first module in order and then the best rank wins (ours; the paper is silent).

    Args:
        s: the session.
        units: what moves, and where to.
        criterion: LATENCY_COST, THROUGHPUT or COST.
        start: MOST_EXPENSIVE_HARDWARE or LEAST_LATENCY.

    Returns:
        All states; `reached` is 0 if not even the least latencies meet the SLO.
    """
    count = units.first.size - 1
    latency, cost = np.empty((1, count)), np.empty((1, count))
    fallback = False
    _start(s, units, start, latency[0], cost[0])
    # The start that was asked for misses the SLO: begin at the least latencies instead.
    if not _meets_slo(s, units, latency[0]):
        fallback = start != LEAST_LATENCY
        _start(s, units, LEAST_LATENCY, latency[0], cost[0])
        if not _meets_slo(s, units, latency[0]):
            return Moves(latency, cost, 0, fallback)
    moves = continue_splitting(s, units, criterion, Moves(latency, cost, 1, fallback), 1)
    return Moves(moves.latency, moves.cost, moves.reached, fallback)


@compiled
def continue_splitting(s: SessionArrays, units: Units, criterion: int, moves: Moves, kept: int) -> Moves:
    """Undo all moves after the first `kept` states, and go on from the last of these by another criterion.

    Args:
        s: the session.
        units: what moves, and where to.
        criterion: LATENCY_COST, THROUGHPUT or COST.
        moves: the states so far.
        kept: how many of them are kept, at least one.

    Returns:
        The states kept and those that follow.
    """
    unit_count = units.first.size - 1
    most = max(64, kept)
    latency, cost = np.empty((most, unit_count)), np.empty((most, unit_count))
    latency[:kept], cost[:kept] = moves.latency[:kept], moves.cost[:kept]
    count = kept
    module_latency = np.empty(s.rate.size)
    before, after = np.zeros(s.rate.size), np.zeros(s.rate.size)
    room = np.empty(unit_count)
    while True:
        for m in range(s.rate.size):
            module_latency[m] = latency[count - 1, units.unit_of[m]]
        path_times(s, module_latency, before, after)
        for m in range(s.rate.size):
            # A unit's members have the same neighbours, hence the same room.
            room[units.unit_of[m]] = s.slo * (1.0 + TIE) - before[m] - after[m]
        # Lines 5 to 15 of Algorithm 2 look for the best move, line 17 makes it.
        unit, option = best_move(units, criterion, latency[count - 1], cost[count - 1], room)
        if unit < 0:
            return Moves(latency, cost, count, moves.fallback)
        if count == latency.shape[0]:
            latency = np.concatenate((latency, np.empty_like(latency)))
            cost = np.concatenate((cost, np.empty_like(cost)))
        latency[count], cost[count] = latency[count - 1], cost[count - 1]
        latency[count, unit], cost[count, unit] = units.latency[option], units.cost[option]
        count += 1


@compiled
def best_move(units: Units, criterion: int, latency: Floats, cost: Floats, room: Floats) -> tuple[int, int]:
    """Unit and option of the best feasible move, (-1, -1) if there is none."""
    best, best_unit, best_option = -np.inf, -1, -1
    for u in range(units.first.size - 1):
        for option in range(units.first[u], units.first[u + 1]):
            saved = cost[u] - units.cost[option]
            # A move saves more than rounding, or splitting might not end, and keeps every path within the SLO.
            if saved <= 1e-12 * cost[u] or units.latency[option] > room[u]:
                continue
            if criterion == LATENCY_COST:
                # Line 11: what is saved per second of latency.
                longer = units.latency[option] - latency[u]
                value = saved / longer if longer > TIE * latency[u] else np.inf
            elif criterion == THROUGHPUT:
                value = units.throughput[option]
            else:
                value = saved
            # Strictly better: ties go to the first unit, then the better rank.
            if value > best:
                best, best_unit, best_option = value, u, option
    return best_unit, best_option


@compiled
def _meets_slo(s: SessionArrays, units: Units, latency: Floats) -> bool:
    """Whether the longest path meets the SLO but for rounding when every unit has its latency, in seconds."""
    module_latency = np.empty(s.rate.size)
    for m in range(s.rate.size):
        module_latency[m] = latency[units.unit_of[m]]
    scratch = np.zeros(s.rate.size)
    return path_times(s, module_latency, scratch, np.zeros(s.rate.size)) <= s.slo * (1.0 + TIE)


@compiled
def _start(s: SessionArrays, units: Units, start: int, latency: Floats, cost: Floats) -> None:
    """The default DAG: every module at its start configuration; a unit takes its slowest member's latency."""
    latency[:] = 0.0
    cost[:] = 0.0
    for m in range(s.rate.size):
        best = s.first[m]
        for k in range(s.first[m] + 1, s.first[m + 1]):
            if _starts_before(s, k, best, s.rate[m], start):
                best = k
        u = units.unit_of[m]
        latency[u] = max(latency[u], configuration_latency(s, best, s.rate[m]))
        cost[u] += s.unit_cost[best] * s.rate[m]


@compiled
def _starts_before(s: SessionArrays, a: int, b: int, rate: float, start: int) -> bool:
    """Whether configuration a is a better start than b."""
    if start == LEAST_LATENCY:
        return configuration_latency(s, a, rate) < configuration_latency(s, b, rate)
    # Batch 1 is the fastest; then the price decides, then the concurrency; full ties keep the better rank.
    if s.batch[a] != s.batch[b]:
        return bool(s.batch[a] < s.batch[b])
    if s.price[a] != s.price[b]:
        return bool(s.price[a] > s.price[b])
    return bool(_concurrency(s, a) < _concurrency(s, b))


@compiled
def _concurrency(s: SessionArrays, k: int) -> float:
    """Concurrency e of configuration k, from t = b·e/d."""
    return float(np.rint(s.throughput[k] * s.duration[k] / s.batch[k]))
