"""The same as `search_cover`, up the ranking over the totals of the machines so far (compiled, ours).

If many configurations are alike, many mixtures of them cost the same, and a search down the ranking goes through all
of them. Up the ranking, from the last configuration to the first, only the rate and the cost of the machines taken so
far matter. Their rate is the suffix rate of the next one. Of two *states* with the same cost the one with more rate is
always better. So a state is kept only if it has more rate than all states that cost no more. If the machines of
hardware types are limited, only states that hold as many of each are compared. If rows require more than the rate
(`least.py`), a better state gives each row as much.

Under `tc-shared` the rate from which the configurations of one ratio collect is known once the last of them has been
taken. They are taken by rising need, so the need of the one taken last decides; until then a state is *open*.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from euclio.core.compiled import compiled
from euclio.problems.session.arrays import Floats, Ints
from formulations.session.module.problem import (
    NO_LIMIT,
    PRICE,
    THROUGHPUT,
    UNIT_COST,
    WHOLE_NEED,
    ModulePlanFound,
    ModuleProblem,
    largest_sum_below,
    look_up_detours,
)
from formulations.tolerances import RATES, UNIT_ROUNDING

MOST_HELD = 4096
"""The most combined numbers of machines of types with a limit by which states are compared."""
LEVELS = 8
"""Parts of the rows' requirements that distinguish states; each is compared with the most rate in its part."""
ADDED = 512.0 * UNIT_ROUNDING
"""Share by which a state's rate may be off: a product and a sum, each rounded once, for every configuration it has."""


class _WholeStates(NamedTuple):
    """All states that were ever kept; lists of states hold their numbers.

    Attributes:
        rate: requests per second that the machines take, shape (capacity,), like the next ones.
        cost: their cost per hour.
        held: number of them of each type with a limit, as one number (`_radices`).
        given: amounts that they give to each row, at most its requirement, shape (capacity, rows).
        before: the state without the machines of its last configuration; -1 means that there are none.
        last: that configuration.
        machines: its number of machines.
        size: number of states, shape (1,).
    """

    rate: Floats
    cost: Floats
    held: Ints
    given: Floats
    before: Ints
    last: Ints
    machines: Ints
    size: Ints


class _BestWhole(NamedTuple):
    """The best plan so far: a state and more machines of one configuration.

    Attributes:
        figures: its cost per hour, and the limit on the cost of plans of interest, shape (2,).
        plan: the state, the configuration and its machines, shape (3,).
    """

    figures: Floats
    plan: Ints


class _RankedSearch(NamedTuple):
    """The input of a search.

    Attributes:
        p: the module at one budget.
        radices: the addition of a machine of each type with a limit to the number of a state (`_radices`).
        detours: additional costs of plans by rows (`look_up_detours`).
        tolerance: plans that are cheaper than the best one found by less than this share are not searched.
        most_states: states after which to stop.
    """

    p: ModuleProblem
    radices: Ints
    detours: Floats
    tolerance: float
    most_states: int


@compiled
def search_states(p: ModuleProblem, cutoff: float, tolerance: float, most_states: int) -> ModulePlanFound:
    """The cheapest plan of full machines that costs less than the cutoff, over any number of configurations.

    Args:
        p: the module at one budget; full machines of each configuration are fast enough, and nothing limits the
            number of allocations.
        cutoff: only plans below this cost per hour are of interest; infinite means that all are.
        tolerance: plans that are cheaper than the best one found by less than this share are not searched.
        most_states: states after which to stop.

    Returns:
        The plan, and whether the search was exhausted.
    """
    size = p.configuration.size
    radices = _radices(p)
    if radices[-1] > MOST_HELD:
        return ModulePlanFound(np.inf, np.zeros(size, np.int64), -1, 0, False)
    detours = np.empty((p.least.size, 3, size + 1))
    look_up_detours(p, detours)
    search = _RankedSearch(p, radices, detours, tolerance, most_states)
    states = _new_states(min(most_states, 1 << 10), p.least.size)
    # The state without machines.
    states.size[0], states.before[0] = 1, -1
    best = _BestWhole(np.array([np.inf, largest_sum_below(p, cutoff * (1.0 - tolerance))]), np.zeros(3, np.int64))
    complete, kept = True, np.zeros(1, np.int64)
    last = size
    while last > 0 and complete:
        first = last - 1
        while p.shared and first > 0 and p.group[first - 1] == p.group[last - 1]:
            first -= 1
        # By rising need; a ratio of its own is the rule.
        members = first + np.argsort(p.table[WHOLE_NEED, first:last], kind="mergesort")
        largest = p.rate
        for j in members[1:]:
            largest = max(largest, p.table[WHOLE_NEED, j])
        opened, closed = kept, kept
        for j in members:
            states, taken, complete = _with_machines(search, states, opened, j, largest, best)
            if not complete:
                break
            # The possible rounding loss of a rate is added to it: that keeps too much.
            need = p.table[WHOLE_NEED, j]
            enough = taken[states.rate[taken] >= need * (1.0 - ADDED)]
            closed = _merged(p, states, closed, enough, radices[-1])
            if members.size > 1:
                opened = _merged(p, states, opened, taken, radices[-1])
        kept = closed[states.rate[closed] < p.rate] if p.least.size == 0 else closed
        last = first
    machines = np.zeros(size, np.int64)
    if np.isfinite(best.figures[0]):
        machines[best.plan[1]] = best.plan[2]
        at = best.plan[0]
        while states.before[at] >= 0:
            machines[states.last[at]] += states.machines[at]
            at = states.before[at]
    return ModulePlanFound(best.figures[0], machines, -1, states.size[0], complete)


