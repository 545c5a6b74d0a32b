"""Sessions at the rates and the latency objective of Scrooge's own evaluation (§4.2).

Twelve clients come and go; each streams 2 to 5 frames per second to traffic, 12 to 30 to face or 15 to 40 to tracker,
and every frame has 400 ms. Which clients are there at a decision is not printed: ours are 1 to 12, drawn evenly.
Scaling and ballooning factors (§3.2: how input changes a module's rate and its execution time) are drawn anew for
every decision, on a logarithmic scale, in the ranges of `data/scrooge.json`.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction

from euclio.core.numbers import exact
from euclio.problems.session import Configuration, Module, Session
from euclio.workloads.session.acceptance import planned_in
from euclio.workloads.session.protocol import Workload, latency_range, log_uniform
from euclio.workloads.session.scrooge_applications import find_scrooge_application
from euclio.workloads.session.synthesis import DURATION_DIGITS

COMPARED = ("traffic", "face", "tracker")
"""The applications of §4.2, whose decisions Figures 10 and 11 are about."""
MOST_CLIENTS = 12


def draw_scrooge(application: str, seed: int, number: int, objective: int = 0, clients: int = 0) -> Workload:
    """The session of one allocation decision; the same arguments give the same one.

    Args:
        application: name of one of the seven.
        seed: seed of the draws.
        number: number of the decision, from 1; clients and factors depend on it, not on the objective.
        objective: which of the application's latency objectives, from the tightest.
        clients: clients that are there; 0: drawn, 1 to 12.

    Raises:
        InputError: no such application; names them all.
    """
    found = find_scrooge_application(application)
    stream = random.Random(f"scrooge/{seed}/{application}/{number}")
    low, high = found.client_rps
    drawn = 1 + int(MOST_CLIENTS * stream.random())
    rate = Fraction(sum(low + int((high - low + 1) * stream.random()) for _ in range(clients or drawn)))
    factors = found.application.factors([stream.random() for _ in found.application.modules])
    slo = found.objectives_s[objective]
    name = f"scrooge-{application}-{number:04d}-{int(1000 * slo)}ms"
    session = found.application.session(name, rate, slo, factors)
    balloons = {m.name: log_uniform(stream, found.ballooning[m.name]) for m in session.modules}
    session = replace(session, modules=tuple(inflated(m, balloons[m.name]) for m in session.modules))
    return Workload(session, application, rate, _tightness(session))


def inflated(module: Module, balloon: float) -> Module:
    """The module with all durations of its profile as many times as long (Scrooge §3.5, footnote 7)."""
    if balloon == 1.0:
        return module
    profile = tuple(
        Configuration(c.hardware, c.batch, c.concurrency, exact(f"{balloon * float(c.duration_s):.{DURATION_DIGITS}f}"))
        for c in module.profile
    )
    return Module(module.name, module.rate_rps, profile)


def _tightness(session: Session) -> float:
    """Place of the objective between the least latency (0) and the most useful one (1)."""
    least, useful = latency_range(session)
    slo = float(session.slo_s)
    return round((slo - least) / (useful - least), 6) if useful > least else 1.0


def decisions(count: int, seed: int, objective: int = 0) -> Iterator[Session]:
    """The decisions of §4.2 that have a plan in Scrooge's plan space, each drawn when it is asked for.

    Args:
        count: decisions of each application of `COMPARED`, with those that have no plan.
        seed: seed of the draws.
        objective: which of the applications' latency objectives, from the tightest.
    """
    rejected_by = planned_in("scrooge-milp")
    drawn = (draw_scrooge(name, seed, k, objective).session for name in COMPARED for k in range(1, count + 1))
    return (session for session in drawn if not rejected_by(session))
