"""The cheapest choices of one mode per module, in integers: latency splitting where ties must be decided (ours).

Parents come before children. The modules to come cost at least the sum of their cheapest modes, each within the latency
that is left to it if the others take their fastest ones.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from heapq import heappop, heappush
from math import ceil, inf, lcm
from typing import Protocol, TypeVar

from formulations.effort import Effort
from formulations.session.split.problem import Mode, SplitProblem


class Entry(Protocol):
    """A possible choice for a module: a mode, or an interval of latencies with a bound on the cost."""

    @property
    def latency_s(self) -> Fraction:
        """Its latency in seconds, or its start."""

    @property
    def above(self) -> bool:
        """Whether it takes longer than that, by an arbitrarily small amount."""

    @property
    def cost_per_h(self) -> Fraction:
        """Its cost, or a lower bound on it."""


EntryT = TypeVar("EntryT", bound=Entry)


def as_modes(problem: SplitProblem, rows: Sequence[Sequence[EntryT]]) -> tuple[SplitProblem, list[list[EntryT]]]:
    """The problem of choosing one entry per module, and the entries of its modes: those faster than all cheaper ones.

    The sums of latencies, delays and ends and the SLO are whole multiples of 1/D, with D their common denominator. Each
    entry that takes a little longer than its latency gets an additional delay of 1/D over one more than the number of
    modules. Then a path is past the SLO exactly if it is with arbitrarily small delays.
    """
    denominators = {entry.latency_s.denominator for row in rows for entry in row}
    delay = Fraction(1, lcm(*(one.denominator for one in _fixed(problem)), *denominators) * (len(rows) + 1))
    kept = [_staircase(row, delay) for row in rows]
    modes = tuple(tuple(Mode(_from(entry, delay), entry.cost_per_h) for entry in row) for row in kept)
    return replace(problem, modes=modes), kept


def _fixed(problem: SplitProblem) -> list[Fraction]:
    """All seconds of a problem that are no latencies."""
    return [problem.slo_s, *problem.delays, *(end for end in problem.ends if end is not None)]


def _from(entry: Entry, delay: Fraction) -> Fraction:
    """The least latency of an entry, in seconds."""
    return entry.latency_s + delay if entry.above else entry.latency_s


def _staircase(row: Sequence[EntryT], delay: Fraction) -> list[EntryT]:
    """Entries that are faster than all cheaper ones, cheapest first; one at a latency is faster than one above it."""
    kept: list[EntryT] = []
    for entry in sorted(row, key=lambda entry: (entry.cost_per_h, _from(entry, delay))):
        if not kept or _from(entry, delay) < _from(kept[-1], delay):
            kept.append(entry)
    return kept


def cheapest_choice(problem: SplitProblem, cutoff: Fraction | None, effort: Effort) -> list[int] | None:
    """The number of the mode of each module in the cheapest choice within the SLO.

    Args:
        problem: modules with modes, cheapest first, each faster than those before it.
        cutoff: cost per hour that the choice has to stay below; None means any.
        effort: counts nodes.

    Returns:
        The choice; None means that there is none below the cutoff.

    Raises:
        UndecidedError: the effort's limits are reached.
    """
    return _ChoiceSearch(problem, cutoff, effort).cheapest() if all(problem.modes) else None


def choices_by_cost(problem: SplitProblem, cutoff: Fraction | None, effort: Effort) -> Iterator[list[int]]:
    """All choices of one mode per module within the SLO, cheapest first; arguments as those of `cheapest_choice`.

    Raises:
        UndecidedError: the effort's limits are reached.
    """
    if all(problem.modes):
        yield from _ChoiceSearch(problem, cutoff, effort).by_cost()


class _ChoiceSearch:
    """The searches, with latencies and costs as integers on common scales."""

    def __init__(self, problem: SplitProblem, cutoff: Fraction | None, effort: Effort) -> None:
        latencies = [mode.latency_s for row in problem.modes for mode in row]
        costs = [mode.cost_per_h for row in problem.modes for mode in row]
        seconds = lcm(*(value.denominator for value in (*_fixed(problem), *latencies)))
        money = lcm(*(value.denominator for value in costs))
        self.latency = [[int(mode.latency_s * seconds) for mode in row] for row in problem.modes]
        self.cost = [[int(mode.cost_per_h * money) for mode in row] for row in problem.modes]
        self.slo = int(problem.slo_s * seconds)
        self.order, self.effort = problem.order, effort
        self.parents = [[(p, int(delay * seconds)) for p, delay in row] for row in problem.parents()]
        after = problem.around_s([row[-1].latency_s for row in problem.modes])[1]
        self.after = [int(value * seconds) for value in after]
        self.finish, self.chosen = [0] * len(self.order), [0] * len(self.order)
        # A whole number is below the cutoff exactly if it is below the cutoff rounded up.
        self.below: float = inf if cutoff is None else ceil(cutoff * money)
        self.best: list[int] | None = None

    def cheapest(self) -> list[int] | None:
        """The cheapest choice below the cutoff; None means that there is none.

        Depth first: that takes little memory, and the first choice found already cuts others off.
        """
        self._extend(0, 0)
        return self.best

    def _extend(self, place: int, spent: int) -> None:
        """Try all modes of the module at a place of the order, `spent` being the cost of the modules before it."""
        self.effort.count()
        if place == len(self.order):
            self.below, self.best = spent, self.chosen.copy()
            return
        for least, total, i in self._next(place, spent):
            # A choice found since this mode was listed may have lowered the cutoff.
            if least < self.below:
                self._take(place, i)
                self._extend(place + 1, total)

    def by_cost(self) -> Iterator[list[int]]:
        """Best first: the part of a choice with the least lower bound is continued."""
        open_parts: list[tuple[float, int, int, tuple[int, ...]]] = [(0, 0, 0, ())]
        while open_parts:
            least, _, spent, taken = heappop(open_parts)
            # All parts share one array of ends, into which those of this part are written again.
            for place, i in enumerate(taken):
                self._take(place, i)
            if len(taken) == len(self.order):
                yield self.chosen.copy()
                continue
            for least, total, i in self._next(len(taken), spent):
                self.effort.count()
                # Of equal bounds the part with most modules is continued.
                heappush(open_parts, (least, -len(taken), total, (*taken, i)))

    def _next(self, place: int, spent: int) -> Iterator[tuple[float, int, int]]:
        """Modes of the next module below the cutoff: least cost of choices with it, cost so far, number."""
        m = self.order[place]
        start = self._start(m)
        for i in range(len(self.cost[m])):
            total = spent + self.cost[m][i]
            if total >= self.below:
                return  # further modes cost more
            # Too slow even next to the fastest modes after it; the modes that follow are faster.
            if start + self.latency[m][i] + self.after[m] > self.slo:
                continue
            self.finish[m] = start + self.latency[m][i]
            # All numbers are integers, so the bound needs no margin, and a choice as cheap as the best one is useless.
            least = total + self._least(place + 1)
            if least < self.below:
                yield least, total, i

    def _take(self, place: int, i: int) -> None:
        """Let the module at a place of the order take its mode i; those before it have taken theirs."""
        m = self.order[place]
        self.finish[m], self.chosen[m] = self._start(m) + self.latency[m][i], i

    def _start(self, m: int) -> int:
        """The earliest start of module m: when the last of its parents has ended and its delay is over."""
        return max((self.finish[p] + delay for p, delay in self.parents[m]), default=0)

    def _least(self, place: int) -> float:
        """Least cost of the modules from a place of the order on; infinite if one of them cannot meet the SLO.

        Their ends in `finish` are overwritten with those at their fastest modes.
        """
        least = 0
        for m in self.order[place:]:
            start = self._start(m)
            room = self.slo - start - self.after[m]
            # Modes stand cheapest first: the first one that fits is the cheapest that does.
            fitting = next((i for i, latency in enumerate(self.latency[m]) if latency <= room), None)
            if fitting is None:
                return inf
            least += self.cost[m][fitting]
            self.finish[m] = start + self.latency[m][-1]
        return least
