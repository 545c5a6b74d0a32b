"""A day whose every step keeps an attainment under random arrivals: stricter days, one checked result (ours).

A rule or a solver plans the day with higher rates and a tighter objective; its machines serve the day itself with spare
capacity. The attainment of a step is that of its machines under its load in the long run (`euclio.serving.attainment`).
This assumes that steps are long against latencies, and ignores the effect of a change of machines on requests under
way. The search first finds the margins of a few steps, by their load.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction

import numpy as np

from euclio.core.progress import told
from euclio.core.result import Answer, AnyResult
from euclio.core.solving import PreparedRun, check
from euclio.core.words import percent
from euclio.problems.day.evaluate import WHOLE, session_plan
from euclio.problems.day.instance import Day, Step, asked, at_rates
from euclio.problems.day.plan import DayPlan, StepPlan
from euclio.problems.day.sharing import SHARED
from euclio.problems.session import Plan, Session
from euclio.serving.attainment.demand import Demand
from euclio.serving.attainment.margins import spare_space
from euclio.serving.attainment.trials import ATTEMPTS, PlanJudgement, Trials

SHARES = (Fraction(9, 10), Fraction(3, 4), Fraction(3, 5), Fraction(9, 20))
"""Shares of the objective that are planned with."""
FEW = 6
"""Steps on which margins are tried first, evenly many between the lowest load and the highest."""
ROUNDS = 6
EACH = 5
"""Most judgements of the whole day for the cheapest share; the next share has the rest of `ATTEMPTS`."""
FIRST = 0.8
"""Share of the misses that the search allows; a judgement, whose numbers are uncertain, must pass the plan too."""
SPACE = spare_space(WHOLE)

Rates = tuple[Fraction, ...]
Margins = dict[Rates, float]
"""Share by which the rates of a step are higher, by its rates."""


@told("looking for a day that keeps the attainment")
def attaining_day(demand: Demand, ready: PreparedRun) -> AnyResult:
    """The cheapest day found whose every step keeps an attainment, checked as a plan of the day itself.

    If the run without margins has no plan, or no request comes all day, the function returns its result unchanged.
    """
    began = time.monotonic()
    limit_s = ready.limits.time_limit_s
    search = _DaySearch(ready, demand, None if limit_s is None else began + limit_s)
    first = search.solved(ready.instance)
    if first.plan is None or first.value is None or not any(map(_load, ready.instance.steps)):
        return first
    found = search.run()
    answer = _answer(found, demand, first.value, ready.instance)
    result = check(ready.instance, ready.solver.name, ready.space, ready.limits, answer, time.monotonic() - began)
    return replace(result, options={**ready.options, "attainment": demand.describe(WHOLE.policy)})


@dataclass(frozen=True, slots=True)
class _DayFound:
    """The outcome of a search."""

    plan: DayPlan | None  # the plan; None if none was found
    share: Fraction  # share of the objective that was planned with
    margins: Margins  # the margins of the steps
    judged: dict[int, PlanJudgement]  # judgement of each step by its place; of the last plan if none was found


@dataclass(slots=True)
class _DaySearch:
    """Days that were tried."""

    ready: PreparedRun
    demand: Demand
    ends_at: float | None
    trials: dict[Rates, Trials] = field(default_factory=dict)
    shares: dict[tuple[Rates, StepPlan], float | None] = field(default_factory=dict)
    judgements: dict[tuple[Rates, StepPlan], PlanJudgement] = field(default_factory=dict)

    def solved(self, day: Day) -> AnyResult:
        """The solver's result on a day, in the time that is left."""
        left_s = None if self.ends_at is None else max(1e-3, (self.ends_at - time.monotonic()) / 2)
        run = replace(self.ready, instance=day, limits=replace(self.ready.limits, time_limit_s=left_s))
        return run.check(*run.answer())

    def run(self) -> _DayFound:
        """The share and the margins that are the cheapest for some steps, then the day."""
        day: Day = self.ready.instance
        tried = [tuned for share in SHARES if (tuned := self._tuned(share)) is not None]
        if not tried:
            return _DayFound(None, SHARES[0], {}, {})
        tried.sort(key=lambda one: one[0])
        found = _DayFound(None, tried[0][1], {}, {})
        for begin, (_, share, few) in zip(range(0, ATTEMPTS, EACH), tried, strict=False):
            attempts = range(begin, min(begin + EACH, ATTEMPTS))
            found = self._whole_day(share, _between(day, few), attempts)
            if found.plan is not None or self._is_over():
                break
        return found

    def _whole_day(self, share: Fraction, margins: Margins, attempts: range) -> _DayFound:
        """The day planned for a share of the objective, with more margin in the steps that fail."""
        day: Day = self.ready.instance
        judged: dict[int, PlanJudgement] = {}
        for attempt in attempts:
            plan = self._planned(day, share, margins)
            if plan is None:
                break
            judged = {k: self._judged(step, own, attempt) for k, step, own in _pairs(day, plan)}
            failed = {day.steps[k].rates_rps for k, own in judged.items() if not own.keeps(self.demand)}
            if not failed:
                return _DayFound(plan, share, margins, judged)
            margins |= {rates: _more(margins[rates]) for rates in failed}
            if self._is_over():
                break
        return _DayFound(None, share, margins, judged)

    def _tuned(self, share: Fraction) -> tuple[Fraction, Fraction, Margins] | None:
        """Cost and margins with which a few steps pass, planned for a share of the objective; None if they do not."""
        day = _few(self.ready.instance)
        margins: Margins = {step.rates_rps: 0.1 for step in day.steps}
        for _ in range(ROUNDS):
            plan = self._planned(day, share, margins)
            if plan is None or self._is_over():
                return None
            failed = {step.rates_rps for _, step, own in _pairs(day, plan) if not self._passes(step, own)}
            if not failed:
                value = sum((self._cost(step, own) for _, step, own in _pairs(day, plan)), Fraction(0))
                return value, share, margins
            margins |= {rates: _more(margins[rates]) for rates in failed}
        return None

    def _planned(self, day: Day, share: Fraction, margins: Mapping[Rates, float]) -> DayPlan | None:
        """The solver's plan with these margins; None if it has none."""
        result = self.solved(_stricter(day, share, margins))
        return result.plan if result.value is not None else None

    def _cost(self, step: Step, own: StepPlan) -> Fraction:
        price = self.ready.instance.session.price
        serving = (price[one.hardware] * one.machines for staffing in own.modules for one in staffing.serving)
        return sum(serving, Fraction(0)) + sum((price[machine.hardware] for machine in own.shared), Fraction(0))

    def _passes(self, step: Step, own: StepPlan) -> bool:
        key = step.rates_rps, own
        if key not in self.shares:
            least = 1 - FIRST * (1 - self.demand.target)
            self.shares[key] = self._trials(step).searched(self._plan(step, own), least)
        return self.shares[key] is not None

    def _judged(self, step: Step, own: StepPlan, attempt: int) -> PlanJudgement:
        """Judge a step on requests that no search has seen; a judgement that kept the target is not repeated."""
        key = step.rates_rps, own
        if key not in self.judgements or not self.judgements[key].keeps(self.demand):
            self.judgements[key] = self._trials(step).judged(self._plan(step, own), attempt, self.ends_at)
        return self.judgements[key]

    def _trials(self, step: Step) -> Trials:
        if step.rates_rps not in self.trials:
            session, space = self._session(step), SHARED if self.ready.space.charging.packs else SPACE
            self.trials[step.rates_rps] = Trials(session, space, self.demand, self.ready.limits.seed, brief=True)
        return self.trials[step.rates_rps]

    def _session(self, step: Step) -> Session:
        """The session of a step in which requests come, of the modules to which they come."""
        found = at_rates(self.ready.instance.session, step.rates_rps)
        assert found is not None
        return found

    def _plan(self, step: Step, own: StepPlan) -> Plan:
        return session_plan(self._session(step), tuple(own.modules[m] for m in asked(step.rates_rps)), own.shared)

    def _is_over(self) -> bool:
        return self.ends_at is not None and time.monotonic() >= self.ends_at


