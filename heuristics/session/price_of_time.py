"""Solver `price-of-time` (ours): steps of modules, a price of a second in each, and a choice by what it loses.

`heuristics/session/staircases.py` has the steps, `heuristics/session/price_of_time.py` the prices and the choice;
docs/findings/our-heuristic.md says how near to the optimum that comes.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from euclio.core.compiled import compiled, total_of
from euclio.core.registry import Limits
from euclio.core.result import Answer
from euclio.core.tolerances import TIE
from euclio.problems.session import PlanSpace, Session, evaluate
from euclio.problems.session.arrays import Floats, Ints, SessionArrays, session_arrays
from euclio.problems.session.latency.dispatch import clear_of_rounding, path_times
from euclio.problems.session.least_latency import why_no_plan
from heuristics.session.schedule import Schedule, idle_cost, new_schedule, plan_of
from heuristics.session.solver import hardware_choices
from heuristics.session.staircases import CHEAPER, Stairs, cheapest_within, staircases

# Latency splitting by prices of time (ours), on steps of modules whose costs are known at every budget.
#
# Modules and a clock play. The clock names what a second costs in each module, and a module takes the step whose cost
# and time cost least. The clock then charges the longest path of the modules' average steps, if it is longer than the
# SLO. Its own prices are the average of its charges. This is fictitious play, and both averages come to the
# relaxation's optimum. The prices bound every choice from below. The excess of a choice over the bound is a sum of
# losses, one for each module at its step. So the search knows which modules to look at again.

Bools = NDArray[np.bool_]

ENOUGH = 0.7
"""The clock can charge enough where what it charges is below this share of the most that it can."""
MOST_PLAYS = 40
"""How often it is tried what the clock should charge."""
FIRST_TURNS, TURNS, TURNS_PER_MODULE, MOST_TURNS = 30, 50, 10, 1000
"""Turns of play until the clock charges enough, and one more for each module; then so many and for each module more, up
to a most."""
EAGERNESS = (8.0, 4.0, 2.0, 1.5, 1.2, 1.0, 0.8, 0.5, 0.2, 0.0)
"""How many times its price a second has to save, from one sweep to the next."""
TRIES, FIXED_AT_ONCE = 200, 3
"""How often time is handed out again at most, and next to how many modules whose step is given."""
VISITS, TOGETHER, STRIDE, ROUNDS = 5000, 8, 3, 4
"""Steps that are looked at when modules choose together; how many modules do so where there are more, from which place
of the order to the next, and in how many rounds."""


@compiled
def split_by_prices(s: SessionArrays, stairs: Stairs) -> tuple[Ints, float]:
    """The step of each module, shape (modules,), and their cost per hour; infinite if not even the last are in time.

    Args:
        s: the session.
        stairs: the steps of its modules, at least one of each.
    """
    modules = s.rate.size
    chosen = stairs.first[1:] - 1
    if path_times(s, stairs.latency[chosen], np.zeros(modules), np.zeros(modules)) > s.slo * (1.0 + TIE):
        return chosen, np.inf
    price, bound, times = prices_of_time(s, stairs)
    cost = hand_out(s, stairs, price, np.zeros(modules), chosen, np.zeros(modules, np.bool_))
    other = chosen.copy()
    # On average the modules may be past the SLO; in proportion they keep it.
    times *= min(1.0, s.slo / path_times(s, times, np.zeros(modules), np.zeros(modules)))
    if hand_out(s, stairs, price, times, other, np.zeros(modules, np.bool_)) < cost:
        chosen[:] = other
    loss = stairs.cost.copy()
    for m in range(modules):
        own = slice(stairs.first[m], stairs.first[m + 1])
        loss[own] += price[m] * stairs.latency[own]
        loss[own] -= loss[own].min()
    give_again(s, stairs, price, loss, bound, chosen)
    gained = modules > TOGETHER
    for _ in range(ROUNDS):
        if not gained:
            break
        gained = False
        for at in range(0, modules - TOGETHER + STRIDE, STRIDE):
            gained |= choose_together(s, stairs, loss, bound, chosen, at, min(at + TOGETHER, modules))
    choose_together(s, stairs, loss, bound, chosen, 0, modules)
    return chosen, total_of(stairs.cost[chosen])


@compiled
def prices_of_time(s: SessionArrays, stairs: Stairs) -> tuple[Floats, float, Floats]:
    """The price of a second in each module per hour, the bound on all choices by it, and average times in seconds."""
    modules, cheapest, last = s.rate.size, stairs.first[:-1], stairs.first[1:] - 1
    price, bound, times = np.zeros(modules), total_of(stairs.cost[cheapest]), stairs.latency[cheapest]
    # At no price everybody takes its cheapest step, and has the time for it.
    if path_times(s, times, np.zeros(modules), np.zeros(modules)) <= s.slo:
        return price, bound, times
    most = (total_of(stairs.cost[last]) - bound) / s.slo
    charged = most
    turns, more = min(FIRST_TURNS + modules, MOST_TURNS), 4.0
    # Too little, or hardly enough, and the clock charges more: durations leave little time, and a second is worth more.
    for _ in range(MOST_PLAYS):
        if charged <= ENOUGH * most:
            break
        found, here, charged, time = _play(s, stairs, most, turns)
        if here >= bound:
            price, bound, times = found, here, time
        if charged > ENOUGH * most:
            most *= more
        elif charged == 0.0:
            # No average of charges that large is worth anything: each is too much.
            most /= 16.0
            charged = most
        elif more > 2.0:
            # Next to what a second is worth, averages come to their ends soonest.
            most, turns, more = 2.0 * charged, min(TURNS + TURNS_PER_MODULE * modules, MOST_TURNS), 2.0
            charged = most
    return price, bound, times


@compiled
def _play(s: SessionArrays, stairs: Stairs, most: float, turns: int) -> tuple[Floats, float, float, Floats]:
    """Fictitious play of modules and a clock that charges the price `most` at each turn, or nothing.

    Returns:
        The prices with the best bound, the bound, what they charge for a second of the SLO, and the modules' average
        times in seconds, shape (modules,).
    """
    modules = s.rate.size
    best, best_bound, best_charged = np.zeros(modules), -np.inf, 0.0
    price, charged, spared = np.zeros(modules), 0.0, 0.0
    taken, before, after = np.zeros(modules), np.zeros(modules), np.zeros(modules)
    for turn in range(turns):
        # Later turns weigh more than the first ones, in which prices say little yet.
        weight = 2.0 / (turn + 2.0)
        bound = spared - s.slo * charged
        for m in range(modules):
            least, at = np.inf, 0
            for o in range(stairs.first[m], stairs.first[m + 1]):
                here = stairs.cost[o] + price[m] * stairs.latency[o]
                if here < least:
                    least, at = here, o
            bound += least
            taken[m] += weight * (stairs.latency[at] - taken[m])
        if bound > best_bound:
            best_bound, best_charged = bound, charged
            best[:] = price
        longest = path_times(s, taken, before, after)
        price *= 1.0 - weight
        charged *= 1.0 - weight
        spared *= 1.0 - weight
        if longest > s.slo:
            charged += weight * most
            spared += weight * most * _charge_longest(s, taken + after, weight * most, price)
    return best, best_bound, best_charged, taken


@compiled
def _charge_longest(s: SessionArrays, left: Floats, charge: float, price: Floats) -> float:
    """Add a charge to the price of each module on the longest path.

    Args:
        s: the session.
        left: seconds from the start of each module to the end of its longest path, shape (modules,).
        charge: money per hour for a second.
        price: overwritten.

    Returns:
        Seconds of the path that are no latency: delays, and the end of its last module.
    """
    # The longest path begins where the most time is left to go, and goes on likewise.
    m, fixed = int(np.argmax(left)), 0.0
    while True:
        price[m] += charge
        on, longest, delay = -1, s.end[m], 0.0
        for i in range(s.child_first[m], s.child_first[m + 1]):
            c = s.child[i]
            for j in range(s.parent_first[c], s.parent_first[c + 1]):
                if s.parent[j] == m and s.delay[j] + left[c] > longest:
                    on, longest, delay = c, s.delay[j] + left[c], s.delay[j]
        if on < 0:
            return float(fixed + s.end[m])
        m = on
        fixed += delay


@compiled
def hand_out(s: SessionArrays, stairs: Stairs, price: Floats, times: Floats, chosen: Ints, fixed: Bools) -> float:
    """Give the time that the SLO leaves, in sweeps along the DAG, first where a second saves several times its price.

    Args:
        s: the session.
        stairs: the steps of its modules.
        price: the price of a second in each module, money per hour, shape (modules,).
        times: seconds within which each module has its cheapest step before all else, or its last one where none is.
        chosen: the step of each module, shape (modules,), overwritten but for those that are fixed.
        fixed: which modules keep their step, shape (modules,).

    Returns:
        What the steps cost per hour; infinite if not even the last ones are in time.
    """
    before, after = np.zeros(s.rate.size), np.zeros(s.rate.size)
    for m in range(s.rate.size):
        if not fixed[m]:
            chosen[m] = stairs.first[m + 1] - 1
            while chosen[m] > stairs.first[m] and stairs.latency[chosen[m] - 1] <= times[m]:
                chosen[m] -= 1
    latency, limit = stairs.latency[chosen], s.slo * (1.0 + TIE)
    if path_times(s, latency, before, after) > limit:
        return np.inf
    for eagerness in EAGERNESS:
        path_times(s, latency, before, after)
        for m in s.order:
            before[m] = _start(s, m, before, latency)
            least, room = np.inf, limit - before[m] - after[m]
            # Only slower steps than its own are cheaper. Those after it in the sweep have not moved yet.
            for o in range(stairs.first[m], 0 if fixed[m] else chosen[m] + 1):
                here = stairs.cost[o] + eagerness * price[m] * stairs.latency[o]
                if stairs.latency[o] <= room and here < least:
                    least, at = here, o
            if least < np.inf:
                chosen[m], latency[m] = at, stairs.latency[at]
    return float(total_of(stairs.cost[chosen]))


@compiled
def _start(s: SessionArrays, m: int, before: Floats, latency: Floats) -> float:
    """When module m begins, in seconds, where all of its parents' times are known."""
    start = 0.0
    for i in range(s.parent_first[m], s.parent_first[m + 1]):
        start = max(start, before[s.parent[i]] + latency[s.parent[i]] + s.delay[i])
    return start


