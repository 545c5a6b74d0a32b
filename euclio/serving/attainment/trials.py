"""Simulations of plans: as short as a search allows, and as long as a statement needs."""

from __future__ import annotations

import math
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from euclio.problems.session.instance import Session
from euclio.problems.session.plan import Plan
from euclio.problems.session.services import request_rate
from euclio.problems.session.space import PlanSpace
from euclio.serving.attainment.confidence import FEWEST_BLOCKS, LIKELY, Estimate, estimate, goes_on
from euclio.serving.attainment.demand import CONFIDENCE, Demand, ModuleObjective
from euclio.serving.attainment.long_run import MOST_WATCHED, Latencies, Run, Tally, Watched, coming
from euclio.serving.session.in_turn import RequestStream
from euclio.serving.session.setup import Setup
from euclio.serving.session.system import build_system
from euclio.serving.setup import Arrivals

ATTEMPTS = 8
"""Plans that are judged at most."""
SEARCHED = (512, 40_000, 800, 400_000)
JUDGED = (1024, 400_000, 10_000, 4_000_000)
"""Windows that count; least requests in them; least requests times the share that may miss the SLO, such as 0.01, and
the most requests that follow from it."""
BRIEFLY_SEARCHED = (256, 20_000, 400, 200_000)
BRIEFLY_JUDGED = (1024, 50_000, 1_000, 1_000_000)
"""The same if many plans are judged, none for longer than this: the bounds are wider, and hold as often."""
PARTS = 8
"""The start of a simulation, with idle machines, is left out: an extra part of one in this many."""
LONGEST = 8
"""Most times the first length to which a search extends a simulation."""
LEAST_SLOS = 400
LEAST_BURSTS = 200
"""Least length of a simulation, in SLOs and in bursts."""
MOST_CYCLE = 400_000
"""A search replays a whole trace of at most this many requests; a judgement always does."""
MOST_REQUESTS = 8_000_000
"""A simulation is not extended beyond this many requests ..."""
DOUBLINGS = 6
"""... or after this many doublings."""
ENOUGH_BLOCKS = 3 * FEWEST_BLOCKS
ENOUGH_CLUSTERS = 40.0
"""A judgement goes on until it has seen this many independent blocks of time and clusters of late requests, ..."""
AMPLE = 2
"""... or a bound that misses no more than this fraction (one in `AMPLE`) of the allowed misses."""
SHRINKS = 0.75
"""How fast a bound comes closer to the share as a simulation is made longer, as an exponent: at the rate of a spread,
1/2, and faster, since later looks are allowed more of the error."""


@dataclass(frozen=True, slots=True)
class PlanJudgement:
    """A plan's attainment on requests that the search has not seen."""

    estimate: Estimate  # the attainment, with its bound
    seconds: float  # how long requests came
    seed: int  # the seed of these requests
    # objectives of single modules, each with the share that keeps it, and its bound.
    modules: tuple[tuple[ModuleObjective, Estimate], ...] = ()
    # by module, seconds that the share of its requests asked for from end to end does not exceed; without modules for
    # which too few were answered.
    percentiles_s: Mapping[str, float] = field(default_factory=dict)
    cut: bool = False  # whether the time was up before the demand was shown to be kept, or hopeless

    def keeps(self, demand: Demand) -> bool:
        """Whether every bound reaches the demanded share."""
        within = all(found.lower >= own.share for own, found in self.modules)
        return within and self.estimate.lower >= demand.target

    def lower(self, demand: Demand) -> float:
        """The bound with the largest part of its allowed misses, as an attainment that would miss as much."""
        return self._worst(demand, [self.estimate.lower, *(found.lower for _, found in self.modules)])

    def share(self, demand: Demand) -> float:
        """The same of the shares that were measured."""
        return self._worst(demand, [self.estimate.share, *(found.share for _, found in self.modules)])

    def _worst(self, demand: Demand, kept: Sequence[float]) -> float:
        may_miss = [1 - demand.target, *(1 - own.share for own, _ in self.modules)]
        missed: float = max((1 - one) / most for one, most in zip(kept, may_miss, strict=True))
        return 1 - (1 - demand.target) * missed


def part_of_error(attempt: int, objectives: int, look: int = 0, looks: int = 1) -> float:
    """The confidence of each bound of a judgement, so that all of them together have the error of one alone.

    The first attempt has half of the error, and the others share the other half. Objectives share it alike. Each look
    has twice as much as the one before, as it sees more. By Bonferroni's inequality the error holds for any rule that
    decides which look is the last.

    Args:
        attempt: how many plans were judged before, less than `ATTEMPTS`.
        objectives: number of statements on each plan, the attainment included.
        look: number of earlier looks at the bounds.
        looks: most looks at them.
    """
    error = (1 - CONFIDENCE) / 2
    own = (error / (ATTEMPTS - 1) if attempt else error) / objectives
    return 1 - own * (1 << look) / ((1 << looks) - 1)


