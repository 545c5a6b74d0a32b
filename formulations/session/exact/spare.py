"""Spare machines for those that fail: a fixed charge on each hardware type that a plan uses (ours).

The stock is lowered by them at once: a type that is used has so many fewer for the plan, and of one that is not used
the stock does not matter. What is left is the charge. A node of the search is a set of *allowed* types and one of
*paid* ones. The cheapest plan on the allowed types, which knows nothing of spare machines, and the charges of
the types that are paid cost no more together than any plan that uses allowed types only and all that are paid. Where
that plan uses a type that is not paid, either it is not allowed any more or it is paid; so each set of types is solved
once.
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from fractions import Fraction
from itertools import count

from euclio.core.result import Answer
from euclio.problems.session import Plan, PlanSpace, Session, evaluate
from formulations.tolerances import GAP

Run = Callable[[Session, PlanSpace], Answer]
"""Solves a session without spare machines."""


def cheapest_with_spare(session: Session, space: PlanSpace, run: Run) -> Answer:
    """The cheapest plan with the spare machines, with the least of all bounds and the sums of all counters.

    Args:
        session: the instance.
        space: plan space without `single_hardware`.
        run: solves a session without spare machines in a plan space.
    """
    if not session.spare_machines:
        return run(session, space)
    search = _Search(session, space, run)
    search.run_all()
    return search.answer()


@dataclass(slots=True)
class _Search:
    """Branch and bound over the types that are used.

    Attributes:
        session: the instance.
        space: its plan space.
        run: solves a session without spare machines.
        cost: cost per hour of the best plan found; None: none was.
        plan: that plan.
        bound: no plan costs less.
        solved: answers by allowed types.
    """

    session: Session
    space: PlanSpace
    run: Run
    cost: Fraction | None = None
    plan: Plan | None = None
    bound: float = math.inf
    solved: dict[tuple[str, ...], Answer] = field(default_factory=dict)
    _without: Session = field(init=False)
    _charge: dict[str, Fraction] = field(init=False)

    def __post_init__(self) -> None:
        """Lower the stock, and list what each type is charged if it is used."""
        spare = self.session.spare_machines
        hardware = [h if h.count is None else replace(h, count=max(0, h.count - spare)) for h in self.session.hardware]
        self._without = replace(self.session, hardware=tuple(hardware), spare_machines=0)
        self._charge = {h.name: spare * h.price_per_h for h in self.space.hardware_of(self.session)}

    def run_all(self) -> None:
        """Look at nodes by rising bound until none is below the best plan."""
        numbers = count()
        queue = [(0.0, next(numbers), tuple(self._charge), frozenset[str]())]
        while queue:
            bound, _, allowed, paid = heapq.heappop(queue)
            if bound < self._limit():
                for child in self._children(bound, allowed, paid):
                    heapq.heappush(queue, (child[0], next(numbers), *child[1:]))
            else:
                self.bound = min(self.bound, bound)

    def answer(self) -> Answer:
        """The best plan and what is proven."""
        answers = list(self.solved.values())
        names = sorted({name for a in answers for name in a.stats})
        stats = {name: sum(a.stats.get(name, 0.0) for a in answers) for name in names}
        # All types are allowed in the first answer: without a plan there, there is none at all.
        first = answers[0]
        if first.infeasible:
            return replace(first, stats=stats)
        undecided = next((a for a in answers if not a.infeasible and a.raw_status.lower() != "optimal"), first)
        bound = self.bound if 0.0 < self.bound < math.inf else None
        if self.cost is None:
            return Answer(None, undecided.raw_status, bound=bound, stats=stats, reason=undecided.reason)
        claimed = float(self.cost)
        # Nothing is cheaper than nothing.
        bound = 0.0 if claimed == 0 else bound
        return Answer.proven(self.plan, claimed, bound, undecided.reason, stats, otherwise=undecided.raw_status)

    def _limit(self) -> float:
        """Bounds from which on nothing is of interest."""
        return math.inf if self.cost is None else float(self.cost) * (1.0 - GAP)

    def _children(
        self, bound: float, allowed: tuple[str, ...], paid: frozenset[str]
    ) -> list[tuple[float, tuple[str, ...], frozenset[str]]]:
        """Solve a node, and divide it where its plan uses a type that is not paid."""
        found = self._solved(allowed)
        if found.infeasible:
            return []
        # Some type is used in any case.
        charges = max(sum(self._charge[name] for name in paid), min(self._charge[name] for name in allowed))
        bound = max(bound, (found.bound or 0.0) + float(charges))
        used = self._offered(found.plan)
        # Types whose spare machines cost nothing need no branch.
        more = [name for name in used if name not in paid and self._charge[name] > 0]
        if not more:
            self.bound = min(self.bound, bound)
            return []
        # The type of the largest charge lifts the bound most once it is paid.
        name = max(more, key=lambda h: (self._charge[h], h))
        charged = (bound, allowed, paid | {name})
        fewer = tuple(other for other in allowed if other != name)
        return [charged, (bound, fewer, paid)] if fewer else [charged]

    def _solved(self, allowed: tuple[str, ...]) -> Answer:
        if allowed not in self.solved:
            on = self.space if len(allowed) == len(self._charge) else self.space.on(*allowed)
            self.solved[allowed] = self.run(self._without, on)
        return self.solved[allowed]

    def _offered(self, plan: Plan | None) -> list[str]:
        """The types that a plan uses, after keeping it if it is the best so far; none: it is no plan."""
        if plan is None:
            return []
        checked = evaluate(self.session, plan, self.space)
        if not checked.feasible or checked.cost_per_h is None:
            return []
        if self.cost is None or checked.cost_per_h < self.cost:
            self.cost, self.plan = checked.cost_per_h, plan
        return sorted({a.configuration.hardware for m in plan.modules for a in m.allocations})
