"""What a run says: cost and finish rate over time, and in all (Scrooge §4.1)."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from euclio.serving.dynamics.planning import Question
from euclio.serving.dynamics.rules import S_PER_H
from euclio.serving.dynamics.workers import Rental
from euclio.serving.units import NS_PER_S, Floats, Ints

DIGITS = 4
"""Decimals of costs per hour in files."""


@dataclass(frozen=True, slots=True)
class Record:
    """A run.

    Attributes:
        modules: names of the modules.
        prices_per_h: price by worker type.
        invocations: invocations that come with the frames of each second, shape (seconds, modules).
        frames: frames that came, and those that were answered in time, by second of arrival, shape (seconds, 2).
        rentals: the time for which each worker was paid.
        planned_per_h: mean cost of the plans by second, machines charged for the share that is used.
        used_per_h: mean price of the workers that something is placed on, by second.
        allocations: allocations made.
        sold_out: how often a type was sold out.
        unplanned: how often there was no plan.
        questions: what the planner was asked, in order, equal ones too.
        state_moves: machines that hold state and were added or removed.
        state_cost: what that costs, in money.
    """

    modules: tuple[str, ...]
    prices_per_h: dict[str, float]
    invocations: Ints
    frames: Ints
    rentals: tuple[Rental, ...]
    planned_per_h: Floats
    used_per_h: Floats
    allocations: int
    sold_out: int
    unplanned: int
    questions: tuple[Question, ...] = ()
    state_moves: int = 0
    state_cost: Fraction = Fraction(0)

    @property
    def seconds(self) -> int:
        """Length in seconds."""
        return len(self.frames)

    @property
    def cost_per_h(self) -> Floats:
        """What the cloud charges per hour by second: whole workers that are on, also while they load or are idle."""
        cost = np.zeros(self.seconds)
        starts = np.arange(self.seconds, dtype=np.int64) * NS_PER_S
        for rental in self.rentals:
            on = np.minimum(rental.off_ns, starts + NS_PER_S) - np.maximum(rental.on_ns, starts)
            cost += self.prices_per_h[rental.hardware] * np.clip(on, 0, None) / NS_PER_S
        return cost

    @property
    def cost(self) -> float:
        """What the run costs."""
        return float(self.cost_per_h.sum()) / S_PER_H

    @property
    def planned_cost(self) -> float:
        """What its plans cost, machines charged for the share that is used."""
        return float(self.planned_per_h.sum()) / S_PER_H

    @property
    def used_cost(self) -> float:
        """What the workers in use cost, whole workers without those that are idle."""
        return float(self.used_per_h.sum()) / S_PER_H

    @property
    def finish_rates(self) -> Floats:
        """Part of the frames of each second that were answered in time; not a number where none came."""
        came = self.frames[:, 0]
        return np.where(came > 0, self.frames[:, 1] / np.maximum(came, 1), np.nan)

    @property
    def finish_rate(self) -> float:
        """Mean over the seconds in which frames came (Scrooge §4.1)."""
        return float(np.nanmean(self.finish_rates))

    @property
    def attainment(self) -> float:
        """Part of all frames that were answered in time."""
        return float(self.frames[:, 1].sum() / max(1, self.frames[:, 0].sum()))

    def describe(self) -> dict[str, Any]:
        """Totals as plain data."""
        return {
            "came": int(self.frames[:, 0].sum()),
            "finish_rate": self.finish_rate,
            "attainment": self.attainment,
            "cost": self.cost,
            "used_cost": self.used_cost,
            "planned_cost": self.planned_cost,
            "workers_started": len(self.rentals),
            "allocations": self.allocations,
            "sold_out": self.sold_out,
            "unplanned": self.unplanned,
            "state_moves": self.state_moves,
            "state_cost": float(self.state_cost),
        }

    def by_second(self) -> dict[str, list[float]]:
        """What is drawn over time, as plain data, one entry per second."""
        return {
            "frames_by_s": [int(n) for n in self.frames[:, 0]],
            "in_time_by_s": [int(n) for n in self.frames[:, 1]],
            "used_per_h_by_s": [round(float(cost), DIGITS) for cost in self.used_per_h],
            "cost_per_h_by_s": [round(float(cost), DIGITS) for cost in self.cost_per_h],
            "planned_per_h_by_s": [round(float(cost), DIGITS) for cost in self.planned_per_h],
        }
