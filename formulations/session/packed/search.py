"""Depth-first search over the modules' options and the shared machines that their partial machines go to (ours).

The numbers of shared machines of each type are given; every one of them is shared by two modules at least. A node has
options for the first modules in an order, each with its machine. It is cut off by a bound with prices (`prices.py`):
every module's worth, the worth of those to come at least, less what the SLO and the machines are paid. A module on a
machine waits for those that are there already, and for one other module at least.

Floating point errs on the side of plans everywhere: machines have a little more time and memory, paths a little longer.
The caller asks the checker about each complete choice, and lets the search go on where it was.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from euclio.core.compiled import compiled, is_past
from euclio.core.tolerances import TIE
from euclio.problems.session.arrays import Floats, Ints, SessionArrays
from euclio.problems.session.latency.dispatch import path_times
from formulations.session.packed.options import BETWEEN, BUSY, COST, DURATION, FIRST, KIND, MEMORY, OWN, Machines

EXHAUSTED, CHOSEN, BROKEN_OFF = 0, 1, 2
"""How a search returns: nothing is left, all modules have an option, or the time is up."""
SLACK = 16.0 * TIE
"""Share by which sums of some latencies, shares of time, memory or money may be off."""


class Options(NamedTuple):
    """The options of all modules, those of each by rising worth.

    Attributes:
        first: start of each module's options, shape (modules + 1,).
        table: numbers by option; columns of `options.py`. A plan on machines of the module's own
            has `KIND` -1, its cost and its latency (`WHOLE`).
        latency: least latency in seconds, shape (options,), like the next one.
        worth: money per hour at the prices of time and of shared machines.
    """

    first: Ints
    table: Floats
    latency: Floats
    worth: Floats


class Node(NamedTuple):
    """The question to a search.

    Attributes:
        order: modules in the order in which they are decided, shape (modules,).
        slot: hardware type of each shared machine, equal ones side by side, shape (shared machines,).
        flow: price of time of each module in money per hour and second, shape (modules,).
        paid: money per hour to be added to the worths for a bound on the cost.
        machines: cost of the shared machines in money per hour.
    """

    order: Ints
    slot: Ints
    flow: Floats
    paid: float
    machines: float


class Place(NamedTuple):
    """Where a search is; changed in place.

    Attributes:
        level: how many modules have an option, less 1; -1 once nothing is left, shape (1,).
        option: option of each level, shape (modules,), like the next ones.
        at: shared machine of each level that is tried; their number stands for none.
        chosen: option of each module, -1 if it has none yet.
        machine: shared machine of each module's partial machine; -1 if it is on none.
    """

    level: Ints
    option: Ints
    at: Ints
    chosen: Ints
    machine: Ints


@compiled
def begin(o: Options, order: Ints, slots: int) -> Place:
    """A search over so many shared machines that has not looked at anything."""
    modules = order.size
    place = Place(
        np.zeros(1, np.int64),
        np.zeros(modules, np.int64),
        np.full(modules, slots, np.int64),
        np.full(modules, -1, np.int64),
        np.full(modules, -1, np.int64),
    )
    place.option[0] = o.first[order[0]] - 1
    return place


@compiled
def search_on(
    s: SessionArrays, types: Machines, o: Options, node: Node, place: Place, limit: float, deadline: float
) -> tuple[int, int]:
    """Go on to the next complete choice that may be a plan for no more than a limit.

    Args:
        s: the session.
        types: hardware types.
        o: options of all modules.
        node: what is given.
        place: where the search is; `chosen` and `machine` are the choice once it is complete.
        limit: largest cost per hour.
        deadline: `time.perf_counter` value at which to return.

    Returns:
        How the search returns, and its nodes.
    """
    modules, slots, nodes = node.order.size, node.slot.size, 0
    limit *= 1.0 + SLACK
    fastest, taken = _fastest(o), _least_taken(o)
    while place.level[0] >= 0:
        if nodes % BETWEEN == 0 and is_past(deadline):
            return BROKEN_OFF, nodes
        nodes += 1
        level = place.level[0]
        m = node.order[level]
        place.chosen[m] = place.machine[m] = -1
        # The next machine for this option, then the next option.
        place.at[level] += 1
        if place.at[level] > slots:
            place.option[level], place.at[level] = place.option[level] + 1, 0
        k = place.option[level]
        # Later options are worth more: with any of them the bound is beyond the limit.
        if k >= o.first[m + 1] or _bound(s, o, node, place, fastest, m, o.worth[k]) > limit:
            place.level[0] -= 1
            continue
        if o.table[k, KIND] < 0.0:
            # Machines of its own: there is one way to have them.
            place.at[level] = slots
        else:
            place.at[level] = _next_machine(types, o, node, place, k, place.at[level])
            if place.at[level] == slots:
                continue
            place.machine[m] = place.at[level]
        place.chosen[m] = k
        if not _fills(node, place, modules - level - 1) or not _are_there(types, o, node, place, taken):
            continue
        if _bound(s, o, node, place, fastest, -1, 0.0) > limit:
            continue
        if level + 1 == modules:
            if _cost(o, node, place) <= limit:
                return CHOSEN, nodes
            continue
        place.level[0] += 1
        place.option[level + 1], place.at[level + 1] = o.first[node.order[level + 1]] - 1, slots
    return EXHAUSTED, nodes


@compiled
def _fastest(o: Options) -> Floats:
    """The least latency that an option of each module has, in seconds; shape (modules,)."""
    fastest = np.full(o.first.size - 1, np.inf)
    for m in range(fastest.size):
        for k in range(o.first[m], o.first[m + 1]):
            fastest[m] = min(fastest[m], o.latency[k])
    return fastest


@compiled
def _least_taken(o: Options) -> Floats:
    """The least that an option of each module takes of each limit on machines, shape (modules, limits)."""
    taken = np.full((o.first.size - 1, o.table.shape[1] - FIRST - 1), np.inf)
    for m in range(o.first.size - 1):
        for k in range(o.first[m], o.first[m + 1]):
            taken[m] = np.minimum(taken[m], o.table[k, FIRST + 1 :])
    return taken


@compiled
def _are_there(types: Machines, o: Options, node: Node, place: Place, taken: Floats) -> bool:
    """Whether the limits have the shared machines, those of the options chosen, and what others take at least."""
    for limit in range(types.capacity.size):
        total = 0.0
        for kind in node.slot:
            total += types.takes[limit, kind]
        for m in range(place.chosen.size):
            total += taken[m, limit] if place.chosen[m] < 0 else o.table[place.chosen[m], FIRST + 1 + limit]
        if total > types.capacity[limit]:
            return False
    return True


@compiled
def _next_machine(types: Machines, o: Options, node: Node, place: Place, k: int, begin: int) -> int:
    """The first shared machine from `begin` on that can take option k; their number if there is none."""
    kind = int(o.table[k, KIND])
    for number in range(begin, node.slot.size):
        if node.slot[number] != kind:
            continue
        busy, memory, there = o.table[k, BUSY], o.table[k, MEMORY], 0
        for other in range(place.machine.size):
            if place.machine[other] == number:
                busy += o.table[place.chosen[other], BUSY]
                memory += o.table[place.chosen[other], MEMORY]
                there += 1
        # Empty machines of a type are alike, so that the first of them stands for all.
        alike = there == 0 and number > 0 and node.slot[number - 1] == kind and not (place.machine == number - 1).any()
        if not alike and busy <= 1.0 + SLACK and memory <= types.room[kind] * (1.0 + SLACK):
            return number
    return int(node.slot.size)


@compiled
def _fills(node: Node, place: Place, left: int) -> bool:
    """Whether so many modules to come can give two modules to every shared machine."""
    lacking = 0
    for number in range(node.slot.size):
        there = 0
        for machine in place.machine:
            there += 1 if machine == number else 0
        lacking += max(0, 2 - there)
    return bool(lacking <= left)


@compiled
def _cost(o: Options, node: Node, place: Place) -> float:
    """Cost per hour of a complete choice."""
    total = node.machines
    for k in place.chosen:
        total += o.table[k, COST]
    return total


@compiled
def _bound(s: SessionArrays, o: Options, node: Node, place: Place, fastest: Floats, next: int, worth: float) -> float:
    """A bound on the cost per hour of all plans with the options chosen; infinite if they are too slow.

    Args:
        s: the session.
        o: options of all modules.
        node: what is given.
        place: the options chosen.
        fastest: least latency of each module in seconds, shape (modules,).
        next: the module that is decided next, which is worth at least `worth`; -1 means none.
        worth: money per hour.
    """
    modules = fastest.size
    latency, total = fastest.copy(), node.paid
    for m in range(modules):
        k = place.chosen[m]
        if k < 0:
            continue
        taken = o.latency[k]
        if place.machine[m] >= 0:
            own, others = o.table[k, OWN], 0.0
            for other in range(modules):
                if other != m and place.machine[other] == place.machine[m]:
                    others += o.table[place.chosen[other], DURATION]
            taken = max(taken, own + others)
        latency[m] = taken
        total += o.worth[k] + node.flow[m] * (taken - o.latency[k])
    before, after = np.zeros(modules), np.zeros(modules)
    if path_times(s, latency, before, after) > s.slo * (1.0 + SLACK):
        return np.inf
    for m in range(modules):
        if place.chosen[m] >= 0:
            continue
        if m == next:
            total += worth
            continue
        window, least = s.slo * (1.0 + SLACK) - before[m] - after[m], np.inf
        for k in range(o.first[m], o.first[m + 1]):
            # By rising worth: the first option that can be in time is worth least.
            if o.latency[k] <= window:
                least = o.worth[k]
                break
        total += least
    return total