@compiled
def give_again(s: SessionArrays, stairs: Stairs, price: Floats, loss: Floats, bound: float, chosen: Ints) -> None:
    """Set the module that loses most to a step of less loss, hand out what is left to the others, and go on among them.

    Where that saves nothing after all, it begins again from the cheapest choice, at a step that was not tried yet.

    Args:
        s: the session.
        stairs: the steps of its modules.
        price: the price of a second in each module.
        loss: what a step costs at these prices beyond the module's best one, per hour, shape (steps,).
        bound: no choice costs less per hour.
        chosen: the step of each module, shape (modules,); overwritten with cheaper ones.
    """
    cost, now = total_of(stairs.cost[chosen]), chosen.copy()
    tried, fixed = np.zeros(loss.size, np.bool_), np.zeros(chosen.size, np.bool_)
    for _ in range(TRIES):
        # A loss below a thousandth of what is still open is not worth a try.
        most, module, step, depth = 1e-3 * (cost - bound), -1, -1, fixed.sum()
        for m in range(chosen.size):
            for o in range(stairs.first[m], stairs.first[m + 1]):
                if not (fixed[m] or (depth == 0 and tried[o])) and loss[now[m]] - loss[o] > most:
                    most, module, step = loss[now[m]] - loss[o], m, o
        if module < 0 and depth == 0:
            break
        found = np.inf
        if module >= 0:
            tried[step], fixed[module], now[module] = tried[step] or depth == 0, True, step
            found = hand_out(s, stairs, price, np.zeros(now.size), now, fixed)
        if found < cost * CHEAPER:
            cost = found
            chosen[:], tried[:] = now, False
        # Else look at what the others lose now, unless they cannot be as fast as that asks for.
        elif found < np.inf and depth + 1 < FIXED_AT_ONCE:
            continue
        fixed[:], now[:] = False, chosen


