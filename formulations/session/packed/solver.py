"""The cheapest plan where modules may share machines, with proof (ours; docs/model/whole-machines.md#packed).

1. Plans without shared machines are those of whole machines, which the caller solves.
2. Every module has a list of plans on machines of its own (`split/frontiers.py`) and of plans with a partial machine
   for shared ones. Prices of time keep the lists short (`listing.py`).
3. A branch is a number of shared machines of each type. Its prices give a bound (`prices.py`).
4. A search assigns options and machines (`search.py`). The checker prices every complete choice.

No step relies on floating point for more than a bound with a margin. A choice that the checker refuses is dropped.
This loses no plan, since options that rounding cannot tell apart all stay.
"""

from __future__ import annotations

import heapq
import math
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from fractions import Fraction
from itertools import combinations_with_replacement

import numpy as np

from euclio.core.compiled import is_past
from euclio.core.numbers import exact
from euclio.core.result import Answer
from euclio.problems.session import Charging, ModulePlan, Plan, PlanSpace, Session, evaluate
from euclio.problems.session.arrays import Floats, Ints, SessionArrays, module_plan, session_arrays
from euclio.problems.session.bought_whole import BELOW, least_sum, price_unit
from euclio.problems.session.packing import packs
from euclio.problems.session.placing import share_machines
from euclio.problems.session.resources import machine_limits, usable_stock
from formulations.effort import NO_PLAN_WITHIN_LIMITS
from formulations.session.known_plans import cheapest_of, quick_plan
from formulations.session.packed.listing import Lister, Lists
from formulations.session.packed.options import KIND
from formulations.session.packed.prices import Priced, priced, worths
from formulations.session.packed.search import CHOSEN, EXHAUSTED, SLACK, Node, Options, Place, begin, search_on
from formulations.session.split.course import Course, note
from formulations.tolerances import GAP

MOST_BRANCHES = 20_000
"""Numbers of shared machines that are looked at; with more, the bound is that of all shared machines together."""
NOTED = 1 << 20
"""Work that is noted with each plan and bound, more than nodes between two: so the clock is looked at each time."""
WHOLE_SHARE, SHORT_SHARE = 0.5, 0.9
"""Share of the time left that the search of whole machines may take; where the time is too short for quick plans."""
COLD_S, EACH_S, QUICK_SHARE = 1.5, 1e-3, 0.2
"""Seconds that quick heuristics of packed plans take in a new process, and more for each square of modules; the largest
share of the time limit that they may take."""
MULTIPLE = 8
"""Of the machines that rates fill, the most that are looked at where nothing ends them."""
CLOSE = 1e-3
"""Share of the cost within which two targets are as good as one."""


def solve_packed(
    session: Session,
    space: PlanSpace,
    deadline: float,
    course: Course,
    start: Plan | None,
    whole: Callable[[PlanSpace, float], Answer],
) -> Answer:
    """The cheapest plan whose partial machines may share machines.

    Args:
        session: the instance, without other limits on machines than a stock and resources, and without machines that
            cost nothing.
        space: plan space with packed machines, a countable dummy rule and without `single_hardware`.
        deadline: `time.perf_counter` value at which to stop.
        course: incumbents and bounds are noted there.
        start: a plan to begin with; None means that there is none.
        whole: solves the session for whole machines until a deadline.

    Returns:
        The cheapest plan and a lower bound; past the deadline the best plan found and a bound that holds.
    """
    apart = replace(space, charging=Charging.WHOLE)
    # A single module shares with no other one, and some policies have no latency for shared machines.
    shares, now = len(session.modules) > 1 and packs(space.policy), time.perf_counter()
    spare_s = QUICK_SHARE * (deadline - now) - EACH_S * len(session.modules) ** 2
    quick = spare_s >= COLD_S
    if quick:
        start, known = quick_plan(session, space, start)
        if known is not None:
            note(course, float(known), 0.0, NOTED)
    now = time.perf_counter()
    timed = shares and math.isfinite(deadline)
    own = whole(apart, now + (WHOLE_SHARE if quick else SHORT_SHARE) * (deadline - now) if timed else deadline)
    limited = bool(machine_limits(session))
    # Where there are enough machines, a plan with shared ones is no slower with machines for every module.
    if own.infeasible and not (limited and shares):
        return own
    plans = [start, own.plan if quick or own.plan is not None else quick_plan(session, apart, None, deadline)[0]]
    if spare_s >= 0.0:
        plans += [share_machines(session, plan, space) for plan in plans if plan is not None]
    plan, cost = cheapest_of(session, space, plans)
    bound, every = math.inf if own.infeasible else own.bound or 0.0, True
    if plan is None or cost is None:
        if not (limited and shares):
            # A bound on whole machines is none where modules share some.
            return replace(own, bound=None) if shares else own
        plan, (cost, every) = None, _more_than_all(session, space)
    if not shares:
        assert plan is not None
        return Answer.proven(plan, float(cost), bound, own.reason, own.stats)
    search = _Search(session, space, deadline, course, plan, cost, bound)
    search.run()
    return search.answer(own, every)


