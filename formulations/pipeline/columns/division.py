"""The knapsacks of all models, and the best division of the GPUs between them.

There are two ways to count GPUs. In the restricted one every partition has whole GPUs of its own, so the best division
is a plan and becomes an incumbent. In the relaxed one pools may divide GPUs at will, so the best division is a bound.
It is also a plan if the plan space adds up fractions of GPUs.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from formulations.pipeline.columns.enumeration import Floats, Ints
from formulations.pipeline.columns.knapsack import Limits, Packing, grid_of, pack
from formulations.pipeline.columns.node import Node
from formulations.pipeline.columns.patterns import Patterns, concatenated
from formulations.pipeline.columns.pools import units_of, usage_of
from formulations.pipeline.columns.problem import Counts, Problem, TooLargeError
from formulations.pipeline.columns.relaxation import Relaxation
from formulations.tolerances import SUMS

MOST_AMOUNTS = 3 * 10**6
"""Most amounts of GPUs in a table."""


@dataclass(frozen=True, slots=True)
class Points:
    """Amounts of GPUs at which the value of a model rises, and the values from there on.

    Attributes:
        amount: GPUs of each type in the parts of the table, shape (points, types).
        value: the model's contribution to the objective. It is its weighted requests per second, of which the least
            over the models counts, or minus its cost, which adds up.
    """

    amount: Ints
    value: Floats


@dataclass(frozen=True, slots=True)
class Division:
    """The best division: its value and every model's amount of GPUs; no amounts if none exceeds the target."""

    value: float
    amounts: tuple[Ints, ...]


