"""Plans that keep an attainment at one load and many objectives, by margins whose simulations all of them share (ours).

As long as nothing is dropped, latencies do not depend on the objective: one simulation gives the late requests for
every objective. So plans are made on a grid of margins that is the same for all objectives: SLOs that are planned for,
and rates, each in steps of a few per cent. Each plan is simulated once, and the search for an objective begins where
the one before it has ended. A simulation ends as soon as more requests have been late than may be in all of it. No plan
is made if one for no more margin costs as much as the best. A simulation with a seed of its own then judges the plan
found, as any other plan (`trials`), but its length is fixed. The statement is as sure, and may need a somewhat more
expensive plan.
"""

from __future__ import annotations

import functools
import math
import time
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import NamedTuple

import numpy as np

from euclio.core.words import plain
from euclio.problems.session.instance import Session
from euclio.problems.session.plan import Plan
from euclio.problems.session.services import request_rate
from euclio.problems.session.space import PlanSpace
from euclio.serving.attainment.confidence import estimate
from euclio.serving.attainment.demand import Demand
from euclio.serving.attainment.long_run import LEVELS, ByWindow, Tally
from euclio.serving.attainment.margins import Margins, stricter, with_spare
from euclio.serving.attainment.search import FIRST, STRICTER, Found, Planner, Tried
from euclio.serving.attainment.trials import (
    ATTEMPTS,
    PARTS,
    PlanJudgement,
    listed,
    part_of_error,
    percentiles_s,
    seed_of,
)
from euclio.serving.session.in_turn import InTurn, RequestStream, compile_in_turn, covers
from euclio.serving.session.setup import Setup
from euclio.serving.session.system import System, build_system
from euclio.serving.units import NANOSECONDS, Floats, Ints

SLO_STEP, RATE_STEP = 1.08, 1.03
"""Ratios of neighbouring SLOs that are planned for, and of rates."""
LEAST_SLO, MOST_SLO = 0.4, 2.0
"""Least and largest share of the objective that is planned for, at the rates that come."""
MOST_RATE = 46
"""Steps of the largest margin on rates, about four times: with more, planned batches would wait too long."""
SEARCHED = (20_000, 350, 400_000)
JUDGED = (100_000, 1_500, 1_000_000)
"""Least requests of a simulation; requests over the share that may be late; most requests."""
LEAST_SLOS = 200
"""Least length of a simulation, in objectives."""
WINDOWS = 1024
STEPS = 4
"""Parts of a search's simulation after each of which it ends if too many requests have been late."""
SOME = 16
"""One in this many requests is kept beside the slowest ones."""
KEPT = 16
"""Judgements whose latencies are kept: the same plan may do for the next objective."""
AWAY = 2
"""Steps of the planned SLO without a cheaper plan after which a direction is left."""
STRICTEST = 0.3
"""Least share of the misses that the search allows, for any outcome of judgements."""
ANEW = 6
"""One in this many objectives tries all planned SLOs and the margins of single modules anew. The others begin with the
best plan of the one before."""
FINER = (4, 2, 1)
"""Steps by which the margin of one module is lowered."""

Steps = tuple[int, ...]
"""The margin on the rate of each module, in steps."""


