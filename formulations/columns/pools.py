"""Pools of all models: which states of a model may stand in a better plan, and the best choice among those packed."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from formulations.columns.dividing import Points, at_most, divide, points_of, with_others
from formulations.columns.enumeration import Floats, Ints
from formulations.columns.level import Setting
from formulations.columns.packing import Grid
from formulations.columns.patterns import Patterns
from formulations.columns.progress import STEP, Counts
from formulations.columns.reach import Reach, table_of
from formulations.columns.sharing import pack_pools, usage_of, whole_gpus
from formulations.columns.states import States
from formulations.columns.task import Task


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


def reach_of(
    setting: Setting,
    model: int,
    grid: Grid,
    target: float,
    gap: float,
    share: float = 1.0,
    rest: Floats | None = None,
    more: Floats | None = None,
) -> Reach:
    """Limits of a model's states in plans that exceed the target, if it may lose this gap.

    The worth of its GPUs exceeds that of the requests that it has to serve by no more than the gap.
    Only states are let through that lose no more than the `share` of it. `rest` and `more` are as in `Reach`, by whole
    GPUs and in the grid's shape.
    """
    prices = setting.relaxation
    slack = STEP * abs(prices.bound)
    request = float(prices.model[model])
    need = setting.task.least(model, target) * request
    tables = table_of(rest), table_of(more)
    return Reach(prices.gpu / grid.unit, request, share * gap + slack, need + gap + slack, need - slack, *tables)


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
    found, pairs = pack_pools(grid, usage, patterns.served, reach, stage, setting.deadline, required)
    setting.progress.count("pool_states", len(found.served))
    setting.progress.count("pairs", pairs)
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
