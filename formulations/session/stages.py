"""How many nodes a search may take that is begun again with more, so that it ends with the time limit (compiled, ours).

The searches of one module count nodes and do not look at a clock. So they are run in stages, from the beginning and
with more nodes each time. A stage that is four times as long as all before it may pass a deadline by three quarters of
its time; so the next one gets what the time that is left lasts for, at the pace of the one before.
"""

from __future__ import annotations

import numpy as np

from euclio.core.compiled import clock, compiled, hurry

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
    """Nodes of the next stage; 0: the time that is left lasts for no more than the last stage had, so none is worth it.

    Args:
        nodes: nodes of the stage that has ended, which were not enough.
        begun_s: when that stage began, in seconds on `clock`; `UNTIMED`: it was the first one.
        deadline: seconds on `clock` at which to stop; infinite: never.
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
