"""What a plan does with requests that come evenly at its rate, as the worst-case latencies assume (Harpagon §III-B)."""

from __future__ import annotations

import numpy as np

from euclio.session.simulation.server import Counts, Logs, Server
from euclio.session.simulation.system import System
from euclio.simulation.units import NS_PER_S


def serve_evenly(system: System, requests: int) -> Logs:
    """Serve requests that come evenly, at the rate of the plan, until all are answered.

    Args:
        system: the plan as machines.
        requests: how many requests come. The last ones may wait for batches that nothing fills any more.
    """
    rate = system.rate_rps
    arrival = [k * NS_PER_S * rate.denominator // rate.numerator for k in range(requests)]
    server = Server(system, until_ns=arrival[-1] + 1, logs=True)
    counts = Counts([module.per_request for module in system.modules]).take(requests)
    server.feed(np.array(arrival, np.int64), counts, last=True)
    server.advance()
    return server.logs()