def _more_than_all(session: Session, space: PlanSpace) -> tuple[Fraction, bool]:
    """More money per hour than plans of interest cost, a sum of prices, and whether this is so of every plan.

    Without dummies a module has no more machines of a configuration than its rate fills, and a partial one. With
    dummies machines in sequence are the faster the more there are: only a limit ends them.
    """
    stock, fills = usable_stock(session), space.fills and space.policy.form.in_sequence
    total, every, times = price_unit(session.price.values()), True, MULTIPLE if fills else 1
    for h in space.hardware_of(session):
        own = [(m.rate_rps, c.throughput_rps) for m in session.modules for c in m.profile if c.hardware == h.name]
        most = times * sum(math.ceil(rate / t) + 1 for rate, t in own)
        every = every and (not fills or h.name in stock)
        total += h.price_per_h * (stock.get(h.name, most) if fills else min(most, stock.get(h.name, most)))
    return total, every


@dataclass(slots=True)
class _Search:
    """Branch and bound over the numbers of shared machines.

    Attributes:
        session: the instance.
        space: its plan space.
        deadline: `time.perf_counter` value at which to stop.
        course: incumbents and bounds are noted there.
        plan: the best plan; None before the first.
        cost: its cost per hour; before the first one more than any plan of interest costs.
        whole: no plan without shared machines costs less per hour.
        bound: no plan with shared machines costs less per hour.
        known: no plan costs less per hour: a sum of prices.
        notes: how often something was noted.
        nodes: nodes of searches so far.
        branches: branches that were searched so far.
        unsure: modes whose latency is unsure and which the checker's verdict hung on, as row and place.
    """

    session: Session
    space: PlanSpace
    deadline: float
    course: Course
    plan: Plan | None
    cost: Fraction
    whole: float
    bound: float = 0.0
    known: float = 0.0
    notes: int = 0
    nodes: int = 0
    branches: int = 0
    unsure: set[tuple[int, int]] = field(default_factory=set)
    _arrays: SessionArrays = field(init=False)
    _lister: Lister = field(init=False)
    _unit: Fraction = field(init=False)

    def __post_init__(self) -> None:
        """List the plans on machines of the modules' own."""
        self._arrays, self._unit = session_arrays(self.session, self.space), price_unit(self.session.price.values())
        self._lister = Lister(self.session, self.space, self._arrays, self.limit(), self.deadline)

    def limit(self) -> float:
        """The largest cost per hour that is of interest: the next multiple of all prices' unit below the incumbent."""
        return min(float(self.cost - self._unit), float(self.cost) * (1.0 - GAP))

    def run(self) -> None:
        """Exhaust ever larger targets until the incumbent is reached or the time is up."""
        target, failed = self.limit(), math.inf
        while not self._is_over():
            lists = self._lister.lists(target)
            self._raise(lists.bound)
            if self._is_over():
                return
            if lists.beyond:
                self._raise(math.inf if target >= self.limit() else target)
            elif not lists.complete:
                # Shorter lists for a lower target; they prove that much.
                failed = target
            elif not self._exhaust(lists, target):
                return
            elif self.unsure:
                if not self._lister.refine(self.unsure):
                    return
                self.unsure.clear()
                continue
            else:
                self._raise(math.inf if target >= self.limit() else target)
            top = min(self.limit(), failed)
            target = top if top < failed else (self.bound + failed) / 2.0
            # A plan may have been found while the target was searched, which is then exhausted as well.
            if self.bound == math.inf or (failed < math.inf and target - self.bound < CLOSE * target):
                return

    def answer(self, own: Answer, every: bool) -> Answer:
        """The incumbent and the bound, given the answer for whole machines, and whether `cost` is above all plans'."""
        claimed, stats = float(self.cost), {**own.stats, "nodes": float(self.nodes), "branches": float(self.branches)}
        if self.plan is None:
            if every and self.known >= claimed * (1.0 - GAP):
                return Answer(None, "infeasible", infeasible=True, stats=stats, reason=NO_PLAN_WITHIN_LIMITS)
            why = "the time limit was hit" if is_past(self.deadline) else "there are too many plans to list"
            return Answer(None, "limit", bound=self.known or None, stats=stats, reason=why)
        return Answer.proven(self.plan, claimed, self._known(), "the time limit was hit", stats)

    def _is_over(self) -> bool:
        """Whether the time is up, or the bound, as a sum of prices, proves the incumbent already."""
        return is_past(self.deadline) or self.known >= float(self.cost) * (1.0 - GAP)

    def _known(self) -> float:
        """No plan costs less per hour: a sum of prices."""
        least = min(self.whole, self.bound)
        if least <= 0.0 or math.isinf(least):
            return 0.0 if least <= 0.0 else float(self.cost)
        return min(float(self.cost), max(least, float(least_sum(self.session.price.values(), exact(least) * BELOW))))

    def _raise(self, bound: float) -> None:
        """Note a bound on plans with shared machines."""
        self.bound = max(self.bound, bound)
        self.known = self._known()
        self._note()

    def _note(self) -> None:
        """Note the incumbent and the bound."""
        self.notes += 1
        cost = math.inf if self.plan is None else float(self.cost)
        note(self.course, cost, min(self.known, float(self.cost)), (self.notes + 1) * NOTED)

    def _exhaust(self, lists: Lists, target: float) -> bool:
        """Search all branches for plans up to a target; False means that it is over before."""
        queue: list[tuple[float, tuple[int, ...], Priced]] = []
        for number, shared in enumerate(self._shared(lists, target)):
            if number >= MOST_BRANCHES or is_past(self.deadline):
                return False
            if shared is None:
                continue
            found = self._priced(lists, np.array(shared, np.int64), target)
            heapq.heappush(queue, (found.bound, shared, found))
        while queue and not self._is_over():
            bound, shared, found = heapq.heappop(queue)
            # Sums of prices in floating point may be above a sum that is equal.
            if bound > min(target, self.limit()) * (1.0 + SLACK):
                return True
            # Branches come by rising bound, and those before are exhausted, unless a latency is unsure.
            if not self.unsure:
                self._raise(min(bound, target))
            self.branches += 1
            if not self._search(lists, np.array(shared, np.int64), found, target):
                return False
        return not queue

    def _shared(self, lists: Lists, target: float) -> Iterator[tuple[int, ...] | None]:
        """Numbers of shared machines of each type, each of two modules at least; None if there is no plan with them."""
        types, o = lists.types.price.size, lists.options
        modules = np.zeros(types, np.int64)
        for m in range(len(self.session.modules)):
            own = o.table[o.first[m] : o.first[m + 1], KIND]
            modules[np.unique(own[own >= 0.0]).astype(np.int64)] += 1
        for machines in range(1, len(self.session.modules) // 2 + 1):
            for kinds in combinations_with_replacement(range(types), machines):
                shared = np.bincount(np.array(kinds), minlength=types)
                may = (2 * shared <= modules).all() and (shared * lists.types.price).sum() <= target * (1.0 + SLACK)
                may = may and (lists.types.takes @ shared <= lists.types.capacity).all()
                yield tuple(shared.tolist()) if may else None

    def _priced(self, lists: Lists, shared: Ints, target: float) -> Priced:
        """Prices of a branch, with the bound on its plans."""
        machines = float((shared * lists.types.price).sum())
        allowed: Floats = np.append(shared, lists.types.capacity - lists.types.takes @ shared)
        found = priced(self._arrays, lists.options, allowed, self._lister.price, target - machines)
        return found._replace(bound=found.bound + machines, paid=found.paid + machines)

    def _search(self, lists: Lists, shared: Ints, found: Priced, target: float) -> bool:
        """Search one branch for plans up to a target; False means that it is over before."""
        options, rows = _kept(lists.options, shared, found, min(target, self.limit()))
        if (options.first[1:] == options.first[:-1]).any():
            return True
        slots = np.repeat(np.arange(shared.size), shared)
        order = np.argsort(options.first[1:] - options.first[:-1], kind="stable")
        machines = float((shared * lists.types.price).sum())
        node, place = Node(order, slots, found.flow, found.paid, machines), begin(options, order, slots.size)
        while not self._is_over():
            limit = min(target, self.limit())
            how, nodes = search_on(self._arrays, lists.types, options, node, place, limit, self.deadline)
            self.nodes += nodes
            if how == EXHAUSTED:
                return True
            if how == CHOSEN:
                self._try(lists, rows[place.chosen], place)
        return False

    def _try(self, lists: Lists, chosen: Ints, place: Place) -> None:
        """Let the checker price a choice of options and machines, and keep it if it is cheaper."""
        modules, unsure = list[ModulePlan](), set[tuple[int, int]]()
        for m, row in enumerate(chosen.tolist()):
            k = row - int(lists.options.first[m])
            alone = lists.alone[m]
            if k < len(alone):
                own = self._lister.mode(alone[k])
                assert own.plan is not None
                modules.append(own.plan)
                if own.unsure_s:
                    unsure.add(alone[k])
                continue
            listed = lists.listed[m]
            machines = np.zeros(self._arrays.batch.size, np.int64)
            machines[self._arrays.first[m] : self._arrays.first[m + 1]] = listed.machines[k - len(alone)]
            at = int(listed.partial_at[k - len(alone)])
            modules.append(module_plan(self.session, self._arrays, m, machines, at))
        groups = [tuple(np.flatnonzero(place.machine == n).tolist()) for n in range(place.machine.max() + 1)]
        plan = Plan(tuple(modules), tuple(groups))
        checked = evaluate(self.session, plan, self.space)
        if not checked.feasible:
            # A plan between this mode and the next one may be fast enough.
            self.unsure |= unsure
        elif checked.cost_per_h is not None and checked.cost_per_h < self.cost:
            self.plan, self.cost = plan, checked.cost_per_h
            self._note()


def _kept(o: Options, shared: Ints, found: Priced, limit: float) -> tuple[Options, Ints]:
    """The options that a branch's plans up to a limit may have, by rising worth, and their places among all."""
    worth = worths(o, found.flow, found.price)
    kinds = o.table[:, KIND].astype(np.int64)
    worth[(kinds >= 0) & (shared[kinds] == 0)] = math.inf
    rows: list[Ints] = []
    least = np.minimum.reduceat(worth, o.first[:-1])
    for m in range(least.size):
        own = np.arange(o.first[m], o.first[m + 1])
        # With the others at their least worth, the bound is beyond the limit.
        own = own[worth[own] + (found.paid + least.sum() - least[m]) <= limit * (1.0 + GAP)]
        rows.append(own[np.argsort(worth[own], kind="stable")])
    places = np.concatenate(rows)
    first = np.cumsum([0, *(own.size for own in rows)])
    return Options(first, o.table[places], o.latency[places], worth[places]), places
