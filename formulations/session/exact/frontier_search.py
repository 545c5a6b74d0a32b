"""The exact method: lazily resolved module frontiers under the relaxation of the whole DAG (compiled, ours).

Every module's cost curve starts as a few unresolved modes with fluid bounds. The relaxation over all modes bounds
the optimum from below and prices latency; the windows that it gives each module say where to look for plans; modes
whose reduced cost exceeds the gap can never matter. What is left is resolved, best first, until the gap is closed
or a search over the modes proves the incumbent.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from euclio.core.compiled import compiled, compiled_in_place, compiled_on_tables, is_past
from euclio.core.tolerances import TIE
from euclio.problems.session.arrays import Floats, Ints, SessionArrays
from euclio.problems.session.latency.dispatch import clear_of_rounding, configuration_latency, path_times
from euclio.problems.session.policies.kernels import LEFT
from formulations.effort import INFEASIBLE, LATER, LIMIT, OPTIMAL, UNTIMED, began, first_nodes, next_nodes
from formulations.session.exact.plan_store import PlanStore, add_known, new_store, store_plan, with_rows
from formulations.session.module.by_share import SearchRoom, new_search_room, search_in_place
from formulations.session.module.charges import Charges, charged_bound, no_charges
from formulations.session.module.problem import (
    LOW,
    UNIT_COST,
    ModuleProblem,
    ProblemRoom,
    Stock,
    fill_problem,
    fluid_bound,
    is_in_stock,
    most_configurations,
    new_problem_room,
    no_stock,
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
from formulations.session.split.course import Course, note, unwatched
from formulations.session.split.modes import Modes, mode_within, new_modes, replace_modes, with_room
from formulations.session.split.relaxation import Basis, Relaxation, basis_for, new_basis, relax_in_place, suits
from formulations.session.split.search import (
    Flags,
    Taken,
    new_taken,
    no_lines,
    reduced_cost,
    search_choices,
    take_within,
)
from formulations.tolerances import ALIKE, JUST_BELOW

RELAXED_ROUNDS = 60
"""Rounds led by the relaxation before the search over modes takes over, and after each such search."""
FEW_STEPS = 4.0
"""Machines by which the cost of whole machines may rise within half a mode, for the mode to be searched at its end."""
FIRST_NODES = 4096
"""Nodes of the first search over modes. One that needs more is broken off: what its best choice relies on is resolved,
or that choice is a plan, before the next search may take more."""
EAGER_SHARE = 0.3
"""Modes are resolved in a round if their reduced cost is below this share of the gap, and twice that share after each
search over modes whose best choice relied on others: a search takes longer than resolving hundreds."""
EAGER_SOLVES = 300
"""Searches per module after which modes are resolved only where a search over modes relies on them. Where the gap is
wide and costs fall in thousands of steps, as next to a duration, all of them are below that share of it."""
RISE, MUCH = 0.01, 0.25
"""Shares of the gap: less than the first is no rise of the bound, and a search over modes that lifts it by more than
the second was worth its time."""
FIRST_SEARCH, SEARCH_NODE = 1024, 16
"""Nodes of modules' searches, without a rise of the bound, after which there is a search over modes: at first so many
per pair of modules; later so many per module and node of the last search over modes, which takes about as long."""
LONGEST_WAIT = 1 << 40
"""Most such nodes between two searches over modes."""
PAIR_NODES = 4
"""Nodes of modules' searches that a relaxation takes as long as, about, per pair of modules."""
LONG, LONGER = 256, 2
"""Nodes of a module's longest search from which on its searches keep several steps, and the multiple of the longest
that they may take for it. Shorter searches take less time than what is made of their steps."""
WIDE = 4.0
"""How much more than the steps before the next ones may cost, for a search to keep them, by their height."""
MODES = MOST_STEPS + 3
"""Modes that one falls into at most, and one more."""


