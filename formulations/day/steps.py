"""The steps of a load for choices at prices: the least cost of each, and the choices with that cost (ours)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from euclio.problems.session import Session
from formulations.day.choices import Choices, Floats, Ints
from formulations.day.rate_table import ROUNDING
from formulations.day.step_kernel import Flags, Within, cheapest_steps

MOST_PATHS = 64
"""Most paths with the SLO in choices; plans must keep it on all others too, but bounds need not."""


class Cheapest(NamedTuple):
    """The cheapest choices of all steps at prices.

    Attributes:
        least: lower bound on choices of all steps together, less the possible rounding.
        on: machines of choices with that cost, with those that are worth more than they cost, shape (steps, modules,
            types).
    """

    least: float
    on: Floats


@dataclass(frozen=True, slots=True)
class Steps:
    """The steps of a load, for choices at prices.

    Attributes:
        choices: the choices of the modules.
        through: whether each path goes through a module, shape (paths, modules).
        slo_s: the objective, with a margin for plans or bounds.
        most: most useful machines, shape (modules, types).
        stock: machines of each type; infinite means no limit.
        chosen: the last choices, a warm start of the next search, shape (steps, modules); -1 if there is none.
        weights: multipliers of paths and stock for the warm start.
    """

    choices: Choices
    through: Flags
    slo_s: float
    most: Ints
    stock: Floats
    chosen: Ints
    weights: Floats

    def bounds(self, prices: Floats, worth: Floats | None = None) -> Floats:
        """Lower bounds of the steps at prices of at least 0; infinite if nothing serves. `chosen` has that cost.

        Args:
            prices: price of a machine in each step, shape (steps, modules, types).
            worth: money that a second of latency brings, shape (steps, modules); none without.
        """
        least = np.empty(len(prices))
        latencies = np.zeros(prices.shape[:2]) if worth is None else worth
        within = Within(self.through, self.slo_s, self.stock)
        cheapest_steps(self.choices, prices, latencies, within, least, self.chosen, self.weights)
        return least

    def machines(self) -> Ints:
        """Machines of the last choices, shape (steps, modules, types); none without a choice."""
        found = np.zeros((*self.chosen.shape, self.most.shape[1]), np.int64)
        there = self.chosen >= 0
        found[there] = self.choices.vectors[self.chosen[there]]
        return found

    def latencies(self) -> Floats:
        """Latencies of the last choices, shape (steps, modules); 0 without a choice."""
        found = np.zeros(self.chosen.shape)
        there = self.chosen >= 0
        found[there] = self.choices.latency_s[self.chosen[there]]
        return found

    def cheapest(self, prices: Floats, worth: Floats | None = None) -> Cheapest:
        """The cheapest choices of all steps, at prices of any sign.

        Args:
            prices: as of `bounds`; below 0 if a running machine is worth more than it costs.
            worth: as of `bounds`.
        """
        limited = np.isfinite(self.stock)
        stock = np.where(limited, self.stock, 0.0)
        # If a machine of a stock is worth more than it costs, a plan has the whole stock. Its price is then 0 for that
        # module and accordingly higher for the others, and each machine of the stock gives it back.
        raised = np.where(limited, np.maximum(0.0, -prices.min(axis=1)), 0.0)
        own = prices + raised[:, None]
        given = float((raised * stock).sum())
        least = float(self.bounds(np.maximum(own, 0.0), worth).sum() + (np.minimum(own, 0.0) * self.most).sum()) - given
        # Without a limit all useful machines are on.
        on = np.where(own < 0, self.most, self.machines()).astype(np.float64)
        rest = np.where(raised > 0, stock - on.sum(axis=1), 0.0)
        np.put_along_axis(on, at := prices.argmin(axis=1)[:, None], np.take_along_axis(on, at, 1) + rest[:, None], 1)
        return Cheapest(least - ROUNDING * (float((np.abs(own) * self.most).sum()) + given), on)


def steps_of(choices: Choices, through: Flags, slo_s: float, most: Ints, stock: Floats) -> Steps:
    """The steps of some choices, without a choice yet."""
    steps, modules = choices.first.shape[:2]
    chosen = np.full((steps, modules), -1, np.int64)
    weights = np.zeros((steps, len(through) + int(np.isfinite(stock).sum())))
    return Steps(choices, through, slo_s, most, stock, chosen, weights)


def paths_through(session: Session) -> Flags:
    """Whether each path goes through a module, shape (paths, modules)."""
    return np.array([[m in path for m in range(len(session.modules))] for path in _paths(session)])


def _paths(session: Session) -> list[list[int]]:
    """The first `MOST_PATHS` paths through the DAG from modules without parents to modules without children."""
    parents = session.parents()
    inner = {parent for own in parents for parent in own}
    waiting = [[m] for m in reversed(range(len(parents))) if m not in inner]
    found: list[list[int]] = []
    while waiting and len(found) < MOST_PATHS:
        path = waiting.pop()
        before = parents[path[0]]
        waiting += [[parent, *path] for parent in reversed(before)]
        if not before:
            found.append(path)
    return found
