"""A run of a solver that is asked for an attainment: many runs on stricter instances, one checked result."""

from __future__ import annotations

import math
import time
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Any

from euclio.core.progress import told
from euclio.core.result import Answer, AnyResult
from euclio.core.solver import AnySolver
from euclio.core.solving import PreparedRun, asked, check
from euclio.core.words import full, percent
from euclio.problems.session.evaluate import Evaluation
from euclio.problems.session.instance import Session
from euclio.problems.session.plan import Plan
from euclio.problems.session.services import is_plain
from euclio.problems.session.space import PlanSpace
from euclio.serving.attainment.demand import Demand, check_names
from euclio.serving.attainment.front import Front, serves_all_objectives
from euclio.serving.attainment.lower_bound import BOUND_OF, ROUNDED, Bound, bound_on
from euclio.serving.attainment.margins import spare_space
from euclio.serving.attainment.search import Found, cheapest
from euclio.serving.attainment.trials import PlanJudgement
from euclio.serving.session.service import service
from euclio.serving.session.setup import Setup
from euclio.serving.session.targets import can_share, own_dispatch

NO_BOUND = Bound((), None, False)


@told("looking for a plan that keeps the attainment")
def solve_attaining(
    session: Session,
    solver: str | AnySolver | None = None,
    target: float = 0.99,
    setup: Setup | None = None,
    **options: Any,
) -> AnyResult:
    """As `euclio.solve`, for a plan that keeps an attainment.

    Args:
        session: the instance.
        solver: name of a solver, or a `Solver`; None means the default one.
        target: share of requests that must be answered within the SLO.
        setup: arrivals and dispatch; by default Poisson arrivals and what the plan's policy stands for.
        **options: as of `euclio.solve`.

    Returns:
        The checked result, with a bound on the cost of every plan of the plan space that keeps the attainment
        (`attaining`).

    Raises:
        InputError: as `euclio.solve`, and where the demand has no meaning (`Demand`).
    """
    ready = asked(session, solver, **options)
    ready.warm_up()
    return attaining(Demand(target, setup or Setup()), ready)


def attaining(demand: Demand, ready: PreparedRun, fronts: Fronts | None = None) -> AnyResult:
    """The cheapest plan found that keeps an attainment, checked as a plan of the instance itself.

    Its plan space allows dummies at any rate: they stand for spare capacity. Its plans keep the SLO under even
    arrivals. The bound is proven for every one of them that keeps the attainment (`lower_bound`). It holds under every
    scheduler. Where machines pull from one queue and nothing is dropped, it holds for service in the order in which
    requests come. Margins prove nothing. If the solver has no plan of the instance itself, the function returns its
    result unchanged.

    Args:
        demand: target, arrivals and dispatch.
        ready: the run without margins.
        fronts: knowledge from sessions that differ in rates and objective. It makes this run quick, and leaves the
            result without a bound. None means a longer search of this session alone.
    """
    began = time.monotonic()
    check_names(demand.modules, ready.instance)
    limit_s = ready.limits.time_limit_s
    shares = can_share(demand.setup.dispatch or own_dispatch(ready.space.policy))
    runs = _Runs(ready, None if limit_s is None else began + limit_s, shares)
    first = runs.result(ready.instance)
    if first.plan is None or first.value is None:
        stated = demand.describe(ready.space.policy) | {"bound_of": BOUND_OF}
        return replace(first, options={**first.options, "attainment": stated})
    left_s = _left(limit_s, began)
    front = None if fronts is None else fronts.front_of(ready, first.plan, demand)
    bounds = _Bounds(ready, demand, None if limit_s is None else began + limit_s)
    if front is None:
        seed, bounded = ready.limits.seed, bounds.at_least
        found = cheapest(ready.instance, runs.plan, ready.space, demand, seed=seed, time_limit_s=left_s, bound=bounded)
    else:
        front.planner = runs.plan
        found = front.cheapest(ready.instance, None if left_s is None else time.monotonic() + left_s)
    space = spare_space(ready.space)
    known = math.inf if found.best is None else float(found.best.cost_per_h)
    # The bound may take seconds: worthwhile for one answer, too long for each of hundreds.
    bound = bounds.bound(known) if front is None else NO_BOUND
    answer = _answer(found, bound, demand, first.value, demand.shares_in_words(ready.instance))
    result = check(ready.instance, ready.solver.name, space, ready.limits, answer, time.monotonic() - began)
    asked_for = demand.describe(ready.space.policy)
    if found.judged is not None:
        asked_for |= _as_judged(found.judged)
    if found.best is not None:
        rates = zip(ready.instance.modules, found.best.margins.rates, strict=True)
        asked_for["rate_margins"] = {module.name: float(rate) for module, rate in rates}
    if bound.rates_rps:
        needed = zip(ready.instance.modules, bound.rates_rps, strict=True)
        asked_for["bound_of"] = BOUND_OF
        asked_for["least_rates_rps"] = {module.name: float(rate) for module, rate in needed}
    options = {**ready.options, **space.describe(), "attainment": asked_for}
    planned_for = {"attainment": demand.target, **demand.describe_modules(), **service(demand.setup, space)}
    return replace(result, options=options, planned_for=planned_for)


