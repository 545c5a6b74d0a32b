"""Depth-first search for the cheapest plan of one module within a latency budget, to proven optimality (ours).

A plan goes down the ranking: at every step it takes n whole machines of the next configuration it uses, until a
partial machine, an exact fit or dummies close it. A configuration *needs* a remaining rate of at least b/(L − d).
Once it needs more than is left, the plan has to close with at least that *deficit* of dummies, hence with whole
machines only, and its cost is a sum of machine prices.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from euclio.core.compiled import compiled, compiled_in_place, compiled_on_tables
from euclio.core.tolerances import TIE
from euclio.problems.session.arrays import Floats, Ints
from formulations.session.module.charged_states import cheapest_charged
from formulations.session.module.charges import Charges, Types, change_cost, least_cost, types_of
from formulations.session.module.covers import MOST_PRICES, look_up_covers, may_cover
from formulations.session.module.problem import (
    BATCH,
    DURATION,
    LOW,
    MOST_THROUGHPUT,
    NO_LIMIT,
    PARTIAL_NEED,
    PRICE,
    THROUGHPUT,
    UNIT_COST,
    WHOLE_NEED,
    ModulePlanFound,
    ModuleProblem,
    largest_sum_below,
    look_up_detours,
    machines_left,
    rows_are_met,
    rows_cost,
)
from formulations.session.module.remaining_rate import rate_left, settled_rest
from formulations.session.module.steps import (
    COST,
    MOST,
    PARTIAL,
    PATIENCE,
    SCOPE,
    SIZE,
    Steps,
    keep_one,
    keep_step,
    latency_from,
    least_limit,
    limit_at,
    most_limit,
    new_steps,
)
from formulations.session.module.whole import cheapest_cover
from formulations.tolerances import RATES

FIRST_STAGE_NODES, DIVE_NODES = 2000, 60
"""Staging: nodes from the top, then per short dive from each later configuration, before the full search."""
UNAIDED_NODES = 512
"""Nodes after which a search counts machines by price (`covers.py`): shorter searches end sooner without it."""
FIRST_COUNTS, PAYS = 32, 16
"""Number of such counts at first, and number of further ones for each part of the search that they rule out."""


class SearchRoom(NamedTuple):
    """Memory for the levels and tables of consecutive searches, as most are shorter than an allocation of memory.

    Attributes:
        steps: the plans found; the caller sets the number that is kept, and the least latency of interest.
        places: numbers of a level, a row each, shape (2, levels).
        levels: figures of a level, a row each, shape (9, levels).
        covers: the machines of each price (`look_up_covers`), shape (configurations kept + 2 or more, `MOST_PRICES`).
        top: the largest throughput of each type from a configuration on, shape (configurations kept + 1, types).
        held: machines by type, shape (types,).
        detours: additional costs by rows (`look_up_detours`), shape (rows, 3, configurations kept + 1 or more).
    """

    steps: Steps
    places: Ints
    levels: Floats
    covers: Floats
    top: Floats
    held: Ints
    detours: Floats


class Searched(NamedTuple):
    """How one search ended, with the cheapest plan; its machines stand in the room of the search."""

    cost: float
    partial_at: int
    nodes: int
    complete: bool


@compiled
def search_module(
    p: ModuleProblem, types: Types, cutoff: float, floor: float, tolerance: float, nodes: int
) -> ModulePlanFound:
    """The cheapest plan of a module that costs less than the cutoff.

    Args:
        p: the module at one budget.
        types: its hardware types if changes of running machines are charged or limited; otherwise none.
        cutoff: only plans below this cost per hour are of interest; infinite means that all are.
        floor: a proven lower bound on the cost per hour; the search stops when a plan reaches it.
        tolerance: plans that are cheaper than the best one found by less than this share are not searched.
        nodes: most nodes.

    Returns:
        The plan, and whether the search was exhausted.
    """
    if not p.fills:
        return _staged_apart(p, types, cutoff, floor, tolerance, nodes)
    if types.price.size > 0:
        full = cheapest_charged(p, types, cutoff, floor, tolerance, nodes)
    else:
        full = cheapest_cover(p, cutoff, floor, tolerance, nodes)
    if p.free or full.cost <= floor * (1.0 + tolerance) or np.isfinite(p.table[WHOLE_NEED, :-1]).all():
        return full
    # Full machines of a configuration are too slow, a partial one is not (`rr` with concurrency): it takes no dummies.
    partly = _staged_apart(_with_dummies(p, p.table, False), types, min(cutoff, full.cost), floor, tolerance, nodes)
    used, complete = full.nodes + partly.nodes, full.complete and partly.complete
    better = partly if partly.cost < full.cost else full
    return ModulePlanFound(better.cost, better.machines, better.partial_at, used, complete)


@compiled_in_place
def search_in_place(
    p: ModuleProblem,
    charges: Charges,
    m: int,
    cutoff: float,
    floor: float,
    tolerance: float,
    nodes: int,
    room: SearchRoom,
) -> Searched:
    """As `search_module` with the types of module m if changes are charged, in existing memory.

    Args:
        p: the module at one budget.
        charges: the running machines, and the charges of changes to them.
        m: the module's number.
        cutoff: only plans below this cost per hour are of interest; infinite means that all are.
        floor: a proven lower bound on the cost per hour; the search stops when a plan reaches it.
        tolerance: plans that are cheaper than the best one found by less than this share are not searched.
        nodes: most nodes.
        room: room for the search (`new_search_room`); overwritten, with the machines of the plan if there is one.
    """
    if p.fills or charges.running.shape[1] > 0:
        return _search_apart(p, charges, m, cutoff, floor, tolerance, nodes, room)
    # Slices of existing arrays, since no new ones may be allocated here.
    nothing = charges.most[:0]
    types = Types(charges.price[:0], nothing, nothing, 0.0, NO_LIMIT, 0.0, 0.0)
    return _staged(p, types, cutoff, floor, tolerance, nodes, room)


@compiled
def _search_apart(
    p: ModuleProblem,
    charges: Charges,
    m: int,
    cutoff: float,
    floor: float,
    tolerance: float,
    nodes: int,
    room: SearchRoom,
) -> Searched:
    """As `search_in_place`, by searches that allocate memory; the cheapest plan alone."""
    found = search_module(p, types_of(p, charges, m), cutoff, floor, tolerance, nodes)
    room.steps.machines[0, : p.configuration.size] = found.machines
    room.steps.points[COST, 0], room.steps.numbers[PARTIAL] = found.cost, found.partial_at
    room.steps.numbers[SIZE] = 1 if np.isfinite(found.cost) else 0
    return Searched(found.cost, found.partial_at, found.nodes, found.complete)


@compiled
def _with_dummies(p: ModuleProblem, table: Floats, filled: bool) -> ModuleProblem:
    """The same module with another table; dummies fill any number of machines charged whole, or none at all."""
    return ModuleProblem(
        p.configuration,
        p.group,
        table,
        p.kind,
        p.stock,
        p.gives,
        p.least,
        p.rate,
        p.few,
        filled,
        p.most,
        p.shared,
        p.even,
        filled or p.whole,
        p.rising,
        filled,
        False,
    )


@compiled
def _staged_apart(
    p: ModuleProblem, types: Types, cutoff: float, floor: float, tolerance: float, nodes: int
) -> ModulePlanFound:
    """As `_staged`, in memory of its own."""
    room = _room_for(p, types)
    found = _staged(p, types, cutoff, floor, tolerance, nodes, room)
    return ModulePlanFound(found.cost, room.steps.machines[0], found.partial_at, found.nodes, found.complete)


@compiled_in_place
def _staged(
    p: ModuleProblem,
    types: Types,
    cutoff: float,
    floor: float,
    tolerance: float,
    nodes: int,
    room: SearchRoom,
) -> Searched:
    """The cheapest plan of machines that take the rate and dummies only in the last one; as `search_module`.

    All of it is written into `room`.
    """
    # Only the search from the top proves anything. A few of its nodes settle most modules. Otherwise short dives from
    # every configuration find a good plan first, whose cost then prunes the full search.
    steps, used = room.steps, 0
    steps.numbers[SIZE] = 0
    if steps.numbers[MOST] > 1:
        scope = min(cutoff, steps.points[COST, SCOPE])
        search = _search(p, types, 0, scope, floor, tolerance, min(nodes, steps.numbers[PATIENCE]), room)
        # No plan in scope is an answer too: it is a lower bound on the cost, and perhaps of no interest any longer.
        if search.complete:
            return search
        # Several steps take too much: the search is for the cheapest plan alone, and its known bound stays.
        used = search.nodes
        keep_one(steps)
    steps.points[COST, SCOPE] = cutoff
    search = _search(p, types, 0, cutoff, floor, tolerance, min(nodes - used, FIRST_STAGE_NODES), room)
    used += search.nodes
    if search.complete or nodes - used <= 0:
        return Searched(search.cost, search.partial_at, used, search.complete)
    if types.price.size > 0:
        full = _filled(p, types, min(cutoff, search.cost), floor, tolerance, nodes - used)
        used += full.nodes
        # Even with machines full of dummies, no plan is below the cutoff, or cheaper than the one found.
        if full.complete and not np.isfinite(full.cost):
            return Searched(search.cost, search.partial_at, used, True)
        # Filled up, a plan costs at most a machine's part more, so no plan is below the cheapest less that part.
        if full.complete:
            floor = max(floor, full.cost * (1.0 - tolerance) - types.part)
    for start in range(1, p.configuration.size):
        used += _search(p, types, start, cutoff, floor, tolerance, DIVE_NODES, room).nodes
    full = _search(p, types, 0, cutoff, floor, tolerance, nodes - used, room)
    return Searched(full.cost, full.partial_at, used + full.nodes, full.complete)


@compiled
def _filled(p: ModuleProblem, types: Types, cutoff: float, floor: float, tolerance: float, nodes: int) -> Searched:
    """The least cost if dummies fill machines at no cost, at whole prices: no plan has others that cost less.

    Filled up, the machines of a plan are no slower. They cost as much, or more by the missing share of one whole
    machine, so the cutoff is that much higher. Arguments as those of `search_module`.
    """
    table = p.table.copy()
    table[WHOLE_NEED] = np.minimum(table[WHOLE_NEED], table[PARTIAL_NEED])
    whole = Types(types.price, types.running, types.cap, types.change, types.most, 0.0, 0.0)
    found = cheapest_charged(_with_dummies(p, table, True), whole, cutoff + types.part, floor, tolerance, nodes)
    return Searched(found.cost, found.partial_at, found.nodes, found.complete)


@compiled
def new_search_room(configurations: int, allocations: int, rows: int) -> SearchRoom:
    """Room for searches of modules, by the configurations kept, the most allocations, and the rows (`least.py`)."""
    levels = min(configurations, allocations) + 1
    # One block of memory for all columns of floats, because its allocation takes as long as filling it.
    block = np.empty(9 * levels + MOST_PRICES * (configurations + 2))
    columns = block[: 9 * levels].reshape((9, levels))
    places = np.empty((2, levels), np.int64)
    covers = block[9 * levels :].reshape((configurations + 2, MOST_PRICES))
    detours = np.empty((rows, 3, configurations + 1))
    return SearchRoom(new_steps(configurations), places, columns, covers, columns[:0], places[0, :0], detours)


@compiled
def _room_for(p: ModuleProblem, types: Types) -> SearchRoom:
    """Room for the searches of one module, with the arrays of its hardware types if there are any."""
    room = new_search_room(p.configuration.size, p.most, p.least.size)
    if types.price.size == 0:
        return room
    held = np.zeros(types.price.size, np.int64)
    return SearchRoom(room.steps, room.places, room.levels, room.covers, _tops(p, types), held, room.detours)


@compiled_on_tables
def _limits(p: ModuleProblem, steps: Steps, cutoff: float, keep: float) -> tuple[float, float, float]:
    """Costs per hour above which no plan is of interest: any, one no faster than the slowest step, whole machines."""
    below = most_limit(steps, cutoff) * keep
    return below, least_limit(steps, cutoff) * keep, largest_sum_below(p, below)


@compiled_in_place
def _search(
    p: ModuleProblem,
    types: Types,
    start: int,
    cutoff: float,
    floor: float,
    tolerance: float,
    nodes: int,
    room: SearchRoom,
) -> Searched:
    """Search depth first the plans whose first allocation is of configuration `start` or a later one.

    A level of the stack is an allocation: its configuration `at`, and `count`, the whole machines that are tried next,
    from the most down to one. `rest`, `cost` and `deficit` are the rate that the levels before leave, their cost and
    the dummies that they require; `own_deficit` is the deficit with the level itself. `shared` is the rate from which
    the ratio of the level before collects (`tc-shared`), `own_shared` that of the level itself. `detour` is the excess
    cost of the last machine of a plan with dummies over the best unit cost. `fast` is a lower bound on the latency of
    plans below the levels before, `own_limit` the cost from which on no plan below the level itself is of interest.

    Args:
        p: the module at one budget.
        types: its hardware types if changes of running machines are charged or limited.
        start: first configuration, as a number among those kept.
        cutoff: only plans below this cost per hour are of interest.
        floor: a proven lower bound on the cost per hour; the search stops when a plan reaches it.
        tolerance: plans that are cheaper than the best one found by less than this share are not searched.
        nodes: most nodes.
        room: room for the levels, which are overwritten, and the steps so far, to which new ones are added.

    Returns:
        The cheapest plan so far, and whether the search was exhausted.
    """
    size, levels, steps = p.configuration.size, room.levels, room.steps
    at, count = room.places[0], room.places[1]
    rest, cost, deficit, own_deficit = levels[0], levels[1], levels[2], levels[3]
    shared, own_shared, detour, fast, own_limit = levels[4], levels[5], levels[6], levels[7], levels[8]
    # `slack` is the possible error of summed rates. In comparisons with needs and throughputs it is added on the side
    # that keeps plans. Rates below `few` are known to all digits and need none.
    keep, slack, few = 1.0 - tolerance, RATES * p.rate, p.few
    # If one step is kept, its cost is the limit of all plans. If several are, a faster plan may cost more: up to
    # `below`
    # in all, and no more than `least_below` if it is no faster than the slowest step.
    several = steps.numbers[MOST] > 1
    below, least_below, below_whole = _limits(p, steps, cutoff, keep)
    charged, top, held = types.price.size > 0, room.top, room.held
    # The machines of each price are looked up at a deficit after some nodes, when most searches have ended.
    covers, looked_up = room.covers[: size + 2], False
    # A level starts one before its first configuration, since it moves on before it examines any.
    rest[0], cost[0], deficit[0], shared[0], at[0], count[0] = p.rate, 0.0, 0.0, p.rate, start - 1, 0
    look_up_detours(p, room.detours)
    fast[0] = 0.0
    # The number of further counts of machines by price; if that rules out too little, it is given up.
    depth, visited, credit = 0, 0, 0
    while depth >= 0:
        # Stopped early: the best plan so far, which proves nothing.
        if visited >= nodes:
            return _ending(steps, visited, False)
        visited += 1
        d = depth
        j = at[d]
        if count[d] <= 1:
            # All counts of configuration j have been tried: leave it out and go on to the next one.
            j += 1
            at[d], count[d] = j, 0
            # Prune the level: rest and dummies are bought at ρ_j at least, and later configurations require no less.
            # With a deficit the plan is one of whole machines, so that it also costs a sum of their prices. The few
            # roundings of the left side are far below the tolerance that `below` leaves.
            if j >= size:
                depth -= 1
                continue
            lower = cost[d] + p.table[UNIT_COST, j] * (rest[d] + deficit[d])
            if p.least.size > 0:
                lower = cost[d] + rows_cost(p, room.detours, at, count, d, j, rest[d] + deficit[d])
            if lower > (below if deficit[d] == 0.0 and not p.whole else below_whole):
                depth -= 1
                continue
            # Prune the level: plans below are no faster than its machines so far, and a step is as fast for less.
            if several and lower > least_below and lower > keep * limit_at(steps, cutoff, fast[d]):
                depth -= 1
                continue
            # Prune the level: with a deficit the plan is one of whole machines. Any numbers of later ones that the rest
            # of the cost pays for take less than the rate that is left and the dummies.
            if credit > 0 and deficit[d] > 0.0:
                credit -= 1
                if not may_cover(covers, j, rest[d] + deficit[d] - 4.0 * slack, below_whole * (1.0 + TIE) - cost[d]):
                    credit += PAYS
                    depth -= 1
                    continue
            # Prune the level: with the rate that it leaves, later machines and changes cost at least that much.
            if charged and _least_left(p, types, held, top[j], at, count, d, rest[d] + deficit[d]) > below:
                depth -= 1
                continue
            # The rate left to these machines: those of one ratio share what the first of them was left (`tc-shared`).
            tied = p.shared and d > 0 and p.group[j] == p.group[at[d - 1]]
            w = shared[d] if tied else rest[d]
            t = p.table[THROUGHPUT, j]
            whole = int(rest[d] / t)
            left = rest[d] - whole * t
            spare = t - left
            # Close to a multiple of t all digits are needed to see whether one more machine is full, or a sliver left.
            if left < few or spare < few:
                whole, left, spare = settled_rest(
                    p.rate, p.table[THROUGHPUT], p.table[LOW], at, count, d, j, whole if left <= spare else whole + 1
                )
            new_deficit = max(deficit[d], p.table[WHOLE_NEED, j] - w)
            # A deficit that rounding may have made does not count: that keeps too much, and the exact check decides.
            if new_deficit < TIE * p.rate:
                new_deficit = 0.0
            in_stock = machines_left(p, at, count, d, j)
            # Close without dummies: whole machines take the rest exactly, or a partial one takes what they leave.
            if deficit[d] == 0.0 and (whole == 0 or new_deficit == 0.0):
                if left == 0.0:
                    closed = whole > 0
                elif p.shared:
                    closed = p.table[PARTIAL_NEED, j] <= w + (slack if w >= few else 0.0)
                elif p.even and whole > 0:
                    # (n + 1)·u <= n·t + f, for n + 1 equal shares. The difference of large rates always has an error.
                    each = p.table[PARTIAL_NEED, j]
                    closed = each <= left + whole * (t - each) + slack
                else:
                    closed = p.table[PARTIAL_NEED, j] <= left + (slack if left >= few else 0.0)
                # A possible rounding error of the rate left needs no share of a machine; the exact check decides.
                share = 1.0 if p.whole else (left - slack) / t
                closed = closed and rows_are_met(p, at, count, d, j, whole + left / t)
                if closed and whole + (share if left > 0.0 else 0.0) <= in_stock:
                    # The table may have the least unit cost from here on, instead of this configuration's own.
                    last = left * (p.table[UNIT_COST, j] if p.rising else p.table[PRICE, j] / t)
                    if p.whole and left > 0.0:
                        last = p.table[PRICE, j]
                    total = cost[d] + whole * p.table[PRICE, j] + last
                    if charged:
                        total += _changes_cost(p, types, held, at, count, d, j, whole + (1 if left > 0.0 else 0))
                    latency = 0.0
                    if several and total <= below:
                        latency = latency_from(p, at, rest, d, 0.0)
                        if whole > 0:
                            latency = max(latency, p.table[DURATION, j] + p.table[BATCH, j] / rest[d])
                        if left > 0.0:
                            latency = max(latency, p.table[DURATION, j] + p.table[BATCH, j] / left)
                    if total <= (keep * limit_at(steps, cutoff, latency) if several else below):
                        keep_step(steps, latency, total, at, count, d, whole, left > 0.0)
                        below, least_below, below_whole = _limits(p, steps, cutoff, keep)
                        # No plan is cheaper than the floor, so this one is the cheapest within the tolerance.
                        if not several and total <= floor * (1.0 + tolerance):
                            return _ending(steps, visited, True)
                    # The level is done: this buys the whole rest at ρ_j, and every other plan from here on at ρ_j or
                    # more. A partial machine charged whole is more expensive than that, so another one may be better.
                    # So may later ones that prices on stock have made cheaper, or that need fewer changes.
                    by_share = (left == 0.0 or not p.whole) and not charged
                    done = p.rising or (by_share and p.table[PRICE, j] / t <= p.table[UNIT_COST, j])
                    # If more steps are kept, others may be faster.
                    if done and several:
                        done = total > keep * limit_at(steps, cutoff, fast[d])
                    if done:
                        depth -= 1
                        continue
            # Without dummies these machines never get the rate that they need; a later configuration may.
            if new_deficit > 0.0 and not p.dummies:
                continue
            # Close with dummies: they fill the last machine, which has to hold the deficit.
            filled = p.dummies and left > 0.0 and spare + slack >= new_deficit and whole + 1 <= in_stock
            if filled and rows_are_met(p, at, count, d, j, whole + 1.0):
                total = cost[d] + (whole + 1) * p.table[PRICE, j]
                if charged:
                    total += _changes_cost(p, types, held, at, count, d, j, whole + 1)
                latency = 0.0
                if several and total <= below:
                    latency = latency_from(p, at, rest, d, spare)
                    latency = max(latency, p.table[DURATION, j] + p.table[BATCH, j] / (rest[d] + spare))
                if total <= (keep * limit_at(steps, cutoff, latency) if several else below):
                    keep_step(steps, latency, total, at, count, d, whole + 1, False)
                    below, least_below, below_whole = _limits(p, steps, cutoff, keep)
                    if not several and total <= floor * (1.0 + tolerance):
                        return _ending(steps, visited, True)
            # The most machines that leave something to later allocations.
            most = int(min(float(whole if left > 0.0 else whole - 1), in_stock))
            # No allocation may follow, or no later machine can hold that many dummies.
            if most < 1 or d + 1 >= p.most or j + 1 >= size or new_deficit >= p.table[MOST_THROUGHPUT, j + 1] + slack:
                continue
            own_deficit[d], own_shared[d], own_limit[d] = new_deficit, w, np.inf
            if several:
                # The least latency of these machines with the most dummies that can follow; the level below begins with
                # it.
                most_dummies = p.table[MOST_THROUGHPUT, j + 1] if p.dummies else 0.0
                fast[d + 1] = max(fast[d], p.table[DURATION, j] + p.table[BATCH, j] / (rest[d] + most_dummies))
                own_limit[d] = keep * limit_at(steps, cutoff, fast[d + 1])
            if not looked_up and visited > UNAIDED_NODES and (p.whole or new_deficit > 0.0):
                covers[:] = 0.0
                look_up_covers(p, covers)
                looked_up, credit = True, FIRST_COUNTS
            detour[d] = _last_machine_detour(p, j + 1, new_deficit)
            count[d] = most + 1
        count[d] -= 1
        n = count[d]
        child_rest = rest[d] - n * p.table[THROUGHPUT, j]
        # A small difference of large rates has lost its digits.
        if child_rest < few:
            child_rest = rate_left(p.rate, p.table[THROUGHPUT], p.table[LOW], at, count, d, j, n)
        child_cost = cost[d] + n * p.table[PRICE, j]
        lower = child_cost + p.table[UNIT_COST, j + 1] * (child_rest + own_deficit[d]) + detour[d]
        # Prune this count and all smaller ones: they leave more to configurations that cost more per request, while
        # deficit and detour stay, so the bound only grows. If prices on stock have made later ones cheaper, prune this
        # count alone.
        if lower > (below if own_deficit[d] == 0.0 and not p.whole else below_whole):
            if p.rising or p.table[PRICE, j] <= p.table[UNIT_COST, j + 1] * p.table[THROUGHPUT, j]:
                count[d] = 0
            continue
        # Prune this count and all smaller ones: a step is as fast for less, and they are no faster.
        if lower > own_limit[d]:
            count[d] = 0
            continue
        # Prune this count alone: one machine less of these may leave the money for a large one.
        if credit > 0 and (p.whole or own_deficit[d] > 0.0):
            credit -= 1
            if not may_cover(
                covers, j + 1, child_rest + own_deficit[d] - 4.0 * slack, below_whole * (1.0 + TIE) - child_cost
            ):
                credit += PAYS
                continue
        # Down: the next level starts before the configuration behind this one, with the rate that these machines leave.
        depth += 1
        rest[depth], cost[depth], deficit[depth] = child_rest, child_cost, own_deficit[d]
        shared[depth], at[depth], count[depth] = own_shared[d], j, 0
    return _ending(steps, visited, True)


@compiled_on_tables
def _ending(steps: Steps, nodes: int, complete: bool) -> Searched:
    """How a search ended."""
    if steps.numbers[SIZE] == 0:
        return Searched(np.inf, -1, nodes, complete)
    return Searched(steps.points[COST, 0], steps.numbers[PARTIAL], nodes, complete)


@compiled
def _tops(p: ModuleProblem, types: Types) -> Floats:
    """The largest throughput of each type from a configuration on, shape (configurations kept + 1, types)."""
    size = p.configuration.size
    top = np.zeros((size + 1, types.price.size))
    for j in range(size - 1, -1, -1):
        top[j] = top[j + 1]
        top[j, p.kind[j]] = max(top[j, p.kind[j]], p.table[THROUGHPUT, j])
    return top


@compiled
def _count_held(p: ModuleProblem, held: Ints, at: Ints, count: Ints, levels: int) -> None:
    """Write the machines by type of the levels before `levels`."""
    held[:] = 0
    for i in range(levels):
        held[p.kind[at[i]]] += count[i]


@compiled
def _changes_cost(
    p: ModuleProblem, types: Types, held: Ints, at: Ints, count: Ints, d: int, j: int, machines: int
) -> float:
    """Cost per hour of the changes of a closed plan with `machines` of configuration j; infinite if too many."""
    _count_held(p, held, at, count, d)
    held[p.kind[j]] += machines
    return change_cost(types, held)


@compiled
def _least_left(
    p: ModuleProblem, types: Types, held: Ints, top: Floats, at: Ints, count: Ints, d: int, lacking: float
) -> float:
    """A lower bound on the cost per hour, with changes, of the plans with the machines of the levels before d."""
    _count_held(p, held, at, count, d)
    return least_cost(types, held, top, lacking * (1.0 - RATES))


@compiled
def _last_machine_detour(p: ModuleProblem, i: int, deficit: float) -> float:
    """The cost per hour of a plan with dummies beyond buying all its rate at the unit cost of configuration i.

    Its last machine is of configuration i or a later one and takes more than the deficit, so its throughput exceeds
    the deficit. The whole machine is paid at its own unit cost. Infinite means that there is none.
    """
    if deficit == 0.0:
        return 0.0
    best = np.inf
    # A deficit is the difference of a need and a summed rate, and may be too large by the rounding of both.
    for j in range(i, p.configuration.size):
        if p.table[THROUGHPUT, j] > deficit - RATES * p.rate:
            best = min(best, (p.table[UNIT_COST, j] - p.table[UNIT_COST, i]) * p.table[THROUGHPUT, j])
    return best
