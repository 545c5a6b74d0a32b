"""The search that the joint solvers of both engines share: incumbent, bound, endings, answer (ours)."""

from __future__ import annotations

import math
import time
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from enum import Enum, auto
from fractions import Fraction
from math import floor
from typing import ClassVar

from euclio.core.registry import Limits
from euclio.core.result import Answer, TracePoint, WarmStart
from euclio.problems.session import Evaluation, Plan, PlanSpace, Session, evaluate
from euclio.problems.session.machine_limits import least_machines, paid_for
from euclio.problems.session.policies import Form
from formulations.session.demands import changes_of, limited_shares, limits_in_words
from formulations.session.joint.problem import JointModule, JointProblem, joint_problem, narrowed
from formulations.session.known_plans import with_known_plans
from formulations.session.per_hardware import cheapest_over_hardware
from formulations.session.surplus import (
    all_full,
    countable,
    first_plan,
    made_cheaper,
    out_of_reach,
    without_prices,
)
from formulations.tolerances import STEP

# Ranges of latency and cost of every module in plans of interest, tightened with one-module models (ours).
#
# A plan of interest costs at most the cutoff. So a module costs at most the cutoff less the least costs of the others.
# A leading configuration that costs more is out, and with it the small latencies that only such configurations reach.
# The least latency of a module reduces the budgets of the others. With a smaller largest budget a module costs more,
# and the next round begins. The optimum of its own allocation model is a module's least cost within its largest budget.

WORTH = Fraction(1, 50)
"""Another round is worth its time if a largest budget shrank by more than this share."""


@dataclass(frozen=True, slots=True)
class Ranges:
    """A joint problem whose modules have only the latencies and costs of plans of interest.

    Attributes:
        problem: the problem, with larger least latencies and smaller largest budgets.
        least_costs: proven lower bound on the cost of each module, shape (modules,).
        empty: whether there is no plan of interest.
    """

    problem: JointProblem
    least_costs: list[Fraction]
    empty: bool

    def most_costs(self, cutoff: Fraction) -> list[Fraction]:
        """Most that each module can cost in a plan of interest, shape (modules,)."""
        spare = cutoff - sum(self.least_costs, Fraction(0))
        return [least + spare for least in self.least_costs]


def tighten(
    problem: JointProblem,
    cutoff: Fraction,
    least_cost: Callable[[JointProblem, int, Fraction], Fraction | None],
    deadline: float = math.inf,
) -> Ranges:
    """Tighten until nothing changes by much.

    Args:
        problem: the problem; every module has a useful configuration.
        cutoff: only plans that cost at most this much per hour are of interest.
        least_cost: lower bound on the cost of a module within its largest budget, given the most that it may cost;
            None if every plan costs more.
        deadline: `time.perf_counter` value at which to stop.
    """
    ranges = by_leading(problem, cutoff)
    asked: list[Fraction | None] = [None] * len(problem.modules)
    while not ranges.empty and time.perf_counter() < deadline:
        worth = [
            m
            for m, module in enumerate(ranges.problem.modules)
            if asked[m] is None or module.most_s < (asked[m] or 0) * (1 - WORTH)
        ]
        if not worth:
            break
        m = max(worth, key=lambda m: ranges.least_costs[m])
        asked[m] = ranges.problem.modules[m].most_s
        found = least_cost(ranges.problem, m, ranges.most_costs(cutoff)[m])
        if found is None:
            return Ranges(ranges.problem, ranges.least_costs, True)
        costs = list(ranges.least_costs)
        costs[m] = max(costs[m], found)
        ranges = _by_leading(ranges.problem, costs, cutoff)
    return ranges


def by_leading(problem: JointProblem, cutoff: Fraction) -> Ranges:
    """Ranges from the least cost and latency for each configuration that can lead a module, without any model."""
    return _by_leading(problem, [Fraction(0)] * len(problem.modules), cutoff)


def within(ranges: Ranges, cutoff: Fraction) -> Ranges:
    """The same ranges for a lower cutoff, from leading configurations alone; known least costs stay valid."""
    return _by_leading(ranges.problem, ranges.least_costs, cutoff)


def affordable(ranges: Ranges, cutoff: Fraction) -> JointProblem:
    """The problem of ranges that are not empty, without machines that cost more than their module may.

    A module left without a configuration has no plan of interest.
    """
    modules: list[JointModule] = []
    whole = ranges.problem.space.charging.whole
    shared = ranges.problem.space.policy.form is Form.TIED  # there, a partial machine's need is not its own rate
    for module, most_cost in zip(ranges.problem.modules, ranges.most_costs(cutoff), strict=True):
        kept = []
        for c in module.configurations:
            most = c.most_machines if c.price == 0 else min(c.most_machines, floor(most_cost / c.price))
            need = c.partial_need_rps
            least = c.price if whole else Fraction(0) if shared or need is None else c.unit_cost * need
            if least > most_cost:
                need = None
            if most or need is not None:
                kept.append(replace(c, most_machines=most, partial_need_rps=need))
        modules.append(replace(module, configurations=tuple(kept), most_cost_per_h=most_cost))
    return replace(ranges.problem, modules=tuple(modules))


