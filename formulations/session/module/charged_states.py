"""The cheapest whole machines of one module within a budget if changes cost or are limited (compiled, ours).

The search goes up the ranking, from the last configuration to the first. Of the machines taken so far, only their
number by hardware type and their rate matter: of two *states* with the same machines the one with more rate is better.
(These are the rates of `formulations.day.rate_table`, but only those that a cheap plan can go through.) A state is left
out if every plan that contains its machines costs at least a limit. The limit rises from a lower bound in steps that
double, so few states are made if the cheapest plan costs little more than the bound.

Under `tc-shared` the configurations of one ratio are taken by rising need, so the need of the one taken last decides;
until then a state is *open* (as in `whole_states`).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from euclio.core.compiled import compiled
from euclio.problems.session.arrays import Floats, Ints
from formulations.session.module.charges import Types, cost_of, least_cost
from formulations.session.module.problem import (
    LOW,
    NO_LIMIT,
    THROUGHPUT,
    WHOLE_NEED,
    ModulePlanFound,
    ModuleProblem,
)
from formulations.session.module.remaining_rate import rest_of
from formulations.tolerances import UNIT_ROUNDING

MOST_STATES = 2_000_000
"""The most states, of some 100 bytes each."""
LOOKS = 16
"""The most numbers of machines that are examined for each state that may be made: most make none."""
MOST_KEYS = 1 << 60
"""The most numbers of machines by type together: one whole number distinguishes states."""
ADDED = 512.0 * UNIT_ROUNDING
"""Share by which a state's rate may be off: a product and a sum, each rounded once, for every configuration it has."""


class _ChargedStates(NamedTuple):
    """All states that were ever made; lists of states hold their numbers.

    Attributes:
        held: machines by hardware type, and last the allocations, shape (capacity, types + 1).
        key: these as one number, shape (capacity,), like the next ones.
        rate: requests per second that the machines take.
        before: the state without the machines of its last configuration; -1 means that there are none.
        last: that configuration.
        machines: its number of machines.
        doubt: 1 if a state was left out for this one, or for one before it, although their rates differ by no more
            than rounding; else 0.
        size: number of states, shape (1,).
        looked: numbers of machines that were examined, shape (1,).
    """

    held: Ints
    key: Ints
    rate: Floats
    before: Ints
    last: Ints
    machines: Ints
    doubt: Ints
    size: Ints
    looked: Ints


class _BestCharged(NamedTuple):
    """The best plan so far.

    Attributes:
        figures: its cost per hour, and the limit on the cost of plans of interest, shape (2,).
        state: its state, shape (1,); -1 means that there is none.
    """

    figures: Floats
    state: Ints


class _ChangesSearch(NamedTuple):
    """The input of a search.

    Attributes:
        p: the module at one budget.
        types: its hardware types.
        radix: the addition of a machine of a type, and last of an allocation, to a state's key, shape (types + 1,).
        tolerance: plans that are cheaper than the best one found by less than this share are not searched.
        most_states: states after which to stop.
    """

    p: ModuleProblem
    types: Types
    radix: Ints
    tolerance: float
    most_states: int


