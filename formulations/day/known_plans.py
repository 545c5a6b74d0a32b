"""Known plans of all modules, and the steps that each of them serves, in fractions (ours).

With all machines full a plan's latencies do not depend on the load. So one that keeps the SLO serves every step with
rates no larger than those of its machines. A plan made for a step without requests to a module has no serving machines
there, so it never counts for steps with such requests.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from euclio.problems.day import Day, Staffing

Ints = NDArray[np.int64]
Staffings = tuple[Staffing, ...]
Way = list[Staffings]
"""A plan for each step."""


@dataclass(slots=True)
class KnownPlans:
    """Plans that the checker of sessions accepts in some step.

    Attributes:
        day: the instance.
        staffings: the plans, one staffing per module.
        machines: their machines by module and hardware type.
        served: the steps that each of them serves.
        near: for each plan the steps for which it was made; neighbours of these also use it.
    """

    day: Day
    staffings: list[Staffings] = field(default_factory=list)
    machines: list[Ints] = field(default_factory=list)
    served: list[NDArray[np.bool_]] = field(default_factory=list)
    near: list[set[int]] = field(default_factory=list)
    _places: dict[Staffings, int] = field(default_factory=dict)

    def add(self, way: Iterable[Staffings]) -> None:
        """Add the plans of a way through all steps."""
        for k, staffings in enumerate(way):
            self.add_plan(staffings, [k])

    def add_plan(self, staffings: Staffings, steps: Iterable[int]) -> None:
        """Add a plan that was made for some steps."""
        if staffings not in self._places:
            self._places[staffings] = len(self.staffings)
            self.staffings.append(staffings)
            self.machines.append(machines_of(self.day, staffings))
            self.served.append(self._served(staffings))
            self.near.append(set())
        self.near[self._places[staffings]].update(steps)

    def lists(self, reach: int, most: Ints | None = None) -> tuple[Ints, Ints, list[Staffings]]:
        """The plans that serve each step and were made for a step within some distance.

        Args:
            reach: largest distance in steps.
            most: most machines by module and type of a plan; None means no limit.

        Returns:
            Machines on, shape (plans, modules, types), the step of each, and the plans.
        """
        found: list[tuple[int, int]] = []
        for n, (served, near) in enumerate(zip(self.served, self.near, strict=True)):
            if most is None or (self.machines[n] <= most).all():
                lent = {k for j in near for k in range(j - reach, j + reach + 1) if 0 <= k < len(served)}
                found += [(k, n) for k in lent if served[k]]
        # Plans of a step must be adjacent (`cheapest_way`).
        found.sort()
        machines = np.array([self.machines[n] for _, n in found])
        return machines, np.array([k for k, _ in found], np.int64), [self.staffings[n] for _, n in found]

    def within(self, k: int, on: Ints) -> Staffings:
        """A plan that serves a step with no more machines than these, shape (modules, types).

        Raises:
            LookupError: none is known, which is a fault of the choice of machines.
        """
        for n, machines in enumerate(self.machines):
            if self.served[n][k] and (machines <= on).all():
                return self.staffings[n]
        raise LookupError(f"no known plan serves step {k + 1} with these machines")

    def _served(self, staffings: Staffings) -> NDArray[np.bool_]:
        """The steps with rates no larger than those of the machines."""
        largest = [_full_rate(self.day, m, own) for m, own in enumerate(staffings)]
        return np.array(
            [all(r <= most for r, most in zip(step.rates_rps, largest, strict=True)) for step in self.day.steps]
        )


def _full_rate(day: Day, m: int, staffing: Staffing) -> Fraction:
    """The rate of a module's machines if all are full."""
    own = {(c.hardware, c.batch, c.concurrency): c.throughput_rps for c in day.session.modules[m].profile}
    used = ((own[one.hardware, one.batch, one.concurrency], one.machines) for one in staffing.serving)
    return sum((n * rate for rate, n in used), Fraction(0))


def machines_of(day: Day, staffings: Staffings) -> Ints:
    """Machines on, shape (modules, types)."""
    places = {hardware.name: h for h, hardware in enumerate(day.session.hardware)}
    on = np.zeros((len(staffings), len(places)), np.int64)
    for m, own in enumerate(staffings):
        for serving in own.serving:
            on[m, places[serving.hardware]] += serving.machines
        for idle in own.idle:
            on[m, places[idle.hardware]] += idle.machines
    return on