def _by_leading(problem: JointProblem, least_costs: list[Fraction], cutoff: Fraction) -> Ranges:
    while True:
        leading = [min((c.lead_cost_per_h for c in m.configurations), default=Fraction(0)) for m in problem.modules]
        least_costs = [max(a, b) for a, b in zip(least_costs, leading, strict=True)]
        ranges = Ranges(problem, least_costs, problem.infeasible or sum(least_costs) > cutoff)
        if ranges.empty:
            return ranges
        least_s: list[Fraction] = []
        for module, most_cost in zip(problem.modules, ranges.most_costs(cutoff), strict=True):
            leads = [c.lead_latency_s for c in module.configurations if c.lead_cost_per_h <= most_cost]
            least_s.append(max(module.least_s, min(leads)))
        # No least latency has risen, so another round would find the same.
        if all(new == module.least_s for new, module in zip(least_s, problem.modules, strict=True)):
            return ranges
        problem = narrowed(problem, least_s)


class Ending(Enum):
    """How the search among the plans within a cost limit ended."""

    FOUND = auto()
    """With a plan that is much cheaper, so that a new model pays, or that is proven to be the cheapest."""
    EMPTY = auto()
    """There are no plans, or none cheaper than the incumbent."""
    LIMIT = auto()
    """The time limit was hit, or the engine gave up."""
    TIES = auto()
    """Tolerances or scales leave too many points to enumerate, or the model cannot be trusted."""


@dataclass(slots=True)
class JointSearch(ABC):
    """One run of a joint solver on one problem.

    Attributes:
        problem: the problem.
        limits: limits of the run.
        started: `time.perf_counter` value at the start.
        deadline: `time.perf_counter` value at which to stop.
        plan: best plan so far, accepted by the checker.
        cost: its exact cost.
        bound: proven lower bound on the cost of every plan; None before the first.
        known: plans priced so far, accepted by the checker.
        trace: incumbent and bound over time.
    """

    ties: ClassVar[str]
    """Why a search that ends in ties has neither a plan nor a proof that there is none."""

    problem: JointProblem
    limits: Limits
    started: float
    deadline: float
    plan: Plan | None = None
    cost: Fraction | None = None
    bound: Fraction | None = None
    known: list[tuple[Plan, Evaluation]] = field(default_factory=list)
    trace: list[TracePoint] = field(default_factory=list)

    @abstractmethod
    def run(self) -> Ending:
        """Search until nothing cheaper is left, or a limit is hit."""

    @abstractmethod
    def improved(self) -> None:
        """Called when the incumbent has become cheaper, for engines that must react."""

    @abstractmethod
    def last_word(self, ending: Ending) -> str:
        """The raw status of the answer."""

    @abstractmethod
    def counters(self) -> dict[str, float]:
        """Counters of the search, by name."""

    def accept(self, plan: Plan) -> Evaluation:
        """Price a plan exactly and keep it if it is the best; returns the checker's evaluation."""
        checked = evaluate(self.problem.session, plan, self.problem.space)
        if checked.feasible and checked.cost_per_h is not None:
            self.known.append((plan, checked))
            # If the only question is whether there is a plan, the first one is as good as any.
            cost = Fraction(0) if self.problem.any_plan else checked.cost_per_h
            if self.cost is None or cost < self.cost:
                self.plan, self.cost = plan, cost
                self.improved()
        return checked

    def proven(self) -> bool:
        """Whether bound and incumbent have met; no plan costs less than 0."""
        if self.cost == 0:
            self.bound = Fraction(0)
        if self.cost is None or self.bound is None:
            return False
        return self.cost - self.bound <= STEP * self.cost

    def elapsed(self) -> float:
        """Seconds since the start."""
        return time.perf_counter() - self.started

    def left(self) -> float:
        """Seconds that are left."""
        return self.deadline - time.perf_counter()

    def answer(self, ending: Ending, warm_start: WarmStart) -> Answer:
        """The answer of the search, with the reason if it has no plan."""
        infeasible = ending is Ending.EMPTY and self.cost is None
        bound = None if infeasible or self.bound is None else float(self.bound)
        if self.proven() and self.cost is not None:
            bound = float(self.cost)
        reason = ""
        if self.plan is None:
            hit = self.ties if ending is Ending.TIES else "the time limit was hit"
            limits = limits_in_words(self.problem.session)
            reason = f"no plan meets the SLO{limits} (proven)" if infeasible else hit
        return Answer(
            plan=self.plan,
            raw_status=self.last_word(ending),
            claimed=None if self.cost is None else float(self.cost),
            bound=bound,
            infeasible=infeasible,
            stats=self.counters(),
            reason=reason,
            trace=tuple(self.trace),
            warm_start=warm_start,
        )


Begin = Callable[[JointProblem, float, float], JointSearch]
"""Makes the search of a problem that has useful configurations, given its start and its deadline."""


