"""Resolution of modes in a frontier search: a search for one module's cheapest plans within a budget (ours).

These are lines 5, 8 and 9 of `frontier_search.py` as far as they search modules: at the relaxation's windows, at modes
with a reduced cost below a share of the gap, and at modes that a choice relies on.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from euclio.core.compiled import compiled, compiled_in_place, compiled_on_tables, is_past
from euclio.core.tolerances import TIE
from euclio.problems.session.arrays import Floats, Ints, SessionArrays
from euclio.problems.session.latency.dispatch import path_times
from euclio.problems.session.policies.kernels import LEFT
from formulations.effort import UNTIMED, began, first_nodes, next_nodes
from formulations.session.exact.plan_store import PlanStore, add_known, store_plan, with_rows
from formulations.session.module.by_share import SearchRoom, search_in_place
from formulations.session.module.charges import Charges, charged_bound
from formulations.session.module.problem import (
    LOW,
    UNIT_COST,
    ModuleProblem,
    ProblemRoom,
    Stock,
    fill_problem,
    fluid_bound,
    problem_rules,
)
from formulations.session.module.remaining_rate import few_share
from formulations.session.module.steps import (
    COST,
    LATENCY,
    MOST,
    MOST_STEPS,
    PARTIAL,
    PATIENCE,
    SCOPE,
    SIZE,
    Steps,
)
from formulations.session.split.modes import Modes, mode_within, replace_modes, with_room
from formulations.session.split.relaxation import Relaxation
from formulations.session.split.search import (
    Flags,
    no_lines,
    reduced_cost,
)
from formulations.tolerances import ALIKE, JUST_BELOW

FEW_STEPS = 4.0
"""Machines by which the cost of whole machines may rise within half a mode, for the mode to be searched at its end."""
EAGER_SOLVES = 300
"""Searches per module after which modes are resolved only if a search over modes relies on them. If the gap is wide and
costs fall in thousands of steps, as next to a duration, all of these modes are below that share of it."""
LONG, LONGER = 256, 2
"""Nodes of a module's longest search from which on its searches keep several steps, and the multiple of the longest
that such a search may take. Shorter searches take less time than the use of their steps."""
WIDE = 4.0
"""The largest excess of a step's cost over the floor in a search, in multiples of the height of all its steps."""
ANY, ASKED_AGAIN = 1 << 60, 512
"""Nodes of a module's search: no limit; and the limit for a search that is repeated without a cutoff."""
MODES = MOST_STEPS + 3
"""The most modes into which one falls, plus one."""


class SearchState(NamedTuple):
    """The results so far; searches write into its arrays, which grow between searches (`with_search_room`).

    Attributes:
        modes: every module's cost curve as modes, which bound all plans from below.
        known: plans found, as modes by rising latency and falling cost.
        lines: states that no line leads from any of them to the next one (`no_lines`).
        store: the plans.
        part: room for the modes into which one falls, shape (1, `MODES`); its allocation takes as long as its use.
        most: most steps that the next search of each module keeps, shape (modules,).
        height: approximate additional cost per hour of a faster step of each module, shape (modules,).
        longest: nodes of the longest complete search of each module, shape (modules,).
        counted: room for machines of one plan, shape (configurations of the session,).
        problem: room for one module's problem.
        search: room for its search.
        counts: searches of one module, their nodes, whether one gave up or passed the deadline (1), and most nodes of
            the next one, shape (4,).
        stock: most machines of hardware types.
        charges: the running machines, and the charges of changes to them.
        budgets: the longest budget of each module in seconds that the others leave, shape (modules,).
    """

    modes: Modes
    known: Modes
    lines: Flags
    store: PlanStore
    part: Modes
    most: Ints
    height: Floats
    longest: Ints
    counted: Ints
    problem: ProblemRoom
    search: SearchRoom
    counts: Ints
    stock: Stock
    charges: Charges
    budgets: Floats


