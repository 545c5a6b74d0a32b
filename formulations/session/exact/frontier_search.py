"""The exact method for sessions: module frontiers, resolved only where the relaxation of the whole DAG needs it (ours).

Ten lines (docs/model/exact.md states why each of them may leave plans out):

1. give every module its first modes: intervals of budgets with a bound on all plans within
2. repeat:
3.     relax: least cost of one latency per module on the modes' convex hulls, longest path within the SLO: a bound
4.     window: the latency that each module has there, and the rest that the paths leave
5.     resolve the mode at each window: the cheapest plan of one module within that budget
6.     round: the cheapest known plans within the windows make a plan of the session, the incumbent
7.     if bound and incumbent meet: go to 10
8.     resolve modes whose reduced cost is below a share of the gap; if there were any, and the bound rises: next round
9.     search: branch and bound over one mode per module; nothing below the incumbent: go to 10, else resolve its choice
10. settle in fractions, outside of this file (`solver.py`, `in_fractions/`)
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from euclio.core.compiled import compiled, compiled_in_place, is_past
from euclio.problems.session.arrays import Floats, Ints, SessionArrays
from euclio.problems.session.latency.dispatch import clear_of_rounding, configuration_latency, path_times
from formulations.effort import INFEASIBLE, LATER, LIMIT, OPTIMAL
from formulations.session.exact.mode_resolution import (
    EAGER_SOLVES,
    MODES,
    SearchState,
    has_room_for_all,
    resolve_choice,
    resolve_promising,
    resolve_windows,
    with_search_room,
)
from formulations.session.exact.plan_store import new_store
from formulations.session.module.by_share import new_search_room
from formulations.session.module.charges import Charges, charged_bound, no_charges
from formulations.session.module.problem import (
    Stock,
    is_in_stock,
    most_configurations,
    new_problem_room,
    no_stock,
)
from formulations.session.split.course import Course, note, unwatched
from formulations.session.split.modes import Modes, new_modes, with_room
from formulations.session.split.relaxation import Basis, Relaxation, basis_for, new_basis, relax_in_place, suits
from formulations.session.split.search import (
    Taken,
    new_taken,
    no_lines,
    search_choices,
    take_within,
)
from formulations.tolerances import ALIKE, JUST_BELOW

RELAXED_ROUNDS = 60
"""Rounds with the relaxation before the search over modes starts, and after each such search."""
FIRST_NODES = 4096
"""Nodes of the first search over modes. One that needs more is stopped. Then the modes that its best choice relies on
are resolved, unless that choice is a plan, before the next search may take more."""
EAGER_SHARE = 0.3
"""Modes are resolved in a round if their reduced cost is below this share of the gap. The share doubles after each
search over modes whose best choice relied on others, because a search takes longer than the resolution of hundreds."""
RISE, MUCH = 0.01, 0.25
"""Shares of the gap. A rise of the bound below the first does not count. A search over modes that lifts the bound by
more than the second was worth its time."""
FIRST_SEARCH, SEARCH_NODE = 1024, 16
"""Nodes of modules' searches without a rise of the bound before a search over modes. At first it is this many per pair
of modules. Later it is this many per module and node of the last search over modes, which takes about as long."""
LONGEST_WAIT = 1 << 40
"""Most such nodes between two searches over modes."""
PAIR_NODES = 4
"""Nodes of modules' searches that take about as long as a relaxation, per pair of modules."""
ANY_WORK = 1 << 60
"""No limit on the work."""