def _as_judged(judged: PlanJudgement) -> dict[str, Any]:
    """Fields of a result on the simulation that judged a plan, and on single modules in it."""
    stated: dict[str, Any] = {"seconds": judged.seconds, "seed": judged.seed}
    if judged.percentiles_s:
        stated["module_latency_s"] = dict(judged.percentiles_s)
    if judged.modules:
        stated["modules"] = [
            {**own.describe(), "kept": found.share, "kept_at_least": found.lower} for own, found in judged.modules
        ]
    return stated


def briefly(demand: Demand, ready: PreparedRun) -> AnyResult:
    """As `attaining`, by a shorter search whose plan is judged by shorter simulations; the statement is as sure."""
    return attaining(demand, ready, Fronts(demand, ready.limits.seed))


class Fronts:
    """Solves, as `euclio.core.solving.solve`, sessions for one demand that differ in rates, objective or plan space.

    Simulations for one session serve the next ones (`euclio.serving.attainment.front`).
    """

    def __init__(self, demand: Demand, seed: int = 0) -> None:
        """Nothing is known yet."""
        self.demand, self._seed = demand, seed
        self._known: dict[Any, Front | None] = {}

    def __call__(self, instance: Any, solver: str | AnySolver | None = None, **options: Any) -> AnyResult:
        """The cheapest plan found that keeps the demand, as `attaining` has it."""
        ready = asked(instance, solver, **options)
        ready.warm_up()
        return attaining(self.demand, ready, self)

    def front_of(self, ready: PreparedRun, plan: Plan, demand: Demand) -> Front | None:
        """The front of a run's session; None if the session must be searched by itself."""
        if demand.modules or not is_plain(ready.instance) or ready.space.charging.packs:
            # Simulations that serve every SLO do not cover modules' own objectives. They also serve one module after
            # the other, which shared machines do not.
            return None
        session, space = ready.instance, spare_space(ready.space)
        base = replace(session, slo_s=Fraction(1))
        key = base, tuple(base.resources.items()), ready.solver.name, space
        known = self._known.get(key)
        if known is None or session.slo_s > known.session.slo_s:
            if not serves_all_objectives(session, plan, space, demand.setup):
                return None
            like = next((own for own in self._known.values() if own is not None and _alike(own, session, space)), None)
            known = self._known[key] = Front(session, _no_plan, space, demand, self._seed)
            if like is not None:
                known.begin_as(like)
        return known


def _alike(front: Front, session: Session, space: PlanSpace) -> bool:
    """Whether margins of a front are likely for another session: of the same modules, charged in the same way."""
    return front.space == space and [m.name for m in front.session.modules] == [m.name for m in session.modules]


def _no_plan(session: Session) -> None:
    """The planner of a front before its first use."""


def _left(limit_s: float | None, began: float) -> float | None:
    """Remaining seconds of a limit."""
    return None if limit_s is None else max(0.0, limit_s - (time.monotonic() - began))