class Proof(NamedTuple):
    """The plan that the exact method found, and what it proves in floating point.

    Attributes:
        status: OPTIMAL, INFEASIBLE or LIMIT.
        cost: cost of the plan per hour; infinite: none was found.
        bound: lower bound on the cost per hour of every plan.
        machines: whole machines per configuration of the session, shape (configurations,).
        partial_at: configuration of each module's partial machine, -1: none, shape (modules,).
        clear: whether the plan obeys every rule by more than floats can err.
        path_s: longest path of the plan in seconds.
        solves: searches of one module.
        nodes: nodes of all of these searches.
        rounds: relaxations solved.
    """

    status: int
    cost: float
    bound: float
    machines: Ints
    partial_at: Ints
    clear: bool
    path_s: float
    solves: int
    nodes: int
    rounds: int


class _State(NamedTuple):
    """What is known so far; searches write into its arrays, which are made larger between them (`_with_room`).

    Attributes:
        modes: every module's cost curve as modes, which bound all plans from below.
        known: plans found, as modes by rising latency and falling cost.
        lines: that no line leads from any of them to the next one (`no_lines`).
        store: the plans.
        part: room for the modes that one falls into, since making it takes as long as filling it, shape (1, `MODES`).
        most: steps that the next search of each module keeps at most, shape (modules,).
        height: how much more a faster step of each module costs per hour, about, shape (modules,).
        longest: nodes of the longest search of each module that was not broken off, shape (modules,).
        counted: room for machines of one plan, shape (configurations of the session,).
        problem: room for one module's problem.
        search: room for its search.
        counts: searches of one module, their nodes, and whether one gave up or passed the deadline (1), shape (3,).
        stock: most machines of hardware types.
        charges: the running machines, and what changes of them are charged.
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


class _Room(NamedTuple):
    """What each round is written into.

    Attributes:
        first: zeros, shape (modules,), like the next two.
        last: last mode of each module.
        window: windows stretched to what the paths leave, in seconds.
        columns: the relaxation's arrays, a row each, shape (4, modules).
        times: room for figures of modules, shape (2, modules).
        taken: what the modules take of the known plans.
    """

    first: Ints
    last: Ints
    window: Floats
    columns: Floats
    times: Floats
    taken: Taken


@compiled
def prove(s: SessionArrays, tolerance: float, deadline: float) -> Proof:
    """The cheapest plan of a session where nothing limits its machines; arguments as those of `prove_within`."""
    return prove_within(s, no_stock(s), no_charges(s), tolerance, deadline, unwatched())


@compiled
def prove_watched(s: SessionArrays, tolerance: float, deadline: float, course: Course) -> Proof:
    """As `prove`, with a note of what is found on the way.

    What says that nothing is limited is made in here, since handing it over takes as long as a short search.
    """
    return prove_within(s, no_stock(s), no_charges(s), tolerance, deadline, course)


@compiled
def prove_within(
    s: SessionArrays, stock: Stock, charges: Charges, tolerance: float, deadline: float, course: Course
) -> Proof:
    """The cheapest plan of a session whose modules have finitely many plans of a cost, with proof.

    Args:
        s: the session in its plan space; every module has a configuration.
        stock: most machines of hardware types in each module.
        charges: the running machines of each module, and what changes of them are charged; where it has types, the
            stock numbers all types, dummies fill whole machines, and the configuration or the rate behind it decides
            their latency.
        tolerance: relative gap of bound and cost at which to stop.
        deadline: seconds on `clock` at which to stop; infinite: never.
        course: what is found and proven on the way is noted there.

    Returns:
        The plan and the bound. All decisions keep too much rather than too little, so the bound holds for every plan of
        the session; whether the plan is one is for the checker to say, unless it is clear.
    """
    modules = s.rate.size
    known = new_modes(modules, 8)
    state = _State(
        first_modes(s, stock, charges),
        known,
        no_lines(known),
        new_store(s, 64),
        new_modes(1, MODES),
        np.ones(modules, np.int64),
        np.zeros(modules),
        np.zeros(modules, np.int64),
        np.zeros(s.batch.size, np.int64),
        new_problem_room(s),
        new_search_room(most_configurations(s), s.max_allocations),
        np.zeros(3, np.int64),
        stock,
        charges,
    )
    none = np.full(modules, -1, np.int64)
    upper, bound, rows = np.inf, 0.0, none.copy()
    rounds, most_nodes, basis = 0, FIRST_NODES, new_basis(s, state.modes)
    last_relaxed, eager = RELAXED_ROUNDS, EAGER_SHARE
    room = _Room(
        np.zeros(modules, np.int64),
        np.zeros(modules, np.int64),
        np.zeros(modules),
        np.zeros((4, modules)),
        np.zeros((2, modules)),
        new_taken(modules),
    )
    columns = room.columns
    # Nodes of modules' searches when the bound last rose, and how many more of them a search over modes is worth.
    risen, worth = 0, FIRST_SEARCH * modules * modules
    while True:
        # Out of time, as one of a module saw or as seen here, or one has given up: what is proven so far.
        if is_past(deadline) or state.counts[2] > 0:
            return _proof(s, LIMIT, upper, bound, state, rows, rounds)
        rounds += 1
        # What has room stays: to hand over tables of many arrays takes as long as a short search.
        if not suits(basis, state.modes):
            basis = basis_for(basis, state.modes)
        lower = _relax(s, state.modes, basis, room)
        relaxed = Relaxation(lower, columns[0], columns[1], columns[2], columns[3])
        # Modes bound all plans that are of interest: if not even they meet the SLO, no plan is cheaper than that found.
        if not np.isfinite(relaxed.bound):
            status = INFEASIBLE if not np.isfinite(upper) else OPTIMAL
            return _proof(s, status, upper, upper, state, rows, rounds)
        if min(relaxed.bound, upper) > bound + RISE * (upper - bound):
            risen = state.counts[1]
        bound = max(bound, min(relaxed.bound, upper))
        window, before = room.window, state.counts[0]
        if not _has_room_for_all(state):
            state = _with_room(state)
        _resolve_windows(s, state, relaxed, window, upper, tolerance, deadline)
        # The plans that the windows have made known, put together, may be a better plan of the session.
        upper = _round(s, state, window, upper, rows, room)
        note(course, upper, bound, state.counts[1] + rounds * PAIR_NODES * modules * modules)
        if np.isfinite(upper) and upper - bound <= tolerance * upper:
            return _proof(s, OPTIMAL, upper, bound, state, rows, rounds)
        # As long as modes get resolved, the next relaxation is better; that is cheaper than a search over modes, unless
        # the bound has not risen for long: then the relaxation lies at plans, and only a search rules them out.
        # Without a plan nothing prunes a search over modes, so windows come first as long as they hold unresolved ones.
        if not np.isfinite(upper) and state.counts[0] > before:
            continue
        stalled = state.counts[1] > risen + worth
        if not stalled and rounds <= last_relaxed and state.counts[0] < EAGER_SOLVES * modules:
            solves = state.counts[0]
            limit = eager * (upper - relaxed.bound)
            m, i = _resolve_promising(s, state, relaxed, upper, limit, tolerance, deadline, 0, 0)
            while m < modules:
                state = _with_room(state)
                m, i = _resolve_promising(s, state, relaxed, upper, limit, tolerance, deadline, m, i)
            if state.counts[0] > solves:
                continue
        leads, share = no_lines(state.modes), 0.5 * tolerance
        choice = search_choices(s, state.modes, leads, upper, share, deadline, course, most_nodes)
        last_relaxed, eager = rounds + RELAXED_ROUNDS, min(1.0, 2.0 * eager)
        # After one that lifted the bound by little, modules are searched for twice as long as before it.
        much = choice.bound > bound + MUCH * (upper - bound)
        longer = 0 if much else min(LONGEST_WAIT, 2 * worth)
        risen, worth = state.counts[1], max(SEARCH_NODE * modules * choice.nodes, longer)
        # The search leaves out what is cheaper by less than its share of the tolerance.
        bound = max(bound, choice.bound * (1.0 - share))
        if not np.isfinite(choice.cost):
            if choice.complete and not np.isfinite(upper):
                return _proof(s, INFEASIBLE, upper, upper, state, rows, rounds)
            # No choice of modes costs less than the plan found, and modes cost no more than the plans they stand for.
            if choice.complete:
                return _proof(s, OPTIMAL, upper, max(bound, upper * (1.0 - tolerance)), state, rows, rounds)
            # Broken off before it had any choice: it gets more nodes next time.
            most_nodes *= LATER
            continue
        unresolved = False
        window = np.empty(modules)
        for m in range(modules):
            unresolved = unresolved or state.modes.plan[m, choice.chosen[m]] < 0
            window[m] = state.modes.latency[m, choice.chosen[m]]
        # The cheapest choice of all consists of plans, so it is a plan of the session at the cost of its bound.
        if not unresolved:
            for m in range(modules):
                rows[m] = state.modes.plan[m, choice.chosen[m]]
            if choice.complete:
                return _proof(s, OPTIMAL, choice.cost, bound, state, rows, rounds)
            # One of a search that was broken off is a plan, and perhaps not the cheapest.
            upper, most_nodes = choice.cost, most_nodes * LATER
            continue
        if not _has_room_for_all(state):
            state = _with_room(state)
        _resolve_choice(s, state, relaxed, window, upper, tolerance, deadline)
        upper = _round(s, state, window, upper, rows, room)


@compiled
def _proof(s: SessionArrays, status: int, cost: float, bound: float, state: _State, rows: Ints, rounds: int) -> Proof:
    """The outcome, with the plan whose modules stand in `rows` of the store (an infinite cost: there is none)."""
    modules = s.rate.size
    machines, partial_at = np.zeros(s.batch.size, np.int64), np.full(modules, -1, np.int64)
    latency, partial, dummy = np.zeros(modules), np.zeros(modules), np.zeros(modules)
    if np.isfinite(cost):
        for m in range(modules):
            left = s.rate[m]
            for k in range(s.first[m], s.first[m + 1]):
                machines[k] = state.store.machines[rows[m], k - s.first[m]]
                left -= machines[k] * s.throughput[k]
            partial_at[m] = state.store.partial_at[rows[m]]
            latency[m], partial[m], dummy[m] = state.store.latency[rows[m]], max(left, 0.0), max(-left, 0.0)
    clear = clear_of_rounding(s, latency, partial, dummy)
    path_s = path_times(s, latency, np.zeros(modules), np.zeros(modules))
    return Proof(status, cost, bound, machines, partial_at, clear, path_s, state.counts[0], state.counts[1], rounds)


@compiled
def first_modes(s: SessionArrays, stock: Stock, charges: Charges) -> Modes:
    """The modes to begin with: unresolved ones, each with a bound on all plans within its interval of budgets.

    The intervals lie between the latencies at which ever faster configurations could take the whole rate alone; they
    only say where to look first, so their floats need no margin. They reach down to the shortest duration. A module of
    whose configurations none is in stock has no mode.
    """
    modules = s.rate.size
    least = np.full(modules, np.inf)
    for m in range(modules):
        for k in range(s.first[m], s.first[m + 1]):
            if is_in_stock(stock, m, k):
                least[m] = min(least[m], s.duration[k])
    before, after = np.zeros(modules), np.zeros(modules)
    path_times(s, least, before, after)
    modes = new_modes(modules, 16)
    # From the last start to the first; a list that grows would ask for memory again and again.
    starts = np.empty(most_configurations(s) + 2)
    for m in range(modules):
        room = s.slo - before[m] - after[m]
        starts[0], count = room, 1
        shortest = room
        for k in range(s.first[m], s.first[m + 1]):
            latency = configuration_latency(s, k, s.rate[m])
            if latency < shortest and is_in_stock(stock, m, k):
                shortest, starts[count] = latency, latency
                count += 1
        starts[count] = least[m]
        for i in range(count, 0, -1):
            right = starts[i - 1] if i == 1 else starts[i - 1] * JUST_BELOW
            # Narrower than rounding: the SLO was taken longer by more than that, so the next interval holds its plans.
            # Or the others leave the module less than its shortest duration, and it has no mode.
            if right < starts[i]:
                continue
            n = modes.size[m]
            if n + 2 >= modes.latency.shape[1]:
                modes = with_room(modes, 2)
            cost = charged_bound(s, m, right, stock, charges)
            # Alike: one mode for both, at the lesser of the two bounds.
            if n > 0 and modes.cost[m, n - 1] <= cost * (1.0 + ALIKE):
                modes.cost[m, n - 1] = min(cost, modes.cost[m, n - 1])
                continue
            modes.latency[m, n], modes.cost[m, n], modes.plan[m, n] = starts[i], cost, -1
            modes.size[m] = n + 1
    return modes


@compiled_on_tables
def _right_end(s: SessionArrays, modes: Modes, m: int, i: int) -> float:
    """The largest budget in seconds that mode i of module m stands for: just below the next mode, or the SLO."""
    if i + 1 < modes.size[m]:
        return float(modes.latency[m, i + 1] * JUST_BELOW)
    return s.slo


@compiled_in_place
def _resolve_windows(
    s: SessionArrays,
    state: _State,
    relaxed: Relaxation,
    window: Floats,
    upper: float,
    tolerance: float,
    deadline: float,
) -> None:
    """Resolve each module's mode at its window, so that the plans found together make one of the session.

    Where the window lies at the very start of a mode, a search there would learn of that one latency only, so the whole
    mode is resolved.
    """
    for m in range(s.rate.size):
        i = mode_within(state.modes, m, window[m] * (1.0 + TIE))
        if i >= 0 and state.modes.plan[m, i] < 0 and state.counts[2] == 0:
            cutoff = _cutoff(state.modes, relaxed, m, i, upper)
            budget = window[m] if window[m] > state.modes.latency[m, i] * (1.0 + ALIKE) else np.inf
            _resolve(s, state, m, i, budget, cutoff, tolerance, deadline)


@compiled_in_place
def _relax(s: SessionArrays, modes: Modes, basis: Basis, room: _Room) -> float:
    """Relax all modes, and stretch the windows, one module after the other, to what the paths leave.

    Returns:
        The bound; infinite: no choice of modes meets the SLO, and nothing else is known.
    """
    for m in range(s.rate.size):
        room.last[m] = modes.size[m] - 1
    bound = relax_in_place(s, modes, room.first, room.last, basis, room.columns)
    if not np.isfinite(bound):
        return bound
    stretched, before, after = room.window, room.times[0], room.times[1]
    for m in range(s.rate.size):
        stretched[m] = room.columns[2, m]
    for m in s.order:
        path_times(s, stretched, before, after)
        stretched[m] = max(stretched[m], s.slo - before[m] - after[m])
    return bound


@compiled_on_tables
def _cutoff(modes: Modes, relaxed: Relaxation, m: int, i: int, upper: float) -> float:
    """Cost per hour from which on module m's plans in mode i cannot be part of a plan below `upper`.

    Such a plan would lift the relaxation's bound by its reduced cost, above `upper`. It is a sum of a few terms of the
    size that the bound has had its rounding taken off for (`relax`), so it errs high.
    """
    return float(upper - relaxed.bound + relaxed.base[m] - relaxed.flow[m] * modes.latency[m, i])


@compiled
def _resolve_choice(
    s: SessionArrays,
    state: _State,
    relaxed: Relaxation,
    window: Floats,
    upper: float,
    tolerance: float,
    deadline: float,
) -> None:
    """Resolve what a choice of one latency per module relies on, each mode as far as the others leave it room."""
    before, after = np.zeros(window.size), np.zeros(window.size)
    path_times(s, window, before, after)
    for m in range(window.size):
        # Latencies are looked up anew, since resolving moves the modes' numbers.
        i = mode_within(state.modes, m, window[m])
        if state.modes.plan[m, i] < 0 and state.counts[2] == 0:
            room = s.slo - before[m] - after[m]
            budget = room if room > state.modes.latency[m, i] * (1.0 + ALIKE) else np.inf
            cutoff = _cutoff(state.modes, relaxed, m, i, upper)
            _resolve(s, state, m, i, budget, cutoff, tolerance, deadline)


@compiled_in_place
def _resolve_promising(
    s: SessionArrays,
    state: _State,
    relaxed: Relaxation,
    upper: float,
    limit: float,
    tolerance: float,
    deadline: float,
    begin: int,
    i: int,
) -> tuple[int, int]:
    """Resolve the unresolved modes whose reduced cost is within a limit, a share of the gap: those decide the bound.

    Begins at mode i of module `begin`, and ends where there is no room. Where nothing limits them, nothing is done.

    Returns:
        Module and mode to go on at with more room; as many as there are modules: nothing is left to do.
    """
    if not np.isfinite(limit):
        return s.rate.size, 0
    most = EAGER_SOLVES * s.rate.size
    for m in range(begin, s.rate.size):
        while i < state.modes.size[m] and state.counts[0] < most and state.counts[2] == 0:
            if state.modes.plan[m, i] < 0 and reduced_cost(state.modes, relaxed, m, i) <= limit:
                if not _has_room(state, m):
                    return m, i
                cutoff = _cutoff(state.modes, relaxed, m, i, upper)
                size = state.modes.size[m]
                budget = _budget_of_interest(s, state.modes, relaxed, m, i, limit)
                _resolve(s, state, m, i, budget, cutoff, tolerance, deadline)
                # The mode has fallen into parts: go on after them, they are for the next round.
                i += max(0, state.modes.size[m] - size)
            i += 1
        i = 0
    return s.rate.size, 0


@compiled_on_tables
def _has_room(state: _State, m: int) -> bool:
    """Whether there is room for what one search of module m makes known: plans, and as many modes and two more."""
    return bool(
        state.modes.size[m] + state.most[m] + 1 < state.modes.latency.shape[1]
        and state.known.size[m] + state.most[m] < state.known.latency.shape[1]
        and state.store.size[0] + state.most[m] <= state.store.latency.size
    )


@compiled_on_tables
def _has_room_for_all(state: _State) -> bool:
    """Whether there is room for what one search of each module makes known."""
    roomy, plans = True, state.store.size[0]
    for m in range(state.modes.size.size):
        plans += state.most[m]
        roomy = roomy and _has_room(state, m)
    return bool(roomy and plans <= state.store.latency.size)


@compiled
def _with_room(state: _State) -> _State:
    """The same in arrays that have room for what one search of each module makes known."""
    most = state.most.max() + 2
    modes, known = with_room(state.modes, most), with_room(state.known, most)
    return _State(
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
    )


@compiled_on_tables
def _budget_of_interest(s: SessionArrays, modes: Modes, relaxed: Relaxation, m: int, i: int, limit: float) -> float:
    """The latency budget in seconds from which on the reduced cost of mode i exceeds a limit at the mode's own bound.

    What lies above it is not asked for yet, and below it plans cost more: so the mode is searched there, and not at its
    end, where costs may fall in hundreds of steps. In its slower half at least, or what is left above would be asked
    for again and again, by a little less each time. Infinite: there is none, it is where the mode begins, or machines
    are whole and `_halved` says where to search.
    """
    flow, left = relaxed.flow[m], modes.latency[m, i]
    room = limit - reduced_cost(modes, relaxed, m, i)
    if (s.whole and s.dummies) or flow <= 0.0 or room <= flow * left * ALIKE:
        return np.inf
    return float(max(left + room / flow, 0.5 * (left + _right_end(s, modes, m, i))))


@compiled_in_place
def _resolve(
    s: SessionArrays,
    state: _State,
    m: int,
    i: int,
    budget: float,
    cutoff: float,
    tolerance: float,
    deadline: float,
) -> None:
    """Search one module's cheapest plans within a budget, and say in its modes what that proves.

    The mode falls into budgets below the latency of the fastest plan found, the plans, and budgets above the budget
    searched. The mode stays as it was where the deadline has passed.

    Args:
        s: the session.
        state: what is known so far; changed, and has to have the room.
        m: the module.
        i: an unresolved mode of it.
        budget: latency budget in seconds; more than the mode stands for is cut.
        cutoff: plans that cost this much per hour are of no interest.
        tolerance: relative gap of the whole proof, of which one module may use up a hundredth.
        deadline: seconds on `clock` at which to stop; infinite: never.
    """
    modes = state.modes
    right = _right_end(s, modes, m, i)
    budget = min(budget, right)
    # Close to a duration there are thousands of steps: the middle of the mode may be searched, not its end.
    if budget == right and s.whole and s.dummies:
        budget = _halved(s, modes, m, i, right, state.stock)
    left, old = modes.latency[m, i], modes.cost[m, i]
    floor = max(old, charged_bound(s, m, budget, state.stock, state.charges))
    # Where the floor reaches the cutoff, no plan can be of interest, and the mode only gets the better bound.
    steps, row, found, ends = state.search.steps, state.store.size[0], 0, False
    steps.points[COST, SCOPE] = cutoff
    if floor < cutoff:
        steps.points[LATENCY, SCOPE] = left
        # What an unfinished search found are plans, but prove nothing.
        if not _search_within(s, state, m, budget, cutoff, floor, 0.01 * tolerance, deadline):
            return
        found = steps.numbers[SIZE]
    # The fastest step stands for all faster plans where no more are kept, or where it is as fast as the mode begins.
    if found > 0:
        ends = found == steps.numbers[MOST] or steps.points[LATENCY, found - 1] <= left * (1.0 + TIE)
        _set_apart(steps, state.store, row, budget)
    # Faster plans than the steps cost no less than the last of them, or than up to what steps were looked for.
    floor = max(floor, min(steps.points[COST, found - 1], cutoff) if ends else min(steps.points[COST, SCOPE], cutoff))
    new, first = state.part, i
    new.size[0] = 0
    for k in range(found - 1, -1, -1):
        latency = steps.points[LATENCY, k]
        if not np.isfinite(latency):
            continue
        if new.size[0] == 0:
            # A plan may be faster than the mode searched: it takes the place of all modes that it is no slower than.
            while first > 0 and modes.latency[m, first - 1] >= latency:
                first -= 1
            if first == i and left < latency:
                _append(new, left, floor, -1)
        _append(new, latency, steps.points[COST, k], row + k)
    if found == 0:
        _append(new, left, floor, -1)
    # Budgets above the one searched keep the old bound. One narrower than rounding is covered by the longer SLO.
    if budget < right * JUST_BELOW:
        _append(new, budget, old, -1)
    replace_modes(modes, m, first, i + 1, new)
    # Costs never fall with shorter budgets, so the floor holds for all faster modes as well.
    for j in range(first - 1, -1, -1):
        if modes.cost[m, j] >= floor:
            break
        modes.cost[m, j] = floor


@compiled_on_tables
def _set_apart(steps: Steps, store: PlanStore, row: int, budget: float) -> None:
    """Write the stored plans' own latencies into the steps, cut to the budget; infinite: another one stands for it.

    That is a step nearly as slow as one that costs less: the SLO is taken longer by more than they differ.
    """
    slower = np.inf
    for k in range(steps.numbers[SIZE]):
        latency = min(budget, store.latency[row + k])
        steps.points[LATENCY, k] = latency if latency < slower * JUST_BELOW else np.inf
        slower = min(slower, steps.points[LATENCY, k])


@compiled_in_place
def _search_within(
    s: SessionArrays,
    state: _State,
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
    # As in `module_problem`, in memory that is there already.
    size, numbers = fill_problem(s, m, budget, state.stock, state.problem), state.problem.numbers
    table = state.problem.table[: (LOW + 1) * (size + 1)].reshape((LOW + 1, size + 1))
    index, group, kind = numbers[:size], numbers[size : 2 * size], numbers[2 * size : 3 * size]
    few = few_share(table[UNIT_COST, :size]) * s.rate[m]
    p = ModuleProblem(index, group, table, kind, state.stock.most[m], *problem_rules(s, m, few, state.stock))
    # Where changes are charged the first stage may take a second, next to which a look at the clock is nothing.
    charged = state.charges.running.shape[1] > 0
    steps, nodes, begun_s = state.search.steps, first_nodes(deadline), began(deadline) if charged else UNTIMED
    # Several steps where a plan's latency is that of its machines (form `LEFT`) and nothing but shares of them is paid.
    alone = s.policy != LEFT or not p.rising or charged
    alone = alone or state.longest[m] < LONG
    most, patience = (1 if alone else state.most[m]), LONGER * state.longest[m]
    steps.numbers[MOST], steps.numbers[PATIENCE] = most, patience
    steps.points[COST, SCOPE] = cutoff if alone else floor + WIDE * most * state.height[m]
    # In stages of more and more nodes, since the search of a module does not look at the clock.
    while True:
        found = search_in_place(p, state.charges, m, cutoff, floor, tolerance, nodes, state.search)
        state.counts[0] += 1
        state.counts[1] += found.nodes
        if found.complete:
            break
        # A search that gives up before its nodes are used up does so again.
        if found.nodes < nodes:
            state.counts[2] = 1
            break
        nodes = next_nodes(nodes, begun_s, deadline)
        # The deadline is too near for another stage; once it has passed, no other mode is begun either.
        if nodes == 0:
            state.counts[2] = 1 if is_past(deadline) else state.counts[2]
            break
        begun_s = began(deadline)
    for k in range(steps.numbers[SIZE]):
        row = state.store.size[0]
        store_plan(s, m, p, steps.machines[k, :size], steps.numbers[PARTIAL + k], state.store, state.counted)
        add_known(state.known, m, state.store.latency[row], steps.points[COST, k], row, state.part)
    # Several took too much, or there was none in scope: the next search is for the cheapest plan alone, at any cost.
    broken_off, kept = steps.numbers[MOST] < most, steps.numbers[SIZE]
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

    Close to a duration every machine more is a step, and there are thousands: where several lie in the slower half of
    the mode, its middle is searched, not its end. Where machines cost nothing there are as many steps, of no height.
    """
    least = np.inf
    for k in range(s.first[m], s.first[m + 1]):
        least = min(least, s.price[k])
    middle = 0.5 * (modes.latency[m, i] + right)
    floor = max(modes.cost[m, i], fluid_bound(s, m, right, stock))
    return middle if least == 0.0 or fluid_bound(s, m, middle, stock) > floor + FEW_STEPS * least else right


@compiled_on_tables
def _append(modes: Modes, latency: float, cost: float, row: int) -> None:
    """Add a mode to row 0, at its end; plan row -1: an unresolved one."""
    n = modes.size[0]
    modes.latency[0, n], modes.cost[0, n], modes.plan[0, n] = latency, cost, row
    modes.size[0] = n + 1


@compiled_in_place
def _round(s: SessionArrays, state: _State, window: Floats, upper: float, rows: Ints, room: _Room) -> float:
    """Cost per hour of the best plan found within the windows, its store rows in `rows`; the incumbent's if as cheap.

    That is the cheapest known plan of each module within its window, then greedily cheaper ones within what is left.
    """
    known = state.known
    for m in range(rows.size):
        if known.size[m] == 0:
            return upper
        room.last[m] = known.size[m] - 1
    cost = take_within(s, known, state.lines, window, room.first, room.last, room.taken, room.times)
    if cost >= upper:
        return upper
    for m in range(rows.size):
        rows[m] = known.plan[m, room.taken.chosen[m]]
    return cost
