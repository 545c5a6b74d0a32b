"""The machines that run already, with the limit and the price of changing them (ours)."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from fractions import Fraction

from euclio.core.errors import InputError
from euclio.core.numbers import exact_number

MOST = 10**9
SHARING = " + "
"""The text between the names of modules that share a machine."""


@dataclass(frozen=True, slots=True)
class RunningMachines:
    """Machines of one hardware type that serve a module.

    Attributes:
        module: name of the module; modules that share a machine have their names as in "a + b". The session may not
            have the module any more.
        hardware: name of the machine type.
        machines: number of machines, with one that is used in part counted whole.

    Raises:
        InputError: the number of machines is invalid.
    """

    module: str
    hardware: str
    machines: int

    def __post_init__(self) -> None:
        if not 1 <= self.machines <= MOST:
            raise InputError(f"is {self.machines}; give a whole number of machines, at least 1", field="machines")


@dataclass(frozen=True, slots=True)
class Running:
    """Running machines, and how far a plan may change them.

    A machine that moves to another module or hardware type is one removed and one added. A machine that changes only
    its batch or concurrency is none.

    Attributes:
        machines: the machines that run.
        most_changes: most machines added and removed together; None means any number.
        price_per_change_per_h: money for each machine added or removed, for each hour that the plan is to run; it is
            part of a plan's cost per hour.

    Raises:
        InputError: a number out of range.
    """

    machines: tuple[RunningMachines, ...]
    most_changes: int | None = None
    price_per_change_per_h: Fraction = Fraction(0)

    def __post_init__(self) -> None:
        if self.most_changes is not None and not 0 <= self.most_changes <= MOST:
            raise InputError(f"is {self.most_changes}; give a whole number, at least 0", field="most_changes")
        exact_number(self.price_per_change_per_h, "price_per_change_per_h", zero=True)
        places = [(own.module, own.hardware) for own in self.machines]
        if len(set(places)) < len(places):
            raise InputError("a module and hardware are listed twice; add their machines up", field="machines")

    @property
    def counts(self) -> Counter[tuple[str, str]]:
        """Machines by (module, hardware)."""
        return Counter({(own.module, own.hardware): own.machines for own in self.machines})

    @property
    def binds(self) -> bool:
        """Whether changes are limited or cost anything."""
        return self.most_changes is not None or self.price_per_change_per_h > 0
