"""The steps of a load for choices at prices: what each of them costs at least, and what does (ours)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from euclio.problems.session import Session
from formulations.day.choices import Choices, Floats, Ints
from formulations.day.one_module import ROUNDING
from formulations.day.step_kernel import Flags, Within, cheapest_steps

MOST_PATHS = 64
"""Paths on which choices keep the SLO; plans are held to it on all others too, bounds need not be."""


class Cheapest(NamedTuple):
    """The cheapest choices of all steps at prices.

    Attributes:
        least: no choices of all steps together cost less, with what rounding may have added taken off.
        on: machines of choices that cost so much, with those that are worth more than they cost, shape (steps,
            modules, types).
    """

    least: float
    on: Floats


@dataclass(frozen=True, slots=True)
class Steps:
    """The steps of a load, for choices at prices.

    Attributes:
        choices: what the modules choose from.
        through: which modules each path goes through, shape (paths, modules).
        slo_s: the objective, with a margin for plans or bounds.
        most: no more machines than these are of use, shape (modules, types).
        stock: machines of each type; infinite means no limit.
        chosen: the last choices, with which the next search begins, shape (steps, modules); -1 if there is none.
        weights: multipliers of paths and stock with which it begins.
    """

    choices: Choices
    through: Flags
    slo_s: float
    most: Ints
    stock: Floats
    chosen: Ints
    weights: Floats

    def bounds(self, prices: Floats, worth: Floats | None = None) -> Floats:
        """Lower bounds of the steps at prices of at least 0; infinite where nothing serves. `chosen` is what costs it.

        Args:
            prices: price of a machine in each step, shape (steps, modules, types).
            worth: money that a second of latency brings in, shape (steps, modules); none without.
        """
        least = np.empty(len(prices))
        latencies = np.zeros(prices.shape[:2]) if worth is None else worth
        within = Within(self.through, self.slo_s, self.stock)
        cheapest_steps(self.choices, prices, latencies, within, least, self.chosen, self.weights)
        return least

    def machines(self) -> Ints:
        """Machines of what was chosen last, shape (steps, modules, types); none where nothing was."""
        found = np.zeros((*self.chosen.shape, self.most.shape[1]), np.int64)
        there = self.chosen >= 0
        found[there] = self.choices.vectors[self.chosen[there]]
        return found

    def latencies(self) -> Floats:
        """Latencies of what was chosen last, shape (steps, modules); 0 where nothing was."""
        found = np.zeros(self.chosen.shape)
        there = self.chosen >= 0
        found[there] = self.choices.latency_s[self.chosen[there]]
        return found

    def cheapest(self, prices: Floats, worth: Floats | None = None) -> Cheapest:
        """The cheapest choices of all steps, at prices of any sign.

        Args:
            prices: as of `bounds`; below 0 where having a machine on is worth more than it costs.
            worth: as of `bounds`.
        """
        limited = np.isfinite(self.stock)
        stock = np.where(limited, self.stock, 0.0)
        # All of a stock is had where a machine of it is worth more than it costs: its price is 0 to that module, as
        # much more to the others, and is given back for each machine of the stock.
        raised = np.where(limited, np.maximum(0.0, -prices.min(axis=1)), 0.0)
        own = prices + raised[:, None]
        given = float((raised * stock).sum())
        least = float(self.bounds(np.maximum(own, 0.0), worth).sum() + (np.minimum(own, 0.0) * self.most).sum()) - given
        # Without a limit as many as are of any use are on.
        on = np.where(own < 0, self.most, self.machines()).astype(np.float64)
        rest = np.where(raised > 0, stock - on.sum(axis=1), 0.0)
        np.put_along_axis(on, at := prices.argmin(axis=1)[:, None], np.take_along_axis(on, at, 1) + rest[:, None], 1)
        return Cheapest(least - ROUNDING * (float((np.abs(own) * self.most).sum()) + given), on)


def steps_of(choices: Choices, through: Flags, slo_s: float, most: Ints, stock: Floats) -> Steps:
    """The steps of some choices, nothing of which is chosen yet."""
    steps, modules = choices.first.shape[:2]
    chosen = np.full((steps, modules), -1, np.int64)
    weights = np.zeros((steps, len(through) + int(np.isfinite(stock).sum())))
    return Steps(choices, through, slo_s, most, stock, chosen, weights)


def paths_through(session: Session) -> Flags:
    """Which modules each path goes through, shape (paths, modules)."""
    return np.array([[m in path for m in range(len(session.modules))] for path in _paths(session)])


def _paths(session: Session) -> list[list[int]]:
    """Paths through the DAG from modules without parents to modules without children, the first `MOST_PATHS`."""
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
