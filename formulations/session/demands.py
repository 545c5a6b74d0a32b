"""Demands of a session on a plan beyond latency and cost, in joint models (ours; docs/model/whole-machines.md).

With x the machines of a plan by module m and hardware type h, a partial machine counted whole, and x⁰ those that run:

- changes: Σ |x − x⁰| over all m and h are at most the session's most changes. Each costs its price, and in a module
  whose machines hold state the price of moving it on top. Every plan removes the running machines of modules or types
  that no plan can use: a constant.
- spare machines: N more machines of every type in use cost N·p each hour, under any charging. They count for the stock,
  which is N less for a plan that uses the type. So whether the type is in use or not, at most S − N are used.
- largest share s of a group of types: in each module the machines of other types take at least (1 − s)·T, dummies
  included.

If changes count or types have a largest share, and dummies cost nothing, machines beyond rate and latency may be
useful. It may cost less to keep a running machine than to remove it, and machines of one type have to take over from
another. Then there are plans with any number of machines that dummies fill
(`formulations.session.joint.surplus`). `most_of_type` bounds their number.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import NamedTuple

import numpy as np

from euclio.core.words import counted
from euclio.problems.session import Configuration, Module, Session
from euclio.problems.session.arrays import Floats
from euclio.problems.session.demands import is_limited_by_changes
from euclio.problems.session.largest_shares import LargestShare
from euclio.problems.session.machine_limits import least_machines, paid_for


@dataclass(frozen=True, slots=True)
class Changes:
    """Changes of running machines, if they are limited or cost anything.

    Attributes:
        running: machines that run by module and type, of modules of the session.
        gone: machines that run for modules that the session does not have.
        most: most changes, with those of `gone`; None means any number.
        price_per_h: money per hour for any change.
        state: additional price of a change in modules whose machines hold state, by module.
        gone_cost: price of removing the machines of `gone`, in money per hour.
    """

    running: Counter[tuple[str, str]]
    gone: int
    most: int | None
    price_per_h: Fraction
    state: dict[str, Fraction]
    gone_cost: Fraction

    def price_of(self, module: str) -> Fraction:
        """Money per hour for each change of a module's machines, with their state."""
        return self.price_per_h + self.state.get(module, Fraction(0))

    @property
    def prices(self) -> list[Fraction]:
        """All prices of changes, and the cost of removing machines that are gone if that is no multiple of them."""
        own = [self.price_per_h + price for price in self.state.values()]
        return [self.price_per_h, *own, self.gone_cost] if own else [self.price_per_h]

    def of(self, module: str) -> dict[str, int]:
        """Machines that run for a module of the session, by type."""
        return {hardware: n for (name, hardware), n in self.running.items() if name == module}

    @property
    def impossible(self) -> bool:
        """Whether every plan has too many changes."""
        return self.most is not None and self.most < self.gone

    def most_of_type(self, module: str, hardware: str) -> int | None:
        """The most machines of a type that a module may have; None means any number."""
        return None if self.most is None else max(0, self.running[module, hardware] + self.most - self.gone)


def changes_of(session: Session) -> Changes | None:
    """The changes that a session limits or charges for; None means that it does neither."""
    running = session.running
    if running is None or not is_limited_by_changes(session):
        return None
    names = session.index
    own = Counter({place: n for place, n in running.counts.items() if place[0] in names})
    gone = running.counts - own
    paid = sum((n * session.change_price(name) for (name, _), n in gone.items()), Fraction(0))
    return Changes(own, gone.total(), running.most_changes, running.price_per_change_per_h, session.state, paid)


def limited_shares(session: Session) -> list[LargestShare]:
    """The groups of types that have a largest share below 1 of a module's rate."""
    return [group for group in session.share_groups if group.share < 1]


def limited_types(session: Session) -> set[str]:
    """The types that are in one of these groups."""
    return {name for group in limited_shares(session) for name in group.hardware}


def coupled_prices(session: Session) -> list[Fraction]:
    """Prices of a change, of the spare machines of each type, and of an unused one: costs of no single module."""
    changes = changes_of(session)
    spare = [session.spare_machines * price for price in session.price.values()] if session.spare_machines else []
    spare += [session.price[name] for name in paid_for(session)]
    return spare if changes is None else [*changes.prices, *spare]


def limits_in_words(session: Session) -> str:
    """The limits on plans besides the SLO, as in "no plan meets the SLO within the stock"; empty if there are none."""
    changes = changes_of(session)
    limits = ["the stock"] if session.stock else []
    limits += ["the resources"] if session.resources else []
    limits += ["the largest shares"] if limited_shares(session) else []
    words = " within " + " and ".join(limits) if limits else ""
    if changes is not None and changes.most is not None:
        words += f" with at most {counted(changes.most, 'machine')} added or removed"
    return words


# Rows Σ a·n ≥ b of a module: a least amount for its machines n, besides its rate (ours).
#
# - A least number of machines: a = 1, b the number. If dummies fill whole machines at no cost, they fill an idle
#   machine too, so the cheapest plan has as many machines itself.
# - A largest share s of a group of types: a is the throughput of configurations of other types and 0 of those of the
#   group, b is (1 − s)·T. A partial machine gives the share of a that it takes.
#
# All modules have the same rows in the same order, with b = 0 if a row demands nothing of the module.


class LeastRow(NamedTuple):
    """One row of a module.

    Attributes:
        without: types whose machines give nothing; None means that each machine gives 1, not its throughput.
        least: least total of all machines.
    """

    without: tuple[str, ...] | None
    least: Fraction

    def gives(self, c: Configuration) -> Fraction:
        """The amount that a machine of a configuration gives."""
        if self.without is None:
            return Fraction(1)
        return Fraction(0) if c.hardware in self.without else c.throughput_rps


def least_rows(session: Session, module: Module) -> tuple[LeastRow, ...]:
    """The rows of a module; all modules of its session have as many."""
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
        The amount that a machine of each configuration gives, shape (rows, configurations), and the amounts that
        modules require, shape (modules, rows).
    """
    rows = [least_rows(session, module) for module in session.modules]
    gives = [[float(row.gives(c)) for c in profile] for row in rows[0]]
    least = [[float(row.least) for row in own] for own in rows]
    return np.array(gives).reshape(len(rows[0]), len(profile)), np.array(least).reshape(len(rows), len(rows[0]))