@dataclass(slots=True)
class _Bounds:
    """The bound on the cost of an attainment, computed on demand, and again only for a higher cost."""

    ready: PreparedRun
    demand: Demand
    ends_at: float | None
    known: Bound | None = None
    enough: float = 0.0

    def bound(self, enough: float) -> Bound:
        """The bound; its proof need not go beyond this cost."""
        known = self.known
        if known is None or (enough > self.enough and (known.cost_per_h or 0.0) >= self.enough * (1 - ROUNDED)):
            left = None if self.ends_at is None else max(0.0, self.ends_at - time.monotonic())
            self.known, self.enough = bound_on(self.ready, self.demand, left, enough), enough
        assert self.known is not None
        return self.known

    def at_least(self, cost_per_h: Fraction) -> Fraction:
        """A lower bound on the cost of such plans; its proof need not go beyond this cost."""
        return Fraction(self.bound(float(cost_per_h)).cost_per_h or 0)


@dataclass(slots=True)
class _Runs:
    """Runs of one solver on stricter and stricter instances; the first is kept for the search."""

    ready: PreparedRun
    ends_at: float | None
    shares: bool
    """Whether the dispatcher lets modules share machines. Otherwise each module of such a plan has one of its own."""
    known: dict[tuple[Fraction, tuple[Fraction, ...]], AnyResult] = field(default_factory=dict)

    def result(self, session: Session) -> AnyResult:
        """The solver's result on a session."""
        key = session.slo_s, tuple(module.rate_rps for module in session.modules)
        if key not in self.known:
            left = None if self.ends_at is None else max(1e-3, self.ends_at - time.monotonic())
            run = replace(self.ready, instance=session, limits=replace(self.ready.limits, time_limit_s=left))
            self.known[key] = run.check(*run.answer())
        return self.known[key]

    def plan(self, session: Session) -> tuple[Plan, Evaluation] | None:
        """The plan of that result, if the checker accepts it."""
        found = self.result(session)
        if found.value is None or found.plan is None or found.evaluation is None:
            return None
        return found.plan if self.shares else replace(found.plan, shared=()), found.evaluation


def _answer(found: Found, bound: Bound, demand: Demand, without: Fraction, kept: str) -> Answer[Plan]:
    stats = {"plans_tried": float(len(found.tried)), "cost_without_margins": float(without)}
    if found.judged is not None:
        judged = found.judged.estimate
        stats |= {
            "attainment": judged.share,
            "attainment_at_least": judged.lower,
            "validated_requests": float(judged.requests),
        }
    if found.best is None and bound.infeasible:
        served = "served in the order in which they come" if bound.in_order else "whoever schedules"
        reason = (
            f"none of the {BOUND_OF} keeps {full(100 * demand.target)} % within it under these arrivals, {served}; "
            "lower the attainment, or allow a longer SLO"
        )
        return Answer(None, "no capacity", infeasible=True, reason=reason, stats=stats)
    if found.best is None:
        return Answer(None, "no margin", bound=bound.cost_per_h, reason=_without(found, demand, kept), stats=stats)
    margins = found.best.margins
    stats |= {"rate_margin": float(max(margins.rates)), "slo_share": float(margins.slo)}
    stats["steps_downhill"] = float(found.best.steps)
    return Answer(found.best.plan, "margins", float(found.best.cost_per_h), bound.cost_per_h, stats=stats)


def _without(found: Found, demand: Demand, kept: str) -> str:
    """The reason why a search has no plan, and the remedy."""
    judged = found.judged
    if judged is not None and judged.cut:
        return (
            f"the time limit ended the simulation that decides whether a plan keeps {kept}: of its first "
            f"{judged.estimate.requests:,} requests {percent(judged.estimate.share)} are in time, which is too "
            "few to say so; allow more time"
        )
    if not found.complete:
        return f"no margin that was tried within the time limit keeps {kept} under these arrivals; allow more time"
    most = "" if not found.most or demand.modules else f", the best plan {percent(found.most)}"
    return (
        f"no margin that was tried keeps {kept} under these arrivals{most}; take another dispatcher or time-out, or a "
        "lower attainment"
    )