@compiled
def cheapest_charged(
    p: ModuleProblem, types: Types, cutoff: float, floor: float, tolerance: float, nodes: int
) -> ModulePlanFound:
    """The cheapest plan of full machines with their changes, which costs less than the cutoff.

    Args:
        p: the module at one budget, whose types all have a number in `kind`.
        types: its hardware types (`types_of`).
        cutoff: only plans below this cost per hour are of interest; infinite means that all are.
        floor: a proven lower bound on the cost per hour.
        tolerance: plans that are cheaper than the best one found by less than this share are not searched.
        nodes: most states.

    Returns:
        The plan, and whether the search was exhausted. If it was not although `nodes` were not used up, there are too
        many states.
    """
    size = p.configuration.size
    none = np.zeros(size, np.int64)
    # With any configurations, a plan costs no less than the fastest ones of each type would for the rate.
    top = np.zeros(types.price.size)
    for j in range(size):
        if np.isfinite(p.table[WHOLE_NEED, j]):
            top[p.kind[j]] = max(top[p.kind[j]], p.table[THROUGHPUT, j])
    lower = max(floor, least_cost(types, np.zeros(types.price.size, np.int64), top, p.rate * (1.0 - ADDED)))
    last = cutoff * (1.0 - tolerance)
    if lower > last or not np.isfinite(lower):
        return ModulePlanFound(np.inf, none, -1, 0, True)
    # No plan costs more than all possible machines with all changes. The first limit is one machine or one change above
    # the lower bound.
    ceiling, step = 0.0, np.inf
    for h in range(types.price.size):
        ceiling += (types.price[h] + types.change) * (types.cap[h] + types.running[h])
        if top[h] > 0.0 and types.price[h] > 0.0:
            step = min(step, types.price[h])
    if types.change > 0.0:
        step = min(step, types.change)
    # Next to a large bound a small step would be lost to rounding, and the limit would never rise.
    step = max(step, lower * max(tolerance, ADDED))
    # If nothing costs anything, one round examines all plans.
    limit, used = lower + step if np.isfinite(step) else np.inf, 0
    # Below a near limit few machines of each type are possible, so there are few states. Limits double their distance,
    # so that those that were too near take little of the whole time.
    while True:
        within = min(limit, last)
        capped = _capped(types, within)
        radix = _radices(p, capped)
        if radix[-1] > MOST_KEYS:
            return ModulePlanFound(np.inf, none, -1, used, False)
        search = _ChangesSearch(p, capped, radix, tolerance, min(nodes - used, MOST_STATES))
        found = _within(search, within, floor)
        used += found.nodes
        if np.isfinite(found.cost) or not found.complete or within >= last or within > ceiling:
            return ModulePlanFound(found.cost, found.machines, -1, used, found.complete)
        limit = lower + 2.0 * (limit - lower)


@compiled
def _capped(types: Types, limit: float) -> Types:
    """The types with no more machines than a plan of this cost per hour may have next to the others at their least."""
    cap, least = types.cap.copy(), 0.0
    for h in range(cap.size):
        least += min(types.price[h], types.change) * types.running[h]
    for h in range(cap.size):
        unit = types.price[h] + types.change
        if unit > 0.0 and np.isfinite(limit):
            others = least - min(types.price[h], types.change) * types.running[h]
            room = (limit * (1.0 + ADDED) - others + types.change * types.running[h]) / unit
            # Running machines may always be kept, and rounding adds no machine that matters.
            if room < cap[h]:
                cap[h] = max(min(cap[h], types.running[h]), int(max(room, 0.0)) + 1)
    return Types(
        types.price, types.running, np.minimum(cap, types.cap), types.change, types.most, types.lost, types.part
    )


@compiled
def _radices(p: ModuleProblem, types: Types) -> Ints:
    """Additions of a machine of each type and an allocation to a key, then the number of keys; shape (types + 2,)."""
    kinds = types.cap.size
    radix = np.ones(kinds + 2, np.int64)
    for h in range(kinds):
        radix[h + 1] = int(min(float(radix[h]) * (types.cap[h] + 1.0), MOST_KEYS * 2.0))
    # If allocations are not limited, they need not be distinguished.
    limited = p.most < p.configuration.size
    radix[kinds + 1] = int(min(float(radix[kinds]) * (p.most + 1.0 if limited else 1.0), MOST_KEYS * 2.0))
    if not limited:
        radix[kinds] = 0
    return radix