class Proof(NamedTuple):
    """The plan that the exact method found, and its proof in floating point.

    Attributes:
        status: OPTIMAL, INFEASIBLE or LIMIT.
        cost: cost of the plan per hour; infinite means that no plan was found that costs less than the caller's.
        bound: lower bound on the cost per hour of every plan.
        machines: whole machines per configuration of the session, shape (configurations,).
        partial_at: configuration of each module's partial machine, shape (modules,); -1 means none.
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


class _Room(NamedTuple):
    """The arrays into which each round writes.

    Attributes:
        first: zeros, shape (modules,), like the next two.
        last: last mode of each module.
        window: windows stretched to the rest that the paths leave, in seconds.
        columns: the relaxation's arrays, a row each, shape (4, modules).
        times: room for figures of modules, shape (2, modules).
        taken: the known plans that the modules take.
    """

    first: Ints
    last: Ints
    window: Floats
    columns: Floats
    times: Floats
    taken: Taken


@compiled
def prove(s: SessionArrays, tolerance: float, deadline: float) -> Proof:
    """The cheapest plan of a session without limits on its machines; arguments as those of `prove_within`."""
    return prove_within(s, no_stock(s), no_charges(s), tolerance, deadline, np.inf, ANY_WORK, unwatched())


@compiled
def prove_watched(
    s: SessionArrays, tolerance: float, deadline: float, known: float, most_work: int, course: Course
) -> Proof:
    """As `prove`, given the cost of a known plan, with a limit on the work, and with a note of intermediate results.

    The arrays that stand for no limits are made in here, since passing them takes as long as a short search.
    """
    return prove_within(s, no_stock(s), no_charges(s), tolerance, deadline, known, most_work, course)


@compiled
def prove_within(
    s: SessionArrays,
    stock: Stock,
    charges: Charges,
    tolerance: float,
    deadline: float,
    known: float,
    most_work: int,
    course: Course,
) -> Proof:
    """The cheapest plan of a session whose modules have finitely many plans of a cost, with proof.

    Args:
        s: the session in its plan space; every module has a configuration.
        stock: most machines of hardware types in each module.
        charges: the running machines of each module, and the charges of changes to them. If it has types, the stock
            numbers all types, dummies fill whole machines, and the configuration or the rate behind it decides their
            latency.
        tolerance: relative gap of bound and cost at which to stop.
        deadline: seconds on `clock` at which to stop; infinite means never.
        known: cost per hour of the caller's plan, the first incumbent; infinite means that it has none.
        most_work: work after which the search stops, in nodes of modules' searches or equal work.
        course: records the intermediate plans and bounds.

    Returns:
        The plan and the bound. All decisions keep too much rather than too little, so the bound holds for every plan of
        the session. The checker decides whether the plan is one, unless it is clear.
    """
    # Line 1: First modes, and the arrays into which all rounds write.
    modules = s.rate.size
    plans = new_modes(modules, 8)
    state = SearchState(
        first_modes(s, stock, charges),
        plans,
        no_lines(plans),
        new_store(s, 64),
        new_modes(1, MODES),
        np.ones(modules, np.int64),
        np.zeros(modules),
        np.zeros(modules, np.int64),
        np.zeros(s.batch.size, np.int64),
        new_problem_room(s),
        new_search_room(most_configurations(s), s.max_allocations, stock.least.shape[1]),
        np.zeros(4, np.int64),
        stock,
        charges,
        _longest_budgets(s, _least_durations(s, stock)),
    )
    none = np.full(modules, -1, np.int64)
    upper, bound, rows = known, 0.0, none.copy()
    rounds, searched, most_nodes, basis = 0, 0, FIRST_NODES, new_basis(s, state.modes)
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
    # Line 2: Rounds.
    while True:
        # Out of time, by a search of a module or by the clock here, or a search has given up: the proof so far.
        work = state.counts[1] + rounds * PAIR_NODES * modules * modules + searched * SEARCH_NODE * modules
        if is_past(deadline) or state.counts[2] > 0 or work > most_work:
            return _proof(s, LIMIT, upper, bound, state, rows, rounds)
        rounds += 1
        # Line 3: Relax.
        # Arrays with room stay: passing tables of many arrays takes as long as a short search.
        if not suits(basis, state.modes):
            basis = basis_for(basis, state.modes)
        lower = _relax(s, state.modes, basis, room)
        relaxed = Relaxation(lower, columns[0], columns[1], columns[2], columns[3])
        # Modes bound all plans of interest: if not even they meet the SLO, no plan is cheaper than the one found.
        if not np.isfinite(relaxed.bound):
            status = INFEASIBLE if not np.isfinite(upper) else OPTIMAL
            return _proof(s, status, upper, upper, state, rows, rounds)
        if min(relaxed.bound, upper) > bound + RISE * (upper - bound):
            risen = state.counts[1]
        bound = max(bound, min(relaxed.bound, upper))
        # Lines 4 and 5: Windows, and the modes there.
        window, before = room.window, state.counts[0]
        if not has_room_for_all(state):
            state = with_search_room(state)
        resolve_windows(s, state, relaxed, window, upper, tolerance, deadline)
        # Line 6: Round.
        # The known plans of the windows may together be a better plan of the session.
        upper = _round(s, state, window, upper, rows, room)
        note(course, upper, bound, work)
        # Line 7: Bound and incumbent meet.
        if np.isfinite(upper) and upper - bound <= tolerance * upper:
            return _proof(s, OPTIMAL, upper, bound, state, rows, rounds)
        # Line 8: Resolve promising modes.
        # As long as modes get resolved, the next relaxation is better, and that costs less than a search over modes.
        # But if the bound has not risen for long, the relaxation lies at plans, and only a search rules them out.
        # Without a plan nothing prunes a search over modes, so windows come first as long as they have unresolved ones.
        if not np.isfinite(upper) and state.counts[0] > before:
            continue
        stalled = state.counts[1] > risen + worth
        if not stalled and rounds <= last_relaxed and state.counts[0] < EAGER_SOLVES * modules:
            solves = state.counts[0]
            limit = eager * (upper - relaxed.bound)
            at = resolve_promising(s, state, relaxed, upper, limit, tolerance, deadline, (0, 0))
            while at[0] < modules:
                state = with_search_room(state)
                at = resolve_promising(s, state, relaxed, upper, limit, tolerance, deadline, at)
            if state.counts[0] > solves:
                continue
        # Line 9: Search over one mode per module.
        leads, share = no_lines(state.modes), 0.5 * tolerance
        choice = search_choices(s, state.modes, leads, upper, share, deadline, course, most_nodes)
        last_relaxed, eager = rounds + RELAXED_ROUNDS, min(1.0, 2.0 * eager)
        searched += choice.nodes
        # After a search that lifted the bound by little, the next one comes after twice the work on modules.
        much = choice.bound > bound + MUCH * (upper - bound)
        longer = 0 if much else min(LONGEST_WAIT, 2 * worth)
        risen, worth = state.counts[1], max(SEARCH_NODE * modules * choice.nodes, longer)
        # The search leaves out choices that are cheaper by less than its share of the tolerance.
        bound = max(bound, choice.bound * (1.0 - share))
        if not np.isfinite(choice.cost):
            if choice.complete and not np.isfinite(upper):
                return _proof(s, INFEASIBLE, upper, upper, state, rows, rounds)
            # No choice of modes costs less than the plan found, and modes cost no more than the plans they stand for.
            if choice.complete:
                return _proof(s, OPTIMAL, upper, max(bound, upper * (1.0 - tolerance)), state, rows, rounds)
            # It stopped before it had any choice: it gets more nodes next time.
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
            # The choice of a search that was stopped is a plan, and perhaps not the cheapest.
            upper, most_nodes = choice.cost, most_nodes * LATER
            continue
        if not has_room_for_all(state):
            state = with_search_room(state)
        resolve_choice(s, state, relaxed, window, upper, tolerance, deadline)
        upper = _round(s, state, window, upper, rows, room)


@compiled
def _proof(
    s: SessionArrays, status: int, cost: float, bound: float, state: SearchState, rows: Ints, rounds: int
) -> Proof:
    """The outcome, with the plan whose modules stand in `rows` of the store; none if that is the caller's."""
    modules = s.rate.size
    cost = cost if rows[0] >= 0 else np.inf
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
def _least_durations(s: SessionArrays, stock: Stock) -> Floats:
    """The shortest duration of each module among the machines in stock, in seconds; infinite means that it has none."""
    least = np.full(s.rate.size, np.inf)
    for m in range(s.rate.size):
        for k in range(s.first[m], s.first[m + 1]):
            if is_in_stock(stock, m, k):
                least[m] = min(least[m], s.duration[k])
    return least


