"""Rule `continuous`: a bound on plans whose modules each lie in an interval of latencies, better than steps (ours).

With time at a price of y_m >= 0 money per second in module m, latencies x that keep the SLO on all paths pay

    Σ_m y_m·x_m <= W(y)·SLO,    W(y) the largest Σ y_m over modules of which no two are on one path,

by linear programming duality and Dilworth's theorem with weights. So no plan costs less than

    Σ_m min over plans of m and latencies x_m of its interval of (cost + y_m·x_m)  −  W(y)·SLO.

Each minimum is a point's own value, or that of a line below the interval (`continuous_line`, in floating point on the
side that allows too much); the sums are exact. Any y will do. We take the flow of the relaxation in which the cost
falls along the interval's chord (`relaxation`): then the bound is below the least cost by a term of second order in
the widths only, where steps miss it by one of first order.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import NamedTuple

import numpy as np

from euclio.problems.session.arrays import SessionArrays
from formulations.session.module.continuous_problem import continuous_problem
from formulations.session.module.line import search_line
from formulations.session.split.modes import new_modes
from formulations.session.split.problem import SplitProblem
from formulations.session.split.relaxation import relax
from formulations.tolerances import LINE

NODES = 1 << 14
"""Most nodes of the search for a line."""
MOST_SETS = 4096
"""Sessions with more sets of modules apart than this have no such bounds."""


class Piece(NamedTuple):
    """A point of a module's cost, or an interval of latencies with the point at its end.

    Attributes:
        left_s: where it begins, in seconds.
        end_s: where it ends, in seconds; a point ends where it begins.
        cost_per_h: lower bound on its plans.
        start_per_h: about what plans at its begin cost; only the quality of the bound depends on it. Of a point: its
            cost.
    """

    left_s: Fraction
    end_s: Fraction
    cost_per_h: Fraction
    start_per_h: Fraction


class LineBounds:
    """Bounds on choices of pieces of one session."""

    def __init__(self, arrays: SessionArrays, problem: SplitProblem) -> None:
        """Ready for a session with few sets of modules apart.

        Args:
            arrays: the session in its plan space.
            problem: its DAG and SLO.
        """
        self.arrays, self.problem, self.slo_s = arrays, problem, problem.slo_s
        self.apart = _sets_apart(problem)

    def bound(self, pieces: Sequence[Piece]) -> Fraction | None:
        """Lower bound on the cost of all plans in the pieces, one per module; None: no better one than by steps."""
        if not self.apart:
            return None
        price = self._price_of_time(pieces)
        if price is None:
            return None
        # Near a tie the begins leave a sliver of the SLO, within which a cost hardly falls, however wide its piece is.
        ends = self.problem.room_s([piece.left_s for piece in pieces])
        least = sum(
            (
                self._least(m, piece, y, min(piece.end_s, end))
                for m, (piece, y, end) in enumerate(zip(pieces, price, ends, strict=True))
            ),
            Fraction(0),
        )
        return least - max(sum((price[m] for m in one), Fraction(0)) for one in self.apart) * self.slo_s

    def _price_of_time(self, pieces: Sequence[Piece]) -> list[Fraction] | None:
        modes = new_modes(len(pieces), 2)
        for m, piece in enumerate(pieces):
            corners = [(piece.left_s, piece.start_per_h), (piece.end_s, piece.cost_per_h)]
            falls = float(piece.left_s) < float(piece.end_s) and piece.start_per_h > piece.cost_per_h
            kept = corners if falls else [(piece.left_s, piece.cost_per_h)]
            modes.size[m] = len(kept)
            for i, (latency, cost) in enumerate(kept):
                modes.latency[m, i], modes.cost[m, i] = float(latency), float(cost)
        flow = relax(self.arrays, modes, np.zeros(len(pieces), np.int64), modes.size - 1).flow
        if not np.isfinite(flow).all() or not (flow > 0.0).any():
            return None
        return [Fraction(max(0.0, float(y))) for y in flow]

    def _least(self, m: int, piece: Piece, y: Fraction, end_s: Fraction) -> Fraction:
        """Lower bound on cost + y·latency over the plans of module m from a piece's begin up to a latency within it."""
        step = piece.cost_per_h + y * piece.left_s
        if not y or piece.left_s == piece.end_s or piece.start_per_h <= piece.cost_per_h:
            return step
        most = piece.start_per_h + y * piece.left_s
        # Rounded outwards, so that the interval of floats holds the exact one.
        left, end = math.nextafter(float(piece.left_s), 0.0), math.nextafter(float(end_s), math.inf)
        problem = continuous_problem(self.arrays, m, end)
        # The search for a line needs prices above 0.
        if problem.price.size == 0 or problem.price.min() <= 0.0:
            return step
        found = search_line(problem, left, float(y), float(most - y * Fraction(left)), LINE, NODES)
        if not found.complete:
            return step
        line = Fraction(min(found.start, problem.hidden)) + y * Fraction(left)
        return max(step, min(line, most))


def _sets_apart(problem: SplitProblem) -> list[tuple[int, ...]]:
    """The largest sets of modules of which no two are on one path; none: there are too many."""
    count = len(problem.modules)
    after: list[set[int]] = [set() for _ in range(count)]
    for m in reversed(problem.order):
        for a, b in problem.edges:
            if a == m:
                after[m] |= {b, *after[b]}
    sets: list[tuple[int, ...]] = [()]
    for m in range(count):
        sets += [(*one, m) for one in sets if all(m not in after[k] and k not in after[m] for k in one)]
        if len(sets) > MOST_SETS:
            return []
    # Prices are at least 0, so a set never outweighs one that holds it.
    return [one for one in sets if not any(len(other) > len(one) and set(one) < set(other) for other in sets)]
