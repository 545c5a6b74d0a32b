"""A plain exact reference for sessions: list all plans of each module, keep the undominated, try all combinations.

Written from the problem's definition alone; it shares no code with a solver, with the enumeration in `bruteforce` or
with the checker. Rates and costs are integers on a common scale, latencies are fractions. Floats decide nothing but
what is worse by far more than they can err; all else is compared exactly.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import NamedTuple

from euclio.problems.session import DummyRule, Module, PlanSpace, Policy, Session

from .truth import NO_PLAN, TooLargeError, Truth

MOST_PLANS = 100_000
"""Plans of one module beyond which the reference gives up."""

SHARED = (Policy.TC_SHARED, Policy.IN_TURN)
EVEN = (Policy.RR_EVEN, Policy.MACHINE_RATE_EVEN, Policy.LOAD_BALANCER, Policy.SHARED_QUEUE)
TWICE = (Policy.RR_EVEN, Policy.SHARED_QUEUE)
"""Those of them whose full machines take 2d."""
"""Policies whose partial machine collects from all that is left, as whole ones do."""

MOST_COMBINATIONS = 2_000_000

ENDLESS_S = Fraction(10**12)
"""The most seconds of a path that leads to no objective: no session may name more."""

CLEAR = 1e-11
"""What differs by more than this share differs in floats too: sums of at most four numbers above 0 err by 1e-15."""


class Point(NamedTuple):
    """An undominated plan of one module: no other is as fast for less, or as cheap and faster."""

    latency: Fraction
    cost: Fraction


def session_truth(session: Session, space: PlanSpace) -> Truth:
    """The optimum of a session in a plan space; under rule `continuous` it may be bracketed.

    Raises:
        TooLargeError: there is too much to list, as where machines are charged whole: dummies may fill any number of
            those.
    """
    if space.charging.whole:
        raise TooLargeError
    if space.dummy is DummyRule.CONTINUOUS:
        from .reference_continuous import bracket as solve
    else:
        solve = _optimum
    allowed = [h.name for h in session.hardware if space.hardware is None or h.name in space.hardware]
    if not space.single_hardware:
        return solve(session, space, allowed)
    found = [truth for name in allowed if not (truth := solve(session, space, [name])).infeasible]
    if not found:
        return NO_PLAN
    return Truth(min(t.lower for t in found), min(t.upper for t in found))  # type: ignore[type-var]


def _optimum(session: Session, space: PlanSpace, hardware: list[str]) -> Truth:
    fronts, every = [], routes(session)
    for module, most in zip(session.modules, longest(session, every), strict=True):
        fronts.append(module_front(module, session.price, space, hardware, most))
        if not fronts[-1]:
            return NO_PLAN
    best = combination(fronts, every)
    return NO_PLAN if best is None else Truth(best.cost, best.cost)


class Kind(NamedTuple):
    """A configuration in integers: throughput, and cost per unit of rate; latency stays a fraction."""

    throughput: int
    unit_cost: int
    duration: Fraction
    batch: int
    concurrency: int


class Scaled(NamedTuple):
    """A module in integers: rates in 1/rate_scale, costs in 1/cost_scale, configurations in rank order."""

    rate: int
    rate_scale: int
    cost_scale: int
    kinds: tuple[Kind, ...]


def scaled(module: Module, price: dict[str, Fraction], space: PlanSpace, hardware: list[str], slo: Fraction) -> Scaled:
    """The module's allowed configurations that take less than the SLO, in rank order.

    Ranks are by cost per request, duration, batch, hardware and concurrency.
    """
    rows = []
    for c in module.profile:
        if c.hardware not in hardware or c.duration_s >= slo:
            continue
        if (c.batch > 1 and not space.batching) or (c.concurrency > 1 and not space.concurrency):
            continue
        throughput = Fraction(c.batch * c.concurrency) / c.duration_s
        key = (price[c.hardware] / throughput, c.duration_s, c.batch, c.hardware, c.concurrency)
        rows.append((key, throughput, c))
    rows.sort(key=lambda row: row[0])
    rate_scale = math.lcm(
        module.rate_rps.denominator,
        *(t.denominator for _, t, _ in rows),
        *((t / c.concurrency).denominator for _, t, c in rows),
    )
    per_unit = [key[0] / rate_scale for key, _, _ in rows]
    cost_scale = math.lcm(1, *(u.denominator for u in per_unit))
    kinds = [
        Kind(int(t * rate_scale), int(u * cost_scale), c.duration_s, c.batch, c.concurrency)
        for (_, t, c), u in zip(rows, per_unit, strict=True)
    ]
    return Scaled(int(module.rate_rps * rate_scale), rate_scale, cost_scale, tuple(kinds))


class Listed(NamedTuple):
    """A plan of a module: its cost, and per kind of machine the configuration and the rate that collects a batch."""

    cost: int
    machines: tuple[tuple[int, int | Fraction], ...]


def module_front(
    module: Module, price: dict[str, Fraction], space: PlanSpace, hardware: list[str], slo: Fraction
) -> list[Point]:
    """The undominated plans within a latency, fastest first.

    Raises:
        TooLargeError: there are too many plans.
    """
    m = scaled(module, price, space, hardware, slo)
    about = [(float(kind.duration), kind.batch * m.rate_scale) for kind in m.kinds]
    priced = []
    for count, plan in enumerate(_plans(m, space)):
        if count >= MOST_PLANS:
            raise TooLargeError
        priced.append((plan.cost, max(about[i][0] + about[i][1] / w for i, w in plan.machines), plan))
    priced.sort(key=lambda row: row[:2])
    front: list[Point] = []
    fastest, limit = math.inf, float(slo) * (1 + CLEAR)
    for cost, near, plan in priced:
        if near > limit or near > fastest * (1 + CLEAR):
            continue
        latency = max(m.kinds[i].duration + Fraction(m.kinds[i].batch * m.rate_scale, w) for i, w in plan.machines)
        if latency > slo or (front and latency >= front[-1].latency):
            continue
        point = Point(latency, Fraction(cost, m.cost_scale))
        if front and front[-1].cost == point.cost:
            front.pop()
        front.append(point)
        fastest = near
    return front[::-1]


def _plans(m: Scaled, space: PlanSpace) -> Iterator[Listed]:
    """Every plan: whole machines of configurations in rank order, the last one takes all the rest."""
    size = len(m.kinds)
    most = size if space.max_allocations is None else min(size, space.max_allocations)
    dummies = space.dummy is DummyRule.MACHINE

    def extend(first: int, left: int, cost: int, before: tuple[tuple[int, int], ...]) -> Iterator[Listed]:
        for i in range(first, size):
            t, unit = m.kinds[i].throughput, m.kinds[i].unit_cost
            whole, rest = divmod(left, t)
            yield Listed(cost + left * unit, tuple(_collected(m, space.policy, (*before, (i, whole)), rest, 0)))
            if rest and dummies:
                total = cost + (whole + 1) * t * unit
                yield Listed(total, tuple(_collected(m, space.policy, (*before, (i, whole + 1)), 0, t - rest)))
            if len(before) + 1 < most:
                for n in range(1, whole + (rest > 0)):
                    yield from extend(i + 1, left - n * t, cost + n * t * unit, (*before, (i, n)))

    return extend(0, m.rate, 0, ())


def _collected(
    m: Scaled, policy: Policy, machines: Sequence[tuple[int, int]], partial: int, dummy: int
) -> Iterator[tuple[int, int | Fraction]]:
    """Each kind of machine of a plan and the rate at which it collects a batch: it takes d + b / rate."""
    w = shared = m.rate + dummy
    ratio = None
    if partial and policy in EVEN:
        # The last configuration's machines, one more than the whole ones, have equal parts of all that comes to them.
        *machines, (i, n) = machines
        kind = m.kinds[i]
        each = Fraction(n * kind.throughput + partial, n + 1)
        # Round robin lets a machine work on e batches at a time, each of them collected e times as long.
        yield i, each / kind.concurrency if policy in TWICE else each
        partial = 0
    for i, n in machines:
        kind = m.kinds[i]
        if kind.unit_cost != ratio:
            ratio, shared = kind.unit_cost, w
        if n:
            if policy is Policy.TC:
                yield i, w
            elif policy in SHARED:
                yield i, shared
            elif policy in (Policy.MACHINE_RATE, Policy.MACHINE_RATE_EVEN, Policy.LOAD_BALANCER):
                yield i, kind.throughput
            else:  # round robin takes 2d: as if it collected at b/d
                yield i, kind.throughput // kind.concurrency
        w -= n * kind.throughput
    if partial:
        yield machines[-1][0], shared if policy in SHARED else partial


class Route(NamedTuple):
    """A path that an objective bounds: its modules, and the seconds that delays leave to their latencies."""

    modules: list[int]
    room: Fraction


def routes(session: Session) -> list[Route]:
    """All paths from a module without parents to one with an objective, or without children.

    One without children has the session's objective where modules have none, and else no more than any session names.
    """
    index = {module.name: i for i, module in enumerate(session.modules)}
    children: list[list[int]] = [[] for _ in session.modules]
    for a, b in session.edges:
        children[index[a]].append(index[b])
    delay = {(index[a], index[b]): seconds for (a, b), seconds in session.delay_s.items()}
    bounded: list[list[Fraction]] = [[] for _ in session.modules]
    for objective in session.objectives:
        bounded[index[objective.to]].append(objective.slo_s)
    last = ENDLESS_S if session.objectives else session.slo_s
    bounded = [own or ([] if below else [last]) for own, below in zip(bounded, children, strict=True)]
    entered = {index[b] for _, b in session.edges}
    found = []
    waiting = [([i], Fraction(0)) for i in range(len(session.modules)) if i not in entered]
    while waiting:
        path, delays = waiting.pop()
        found += [Route(path, seconds - delays) for seconds in bounded[path[-1]]]
        waiting += [([*path, child], delays + delay.get((path[-1], child), 0)) for child in children[path[-1]]]
    return found


def longest(session: Session, every: list[Route]) -> list[Fraction]:
    """For each module the least seconds that a path through it leaves to the latencies of all its modules."""
    return [min(route.room for route in every if i in route.modules) for i in range(len(session.modules))]


class Combined(NamedTuple):
    """A choice of one point per module, what it costs, and how many combinations were looked at."""

    cost: Fraction
    points: list[Point]
    looked_at: int


def combination(fronts: list[list[Point]], every: list[Route]) -> Combined | None:
    """The cheapest choice of one point per module such that no path takes longer than it may; None: there is none.

    Args:
        fronts: undominated points of each module, fastest first.
        every: all paths that objectives bound.

    Raises:
        TooLargeError: there are too many combinations.
    """
    search = _Combination(fronts, every)
    search.descend(0, 0.0)
    return None if search.best is None else Combined(search.best, search.best_choice, search.looked_at)


class _Combination:
    """Depth-first over the modules, the shortest front first."""

    def __init__(self, fronts: list[list[Point]], every: list[Route]) -> None:
        self.fronts = fronts
        self.order = sorted(range(len(fronts)), key=lambda i: len(fronts[i]))
        self.routes = [[(r, float(r.room)) for r in every if i in r.modules] for i in range(len(fronts))]
        self.about = [[(float(p.latency), float(p.cost)) for p in front] for front in fronts]
        self.least = [0.0] * (len(fronts) + 1)
        for depth in range(len(fronts) - 1, -1, -1):
            self.least[depth] = self.least[depth + 1] + self.about[self.order[depth]][-1][1]
        self.chosen = [front[0] for front in fronts]
        self.chosen_about = [front[0][0] for front in self.about]
        self.best: Fraction | None = None
        self.best_choice: list[Point] = []
        self.best_about = math.inf
        self.looked_at = 0

    def descend(self, depth: int, spent: float) -> None:
        if depth == len(self.order):
            total = sum((point.cost for point in self.chosen), Fraction(0))
            if self.best is None or total < self.best:
                self.best, self.best_about, self.best_choice = total, float(total), list(self.chosen)
            return
        i = self.order[depth]
        for k in range(len(self.fronts[i]) - 1, -1, -1):  # the cheapest first
            latency, cost = self.about[i][k]
            if spent + cost + self.least[depth + 1] > self.best_about * (1 + CLEAR):
                break
            self.looked_at += 1
            if self.looked_at > MOST_COMBINATIONS:
                raise TooLargeError
            self.chosen[i], self.chosen_about[i] = self.fronts[i][k], latency
            if self._fits(i):
                self.descend(depth + 1, spent + cost)
                if depth == len(self.order) - 1:
                    break
        self.chosen[i], self.chosen_about[i] = self.fronts[i][0], self.about[i][0][0]

    def _fits(self, i: int) -> bool:
        """Whether the paths through a module are in time, with all modules below at their fastest."""
        for (modules, room), limit in self.routes[i]:
            about = sum(self.chosen_about[j] for j in modules)
            if about > limit * (1 + CLEAR):
                return False
            if about > limit * (1 - CLEAR) and sum(self.chosen[j].latency for j in modules) > room:
                return False
        return True