@compiled
def _longest_budgets(s: SessionArrays, least: Floats) -> Floats:
    """The longest budget of each module in seconds: the rest of the SLO at the shortest durations of the others."""
    before, after = np.zeros(least.size), np.zeros(least.size)
    path_times(s, least, before, after)
    return s.slo - before - after


@compiled
def first_modes(s: SessionArrays, stock: Stock, charges: Charges) -> Modes:
    """The first modes: unresolved ones, each with a bound on all plans within its interval of budgets.

    The intervals lie between the latencies at which ever faster configurations could take the whole rate alone. They
    only decide the order of the search, so their floats need no margin. They reach down to the shortest duration. A
    module without a configuration in stock has no mode.
    """
    modules = s.rate.size
    least = _least_durations(s, stock)
    budgets = _longest_budgets(s, least)
    modes = new_modes(modules, 16)
    # From the last start to the first, because a growing list would allocate memory again and again.
    starts = np.empty(most_configurations(s) + 2)
    for m in range(modules):
        starts[0], count = budgets[m], 1
        shortest = budgets[m]
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
            # Equal: one mode for both, at the lesser of the two bounds.
            if n > 0 and modes.cost[m, n - 1] <= cost * (1.0 + ALIKE):
                modes.cost[m, n - 1] = min(cost, modes.cost[m, n - 1])
                continue
            modes.latency[m, n], modes.cost[m, n], modes.plan[m, n] = starts[i], cost, -1
            modes.size[m] = n + 1
    return modes


@compiled_in_place
def _relax(s: SessionArrays, modes: Modes, basis: Basis, room: _Room) -> float:
    """Relax all modes, and stretch the windows, one module after the other, to the rest that the paths leave.

    Returns:
        The bound; infinite means that no choice of modes meets the SLO, and nothing else is known.
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


@compiled_in_place
def _round(s: SessionArrays, state: SearchState, window: Floats, upper: float, rows: Ints, room: _Room) -> float:
    """Cost per hour of the best plan found within the windows, its store rows in `rows`; the incumbent's if as cheap.

    It starts from the cheapest known plan of each module within its window, then greedily takes cheaper ones within the
    rest.
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
