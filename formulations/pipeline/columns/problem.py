"""The instance as arrays, the deadline, and the incumbent and bound of the search.

The whole method maximises. A cost is maximised with its sign changed, so a bound is an upper bound in both objectives.
"""

from __future__ import annotations

import math
import time
from dataclasses import dataclass, field
from fractions import Fraction

import numpy as np

from euclio.problems.pipeline import Cluster, Objective, PipelineSpace
from formulations.effort import UndecidedError
from formulations.pipeline.columns.enumeration import Floats, Ints
from formulations.tolerances import BETTER, GAP, SUMS

Counts = list[tuple[int, Ints]]
"""A plan as indices of columns, each with its numbers of virtual GPUs by position."""


class OutOfTimeError(UndecidedError):
    """The time limit has passed."""


class TooManyError(UndecidedError):
    """A search would need more patterns, labels or pairs of them than its limit allows."""


class TooLargeError(Exception):
    """The cluster has too many amounts of GPUs for tables."""


@dataclass(frozen=True, slots=True)
class Deadline:
    """A deadline on the clock of `time.perf_counter`; infinite means none."""

    at: float

    @property
    def left(self) -> float:
        """Seconds left, at least 0."""
        return max(0.0, self.at - time.perf_counter())

    def check(self) -> None:
        """Stop if the deadline has passed.

        Raises:
            OutOfTimeError: it has passed.
        """
        if time.perf_counter() > self.at:
            raise OutOfTimeError


@dataclass(frozen=True, slots=True)
class Problem:
    """The numbers of an instance, or of its rest next to GPUs that are already assigned.

    Attributes:
        cost: whether the objective is the least cost; False means the most throughput.
        count: GPUs by type, without assigned ones.
        weight: weight by model or, for least cost, the rate to serve in requests per second.
        price: money per hour by GPU type; zeros for throughput.
        whole: whether GPUs are counted up to whole ones.
        one_per_sequence: whether a plan has at most one pipeline per model and sequence of GPU types.
        served: worth of the assigned GPUs in requests per second, by model.
        spent: money per hour by model for the assigned GPUs.
        enough: part of its rate that a model must be served for least cost: a little less than all, so that rounding
            cuts off no plan, or a little more, so that rounding lets no plan pass.
    """

    cost: bool
    count: Ints
    weight: Floats
    price: Floats
    whole: bool
    one_per_sequence: bool
    served: Floats
    spent: Floats
    enough: float = 1 - SUMS

    @property
    def models(self) -> range:
        """Indices of the models."""
        return range(len(self.weight))

    @property
    def worst(self) -> float:
        """A value at or below that of every plan."""
        return -float(self.price @ self.count) if self.cost else 0.0

    def least_served(self, model: int, target: float) -> float:
        """Requests per second that a model needs in a plan worth `target`, beyond the worth of the assigned GPUs."""
        return float((self.enough if self.cost else target) * self.weight[model] - self.served[model])


def problem_of(cluster: Cluster, space: PipelineSpace) -> Problem:
    """The numbers of an instance in a plan space; least cost needs prices and rates."""
    cost = space.objective is Objective.COST
    count = np.array([gpu.count for gpu in cluster.gpus], dtype=np.int64)
    if cost:
        price = np.array([_given(gpu.price_per_h) for gpu in cluster.gpus])
        weight = np.array([_given(model.rate_rps) for model in cluster.models])
    else:
        price = np.zeros(len(cluster.gpus))
        weight = np.array([float(model.weight) for model in cluster.models])
    nothing = np.zeros(len(weight))
    return Problem(cost, count, weight, price, space.whole_gpus, space.one_per_sequence, nothing, nothing)


def _given(value: Fraction | None) -> float:
    """A number for the objective as a float; an earlier check ensures that the instance has it."""
    assert value is not None
    return float(value)


@dataclass(slots=True)
class Progress:
    """Incumbent and bound of a search.

    Attributes:
        bound: an upper bound on the value of plans.
        started: start of the search on the clock of `time.perf_counter`.
        plan: the incumbent, the best plan so far; None if there is none yet.
        value: its value.
        exhausted: whether it is proven that there is no plan.
        stats: counters.
        trace: seconds since the start, value (None if there is no plan yet) and bound, at each change.
    """

    bound: float
    started: float = field(default_factory=time.perf_counter)
    plan: Counts | None = None
    value: float = -math.inf
    exhausted: bool = False
    stats: dict[str, float] = field(default_factory=dict)
    trace: list[tuple[float, float | None, float]] = field(default_factory=list)

    @property
    def target(self) -> float:
        """The value that a better plan must exceed."""
        return self.value + BETTER * abs(self.value) if self.plan is not None else -math.inf

    @property
    def closed(self) -> bool:
        """Whether the incumbent is proven within the tolerance that counts as optimal."""
        return self.plan is not None and self.bound - self.value <= GAP * abs(self.value)

    def improve(self, value: float, plan: Counts) -> None:
        """Take a plan as the incumbent if it is better."""
        if value > self.value:
            self.value, self.plan = value, plan
            self._note()

    def lower(self, bound: float) -> None:
        """Take an upper bound if it is less than the present one; it never falls below the value for a better plan."""
        bound = max(bound, self.target)
        if bound < self.bound:
            self.bound = bound
            self._note()

    def count(self, name: str, by: float) -> None:
        """Add to a counter."""
        self.stats[name] = self.stats.get(name, 0) + by

    def _note(self) -> None:
        """Add value and bound to the trace."""
        value = None if self.plan is None else self.value
        self.trace.append((time.perf_counter() - self.started, value, self.bound))
