"""A session's constraints on a plan beyond latency and cost, as numbers (ours; docs/model/whole-machines.md)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

from euclio.problems.session import Session
from euclio.problems.session.demands import is_limited_by_changes
from euclio.problems.session.largest_shares import LargestShare
from euclio.problems.session.resources import MachineLimit, machine_limits, usable_stock


@dataclass(frozen=True, slots=True)
class Asked:
    """The constraints of a session.

    Attributes:
        stock: machines of each type that a plan may use beside spare ones, as the stock or a resource limits them.
        rows: limits on machines, by type or by resource use.
        running: running machines by module, then type.
        gone: running machines of modules that the session does not have; every plan removes them.
        most_changes: most machines added to and removed from those of the session's modules; None means any number.
        change_price: money per hour for each machine added or removed, by module of the session.
        gone_cost: cost of removing the machines of `gone`, in money per hour.
        spare: spare machines, of each type that a plan uses.
        shares: groups of types that have a largest share below 1 of a module's rate.
        least: least machines of a module, where more than 1.
        ranked: all types, in the order in which idle machines are taken of them: by price, then as they are listed.
        paid: machines that are paid for, used or not, by type, where they cost anything.
    """

    stock: dict[str, int]
    rows: list[MachineLimit]
    running: dict[str, Counter[str]]
    gone: int
    most_changes: int | None
    change_price: dict[str, Fraction]
    gone_cost: Fraction
    spare: int
    shares: list[LargestShare]
    least: dict[str, int]
    ranked: list[str]
    paid: dict[str, int]

    @property
    def anything(self) -> bool:
        """Whether a plan has constraints beyond its latency."""
        return bool(self.stock or self.binds or self.spare or self.shares or self.least or self.paid)

    @property
    def binds(self) -> bool:
        """Whether changes are limited or cost anything."""
        return self.most_changes is not None or any(self.change_price.values()) or self.gone_cost > 0

    def limits(self) -> tuple[Fraction, ...]:
        """The largest use by a plan: of each of `rows`, then of changes if they are limited."""
        changes = [] if self.most_changes is None else [self.most_changes]
        return (*(row.capacity for row in self.rows), *map(Fraction, changes))

    def limits_without_spare(self, types: frozenset[str]) -> tuple[Fraction, ...]:
        """The part of `limits` that the spare machines leave to a plan that uses some types."""
        spare = {name: Fraction(self.spare) for name in types}
        taken = [row.taken(spare) for row in self.rows]
        return tuple(most - (taken[i] if i < len(taken) else 0) for i, most in enumerate(self.limits()))

    def changes(self, module: str, machines: Mapping[str, int]) -> int:
        """Machines of a module added and removed, given its machines by type, a partial one counted whole."""
        runs = self.running.get(module, Counter())
        return sum(abs(machines.get(name, 0) - runs[name]) for name in {*machines, *runs})

    def idle(self, module: str, machines: Mapping[str, int]) -> tuple[str, int]:
        """The type and the number of the machines that stand by in a module that has machines of some types."""
        lacking = self.least.get(module, 0) - sum(machines.values())
        return next(name for name in self.ranked if name in machines), max(0, lacking)

    def unused_cost(self, price: Mapping[str, Fraction], bought: Mapping[str, Fraction]) -> Fraction:
        """The cost of the machines that are paid for and not used, given those bought by type, without spare ones."""
        cost = Fraction(0)
        for name, least in self.paid.items():
            own = bought.get(name, Fraction(0))
            own += self.spare if own else 0
            cost += price[name] * max(Fraction(0), least - own)
        return cost

    def takes_enough(self, rate: Fraction, rates: Mapping[str, Fraction]) -> bool:
        """Whether machines without any one group of types take enough of a module's rate, given what all types take."""
        return all(self.lacking(group, rate, rates) <= 0 for group in self.shares)

    @staticmethod
    def lacking(group: LargestShare, rate: Fraction, rates: Mapping[str, Fraction]) -> Fraction:
        """The rate that machines outside a group lack in a module; negative if they take more than they need to."""
        others = (taken for name, taken in rates.items() if name not in group.hardware)
        return (1 - group.share) * rate - sum(others, Fraction(0))


def asked_of(session: Session, *, close: bool = True) -> Asked:
    """The constraints of a session.

    Args:
        session: the session.
        close: whether to include its limits and prices of changes; otherwise changes do not count.
    """
    running = session.running if close else None
    shares = [group for group in session.share_groups if group.share < 1]
    counts: dict[str, Counter[str]] = {module.name: Counter() for module in session.modules}
    gone, most = 0, None
    price, gone_cost = {module.name: Fraction(0) for module in session.modules}, Fraction(0)
    if running is not None and is_limited_by_changes(session):
        most = running.most_changes
        price = {module.name: session.change_price(module.name) for module in session.modules}
        for own in running.machines:
            if own.module in counts:
                counts[own.module][own.hardware] = own.machines
            else:
                gone += own.machines
                gone_cost += own.machines * session.change_price(own.module)
    most = None if most is None else most - gone
    spare = session.spare_machines
    ranked = [h.name for h in sorted(session.hardware, key=lambda h: h.price_per_h)]
    return Asked(
        usable_stock(session),
        machine_limits(session),
        counts,
        gone,
        most,
        price,
        gone_cost,
        spare,
        shares,
        {name: least for name, least in session.least_machines.items() if least > 1},
        ranked,
        {h.name: h.at_least for h in session.hardware if h.at_least and h.price_per_h},
    )
