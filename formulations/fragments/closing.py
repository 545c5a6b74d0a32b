"""The best partition of fragments by listed sets, proven in whole numbers (ours).

Branch and bound: HiGHS proposes prices, which are rounded to whole units and lowered until no set gains. What the
fragments left are worth at such prices is then a bound, whatever HiGHS's tolerances are; GPU shares are whole percents,
so that it is rounded up. A node branches on the fragment that the fewest sets hold: every partition has one of these.
"""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from formulations.engines.highs_arrays import Linear
from formulations.fragments.columns.tables import UNIT

MOST_NODES = 20_000
"""Nodes after which the proof is given up: each takes a millisecond or more."""

FITS_PCT = 2**40
"""GPU shares of all sets together below this are computed in 64 bits, others in Python's integers."""

Ints = npt.NDArray[Any]
Flags = npt.NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Closed:
    """What the search found.

    Attributes:
        chosen: sets of the best partition, by their places; None: none was found or given.
        share_pct: its GPU share; None as `chosen`.
        bound_pct: no partition has a GPU share below this.
        nodes: number of nodes.
    """

    chosen: tuple[int, ...] | None
    share_pct: int | None
    bound_pct: int
    nodes: int

    @property
    def proven(self) -> bool:
        """Whether the partition is the best one."""
        return self.share_pct == self.bound_pct


def close(holds: Flags, share_pct: Sequence[int], start: Sequence[int] | None, deadline: float) -> Closed:
    """The best partition.

    Args:
        holds: whether a set holds a fragment, shape (sets, fragments).
        share_pct: GPU share of each set; each fragment has a set of its own.
        start: a partition to start from, by places of its sets; None: there is none.
        deadline: `time.perf_counter` value at which to stop.
    """
    kind = np.int64 if sum(share_pct) < FITS_PCT else object
    search = _Search(holds, np.array(share_pct, dtype=kind), deadline)
    if start is not None:
        search.chosen, search.best = tuple(start), sum(share_pct[k] for k in start)
    finished = search.node(np.ones(holds.shape[1], dtype=np.bool_), np.arange(len(holds)), (), 0)
    best = None if search.chosen is None else int(search.best)
    return Closed(search.chosen, best, best if finished and best is not None else search.root_pct, search.nodes)


class _Search:
    """Depth-first search.

    Attributes:
        best: GPU share of the best partition so far, infinite: there is none.
        chosen: its sets.
        root_pct: bound of the first node.
        nodes: number of nodes.
    """

    def __init__(self, holds: Flags, share: Ints, deadline: float) -> None:
        self._holds, self._share, self._deadline = holds, share, deadline
        self.best: float = math.inf
        self.chosen: tuple[int, ...] | None = None
        self.root_pct, self.nodes = 0, 0
        # The least GPU share of the sets taken so far, by the fragments that they leave.
        self._seen: dict[bytes, int] = {}

    def node(self, left: Flags, sets: Ints, taken: tuple[int, ...], cost_pct: int) -> bool:
        """Search partitions of the fragments that are left by sets of no others; whether that was done to its end."""
        if not left.any():
            if cost_pct < self.best:
                self.best, self.chosen = cost_pct, taken
            return True
        # The same fragments were left before at no higher cost: whatever completes this was tried then.
        if self._seen.get(left.tobytes(), math.inf) <= cost_pct:
            return True
        self._seen[left.tobytes()] = cost_pct
        if self.nodes >= MOST_NODES or time.perf_counter() >= self._deadline:
            return False
        self.nodes += 1
        holds = self._holds[np.ix_(sets, np.flatnonzero(left))]
        worth, reduced = _priced(holds, self._share[sets])
        if not taken:
            self.root_pct = -(-worth // UNIT)
        useful = np.flatnonzero(reduced <= self._slack(cost_pct, worth))
        sets, reduced, holds = sets[useful], reduced[useful], holds[useful]
        own = np.flatnonzero(holds[:, np.argmin(holds.sum(axis=0))])
        for k in own[np.argsort(reduced[own], kind="stable")].tolist():
            # The best so far may have become better since these sets were looked at.
            if reduced[k] > self._slack(cost_pct, worth):
                break
            rest = left.copy()
            rest[left] = ~holds[k]
            others = sets[~holds[:, holds[k]].any(axis=1)]
            if not self.node(rest, others, (*taken, int(sets[k])), cost_pct + int(self._share[sets[k]])):
                return False
        return True

    def _slack(self, cost_pct: int, worth: int) -> float:
        """What the reduced costs of the sets of a better partition add up to at most, in units."""
        # Shares are whole percents, so that a better partition has one less at least.
        return (self.best - 1 - cost_pct) * UNIT - worth


def _priced(holds: Flags, share: Ints) -> tuple[int, Ints]:
    """What fragments are worth together at prices at which no set gains, and the sets' reduced costs, in units.

    Args:
        holds: whether a set holds a fragment, shape (sets, fragments).
        share: GPU shares of the sets in percent, shape (sets,).
    """
    found = Linear(-holds.T.astype(float), np.full(holds.shape[1], -1.0)).solve(share.astype(float))
    duals = np.zeros(holds.shape[1]) if found is None else found.duals
    prices = np.array([math.floor(price * UNIT) for price in duals.tolist()], dtype=share.dtype)
    # Each set holds a fragment, so that to take the largest gain from each price leaves no set with one.
    prices = prices - max(0, -int((share * UNIT - holds @ prices).min(initial=0)))
    return int(prices.sum()), share * UNIT - holds @ prices
