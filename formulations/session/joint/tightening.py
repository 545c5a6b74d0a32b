"""Ranges of latency and cost of every module in plans of interest, tightened with one-module models (ours).

A plan of interest costs at most the cutoff. So a module costs at most the cutoff less what the others cost at least;
a leading configuration that costs more is out, and with it the small latencies that only such configurations reach;
what a module needs at least is what the others cannot have. With a smaller largest budget a module costs more, and so
round again. What a module costs at least within its largest budget is the optimum of its own allocation model.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction
from math import floor

from euclio.problems.session.policies import Form
from formulations.session.joint.problem import JointModule, JointProblem, narrowed

WORTH = Fraction(1, 50)
"""Another round is worth its time where a largest budget shrank by more than this share."""


@dataclass(frozen=True, slots=True)
class Ranges:
    """A joint problem whose modules have only the latencies and costs of plans of interest.

    Attributes:
        problem: the problem, with larger least latencies and smaller largest budgets.
        least_costs: proven lower bound on the cost of each module, shape (modules,).
        empty: there is no plan of interest.
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
    """Tighten until nothing of worth changes.

    Args:
        problem: the problem; every module has a useful configuration.
        cutoff: only plans that cost at most this much per hour are of interest.
        least_cost: lower bound on the cost of a module within its largest budget, given the most that it may cost;
            None: every plan costs more.
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
    """Ranges by what a plan costs and takes at least for each configuration that can lead it, without any model."""
    return _by_leading(problem, [Fraction(0)] * len(problem.modules), cutoff)


def within(ranges: Ranges, cutoff: Fraction) -> Ranges:
    """The same ranges for a lower cutoff, by leading configurations alone: what is known to cost at least stays so."""
    return _by_leading(ranges.problem, ranges.least_costs, cutoff)


def affordable(ranges: Ranges, cutoff: Fraction) -> JointProblem:
    """The problem of ranges that are not empty, with no machines that cost more than their module may.

    A module left without a configuration has no plan of interest.
    """
    modules: list[JointModule] = []
    whole = ranges.problem.space.charging.whole
    shared = ranges.problem.space.policy.form is Form.TIED  # there, what a partial machine needs is not its own rate
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
        # No least latency has risen, so that another round would find the same.
        if all(new == module.least_s for new, module in zip(least_s, problem.modules, strict=True)):
            return ranges
        problem = narrowed(problem, least_s)
