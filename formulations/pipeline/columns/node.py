"""A node of the search: an instance with the allowed columns, its prices, and the GPUs already assigned.

The root has all columns and no GPUs assigned. Branch and bound makes nodes with fewer columns (`bulk`). Clusters of
many GPUs are searched in nodes with most of them assigned (`bulk`).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from formulations.pipeline.columns.enumeration import Columns, Ints
from formulations.pipeline.columns.patterns import Patterns, Scope, concatenated
from formulations.pipeline.columns.problem import Deadline, Problem, Progress
from formulations.pipeline.columns.relaxation import Relaxation

FIRST_GAP = 1 / 32
"""Part of a GPU of each type that a model may lose in the first search."""


@dataclass(frozen=True, slots=True)
class Node:
    """A node of the search.

    Attributes:
        problem: the numbers of the instance; its GPUs are the unassigned ones.
        columns: all columns; forbidden ones have infinite reduced cost in the relaxation.
        relaxation: prices and bound.
        progress: incumbent and bound.
        deadline: when to stop.
        bulk: the assigned GPUs: columns in every plan of the node, and the least virtual GPUs of each by position,
            which fill whole GPUs.
    """

    problem: Problem
    columns: Columns
    relaxation: Relaxation
    progress: Progress
    deadline: Deadline
    bulk: tuple[tuple[int, Ints], ...] = ()

    @property
    def prices_next_to_bulk(self) -> Relaxation:
        """The relaxation that allows only columns that a plan may use next to the bulk's columns."""
        taken = np.array([column for column, _ in self.bulk], dtype=np.int64)
        if self.problem.one_per_sequence:
            taken = np.flatnonzero(np.isin(self.columns.sequence, self.columns.sequence[taken]))
        return self.relaxation.without(taken)

    @property
    def what_may_be_lost(self) -> float:
        """Worth that a plan better than the incumbent may lose; above 0."""
        missing = self.relaxation.bound - max(self.problem.worst, self.progress.value)
        return max(missing, 0.0) + self.relaxation.slack

    @property
    def first_gap(self) -> float:
        """Worth that a plan may lose in the first search."""
        worth = float(self.relaxation.gpu.sum()) * len(self.problem.weight)
        return min(self.what_may_be_lost, FIRST_GAP * worth)

    def target(self, gap: float) -> float:
        """The value that a wanted plan must exceed, if it may lose this gap."""
        progress, prices = self.progress, self.relaxation
        return progress.target if progress.plan is not None else prices.bound - gap - prices.slack

    def scope(self, gap: float) -> Scope:
        """The scope of a search for patterns of all allowed columns that lose no more than the gap."""
        return Scope(self.problem, self.columns, self.relaxation, gap)

    def find_patterns(self, gap: float) -> Patterns:
        """All patterns that lose no more than the gap; those of the bulk's columns are additions to it."""
        parts = [Scope(self.problem, self.columns, self.prices_next_to_bulk, gap).find()]
        return concatenated(parts + [self.scope(gap).find_above(*entry) for entry in self.bulk])

    def sequences(self, patterns: Patterns) -> Ints | None:
        """Sequence of GPU types by pattern, if a plan may have only one pipeline of each; None means any number."""
        return self.columns.sequence[patterns.column] if self.problem.one_per_sequence else None

    def required(self, model: int, patterns: Patterns) -> list[Ints]:
        """Groups of patterns of a model with exactly one in a plan, those of the bulk's columns."""
        own = [column for column, _ in self.bulk if self.columns.model[column] == model]
        return [np.flatnonzero(patterns.column == column) for column in own]
