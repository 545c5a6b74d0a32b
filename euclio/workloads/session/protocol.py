"""The seeded protocol of the protocol workloads, the older set, fitted by hand (ours; Harpagon §IV-A prints none).

"The 1131 workloads" are those of the reference setting (`studies.reference_workloads`), not these.

Every draw has its own random stream made of seed and draw number, so a workload does not depend on the solvers that
accepted the ones before it.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from fractions import Fraction
from itertools import count as count_up

import numpy as np

from euclio.core.numbers import exact, short
from euclio.core.progress import told
from euclio.problems.session import FULL_SPACE, Session
from euclio.problems.session.arrays import session_arrays
from euclio.problems.session.latency.paths import times_until
from euclio.workloads.populations import PROTOCOL_SEED
from euclio.workloads.session.applications import Application, applications

PUBLISHED_WORKLOADS = 1131
SEED = PROTOCOL_SEED
"""Seed of the published protocol."""

SLO_STEP_S = Fraction(1, 1000)


@dataclass(frozen=True, slots=True)
class ProtocolParameters:
    """Free parameters of the protocol; the defaults were fitted to numbers of role `fit` (docs/model/readings.md).

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
        session: the instance; its name is the application's with the draw number.
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
    """

    workloads: tuple[Workload, ...]
    drawn: int
    rejected: dict[str, int] = field(default_factory=dict)


def draw(seed: int, number: int, parameters: ProtocolParameters | None = None) -> Workload:
    """The workload of one draw.

    Args:
        seed: seed of the protocol.
        number: number of the draw, from 1.
        parameters: free parameters.
    """
    chosen = ProtocolParameters() if parameters is None else parameters
    stream = random.Random(f"{seed}/{number}")
    known = tuple(applications().values())
    application = known[int(stream.random() * len(known))]
    factors = application.factors([stream.random() for _ in application.modules])
    machines = log_uniform(stream, chosen.machines)
    slo_over_least = log_uniform(stream, chosen.slo_over_least)
    rate = short(machines * one_machine_rate(application, factors))
    name = f"{application.name}-{number:04d}"
    session = application.session(name, rate, Fraction(1), factors)
    least, useful = latency_range(session)
    slo = max(exact(chosen.least_slo_s), round_up(slo_over_least * least))
    tightness = (float(slo) - least) / (useful - least) if useful > least else 1.0
    return Workload(replace(session, slo_s=slo), application.name, rate, round(tightness, 6))


@told("sampling workloads that every system has a plan for")
def workloads(
    accept: Callable[[Session], Iterable[str]],
    count: int = PUBLISHED_WORKLOADS,
    seed: int = SEED,
    parameters: ProtocolParameters | None = None,
) -> Draws:
    """Draw until exactly `count` workloads are accepted.

    Args:
        accept: returns the names of the solvers that found no plan; none means accepted.
        count: number of workloads.
        seed: seed of the protocol.
        parameters: free parameters.

    Raises:
        RuntimeError: of the last 1000 draws and more none was accepted.
    """
    judged = list(judged_draws(accept, count, seed, parameters))
    rejected = Counter(name for _, against in judged for name in against)
    kept = tuple(workload for workload, against in judged if not against)
    return Draws(kept, len(judged), dict(sorted(rejected.items())))


def judged_draws(
    accept: Callable[[Session], Iterable[str]],
    count: int = PUBLISHED_WORKLOADS,
    seed: int = SEED,
    parameters: ProtocolParameters | None = None,
) -> Iterator[tuple[Workload, frozenset[str]]]:
    """Draws one by one, with the names of the solvers that found no plan, until `count` of them are accepted.

    Arguments and errors are those of `workloads`.
    """
    rejected: Counter[str] = Counter()
    left, in_vain = count, 0
    numbers = count_up(1)
    while left > 0:
        workload = draw(seed, next(numbers), parameters)
        against = frozenset(accept(workload.session))
        yield workload, against
        rejected.update(against)
        left, in_vain = (left, in_vain + 1) if against else (left - 1, 0)
        if in_vain >= 1000:
            raise RuntimeError(f"no draw out of 1000 was accepted; rejected by {dict(sorted(rejected.items()))}")


def latency_range(session: Session) -> tuple[float, float]:
    """Least and most useful latency of a session (ours), the ends of the scale on which tightness is measured.

    They are the longest paths in seconds with every module at its least and at its most useful latency. A
    module's least latency is the smallest d + b/T over its configurations, its most useful one d + b/T of the
    best-ranked configuration: a larger budget buys it nothing more.
    """
    arrays = session_arrays(session, FULL_SPACE)
    least, useful = [], []
    for m in range(len(session.modules)):
        rows = slice(int(arrays.first[m]), int(arrays.first[m + 1]))
        latency = arrays.duration[rows] + arrays.batch[rows] / arrays.rate[m]
        least.append(float(np.min(latency)))
        useful.append(float(latency[0]))
    return max(times_until(session, least)), max(times_until(session, useful))


def round_up(seconds: float) -> Fraction:
    """The next multiple of a millisecond."""
    return -(-exact(f"{seconds:.9f}") // SLO_STEP_S) * SLO_STEP_S


def one_machine_rate(application: Application, factors: dict[str, Fraction]) -> float:
    """Request rate of the application at which its busiest module fills one machine at its best configuration."""
    unit = session_arrays(application.session(application.name, Fraction(1), Fraction(1), factors), FULL_SPACE)
    return min(float(unit.throughput[unit.first[m]]) / float(unit.rate[m]) for m in range(len(application.modules)))


def log_uniform(stream: random.Random, bounds: tuple[float, float]) -> float:
    """A number drawn evenly on a logarithmic scale between two bounds."""
    return float(bounds[0] * (bounds[1] / bounds[0]) ** stream.random())
