"""All models packed in one way of counting GPUs, and the best division of the GPUs between them."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from formulations.pipeline.columns.dividing import Division, Points, divide, points_of, served_table
from formulations.pipeline.columns.enumeration import Columns, Floats, Ints
from formulations.pipeline.columns.packing import Packing, Within, grid_of, pack
from formulations.pipeline.columns.patterns import Patterns, find_patterns, joined, patterns_above
from formulations.pipeline.columns.progress import Counts, Progress
from formulations.pipeline.columns.relaxation import Relaxation
from formulations.pipeline.columns.sharing import usage_of
from formulations.pipeline.columns.task import Deadline, Task, TooManyError

MOST_AMOUNTS = 3 * 10**6
"""Amounts of GPUs that a table may have."""


FIRST_GAP = 1 / 32
"""GPUs of each type that a model may lose at first."""


MOST_PARTS = 2**40
"""Parts of GPUs of a type that are counted; sums of several stay exact."""


class TooLargeError(Exception):
    """The cluster has more amounts of GPUs than tables can hold."""


@dataclass(frozen=True, slots=True)
class Setting:
    """An instance under search.

    Attributes:
        task: its numbers; those of GPUs without the bulk's.
        columns: all columns.
        relaxation: prices and bound.
        progress: best plan and bound.
        deadline: when to stop.
        bulk: columns that every plan sought uses, and virtual GPUs of each that it uses at least: whole GPUs.
    """

    task: Task
    columns: Columns
    relaxation: Relaxation
    progress: Progress
    deadline: Deadline
    bulk: tuple[tuple[int, Ints], ...] = ()

    def stages(self, patterns: Patterns) -> Ints | None:
        """Sequence of GPU types by pattern, where a plan may have only one pipeline of each."""
        return self.columns.sequence[patterns.column] if self.task.one_per_sequence else None

    def find_patterns(self, gap: float) -> Patterns:
        """All patterns that lose no more than the gap; those of the bulk's columns are what is added to it."""
        parts = [find_patterns(self.task, self.columns, self.beside, gap)]
        parts += [patterns_above(self.task, self.columns, self.relaxation, gap, *entry) for entry in self.bulk]
        return joined(parts)

    @property
    def beside(self) -> Relaxation:
        """Prices for plans of columns that may stand next to the bulk's."""
        return self.relaxation.beside(self._taken())

    def _taken(self) -> Ints:
        """The bulk's columns and, where a plan may have only one pipeline of each sequence, those of the same."""
        columns = np.array([column for column, _ in self.bulk], dtype=np.int64)
        if not self.task.one_per_sequence:
            return columns
        return np.flatnonzero(np.isin(self.columns.sequence, self.columns.sequence[columns]))

    def required(self, model: int, patterns: Patterns) -> list[Ints]:
        """Groups of patterns of a model each of which a plan uses exactly one of."""
        own = [column for column, _ in self.bulk if self.columns.model[column] == model]
        return [np.flatnonzero(patterns.column == column) for column in own]

    def target(self, gap: float) -> float:
        """What a plan has to exceed to be of interest, if it may lose this gap."""
        progress = self.progress
        return progress.target if progress.plan is not None else self.relaxation.bound - gap - self.relaxation.slack


