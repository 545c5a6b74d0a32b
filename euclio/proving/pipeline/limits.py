"""What a search may use up: a deadline, and a count of its nodes (ours)."""

from __future__ import annotations

import time
from dataclasses import dataclass


class OutOfTimeError(Exception):
    """The deadline passed before the question was decided."""


class TooLargeError(Exception):
    """The question is beyond what this prover supports; the message says in what."""


@dataclass(slots=True)
class Effort:
    """A deadline and the work done so far.

    Attributes:
        deadline: `time.perf_counter` value at which to stop; infinite: never.
        nodes: nodes visited, over all searches.
    """

    deadline: float
    nodes: int = 0

    def step(self) -> None:
        """Count one node.

        Raises:
            OutOfTimeError: the deadline passed.
        """
        self.nodes += 1
        self.check()

    def left_s(self) -> float:
        """Seconds until the deadline."""
        return self.deadline - time.perf_counter()

    def check(self) -> None:
        """Look at the clock.

        Raises:
            OutOfTimeError: the deadline passed.
        """
        if time.perf_counter() >= self.deadline:
            raise OutOfTimeError