@dataclass(frozen=True, slots=True)
class Divided:
    """All models, packed with one way of counting GPUs.

    Attributes:
        patterns: patterns by model.
        packings: least losses by model.
        tables: most requests per second by model and amount of GPUs.
        points: amounts at which the models' values rise above the target.
        division: the best division.
        whole: whether tables count whole GPUs, not the parts of the packings' grids.
    """

    patterns: tuple[Patterns, ...]
    packings: tuple[Packing, ...]
    tables: tuple[Floats, ...]
    points: list[Points]
    division: Division
    whole: bool

    def plan(self, node: Node) -> Counts:
        """The patterns of the best division, which serve most of every model with its amount of GPUs."""
        found: Counts = []
        for packing, patterns, amount in zip(self.packings, self.patterns, self.division.amounts, strict=True):
            cells = packing.reached
            parts = packing.grid.amounts(cells)
            used = -(-parts // packing.grid.unit) if self.whole else parts
            fits = (used <= amount).all(axis=1)
            worth = parts / packing.grid.unit @ node.relaxation.gpu - packing.loss[cells]
            cell = int(cells[fits][np.argmax(worth[fits])])
            found += [(int(patterns.column[p]), patterns.count[p]) for p in packing.patterns_at(cell)]
        return found


def pack_and_divide(node: Node, patterns: Patterns, gap: float, *, restricted: bool) -> Divided:
    """Pack all models, and find the best division of the GPUs between them.

    Args:
        node: the instance.
        patterns: patterns of all models.
        gap: worth that a plan may lose.
        restricted: whether every partition has whole GPUs of its own; if not, pools divide GPUs at will.

    Returns:
        Tables, packings and the best division, whose value is that of a plan (restricted) or an upper bound.

    Raises:
        TooLargeError: tables cannot hold the amounts of GPUs.
        TooManyError: GPUs are divided into too many parts.
        OutOfTimeError: the deadline has passed.
    """
    problem, prices = node.problem, node.relaxation
    model = node.columns.model[patterns.column]
    parts = tuple(patterns.take(np.flatnonzero(model == m)) for m in problem.models)
    packings = _pack(node, parts, gap, restricted and problem.whole)
    tables = tuple(served_table(p, prices, m, problem.whole) for m, p in enumerate(packings))
    unit = np.ones_like(problem.count) if problem.whole else packings[0].grid.unit
    # Plans that lose more than the completed gap are useful incumbents, since they limit the next gap.
    target = node.target(2 * gap if restricted else gap)
    bound = prices.bound + prices.slack
    points = [points_of(problem, t, unit, m, target, bound) for m, t in enumerate(tables)]
    return Divided(parts, packings, tables, points, _divide(problem, points, tables[0].shape, target), problem.whole)


def _pack(node: Node, parts: tuple[Patterns, ...], gap: float, own: bool) -> tuple[Packing, ...]:
    """Pack model by model; the least loss of one model reduces the gap of those after it."""
    problem, prices, packings = node.problem, node.relaxation, []
    target = prices.bound - gap
    gap += prices.slack
    for m, (patterns, unit) in enumerate(zip(parts, _units(node, parts, own), strict=True)):
        grid = grid_of(problem.count, unit)
        if grid.size > MOST_AMOUNTS:
            raise TooLargeError
        amount, loss = _amounts(node, patterns, unit, own)
        need = problem.least_served(m, target) * float(prices.model[m])
        limits = Limits(gap, prices.gpu / unit, need + gap + prices.slack)
        packing = pack(grid, amount, loss, limits, node.sequences(patterns), node.deadline)
        gap -= max(0.0, _least_loss(node, packing, m) - prices.slack)
        packings.append(packing)
        node.progress.count("whole_states" if own else "divided_states", len(packing.reached))
    return tuple(packings)


def _units(node: Node, parts: tuple[Patterns, ...], own: bool) -> list[Ints]:
    """Parts of GPUs to count in, by model; if fractions add up, the models' tables share them."""
    if own:
        return [np.ones_like(node.problem.count)] * len(parts)
    if node.problem.whole:
        return [units_of(node, patterns) for patterns in parts]
    return [units_of(node, concatenated(list(parts)))] * len(parts)


def _amounts(node: Node, patterns: Patterns, unit: Ints, own: bool) -> tuple[Ints, Floats]:
    """Parts of GPUs in use by patterns, shape (patterns, types), and their lost worth, shape (patterns,).

    If every partition is on whole GPUs of its own (`own`), the free rest of its last GPU counts as used and lost.
    """
    if not own:
        return usage_of(node.columns, patterns, unit).amount, patterns.loss
    gpu, share = node.columns.gpu[patterns.column], node.columns.share[patterns.column]
    gpus = np.where(gpu >= 0, -(-patterns.count // share), 0)
    idle = np.where(gpu >= 0, (gpus - patterns.count / share) * node.relaxation.gpu[gpu], 0.0)
    amount = np.stack([np.where(gpu == t, gpus, 0).sum(axis=1) for t in range(len(unit))], axis=1)
    return amount, patterns.loss + idle.sum(axis=1)


def _least_loss(node: Node, packing: Packing, model: int) -> float:
    """Least worth that a model loses in a plan better than the incumbent; 0 if nothing is known."""
    problem, prices = node.problem, node.relaxation
    if node.progress.plan is None and not problem.cost:
        return 0.0
    need = problem.least_served(model, node.progress.target)
    cells = packing.reached
    worth = packing.grid.amounts(cells) / packing.grid.unit @ prices.gpu
    enough = worth - packing.loss[cells] >= need * prices.model[model] - prices.slack
    return float(packing.loss[cells[enough]].min()) if enough.any() else 0.0


def served_table(packing: Packing, prices: Relaxation, model: int, whole: bool) -> Floats:
    """The most requests per second of a model, as a table over the GPUs that it may use.

    Args:
        packing: least losses by amount.
        prices: the prices for measuring losses.
        model: index of the model.
        whole: whether to count used GPUs up to whole ones. The table then has one entry per count and type, else the
            shape of the packing's grid.
    """
    grid, cells = packing.grid, packing.reached
    amounts = grid.amounts(cells)
    # The loss may be nearly all worth. Then the served requests are barely known, and the most is assumed.
    worth = amounts / grid.unit @ prices.gpu
    served = (worth * (1 + SUMS / 10) - packing.loss[cells]) / prices.model[model]
    if whole:
        amounts = -(-amounts // grid.unit)
    table = np.zeros(tuple((np.array(grid.shape) - 1) // (grid.unit if whole else 1) + 1))
    np.maximum.at(table, tuple(amounts.T), served)
    # GPUs may stay idle, so an entry is at least those of all smaller amounts.
    for axis in range(table.ndim):
        np.maximum.accumulate(table, axis=axis, out=table)
    return table


def points_of(problem: Problem, table: Floats, unit: Ints, model: int, target: float, bound: float) -> Points:
    """The amounts of GPUs at which the value of a model rises, as far as that is above the target.

    Args:
        problem: the instance.
        table: requests per second by amount.
        unit: parts of a GPU that the amounts count, by type.
        model: index of the model.
        target: value that a plan has to exceed.
        bound: value that no plan exceeds.
    """
    if problem.cost:
        level = (table >= problem.least_served(model, target)).astype(float)
        amount = np.argwhere(_rises(level) & (level > 0))
        value = -(amount / unit @ problem.price) - problem.spent[model]
        good = value > target
        return Points(amount[good], value[good])
    level = np.minimum((table + problem.served[model]) / problem.weight[model], bound)
    # Amounts below the target count as none, and the value does not rise there.
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


def _divide(problem: Problem, points: list[Points], shape: tuple[int, ...], target: float) -> Division:
    """The best division of all GPUs with a value above the target; `shape` is that of the table of amounts.

    It builds tables of the best value of the first models by amount of GPUs, then goes back from the last one.
    """
    tables = [_no_models(problem, shape)]
    for own in points[:-1]:
        tables.append(_with_model(problem, own, tables[-1]))
    rest = np.array(shape) - 1
    value = target
    amounts: list[Ints] = []
    for own, table in zip(reversed(points), reversed(tables), strict=True):
        fits = np.flatnonzero((own.amount <= rest).all(axis=1))
        if not len(fits):
            return Division(target, ())
        both = both_values(problem, own.value[fits], table[tuple((rest - own.amount[fits]).T)])
        best = int(np.argmax(both))
        # The last model meets all the others at their best, which gives the value of all.
        if not amounts:
            value = float(both[best])
        amounts.append(own.amount[fits[best]])
        rest = rest - own.amount[fits[best]]
    return Division(value, tuple(reversed(amounts))) if value > target else Division(target, ())


def best_of_others(problem: Problem, points: list[Points], shape: tuple[int, ...], model: int) -> Floats:
    """The best value of all models except one, as a table over their joint amount of GPUs."""
    table = _no_models(problem, shape)
    for i, own in enumerate(points):
        if i != model:
            table = _with_model(problem, own, table)
    return table


def both_values(problem: Problem, one: Floats, others: Floats) -> Floats:
    """The value of all models together: the sum of costs, or the least throughput."""
    return one + others if problem.cost else np.minimum(one, others)


def _no_models(problem: Problem, shape: tuple[int, ...]) -> Floats:
    """The value of no models with any amount of GPUs, the neutral element of `both_values`."""
    return np.zeros(shape) if problem.cost else np.full(shape, np.inf)


def _with_model(problem: Problem, own: Points, others: Floats) -> Floats:
    """The table of best values by amount of GPUs with one model more.

    Args:
        problem: the instance.
        own: amounts at which the value of that model rises.
        others: best value of the models so far by amount of GPUs.
    """
    table = np.full(others.shape, -np.inf)
    for amount, value in zip(own.amount, own.value, strict=True):
        above = tuple(slice(int(a), None) for a in amount)
        below = tuple(slice(0, n - int(a)) for n, a in zip(others.shape, amount, strict=True))
        np.maximum(table[above], both_values(problem, value, others[below]), out=table[above])
    return table
