"""The seeded protocol behind the 1131 workloads of Harpagon §IV-A (ours: the paper does not print its own).

The accepted workloads go round the applications: workload i is of application i mod 5, drawn until one is accepted.
Every draw has its own random stream made of seed, application and number of the draw among its application's, so a
workload does not depend on the solvers that accepted the ones before it.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import cycle, islice

from euclio.exact import exact
from euclio.session import FULL_SPACE, Session
from euclio.session.arrays import session_arrays
from euclio.workloads.applications import Application, applications, find_application, short
from euclio.workloads.latencies import latency_range

PUBLISHED_WORKLOADS = 1131
SEED = 20240917
"""Seed of the published protocol."""

SLO_STEP_S = Fraction(1, 1000)


@dataclass(frozen=True, slots=True)
class ProtocolParameters:
    """Free parameters of the protocol; the defaults were fitted to published figures of role `fit` (data/README.md).

    Attributes:
        machines: range, drawn log-uniformly, of the machines that the application's busiest module would need at its
            best-ranked configuration; it fixes the request rate.
        slo_over_least: range, drawn log-uniformly, of the SLO over the session's least latency.
        least_slo_s: shorter SLOs are lifted to this many seconds.
    """

    machines: tuple[float, float] = (5.8, 19.0)
    slo_over_least: tuple[float, float] = (5.5, 9.9)
    least_slo_s: float = 0.12


@dataclass(frozen=True, slots=True)
class Workload:
    """A session drawn by the protocol.

    Attributes:
        session: the instance; its name is the application's with the number of the draw.
        application: name of the application.
        rate_rps: request rate of the application, exact.
        tightness: place of the SLO between least (0) and most useful latency (1); above 1: looser than useful.
    """

    session: Session
    application: str
    rate_rps: Fraction
    tightness: float


@dataclass(frozen=True, slots=True)
class Draws:
    """What the protocol drew.

    Attributes:
        workloads: the accepted ones.
        drawn: number of draws.
        rejected: number of draws that each solver found no plan for (one draw may count for several solvers).
        applications: the same two numbers for each application, by its name.
    """

    workloads: tuple[Workload, ...]
    drawn: int
    rejected: dict[str, int]
    applications: dict[str, ApplicationDraws]


@dataclass(frozen=True, slots=True)
class ApplicationDraws:
    """Draws of one application.

    Attributes:
        drawn: number of draws; the next one has the next number.
        accepted: number of accepted ones.
        rejected: number of draws that each solver found no plan for.
    """

    drawn: int
    accepted: int
    rejected: dict[str, int]


def draw(seed: int, application: str, number: int, parameters: ProtocolParameters | None = None) -> Workload:
    """The workload of one draw.

    Args:
        seed: seed of the protocol.
        application: name of the application.
        number: number of the draw among the application's, from 1.
        parameters: free parameters.

    Raises:
        InputError: there is no such application.
    """
    chosen = ProtocolParameters() if parameters is None else parameters
    drawn = find_application(application)
    stream = random.Random(f"{seed}/{application}/{number}")
    factors = drawn.factors([stream.random() for _ in drawn.modules])
    machines = _log_uniform(stream, chosen.machines)
    slo_over_least = _log_uniform(stream, chosen.slo_over_least)
    rate = short(machines * _one_machine_rate(drawn, factors))
    session = drawn.session(f"{application}-{number:04d}", rate, Fraction(1), factors)
    least, useful = latency_range(session)
    slo = max(exact(chosen.least_slo_s), round_up(slo_over_least * least))
    tightness = (float(slo) - least) / (useful - least) if useful > least else 1.0
    return Workload(with_slo(session, slo), application, rate, round(tightness, 6))


def workloads(
    accept: Callable[[Session], Iterable[str]],
    count: int = PUBLISHED_WORKLOADS,
    seed: int = SEED,
    parameters: ProtocolParameters | None = None,
) -> Draws:
    """Draw until exactly `count` workloads are accepted, one application after the other.

    Args:
        accept: returns the names of the solvers that found no plan; none: accepted.
        count: number of workloads.
        seed: seed of the protocol.
        parameters: free parameters.

    Raises:
        RuntimeError: of 1000 draws in a row none was accepted.
    """
    kept: list[Workload] = []
    tallies = {name: _Tally() for name in applications()}
    for application in islice(cycle(tallies), count):
        tally = tallies[application]
        kept.append(_next_accepted(accept, seed, application, tally, parameters))
    rejected = sum((tally.rejected for tally in tallies.values()), Counter[str]())
    per_application = {
        name: ApplicationDraws(tally.drawn, tally.accepted, dict(sorted(tally.rejected.items())))
        for name, tally in tallies.items()
    }
    drawn = sum(tally.drawn for tally in tallies.values())
    return Draws(tuple(kept), drawn, dict(sorted(rejected.items())), per_application)


@dataclass(slots=True)
class _Tally:
    """An application's draws so far."""

    drawn: int = 0
    accepted: int = 0
    rejected: Counter[str] = field(default_factory=Counter)


def _next_accepted(
    accept: Callable[[Session], Iterable[str]],
    seed: int,
    application: str,
    tally: _Tally,
    parameters: ProtocolParameters | None,
) -> Workload:
    for _ in range(1000):
        tally.drawn += 1
        workload = draw(seed, application, tally.drawn, parameters)
        against = set(accept(workload.session))
        tally.rejected.update(against)
        if not against:
            tally.accepted += 1
            return workload
    rejected = dict(sorted(tally.rejected.items()))
    raise RuntimeError(f"no draw out of 1000 of {application} was accepted; rejected by {rejected}")


def with_slo(session: Session, slo_s: Fraction) -> Session:
    """The same session with another latency objective."""
    return Session(session.name, slo_s, session.hardware, session.modules, session.edges)


def round_up(seconds: float) -> Fraction:
    """The next multiple of a millisecond."""
    return -(-exact(f"{seconds:.9f}") // SLO_STEP_S) * SLO_STEP_S


def _one_machine_rate(application: Application, factors: dict[str, Fraction]) -> float:
    """Request rate of the application at which its busiest module fills one machine at its best configuration."""
    unit = session_arrays(application.session(application.name, Fraction(1), Fraction(1), factors), FULL_SPACE)
    return min(float(unit.throughput[unit.first[m]]) / float(unit.rate[m]) for m in range(len(application.modules)))


def _log_uniform(stream: random.Random, bounds: tuple[float, float]) -> float:
    return float(bounds[0] * (bounds[1] / bounds[0]) ** stream.random())