@dataclass(frozen=True, slots=True)
class Level:
    """One way of counting GPUs.

    Attributes:
        patterns: patterns by model.
        packings: least losses by model.
        tables: most requests per second by model and amount of GPUs.
        points: where these rise above the target.
        division: the best division.
        whole: tables count whole GPUs, not the parts of the packings' grids.
    """

    patterns: tuple[Patterns, ...]
    packings: tuple[Packing, ...]
    tables: tuple[Floats, ...]
    points: list[Points]
    division: Division
    whole: bool

    def plan(self, setting: Setting) -> Counts:
        """The patterns of the best division."""
        found: Counts = []
        for packing, patterns, amount in zip(self.packings, self.patterns, self.division.amounts, strict=True):
            cells = np.flatnonzero(np.isfinite(packing.loss))
            parts = packing.grid.amounts(cells)
            used = -(-parts // packing.grid.unit) if self.whole else parts
            fits = (used <= amount).all(axis=1)
            worth = parts / packing.grid.unit @ setting.relaxation.gpu - packing.loss[cells]
            cell = int(cells[fits][np.argmax(worth[fits])])
            found += [(int(patterns.column[p]), patterns.count[p]) for p in packing.patterns_at(cell)]
        return found


def first_gap(setting: Setting) -> float:
    """What a plan may lose at first."""
    worth = float(setting.relaxation.gpu.sum()) * len(setting.task.weight)
    return min(what_may_be_lost(setting), FIRST_GAP * worth)


def what_may_be_lost(setting: Setting) -> float:
    """What a plan may lose that is better than the incumbent; above 0."""
    missing = setting.relaxation.bound - max(setting.task.worst, setting.progress.value)
    return max(missing, 0.0) + setting.relaxation.slack


def level_of(setting: Setting, patterns: Patterns, gap: float, *, own: bool) -> Level:
    """Pack all models.

    Args:
        setting: the instance.
        patterns: patterns of all models.
        gap: what a plan may lose.
        own: every partition on whole GPUs of its own, so that the division is a plan; else GPUs may be divided at will
            and the division is a bound (a plan where the plan space adds up fractions of GPUs).

    Raises:
        TooLargeError: tables cannot hold the amounts of GPUs.
        TooManyError: GPUs are divided into too many parts.
        OutOfTimeError: the deadline has passed.
    """
    task = setting.task
    model = setting.columns.model[patterns.column]
    parts = tuple(patterns.take(np.flatnonzero(model == m)) for m in range(len(task.weight)))
    packings = _pack(setting, parts, gap, own and task.whole)
    tables = tuple(served_table(p, setting.relaxation, m, task.whole) for m, p in enumerate(packings))
    unit = np.ones_like(task.count) if task.whole else packings[0].grid.unit
    # Plans that lose more than was searched completely are welcome as incumbents: they limit the next gap.
    target = setting.target(2 * gap if own else gap)
    bound = setting.relaxation.bound + setting.relaxation.slack
    points = [points_of(task, t, unit, m, target, bound) for m, t in enumerate(tables)]
    return Level(parts, packings, tables, points, divide(task, points, tables[0].shape, target), task.whole)


def _pack(setting: Setting, parts: tuple[Patterns, ...], gap: float, own: bool) -> tuple[Packing, ...]:
    """Pack model by model; what one of them loses at least, the next ones cannot lose, nor use in vain."""
    prices, packings = setting.relaxation, []
    target = prices.bound - gap
    gap += prices.slack
    for m, (patterns, unit) in enumerate(zip(parts, _units(setting, parts, own), strict=True)):
        grid = grid_of(setting.task.count, unit)
        if grid.size > MOST_AMOUNTS:
            raise TooLargeError
        amount, loss = _amounts(setting, patterns, unit, own)
        need = setting.task.least(m, target) * float(prices.model[m])
        within = Within(gap, prices.gpu / unit, need + gap + prices.slack)
        packing = pack(grid, amount, loss, within, setting.stages(patterns), setting.deadline)
        gap -= max(0.0, _least_loss(setting, packing, m) - prices.slack)
        packings.append(packing)
        states = int(np.isfinite(packing.loss).sum())
        setting.progress.count("whole_states" if own else "divided_states", states)
    return tuple(packings)


def _units(setting: Setting, parts: tuple[Patterns, ...], own: bool) -> list[Ints]:
    """Parts of GPUs to count in, by model."""
    if own:
        return [np.ones_like(setting.task.count)] * len(parts)
    if setting.task.whole:
        return [units_of(setting, patterns) for patterns in parts]
    return [units_of(setting, joined(list(parts)))] * len(parts)


def units_of(setting: Setting, patterns: Patterns) -> Ints:
    """Parts of GPUs to count patterns in, by type: the least common multiples of the shares that they use.

    Raises:
        TooManyError: numbers of parts are too large.
    """
    gpu, share = setting.columns.gpu[patterns.column], setting.columns.share[patterns.column]
    types = range(len(setting.task.count))
    units = [math.lcm(1, *np.unique(share[gpu == t]).tolist()) for t in types]
    if max(n * unit for n, unit in zip(setting.task.count.tolist(), units, strict=True)) > MOST_PARTS:
        raise TooManyError
    return np.array(units, dtype=np.int64)


def _amounts(setting: Setting, patterns: Patterns, unit: Ints, own: bool) -> tuple[Ints, Floats]:
    """GPUs that patterns use, in parts, and what they lose by it."""
    if not own:
        return usage_of(setting.columns, patterns, unit).amount, patterns.loss
    gpu, share = setting.columns.gpu[patterns.column], setting.columns.share[patterns.column]
    gpus = np.where(gpu >= 0, -(-patterns.count // share), 0)
    idle = np.where(gpu >= 0, (gpus - patterns.count / share) * setting.relaxation.gpu[gpu], 0.0)
    amount = np.stack([np.where(gpu == t, gpus, 0).sum(axis=1) for t in range(len(unit))], axis=1)
    return amount, patterns.loss + idle.sum(axis=1)


def _least_loss(setting: Setting, packing: Packing, model: int) -> float:
    """What the model loses at least in a plan that is better than the incumbent."""
    task = setting.task
    if setting.progress.plan is None and not task.cost:
        return 0.0
    need = task.least(model, setting.progress.target)
    cells = np.flatnonzero(np.isfinite(packing.loss))
    worth = packing.grid.amounts(cells) / packing.grid.unit @ setting.relaxation.gpu
    enough = worth - packing.loss[cells] >= need * setting.relaxation.model[model] - setting.relaxation.slack
    return float(packing.loss[cells[enough]].min()) if enough.any() else 0.0
