"""The search for one module's plans, compiled: all plans below a cost, one after the other, on the integer relaxation.

Depth first down the ranking: first whole machines of one configuration, most of them first, then those of later ones,
until the last allocation closes the plan. Only lower bounds cut branches. Floating point computes them from integers
and lowers them by far more than their rounding.
"""

from __future__ import annotations

import numpy as np

from euclio.core.compiled import compiled
from euclio.proving.session.integers import CONTINUOUS, FULL, MACHINE, NONE, UNREACHABLE, Ints, ScaledModule

EXHAUSTED, FOUND, LIMIT, OVERFLOW = 0, 1, 2, 3

CONFIGURATION, NEXT, REST, WHOLE, DEFICIT, COST, SHARED, GROUP = range(8)
"""Columns of the stack: configuration in turn; next number of whole machines, or `CLOSE` to close the plan there first;
rate left; whole machines so far; dummies that these need; cost so far; rate that the current ratio's machines collect
from; that ratio's group."""
CLOSE = -1

BELOW = 1.0 - 1e-13
"""Bounds are lowered by this much; a bound takes about ten operations on floats, each off by at most 1.2e-16."""

ROOM = 16
"""Plans that one closing can find; rounding leaves a choice of two or three numbers of machines."""
MOST_OPEN = 1024
"""Numbers of machines that rounding may leave open. There are more where a throughput is little above its rounding.
Then the relaxation says nothing, and trying all of them would take too long."""


def new_stack(m: ScaledModule) -> tuple[Ints, Ints, Ints, Ints]:
    """Stack, counts of whole machines, (depth, plans found, nodes), and a table for the plans found."""
    size = m.throughput.size
    stack = np.zeros((min(size, m.most) + 1, 8), dtype=np.int64)
    stack[0, NEXT], stack[0, REST], stack[0, GROUP] = CLOSE, m.rate, -1
    return stack, np.zeros(size, dtype=np.int64), np.zeros(3, dtype=np.int64), np.zeros((ROOM, size + 1), np.int64)


@compiled
def _level(m: ScaledModule, row: Ints, k: int) -> int:
    """The rate that a whole machine of k collects from without dummies, rounded up."""
    # Machines of one ratio collect together, from the rate left before the first of them.
    if m.shared and m.group[k] == row[GROUP]:
        return int(row[SHARED])
    return int(row[REST] + m.unit * row[WHOLE] + m.slack)


@compiled
def _round_up_to_prices(m: ScaledModule, cost: float) -> float:
    """The least sum of prices that is no less."""
    # Without a common divisor any sum may occur.
    if m.grid == 0 or cost == np.inf:
        return cost
    # It is lowered first, so that rounding does not raise a sum of prices to the next one.
    steps = int(np.ceil(cost / m.grid * BELOW))
    if steps < m.reachable.size:
        steps = m.reachable[steps]
    return float(steps) * m.grid


@compiled
def _last_partial_or_whole(m: ScaledModule, first: int, row: Ints, rest: float, fluid: float, base: float) -> float:
    """The bound under rules none and machine where no dummies are needed so far.

    Args:
        m: the module under a budget.
        first: the first configuration that may follow.
        row: where the search stands.
        rest: rate that is left.
        fluid: its least cost if rates were divisible.
        base: the least cost of a unit of rate from here on.
    """
    spent = float(row[COST])
    # Without dummies the last machine is partial and takes at least its need; or all are whole. Where the machines of
    # the last allocation share its rate, the partial one may take less, but all of them take at least the need of one.
    # Integers decide whether it can be: a float has 53 bits, a rate 60. Floats do not order two rates that differ by
    # less than one part in 10^16, and a machine that is barely not full would count as full, and so as none.
    partial = np.inf
    up = row[REST] + m.unit * row[WHOLE] + m.slack
    for k in range(first, m.throughput.size):
        least = 0 if m.shared else m.part_need[k] - 1
        if m.part_need[k] < UNREACHABLE and least < m.throughput[k] and least <= up:
            if m.whole:
                charge = float(m.price[k]) + max(0.0, rest - float(m.throughput[k])) * base
            else:
                charge = rest * base + least * (m.unit_cost[k] - base)
            partial = min(partial, charge)
    # Whole machines alone cost a sum of prices; under rule none they have to meet the rate exactly.
    whole = fluid
    if m.rule == MACHINE:
        whole = _round_up_to_prices(m, fluid)
    elif not m.full[first:].any():
        whole = np.inf
    cost = min(whole, max(fluid, partial * BELOW))
    # Where the partial machine is charged whole, the cost is a sum of prices too.
    return (spent + (_round_up_to_prices(m, cost) if m.whole else cost)) * BELOW


