"""A cheaper plan of packed machines than one that is known, where the search over options finds one (ours)."""

from __future__ import annotations

from collections import defaultdict

import numpy as np

from euclio.problems.session import Plan, PlanSpace, Session, evaluate
from euclio.problems.session.arrays import SessionArrays
from euclio.problems.session.sharing.packing import packs
from heuristics.session.filled_plan import filled_plan
from heuristics.session.packing_options import Models, PackingOptions, options_of, packing_options
from heuristics.session.packing_search import State, search_packings

SLACK = 1 + 1e-6
"""Options may cost so much more than the plan that is to be made cheaper leaves for them, so that its own are kept."""


def cheaper_packed(session: Session, space: PlanSpace, s: SessionArrays, plan: Plan, cost: float) -> Plan | None:
    """A plan of packed machines that costs less; None: none is found.

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
