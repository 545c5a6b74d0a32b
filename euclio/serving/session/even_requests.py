"""What a plan does with requests that come evenly at its rate, as the worst-case latencies assume (Harpagon §III-B)."""

from __future__ import annotations

from euclio.serving.multiples import whole_multiples
from euclio.serving.session.server import Counts, Logs, Server
from euclio.serving.session.system import System


def serve_evenly(system: System, requests: int) -> Logs:
    """Serve requests that come evenly, at the rate of the plan, until all are answered.

    Args:
        system: the plan as machines.
        requests: how many requests come. The last ones may wait for batches that nothing fills any more.
    """
    arrival = whole_multiples(system.clock.ticks_per_s / system.rate_rps, 0, requests)
    server = Server(system, until_ticks=int(arrival[-1]) + 1, logs=True)
    counts = Counts([module.per_request for module in system.modules]).take(requests)
    server.feed(arrival, counts, last=True)
    server.advance()
    return server.logs()
