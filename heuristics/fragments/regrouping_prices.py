"""Prices of fragments as their worth in a plan: the duals of a linear program over sets, for `regroup` (ours).

Fragments of a queue with similar time budgets are a class with one price per unit of rate. Sets of largest gain at the
prices so far become columns until none gains. A fragment may replace a tighter one, so prices do not rise along a
queue. A column per pair of neighbouring classes states this, and makes a few rounds sufficient. Prices guide the search
and prove nothing.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from heuristics.fragments.regrouping_kernel import Prices, best_sets
from heuristics.fragments.regrouping_tables import Queues, Rules, Tables
from heuristics.highs import covering_program

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]

GAINS_PCT = 1e-3
"""Least gain of a set that changes prices."""
ROUNDS = 40
"""Most searches for sets that gain."""
ALONE_PCT = 1e4
"""GPU share of a unit of rate without a set, more than that of any stage."""


def classes_of(queues: Queues, most: int) -> Ints:
    """The class of each fragment, up to a number per queue, with about as many fragments each; shape (fragments,)."""
    found = np.zeros(len(queues.places), dtype=np.int64)
    last = -1
    for first, end in zip(queues.starts[:-1], queues.starts[1:], strict=True):
        _, kind, counts = np.unique(queues.limits[first:end], return_inverse=True, return_counts=True)
        number = (np.cumsum(counts) - 1) * most // int(counts.sum())
        found[first:end] = last + 1 + np.unique(number, return_inverse=True)[1][kind]
        last = int(found[end - 1])
    return found


class PriceProgram:
    """The program min share · x, at least the rate of each class in sets, x ≥ 0; solved again from the last basis."""

    def __init__(self, queues: Queues, classes: Ints, alone_pct: float) -> None:
        self._classes, self._rate = classes, np.diff(queues.units)
        self._program = covering_program()
        queue = np.repeat(np.arange(len(queues.begins)), np.diff(queues.starts))
        first = np.searchsorted(classes, np.arange(int(classes[-1]) + 1))
        for kind, rate in enumerate(np.bincount(classes, weights=self._rate).tolist()):
            self._program.row(rate)
            self._program.column(alone_pct, [kind], [1.0])
            if kind and queue[first[kind]] == queue[first[kind - 1]]:
                self._program.column(0.0, [kind - 1, kind], [-1.0, 1.0])

    def prices(self) -> Prices:
        """The prices at the optimum."""
        price = self._program.prices()[self._classes]
        return Prices(price, np.concatenate(([0.0], np.cumsum(price * self._rate))))

    def add(self, places: Ints, share_pct: float) -> None:
        """Add a set of the fragments at some places in the queues."""
        rate = np.bincount(self._classes[places], weights=self._rate[places])
        kinds = np.flatnonzero(rate)
        self._program.column(share_pct, kinds.tolist(), rate[kinds].tolist())


Sets = list[tuple[Ints, float]]
"""Sets by the places of their fragments in the queues, with their GPU shares in percent."""


def prices_of(queues: Queues, tables: Tables, rules: Rules, most_classes: int, sets: Sets) -> tuple[Prices, Sets]:
    """Prices at which hardly any set gains, and the sets behind them.

    Args:
        queues: the fragments.
        tables: shares of their stages.
        rules: the rules for sets.
        most_classes: most classes of a queue.
        sets: sets to begin with.
    """
    classes = classes_of(queues, most_classes)
    program = PriceProgram(queues, classes, ALONE_PCT)
    states = _first_states(queues, classes)
    columns = list(sets)
    for places, share in sets:
        program.add(places, share)
    prices = program.prices()
    for _ in range(ROUNDS):
        new = [found for state in states if (found := _best_set(queues, tables, rules, prices, *state)) is not None]
        if not new:
            break
        for places, share in new:
            program.add(places, share)
        columns += new
        prices = program.prices()
    return prices, columns


def _first_states(queues: Queues, classes: Ints) -> list[tuple[Ints, int]]:
    """Per class the state in which it is the tightest remaining one, and its queue."""
    found = []
    for place in np.searchsorted(classes, np.arange(int(classes[-1]) + 1)).tolist():
        served = [
            np.searchsorted(queues.limits[first:end], queues.limits[place])
            for first, end in zip(queues.starts[:-1], queues.starts[1:], strict=True)
        ]
        found.append((np.array(served, dtype=np.int64), int(np.searchsorted(queues.starts, place, side="right")) - 1))
    return found


def _best_set(
    queues: Queues, tables: Tables, rules: Rules, prices: Prices, served: Ints, must: int
) -> tuple[Ints, float] | None:
    """Places and GPU share of the set of largest gain at a state; None if none gains."""
    gain, taken = best_sets(queues, tables, rules, prices, served, must, 0.0)
    k = int(np.argmax(gain))
    if gain[k] <= GAINS_PCT:
        return None
    first = queues.starts[:-1] + served
    end = first + taken[k]
    places = np.concatenate([np.arange(a, b) for a, b in zip(first, end, strict=True)])
    return places, float((prices.worth[end] - prices.worth[first]).sum() - gain[k])