def _pairs(day: Day, plan: DayPlan) -> list[tuple[int, Step, StepPlan]]:
    """The steps in which requests come, by their places, with their plans."""
    steps = enumerate(zip(day.steps, plan.steps, strict=True))
    return [(k, step, own) for k, (step, own) in steps if _load(step)]


def _more(margin: float) -> float:
    """The next larger margin to be tried."""
    return 1.4 * margin + 0.02


def _stricter(day: Day, share: Fraction, margins: Mapping[Rates, float]) -> Day:
    """The day with higher rates and a tighter objective."""
    steps = []
    for step in day.steps:
        more = 1 + Fraction(f"{margins[step.rates_rps]:.3f}")
        steps.append(Step(step.length_s, [rate * more for rate in step.rates_rps]))
    session = replace(day.session, slo_s=day.session.slo_s * share)
    return replace(day, session=session, steps=tuple(steps))


def _few(day: Day) -> Day:
    """A few steps of the day, by their load."""
    order = sorted({step.rates_rps: step for step in day.steps if _load(step)}.values(), key=_load)
    places = sorted({round(k * (len(order) - 1) / (FEW - 1)) for k in range(FEW)})
    return replace(day, steps=tuple(order[place] for place in places))


def _load(step: Step) -> Fraction:
    return sum(step.rates_rps, Fraction(0))


def _between(day: Day, few: Margins) -> Margins:
    """The margins of all steps, between those of the few by their load."""
    known = sorted((float(sum(rates)), margin) for rates, margin in few.items())
    loads, margins = zip(*known, strict=True)
    return {step.rates_rps: float(np.interp(float(_load(step)), loads, margins)) for step in day.steps}


def _answer(found: _DayFound, demand: Demand, without: Fraction, day: Day) -> Answer[DayPlan]:
    stats = {"cost_without_margins": float(without)}
    if found.judged:
        requests = {k: float(_load(day.steps[k]) * day.steps[k].length_s) for k in found.judged}
        kept = sum(own.estimate.share * requests[k] for k, own in found.judged.items())
        stats |= {
            "attainment": kept / sum(requests.values()),
            "attainment_at_least": min(own.estimate.lower for own in found.judged.values()),
            "validated_requests": float(sum(own.estimate.requests for own in found.judged.values())),
        }
    if found.plan is None:
        best = f"; the best answers {percent(stats['attainment'])} of the day in time" if found.judged else ""
        kept_in_words = f"{demand.shares_in_words()} in each step"
        reason = f"no margins that were tried keep {kept_in_words}{best}"
        return Answer(None, "no margin", reason=reason, stats=stats)
    stats |= {"rate_margin": max(found.margins.values()), "slo_share": float(found.share)}
    return Answer(found.plan, "margins", reason="", stats=stats)