@compiled
def choose_together(
    s: SessionArrays, stairs: Stairs, loss: Floats, bound: float, chosen: Ints, begin: int, end: int
) -> bool:
    """Try all steps of some modules together, the others' being given, depth first; whether that saved anything.

    Arguments as for `give_again`; the modules are those from place `begin` to `end` of the topological order. Left out
    are steps whose losses together, or whose cost with the least that the modules after them may cost, save nothing.
    """
    places, limit = s.order[begin:end], s.slo * (1.0 + TIE)
    before, after, latency = np.zeros(chosen.size), np.zeros(chosen.size), stairs.latency[chosen]
    best = total_of(stairs.cost[chosen[places]]) * CHEAPER
    # The cost of all less the bound, without the losses of the others, may be lost here.
    spare = total_of(stairs.cost[chosen]) * CHEAPER - bound - total_of(loss[chosen]) + total_of(loss[chosen[places]])
    for m in places:
        # Steps come by falling latency: the last one whose loss may be borne is the fastest.
        for o in range(stairs.first[m], stairs.first[m + 1]):
            if loss[o] <= spare:
                latency[m] = stairs.latency[o]
    path_times(s, latency, before, after)
    least = np.zeros(places.size + 1)
    for j in range(places.size - 1, -1, -1):
        m, o = places[j], stairs.first[places[j]]
        while o < stairs.first[m + 1] - 1 and (stairs.latency[o] > limit - before[m] - after[m] or loss[o] > spare):
            o += 1
        least[j] = least[j + 1] + stairs.cost[o]
    at, levels, saved = stairs.first[places] - 1, np.zeros((2, places.size + 1)), False
    cost, lost, j = levels[0], levels[1], 0
    for _ in range(VISITS):
        m = places[j]
        at[j] += 1
        while at[j] < stairs.first[m + 1] and (
            stairs.latency[at[j]] > limit - before[m] - after[m] or lost[j] + loss[at[j]] > spare
        ):
            at[j] += 1
        if at[j] == stairs.first[m + 1] or cost[j] + stairs.cost[at[j]] + least[j + 1] >= best:
            # Faster steps cost no less.
            at[j] = stairs.first[m] - 1
            j -= 1
            if j < 0:
                break
            continue
        cost[j + 1], lost[j + 1] = cost[j] + stairs.cost[at[j]], lost[j] + loss[at[j]]
        latency[m] = stairs.latency[at[j]]
        if j + 1 < places.size:
            j += 1
            before[places[j]] = _start(s, places[j], before, latency)
        else:
            # The cheaper the best choice is, the less may be lost beyond the bound.
            spare -= best - cost[j + 1] * CHEAPER
            best, saved, chosen[places] = cost[j + 1] * CHEAPER, True, at
    return saved


