"""Plans of a session: which machines, at which configuration, take which requests (docs/model/sessions.md)."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from euclio.core.lazy import late_value
from euclio.core.showing import Framed
from euclio.problems.session.instance import Configuration


@dataclass(frozen=True, slots=True)
class Allocation:
    """n whole machines of one configuration and, in a module's last allocation only, one partial machine.

    Attributes:
        configuration: the configuration that all these machines run.
        machines: whole machines at full rate; the partial machine is not counted.
        partial_rps: request rate of the partial machine; 0: there is none.
    """

    configuration: Configuration
    machines: int
    partial_rps: Fraction = Fraction(0)


@dataclass(frozen=True, slots=True)
class ModulePlan:
    """The allocations of one module, strictly descending in rank, and the dummy rate that tops its rate up."""

    allocations: tuple[Allocation, ...]
    dummy_rps: Fraction = Fraction(0)


@dataclass(frozen=True, slots=True, repr=False)
class Plan(Framed):
    """A plan of a session.

    Attributes:
        modules: one `ModulePlan` per module, in the order of the session's modules.
        shared: groups of indices of modules whose partial machines are one machine
            (`euclio.problems.session.sharing.packing`).
    """

    _view = late_value("euclio.problems.session.views", "PLAN")

    modules: tuple[ModulePlan, ...]
    shared: tuple[tuple[int, ...], ...] = ()
