"""Pools of all models: which states of a model may stand in a better plan, and the best choice among those packed."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from formulations.columns.dividing import Points, at_most, divide, points_of, with_others
from formulations.columns.enumeration import Floats, Ints
from formulations.columns.level import Setting
from formulations.columns.packing import Grid
from formulations.columns.patterns import Patterns
from formulations.columns.progress import STEP, Counts
from formulations.columns.sharing import Reach, States, pack_pools, usage_of, whole_gpus
from formulations.columns.task import Task

MOST_WASTED = 1 - 1e-9
"""Part of the worth of what is added up to which losses are reckoned with."""


@dataclass(frozen=True, slots=True)
class Losing:
    """States of a model by what they lose against the relaxation's prices.

    Attributes:
        part: worth of one part of a GPU by type.
        request: worth of a request per second.
        gap: what the model may lose.
        most: worth of all GPUs that the model may use.
        rest: the same with at least these whole GPUs, as far as the other models leave it, shape (counts + 1); None:
            nothing is known of them.
        need: worth of the requests that the model has to serve.
        wasted: part that is lost at least of the worth of what is still to be added.
    """

    part: Floats
    request: float
    gap: float
    most: float
    rest: Floats | None
    need: float
    wasted: float = 0.0

    def losses(self, amount: Ints, served: Floats) -> Floats:
        """Worth of what is used less worth of what is served."""
        return np.asarray(amount @ self.part - served * self.request)

    def adding(self, amount: Ints, served: Floats) -> Losing:
        """The same where no other patterns can be added than these."""
        worth = amount @ self.part
        lost = np.maximum(worth - served * self.request, 0.0) / np.maximum(worth, 1e-300)
        return replace(self, wasted=min(float(lost.min(initial=1.0)), MOST_WASTED))

    def hopeful(self, amount: Ints, served: Floats) -> np.ndarray:
        """Whether a state is within both limits, with what has to be added to it."""
        worth, added = self._added(amount, served)
        loss = worth - served * self.request + self.wasted * added
        return np.asarray((worth + added <= self.most) & (loss <= self.gap))

    def allows(self, whole: Ints, amount: Ints, served: Floats) -> np.ndarray:
        """Whether GPUs of enough worth can be used along with these."""
        if self.rest is None:
            return np.ones(len(whole), dtype=bool)
        worth, added = self._added(amount, served)
        return np.asarray(worth + added <= self.rest[tuple(whole.T)] * (1 + STEP))

    def _added(self, amount: Ints, served: Floats) -> tuple[Floats, Floats]:
        """Worth of the GPUs used, and of those that have to be added to serve what is needed."""
        missing = np.maximum(self.need - served * self.request, 0.0)
        return np.asarray(amount @ self.part), np.asarray(missing / (1 - self.wasted))


@dataclass(frozen=True, slots=True)
class Tabled:
    """States of a model by tables of what the other models need.

    Attributes:
        losing: prices and limits.
        allowed: whether the other models can reach the target beside this many whole GPUs, shape (counts + 1).
        more: most requests per second that can be added by parts of GPUs used, in the grid's shape.
        need: requests per second that the model has to reach.
    """

    losing: Losing
    allowed: np.ndarray
    more: Floats
    need: float

    @property
    def gap(self) -> float:
        """What the model may lose."""
        return self.losing.gap

    def losses(self, amount: Ints, served: Floats) -> Floats:
        """Worth of what is used less worth of what is served."""
        return self.losing.losses(amount, served)

    def adding(self, amount: Ints, served: Floats) -> Tabled:
        """The same: the tables know what can be added."""
        return self

    def hopeful(self, amount: Ints, served: Floats) -> np.ndarray:
        """Whether enough can be added."""
        return np.asarray(served + self.more[tuple(amount.T)] >= self.need)

    def allows(self, whole: Ints, amount: Ints, served: Floats) -> np.ndarray:
        """Whether the other models have enough left."""
        return np.asarray(self.allowed[tuple(whole.T)])


@dataclass(frozen=True, slots=True)
class Pools:
    """A model's packed states.

    Attributes:
        model: its index.
        patterns: its patterns.
        states: ways to pack them.
        whole: whole GPUs by state, shape (states, types).
    """

    model: int
    patterns: Patterns
    states: States
    whole: Ints

    def least_loss(self, setting: Setting, target: float) -> float:
        """Least worth lost on whole GPUs by a state that serves the target; infinite: none does."""
        prices, alive = setting.relaxation, self.states.alive
        served = self.states.served[alive]
        loss = self.whole[alive] @ prices.gpu - served * prices.model[self.model]
        enough = served >= setting.task.least(self.model, target) * (1 - STEP)
        return max(0.0, float(loss[enough].min())) if enough.any() else float("inf")


def losing_of(
    setting: Setting, model: int, grid: Grid, target: float, gap: float, share: float = 1.0, rest: Floats | None = None
) -> Losing:
    """Limits of a model's states in plans that exceed the target, if it may lose this gap.

    The worth of its GPUs exceeds that of the requests that it has to serve by no more than the gap.
    Only states are let through that lose no more than the `share` of it. `rest`: as in `Losing`.
    """
    prices = setting.relaxation
    slack = STEP * abs(prices.bound)
    need = setting.task.least(model, target) * float(prices.model[model])
    part = prices.gpu / grid.unit
    return Losing(part, float(prices.model[model]), share * gap + slack, need + gap + slack, rest, need - slack)


def worth_above(allowed: np.ndarray, gpu: Floats) -> Floats:
    """Greatest worth of allowed GPUs that are no fewer of any type, -inf where there are none."""
    worth = np.where(allowed, np.tensordot(gpu, np.indices(allowed.shape), axes=1), -np.inf)
    return np.asarray(np.flip(at_most(np.flip(worth))))


def allowed_beside(task: Task, rest: Floats, target: float) -> np.ndarray:
    """Beside which GPUs of one model the others reach the target, given their best value by amount of GPUs."""
    own = -np.tensordot(task.price, np.indices(rest.shape), axes=1) if task.cost else np.full(rest.shape, np.inf)
    return np.asarray(with_others(task, own, np.flip(rest)) > target)


def pack_model(setting: Setting, model: int, patterns: Patterns, grid: Grid, reach: Reach) -> Pools:
    """Pack a model's patterns with pools.

    Raises:
        TooManyError: there are too many states.
        OutOfTimeError: the deadline has passed.
    """
    usage = usage_of(setting.columns, patterns, grid.unit)
    stage, required = setting.stages(patterns), setting.required(model, patterns)
    found = pack_pools(grid, usage, patterns.served, reach, stage, setting.deadline, required)
    setting.progress.count("pool_states", len(found.served))
    return Pools(model, patterns, found, whole_gpus(found.amount, found.odd, usage.gpu, grid.unit))


def choose(setting: Setting, pools: list[Pools], points: list[Points], target: float) -> bool:
    """Divide the GPUs between the models; a plan that exceeds the target goes to the progress.

    Returns:
        Whether there is one.
    """
    division = divide(setting.task, points, shape_of(setting.task), target)
    plan: Counts = []
    for own, amount in zip(pools, division.amounts, strict=False):
        states = own.states
        fits = states.alive[(own.whole[states.alive] <= amount).all(axis=1)]
        chosen = states.patterns_of(int(fits[np.argmax(states.served[fits])]))
        plan += [(int(own.patterns.column[p]), own.patterns.count[p]) for p in chosen]
    if plan:
        setting.progress.improve(division.value, plan)
    return bool(plan)


def points_of_pools(setting: Setting, own: Pools, target: float) -> Points:
    """Whole GPUs at which the value of a model rises above the target."""
    table, alive = np.full(shape_of(setting.task), -np.inf), own.states.alive
    np.maximum.at(table, tuple(own.whole[alive].T), own.states.served[alive])
    unit = np.ones_like(setting.task.count)
    return points_of(setting.task, at_most(table), unit, own.model, target, setting.relaxation.bound)


def shape_of(task: Task) -> tuple[int, ...]:
    """Shape of tables by whole GPUs."""
    return tuple(int(n) + 1 for n in task.count)
