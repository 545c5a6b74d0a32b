"""The cheapest choice of one mode per module, in integers: latency splitting where ties must be decided (ours).

Depth first, parents before children. What the modules to come cost at least is the sum of their cheapest modes within
the latency that is left to each if the others take their fastest ones.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from math import ceil, inf, lcm

from formulations.session.rational.module import Effort
from formulations.session.splitting.problem import SplitProblem


def cheapest_choice(
    problem: SplitProblem,
    cutoff: Fraction | None,
    effort: Effort,
    is_closed: Callable[[list[int]], bool] = lambda chosen: False,
) -> list[int] | None:
    """The number of the mode of each module in the cheapest choice within the SLO.

    Args:
        problem: modules with modes, cheapest first, each faster than those before it.
        cutoff: cost per hour that the choice has to stay below; None: any.
        effort: counts nodes.
        is_closed: whether a choice is of no interest and to be passed over.

    Returns:
        The choice; None: there is none below the cutoff.

    Raises:
        UndecidedError: the effort's limits are reached.
    """
    if not all(problem.modes):
        return None
    return _Search(problem, cutoff, effort, is_closed).run()


class _Search:
    """The depth-first search, with latencies and costs as integers on common scales."""

    def __init__(
        self,
        problem: SplitProblem,
        cutoff: Fraction | None,
        effort: Effort,
        is_closed: Callable[[list[int]], bool],
    ) -> None:
        self.is_closed = is_closed
        latencies = [mode.latency_s for row in problem.modes for mode in row]
        costs = [mode.cost_per_h for row in problem.modes for mode in row]
        seconds = lcm(problem.slo_s.denominator, *(value.denominator for value in latencies))
        money = lcm(*(value.denominator for value in costs))
        self.latency = [[int(mode.latency_s * seconds) for mode in row] for row in problem.modes]
        self.cost = [[int(mode.cost_per_h * money) for mode in row] for row in problem.modes]
        self.slo = int(problem.slo_s * seconds)
        self.order, self.effort = problem.order, effort
        self.parents: list[list[int]] = [[] for _ in problem.modes]
        for a, b in problem.edges:
            self.parents[b].append(a)
        after = problem.around_s([row[-1].latency_s for row in problem.modes])[1]
        self.after = [int(value * seconds) for value in after]
        self.finish, self.chosen = [0] * len(self.order), [0] * len(self.order)
        self.below: float = inf if cutoff is None else ceil(cutoff * money)
        self.best: list[int] | None = None

    def run(self) -> list[int] | None:
        """The cheapest choice below the cutoff; None: there is none."""
        self._extend(0, 0)
        return self.best

    def _extend(self, place: int, spent: int) -> None:
        """Try all modes of the module at a place of the order, `spent` being the cost of the modules before it."""
        self.effort.count()
        if place == len(self.order):
            if not self.is_closed(self.chosen):
                self.below, self.best = spent, self.chosen.copy()
            return
        m = self.order[place]
        start = self._start(m)
        for i in range(len(self.cost[m])):
            # Too slow even next to the fastest modes after it; the modes that follow are faster.
            if start + self.latency[m][i] + self.after[m] > self.slo:
                continue
            self.finish[m], self.chosen[m] = start + self.latency[m][i], i
            total = spent + self.cost[m][i]
            if total >= self.below:
                return  # further modes cost more
            # All numbers are integers: the bound needs no margin, and a choice as cheap as the best one is of no use.
            if total + self._least(place + 1) < self.below:
                self._extend(place + 1, total)

    def _start(self, m: int) -> int:
        """When module m starts at the earliest: when the last of its parents ends."""
        return max((self.finish[p] for p in self.parents[m]), default=0)

    def _least(self, place: int) -> float:
        """What the modules from a place of the order on cost at least; infinite: one of them cannot meet the SLO.

        Their ends in `finish` are overwritten with those at their fastest modes.
        """
        least = 0
        for m in self.order[place:]:
            start = self._start(m)
            room = self.slo - start - self.after[m]
            fitting = next((i for i, latency in enumerate(self.latency[m]) if latency <= room), None)
            if fitting is None:
                return inf
            least += self.cost[m][fitting]
            self.finish[m] = start + self.latency[m][-1]
        return least
