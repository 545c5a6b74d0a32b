"""Dividing whole GPUs between models by the states that matter, as tables of all amounts may be too large (compiled).

A state matters if no other one of its model serves as much with no more GPUs of any type. States of several models
stand together if they leave the others GPUs that are worth the requests that those have to serve.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from euclio.core.compiled import compiled, is_past
from formulations.pipeline.columns.enumeration import Floats, Ints
from formulations.pipeline.columns.level import Setting
from formulations.pipeline.columns.pools import Pools
from formulations.pipeline.columns.progress import Counts
from formulations.pipeline.columns.reach import Table, table_of
from formulations.pipeline.columns.task import ROUNDING, Deadline, Task, TooManyError

MOST_TOGETHER = 3 * 10**6
"""States of several models together before those that do not matter are left out."""
MOST_CELLS = 10**6
"""Amounts of GPUs that are told apart in what is left next to other models."""
CHECKED = 64
"""Rows after which the time is checked."""


@dataclass(frozen=True, slots=True)
class Joint:
    """States of some models together that matter, by rising worth of their GPUs.

    Attributes:
        amount: whole GPUs of each type, shape (rows, types).
        worth: worth of these.
        value: least weighted requests per second of these models, or their costs with the sign changed.
        states: state of each model, shape (rows, models).
    """

    amount: Ints
    worth: Floats
    value: Floats
    states: Ints

    def take(self, rows: Ints) -> Joint:
        """These rows alone."""
        return Joint(self.amount[rows], self.worth[rows], self.value[rows], self.states[rows])


def choose(setting: Setting, pools: Sequence[Pools], joint: Joint | None, target: float) -> bool:
    """The best states of all models together; a plan that exceeds the target goes to the progress.

    Args:
        setting: the instance.
        pools: the packed models.
        joint: states of all but the last together; None: it is the only one.
        target: what a plan has to exceed.

    Returns:
        Whether there is one.

    Raises:
        TooManyError: too many states stand together.
    """
    value, states = _best(setting, _states_of(setting, pools[-1], target), joint, target)
    if value <= target:
        return False
    plan: Counts = []
    for own, state in zip(pools, states, strict=True):
        chosen = own.states.patterns_of(int(state))
        plan += [(int(own.patterns.column[p]), own.patterns.count[p]) for p in chosen]
    setting.progress.improve(value, plan)
    return True


def _best(setting: Setting, last: Joint, joint: Joint | None, target: float) -> tuple[float, Ints]:
    """Greatest value and the state of each model; where no value exceeds the target, infinitely little and none."""
    if joint is None:
        best = int(np.argmax(last.value)) if len(last.value) else -1
        return (float(last.value[best]), last.states[best]) if best >= 0 else (-math.inf, np.zeros(0, np.int64))
    count, cost = setting.task.count, setting.task.cost
    until = setting.deadline.at
    first, second = _best_pair(joint.amount, joint.value, last.amount, last.value, count, target, cost, until)
    setting.deadline.check()
    if first < 0:
        return -math.inf, np.zeros(0, np.int64)
    both = float(joint.value[first]), float(last.value[second])
    return sum(both) if cost else min(both), np.append(joint.states[first], last.states[second])


def joined(setting: Setting, pools: Sequence[Pools], target: float) -> Joint | None:
    """States of these models together that may be part of a plan that exceeds the target; None: there are no models.

    Raises:
        TooManyError: too many of them stand together.
    """
    task, prices = setting.task, setting.relaxation
    need = np.array([max(0.0, task.least(m, target) * prices.model[m]) for m in range(len(task.weight))])
    most = float(task.count @ prices.gpu) * (1 + ROUNDING) + prices.slack - need.sum()
    joint: Joint | None = None
    for own in pools:
        setting.deadline.check()
        new = _states_of(setting, own, target)
        most += need[own.model]
        joint = new if joint is None else _together(setting, joint, new, most, target)
    return joint


def room_beside(task: Task, gpu: Floats, joint: Joint) -> Table:
    """Greatest worth of GPUs that other models leave, by least amounts of whole ones."""
    size = task.count + 1
    step = np.maximum(1, -(-size // max(1, int(MOST_CELLS ** (1 / len(size))))))
    left = task.count - joint.amount
    worth = np.full(tuple(-(-size // step)), -np.inf)
    np.maximum.at(worth, tuple((left // step).T), left @ gpu)
    for axis in range(worth.ndim):
        worth = np.flip(np.maximum.accumulate(np.flip(worth, axis), axis=axis), axis)
    return table_of(worth, step)


def _states_of(setting: Setting, own: Pools, target: float) -> Joint:
    """States of a model that matter and may be part of a plan that exceeds the target."""
    task, prices, m = setting.task, setting.relaxation, own.model
    alive = own.states.alive
    served, amount = own.states.served[alive], own.whole[alive]
    if task.cost:
        value = np.where(served >= task.least(m, target), -(amount @ task.price) - task.spent[m], -np.inf)
    else:
        value = np.minimum((served + task.served[m]) / task.weight[m], prices.bound + prices.slack)
    worth = amount @ prices.gpu
    fits = np.flatnonzero((value > target) & (amount <= task.count).all(axis=1))
    return _mattering(setting.deadline, Joint(amount[fits], worth[fits], value[fits], alive[fits, None]))


def _together(setting: Setting, first: Joint, second: Joint, most: float, target: float) -> Joint:
    task = setting.task
    pairs = _pairs(
        first.amount, first.worth, first.value, second.amount, second.worth, second.value, task.count, most, target,
        task.cost, setting.deadline.at,
    )  # fmt: skip
    setting.deadline.check()
    if len(pairs) > MOST_TOGETHER:
        raise TooManyError
    a, b = pairs.T
    value = first.value[a] + second.value[b] if task.cost else np.minimum(first.value[a], second.value[b])
    states = np.column_stack([first.states[a], second.states[b]])
    return _mattering(
        setting.deadline, Joint(first.amount[a] + second.amount[b], first.worth[a] + second.worth[b], value, states)
    )


def _mattering(deadline: Deadline, joint: Joint) -> Joint:
    ordered = joint.take(np.lexsort((-joint.value, joint.worth)))
    rows = _undominated(ordered.amount, ordered.value, deadline.at)
    deadline.check()
    return ordered.take(rows)


@compiled
def _undominated(amount: Ints, value: Floats, until: float) -> Ints:
    """Rows that no earlier one replaces; past the deadline on `clock` it stops."""
    kept, size = np.empty(value.size, np.int64), 0
    for row in range(value.size):
        if row % CHECKED == 0 and is_past(until):
            break
        better = False
        for i in range(size):
            k = kept[i]
            if value[k] >= value[row]:
                better = True
                for t in range(amount.shape[1]):
                    better = better and amount[k, t] <= amount[row, t]
                if better:
                    break
        if not better:
            kept[size] = row
            size += 1
    return kept[:size]


@compiled
def _pairs(
    amount: Ints,
    worth: Floats,
    value: Floats,
    others: Ints,
    others_worth: Floats,
    others_value: Floats,
    count: Ints,
    most: float,
    target: float,
    cost: bool,
    until: float,
) -> Ints:
    """Pairs that fit next to what else is needed; more than may be, or past the deadline on `clock`: it stopped."""
    found, size = np.empty((1024, 2), np.int64), 0
    for a in range(worth.size):
        if a % CHECKED == 0 and is_past(until):
            break
        for b in range(others_worth.size):
            if worth[a] + others_worth[b] > most:
                break
            if cost and value[a] + others_value[b] <= target:
                continue
            fits = True
            for t in range(count.size):
                fits = fits and amount[a, t] + others[b, t] <= count[t]
            if not fits:
                continue
            if size == len(found):
                if size > MOST_TOGETHER:
                    return found
                larger = np.empty((2 * size, 2), np.int64)
                larger[:size] = found
                found = larger
            found[size, 0], found[size, 1] = a, b
            size += 1
    return found[:size]


@compiled
def _best_pair(
    amount: Ints,
    value: Floats,
    others: Ints,
    others_value: Floats,
    count: Ints,
    target: float,
    cost: bool,
    until: float,
) -> tuple[int, int]:
    """The pair of greatest value that fits and exceeds the target; -1, -1: there is none, or the deadline passed."""
    best, first, second = target, -1, -1
    for a in range(value.size):
        if a % CHECKED == 0 and is_past(until):
            break
        if not cost and value[a] <= best:
            continue
        for b in range(others_value.size):
            joint = value[a] + others_value[b] if cost else min(value[a], others_value[b])
            if joint <= best:
                continue
            fits = True
            for t in range(count.size):
                fits = fits and amount[a, t] + others[b, t] <= count[t]
            if fits:
                best, first, second = joint, a, b
    return first, second
