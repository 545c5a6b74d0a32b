"""The best plan of a few known options in exact arithmetic, beyond which an engine is asked for more (ours).

Engines work within tolerances of about 1e-6 and cannot distinguish plans that differ by less. So what they propose only
says which options matter: the best plan of all options proposed is found exactly, with the columns' exact packing, and
the engine is asked for a plan with another option that is as good but for its tolerance. When there is none, the best
plan of the known options is the best of all.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from formulations.pipeline.columns.enumeration import Columns, Ints, enumerate_columns
from formulations.pipeline.columns.exact_search import search_exactly
from formulations.pipeline.columns.node import Node
from formulations.pipeline.columns.plans import plan_of
from formulations.pipeline.columns.problem import Deadline, Progress, problem_of
from formulations.pipeline.columns.relaxation import relax
from formulations.pipeline.ppipe.options import Option
from formulations.pipeline.ppipe.points import Choice
from formulations.pipeline.ppipe.problem import PPipeProblem
from formulations.pipeline.ppipe.search import Search


@dataclass(slots=True)
class Known:
    """Options that are known.

    Attributes:
        problem: the problem.
        options: by slot and place.
    """

    problem: PPipeProblem
    options: dict[tuple[int, int], set[Option]] = field(default_factory=dict)
    _columns: Columns | None = None

    def add(self, choice: Choice) -> bool:
        """Add the options of a choice; whether one of them is new."""
        new = False
        for i, places in choice.items():
            for d, (option, _) in enumerate(places):
                own = self.options.setdefault((i, d), set())
                new = new or option not in own
                own.add(option)
        return new

    def has(self, slot: int, place: int, option: Option) -> bool:
        """Whether an option is known."""
        return option in self.options.get((slot, place), ())

    @property
    def all(self) -> bool:
        """Whether there are no other options."""
        slots = enumerate(self.problem.slots)
        return all(self.has(i, d, o) for i, slot in slots for d, options in enumerate(slot.places) for o in options)

    def improve(self, search: Search, until: float) -> None:
        """Have the best plan of the known options checked, if it is better than the best one so far.

        Args:
            search: what is known so far.
            until: `time.perf_counter` value at which to stop; infinite: never.

        Raises:
            InapplicableError: there are too many pipelines to enumerate.
            UndecidedError: the known options make too many plans, or the time is over.
        """
        problem = self.problem
        if self._columns is None:
            self._columns = enumerate_columns(problem.cluster, problem.space)
        columns = self._columns.take(self._rows(self._columns))
        numbers = problem_of(problem.cluster, problem.space)
        if len(np.unique(columns.model)) < len(numbers.weight):
            return
        relaxation = relax(numbers, columns)
        if relaxation is None:
            return
        root = Node(numbers, columns, relaxation, Progress(relaxation.bound), Deadline(until))
        sign = 1 if search.most else -1
        known = None if search.value is None else sign * search.value * problem.unit
        found = search_exactly(root, problem.cluster, known)
        if found is not None:
            search.take(plan_of(problem.cluster, columns, found[1]), sign * Fraction(found[0]) / problem.unit)

    def _rows(self, columns: Columns) -> Ints:
        """Columns of nothing but known options."""
        index = {gpu.name: t for t, gpu in enumerate(self.problem.cluster.gpus)}
        kept = np.zeros(len(columns), dtype=bool)
        for i in {slot for slot, _ in self.options}:
            slot = self.problem.slots[i]
            types = np.array([*(index[gpu] for gpu in slot.gpus), *[-1] * (columns.gpu.shape[1] - len(slot.gpus))])
            rows = (columns.model == slot.model) & (columns.gpu == types).all(axis=1)
            for d in range(len(slot.gpus)):
                rows &= _runs(columns, d, self.options.get((i, d), set()))
            kept |= rows
        return np.flatnonzero(kept)


def _runs(columns: Columns, d: int, options: set[Option]) -> NDArray[np.bool_]:
    """Whether place d of each column takes one of the given options; where it begins follows from the places before."""
    found = np.zeros(len(columns), dtype=bool)
    share, batch, end = columns.share[:, d], columns.batch[:, d], columns.end[:, d]
    for o in options:
        found |= (share == o.share) & (batch == o.batch) & (end == o.end)
    return found