@dataclass(slots=True)
class Cell:
    """A plan of the grid.

    Attributes:
        tried: the plan, with the SLO that it was planned for in place of its share.
        slo_s: that SLO.
        slowest: latencies of the slowest requests in the search, in seconds, ascending; None if not simulated.
        some: latencies of one in `SOME` requests, ascending, for objectives that more requests miss.
        requests: requests in that simulation.
        whole: requests that it would have had, had it not ended with too many late ones.
    """

    tried: Tried
    slo_s: Fraction
    slowest: Floats | None = None
    some: Floats | None = None
    requests: int = 0
    whole: int = 0

    def take(self, took_s: Floats, whole: int, kept: int) -> None:
        """Note the latencies of a simulation of `whole` requests in all, and keep the `kept` slowest ones."""
        kept = min(len(took_s), kept)
        self.slowest = np.sort(np.partition(took_s, len(took_s) - kept)[len(took_s) - kept :])
        self.some = np.sort(took_s[::SOME])
        self.requests, self.whole = len(took_s), whole

    def late(self, objective_s: float) -> float:
        """Share of the requests that were later than an objective."""
        assert self.slowest is not None
        assert self.some is not None
        if len(self.slowest) < self.requests and self.slowest[0] > objective_s:
            return 1 - float(np.searchsorted(self.some, objective_s, "right")) / len(self.some)
        return self._slower(objective_s) / self.requests

    def passes(self, objective_s: float, allowed: float) -> bool | None:
        """Whether no more than a share of the requests is late; None if it is not known yet."""
        if self.slowest is None:
            return None
        if self.requests == self.whole:
            return self.late(objective_s) <= allowed
        return False if self._slower(objective_s) > allowed * self.whole else None

    def _slower(self, objective_s: float) -> float:
        """How many of the slowest requests were later than an objective."""
        assert self.slowest is not None
        return float(len(self.slowest) - np.searchsorted(self.slowest, objective_s, "right"))


class _Span(NamedTuple):
    """A simulation in ticks: the requests that come from `begin` until `until` count, and it ends at `end`."""

    begin: int
    until: int
    end: int