@compiled
def _within(search: _ChangesSearch, limit: float, floor: float) -> ModulePlanFound:
    """The cheapest plan that costs no more than the limit; stops at a plan that reaches the floor."""
    p, types = search.p, search.types
    size, kinds = p.configuration.size, types.price.size
    states = _new_states(256, kinds)
    # The state without machines.
    states.size[0], states.before[0] = 1, -1
    best = _BestCharged(np.array([np.inf, limit]), np.full(1, -1, np.int64))
    kept = np.zeros(1, np.int64)
    after, complete = size, True
    while after > 0 and complete and best.figures[0] > floor * (1.0 + search.tolerance):
        first = after - 1
        while p.shared and first > 0 and p.group[first - 1] == p.group[after - 1]:
            first -= 1
        # By rising need; a ratio of its own is the rule.
        members = first + np.argsort(p.table[WHOLE_NEED, first:after], kind="mergesort")
        alone = members.size == 1
        top = _tops(p, kinds, first if alone else after)
        opened, closed = kept, kept
        for j in members:
            if not np.isfinite(p.table[WHOLE_NEED, j]):
                continue
            states, taken, complete = _with_machines(search, states, opened, j, top, alone, best)
            if not complete:
                break
            if taken.size == 0:
                continue
            # The possible rounding loss of a rate is added to it: that keeps too much.
            enough = taken[states.rate[taken] >= p.table[WHOLE_NEED, j] * (1.0 - ADDED)]
            for u in enough:
                _offer(search, states, u, best)
            closed = _merged(states, closed, enough)
            if not alone:
                opened = _merged(states, opened, taken)
        kept, after = closed, first
        # If these were the last configurations of a type, its machines are final in all states.
        left = _tops(p, kinds, first)
        if ((left == 0.0) & (_tops(p, kinds, size) > 0.0)).any() or not alone:
            kept = _promising(search, states, kept, left, best.figures[1])
    machines = np.zeros(size, np.int64)
    if best.state[0] >= 0:
        _record(states, best.state[0], machines)
    # A search that has examined as many numbers as it may counts as one that has made as many states as it may.
    used = search.most_states if states.looked[0] > LOOKS * search.most_states else states.size[0]
    return ModulePlanFound(best.figures[0], machines, -1, used, complete)


@compiled
def _tops(p: ModuleProblem, kinds: int, end: int) -> Floats:
    """The largest throughput of each type among the configurations before `end` whose full machines are fast enough."""
    top = np.zeros(kinds)
    for j in range(end):
        if np.isfinite(p.table[WHOLE_NEED, j]):
            top[p.kind[j]] = max(top[p.kind[j]], p.table[THROUGHPUT, j])
    return top


@compiled
def _promising(search: _ChangesSearch, states: _ChargedStates, kept: Ints, top: Floats, limit: float) -> Ints:
    """The states that a plan within the limit may contain."""
    found, count = np.empty(kept.size, np.int64), 0
    for u in kept:
        lacking = search.p.rate * (1.0 - ADDED) - states.rate[u]
        if least_cost(search.types, states.held[u], top, lacking) <= limit:
            found[count] = u
            count += 1
    return found[:count].copy()


@compiled
def _with_machines(
    search: _ChangesSearch, states: _ChargedStates, given: Ints, j: int, top: Floats, alone: bool, best: _BestCharged
) -> tuple[_ChargedStates, Ints, bool]:
    """The states that one or more machines of configuration j make of others, without those that cost too much.

    Args:
        search: the input of the search.
        states: all states.
        given: numbers of the states to extend.
        j: the configuration.
        top: best throughput of each type that may still be added after it; 0 means that none may.
        alone: whether the configuration must have what it needs at once.
        best: the best plan so far.

    Returns:
        All states, in arrays that may be new; the numbers of those made; whether these are all.
    """
    p, types, kinds = search.p, search.types, search.types.price.size
    h, t, need = p.kind[j], p.table[THROUGHPUT, j], p.table[WHOLE_NEED, j] * (1.0 - ADDED)
    made, count = np.empty(max(16, given.size), np.int64), 0
    held = np.zeros(kinds + 1, np.int64)
    final = not (top > 0.0).any()
    for u in given:
        held[:] = states.held[u]
        # It has as many allocations as a plan may have.
        if held[kinds] >= p.most:
            continue
        own, rate = held[h], states.rate[u]
        n = 1
        if alone and need > rate + t:
            n = max(1, int(np.ceil((need - rate) / t)))
        # No others follow, and fewer would not take the module's rate.
        if final:
            n = max(n, int((p.rate * (1.0 - 2.0 * ADDED) - rate) / t))
        # No more machines of the type follow, and these would be too few within the limit on changes.
        if top[h] == 0.0 and types.most < NO_LIMIT:
            n = max(n, types.running[h] - types.most - own)
        before = np.inf
        while own + n <= types.cap[h]:
            # Useless machines, possibly billions of them, must not be examined one by one.
            states.looked[0] += 1
            if states.looked[0] > LOOKS * search.most_states:
                return states, made[:count].copy(), False
            held[h] = own + n
            bound = least_cost(types, held, top, p.rate * (1.0 - ADDED) - rate - n * t)
            # The bound is convex in n: once it has risen beyond the limit, it stays there.
            if bound > best.figures[1]:
                if np.isfinite(bound) and bound >= before:
                    break
                if not np.isfinite(bound) and np.isfinite(before):
                    break
                # With a worse configuration in the place of better ones, more of them only lower the reachable rate.
                if not np.isfinite(bound) and top[h] >= t:
                    break
                before = bound
                n += 1
                continue
            before = bound
            # Too many states: those made so far are not all, and the caller proves nothing from them.
            if states.size[0] >= search.most_states:
                return states, made[:count].copy(), False
            if states.size[0] == states.rate.size:
                states = _wider(states)
            number = states.size[0]
            states.size[0] = number + 1
            states.held[number] = held
            states.held[number, kinds] += 1
            states.key[number] = states.key[u] + n * search.radix[h] + search.radix[kinds]
            states.rate[number] = rate + n * t
            states.before[number], states.last[number], states.machines[number] = u, j, n
            states.doubt[number] = states.doubt[u]
            if count == made.size:
                made = np.concatenate((made, np.empty_like(made)))
            made[count] = number
            count += 1
            n += 1
    return states, made[:count].copy(), True


