"""What exact searches may cost: nodes and a deadline, beyond which a question is left undecided (ours)."""

from __future__ import annotations

import time
from dataclasses import dataclass

import numpy as np

from euclio.core.compiled import clock, compiled, hurry

# How many nodes a search may take that is begun again with more, so that it ends with the time limit (compiled, ours).
#
# The searches of one module count nodes and do not look at a clock. So they are run in stages, from the beginning and
# with more nodes each time. A stage that is four times as long as all before it may pass a deadline by three quarters
# of its time; so the next one gets what the time that is left lasts for, at the pace of the one before.

FIRST = 1 << 18
"""Nodes of the first stage where there is a deadline: some hundredths of a second in machine code."""
UNTIMED = -1.0
"""When the first stage begins: it is too short for a look at the clock, which most searches would pay for nothing."""
LATER = 4
"""Times the nodes of the stage before."""


@compiled
def first_nodes(deadline: float) -> int:
    """Nodes of the first stage; without a deadline as many as one likes."""
    return FIRST // hurry() if np.isfinite(deadline) else 1 << 60


@compiled
def began(deadline: float) -> float:
    """When a stage begins, in seconds on `clock`; without a deadline it is not looked up."""
    return clock() if np.isfinite(deadline) else 0.0


@compiled
def next_nodes(nodes: int, begun_s: float, deadline: float) -> int:
    """Nodes of the next stage; 0 means that the time left allows no more nodes than the last stage had.

    Args:
        nodes: nodes of the stage that has ended, which were not enough.
        begun_s: when that stage began, in seconds on `clock`; `UNTIMED`: it was the first one.
        deadline: seconds on `clock` at which to stop; infinite means never.
    """
    if not np.isfinite(deadline):
        return LATER * nodes
    now = clock()
    left = deadline - now
    if begun_s == UNTIMED:
        return LATER * nodes if left > 0.0 else 0
    if left <= now - begun_s:
        return 0
    return int(min(float(LATER), left / max(now - begun_s, 1e-6)) * nodes)


# How the searches of the exact methods end, and what their answers say then (ours).

OPTIMAL, INFEASIBLE, LIMIT = 0, 1, 2
"""A proof, a proof that there is no plan, and a search that a limit stopped: numbers, as kernels return them."""
NO_PLAN = "no plan meets the SLO (proven)"
NO_PLAN_WITHIN_LIMITS = "no plan meets the SLO within the limits on machines and changes (proven)"
NO_PLAN_WITHIN_STOCK = "no plan meets the SLO within the stock (proven)"
RATIONAL_NODES = 2_000_000
"""Nodes of a search in exact arithmetic after which a tie is left open, about ten seconds."""


class UndecidedError(Exception):
    """The deadline or the most nodes were reached."""


@dataclass(slots=True)
class Effort:
    """What searches may cost and have cost.

    Attributes:
        nodes_most: nodes after which to give up.
        deadline: `time.perf_counter` value at which to give up; infinite means never.
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
