"""Scrooge's brute force (§4.3, Figures 10 and 11): the optimum of dispatch at machine rate, by enumeration.

The paper does not say what its brute force enumerates, so this one lists whole plans: every vector of whole machines of
a module, closed by whole and partial machines of its last configuration. Under this policy a full machine takes d + b/t
regardless of other machines, so latency only grows along a vector. The least final cost grows too: it serves the rest
of the rate at the next best throughput-cost ratio. A vector is pruned if a plan found before is neither more expensive
nor slower than any completion of it. The remaining plans are the module's frontiers, and all their combinations are
enumerated. Arithmetic is exact: scaled integers for rates and costs, fractions for latencies.
"""

from __future__ import annotations

import time
from bisect import bisect_right
from dataclasses import dataclass, field
from fractions import Fraction

from bruteforce.session.combination import ModuleChoice, TimeUpError, cheapest_plan
from bruteforce.session.module_plans import ScaledModule, scale_module
from euclio.core.registry import Limits
from euclio.core.result import Answer
from euclio.problems.session import Allocation, Module, ModulePlan, PlanSpace, Session

Rows = tuple[tuple[int, int, int], ...]
"""Per allocation: configuration, whole machines, scaled rate of the partial machine."""

LOOK_AT_CLOCK = 256
"""Vectors between two looks at the clock."""


def solve_scrooge_bruteforce(session: Session, space: PlanSpace, limits: Limits) -> Answer:
    """The cheapest plan of Scrooge's plan space, by enumeration with pruning."""
    deadline = limits.deadline()
    visited = 0

    def frontier_of(module: Module) -> list[ModuleChoice]:
        nonlocal visited
        search = _VectorSearch(
            scale_module(module, session.price, space), space.max_allocations, session.slo_s, deadline
        )
        try:
            search.run()
        finally:
            visited += search.vectors
        return search.frontier()

    try:
        found = cheapest_plan(session, frontier_of, deadline)
    except TimeUpError:
        reason = "the time limit was reached before every plan was seen"
        return Answer(None, "time limit", stats={"vectors": float(visited)}, reason=reason)
    stats = {"vectors": float(visited)}
    if isinstance(found, str):
        return Answer(None, "exhausted", infeasible=True, stats=stats, reason=found)
    cost = float(found[0])
    return Answer(found[1], "exhausted", claimed=cost, bound=cost, stats=stats)


@dataclass(slots=True)
class _VectorSearch:
    """The enumeration of one module's plans; keeps those that no other one beats, fastest first.

    Attributes:
        module: the module in scaled integers.
        max_allocations: most allocations; None means any number.
        budget_s: largest worst-case latency in seconds.
        deadline: `time.perf_counter` value at which to give up.
        vectors: vectors visited.
        latencies: worst-case latencies of the plans kept, in seconds.
        costs: their scaled costs, falling as the latencies rise.
        plans: the plans.
    """

    module: ScaledModule
    max_allocations: int | None
    budget_s: Fraction
    deadline: float
    vectors: int = 0
    latencies: list[Fraction] = field(default_factory=list)
    costs: list[int] = field(default_factory=list)
    plans: list[Rows] = field(default_factory=list)
    _full: list[Fraction] = field(default_factory=list)
    """W = d + b/t of each configuration."""
    _fastest: list[Fraction] = field(default_factory=list)
    """Least W from each configuration on."""

    def run(self) -> None:
        """Visit every vector that may still lead to a plan worth keeping.

        Raises:
            TimeUpError: the deadline has passed.
        """
        configurations = self.module.configurations
        self._full = [c.duration_s + c.batch / c.throughput_rps for c in configurations]
        self._fastest = [min(self._full[i:]) for i in range(len(configurations))]
        self._visit(0, self.module.rate, 0, Fraction(0), ())

    def frontier(self) -> list[ModuleChoice]:
        """The plans kept, cheapest first."""
        choices = []
        for latency, cost, rows in zip(self.latencies, self.costs, self.plans, strict=True):
            allocations = tuple(
                Allocation(self.module.configurations[i], whole, Fraction(rest, self.module.scale))
                for i, whole, rest in rows
            )
            choices.append(ModuleChoice(latency, Fraction(cost, self.module.cost_scale), ModulePlan(allocations)))
        return choices[::-1]

    def _visit(self, first: int, left: int, cost: int, latency: Fraction, rows: Rows) -> None:
        """Serve the rate that is left by configurations from `first` on.

        Args:
            first: the next best configuration not decided yet.
            left: scaled rate that is left.
            cost: scaled cost so far.
            latency: largest W of the whole machines so far.
            rows: the allocations so far.
        """
        self.vectors += 1
        if self.vectors % LOOK_AT_CLOCK == 0 and time.perf_counter() > self.deadline:
            raise TimeUpError
        unit, last = self.module.unit_cost, len(self._full) - 1
        for i in range(first, last + 1):
            # No later configuration is cheaper per unit, and none takes less than the least W from here on.
            if self._is_beaten(max(latency, self._fastest[i]), cost + left * unit[i]):
                return
            slower = max(latency, self._full[i])
            # Any machine of this configuration, whole or partial, takes its W at least.
            if slower > self.budget_s or self._is_beaten(slower, cost + left * unit[i]):
                continue
            t = self.module.throughput[i]
            whole, rest = divmod(left, t)
            self._close(i, whole, rest, cost + left * unit[i], slower if whole else latency, rows)
            if i == last or len(rows) + 1 == self.max_allocations:
                continue
            for n in range(whole if rest else whole - 1, 0, -1):
                spent, more = cost + n * t * unit[i], left - n * t
                # Fewer machines leave more to more expensive configurations: the cost only rises.
                if self._is_beaten(slower, spent + more * unit[i + 1]):
                    break
                self._visit(i + 1, more, spent, slower, (*rows, (i, n, 0)))

    def _close(self, i: int, whole: int, rest: int, cost: int, latency: Fraction, rows: Rows) -> None:
        """Keep the plan that serves all that is left on configuration i, unless it is too slow or beaten."""
        if rest:
            c = self.module.configurations[i]
            latency = max(latency, c.duration_s + Fraction(c.batch * self.module.scale, rest))
        if latency > self.budget_s or self._is_beaten(latency, cost):
            return
        start = bisect_right(self.latencies, latency)
        # An equally fast plan is kept, and costs more, since it does not beat this one.
        if start and self.latencies[start - 1] == latency:
            start -= 1
        end = start
        # Plans that are no faster and no cheaper than this one go.
        while end < len(self.costs) and self.costs[end] >= cost:
            end += 1
        self.latencies[start:end], self.costs[start:end] = [latency], [cost]
        self.plans[start:end] = [(*rows, (i, whole, rest))]

    def _is_beaten(self, latency: Fraction, cost: int) -> bool:
        """Whether a plan is kept that is neither slower nor more expensive."""
        at = bisect_right(self.latencies, latency)
        return at > 0 and self.costs[at - 1] <= cost
