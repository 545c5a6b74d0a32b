"""How many requests can be there at once: where waiting no longer than an execution is certain, and where it is not (ours).

Take a stage of c instances with batches of b whose longest execution is L, and clients that send evenly, one request in
1/q_i. In any window of length L, closed at one end, come at most N = sum of ceil(q_i L) requests, whatever the phases.
**If N <= c b, no request waits longer than L.** Say that request r comes at t, and that no earlier one waits longer.
Requests that are taken after t and before r came within (t - L, t], so there are at most N - 1. Were r not taken by
t + L, every instance would have ended an execution in (t, t + L] and taken b requests before r: c b >= N of them, which
are not there. The checker asks for sum of q_i L <= c b only. For one client that is the same, as c b is whole; for
several it is less, and so their requests may coincide and wait longer.

A stage behind own ones meets requests that these have moved: if each took from s to 2 L' there, the window is longer by
2 L' - s.
"""

from __future__ import annotations

import math

from euclio.fragments.evaluate import QUEUEING
from euclio.fragments.simulation.record import Simulation
from euclio.fragments.simulation.system import ServedStage
from euclio.simulation.units import NS_PER_S


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
