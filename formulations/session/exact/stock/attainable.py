"""Which parts of machines of a type the plans of one module have at all, where machines are charged by share (ours).

A module has few plans mostly, so that between the parts that one of them has and the next there is a hole, which is as
wide as a machine, or nearly. A box of most and least parts whose ends lie in holes holds no plan that a smaller one
does not; and one that lies in a hole holds none.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from euclio.problems.session import Module, PlanSpace, Session
from formulations.session.exact.stock.boxes import Box
from formulations.session.module.in_integers import RationalModule, rational_module

MOST_NODES = 20_000
"""Parts of plans of one module after which its plans are too many to be listed, some hundredths of a second."""


class _TooManyError(Exception):
    """The plans of a module are too many."""


@dataclass(frozen=True, slots=True)
class Attainable:
    """The parts of machines that plans have.

    Attributes:
        values: by module and column of a box, the numbers that plans have in rising order; None: they are not known.
    """

    values: list[list[Sequence[int] | None]]

    def within(self, box: Box) -> Box | None:
        """The box with its ends at numbers that plans have; None: it holds no plan."""
        least, most = box.least.copy(), box.most.copy()
        for m, row in enumerate(self.values):
            for kind, known in enumerate(row):
                if known is None:
                    continue
                first, last = bisect_left(known, int(least[m, kind])), bisect_right(known, int(most[m, kind])) - 1
                if first > last:
                    return None
                least[m, kind], most[m, kind] = known[first], known[last]
        return replace(box, least=least, most=most)


def attainable(session: Session, space: PlanSpace, names: list[str], parts: int) -> Attainable:
    """The parts of machines that the plans of each module have.

    Args:
        session: the instance.
        space: plan space by share with a countable dummy rule, without `single_hardware`.
        names: the hardware types of a box's columns.
        parts: parts of a machine that a box counts (`parts_of_machines`).
    """
    return Attainable([_of_module(session, space, module, names, parts) for module in session.modules])


def _of_module(
    session: Session, space: PlanSpace, module: Module, names: list[str], parts: int
) -> list[Sequence[int] | None]:
    lister = _Lister(rational_module(module, session.price, space), names, parts)
    try:
        lister.extend(0, lister.m.rate, (0,) * len(names), 0)
    except _TooManyError:
        return [None] * len(names)
    found = np.array(sorted(lister.found), object).reshape(len(lister.found), len(names))
    return [sorted({int(value) for value in found[:, kind]}) for kind in range(len(names))]


class _Lister:
    """Lists what the plans of a module have, down the ranking, whatever their latencies."""

    def __init__(self, m: RationalModule, names: list[str], parts: int) -> None:
        self.m, self.parts, self.nodes = m, parts, 0
        self.kind = [names.index(c.hardware) if c.hardware in names else -1 for c in m.configurations]
        self.found: set[tuple[int, ...]] = set()

    def extend(self, first: int, rest: int, held: tuple[int, ...], allocations: int) -> None:
        """Close the plan with each configuration from `first` on, or take whole machines of it and go on.

        Args:
            first: first configuration that may be used.
            rest: rate left.
            held: parts by type of the machines before.
            allocations: allocations before.
        """
        m = self.m
        for j in range(first, len(m.configurations)):
            self.nodes += 1
            if self.nodes > MOST_NODES:
                raise _TooManyError
            t = m.throughput[j]
            whole, left = divmod(rest, t)
            self.found.add(self._with(held, j, whole * self.parts + left * self.parts // t))
            # Dummies may fill the partial machine up to a whole one.
            if left and m.space.dummy.adds:
                self.found.add(self._with(held, j, (whole + 1) * self.parts))
            # The last allocation has to carry all the rest, so none may follow it.
            if allocations + 1 >= m.most or j + 1 == len(m.configurations):
                continue
            for n in range(1, whole + (1 if left else 0)):
                self.extend(j + 1, rest - n * t, self._with(held, j, n * self.parts), allocations + 1)

    def _with(self, held: tuple[int, ...], j: int, more: int) -> tuple[int, ...]:
        kind = self.kind[j]
        return held if kind < 0 else (*held[:kind], held[kind] + more, *held[kind + 1 :])