NAME = "price-of-time"


def solve_price_of_time(session: Session, space: PlanSpace, limits: Limits) -> Answer:
    """Plan a session by prices of time, on each hardware where only one type is allowed."""
    best = Answer(None, "no plan", reason=f"{NAME} found no plan that meets the SLO")
    for one in hardware_choices(session, space):
        answer = _plan_on(session, one)
        # Strictly cheaper: ties keep the hardware that is listed first.
        if answer.claimed is not None and (best.claimed is None or answer.claimed < best.claimed):
            best = answer
    why = "" if best.plan is not None else why_no_plan(session, space)
    return Answer(None, "infeasible", infeasible=True, reason=why) if why else best


def _plan_on(session: Session, space: PlanSpace) -> Answer:
    """The plan for one choice of hardware; where rounding made the checker refuse it, one just below the SLO."""
    arrays = session_arrays(session, space)
    if (arrays.first[1:] == arrays.first[:-1]).any():
        return Answer(None, "no plan")
    for slo in (arrays.slo, arrays.slo * (1.0 - 1e-9)):
        schedule, cost = plan_by_prices(arrays._replace(slo=slo))
        if not np.isfinite(cost):
            break
        plan = plan_of(session, arrays, schedule, space.dummy)
        clear = clear_of_rounding(arrays, schedule.latency, schedule.partial, schedule.dummy)
        if clear or evaluate(session, plan, space).feasible:
            return Answer(plan, "feasible", claimed=float(cost) + idle_cost(session, plan, space))
    return Answer(None, "no plan")


@compiled
def plan_by_prices(s: SessionArrays) -> tuple[Schedule, float]:
    """The plan of a session whose modules all have a configuration, and its cost per hour; infinite without a plan."""
    plan, stairs, cost = new_schedule(s), staircases(s), 0.0
    if (stairs.first[1:] == stairs.first[:-1]).any():
        return plan, np.inf
    chosen, cost = split_by_prices(s, stairs)
    if cost < np.inf:
        for m in range(s.rate.size):
            cheapest_within(s, m, stairs.budget[chosen[m]], plan)
    return plan, cost
