"""All combinations of module plans, cheapest first (ours): from frontiers of modules to the plan of a session.

A frontier holds the plans of a module that are strictly faster than every cheaper one. Nothing else can be part of a
cheapest plan, because costs add up over modules and the longest path never shortens when a module gets slower.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from fractions import Fraction
from math import inf, lcm
from typing import NamedTuple

from euclio.problems.session import Module, ModulePlan, Plan, Session
from euclio.problems.session.latency.paths import longest_path
from euclio.problems.session.services import latest_ends, least_end


class ModuleChoice(NamedTuple):
    """A plan of one module with its exact worst-case latency in seconds and cost per hour."""

    latency_s: Fraction
    cost_per_h: Fraction
    plan: ModulePlan


class TimeUpError(Exception):
    """The time limit of the run was reached."""


def cheapest_plan(
    session: Session, frontier_of: Callable[[Module], list[ModuleChoice]], deadline: float
) -> tuple[Fraction, Plan] | str:
    """Cost and plan of the cheapest combination of module plans within the SLO, or in words why there is none.

    Args:
        session: the instance.
        frontier_of: the module's plans within the SLO that are strictly faster than every cheaper one, cheapest first.
        deadline: `time.perf_counter` value at which to give up.

    Raises:
        TimeUpError: the deadline has passed.
    """
    frontiers: list[list[ModuleChoice]] = []
    for module in session.modules:
        frontier = frontier_of(module)
        if not frontier:
            return f"module {module.name} has no plan within {float(session.slo_s - least_end(session)):.9g} s"
        frontiers.append(frontier)
    fastest, path = longest_path(session, [frontier[-1].latency_s for frontier in frontiers])
    # All modules at their fastest miss the SLO, so every combination does.
    if fastest > session.slo_s:
        return f"path {' -> '.join(path)} takes at least {float(fastest):.9g} s of {float(session.slo_s):.9g} s"
    chosen = _cheapest_combination(session, frontiers, deadline)
    choices = [frontier[k] for frontier, k in zip(frontiers, chosen, strict=True)]
    return sum((c.cost_per_h for c in choices), Fraction(0)), Plan(tuple(c.plan for c in choices))


def _cheapest_combination(session: Session, frontiers: list[list[ModuleChoice]], deadline: float) -> list[int]:
    """For each module the index of its plan in the cheapest combination whose longest path meets the SLO."""
    order, parents = session.order, session.parents()
    delays = [[session.delay_between(p, m) for p in own] for m, own in enumerate(parents)]
    # A module without an end has children, and those have to keep their ends.
    *latency, limit = _as_integers([*([c.latency_s for c in f] for f in frontiers), *delays, latest_ends(session)])
    latency, delays_before = latency[: len(order)], latency[len(order) :]
    cost = _as_integers([[c.cost_per_h for c in f] for f in frontiers])
    least_after = [sum(cost[i][0] for i in order[k:]) for k in range(len(order) + 1)]
    finish, chosen = [0] * len(order), [0] * len(order)
    best_cost: float = inf
    best: list[int] = []

    def extend(position: int, spent: int) -> None:
        nonlocal best_cost, best
        if time.perf_counter() > deadline:
            raise TimeUpError
        # Only strictly cheaper combinations reach this point: ties keep the first one found.
        if position == len(order):
            best_cost, best = spent, chosen.copy()
            return
        i = order[position]
        start = max((finish[p] + d for p, d in zip(parents[i], delays_before[i], strict=True)), default=0)
        for k, (seconds, money) in enumerate(zip(latency[i], cost[i], strict=True)):
            # Plans come by rising cost: every later one is beaten as well.
            if spent + money + least_after[position + 1] >= best_cost:
                break
            # Too slow: a later plan costs more, but is faster and may fit.
            if start + seconds <= limit[i]:
                finish[i], chosen[i] = start + seconds, k
                extend(position + 1, spent + money)

    extend(0, 0)
    return best


def _as_integers(rows: list[list[Fraction]]) -> list[list[int]]:
    """Rows of fractions, times their common denominator: whole numbers, compared exactly and fast."""
    scale = lcm(*(x.denominator for row in rows for x in row))
    return [[int(x * scale) for x in row] for row in rows]