@compiled
def bound(m: ScaledModule, first: int, row: Ints) -> float:
    """A lower bound on the cost of every plan that goes on from here with configurations from `first` on."""
    rest = float(max(row[REST] + max(row[DEFICIT] - 1, 0), 0))
    dummies = row[DEFICIT] > 0
    most = m.most_from[first]
    # Every plan still buys at least `rest`, and the rate that each machine used needs to collect from.
    fluid, base = np.inf, np.inf
    for k in range(first, m.throughput.size):
        need = 0
        if m.fixed:
            # It serves if a whole machine keeps the budget, or a partial one, next to which there are no dummies.
            if m.whole_need[k] == UNREACHABLE and (m.part_need[k] > m.throughput[k] or dummies):
                continue
        else:
            need = m.whole_need[k]
            if need == UNREACHABLE:
                continue
            lacking = need - _level(m, row, k)
            # Rule none fills nothing up, rule machine no more than the largest machine still to come.
            if (m.rule == NONE and lacking > 0) or (m.rule == MACHINE and lacking > most):
                continue
            need = 0 if m.shared and m.group[k] == row[GROUP] else need - 1
        base = min(base, m.unit_cost[k])
        fluid = min(fluid, max(rest, float(need)) * m.unit_cost[k])
        # The ranking goes by unit cost: no later configuration buys the rest for less.
        if need <= rest:
            break
    spent = float(row[COST])
    # No configuration from here on keeps the budget.
    if fluid == np.inf:
        return fluid
    fluid *= BELOW
    # Any rate can be bought under this rule, so no sum of prices raises the fluid cost.
    if m.rule == CONTINUOUS:
        return (spent + fluid) * BELOW
    # Full machines alone cost a sum of prices.
    if m.rule == FULL:
        return (spent + _round_up_to_prices(m, fluid)) * BELOW
    if m.rule == MACHINE and dummies:
        # Every machine is whole, and dummies fill less than the last one.
        last = np.inf
        for k in range(first, m.throughput.size):
            if m.throughput[k] >= row[DEFICIT] and m.whole_need[k] < UNREACHABLE:
                last = min(last, float(m.price[k]) + max(0.0, rest - float(m.throughput[k])) * base)
        return (spent + _round_up_to_prices(m, max(fluid, last * BELOW))) * BELOW
    return _last_partial_or_whole(m, first, row, rest, fluid, base)


@compiled
def _put(counts: Ints, k: int, machines: int, partial: bool, at: Ints, found: Ints) -> None:
    if at[1] < ROOM:
        found[at[1], :-1] = counts
        found[at[1], k] = machines
        found[at[1], -1] = k if partial else -1
    at[1] += 1


@compiled
def _last_open(first: int, last: int, at: Ints) -> int:
    """The last number of machines to try; if too many are open, it tries none and the search has overflowed."""
    if last - first <= MOST_OPEN:
        return last
    at[1] += ROOM + 1
    return first - 1


