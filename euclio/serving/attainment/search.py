"""The cheapest plan found that keeps an attainment: margins on rate and SLO, tried in simulations (ours).

A planner knows evenly spaced requests only. It is given the session with higher rates and a tighter SLO; its plan is
served at the true rates, under the arrivals that are asked for. More of either margin usually costs more and keeps
more. For each share of the SLO the search brackets the least margin on all rates, then bisects it, as long as that is
cheaper than the incumbent. Then it bisects the margin of one module after the other. All plans serve the same requests,
so that differences between them are not chance.

The cheapest plan that passes then serves requests that the search has not seen, as many as are needed (`trials`). If
its lower confidence bound is at the target, it is the answer; else the search goes on with a higher level. Each of
`ATTEMPTS` such judgements has its part of the allowed error, so that the statement holds for any number of them.
`lower_bound` bounds how much cheaper another plan could be.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from fractions import Fraction

from euclio.problems.session.evaluate import Evaluation, evaluate
from euclio.problems.session.instance import Session
from euclio.problems.session.plan import Plan
from euclio.problems.session.space import PlanSpace
from euclio.serving.attainment import downhill
from euclio.serving.attainment.demand import Demand
from euclio.serving.attainment.downhill import Downhill
from euclio.serving.attainment.margins import Margins, alike, least_share, spare_space, stricter, with_spare
from euclio.serving.attainment.trials import ATTEMPTS, PlanJudgement, Trials

COARSE, FINE = Fraction(1, 50), Fraction(1, 200)
"""Steps of the margin on the rate."""
MOST_RATE = Fraction(9)
"""Largest margin on the rate."""
PACKED_RATES = (Fraction(1), Fraction(3), MOST_RATE)
"""Margins on all rates that are tried first where modules share machines."""
SLO_STEP = Fraction(1, 10)
LEAST_SLO = Fraction(3, 10)
"""Steps between shares below this are half as long; below half of this, half as long again, and so on."""
REFINED = (Fraction(1, 20), Fraction(1, 40))
"""Steps in which the share of the SLO is refined around the best one."""
MOST_MODULES = 8
"""Modules whose own margins are bisected."""

SEARCH_SHARE, JUDGING_SHARE = 0.6, 0.9
"""Shares of a time limit after which the search and the judging come to an end; fewer requests say less."""
FIRST = 0.95
"""Share of the misses that the search allows at first; a judgement, whose numbers are uncertain, must pass it too."""
STRICTER, STRICTEST = 0.93, 0.6
"""Limits of the factor on these misses after a plan has failed on fresh requests; the factor says by how much."""

Bound = Callable[[Fraction], Fraction]
"""No plan of the plan space that keeps the demand costs less per hour; more than the argument need not be shown."""
Planner = Callable[[Session], tuple[Plan, Evaluation] | None]
"""Makes a plan of a session, with its evaluation by the checker; None if there is none."""


@dataclass(frozen=True, slots=True)
class Tried:
    """A plan that was tried.

    Attributes:
        margins: its margins.
        plan: as a plan of the session itself.
        cost_per_h: its cost there.
        costs: each module's part of this cost.
        simulated: whether it was simulated; plans that cost more than the incumbent are not.
        share: its attainment in the search; None if it was not simulated, or missed the level of that time.
        steps: how many steps downhill it is from the plan that was made with these margins.
    """

    margins: Margins
    plan: Plan
    cost_per_h: Fraction
    costs: tuple[Fraction, ...]
    simulated: bool = False
    share: float | None = None
    steps: int = 0


@dataclass(frozen=True, slots=True)
class Found:
    """The outcome of a search.

    Attributes:
        best: the answer; None if no plan passed.
        judged: its attainment on fresh requests, or that of the last plan that failed; None if there was none.
        tried: all plans in the order in which they were tried, the one without margins first if there is one.
        complete: whether the search was not ended by its limit.
        most: the largest attainment seen if no plan passed; None if one did, nothing was simulated, or the limit ended
            the search.
    """

    best: Tried | None
    judged: PlanJudgement | None
    tried: tuple[Tried, ...]
    complete: bool
    most: float | None = None


def cheapest(
    session: Session,
    planner: Planner,
    space: PlanSpace,
    demand: Demand,
    *,
    seed: int = 0,
    time_limit_s: float | None = None,
    bound: Bound | None = None,
) -> Found:
    """Search margins for the cheapest plan that keeps the demand.

    Args:
        session: the instance.
        planner: makes plans of it and of stricter ones.
        space: plan space of these plans.
        demand: target, arrivals and dispatch.
        seed: seed of all requests; the same gives the same, where no limit is hit.
        time_limit_s: limit of search and judging together.
        bound: lower bound on the cost of plans that keep the demand; its proof need not go beyond its argument. None
            means no bound.
    """
    began = time.monotonic()
    ends_at, judged_at = (
        None if time_limit_s is None else began + share * time_limit_s for share in (SEARCH_SHARE, JUDGING_SHARE)
    )
    priced = spare_space(space)
    trials = Trials(session, priced, demand, seed)
    search = _MarginSearch(session, planner, priced, trials, ends_at, 1 - FIRST * (1 - demand.target), bound)
    judged = None
    for attempt in range(ATTEMPTS):
        best = search.run()
        if best is None:
            break
        judged = trials.judged(best.plan, attempt, judged_at)
        if judged.keeps(demand):
            return Found(best, judged, search.plans(), not search.is_over())
        if judged.cut:
            break
        search.ask_more(best, judged, demand)
    over = search.is_over()
    return Found(None, judged, search.plans(), not over, None if over else _most(trials, search.plans()))


def _most(trials: Trials, plans: tuple[Tried, ...]) -> float | None:
    """The largest attainment of the most expensive plans for each share of the SLO."""
    by_share = {tried.margins.slo: tried.plan for tried in sorted(plans, key=lambda one: one.cost_per_h)}
    return max((trials.searched(plan, 0.0) or 0.0 for plan in by_share.values()), default=None)


@dataclass(slots=True)
class _MarginSearch:
    """Plans that were tried, by their margins; None if the planner has none."""

    session: Session
    planner: Planner
    space: PlanSpace
    trials: Trials
    ends_at: float | None
    level: float
    """Attainment on the requests of the search with which a plan passes."""
    bound: Bound | None = None
    tried: dict[Margins, Tried | None] = field(default_factory=dict)
    best: Tried | None = None
    shares: dict[Plan, float | None] = field(default_factory=dict)
    """Attainments of plans in the search; None if they do not pass, so that they fail at higher levels too."""

    def plans(self) -> tuple[Tried, ...]:
        """All that were tried, in that order."""
        return tuple(found for found in self.tried.values() if found is not None)

    def ask_more(self, failed: Tried, judged: PlanJudgement, demand: Demand) -> None:
        """Let plans pass only with fewer misses than before, after one has failed on fresh requests.

        The judgement says more about a failed plan than the search, in which no request may have been late.
        """
        allowed = (1 - demand.target) / max(1e-12, 1 - judged.share(demand)) if judged.lower(demand) else 0.0
        self.level = 1 - (1 - self.level) * min(STRICTER, max(STRICTEST, allowed))
        self.shares[failed.plan] = None
        self.best = None

    def is_over(self) -> bool:
        """Whether the time is up."""
        return self.ends_at is not None and time.monotonic() >= self.ends_at

    def run(self) -> Tried | None:
        """The cheapest plan that passes: shares of the SLO from all of it on, then more finely around the best."""
        self._enough(alike(self.session))
        # At low rates batches fill too slowly for a shared machine, so that more margin may cost less.
        for rate in PACKED_RATES if self.space.charging.packs else ():
            self._enough(alike(self.session, rate))
        share, last, step = Fraction(1), LEAST_SLO, SLO_STEP
        least = least_share(self.session)
        # Below, the same shares of half of the SLO, and so on: a plan for a tighter objective keeps this one too.
        while share > least and not self.is_over():
            self._least_rate(share, COARSE)
            if share == last:
                last, step = last / 2, step / 2
            share -= step
        for step in REFINED:
            if self.best is not None and not self.is_over():
                centre = self.best.margins.slo
                for share in (centre + step, centre - step):
                    if LEAST_SLO <= share <= 1:
                        self._least_rate(share, COARSE)
        if self.best is not None:
            self._least_rate(self.best.margins.slo, FINE)
            self._least_of_modules()
            self._downhill()
        elif self.is_over():
            self.best = self._known()
        return self.best

    def _known(self) -> Tried | None:
        """The cheapest of all plans that were simulated and pass, where there is no time to try others."""
        shares = ((tried, self.shares.get(tried.plan)) for tried in self.plans())
        passed = [replace(tried, share=share) for tried, share in shares if share is not None and share >= self.level]
        return min(passed, key=lambda tried: tried.cost_per_h, default=None)

    def _downhill(self) -> None:
        """Exchange machines of the best plan, as long as a cheaper one passes."""
        best = self.best
        assert best is not None
        if not downhill.covers(best.plan, self.space):
            return
        bound = Fraction(0) if self.bound is None else self.bound(best.cost_per_h)

        found = Downhill(self.session, self.space, self.share, self.is_over).lowest(best.plan, best.cost_per_h, bound)
        if found is not None:
            checked = found.evaluation
            assert checked.cost_per_h is not None
            costs = tuple(module.cost_per_h for module in checked.modules)
            self.best = Tried(best.margins, found.plan, checked.cost_per_h, costs, True, found.share, found.steps)

    def _least_rate(self, share: Fraction, step: Fraction) -> None:
        """Bracket and bisect the least margin on all rates that passes, or costs as much as the best plan."""

        def enough(steps: int) -> bool:
            return self._enough(alike(self.session, steps * step, share))

        low, high, most = -1, 0, int(MOST_RATE / step)
        while not enough(high):
            if high == most or self.is_over():
                return
            low, high = high, min(max(1, 2 * high), most)
        self._bisect(low, high, enough)

    def _least_of_modules(self) -> None:
        """Bisect the margin on the rate of each module, the most expensive ones first, down from the best plan's."""
        assert self.best is not None
        for m in sorted(range(len(self.session.modules)), key=self.best.costs.__getitem__, reverse=True)[:MOST_MODULES]:
            margins = self.best.margins

            def enough(steps: int, m: int = m, margins: Margins = margins) -> bool:
                return self._enough(margins.at(m, steps * FINE))

            self._bisect(-1, int(margins.rates[m] / FINE), enough)

    def _bisect(self, low: int, high: int, enough: Callable[[int], bool]) -> None:
        """Try margins between one that is not enough and one that is."""
        while high - low > 1 and not self.is_over():
            middle = (low + high) // 2
            low, high = (low, middle) if enough(middle) else (middle, high)

    def _enough(self, margins: Margins) -> bool:
        """Whether the search should try less margin: this plan passes, or costs as much as the best one."""
        if margins not in self.tried:
            self.tried[margins] = self._made(margins)
        found = self.tried[margins]
        if found is None:
            return False
        if self.best is not None and found.cost_per_h >= self.best.cost_per_h:
            return True
        found = replace(found, simulated=True, share=self.share(found.plan))
        self.tried[margins] = found
        if found.share is None:
            return False
        self.best = found
        return True

    def share(self, plan: Plan) -> float | None:
        """Attainment of a plan in the search; None if it does not pass."""
        if plan not in self.shares:
            self.shares[plan] = self.trials.searched(plan, self.level)
        share = self.shares[plan]
        return None if share is None or share < self.level else share

    def _made(self, margins: Margins) -> Tried | None:
        """The planner's plan with these margins, as a plan of the session itself."""
        made = self.planner(stricter(self.session, margins))
        if made is None:
            return None
        plan = with_spare(self.session, *made, margins)
        checked = evaluate(self.session, plan, self.space)
        assert checked.feasible, f"margins make a plan that the checker refuses: {checked.violations}"
        assert checked.cost_per_h is not None
        return Tried(margins, plan, checked.cost_per_h, tuple(module.cost_per_h for module in checked.modules))
