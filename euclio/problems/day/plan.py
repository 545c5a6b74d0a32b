"""Plans of the family `day`: which machines serve in each step, and which are kept on idle."""

from __future__ import annotations

from dataclasses import dataclass

from euclio.core.lazy import late_value
from euclio.core.showing import Framed


@dataclass(frozen=True, slots=True)
class Serving:
    """Full machines of one configuration, which the profile of the module knows by hardware, batch and concurrency."""

    hardware: str
    batch: int
    concurrency: int
    machines: int


@dataclass(frozen=True, slots=True)
class Idle:
    """Machines of a type that are on and serve nothing."""

    hardware: str
    machines: int


@dataclass(frozen=True, slots=True)
class Staffing:
    """The machines of a module during a step."""

    serving: tuple[Serving, ...]
    idle: tuple[Idle, ...] = ()


@dataclass(frozen=True, slots=True)
class StepPlan:
    """The machines of a step.

    Attributes:
        modules: one staffing per module, in the order of the session's.
    """

    modules: tuple[Staffing, ...]


@dataclass(frozen=True, slots=True, repr=False)
class DayPlan(Framed):
    """A plan.

    Attributes:
        steps: one per step of the load.
    """

    _view = late_value("euclio.questions.day_views", "PLAN")

    steps: tuple[StepPlan, ...]
