"""Partial allocations of Scrooge (§3.3, equation (3)), which serve the rate that fills no whole machine.

The allocation step gives every module one configuration and budgets it for machines at full rate, W = d + b/t. The
last machine gets only the rest f of the rate and collects its batch more slowly, W* = d + b/f, so its configuration
is chosen anew. Where the paper is silent or contradicts itself (ours, in the system's favour):

- The text refines the partial allocation "on this machine type" only. In its worked example A's partial allocation goes
  to Y, its full one to X. This can come out only if every worker type is open. So every type is.
- The paper shrinks the batch of one worker; a smaller batch may take less than f. Then f becomes whole machines of the
  new configuration and a smaller rest on one more.
- A partial allocation follows the full one in rank. This loses nothing. A better-ranked configuration whose W* fits
  would have had W < W* in the allocation step.
- No configuration may take the rest in time (3 requests per second fill not even a batch of 1 soon enough). Then whole
  machines are released one by one and their rate joins the rest. The paper does not cover this case.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from euclio.core.compiled import is_past
from euclio.core.registry import Limits
from euclio.core.result import Answer
from euclio.core.tolerances import TIE
from euclio.problems.session import PlanSpace, Session, evaluate
from euclio.problems.session.arrays import Floats, Ints, SessionArrays, session_arrays, to_plan
from euclio.problems.session.latency.dispatch import path_times
from euclio.problems.session.least_latency import why_no_plan


class Way(NamedTuple):
    """A way to serve one module.

    Attributes:
        cost_per_h: money per hour.
        latency_s: worst-case latency in seconds.
        machines: pairs of configuration (index in the session's arrays) and whole machines, in rank order.
        partial_at: configuration of the partial machine; -1 means none.
    """

    cost_per_h: float
    latency_s: float
    machines: tuple[tuple[int, int], ...]
    partial_at: int


def full_latency(s: SessionArrays) -> Floats:
    """W = d + b/t of every configuration in seconds (§3.3), shape (configurations,)."""
    return s.duration + s.batch / s.throughput


def least_latency(s: SessionArrays) -> Floats:
    """Each module's least W in seconds, shape (modules,); no plan of it is faster."""
    return np.minimum.reduceat(full_latency(s), s.first[:-1])


def whole_machines(s: SessionArrays, module: int, configuration: int) -> int:
    """Whole machines that the module's rate fills at a configuration."""
    # Raised before rounding down, so that a rate of whole machines keeps its last one.
    return int(s.rate[module] / s.throughput[configuration] + TIE)


def ways(s: SessionArrays, module: int, configuration: int, released: int = 0) -> list[Way]:
    """How a module can be served once a configuration is allocated; no way is beaten in both cost and latency.

    Args:
        s: the session in a plan space with policy machine-rate and dummy rule none.
        module: the module.
        configuration: the allocated configuration.
        released: whole machines of it that give their rate to the rest.

    Returns:
        The ways, cheapest first and slowest first.
    """
    t, rate = s.throughput[configuration], s.rate[module]
    kept = whole_machines(s, module, configuration) - released
    rest = max(0.0, rate - kept * t)
    if rest <= TIE * rate:
        own = float(full_latency(s)[configuration])
        return [Way(kept * float(s.price[configuration]), own, ((configuration, kept),), -1)]
    first = configuration if kept else int(s.first[module])
    candidates = np.arange(first, int(s.first[module + 1]))
    whole, left = _fill(rest, s.throughput[candidates], rate)
    latency = _latencies(s, candidates, whole, left)
    if kept:
        latency = np.maximum(latency, full_latency(s)[configuration])
    cost = kept * s.price[configuration] + rest * s.unit_cost[candidates]
    found: list[Way] = []
    for i in np.lexsort((latency, cost)).tolist():
        # By rising cost a way is of use only if it is faster than all before it.
        if found and latency[i] >= found[-1].latency_s:
            continue
        k, n = int(candidates[i]), int(whole[i])
        before = {configuration: kept} if kept else {}
        counts = {**before, k: before.get(k, 0) + n}
        partial_at = k if left[i] > 0 else -1
        machines = tuple((c, count) for c, count in sorted(counts.items()) if count)
        found.append(Way(float(cost[i]), float(latency[i]), machines, partial_at))
    return found


def refine_greedily(s: SessionArrays, chosen: Sequence[int], deadline: float) -> list[Way] | None:
    """Greedy search for the partial allocations, Scrooge's fallback (§3.3; details ours).

    Starts with every module's fastest way. While a path misses the SLO, one more whole machine is released by the
    module on such a path that gets fastest by it. Then the change that saves most per second of latency within
    the SLO is made until none is left; ties go to the first module.

    Args:
        s: the session.
        chosen: per module the configuration that the allocation step gave it.
        deadline: `time.perf_counter` value at which to stop: machines are released one by one, and a large rate may
            have millions.

    Returns:
        One way per module; None if the SLO is missed even so, or the deadline has passed before it was met.
    """
    open_ways = [ways(s, m, k) for m, k in enumerate(chosen)]
    released = [0] * len(chosen)
    current = [choices[-1] for choices in open_ways]
    while _misses_slo(s, current):
        if is_past(deadline):
            return None
        module = _release_one(s, chosen, released, open_ways, current)
        if module < 0:
            return None
    while True:
        # Every choice from here on is a plan, so the deadline only ends the saving.
        better = None if is_past(deadline) else _best_saving(s, open_ways, current)
        if better is None:
            return current
        module, way = better
        current[module] = way


def as_counts(s: SessionArrays, chosen: Sequence[Way]) -> tuple[Ints, Ints]:
    """Whole machines per configuration and per module the partial machine's configuration, for `to_plan`."""
    machines = np.zeros(s.batch.size, dtype=np.int64)
    for way in chosen:
        for configuration, count in way.machines:
            machines[configuration] = count
    return machines, np.array([way.partial_at for way in chosen], dtype=np.int64)


def latency_room(s: SessionArrays, latency: Floats) -> Floats:
    """The latency that each module may have within the SLO while the others keep theirs, shape (modules,).

    Args:
        s: the session.
        latency: worst-case latency of each module in seconds, shape (modules,).
    """
    before, after = np.zeros(latency.size), np.zeros(latency.size)
    path_times(s, latency, before, after)
    room: Floats = s.slo * (1.0 + TIE) - before - after
    return room


def _fill(rest: float, throughput: Floats, rate: float) -> tuple[Ints, Floats]:
    """Whole machines that a rate fills on each configuration, and what is left; within rounding nothing is left."""
    whole = np.floor(rest / throughput)
    left = rest - whole * throughput
    # A rest that fills a machine but for rounding is a whole machine.
    up = left > throughput - TIE * rate
    whole[up] += 1.0
    left[up | (left < TIE * rate)] = 0.0
    return whole.astype(np.int64), left


def _latencies(s: SessionArrays, candidates: Ints, whole: Ints, left: Floats) -> Floats:
    """The slower of whole machines (W) and partial machine (W*, equation (3)) on each candidate."""
    full = np.where(whole > 0, full_latency(s)[candidates], 0.0)
    with np.errstate(divide="ignore"):
        partial = np.where(left > 0, s.duration[candidates] + s.batch[candidates] / left, 0.0)
    return np.maximum(full, partial)


def _latency(current: Sequence[Way]) -> Floats:
    """Worst-case latency of each module's way in seconds, shape (modules,)."""
    return np.array([way.latency_s for way in current])


def _misses_slo(s: SessionArrays, current: Sequence[Way]) -> bool:
    """Whether some path misses the SLO by more than rounding."""
    latency = _latency(current)
    return bool((latency > latency_room(s, latency)).any())


def _release_one(
    s: SessionArrays, chosen: Sequence[int], released: list[int], open_ways: list[list[Way]], current: list[Way]
) -> int:
    """Release a whole machine of the module, on a path that misses the SLO, that gains most; -1 if none can."""
    latency = _latency(current)
    too_slow = latency > latency_room(s, latency)
    best, best_module = -np.inf, -1
    offers: dict[int, list[Way]] = {}
    for m, k in enumerate(chosen):
        if too_slow[m] and released[m] < whole_machines(s, m, k):
            offers[m] = ways(s, m, k, released[m] + 1)
            gain = current[m].latency_s - offers[m][-1].latency_s
            # Strictly more: ties go to the first module.
            if gain > best:
                best, best_module = gain, m
    if best_module >= 0:
        released[best_module] += 1
        open_ways[best_module] += offers[best_module]
        # The fastest of all its ways: the one so far is the fastest of those before.
        fastest = [current[best_module], *offers[best_module]]
        current[best_module] = min(fastest, key=lambda way: (way.latency_s, way.cost_per_h))
    return best_module


def _best_saving(
    s: SessionArrays, open_ways: Sequence[Sequence[Way]], current: Sequence[Way]
) -> tuple[int, Way] | None:
    """The module and the way whose change saves most per second of latency within the SLO; None if no change saves."""
    room = latency_room(s, _latency(current))
    best, found = 0.0, None
    for m, choices in enumerate(open_ways):
        for way in choices:
            saved = current[m].cost_per_h - way.cost_per_h
            # A change keeps the SLO and saves more than rounding, or refining might not end.
            if way.latency_s > room[m] or saved <= TIE * current[m].cost_per_h:
                continue
            longer = way.latency_s - current[m].latency_s
            value = saved / longer if longer > TIE * current[m].latency_s else np.inf
            # Strictly more: ties go to the first module, then its first way.
            if value > best:
                best, found = value, (m, way)
    return found


# Scrooge's greedy heuristic (§4.3, Figures 10 and 11): one configuration per module, then the partial allocations.
#
# It selects the module, worker type and configuration with the highest ratio of throughput gain to the product of cost
# and latency increase. The paper is silent on these points (ours, in the system's favour).
#
# - Every module starts at its least W = d + b/t over all worker types; ties go to the better rank.
# - Gain over cost is the gain in throughput per unit of money, t'/c' − t/c. On one worker type that is (t' − t)/c as
#   printed. Across types the printed difference of throughputs alone never moves a module to a worker that is slower
#   and cheaper, so a greedy read that way stays on the fastest type.
# - A move must gain and keep the longest path within the SLO; without latency increase its ratio is infinite. Ties go
#   to the first module, then the better rank. It ends when no move is left.
# - Partial allocations are refined by the same greedy search that the MILP falls back on.

NAME = "scrooge-greedy"


def solve_scrooge_greedy(session: Session, space: PlanSpace, limits: Limits) -> Answer:
    """Plan a session by Scrooge's greedy heuristic; where rounding makes the checker refuse, just below the SLO."""
    arrays = session_arrays(session, space)
    if (arrays.first[1:] == arrays.first[:-1]).any():
        return _no_plan(session, space, "a module has no configuration in the plan space")
    least = least_latency(arrays)
    if (least > latency_room(arrays, least)).any():
        return _no_plan(session, space, f"{NAME} found no configurations that meet the SLO")
    deadline = limits.deadline()
    # A tie with the SLO that rounding decides wrongly is avoided just below it.
    for slo in (arrays.slo, arrays.slo * (1.0 - 1e-9)):
        s = arrays._replace(slo=slo)
        chosen, moves = allocate_greedily(s)
        ways = refine_greedily(s, chosen, deadline)
        if ways is None:
            if is_past(deadline):
                return _no_plan(session, space, "the time limit was hit in the partial allocations", "limit")
            return _no_plan(session, space, f"{NAME} allocated, but the partial allocations miss the SLO")
        plan = to_plan(session, arrays, *as_counts(s, ways))
        if evaluate(session, plan, space).feasible:
            cost = sum(way.cost_per_h for way in ways)
            return Answer(plan, "feasible", claimed=cost, stats={"moves": float(moves)})
    return _no_plan(session, space, f"{NAME} found only ties with the SLO")


def _no_plan(session: Session, space: PlanSpace, reason: str, raw_status: str = "no plan") -> Answer:
    """The answer where no plan was found: infeasible with a proof, else only the reason."""
    why = why_no_plan(session, space)
    return Answer(None, "infeasible", infeasible=True, reason=why) if why else Answer(None, raw_status, reason=reason)


def allocate_greedily(s: SessionArrays) -> tuple[list[int], int]:
    """The greedy allocation: per module a configuration, and the number of moves made."""
    module_of = np.repeat(np.arange(s.rate.size), np.diff(s.first))
    latency, current = full_latency(s), _fastest(s)
    with np.errstate(divide="ignore"):
        value = s.throughput / s.price
    moves = 0
    while True:
        room = latency_room(s, latency[current])
        with np.errstate(divide="ignore", invalid="ignore"):
            gain = value - value[current][module_of]
            longer = latency - latency[current][module_of]
            # A gain without more latency comes before all others.
            ratio = np.where(longer > TIE * latency, gain / longer, np.inf)
        # Gains within rounding are none, or moves might not end.
        allowed = (gain > TIE * value) & (latency <= room[module_of])
        if not allowed.any():
            return [int(k) for k in current], moves
        # `argmax` takes the first of equals: the first module, then the better rank.
        best = int(np.argmax(np.where(allowed, ratio, -np.inf)))
        current[module_of[best]] = best
        moves += 1


def _fastest(s: SessionArrays) -> Ints:
    """Each module's configuration with the least W, the better rank on ties, shape (modules,)."""
    latency = full_latency(s)
    return np.array([lo + int(np.argmin(latency[lo:hi])) for lo, hi in pairwise(s.first.tolist())], dtype=np.int64)
