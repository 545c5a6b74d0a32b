"""New plans of some modules over all steps, within the room that the others leave (ours).

The other modules keep their parts of the SLO and of the stock. So a module, or a few of them together, is a dynamic
program over vectors of their machines. Their plan before stays possible, so the cost never rises. A module alone cannot
become slower before another one becomes faster; that needs both in one program.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import prod

import numpy as np
from numpy.typing import NDArray

from euclio.problems.day import Day
from euclio.problems.day.instance import HOUR_S
from euclio.problems.session import Session
from formulations.day.choices import MARGIN, Box, Choices, Floats, Ints, in_time
from formulations.day.paths import LateError, change_prices, cheapest_path, least_latencies, per_vector

MOST_ENTRIES = 3_000_000
"""Most vectors of two modules together times steps, a tenth of a second."""

Block = tuple[int, ...]
"""Modules in a joint plan."""


@dataclass(frozen=True, slots=True)
class BlockDescent:
    """Modules that take turns.

    Attributes:
        day: the instance.
        boxes: their vectors of machines.
        choices: their choices for plans.
        deadline: deadline on the clock of `time.perf_counter`.
    """

    day: Day
    boxes: Sequence[Box]
    choices: Choices
    deadline: float

    def improved(self, on: Ints, rounds: int) -> Ints:
        """The machines, shape (steps, modules, types), after some turns of all modules, or without further changes.

        Raises:
            LateError: the deadline passed.
        """
        for _ in range(rounds):
            before = on
            for m in range(len(self.boxes)):
                on = self._planned((m,), self.boxes[m].most + 1, on)
            if (before == on).all():
                break
        return on

    def improved_in_pairs(self, on: Ints) -> Ints:
        """The machines after turns of two modules at a time, if their vectors are few enough.

        It ends when no turn changes anything, or at the deadline with the machines so far.
        """
        try:
            before = None
            while before is None or (before != on).any():
                before = on
                for pair in self._pairs():
                    shape = self._shape(pair, on)
                    if shape is not None:
                        on = self._planned(pair, shape, on)
        except LateError:
            pass
        return on

    def _pairs(self) -> Iterator[Block]:
        """Two modules on some path; others do not share the SLO, and gain nothing together."""
        session = self.day.session
        parents = session.parents()
        above: list[set[int]] = [set() for _ in parents]
        for m in session.order:
            above[m] = set().union(*({parent} | above[parent] for parent in parents[m]))
        for a, b in combinations(range(len(parents)), 2):
            if a in above[b] or b in above[a]:
                yield a, b

    def _shape(self, block: Block, on: Ints) -> Ints | None:
        """Machines by module and type, plus one, with room up to the limit of vectors; None if there are too many."""
        highest = on[:, block].max(axis=0)
        ends = np.array([self.boxes[m].most for m in block])
        for more in (2**n for n in range(int(ends.max()).bit_length(), -1, -1)):
            shape: Ints = (np.minimum(highest + more, ends) + 1).ravel()
            if prod(shape.tolist()) * len(on) <= MOST_ENTRIES:
                return shape
        return None

    def _planned(self, block: Block, shape: Ints, on: Ints) -> Ints:
        """The machines, with the cheapest of some modules within the room of the others.

        Args:
            block: the modules.
            shape: machines of each of them by type, plus one, flat.
            on: machines of all, shape (steps, modules, types).

        Raises:
            LateError: the deadline passed.
        """
        session = self.day.session
        own = self.choices.latencies(on, np.arange(len(on))).T
        longest = _longest(self.day, own, block)
        # If choices do not know how the machines serve, all of them stay, since others fit only with them.
        known = in_time(session, own)
        limited = _limited(session, shape)
        serves = _Serving(self, block, shape, on, own, longest, known, limited)
        prices = tuple(float(hardware.price_per_h) for hardware in session.hardware) * len(block)
        changes = change_prices(self.day, [(m, h) for m in block for h in range(len(session.hardware))])
        hours = [float(step.length_s / HOUR_S) for step in self.day.steps]
        sizes = tuple(int(n) for n in shape)
        found = cheapest_path(serves.table, per_vector(prices, sizes), hours, changes, self.deadline)
        assert not isinstance(found, int)
        better = on.copy()
        better[:, block] = np.array(found.machines, np.int64).reshape(len(on), len(block), -1)
        return better


@dataclass(frozen=True, slots=True)
class _Serving:
    """The vectors of some modules that serve in a step, next to the machines of the others.

    Attributes:
        descent: the instance and the choices.
        block: the modules.
        shape: machines of each of them by type, plus one, flat.
        on: machines of all modules, shape (steps, modules, types).
        latency_s: their latencies, shape (modules, steps).
        longest_s: by the modules of the block on a path, the longest such path without these in each step.
        known: steps in which the machines are proven to keep the SLO.
        limited: for each type with a stock its place, the stock, and the number of its machines in each vector.
    """

    descent: BlockDescent
    block: Block
    shape: Ints
    on: Ints
    latency_s: Floats
    longest_s: dict[Block, Floats]
    known: NDArray[np.bool_]
    limited: tuple[tuple[int, int, Floats], ...]

    def table(self, k: int) -> NDArray[np.bool_]:
        """The vectors that serve in a step, an axis per module and type."""
        day = self.descent.day
        types = self.on.shape[2]
        if not self.known[k]:
            found = np.zeros(tuple(self.shape), np.bool_)
            found[tuple(slice(int(n), None) for n in self.on[k, self.block].ravel())] = True
            return self._in_stock(k, found)
        own = [self._latencies(k, i, m) for i, m in enumerate(self.block)]
        flat = np.ones(tuple(one.size for one in own), np.bool_)
        slo = float(day.session.slo_s) * (1 - MARGIN)
        for on_it, longest in self.longest_s.items():
            total = sum(own[i].reshape([-1 if j == i else 1 for j in range(len(own))]) for i in on_it)
            # It is below 0 only because of margins, and a module without requests needs no time.
            flat &= total <= max(slo - longest[k], 0.0)
        # The running machines keep the SLO in any order of summing their latencies.
        kept = self.on[k, self.block].reshape(len(self.block), types)
        shapes = self.shape.reshape(len(self.block), types)
        flat[tuple(int(np.ravel_multi_index(tuple(a), tuple(b))) for a, b in zip(kept, shapes, strict=True))] = True
        return self._in_stock(k, flat.reshape(tuple(self.shape)))

    def _latencies(self, k: int, i: int, m: int) -> Floats:
        choices, types = self.descent.choices, self.on.shape[2]
        first, end = choices.first[k, m]
        shape = self.shape[i * types : (i + 1) * types]
        return least_latencies(
            choices.vectors, choices.latency_s, first, end, self.on[k, m], self.latency_s[m, k], shape
        )

    def _in_stock(self, k: int, found: NDArray[np.bool_]) -> NDArray[np.bool_]:
        others = self.on[k].sum(axis=0) - self.on[k, self.block].sum(axis=0)
        for h, stock, used in self.limited:
            found &= used <= stock - others[h]
        return found


def _limited(session: Session, shape: Ints) -> tuple[tuple[int, int, Floats], ...]:
    """The types with a stock, as of `_Serving`, for vectors of some modules one after the other."""
    sizes, types = tuple(int(n) for n in shape), len(session.hardware)
    return tuple(
        (h, own.count, per_vector(tuple(float(axis % types == h) for axis in range(len(sizes))), sizes))
        for h, own in enumerate(session.hardware)
        if own.count is not None
    )


def _longest(day: Day, latency_s: Floats, block: Block) -> dict[Block, Floats]:
    """For the modules of a block on a path, by place in the block, the longest such path in each step without them.

    Args:
        day: the instance.
        latency_s: latencies, shape (modules, steps).
        block: the modules.
    """
    session = day.session
    parents = session.parents()
    until: list[dict[Block, Floats]] = [{} for _ in parents]
    found: dict[Block, Floats] = {}
    for m in session.order:
        before: dict[Block, Floats] = {(): np.zeros(latency_s.shape[1])}
        for parent in parents[m]:
            for places, longest in until[parent].items():
                before[places] = np.maximum(before.get(places, longest), longest)
        own = (block.index(m),) if m in block else ()
        for places, longest in before.items():
            at = tuple(sorted((*places, *own)))
            until[m][at] = longest if own else longest + latency_s[m]
        for places, longest in until[m].items():
            if places:
                found[places] = np.maximum(found.get(places, longest), longest)
    return found
