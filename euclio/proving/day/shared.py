"""The independent prover of loads over time whose modules may share machines (ours).

Each step is a packed plan of the session at its rates. Each packed plan is one by share with dummies at any rate: the
models of a shared machine take no more than its time, and without the others none of them waits. So the prover of
sessions bounds each step, and the bound is raised to the least sum of prices, since all machines of a day are whole.
Changes cost nothing in the bounds. All arithmetic that decides is in fractions.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from fractions import Fraction
from heapq import heappop, heappush

from euclio.core.certificate import Search
from euclio.problems.day.instance import HOUR_S, Day, at_rates
from euclio.problems.session.evaluate import evaluate
from euclio.problems.session.instance import Session
from euclio.problems.session.resources import without_limits
from euclio.problems.session.rules import Charging, DummyRule
from euclio.problems.session.space import PlanSpace
from euclio.proving.effort import Effort, GivenUpError
from euclio.proving.session.certifying import find_better
from euclio.proving.session.modules import ZERO

BY_SHARE = PlanSpace(charging=Charging.SHARE, dummy=DummyRule.CONTINUOUS)
CLOSER = 1 - Fraction(1, 10**10)
"""No question is about plans that cost less than one that is known by a smaller share."""
LOWER, WIDER = Fraction(1, 10**7), 8
"""Share by which the next question is about cheaper plans where one was not decided, and its growth."""
HALF, BARELY = Fraction(1, 2), Fraction(1, 1000)
"""Where between a sum of prices and a plan a question is asked, at first and again where it was not decided."""
MOST_QUESTIONS = 40
"""Questions about a step at most."""
MOST_UNITS = 1 << 16
"""Units that the lowest price may have where sums of prices are looked for."""
TOO_LOW = "the bounds of the steps, without changes, do not reach the cutoff"


def bounded_by_steps(day: Day, cutoff: Fraction | None, deadline: float) -> Search:
    """Whether its steps show that no plan of a day with shared machines costs less than a cutoff.

    Args:
        day: the instance.
        cutoff: money in all; None asks whether some step shows that there is no plan.
        deadline: `time.perf_counter` value at which to stop.
    """
    hours: dict[tuple[Fraction, ...], Fraction] = {}
    for step in day.steps:
        hours[step.rates_rps] = hours.get(step.rates_rps, ZERO) + step.length_s / HOUR_S
    least, effort = ZERO, Effort(deadline)
    # Steps with much load come first, since they may be enough.
    for rates in sorted(hours, key=lambda own: -sum(own) * hours[own]):
        if cutoff is not None and least >= cutoff:
            break
        session = at_rates(day.session, rates)
        if session is None:
            continue
        try:
            bound = _least_per_h(without_limits(session), effort, any_will_do=cutoff is None)
        except GivenUpError as error:
            return Search(None, False, effort.nodes, str(error))
        if bound is None:
            return Search(None, True, effort.nodes)
        least += hours[rates] * bound
    shown = cutoff is not None and least >= cutoff
    return Search(None, shown, effort.nodes, "" if shown else TOO_LOW)


def _least_per_h(session: Session, effort: Effort, *, any_will_do: bool) -> Fraction | None:
    """Money per hour that no packed plan of a session is below; None if there is no plan.

    Raises:
        GivenUpError: the deadline has passed.
    """
    sums = _Sums(hardware.price_per_h for hardware in session.hardware)
    above, lower, part = None, LOWER, HALF
    for _ in range(MOST_QUESTIONS):
        effort.step()
        # Any cost between the next sum of prices and the plan shows the same bound, the lower the more easily.
        tried = None if above is None else sums.below(above) + part * (above - sums.below(above))
        found = find_better(session, BY_SHARE, tried, effort.deadline)
        effort.nodes += found.nodes
        if found.exhausted:
            return None if tried is None else sums.from_on(tried)
        cost = None if found.plan is None else evaluate(session, found.plan, BY_SHARE).cost_per_h
        if cost is not None:
            above, part = cost * CLOSER, HALF
        elif above is not None and part == HALF and sums.below(above) < above:
            part = BARELY
        elif above is not None:
            above, lower, part = min(sums.below(above), above * (1 - lower)), lower * WIDER, HALF
        if above is None or above <= 0 or any_will_do:
            break
    return ZERO


class _Sums:
    """The sums of prices, each taken any number of times; all amounts where there are too many of them."""

    def __init__(self, prices: Iterable[Fraction]) -> None:
        paid = sorted({price for price in prices if price})
        self._unit = Fraction(1, math.lcm(*(price.denominator for price in paid)))
        sizes = [int(price / self._unit) for price in paid]
        self._first = sizes[0] if sizes and sizes[0] <= MOST_UNITS else 0
        # The least sum of each remainder after division by the lowest price, which may be added any number of times.
        least: dict[int, int] = {}
        queue = [0] if self._first else []
        while queue:
            total = heappop(queue)
            if total % self._first not in least:
                least[total % self._first] = total
                for size in sizes[1:]:
                    heappush(queue, total + size)
        self._least = list(least.values())

    def from_on(self, amount: Fraction) -> Fraction:
        """The least sum that is no less than an amount above 0."""
        asked = math.ceil(amount / self._unit)
        found = (total + max(0, -((total - asked) // self._first)) * self._first for total in self._least)
        return self._unit * min(found) if self._least else amount

    def below(self, amount: Fraction) -> Fraction:
        """The largest sum that is less than an amount above 0."""
        most = math.ceil(amount / self._unit) - 1
        found = (total + (most - total) // self._first * self._first for total in self._least if total <= most)
        return self._unit * max(found) if self._least else amount
