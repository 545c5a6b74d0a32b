"""Limits of a prover's search: a deadline and a count of its nodes; how it gives up (ours)."""

from __future__ import annotations

import time
from dataclasses import dataclass

from euclio.core.certificate import NoProofError

OUT_OF_TIME = "the time limit was reached"


class GivenUpError(NoProofError):
    """A prover gave a question up before it was decided, so that no proof file is made either; says why in one line."""


def refuse_late(deadline: float) -> None:
    """Give up after a deadline, which is a `time.perf_counter` value.

    Raises:
        GivenUpError: the deadline has passed.
    """
    if time.perf_counter() >= deadline:
        raise GivenUpError(OUT_OF_TIME)


@dataclass(slots=True)
class Effort:
    """A deadline and the work done so far.

    Attributes:
        deadline: `time.perf_counter` value at which to stop; infinity disables it.
        nodes: nodes visited, over all searches.
    """

    deadline: float
    nodes: int = 0

    def step(self) -> None:
        """Count one node, and give up after the deadline.

        Raises:
            GivenUpError: the deadline has passed.
        """
        self.nodes += 1
        self.check()

    def left_s(self) -> float:
        """Seconds until the deadline."""
        return self.deadline - time.perf_counter()

    def check(self) -> None:
        """Give up after the deadline.

        Raises:
            GivenUpError: the deadline has passed.
        """
        refuse_late(self.deadline)