@compiled_on_tables
def _right_end(state: SearchState, m: int, i: int) -> float:
    """The largest budget in seconds of mode i of module m: just below the next mode, or the module's longest budget.

    Beyond that there may be plans of the module, even thousands of steps, but none of a session.
    """
    modes = state.modes
    if i + 1 < modes.size[m]:
        return float(modes.latency[m, i + 1] * JUST_BELOW)
    return float(state.budgets[m])


@compiled_in_place
def resolve_windows(
    s: SessionArrays,
    state: SearchState,
    relaxed: Relaxation,
    window: Floats,
    upper: float,
    tolerance: float,
    deadline: float,
) -> None:
    """Resolve each module's mode at its window, so that the plans found together make one of the session.

    If the window lies at the very start of a mode, a search there would only learn about that one latency, so the whole
    mode is resolved.
    """
    for m in range(s.rate.size):
        i = mode_within(state.modes, m, window[m] * (1.0 + TIE))
        if i >= 0 and state.modes.plan[m, i] < 0 and state.counts[2] == 0:
            cutoff = _cutoff(state.modes, relaxed, m, i, upper)
            budget = window[m] if window[m] > state.modes.latency[m, i] * (1.0 + ALIKE) else np.inf
            _resolve(s, state, m, i, budget, cutoff, tolerance, deadline)


@compiled_on_tables
def _cutoff(modes: Modes, relaxed: Relaxation, m: int, i: int, upper: float) -> float:
    """Cost per hour from which on module m's plans in mode i cannot be part of a plan below `upper`.

    Such a plan would lift the relaxation's bound by its reduced cost, above `upper`. The result is a sum of a few terms
    of the same size as those whose rounding was subtracted from the bound (`relax`), so it errs high.
    """
    return float(upper - relaxed.bound + relaxed.base[m] - relaxed.flow[m] * modes.latency[m, i])


@compiled
def resolve_choice(
    s: SessionArrays,
    state: SearchState,
    relaxed: Relaxation,
    window: Floats,
    upper: float,
    tolerance: float,
    deadline: float,
) -> None:
    """Resolve the modes that a choice of one latency per module relies on, each within the budget that is left."""
    before, after = np.zeros(window.size), np.zeros(window.size)
    path_times(s, window, before, after)
    for m in range(window.size):
        # Latencies are looked up anew, because resolution changes the modes' numbers.
        i = mode_within(state.modes, m, window[m])
        if state.modes.plan[m, i] < 0 and state.counts[2] == 0:
            room = s.slo - before[m] - after[m]
            budget = room if room > state.modes.latency[m, i] * (1.0 + ALIKE) else np.inf
            cutoff = _cutoff(state.modes, relaxed, m, i, upper)
            _resolve(s, state, m, i, budget, cutoff, tolerance, deadline)


@compiled_in_place
def resolve_promising(
    s: SessionArrays,
    state: SearchState,
    relaxed: Relaxation,
    upper: float,
    limit: float,
    tolerance: float,
    deadline: float,
    begin: tuple[int, int],
) -> tuple[int, int]:
    """Resolve the unresolved modes whose reduced cost is within a limit, a share of the gap: those decide the bound.

    It begins at a module and a mode of it, and ends if there is no room. An infinite limit disables it.

    Returns:
        Module and mode at which to continue with more room; the number of modules means that nothing is left to do.
    """
    if not np.isfinite(limit):
        return s.rate.size, 0
    most = EAGER_SOLVES * s.rate.size
    first, i = begin
    for m in range(first, s.rate.size):
        while i < state.modes.size[m] and state.counts[0] < most and state.counts[2] == 0:
            if state.modes.plan[m, i] < 0 and reduced_cost(state.modes, relaxed, m, i) <= limit:
                if not _has_room(state, m):
                    return m, i
                cutoff = _cutoff(state.modes, relaxed, m, i, upper)
                size = state.modes.size[m]
                budget = _budget_of_interest(s, state, relaxed, m, i, limit)
                _resolve(s, state, m, i, budget, cutoff, tolerance, deadline)
                # The mode has fallen into parts: go on after them, as they are for the next round.
                i += max(0, state.modes.size[m] - size)
            i += 1
        i = 0
    return s.rate.size, 0


