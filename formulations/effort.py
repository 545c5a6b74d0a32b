"""What exact searches may cost: nodes and a deadline, beyond which a question is left undecided (ours)."""

from __future__ import annotations

import time
from dataclasses import dataclass


class UndecidedError(Exception):
    """The deadline or the most nodes were reached."""


@dataclass(slots=True)
class Effort:
    """What searches may cost and have cost.

    Attributes:
        nodes_most: nodes after which to give up.
        deadline: `time.perf_counter` value at which to give up; infinite: never.
        nodes: nodes so far.
        between_clocks: nodes between two looks at the clock.
    """

    nodes_most: int
    deadline: float
    nodes: int = 0
    between_clocks: int = 16

    def count(self) -> None:
        """Count a node.

        Raises:
            UndecidedError: one of the limits is reached.
        """
        self.nodes += 1
        late = self.nodes % self.between_clocks == 0 and time.perf_counter() >= self.deadline
        if late or self.nodes > self.nodes_most:
            raise UndecidedError
