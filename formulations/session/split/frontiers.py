"""Module frontiers of a session: every plan of a module that is cheapest within its own worst-case latency (ours).

For one module, cost as a function of its latency budget is a step function. Its steps are found one by one: search the
cheapest plan for a budget, read the plan's actual worst-case latency, continue just below it. The first budget is the
SLO less the least latencies of the other modules. The last one that matters is the rest of the SLO if each of them
takes its cheapest plan.

The search works in floating point and also examines plans that miss the budget by rounding, so its cheapest plan costs
no more than any plan within the budget. Latency and cost of a mode are the checker's, exact. Exact search
(`session/module/in_integers.py`) decides two questions. If the cheapest plan of a budget exists only by rounding, it
searches that budget at once. It also decides whether a plan lies between a latency and the next float budget just below
it (`Mode.unsure_s`), if an answer depends on that (`SplitProblem.refine`).
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction

import numpy as np

from euclio.core.compiled import is_past
from euclio.core.registry import Limits
from euclio.core.result import Answer
from euclio.problems.session import Module, ModulePlan, Plan, PlanSpace, Session, evaluate
from euclio.problems.session.arrays import SessionArrays, session_arrays, to_plan
from euclio.problems.session.latency.bound import latency_bound
from formulations.effort import Effort, UndecidedError, began, first_nodes, next_nodes
from formulations.session.known_plans import with_known_plans
from formulations.session.module.by_share import search_module
from formulations.session.module.charges import no_types
from formulations.session.module.in_integers import (
    MachineLimits,
    cheapest_filled,
    cheapest_plan,
    needs_within,
    rational_module,
)
from formulations.session.module.problem import (
    ModulePlanFound,
    ModuleProblem,
    Stock,
    fluid_bound,
    module_problem,
    no_stock,
)
from formulations.session.per_hardware import cheapest_over_hardware
from formulations.session.split.problem import Mode, SplitProblem, without_modes
from formulations.session.split.proof import Build, answer_of, modes_within, solve_split
from formulations.tolerances import FRONTIER, JUST_BELOW, SAME_COST

EXACT_NODES = 200_000
"""Nodes, of some microseconds each, after which an exact search of one module gives up."""


@dataclass(slots=True)
class _Staircase:
    """A module's modes so far, and where the search goes on.

    Attributes:
        single: a session of this module alone.
        space: the plan space.
        room: largest latency that the other modules can leave it, seconds.
        most: plans that cost more per hour are of no use.
        stock: most machines by type; types that are not named have no limit.
        modes: modes so far, ever faster.
        exhausted: whether it is known that no plan is faster than those found.
        complete: whether no mode was missed; False means that the time was up, or ties took too many nodes.
    """

    single: Session
    space: PlanSpace
    room: Fraction
    most: float = math.inf
    stock: Mapping[str, int] = field(default_factory=dict)
    modes: list[Mode] = field(default_factory=list)
    exhausted: bool = False
    complete: bool = True

    def descend(self, target: Fraction, deadline: float) -> None:
        """Add modes until one is within `target` seconds or there is none."""
        while not self.exhausted and (not self.modes or self.modes[-1].latency_s > target):
            # Where machines are many, a module has millions of modes, and each search ends before it reads the clock.
            if self.modes and is_past(deadline):
                self.complete = False
                return
            last = self.modes[-1] if self.modes else None
            budget = float(self.room) if last is None else float(last.latency_s) * JUST_BELOW
            mode, sure = self._cheapest(budget, deadline)
            # No search has looked between this latency and the next float budget just below it.
            if last is not None and not sure:
                self.modes[-1] = replace(last, unsure_s=max(Fraction(0), last.latency_s - Fraction(budget)))
            if mode is None or mode.cost_per_h > self.most:
                self.exhausted = True
                return
            # By rounding a faster plan may cost no more than one before it, which is then no mode.
            while self.modes and self.modes[-1].cost_per_h >= mode.cost_per_h:
                self.modes.pop()
            self.modes.append(mode)

    def _cheapest(self, budget: float, deadline: float) -> tuple[Mode | None, bool]:
        """The next mode (None without one), and whether the last digits of the budget were searched as well."""
        arrays = session_arrays(self.single, self.space)
        stock = self._limits(arrays)
        problem = module_problem(arrays, 0, budget, stock)
        floor = fluid_bound(arrays, 0, budget, stock)
        # Faster plans cost no less than the mode before, and a plan at that cost ends the search.
        if self.modes:
            floor = max(floor, float(self.modes[-1].cost_per_h))
        found = _search(problem, floor, deadline)
        if not found.complete:
            self.complete = False
        if not math.isfinite(found.cost):
            return None, False
        mode = self._meant(problem, found)
        if mode is not None:
            return mode, False
        # Rounding made the plan, so that the last digits of the budget matter.
        try:
            return self._exactly(deadline), True
        except UndecidedError:
            self.complete = False
            return None, True

    def _limits(self, arrays: SessionArrays) -> Stock:
        """The most machines of the configurations' types."""
        none, names = no_stock(arrays), list(self.stock)
        if not names:
            return none
        types = [self.single.modules[0].profile[i].hardware for i in arrays.profile_index]
        kind = np.array([names.index(name) if name in names else -1 for name in types], np.int64)
        return none._replace(kind=kind, most=np.array([[float(self.stock[name]) for name in names]]))

    def machines(self, mode: Mode) -> dict[str, int]:
        """The machines of a mode by type, of those that a stock limits."""
        assert mode.plan is not None
        found = dict.fromkeys(self.stock, 0)
        for a in mode.plan.allocations:
            if a.configuration.hardware in found:
                found[a.configuration.hardware] += a.machines + bool(a.partial_rps)
        return found

    def _meant(self, problem: ModuleProblem, found: ModulePlanFound) -> Mode | None:
        """The mode of the plan that floats found; None if it misses the budget, or is another one than they meant."""
        arrays = session_arrays(self.single, self.space)
        machines = np.zeros(arrays.batch.size, np.int64)
        machines[problem.configuration] = found.machines
        partial_at = np.array([problem.configuration[found.partial_at] if found.partial_at >= 0 else -1])
        mode = _mode(self.single, self.space, to_plan(self.single, arrays, machines, partial_at).modules[0])
        if mode is None or abs(float(mode.cost_per_h) - found.cost) > SAME_COST * found.cost:
            return None
        within = mode.latency_s < self.modes[-1].latency_s if self.modes else mode.latency_s <= self.room
        return mode if within else None

    def _exactly(self, deadline: float) -> Mode | None:
        """The next mode by exact search; None means that there is none.

        Raises:
            UndecidedError: the search took too many nodes, or the deadline has passed.
        """
        budget = self.modes[-1].latency_s if self.modes else self.room
        return _exact_mode(self, budget, deadline, strictly=bool(self.modes))


