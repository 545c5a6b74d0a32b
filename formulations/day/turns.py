"""Modules planned anew over all steps, one after the other, with what the others leave them (ours).

Given latency budgets, modules are independent: each is a dynamic program over vectors of machines. What a module did
before stays possible, so the cost never rises.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from euclio.day import Day
from euclio.day.instance import HOUR_S
from formulations.day.choices import MARGIN, Box, Choices, Floats, Ints, in_time
from formulations.day.one_path import cheapest_path
from formulations.day.path_kernel import serving_vectors
from formulations.day.transitions import ChangePrices, per_vector


@dataclass(frozen=True, slots=True)
class Turns:
    """Modules that take turns.

    Attributes:
        day: the instance.
        boxes: their vectors of machines.
        choices: what they choose from, for plans.
        deadline: when to give up, on the clock of `time.perf_counter`.
    """

    day: Day
    boxes: Sequence[Box]
    choices: Choices
    deadline: float

    def improved(self, on: Ints, rounds: int) -> Ints:
        """The machines, shape (steps, modules, types), after so many turns of all modules, or none changes any more.

        Raises:
            LateError: the deadline passed.
        """
        on = on.copy()
        steps = np.arange(len(on))
        for _ in range(rounds):
            before = on.copy()
            for m in range(len(self.boxes)):
                own = self.choices.latencies(on, steps).T
                # Where choices do not know how the machines serve, all of them stay: others fit to them only.
                left = np.where(in_time(self.day.session, own), self._left_of_slo(own, m), -np.inf)
                on[:, m] = self._planned(m, left, on)
            if (before == on).all():
                break
        return on

    def _planned(self, m: int, budgets_s: Floats, on: Ints) -> Ints:
        """The cheapest machines of a module within a budget for each step."""
        session, own, choices = self.day.session, self.boxes[m], self.choices
        shape = tuple(int(n) + 1 for n in own.most)
        prices = tuple(float(hardware.price_per_h) for hardware in session.hardware)
        others = on.sum(axis=1) - on[:, m]

        def serves(k: int) -> NDArray[np.bool_]:
            first, end = choices.first[k, m]
            flat = serving_vectors(choices.vectors, choices.latency_s, first, end, budgets_s[k], on[k, m], own.most + 1)
            table = flat.reshape(shape)
            # Machines that the other modules have are not there for this one.
            for h, hardware in enumerate(session.hardware):
                if hardware.count is not None:
                    table[(slice(None),) * h + (slice(max(0, hardware.count - others[k, h]) + 1, None),)] = False
            return table

        changes = ChangePrices(
            tuple(float(self.day.price_of_start(h.price_per_h)) for h in session.hardware),
            tuple(float(self.day.price_of_stop(h.price_per_h)) for h in session.hardware),
        )
        hours = [float(step.length_s / HOUR_S) for step in self.day.steps]
        found = cheapest_path(serves, per_vector(prices, shape), hours, changes, self.deadline)
        assert not isinstance(found, int)
        return np.array(found.machines, np.int64)

    def _left_of_slo(self, latency_s: Floats, m: int) -> Floats:
        """What the other modules leave of the SLO to one, in each step; latencies have the shape (modules, steps)."""
        session = self.day.session
        own = latency_s.copy()
        own[m] = 0.0
        parents = session.parents()
        until, after = np.zeros_like(own), np.zeros_like(own)
        for k in session.order:
            for parent in parents[k]:
                until[k] = np.maximum(until[k], until[parent] + own[parent])
        for k in reversed(session.order):
            for parent in parents[k]:
                after[parent] = np.maximum(after[parent], after[k] + own[k])
        # A module that is not on a path with another one is not bounded by it, but that one has to keep the SLO too.
        # Below 0 it is by the margins alone, and a module to which nothing comes needs no time.
        left: Floats = np.maximum(float(session.slo_s) * (1 - MARGIN) - until[m] - after[m], 0.0)
        return left