@compiled_on_tables
def _has_room(state: SearchState, m: int) -> bool:
    """Whether there is room for the results of one search of module m: plans, and as many modes plus two."""
    return bool(
        state.modes.size[m] + state.most[m] + 1 < state.modes.latency.shape[1]
        and state.known.size[m] + state.most[m] < state.known.latency.shape[1]
        and state.store.size[0] + state.most[m] <= state.store.latency.size
    )


@compiled_on_tables
def has_room_for_all(state: SearchState) -> bool:
    """Whether there is room for the results of one search of each module."""
    roomy, plans = True, state.store.size[0]
    for m in range(state.modes.size.size):
        plans += state.most[m]
        roomy = roomy and _has_room(state, m)
    return bool(roomy and plans <= state.store.latency.size)


@compiled
def with_search_room(state: SearchState) -> SearchState:
    """The same in arrays that have room for the results of one search of each module."""
    most = state.most.max() + 2
    modes, known = with_room(state.modes, most), with_room(state.known, most)
    return SearchState(
        modes,
        known,
        no_lines(known),
        with_rows(state.store, state.most.sum()),
        state.part,
        state.most,
        state.height,
        state.longest,
        state.counted,
        state.problem,
        state.search,
        state.counts,
        state.stock,
        state.charges,
        state.budgets,
    )


@compiled_on_tables
def _budget_of_interest(
    s: SessionArrays, state: SearchState, relaxed: Relaxation, m: int, i: int, limit: float
) -> float:
    """The latency budget in seconds from which on the reduced cost of mode i exceeds a limit at the mode's own bound.

    Larger budgets are not needed yet, and smaller ones have dearer plans. So the mode is searched there, and not at its
    end, where costs may fall in hundreds of steps. The budget lies at least in the mode's slower half, or the part
    above it would be searched again and again, by a little less each time. Infinite means that there is none, that it
    is the start of the mode, or that machines are whole and `_halved` says where to search.
    """
    flow, left = relaxed.flow[m], state.modes.latency[m, i]
    room = limit - reduced_cost(state.modes, relaxed, m, i)
    if (s.whole and s.dummies) or flow <= 0.0 or room <= flow * left * ALIKE:
        return np.inf
    return float(max(left + room / flow, 0.5 * (left + _right_end(state, m, i))))


@compiled_in_place
def _resolve(
    s: SessionArrays,
    state: SearchState,
    m: int,
    i: int,
    budget: float,
    cutoff: float,
    tolerance: float,
    deadline: float,
) -> None:
    """Search one module's cheapest plans within a budget, and record the proof in its modes.

    The mode falls into budgets below the latency of the fastest plan found, the plans, and budgets above the budget
    searched. The mode stays as it was if the deadline has passed.

    Args:
        s: the session.
        state: the results so far; changed, and must have the room.
        m: the module.
        i: an unresolved mode of it.
        budget: latency budget in seconds; it is cut to the largest of the mode.
        cutoff: plans that cost this much per hour are of no interest.
        tolerance: relative gap of the whole proof, of which one module may use up a hundredth.
        deadline: seconds on `clock` at which to stop; infinite means never.
    """
    modes = state.modes
    right = _right_end(state, m, i)
    budget = min(budget, right)
    # Close to a duration there are thousands of steps, so the middle of the mode may be searched, not its end.
    if budget == right and s.whole and s.dummies:
        budget = _halved(s, modes, m, i, right, state.stock)
    left, old = modes.latency[m, i], modes.cost[m, i]
    floor = max(old, charged_bound(s, m, budget, state.stock, state.charges))
    # If the floor reaches the cutoff, no plan can be of interest, and the mode only gets the better bound.
    steps, row, found, ends = state.search.steps, state.store.size[0], 0, False
    steps.points[COST, SCOPE] = cutoff
    if floor < cutoff:
        steps.points[LATENCY, SCOPE] = left
        found, floor, cutoff = _search_mode(s, state, m, budget, cutoff, floor, 0.01 * tolerance, deadline)
        # The results of an unfinished search are plans, but prove nothing.
        if found < 0:
            return
    # The fastest step stands for all faster plans if no more are kept, or if it is as fast as the start of the mode.
    if found > 0:
        ends = found == steps.numbers[MOST] or steps.points[LATENCY, found - 1] <= left * (1.0 + TIE)
        _set_apart(steps, state.store, row, budget)
    # Plans faster than the steps cost no less than the last of them, or than the limit up to which steps were searched.
    floor = max(floor, min(steps.points[COST, found - 1], cutoff) if ends else min(steps.points[COST, SCOPE], cutoff))
    new, first = state.part, i
    new.size[0] = 0
    for k in range(found - 1, -1, -1):
        latency = steps.points[LATENCY, k]
        if not np.isfinite(latency):
            continue
        if new.size[0] == 0:
            # A plan may be faster than the mode searched: it replaces all modes that are no faster than it.
            while first > 0 and modes.latency[m, first - 1] >= latency:
                first -= 1
            if first == i and left < latency:
                _append(new, left, floor, -1)
        _append(new, latency, steps.points[COST, k], row + k)
    if found == 0:
        _append(new, left, floor, -1)
    # Budgets above the one searched keep the old bound. The longer SLO covers a range narrower than rounding.
    if budget < right * JUST_BELOW:
        _append(new, budget, old, -1)
    replace_modes(modes, m, first, i + 1, new)
    # Costs never fall with shorter budgets, so the floor holds for all faster modes as well.
    for j in range(first - 1, -1, -1):
        if modes.cost[m, j] >= floor:
            break
        modes.cost[m, j] = floor


