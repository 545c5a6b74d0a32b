"""Plans as paths: from no fragment served to all, set by set, the cheapest by prices first, for `regroup` (ours).

Sets are laid in the order of their least time budgets: the next one holds the tightest fragment left. Where all rates
are equal and sets keep their least budget nothing is lost by that, as a tighter fragment may take the place of a looser
one. A path's loss is its share less what the fragments served are worth, and its end's share the loss and the
worth of all. So paths to states with about as many fragments served compare by their loss, and few of each are kept.
"""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from dataclasses import dataclass
from heapq import heappop, heappush
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from heuristics.fragments.regrouping_prices import Prices, sets_at
from heuristics.fragments.regrouping_tables import NEVER, Queues, Rules, Tables

Ints = npt.NDArray[np.int64]
State = tuple[int, ...]
"""How many fragments of each queue have been served."""


LEAST_LOSS_PCT = 1.0
"""Paths are followed up to this loss at least: prices of classes are no exact ones, and losses may be below zero."""


@dataclass(frozen=True, slots=True)
class Effort:
    """How many paths are looked at.

    Attributes:
        kept: states kept of those with about as many fragments served.
        bins: kinds of such states.
        slack_pct: largest difference of the losses of sets that go on from a state.
        most: most sets that go on from a state.
    """

    kept: int
    bins: int
    slack_pct: float
    most: int


class _Step(NamedTuple):
    loss: float
    before: State | None


Path = tuple[float, list[tuple[State, State]]]
"""The loss of a path, and its sets, each by the states before and after it."""


class Search:
    """Finds paths in the queues of a fleet."""

    def __init__(self, queues: Queues, tables: Tables, rules: Rules) -> None:
        self._queues, self._tables, self._rules = queues, tables, rules
        self._sizes = np.diff(queues.starts)
        self._number = int(self._sizes.sum())
        self._start: State = tuple(0 for _ in self._sizes)
        self._end: State = tuple(self._sizes.tolist())

    def path(self, prices: Prices, efforts: Sequence[Effort], deadline: float) -> Path | None:
        """The best path found with one effort after the other, up to a deadline; None: there is none."""
        best = self._greedy(prices)
        for effort in efforts:
            most_loss = math.inf if best is None else max(best[0], LEAST_LOSS_PCT)
            found = self._best(prices, effort, most_loss, deadline)
            if found is not None and (best is None or found[0] < best[0]):
                best = found
        return best

    def _greedy(self, prices: Prices) -> Path | None:
        """The path that takes the set of least loss each time."""
        state, loss, path = self._start, 0.0, []
        while state != self._end:
            following = self._next(prices, state, 0.0, 1)
            if not following:
                return None
            path.append((state, following[0][0]))
            state, loss = following[0][0], loss + following[0][1]
        return loss, path

    def _best(self, prices: Prices, effort: Effort, most_loss: float, deadline: float) -> Path | None:
        """The best path found whose states have at most a loss."""
        steps = {self._start: _Step(0.0, None)}
        width = -(-self._number // effort.bins)
        bins: list[list[tuple[float, State]]] = [[] for _ in range(self._number // width + 1)]
        bins[0].append((0.0, self._start))
        for heap in bins:
            done: set[State] = set()
            # A set may end in the bin that it begins in, which is then looked at too.
            while heap and len(done) < effort.kept and time.perf_counter() < deadline:
                loss, state = heappop(heap)
                if state in done or state == self._end or loss > most_loss:
                    continue
                done.add(state)
                for after, more in self._next(prices, state, min(effort.slack_pct, most_loss - loss), effort.most):
                    if after not in steps or loss + more < steps[after].loss:
                        steps[after] = _Step(loss + more, state)
                        heappush(bins[sum(after) // width], (loss + more, after))
        if self._end not in steps:
            return None
        path, state = [], self._end
        while (before := steps[state].before) is not None:
            path.append((before, state))
            state = before
        return steps[self._end].loss, path[::-1]

    def _next(self, prices: Prices, state: State, slack_pct: float, most: int) -> list[tuple[State, float]]:
        """The states after some sets, at most so many, with their losses, the least first."""
        queues = self._queues
        served = np.array(state, dtype=np.int64)
        must = min((queues.limits[queues.starts[b] + own], b) for b, own in enumerate(state) if own < self._sizes[b])[1]
        gain, taken = sets_at(queues, self._tables, self._rules, prices, served, must, slack_pct)
        ranked = np.argsort(-gain, kind="stable")[:most]
        least = max(gain[ranked[0]] - slack_pct, -NEVER / 2)
        return [(tuple((served + taken[k]).tolist()), -float(gain[k])) for k in ranked.tolist() if gain[k] >= least]