@dataclass(slots=True)
class Front:
    """The known plans of one session, for all objectives.

    Attributes:
        session: the session; its objective is that of the longest simulations.
        planner: makes plans of it and of stricter ones.
        space: plan space of these plans.
        demand: target, arrivals and dispatch.
        seed: seed of all requests.
    """

    session: Session
    planner: Planner
    space: PlanSpace
    demand: Demand
    seed: int
    cells: dict[tuple[int, Steps], Cell | None] = field(default_factory=dict)
    edges: dict[int, int] = field(default_factory=dict)
    """The margin on rates at which plans for an SLO began to keep the target, under the objective before."""
    pattern: Steps = ()
    """How many steps the margin of each module is below that of the others."""
    share: float = 0.7
    """Share of the objective that the last plan was planned for."""
    allowed: float = FIRST
    """Share of the misses that the search allows."""
    asked: int = -1
    """Objectives before this one."""
    requests: dict[int, RequestStream] = field(default_factory=dict)
    judgements: dict[tuple[int, Steps, int], tuple[Ints, dict[str, float]]] = field(default_factory=dict)
    """Latencies of the judged plans in ticks, and percentiles of modules in seconds, by cell and attempt."""
    made: Ints = field(init=False)
    """The places of the plans made so far, a row each."""
    costs: Floats = field(init=False)
    """The cost per hour of each of these."""

    def __post_init__(self) -> None:
        """Begin without a plan."""
        self.made = np.zeros((0, 1 + len(self.session.modules)), np.int64)
        self.costs = np.zeros(0)

    def begin_as(self, other: Front) -> None:
        """Try first the margins that were enough at another rate."""
        self.edges, self.pattern = dict(other.edges), other.pattern
        self.share, self.allowed = other.share, other.allowed

    def cheapest(self, session: Session, ends_at: float | None) -> Found:
        """The cheapest plan found for an objective, judged.

        Args:
            session: the session, with the objective.
            ends_at: time of the monotonic clock from which no further plan is tried; None disables it.
        """
        objective = float(session.slo_s)
        failed: set[tuple[int, Steps]] = set()
        judged = None
        self.asked += 1
        before = len(self.cells)
        for attempt in range(ATTEMPTS):
            best = self._best(objective, failed, ends_at)
            if best is None:
                break
            cell = self.cells[best]
            assert cell is not None
            judged = self._judged(best, cell, session, attempt)
            missed = (1 - self.demand.target) / max(1e-12, 1 - judged.estimate.lower)
            more = missed**0.5 if missed > 1 else min(STRICTER, missed)
            self.allowed = min(FIRST, max(STRICTEST, self.allowed * more))
            if judged.estimate.lower >= self.demand.target:
                found = replace(cell.tried, margins=replace(cell.tried.margins, slo=cell.slo_s / session.slo_s))
                return Found(found, judged, self._tried(before, found), complete=True)
            failed.add(best)
        shares = [
            1 - cell.late(objective) for cell in self.cells.values() if cell is not None and cell.slowest is not None
        ]
        most = max(shares, default=None)
        return Found(None, judged, self._tried(before, None), not _is_over(ends_at), most)

    def _tried(self, before: int, found: Tried | None) -> tuple[Tried, ...]:
        cells = [cell for cell in list(self.cells.values())[before:] if cell is not None]
        return (*(cell.tried for cell in cells), *(() if found is None else (found,)))

    def _best(
        self, objective: float, failed: set[tuple[int, Steps]], ends_at: float | None
    ) -> tuple[int, Steps] | None:
        """The place of the cheapest plan that passes: planned SLOs from where the last objective ended."""
        last = math.floor(math.log(objective * MOST_SLO) / math.log(SLO_STEP) + 1e-9)
        first = math.ceil(math.log(objective * LEAST_SLO) / math.log(SLO_STEP))
        begin = min(last, max(first, round(math.log(objective * self.share) / math.log(SLO_STEP))))
        state = _CheapestByCell(self, objective, self.allowed * (1 - self.demand.target), failed, ends_at)
        state.known()
        if not failed and self.asked % ANEW == 0:
            for k in range(last, first - 1, -3):
                state.along(k)
        begin = begin if state.place is None else min(last, max(first, state.place[0]))
        for way in (-1, 1):
            k, without = begin if way < 0 else begin + 1, 0
            while first <= k <= last and (without < AWAY or state.place is None):
                without = 0 if state.along(k) else without + 1
                k += way
        if state.place is not None:
            if self.asked % ANEW == 0 and not failed:
                state.by_module()
            k, steps = state.place
            most = max(steps)
            self.pattern = tuple(one - most for one in steps)
            self.share = float(_power(SLO_STEP, k)) / objective
        return state.place

    def cell(self, k: int, steps: Steps) -> Cell | None:
        """The plan at a place of the grid; None if the planner has none there."""
        if (k, steps) not in self.cells:
            self.cells[k, steps] = self._made(k, steps)
        return self.cells[k, steps]

    def _made(self, k: int, steps: Steps) -> Cell | None:
        slo = self.planned_slo(k, steps)
        margins = Margins(tuple(_power(RATE_STEP, one) - 1 for one in steps), Fraction(1))
        base = replace(self.session, slo_s=slo)
        made = self.planner(stricter(base, margins))
        if made is None:
            return None
        # The same machines cost the same in the session itself; callers have the plan checked on it.
        checked = made[1]
        assert checked.cost_per_h is not None
        costs = tuple(module.cost_per_h for module in checked.modules)
        self.made = np.vstack((self.made, (k, *steps)))
        self.costs = np.append(self.costs, float(checked.cost_per_h))
        return Cell(Tried(margins, with_spare(base, *made, margins), checked.cost_per_h, costs, simulated=True), slo)

    def planned_slo(self, k: int, steps: Steps) -> Fraction:
        """The SLO that the plan at a place is made for."""
        return _power(SLO_STEP, k) / _power(RATE_STEP, max(steps))

    def costs_as_much(self, k: int, steps: Steps, cost: Fraction) -> bool:
        """Whether a plan for no more margin than at a place costs this much: then the plan at the place does so too."""
        no_more = (self.made[:, 0] >= k) & (self.made[:, 1:] <= steps).all(axis=1)
        return bool((self.costs[no_more] >= float(cost)).any())

    def passes(self, cell: Cell, objective_s: float, allowed: float) -> bool:
        """Whether a plan keeps an objective for the requests of the search, which are the same for all plans.

        The simulation ends when more of them are late than may be of all. It begins again for a longer objective.
        """
        known = cell.passes(objective_s, allowed)
        if known is not None:
            return known
        system, ticks = self._system(cell), NANOSECONDS.ticks_per_s
        span, served = self._serving(system, 0)
        first, last = np.searchsorted(self.requests[0].until(span.until), (span.begin, span.until))
        whole, seen, late = int(last - first), int(first), 0
        for part in range(1, STEPS + 1):
            now = span.begin + (span.until - span.begin) * part // STEPS
            # A request older than the longest objective is late, answered or not.
            served.go_to(span.end if part == STEPS else now + system.slo_ticks)
            before, seen = seen, int(np.searchsorted(served.arrivals(), now))
            late += int(np.count_nonzero(served.latencies(before, seen) > objective_s * ticks))
            if late > allowed * whole:
                break
        took_s = served.latencies(int(first), seen) / ticks
        cell.take(took_s, whole, max(100, int(4 * (1 - self.demand.target) * whole)))
        return bool(cell.passes(objective_s, allowed))

    def _system(self, cell: Cell) -> System:
        return build_system(self.session, cell.tried.plan, self.space, self.demand.setup)

    def _serving(self, system: System, stream: int) -> tuple[_Span, InTurn]:
        """A simulation of requests that are the same for all plans, which has not begun yet."""
        until = system.clock.up(self._seconds(JUDGED if stream else SEARCHED) * (1 + 1 / PARTS))
        span = _Span(until // (PARTS + 1), until, until + math.ceil(system.slo_ticks * LEVELS[-1]))
        if stream not in self.requests:
            lasts = span.end / system.clock.ticks_per_s
            setup = replace(self.demand.setup, seed=seed_of(self.seed, stream), seconds=lasts)
            self.requests[stream] = RequestStream(system, setup)
        watched = [own.module for own in listed(self.session)] if stream else ()
        return span, InTurn(system, self.requests[stream], seed=seed_of(self.seed, stream), watched=watched)

    def _seconds(self, size: tuple[int, int, int]) -> float:
        least, per_miss, most = size
        requests = max(least, min(most, round(per_miss / (1 - self.demand.target))))
        return max(requests / float(request_rate(self.session)), LEAST_SLOS * float(self.session.slo_s))

    def _judged(self, place: tuple[int, Steps], cell: Cell, session: Session, attempt: int) -> PlanJudgement:
        """Judge a plan on requests that no search has seen, with one attempt's part of the error."""
        stream = 1 + attempt
        key, system = (*place, stream), self._system(cell)
        span, served = self._serving(system, stream)
        arrivals = self.requests[stream].until(span.until)
        first, last = np.searchsorted(arrivals, (span.begin, span.until))
        if key not in self.judgements:
            if len(self.judgements) >= KEPT:
                del self.judgements[next(iter(self.judgements))]
            served.go_to(span.end)
            took = served.latencies(int(first), int(last))
            self.judgements[key] = took, self._percentiles(system, served, int(first), int(last))
        took, percentiles = self.judgements[key]
        window = -(-(span.until - span.begin) // WINDOWS)
        counted = ByWindow(system.clock.up(session.slo_s), window, WINDOWS)
        found = counted.add(arrivals[first:last] - span.begin, took).latencies(WINDOWS)
        confidence = part_of_error(attempt, 1)
        seconds = self._seconds(JUDGED) * (1 + 1 / PARTS)
        bounded = estimate(found, confidence)
        return PlanJudgement(bounded, seconds, seed_of(self.seed, stream), percentiles_s=percentiles)

    def _percentiles(self, system: System, served: InTurn, first: int, last: int) -> dict[str, float]:
        """By module, the latency in seconds that the demanded share of its requests does not exceed."""
        arrivals, tallies = served.arrivals()[first:last], []
        for own in listed(self.session):
            tally = Tally(own, system, int(arrivals[-1]) + 1, 1)
            tally.add(arrivals, served.module_latencies(own.module, first, last))
            tallies.append(tally)
        return percentiles_s(self.session, tallies, 0, self.demand.target)


@dataclass(slots=True)
class _CheapestByCell:
    """The search for one objective."""

    front: Front
    objective: float
    allowed: float
    failed: set[tuple[int, Steps]]
    ends_at: float | None
    place: tuple[int, Steps] | None = None
    cost: Fraction | None = None

    def known(self) -> None:
        """Begin with the cheapest of all plans that were simulated for other objectives."""
        for place, cell in self.front.cells.items():
            if cell is None or cell.slo_s > self.objective or place in self.failed or not self._is_cheaper(cell):
                continue
            if cell.passes(self.objective, self.allowed):
                self.place, self.cost = place, cell.tried.cost_per_h

    def along(self, k: int) -> bool:
        """The least margin on rates that passes with an SLO; whether it is cheaper than all before."""
        cost = self.cost
        pattern = self.front.pattern or (0,) * len(self.front.session.modules)

        def enough(step: int) -> bool:
            return self._enough(k, tuple(max(0, step + own) for own in pattern))

        edges = self.front.edges
        step = edges.get(k, min((abs(k - other), edge) for other, edge in edges.items())[1] if edges else 4)
        width = 1
        if enough(step):
            high, low = step, step - width
            while low >= 0 and enough(low):
                width *= 2
                high, low = low, low - width
            low = max(-1, low)
        else:
            low, high = step, step + width
            while not enough(high):
                if high >= MOST_RATE or self._is_over():
                    return False
                width *= 2
                low, high = high, min(high + width, MOST_RATE)
        while high - low > 1 and not self._is_over():
            middle = (low + high) // 2
            low, high = (low, middle) if enough(middle) else (middle, high)
        edges[k] = high
        return self.cost != cost

    def by_module(self) -> None:
        """Lower the margins of single modules, the most expensive first, as long as the plan passes."""
        assert self.place is not None
        cell = self.front.cells[self.place]
        assert cell is not None
        for m in sorted(range(len(cell.tried.costs)), key=cell.tried.costs.__getitem__, reverse=True):
            for less in FINER:
                k, steps = self.place
                if steps[m] >= less and not self._is_over():
                    self._enough(k, (*steps[:m], steps[m] - less, *steps[m + 1 :]))

    def _enough(self, k: int, steps: Steps) -> bool:
        """Whether the search should try less margin: this plan passes, or costs as much as the best one."""
        front, place = self.front, (k, steps)
        if front.planned_slo(k, steps) > self.objective:
            return False
        if self.cost is not None and place not in front.cells and front.costs_as_much(k, steps, self.cost):
            return True
        cell = front.cell(k, steps)
        if cell is None:
            return False
        if not self._is_cheaper(cell):
            return True
        if place in self.failed or not front.passes(cell, self.objective, self.allowed):
            return False
        self.place, self.cost = place, cell.tried.cost_per_h
        return True

    def _is_cheaper(self, cell: Cell) -> bool:
        return self.cost is None or cell.tried.cost_per_h < self.cost

    def _is_over(self) -> bool:
        return _is_over(self.ends_at)


def _is_over(ends_at: float | None) -> bool:
    return ends_at is not None and time.monotonic() >= ends_at


@functools.cache
def _power(ratio: float, steps: int) -> Fraction:
    return Fraction(plain(ratio**steps))


def serves_all_objectives(session: Session, plan: Plan, space: PlanSpace, setup: Setup) -> bool:
    """Whether one simulation of a plan gives the late requests for every objective."""
    compile_in_turn()
    return covers(build_system(session, plan, space, setup), setup.noise)