def split_problem(session: Session, space: PlanSpace, deadline: float = math.inf) -> SplitProblem:
    """Latency splitting over the frontiers of a session's modules.

    Args:
        session: the instance.
        space: plan space without `single_hardware`, rule `continuous`, whose cost curve has no steps, or a policy of
            form `GENERAL`.
        deadline: `time.perf_counter` value at which to stop; the problem is then not complete.

    Returns:
        The problem. A module without a mode: no plan of the session meets the SLO.
    """
    empty = without_modes(session)
    none = replace(empty, modes=tuple(() for _ in session.modules))
    rooms = _rooms(session, space, empty)
    if rooms is None:
        return none
    stairs = [_Staircase(_alone(session, m), space, room) for m, room in zip(session.modules, rooms, strict=True)]
    for stair, room in zip(stairs, rooms, strict=True):
        stair.descend(room, deadline)
        if not stair.modes:
            return replace(none, complete=stair.complete)
    # Within what is left by the cheapest, hence slowest, modes of the others, still faster ones are of no use.
    widest = [stair.modes[0].latency_s for stair in stairs]
    for stair, room in zip(stairs, empty.room_s(widest), strict=True):
        stair.descend(room, deadline)
    return _with_stairs(empty, stairs, deadline)


def modes_below(
    session: Session, space: PlanSpace, most: list[float], stock: Mapping[str, int], deadline: float
) -> tuple[SplitProblem, list[int]]:
    """The modes that cost at most `most` per hour of each module, however fast they are.

    Within a stock a module has a row of modes for each of several most numbers of machines. For every plan some row has
    a mode that costs no more, is no slower and has no more machines of any type in stock: where the modes of a row have
    more, there are rows with fewer than these. Past the deadline a module has no modes, and the problem is not
    complete. Other arguments as of `split_problem`; also machines that are charged whole, if none costs nothing.

    Args:
        session: the instance; its own stock and resources do not count.
        space: plan space, as of `split_problem`.
        most: largest cost of each module.
        stock: most machines of each module by type; types that are not named have no limit.
        deadline: `time.perf_counter` value at which to stop.

    Returns:
        The rows of modes, and the module of each. Without a stock each module has one row.
    """
    empty = without_modes(session)
    rooms, places = _rooms(session, space, empty), range(len(session.modules))
    if rooms is None:
        return replace(empty, modes=tuple(() for _ in places)), list(places)
    stairs, rows = list[_Staircase](), list[int]()
    for m, (module, room, limit) in enumerate(zip(session.modules, rooms, most, strict=True)):
        pending, seen = [dict(stock)], list[Mapping[str, int]]()
        while pending:
            own = pending.pop()
            if own in seen:
                continue
            seen.append(own)
            stair = _Staircase(_alone(session, module), space, room, limit, own)
            stairs.append(stair)
            rows.append(m)
            # One staircase may take a while even where each of its searches ends at once.
            if is_past(deadline):
                stair.complete = False
                break
            stair.descend(Fraction(0), deadline)
            used = {(name, n) for mode in stair.modes for name, n in stair.machines(mode).items()}
            pending += [{**own, name: n - 1} for name, n in sorted(used) if n]
    return _with_stairs(empty, stairs, deadline), rows


