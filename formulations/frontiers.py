"""Module frontiers of a session: every plan of a module that is cheapest within its own worst-case latency (ours).

For one module, cost as a function of its latency budget is a step function. Its steps come one by one: search the
cheapest plan for a budget, read the plan's actual worst-case latency, go on just below it. The first budget is the SLO
less what the other modules need at least; the last one that matters is what they leave if each of them takes its
cheapest plan.

The search works in floating point; latency and cost of a mode are the checker's, exact.
"""

from __future__ import annotations

import math
import time
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np

from euclio.errors import InapplicableError
from euclio.session import DummyRule, Module, PlanSpace, Session, evaluate
from euclio.session.arrays import TIE, session_arrays, to_plan
from euclio.session.latency_bound import latency_bound
from formulations.module_search import ModulePlanFound, ModuleProblem, fluid_bound, module_problem, search_module
from formulations.split_problem import Mode, SplitProblem

JUST_BELOW = 1.0 - 4.0 * TIE
TOLERANCE = 1e-11
"""Plans that are cheaper by less than this share are not looked for."""
NODES_BETWEEN_CLOCKS = 1 << 20


@dataclass(slots=True)
class _Staircase:
    """A module's modes so far, and the budget in seconds at which the search goes on."""

    modes: list[Mode]
    budget: float
    complete: bool = True
    """False: the clock or rounding may have hidden a plan."""
    exhausted: bool = False
    """No plan is faster than those found."""


def split_problem(session: Session, space: PlanSpace, deadline: float = math.inf) -> SplitProblem:
    """Latency splitting over the frontiers of a session's modules.

    Args:
        session: the instance.
        space: plan space without `single_hardware`.
        deadline: `time.perf_counter` value at which to stop; the problem is then not complete.

    Returns:
        The problem. A module without a mode: no plan of the session meets the SLO.

    Raises:
        InapplicableError: rule `continuous`, whose cost curve has no steps.
    """
    if space.dummy is DummyRule.CONTINUOUS:
        raise InapplicableError("frontiers have steps only under the dummy rules none and machine, not continuous")
    index = session.index
    edges = tuple((index[a], index[b]) for a, b in session.edges)
    empty = SplitProblem(tuple(m.name for m in session.modules), edges, session.order, session.slo_s, ())
    least = [latency_bound(module, space) for module in session.modules]
    none = replace(empty, modes=tuple(() for _ in session.modules))
    if any(bound is None for bound in least):
        return none
    rooms = empty.room_s([bound for bound in least if bound is not None])
    if min(rooms) <= 0:
        return none
    stairs = [_Staircase([], float(room)) for room in rooms]
    singles = [_alone(session, module) for module in session.modules]
    for single, stair, room in zip(singles, stairs, rooms, strict=True):
        _descend(single, space, stair, room, deadline)
        if not stair.modes:
            return replace(none, complete=stair.complete)
    widest = [stair.modes[0].latency_s for stair in stairs]
    for single, stair, room in zip(singles, stairs, empty.room_s(widest), strict=True):
        _descend(single, space, stair, room, deadline)
    complete = all(stair.complete for stair in stairs)
    return replace(empty, modes=tuple(tuple(stair.modes) for stair in stairs), complete=complete)


def _alone(session: Session, module: Module) -> Session:
    return Session(module.name, session.slo_s, session.hardware, [module])


def _descend(single: Session, space: PlanSpace, stair: _Staircase, target: Fraction, deadline: float) -> None:
    """Add modes, ever faster ones, until one is within `target` seconds or there is none."""
    arrays = session_arrays(single, space)
    while not stair.exhausted and (not stair.modes or stair.modes[-1].latency_s > target):
        problem = module_problem(arrays, 0, stair.budget)
        floor = fluid_bound(arrays, 0, stair.budget)
        if stair.modes:
            floor = max(floor, float(stair.modes[-1].cost_per_h))
        found = _search(problem, floor, deadline)
        if not found.complete:
            stair.complete = False
        if not math.isfinite(found.cost):
            stair.exhausted = True
            return
        _add(single, space, stair, problem, found)


def _search(problem: ModuleProblem, floor: float, deadline: float) -> ModulePlanFound:
    """The cheapest plan of one module; what was found so far if the clock stops the search."""
    if math.isinf(deadline):
        return search_module(problem, math.inf, floor, TOLERANCE, 1 << 60)
    nodes = NODES_BETWEEN_CLOCKS
    while True:
        found = search_module(problem, math.inf, floor, TOLERANCE, nodes)
        if found.complete or time.perf_counter() >= deadline:
            return found
        nodes *= 4


def _add(single: Session, space: PlanSpace, stair: _Staircase, problem: ModuleProblem, found: ModulePlanFound) -> None:
    """Price a plan exactly, make it a mode and lower the budget below it."""
    arrays = session_arrays(single, space)
    machines = np.zeros(arrays.batch.size, np.int64)
    machines[problem.configuration] = found.machines
    partial_at = np.array([problem.configuration[found.partial_at] if found.partial_at >= 0 else -1])
    plan = to_plan(single, arrays, machines, partial_at)
    checked = evaluate(single, plan, space)
    if not checked.modules or checked.modules[0].worst_case_latency_s > Fraction(stair.budget) * (
        1 + Fraction(1, 10**9)
    ):
        # Rounding took a sliver of rate for none; the plan that it hid lies in this budget's last digits.
        stair.complete = False
        stair.budget *= JUST_BELOW
        return
    module = checked.modules[0]
    while stair.modes and stair.modes[-1].cost_per_h >= module.cost_per_h:
        stair.modes.pop()
    stair.modes.append(Mode(module.worst_case_latency_s, module.cost_per_h, plan.modules[0]))
    stair.budget = min(stair.budget, float(module.worst_case_latency_s)) * JUST_BELOW