@compiled
def _offer(search: _ChangesSearch, states: _ChargedStates, u: int, best: _BestCharged) -> None:
    """Keep a state as the best plan, if it is complete and cheaper."""
    p = search.p
    # The possible rounding loss of a rate is added to it; the exact check decides.
    if states.rate[u] < p.rate * (1.0 - ADDED):
        return
    cost = cost_of(search.types, states.held[u])
    if cost > best.figures[1]:
        return
    # The rate may be a multiple of a throughput; all digits show whether it is, unless another state was left out.
    if states.rate[u] <= p.rate * (1.0 + ADDED) and states.doubt[u] == 0:
        machines = np.zeros(p.configuration.size, np.int64)
        _record(states, u, machines)
        if rest_of(p.rate, p.table[THROUGHPUT], p.table[LOW], machines) > 0.0:
            return
    best.figures[0], best.state[0] = cost, u
    best.figures[1] = min(best.figures[1], cost * (1.0 - search.tolerance))


@compiled
def _record(states: _ChargedStates, u: int, machines: Ints) -> None:
    """Write the machines of a state by configuration."""
    while states.before[u] >= 0:
        machines[states.last[u]] += states.machines[u]
        u = states.before[u]


@compiled
def _merged(states: _ChargedStates, one: Ints, other: Ints) -> Ints:
    """Numbers of the states of two lists, of those with the same machines the one with the most rate."""
    if other.size == 0:
        return one
    both = np.concatenate((one, other))
    order = both[np.argsort(states.key[both], kind="mergesort")]
    count = 1
    for i in range(1, order.size):
        last, u = order[count - 1], order[i]
        if states.key[u] != states.key[last]:
            order[count] = u
            count += 1
            continue
        alike = abs(states.rate[u] - states.rate[last]) <= ADDED * states.rate[u]
        stays = u if states.rate[u] > states.rate[last] else last
        # By rounding the other one may have had more: then digits of the kept one rule nothing out (`_offer`).
        if alike:
            states.doubt[stays] = 1
        order[count - 1] = stays
    return order[:count].copy()


@compiled
def _new_states(capacity: int, kinds: int) -> _ChargedStates:
    return _ChargedStates(
        np.zeros((capacity, kinds + 1), np.int64),
        np.zeros(capacity, np.int64),
        np.zeros(capacity),
        np.full(capacity, -1, np.int64),
        np.full(capacity, -1, np.int64),
        np.zeros(capacity, np.int64),
        np.zeros(capacity, np.int64),
        np.zeros(1, np.int64),
        np.zeros(1, np.int64),
    )


@compiled
def _wider(states: _ChargedStates) -> _ChargedStates:
    """The states in arrays of twice the size."""
    return _ChargedStates(
        np.concatenate((states.held, np.zeros_like(states.held))),
        np.concatenate((states.key, np.zeros_like(states.key))),
        np.concatenate((states.rate, np.zeros_like(states.rate))),
        np.concatenate((states.before, np.full_like(states.before, -1))),
        np.concatenate((states.last, np.full_like(states.last, -1))),
        np.concatenate((states.machines, np.zeros_like(states.machines))),
        np.concatenate((states.doubt, np.zeros_like(states.doubt))),
        states.size,
        states.looked,
    )