@compiled
def _with_machines(
    search: _RankedSearch, states: _WholeStates, given: Ints, j: int, largest: float, best: _BestWhole
) -> tuple[_WholeStates, Ints, bool]:
    """The states that one or more machines of configuration j make of others, by rising cost and rate.

    A state that they complete is a plan, which goes to `best` if it is cheaper.

    Args:
        search: the input of the search.
        states: all states.
        given: numbers of the states to extend, by rising cost and rate.
        j: the configuration.
        largest: states with this rate and more are of no further use.
        best: the best plan so far.

    Returns:
        All states, in arrays that may be new; the numbers of those made; whether these are all.
    """
    p, radices = search.p, search.radices
    radix, room = _radix_and_stock(p, radices, j)
    t, price, need = p.table[THROUGHPUT, j], p.table[PRICE, j], p.table[WHOLE_NEED, j]
    target = max(p.rate, need)
    for u in given:
        _complete(search, states, u, j, target, room - _held(states, u, radix, room), best)
    made = np.empty(max(16, 2 * given.size), np.int64)
    count, i, k = 0, 0, 0
    reached = _nothing_reached(p, radices[-1])
    # The next one by cost is one of those given or of those made, with one machine more.
    while i < given.size or k < count:
        if k >= count or (i < given.size and states.cost[given[i]] <= states.cost[made[k]]):
            u = given[i]
            i += 1
        else:
            u = made[k]
            k += 1
        # Machines of one configuration are multiplied, not summed up, so that thousands of them lose no digits.
        own = states.last[u] == j
        base, n = (states.before[u], states.machines[u] + 1) if own else (u, 1)
        rate, cost = states.rate[base] + n * t, states.cost[base] + n * price
        # The missing rate is bought at the best unit cost at least. By rising cost this does not end the loop, because
        # a state with more rate may miss less.
        if cost + p.table[UNIT_COST, 0] * max(0.0, p.rate - rate) > best.figures[1]:
            continue
        if (rate >= largest and not _gives(p, states, u, j)) or _held(states, u, radix, room) >= room:
            continue
        if states.size[0] >= search.most_states:
            return states, made[:count].copy(), False
        if states.size[0] == states.rate.size:
            states = _wider(states)
        number = states.size[0]
        states.rate[number], states.cost[number], states.held[number] = rate, cost, states.held[u] + radix
        for row in range(p.least.size):
            more = states.given[base, row] + n * p.gives[row, p.configuration[j]]
            states.given[number, row] = min(more, p.least[row])
        if not _is_better(p, states, reached, number) or _least_with(search, states, number) > best.figures[1]:
            continue
        states.before[number], states.last[number], states.machines[number] = base, j, n
        states.size[0] = number + 1
        if count == made.size:
            made = np.concatenate((made, np.empty_like(made)))
        made[count] = number
        count += 1
    return states, made[:count].copy(), True


@compiled
def _complete(
    search: _RankedSearch, states: _WholeStates, u: int, j: int, target: float, room: int, best: _BestWhole
) -> None:
    """Complete a state with at most `room` machines of configuration j, and keep the plan if it is the cheapest."""
    p = search.p
    least = 1
    for row in range(p.least.size):
        lacks, own = p.least[row] * (1.0 - RATES) - states.given[u, row], p.gives[row, p.configuration[j]]
        if lacks > 0.0:
            if own == 0.0:
                return
            least = max(least, int(np.ceil(lacks / own)))
    # The possible rounding error of the requirement needs no machine; the exact check decides.
    lacking = target * (1.0 - ADDED) - states.rate[u]
    n = max(least, int(np.ceil(lacking / p.table[THROUGHPUT, j])))
    total = states.cost[u] + n * p.table[PRICE, j]
    if total <= best.figures[1] and n <= room:
        best.figures[0] = total
        best.figures[1] = min(best.figures[1], largest_sum_below(p, total * (1.0 - search.tolerance)))
        best.plan[0], best.plan[1], best.plan[2] = u, j, n


