"""Options of modules and machines that they share, by a cut search over a few modules at a time (ours).

A state says which option each module has, and with which others its partial machine is one. Some modules are taken out
and put back in all ways that are not too slow and may be cheaper than the best state found so far: depth first, options
by what they cost if machines are shared without loss. A branch is cut where even so, with the room on the machines
there are, the modules to come cost too much.
"""

from __future__ import annotations

from collections import defaultdict
from typing import NamedTuple

import numpy as np

from euclio.core.compiled import compiled
from euclio.core.tolerances import TIE
from euclio.problems.session import Plan, PlanSpace, Session, evaluate
from euclio.problems.session.arrays import Floats, Ints, SessionArrays
from euclio.problems.session.latency.dispatch import path_times
from euclio.problems.session.packing import packs
from heuristics.session.packing_options import (
    BUSY,
    COST,
    DURATION,
    MEMORY,
    OWN,
    SHARED_COST,
    WHOLE,
    Models,
    PackingOptions,
    options_of,
    packing_options,
)
from heuristics.session.schedule import filled_plan

AT_ONCE = 4
"""A session with so many modules at most is searched as a whole; of a larger one, two or three modules at a time."""
MOST_PLACED, MOST_PLACED_OF_MANY = 40_000, 250_000
"""Options that are tried in all, in a session that is searched as a whole and in a larger one."""
MOST_PLACED_OF_FEW = 3_000
"""Options that are tried for two or three modules."""
CHEAPER = 1.0 - 1e-9
"""A state has to be cheaper by more than rounding."""


class State(NamedTuple):
    """A plan with shared machines.

    Attributes:
        chosen: option of each module, shape (modules,), like the next one.
        machine: number of the machine that its partial machine is, below the number of modules; -1 if it has none.
    """

    chosen: Ints
    machine: Ints


@compiled
def search_packings(s: SessionArrays, models: Models, o: PackingOptions, state: State, cost: float) -> float:
    """Make a state cheaper by searching through a few modules at a time.

    Args:
        s: the session.
        models: what the models of its configurations take.
        o: the options of its modules, of each at least one.
        state: the state to begin with, which is overwritten; it is not looked at where all modules are searched at a
            time.
        cost: cost per hour that the state found has to stay below.

    Returns:
        Cost per hour of the state found; infinite if there is none.
    """
    modules = s.rate.size
    everybody = np.argsort(-_least_costs(o), kind="mergesort")
    if modules <= AT_ONCE:
        return _replace(s, models, o, state, everybody, cost, MOST_PLACED)[0]
    found, left, number = np.inf, MOST_PLACED_OF_MANY, 0
    groups = _groups(modules)
    # Until no group has made the state cheaper since its own turn.
    since = 0
    while since < groups.shape[0] and left > 0:
        free = groups[number][groups[number] >= 0]
        trial, placed = _replace(s, models, o, state, free, min(cost, found), min(left, MOST_PLACED_OF_FEW))
        left -= placed
        since = 0 if trial < found else since + 1
        found = min(found, trial)
        number = (number + 1) % groups.shape[0]
    return min(found, _replace(s, models, o, state, everybody, min(cost, found), left)[0])