def _rooms(session: Session, space: PlanSpace, empty: SplitProblem) -> list[Fraction] | None:
    """The largest latency that the others leave each module, in seconds; None means that no plan keeps the SLO."""
    least = [latency_bound(module, space) for module in session.modules]
    if any(bound is None for bound in least):
        return None
    rooms = empty.room_s([bound for bound in least if bound is not None])
    return rooms if min(rooms) > 0 else None


def _with_stairs(empty: SplitProblem, stairs: list[_Staircase], deadline: float) -> SplitProblem:
    """The splitting problem with the modes that were found."""

    def refine(m: int, mode: Mode, next_cost: Fraction | None) -> tuple[Mode, ...] | None:
        return _refined(stairs[m], mode, next_cost, deadline)

    complete = all(stair.complete for stair in stairs)
    return replace(empty, modes=tuple(tuple(stair.modes) for stair in stairs), complete=complete, refine=refine)


def _refined(stair: _Staircase, mode: Mode, next_cost: Fraction | None, deadline: float) -> tuple[Mode, ...] | None:
    """A mode made sure, and the modes between it and the next one, of the given cost; None if that is too much work."""
    modes = [replace(mode, unsure_s=Fraction(0))]
    try:
        # Each search may end before it reads the clock.
        while not is_past(deadline):
            found = _exact_mode(stair, modes[-1].latency_s, deadline, strictly=True)
            # Dummies make machines ever faster, so that only the cost or the latency ends the modes.
            if found is None or found.latency_s < mode.least_s or found.cost_per_h > stair.most:
                return tuple(modes)
            if next_cost is not None and found.cost_per_h >= next_cost:
                return tuple(modes)
            while modes and modes[-1].cost_per_h >= found.cost_per_h:
                modes.pop()
            modes.append(found)
    except UndecidedError:
        pass
    return None


def _exact_mode(stair: _Staircase, budget_s: Fraction, deadline: float, *, strictly: bool) -> Mode | None:
    """The cheapest mode within (strictly: below) a budget in seconds; None means that there is none.

    Raises:
        UndecidedError: the search took too many nodes, or the deadline has passed.
    """
    single, space = stair.single, stair.space
    limits = MachineLimits({name: Fraction(n) for name, n in stair.stock.items()})
    module = rational_module(single.modules[0], single.price, space, limits)
    needs = needs_within(module, budget_s, strictly=strictly)
    cheapest = cheapest_filled if space.fills else cheapest_plan
    plan = cheapest(module, needs, None, Effort(EXACT_NODES, deadline))
    return None if plan is None else _mode(single, space, plan)


def _alone(session: Session, module: Module) -> Session:
    """A session of one module of a session, with its hardware and SLO."""
    return Session(module.name, session.slo_s, session.hardware, [module])


def _mode(single: Session, space: PlanSpace, plan: ModulePlan) -> Mode | None:
    """A plan priced exactly; None means that the checker refuses it."""
    checked = evaluate(single, Plan((plan,)), space)
    if not checked.modules:
        return None
    return Mode(checked.modules[0].worst_case_latency_s, checked.modules[0].cost_per_h, plan)


def _search(problem: ModuleProblem, floor: float, deadline: float) -> ModulePlanFound:
    """The cheapest plan of one module; what was found so far if the clock stops the search."""
    nodes = first_nodes(deadline)
    while True:
        begun_s = began(deadline)
        found = search_module(problem, no_types(), math.inf, floor, FRONTIER, nodes)
        nodes = 0 if found.complete else next_nodes(nodes, begun_s, deadline)
        if nodes == 0:
            return found


# The shared parts of latency splitting around an engine's model: frontiers, start, limits, answer (ours).


def split_session(
    session: Session,
    space: PlanSpace,
    limits: Limits,
    build: Build,
    export: Callable[[SplitProblem], None] | None = None,
) -> Answer:
    """Cheapest plan of a session: module frontiers, then an engine's models until the best split is proven.

    Args:
        session: the session.
        space: the plan space.
        limits: limits of the run.
        build: makes an engine's model.
        export: writes the model of a problem to a file; None means that nothing is written.
    """
    return with_known_plans(session, space, limits, lambda within: _split(session, space, within, build, export))


def _split(
    session: Session, space: PlanSpace, limits: Limits, build: Build, export: Callable[[SplitProblem], None] | None
) -> Answer:
    started = time.perf_counter()
    deadline = limits.deadline(started)
    given = limits.options.warm_start

    def run(on: PlanSpace) -> Answer:
        problem = split_problem(session, on, deadline)
        if export is not None:
            export(problem)
        start = None if given is None else modes_within(problem, session, given, on)
        return answer_of(solve_split(problem, build, deadline, start, started), given, start)

    return cheapest_over_hardware(session, space, run)
