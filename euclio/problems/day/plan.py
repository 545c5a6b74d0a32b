"""Plans of the family `day`: the machines that serve in each step, and those that idle."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from euclio.core.lazy import late_value
from euclio.core.showing import Framed


@dataclass(frozen=True, slots=True)
class Serving:
    """Full machines of one configuration, given by hardware, batch and concurrency as in the module's profile."""

    hardware: str
    batch: int
    concurrency: int
    machines: int


@dataclass(frozen=True, slots=True)
class Idle:
    """Running machines of a type that serve nothing."""

    hardware: str
    machines: int


@dataclass(frozen=True, slots=True)
class Staffing:
    """The machines of a module during a step."""

    serving: tuple[Serving, ...]
    idle: tuple[Idle, ...] = ()


@dataclass(frozen=True, slots=True)
class Resident:
    """A module on a shared machine.

    Attributes:
        module: its name.
        batch: batch of its configuration there.
        concurrency: concurrency of that configuration.
        rate_rps: requests per second that it may send there; those that do not come are capacity that is kept free.
    """

    module: str
    batch: int
    concurrency: int
    rate_rps: Fraction


@dataclass(frozen=True, slots=True)
class SharedMachine:
    """A machine that executes one batch at a time, of any of its modules.

    Attributes:
        number: its number, by which it is the same machine from step to step.
        hardware: its type.
        residents: the modules whose models it holds.
    """

    number: int
    hardware: str
    residents: tuple[Resident, ...]


@dataclass(frozen=True, slots=True)
class StepPlan:
    """The machines of a step.

    Attributes:
        modules: one staffing per module, in the session's order.
        shared: machines that modules share.
    """

    modules: tuple[Staffing, ...]
    shared: tuple[SharedMachine, ...] = ()


@dataclass(frozen=True, slots=True, repr=False)
class DayPlan(Framed):
    """A plan.

    Attributes:
        steps: one per step of the load.
    """

    _view = late_value("euclio.questions.day_views", "PLAN")

    steps: tuple[StepPlan, ...]
