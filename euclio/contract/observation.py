"""What was seen of one trial, unjudged."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from euclio.core.result import Answer


class Ending(StrEnum):
    """How a trial ended."""

    ANSWERED = "answered"
    INAPPLICABLE = "inapplicable"
    RAISED = "raised"
    HUNG = "hung"
    """Killed far above its time limit."""
    DIED = "died"
    """The process ended by itself."""
    SKIPPED = "skipped"
    """Never tried, because the process had ended too often."""


@dataclass(frozen=True, slots=True)
class Observation:
    """What was seen of one trial.

    Attributes:
        ending: how it ended.
        message: one line about that: the exception, the signal.
        answer: the answer.
        space: the plan space that the solver searched (`Solver.narrow`); None: it never got that far.
        wall_s: seconds in the solver.
        waited_s: seconds that its threads stood in line for a processor meanwhile, all together.
        printed: what came out on standard output.
        mutated: the instance's text is another one than before.
        left: what differs in its process.
    """

    ending: Ending
    message: str = ""
    answer: Answer[Any] | None = None
    space: Any = None
    wall_s: float = 0.0
    waited_s: float = 0.0
    printed: str = ""
    mutated: bool = False
    left: tuple[str, ...] = ()

    @property
    def took_s(self) -> float:
        """Seconds that the solver would have taken on an idle machine, or fewer."""
        return max(0.0, self.wall_s - self.waited_s)


@dataclass(frozen=True, slots=True)
class Described:
    """What a solver says about itself, as plain data (`euclio.core.registry.Solver`).

    Attributes:
        name: its name.
        kind: its kind.
        family: its problem family.
        space: its plan space.
        version: its version.
    """

    name: str
    kind: str
    family: str
    space: Any
    version: str