@compiled
def _groups(modules: int) -> Ints:
    """All pairs of modules, then all triples, shape (groups, 3); -1 means none."""
    pairs = modules * (modules - 1) // 2
    groups = np.full((pairs + pairs * (modules - 2) // 3, 3), -1)
    pair, triple = 0, pairs
    for one in range(modules):
        for other in range(one + 1, modules):
            groups[pair, 0], groups[pair, 1] = one, other
            pair += 1
            for third in range(other + 1, modules):
                groups[triple, 0], groups[triple, 1], groups[triple, 2] = one, other, third
                triple += 1
    return groups


@compiled
def _least_costs(o: PackingOptions) -> Floats:
    """The least SHARED_COST of each module, shape (modules,)."""
    least: Floats = o.table[o.first[:-1], SHARED_COST]
    return least


@compiled
def _replace(
    s: SessionArrays, models: Models, o: PackingOptions, state: State, free: Ints, below: float, most: int
) -> tuple[float, int]:
    """Choose options and machines of the free modules anew, those of the others as they are.

    Returns:
        Cost per hour of the best state found, which is then in `state` (infinite if there is none below `below`), and
        how many options were tried.
    """
    modules = s.rate.size
    chosen, machine = state.chosen.copy(), state.machine.copy()
    for m in free:
        chosen[m] = machine[m] = -1
    fastest, least = _fastest(s, o), _least_costs(o)
    best, limit, placed, level = np.inf, below * CHEAPER, 0, 0
    option, at = o.first[free] - 1, np.full(free.size, modules)
    while level >= 0 and placed < most:
        m = free[level]
        chosen[m] = machine[m] = -1
        # The next machine for this option, else the next option; `modules` stands for a new machine.
        at[level] += 1
        if at[level] > modules:
            option[level], at[level] = option[level] + 1, 0
        k = option[level]
        # Later options cost more, even if machines are shared without loss.
        if k >= o.first[m + 1] or _if_shared(o, chosen, least) - least[m] + o.table[k, SHARED_COST] >= limit:
            level -= 1
            continue
        if o.partial_at[k] < 0:
            # Without a partial machine there is one way only to have the option.
            at[level] = modules
        else:
            at[level] = _next_machine(models, o, chosen, machine, k, at[level])
            machine[m] = at[level] if at[level] < modules else _unused(machine)
        chosen[m] = k
        placed += 1
        cost = _bound(s, o, chosen, machine, fastest, limit)
        if cost >= limit:
            continue
        if level + 1 == free.size:
            best, limit = cost, cost * CHEAPER
            state.chosen[:] = chosen
            state.machine[:] = machine
            continue
        level += 1
        option[level], at[level] = o.first[free[level]] - 1, modules
    return best, placed


@compiled
def _fastest(s: SessionArrays, o: PackingOptions) -> Floats:
    """The least latency that an option of each module has, in seconds; shape (modules,)."""
    fastest = np.full(s.rate.size, np.inf)
    for m in range(s.rate.size):
        for k in range(o.first[m], o.first[m + 1]):
            fastest[m] = min(fastest[m], max(o.table[k, WHOLE], o.table[k, OWN]))
    return fastest


@compiled
def _if_shared(o: PackingOptions, chosen: Ints, least: Floats) -> float:
    """What a state costs at least, if machines are shared without loss; modules without an option cost their least."""
    total = 0.0
    for m in range(chosen.size):
        total += o.table[chosen[m], SHARED_COST] if chosen[m] >= 0 else least[m]
    return total


@compiled
def _next_machine(models: Models, o: PackingOptions, chosen: Ints, machine: Ints, k: int, begin: int) -> int:
    """The first machine from `begin` on that has the type, the time and the memory for option k; else a new one."""
    hardware = models.hardware[o.partial_at[k]]
    for number in range(begin, machine.size):
        busy, memory, there = o.table[k, BUSY], o.table[k, MEMORY], False
        for m in range(machine.size):
            if machine[m] == number:
                there = models.hardware[o.partial_at[chosen[m]]] == hardware
                busy += o.table[chosen[m], BUSY]
                memory += o.table[chosen[m], MEMORY]
        if there and busy <= 1.0 + TIE and memory <= models.room[hardware] * (1.0 + TIE):
            return number
    return int(machine.size)


@compiled
def _unused(machine: Ints) -> int:
    """The first number that no machine has."""
    for number in range(machine.size):
        if not (machine == number).any():
            return number
    return -1


@compiled
def _bound(s: SessionArrays, o: PackingOptions, chosen: Ints, machine: Ints, fastest: Floats, limit: float) -> float:
    """What a state costs at least once all modules have an option, and exactly if they have; infinite: it is too slow.

    The partial machines of modules to come may use the time that is left on the machines there are, for nothing.
    """
    modules = chosen.size
    busy, duration, price = np.zeros(modules), np.zeros(modules), np.zeros(modules)
    cost, room = 0.0, 0.0
    for m in range(modules):
        if chosen[m] >= 0:
            cost += o.table[chosen[m], COST]
            if machine[m] >= 0:
                price[machine[m]] = s.price[o.partial_at[chosen[m]]]
                busy[machine[m]] += o.table[chosen[m], BUSY]
                duration[machine[m]] += o.table[chosen[m], DURATION]
    for number in range(modules):
        # A machine is paid for once, however many are on it.
        cost += price[number]
        room += price[number] * max(0.0, 1.0 - busy[number])
    if cost >= limit:
        return np.inf
    latency, before, after = fastest.copy(), np.zeros(modules), np.zeros(modules)
    for m in range(modules):
        if chosen[m] >= 0:
            row = o.table[chosen[m]]
            latency[m] = row[WHOLE]
            if machine[m] >= 0:
                latency[m] = max(latency[m], row[OWN] + duration[machine[m]] - row[DURATION])
    if path_times(s, latency, before, after) > s.slo * (1.0 + TIE):
        return np.inf
    still = 0.0
    for m in range(modules):
        if chosen[m] >= 0:
            continue
        for k in range(o.first[m], o.first[m + 1]):
            # Options come by rising cost: the first that can be in time is the cheapest.
            if max(o.table[k, WHOLE], o.table[k, OWN]) <= s.slo * (1.0 + TIE) - before[m] - after[m]:
                still += o.table[k, SHARED_COST]
                break
    return cost + max(0.0, still - room)


# A cheaper plan of packed machines than one that is known, where the search over options finds one (ours).

SLACK = 1 + 1e-6
"""Options may cost so much more than the plan that is to be made cheaper leaves for them, so that its own are kept."""


def cheaper_packed(session: Session, space: PlanSpace, s: SessionArrays, plan: Plan, cost: float) -> Plan | None:
    """A plan of packed machines that costs less; None if none is found.

    Args:
        session: the session.
        space: plan space, in which machines are packed.
        s: the arrays of the session within it, each module with a configuration.
        plan: a plan of packed machines.
        cost: what it costs per hour.
    """
    if not packs(space.policy):
        return None
    models = _models(session, s)
    options = packing_options(s, models, space.fills, cost * SLACK)
    if (options.first[1:] == options.first[:-1]).any():
        return None
    state = _state(session, s, models, options, plan)
    if (state.chosen < 0).any() or not np.isfinite(search_packings(s, models, options, state, cost)):
        return None
    found = _plan(session, space, s, options, state)
    return found if evaluate(session, found, space).feasible else None


def _state(session: Session, s: SessionArrays, models: Models, options: PackingOptions, plan: Plan) -> State:
    """The options of a plan, and which of its partial machines are one; -1 where no option does as well."""
    machines, partial_at = np.zeros(s.batch.size, np.int64), np.full(s.rate.size, -1, np.int64)
    partial = np.zeros(s.rate.size)
    for m, (module, own) in enumerate(zip(session.modules, plan.modules, strict=True)):
        places = {module.profile[place]: s.first[m] + k for k, place in enumerate(_places(s, m))}
        for allocation in own.allocations:
            machines[places[allocation.configuration]] = allocation.machines
            if allocation.partial_rps:
                partial_at[m], partial[m] = places[allocation.configuration], float(allocation.partial_rps)
    chosen = options_of(s, models, options, machines, partial_at, partial)
    # Where no option does as well (-1), the caller refuses the state before it looks at this.
    machine = np.where(options.partial_at[chosen] >= 0, np.arange(s.rate.size), -1)
    for group in plan.shared:
        for m in group:
            machine[m] = group[0] if machine[m] >= 0 else -1
    return State(chosen, machine)


def _plan(session: Session, space: PlanSpace, s: SessionArrays, options: PackingOptions, state: State) -> Plan:
    """The plan of exact numbers that a state stands for."""
    chosen = state.chosen.tolist()
    machines = np.concatenate([options.machines[k, : s.first[m + 1] - s.first[m]] for m, k in enumerate(chosen)])
    plan = filled_plan(session, s, machines, options.partial_at[state.chosen], space.fills)
    groups: dict[int, list[int]] = defaultdict(list)
    for m, number in enumerate(state.machine.tolist()):
        if number >= 0:
            groups[number].append(m)
    return Plan(plan.modules, tuple(sorted(tuple(group) for group in groups.values() if len(group) > 1)))


def _models(session: Session, s: SessionArrays) -> Models:
    """What the models of all configurations take; where a machine's memory is known and a model's is not, too much."""
    names = [h.name for h in session.hardware]
    room = [np.inf if h.memory_mb is None else float(h.memory_mb) for h in session.hardware]
    hardware, memory = [], []
    for m, module in enumerate(session.modules):
        for place in _places(s, m):
            c = module.profile[place]
            kind = names.index(c.hardware)
            hardware.append(kind)
            known = np.isfinite(room[kind])
            memory.append((np.inf if c.memory_mb is None else float(c.memory_mb)) if known else 0.0)
    return Models(np.array(hardware), np.array(memory), np.array(room))


def _places(s: SessionArrays, m: int) -> list[int]:
    """Where the configurations of a module stand in its profile, in rank order."""
    places: list[int] = s.profile_index[s.first[m] : s.first[m + 1]].tolist()
    return places