@compiled
def _merged(p: ModuleProblem, states: _WholeStates, one: Ints, other: Ints, kinds: int) -> Ints:
    """Numbers of the states of two lists that are better than all that cost no more, by rising cost.

    Only states that hold as many of each type are compared; `kinds` is the number of such groups.
    """
    merged = np.empty(one.size + other.size, np.int64)
    count, i, k = 0, 0, 0
    reached = _nothing_reached(p, kinds)
    while i < one.size or k < other.size:
        if k >= other.size or (i < one.size and states.cost[one[i]] <= states.cost[other[k]]):
            u = one[i]
            i += 1
        else:
            u = other[k]
            k += 1
        if _is_better(p, states, reached, u):
            merged[count] = u
            count += 1
    return merged[:count].copy()


@compiled
def _nothing_reached(p: ModuleProblem, kinds: int) -> Floats:
    """No state: by the numbers of states and by `LEVELS` of rows, the most rate and the amounts given to each row."""
    return np.full((kinds * (LEVELS + 1 if p.least.size > 0 else 1), 1 + p.least.size), -np.inf)


@compiled
def _is_better(p: ModuleProblem, states: _WholeStates, reached: Floats, u: int) -> bool:
    """Whether a state has more rate, or gives a row more, than each that is remembered; then it is remembered too."""
    rows, level = p.least.size, 0
    levels = LEVELS + 1 if rows > 0 else 1
    if rows > 0:
        part = 1.0
        for row in range(rows):
            part = min(part, states.given[u, row] / p.least[row] if p.least[row] > 0.0 else 1.0)
        level = int(LEVELS * part)
    first = states.held[u] * levels
    # States of lower levels give some row less.
    for at in range(first + level, first + levels):
        better = states.rate[u] > reached[at, 0]
        for row in range(rows):
            better = better or states.given[u, row] > reached[at, 1 + row]
        if not better:
            return False
    if states.rate[u] > reached[first + level, 0]:
        reached[first + level, 0] = states.rate[u]
        reached[first + level, 1:] = states.given[u]
    return True


@compiled
def _gives(p: ModuleProblem, states: _WholeStates, u: int, j: int) -> bool:
    """Whether a machine of configuration j gives something to a row that state u does not meet."""
    for row in range(p.least.size):
        if states.given[u, row] < p.least[row] and p.gives[row, p.configuration[j]] > 0.0:
            return True
    return False


@compiled
def _least_with(search: _RankedSearch, states: _WholeStates, u: int) -> float:
    """A lower bound on the cost per hour of plans with the machines of state u, by the missing amounts of rows."""
    p, most = search.p, states.cost[u]
    for row in range(p.least.size):
        lacks = p.least[row] * (1.0 - RATES) - states.given[u, row]
        if lacks > 0.0:
            machines = np.ceil(lacks / search.detours[row, 1, 0])
            most = max(most, states.cost[u] + machines * search.detours[row, 2, 0])
    return float(most)


@compiled
def _radices(p: ModuleProblem) -> Ints:
    """The addition of a machine of each type with a limit to the number that states which machines a state holds.

    The last entry is the number of such numbers, or `MOST_HELD` + 1 if there are more; shape (types + 1,).
    """
    radices = np.ones(p.stock.size + 1, np.int64)
    for kind in range(p.stock.size):
        used = False
        for j in range(p.kind.size):
            used = used or p.kind[j] == kind
        # No state holds a type that no configuration has.
        radices[kind + 1] = min(radices[kind] * (min(int(p.stock[kind]), MOST_HELD) + 1 if used else 1), MOST_HELD + 1)
    return radices


@compiled
def _radix_and_stock(p: ModuleProblem, radices: Ints, j: int) -> tuple[int, int]:
    """The addition of a machine of configuration j to a state's number, and the most of its type that it may hold."""
    if p.kind[j] < 0:
        return 0, NO_LIMIT
    return int(radices[p.kind[j]]), int(p.stock[p.kind[j]])


@compiled
def _held(states: _WholeStates, u: int, radix: int, stock: int) -> int:
    """Machines that state u holds of the type with this radix and this stock."""
    return int(states.held[u] // radix % (stock + 1)) if radix > 0 else 0


@compiled
def _new_states(capacity: int, rows: int) -> _WholeStates:
    return _WholeStates(
        np.zeros(capacity),
        np.zeros(capacity),
        np.zeros(capacity, np.int64),
        np.zeros((capacity, rows)),
        np.full(capacity, -1, np.int64),
        np.full(capacity, -1, np.int64),
        np.zeros(capacity, np.int64),
        np.zeros(1, np.int64),
    )


@compiled
def _wider(states: _WholeStates) -> _WholeStates:
    """The states in arrays of twice the size."""
    return _WholeStates(
        np.concatenate((states.rate, np.zeros_like(states.rate))),
        np.concatenate((states.cost, np.zeros_like(states.cost))),
        np.concatenate((states.held, np.zeros_like(states.held))),
        np.concatenate((states.given, np.zeros_like(states.given))),
        np.concatenate((states.before, np.full_like(states.before, -1))),
        np.concatenate((states.last, np.full_like(states.last, -1))),
        np.concatenate((states.machines, np.zeros_like(states.machines))),
        states.size,
    )
