"""Dividing the GPUs between the models, given what each can serve with every amount of them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from formulations.pipeline.columns.enumeration import Floats, Ints
from formulations.pipeline.columns.packing import Packing
from formulations.pipeline.columns.relaxation import Relaxation
from formulations.pipeline.columns.task import ROUNDING, Task


@dataclass(frozen=True, slots=True)
class Points:
    """Amounts of GPUs of one model at which its value rises, and these values.

    Attributes:
        amount: parts of each GPU type, shape (points, types).
        value: the model's share of the objective: weighted requests per second, or its cost with the sign changed.
    """

    amount: Ints
    value: Floats


@dataclass(frozen=True, slots=True)
class Division:
    """Best division: its value and every model's amount of GPUs; no amounts: none beats the target."""

    value: float
    amounts: tuple[Ints, ...]


def served_table(packing: Packing, relaxation: Relaxation, model: int, whole: bool) -> Floats:
    """Most requests per second of a model by the GPUs that it may use, shape (counts + 1) or as the grid.

    Args:
        packing: least losses by amount.
        relaxation: prices that the losses are measured with.
        model: index of the model.
        whole: round the GPUs used up to whole ones.
    """
    grid = packing.grid
    cells = np.flatnonzero(np.isfinite(packing.loss))
    amounts = grid.amounts(cells)
    # What is lost may be nearly all: then little is known of what is served, and the most is assumed.
    worth = amounts / grid.unit @ relaxation.gpu
    served = (worth * (1 + ROUNDING / 10) - packing.loss[cells]) / relaxation.model[model]
    if whole:
        amounts = -(-amounts // grid.unit)
    shape = tuple((np.array(grid.shape) - 1) // (grid.unit if whole else 1) + 1)
    table = np.zeros(shape)
    np.maximum.at(table, tuple(amounts.T), served)
    return at_most(table)


def at_most(table: Floats) -> Floats:
    """The largest entry up to each index."""
    for axis in range(table.ndim):
        np.maximum.accumulate(table, axis=axis, out=table)
    return table


def points_of(task: Task, table: Floats, unit: Ints, model: int, target: float, bound: float) -> Points:
    """Where the value of a model rises above the target.

    Args:
        task: the instance.
        table: requests per second by amount.
        unit: parts of a GPU that the amounts count, by type.
        model: index of the model.
        target: value that a plan has to exceed.
        bound: value that no plan exceeds.
    """
    if task.cost:
        level = (table >= task.least(model, target)).astype(float)
        amount = np.argwhere(_rises(level) & (level > 0))
        value = -(amount / unit @ task.price) - task.spent[model]
        good = value > target
        return Points(amount[good], value[good])
    level = np.minimum((table + task.served[model]) / task.weight[model], bound)
    level[level <= target] = 0.0
    amount = np.argwhere(_rises(level) & (level > 0))
    return Points(amount, level[tuple(amount.T)])


def _rises(level: Floats) -> np.ndarray:
    """Whether an entry exceeds all its lower neighbours."""
    rises = np.ones(level.shape, dtype=bool)
    for axis in range(level.ndim):
        inner = [slice(None)] * level.ndim
        inner[axis] = slice(1, None)
        rises[tuple(inner)] &= np.diff(level, axis=axis) > 0
    return rises


def divide(task: Task, points: list[Points], shape: tuple[int, ...], target: float) -> Division:
    """The best division of all GPUs.

    Args:
        task: the instance.
        points: one entry per model.
        shape: of the table of amounts.
        target: value that it has to exceed.
    """
    tables = [_nothing(task, shape)]
    for own in points[:-1]:
        tables.append(_join(task, own, tables[-1]))
    rest = np.array(shape) - 1
    value = target
    amounts: list[Ints] = []
    for own, table in zip(reversed(points), reversed(tables), strict=True):
        fits = np.flatnonzero((own.amount <= rest).all(axis=1))
        if not len(fits):
            return Division(target, ())
        joint = _both(task, own.value[fits], table[tuple((rest - own.amount[fits]).T)])
        best = int(np.argmax(joint))
        if not amounts:
            value = float(joint[best])
        amounts.append(own.amount[fits[best]])
        rest = rest - own.amount[fits[best]]
    return Division(value, tuple(reversed(amounts))) if value > target else Division(target, ())


def others(task: Task, points: list[Points], shape: tuple[int, ...], model: int) -> Floats:
    """Best value of all models but one by the amount of GPUs."""
    table = _nothing(task, shape)
    for i, own in enumerate(points):
        if i != model:
            table = _join(task, own, table)
    return table


def with_others(task: Task, value: Floats | float, rest: Floats) -> Floats:
    """The objective from one model's value and the others' best."""
    return _both(task, np.asarray(value), rest)


def _nothing(task: Task, shape: tuple[int, ...]) -> Floats:
    return np.zeros(shape) if task.cost else np.full(shape, np.inf)


def _both(task: Task, value: Floats, rest: Floats) -> Floats:
    return value + rest if task.cost else np.minimum(value, rest)


def _join(task: Task, own: Points, rest: Floats) -> Floats:
    """Best value of one more model by the amount of GPUs."""
    table = np.full(rest.shape, -np.inf)
    for amount, value in zip(own.amount, own.value, strict=True):
        above = tuple(slice(int(a), None) for a in amount)
        below = tuple(slice(0, n - int(a)) for n, a in zip(rest.shape, amount, strict=True))
        np.maximum(table[above], _both(task, value, rest[below]), out=table[above])
    return table
