"""Sessions at the rates and the latency objective of Scrooge's own evaluation (§4.2).

Twelve clients come and go; each streams 2 to 5 frames per second to traffic or 12 to 30 to face, and every frame has
400 ms. Which clients are there at a decision is not printed: ours are 1 to 12, drawn evenly, and scaling factors lie
in the applications' ranges. The third application of §4.2, tracker, is not among ours, and CPU modules are left out.
"""

from __future__ import annotations

import random
from fractions import Fraction

from euclio.session.workloads.applications import find_application
from euclio.session.workloads.protocol import Workload, latency_range

CLIENT_RATES = {"face": (12, 30), "traffic": (2, 5)}
"""Frames per second of one client, least and most."""
MOST_CLIENTS = 12
SLO_S = Fraction(2, 5)


def draw_scrooge(seed: int, number: int) -> Workload:
    """The session of one draw; the same seed and number give the same one.

    Args:
        seed: seed of the draws.
        number: number of the draw, from 1.
    """
    stream = random.Random(f"scrooge/{seed}/{number}")
    name = list(CLIENT_RATES)[int(stream.random() * len(CLIENT_RATES))]
    low, high = CLIENT_RATES[name]
    clients = 1 + int(MOST_CLIENTS * stream.random())
    rate = Fraction(sum(low + int((high - low + 1) * stream.random()) for _ in range(clients)))
    application = find_application(name)
    factors = application.factors([stream.random() for _ in application.modules])
    session = application.session(f"scrooge-{name}-{number:04d}", rate, SLO_S, factors)
    least, useful = latency_range(session)
    tightness = (float(SLO_S) - least) / (useful - least) if useful > least else 1.0
    return Workload(session, name, rate, round(tightness, 6))