def solve_joint(session: Session, space: PlanSpace, limits: Limits, begin: Begin) -> Answer:
    """The cheapest plan of a session by one model of splitting and allocation; anytime, with a valid bound.

    A plan to start from counts as used if it belongs to the plan space: its cost is the first limit.

    Args:
        session: the session.
        space: the plan space.
        limits: limits of the run.
        begin: makes an engine's search.
    """
    return with_known_plans(session, space, limits, lambda within: _solve(session, space, within, begin))


def _solve(session: Session, space: PlanSpace, limits: Limits, begin: Begin) -> Answer:
    started = time.perf_counter()
    deadline = limits.deadline(started)
    given = limits.options.warm_start

    def run(on: PlanSpace) -> Answer:
        on = countable(session, on)
        start, ignored = given, WarmStart.NONE if given is None else WarmStart.IGNORED
        most: Fraction | None = None
        # Dummies fill any number of machines: only the cost of a known plan limits the number of interest.
        if all_full(on) and not _finite(session):
            known = _known_plan(session, on, given, lambda problem: begin(problem, started, deadline))
            if isinstance(known, Answer):
                return replace(known, warm_start=ignored)
            start, most = known
        problem = joint_problem(session, on, most)
        if problem.infeasible:
            held = limits_in_words(session)
            reason = "a module has no configuration that meets the SLO"
            if held:
                reason = f"no plan meets the SLO{held} (proven)"
            return Answer(None, "infeasible", infeasible=True, reason=reason, warm_start=ignored)
        search = begin(problem, started, deadline)
        used = start is not None and search.accept(start).feasible and start is given
        return search.answer(search.run(), WarmStart.USED if used else ignored)

    return cheapest_over_hardware(session, space, run)


def _finite(session: Session) -> bool:
    """Whether changes are limited, so that numbers of machines are finite at any cost of plans."""
    changes = changes_of(session)
    return changes is not None and changes.most is not None


def _known_plan(
    session: Session, space: PlanSpace, given: Plan | None, begin: Callable[[JointProblem], JointSearch]
) -> tuple[Plan, Fraction] | Answer:
    """A plan and its cost where dummies fill any number of machines; or the answer that there is none, or none yet.

    Its cost bounds the numbers of machines, which have no other bound. On unlimited machines it is easily made. If
    there is none on these, a model looks for a plan that also takes machines in stock, or of types that have a largest
    share. In that model machines that are not in stock cost nothing and may have any number.
    """
    plan = given if given is not None and evaluate(session, given, space).feasible else first_plan(session, space)
    if plan is None and out_of_reach(session, space):
        reason = f"no plan meets the SLO{limits_in_words(session)} (proven)"
        return Answer(None, "infeasible", infeasible=True, reason=reason)
    shares = limited_shares(session)
    if plan is None and (session.stock or session.resources or shares):
        if shares:
            problem = joint_problem(replace(session, running=None), space, any_plan=True)
        else:
            problem = joint_problem(without_prices(session), space)
        if not problem.infeasible:
            search = begin(problem)
            ending = search.run()
            if search.plan is None:
                return search.answer(ending, WarmStart.NONE)
            plan = made_cheaper(session, space, search.plan)
    if plan is None:
        reason = f"no plan meets the SLO{limits_in_words(session)} (proven)"
        return Answer(None, "infeasible", infeasible=True, reason=reason)
    cost = evaluate(session, plan, space).cost_per_h
    assert cost is not None
    return plan, cost


def most_cost(problem: JointProblem) -> Fraction:
    """No plan of interest costs more: the whole rate and the most dummies at the highest unit cost.

    Where dummies fill any number of machines, it is the known limit of plans of interest, or the cost of all machines
    that there may be. The cost of their changes, and of spare machines of every type, is added.
    """
    if problem.most_cost_per_h is not None and problem.all_full:
        return problem.most_cost_per_h or Fraction(1)
    total = _most_coupled(problem)
    if problem.surplus:
        partial = 0 if problem.all_full else 1
        counted = (c.price * (c.most_machines + partial) for module in problem.modules for c in module.configurations)
        return total + sum(counted, Fraction(0)) or Fraction(1)
    for module in problem.modules:
        most = max(c.throughput_rps for c in module.configurations)
        total += max(c.unit_cost for c in module.configurations) * (module.rate_rps + most)
    return total or Fraction(1)


def _most_coupled(problem: JointProblem) -> Fraction:
    """The most that changes, spare and idle machines cost in a plan; each possible machine counts as a change."""
    changes, session, price = problem.changes, problem.session, problem.session.price
    idle = sum(least_machines(session).values()) * max(price.values())
    idle += sum((least * price[name] for name, least in paid_for(session).items()), Fraction(0))
    if changes is None:
        return idle + session.spare_machines * sum(price.values(), Fraction(0))
    machines = sum(c.most_machines + 1 for module in problem.modules for c in module.configurations)
    most = machines + changes.running.total() + changes.gone
    most = most if changes.most is None else min(most, changes.most)
    spare = session.spare_machines * sum(price.values(), Fraction(0))
    return idle + spare + changes.gone_cost + max(changes.prices) * most
