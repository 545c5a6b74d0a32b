"""Rows Σ a·n ≥ b of a module: its machines n come to so much at least, besides its rate (ours).

- A least number of machines: a = 1, b the number. Where dummies fill whole machines for nothing, an idle machine is one
  that they fill, so that the cheapest plan has as many machines itself.
- A largest share s of a group of types: a is the throughput of configurations of other types and 0 of those of the
  group, b is (1 − s)·T. A partial machine gives the share of a that it takes.

All modules have the same rows in the same order, with b = 0 where a row asks nothing of one.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import NamedTuple

import numpy as np

from euclio.problems.session import Configuration, Module, Session
from euclio.problems.session.arrays import Floats
from euclio.problems.session.machine_limits import least_machines
from formulations.session.demands import limited_shares


class LeastRow(NamedTuple):
    """One row of a module.

    Attributes:
        without: types whose machines give nothing; None means that each machine gives 1, not its throughput.
        least: what all machines give at least.
    """

    without: tuple[str, ...] | None
    least: Fraction

    def gives(self, c: Configuration) -> Fraction:
        """What a machine of a configuration gives."""
        if self.without is None:
            return Fraction(1)
        return Fraction(0) if c.hardware in self.without else c.throughput_rps


def least_rows(session: Session, module: Module) -> tuple[LeastRow, ...]:
    """The rows of a module, as many as those of every other one of its session."""
    shares = [LeastRow(group.hardware, group.left(module.rate_rps)) for group in limited_shares(session)]
    asked = least_machines(session)
    number = [LeastRow(None, Fraction(asked.get(module.name, 0)))] if asked else []
    return (*number, *shares)


def rows_as_floats(session: Session, profile: Sequence[Configuration]) -> tuple[Floats, Floats]:
    """The rows of a session for compiled searches.

    Args:
        session: the instance.
        profile: the configurations of all modules, in the order of its arrays.

    Returns:
        What a machine of each configuration gives, shape (rows, configurations), and what modules ask for, shape
        (modules, rows).
    """
    rows = [least_rows(session, module) for module in session.modules]
    gives = [[float(row.gives(c)) for c in profile] for row in rows[0]]
    least = [[float(row.least) for row in own] for own in rows]
    return np.array(gives).reshape(len(rows[0]), len(profile)), np.array(least).reshape(len(rows), len(rows[0]))
