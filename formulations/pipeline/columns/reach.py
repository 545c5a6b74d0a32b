"""Which states of a model may stand in a plan better than the target."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from formulations.pipeline.columns.enumeration import Floats, Ints
from formulations.pipeline.columns.task import ROUNDING

MOST_WASTED = 1 - 1e-3
"""Part of the worth of what is added up to which losses are reckoned with."""


class Table(NamedTuple):
    """Numbers by amounts of GPUs; empty: nothing is known.

    Attributes:
        values: entries in the order of their indices.
        strides: what one more step of each type adds to the index.
        step: GPUs or parts of a step, by type.
    """

    values: Floats
    strides: Ints
    step: Ints


NOTHING_KNOWN = Table(np.zeros(0), np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64))


def table_of(entries: Floats, step: Ints | None = None) -> Table:
    """The table of an array with one axis per type; None: steps of one."""
    ordered = np.ascontiguousarray(entries, dtype=float)
    strides = np.array(ordered.strides, dtype=np.int64) // ordered.itemsize
    return Table(ordered.ravel(), strides, np.ones_like(strides) if step is None else step)


class Reach(NamedTuple):
    """Which states may lead to the target, by what they lose and by tables of what the other models need.

    Attributes:
        part: worth of one part of a GPU by type.
        request: worth of a request per second.
        gap: what a state may lose.
        most: worth of all GPUs that the model may use.
        need: worth of the requests that the model has to serve.
        rest: worth of all GPUs that may be used with at least these whole ones, as far as the other models leave them.
        more: most requests per second that can be added by parts of GPUs used.
        wasted: part that is lost at least of the worth of what is still to be added.
    """

    part: Floats
    request: float
    gap: float
    most: float
    need: float
    rest: Table
    more: Table
    wasted: float = 0.0

    def losses(self, amount: Ints, served: Floats) -> Floats:
        """Worth of what is used less worth of what is served."""
        return np.asarray(amount @ self.part - served * self.request)

    def adding(self, amount: Ints, served: Floats) -> Reach:
        """The same where no other patterns can be added than these."""
        worth = amount @ self.part
        lost = np.maximum(worth - served * self.request, 0.0) / np.maximum(worth, 1e-300)
        return self._replace(wasted=min(max(0.0, float(lost.min(initial=1.0)) - ROUNDING), MOST_WASTED))

    def hopeful(self, amount: Ints, served: Floats) -> np.ndarray:
        """Whether the target can be reached from these parts of GPUs, with what has to be added to them."""
        worth = amount @ self.part
        added = np.maximum(self.need - served * self.request, 0.0) / (1 - self.wasted)
        loss = worth - served * self.request + self.wasted * added
        enough = (worth + added <= self.most) & (loss <= self.gap)
        if self.more.values.size:
            enough &= (
                served + self.more.values[amount // self.more.step @ self.more.strides]
            ) * self.request >= self.need
        return np.asarray(enough)