@compiled
def _affordable(m: ScaledModule, k: int, machines: int, spent: int, cut: int) -> bool:
    """Whether whole machines stay below the cutoff; a product of large numbers is never formed."""
    return bool(m.price[k] == 0 or machines <= (cut - 1 - spent) // m.price[k])


@compiled
def _partial_fits(m: ScaledModule, row: Ints, k: int, machines: int, partial: int, cut: int) -> bool:
    """Whether affordable whole machines and a partial one stay below the cutoff; sums are formed in integers."""
    charge = partial * m.unit_cost[k] * BELOW
    return bool(charge < cut and row[COST] + machines * m.price[k] + int(charge) < cut)


@compiled
def _close_with_partial(m: ScaledModule, row: Ints, k: int, counts: Ints, cut: int, at: Ints, found: Ints) -> None:
    """Rules none and machine: one partial machine takes the rate that whole machines leave, without dummies."""
    need = m.part_need[k]
    # A deficit takes dummies, and next to dummies there is no partial machine.
    if row[DEFICIT] > 0 or need == UNREACHABLE:
        return
    # No share of a rate makes a machine faster than a full one is.
    if m.even and m.whole_need[k] == UNREACHABLE:
        return
    t, thin = m.throughput[k], m.throughput[k] - m.unit
    level = _level(m, row, k)
    up = row[REST] + m.unit * row[WHOLE] + m.slack
    # Rounding leaves a few numbers of whole machines open; the exact check decides among them.
    first = max(row[REST], 0) // t
    for n in range(first, _last_open(first, max(up, 0) // thin, at) + 1):
        most = up - n * thin
        least = max(row[REST] - n * t, 0 if m.shared or m.even else need - 1)
        # n + 1 equal shares of all that is left here; a share may be less than the need by its rounding.
        if m.even and level < (n + 1) * (need - 1):
            continue
        # The partial machine gets something, less than a full one, and has to reach its need.
        if most < 1 or least >= t or (not m.even and (level if m.shared else most) < need):
            continue
        # Whole machines next to it have to keep budget and cutoff as well.
        if n > 0 and (m.whole_need[k] > level or not _affordable(m, k, n, row[COST], cut)):
            continue
        # Charged whole, it costs what one more whole machine does.
        fits = _affordable(m, k, n + 1, row[COST], cut) if m.whole else _partial_fits(m, row, k, n, least, cut)
        if fits:
            _put(counts, k, n, True, at, found)


@compiled
def _close_whole(m: ScaledModule, row: Ints, k: int, counts: Ints, cut: int, at: Ints, found: Ints) -> None:
    """Rules none and machine: whole machines take the rest exactly, or dummies fill the last one."""
    if m.whole_need[k] == UNREACHABLE:
        return
    deficit = max(row[DEFICIT], m.whole_need[k] - _level(m, row, k))
    # Without dummies whole machines have to take exactly the rate.
    if m.rule == NONE and (deficit > 0 or not m.full[k]):
        return
    t, thin = m.throughput[k], m.throughput[k] - m.unit
    up = row[REST] + m.unit * row[WHOLE] + m.slack
    fewest = max(-(-row[REST] // t), 1)
    for n in range(fewest, _last_open(fewest, max(fewest, -(-up // thin)), at) + 1):
        dummies = n * t - row[REST]
        # Fewer dummies than needed; or, under rule none, a rate that lies outside of all rounding.
        if dummies < deficit or (m.rule == NONE and (dummies < 0 or up - n * thin < 0)):
            continue
        if _affordable(m, k, n, row[COST], cut):
            _put(counts, k, n, False, at, found)


@compiled
def _close_continuous(m: ScaledModule, row: Ints, k: int, counts: Ints, cut: int, at: Ints, found: Ints) -> None:
    """Rule continuous: a plan buys the least rate that keeps the budget, in whole machines and a partial one."""
    t, thin = m.throughput[k], m.throughput[k] - m.unit
    level = _level(m, row, k)
    up = row[REST] + m.unit * row[WHOLE] + m.slack
    deficit = row[DEFICIT]
    # Machines of one ratio need their rate together, so dummies fill the missing rate for all of them.
    if m.shared:
        deficit = max(deficit, m.whole_need[k] - level)
    least, most = max(row[REST] + deficit, 0), max(up + deficit + 1, 0)
    need = m.part_need[k]
    if m.shared:
        need = 0
    whole = m.whole_need[k] < UNREACHABLE
    if m.part_need[k] < UNREACHABLE and need <= t:
        # As many whole machines as the rest fills, in every number that rounding leaves open.
        first = least // t if whole else 0
        for n in range(first, _last_open(first, most // thin if whole else 0, at) + 1):
            # Of n + 1 equal shares of at least `need` the whole machines' part is counted as n·t.
            partial = max(least - n * t, need - n * (t - need) if m.even else need, 0)
            if partial <= t and _affordable(m, k, n, row[COST], cut) and _partial_fits(m, row, k, n, partial, cut):
                _put(counts, k, n, True, at, found)
    if whole:
        # A whole machine collects from the rate bought here, so that rate is at least its need.
        if not m.fixed and not m.shared:
            least, most = max(least, m.whole_need[k]), max(most, m.whole_need[k] + 1)
        fewest = max(-(-least // t), 1)
        for n in range(fewest, _last_open(fewest, max(fewest, -(-most // thin)), at) + 1):
            if _affordable(m, k, n, row[COST], cut):
                _put(counts, k, n, False, at, found)


@compiled
def _close_full(m: ScaledModule, row: Ints, k: int, counts: Ints, cut: int, at: Ints, found: Ints) -> None:
    """Machines that are charged whole: as few as serve the rest and the needs of all machines."""
    if m.whole_need[k] == UNREACHABLE:
        return
    t, thin = m.throughput[k], m.throughput[k] - m.unit
    up = row[REST] + m.unit * row[WHOLE] + m.slack
    deficit = max(row[DEFICIT], m.whole_need[k] - _level(m, row, k))
    least, most = max(row[REST] + deficit, 0), max(up + deficit + 1, 0)
    # Rounding leaves a few numbers of machines open; one more than the most of them only costs.
    fewest = max(-(-least // t), 1)
    for n in range(fewest, _last_open(fewest, max(fewest, -(-most // thin)), at) + 1):
        if _affordable(m, k, n, row[COST], cut):
            _put(counts, k, n, False, at, found)


@compiled
def _most_whole(m: ScaledModule, row: Ints, k: int, depth: int, cut: int) -> int:
    """Most whole machines of k that leave something to later configurations; 0 means none."""
    # No allocation or configuration is left for what remains, or whole machines miss the budget.
    if depth + 1 >= m.most or k + 1 >= m.throughput.size or m.whole_need[k] == UNREACHABLE:
        return 0
    deficit = max(row[DEFICIT], m.whole_need[k] - _level(m, row, k))
    # Dummies that the rule forbids, or more than any later machine holds, close no plan.
    if (m.rule == NONE and deficit > 0) or (m.rule == MACHINE and deficit > m.most_from[k + 1]):
        return 0
    up = row[REST] + m.unit * row[WHOLE] + m.slack
    if m.rule == CONTINUOUS or m.rule == FULL:
        # Machines that take all that the machines so far need close the plan; more next to them only cost.
        up += deficit + 1
    machines = max(up - 1, 0) // (m.throughput[k] - m.unit)
    # Beyond this many, these machines alone reach the cutoff.
    if m.price[k] > 0:
        machines = min(machines, (cut - 1 - row[COST]) // m.price[k])
    return int(machines)


@compiled
def _next(m: ScaledModule, row: Ints, k: int, machines: int, child: Ints) -> None:
    """The state after whole machines of k."""
    level = _level(m, row, k)
    child[CONFIGURATION], child[NEXT] = k + 1, CLOSE
    child[REST] = row[REST] - machines * m.throughput[k]
    child[WHOLE] = row[WHOLE] + machines
    child[DEFICIT] = max(row[DEFICIT], m.whole_need[k] - level)
    child[COST] = row[COST] + machines * m.price[k]
    child[SHARED], child[GROUP] = level, m.group[k]


@compiled
def search(m: ScaledModule, stack: Ints, counts: Ints, at: Ints, found: Ints, cut: int, limit: int) -> int:
    """Go on to the next plans that cost less than a cutoff.

    Args:
        m: the module under a budget.
        stack: where the search stands, as `new_stack` makes it.
        counts: whole machines of the branch.
        at: depth, number of plans found (out), nodes so far.
        found: the plans found: whole machines per configuration, then the partial machine's, -1 for none.
        cut: the cutoff; it may fall between calls.
        limit: most nodes of this call.

    Returns:
        `EXHAUSTED` if there is no further plan; `FOUND` if there are some, call again for more; `LIMIT` to call again;
        `OVERFLOW` if numbers lie too far apart for this relaxation.
    """
    nodes, depth = 0, at[0]
    at[1] = 0
    status = EXHAUSTED
    # Lowered by its rounding such a throughput is nothing, and cannot be divided by.
    if m.throughput.min() <= m.unit:
        return OVERFLOW
    while depth >= 0:
        row = stack[depth]
        k = row[CONFIGURATION]
        if row[NEXT] == CLOSE:
            # The bound is over a set of configurations that shrinks with k: no later number passes it either.
            if k >= m.throughput.size or bound(m, k, row) >= cut:
                depth -= 1
                continue
            if nodes >= limit:
                status = LIMIT
                break
            nodes += 1
            if m.rule == CONTINUOUS:
                _close_continuous(m, row, k, counts, cut, at, found)
            elif m.rule == FULL:
                _close_full(m, row, k, counts, cut, at, found)
            else:
                _close_with_partial(m, row, k, counts, cut, at, found)
                _close_whole(m, row, k, counts, cut, at, found)
            row[NEXT] = _most_whole(m, row, k, depth, cut)
            if at[1] > 0:
                status = FOUND if at[1] <= ROOM else OVERFLOW
                break
        machines = row[NEXT]
        # Every number of this configuration is done; go on without it.
        if machines <= 0:
            counts[k] = 0
            row[CONFIGURATION], row[NEXT] = k + 1, CLOSE
            continue
        if nodes >= limit:
            status = LIMIT
            break
        nodes += 1
        # Most machines of the better ratio first: cheap plans come early and lower the cutoff.
        row[NEXT] = machines - 1
        child = stack[depth + 1]
        _next(m, row, k, machines, child)
        if bound(m, k + 1, child) >= cut:
            # Fewer machines leave more to configurations that are no cheaper: this simpler bound only grows then.
            rest = float(max(child[REST] + max(child[DEFICIT] - 1, 0), 0))
            if rest > 0 and (float(child[COST]) + rest * m.unit_cost[k + 1] * BELOW) * BELOW >= cut:
                row[NEXT] = 0
            continue
        counts[k] = machines
        depth += 1
    at[0] = depth
    at[2] += nodes
    return status
