"""How many requests can be there at once: where nobody waits longer than an execution, and where that may be (ours).

Take a stage of c instances with batches of b whose longest execution is L, and clients that send evenly, one request in
1/q_i. In any window of length L, closed at one end, come at most N = sum of ceil(q_i L) requests, whatever the phases.
If N <= c b, no request waits longer than L. For let r come at t, and let none before it have waited longer. Those that
are taken after t and before r then came within (t - L, t]: at most N - 1. Were r still there after t + L, each instance
would have ended an execution in (t, t + L], and taken b requests before r: at least N together, which are not there.

The checker asks for sum of q_i L <= c b only. For one client that is the same, as c b is whole; for several it is less,
and so their requests may coincide and wait longer.

A stage behind own ones meets requests that these have moved: if each took from s to 2 L' there, the window is longer by
2 L' - s.
"""

from __future__ import annotations

import math

from euclio.problems.fragments.evaluate import QUEUEING
from euclio.serving.fragments.record import Simulation
from euclio.serving.fragments.system import ServedStage
from euclio.serving.units import NS_PER_S


def most_in_an_execution(simulation: Simulation, stage: ServedStage) -> int:
    """The most requests that can reach a stage within its longest execution, if clients send evenly in any phases.

    Where own stages are before it, this holds if nobody waits there longer than an execution.
    """
    before = {k: own for own in simulation.stages if own.place == stage.place and not own.shared for k in own.fragments}
    window_ns = int(stage.latency_ns[1:].max())
    total = 0
    for k in stage.fragments:
        own = before.get(k) if stage.shared else None
        moved_ns = 0 if own is None else QUEUEING * int(own.latency_ns[1:].max()) - int(own.latency_ns[1:].min())
        total += math.ceil(simulation.offered_rps[k] * (window_ns + moved_ns) / NS_PER_S)
    return total
