"""What the method needs of an instance, as arrays; least cost is maximised with the opposite sign."""

from __future__ import annotations

import time
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from euclio.pipeline import Cluster, Objective, PipelineSpace
from formulations.pipeline.columns.enumeration import Floats, Ints

ROUNDING = 1e-12
"""Relative slack in favour of plans wherever floating point decides, thousands of times what its sums may lose."""


class OutOfTimeError(Exception):
    """The time limit has passed."""


class TooManyError(Exception):
    """More patterns or states than fit, or too many ways to reach them."""


@dataclass(frozen=True, slots=True)
class Deadline:
    """When to stop, on the clock of `time.perf_counter`; infinite: never."""

    at: float

    @property
    def left(self) -> float:
        """Seconds left, at least 0."""
        return max(0.0, self.at - time.perf_counter())

    def check(self) -> None:
        """Stop where the time is over.

        Raises:
            OutOfTimeError: it is.
        """
        if time.perf_counter() > self.at:
            raise OutOfTimeError


@dataclass(frozen=True, slots=True)
class Task:
    """Numbers of an instance.

    Attributes:
        cost: the objective is the least cost.
        count: GPUs by type.
        weight: weight by model, or the rate to serve where the objective is cost.
        price: money per hour by type; zeros where the objective is throughput.
        whole: GPUs are counted up to whole ones.
        one_per_sequence: at most one pipeline per model and sequence of GPU types.
        served: requests per second by model that the bulk serves, which is not part of what is packed.
        spent: money per hour by model for the bulk's GPUs.
        enough: part of its rate that a model has to be served where the objective is cost: a little less than all so
            that rounding cuts off no plan, or a little more so that it lets none through.
    """

    cost: bool
    count: Ints
    weight: Floats
    price: Floats
    whole: bool
    one_per_sequence: bool
    served: Floats
    spent: Floats
    enough: float = 1 - ROUNDING

    def least(self, model: int, target: float) -> float:
        """Requests per second, next to the bulk's, of a model in a plan whose value is the target, at least."""
        return float((self.enough if self.cost else target) * self.weight[model] - self.served[model])

    @property
    def worst(self) -> float:
        """A value that no plan is worse than."""
        return -float(self.price @ self.count) if self.cost else 0.0


def task_of(cluster: Cluster, space: PipelineSpace) -> Task:
    """The task of an instance and plan space; for the objective cost, prices and rates are given."""
    cost = space.objective is Objective.COST
    count = np.array([gpu.count for gpu in cluster.gpus], dtype=np.int64)
    if cost:
        price = np.array([_given(gpu.price_per_h) for gpu in cluster.gpus])
        weight = np.array([_given(model.rate_rps) for model in cluster.models])
    else:
        price = np.zeros(len(cluster.gpus))
        weight = np.array([float(model.weight) for model in cluster.models])
    nothing = np.zeros(len(weight))
    return Task(cost, count, weight, price, space.whole_gpus, space.one_per_sequence, nothing, nothing)


def _given(value: Fraction | None) -> float:
    assert value is not None
    return float(value)