class Trials:
    """Simulations of plans of one session under one demand."""

    def __init__(self, session: Session, space: PlanSpace, demand: Demand, seed: int, *, brief: bool = False) -> None:
        """Begin without simulations; `brief` judgements are as short as searches allow."""
        self._searched, self._judged = (BRIEFLY_SEARCHED, BRIEFLY_JUDGED) if brief else (SEARCHED, JUDGED)
        self._brief = brief
        self._session, self._space, self._demand, self._seed = session, space, demand, seed
        self._rate, self._slo_s = float(request_rate(session)), float(session.slo_s)
        self._objectives = demand.of(session)
        self._least_missed = min([1 - demand.target, *(1 - own.share for _, own in self._objectives)])
        """The least allowed share of misses, which decides the length of simulations."""
        self._coming: dict[tuple[int, float, int], RequestStream] = {}

    def searched(self, plan: Plan, least: float) -> float | None:
        """The attainment on the requests of the search, the same for all plans; None if it is below the least.

        The misses of modules' objectives are limited in the same proportion. The simulation is doubled, up to
        `LONGEST` times its length, while it is not clear on which side of the least a plan is.

        Args:
            plan: a plan of the session.
            least: the simulation ends as soon as the attainment is certain to be below this; 0 disables it.
        """
        windows = self._searched[0]
        begin = windows // PARTS
        longest = 1 if self._brief else LONGEST
        run = self._run(plan, self._searched, seed_of(self._seed, 0), longest, self._held())
        allowed = (1 - least) * self._rate * self._window_s(self._searched) * windows
        for part in range(1, PARTS + 1):
            found = run.go_on(begin + windows * part // PARTS).since(begin)
            if found.late.sum() > allowed * 1.1 + 10:
                return None
        strict = (1 - least) / (1 - self._demand.target)
        shares = (least, *(1 - strict * (1 - own.share) for _, own in self._objectives))
        for times in (2**k for k in range(longest.bit_length())):
            over = begin + times * windows
            rows = (run.go_on(over), *(tally.latencies(over) for tally in run.tallies))
            if not least or _is_plain([row.since(begin) for row in rows], shares):
                break
        every = [_share(row.since(begin)) for row in rows]
        return every[0] if not least or all(own >= it for own, it in zip(every, shares, strict=True)) else None

    def judged(self, plan: Plan, attempt: int, ends_at: float | None) -> PlanJudgement:
        """The attainment on requests of their own, with one attempt's part of the error that is allowed.

        The simulation is doubled until it has seen enough and its bounds reach the demanded shares, or until that is
        hopeless. Each look at the bounds has its part of the error.

        Args:
            plan: a plan of the session.
            attempt: how many were judged before, less than `ATTEMPTS`.
            ends_at: time of the monotonic clock at which it ends; None disables it.
        """
        objectives = 1 + len(self._objectives)
        seed, window_s = seed_of(self._seed, 1 + attempt), self._window_s(self._judged)
        windows = self._judged[0]
        times = MOST_REQUESTS / (self._rate * window_s * windows)
        doublings = 0 if self._brief else max(0, min(DOUBLINGS, int(math.log2(max(1.0, times)))))
        run = self._run(plan, self._judged, seed, 2**doublings, self._held() + listed(self._session))
        held, others = run.tallies[: len(self._objectives)], run.tallies[len(self._objectives) :]
        nothing_is_random = self._demand.setup.arrivals is Arrivals.UNIFORM and not self._demand.setup.noise
        bounded = goes_on if nothing_is_random else estimate
        for look in range(doublings + 1):
            simulated = run.go_on(2**look * (windows + windows // PARTS), ends_at)
            over = len(simulated.arrived)
            begin = over // (PARTS + 1)
            rows = (simulated, *(tally.latencies(over) for tally in held))
            confidence = part_of_error(attempt, objectives, look, doublings + 1)
            every = [bounded(row.since(begin), confidence) for row in rows]
            decided = nothing_is_random and all(found.lower for found in every)
            decided = decided or self._is_decided(every, 2 ** (doublings - look))
            cut = not decided and ends_at is not None and time.monotonic() >= ends_at
            if decided or cut:
                break
        modules = tuple((own, found) for (_, own), found in zip(self._objectives, every[1:], strict=True))
        stated = percentiles_s(self._session, others, begin, self._demand.target)
        return PlanJudgement(every[0], over * window_s, seed, modules, stated, cut)

    def _held(self) -> tuple[Watched, ...]:
        """The modules that have objectives."""
        return tuple(Watched(m, own.seconds) for m, own in self._objectives)

    def _is_decided(self, every: Sequence[Estimate], times: int) -> bool:
        """Whether the demand is shown to be kept, or a simulation `times` as long is not likely to show it.

        Giving up makes no statement, so that it needs no part of the allowed error.
        """
        shares = (self._demand.target, *(own.share for _, own in self._objectives))
        pairs = list(zip(every, shares, strict=True))
        if any(_stays_below(found, share, times) for found, share in pairs):
            return True
        return all(_is_shown(found, share) for found, share in pairs)

    def _run(
        self, plan: Plan, size: tuple[int, int, int, int], seed: int, times: int, watched: Sequence[Watched]
    ) -> Run:
        windows = times * (size[0] + size[0] // PARTS)
        system, window_s = build_system(self._session, plan, self._space, self._demand.setup), self._window_s(size)
        setup, key = replace(self._demand.setup, seed=seed), (seed, window_s, windows)
        if key not in self._coming:
            # Requests depend on the session's rates alone, which all plans share.
            self._coming = {key: coming(system, setup, window_s, windows)}
        return Run(system, setup, window_s, windows, self._coming[key], watched)

    def _window_s(self, size: tuple[int, int, int, int]) -> float:
        """Length of a window, at first."""
        windows, least, per_miss, most = size
        setup: Setup = self._demand.setup
        requests = max(least, min(most, round(per_miss / self._least_missed)))
        seconds = max(requests / self._rate, LEAST_SLOS * self._slo_s)
        if setup.arrivals is Arrivals.ON_OFF:
            seconds = max(seconds, LEAST_BURSTS * (setup.on_s + setup.off_s))
        cycle = len(setup.trace_s) - 1
        if setup.arrivals is Arrivals.TRACE and (size is self._judged or cycle <= MOST_CYCLE):
            # Whole cycles, so that all parts of the trace have equal weight.
            seconds = math.ceil(seconds * self._rate / cycle) * cycle / self._rate
        return seconds / windows


def _share(found: Latencies) -> float:
    """The share of requests in time; 1 if there are none."""
    arrived = int(found.arrived.sum())
    return 1 - int(found.late.sum()) / arrived if arrived else 1.0


def _is_plain(rows: Sequence[Latencies], shares: Sequence[float]) -> bool:
    """Whether one is likely to be below its share, or all are likely to reach theirs."""
    every = [(estimate(row, LIKELY), share) for row, share in zip(rows, shares, strict=True)]
    return any(found.upper < share for found, share in every) or all(found.lower >= share for found, share in every)


def _is_shown(found: Estimate, share: float) -> bool:
    """Whether a bound reaches a share, and rests on enough clusters, or would reach it with many more."""
    enough = found.clusters >= ENOUGH_CLUSTERS or (1 - found.lower) * AMPLE <= 1 - share
    return found.lower >= share and found.blocks >= ENOUGH_BLOCKS and enough


def _stays_below(found: Estimate, share: float, times: int) -> bool:
    """Whether a simulation `times` as long would not show a share, even if the true one is as high as is likely.

    Without a bound it goes on as long as the measured share is high enough, or it has just begun.
    """
    if found.blocks < FEWEST_BLOCKS:
        return times > 1 and found.share < share
    uncertain: float = (found.share - found.lower) / times**SHRINKS
    return found.upper - uncertain < share


def listed(session: Session) -> tuple[Watched, ...]:
    """The modules whose percentiles are stated: all, or none where there are too many."""
    modules = len(session.modules)
    return tuple(map(Watched, range(modules))) if modules <= MOST_WATCHED else ()


def percentiles_s(session: Session, tallies: Sequence[Tally], begin: int, share: float) -> dict[str, float]:
    """By module, the seconds that a share of the requests through it does not exceed.

    The first `begin` windows are left out; `tallies` are those of the modules that are `listed`.
    """
    names = [(session.modules[tally.watched.module].name, tally.quantile_s(begin, share)) for tally in tallies]
    return {name: seconds for name, seconds in names if seconds is not None}


def seed_of(seed: int, stream: int) -> int:
    """A seed that is independent of those of other streams, short enough to be typed."""
    return int(np.random.SeedSequence((seed, stream)).generate_state(1, np.uint32)[0])
