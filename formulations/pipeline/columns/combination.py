"""The combination of labels of all models to the best plan that fits into the cluster (compiled).

Tables of all amounts of whole GPUs may be too large, so only labels that matter are combined. No other label of the
model dominates them by serving as much with no more GPUs of any type. Labels of several models are combined only if
they leave GPUs to the other models that are worth the requests of these.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from euclio.core.compiled import compiled, is_past
from formulations.pipeline.columns.enumeration import Floats, Ints
from formulations.pipeline.columns.labels import Table, table_of
from formulations.pipeline.columns.node import Node
from formulations.pipeline.columns.pools import PackedModel
from formulations.pipeline.columns.problem import Counts, Deadline, Problem, TooManyError
from formulations.tolerances import SUMS

MOST_COMBINED = 3 * 10**6
"""Most combinations of labels of several models, dominated ones included."""
MOST_CELLS = 10**6
"""Most entries of the table of GPUs that other models leave."""
ROWS_BETWEEN_CHECKS = 64
"""Rows after which the time is checked."""


class Combinations(NamedTuple):
    """Labels of one or several models together, one of each, by rising worth of their GPUs.

    Attributes:
        amount: whole GPUs of each type, shape (rows, types).
        worth: worth of those GPUs, shape (rows,).
        value: least weighted requests per second of the models, or their costs with the sign changed, shape (rows,).
        labels: label of each model, shape (rows, models).
    """

    amount: Ints
    worth: Floats
    value: Floats
    labels: Ints

    def take(self, rows: Ints) -> Combinations:
        """The combinations at the given rows, in that order."""
        return Combinations(self.amount[rows], self.worth[rows], self.value[rows], self.labels[rows])


class Fitting(NamedTuple):
    """The limits on two combinations together.

    Attributes:
        limit: GPUs by type.
        most: largest worth of their GPUs that leaves enough for the other models.
        target: value that they have to exceed.
        cost: whether values are costs, which are added up; else the lesser one counts.
        until: time on `clock` to stop at.
    """

    limit: Ints
    most: float
    target: float
    cost: bool
    until: float


def choose(node: Node, packed: Sequence[PackedModel], joint: Combinations | None, target: float) -> bool:
    """Find the best combination of labels of all models, which becomes the incumbent if it exceeds the target.

    Args:
        node: the instance.
        packed: labels by model.
        joint: combinations of all models but the last; None if the last is the only one.
        target: value that a plan has to exceed.

    Returns:
        Whether there is one.

    Raises:
        OutOfTimeError: the deadline has passed.
    """
    value, labels = _best(node, _labels_of(node, packed[-1], target), joint, target)
    if value <= target:
        return False
    plan: Counts = []
    for own, label in zip(packed, labels, strict=True):
        chosen = own.labels.patterns_of(int(label))
        plan += [(int(own.patterns.column[p]), own.patterns.count[p]) for p in chosen]
    node.progress.improve(value, plan)
    return True


def _best(node: Node, last: Combinations, joint: Combinations | None, target: float) -> tuple[float, Ints]:
    """Greatest value and the label of each model; -inf and no labels where no value exceeds the target."""
    if joint is None:
        best = int(np.argmax(last.value)) if len(last.value) else -1
        return (float(last.value[best]), last.labels[best]) if best >= 0 else (-math.inf, np.zeros(0, np.int64))
    cost = node.problem.cost
    first, second = _best_pair(joint, last, Fitting(node.problem.count, math.inf, target, cost, node.deadline.at))
    node.deadline.check()
    if first < 0:
        return -math.inf, np.zeros(0, np.int64)
    both = float(joint.value[first]), float(last.value[second])
    return sum(both) if cost else min(both), np.append(joint.labels[first], last.labels[second])


def combine(node: Node, packed: Sequence[PackedModel], target: float) -> Combinations | None:
    """Combinations of labels of some models that may be part of a plan that exceeds the target.

    Args:
        node: the instance.
        packed: labels of the models to combine.
        target: value that a plan has to exceed.

    Returns:
        Combinations that no other one dominates; None if no models were given.

    Raises:
        TooManyError: there are too many of them.
        OutOfTimeError: the deadline has passed.
    """
    problem, prices = node.problem, node.relaxation
    need = np.array([max(0.0, problem.least_served(m, target) * prices.model[m]) for m in problem.models])
    # The worth of all GPUs, less that of the requests of the models not combined yet.
    most = float(problem.count @ prices.gpu) * (1 + SUMS) + prices.slack - need.sum()
    joint: Combinations | None = None
    for own in packed:
        node.deadline.check()
        new = _labels_of(node, own, target)
        most += need[own.model]
        joint = new if joint is None else _combined(node, joint, new, most, target)
    return joint


def worth_left(problem: Problem, gpu: Floats, joint: Combinations) -> Table:
    """The greatest worth of the GPUs that a combination leaves, as a table over the least GPUs to leave.

    Args:
        problem: the instance.
        gpu: worth of a GPU by type.
        joint: the combinations.
    """
    size = problem.count + 1
    # With too many amounts, a step of the table stands for several, with the greatest worth of them.
    step = np.maximum(1, -(-size // max(1, int(MOST_CELLS ** (1 / len(size))))))
    left = problem.count - joint.amount
    worth = np.full(tuple(-(-size // step)), -np.inf)
    np.maximum.at(worth, tuple((left // step).T), left @ gpu)
    for axis in range(worth.ndim):
        worth = np.flip(np.maximum.accumulate(np.flip(worth, axis), axis=axis), axis)
    return table_of(worth, step)


def _labels_of(node: Node, own: PackedModel, target: float) -> Combinations:
    """Labels of a model that may be part of a plan that exceeds the target, none dominated by another."""
    problem, prices, m = node.problem, node.relaxation, own.model
    alive = own.labels.alive
    served, amount = own.labels.served[alive], own.whole[alive]
    if problem.cost:
        cost = -(amount @ problem.price) - problem.spent[m]
        value = np.where(served >= problem.least_served(m, target), cost, -np.inf)
    else:
        value = np.minimum((served + problem.served[m]) / problem.weight[m], prices.bound + prices.slack)
    worth = amount @ prices.gpu
    fits = np.flatnonzero((value > target) & (amount <= problem.count).all(axis=1))
    return _that_matter(node.deadline, Combinations(amount[fits], worth[fits], value[fits], alive[fits, None]))


def _combined(node: Node, first: Combinations, second: Combinations, most: float, target: float) -> Combinations:
    """Combinations of both that fit together, their GPUs being worth no more than `most`, none dominated."""
    problem = node.problem
    pairs = _pairs(first, second, Fitting(problem.count, most, target, problem.cost, node.deadline.at))
    node.deadline.check()
    if len(pairs) > MOST_COMBINED:
        raise TooManyError
    a, b = pairs.T
    one, other = first.take(a), second.take(b)
    value = one.value + other.value if problem.cost else np.minimum(one.value, other.value)
    labels = np.column_stack([one.labels, other.labels])
    return _that_matter(node.deadline, Combinations(one.amount + other.amount, one.worth + other.worth, value, labels))


def _that_matter(deadline: Deadline, joint: Combinations) -> Combinations:
    """The combinations that no other one dominates, by rising worth of their GPUs."""
    ordered = joint.take(np.lexsort((-joint.value, joint.worth)))
    rows = _undominated(ordered.amount, ordered.value, deadline.at)
    deadline.check()
    return ordered.take(rows)


@compiled
def _undominated(amount: Ints, value: Floats, until: float) -> Ints:
    """Rows that no earlier one dominates; past the time on `clock` it stops.

    Rows come by rising worth of their GPUs. A row that dominates another one is worth no more, so it comes earlier.
    """
    kept, size = np.empty(value.size, np.int64), 0
    for row in range(value.size):
        if row % ROWS_BETWEEN_CHECKS == 0 and is_past(until):
            break
        dominated = False
        # Comparing with kept rows is enough, since the dominator of a dominated row dominates all that this row does.
        for i in range(size):
            k = kept[i]
            if value[k] >= value[row]:
                dominated = True
                for t in range(amount.shape[1]):
                    dominated = dominated and amount[k, t] <= amount[row, t]
                if dominated:
                    break
        if not dominated:
            kept[size] = row
            size += 1
    return kept[:size]


@compiled
def _pairs(first: Combinations, second: Combinations, fitting: Fitting) -> Ints:
    """Pairs of rows that fit together, shape (pairs, 2); it stops past a number of pairs, or a time on `clock`."""
    # Every use of an array in a tuple counts references, so the arrays are taken out once.
    limit, most, target, cost, until = fitting
    amount, worth, value, _ = first
    others, others_worth, others_value, _ = second
    found, size = np.empty((1024, 2), np.int64), 0
    for a in range(worth.size):
        if a % ROWS_BETWEEN_CHECKS == 0 and is_past(until):
            break
        for b in range(others_worth.size):
            # Rows come by rising worth, so all later ones leave the other models too little as well.
            if worth[a] + others_worth[b] > most:
                break
            # Costs add up. The lesser throughput counts, and each of them exceeds the target.
            if cost and value[a] + others_value[b] <= target:
                continue
            fits = True
            for t in range(limit.size):
                fits = fits and amount[a, t] + others[b, t] <= limit[t]
            if not fits:
                continue
            if size == len(found):
                if size > MOST_COMBINED:
                    return found
                larger = np.empty((2 * size, 2), np.int64)
                larger[:size] = found
                found = larger
            found[size, 0], found[size, 1] = a, b
            size += 1
    return found[:size]


@compiled
def _best_pair(first: Combinations, second: Combinations, fitting: Fitting) -> tuple[int, int]:
    """The fitting pair of rows of greatest value above the target; -1, -1 if there is none, or time is over."""
    limit, _, target, cost, until = fitting
    amount, _, value, _ = first
    others, _, others_value, _ = second
    best, row, other = target, -1, -1
    for a in range(value.size):
        if a % ROWS_BETWEEN_CHECKS == 0 and is_past(until):
            break
        # Together with another row it is worth no more than alone.
        if not cost and value[a] <= best:
            continue
        for b in range(others_value.size):
            both = value[a] + others_value[b] if cost else min(value[a], others_value[b])
            if both <= best:
                continue
            fits = True
            for t in range(limit.size):
                fits = fits and amount[a, t] + others[b, t] <= limit[t]
            if fits:
                best, row, other = both, a, b
    return row, other