@compiled_in_place
def _search_mode(
    s: SessionArrays,
    state: SearchState,
    m: int,
    budget: float,
    cutoff: float,
    floor: float,
    tolerance: float,
    deadline: float,
) -> tuple[int, float, float]:
    """Search one module's cheapest plans within a budget, without a cutoff if there are none below it.

    Arguments as those of `_search_within`.

    Returns:
        The number of steps found, -1 if the search was not exhausted; the floor and the cutoff that this proves.
    """
    steps, before = state.search.steps, state.counts[1]
    state.counts[3] = ANY
    if not _search_within(s, state, m, budget, cutoff, floor, tolerance, deadline):
        return -1, floor, cutoff
    found = steps.numbers[SIZE]
    if found > 0 or state.counts[1] - before >= LONG:
        return found, floor, cutoff
    # The cutoff rises with the bound round after round, and each round would search again. If the cheapest plan of all
    # is found soon, it settles the cost of the mode for good.
    floor = max(floor, min(steps.points[COST, SCOPE], cutoff))
    state.counts[3] = ASKED_AGAIN
    if _search_within(s, state, m, budget, np.inf, floor, tolerance, deadline) and steps.numbers[SIZE] > 0:
        return steps.numbers[SIZE], floor, np.inf
    steps.points[COST, SCOPE] = floor
    return 0, floor, cutoff


@compiled_on_tables
def _set_apart(steps: Steps, store: PlanStore, row: int, budget: float) -> None:
    """Write the stored plans' own latencies into the steps, cut to the budget; infinite if another plan stands for one.

    That is a step nearly as slow as one that costs less: the SLO is taken longer by more than their difference.
    """
    slower = np.inf
    for k in range(steps.numbers[SIZE]):
        latency = min(budget, store.latency[row + k])
        steps.points[LATENCY, k] = latency if latency < slower * JUST_BELOW else np.inf
        slower = min(slower, steps.points[LATENCY, k])


@compiled_in_place
def _search_within(
    s: SessionArrays,
    state: SearchState,
    m: int,
    budget: float,
    cutoff: float,
    floor: float,
    tolerance: float,
    deadline: float,
) -> bool:
    """Search one module's cheapest plans within a budget, and store them; arguments as those of `_resolve`.

    The plans are the steps of `state.search`, the cheapest one first, and rows at the end of the store.

    Returns:
        Whether the search was exhausted.
    """
    # As in `module_problem`, in existing memory.
    size, numbers = fill_problem(s, m, budget, state.stock, state.problem), state.problem.numbers
    table = state.problem.table[: (LOW + 1) * (size + 1)].reshape((LOW + 1, size + 1))
    index, group, kind = numbers[:size], numbers[size : 2 * size], numbers[2 * size : 3 * size]
    few = few_share(table[UNIT_COST, :size]) * s.rate[m]
    rules, most_of_types, least = problem_rules(s, m, few, state.stock), state.stock.most[m], state.stock.least[m]
    p = ModuleProblem(index, group, table, kind, most_of_types, state.stock.gives, least, *rules)
    # If changes are charged, the first stage may take a second, so that reading the clock costs nothing in comparison.
    charged = state.charges.running.shape[1] > 0
    steps, begun_s = state.search.steps, began(deadline) if charged else UNTIMED
    most_nodes = state.counts[3]
    nodes = min(first_nodes(deadline), most_nodes)
    # Several steps if a plan's latency is that of its machines (form `LEFT`) and only shares of machines are paid.
    alone = s.policy != LEFT or not p.rising or charged
    alone = alone or state.longest[m] < LONG
    most, patience = (1 if alone else state.most[m]), LONGER * state.longest[m]
    steps.numbers[MOST], steps.numbers[PATIENCE] = most, patience
    steps.points[COST, SCOPE] = cutoff if alone else floor + WIDE * most * state.height[m]
    # In stages of more and more nodes, because the search of a module does not read the clock.
    while True:
        found = search_in_place(p, state.charges, m, cutoff, floor, tolerance, nodes, state.search)
        state.counts[0] += 1
        state.counts[1] += found.nodes
        if found.complete or nodes >= most_nodes:
            break
        # A search that gives up before its nodes are used up does so again.
        if found.nodes < nodes:
            state.counts[2] = 1
            break
        nodes = min(next_nodes(nodes, begun_s, deadline), most_nodes)
        # The deadline is too near for another stage; once it has passed, no other mode is begun either.
        if nodes == 0:
            state.counts[2] = 1 if is_past(deadline) else state.counts[2]
            break
        begun_s = began(deadline)
    for k in range(steps.numbers[SIZE]):
        row = state.store.size[0]
        store_plan(s, m, p, steps.machines[k, :size], steps.numbers[PARTIAL + k], state.store, state.counted)
        add_known(state.known, m, state.store.latency[row], steps.points[COST, k], row, state.part)
    # Several steps took too much, or none was in scope: the next search is for the cheapest plan alone, at any cost.
    broken_off, kept = steps.numbers[MOST] < most, steps.numbers[SIZE]
    if found.complete:
        state.longest[m] = max(state.longest[m], found.nodes - (patience if broken_off else 0))
    if broken_off or kept == 0:
        state.most[m] = 1
    elif not alone and kept == most:
        state.most[m] = min(2 * most, MOST_STEPS)
    if kept > 0:
        state.height[m] = max(steps.points[COST, kept - 1] - floor, 0.0) / kept
    return found.complete


@compiled_on_tables
def _halved(s: SessionArrays, modes: Modes, m: int, i: int, right: float, stock: Stock) -> float:
    """The budget in seconds to search first in mode i of module m, which reaches up to `right`, with whole machines.

    Close to a duration every further machine is a step, and there are thousands. If several lie in the slower half of
    the mode, its middle is searched, not its end. If machines cost nothing there are as many steps, of no height.
    """
    least = np.inf
    for k in range(s.first[m], s.first[m + 1]):
        least = min(least, s.price[k])
    middle = 0.5 * (modes.latency[m, i] + right)
    floor = max(modes.cost[m, i], fluid_bound(s, m, right, stock))
    return middle if least == 0.0 or fluid_bound(s, m, middle, stock) > floor + FEW_STEPS * least else right


@compiled_on_tables
def _append(modes: Modes, latency: float, cost: float, row: int) -> None:
    """Add a mode to row 0, at its end; plan row -1 means an unresolved one."""
    n = modes.size[0]
    modes.latency[0, n], modes.cost[0, n], modes.plan[0, n] = latency, cost, row
    modes.size[0] = n + 1
